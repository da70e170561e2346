// Package strictjson finds the faults of a JSON document and their positions.
//
//	for _, f := range strictjson.Check(doc, 64) {
//		line, col := strictjson.Position(doc, f.Offset)
//		…
//	}
//
// It exists because two readers of one document can disagree: of two equal keys encoding/json takes the last and gjson
// the first. If a gate reads one and the tool the other, the gate can be bypassed. All readers read a document without
// faults alike.
//
// No library does this. encoding/json and jsontext stop at the first fault, gjson finds none, and reading the document
// again to find the others would need a second reader.
//
// Guarantees: Check makes one pass, in time linear in the document, and memory linear in the depth and the keys of the
// open objects. It accepts exactly the language of RFC 8259. It does not check UTF-8: see InvalidUTF8.
package strictjson

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Fault is one fault of a document.
type Fault struct {
	Offset int // in bytes, from 0
	Kind   Kind
	Text   string // lower case; says how to fix it where that is known
	Key    string // of a Duplicate
}

// Kind distinguishes faults for callers that accept some of them.
type Kind int

const (
	Syntax    Kind = iota // not JSON; Check stops here
	Depth                 // nested deeper than allowed; Check stops here
	Duplicate             // a key that its object already has
)

// Check returns the faults of doc in order: every duplicate key, and at most one fault of syntax or depth as the last.
// Arrays and objects may be nested maxDepth deep.
func Check(doc string, maxDepth int) []Fault {
	s := scanner{doc: doc, maxDepth: maxDepth}
	s.until(s.document)
	return s.faults
}

// EndOfFirst returns where the value ends that doc begins with, whatever follows it: 0 if that value has a fault of
// syntax or depth.
func EndOfFirst(doc string, maxDepth int) int {
	s := scanner{doc: doc, maxDepth: maxDepth}
	if !s.until(func() { s.value(0) }) {
		return 0
	}
	return s.at
}

// stop is the panic value that ends a scan. It never leaves this package.
type stop struct{}

type scanner struct {
	doc      string
	at       int
	maxDepth int
	faults   []Fault
}

func (s *scanner) fail(offset int, kind Kind, format string, args ...any) {
	s.faults = append(s.faults, Fault{Offset: offset, Kind: kind, Text: fmt.Sprintf(format, args...)})
	panic(stop{})
}

// until runs a part of the scan, and reports whether it found no fault that ends it.
func (s *scanner) until(part func()) (ok bool) {
	defer func() {
		if r := recover(); r != nil && r != (stop{}) {
			panic(r)
		}
	}()
	part()
	return true
}

func (s *scanner) document() {
	s.value(0)
	if s.space(); s.at < len(s.doc) {
		s.fail(s.at, Syntax, "unexpected %s after the end of the document; remove it", s.found())
	}
}

// value reads a value. depth is the number of open arrays and objects around it.
func (s *scanner) value(depth int) {
	s.space()
	bracket, opened := s.peek(), s.at
	if bracket != '{' && bracket != '[' {
		s.scalar(depth > 0)
		return
	}
	if depth == s.maxDepth {
		s.fail(s.at, Depth, "nested more than %d deep", s.maxDepth)
	}
	closing := bracket + 2 // in ASCII, for both
	s.at++
	if s.space(); s.peek() == closing {
		s.at++
		return
	}
	var seen keys
	for {
		if bracket == '{' {
			s.key(&seen)
		}
		s.value(depth + 1)
		switch s.space(); {
		case s.peek() == closing:
			s.at++
			return
		case s.at >= len(s.doc):
			line, col := Position(s.doc, opened)
			s.fail(s.at, Syntax, "the document ends too early: '%c' of %d:%d is never closed", bracket, line, col)
		case s.peek() != ',':
			s.fail(s.at, Syntax, "expected ',' or '%c', found %s", closing, s.found())
		}
		comma := s.at
		s.at++
		if s.space(); s.peek() == closing {
			s.fail(comma, Syntax, "a comma before '%c'; remove it", closing)
		}
	}
}

// keys are the decoded keys of an open object. The first ones are compared one by one, which is cheaper than a map.
type keys struct {
	few  []string
	many map[string]bool
}

// add reports whether a key is new.
func (k *keys) add(key string) bool {
	if slices.Contains(k.few, key) || k.many[key] {
		return false
	}
	if len(k.few) < 16 {
		k.few = append(k.few, key)
		return true
	}
	if k.many == nil {
		k.many = map[string]bool{}
	}
	k.many[key] = true
	return true
}

// peek returns the current byte, or 0 at the end. JSON has no NUL anywhere, so 0 is unambiguous.
func (s *scanner) peek() byte {
	if s.at < len(s.doc) {
		return s.doc[s.at]
	}
	return 0
}

func (s *scanner) space() {
	for s.at < len(s.doc) && isSpace(s.doc[s.at]) {
		s.at++
	}
}

// found names what stands at the offset, for a message.
func (s *scanner) found() string {
	if s.at >= len(s.doc) {
		return "the end of the document"
	}
	if r, n := utf8.DecodeRuneInString(s.doc[s.at:]); r != utf8.RuneError || n > 1 {
		return fmt.Sprintf("%q", r)
	}
	return fmt.Sprintf("byte 0x%02x", s.doc[s.at])
}

// twice says what is wrong with a Duplicate.
const twice = "the key %q is there twice in one object"

func (s *scanner) key(seen *keys) {
	start := s.at
	if s.peek() != '"' {
		s.noJSON("a key in double quotes")
	}
	raw, escaped := s.text()
	key := raw[1 : len(raw)-1]
	if escaped {
		key = Text(raw)
	}
	if !seen.add(key) {
		text := fmt.Sprintf(twice+"; keep one", key)
		s.faults = append(s.faults, Fault{Offset: start, Kind: Duplicate, Text: text, Key: key})
	}
	if s.space(); s.peek() != ':' {
		s.fail(s.at, Syntax, "expected ':' after the key, found %s", s.found())
	}
	s.at++
}

// scalar reads a string, a number or a literal. inside is false for the document's top value.
func (s *scanner) scalar(inside bool) {
	switch c := s.peek(); {
	case c == '"':
		s.text()
	case c == '-' || '0' <= c && c <= '9':
		s.number()
	case s.at >= len(s.doc) && inside:
		s.fail(s.at, Syntax, "the document ends too early: a value is missing")
	case s.at >= len(s.doc):
		s.fail(s.at, Syntax, "the document is empty")
	default:
		for _, word := range []string{"true", "false", "null"} {
			if strings.HasPrefix(s.doc[s.at:], word) {
				s.at += len(word)
				return
			}
		}
		s.noJSON("a value")
	}
}

// noJSON fails because something else than expected was found.
func (s *scanner) noJSON(expected string) {
	switch s.peek() {
	case '\'':
		s.fail(s.at, Syntax, "JSON takes double quotes, not single ones")
	case '/', '#':
		s.fail(s.at, Syntax, "JSON has no comments; put the text under a key that starts with \"x-\"")
	}
	s.fail(s.at, Syntax, "expected %s, found %s", expected, s.found())
}

// text reads a string and returns it as written, with its quotes.
func (s *scanner) text() (raw string, escaped bool) {
	start := s.at
	s.at++
	for {
		s.at += Plain(s.doc[s.at:])
		if s.at >= len(s.doc) {
			s.fail(start, Syntax, "this string is never closed")
		}
		switch c := s.doc[s.at]; {
		case c == '"':
			s.at++
			return s.doc[start:s.at], escaped
		case c == '\\':
			escaped = true
			s.escape()
		case c < ' ':
			s.fail(s.at, Syntax, "a raw control character in a string; write it as \\u%04x", c)
		default: // not ASCII
			s.at++
		}
	}
}

func (s *scanner) escape() {
	if s.at+1 < len(s.doc) {
		switch s.doc[s.at+1] {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			s.at += 2
			return
		case 'u':
			if end := s.at + 6; end <= len(s.doc) && strings.Trim(s.doc[s.at+2:end], "0123456789abcdefABCDEF") == "" {
				s.at = end
				return
			}
		}
	}
	s.fail(s.at, Syntax, "not an escape of JSON; write a backslash as \\\\")
}

func (s *scanner) number() {
	start := s.at
	if s.peek() == '-' {
		s.at++
	}
	switch {
	case s.peek() == '0':
		s.at++
	case !s.digits():
		s.fail(start, Syntax, "not a number")
	}
	if s.peek() == '.' {
		s.at++
		if !s.digits() {
			s.fail(start, Syntax, "not a number: no digit after the point")
		}
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.at++
		if c := s.peek(); c == '+' || c == '-' {
			s.at++
		}
		if !s.digits() {
			s.fail(start, Syntax, "not a number: no digit in the exponent")
		}
	}
	if c := s.peek(); '0' <= c && c <= '9' {
		s.fail(start, Syntax, "not a number: it starts with 0")
	}
}

// digits skips a run of digits and reports whether there was one.
func (s *scanner) digits() bool {
	start := s.at
	for s.at < len(s.doc) && '0' <= s.doc[s.at] && s.doc[s.at] <= '9' {
		s.at++
	}
	return s.at > start
}
