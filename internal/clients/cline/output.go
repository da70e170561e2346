package cline

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

// answer is the JSON that the client reads.
type answer struct {
	Cancel  bool            `json:"cancel,omitempty"`
	Error   string          `json:"errorMessage,omitempty"`
	Context string          `json:"contextModification,omitempty"`
	Input   json.RawMessage `json:"overrideInput,omitempty"`
}

// output returns the client's answer for an outcome. Before a tool, every decision but continue ends the run. After a
// tool, a block is a text for the model, and the run ends only if the model must not read the result.
func output(o protocol.Outcome) ([]byte, error) {
	event := eventNamed(events.CallAt(o.Event))
	ends := ""
	if o.Stop {
		ends = cmp.Or(o.StopReason, "Stopped by a hook")
	}
	reason := ""
	if o.Decision != protocol.Continue {
		reason = cmp.Or(client.BlockReason(o, clientName), "Blocked by a hook")
	}
	if event == after {
		if hides := client.WithholdReason(o, clientName); hides != "" && o.Hook == "" && reason != "" {
			ends = client.Joined(reason, hides) // hookrun's own block: the reason says how to mend
		} else if hides != "" {
			ends = hides
		}
	} else {
		ends = cmp.Or(reason, client.InvalidInput(o), ends)
	}
	texts := slices.Concat([]string{cmp.Or(ends, reason)}, dialect.TextsOf(o), forUser(o))
	text := strings.Join(slices.DeleteFunc(texts, dialect.Blank), "\n\n")
	out := answer{Context: text, Input: o.UpdatedInput}
	if ends != "" {
		out = answer{Cancel: true, Error: text}
	}
	return strictjson.Marshal(out)
}

// forUser returns the messages to the user as texts for the model, because the client shows the user no message.
func forUser(o protocol.Outcome) (texts []string) {
	for _, text := range client.Messages(o) {
		texts = append(texts, "For the user: "+text)
	}
	return texts
}
