package re2

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/hookrun/hookrun/internal/spans"
)

type opcode uint8

const (
	opRune opcode = iota
	opSet
	opSplit // goes on at next, and if that leads nowhere at other
	opPlace // goes on where the place is as place says
	opMatch
)

// inst is an instruction.
type inst struct {
	op    opcode
	place Op
	next  int32
	other int32 // opSplit; opSet: the set; opRune: the character
}

// set is a set with a fast way for ASCII.
type set struct {
	ascii [2]uint64
	all   spans.Set
}

func (s *set) has(r rune) bool {
	if uint32(r) < 0x80 {
		return s.ascii[r>>6]&(1<<(r&63)) != 0
	}
	return s.all.Has(r)
}

// program is a compiled expression.
type program struct {
	code     []inst
	sets     []set
	folds    map[rune]int32 // the sets of characters whose case does not count
	start    int32
	anchored bool       // it matches at the beginning alone
	prefix   string     // every match begins with it
	begins   *[256]bool // every match begins with one of these bytes; nil: a match may be empty
	machines sync.Pool
}

func compile(n *Node) *program {
	p := &program{folds: map[rune]int32{}, code: make([]inst, 0, n.size+1)}
	p.start = p.emit(n, p.add(inst{op: opMatch}))
	p.anchored = p.code[p.start].op == opPlace && p.code[p.start].place == BeginText
	p.begins = p.firstBytes()
	for at := p.start; p.code[at].op == opRune; at = p.code[at].next {
		// What is no UTF-8 is U+FFFD, and looks different.
		r := p.code[at].other
		if !utf8.ValidRune(r) || r == utf8.RuneError {
			break
		}
		p.prefix += string(r)
		if len(p.prefix) > 64 {
			break
		}
	}
	return p
}

func (p *program) add(in inst) int32 {
	p.code = append(p.code, in)
	return int32(len(p.code) - 1)
}

// split adds a choice. Which way is tried first is for a repetition to say.
func (p *program) split(once, skip int32, lazy bool) int32 {
	if lazy {
		once, skip = skip, once
	}
	return p.add(inst{op: opSplit, next: once, other: skip})
}

// emit adds the instructions of a node, from its end to its beginning, and returns where they start. They go on at next.
func (p *program) emit(n *Node, next int32) int32 {
	switch n.Op {
	case Empty:
	case Literal:
		for _, r := range slices.Backward(n.Text) {
			next = p.character(r, n.Fold, next)
		}
	case Class:
		if n.set == 0 {
			n.set = p.newSet(n.Set)
		}
		next = p.add(inst{op: opSet, other: n.set - 1, next: next})
	case Concat:
		for _, sub := range slices.Backward(n.Subs) {
			next = p.emit(sub, next)
		}
	case Alternate:
		last := len(n.Subs) - 1
		start := p.emit(n.Subs[last], next)
		for _, sub := range slices.Backward(n.Subs[:last]) {
			start = p.add(inst{op: opSplit, next: p.emit(sub, next), other: start})
		}
		return start
	case Capture:
		return p.emit(n.Subs[0], next)
	case Repeat:
		return p.repeat(n, next)
	default:
		next = p.add(inst{op: opPlace, place: n.Op, next: next})
	}
	return next
}

func (p *program) character(r rune, fold bool, next int32) int32 {
	if fold {
		index, ok := p.folds[r]
		if !ok {
			if all := appendRune(nil, r, true); len(all) > 1 {
				index = p.newSet(spans.Union(all))
			}
			p.folds[r] = index
		}
		if index > 0 {
			return p.add(inst{op: opSet, other: index - 1, next: next})
		}
	}
	return p.add(inst{op: opRune, other: r, next: next})
}

// newSet returns 1 + the number of a set.
func (p *program) newSet(all spans.Set) int32 {
	s := set{all: all}
	for r := range rune(0x80) {
		if all.Has(r) {
			s.ascii[r>>6] |= 1 << (r & 63)
		}
	}
	p.sets = append(p.sets, s)
	return int32(len(p.sets))
}

func (p *program) repeat(n *Node, next int32) int32 {
	sub, least := n.Subs[0], int(n.Min)
	if n.Max < 0 {
		loop := p.split(0, next, n.Lazy)
		body := p.emit(sub, loop)
		if n.Lazy {
			p.code[loop].other = body
		} else {
			p.code[loop].next = body
		}
		switch {
		case least > 0:
			least--
			next = body
		case nullable(sub):
			// From the loop itself, a way through the body that takes nothing would come after all that take something.
			next = p.split(body, next, n.Lazy)
		default:
			next = loop
		}
	} else {
		end := next
		for range int(n.Max) - least {
			next = p.split(p.emit(sub, next), end, n.Lazy)
		}
	}
	for range least {
		next = p.emit(sub, next)
	}
	return next
}

// nullable reports whether a node can match the empty text.
func nullable(n *Node) bool {
	switch n.Op {
	case Literal, Class:
		return false
	case Concat:
		return !slices.ContainsFunc(n.Subs, func(sub *Node) bool { return !nullable(sub) })
	case Alternate:
		return slices.ContainsFunc(n.Subs, nullable)
	case Capture:
		return nullable(n.Subs[0])
	case Repeat:
		return n.Min == 0 || nullable(n.Subs[0])
	}
	return true
}

// firstBytes returns the bytes that a match may begin with.
func (p *program) firstBytes() *[256]bool {
	var begins [256]bool
	high := false
	seen := make([]bool, len(p.code))
	for todo := []int32{p.start}; len(todo) > 0; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[at] {
			continue
		}
		seen[at] = true
		switch in := &p.code[at]; in.op {
		case opMatch:
			return nil
		case opPlace:
			todo = append(todo, in.next)
		case opSplit:
			todo = append(todo, in.next, in.other)
		case opRune:
			high = high || in.other >= utf8.RuneSelf
			if in.other < utf8.RuneSelf {
				begins[in.other] = true
			}
		case opSet:
			s := &p.sets[in.other]
			high = high || len(s.all) > 0 && s.all[len(s.all)-1].Hi >= utf8.RuneSelf
			for r := range rune(utf8.RuneSelf) {
				begins[r] = begins[r] || s.has(r)
			}
		}
	}
	for b := utf8.RuneSelf; high && b < len(begins); b++ { // some character, or no UTF-8
		begins[b] = true
	}
	return &begins
}

// thread is a way through the program: where it is, and where its match begins.
type thread struct {
	at    int32
	start int
}

// machine goes through a text once, with all threads side by side. Of two at the same instruction only the first counts, so that
// there are never more of them than instructions.
type machine struct {
	now, next []thread // the earlier ones are better
	seen      []uint32 // by instruction: the round in which it was reached
	round     uint32
	todo      []int32
	matched   bool // a thread has come to the end
}

// find returns the first match that begins at a place or behind it. Without where, it only finds out whether there is one.
func (p *program) find(text string, from int, where bool) (start, end int, ok bool) {
	if p.anchored && from > 0 {
		return 0, 0, false
	}
	m, _ := p.machines.Get().(*machine)
	if m == nil {
		m = &machine{seen: make([]uint32, len(p.code))}
	}
	defer p.machines.Put(m)
	m.now, m.matched = m.now[:0], false
	for i := from; ; {
		if len(m.now) == 0 {
			if ok || p.anchored && i > 0 {
				return start, end, ok
			}
			if i = p.skip(text, i); i < 0 {
				return 0, 0, false
			}
			m.newRound() // the place is another one
		}
		r, size := rune(-1), 0
		if i < len(text) {
			if r, size = rune(text[i]), 1; r >= utf8.RuneSelf {
				r, size = utf8.DecodeRuneInString(text[i:])
			}
		}
		if !ok && (p.begins == nil || size > 0 && p.begins[text[i]]) {
			m.now = m.reach(p, m.now, thread{p.start, i}, text, i)
		}
		if m.matched && !where {
			return 0, 0, true
		}
		m.newRound()
		m.next = m.next[:0]
	threads:
		for _, t := range m.now {
			in := &p.code[t.at]
			switch in.op {
			case opMatch:
				start, end, ok = t.start, i, true
				break threads // those that follow are worse
			case opRune:
				if r != in.other {
					continue
				}
			case opSet:
				if r < 0 || !p.sets[in.other].has(r) {
					continue
				}
			}
			m.next = m.reach(p, m.next, thread{in.next, t.start}, text, i+size)
		}
		m.now, m.next = m.next, m.now
		if size == 0 {
			return start, end, ok
		}
		i += size
	}
}

// newRound forgets which instructions were reached.
func (m *machine) newRound() {
	if m.round++; m.round == 0 {
		clear(m.seen)
		m.round = 1
	}
}

// skip returns the next place where a match may begin, or -1.
func (p *program) skip(text string, i int) int {
	if p.prefix != "" {
		n := strings.Index(text[i:], p.prefix)
		if n < 0 {
			return -1
		}
		return i + n
	}
	if p.begins == nil {
		return i
	}
	for ; i < len(text); i++ {
		if p.begins[text[i]] {
			return i
		}
	}
	return -1
}

// reach adds the threads to which one leads before the next character.
func (m *machine) reach(p *program, threads []thread, t thread, text string, i int) []thread {
	for {
		if m.seen[t.at] != m.round {
			m.seen[t.at] = m.round
			in := &p.code[t.at]
			switch in.op {
			case opSplit:
				m.todo = append(m.todo, in.other)
				t.at = in.next
				continue
			case opPlace:
				if in.place.holds(text, i) {
					t.at = in.next
					continue
				}
			default:
				m.matched = m.matched || in.op == opMatch
				threads = append(threads, t)
			}
		}
		if len(m.todo) == 0 {
			return threads
		}
		t.at = m.todo[len(m.todo)-1]
		m.todo = m.todo[:len(m.todo)-1]
	}
}

// holds reports whether a place is of a kind.
func (o Op) holds(text string, i int) bool {
	switch o {
	case BeginText:
		return i == 0
	case EndText:
		return i == len(text)
	case BeginLine:
		return i == 0 || text[i-1] == '\n'
	case EndLine:
		return i == len(text) || text[i] == '\n'
	}
	return (word(text, i-1) != word(text, i)) == (o == WordEdge)
}

func word(text string, i int) bool {
	return 0 <= i && i < len(text) && (alphanumeric(rune(text[i])) || text[i] == '_')
}
