// Package strictjson finds the faults of a JSON document and their positions.
//
//	for _, f := range strictjson.Check(doc, 64) {
//		line, col := strictjson.Position(doc, f.Offset)
//		…
//	}
//
// Two parsers can read one document differently: of two equal keys encoding/json takes the last and gjson the first.
// Then a gate could be bypassed, if it reads another key than the tool. All parsers read a document without faults
// alike.
//
// No library finds all faults: encoding/json and jsontext stop at the first, and gjson finds none. Reading the document
// again to find the others would need a second parser.
//
// Guarantees: Check makes one pass, in time linear in the document, and memory linear in the depth and the keys of the
// open objects. It accepts exactly the language of RFC 8259, but does not check UTF-8: see InvalidUTF8.
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
	Text   string // lower case, with the fix if known
	Key    string // of a Duplicate
}

// Kind distinguishes faults for callers that accept some of them.
type Kind int

const (
	Syntax    Kind = iota // not JSON; Check stops here
	Depth                 // nested deeper than allowed; Check stops here
	Duplicate             // the object has the key already
)

// Check returns the faults of doc in order: every duplicate key, and at most one fault of syntax or depth as the last.
// Arrays and objects may be nested maxDepth deep.
func Check(doc string, maxDepth int) []Fault {
	s := scanner{doc: doc, maxDepth: maxDepth}
	s.run(s.document)
	return s.faults
}

// EndOfFirst returns the end of the value at the start of doc, and ignores the text after the value. It returns 0 if
// the value has a fault of syntax or depth.
func EndOfFirst(doc string, maxDepth int) int {
	s := scanner{doc: doc, maxDepth: maxDepth}
	if !s.run(func() { s.value(0) }) {
		return 0
	}
	return s.at
}

// stop is the panic value that ends a scan. The panic never leaves this package.
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

// run runs a part of the scan, and reports whether no fault ended the scan.
func (s *scanner) run(part func()) (ok bool) {
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

// value reads a value. depth is the number of open arrays and objects around the value.
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

// keys are the decoded keys of an open object. The first 16 are compared in a loop, because a map costs more.
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

// peek returns the current byte, or 0 at the end. JSON never contains NUL, so 0 is unambiguous.
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

// found names the current character for a message.
func (s *scanner) found() string {
	if s.at >= len(s.doc) {
		return "the end of the document"
	}
	if r, n := utf8.DecodeRuneInString(s.doc[s.at:]); r != utf8.RuneError || n > 1 {
		return fmt.Sprintf("%q", r)
	}
	return fmt.Sprintf("byte 0x%02x", s.doc[s.at])
}

// duplicateText is the message of a Duplicate.
const duplicateText = "the key %q is there twice in one object"

func (s *scanner) key(seen *keys) {
	start := s.at
	if s.peek() != '"' {
		s.unexpected("a key in double quotes")
	}
	raw, escaped := s.text()
	key := raw[1 : len(raw)-1]
	if escaped {
		key = Text(raw)
	}
	if !seen.add(key) {
		text := fmt.Sprintf(duplicateText+"; keep one", key)
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
		s.unexpected("a value")
	}
}

// unexpected fails because the current character does not begin the expected token.
func (s *scanner) unexpected(expected string) {
	switch s.peek() {
	case '\'':
		s.fail(s.at, Syntax, "JSON takes double quotes, not single ones")
	case '/', '#':
		s.fail(s.at, Syntax, "JSON has no comments; put the text under a key that starts with \"x-\"")
	}
	s.fail(s.at, Syntax, "expected %s, found %s", expected, s.found())
}

// text reads a string and returns the source text with quotes. escaped is true if the text has an escape.
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

// digits skips a run of digits, and reports whether the run has a digit.
func (s *scanner) digits() bool {
	start := s.at
	for s.at < len(s.doc) && '0' <= s.doc[s.at] && s.doc[s.at] <= '9' {
		s.at++
	}
	return s.at > start
}
