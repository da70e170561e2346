package jsregexp

import (
	"math"

	"github.com/hookrun/hookrun/internal/spans"
)

// A set is one of units.
var (
	digits = spans.Set{{Lo: '0', Hi: '9'}}
	word   = spans.Set{{Lo: '0', Hi: '9'}, {Lo: 'A', Hi: 'Z'}, {Lo: '_', Hi: '_'}, {Lo: 'a', Hi: 'z'}}
	lines  = spans.Set{{Lo: '\n', Hi: '\n'}, {Lo: '\r', Hi: '\r'}, {Lo: 0x2028, Hi: 0x2029}}
	space  = spans.Set{{Lo: '\t', Hi: '\r'}, {Lo: ' ', Hi: ' '}, {Lo: 0xa0, Hi: 0xa0}, {Lo: 0x1680, Hi: 0x1680}, {Lo: 0x2000, Hi: 0x200a}, {Lo: 0x2028, Hi: 0x2029},
		{Lo: 0x202f, Hi: 0x202f}, {Lo: 0x205f, Hi: 0x205f}, {Lo: 0x3000, Hi: 0x3000}, {Lo: 0xfeff, Hi: 0xfeff}}
)

// escaped returns what the escape of a letter, or the dot, stands for.
func escaped(letter rune) spans.Set {
	switch letter {
	case 'd':
		return digits
	case 'D':
		return digits.Complement(math.MaxUint16)
	case 's':
		return space
	case 'S':
		return space.Complement(math.MaxUint16)
	case 'w':
		return word
	case 'W':
		return word.Complement(math.MaxUint16)
	}
	return lines.Complement(math.MaxUint16)
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
	var all []spans.Span
	var seen ['w' + 1]bool // to add a letter once keeps the work linear
	add := func(u uint16, letter rune) {
		if letter == 0 {
			all = append(all, spans.Span{Lo: rune(u), Hi: rune(u)})
		} else if !seen[letter] {
			seen[letter] = true
			all = append(all, escaped(letter)...)
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
			all = append(all, spans.Span{Lo: rune(lo), Hi: rune(hi)})
		}
	}
	s := spans.Union(all)
	if negative {
		s = s.Complement(math.MaxUint16)
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
