package copilot

import (
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/spelling"
)

// letters are the characters of a matcher that lists whole names.
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

// newPattern reads a matcher at an event in Claude Code's spelling, as Copilot CLI 1.0.102 does. "*" and "**" match
// everything. Names separated by | are whole names, the client's own or Claude Code's. Any other matcher is an
// expression for Claude Code's name.
func newPattern(text, subject string) dialect.Pattern {
	switch isTool := subject == "tool_name"; {
	case subject == "" || text == "":
	case isTool && (text == "*" || text == "**"):
		return dialect.Pattern{Text: text, Word: "*"}
	case text == "*": // no agent has this name
		return dialect.Pattern{Text: text, Word: text, Names: []string{}}
	case isTool:
		if words := strings.Split(strings.TrimSpace(text), "|"); isList(words) {
			return dialect.Pattern{Text: text, Word: text, Names: namesOf(words)}
		}
	}
	return expression(text, subject, claudeName)
}

// camelPattern reads a matcher at an event in camelCase: names separated by | are the client's own, and any other
// matcher is an expression for these names.
func camelPattern(text, subject string) dialect.Pattern {
	if words := strings.Split(text, "|"); subject == "tool_name" && isList(words) {
		own := slices.DeleteFunc(words, func(w string) bool { return runtimeName(w) != w })
		return dialect.Pattern{Text: text, Word: text, Names: namesOf(own)}
	}
	return expression(text, subject, runtimeName)
}

// expression reads a matcher that is a JavaScript regular expression for a whole name. The name of a tool is the result
// of nameOf. The client drops an entry with an empty or invalid matcher.
func expression(text, subject string, nameOf func(tool string) string) dialect.Pattern {
	p := dialect.Pattern{Text: text}
	switch {
	case subject == "": // every entry runs, whatever its matcher
		return p
	case text == "":
		p.Refused = "is empty, so the entry never runs; leave it out for every tool"
		return p
	case subject == "tool_name":
		p.Subjects = func(tool string) []string { return []string{nameOf(tool)} }
	}
	if _, err := client.JavaScript(text); err != nil {
		p.Word, p.Refused = text, "is no regular expression, so the entry never runs: "+spelling.Expression(err)
		return p
	}
	p.Word = "^(?:" + text + ")$"
	p.JavaScript, p.Err = client.JavaScript(p.Word)
	return p
}

// namesOf returns all names of the tools.
func namesOf(tools []string) []string {
	all := []string{}
	for _, tool := range tools {
		all = append(all, allNames(tool)...)
	}
	return all
}

func isList(words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return w == "" || strings.Trim(w, letters) != "" })
}
