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
//	import.go    what differs about its hooks as entries of .tenex-hooks.json?
//
// A folder leaves out what its client has no need of. No dialect imports another one.
package dialect

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/printable"
	"github.com/hookrun/hookrun/protocol"
)

// Dialect is what differs between clients. Everything else is the same for all hooks.
type Dialect struct {
	Name string

	// Events are all its names for events, in the order of a turn.
	Events func() []protocol.Event
	// Event names the call's event as the dialect's hooks subscribe to it; nil: as it was fired. It is "" for an event
	// that the client does not have.
	Event func(*protocol.Call) protocol.Event
	// TurnEnds are those at the end of a turn or of a subagent's, where a block sends the agent back to work.
	TurnEnds []protocol.Event
	// SubjectField is the field of the hook input that an event's matchers are held against; "": there they mean
	// nothing.
	SubjectField func(protocol.Event) string

	// Subject is what an event's matchers are held against, where that is no field of the input; nil, or "" from it:
	// the field.
	Subject func(*protocol.Call) string

	Timeout   time.Duration                      // of a hook that sets none
	TimeoutAt func(protocol.Event) time.Duration // the same, at events where it is another; nil, or 0 from it: Timeout

	// How hooks run.

	// Parallel: all hooks of a call start at once and see the same call, and all are waited for. Else they run in the
	// order of the file, and each sees what earlier ones rewrote.
	Parallel bool
	// StopsAtBlock: the first block ends the call, later hooks are skipped; nil: all hooks run.
	StopsAtBlock func(protocol.Event) bool
	// Ends reports whether a verdict ends the call, where that takes more than StopsAtBlock can say; nil: StopsAtBlock
	// says it.
	Ends func(protocol.Event, *Verdict) bool
	// FirstOfSame: of equal hooks the first runs, not the last.
	FirstOfSame bool
	// MaxContext is how many characters of context one hook may add, 0 for as many as it likes. What is longer is put
	// into a file that the context names.
	MaxContext int
	// FollowsDir: hooks run in the session's current directory instead of the workspace.
	FollowsDir bool
	// Environment are variables that hooks get whatever their files say; a persistent process gets none of one call.
	// HiddenVariables are the starts of names of those that they do not get. OwnEnvironmentWins: what a hook's file
	// sets counts before Environment.
	Environment        func(*protocol.Call) []string
	HiddenVariables    []string
	OwnEnvironmentWins bool
	// ProjectTools: hooks know the tools of clients by the project's names as well as by their own. Matchers and rules
	// are held against all of them.
	ProjectTools bool
	// Client is the client's own dialect, where this one is that of entries in a project's file (InFile); nil: it is
	// none of these.
	Client *Dialect

	// What a failure means.

	// Causes are the kinds of failure that a hook can have, and on_failure can name.
	Causes func() []protocol.Cause
	// Failure says whether a hook without an answer fails open (Continue) or closed (Block), by its event and cause.
	// Any cause that is none of Causes fails closed.
	Failure func(protocol.Event, protocol.Cause) protocol.Decision
	// HTTPFailure is Failure for HTTP hooks, for which AlwaysBlocks does not hold then; nil: they are like all others.
	HTTPFailure func(protocol.Event, protocol.Cause) protocol.Decision
	// CannotBlock reports whether every failure fails open at an event, whatever policies say; nil: there is no such
	// event.
	CannotBlock func(protocol.Event) bool
	// AlwaysBlocks reports whether a cause fails closed at an event, whatever policies say; nil: none does.
	AlwaysBlocks func(protocol.Event, protocol.Cause) bool

	// What hooks read and say.

	// EncodeInput encodes a call for stdin.
	EncodeInput func(*Call) (Payload, []string, error)
	// Decode reads the result of the named hook's process. ApplyFailurePolicy decides about a Verdict that has a
	// Problem.
	Decode func(c *protocol.Call, hook string, r *HookResult) Verdict
	// GoesAsync reports whether a hook's first line on stdout says that nobody is to wait for it; nil: no line does.
	GoesAsync func(line []byte) bool
	// Propagate changes the call as the next hook of the dialect sees it, where hooks run in turn, and reports whether
	// it did; nil: that one sees what the tool would be given. Hooks of other dialects always do.
	Propagate func(*Call, *Verdict) bool
	// Outrank takes from the verdicts of the dialect's hooks, in the order of the file, what does not count beside
	// another's, before they are merged; nil: all of it counts.
	Outrank func(*protocol.Call, []*HookVerdict)
	// Merge changes what the dialect's hooks amount to from what all dialects agree on; nil: nothing.
	Merge func(*Merging)

	// The client, where one calls hookrun as its hook.

	// EncodeOutput tells an outcome to the client in its own hook output, with the exit status that goes with it; nil:
	// no client calls hookrun. What the client has no word for is never lost where it would let something pass.
	EncodeOutput func(protocol.Outcome) (stdout []byte, exit int, err error)
	// Stderr is what stands on stderr with an exit status other than 0; nil: the reason.
	Stderr func(protocol.Outcome) string
	// Errors says how the client learns of an error of hookrun's own.
	Errors ErrorOutput
	// AnsweredBy are files of the client's whose entry for hookrun answers in the place of this process, where the
	// client runs several entries for one call; nil: it does not.
	AnsweredBy func(Where) []string
	// Limit is how long a call may take in all, where the client waits so long for hookrun and no entry can say
	// otherwise: what takes longer is an error; 0: as long as its hooks take.
	Limit time.Duration
	// InputEvent is the event of a hook input of this client's, which has no hook_event_name; "": it is another
	// client's. nil: all inputs have one.
	InputEvent func(doc string) protocol.Event
	// Detect reports whether a hook input is this client's, at events that another one has too; nil: it gets the inputs
	// that no other client detects.
	Detect func(*protocol.Call) bool
	// ProjectVariable is the variable in which the client tells its hooks the folder of the project; "": it starts them
	// there.
	ProjectVariable string
	// FitResult makes sure, after the tool, of what the client shows its model of the tool's result, by what one hook
	// of any dialect says; nil: it takes any.
	FitResult func(c *protocol.Call, hook string, v *Verdict)
	// FitInput makes sure, before the tool, of what the client gives it; nil: it gives any input that a hook changed.
	FitInput func(c *protocol.Call, hook string, v *Verdict)
	// ReadResult reads from the client's hook input how the tool ended, where that says it in a way of its own; nil: it
	// does not.
	ReadResult func(c *protocol.Call, response gjson.Result)
	// ReadInput reads from the client's hook input what stands there under names of its own; nil: nothing does.
	ReadInput func(c *protocol.Call)
	// Tools are the client's tools by the names that projects have for them.
	Tools []Tool
	// ToolAliases are the names that the client's own matchers know for one of its tools besides its own. A file that
	// was written for one name guards under the others.
	ToolAliases Aliases
	// ToolName is a project's name for the client's tool at the call, where no table can say it; "" or nil: the table
	// does.
	ToolName func(*protocol.Call) string

	// The client's files.

	// Variant is the dialect of the hooks of an event that another event of the client's comes before at the same call:
	// they run behind the hooks of that one, and see what it rewrote. It has the same name and is not in the list; nil:
	// the client has one event for a call.
	Variant func(protocol.Event) *Dialect
	// Spelling returns the same dialect for hooks whose file names their events in another spelling: they run first,
	// and get another input. It has the same name and is not in the list; nil: there is one spelling.
	Spelling func() *Dialect
	// Settings is the form of its hooks file in JSON; nil: it has none.
	Settings *Settings
	// Format is that of a hooks file that is not JSON; nil: it has none.
	Format *Format
	// RunFunction returns the command that runs a function of Python, whose name comes behind it; nil: the client has
	// no such hooks.
	RunFunction func() []string
	// Install says how `hookrun install` makes the client call hookrun; nil: it cannot.
	Install *Installation
}

// ErrorOutput is how a client learns of an error of hookrun's own. A block is what EncodeOutput makes of one.
type ErrorOutput int

// Forms of ErrorOutput. The last is for a client that at some event does not read the block beside the exit status.
const (
	ErrorByExit         ErrorOutput = iota // the client blocks for the exit status at every event
	ErrorByExitAndBlock                    // a block on stdout beside the exit status
	ErrorByBlock                           // a block in the place of the exit status
)

// Tool is a client's tool, and the project's one or two names for such tools: "Bash shell". A tool that does the work
// of two has two names.
type Tool string

// Name is the client's name of the tool.
func (t Tool) Name() string {
	name, _, _ := strings.Cut(string(t), " ")
	return name
}

// Names are the project's.
func (t Tool) Names() (names [2]string) {
	_, rest, _ := strings.Cut(string(t), " ")
	names[0], names[1], _ = strings.Cut(rest, " ")
	return names
}

// IsCalled reports whether it is one of Names.
func (t Tool) IsCalled(name string) bool {
	names := t.Names()
	return name != "" && (names[0] == name || names[1] == name)
}

// ToolNamed finds a tool by the client's name. Of equal names the first counts.
func (d *Dialect) ToolNamed(name string) (t Tool, has bool) {
	for _, t := range d.Tools {
		if len(t) > len(name) && t[len(name)] == ' ' && t.Name() == name {
			return t, true
		}
	}
	return "", false
}

// MCPName is the name of an MCP tool as most clients write it, "" if the server or the tool has no name.
func MCPName(server, tool string) string {
	if server == "" || tool == "" {
		return ""
	}
	return "mcp__" + server + "__" + tool
}

// ToolNames are the project's names for a tool of any client. Package registry has the tables.
var ToolNames = func(string) []string { return nil }

// HasForm reports whether the client has hooks files, which can be checked and imported.
func (d *Dialect) HasForm() bool { return d.Settings != nil && d.Settings.Pattern != nil }

// EventOf names the call's event as the dialect's hooks subscribe to it.
func (d *Dialect) EventOf(c *protocol.Call) protocol.Event {
	if d.Event == nil {
		return c.Event
	}
	return d.Event(c)
}

// Of returns the dialect of the hooks of an event, which is d itself, a variant of it, or its other spelling.
func (d *Dialect) Of(e protocol.Event) *Dialect {
	if other := d.OtherSpelling(); other != nil && !slices.Contains(d.Events(), e) &&
		slices.Contains(other.Events(), e) {
		return other
	}
	if d.Variant != nil {
		if variant := d.Variant(e); variant != nil {
			return variant
		}
	}
	return d
}

// OtherSpelling is what Spelling returns, nil where there is none.
func (d *Dialect) OtherSpelling() *Dialect {
	if d.Spelling == nil {
		return nil
	}
	return d.Spelling()
}

// MatcherSubject returns what a matcher is held against at the call, and whether matchers mean anything there.
func (d *Dialect) MatcherSubject(c *protocol.Call) (subject string, ok bool) {
	field := d.SubjectField(d.EventOf(c))
	if d.Subject != nil && field != "" {
		if subject = d.Subject(c); subject != "" {
			return subject, true
		}
	}
	if field == "tool_name" {
		return c.Tool, true
	}
	return c.Field(field), field != ""
}

// Who opens every message about a hook.
func Who(e protocol.Event, hook string) string {
	return fmt.Sprintf("%s hook '%s'", e, printable.Escape(hook))
}
