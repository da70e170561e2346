// Package jsregexp matches short names against regular expressions as JavaScript reads them.
//
//	re, err := jsregexp.Compile(`^mcp__(?!github)`)
//	if err != nil {
//		… // JavaScript would throw a SyntaxError
//	}
//	ok, err := re.Match("mcp__slack__post")
//
// It exists because matchers are written for a program that does new RegExp(pattern).test(name). The syntax of package
// regexp differs: it has no lookaround and no back references, and it takes (?i).
//
// A pattern means what ECMAScript 2025 with its Annex B (the legacy syntax of the web) says of one without any flag:
// case counts, ^ and $ are the ends of the text, and both pattern and text are UTF-16, so that an astral character is
// two units. Bytes that are no UTF-8 count as U+FFFD. Modifiers, as in (?i:a), are an error, as they were before 2025.
//
// Compile guarantees: time and memory about linear in the pattern, whatever the counts in it. Match guarantees: at most
// a fixed number of steps, which is some milliseconds, memory in proportion to them and to the text, and no recursion.
//
// It does not guarantee an answer: a pattern can be too hard (ErrTooHard). A pattern that is longer than 1 MiB, nested
// more than 1000 deep or has more than 32767 capturing groups is an error, although JavaScript may take it.
package jsregexp

import (
	"errors"
	"unicode/utf16"

	"github.com/hookrun/hookrun/internal/spans"
)

// ErrTooHard is the error of a match that used up its steps. It says nothing about whether the pattern matches.
var ErrTooHard = errors.New("the pattern takes too many steps to match")

const (
	maxPattern = 1 << 20 // bytes
	maxDepth   = 1000    // of parentheses
	maxGroups  = 32767   // as in V8
	maxSteps   = 300_000 // of one Match
)

// Regexp is a compiled pattern. It is safe for use by several goroutines at once.
type Regexp struct {
	code   []inst
	sets   []spans.Set
	refs   [][]int32 // the groups that a back reference can mean
	groups int32
	regs   int32 // of captures, loops and lookarounds
}

// Compile reads a pattern. An error is what JavaScript would throw a SyntaxError for, in plain words.
func Compile(pattern string) (re *Regexp, err error) {
	if len(pattern) > maxPattern {
		return nil, errors.New("the pattern is longer than 1 MiB")
	}
	p := parser{src: utf16.Encode([]rune(pattern))}
	defer func() {
		if r := recover(); r != nil {
			fault, ok := r.(syntaxError)
			if !ok {
				panic(r)
			}
			re, err = nil, fault
		}
	}()
	tree := p.pattern()
	// No pattern has more instructions for its length than a*a*a*, five for two units.
	e := emitter{code: make([]inst, 0, len(p.src)/2*5+2), regs: 2 * (p.groups + 1)}
	e.emit(tree, false)
	e.add(inst{op: opMatch})
	return &Regexp{code: e.code, sets: p.sets, refs: p.refs, groups: p.groups, regs: e.regs}, nil
}

// Match reports whether the pattern matches somewhere in text. err is ErrTooHard when that was not found out in time.
func (r *Regexp) Match(text string) (bool, error) {
	if len(text) > maxSteps {
		return false, ErrTooHard // to look at every place would take more steps than there are
	}
	m := matcher{Regexp: r, text: utf16.Encode([]rune(text)), regs: make([]int32, r.regs), steps: maxSteps}
	for i := range m.regs[:2*(r.groups+1)] {
		m.regs[i] = unset
	}
	for at := 0; at <= len(m.text); at++ {
		if m.run(int32(at)) {
			return true, nil
		}
		if m.steps < 0 {
			return false, ErrTooHard
		}
	}
	return false, nil
}
