package hookimport

import (
	"regexp"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/jsregexp"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

// addCommandRegex turns the commandRegex into a condition of the entry, and reports whether the hook can ever run.
func (g *handler) addCommandRegex() bool {
	text, tool := g.entry.From.Line.String(), g.entry.Pattern.Only
	re, err := regexp.Compile(text)
	_, invalid := jsregexp.Compile(text)
	switch {
	case g.hook.Dialect.SubjectField(g.entry.Event) != "tool_name" || !g.hook.Matcher.Match(tool):
		return g.leaveOut("its commandRegex is for %s alone, and the group is for other calls, so it never runs", tool)
	case invalid != nil:
		return g.leaveOut("its commandRegex %s is no regular expression, so it never runs", brief(text))
	case err != nil || !isSameInGo(text):
		g.item(Wider, g.entry.From.Group+".commandRegex", g.doc.At(g.entry.From.Line.Index),
			"the commandRegex %s uses JavaScript that RE2 cannot express, so the entry is for every command",
			brief(text))
	default:
		g.when = append(g.when, `{"path": "args.command", "matches": `+
			string(strictjson.AppendString(nil, re.String()))+`}`)
		g.item(Changed, g.entry.From.Group+".commandRegex", g.doc.At(g.entry.From.Line.Index),
			`the commandRegex is a condition in "when" here`)
	}
	return true
}

// mayOverlap reports whether a tool may match both matchers. Only two matchers that are lists of names can be apart.
func mayOverlap(a, b hook.Matcher) bool {
	if a == nil || b == nil || strings.Trim(a.String()+b.String(), letters+"|") != "" {
		return true
	}
	for name := range strings.SplitSeq(a.String(), "|") {
		if b.Match(name) {
			return true
		}
	}
	return a.String() == "" || slices.ContainsFunc(clients.All().AliasedTools(), func(name string) bool {
		return a.Match(name) && b.Match(name)
	})
}

// isSameInGo reports whether Go and JavaScript read an expression, valid in both, in the same way. It does not count
// differences at line ends and characters outside ASCII in the matched text.
func isSameInGo(text string) bool {
	inside := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c >= 0x80:
			return false
		case c == '\\':
			i++
			// Only these escaped letters mean the same in both. A digit is a reference or an octal number.
			if i == len(text) || strings.IndexByte(letters, text[i]) >= 0 &&
				(strings.IndexByte("dDwWbB", text[i]) < 0 || inside && strings.IndexByte("bB", text[i]) >= 0) {
				return false
			}
		case inside:
			inside = c != ']'
			if c == '[' { // Go may read a class name such as [:alpha:]
				return false
			}
		case c == '[':
			inside = true
			if rest := strings.TrimPrefix(text[i+1:], "^"); strings.HasPrefix(rest, "]") {
				return false // Go: a bracket in the class; JavaScript: an empty class
			}
		case c == '(' && strings.HasPrefix(text[i+1:], "?") && !strings.HasPrefix(text[i+1:], "?:"):
			return false
		case c == '{' && strings.HasPrefix(text[i+1:], ","): // Go: {0,n}, by version
			return false
		}
	}
	return true
}
