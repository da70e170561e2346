// Package printable escapes text of unknown origin, so the text cannot steer a terminal or mislead a person.
//
//	fmt.Fprintf(os.Stderr, "hook '%s' blocked\n", printable.Escape(name))
//
// Guarantees: the result has no control characters, line ends, invisible characters or characters that change the
// direction of writing. Each of them becomes an escape of Go, such as \n, \x1b or \u202e. Only characters that Unicode
// calls graphic are shown; unassigned and private-use characters become escapes too. All other text stays unchanged.
// Invalid UTF-8 bytes become \x escapes.
//
// Non-guarantees: the result is not quoted. A backslash stays one backslash, so an escape looks the same as a name with
// these letters. Blanks of unusual width are shown, and so are letters that look like other letters.
package printable

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/hookrun/hookrun/internal/lib/lazy"
)

// Escape returns the text with escapes for hidden characters and for invalid bytes.
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

// Hidden reports whether a character steers a terminal, ends a line or is invisible: turns the direction of writing,
// has no width, chooses a variant of the character before, or is blank and no space.
func Hidden(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' || r == 0x7f
	}
	return !unicode.IsGraphic(r) || r == '\u2800' ||
		unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// Sprintf is fmt.Sprintf with Escape for each argument. The verbs must be %s or %v.
func Sprintf(format string, args ...any) string {
	for i, a := range args {
		args[i] = Escape(fmt.Sprint(a))
	}
	return fmt.Sprintf(format, args...)
}

var manyBlanks = lazy.Regexp{Text: `[\s\v\x{85}\pZ]{101,}`}

// Fold is Escape for a line that a person must judge. Tabs stay. Runs of over 100 blanks, and the middle of a line of
// over 8,000 bytes, become a mark with their length. whole: the result has all but blanks.
func Fold(line string) (folded string, whole bool) {
	const longest, ends = 8000, 2000
	line = manyBlanks.Get().ReplaceAllStringFunc(line, func(run string) string {
		return fmt.Sprintf("[… %d blanks …]", utf8.RuneCountInString(run))
	})
	if whole = len(line) <= longest; !whole {
		const text = "%s[… %d bytes left out …]%s"
		line = fmt.Sprintf(text, line[:ends], len(line)-2*ends, line[len(line)-ends:])
	}
	cells := strings.Split(line, "\t")
	for i := range cells {
		cells[i] = Escape(cells[i])
	}
	return strings.Join(cells, "\t"), whole
}

// Lines is Escape for a text of several lines. Line ends become \n, and tabs stay. Colours, which many programs print,
// are removed.
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

// withoutColours returns a text without the sequences for colours and faces, such as \x1b[1;31m.
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

// JSON returns JSON text, or a part of it, with escapes for hidden characters. The meaning is the same, because these
// characters can only be in strings.
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
