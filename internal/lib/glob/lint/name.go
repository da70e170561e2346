package lint

import (
	"slices"
	"strings"
	"unicode"

	"github.com/hookrun/hookrun/internal/lib/glob"
)

// CheckName returns a finding about a tool's name outside of a matcher, as in an "if". ok is false if the name is fine.
func CheckName(name string, known []string) (found Finding, ok bool) {
	if slices.Contains(known, name) {
		return found, false
	}
	glob := strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]").Replace(name)
	if meant := otherCase(glob, nil, known); meant != "" {
		return Finding{name, "which differs from " + quote(meant) + " by case alone, and case counts; did you mean " +
			quote(meant) + "?", Never, meant}, true
	}
	if tools := ToolsOfServer(name); tools != "" {
		const text = `which names an MCP server and none of its tools; use "matcher": `
		return Finding{Glob: name, Text: text + quote(tools), Kind: Never}, true
	}
	found = unknownTool(name, nil, known)
	found.Glob = name
	return found, found.Text != ""
}

// unknownTool describes a glob that matches no known tool. It returns a Finding without a text if the glob may match a
// tool of an MCP server.
func unknownTool(glob string, whole glob.List, known []string) Finding {
	const no = "which is no tool that hookrun knows"
	if tools := ToolsOfServer(glob); tools != "" {
		const text = "which names an MCP server and none of its tools; did you mean "
		return Finding{Text: text + quote(tools) + "?", Kind: Never, Meant: tools}
	}
	if MaybeMCP(glob) {
		return Finding{}
	}
	own := `if a loop has such a tool, write "tools": {` + quote(glob) + ": null}"
	if strings.ContainsAny(glob, "*?[") {
		own = `if a loop has such tools, name one of them, as "tools": {"my_tool": null}`
	}
	switch meant := Slip(glob, known); {
	case meant != "" && whole.Match(meant): // the matcher also has the right name
		return Finding{}
	case meant != "":
		text := no + "; did you mean " + quote(meant) + "? " + strings.ToUpper(own[:1]) + own[1:]
		return Finding{Text: text, Kind: Never, Meant: meant}
	}
	return Finding{Text: no + "; " + own}
}

// ToolsOfServer returns the glob for the tools of an MCP server if a name is the server's, which no tool has:
// mcp__github or mcp_github. Otherwise it returns "".
func ToolsOfServer(name string) string {
	server, isMCP := strings.CutPrefix(name, "mcp_")
	server = strings.Trim(server, "_")
	isTwo := strings.HasPrefix(name, "mcp__")
	if !isMCP || server == "" || strings.Trim(server, serverChars) != "" || strings.Contains(server, "__") ||
		!isTwo && strings.Contains(server, "_") {
		return ""
	}
	return "mcp__" + server + "__*"
}

const serverChars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

// MaybeMCP reports whether a glob may match a tool of an MCP server: mcp__SERVER__TOOL, or a form of other clients.
// Most forms have a character or two that no tool of a client has.
func MaybeMCP(glob string) bool {
	text := sets.Get().ReplaceAllString(glob, "?")
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

// shortest is the length of the shortest known name that Slip returns.
const shortest = 4

// Slip returns the known name that the author of a misspelt name probably meant, or "". A slip is a letter too many,
// too few, wrong or swapped with its neighbour, another case, a plural, or a missing _. For a glob that ends in *, Slip
// returns the beginning of a known name, and a *.
func Slip(name string, known []string) string {
	literal, isPrefix := strings.CutSuffix(name, "*")
	if literal == "" || strings.ContainsAny(literal, "*?[") || len(literal) > 100 {
		return ""
	}
	lower := strings.ToLower(literal)
	first := lower[0] | ' '
	for _, k := range known {
		// Skip most known names by their first letter, because a file can have a hundred thousand names.
		if len(k) < shortest || first != k[0]|' ' && first != k[1]|' ' {
			continue
		}
		if !isPrefix {
			if sameLetters(literal, k) || isSlip(lower, k) {
				return k
			}
			continue
		}
		for n := max(shortest, len(lower)-1); n <= min(len(k), len(lower)+1); n++ {
			if isSlip(lower, k[:n]) {
				return k[:n] + "*"
			}
		}
	}
	return ""
}

// isSlip reports whether a name in lower case is a known name with a slip. A loop may have tools called lint, exit or
// kill, beside list, edit and skill. So another first letter of a word is no slip, because people rarely miss the first
// letter. A wrong or extra letter in a word of four letters is no slip either, because it makes another word.
func isSlip(a, known string) bool {
	if len(a) > 2*len(known) || len(known) > 2*len(a) {
		return false
	}
	b := strings.ToLower(known)
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	restA, restB := a[i:], b[i:]
	switch {
	case restA == restB, restB == "" && (restA == "s" || restA == "es"):
		return true
	case i == 0 || beginsWord(known, i):
		return isSwap(restA, restB)
	case restB != "" && restA == restB[1:]: // one letter too few; but run_command is a tool, beside run_commands
		return restB != "s"
	case restA != "" && restA[1:] == restB: // one letter too many; but bash2 is another version of bash
		return restA[0] == a[i-1] || isLong(known, i) && !unicode.IsDigit(rune(restA[0]))
	case restA == "" || restB == "":
		return false
	case restA[1:] == restB[1:]: // one wrong letter
		return isLong(known, i)
	}
	return isSwap(restA, restB)
}

// isSwap reports whether two texts differ only by the order of their first two letters.
func isSwap(a, b string) bool {
	return len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] && a[2:] == b[2:]
}

// sameLetters reports whether two names are equal without _ and -. Case counts: fetch_url is a tool, beside FetchUrl.
func sameLetters(a, b string) bool {
	const separators = "_-"
	for {
		a, b = strings.TrimLeft(a, separators), strings.TrimLeft(b, separators)
		if a == "" || b == "" || a[0] != b[0] {
			return a == b
		}
		a, b = a[1:], b[1:]
	}
}

// isLong reports whether the word around index i of a name, or the word before i, has more than four letters.
func isLong(name string, i int) bool {
	start, end := i, i
	for start > 0 && !beginsWord(name, start) {
		start--
	}
	for end < len(name) && !(end > i && beginsWord(name, end)) {
		end++
	}
	return end-start > shortest
}

// beginsWord reports whether a word of a name begins at i: behind _ or -, or at a capital.
func beginsWord(name string, i int) bool {
	return 0 < i && i < len(name) && (strings.IndexByte("_-", name[i-1]) >= 0 ||
		unicode.IsUpper(rune(name[i])) && !unicode.IsUpper(rune(name[i-1])))
}
