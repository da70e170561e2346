// Package jsregexp matches short names against regular expressions as JavaScript reads them.
//
//	re, err := jsregexp.Compile(`^mcp__(?!github)`)
//	if err != nil {
//		… // JavaScript would throw a SyntaxError
//	}
//	ok, err := re.Match("mcp__slack__post")
//
// Matchers are written for clients that call new RegExp(pattern).test(name). Package regexp has another syntax: it has
// no lookaround and no back references, and it accepts (?i).
//
// The engine is github.com/dlclark/regexp2 in its ECMAScript mode. This package adds two rules that the mode lacks:
// pattern and text are UTF-16, so an astral character is two units, and syntax of other languages after "(?" is an
// error. Modifiers such as (?i:a) are an error, as before ECMAScript 2025. Invalid UTF-8 bytes count as U+FFFD.
//
// Guarantees: Compile returns an error only if JavaScript throws a SyntaxError. Match gives up after about 50
// milliseconds (100 on a busy machine), and its stack stays under a megabyte.
//
// Not guaranteed: an answer. A pattern can be too hard (ErrTooHard). This includes every pattern that is longer than 64
// KiB, is nested more than 50 deep, has more than 500 groups, has more than 4 KiB in one class, refers back to a group,
// or has a group with an unusual or repeated name. Callers count a hard pattern as a match, so the gate runs.
package jsregexp

import (
	"errors"
	"fmt"
	"sync"
	"time"
	"unicode/utf16"

	"github.com/dlclark/regexp2"
	"github.com/dlclark/regexp2/syntax"
)

// ErrTooHard means that a match takes too long. The pattern may match or not.
var ErrTooHard = errors.New("the pattern takes too long to match")

var errDoubt = errors.New("it refers back to a group, or has a group with an unusual or repeated name")

// A pattern beyond these limits takes the engine too long to compile, and counts as too hard.
const (
	maxPattern = 64 << 10 // bytes
	maxDepth   = 50       // of parentheses
	maxGroups  = 500
	maxClass   = 4 << 10   // bytes between [ and ]
	maxText    = 1_000_000 // bytes; larger counts in a pattern are reduced to maxText
	maxTime    = 50 * time.Millisecond
)

// setClock sets how often the engine checks the time.
var setClock sync.Once

// Regexp is a compiled pattern. It is safe for use by several goroutines at once.
type Regexp struct {
	engine *regexp2.Regexp // nil: the pattern is too hard
	doubt  error
}

// Compile compiles a pattern. It returns an error if JavaScript would throw a SyntaxError.
func Compile(pattern string) (*Regexp, error) {
	if len(pattern) > maxPattern {
		return &Regexp{}, nil
	}
	t := translator{pattern: pattern, named: namedGroup.Get().MatchString(pattern)}
	translated, err := t.translate()
	if err != nil {
		return nil, err
	}
	if t.depth > maxDepth || t.groups > maxGroups || t.class > maxClass {
		return &Regexp{}, nil
	}
	setClock.Do(func() { regexp2.SetTimeoutCheckPeriod(10 * time.Millisecond) })
	engine, err := regexp2.Compile(translated, regexp2.ECMAScript)
	switch {
	case err == nil && (t.mayDiffer || t.hasRefs && t.groups > 0):
		return &Regexp{doubt: errDoubt}, nil
	case err == nil:
		engine.MatchTimeout = maxTime
		return &Regexp{engine: engine}, nil
	}
	fault, ok := errors.AsType[*syntax.Error](err)
	if !ok || fault.Code == syntax.ErrInternalError || fault.Code == syntax.ErrCaptureGroupOutOfRange {
		return &Regexp{}, nil // JavaScript may accept what the engine cannot read
	}
	text := fault.Code.String()
	if len(fault.Args) > 0 {
		text = fmt.Sprintf(text, fault.Args...)
	}
	return nil, errors.New(text)
}

// Doubt returns an error if the engine may read the pattern differently from JavaScript. Then Match returns ErrTooHard.
func (r *Regexp) Doubt() error { return r.doubt }

// Match reports whether the pattern matches somewhere in text. err is ErrTooHard if the match takes too long.
func (r *Regexp) Match(text string) (bool, error) {
	if r.engine == nil || len(text) > maxText {
		return false, ErrTooHard
	}
	units := make([]rune, 0, len(text))
	for _, u := range utf16.Encode([]rune(text)) {
		units = append(units, character(u))
	}
	matches, err := r.engine.MatchRunes(units)
	if err != nil {
		return false, ErrTooHard // out of time or stack
	}
	return matches, nil
}
