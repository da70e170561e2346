package client

import (
	"errors"
	"reflect"
	"strings"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// CanAsk reports whether the client's answer to a call can ask a person.
func (cl *Client) CanAsk(c *dialect.Call) bool {
	o := protocol.Outcome{Version: 1, Event: c.Event, Tool: c.Tool, Decision: protocol.Block,
		Cause: protocol.CausePolicy, Reason: "a reason"}
	block, err := cl.ReplyTo(c, o)
	o.Decision = protocol.Ask
	ask, err2 := cl.ReplyTo(c, o)
	asks := !reflect.DeepEqual(block, ask) && !strings.Contains(string(ask.Stdout)+ask.Stderr, noWordText)
	return errors.Join(err, err2) == nil && asks
}

// TellsUser reports whether the client's answer to a call can tell the user a message, and has no other effect.
func (cl *Client) TellsUser(c *dialect.Call) bool {
	const text = "hookrun-looks-for-this-text"
	o := protocol.Outcome{Version: 1, Event: c.Event, Tool: c.Tool, Decision: protocol.Continue,
		SystemMessages: []string{text}}
	r, err := cl.ReplyTo(c, o)
	answer := string(r.Stdout)
	return err == nil && r.Exit == 0 && strings.Contains(answer, `"`+text+`"`) && !strings.Contains(answer, `"ask"`) &&
		!strings.Contains(answer, "dditional") // as additionalContext of Cursor
}
