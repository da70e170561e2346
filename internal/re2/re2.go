// Package re2 finds regular expressions as Go's package regexp reads them, which is RE2's syntax, in texts of any length.
//
//	re, err := re2.Compile(`AKIA[0-9A-Z]{16}`)
//	if err != nil {
//		… // says what is wrong, and where
//	}
//	re.Match("id=AKIAIOSFODNN7EXAMPLE")
//	re.FindAll(text, -1) // where the matches are
//
// It exists because package regexp, and the maps of package unicode that come with it, are made ready at every start of a program,
// which costs a process that lives for two milliseconds some 0.05 of them, and are large.
//
// An expression is valid, and matches, where it is and does for package regexp: the leftmost match counts, and of several that begin
// there the one that a backtracking engine would find first. Bytes that are no UTF-8 are U+FFFD, each of them. Groups are read, but
// nothing tells what they captured. Two things differ: of the scripts in \p{…} only the common ones are known, and what package regexp
// accepts although it is far too large is an error.
//
// Compile guarantees an error for what would make more than some three million instructions. Match guarantees: time at most in proportion to the size of the expression times that of the text, memory in proportion to
// the expression alone, and no recursion. FindAll may take that time once for each match.
package re2

import (
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// Regexp is an expression. It is safe for use by several goroutines at once.
type Regexp struct {
	text     string
	required string
	size     int
	ready    sync.Once // most expressions of a file are never needed, so that the program is made when it is
	program  *program
}

// Kind is what is wrong with an expression.
type Kind uint8

const (
	Syntax Kind = iota
	Escape      // what follows a backslash is unknown
	Group       // what follows "(?" is unknown
	Limit       // another engine of the same syntax may read it
)

// Error is what is wrong with an expression, and where.
type Error struct {
	Kind  Kind
	Part  string // of the expression, up to the place where it was seen to be wrong
	text  string
	place int
}

func (e *Error) Error() string {
	// What is too long to be shown is found by its place.
	part := e.Part
	if len(part) > 40 {
		part = strings.ToValidUTF8(part[:40], "") + "…"
	}
	return e.text + ": " + strconv.Quote(part) + " at character " + strconv.Itoa(e.place)
}

// Compile reads an expression. An error is an *Error.
func Compile(expression string) (*Regexp, error) {
	n, err := Parse(expression)
	if err != nil {
		return nil, err
	}
	return &Regexp{text: expression, required: required(n), size: n.size}, nil
}

// String returns the expression.
func (re *Regexp) String() string { return re.text }

// Size returns how many instructions the expression has at most.
func (re *Regexp) Size() int { return re.size }

// Required returns the longest text that is easily seen to stand in everything which the expression matches. To look for that first
// costs next to nothing.
func (re *Regexp) Required() string { return re.required }

func required(n *Node) (text string) {
	switch n.Op {
	case Literal:
		// What is no UTF-8 is U+FFFD, but does not contain it.
		if !n.Fold {
			for part := range strings.SplitSeq(string(n.Text), string(utf8.RuneError)) {
				if len(part) > len(text) {
					text = part
				}
			}
		}
	case Capture:
		return required(n.Subs[0])
	case Repeat:
		if n.Min > 0 {
			return required(n.Subs[0])
		}
	case Concat:
		for _, sub := range n.Subs {
			if t := required(sub); len(t) > len(text) {
				text = t
			}
		}
	case Alternate:
		text = required(n.Subs[0])
		for _, sub := range n.Subs[1:] {
			text = common(text, required(sub))
		}
	}
	return text
}

// common returns what two texts begin with, in whole characters.
func common(a, b string) string {
	for i, r := range a {
		if !strings.HasPrefix(b[min(i, len(b)):], string(r)) {
			return a[:i]
		}
	}
	return a
}

// Match reports whether the expression matches somewhere in a text.
func (re *Regexp) Match(text string) bool {
	if !strings.Contains(text, re.required) {
		return false
	}
	_, _, ok := re.prog().find(text, 0, false)
	return ok
}

// FindAll returns where the first matches begin and end, at most so many or, if that is negative, all. They do not overlap, and an
// empty one does not touch the one before it.
func (re *Regexp) FindAll(text string, most int) (all [][2]int) {
	last := -1
	for at := 0; at <= len(text) && (most < 0 || len(all) < most); {
		if !strings.Contains(text[at:], re.required) {
			break
		}
		start, end, ok := re.prog().find(text, at, true)
		if !ok {
			break
		}
		if start < end || start != last {
			all = append(all, [2]int{start, end})
		}
		last = end
		if end > at {
			at = end
		} else if _, size := utf8.DecodeRuneInString(text[at:]); size > 0 {
			at += size
		} else {
			break
		}
	}
	return all
}

// QuoteMeta returns an expression that matches a text and nothing else.
func QuoteMeta(text string) string {
	var b strings.Builder
	for i := range len(text) {
		if strings.IndexByte(`\.+*?()|[]{}^$`, text[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

func (re *Regexp) prog() *program {
	re.ready.Do(func() {
		if n, err := Parse(re.text); err == nil { // it was read before
			re.program = compile(n)
		}
	})
	return re.program
}
