package gemini

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// hookOutput returns the outcome as Gemini CLI's hook output at exit 0, so hookrun acts as a hook command. An effect
// that the client cannot express at the event is not lost: a decision becomes the next stricter one, a new result
// becomes the reason that replaces the result, and a text that cannot reach the model becomes a message to the user.
func hookOutput(o protocol.Outcome) ([]byte, error) {
	m := ruleOf(eventOf(events.CallAt(o.Event)))
	out := client.NewHookOutput(o, clientName, m.Name) // Claude Code's fields except terminalSequence
	if o.Stop {
		out.End(o.StopReason)
	}
	unfit := ""
	if m.Name == "BeforeTool" {
		unfit = client.InvalidInput(o) // the client would use the old input
	}
	switch {
	case o.Decision == protocol.Ask && m.Name == "BeforeTool" && unfit == "":
		out.Decision, out.Reason = "ask", o.Reason
	case o.Decision != protocol.Continue && (o.Decision != protocol.Ask || unfit == ""):
		out.Decision, out.Reason = "deny", client.BlockReason(o, clientName)
	case unfit != "":
		out.Decision, out.Reason = "deny", unfit
	case o.UpdatedOutput != nil && m.Name == "AfterTool":
		out.Decision, out.Reason = "deny", strictjson.ValueText(o.UpdatedOutput)
	}
	if out.Decision == "deny" && m.Can&dialect.Block == 0 {
		out.Cannot("be blocked", out.Reason)
	}
	if o.Stop && m.Can&dialect.Stop == 0 {
		out.Cannot("be stopped", o.StopReason)
	}
	stopped := o.Stop && m.Can&dialect.Stop != 0
	switch texts := strings.Join(dialect.TextsOf(o), "\n\n"); {
	case texts == "":
	// beside a deny the client drops context, and gives the model the reason
	case out.Decision == "deny" && m.Can&dialect.Block != 0:
		out.Reason += "\n\n" + texts
	// of a failed tool the client gives the model only the error
	case m.Can&dialect.Inject != 0 && !stopped && !(o.Failed && m.Name == "AfterTool"):
		out.Set("additionalContext", texts)
	default:
		out.CannotTell(texts)
	}
	if o.UpdatedInput != nil && m.Name == "BeforeTool" && unfit == "" {
		out.Specific.Set("tool_input", o.UpdatedInput)
	}
	for _, f := range dialect.OtherOf(o) {
		if m.HasField(f.Key) {
			out.Specific.Set(f.Key, f.Value)
		}
	}
	if stopped && out.Reason != "" { // the client reads the stop reason alone
		out.Note(out.Reason)
	}
	shown := cmp.Or(out.StopReason, out.Reason)
	// the client shows the messages instead
	if shown != "" && len(out.ToUser) > 0 && (m.Name == "BeforeAgent" || m.Name == "AfterAgent" && stopped) {
		out.ToUser = slices.Insert(out.ToUser, 0, shown)
	}
	return out.Encode()
}
