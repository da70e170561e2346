package hookfile

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/registry"
	"github.com/hookrun/hookrun/internal/permission"
	"github.com/hookrun/hookrun/protocol"
)

// What "trust" may be.
const (
	TrustOff      = "off"
	TrustRequired = "required"
)

// FileName is the hooks file of a workspace.
const FileName = ".tenex-hooks.json"

// Config is the hooks of one or more files, in order. The zero Config has none.
type Config struct {
	Hooks    []Hook
	Files    []File       // that were read, in the order of their hooks
	Absent   []File       // that would have been read, had they been there
	Warnings []Diagnostic // what is odd but loads

	Trust string // what the user's file or the managed one says of "trust": off, required, or "" for neither
	Only  bool   // the managed file leaves all others out

	Dialect *dialect.Dialect // whose form the file is in; nil where it is not one file

	tools    []levelTools                    // of each file that has "tools", in the order of the files
	toolsAt  []*dialect.FileTools            // as hooks see them, by how many of those are of no lower level
	wrappers []string                        // programs that run the command in their arguments, besides known ones
	disable  []disabledName                  // of local files
	agents   []string                        // of files in which hooks are not the same for all agents
	settings map[*dialect.Settings]*settings // of the files in clients' forms
}

// Add appends the hooks of another file. Settings of its own that concern all hooks of its client win over those of
// files that were added before.
func (c *Config) Add(more *Config) {
	sources := map[string]string{} // of the first hook of each name
	for i := len(c.Hooks) - 1; i >= 0; i-- {
		sources[c.Hooks[i].Name] = c.Hooks[i].Source()
	}
	for i := range more.Hooks {
		h := &more.Hooks[i]
		isEntry := h.form == nil || h.Dialect.Own != nil // in clients' forms hooks need no names
		if source, ok := sources[h.Name]; ok && isEntry && !h.unnamed {
			c.Warnings = append(c.Warnings, h.sameName(source))
			delete(sources, h.Name) // its own file warns of the next
		}
	}
	c.Hooks = append(slices.Clip(c.Hooks), more.Hooks...)
	if c.Dialect = nil; len(c.Files) == 0 {
		c.Dialect = more.Dialect
	}
	c.Files = append(c.Files, more.Files...)
	c.Absent = append(c.Absent, more.Absent...)
	c.agents = append(c.agents, more.agents...)
	c.disable = append(c.disable, more.disable...)
	if c.Only = c.Only || more.Only; c.Trust == "" || more.Trust == TrustRequired { // nobody weakens another's
		c.Trust = cmp.Or(more.Trust, c.Trust)
	}
	c.Warnings = append(c.Warnings, more.Warnings...)
	c.tools = append(slices.Clip(c.tools), more.tools...)
	c.wrappers = union(c.wrappers, more.wrappers)
	all := maps.Clone(c.settings)
	for f, s := range more.settings {
		if all == nil {
			all = map[*dialect.Settings]*settings{}
		}
		all[f] = all[f].under(s)
	}
	c.settings = all
	for i := range c.Hooks {
		if h := &c.Hooks[i]; h.settings != nil {
			h.settings = all[h.form]
		}
	}
	c.share()
}

// union returns the names of both lists, each once.
func union(names, more []string) []string {
	names = slices.Clip(names)
	for _, name := range more {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Wrappers are the programs that the files name as ones that run the command in their arguments.
func (c *Config) Wrappers() []string { return c.wrappers }

// Paths are those of the files that were read.
func (c *Config) Paths() []string {
	paths := make([]string, len(c.Files))
	for i := range c.Files {
		paths[i] = c.Files[i].Path
	}
	return paths
}

// Warned are the warnings, with those about names of tools and that hooks are switched off, if they are.
func (c *Config) Warned() []Diagnostic {
	warnings := c.WarnedOfFiles()
	for i := range c.Hooks {
		warnings = append(warnings, c.doubtsInCalls(&c.Hooks[i])...)
	}
	return warnings
}

// WarnedOfFiles is Warned without the warnings about names of tools.
func (c *Config) WarnedOfFiles() []Diagnostic {
	warnings := slices.Clip(c.Warnings)
	for _, d := range withSettings() {
		if s := c.settings[d.Settings]; s.allOff() {
			warnings = append(warnings, s.offAt)
		}
	}
	return warnings
}

// UnknownAgent warns of a call by an agent that the files do not know, if they have hooks for some agents only: a
// misspelt name may have lost a gate.
func (c *Config) UnknownAgent(agent string) (warning string, unknown bool) {
	if len(c.agents) == 0 || slices.Contains(c.agents, agent) {
		return "", false
	}
	return fmt.Sprintf("the agent %s is none of the hooks files' (%s), so only hooks for all agents run",
		quote(agent), brief(strings.Join(c.agents, ", "))), true
}

// Rule is one permission rule, as the if of a hook has it: Bash(git push *). The zero Rule is for everything.
type Rule = permission.Rule

// ParseRule reads a rule. A text that is none matches nothing.
func ParseRule(text string) Rule { return permission.Parse(text) }

// Hook is one configured handler. Its Dialect must be set.
type Hook struct {
	Name          string // in clients' forms the command, where there is no other
	Command       Command
	HTTP          *Endpoint              // what to POST to, instead of a command
	StaticVerdict *dialect.Verdict       // of a rule, which runs nothing
	Events        []protocol.Event       // as the dialect names them
	Matcher       Matcher                // nil: no matter what
	If            Rule                   // the zero rule: no matter what
	When          []Condition            // all of them must hold
	Timeout       time.Duration          // 0: the dialect's
	OnFailure     protocol.FailurePolicy // nil: the dialect's; a cause that is not in it: the dialect's
	Env           []string               // NAME=VALUE, added to the caller's environment
	Inherit       *Inherited             // of the caller's environment; nil: all of it
	Async         bool                   // it is started and not waited for
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
	Disabled string
	// Unsupported is the type of a hook that hookrun cannot run, since it needs a model or a client; "" for all others.
	Unsupported string
	// DedupKey is what equal hooks have in common: of those that a call selects, only the last runs, in the place of
	// the first. "" is equal to none.
	DedupKey string

	File       string // where it was read
	Level      Level  // of that file
	Line       int    // of the entry
	column     int
	commandPos Diagnostic
	filePos    [2]Diagnostic     // of the files of HTTP: its roots, its certificate
	form       *dialect.Settings // of the client whose rules it keeps; nil: none
	settings   *settings         // of the files in a client's form; nil: it is in none
	tools      *dialect.FileTools
	unnamed    bool    // Name was made of what it runs
	folder     string  // where it runs, seen from the workspace; "": where its dialect has it
	doubts     []doubt // about the names of tools in it
}

// sameName is the warning that there is another hook of its name at other.
func (h *Hook) sameName(other string) Diagnostic {
	return h.Diagnostic(fmt.Sprintf("hook %s: the hook of %s has the same name; reports will not tell them apart",
		quote(h.Name), other))
}

// Diagnostic is a message about the hook, with its position.
func (h *Hook) Diagnostic(text string) Diagnostic {
	return Diagnostic{File: h.File, Line: h.Line, Column: h.column, Text: text}
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
	return h.Source() + ":" + strconv.Itoa(h.column)
}

// Command is what a hook runs: either Argv, spawned directly, or Shell, run by `sh -c`.
type Command struct {
	Argv  []string
	Shell string

	PowerShell   bool // Shell is for pwsh
	Bash         bool // Shell is for bash
	Placeholders bool // ${NAME} stands in Argv for the client's folder of that name

	Script   string // instead of both: a program or a Python file, by its path in the folder where the hook runs
	Callable string // instead of all: a Python function, as module.function
}

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
		return "inject " + quote(h.StaticVerdict.Context)
	case h.StaticVerdict != nil:
		return "block " + quote(h.StaticVerdict.Reason)
	}
	return h.Command.String()
}

// AtTools reports whether the hook subscribes to an event of a tool.
func (h *Hook) AtTools() bool { return slices.ContainsFunc(h.Events, protocol.Event.HasTool) }

// off reports whether the hook runs for no call.
func (h *Hook) off() bool { return h.Disabled != "" || h.settings.allOff() || h.disabledByClient() }

// Off says what switches the hook off for every call, "" if nothing does.
func (h *Hook) Off() string {
	switch {
	case h.Disabled != "":
		return h.Disabled
	case h.settings.allOff():
		return "all hooks of its client are switched off by " + h.settings.offBy + " in " + h.settings.offAt.position()
	case h.disabledByClient():
		return "its name is in the \"disabled\" of its client's settings"
	}
	return ""
}

// disabledByClient reports whether the client's settings switch this very hook off: by its name or, where it has none,
// its command.
func (h *Hook) disabledByClient() bool {
	name := h.Name
	if h.unnamed {
		name = h.Command.Shell
	}
	return h.settings != nil && slices.Contains(h.settings.disabled, name)
}

// DefaultStopBlocks is Hook.MaxStopBlocks of files that do not say.
const DefaultStopBlocks = 5

// StopBlocks is how often in a row the hook may send an agent back to work. 0: it is at no end of a turn, or in a
// client's own file, which keeps that client's rule.
func (h *Hook) StopBlocks() int {
	ofClient := h.form != nil && h.Dialect.Own == nil && filepath.Base(h.File) != FileName
	if ofClient || !slices.ContainsFunc(h.Events, registry.EndsTurn) {
		return 0
	}
	return cmp.Or(h.MaxStopBlocks, DefaultStopBlocks)
}

// Active reports whether the hook can run for some call.
func (h *Hook) Active() bool { return !h.off() && h.Unsupported == "" }

// EventAt is the event of the hook's dialect at an event of some client, "" if its dialect has none there.
func (h *Hook) EventAt(e protocol.Event) protocol.Event {
	return h.Dialect.EventOf(&protocol.Call{Event: e})
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
	if h.settings == nil {
		return h.Env
	}
	return overlaid(h.settings.env, h.Env)
}

// Diagnostic is an error or a warning about a position in a file.
type Diagnostic struct {
	File   string `json:"file"`
	Line   int    `json:"line"` // 0: the file as a whole
	Column int    `json:"column"`
	Text   string `json:"message"`
	// as a warning: a hook will never run or never block, so the outcome of each call has it; as a note: a hook is
	// switched off
	Gate bool `json:"-"`
	// as a warning: no hook runs otherwise than it should, so a session is told once
	Once bool `json:"-"`
	// as a warning: no call reaches the hook as it is written, so check and doctor take it for an error
	Unreachable bool `json:"-"`
}

// position is that of the problem, without its column.
func (p Diagnostic) position() string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

func (p Diagnostic) Error() string { return string(p.append(nil)) }

func (p Diagnostic) append(to []byte) []byte {
	to = append(to, p.File...)
	if p.Line > 0 {
		to = strconv.AppendInt(append(to, ':'), int64(p.Line), 10)
		to = strconv.AppendInt(append(to, ':'), int64(p.Column), 10)
	}
	return append(append(to, ": "...), p.Text...)
}

// Diagnostics are all the errors of a load, one a line.
type Diagnostics []Diagnostic

// Sort sorts problems by their positions.
func (ps Diagnostics) Sort() {
	slices.SortStableFunc(ps, func(a, b Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}

func (ps Diagnostics) Error() string {
	size := 0 // a file can have half a million problems
	for _, p := range ps {
		size += len(p.File) + len(p.Text) + len(":1048576:1048576: \n")
	}
	text := make([]byte, 0, size)
	for i, p := range ps {
		if i > 0 {
			text = append(text, '\n')
		}
		text = p.append(text)
	}
	return string(text)
}
