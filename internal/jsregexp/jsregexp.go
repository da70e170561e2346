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
// The engine is github.com/dlclark/regexp2/v2 in its ECMAScript mode. This package adds what that mode has otherwise:
// pattern and text are UTF-16, so that an astral character is two units, and what only other languages have after "(?"
// is an error. Modifiers, as in (?i:a), are an error, as they were before ECMAScript 2025. Bytes that are no UTF-8
// count as U+FFFD.
//
// Compile guarantees: an error is what JavaScript throws a SyntaxError for. Match guarantees: it gives up after some 50
// milliseconds (100 on a busy machine), and its stack stays under a megabyte.
//
// It does not guarantee an answer: a pattern can be too hard (ErrTooHard). A pattern that is longer than 64 KiB, is
// nested more than 50 deep, has more than 500 groups or has more than 4 KiB in one class is not tried at all. Callers
// count what is too hard as a match, so that a gate runs.
package jsregexp

import (
	"errors"
	"fmt"
	"time"
	"unicode/utf16"

	"github.com/dlclark/regexp2/v2"
	"github.com/dlclark/regexp2/v2/syntax"
)

// ErrTooHard is the error of a match that takes too long. It says nothing about whether the pattern matches.
var ErrTooHard = errors.New("the pattern takes too long to match")

// What takes the engine too long to compile is too hard.
const (
	maxPattern = 64 << 10 // bytes
	maxDepth   = 50       // of parentheses
	maxGroups  = 500
	maxClass   = 4 << 10   // bytes between [ and ]
	maxText    = 1_000_000 // bytes; a larger count of a pattern is cut to this
	maxTime    = 50 * time.Millisecond
)

func init() {
	// The engine looks at its clock as often as this.
	regexp2.SetTimeoutCheckPeriod(10 * time.Millisecond)
}

// Regexp is a compiled pattern. It is safe for use by several goroutines at once.
type Regexp struct {
	engine *regexp2.Regexp // nil: the pattern is too hard
}

// Compile reads a pattern. An error is what JavaScript would throw a SyntaxError for.
func Compile(pattern string) (*Regexp, error) {
	if len(pattern) > maxPattern {
		return &Regexp{}, nil
	}
	t := translator{pattern: pattern, named: namedGroup().MatchString(pattern)}
	translated, err := t.translate()
	if err != nil {
		return nil, err
	}
	if t.depth > maxDepth || t.groups > maxGroups || t.class > maxClass {
		return &Regexp{}, nil
	}
	engine, err := regexp2.Compile(translated, regexp2.ECMAScript)
	if err == nil {
		engine.MatchTimeout = maxTime
		return &Regexp{engine}, nil
	}
	fault, ok := errors.AsType[*syntax.Error](err)
	if !ok || fault.Code == syntax.ErrInternalError || fault.Code == syntax.ErrCaptureGroupOutOfRange {
		return &Regexp{}, nil // JavaScript may read what the engine cannot
	}
	text := fault.Code.String()
	if len(fault.Args) > 0 {
		text = fmt.Sprintf(text, fault.Args...)
	}
	return nil, errors.New(text)
}

// Match reports whether the pattern matches somewhere in text. err is ErrTooHard when that was not found out in time.
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
		return false, ErrTooHard // the time or the stack is used up
	}
	return matches, nil
}
