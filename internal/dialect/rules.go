package dialect

import "github.com/hookrun/hookrun/protocol"

// Rule is what one event of a client is like. Each dialect has a type of its own for that. Event is the event's name,
// and the field of the hook input that its matchers are held against; "": there they mean nothing.
type Rule interface {
	Event() (name protocol.Event, field string)
}

// Rules are all events of a client, in the order of a turn.
type Rules[R Rule] []R

// Names are the events' names. A Dialect calls this and SubjectField in function literals of its own: a method value
// would be made at the start of every call.
func (rules Rules[R]) Names() []protocol.Event {
	names := make([]protocol.Event, len(rules))
	for i, r := range rules {
		names[i], _ = r.Event()
	}
	return names
}

// Of finds the rule of an event, other if the client has no such event.
func (rules Rules[R]) Of(e protocol.Event, other R) R {
	for _, r := range rules {
		if name, _ := r.Event(); name == e {
			return r
		}
	}
	return other
}

// SubjectField is that of a Dialect.
func (rules Rules[R]) SubjectField(e protocol.Event) (field string) {
	for _, r := range rules {
		if name, subject := r.Event(); name == e {
			return subject
		}
	}
	return ""
}

// ProcessCauses are the Causes of a Dialect whose hooks are processes.
func ProcessCauses() []protocol.Cause {
	return []protocol.Cause{protocol.CauseSignal, protocol.CauseUnstarted, protocol.CauseTimeout,
		protocol.CauseOutput, protocol.CauseExit}
}

// HookCauses are those of a client that has hooks of kinds which hookrun cannot run, too.
func HookCauses() []protocol.Cause { return append(ProcessCauses(), protocol.CauseUnsupported) }

// FailsOpen is the Failure of a Dialect whose client goes on, whatever goes wrong with a hook.
func FailsOpen(protocol.Event, protocol.Cause) protocol.Decision { return protocol.Continue }
