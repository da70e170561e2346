// Package nearmiss finds in the output of a hook what may have been meant as an answer.
//
//	for _, s := range nearmiss.Scan(stdout) {
//		fmt.Println(s.Line, s) // 2 "desicion" for "decision"
//	}
//
// A JSON reader either reads an answer or fails. Scan never fails: it looks into JSON behind a debug line, in a list,
// cut off, with something around it, in colours, in UTF-16, and into what Python or JavaScript print in the place of
// JSON. It takes time and memory linear in the text. What it reports is a doubt, never an answer: nothing may be done
// because of it but to say no.
package nearmiss

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/hookrun/hookrun/internal/spelling"
)

// Sign is a key that belongs to answers, or may have been meant for one that does.
type Sign struct {
	Line  int    // of the text, from 1
	Key   string // as it is written
	Meant string // the key of the answers; equal to Key if that is one
	Kind  Kind
	Place Place
	// Behind: the JSON value has other text before it on its line, so it may be a part of that text.
	Behind bool
	// Report: the object has a reason, no other key of an answer, and keys that are nobody's. So it is rather a report,
	// as compilers and linters print them.
	Report bool
	Value  string // the beginning of a value that is no object and no list

	offset int
}

// Kind says how a key is like one of an answer.
type Kind int

const (
	Word    Kind = iota // it is one
	Slip                // it is one, misspelt
	Synonym             // another word, whose value says yes or no
)

// Place says where a key stands.
type Place int

const (
	Top      Place = iota // at the top level of a value, or of an element of a list
	Specific              // in hookSpecificOutput
	Inside                // deeper: only keys that no other JSON has are reported there
)

// Decides reports whether the key says or changes what becomes of a call, and is no text beside that.
func (s Sign) Decides() bool {
	switch s.Meant {
	case "decision", "permissionDecision", "continue", "hookSpecificOutput", "updatedInput", "updatedToolOutput":
		return true
	}
	return false
}

func (s Sign) String() string {
	key := spelling.Brief(s.Key, maxShown)
	switch s.Kind {
	case Slip:
		return fmt.Sprintf("%q for %q", key, s.Meant)
	case Synonym:
		if s.Value != "" {
			return fmt.Sprintf("%q: %s for %q", key, s.Value, s.Meant)
		}
		return fmt.Sprintf("%q for %q", key, s.Meant)
	}
	return fmt.Sprintf("%q", key)
}

const (
	maxShown = 40 // bytes of a key or value in a message
	maxKey   = 100
	maxSigns = 20
)

// Scan returns the signs of an answer in the text, in their order, 20 at most.
func Scan(text string) []Sign {
	if !strings.ContainsAny(text, "{[\"'") {
		return nil
	}
	s := scanner{text: clean(text)}
	s.scan(2)
	return s.signs
}

// clean removes what stands between the characters of a text and is not to be seen: colours, marks, the zeros of
// UTF-16. All ends of lines but \n become \r.
func clean(text string) string {
	if strings.IndexFunc(text, unseen) < 0 {
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

// unseen reports whether clean has to do with a character.
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

// maxEscape is how long an escape sequence of a terminal is looked at. One that does not end is none.
const maxEscape = 200

// escapeLength is the length of what follows the escape character of a sequence for a terminal: ESC [ … letter,
// ESC ] … BEL or ESC \, or ESC and one character.
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
	case '(', ')', '#', ' ': // and one character more
		return min(2, len(rest))
	}
	_, size := utf8.DecodeRuneInString(rest)
	return size
}
