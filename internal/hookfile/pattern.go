package hookfile

import (
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/dialect/all"
	"github.com/hookrun/hookrun/internal/jsregexp"
)

// Pattern is the matcher of Claude Code's files (2.1.329). Of letters, digits, _, -, blanks, commas and | alone it is a list
// of whole names, with commas or | between them; anything else is a JavaScript regular expression that may match
// anywhere in a name. "" and * are everything. Upper and lower case differ. One that is no valid expression matches nothing,
// and says nothing in the client.
type Pattern struct {
	text  string
	names []string
	regex *jsregexp.Regexp
	err   error // it is no valid expression
}

// NewPattern reads a matcher. It is compiled only if it needs to be.
func NewPattern(text string) Pattern {
	p := Pattern{text: text}
	switch {
	case text == "" || text == "*":
	case isNames(text):
		p.names = []string{}
		p.names = append(p.names, strings.FieldsFunc(text, func(r rune) bool { return r == '|' || r == ',' })...)
		for i := range p.names {
			p.names[i] = strings.TrimSpace(p.names[i])
		}
	default:
		p.regex, p.err = jsregexp.Compile(text)
	}
	return p
}

func isNames(text string) bool {
	for _, r := range text {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', strings.ContainsRune("_-|, ", r):
		default:
			return false
		}
	}
	return true
}

func (p Pattern) String() string { return p.text }

// agentTool is a tool of the client that had another name before, which files still use. The client looks only from here to there.
const agentTool = "Agent"

// Match reports whether the matcher matches a name. An expression that cannot be decided in reasonable time does: the hook
// had better run.
func (p Pattern) Match(name string) bool {
	return p.match(name) || name == agentTool && slices.ContainsFunc(all.ToolAliases(name), p.match)
}

func (p Pattern) match(name string) bool {
	switch {
	case p.text == "" || p.text == "*":
		return true
	case p.err != nil:
		return false
	case p.regex != nil:
		matches, err := p.regex.Match(name)
		return matches || err != nil
	}
	for _, n := range p.names {
		if n == name && n != "" {
			return true
		}
	}
	return false
}
