package spelling

import (
	"strconv"
	"strings"

	"github.com/hookrun/hookrun/internal/printable"
)

// Suggest returns `; did you mean "x"?` for the words that Near finds, "" if it finds none.
func Suggest(wrong string, words []string) string {
	close := Near(wrong, words)
	if len(close) == 0 {
		return ""
	}
	for i, w := range close {
		close[i] = strconv.Quote(w)
	}
	return "; did you mean " + strings.Join(close, " or ") + "?"
}

// Hint says what may have been meant; where nothing comes close, what there is.
func Hint(wrong string, known []string) string {
	if s := Suggest(wrong, known); s != "" {
		return s
	}
	return "; known are " + strings.Join(known, ", ")
}

// Quote quotes a text of a file for a message, cut where it is long. People read messages, and a hundred thousand
// problems of one hook would else repeat its name of half a megabyte.
func Quote(s string) string { return printable.Escape(strconv.Quote(Brief(s, 80))) }

// Or joins words, at least one: "a, b or c".
func Or(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
