package hook

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/registry"
	"github.com/hookrun/hookrun/internal/httphook"
	"github.com/hookrun/hookrun/internal/pack"
	"github.com/hookrun/hookrun/internal/permission"
	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/protocol"
)

// Hook is one configured handler. Its Dialect must be set.
type Hook struct {
	Name          string // in clients' forms the command, where there is no other
	Command       Command
	HTTP          *httphook.Endpoint    // what to POST to, instead of a command
	StaticVerdict *dialect.Verdict      // of a rule, which runs nothing
	Events        []protocol.Event      // as the dialect names them
	Matcher       Matcher               // nil: no matter what
	If            permission.Rule       // the zero rule: no matter what
	Rule          *pack.Rule            // of a pack; nil: it is of none
	When          []Condition           // all of them must hold
	Timeout       time.Duration         // 0: the dialect's
	OnFailure     dialect.FailurePolicy // nil: the dialect's; a cause that is not in it: the dialect's
	Env           []string              // NAME=VALUE, added to the caller's environment
	Inherit       *Inherited            // of the caller's environment; nil: all of it
	Async         bool                  // it is started and not waited for
	Observe       bool                  // it runs, and nothing that it says has an effect on the call
	Approvable    bool                  // a person can let a call pass once that it blocks
	// Sequential: all hooks of its dialect that a call selects run one after the other, though that dialect runs them
	// at once.
	Sequential bool
	// Persistent: one process gets one line for each call, and answers each with one line. It lives as long as the
	// Runner. Workers is how many processes there may be, each for one call at a time; 0 is 1.
	Persistent bool
	Workers    int
	// Files are globs of what the command runs and does not name, for trust; nil: its entry does not say. TakesFiles:
	// it could.
	Files      []string
	TakesFiles bool
	// MaxStopBlocks is how often in a row the hook may send an agent back to work at the end of its turn; 0:
	// DefaultStopBlocks. It is a key of the hook's file.
	MaxStopBlocks int
	// Agent is the one agent that the hook is for, "" for all but NotAgents (MassGen).
	Agent     string
	NotAgents []string
	Dialect   *dialect.Dialect

	// Disabled says what keeps the hook from ever running: its own entry, or the local file; "" for nothing.
	Disabled   string
	DisabledAt string // the place of the local file's "disable" that names it
	// Unsupported is the type of a hook that hookrun cannot run, since it needs a model or a client; "" for all others.
	Unsupported string
	// DedupKey is what equal hooks have in common: of those that a call selects, only the last runs, in the place of
	// the first. "" is equal to none.
	DedupKey string

	File     string // where it was read
	Level    Level  // of that file
	Line     int    // of the entry
	Column   int
	RunsAt   Diagnostic         // without a text: where the entry has what the hook runs
	FilesAt  [2]Diagnostic      // the same of the files of HTTP: its roots, its certificate
	OfClient bool               // it is in a client's own file, so that client's rule for the end of a turn counts
	Form     *dialect.Files     // of the client whose rules it keeps; nil: none
	Settings *ClientSettings    // of the files in a client's form; nil: it is in none
	Tools    *dialect.FileTools // the names of tools that files give it
	Unnamed  bool               // Name was made of what it runs
	Folder   string             // where it runs, seen from the workspace; "": where its dialect has it
	Doubts   []Doubt            // about the names of tools in it
}

// Diagnostic is a message about the hook, with its position.
func (h *Hook) Diagnostic(text string) Diagnostic {
	return Diagnostic{File: h.File, Line: h.Line, Column: h.Column, Text: text}
}

// Source is the position of the hook as file:line. A hook that is in no file has no line.
func (h *Hook) Source() string {
	if h.Line == 0 {
		return h.File
	}
	return h.File + ":" + strconv.Itoa(h.Line)
}

// SourceBeside is the position of the hook for a message that names another too: with the column, if both are on one
// line.
func (h *Hook) SourceBeside(other *Hook) string {
	if h.Line == 0 || h.Source() != other.Source() {
		return h.Source()
	}
	return h.Source() + ":" + strconv.Itoa(h.Column)
}

// Command is what a hook runs: either Argv, spawned directly, or Shell, run by `sh -c`.
type Command dialect.Command

func (c Command) String() string {
	if c.Argv == nil {
		return c.Shell + c.Script + c.Callable
	}
	quoted := make([]string, len(c.Argv))
	for i, a := range c.Argv {
		quoted[i] = a
		if a == "" || strings.ContainsAny(a, " \t\n\"'\\$`|&;<>()*?[]#~") {
			quoted[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// String returns the command as a person would write it, the address that the hook posts to, or its message.
func (h *Hook) String() string {
	switch {
	case h.HTTP != nil:
		return "POST " + h.HTTP.String()
	case h.Unsupported != "":
		return "a hook of type " + h.Unsupported
	case h.StaticVerdict != nil && h.StaticVerdict.Decision == protocol.Continue:
		return "inject " + spelling.Quote(h.StaticVerdict.Context)
	case h.StaticVerdict != nil:
		return "block " + spelling.Quote(h.StaticVerdict.Reason)
	}
	return h.Command.String()
}

// AtTools reports whether the hook subscribes to an event of a tool.
func (h *Hook) AtTools() bool { return slices.ContainsFunc(h.Events, dialect.HasTool) }

// off reports whether the hook runs for no call.
func (h *Hook) off() bool { return h.Disabled != "" || h.Settings.AllOff() || h.disabledByClient() }

// Off says what switches the hook off for every call, "" if nothing does.
func (h *Hook) Off() string {
	switch {
	case h.Disabled != "":
		return h.Disabled
	case h.Settings.AllOff():
		return "all hooks of its client are switched off by " + h.Settings.OffBy + " in " + h.Settings.OffAt.Position()
	case h.disabledByClient():
		return "its name is in the \"disabled\" of its client's settings"
	}
	return ""
}

// disabledByClient reports whether the client's settings switch this very hook off: by its name or, where it has none,
// its command.
func (h *Hook) disabledByClient() bool {
	name := h.Name
	if h.Unnamed {
		name = h.Command.Shell
	}
	return h.Settings != nil && slices.Contains(h.Settings.Disabled, name)
}

// DefaultStopBlocks is Hook.MaxStopBlocks of files that do not say.
const DefaultStopBlocks = 5

// StopBlocks is how often in a row the hook may send an agent back to work. 0: it is at no end of a turn, or in a
// client's own file, which keeps that client's rule.
func (h *Hook) StopBlocks() int {
	if h.OfClient || !slices.ContainsFunc(h.Events, registry.EndsTurn) {
		return 0
	}
	return cmp.Or(h.MaxStopBlocks, DefaultStopBlocks)
}

// Active reports whether the hook can run for some call.
func (h *Hook) Active() bool { return !h.off() && h.Unsupported == "" }

// EventAt is the event of the hook's dialect at an event of some client, "" if its dialect has none there.
func (h *Hook) EventAt(e protocol.Event) protocol.Event {
	return h.Dialect.EventOf(&dialect.Call{Event: e})
}

// Wants reports whether the hook runs at an event of some client.
func (h *Hook) Wants(e protocol.Event) bool {
	return h.Active() && slices.Contains(h.Events, h.EventAt(e))
}

func (h *Hook) isFor(agent string) bool {
	return (h.Agent == "" || h.Agent == agent) && !slices.Contains(h.NotAgents, agent)
}

// Deadline is the hook's timeout at an event, or its dialect's.
func (h *Hook) Deadline(event protocol.Event) time.Duration {
	if h.Timeout > 0 {
		return h.Timeout
	}
	return h.Dialect.TimeoutAt(event)
}

// Environment are the variables that the hook's files add to the caller's, later ones over earlier ones.
func (h *Hook) Environment() []string {
	if h.Settings == nil {
		return h.Env
	}
	return overlaid(h.Settings.Env, h.Env)
}

// Named returns the call with the names that the tool has at the hook's level.
func (h *Hook) Named(c *dialect.Call) *dialect.Call {
	if h.Tools.Same(c.FileTools(), c.Tool) {
		return c
	}
	named := *c
	registry.NameTool(&named, h.Tools)
	return &named
}

// Seen returns the call as the hook sees it: Named, and at the event for its tool.
func (h *Hook) Seen(c *dialect.Call) *dialect.Call {
	return registry.AtToolEvent(h.Dialect, h.Named(c))
}

// CommandDiagnostic is a message about what the hook runs, with its position.
func (h *Hook) CommandDiagnostic(text string) Diagnostic {
	d := h.Diagnostic(text)
	if at := h.RunsAt; at.Line > 0 {
		d.File, d.Line, d.Column = at.File, at.Line, at.Column
	}
	return d
}

// Doubt is what is odd about the name of a tool in a hook's matcher or "if".
type Doubt struct {
	Diagnostic
	Name    string // as it is written; a glob may be one
	InCalls bool   // calls at the hook's events have the warning, too
}

// Inherited selects the caller's variables that a hook gets. The zero value is those that programs need to run at all,
// and hookrun's own.
type Inherited struct {
	Names []string // of others; one that ends in * stands for all that begin like it
}
