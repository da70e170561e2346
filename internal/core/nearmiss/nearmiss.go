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
	"github.com/hookrun/hookrun/internal/lib/strictjson"
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
func Scan(text string) []Sign {
	if !strings.ContainsAny(text, "{[\"'") {
		return nil
	}
	s := scanner{text: clean(text)}
	s.scan(2)
	return s.signs
}

// clean removes invisible characters: colours, marks, the zeros of UTF-16. All line ends except \n become \r.
func clean(text string) string {
	if !hasUnseen(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for i := 0; i < len(text); {
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

func hasUnseen(text string) bool {
	if strings.IndexByte(text, 0x7f) >= 0 { // DEL, which strictjson.Plain accepts
		return true
	}
	for i := strictjson.Plain(text); i < len(text); i += strictjson.Plain(text[i:]) {
		r, size := utf8.DecodeRuneInString(text[i:])
		if unseen(r) {
			return true
		}
		i += size
	}
	return false
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
