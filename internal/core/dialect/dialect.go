// Package dialect defines dialects, and has the code that several dialects share. Each client's dialect is a folder
// beside package clients, which lists all dialects.
//
// A dialect answers these questions, each in a file of the same name in every folder:
//
//	dialect.go   which events are there, and how are hooks scheduled?
//	input.go     what does a hook get on stdin?
//	decode.go    what does the result of its process mean? (answer.go: what does its JSON mean?)
//	merge.go     how are the hooks of one call merged into an outcome?
//	output.go    what is the client told?
//	tools.go     what are its tools called?
//	settings.go  how does it write its hooks file, and where is that?
//	matcher.go   what do the matchers in there mean?
//	install.go   what entry does `hookrun install` put there?
//
// A folder omits the files that its client does not need. No dialect imports another.
package dialect

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/protocol"
)

// Dialect describes the properties of hooks that differ between clients. Each part has its own reader: the matcher
// reads Events, the engine Run and Hooks, and the loader Files. The properties of a client alone, such as its
// tools and its answer, are in package client. A feature of one or two clients is a method of Hooks with a default.
type Dialect struct {
	Name   string
	Events Events // in the order of a turn
	Others bool   // there are hooks of a kind that hookrun cannot run
	Run    Schedule
	Hooks  Hooks

	Files *Files // the client's files with hooks, or with a plugin if the client has no hooks file; nil: no client's

	// Own is the client's own dialect, if this dialect is for entries in a project's file that follow the client's
	// rules (see ForProjectFile).
	Own *Dialect
}

// Schedule is how the hooks of a call run.
type Schedule struct {
	Timeout time.Duration // of a hook without a timeout, if the event has no timeout either
	// Parallel: all hooks of a call start at once and see the same call, and hookrun waits for all of them. If false,
	// hooks run in file order, and each hook sees earlier rewrites.
	Parallel bool
	// FirstOfEqual: of equal hooks the first runs, instead of the last.
	FirstOfEqual bool
	// MaxContext is the maximum number of characters of context from one hook; 0 means no limit. Longer context goes
	// into a file, and the context names the file.
	MaxContext int
	// FollowsDir: hooks run in the session's current directory instead of the workspace.
	FollowsDir bool
	// FileVariablesWin: variables from a hook's file override Hooks.Environment.
	FileVariablesWin bool
}

// Hooks encodes the input of a dialect's hooks and interprets their results. Base has a default for all but Encode and
// Decode.
type Hooks interface {
	// Event returns the name by which hooks subscribe to the call's event, or "" if the client does not have the event.
	Event(*Call) protocol.Event
	// Subject returns the text to match, if matchers of the event apply to this field of the input.
	Subject(c *Call, field string) string
	// OnFailure returns the meaning of a failure at an event.
	OnFailure(Event, Fault) OnFailure
	// Environment returns variables that hooks get regardless of their files. For a call without an event, such as the
	// start of a persistent process, Environment returns only variables common to all calls. A variable is empty if
	// longer than MaxVariable, including the name, or if the value contains a NUL character.
	Environment(*Call) []string
	// HiddenVariables returns the prefixes of the client's variables that hooks do not inherit.
	HiddenVariables() []string
	// RunFunction returns the command that runs a Python function, or nil if hooks cannot be such functions. The caller
	// appends the function's name.
	RunFunction() []string

	// Encode encodes a call for stdin.
	Encode(*Call) (Payload, []string, error)
	// Negotiate returns, if the answer of a server asks for a greeting before the first request of a session, the
	// greeting and the request to send after it, or else nil.
	Negotiate(c *Call, answer []byte) (hello, again Payload)
	// Decode reads the result of the named hook's process. If the Verdict has a Problem, ApplyFailurePolicy decides.
	Decode(c *Call, hook string, r *HookResult) Verdict
	// Ends reports whether a verdict ends the call, so hookrun skips the later hooks.
	Ends(protocol.Event, *Verdict) bool
	// Outrank gets the verdicts in file order, and drops what other hooks override, before the merge.
	Outrank(*Call, []*HookVerdict)
	// Merge changes the common merge result where the dialect differs.
	Merge(*Merging)

	// Variants returns the dialects of all the client's hooks, in the order in which they run at a call, if the client
	// has events whose hooks get a different input or answer differently. One is the dialect of the client itself; the
	// others have the same name, and only their own events.
	Variants() []*Dialect
	// Fit adapts the verdict of a single hook of any dialect to a client that rejects some inputs or results of tools,
	// before the client passes an input to the tool or a result to the model. hook is "" if hookrun itself blocks.
	Fit(c *Call, hook string, v *Verdict)
	// FollowsEntry reports whether the client, from an entry in another client's settings, reads the form of that other
	// client.
	FollowsEntry() bool
	// CallLimit returns how long a call may take for a client that waits for hookrun for a fixed time, regardless of
	// the timeout in the entry, or else 0. A longer call is an error.
	CallLimit() time.Duration
	// Posts reports whether the client can also post the input of a hook to a URL, and reads the answer as the output
	// of a command with exit status 0.
	Posts() bool
}

// MaxVariable returns the maximum length of an environment variable. If a variable exceeded the system's limit, no hook
// would start, and so no guard.
func MaxVariable() int {
	if runtime.GOOS == "windows" { // with a limit of 32 K characters for all variables together
		return 4 << 10
	}
	return 100 << 10
}

// Base is the default implementation of Hooks, to be embedded: hooks of a client with no properties of its own.
type Base struct{}

// Event returns c.Event.
func (Base) Event(c *Call) protocol.Event { return c.Event }

// Subject returns the named field, or the tool's name for "tool_name".
func (Base) Subject(c *Call, field string) string {
	if field == "tool_name" {
		return c.Tool
	}
	return c.Field(field)
}

// OnFailure returns the OnFailure of the event's row, for every cause.
func (Base) OnFailure(e Event, _ Fault) OnFailure { return e.OnFailure }

func (Base) Environment(*Call) []string                     { return nil }
func (Base) HiddenVariables() []string                      { return nil }
func (Base) RunFunction() []string                          { return nil }
func (Base) Negotiate(*Call, []byte) (hello, again Payload) { return nil, nil }
func (Base) Ends(protocol.Event, *Verdict) bool             { return false }
func (Base) Outrank(*Call, []*HookVerdict)                  {}
func (Base) Merge(*Merging)                                 {}
func (Base) Variants() []*Dialect                           { return nil }
func (Base) Fit(*Call, string, *Verdict)                    {}
func (Base) FollowsEntry() bool                             { return false }
func (Base) CallLimit() time.Duration                       { return 0 }
func (Base) Posts() bool                                    { return false }

// Propagator is implemented by Hooks that run in turn and see a call of their own instead of the tool's real input.
// Propagate changes this call for the dialect's next hook, and reports whether the call changed.
type Propagator interface {
	Propagate(*Call, *Verdict) bool
}

// AsyncLine is implemented by Hooks that can become async by their first line on stdout. GoesAsync reports whether the
// line says so.
type AsyncLine interface {
	GoesAsync(line []byte) bool
}

// ToolEvents is implemented by Hooks with events for a single kind of tool. The Hooks get a call at the event of the
// call's tool.
type ToolEvents interface {
	// ToolEvent returns the event for the call's tool, or "" if no event fits. names are the project's names for the
	// tool.
	ToolEvent(c *Call, names []string) protocol.Event
}

// AtToolEvent returns the call at the event of the dialect for the call's tool, if the dialect has ToolEvents.
func (d *Dialect) AtToolEvent(c *Call) *Call {
	events, ok := d.ClientHooks().(ToolEvents)
	if !ok {
		return c
	}
	at := *c
	at.Event = events.ToolEvent(c, c.KnownNames())
	at.row = d.Row(at.Event)
	return &at
}

// HasHooksFile reports whether the client has hooks files, for checking and importing.
func (d *Dialect) HasHooksFile() bool { return d.Files != nil && d.Files.HasPattern() }

// HasProjectRules reports whether names of tools, matchers and conditions in the dialect's entries are the project's:
// the dialect is the project's own, or a protocol that no client speaks.
func (d *Dialect) HasProjectRules() bool { return d.Files == nil }

// EventOf returns the name by which the dialect's hooks subscribe to the call's event.
func (d *Dialect) EventOf(c *Call) protocol.Event { return d.Hooks.Event(c) }

// SubjectField returns the field of the hook input that an event's matchers apply to, or "" if matchers have no effect.
func (d *Dialect) SubjectField(e protocol.Event) string { return d.Events.Of(e).Subject }

// MatcherSubject returns the text to match at the call, and whether matchers have an effect there.
func (d *Dialect) MatcherSubject(c *Call) (subject string, ok bool) {
	field := d.SubjectField(d.EventOf(c))
	if field == "" {
		return "", false
	}
	return d.Hooks.Subject(c, field), true
}

// TimeoutAt returns the default timeout of hooks at an event.
func (d *Dialect) TimeoutAt(e protocol.Event) time.Duration {
	return cmp.Or(d.Events.Of(e).Timeout, d.Run.Timeout)
}

// IsFlat reports whether hooks are listed directly under an event, without groups.
func (d *Dialect) IsFlat(e protocol.Event) bool {
	switch d.Files.Groups {
	case NoneGrouped:
		return true
	case ToolsGrouped:
		return d.SubjectField(e) == ""
	}
	return false
}

// CannotBlock reports whether every failure at an event fails open, regardless of policies.
func (d *Dialect) CannotBlock(e protocol.Event) bool { return d.Events.Of(e).OnFailure == AlwaysOpen }

// EndsTurn reports whether an event of the dialect ends a turn, of an agent or of a subagent.
func (d *Dialect) EndsTurn(e protocol.Event) bool { return d.Events.Of(e).Can&EndsTurn != 0 }

// ClientHooks returns the Hooks of the client, also for a dialect from ForProjectFile.
func (d *Dialect) ClientHooks() Hooks {
	if d.Own != nil {
		return d.Own.Hooks
	}
	return d.Hooks
}

// AsyncLine returns the GoesAsync of an AsyncLine, or nil.
func (d *Dialect) AsyncLine() func(line []byte) bool {
	if async, ok := d.ClientHooks().(AsyncLine); ok {
		return async.GoesAsync
	}
	return nil
}

// Variants returns the dialects of all the client's hooks, in the order in which they run at a call.
func (d *Dialect) Variants() []*Dialect {
	if d.Own != nil {
		return d.Own.Variants()
	}
	if variants := d.Hooks.Variants(); variants != nil {
		return variants
	}
	return []*Dialect{d}
}

// Of returns the dialect for hooks of an event: the last variant with the event, or else d itself.
func (d *Dialect) Of(e protocol.Event) *Dialect {
	variants := d.Variants()
	for i := len(variants) - 1; i >= 0; i-- {
		if v := variants[i]; v.Events.Has(e) {
			if v == d.Own {
				return d
			}
			return v
		}
	}
	return d
}

// FileEvents returns the names of the events that are valid in the client's hooks files.
func (d *Dialect) FileEvents() (names []protocol.Event) {
	names = d.Events.Names()
	for _, v := range d.Variants() {
		for _, e := range v.Events.Names() {
			if !slices.Contains(names, e) {
				names = append(names, e)
			}
		}
	}
	return names
}

// MessagePrefix returns the beginning of every message about a hook.
func MessagePrefix(e protocol.Event, hook string) string {
	return fmt.Sprintf("%s hook '%s'", e, printable.Escape(hook))
}
