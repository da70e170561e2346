package spelling

import (
	"strconv"
	"strings"

	"github.com/hookrun/hookrun/internal/lib/printable"
)

// Suggest returns `; did you mean "x"?` with the words of Near, or "" if no word is close.
func Suggest(wrong string, words []string) string {
	close := Near(wrong, words)
	if len(close) == 0 { // a part of a known word, as the rule of git/no-force-push, or more than one, as claude-code
		for _, w := range words {
			if strings.HasSuffix(w, "/"+wrong) || strings.HasPrefix(wrong, w+"-") {
				close = append(close, w)
			}
		}
	}
	if len(close) == 0 {
		return ""
	}
	for i, w := range close {
		close[i] = strconv.Quote(w)
	}
	return "; did you mean " + strings.Join(close, " or ") + "?"
}

// Hint returns the suggestion of Suggest, or the list of all known words if no word is close.
func Hint(wrong string, known []string) string {
	if s := Suggest(wrong, known); s != "" {
		return s
	}
	return "; known are " + strings.Join(known, ", ")
}

// Quote quotes a text of a file for a message, cut to 80 bytes. Otherwise a hundred thousand problems of one hook could
// repeat a name of half a megabyte.
func Quote(s string) string { return printable.Escape(strconv.Quote(Brief(s, 80))) }

// Or joins at least one word: "a, b or c".
func Or(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
