// Package printable shows a text of unknown origin to a person without letting it steer what shows it.
//
//	fmt.Fprintf(os.Stderr, "hook '%s' blocked\n", printable.Escape(name))
//
// Guarantees: the result has no control character, no line end and nothing that is invisible or turns the direction of writing;
// each stands there as the escape that Go and JSON have for it, as \n, \x1b or \u202e. All else is as it was, so a text without
// such characters is returned unchanged. Bytes that are no UTF-8 become \x escapes.
//
// Non-guarantees: it is no quoting. A backslash stays one backslash, so an escape cannot be told from a name that spells it out.
package printable

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Escape returns a text with what a person could not see in it, or a terminal would act on, as escapes.
func Escape(text string) string {
	if utf8.ValidString(text) && strings.IndexFunc(text, hidden) < 0 {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], string(utf8.RuneError)):
			b.WriteString(escaped(text[i : i+1]))
		case hidden(r):
			b.WriteString(escaped(string(r)))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// escaped is one character as strconv.Quote has it, without the quotes.
func escaped(char string) string {
	quoted := strconv.QuoteToASCII(char)
	return quoted[1 : len(quoted)-1]
}

// hidden reports whether a character steers a terminal, ends a line or is not seen: also those that turn the direction of writing,
// have no width, or are tags.
func hidden(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}
