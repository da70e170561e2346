package dialect

import (
	"cmp"

	"github.com/hookrun/hookrun/protocol"
)

// clientEvent returns the Common of a client's event, or "". Package registry, which alone knows the clients, sets it
// once, before main.
var clientEvent func(protocol.Event) protocol.Event

// SetClientEvents sets the function that returns the Common of a client's event.
func SetClientEvents(of func(protocol.Event) protocol.Event) { clientEvent = of }

// Canonical returns the common name of an event: TENEX's name if TENEX has the event. The names of Claude Code are
// those of many clients; every other client's row says its Common. TENEX has one event for tools that ran and for tools
// that failed.
func Canonical(e protocol.Event) protocol.Event {
	switch e {
	case protocol.PreExecute, protocol.PreTool, protocol.PostTool, "":
		return e
	case "UserPromptSubmit":
		return protocol.PreExecute
	case "PreToolUse":
		return protocol.PreTool
	case "PostToolUse", "PostToolUseFailure":
		return protocol.PostTool
	}
	if clientEvent != nil {
		return cmp.Or(clientEvent(e), e)
	}
	return e
}

// HasTool reports whether the event is about a tool call.
func HasTool(e protocol.Event) bool {
	switch Canonical(e) {
	case protocol.PreTool, protocol.PostTool, "PermissionRequest", "PermissionDenied":
		return true
	}
	return false
}

// CanonicalEvents returns TENEX's events in the order of a turn. All other events have only their client's name.
func CanonicalEvents() []protocol.Event {
	return []protocol.Event{protocol.PreExecute, protocol.PreTool, protocol.PostTool}
}
