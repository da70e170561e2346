// Package nearmiss finds parts of a hook's output that may have been meant as an answer.
//
//	for _, s := range nearmiss.Scan(stdout) {
//		fmt.Println(s.Line, s) // 2 "desicion" for "decision"
//	}
//
// A JSON reader either reads an answer or fails. Scan never fails. It finds JSON after a debug line, in a list, cut
// off, between other text, in colours and in UTF-16, and the output of Python and JavaScript that resembles JSON. Time
// and memory are linear in the text. A result is a doubt, never an answer: it may only be a reason to block.
//
// Scan reads every line that begins a value with a bracket. A value with matching brackets is read once. In any other
// value, each line may begin a value again. words.go decides which keys belong to an answer, or nearly do.
package nearmiss

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hookrun/hookrun/internal/lib/spelling"
)

// Sign is a key of an answer, or a key that may have been meant as one.
type Sign struct {
	Line     int    // in the text, from 1
	Key      string // as written
	Intended string // the key of an answer; equal to Key if Exact
	Kind     Kind
	Place    Place
	// AfterText means that other text precedes the JSON value on the same line, so the value may be part of the text.
	AfterText bool
	// Report means that the object has a reason, no other key of an answer, and unknown keys. Such objects are mostly
	// reports of compilers or linters. An object in hookSpecificOutput is never a report.
	Report bool
	Value  string // the beginning of the value; "" for an object or a list

	offset int
}

// Kind says how a key resembles a key of an answer.
type Kind int

const (
	Exact       Kind = iota // a key of an answer
	Misspelling             // a misspelt key of an answer
	Synonym                 // another word, with a value that means yes or no
)

// Place is the level of a key.
type Place int

const (
	Top      Place = iota // at the top level of a value, or of an element of a list
	Specific              // in hookSpecificOutput
	Nested                // deeper; here Scan reports only unmistakable keys
)

// Decides reports whether the key is a decision or a change, and not just a text.
func (s Sign) Decides() bool {
	switch s.Intended {
	case "decision", "permissionDecision", "continue", "hookSpecificOutput", "updatedInput", "updatedToolOutput":
		return true
	}
	return false
}

func rewrites(meant string) bool { return meant == "updatedInput" || meant == "updatedToolOutput" }

func (s Sign) isReport() bool { return s.Report }

// isReason reports whether the key is a reason in any spelling. Reports of other programs have such keys.
func (s Sign) isReason() bool {
	name := Letters(s.Key)
	return name == "reason" || name == "stopreason"
}

// isApprovedStatus reports whether the sign is a status with a word of approval, as in reports of other programs.
func (s Sign) isApprovedStatus() bool {
	return Letters(s.Key) == "status" && slices.Contains(approvals, Letters(s.Value))
}

// denies reports whether a key of an answer has a value that holds the call up, in the words of any client.
func (s Sign) denies(v value) bool {
	switch {
	case s.Kind != Exact || s.Place == Nested:
		return false
	case s.Key == "continue":
		return v.is(no)
	}
	return (s.Key == "decision" || s.Key == "permissionDecision") && v.is(denials, questions)
}

// CanBeginAnswer reports whether the key can begin an answer: the key is not deep inside, and the object is no report.
func (s Sign) CanBeginAnswer() bool { return s.Place != Nested && !s.Report }

func (s Sign) String() string {
	key := spelling.Brief(s.Key, maxShown)
	switch s.Kind {
	case Misspelling:
		return fmt.Sprintf("%q for %q", key, s.Intended)
	case Synonym:
		if s.Value != "" {
			return fmt.Sprintf("%q: %s for %q", key, s.Value, s.Intended)
		}
		return fmt.Sprintf("%q for %q", key, s.Intended)
	}
	return fmt.Sprintf("%q", key)
}

const (
	maxShown = 40 // bytes of a key or value in a message
	maxKey   = 100
	maxSigns = 20 // inside other JSON, and as many elsewhere
)

// Scan returns the signs of an answer in the text, in order: at most 20 from deep inside, and 20 others.
func Scan(text string) []Sign { return scan(text).signs }

func scan(text string) (s scanner) {
	if !slices.ContainsFunc([]byte("{[\"'"), func(c byte) bool { return strings.IndexByte(text, c) >= 0 }) {
		return s
	}
	s.text = clean(text)
	s.scan(2)
	return s
}

// clean removes invisible characters: colours, marks, the zeros of UTF-16. All line ends except \n become \r.
func clean(text string) string {
	if !hasUnseen(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for i := 0; i < len(text); {
		if n := seenASCII(text[i:]); n > 0 {
			b.WriteString(text[i : i+n])
			i += n
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == '\x1b' || r == '\u009b':
			i += size + escapeLength(text[i+size:], r == '\u009b')
			continue
		case r == '\v' || r == '\f' || r == '\u0085' || r == '\u2028' || r == '\u2029':
			b.WriteByte('\r')
		case unseen(r):
		default:
			b.WriteString(text[i : i+size])
		}
		i += size
	}
	return b.String()
}

// leads are the first bytes of the characters outside ASCII that clean changes.
const leads = "\xc2\xd8\xe1\xe2\xef"

// hasUnseen reports whether clean changes a text.
func hasUnseen(text string) bool {
	if !utf8.ValidString(text) || hasControls(text) {
		return true
	}
	for _, lead := range []byte(leads) {
		for i := strings.IndexByte(text, lead); i >= 0; {
			if r, _ := utf8.DecodeRuneInString(text[i:]); unseen(r) {
				return true
			}
			next := strings.IndexByte(text[i+1:], lead)
			if i += next + 1; next < 0 {
				break
			}
		}
	}
	return false
}

// hasControls reports whether a text has control characters of ASCII that clean changes. It looks at eight bytes at a
// time, since output has megabytes without such a character.
func hasControls(text string) bool {
	const ones, low, high = 0x0101010101010101, 0x7f7f7f7f7f7f7f7f, 0x8080808080808080
	i := 0
	for ; i+8 <= len(text); i += 8 {
		b := text[i : i+8]
		w := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
			uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56 // one load
		// Each of these has the high bit of a byte set unless the byte is, without its own high bit, below a blank,
		// DEL, a line end or a tab. No sum of seven bits carries into the next byte.
		seven := w & low
		blank, del := seven+ones*(0x80-' '), (seven^low)+low
		line, tab := (seven^ones*'\n')+low, (seven^ones*'\t')+low
		if (^blank&line&tab|^del)&^w&high != 0 && slices.ContainsFunc([]byte(b), isControl) {
			return true
		}
	}
	return slices.ContainsFunc([]byte(text[i:]), isControl)
}

// isControl reports whether clean changes a byte of ASCII.
func isControl(c byte) bool { return c < ' ' && c != '\n' && c != '\r' && c != '\t' || c == 0x7f }

// seenASCII returns the length of the longest prefix of ASCII that clean leaves as it is.
func seenASCII(text string) int {
	for i := range len(text) {
		if c := text[i]; c >= utf8.RuneSelf || isControl(c) {
			return i
		}
	}
	return len(text)
}

// unseen reports whether clean changes a character.
func unseen(r rune) bool {
	switch {
	case r < ' ':
		return r != '\n' && r != '\r' && r != '\t'
	case r < 0x7f:
		return false
	case r < 0xa0, r == 0xad, r == 0x61c, r == 0x180e, r >= 0x200b && r <= 0x200f, r >= 0x2028 && r <= 0x202e,
		r >= 0x2060 && r <= 0x206f, r == 0xfeff, r >= 0xfe00 && r <= 0xfe0f, r == utf8.RuneError:
		return true
	}
	return false
}

// maxEscape is the maximum length of a terminal's escape sequence. Longer sequences count as text.
const maxEscape = 200

// escapeLength returns the length of a terminal's escape sequence after the escape character: ESC [ … letter, ESC ] …
// BEL or ESC \, or ESC and one character.
func escapeLength(rest string, opened bool) int {
	if rest == "" {
		return 0
	}
	kind, at := byte('['), 0
	if !opened {
		kind, at = rest[0], 1
	}
	head := rest[:min(len(rest), maxEscape)]
	switch kind {
	case '[':
		n := strings.IndexFunc(head[at:], func(r rune) bool { return r < ' ' || r >= '@' })
		if n < 0 {
			return at
		}
		if c := head[at+n]; c >= '@' && c <= '~' {
			n++
		}
		return at + n
	case ']', 'P', '_', '^':
		line, _, _ := strings.Cut(head, "\n")
		line, _, _ = strings.Cut(line, "\r")
		text, _, rung := strings.Cut(line, "\a")
		if escape := strings.Index(text, "\x1b\\"); escape >= 0 {
			return escape + 2
		}
		if rung {
			return len(text) + 1
		}
		return at
	case '{', '"', '\n', '\r', '\'', '\x1b':
		return 0
	case '(', ')', '#', ' ': // a letter or a digit follows
		if len(rest) > 1 && (rest[1] >= '0' && rest[1] <= '9' || rest[1] >= '@' && rest[1] <= 'Z') {
			return 2
		}
		return 1
	}
	_, size := utf8.DecodeRuneInString(rest)
	return size
}
