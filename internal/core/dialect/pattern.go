package dialect

import (
	"regexp"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/lib/spelling"
)

// Pattern is a matcher of a client's file, parsed by the client's package. Without Names and without an expression, a
// Pattern matches everything.
type Pattern struct {
	Text  string   // as written in the file
	Word  string   // the part of Text that counts
	Names []string // if not nil, match only one of these whole names
	// Exact are whole names, or names of Aliases, to match in addition to what the expression finds in the tool's own
	// name. Without Exact, the expression also applies to Aliases.
	Exact []string
	// Aliases are alternative tool names to match. Clients know each alias in one direction only.
	Aliases Aliases
	// Only is the single name that can match; "": any.
	Only string

	// Subjects returns the names of a tool to match, instead of the tool's own name and Aliases. Refused is the reason
	// why the client drops an entry with such a matcher, and the remedy; "": the client accepts the matcher.
	Subjects func(name string) []string
	Refused  string

	JavaScript Expression     // found anywhere in a name
	RE2        *regexp.Regexp // the same
	Err        error          // not a valid expression, so matches nothing
	Unread     bool           // with Err: the client may accept the expression, so matches everything
}

// Expression is a regular expression in another syntax than Go's.
type Expression interface {
	// Match reports whether the expression is found in a text. An error means that the search took too long.
	Match(text string) (bool, error)
	// Doubt returns why the expression cannot be read, so nobody knows what it matches, or nil.
	Doubt() error
}

func (p Pattern) String() string { return p.Text }

// Match reports whether the matcher matches a name. An expression that takes too long to evaluate matches, because
// running the hook is safer.
func (p Pattern) Match(name string) bool {
	if p.Subjects != nil {
		return slices.ContainsFunc(p.Subjects(name), p.match)
	}
	if p.Exact != nil {
		return p.match(name) || slices.ContainsFunc(append([]string{name}, p.Aliases.Of(name)...),
			func(name string) bool { return slices.Contains(p.Exact, name) })
	}
	return p.match(name) || slices.ContainsFunc(p.Aliases.Of(name), p.match)
}

func (p Pattern) match(name string) bool {
	switch {
	case p.Only != "" && name != p.Only:
		return false
	case p.Names != nil:
		return slices.Contains(p.Names, name)
	case p.Err != nil:
		return p.Unread
	case p.RE2 != nil:
		return p.RE2.MatchString(name)
	case p.JavaScript != nil:
		matches, err := p.JavaScript.Match(name)
		return matches || err != nil
	}
	return true
}

// AlwaysRuns reports whether the matcher matches every name because hookrun cannot read an expression that the client
// may accept.
func (p Pattern) AlwaysRuns() bool {
	return p.Unread || p.JavaScript != nil && p.JavaScript.Doubt() != nil
}

const unreadText = "is a regular expression that hookrun cannot read, so the hook always runs: "

// Fault returns the fault of the matcher, as a text that follows the matcher in a message, or "".
func (p Pattern) Fault() string {
	switch {
	case p.Unread:
		return unreadText + spelling.Expression(p.Err)
	case p.AlwaysRuns():
		return unreadText + p.JavaScript.Doubt().Error()
	case p.Err != nil && len(p.Exact) > 1:
		return "is no regular expression, and matches the names in it alone: " + spelling.Expression(p.Err)
	case p.Err != nil:
		return "is no regular expression and matches nothing, so the hook never runs: " + spelling.Expression(p.Err)
	case p.Names != nil && len(p.Names) == 0:
		return "names nothing, so the hook never runs"
	}
	return ""
}

// Aliases are alternative names of a client's tools. Each row is a tool and the other names, separated by blanks.
// Strings cost no time at start.
type Aliases []string

// Of returns the other names of a tool.
func (a Aliases) Of(tool string) (names []string) {
	for _, row := range a {
		if name, others, _ := strings.Cut(row, " "); name == tool {
			names = append(names, strings.Fields(others)...)
		}
	}
	return names
}
