// Package printable shows a text of unknown origin to a person without letting it steer what shows it.
//
//	fmt.Fprintf(os.Stderr, "hook '%s' blocked\n", printable.Escape(name))
//
// Guarantees: the result has no control character, no line end and nothing that is invisible or turns the direction of
// writing; each stands there as the escape that Go and JSON have for it, as \n, \x1b or \u202e. What is shown is what
// Unicode calls graphic: characters that it does not know, or leaves to private use, are escapes too. All else is as it
// was, so a text without such characters is returned unchanged. Bytes that are no UTF-8 become \x escapes.
//
// Non-guarantees: it is no quoting. A backslash stays one backslash, so an escape cannot be told from a name that
// spells it out. Blanks of other widths than the usual one are shown, and so are letters that look like others.
package printable

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Escape returns a text with what a person could not see in it, or a terminal would act on, as escapes.
func Escape(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		char := text[:size]
		if Hidden(r) || r == utf8.RuneError && size == 1 {
			quoted := strconv.QuoteToASCII(char)
			char = quoted[1 : len(quoted)-1]
		}
		b.WriteString(char)
		text = text[size:]
	}
	return b.String()
}

// Hidden reports whether a character steers a terminal, ends a line or is not seen: also those that turn the direction
// of writing, have no width, choose a form of the one before them, or are blank and no space.
func Hidden(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' || r == 0x7f
	}
	return !unicode.IsGraphic(r) || r == '\u2800' ||
		unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// Lines is Escape for a text of several lines. Their ends and tabs stay. Colours, which many programs print, are left
// out.
func Lines(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return Hidden(r) || r == utf8.RuneError }) {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		rest := strings.TrimRight(line, "\r\n")
		end := line[len(rest):]
		for i, cell := range strings.Split(rest, "\t") {
			if i > 0 {
				b.WriteByte('\t')
			}
			b.WriteString(Escape(withoutColours(cell)))
		}
		if end != "" {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// withoutColours returns a text without the sequences that set colours and faces, as \x1b[1;31m.
func withoutColours(text string) string {
	const start = "\x1b["
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, start)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		if text = strings.TrimLeft(rest, "0123456789;:"); !strings.HasPrefix(text, "m") {
			b.WriteString(start)
			text = rest
			continue
		}
		text = text[1:]
	}
}

// JSON returns JSON text, or a part of it, with hidden characters as escapes. It means the same: they can only stand in
// strings.
func JSON(text string) string {
	hidden := func(r rune) bool { return r >= utf8.RuneSelf && Hidden(r) }
	if !strings.ContainsFunc(text, func(r rune) bool { return hidden(r) || r == 0x7f }) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch high, low := utf16.EncodeRune(r); {
		case !hidden(r) && r != 0x7f:
			b.WriteRune(r)
		case high != unicode.ReplacementChar:
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
