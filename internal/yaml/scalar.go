package yaml

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// plainBegins says whether a text without quotes may begin at an offset.
func (p *parser) plainBegins(i int, flow bool) bool {
	switch c := p.byteAt(i); c {
	case '-':
		return !p.blank(i + 1)
	case '?', ':':
		return !flow && !p.blank(i+1)
	case ',', '[', ']', '{', '}', '#', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`':
		return false
	}
	return !p.blank(i)
}

// plain reads a text without quotes. It goes on in lines that are indented by more than indent, in brackets in any line; a comment
// ends it.
func (p *parser) plain(indent int, flow bool) string {
	var text strings.Builder // once there is more than one line
	first := p.plainLine(flow)
	for {
		at, line, breaks := p.at, p.line, 0
		for p.lineEnd() {
			breaks++
			for p.peek() == ' ' {
				p.at++
			}
		}
		more := ""
		if breaks > 0 && !p.end() && !p.anyMarker() && p.peek() != '\t' && p.peek() != '#' && (flow || p.column() > indent) {
			more = p.plainLine(flow)
		}
		if more == "" {
			p.at, p.line = at, line
			break
		}
		if text.Len() == 0 {
			text.WriteString(first)
		}
		fold(&text, breaks)
		text.WriteString(more)
	}
	if text.Len() == 0 {
		return first
	}
	return text.String()
}

// fold writes what line ends within a text stand for: one a blank, several all but the first.
func fold(text *strings.Builder, breaks int) {
	if breaks == 1 {
		text.WriteByte(' ')
	}
	for ; breaks > 1; breaks-- {
		text.WriteByte('\n')
	}
}

// plainLine reads the rest of a line as far as it is text, and the blanks behind it.
func (p *parser) plainLine(flow bool) string {
	from, end := p.at, p.at
	for {
		switch c := p.peek(); c {
		case 0, '\n', '\r':
			return p.doc[from:end]
		case ' ', '\t':
			p.at++
			continue
		case '#':
			if p.at > end {
				return p.doc[from:end]
			}
		case ':':
			if p.blank(p.at + 1) {
				return p.doc[from:end]
			}
			switch p.byteAt(p.at + 1) {
			case ',', '[', ']', '{', '}':
				if flow { // the end of a key to PyYAML, text to others
					p.fail(p.at, "a colon before %c; put a blank between them or the text in quotes", p.doc[p.at+1])
				}
			}
		case ',', '[', ']', '{', '}':
			if flow {
				return p.doc[from:end]
			}
		case '?':
			if flow {
				p.fail(p.at, "a text with a ? needs quotes within brackets")
			}
		}
		p.at++
		end = p.at
	}
}

// quoted reads a text in quotes, which may go on in any line.
func (p *parser) quoted() string {
	opened, quote := p.at, p.doc[p.at]
	p.at++
	if end := p.quoteEnd(opened); end > 0 && strings.IndexByte(p.doc[p.at:end-1], '\\') < 0 && strings.IndexByte(p.doc[p.at:end-1], quote) < 0 {
		text := p.doc[p.at : end-1]
		p.at = end
		return text
	}
	var text strings.Builder
	for {
		switch c := p.peek(); {
		case p.end():
			p.fail(opened, "this quote has no end")
		case p.anyMarker():
			p.fail(p.at, "the document ends within quotes")
		case c == quote && quote == '\'' && p.byteAt(p.at+1) == quote:
			text.WriteByte(quote)
			p.at += 2
		case c == quote:
			p.at++
			return text.String()
		case c == '\\' && quote == '"':
			p.escape(&text)
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			from := p.at
			p.blanks()
			if blanks := p.doc[from:p.at]; !p.lineEnd() {
				text.WriteString(blanks)
				continue
			}
			fold(&text, 1+p.emptyLines())
		default:
			text.WriteByte(c)
			p.at++
		}
	}
}

// emptyLines reads lines of blanks, and the blanks that the next line begins with.
func (p *parser) emptyLines() (n int) {
	for p.blanks(); p.lineEnd(); p.blanks() {
		n++
	}
	return n
}

func (p *parser) escape(text *strings.Builder) {
	at := p.at
	c := p.byteAt(at + 1)
	if p.at++; p.lineEnd() { // a line end that is not there; the empty lines behind it are
		for n := p.emptyLines(); n > 0; n-- {
			text.WriteByte('\n')
		}
		return
	}
	p.at++
	digits := 0
	switch c {
	case '0':
		text.WriteByte(0)
	case 'a':
		text.WriteByte('\a')
	case 'b':
		text.WriteByte('\b')
	case 't', '\t':
		text.WriteByte('\t')
	case 'n':
		text.WriteByte('\n')
	case 'v':
		text.WriteByte('\v')
	case 'f':
		text.WriteByte('\f')
	case 'r':
		text.WriteByte('\r')
	case 'e':
		text.WriteByte(0x1b)
	case ' ', '"', '/', '\\':
		text.WriteByte(c)
	case 'N':
		text.WriteRune('\u0085')
	case '_':
		text.WriteRune('\u00a0')
	case 'L':
		text.WriteRune('\u2028')
	case 'P':
		text.WriteRune('\u2029')
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	default:
		p.fail(at, "an escape that YAML does not have; write \\\\ for a backslash, or use single quotes")
	}
	if digits == 0 {
		return
	}
	number := p.doc[p.at:min(p.at+digits, len(p.doc))]
	value, err := strconv.ParseUint(number, 16, 32)
	if err != nil || len(number) < digits {
		p.fail(at, "%d hexadecimal digits must follow \\%c", digits, c)
	}
	if value > utf8.MaxRune || !utf8.ValidRune(rune(value)) {
		p.fail(at, "\\%c%s is no character; write one of two halves as \\U and eight digits", c, number)
	}
	text.WriteRune(rune(value))
	p.at += digits
}

// blockScalar reads | and > with the lines below that are indented by more than indent.
func (p *parser) blockScalar(indent int) string {
	at, folded := p.at, p.peek() == '>'
	p.at++
	chomp, inner := byte(0), 0
	for range 2 {
		switch c := p.peek(); {
		case (c == '+' || c == '-') && chomp == 0:
			chomp = c
			p.at++
		case '1' <= c && c <= '9' && inner == 0:
			inner = max(indent, 0) + int(c-'0')
			p.at++
		}
	}
	if !p.blank(p.at) {
		p.fail(at, "behind %c only + or - and a digit may stand, then a comment behind a blank; a text needs quotes", p.doc[at])
	}
	p.endOfLine()
	p.restOfLine()
	p.lineEnd()

	var text strings.Builder
	var ends int         // line ends that were read and not yet written
	began := false       // there was a line with text
	flush := false       // the line before began with text, not with a blank
	widest, wide := 0, 0 // of the empty lines at the beginning
	for {
		start := p.at
		for p.peek() == ' ' && (inner == 0 || p.column() < inner) {
			p.at++
		}
		if p.peek() == '\t' && (inner == 0 || p.column() < inner) {
			p.fail(p.at, "a tab that indents; use blanks")
		}
		if c := p.peek(); c == '\n' || c == '\r' {
			if p.column() > widest {
				widest, wide = p.column(), p.at
			}
			p.lineEnd()
			ends++
			continue
		}
		if inner == 0 && !p.end() {
			if p.column() < max(indent+1, 1) {
				p.at = start
				break
			}
			if inner = p.column(); widest > inner { // libyaml takes it for the indentation
				p.fail(wide, "an empty line that is indented by more than the text; remove its blanks")
			}
		}
		if p.end() || p.column() < inner {
			p.at = start
			break
		}
		blank := p.peek() == ' ' || p.peek() == '\t'
		switch {
		case folded && began && flush && !blank:
			fold(&text, ends)
		default:
			for ; ends > 0; ends-- {
				text.WriteByte('\n')
			}
		}
		began, flush, ends = true, !blank, 0
		from := p.at
		p.restOfLine()
		text.WriteString(p.doc[from:p.at])
		if p.lineEnd() {
			ends = 1
		}
	}
	// The last line end stays, unless there is a -; those of the empty lines go, unless there is a +.
	switch {
	case chomp == '-' || chomp == 0 && !began:
		ends = 0
	case chomp == 0:
		ends = min(ends, 1)
	}
	for ; ends > 0; ends-- {
		text.WriteByte('\n')
	}
	return text.String()
}
