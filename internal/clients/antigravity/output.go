package antigravity

import (
	"cmp"
	"strings"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

type answer struct {
	Decision string `json:"decision"`
	Reason   string `json:"reason,omitempty"`
}

// output returns the client's answer for an outcome. Before a tool, an outcome without a decision or a message gives no
// output, so the user's permissions apply: {} would block the call, and "allow" would skip the question to the user. A
// message to the user is shown with the client's own question.
func output(o protocol.Outcome) ([]byte, error) {
	m := events.Of(eventNamed(events.CallAt(o.Event)))
	context, messages := strings.Join(dialect.TextsOf(o), "\n\n"), client.Messages(o)
	switch m.Name {
	case before:
		return beforeTool(o, context, client.Joined(messages...))
	case stop:
		if o.Decision != protocol.Continue && !o.Stop {
			return strictjson.Marshal(answer{"continue", client.Joined(append([]string{
				cmp.Or(client.BlockReason(o, clientName), defaultReason), context}, messages...)...)})
		}
		return strictjson.Marshal(answer{})
	}
	text := client.Joined(append([]string{context}, messages...)...)
	if m.Can&dialect.Inject == 0 || text == "" {
		return []byte("{}"), nil
	}
	return []byte(`{"injectSteps":[{"ephemeralMessage":` + string(strictjson.Quote(text)) + `}]}`), nil
}

func beforeTool(o protocol.Outcome, context, messages string) ([]byte, error) {
	loss := ""
	if o.Decision != protocol.Block && !o.Stop {
		loss = client.UnsupportedOutcome(o, clientName)
	}
	switch {
	case o.Decision == protocol.Ask && !o.Stop && loss == "":
		return strictjson.Marshal(answer{"force_ask", client.Joined(o.Reason, messages)})
	case o.Decision != protocol.Continue || o.Stop || loss != "":
		reason := client.Joined(o.StopReason, client.BlockReason(o, clientName), loss, context, messages)
		return strictjson.Marshal(answer{"deny", cmp.Or(strings.TrimSpace(reason), defaultReason)})
	case o.Approved:
		return strictjson.Marshal(answer{"allow", client.Joined(o.Reason, messages)})
	case messages != "":
		return strictjson.Marshal(answer{"ask", messages})
	}
	return nil, nil
}
