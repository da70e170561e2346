package dialect

import (
	"slices"
	"strings"
	"time"

	"github.com/hookrun/hookrun/protocol"
)

// EventNamed returns a client's name for the call's event: one of the three given names, or the event's own.
func EventNamed(c *Call, preExecute, preTool, postTool protocol.Event) protocol.Event {
	switch c.Common() {
	case protocol.PreExecute:
		return preExecute
	case protocol.PreTool:
		return preTool
	case protocol.PostTool:
		return postTool
	}
	return c.Event
}

// ClaudeEvent returns Claude Code's name for the call's event. Codex and MassGen use the same names, and hooks of TENEX
// get both names.
func ClaudeEvent(c *Call) protocol.Event {
	if strings.EqualFold(string(c.Event), "PostToolUseFailure") { // TENEX has one event for tools, failed or not
		return "PostToolUseFailure"
	}
	return EventNamed(c, "UserPromptSubmit", "PreToolUse", "PostToolUse")
}

// ClaudeEventNamed is ClaudeEvent for the name of an event in the words of TENEX or of Claude Code.
func ClaudeEventNamed(e protocol.Event) protocol.Event { return ClaudeEvent(&Call{Event: e}) }

// Event is a row of a dialect's table of events.
type Event struct {
	Name    protocol.Event
	Common  protocol.Event // see Canonical; "": Name is a common name, or no other client has the event
	Subject string         // the field of the hook input that matchers apply to; "": matchers have no effect
	Timeout time.Duration  // of a hook without a timeout; 0: the Schedule's
	// OnFailure applies if a hook gives no answer.
	OnFailure OnFailure
	Can       Effect  // what hooks can do
	MaxReason int     // characters of a reason that the client shows; 0: the Client's
	Fields    []Field // valid fields of an answer's inner object, in the client's words
}

// FieldKeys returns the keys of Fields.
func (e Event) FieldKeys() []string {
	keys := make([]string, len(e.Fields))
	for i, f := range e.Fields {
		keys[i] = f.Key()
	}
	return keys
}

// Effect is what hooks can do at an event.
type Effect uint32

// Effects of several clients. Effects of a single client begin at OwnEffect.
const (
	Block    Effect = 1 << iota // block the call or, after the tool, give feedback
	Stop                        // end the turn
	Inject                      // give the model a text
	EndsTurn                    // the event ends a turn, or a subagent's: a block sends the agent back to work
	OwnEffect
)

// OnFailure says whether a hook without an answer fails open or fails closed.
type OnFailure uint8

const (
	Closed       OnFailure = iota // fails closed, unless a policy says otherwise
	Open                          // fails open, unless a policy says otherwise
	AlwaysOpen                    // fails open, regardless of policies
	AlwaysClosed                  // fails closed, regardless of policies
)

// Fault is how a hook failed.
type Fault struct {
	Cause protocol.Cause
	HTTP  bool // the hook is a URL, not a program
}

// Events are all events of a client, in the order of a turn. A last row without a name stands for all other events.
type Events []Event

// Of returns the row of an event, or else the row without a name, renamed to e. If neither exists, failures at the
// event block.
func (events Events) Of(e protocol.Event) Event {
	for _, row := range events {
		if row.Name == e || row.Name == "" {
			row.Name = e
			return row
		}
	}
	return Event{Name: e}
}

// row returns the row with the name, or nil.
func (events Events) row(e protocol.Event) *Event {
	for i := range events {
		if events[i].Name == e && e != "" {
			return &events[i]
		}
	}
	return nil
}

// Row returns the row of an event in the tables of all the client's hooks, or nil.
func (d *Dialect) Row(e protocol.Event) *Event {
	if row := d.Events.row(e); row != nil {
		return row
	}
	for _, v := range d.Hooks.Variants() {
		if row := v.Events.row(e); row != nil {
			return row
		}
	}
	return nil
}

// Has reports whether an event has a row.
func (events Events) Has(e protocol.Event) bool {
	return e != "" && slices.ContainsFunc(events, func(row Event) bool { return row.Name == e })
}

// HasField reports whether an answer at the event may have the field in its inner object.
func (e Event) HasField(key string) bool {
	return slices.ContainsFunc(e.Fields, func(f Field) bool { return f.Key() == key })
}

// Names returns the names of the events.
func (events Events) Names() []protocol.Event {
	names := make([]protocol.Event, 0, len(events))
	for i := range events {
		if events[i].Name != "" {
			names = append(names, events[i].Name)
		}
	}
	return names
}
