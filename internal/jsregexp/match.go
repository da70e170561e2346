package jsregexp

import "slices"

// inst is an instruction. What is not said below goes on with the instruction after it.
type inst struct {
	op   op
	back bool // matches the units before the place, not after it, as all of a lookbehind does
	flag bool // opTest: lazy; opLookStart, opLookEnd: negative
	unit uint16
	reg  int32 // opSave, loops and lookarounds; opSet, opRef: the number of the set or reference
	to   int32 // opJump, opSplit, opTest, opNext, opLookStart: the other instruction
	min  int32 // loops; opEnter: the first register of the captures inside
	max  int32 // opTest; opEnter: the register after the captures inside
}

type emitter struct {
	code []inst
	regs int32
}

func (e *emitter) add(in inst) (at int32) {
	e.code = append(e.code, in)
	return int32(len(e.code) - 1)
}

// land lets an instruction go to the next one to be added.
func (e *emitter) land(at int32) { e.code[at].to = int32(len(e.code)) }

// registers returns the first of two new ones.
func (e *emitter) registers() int32 {
	e.regs += 2
	return e.regs - 2
}

func (e *emitter) emit(n *node, back bool) {
	switch n.op {
	case opSeq:
		for i := range n.subs {
			if back {
				i = len(n.subs) - 1 - i
			}
			e.emit(n.subs[i], back)
		}
	case opAlt:
		var jumps []int32
		for _, sub := range n.subs[:len(n.subs)-1] {
			split := e.add(inst{op: opSplit})
			e.emit(sub, back)
			jumps = append(jumps, e.add(inst{op: opJump}))
			e.land(split)
		}
		e.emit(n.subs[len(n.subs)-1], back)
		for _, jump := range jumps {
			e.land(jump)
		}
	case opGroup:
		open, shut := 2*n.index, 2*n.index+1
		if back {
			open, shut = shut, open
		}
		e.add(inst{op: opSave, reg: open})
		e.emit(n.subs[0], back)
		e.add(inst{op: opSave, reg: shut})
	case opRepeat:
		if n.max == 0 {
			return
		}
		reg := e.registers()
		e.add(inst{op: opLoop, reg: reg})
		test := e.add(inst{op: opTest, reg: reg, min: n.min, max: n.max, flag: n.lazy})
		e.add(inst{op: opEnter, reg: reg, min: 2 * n.first, max: 2 * (n.last + 1)})
		e.emit(n.subs[0], back)
		e.add(inst{op: opNext, reg: reg, to: test, min: n.min})
		e.land(test)
	case opLook:
		reg := e.registers()
		start := e.add(inst{op: opLookStart, reg: reg, flag: n.negative})
		e.emit(n.subs[0], n.behind)
		e.add(inst{op: opLookEnd, reg: reg, flag: n.negative})
		e.land(start)
	default:
		e.add(inst{op: n.op, unit: n.unit, reg: n.index, back: back})
	}
}

// unset is the value of a capture that is not there.
const unset = -1

// frame is an entry of the stack for going back: an instruction and a place to go on from, or, where reg is not unset,
// the old value of a register.
type frame struct{ reg, value, at int32 }

// matcher is one Match. Its registers are a pair for each capture (start and end), for each loop (the count of
// iterations and where the latest began) and for each lookaround (the height of the stack and the place at its start).
type matcher struct {
	*Regexp
	text  []uint16
	regs  []int32
	stack []frame
	steps int
}

func (m *matcher) push(f frame) {
	if len(m.stack) == cap(m.stack) {
		m.stack = slices.Grow(m.stack, len(m.stack)+16) // append alone would copy a large stack more often
	}
	m.stack = append(m.stack, f)
}

func (m *matcher) choice(pc, at int32) { m.push(frame{unset, pc, at}) }

func (m *matcher) set(reg, value int32) {
	m.push(frame{reg, m.regs[reg], 0})
	m.regs[reg] = value
}

// undo takes frames from the stack down to a height, or, if it comes first, the latest choice, which it returns.
func (m *matcher) undo(height int, choices bool) (f frame, ok bool) {
	for len(m.stack) > height {
		f = m.stack[len(m.stack)-1]
		m.stack = m.stack[:len(m.stack)-1]
		if f.reg != unset {
			m.regs[f.reg] = f.value
		} else if choices {
			return f, true
		}
	}
	return f, false
}

// run reports whether the pattern matches at a place. It stops with less than no steps left when they are used up.
func (m *matcher) run(at int32) bool {
	var pc int32
	for {
		if m.steps--; m.steps < 0 {
			return false
		}
		in := &m.code[pc]
		pc++
		ok := true
		switch in.op {
		case opUnit, opSet:
			i := at
			if in.back {
				i--
				at--
			} else {
				at++
			}
			ok = 0 <= i && int(i) < len(m.text) &&
				(in.op == opUnit && m.text[i] == in.unit || in.op == opSet && m.sets[in.reg].Has(rune(m.text[i])))
		case opBegin:
			ok = at == 0
		case opEnd:
			ok = int(at) == len(m.text)
		case opWordEdge:
			ok = m.word(at-1) != m.word(at)
		case opNoWordEdge:
			ok = m.word(at-1) == m.word(at)
		case opRef:
			at, ok = m.reference(in, at)
		case opMatch:
			return true
		case opJump:
			pc = in.to
		case opSplit:
			m.choice(in.to, at)
		case opSave:
			m.set(in.reg, at)
		case opLoop:
			m.set(in.reg, 0)
		case opTest:
			count, least := m.regs[in.reg], m.least(in)
			switch {
			case count < least:
			case in.max != infinite && count-least >= in.max-in.min:
				pc = in.to
			case in.flag:
				m.choice(pc, at)
				pc = in.to
			default:
				m.choice(in.to, at)
			}
		case opEnter:
			m.set(in.reg+1, at)
			m.steps -= int(in.max-in.min) / 8
			for reg := in.min; reg < in.max; reg++ {
				if m.regs[reg] != unset {
					m.steps--
					m.set(reg, unset)
				}
			}
		case opNext:
			// An iteration that need not be and is empty does not count, or the loop would not end.
			count := m.regs[in.reg]
			if ok = count < m.least(in) || m.regs[in.reg+1] != at; ok {
				m.set(in.reg, count+1)
				pc = in.to
			}
		case opLookStart:
			m.regs[in.reg], m.regs[in.reg+1] = int32(len(m.stack)), at
			if in.flag {
				m.choice(in.to, at)
			}
		case opLookEnd:
			height := int(m.regs[in.reg])
			if in.flag {
				m.undo(height, false)
				ok = false
				break
			}
			// The way through is settled: its choices go, but what it captured can still be undone.
			at = m.regs[in.reg+1]
			m.steps -= (len(m.stack) - height) / 8
			kept := m.stack[:height]
			for _, f := range m.stack[height:] {
				if f.reg != unset {
					kept = append(kept, f)
				}
			}
			m.stack = kept
		}
		if !ok {
			f, again := m.undo(0, true)
			if !again {
				return false
			}
			pc, at = f.value, f.at
		}
	}
}

func (m *matcher) word(at int32) bool {
	return 0 <= at && int(at) < len(m.text) && word.Has(rune(m.text[at]))
}

// least returns how many iterations of a loop must be. More than there are units make no difference: at least one of
// them is empty then, and to repeat it or leave it out leads to the same places with the same captures, first to last.
func (m *matcher) least(in *inst) int32 { return min(in.min, int32(len(m.text))+1) }

// reference matches what a group captured. One that did not take part matches nothing, successfully.
func (m *matcher) reference(in *inst, at int32) (int32, bool) {
	for _, group := range m.refs[in.reg] {
		m.steps--
		start, end := m.regs[2*group], m.regs[2*group+1]
		if start == unset || end == unset {
			continue
		}
		n := end - start
		from, to := at, at+n
		if in.back {
			from, to = at-n, at
		}
		if from < 0 || int(to) > len(m.text) {
			return at, false
		}
		m.steps -= int(n) / 4
		for i := range n {
			if m.text[start+i] != m.text[from+i] {
				return at, false
			}
		}
		if in.back {
			return from, true
		}
		return to, true
	}
	return at, true
}
