package projecthooks

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hookrun/hookrun/protocol"
)

// FileName is the hooks file of a workspace.
const FileName = ".tenex-hooks.json"

// Config is the hooks of one or more files, in order. The zero Config has none.
type Config struct {
	Hooks    []Hook
	Files    []string  // that were read
	Warnings []Problem // what is odd but loads
}

// Add appends the hooks of another file.
func (c *Config) Add(more *Config) {
	sources := map[string]string{} // of the first hook of each name
	for i := len(c.Hooks) - 1; i >= 0; i-- {
		sources[c.Hooks[i].Name] = c.Hooks[i].Source()
	}
	for i := range more.Hooks {
		h := &more.Hooks[i]
		if source, ok := sources[h.Name]; ok {
			c.Warnings = append(c.Warnings, h.sameName(source))
			delete(sources, h.Name) // its own file warns of the next
		}
	}
	c.Hooks = append(c.Hooks, more.Hooks...)
	c.Files = append(c.Files, more.Files...)
	c.Warnings = append(c.Warnings, more.Warnings...)
}

// Hook is one configured handler.
type Hook struct {
	Name      string
	Command   Command
	Events    []protocol.Event // canonical
	Matcher   Matcher
	Timeout   time.Duration          // 0: the dialect's
	OnFailure protocol.FailurePolicy // nil: the dialect's; a cause that is not in it: the dialect's
	Env       []string               // NAME=VALUE, added to the caller's environment
	Dialect   *protocol.Dialect

	File       string // where it was read
	Line       int    // of the entry
	column     int
	commandPos Problem
}

// sameName is the warning that there is another hook of its name at other.
func (h *Hook) sameName(other string) Problem {
	return Problem{h.File, h.Line, h.column, fmt.Sprintf("hook %s: the hook of %s has the same name; reports will not tell them apart", quote(h.Name), other)}
}

// Source is the place of the hook as file:line.
func (h *Hook) Source() string { return fmt.Sprintf("%s:%d", h.File, h.Line) }

// Command is what a hook runs: either Argv, spawned directly, or Shell, run by `sh -c`.
type Command struct {
	Argv  []string
	Shell string
}

func (c Command) String() string {
	if c.Argv == nil {
		return c.Shell
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

// Runs reports whether the hook runs at the event for the tool. Where no tool stands at the event matchers mean nothing, as
// in Claude Code.
func (h *Hook) Runs(event protocol.Event, tool string) bool {
	return slices.Contains(h.Events, event.Canonical()) && (!event.HasTool() || h.Matcher.Match(tool))
}

// Why says why the hook runs at the event for the tool, or does not.
func (h *Hook) Why(event protocol.Event, tool string) string {
	event = event.Canonical()
	subscribes := fmt.Sprintf("it subscribes to %s", event)
	switch {
	case !slices.Contains(h.Events, event):
		return fmt.Sprintf("it does not subscribe to %s", event)
	case !event.HasTool() || len(h.Matcher.globs) == 0:
		return subscribes
	case h.Matcher.Match(tool):
		return fmt.Sprintf("%s, and its matcher %q matches the tool %q", subscribes, h.Matcher, tool)
	}
	return fmt.Sprintf("its matcher %q does not match the tool %q", h.Matcher, tool)
}

// Deadline is the hook's timeout, or its dialect's.
func (h *Hook) Deadline() time.Duration {
	if h.Timeout > 0 {
		return h.Timeout
	}
	return h.Dialect.Timeout
}

// Problem is one thing that is wrong, or odd, at a place in a file.
type Problem struct {
	File   string `json:"file"`
	Line   int    `json:"line"` // 0: the file as a whole
	Column int    `json:"column"`
	Text   string `json:"message"`
}

func (p Problem) Error() string { return string(p.append(nil)) }

func (p Problem) append(to []byte) []byte {
	to = append(to, p.File...)
	if p.Line > 0 {
		to = strconv.AppendInt(append(to, ':'), int64(p.Line), 10)
		to = strconv.AppendInt(append(to, ':'), int64(p.Column), 10)
	}
	return append(append(to, ": "...), p.Text...)
}

// Problems are all the errors of a load, one a line.
type Problems []Problem

func (ps Problems) Error() string {
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
