package hook

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// Hook is one configured hook. Dialect and Handler must be set.
type Hook struct {
	Name         string // in clients' forms the command, if the entry has no name
	Handler      Handler
	Events       []protocol.Event      // in the names of the dialect
	Matcher      Matcher               // nil: any subject
	If           If                    // nil: any call
	IfMeant      If                    // if the If has a mistake, what was probably meant, which the hook is for too
	When         []Condition           // all must hold
	Timeout      time.Duration         // 0: the dialect's
	OnFailure    dialect.FailurePolicy // nil, or for a missing cause: the dialect's
	Env          []string              // NAME=VALUE, added to the caller's environment
	Inherit      *Inherited            // the hook's part of the caller's environment; nil: all variables
	Async        bool                  // the runner starts the hook and does not wait
	Observe      bool                  // the hook runs, but its answer has no effect on the call; see Observes
	ObserveUntil time.Time             // from then on an observing hook blocks; zero: never
	Approvable   bool                  // a person can let a call pass once after the hook blocked it
	// Sequential: if a call selects this hook, all hooks of its dialect run one after the other, even if the dialect
	// is parallel.
	Sequential bool
	// Files are globs of files that the command runs but does not name, for trust; nil: not set. TakesFiles: the
	// entry's form has the key.
	Files      []string
	TakesFiles bool
	// MaxStopBlocks is how often in a row the hook may send an agent back to work at the end of a turn; 0:
	// DefaultStopBlocks. It is a key of the hooks file.
	MaxStopBlocks int
	// Agent is the only agent that runs the hook; "": all agents except NotAgents (MassGen).
	Agent     string
	NotAgents []string
	Dialect   *dialect.Dialect

	// Disabled says why the hook never runs: disabled in its own entry or in the local file; "": the hook can run.
	Disabled   string
	DisabledAt string // the position of the hook's name in the local file's "disable"
	// DedupKey is the same for equal hooks. Of the equal hooks selected by a call only the last runs, at the position
	// of the first. "": no other hook is equal.
	DedupKey string

	File             string // the hooks file
	Level            Level  // of File
	Line             int    // of the entry
	Column           int
	RunsAt           Diagnostic         // without a text: the position of the command, URL or rule
	OfClient         bool               // from a client's own file: the client's rule for the end of a turn applies
	Form             *dialect.Files     // of the client whose rules the hook keeps; nil: none
	Settings         *ClientSettings    // of the files in a client's form; nil: the hook is in another form
	Tools            *dialect.FileTools // tool names from the files of the hook's level
	Unnamed          bool               // Name was made from the command
	Folder           string             // the working directory, relative to the workspace; "": the dialect decides
	ToolNameWarnings []ToolNameWarning  // about tool names in the hook
}

// Diagnostic returns a message about the hook, with its position.
func (h *Hook) Diagnostic(text string) Diagnostic {
	return Diagnostic{File: h.File, Line: h.Line, Column: h.Column, Text: text}
}

// Source is the position of the hook as file:line. A hook without a file position has no line.
func (h *Hook) Source() string {
	if h.Line == 0 {
		return h.File
	}
	return h.File + ":" + strconv.Itoa(h.Line)
}

// SourceNextTo is the position of the hook for a message with another hook: with the column, if both hooks are on one
// line.
func (h *Hook) SourceNextTo(other *Hook) string {
	if h.Line == 0 || h.Source() != other.Source() {
		return h.Source()
	}
	return h.Source() + ":" + strconv.Itoa(h.Column)
}

// String returns the hook's handler as a person would write it, or "" without a handler.
func (h *Hook) String() string {
	if h.Handler == nil {
		return ""
	}
	return h.Handler.String()
}

// IsNamed reports whether a name means the hook: the hook's own, or the pack of its rule.
func (h *Hook) IsNamed(name string) bool {
	return h.Name == name || h.PackRule() != nil && strings.HasPrefix(h.Name, name+"/")
}

// AtTools reports whether the hook subscribes to an event of a tool.
func (h *Hook) AtTools() bool { return slices.ContainsFunc(h.Events, h.Dialect.IsAboutTool) }

// off reports whether the hook is switched off for all calls.
func (h *Hook) off() bool { return h.Disabled != "" || h.Settings.AllOff() || h.disabledByClient() }

// Off says what switches the hook off for all calls, or returns "".
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

// disabledByClient reports whether the client's settings disable this hook by name or, if the entry has no name, by
// command.
func (h *Hook) disabledByClient() bool {
	name := h.Name
	if h.Unnamed {
		name = h.Process().Shell
	}
	return h.Settings != nil && slices.Contains(h.Settings.Disabled, name)
}

// DefaultStopBlocks is the default of Hook.MaxStopBlocks.
const DefaultStopBlocks = 5

// StopBlocks is how often in a row the hook may send an agent back to work. It returns 0 if the hook runs at no end of
// a turn, or is in a client's own file, because the client's rule applies there.
func (h *Hook) StopBlocks() int {
	if h.OfClient || !slices.ContainsFunc(h.Events, h.Dialect.EndsTurn) {
		return 0
	}
	return cmp.Or(h.MaxStopBlocks, DefaultStopBlocks)
}

// Active reports whether the hook can run for some call.
func (h *Hook) Active() bool { return !h.off() && h.Unsupported() == "" }

// EventAt translates an event of a client to the hook's dialect; "" if the dialect has no such event.
func (h *Hook) EventAt(e protocol.Event, clients dialect.Clients) protocol.Event {
	c := &dialect.Call{Event: e}
	_ = c.Resolve(clients) // an event that no client has stays as it is
	return h.Dialect.EventOf(c)
}

// Wants reports whether the hook runs at an event of a client.
func (h *Hook) Wants(e protocol.Event, clients dialect.Clients) bool {
	return h.Active() && slices.Contains(h.Events, h.EventAt(e, clients))
}

func (h *Hook) isFor(agent string) bool {
	return (h.Agent == "" || h.Agent == agent) && !slices.Contains(h.NotAgents, agent)
}

// Deadline is the hook's timeout at an event, or the dialect's.
func (h *Hook) Deadline(event protocol.Event) time.Duration {
	if h.Timeout > 0 {
		return h.Timeout
	}
	return h.Dialect.TimeoutAt(event)
}

// Environment returns the variables that hooks files add to the caller's, later values over earlier ones.
func (h *Hook) Environment() []string {
	if h.Settings == nil {
		return h.Env
	}
	return mergeVariables(h.Settings.Env, h.Env)
}

// Named returns the call with the tool's names at the hook's level.
func (h *Hook) Named(c *dialect.Call) *dialect.Call {
	if h.Tools == c.FileTools || h.Tools.Same(c.FileTools, c.Tool) {
		return c
	}
	named := *c
	c.Clients().NameTool(&named, h.Tools)
	return &named
}

// CallFor returns the call as the hook sees it: Named, and at the event for the tool.
func (h *Hook) CallFor(c *dialect.Call) *dialect.Call {
	return h.Dialect.AtToolEvent(h.Named(c))
}

// CommandDiagnostic returns a message about the hook's command, with its position.
func (h *Hook) CommandDiagnostic(text string) Diagnostic {
	d := h.Diagnostic(text)
	if at := h.RunsAt; at.Line > 0 {
		d.File, d.Line, d.Column = at.File, at.Line, at.Column
	}
	return d
}

// ToolNameWarning is a warning about the name of a tool in a hook's matcher or "if".
type ToolNameWarning struct {
	Diagnostic
	Name    string // as written, possibly a glob
	InCalls bool   // calls at the hook's events have the warning too
}

// Inherited selects the caller's variables for a hook. The zero value selects hookrun's variables and the variables
// that programs need to run.
type Inherited struct {
	Names []string // further variables; a name that ends in * is a prefix
}
