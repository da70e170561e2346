package re2

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/hookrun/hookrun/internal/spans"
)

var notNL = spans.Set{{Lo: 0, Hi: '\n' - 1}, {Lo: '\n' + 1, Hi: unicode.MaxRune}}

// named are the classes of a name, as pairs of first and last. It is a text, as others would be made at every start.
func named(name string) string {
	switch name {
	case "d", "digit":
		return "09"
	case "s":
		return "\t\n\f\r  "
	case "w", "word":
		return "09AZ__az"
	case "alnum":
		return "09AZaz"
	case "alpha":
		return "AZaz"
	case "ascii":
		return "\x00\x7f"
	case "blank":
		return "\t\t  "
	case "cntrl":
		return "\x00\x1f\x7f\x7f"
	case "graph":
		return "!~"
	case "lower":
		return "az"
	case "print":
		return " ~"
	case "punct":
		return "!/:@[`{~"
	case "space":
		return "\t\r  "
	case "upper":
		return "AZ"
	case "xdigit":
		return "09AFaf"
	}
	return ""
}

// fixed returns a class with a name, as it is under the flags.
func (p *parser) fixed(pairs string, negative bool) spans.Set {
	var all []spans.Span
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, spans.Span{Lo: rune(pairs[i]), Hi: rune(pairs[i+1])})
	}
	s := spans.Union(all)
	if p.flags&fold != 0 {
		s = folded(s)
	}
	if negative {
		s = s.Complement(unicode.MaxRune)
	}
	return s
}

func appendRune(all []spans.Span, r rune, fold bool) []spans.Span {
	all = append(all, spans.Span{Lo: r, Hi: r})
	if fold {
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			all = append(all, spans.Span{Lo: other, Hi: other})
		}
	}
	return all
}

// folded adds the other cases. For a large set it goes through all characters that have some, which are far fewer.
func folded(s spans.Set) spans.Set {
	const large = 1000
	size := 0
	for _, x := range s {
		size += int(x.Hi - x.Lo + 1)
	}
	all := append([]spans.Span(nil), s...)
	if size <= large {
		for _, x := range s {
			for r := x.Lo; r <= x.Hi; r++ {
				all = appendRune(all, r, true)
			}
		}
		return spans.Union(all)
	}
	for _, x := range unicode.CaseRanges {
		for r := rune(x.Lo); r <= rune(x.Hi); r++ {
			n, in, out := len(all), false, false
			all = appendRune(all, r, true)
			for _, each := range all[n:] {
				has := s.Has(each.Lo)
				in, out = in || has, out || !has
			}
			if !in || !out {
				all = all[:n]
			}
		}
	}
	return spans.Union(all)
}

// classEscape reads what follows a backslash, if that is a class.
func (p *parser) classEscape(from int) (s spans.Set, ok bool) {
	if p.at == len(p.src) {
		return nil, false
	}
	switch c := p.src[p.at]; c {
	case 'd', 's', 'w':
		p.at++
		return p.fixed(named(string(rune(c))), false), true
	case 'D', 'S', 'W':
		p.at++
		return p.fixed(named(string(rune(c|0x20))), true), true
	case 'p', 'P':
		p.at++
		negative := c == 'P'
		start := p.at
		name := ""
		if r := p.next(); r == '{' {
			end := strings.IndexByte(p.src[p.at:], '}')
			if end < 0 {
				p.fail(Syntax, from, "a { that is never closed")
			}
			name = p.src[p.at : p.at+end]
			p.at += end + 1
		} else {
			name = p.src[start:p.at]
		}
		if strings.HasPrefix(name, "^") {
			negative, name = !negative, name[1:]
		}
		return p.category(from, name, negative), true
	}
	return nil, false
}

// category returns the characters of a category or a script. Each is made once, as an expression may have it thousands of times.
func (p *parser) category(from int, name string, negative bool) spans.Set {
	key := name + string(rune(p.flags&fold)) + strconv.FormatBool(negative)
	if s, ok := p.known[key]; ok {
		return s
	}
	s, closed, ok := category(name)
	if !ok {
		p.fail(Limit, from, "there is no such category of characters, and scripts are known only if they are common")
	}
	if p.known == nil {
		p.known = map[string]spans.Set{}
	}
	if p.flags&fold != 0 && !closed {
		s = folded(s)
	}
	if negative {
		s = s.Complement(unicode.MaxRune)
	}
	p.known[key] = s
	return s
}

// brackets reads what follows a bracket.
func (p *parser) brackets(from int) spans.Set {
	negative := p.eat("^")
	var all []spans.Span
	const many = 10_000
	limit := many
	for start := p.at; p.at == start || !p.eat("]"); {
		if len(all) > limit { // the same ones again and again must not fill the memory
			all = spans.Union(all)
			limit = many + 2*len(all)
		}
		at := p.at
		if p.eat("[:") {
			if name, _, ok := strings.Cut(p.src[p.at:], ":]"); ok {
				p.at += len(name) + len(":]")
				pairs := named(strings.TrimPrefix(name, "^"))
				if pairs == "" || len(name) == 1 {
					p.fail(Syntax, at, "there is no class of this name")
				}
				all = append(all, p.fixed(pairs, name[0] == '^')...)
				continue
			}
			p.at = at
		}
		if p.eat(`\`) {
			if s, ok := p.classEscape(at); ok {
				all = append(all, s...)
				continue
			}
			p.at = at
		}
		lo := p.bound(from)
		hi := lo
		if rest := p.src[p.at:]; len(rest) > 1 && rest[0] == '-' && rest[1] != ']' {
			p.at++
			if hi = p.bound(from); hi < lo {
				p.fail(Syntax, at, "the range is out of order")
			}
		}
		x := spans.Set{{Lo: lo, Hi: hi}}
		if p.flags&fold != 0 {
			x = folded(x)
		}
		all = append(all, x...)
	}
	s := spans.Union(all)
	if negative {
		s = s.Complement(unicode.MaxRune)
	}
	return s
}

// bound reads a character of a class.
func (p *parser) bound(from int) rune {
	at := p.at
	switch r := p.next(); r {
	case -1:
		p.fail(Syntax, from, "a [ that is never closed")
		return 0
	case '\\':
		return p.escape(at)
	default:
		return r
	}
}

func alphanumeric(r rune) bool {
	return '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z'
}

// escape reads what follows a backslash and stands for one character.
func (p *parser) escape(from int) rune {
	r := p.next()
	switch r {
	case -1:
		p.fail(Syntax, from, `a \ at the end; write \\ for the character itself`)
	case 'a':
		return '\a'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case 'v':
		return '\v'
	case 'x':
		return p.hex(from)
	case '0', '1', '2', '3', '4', '5', '6', '7':
		octal := func() bool { return p.at < len(p.src) && '0' <= p.src[p.at] && p.src[p.at] <= '7' }
		if r != '0' && !octal() {
			p.fail(Escape, from, "there are no references to groups")
		}
		r -= '0'
		for i := 0; i < 2 && octal(); i++ {
			r = r*8 + p.next() - '0'
		}
		return r
	}
	if r >= 0x80 || alphanumeric(r) {
		p.fail(Escape, from, "there is no such escape")
	}
	return r
}

// hex reads two digits, or any in braces.
func (p *parser) hex(from int) (r rune) {
	braces := p.eat("{")
	for n := 0; braces || n < 2; n++ {
		c := p.next()
		switch {
		case '0' <= c && c <= '9':
			r = r*16 + c - '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f' && c < 0x80:
			r = r*16 + (c | 0x20 - 'a' + 10)
		case braces && c == '}' && n > 0:
			return r
		default:
			p.fail(Escape, from, `\x must be followed by two hexadecimal digits, or by some in braces`)
		}
		if r > unicode.MaxRune {
			p.fail(Escape, from, "there is no such character")
		}
	}
	return r
}
