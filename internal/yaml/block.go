package yaml

import (
	"strings"
	"unicode/utf8"
)

func (p *parser) end() bool { return p.at >= len(p.doc) }

// peek is the next byte, 0 at the end: characters lets no NUL through.
func (p *parser) peek() byte { return p.byteAt(p.at) }

func (p *parser) byteAt(i int) byte {
	if i >= len(p.doc) {
		return 0
	}
	return p.doc[i]
}

// blank says whether white space, a line end or the end stands at an offset: only before them are : - ? indicators.
func (p *parser) blank(i int) bool {
	switch p.byteAt(i) {
	case ' ', '\t', '\n', '\r', 0:
		return true
	}
	return false
}

func (p *parser) column() int { return p.at - p.line }

func (p *parser) dash() bool { return p.peek() == '-' && p.blank(p.at+1) }

// marker says whether --- or ... stands here, which end a document whatever is open.
func (p *parser) marker(is string) bool {
	return p.at == p.line && strings.HasPrefix(p.doc[p.at:], is) && p.blank(p.at+len(is))
}

func (p *parser) anyMarker() bool { return p.marker("---") || p.marker("...") }

// lineEnd reads a line end: LF, CR LF, or CR alone.
func (p *parser) lineEnd() bool {
	switch p.peek() {
	case '\r':
		if p.at++; p.peek() == '\n' {
			p.at++
		}
	case '\n':
		p.at++
	default:
		return false
	}
	p.line = p.at
	return true
}

func (p *parser) restOfLine() {
	for !p.end() && p.doc[p.at] != '\n' && p.doc[p.at] != '\r' {
		p.at++
	}
}

func (p *parser) blanks() {
	for p.peek() == ' ' || p.peek() == '\t' {
		p.at++
	}
}

// gap reads white space, line ends and comments, and says whether what follows is the first in its line.
func (p *parser) gap() (first bool) {
	for {
		if p.at == p.line {
			first = true
			for p.peek() == ' ' {
				p.at++
			}
			if p.peek() == '\t' { // as wide as everybody likes
				p.fail(p.at, "a tab that indents; use blanks")
			}
		}
		p.blanks()
		if p.peek() == '#' && (p.at == p.line || p.blank(p.at-1)) {
			p.restOfLine()
		}
		if !p.lineEnd() {
			return first
		}
	}
}

// endOfLine sees to it that behind a value of a block nothing but a comment stands in its line.
func (p *parser) endOfLine() {
	p.blanks()
	switch c := p.peek(); {
	case c == 0, c == '\n', c == '\r', c == '#' && p.blank(p.at-1):
	case c == ':':
		p.fail(p.at, "a colon where none may stand; a key is one word in one line, a text with a colon and a blank needs quotes")
	case c == '#':
		p.fail(p.at, "a comment needs a blank before it")
	default:
		p.fail(p.at, "something stands behind the value; a text that goes on behind a quote needs quotes as a whole")
	}
}

// block reads a value of a block: on the rest of this line or on lines below that are indented by more than indent. A collection of
// lines may begin in this line (behind "- " it may, behind "key:" not) or in one of its own. A list that belongs to a key may
// stand right below it (keyed).
func (p *parser) block(indent int, collections, keyed bool, depth int) *Value {
	from := p.at
	if p.gap() {
		collections = true
	}
	outside := func() bool {
		return p.end() || p.anyMarker() || p.column() <= indent && !(keyed && p.column() == indent && p.dash())
	}
	if outside() {
		v := p.value(from, depth)
		v.open = false
		return v
	}
	v := p.value(p.at, depth)
	defer func() { v.open = false }()
	if collections && p.collection(v, "", depth) {
		return v
	}
	tag, found := p.properties(v, false)
	if found {
		// Properties alone in their line belong to what stands below; before a key they belong to the key.
		if first := p.gap(); outside() {
			p.scalar(v, tag, "", true)
			return v
		} else if first && p.collection(v, tag, depth) {
			return v
		}
	}
	if c := p.peek(); c == '|' || c == '>' {
		p.scalar(v, tag, p.blockScalar(indent), false)
		return v
	}
	read := p.single(v, tag, found, indent, false, depth)
	p.endOfLine()
	return read
}

// collection reads a list or a mapping of lines, if one begins here. Its column is its indentation.
func (p *parser) collection(v *Value, tag string, depth int) bool {
	indent := p.column()
	switch {
	case p.dash():
		v.Kind = List
		for more := true; more; more = p.column() == indent && p.dash() {
			p.at++
			for p.peek() == ' ' {
				p.at++
			}
			if p.peek() == '\t' { // the indentation of what follows would depend on its width
				p.fail(p.at, "a tab behind a dash; use blanks")
			}
			v.Items = append(v.Items, p.block(indent, true, false, depth+1))
			p.gap()
		}
	case p.key():
		v.Kind = Map
		m := mapping{into: v}
		for more := true; more; more = p.column() == indent && p.key() {
			at, key := p.at, p.value(p.at, depth+1)
			keyTag, found := p.properties(key, false)
			key = p.single(key, keyTag, found, indent, false, depth+1)
			p.blanks()
			p.at++ // the colon that key saw
			p.member(&m, at, key, p.block(indent, false, true, depth+1))
			p.gap()
		}
		p.merge(&m)
	default:
		return false
	}
	p.tagged(v, tag)
	return true
}

// key says whether a word and a colon stand here in one line. It only looks.
func (p *parser) key() bool {
	if p.end() || p.anyMarker() {
		return false
	}
	i := p.at
	for p.byteAt(i) == '&' || p.byteAt(i) == '!' {
		for !p.blank(i) {
			i++
		}
		for p.byteAt(i) == ' ' || p.byteAt(i) == '\t' {
			i++
		}
	}
	switch c := p.byteAt(i); {
	case c == '"' || c == '\'':
		if i = p.quoteEnd(i); i < 0 {
			return false
		}
	case c == '*':
		for !p.blank(i) {
			i++
		}
	case !p.plainBegins(i, false):
		return false
	default:
		for ; p.byteAt(i) != ':' || !p.blank(i+1); i++ {
			switch p.byteAt(i) {
			case 0, '\n', '\r':
				return false
			case '#':
				if p.blank(i - 1) {
					return false
				}
			}
		}
	}
	for p.byteAt(i) == ' ' || p.byteAt(i) == '\t' {
		i++
	}
	if p.byteAt(i) != ':' || !p.blank(i+1) {
		return false
	}
	p.keyLength(p.at, i)
	return true
}

// quoteEnd finds the end of a quoted text that ends in its line, -1 if it does not.
func (p *parser) quoteEnd(i int) int {
	quote := p.doc[i]
	for i++; ; i++ {
		switch c := p.byteAt(i); {
		case c == 0, c == '\n', c == '\r':
			return -1
		case c == '\\' && quote == '"':
			i++
		case c == quote && quote == '\'' && p.byteAt(i+1) == quote: // two quotes are one in the text
			i++
		case c == quote:
			return i + 1
		}
	}
}

func (p *parser) keyLength(from, colon int) {
	if colon-from > maxKey && utf8.RuneCountInString(p.doc[from:colon]) > maxKey {
		p.fail(from, "a key of more than %d characters", maxKey)
	}
}
