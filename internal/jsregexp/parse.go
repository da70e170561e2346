package jsregexp

import (
	"math"
	"strconv"
	"unicode"
	"unicode/utf16"

	"github.com/hookrun/hookrun/internal/spans"
)

// op is what a node, and later an instruction, does. Those from opSeq on are nodes only, those from opMatch on
// instructions only.
type op uint8

const (
	opUnit op = iota
	opSet
	opBegin
	opEnd
	opWordEdge
	opNoWordEdge
	opRef

	opSeq
	opAlt
	opGroup
	opRepeat
	opLook

	opMatch
	opJump
	opSplit
	opSave
	opLoop
	opTest
	opEnter
	opNext
	opLookStart
	opLookEnd
)

// node is a part of the pattern. Trees are at most some 4000 nodes high, so that they can be walked by recursion.
type node struct {
	op          op
	lazy        bool   // opRepeat
	behind      bool   // opLook
	negative    bool   // opLook
	unit        uint16 // opUnit
	index       int32  // of the group, set or reference
	min, max    int32  // opRepeat
	first, last int32  // opRepeat: the groups inside are first to last
	subs        []*node
}

// infinite is the count without a limit. Numbers in a pattern stop growing here, as in V8.
const infinite = math.MaxInt32

// syntaxError is what the parser ends with at the first fault. It is only ever a panic inside this package.
type syntaxError string

func (e syntaxError) Error() string { return string(e) }

type parser struct {
	src         []uint16
	at          int
	depth       int
	groups      int32 // opened so far
	total       int32 // in the whole pattern, as \2 is a reference only if there are two
	named       bool  // whether there are groups with names, as only then \k is a reference
	names       map[string]*groupName
	disjunction *disjunction
	sets        []spans.Set
	shared      ['w' + 1]int32 // 1 + the number of the set of an escape, or of the dot
	refs        [][]int32
}

// disjunction is a list of alternatives, which the whole pattern and every group are.
type disjunction struct {
	parent *disjunction
	within int // which alternative of parent it stands in
	now    int // the alternative that is read
	closed bool
}

// groupName is a name that a group or a reference has.
type groupName struct {
	ref    int32        // of the groups with the name
	latest *disjunction // where the latest group stands; nil if there is none so far
	within int          // in which alternative of it
}

func (p *parser) fail(text string) { panic(syntaxError(text)) }

// peek returns the unit that is ahead by so many, or -1 past the end.
func (p *parser) peek(ahead int) rune {
	if p.at+ahead < len(p.src) {
		return rune(p.src[p.at+ahead])
	}
	return -1
}

func (p *parser) eat(text string) bool {
	for i, c := range text {
		if p.peek(i) != c {
			return false
		}
	}
	p.at += len(text)
	return true
}

func (p *parser) pattern() *node {
	p.count()
	n := p.alternatives()
	if p.at < len(p.src) {
		p.fail("a ')' without a '('")
	}
	for name, g := range p.names {
		if g.latest == nil {
			p.fail("\\k<" + name + "> refers to a group that is not there")
		}
	}
	return n
}

// count finds out how many groups there are before the first escape is read. It may be wrong where the pattern is.
func (p *parser) count() {
	class := false
	for i := 0; i < len(p.src); i++ {
		switch c := p.src[i]; {
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '(' && !class:
			p.at = i + 1
			name := p.peek(0) == '?' && p.peek(1) == '<' && p.peek(2) != '=' && p.peek(2) != '!'
			p.named = p.named || name
			if name || p.peek(0) != '?' {
				p.total++
			}
		}
	}
	p.at = 0
	if p.total > maxGroups {
		p.fail("more than 32767 groups")
	}
}

func (p *parser) alternatives() *node {
	if p.depth++; p.depth > maxDepth+1 {
		p.fail("nested more than 1000 deep")
	}
	d := &disjunction{parent: p.disjunction}
	if d.parent != nil {
		d.within = d.parent.now
	}
	p.disjunction = d
	subs := []*node{p.sequence()}
	for p.eat("|") {
		d.now++
		subs = append(subs, p.sequence())
	}
	d.closed = true
	p.disjunction = d.parent
	p.depth--
	return join(opAlt, subs)
}

// join returns a node of several, or the only one.
func join(op op, subs []*node) *node {
	if len(subs) == 1 {
		return subs[0]
	}
	return &node{op: op, subs: subs}
}

func (p *parser) sequence() *node {
	var subs []*node
	for p.at < len(p.src) && p.peek(0) != '|' && p.peek(0) != ')' {
		first := p.groups + 1
		n, repeatable := p.term()
		if min, max, ok := p.quantifier(); ok {
			if !repeatable {
				p.fail("nothing to repeat")
			}
			n = &node{op: opRepeat, min: min, max: max, lazy: p.eat("?"), first: first, last: p.groups, subs: []*node{n}}
		}
		subs = append(subs, n)
	}
	return join(opSeq, subs)
}

// term reads what a quantifier can follow, and says whether one may.
func (p *parser) term() (n *node, repeatable bool) {
	if _, _, ok := p.quantifier(); ok {
		p.fail("nothing to repeat")
	}
	c := p.src[p.at]
	p.at++
	switch c {
	case '^':
		return &node{op: opBegin}, false
	case '$':
		return &node{op: opEnd}, false
	case '(':
		return p.group()
	case '[':
		return p.class(), true
	case '.':
		return p.set('.'), true
	case '\\':
		return p.escapedTerm()
	}
	return &node{op: opUnit, unit: c}, true
}

// quantifier reads one if there is one. A brace that does not start one is an ordinary character.
func (p *parser) quantifier() (min, max int32, ok bool) {
	switch {
	case p.eat("*"):
		return 0, infinite, true
	case p.eat("+"):
		return 1, infinite, true
	case p.eat("?"):
		return 0, 1, true
	case p.peek(0) != '{':
		return 0, 0, false
	}
	start := p.at
	p.at++
	min, ok = p.number()
	max = min
	if ok && p.eat(",") {
		if max, ok = p.number(); !ok {
			max, ok = infinite, true
		}
	}
	if !ok || !p.eat("}") {
		p.at = start
		return 0, 0, false
	}
	if min > max {
		p.fail("the numbers of a {} are out of order")
	}
	return min, max, true
}

func (p *parser) number() (n int32, ok bool) {
	for ; '0' <= p.peek(0) && p.peek(0) <= '9'; p.at++ {
		n, ok = int32(min(int64(n)*10+int64(p.peek(0)-'0'), infinite)), true
	}
	return n, ok
}

// group reads what follows a parenthesis.
func (p *parser) group() (n *node, repeatable bool) {
	repeatable = true
	n = &node{op: opGroup}
	switch {
	case p.eat("?:"):
		n = nil
	case p.eat("?="):
		n.op = opLook
	case p.eat("?!"):
		n.op, n.negative = opLook, true
	case p.eat("?<="):
		n.op, n.behind, repeatable = opLook, true, false
	case p.eat("?<!"):
		n.op, n.behind, n.negative, repeatable = opLook, true, true, false
	case p.eat("?<"):
		p.groups++
		n.index = p.groups
		p.define(p.groupName())
	case p.peek(0) == '?':
		p.fail("'(?' must be followed by ':', '=', '!', '<=', '<!' or a '<name>'")
	default:
		p.groups++
		n.index = p.groups
	}
	inside := p.alternatives()
	if !p.eat(")") {
		p.fail("a '(' that is never closed")
	}
	if n == nil {
		return inside, true
	}
	n.subs = []*node{inside}
	return n, repeatable
}

// name returns what is known of a name.
func (p *parser) name(name string) *groupName {
	g := p.names[name]
	if g == nil {
		if p.names == nil {
			p.names = map[string]*groupName{}
		}
		g = &groupName{ref: int32(len(p.refs))}
		p.refs = append(p.refs, nil)
		p.names[name] = g
	}
	return g
}

// define gives the latest group a name. Groups may share one if never more than one of them can take part, which is if
// they stand in different alternatives. To compare with the one before is enough: it was compared with the earlier ones.
func (p *parser) define(name string) {
	g := p.name(name)
	if d, within := g.latest, g.within; d != nil {
		for d.closed {
			if up := d.parent; up.closed {
				d.parent, d.within = up.parent, up.within // the next walk is shorter
			}
			d, within = d.parent, d.within
		}
		if within == d.now {
			p.fail("two groups named " + strconv.Quote(name))
		}
	}
	g.latest, g.within = p.disjunction, p.disjunction.now
	p.refs[g.ref] = append(p.refs[g.ref], p.groups)
}

// groupName reads a name and the '>' after it.
func (p *parser) groupName() string {
	var name []rune
	for !p.eat(">") {
		r := p.nameRune()
		start := r == '$' || r == '_' || unicode.In(r, unicode.L, unicode.Nl, unicode.Other_ID_Start)
		inside := r == '\u200c' || r == '\u200d' || unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue)
		if !start && (!inside || len(name) == 0) || r != '$' && unicode.In(r, unicode.Pattern_Syntax, unicode.Pattern_White_Space) {
			p.fail("a group's name must be an identifier in '<' and '>'")
		}
		name = append(name, r)
	}
	if len(name) == 0 {
		p.fail("a group's name is empty")
	}
	return string(name)
}

// nameRune reads a character of a name: unlike elsewhere two surrogates are one, and \u{1d49c} is an escape.
// It returns a rune that no name can have where there is none.
func (p *parser) nameRune() rune {
	r := p.peek(0)
	p.at++
	if r != '\\' {
		if utf16.IsSurrogate(r) {
			r = utf16.DecodeRune(r, p.peek(0))
			p.at++
		}
		return r
	}
	if p.eat("u{") {
		for r = 0; !p.eat("}"); p.at++ {
			d := hexDigit(p.peek(0))
			if r = r*16 + d; d < 0 || r > unicode.MaxRune {
				return -1
			}
		}
		return r
	}
	if !p.eat("u") {
		return -1
	}
	r = p.hex(4)
	if utf16.IsSurrogate(r) && p.eat("\\u") {
		r = utf16.DecodeRune(r, p.hex(4))
	}
	return r
}
