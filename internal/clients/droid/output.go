package droid

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// reply returns the outcome as Droid's hook output, so hookrun acts as a hook command. An effect that the client cannot
// express at the event becomes the next stricter one. Without anything to say the output is empty, because {} would be
// a text for the model at some events.
func reply(o protocol.Outcome) (client.Reply, error) {
	stdout, exit, err := hookOutput(o)
	return client.Reply{Stdout: stdout, Stderr: onStderr(o), Exit: exit}, err
}

func hookOutput(o protocol.Outcome) (stdout []byte, exit int, err error) {
	m := ruleOf(eventOf(events.CallAt(o.Event)))
	out := client.NewHookOutput(o, clientName, m.Name)
	if o.Stop && m.Can&dialect.Stop != 0 {
		out.End(onStderr(o))
		return encoded(out, 0)
	}
	context, toUser := strings.Join(dialect.TextsOf(o), "\n\n"), strings.Join(out.ToUser, "\n")
	held, told := o.Decision != protocol.Continue, true
	switch m.Name {
	case "PreToolUse":
		exit, told = beforeTool(&out, o, context)
	case "PostToolUse":
		if withheld(o) != "" {
			out.End(onStderr(o))
			break
		}
		if out.Set("additionalContext", context); held {
			exit = 2
		}
	case "UserPromptSubmit":
		if held || o.Stop {
			out.End(onStderr(o)) // stderr comes first and has the same text
			exit = 2
			break
		}
		if out.Set("additionalContext", client.Joined(context, toUser)); o.UpdatedInput != nil {
			out.Specific.Set("updatedInput", o.UpdatedInput)
		}
	case "SessionStart":
		out.Set("additionalContext", client.Joined(context, toUser))
	case "Stop":
		if told = held; held {
			out.Block(onStderr(o))
		}
	case "PreCompact":
		if told = held || o.Stop; told {
			exit = 2
		}
	default:
		told = false
	}
	if context != "" && !told {
		out.CannotTell(context)
	}
	if (held || o.Stop) && m.Can&dialect.Block == 0 {
		out.Cannot("be blocked", client.Joined(o.StopReason, o.Reason))
	}
	return encoded(out, exit)
}

// beforeTool writes the permission for a tool. told means that the answer has the context. If not, the context is on
// stderr, and the model gets it only if the entry translates the exit code.
func beforeTool(out *client.HookOutput, o protocol.Outcome, context string) (exit int, told bool) {
	if unfit := client.InvalidInput(o); o.Decision != protocol.Continue || unfit != "" {
		out.SetPermission("deny", client.Joined(cmp.Or(client.BlockReason(o, clientName), unfit), context))
		return 0, true
	}
	if o.Approved {
		out.SetPermission("allow", o.Reason)
	}
	if o.UpdatedInput != nil {
		out.Specific.Set("updatedInput", o.UpdatedInput)
	}
	if onStderr(o) != "" {
		exit = client.ExitNote
	}
	return exit, false
}

// encoded returns the answer, or nil for an empty one.
func encoded(out client.HookOutput, code int) (b []byte, exit int, err error) {
	if b, err = out.Encode(); string(b) == "{}" {
		return nil, code, err
	}
	return b, code, err
}

// onStderr returns the text for stderr: why the call is blocked or the turn ends. For a tool that will run, the text is
// for the model, in front of the result, and has the messages to the user as well, because the client does not show
// them.
func onStderr(o protocol.Outcome) string {
	context := strings.Join(dialect.TextsOf(o), "\n\n")
	switch {
	case dialect.IsAfterTool(o) && withheld(o) != "":
		return client.Joined(o.StopReason, withheld(o), o.Reason, context)
	case o.Stop:
		return cmp.Or(client.Joined(o.StopReason, o.Reason, context), "Stopped by a hook")
	case o.Decision != protocol.Continue && dialect.IsAfterTool(o):
		return cmp.Or(client.BlockReason(o, clientName), "Blocked by a hook") // the answer has the context
	case o.Decision != protocol.Continue:
		return cmp.Or(client.Joined(client.BlockReason(o, clientName), context), "Blocked by a hook")
	}
	messages := client.Messages(o)
	return client.Joined(context, strings.Join(messages, "\n"))
}

// withheld returns the reason why the model must not read the tool's result, or "".
func withheld(o protocol.Outcome) string { return client.WithholdReason(o, clientName) }

// describing are keys of a shell call that describe the command. A hook that changes the command may omit them.
var describing = []string{"summary", "riskLevel", "riskLevelReason"}

// Fit tells the user about removed keys: the client merges a new input into the old one, so they stay.
func (hooks) Fit(c *dialect.Call, hook string, v *dialect.Verdict) {
	if c.Common() != protocol.PreTool {
		return
	}
	old, _, err := c.Input()
	if now := dialect.LastOf(gjson.ParseBytes(v.UpdatedInput)); err == nil && len(now) > 0 {
		for key := range gjson.ParseBytes(old).ForEach {
			name := strictjson.Text(key.Raw)
			if _, has := now[name]; !has && !(c.Tool == "Execute" && slices.Contains(describing, name)) {
				v.SystemMessage = strings.TrimSpace(fmt.Sprintf("%s\nhookrun: project hook '%s' took %q out of the "+
					"tool's input, and Droid leaves it there", v.SystemMessage, printable.Escape(hook), name))
			}
		}
	}
}
