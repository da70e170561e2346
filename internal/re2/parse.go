package re2

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hookrun/hookrun/internal/spans"
)

// Op is what a node does.
type Op uint8

const (
	Empty     Op = iota
	Literal      // Text
	Class        // a character of Set
	BeginText    // these match a place
	EndText
	BeginLine
	EndLine
	WordEdge
	NoWordEdge
	Concat
	Alternate
	Capture
	Repeat // Min to Max times; Max is -1: without a limit
)

// Node is a part of an expression. Trees are at most 1000 nodes high, so that they can be walked by recursion.
type Node struct {
	Op       Op
	Fold     bool // Literal: upper and lower case are the same
	Lazy     bool // Repeat: as few times as can be
	Min, Max int16
	Text     []rune
	Set      spans.Set
	Subs     []*Node

	height int32
	copies int32 // as many as counted repetitions make of what is innermost
	size   int   // about as many instructions
	set    int32 // 1 + the number of the set in the program
}

// The limits are those of Go's package regexp.
const (
	maxCount  = 1000
	maxHeight = 1000
	maxSize   = 128 << 20 / 40 // instructions
	maxSpans  = 128 << 20 / 8  // in all classes
)

type flags uint8

const (
	fold  flags = 1 << iota // i
	lines                   // m: ^ and $ are the ends of lines
	dotNL                   // s: the dot is a line feed, too
	lazy                    // U: x* is x*? and the other way round
)

// group is one that is open, or the whole expression.
type group struct {
	outside flags
	capture bool
	at      int // of the parenthesis
	done    []*Node
	now     []*Node // of the alternative that is read
}

type parser struct {
	src     string
	at      int
	flags   flags
	spans   int
	known   map[string]spans.Set // categories
	outer   []group
	group          // the innermost
	literal bool   // what was read last is a character, although the node may have more
	counted string // what was read last, if it is a repetition
}

// Parse reads an expression.
func Parse(expression string) (n *Node, err error) {
	p := parser{src: expression}
	defer func() {
		if r := recover(); r != nil {
			fault, ok := r.(*Error)
			if !ok {
				panic(r)
			}
			n, err = nil, fault
		}
	}()
	for i, r := range expression {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(expression[i:]); size == 1 {
				p.at = i + 1
				p.fail(Syntax, i, "it is not UTF-8")
			}
		}
	}
	for p.at < len(p.src) {
		p.item()
	}
	if len(p.outer) > 0 {
		p.fail(Syntax, p.group.at, "a ( that is never closed")
	}
	return p.alternate(), nil
}

// fail ends the parser. The fault begins at a place, and what has been read since is at fault. Inlined, it would be a tenth of the
// package.
//
//go:noinline
func (p *parser) fail(kind Kind, from int, text string) {
	panic(&Error{Kind: kind, Part: p.src[from:p.at], text: text, place: 1 + utf8.RuneCountInString(p.src[:from])})
}

// next reads a character. At the end it is -1.
func (p *parser) next() rune {
	if p.at >= len(p.src) {
		return -1
	}
	r, size := utf8.DecodeRuneInString(p.src[p.at:])
	p.at += size
	return r
}

func (p *parser) eat(text string) bool {
	if !strings.HasPrefix(p.src[p.at:], text) {
		return false
	}
	p.at += len(text)
	return true
}

// made completes a node and checks the limits.
func (p *parser) made(n *Node) *Node {
	size := 0
	for _, sub := range n.Subs {
		n.height = max(n.height, sub.height)
		n.copies = max(n.copies, sub.copies)
		size += sub.size
	}
	n.height++
	switch n.Op {
	case Literal:
		size = len(n.Text)
	case Capture:
		size += 2
	case Alternate:
		size += len(n.Subs) - 1
	case Repeat:
		least, most := int(n.Min), int(n.Max)
		switch {
		case most >= 0:
			size = most*size + most - least
		case least == 0:
			size += 2
		default:
			size = 1 + least*size
		}
	}
	n.size, n.copies = max(size, 1), max(n.copies, 1)
	if n.size > maxSize || p.spans > maxSpans {
		p.fail(Limit, 0, "the expression is too large with all its repetitions and classes")
	}
	if n.height > maxHeight {
		p.fail(Limit, 0, "the expression is nested more than 1000 deep")
	}
	return n
}

func (p *parser) push(n *Node) { p.now = append(p.now, p.made(n)) }

func (p *parser) op(op Op) { p.push(&Node{Op: op}) }

// character adds one. Those that stand side by side share a node.
func (p *parser) character(r rune) {
	folds := p.flags&fold != 0
	if n := len(p.now); n > 0 && p.now[n-1].Op == Literal && p.now[n-1].Fold == folds {
		last := p.now[n-1]
		last.Text = append(last.Text, r)
		last.size++
	} else {
		p.push(&Node{Op: Literal, Text: []rune{r}, Fold: folds})
	}
	p.literal = true
}

// class adds a set. One of a single character, in one case or both, is that character.
func (p *parser) class(s spans.Set) {
	p.push(p.setNode(s))
}

func (p *parser) setNode(s spans.Set) *Node {
	p.spans += len(s)
	if len(s) == 1 && s[0].Lo == s[0].Hi {
		return &Node{Op: Literal, Text: []rune{s[0].Lo}}
	}
	if r := unicode.SimpleFold(first(s)); len(s) == 2 && s[0].Lo == s[0].Hi && r == s[1].Lo && r == s[1].Hi && unicode.SimpleFold(r) == s[0].Lo {
		return &Node{Op: Literal, Text: []rune{s[0].Lo}, Fold: true}
	}
	return &Node{Op: Class, Set: s}
}

func first(s spans.Set) rune {
	if len(s) == 0 {
		return 0
	}
	return s[0].Lo
}

// join returns a node of several, or the only one. Those of the same kind become one.
func (p *parser) join(op Op, subs []*Node) *Node {
	switch len(subs) {
	case 0:
		return p.made(&Node{Op: Empty})
	case 1:
		return subs[0]
	}
	nested := false
	for _, sub := range subs {
		nested = nested || sub.Op == op
	}
	if nested {
		var flat []*Node
		for i, sub := range subs {
			switch {
			case sub.Op == op && i == 0:
				flat = sub.Subs // nobody else has it
			case sub.Op == op:
				flat = append(flat, sub.Subs...)
			default:
				flat = append(flat, sub)
			}
		}
		subs = flat
	}
	return p.made(&Node{Op: op, Subs: subs})
}

// alternate ends a group. Alternatives of one character side by side become a class.
func (p *parser) alternate() *Node {
	all := append(p.done, p.join(Concat, p.now))
	kept := all[:0]
	for i := 0; i < len(all); {
		var set []spans.Span
		end := i
		for ; end < len(all); end++ {
			if n := all[end]; n.Op == Class {
				set = append(set, n.Set...)
			} else if n.Op == Literal && len(n.Text) == 1 {
				set = appendRune(set, n.Text[0], n.Fold)
			} else {
				break
			}
		}
		n := all[i]
		if end > i+1 {
			n = p.made(p.setNode(spans.Union(set)))
		}
		kept = append(kept, n)
		i = max(end, i+1)
	}
	return p.join(Alternate, kept)
}

func (p *parser) item() {
	from := p.at
	counted := p.counted
	p.counted = ""
	r := p.next()
	switch r {
	case '*':
		p.repeat(from, 0, -1, counted)
		return
	case '+':
		p.repeat(from, 1, -1, counted)
		return
	case '?':
		p.repeat(from, 0, 1, counted)
		return
	case '{':
		if least, most, ok := p.counts(); ok {
			p.repeat(from, least, most, counted)
			return
		}
	case '(':
		if p.eat("?") {
			p.special(from)
		} else {
			p.open(from, true, p.flags)
		}
		return
	case '|':
		p.done = append(p.done, p.join(Concat, p.now))
		p.now, p.literal = nil, false
		return
	case ')':
		p.close(from)
		return
	case '\\':
		if p.eat("Q") {
			text, rest, _ := strings.Cut(p.src[p.at:], `\E`)
			for _, r := range text {
				p.character(r)
			}
			p.at = len(p.src) - len(rest)
			return
		}
	}
	p.literal = false
	switch r {
	case '^':
		p.op(p.byLines(BeginText, BeginLine))
	case '$':
		p.op(p.byLines(EndText, EndLine))
	case '.':
		if p.flags&dotNL != 0 {
			p.class(spans.Set{{Lo: 0, Hi: unicode.MaxRune}})
		} else {
			p.class(notNL)
		}
	case '[':
		p.class(p.brackets(from))
	case '\\':
		switch {
		case p.eat("A"):
			p.op(BeginText)
		case p.eat("z"):
			p.op(EndText)
		case p.eat("b"):
			p.op(WordEdge)
		case p.eat("B"):
			p.op(NoWordEdge)
		default:
			if s, ok := p.classEscape(from); ok {
				p.class(s)
			} else {
				p.character(p.escape(from))
			}
		}
	default:
		p.character(r)
	}
}

func (p *parser) byLines(text, line Op) Op {
	if p.flags&lines != 0 {
		return line
	}
	return text
}

func (p *parser) open(from int, capture bool, inside flags) {
	p.outer = append(p.outer, p.group)
	p.group = group{outside: p.flags, capture: capture, at: from}
	p.flags = inside
	p.literal = false
}

func (p *parser) close(from int) {
	if len(p.outer) == 0 {
		p.fail(Syntax, from, "a ) without a (")
	}
	n := p.alternate()
	if p.capture {
		n = p.made(&Node{Op: Capture, Subs: []*Node{n}})
	}
	p.flags = p.outside
	p.group, p.outer = p.outer[len(p.outer)-1], p.outer[:len(p.outer)-1]
	p.now = append(p.now, n)
	p.literal = false
}

// special reads what follows "(?".
func (p *parser) special(from int) {
	if p.eat("P<") || p.eat("<") {
		if strings.HasPrefix(p.src[p.at:], "=") || strings.HasPrefix(p.src[p.at:], "!") {
			p.at++
			p.fail(Group, from, "there is no look-around")
		}
		name, _, ok := strings.Cut(p.src[p.at:], ">")
		if !ok || name == "" || strings.ContainsFunc(name, func(r rune) bool { return r != '_' && !alphanumeric(r) }) {
			p.fail(Syntax, from, "a group's name must be of letters, digits and _, between < and >")
		}
		p.at += len(name) + 1
		p.open(from, true, p.flags)
		return
	}
	inside, off, some := p.flags, false, true
	for {
		var f flags
		r := p.next()
		switch r {
		case 'i':
			f = fold
		case 'm':
			f = lines
		case 's':
			f = dotNL
		case 'U':
			f = lazy
		case ':', ')':
			if !some {
				p.fail(Group, from, "no flag follows the -")
			}
			if r == ':' {
				p.open(from, false, inside)
			} else {
				p.flags = inside
			}
			return
		case '-':
			if off {
				p.fail(Group, from, "a second -")
			}
			off, some = true, false
			continue
		case '=', '!':
			p.fail(Group, from, "there is no look-around")
		default:
			p.fail(Group, from, "there is no such group; there are (?:…), (?<name>…) and the flags i, m, s and U, as (?i)")
		}
		some = true
		if off {
			inside &^= f
		} else {
			inside |= f
		}
	}
}

// repeat lets the node that was read last be repeated.
func (p *parser) repeat(from, least, most int, counted string) {
	greedy := !p.eat("?")
	if counted != "" {
		p.fail(Limit, from-len(counted), "a repetition of a repetition; put (?:…) around the inner one")
	}
	if len(p.now) == 0 {
		p.fail(Syntax, from, "there is nothing to repeat")
	}
	last := &p.now[len(p.now)-1]
	if n := *last; p.literal && len(n.Text) > 1 {
		end := len(n.Text) - 1
		p.now = append(p.now, p.made(&Node{Op: Literal, Text: n.Text[end:], Fold: n.Fold}))
		n.Text = n.Text[:end:end]
		n.size--
		last = &p.now[len(p.now)-1]
	}
	n := &Node{Op: Repeat, Min: int16(least), Max: int16(most), Lazy: greedy == (p.flags&lazy != 0), Subs: []*Node{*last}}
	*last = p.made(n)
	if times := max(least, most); times >= 2 {
		n.copies *= int32(times)
	}
	if most == 0 {
		n.copies = 1
	}
	if n.copies > maxCount && max(least, most) >= 2 {
		p.fail(Limit, from, "repetitions within repetitions are more than 1000 in all")
	}
	p.counted = p.src[from:p.at]
	p.literal = false
}

// counts reads what follows a brace. One that does not start a repetition is an ordinary character.
func (p *parser) counts() (least, most int, ok bool) {
	from := p.at
	least, ok = p.count()
	most = least
	if ok && p.eat(",") {
		if most, ok = p.count(); !ok {
			most, ok = -1, p.at < len(p.src) && p.src[p.at] == '}'
		}
	}
	if !ok || !p.eat("}") {
		p.at = from
		return 0, 0, false
	}
	switch {
	case least > maxCount || most > maxCount:
		p.fail(Limit, from-1, "a count is at most 1000")
	case most >= 0 && least > most:
		p.fail(Limit, from-1, "the counts are out of order")
	}
	return least, most, true
}

// count reads a number without zeros before it. It stops growing when it is too large.
func (p *parser) count() (n int, ok bool) {
	from := p.at
	for p.at < len(p.src) && '0' <= p.src[p.at] && p.src[p.at] <= '9' {
		n = min(n*10+int(p.src[p.at]-'0'), maxCount+1)
		p.at++
	}
	if p.at == from || p.at > from+1 && p.src[from] == '0' {
		p.at = from
		return 0, false
	}
	return n, true
}
