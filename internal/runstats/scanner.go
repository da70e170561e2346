package runstats

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strconv"

	"github.com/hookrun/hookrun/internal/strictjson"
)

// scanner reads one JSON document from front to back, once, and takes nothing that is no JSON. At a fault, or at a value of
// another type than was asked for, bad is set; from there on every method does nothing and returns nothing, so a reader needs
// to look only at its end.
//
// It exists for speed: of a line it allocates nothing, and a log has millions of them.
type scanner struct {
	doc   []byte
	at    int
	depth int
	bad   bool
}

// maxDepth is encoding/json's own limit.
const maxDepth = 10_000

func (s *scanner) fail() {
	s.bad, s.at = true, len(s.doc)
}

// peek returns the next byte that is no white space, 0 at the end.
func (s *scanner) peek() byte {
	if s.at < len(s.doc) && s.doc[s.at] > ' ' {
		return s.doc[s.at]
	}
	return s.space()
}

func (s *scanner) space() byte {
	for s.at < len(s.doc) {
		switch c := s.doc[s.at]; c {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return c
		}
	}
	return 0
}

// open begins an object or an array, and reports whether anything is in it:
//
//	for in := s.open('{'); in; in = s.next('}') {
//		switch string(s.key()) { … }
//	}
func (s *scanner) open(bracket byte) bool {
	if s.peek() != bracket || s.depth >= maxDepth {
		s.fail()
		return false
	}
	s.at++
	s.depth++
	if s.peek() == bracket+2 { // as } is to {, and ] to [
		s.at++
		s.depth--
		return false
	}
	return !s.bad
}

// next goes on behind a member or an element, and reports whether there is another.
func (s *scanner) next(bracket byte) bool {
	switch c := s.peek(); {
	case s.bad:
	case c == ',':
		s.at++
		return true
	case c == bracket:
		s.at++
		s.depth--
	default:
		s.fail()
	}
	return false
}

// end reports whether the document was JSON, and is over.
func (s *scanner) end() bool { return s.peek() == 0 && s.at == len(s.doc) && !s.bad }

// key reads the key of a member, as it reads without escapes.
func (s *scanner) key() []byte {
	raw, escaped := s.quoted()
	if s.peek() != ':' {
		s.fail()
	}
	if s.bad {
		return nil
	}
	s.at++
	if escaped {
		return []byte(strictjson.Text(string(raw)))
	}
	return raw[1 : len(raw)-1]
}

// text reads a string, and returns it as it stands, with its quotes.
func (s *scanner) text() []byte {
	raw, _ := s.quoted()
	return raw
}

// quoted reads a string, and says whether it has escapes.
func (s *scanner) quoted() (raw []byte, escaped bool) {
	if s.peek() != '"' {
		s.fail()
		return nil, false
	}
	for i := s.at + 1; ; {
		i += plain(s.doc[i:])
		if i >= len(s.doc) {
			break
		}
		if c := s.doc[i]; c == '"' {
			raw, s.at = s.doc[s.at:i+1], i+1
			return raw, escaped
		} else if c != '\\' {
			break // a raw control character
		}
		escaped = true
		n := escape(s.doc[i:])
		if n == 0 {
			break
		}
		i += n
	}
	s.fail()
	return nil, false
}

// escape returns the length of the escape that b begins with, 0 if it is none.
func escape(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		for i := 2; i < 6; i++ {
			if i >= len(b) || !isHex(b[i]) {
				return 0
			}
		}
		return 6
	}
	return 0
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// plain returns how much of b stands for itself in a string. It looks at eight bytes at once.
func plain(b []byte) int {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		quote, slash := w^(ones*'"'), w^(ones*'\\')
		// A byte under x borrows from its high bit in w-ones*x. What is borrowed from the byte above may mark that one wrongly, but
		// never the lowest.
		if stops := ((w-ones*' ')&^w | (quote-ones)&^quote | (slash-ones)&^slash) & high; stops != 0 {
			return i + bits.TrailingZeros64(stops)/8
		}
	}
	for ; i < len(b); i++ {
		if c := b[i]; c < ' ' || c == '"' || c == '\\' {
			break
		}
	}
	return i
}

// value reads any value, and returns it as it stands.
func (s *scanner) value() []byte {
	first := s.peek()
	start := s.at
	switch {
	case first == '"':
		return s.text()
	case first == '{':
		for in := s.open('{'); in; in = s.next('}') {
			s.key()
			s.value()
		}
	case first == '[':
		for in := s.open('['); in; in = s.next(']') {
			s.value()
		}
	case first == '-' || '0' <= first && first <= '9':
		return s.digits()
	case bytes.HasPrefix(s.doc[start:], []byte("true")), bytes.HasPrefix(s.doc[start:], []byte("null")):
		s.at += 4
	case bytes.HasPrefix(s.doc[start:], []byte("false")):
		s.at += 5
	default:
		s.fail()
	}
	if s.bad {
		return nil
	}
	return s.doc[start:s.at]
}

// flag reads true or false.
func (s *scanner) flag() bool {
	switch s.peek() {
	case 't':
		return s.value() != nil
	case 'f':
		s.value()
	default:
		s.fail()
	}
	return false
}

// number reads a number.
func (s *scanner) number() float64 {
	s.peek()
	raw := s.digits()
	if s.bad {
		return 0
	}
	// Up to 15 digits, all powers of ten that can occur are exact, and so is the quotient as far as a float64 goes.
	if len(raw) <= 15 {
		whole, scale, point := 0, 1, false
		for _, c := range raw {
			switch {
			case '0' <= c && c <= '9':
				whole = whole*10 + int(c-'0')
				if point {
					scale *= 10
				}
			case c == '.':
				point = true
			default:
				scale = 0
			}
		}
		if scale > 0 {
			return float64(whole) / float64(scale)
		}
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil { // no float64 is as large
		s.fail()
		return 0
	}
	return f
}

// digits reads a number, and returns it as it stands.
func (s *scanner) digits() []byte {
	start := s.at
	run := func() bool {
		from := s.at
		for s.at < len(s.doc) && '0' <= s.doc[s.at] && s.doc[s.at] <= '9' {
			s.at++
		}
		return s.at > from
	}
	if s.here('-') {
		s.at++
	}
	if s.here('0') {
		s.at++
	} else if !run() {
		s.fail()
		return nil
	}
	if s.here('.') {
		s.at++
		if !run() {
			s.fail()
			return nil
		}
	}
	if s.here('e') || s.here('E') {
		s.at++
		if s.here('+') || s.here('-') {
			s.at++
		}
		if !run() {
			s.fail()
			return nil
		}
	}
	return s.doc[start:s.at]
}

func (s *scanner) here(c byte) bool { return s.at < len(s.doc) && s.doc[s.at] == c }
