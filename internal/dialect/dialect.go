// Package dialect says what a dialect is, and has what several of them share. Each client's own is in a folder beside
// it; package registry is the list of them.
//
// A dialect answers these questions, each in a file of the same name in every folder:
//
//	dialect.go   which events are there, and how are hooks scheduled?
//	input.go     what does a hook get on stdin?
//	decode.go    what does the result of its process mean? (answer.go: what does its JSON mean?)
//	merge.go     how do the hooks of one call amount to an outcome?
//	output.go    what is the client told?
//	tools.go     what are its tools called?
//	settings.go  how does it write its hooks file, and where is that?
//	matcher.go   what do the matchers in there mean?
//	install.go   what entry does `hookrun install` put there?
//
// A folder leaves out what its client has no need of. No dialect imports another one.
package dialect

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/hookrun/hookrun/internal/printable"
	"github.com/hookrun/hookrun/protocol"
)

// Dialect is what differs between clients. Everything else is the same for all hooks. Its parts are grouped by who
// reads them: the matching of hooks reads Events, the engine Run and Hooks, the doors Client, the loader and the
// installer the rest. What only one or two clients have is an optional interface of Hooks, as Propagator.
type Dialect struct {
	Name   string
	Events Events           // in the order of a turn
	Causes []protocol.Cause // the kinds of failure that a hook can have, and that on_failure can name
	Run    Schedule
	Hooks  Hooks
	Client *Client // how the client calls hookrun; nil: no client does

	Files   *Files        // its own files with hooks or, of a client that has none, with a plugin
	Install *Installation // how `hookrun install` makes the client call hookrun; nil: it cannot

	// Own is the client's own dialect, if this one is for entries of a project's file that keep the client's rules
	// (see InFile).
	Own *Dialect
}

// Schedule is how the hooks of a call run.
type Schedule struct {
	Timeout time.Duration // of a hook that sets none, at an event that sets none
	// Parallel: all hooks of a call start at once and see the same call, and all are waited for. Else they run in the
	// order of the file, and each sees what earlier ones rewrote.
	Parallel bool
	// FirstOfSame: of equal hooks the first runs, not the last.
	FirstOfSame bool
	// MaxContext is how many characters of context one hook may add, 0 for as many as it likes. What is longer is put
	// into a file that the context names.
	MaxContext int
	// FollowsDir: hooks run in the session's current directory instead of the workspace.
	FollowsDir bool
	// FileVariablesWin: what a hook's file sets counts before Hooks.Environment.
	FileVariablesWin bool
}

// Hooks is what a dialect's hooks read, and what their results mean. Base has a default for all but Encode and Decode.
//
// The Hooks of a dialect may also be an Ender, a Propagator, an Outranker, a VariableHider, an AsyncLine, an
// InputNamer, a Fitter, an Answerer or a CallLimiter, have Variants or ToolEvents, or run Functions.
type Hooks interface {
	// Event names the call's event as hooks subscribe to it, "" for an event that the client does not have.
	Event(*Call) protocol.Event
	// Subject returns the text that a matcher is held against, if its event is matched by that field of the input.
	Subject(c *Call, field string) string
	// OnFailure says what a failure means at an event.
	OnFailure(Event, Fault) OnFailure
	// Environment returns variables that hooks get whatever their files say. Of a call without an event, as of a
	// persistent process, it returns those that are the same for all calls. One that is longer than MaxVariable, with
	// its name, or has a NUL character is empty.
	Environment(*Call) []string

	// Encode encodes a call for stdin.
	Encode(*Call) (Payload, []string, error)
	// Decode reads the result of the named hook's process. ApplyFailurePolicy decides about a Verdict that has a
	// Problem.
	Decode(c *Call, hook string, r *HookResult) Verdict
	// Merge changes what the dialect's hooks amount to from what all dialects agree on.
	Merge(*Merging)
}

// MaxVariable is how long a variable may be. With one that the system refuses no hook would start, and so no guard.
func MaxVariable() int {
	if runtime.GOOS == "windows" { // which has 32 K characters for all of them
		return 4 << 10
	}
	return 100 << 10
}

// Base is the default of Hooks, for a dialect's own to embed.
type Base struct{}

// Event returns the event as it was fired.
func (Base) Event(c *Call) protocol.Event { return c.Event }

// Subject returns the field, or the tool's name.
func (Base) Subject(c *Call, field string) string {
	if field == "tool_name" {
		return c.Tool
	}
	return c.Field(field)
}

// OnFailure returns what the event's row says, whatever the cause.
func (Base) OnFailure(e Event, _ Fault) OnFailure { return e.OnFailure }

// Environment returns no variables.
func (Base) Environment(*Call) []string { return nil }

// Merge changes nothing.
func (Base) Merge(*Merging) {}

// Ender is implemented by Hooks of which one verdict can end the call: later hooks are skipped.
type Ender interface {
	Ends(protocol.Event, *Verdict) bool
}

// Propagator is implemented by Hooks that run in turn and do not see what the tool would be given, but a call of their
// own: Propagate changes the call for the next hook of the dialect, and reports whether it did.
type Propagator interface {
	Propagate(*Call, *Verdict) bool
}

// Outranker is implemented by Hooks whose answers undo each other: Outrank takes from the verdicts, in the order of the
// file, what does not count beside another's, before they are merged.
type Outranker interface {
	Outrank(*Call, []*HookVerdict)
}

// VariableHider is implemented by Hooks that do not get all variables of the client: HiddenVariables are the starts of
// their names.
type VariableHider interface {
	HiddenVariables() []string
}

// AsyncLine is implemented by Hooks whose first line on stdout can say that nobody is to wait for the hook.
type AsyncLine interface {
	GoesAsync(line []byte) bool
}

// Functions is implemented by Hooks that can be functions of Python: RunFunction returns the command that runs the one
// whose name comes behind it.
type Functions interface {
	RunFunction() []string
}

// Variants is implemented by the Hooks of a client whose hooks of some events get another input, or answer otherwise.
type Variants interface {
	// Variants are the dialects of all the client's hooks, in the order in which they run at a call. One of them is the
	// client's dialect in the list; the others have the same name, and the events that they are for.
	Variants() []*Dialect
}

// ToolEvents is implemented by Hooks whose events are each for one kind of tool. They get a call at such an event.
type ToolEvents interface {
	// ToolEvent names the event for the call's tool, "" if there is none. names are the project's for a tool that some
	// client calls so.
	ToolEvent(c *Call, names []string) protocol.Event
}

// HasForm reports whether the client has hooks files, which can be checked and imported.
func (d *Dialect) HasForm() bool { return d.Files != nil && d.Files.HasPattern() }

// EventOf names the call's event as the dialect's hooks subscribe to it.
func (d *Dialect) EventOf(c *Call) protocol.Event { return d.Hooks.Event(c) }

// SubjectField is the field of the hook input that matchers of an event are held against, "" if they mean nothing.
func (d *Dialect) SubjectField(e protocol.Event) string { return d.Events.Of(e).Subject }

// MatcherSubject returns what a matcher is held against at the call, and whether matchers mean anything there.
func (d *Dialect) MatcherSubject(c *Call) (subject string, ok bool) {
	field := d.SubjectField(d.EventOf(c))
	if field == "" {
		return "", false
	}
	return d.Hooks.Subject(c, field), true
}

// TimeoutAt is the timeout of a hook that sets none, at an event.
func (d *Dialect) TimeoutAt(e protocol.Event) time.Duration {
	return cmp.Or(d.Events.Of(e).Timeout, d.Run.Timeout)
}

// IsFlat reports whether a hook stands in the list of an event without a group around it.
func (d *Dialect) IsFlat(e protocol.Event) bool {
	switch d.Files.Groups {
	case NoneGrouped:
		return true
	case ToolsGrouped:
		return d.SubjectField(e) == ""
	}
	return false
}

// CannotBlock reports whether every failure at an event fails open, whatever policies say.
func (d *Dialect) CannotBlock(e protocol.Event) bool { return d.Events.Of(e).OnFailure == AlwaysOpen }

// Ends reports whether a verdict ends the call: later hooks are skipped.
func (d *Dialect) Ends(e protocol.Event, v *Verdict) bool {
	ender, ok := d.Hooks.(Ender)
	return ok && ender.Ends(e, v)
}

// ClientHooks are the Hooks of the client, also of a dialect InFile.
func (d *Dialect) ClientHooks() Hooks {
	if d.Own != nil {
		return d.Own.Hooks
	}
	return d.Hooks
}

// HiddenVariables are those of a VariableHider.
func (d *Dialect) HiddenVariables() []string {
	if hider, ok := d.ClientHooks().(VariableHider); ok {
		return hider.HiddenVariables()
	}
	return nil
}

// AsyncLine returns what tells by a hook's first line on stdout that nobody is to wait for it, if a line can.
func (d *Dialect) AsyncLine() func(line []byte) bool {
	if async, ok := d.ClientHooks().(AsyncLine); ok {
		return async.GoesAsync
	}
	return nil
}

// Variants are the dialects of all the client's hooks, in the order in which they run at a call.
func (d *Dialect) Variants() []*Dialect {
	if d.Own != nil {
		return d.Own.Variants()
	}
	if v, ok := d.Hooks.(Variants); ok {
		return v.Variants()
	}
	return []*Dialect{d}
}

// Of returns the dialect of the hooks of an event: the last variant that has the event, else d itself.
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

// FileEvents are the names of events that a hooks file of the client can have.
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

// Who opens every message about a hook.
func Who(e protocol.Event, hook string) string {
	return fmt.Sprintf("%s hook '%s'", e, printable.Escape(hook))
}
