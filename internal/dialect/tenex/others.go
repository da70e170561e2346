package tenex

import (
	"strings"

	"github.com/hookrun/hookrun/internal/strictjson"
)

// Hooks run other programs and print what these say: compilers, linters and tests, whose output is often JSON. It is
// text as long as nothing in it is an answer.

// isOutputOfOthers reports whether a text that begins with a brace is more than one JSON value: values behind each
// other or on lines of their own, with lines of text between them, or one that has a key twice. Each value is whole.
// The empty object is an answer, so it is none of these values. cut: something is left out in the middle, so only the
// first value is looked at.
func isOutputOfOthers(text string, cut bool) bool {
	for first := true; text != ""; first = false {
		end := 0
		if text[0] != '{' {
			if end = strings.IndexAny(text, "\n\r"); end < 0 {
				return true
			}
		} else if end = strictjson.EndOfFirst(text, strictjson.MaxDepth); end == 0 {
			return false
		} else if strings.TrimSpace(text[1:end-1]) == "" {
			return false
		}
		rest := text[end:]
		switch {
		case first && rest == "":
			return strictjson.Check(text, strictjson.MaxDepth) != nil
		case first && !strings.ContainsAny(rest[:1], " \t\r\n{"):
			return false
		case cut:
			return true
		}
		text = strings.TrimSpace(rest)
	}
	return true
}
