package jsregexp

// hex reads exactly n digits, or nothing and returns -1.
func (p *parser) hex(n int) rune {
	var r rune
	for i := range n {
		d := hexDigit(p.peek(i))
		if d < 0 {
			return -1
		}
		r = r*16 + d
	}
	p.at += n
	return r
}

func hexDigit(c rune) rune {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return -1
}

// escapedTerm reads what follows a backslash outside a class.
func (p *parser) escapedTerm() (n *node, repeatable bool) {
	switch c := p.peek(0); c {
	case 'b', 'B':
		p.at++
		if c == 'b' {
			return &node{op: opWordEdge}, false
		}
		return &node{op: opNoWordEdge}, false
	case 'd', 'D', 's', 'S', 'w', 'W':
		p.at++
		return p.set(c), true
	case 'k':
		if p.named {
			p.at++
			if !p.eat("<") {
				p.fail("'\\k' must be followed by a '<name>'")
			}
			return &node{op: opRef, index: p.name(p.groupName()).ref}, true
		}
	case '1', '2', '3', '4', '5', '6', '7', '8', '9':
		start := p.at
		if group, _ := p.number(); group <= p.total {
			p.refs = append(p.refs, []int32{group})
			return &node{op: opRef, index: int32(len(p.refs) - 1)}, true
		}
		p.at = start
	}
	return &node{op: opUnit, unit: p.escape(false)}, true
}

// escape reads what follows a backslash and stands for one unit.
func (p *parser) escape(inClass bool) uint16 {
	c := p.peek(0)
	p.at++
	switch c {
	case -1:
		p.fail("a '\\' at the end")
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
	case 'c':
		l := p.peek(0)
		if 'a' <= l|0x20 && l|0x20 <= 'z' || inClass && ('0' <= l && l <= '9' || l == '_') {
			p.at++
			return uint16(l & 31)
		}
		p.at-- // the backslash stands for itself, and so does the c
		return '\\'
	case '0', '1', '2', '3', '4', '5', '6', '7':
		r := c - '0'
		for i := 0; i < 2 && r < 32 && '0' <= p.peek(0) && p.peek(0) <= '7'; i++ {
			r = r*8 + p.peek(0) - '0'
			p.at++
		}
		return uint16(r)
	case 'x', 'u':
		n := 2
		if c == 'u' {
			n = 4
		}
		if r := p.hex(n); r >= 0 {
			return uint16(r)
		}
	case 'k':
		if p.named {
			p.fail("'\\k' in a class, where groups have names")
		}
	}
	return uint16(c)
}
