package opencode

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// answer is the JSON that the plugin reads.
type answer struct {
	Decision      string          `json:"decision"`
	Reason        string          `json:"reason,omitempty"`
	Args          json.RawMessage `json:"args,omitempty"`
	Output        *string         `json:"output,omitempty"`
	Context       string          `json:"context,omitempty"`
	Stop          *string         `json:"stop,omitempty"`
	SystemMessage string          `json:"systemMessage,omitempty"`
}

// output returns the plugin's answer for an outcome. An ask is a block, because a plugin cannot ask the user.
func output(o protocol.Outcome) ([]byte, error) {
	event := eventNamed(&dialect.Call{Event: o.Event})
	out := answer{Decision: "continue"}
	messages := client.Messages(o)
	texts := strings.Join(dialect.TextsOf(o), "\n\n")
	unfit := ""
	if event == before {
		unfit = client.InvalidInput(o)
	}
	switch {
	case o.Decision != protocol.Continue:
		out.Decision, out.Reason = "block", client.BlockReason(o, "OpenCode")
	case unfit != "":
		out.Decision, out.Reason = "block", unfit
	case o.Stop && event != after:
		out.Decision, out.Reason = "block", o.StopReason
	}
	if o.Stop {
		out.Stop = &o.StopReason
	}
	switch {
	case event != prompt && event != before && event != after:
		messages = append(messages, cmp.Or(out.Reason, texts))
	case out.Decision == "block" && texts != "": // the model gets only the reason
		out.Reason += "\n\n" + texts
	default:
		out.Context = texts
	}
	if event == before && out.Decision == "continue" {
		out.Args = o.UpdatedInput
	}
	if event == after && o.UpdatedOutput != nil {
		text := strictjson.ValueText(o.UpdatedOutput)
		out.Output = &text
	}
	messages = slices.DeleteFunc(messages, func(m string) bool { return m == "" })
	out.SystemMessage = strings.Join(messages, "\n")
	return strictjson.Marshal(out)
}
