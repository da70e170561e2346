package toml

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// text reads a string of any of the four kinds.
func (p *parser) text() string {
	start := p.at
	quote := p.doc[p.at : p.at+1]
	lines := p.has(strings.Repeat(quote, 3))
	if lines {
		quote = strings.Repeat(quote, 3)
	}
	p.at += len(quote)
	if lines {
		p.at += p.newline()
	}
	var b strings.Builder
	for {
		switch {
		case p.at >= len(p.doc):
			p.fail(start, "a string that is never closed")
		case p.has(quote):
			p.at += len(quote)
			for n := 0; lines && n < 2 && p.has(quote[:1]); n++ { // of five quotes the first two are the string's
				b.WriteByte(quote[0])
				p.at++
			}
			return b.String()
		case p.newline() > 0 && lines:
			p.at += p.newline()
			b.WriteByte('\n')
		case p.newline() > 0:
			p.fail(start, "a string that is not closed on its line; for several lines write three quotes")
		case p.doc[p.at] == '\\' && quote[0] == '"':
			p.escape(&b, lines)
		case isControl(p.doc[p.at]):
			p.fail(p.at, "a string has the control character %q; escape it", p.doc[p.at])
		default:
			b.WriteByte(p.doc[p.at])
			p.at++
		}
	}
}

// escapes are the characters that stand behind a backslash, and what they mean.
const escapes, escaped = `btnfr"\`, "\b\t\n\f\r\"\\"

// escape reads a backslash and what belongs to it.
func (p *parser) escape(b *strings.Builder, lines bool) {
	start := p.at
	p.at++
	if lines { // at the end of a line it takes away the white space up to the next word
		here := p.at
		p.space()
		if p.newline() > 0 {
			for n := p.newline(); n > 0; n = p.newline() {
				p.at += n
				p.space()
			}
			return
		}
		p.at = here
	}
	if p.at >= len(p.doc) {
		return // the string is never closed
	}
	c := p.doc[p.at]
	p.at++
	if i := strings.IndexByte(escapes, c); i >= 0 {
		b.WriteByte(escaped[i])
		return
	}
	digits := 0
	switch c {
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	default:
		p.at--
		p.fail(start, "no such escape: \\ and %s", p.found())
	}
	hex := p.doc[p.at:min(p.at+digits, len(p.doc))]
	r, err := strconv.ParseUint(hex, 16, 32)
	if err != nil || len(hex) < digits || r > utf8.MaxRune || !utf8.ValidRune(rune(r)) {
		p.fail(start, "\\%c needs %d hexadecimal digits of a character", c, digits)
	}
	b.WriteRune(rune(r))
	p.at += digits
}

// plain reads a value without quotes.
func (p *parser) plain(v *Value) {
	start := p.at
	p.word()
	text := p.doc[start:p.at]
	if len(text) == len(time.DateOnly) && p.has(" ") && p.at+3 < len(p.doc) && p.doc[p.at+3] == ':' { // a date, a blank, and a time
		p.at++
		p.word()
		text = p.doc[start:p.at]
	}
	number, isNumber := number(text)
	switch {
	case text == "":
		p.fail(start, "expected a value, not %s", p.found())
	case text == "true", text == "false":
		v.Kind, v.Text = Bool, text
	case isNumber:
		v.Kind, v.Text = Number, number
	case isTime(text), strings.TrimLeft(text, "+-") == "inf" && len(text) < 5, strings.TrimLeft(text, "+-") == "nan" && len(text) < 5:
		v.Kind, v.Text = Other, text
	default:
		p.fail(start, "%s is no value; a string needs quotes", strconv.Quote(text))
	}
}

// word skips what values without quotes are made of.
func (p *parser) word() {
	for p.at < len(p.doc) && (isBare(p.doc[p.at]) || strings.IndexByte("+.:", p.doc[p.at]) >= 0) {
		p.at++
	}
}

// number returns an integer or a float as JSON has it.
func number(text string) (json string, ok bool) {
	plain, ok := withoutUnderscores(text)
	if !ok {
		return "", false
	}
	for i, prefix := range []string{"0x", "0o", "0b"} {
		if digits, is := strings.CutPrefix(plain, prefix); is {
			n, err := strconv.ParseInt(digits, []int{16, 8, 2}[i], 64)
			return strconv.FormatInt(n, 10), err == nil && !strings.ContainsAny(digits, "+-")
		}
	}
	plain = strings.TrimPrefix(plain, "+")
	rest, some := digitsOf(strings.TrimPrefix(plain, "-"))
	if !some || plain != text && strings.HasPrefix(text, "+-") {
		return "", false
	}
	whole := strings.TrimPrefix(plain[:len(plain)-len(rest)], "-")
	if len(whole) > 1 && whole[0] == '0' {
		return "", false
	}
	if rest == "" {
		_, err := strconv.ParseInt(plain, 10, 64)
		return plain, err == nil
	}
	if fraction, is := strings.CutPrefix(rest, "."); is {
		if rest, some = digitsOf(fraction); !some {
			return "", false
		}
	}
	if rest != "" && (rest[0] == 'e' || rest[0] == 'E') {
		rest = rest[1:]
		if rest != "" && (rest[0] == '+' || rest[0] == '-') {
			rest = rest[1:]
		}
		if rest, some = digitsOf(rest); !some {
			return "", false
		}
	}
	return plain, rest == ""
}

// digitsOf returns what stands behind the digits that a text begins with, and whether there are some.
func digitsOf(text string) (rest string, some bool) {
	rest = strings.TrimLeft(text, "0123456789")
	return rest, len(rest) < len(text)
}

// withoutUnderscores takes out those between two digits. Others make no number.
func withoutUnderscores(text string) (plain string, ok bool) {
	if !strings.Contains(text, "_") {
		return text, true
	}
	for i := range len(text) {
		if text[i] == '_' && (i == 0 || i == len(text)-1 || !isDigit(text[i-1], text) || !isDigit(text[i+1], text)) {
			return "", false
		}
	}
	return strings.ReplaceAll(text, "_", ""), true
}

func isDigit(c byte, text string) bool {
	if strings.HasPrefix(text, "0x") {
		return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
	}
	return '0' <= c && c <= '9'
}

// isTime reports whether a text is a date, a time, or both.
func isTime(text string) bool {
	if len(text) < len("00:00:00") || strings.ContainsAny(text, ",_") {
		return false
	}
	upper := strings.ToUpper(text)
	if len(upper) > len(time.DateOnly) && upper[len(time.DateOnly)] == ' ' {
		upper = upper[:len(time.DateOnly)] + "T" + upper[len(time.DateOnly)+1:]
	}
	for _, layout := range []string{time.DateOnly, "15:04:05", "2006-01-02T15:04:05", time.RFC3339} {
		if _, err := time.Parse(layout, upper); err == nil {
			return len(upper) >= len(layout)-len("00:00") && !strings.HasSuffix(upper, ".") && twoDigits(upper)
		}
	}
	return false
}

// twoDigits reports whether the hour of a time has them, since package time takes one as well.
func twoDigits(text string) bool {
	_, clock, both := strings.Cut(text, "T")
	if !both {
		clock = text
	}
	return len(clock) > 2 && (clock[2] == ':' || !both && clock[4] == '-')
}
