package jsregexp

import (
	"cmp"
	"math"
	"slices"
)

// set is a set of units: spans in order that do not touch.
type set []span

type span struct{ lo, hi uint16 }

var (
	digits = set{{'0', '9'}}
	word   = set{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}
	lines  = set{{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}}
	space  = set{{'\t', '\r'}, {' ', ' '}, {0xa0, 0xa0}, {0x1680, 0x1680}, {0x2000, 0x200a}, {0x2028, 0x2029},
		{0x202f, 0x202f}, {0x205f, 0x205f}, {0x3000, 0x3000}, {0xfeff, 0xfeff}}
)

func (s set) has(u uint16) bool {
	lo, hi := 0, len(s)
	for lo < hi {
		if mid := (lo + hi) / 2; s[mid].hi < u {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo < len(s) && s[lo].lo <= u
}

// union puts spans in order and joins those that touch. It uses their memory.
func union(spans []span) set {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.lo, b.lo) })
	s := spans[:0]
	for _, x := range spans {
		if n := len(s); n > 0 && int(x.lo) <= int(s[n-1].hi)+1 {
			s[n-1].hi = max(s[n-1].hi, x.hi)
		} else {
			s = append(s, x)
		}
	}
	return s
}

func (s set) complement() set {
	rest := make(set, 0, len(s)+1)
	next := 0
	for _, x := range s {
		if next < int(x.lo) {
			rest = append(rest, span{uint16(next), x.lo - 1})
		}
		next = int(x.hi) + 1
	}
	if next <= math.MaxUint16 {
		rest = append(rest, span{uint16(next), math.MaxUint16})
	}
	return rest
}

// escaped returns what the escape of a letter, or the dot, stands for.
func escaped(letter rune) set {
	switch letter {
	case 'd':
		return digits
	case 'D':
		return digits.complement()
	case 's':
		return space
	case 'S':
		return space.complement()
	case 'w':
		return word
	case 'W':
		return word.complement()
	}
	return lines.complement()
}

// set returns a node for the escape of a letter, or the dot. All nodes of one letter share a set.
func (p *parser) set(letter rune) *node {
	if p.shared[letter] == 0 {
		p.sets = append(p.sets, escaped(letter))
		p.shared[letter] = int32(len(p.sets))
	}
	return &node{op: opSet, index: p.shared[letter] - 1}
}

// class reads what follows a bracket.
func (p *parser) class() *node {
	negative := p.eat("^")
	var spans []span
	var seen ['w' + 1]bool // to add a letter once keeps the work linear
	add := func(u uint16, letter rune) {
		if letter == 0 {
			spans = append(spans, span{u, u})
		} else if !seen[letter] {
			seen[letter] = true
			spans = append(spans, escaped(letter)...)
		}
	}
	for !p.eat("]") {
		lo, loLetter := p.classAtom()
		if p.peek(0) != '-' || p.peek(1) == ']' {
			add(lo, loLetter)
			continue
		}
		p.at++
		hi, hiLetter := p.classAtom()
		switch {
		case loLetter != 0 || hiLetter != 0: // no range: [\d-x] is a digit, '-' or 'x'
			add(lo, loLetter)
			add('-', 0)
			add(hi, hiLetter)
		case lo > hi:
			p.fail("a range of a class is out of order")
		default:
			spans = append(spans, span{lo, hi})
		}
	}
	s := union(spans)
	if negative {
		s = s.complement()
	}
	p.sets = append(p.sets, s)
	return &node{op: opSet, index: int32(len(p.sets) - 1)}
}

// classAtom reads a unit, or an escape that stands for several and returns its letter.
func (p *parser) classAtom() (unit uint16, letter rune) {
	c := p.peek(0)
	if c < 0 {
		p.fail("a '[' that is never closed")
	}
	p.at++
	if c != '\\' {
		return uint16(c), 0
	}
	switch c = p.peek(0); c {
	case 'd', 'D', 's', 'S', 'w', 'W':
		p.at++
		return 0, c
	case 'b':
		p.at++
		return '\b', 0
	}
	return p.escape(true), 0
}
