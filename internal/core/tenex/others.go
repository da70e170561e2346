package tenex

import (
	"strings"

	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

// Hooks print the output of other programs, such as compilers, linters and tests, which is often JSON. This output is
// text as long as no part of it is an answer.

// isOutputOfOthers reports whether a text that begins with a brace is more than one JSON value: values in sequence or
// on lines of their own, with lines of text between them, or a value with a key twice. Each value is whole. The empty
// object does not count as such a value, because it is an answer. cut means that the middle of the text is missing, so
// only the first value is checked.
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
