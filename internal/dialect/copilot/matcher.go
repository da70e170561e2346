package copilot

import (
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/jsregexp"
	"github.com/hookrun/hookrun/internal/spelling"
)

// letters of a matcher that is a list of whole names.
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

// newPattern reads a matcher of a file as Copilot CLI 1.0.102 does. In camelCase it is a JavaScript regular expression
// for the whole of the client's own name. At Claude Code's events "*" and "**" are everything; names with | between
// them are whole names, the client's own or Claude Code's; all else is an expression for Claude Code's name alone. The
// client drops an entry whose matcher is empty or no expression.
func newPattern(claude bool, text, subject string) dialect.Pattern {
	p := dialect.Pattern{Text: text, Word: text}
	isTool := subject == "tool_name"
	switch {
	case subject == "": // every entry runs, whatever it has
		p.Word = ""
		return p
	case text == "":
		p.Refused = "is empty, so the entry never runs; leave it out for every tool"
		return p
	case claude && isTool && (text == "*" || text == "**"):
		p.Word = "*"
		return p
	case claude && text == "*": // an agent's name: nothing has it
		p.Names = []string{}
		return p
	case claude && isTool:
		if words := strings.Split(strings.TrimSpace(text), "|"); isList(words) {
			p.Names = namesOf(words)
			return p
		}
		p.Subjects = func(tool string) []string { return []string{claudeName(tool)} }
	case isTool:
		if words := strings.Split(text, "|"); isList(words) {
			p.Names = namesOf(slices.DeleteFunc(words, func(w string) bool { return runtimeName(w) != w }))
			return p
		}
		p.Subjects = func(tool string) []string { return []string{runtimeName(tool)} }
	}
	if _, err := jsregexp.Compile(text); err != nil {
		p.Refused = "is no regular expression, so the entry never runs: " + spelling.Expression(err)
		return p
	}
	p.Word = "^(?:" + text + ")$"
	p.JavaScript, p.Err = jsregexp.Compile(p.Word)
	return p
}

// namesOf are all names of some tools.
func namesOf(tools []string) []string {
	all := []string{}
	for _, tool := range tools {
		all = append(all, allNames(tool)...)
	}
	return all
}

func isList(words []string) bool {
	for _, w := range words {
		if w == "" || strings.Trim(w, letters) != "" {
			return false
		}
	}
	return true
}
