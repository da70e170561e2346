package qwen

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// hookOutput returns the outcome as Qwen Code's hook output. An effect that the client cannot express at the event
// becomes a block, or a message to the user if a block has no effect there. Before a tool a block also says continue:
// false, because no other hook's allow overrides it.
func hookOutput(o protocol.Outcome) ([]byte, error) {
	b, err := encode(o)
	for limit := maxRead / 4; len(b) > maxRead && limit >= 256; limit /= 2 { // the client would drop a longer answer
		b, err = encode(shortened(o, limit))
	}
	return b, err
}

// shortened returns the outcome with texts of at most limit bytes.
func shortened(o protocol.Outcome, limit int) protocol.Outcome {
	o.Reason, o.StopReason = dialect.Shorten(o.Reason, limit), dialect.Shorten(o.StopReason, limit)
	if len(o.UpdatedOutput) > limit {
		o.UpdatedOutput = strictjson.Quote(dialect.Shorten(strictjson.ValueText(o.UpdatedOutput), limit))
	}
	o.Texts = []protocol.Text{{Content: dialect.Shorten(strings.Join(dialect.TextsOf(o), "\n\n"), limit)}}
	o.SystemMessages = []string{dialect.Shorten(strings.Join(client.Messages(o), "\n"), limit)}
	o.Hooks, o.Warnings = nil, nil // the messages have them
	return o
}

func encode(o protocol.Outcome) ([]byte, error) {
	m := ruleOf(client.ClaudeEventOf(&dialect.Call{Event: o.Event, Failed: o.Failed}))
	out := client.NewHookOutput(o, clientName, m.Name) // Claude Code's fields except terminalSequence
	held, why := m.held(o)
	held, why = m.stopped(&out.Notes, o, held, why)
	why = cmp.Or(why, noReason)
	texts := strings.Join(dialect.TextsOf(o), "\n\n")
	switch {
	case m.Can&requests != 0:
		if held {
			o.Decision, o.Reason = protocol.Block, why
		}
		client.PermissionRequest(o, &out.Specific)
	case !held:
	case m.Can&permits != 0:
		word := "deny"
		if m.asks(o) {
			word = "ask"
		}
		out.SetPermission(word, why)
		out.End(why)
	case m.Can&(dialect.Block|todo) != 0:
		out.Block(why)
	case m.Can&dialect.Stop != 0: // the text replaces the tool's result
		if texts != "" {
			why, texts = why+"\n\n"+texts, ""
		}
		out.End(why)
	case m.Can&dialect.Inject != 0 && m.Name != "SessionStart": // after a failed tool
		texts = strings.TrimPrefix(texts+"\n\n"+why, "\n\n")
		out.Note(fmt.Sprintf("hookrun: %s blocks nothing at %s: %s", clientName, m.Name, why))
	default:
		out.Cannot("be blocked", why)
	}
	if o.UpdatedOutput != nil && m.Name == "PostToolUseFailure" {
		out.Note("hookrun: Qwen Code cannot change the result of a tool that failed, so the model sees it as it was")
	}
	switch {
	case texts == "":
	case m.Can&dialect.Inject != 0 && !(held && m.Can&stdoutIsContext != 0):
		out.Set("additionalContext", texts)
	case held && m.Can&permits != 0:
		out.Set("permissionDecisionReason", why+"\n\n"+texts)
	case held && m.Can&dialect.Block != 0:
		out.Reason += "\n\n" + texts
	default:
		out.CannotTell(texts)
	}
	return out.Encode()
}

// held reports whether the answer blocks, and why.
func (m rule) held(o protocol.Outcome) (held bool, why string) {
	switch {
	case m.asks(o):
		return true, o.Reason
	case o.Decision != protocol.Continue:
		return true, client.BlockReason(o, clientName)
	case o.UpdatedInput != nil && m.Can&permits != 0:
		return true, client.ChangedInput(o, ", and Qwen Code lets no hook change that")
	case o.UpdatedOutput != nil && m.Name == "PostToolUse":
		return true, cmp.Or(strictjson.ValueText(o.UpdatedOutput), "(nothing)")
	}
	return false, o.Reason
}

// asks reports whether the client asks its user.
func (m rule) asks(o protocol.Outcome) bool {
	return o.Decision == protocol.Ask && m.Can&permits != 0 && o.UpdatedInput == nil
}

// stopped adds the end of the turn to the answer: as a block, or as a message if the event has no block.
func (m rule) stopped(notes *client.Notes, o protocol.Outcome, held bool, why string) (bool, string) {
	switch {
	case !o.Stop:
	case m.Name == "Stop" || m.Name == "SubagentStop": // the turn ends by itself, and continue: false would prolong it
		notes.Note(o.StopReason)
		return false, why
	case m.Can&(dialect.Stop|requests|todo) == 0:
		notes.Cannot("be stopped", o.StopReason)
	case !held:
		return true, o.StopReason
	}
	return held, why
}
