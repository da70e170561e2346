package dialect

import (
	"regexp"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/jsregexp"
	"github.com/hookrun/hookrun/internal/spelling"
)

// Pattern is a matcher of a client's file, as the client's folder reads it. One without Names and without an expression
// matches everything.
type Pattern struct {
	Text  string   // as it stands in the file
	Word  string   // what counts of the text
	Names []string // it matches one of these, whole, if it is a list
	// Exact are names that it matches, whole and as Aliases too, beside what the expression finds in a tool's own name.
	// Without them the expression is held against Aliases, too.
	Exact []string
	// Aliases are more names by which it matches a tool. Clients know them from here to there only.
	Aliases Aliases
	// Only is the one name that it can match; "": any.
	Only string

	// Subjects are the names of a tool that the matcher is held against, if not its own and Aliases. Refused says why
	// the client drops an entry with such a matcher, and what to write; "": it does not.
	Subjects func(name string) []string
	Refused  string

	JavaScript *jsregexp.Regexp // an expression, found anywhere in a name
	RE2        *regexp.Regexp   // the same
	Err        error            // the text is no expression: it matches nothing
	Unread     bool             // with Err: the client may read the expression, so it matches everything
}

func (p Pattern) String() string { return p.Text }

// Match reports whether the matcher matches a name. An expression that cannot be decided in reasonable time does: the
// hook had better run.
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

// AlwaysRuns reports whether the matcher matches every name because hookrun cannot read what its client may read.
func (p Pattern) AlwaysRuns() bool {
	return p.Unread || p.JavaScript != nil && p.JavaScript.Doubt() != nil
}

const unread = "is a regular expression that hookrun cannot read, so the hook always runs: "

// Fault says what is wrong with the matcher, as the end of a sentence that begins with it; "": nothing.
func (p Pattern) Fault() string {
	switch {
	case p.Unread:
		return unread + spelling.Expression(p.Err)
	case p.AlwaysRuns():
		return unread + p.JavaScript.Doubt().Error()
	case p.Err != nil && len(p.Exact) > 1:
		return "is no regular expression, and matches the names in it alone: " + spelling.Expression(p.Err)
	case p.Err != nil:
		return "is no regular expression and matches nothing, so the hook never runs: " + spelling.Expression(p.Err)
	case p.Names != nil && len(p.Names) == 0:
		return "names nothing, so the hook never runs"
	}
	return ""
}

// Aliases are other names of a client's tools: a row is a tool and its other names, with blanks between them. As texts
// they cost nothing at start.
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
