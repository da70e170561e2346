package dialect

import (
	"slices"
	"time"

	"github.com/hookrun/hookrun/protocol"
)

// EventNamed returns a client's name for an event: one of the three that it calls otherwise, or the name itself.
func EventNamed(e, preExecute, preTool, postTool protocol.Event) protocol.Event {
	switch Canonical(e) {
	case protocol.PreExecute:
		return preExecute
	case protocol.PreTool:
		return preTool
	case protocol.PostTool:
		return postTool
	}
	return e
}

// ClaudeEvent returns Claude Code's name for an event, which Codex and MassGen took over, and hooks of TENEX get beside
// its own.
func ClaudeEvent(e protocol.Event) protocol.Event {
	switch e { // TENEX has one event for a tool that ran and one that failed
	case "PostToolUseFailure", "postToolUseFailure":
		return "PostToolUseFailure"
	}
	return EventNamed(e, "UserPromptSubmit", "PreToolUse", "PostToolUse")
}

// ClaudeEventOf returns the same of a call, for clients with an event of its own for a tool that failed.
func ClaudeEventOf(c *Call) protocol.Event {
	if e := ClaudeEvent(c.Event); e != "PostToolUse" || !c.Failed {
		return e
	}
	return "PostToolUseFailure"
}

// Event is a row of a dialect's table of events.
type Event struct {
	Name    protocol.Event
	Subject string        // the field of the hook input that matchers are held against; "": there they mean nothing
	Timeout time.Duration // of a hook that sets none; 0: that of the Schedule
	// OnFailure is what it means that a hook gives no answer.
	OnFailure OnFailure
	Can       Effect  // what hooks can do
	Fields    []Field // what an answer may have in its inner object, in the words of its client
}

// FieldKeys are the keys of Fields.
func (e Event) FieldKeys() []string {
	keys := make([]string, len(e.Fields))
	for i, f := range e.Fields {
		keys[i] = f.Key()
	}
	return keys
}

// Effect is what hooks can do at an event.
type Effect uint32

// Effects that several clients have. Those that only one has begin at OwnEffect.
const (
	Block    Effect = 1 << iota // hold something up or, after the fact, give feedback
	Stop                        // end the turn
	Inject                      // give the model a text
	EndsTurn                    // the event ends a turn, or a subagent's: a block sends the agent back to work
	OwnEffect
)

// OnFailure is what it means that a hook gives no answer: fail open, or fail closed.
type OnFailure uint8

const (
	Closed       OnFailure = iota // it blocks, unless a policy says otherwise
	Open                          // the call goes on, unless a policy says otherwise
	AlwaysOpen                    // the call goes on, whatever policies say
	AlwaysClosed                  // it blocks, whatever policies say
)

// Fault is how a hook failed.
type Fault struct {
	Cause protocol.Cause
	HTTP  bool // it is a url, no program
}

// Events are all events of a client, in the order of a turn. A last row without a name is for every event that has no
// row.
type Events []Event

// Of returns the row of an event, or that without a name under the event's. Without both there is an Event at which
// failures block.
func (events Events) Of(e protocol.Event) Event {
	for _, row := range events {
		if row.Name == e || row.Name == "" {
			row.Name = e
			return row
		}
	}
	return Event{Name: e}
}

// Has reports whether there is a row for an event.
func (events Events) Has(e protocol.Event) bool {
	return e != "" && slices.ContainsFunc(events, func(row Event) bool { return row.Name == e })
}

// HasField reports whether an answer at the event may have the field in its inner object.
func (e Event) HasField(key string) bool {
	return slices.ContainsFunc(e.Fields, func(f Field) bool { return f.Key() == key })
}

// Names are those of the events.
func (events Events) Names() []protocol.Event {
	names := make([]protocol.Event, 0, len(events))
	for i := range events {
		if events[i].Name != "" {
			names = append(names, events[i].Name)
		}
	}
	return names
}

// ProcessCauses are the Causes of a dialect whose hooks are processes, HookCauses those of a client that has hooks of
// kinds which hookrun cannot run, too.
var (
	ProcessCauses = []protocol.Cause{protocol.CauseSignal, protocol.CauseUnstarted, protocol.CauseTimeout,
		protocol.CauseOutput, protocol.CauseExit}
	HookCauses = []protocol.Cause{protocol.CauseSignal, protocol.CauseUnstarted, protocol.CauseTimeout,
		protocol.CauseOutput, protocol.CauseExit, protocol.CauseUnsupported}
)
