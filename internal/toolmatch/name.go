package toolmatch

import (
	"slices"
	"strings"
	"unicode"

	"github.com/hookrun/hookrun/internal/fnmatch"
	"github.com/hookrun/hookrun/internal/spelling"
)

// CheckName returns what is odd about the name of a tool that stands alone, as in an "if". ok is false if nothing is.
func CheckName(name string, known []string) (found Finding, ok bool) {
	if slices.Contains(known, name) {
		return found, false
	}
	glob := strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]").Replace(name)
	if meant := otherCase(glob, nil, known); meant != "" {
		return Finding{name, "which differs from " + quote(meant) + " by case alone, and case counts; did you mean " +
			quote(meant) + "?", Never, meant}, true
	}
	what, kind, meant := unknown(name, nil, known)
	return Finding{name, what, kind, meant}, what != ""
}

// unknown describes a glob that matches no known tool, "" if it may match a tool of an MCP server.
func unknown(glob string, whole fnmatch.List, known []string) (what string, kind Kind, meant string) {
	const no = "which is no tool that hookrun knows"
	if MaybeMCP(glob) {
		return "", Unknown, ""
	}
	own := `if a loop has such a tool, write "tools": {` + quote(glob) + ": null}"
	if strings.ContainsAny(glob, "*?[") {
		own = `if a loop has such tools, name one of them, as "tools": {"my_tool": null}`
	}
	switch meant = Slip(glob, known); {
	case meant != "" && whole.Match(meant): // the matcher has the right name, and another one to make sure
		return "", Unknown, ""
	case meant != "":
		return no + "; did you mean " + quote(meant) + "? " + strings.ToUpper(own[:1]) + own[1:], Never, meant
	}
	return no + "; " + own, Unknown, ""
}

// MaybeMCP reports whether a glob may match a tool of an MCP server: mcp__SERVER__TOOL, and what other clients make of
// it. Most of those have a character or two that no tool of a client has.
func MaybeMCP(glob string) bool {
	text := sets().ReplaceAllString(glob, "?")
	if strings.Contains(text, "__") || strings.ContainsAny(text, ":/@.") {
		return true
	}
	literal, _, isOpen := strings.Cut(text, "*")
	const prefix = "mcp_"
	for i := range min(len(literal), len(prefix)) {
		if literal[i] != prefix[i] && literal[i] != '?' {
			return false
		}
	}
	return isOpen || len(literal) >= len(prefix)
}

// shortest is the number of letters in the shortest name of which one with a letter more or less is a slip.
const shortest = 4

// Slip returns the known name that somebody meant who wrote another one: with one letter too many, too few, wrong or in
// the place of its neighbour, in other case, as a plural, or without a _. It returns "" if there is none. Of a glob that
// ends in * it is the beginning of a known name.
func Slip(name string, known []string) string {
	literal, isPrefix := strings.CutSuffix(name, "*")
	if strings.ContainsAny(literal, "*?[") || len(literal) > 100 {
		return ""
	}
	for _, k := range known {
		if !isPrefix {
			if isSlip(name, k) {
				return k
			}
			continue
		}
		for n := max(shortest, len(literal)-1); n <= min(len(k), len(literal)+1); n++ {
			if isSlip(literal, k[:n]) {
				return k[:n] + "*"
			}
		}
	}
	return ""
}

// isSlip reports whether a name is a known one with a slip. A loop's own tools are called lint, exit or kill, beside
// list, edit and skill: people rarely miss the first letter of a word, and in a word of four letters another letter or
// one more makes another word.
func isSlip(name, known string) bool {
	a, b := strings.ToLower(name), strings.ToLower(known)
	switch {
	case len(b) < shortest:
		return false
	case plain(a) == plain(b), a == b+"s", a == b+"es":
		return true
	case a+"s" == b, spelling.Distance(a, b) != 1: // run_command is a tool, beside run_commands
		return false
	}
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	if len(a) == len(b) && a[i+1:] != b[i+1:] { // two letters in each other's place
		return true
	}
	start, end := i, i
	for start > 0 && !beginsWord(known, start) {
		start--
	}
	for end < len(known) && !(end > i && beginsWord(known, end)) {
		end++
	}
	isLong := end-start > shortest
	switch {
	case i == start:
		return false
	case len(a) == len(b):
		return isLong
	case len(a) > len(b): // bash2 is another version, and plain a word of its own beside plan
		return a[i] == a[i-1] || isLong && !unicode.IsDigit(rune(a[i]))
	}
	return true
}

// beginsWord reports whether a word of a name begins there: behind _ or -, or at a capital.
func beginsWord(name string, i int) bool {
	return i < len(name) && (strings.IndexByte("_-", name[i-1]) >= 0 ||
		unicode.IsUpper(rune(name[i])) && !unicode.IsUpper(rune(name[i-1])))
}

func plain(name string) string { return strings.NewReplacer("_", "", "-", "").Replace(name) }
