package strictjson

import (
	"encoding/json"
	"fmt"
	"iter"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Position returns the line and column of an offset, both from 1. As in editors, columns are characters (a tab is one).
func Position(doc string, offset int) (line, column int) {
	l := Locator{Doc: doc}
	return l.Position(offset)
}

// Locator returns positions in one document, in any order. It keeps a position for each stride of the document;
// otherwise a file with a million faults in one line would take hours.
type Locator struct {
	Doc   string
	marks []mark
}

// stride is how many bytes lie between two marks.
const stride = 256

// mark is a position kept by a Locator: the number of lines, and of characters in the last line, before an offset.
type mark struct{ offset, line, column int }

// Position returns the line and column of an offset, as the function Position does.
func (l *Locator) Position(offset int) (line, column int) {
	if l.marks == nil {
		l.marks = []mark{{}}
	}
	i := offset / stride
	for len(l.marks) <= i {
		next := len(l.marks) * stride
		for end := next + utf8.UTFMax; next < min(end, len(l.Doc)) && !utf8.RuneStart(l.Doc[next]); {
			next++
		}
		l.marks = append(l.marks, l.marks[len(l.marks)-1].forward(l.Doc, next))
	}
	if l.marks[i].offset > offset { // the offset is within a character
		i--
	}
	at := l.marks[i].forward(l.Doc, offset)
	return at.line + 1, at.column + 1
}

// forward returns the position of a later offset.
func (m mark) forward(doc string, offset int) mark {
	between := doc[m.offset:offset]
	if n := strings.Count(between, "\n"); n > 0 {
		m.line += n
		m.column = 0
		between = between[strings.LastIndexByte(between, '\n')+1:]
	}
	return mark{offset, m.line, m.column + utf8.RuneCountInString(between)}
}

// InvalidUTF8 returns the offset of the first invalid UTF-8 byte, or -1.
func InvalidUTF8(doc string) int {
	if utf8.ValidString(doc) {
		return -1
	}
	for i, r := range doc {
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(doc[i:]); n == 1 {
				return i
			}
		}
	}
	return -1
}

// space is white space between tokens.
const space = " \t\r\n"

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// Text returns the value of a JSON string, or "" for a text without quotes. The string must have no fault of syntax.
// Half a surrogate pair, such as \ud800 alone, becomes U+FFFD, as in encoding/json. gjson would also swallow the next
// escape, which may be the ; of a shell command.
func Text(raw string) string {
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return ""
	}
	if !strings.Contains(raw, `\`) && utf8.ValidString(raw) {
		return raw[1 : len(raw)-1]
	}
	s, ok := unescaped(raw[1 : len(raw)-1])
	if !ok {
		_ = json.Unmarshal([]byte(raw), &s)
	}
	return s
}

// unescaped resolves the escapes in a JSON string. ok is false for what is left to encoding/json: bytes that are no
// UTF-8, half a surrogate pair, and faults. encoding/json reads a string four times, byte by byte.
func unescaped(s string) (text string, ok bool) {
	const short, letters = "\"\\/\n\t\r\b\f", "\"\\/ntrbf"
	if !utf8.ValidString(s) {
		return "", false
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		start := i
		for i += Plain(s[i:]); i < len(s) && s[i] >= utf8.RuneSelf; i += Plain(s[i:]) {
			i++
		}
		b.WriteString(s[start:i])
		switch {
		case i == len(s):
		case s[i] != '\\' || i+1 == len(s):
			return "", false
		case s[i+1] == 'u':
			r := escapedRune(s[i:])
			if i += 6; utf16.IsSurrogate(r) {
				if r = utf16.DecodeRune(r, escapedRune(s[i:])); r == utf8.RuneError {
					return "", false
				}
				i += 6
			} else if r < 0 {
				return "", false
			}
			b.WriteRune(r)
		default:
			escape := strings.IndexByte(letters, s[i+1])
			if escape < 0 {
				return "", false
			}
			b.WriteByte(short[escape])
			i += 2
		}
	}
	return b.String(), true
}

// escapedRune returns the value of an escape such as \u0041 at the start of s, or -1.
func escapedRune(s string) rune {
	if len(s) < 6 || s[:2] != `\u` {
		return -1
	}
	n, err := strconv.ParseUint(s[2:6], 16, 16)
	if err != nil {
		return -1
	}
	return rune(n)
}

// Compact appends doc to dst in a normal form: without white space between tokens, and with strings as written by
// AppendString. So a guard can search for a word, even if some letters of the word were escaped. doc must have no fault
// of syntax.
func Compact(dst []byte, doc string) []byte {
	for i := 0; i < len(doc); {
		end, asWritten := i+1, true
		if doc[i] == '"' {
			end, asWritten = stringEnd(doc, i)
		}
		switch {
		case isSpace(doc[i]):
		case asWritten:
			dst = append(dst, doc[i:end]...)
		default:
			dst = AppendString(dst, Text(doc[i:end]))
		}
		i = end
	}
	return dst
}

// stringEnd returns the end of the string that begins at i, and whether AppendString would write the same text.
func stringEnd(doc string, i int) (end int, asWritten bool) {
	end, asWritten = i+1, true
	for {
		end += Plain(doc[end:])
		if doc[end] == '"' {
			return end + 1, asWritten
		}
		if doc[end] == '\\' {
			end++
			asWritten = asWritten && strings.IndexByte(`"\nrtbf`, doc[end]) >= 0
		}
		end++
	}
}

// Members yields the members of an object in order, with key and value as written. Other values have no members. object
// must have no fault of syntax. Members scans a large value once; a parser would scan it several times.
func Members(object string) iter.Seq2[string, string] {
	return func(yield func(key, value string) bool) {
		rest, is := strings.CutPrefix(strings.TrimLeft(object, space), "{")
		for is {
			rest = strings.TrimLeft(rest, space+",")
			if rest[0] == '}' {
				return
			}
			end, _ := stringEnd(rest, 0)
			key := rest[:end]
			rest = strings.TrimLeft(rest[end:], space+":")
			end = valueEnd(rest)
			if !yield(key, rest[:end]) {
				return
			}
			rest = rest[end:]
		}
	}
}

// valueEnd returns the end of the value at the start of doc.
func valueEnd(doc string) int {
	depth := 0
	for i := 0; ; {
		switch doc[i] {
		case '"':
			i, _ = stringEnd(doc, i)
		case '{', '[':
			depth++
			i++
		case '}', ']':
			depth--
			i++
		default:
			i++
			if depth == 0 { // a number or a literal
				if n := strings.IndexAny(doc[i:], ",}]"+space); n >= 0 {
					return i + n
				}
				return len(doc)
			}
		}
		if depth == 0 {
			return i
		}
	}
}

// AppendString appends s to dst as a JSON string. It escapes only the characters that JSON requires: `<>&` and all
// characters outside ASCII stay unchanged. An invalid UTF-8 byte becomes U+FFFD.
func AppendString(dst []byte, s string) []byte {
	const short, letters = "\"\\\n\t\r\b\f", "\"\\ntrbf"
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		n := Plain(s[i:])
		dst = append(dst, s[i:i+n]...)
		if i += n; i >= len(s) {
			break
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if escape := strings.IndexByte(short, s[i]); escape >= 0 {
			dst = append(dst, '\\', letters[escape])
		} else if r < ' ' {
			dst = fmt.Appendf(dst, "\\u%04x", r)
		} else {
			dst = utf8.AppendRune(dst, r) // U+FFFD for an invalid byte
		}
		i += size
	}
	return append(dst, '"')
}

// Plain returns the length of the longest prefix of s that a JSON string holds unchanged: ASCII without control
// characters, quotes and backslashes. Payloads have megabytes of such text, so Plain reads eight bytes at a time.
func Plain(s string) int {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(s); i += 8 {
		b := s[i : i+8]
		w := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
			uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56 // one load
		quote, slash := w^(ones*'"'), w^(ones*'\\')
		// w-ones*x sets the high bit of each byte below x. Bytes with a high bit in w are not ASCII, so they stop the
		// loop anyway. A borrow may mark the byte above a marked byte by mistake, but the lowest mark is right.
		if stops := (w | (w - ones*' ') | (quote - ones) | (slash - ones)) & high; stops != 0 {
			return i + bits.TrailingZeros64(stops)/8
		}
	}
	for ; i < len(s); i++ {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			break
		}
	}
	return i
}
