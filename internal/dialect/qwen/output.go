package qwen

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// hookOutput returns the outcome as Qwen Code's hook output. What the client has no word for at the event is a block
// where that holds something back, else a message to the user. Every block says continue: false as well, which no other
// hook's allow undoes.
func hookOutput(o protocol.Outcome) ([]byte, error) {
	m := ruleOf(dialect.ClaudeEventOf(&protocol.Call{Event: o.Event, Failed: o.Failed}))
	out := dialect.NewHookOutput(m.Name) // the same fields, but for terminalSequence
	messages := dialect.Messages(o)
	cannot := func(what, why string) { messages = append(messages, dialect.Cannot(client, what, m.Name, why)) }
	held, why := o.Decision != protocol.Continue, dialect.BlockReason(o, client)
	asks := o.Decision == protocol.Ask && m.Can&permits != 0 && o.UpdatedInput == nil
	if asks {
		why = o.Reason
	}
	unfit := ""
	if o.UpdatedInput != nil && m.Can&permits != 0 {
		unfit = dialect.ChangedInput(o, ", and Qwen Code lets no hook change that")
	}
	switch {
	case held:
	case unfit != "":
		held, why = true, unfit
	case o.UpdatedOutput != nil && m.Name == "PostToolUse":
		held, why = true, cmp.Or(strictjson.ValueText(o.UpdatedOutput), "(nothing)")
	}
	texts := strings.Join(o.Texts(), "\n\n")
	if o.Stop {
		switch {
		// it stops by itself, and continue: false would keep it going
		case m.Name == "Stop" || m.Name == "SubagentStop":
			held = false
			messages = append(messages, o.StopReason)
		case m.Can&(dialect.Stop|requests|todo) == 0:
			cannot("be stopped", o.StopReason)
		case !held:
			held, why = true, o.StopReason
		}
	}
	why = cmp.Or(why, noReason)
	switch {
	case m.Can&requests != 0:
		if held {
			o.Decision, o.Reason = protocol.Block, why
		}
		dialect.PermissionRequest(o, &out.Specific)
	case !held:
	case m.Can&permits != 0:
		word := "deny"
		if asks {
			word = "ask"
		}
		out.Set("permissionDecision", word)
		out.Set("permissionDecisionReason", why)
		out.Continue, out.StopReason = new(bool), why
	case m.Can&(dialect.Block|todo) != 0:
		out.Decision, out.Reason = "block", why
	case m.Can&dialect.Stop != 0: // the text stands in the place of the tool's result
		if texts != "" {
			why, texts = why+"\n\n"+texts, ""
		}
		out.Continue, out.StopReason = new(bool), why
	case m.Can&dialect.Inject != 0 && m.Name != "SessionStart": // of a tool that failed
		texts = strings.TrimPrefix(texts+"\n\n"+why, "\n\n")
		messages = append(messages, fmt.Sprintf("hookrun: %s does not hold anything up at %s: %s", client, m.Name, why))
	default:
		cannot("be held up", why)
	}
	if o.UpdatedOutput != nil && m.Name == "PostToolUseFailure" {
		messages = append(messages,
			"hookrun: Qwen Code cannot change the result of a tool that failed, so the model sees it as it was")
	}
	switch {
	case texts == "":
	case m.Can&dialect.Inject != 0 && !(held && m.Can&speaks != 0):
		out.Set("additionalContext", texts)
	case held && m.Can&(permits|dialect.Block) != 0:
		if out.Reason != "" {
			out.Reason += "\n\n" + texts
		} else {
			out.Set("permissionDecisionReason", why+"\n\n"+texts)
		}
	default:
		messages = append(messages, dialect.CannotTell(client, m.Name, texts))
	}
	return out.Encode(messages)
}
