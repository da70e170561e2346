package gemini

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// output is the client's hook output.
type output struct {
	Continue      *bool           `json:"continue,omitempty"`
	StopReason    string          `json:"stopReason,omitempty"`
	Decision      string          `json:"decision,omitempty"`
	Reason        string          `json:"reason,omitempty"`
	SystemMessage string          `json:"systemMessage,omitempty"`
	Specific      protocol.Fields `json:"hookSpecificOutput,omitempty"`
}

// Gemini returns the outcome as Gemini CLI's hook output, which makes hookrun a hook command of its own; its exit
// status is 0. Where the client has no word for something at the event, it is not lost: a decision becomes the stricter
// one, a new result of the tool the reason that the client puts in its place, and a text that the model cannot be given
// a message to the user.
func hookOutput(o protocol.Outcome) ([]byte, error) {
	m := ruleOf(eventOf(&protocol.Call{Event: o.Event}))
	out := output{}
	messages := append(slices.Clip(o.SystemMessages), dialect.Notices(o)...)
	specific := dialect.FieldsOf("hookEventName", strictjson.Quote(string(m.name)))
	if o.Stop {
		out.Continue, out.StopReason = new(bool), o.StopReason
	}
	unfit := ""
	if m.name == "BeforeTool" {
		unfit = dialect.UnfitInput(o) // the client would run the old one
	}
	switch {
	case o.Decision == protocol.Ask && m.name == "BeforeTool" && unfit == "":
		out.Decision, out.Reason = "ask", o.Reason
	case o.Decision != protocol.Continue && (o.Decision != protocol.Ask || unfit == ""):
		out.Decision, out.Reason = "deny", dialect.BlockReason(o, "Gemini CLI")
	case unfit != "":
		out.Decision, out.Reason = "deny", unfit
	case o.UpdatedOutput != nil && m.name == "AfterTool":
		out.Decision, out.Reason = "deny", strictjson.ValueText(o.UpdatedOutput)
	}
	if out.Decision == "deny" && m.does&blocks == 0 {
		messages = append(messages, fmt.Sprintf("hookrun: Gemini CLI cannot be held up at %s: %s", m.name, out.Reason))
	}
	if o.Stop && m.does&stops == 0 {
		messages = append(messages, fmt.Sprintf("hookrun: Gemini CLI cannot be stopped at %s: %s", m.name,
			o.StopReason))
	}
	stopped := o.Stop && m.does&stops != 0
	switch texts := strings.Join(o.Texts(), "\n\n"); {
	case texts == "":
	// beside a deny the client drops context, and gives the model the reason
	case out.Decision == "deny" && m.does&blocks != 0:
		out.Reason += "\n\n" + texts
	// of a tool that failed the client gives the model the error alone
	case m.context && !stopped && !(o.Failed && m.name == "AfterTool"):
		specific.Set("additionalContext", strictjson.Quote(texts))
	default:
		messages = append(messages, "hookrun: Gemini CLI cannot give the model this at "+string(m.name)+":\n"+texts)
	}
	if o.UpdatedInput != nil && m.name == "BeforeTool" && unfit == "" {
		specific.Set("tool_input", o.UpdatedInput)
	}
	for _, f := range o.Other {
		if slices.Contains(m.carries, f.Key) {
			specific.Set(f.Key, f.Value)
		}
	}
	if stopped && out.Reason != "" { // the client reads the stop reason alone
		messages = append(messages, out.Reason)
	}
	shown := cmp.Or(out.StopReason, out.Reason)
	// the client shows them in its place
	if shown != "" && len(messages) > 0 && (m.name == "BeforeAgent" || m.name == "AfterAgent" && stopped) {
		messages = slices.Insert(messages, 0, shown)
	}
	if out.SystemMessage = strings.Join(messages, "\n"); len(specific) > 1 {
		out.Specific = specific
	}
	return strictjson.Marshal(out)
}
