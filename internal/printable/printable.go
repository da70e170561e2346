// Package printable shows a text of unknown origin to a person without letting it steer what shows it.
//
//	fmt.Fprintf(os.Stderr, "hook '%s' blocked\n", printable.Escape(name))
//
// Guarantees: the result has no control character, no line end and nothing that is invisible or turns the direction of
// writing; each stands there as the escape that Go and JSON have for it, as \n, \x1b or \u202e. All else is as it was,
// so a text without such characters is returned unchanged. Bytes that are no UTF-8 become \x escapes.
//
// Non-guarantees: it is no quoting. A backslash stays one backslash, so an escape cannot be told from a name that
// spells it out.
package printable

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Escape returns a text with what a person could not see in it, or a terminal would act on, as escapes.
func Escape(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		char := text[:size]
		if hidden(r) || r == utf8.RuneError && size == 1 {
			quoted := strconv.QuoteToASCII(char)
			char = quoted[1 : len(quoted)-1]
		}
		b.WriteString(char)
		text = text[size:]
	}
	return b.String()
}

// hidden reports whether a character steers a terminal, ends a line or is not seen: also those that turn the direction
// of writing, have no width, or are tags.
func hidden(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}
