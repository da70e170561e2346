// Package fnmatch matches names as Python's fnmatch does where upper and lower case differ: * is any text, / included, ? one
// character, [abc] and [a-z] one of those, [!abc] one of the others. A [ that is never closed is itself, and so is a
// backslash. The whole name must match.
//
//	fnmatch.New("mcp__*").Match("mcp__files__read") // true
//	fnmatch.NewList("Write | Edit").Match("Edit")   // true
package fnmatch

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hookrun/hookrun/internal/spans"
)

// List is globs of which one must match. An empty List matches nothing.
type List []Pattern

// NewList reads globs with | between them. Blanks around a glob do not count, and neither do parts without one.
func NewList(text string) (l List) {
	for part := range strings.SplitSeq(text, "|") {
		if part = strings.TrimSpace(part); part != "" {
			l = append(l, New(part))
		}
	}
	return l
}

// Match reports whether one of the globs matches the whole name.
func (l List) Match(name string) bool {
	return slices.ContainsFunc(l, func(p Pattern) bool { return p.Match(name) })
}

// Pattern is a glob, taken apart once: to look for the end of a bracket again for each character of a name is what
// makes hostile patterns slow.
type Pattern []element

// element matches one character that is in one of its ranges, or, negated, in none; a star matches any text.
type element struct {
	star    bool
	negated bool
	ranges  spans.Set
}

// New reads a pattern; every text is one.
func New(pattern string) (g Pattern) {
	lastClosing := strings.LastIndexByte(pattern, ']')
	for i := 0; i < len(pattern); {
		switch c, size := char(pattern[i:]); c {
		case '*':
			g = append(g, element{star: true})
			i++
		case '?':
			g = append(g, element{negated: true})
			i++
		case '[':
			if end := closingBracket(pattern, i, lastClosing); end > 0 {
				g = append(g, newSet(pattern[i+1:end]))
				i = end + 1
				continue
			}
			fallthrough
		default:
			g = append(g, element{ranges: spans.Set{{Lo: c, Hi: c}}})
			i += size
		}
	}
	return g
}

// char decodes a character. A byte that is no UTF-8 is a character of its own, less than 0: it equals itself alone.
func char(s string) (c rune, size int) {
	c, size = utf8.DecodeRuneInString(s)
	if c == utf8.RuneError && size == 1 {
		c = -1 - rune(s[0])
	}
	return c, size
}

// closingBracket finds the end of the set that opens at open, or 0. A ] that comes first, also after !, is one of the
// set. last is where the pattern's last ] stands: without it a pattern of a million [ would be searched a million times.
func closingBracket(pattern string, open, last int) int {
	start := open + 1
	if strings.HasPrefix(pattern[start:], "!") {
		start++
	}
	if strings.HasPrefix(pattern[start:], "]") {
		start++
	}
	if last < start {
		return 0
	}
	return start + strings.IndexByte(pattern[start:], ']')
}

// newSet reads what stands between [ and ]. A range that runs backwards, as [z-a], holds nothing.
func newSet(text string) (e element) {
	var chars []rune
	for i := 0; i < len(text); {
		c, size := char(text[i:])
		chars = append(chars, c)
		i += size
	}
	if chars[0] == '!' {
		e.negated, chars = true, chars[1:]
	}
	for i := 0; i < len(chars); i++ {
		s := spans.Span{Lo: chars[i], Hi: chars[i]}
		if i+2 < len(chars) && chars[i+1] == '-' {
			s.Hi = chars[i+2]
			i += 2
		}
		if s.Lo <= s.Hi {
			e.ranges = append(e.ranges, s)
		}
	}
	// Python throws backward ranges out before it looks for the !: [z-a!b] is [!b] there.
	if !e.negated && len(e.ranges) > 0 && e.ranges[0].Lo == '!' {
		first := e.ranges[0]
		e.negated, e.ranges = true, e.ranges[1:]
		if first.Hi != '!' {
			e.ranges = append(e.ranges, spans.Span{Lo: '-', Hi: '-'}, spans.Span{Lo: first.Hi, Hi: first.Hi})
		}
	}
	e.ranges = spans.Union(e.ranges)
	return e
}

func (e *element) has(c rune) bool { return e.ranges.Has(c) != e.negated }

// Match reports whether the pattern matches the whole name.
//
// It goes on with one point of return, the last star: what an earlier star could take, the last can take as well.
// That bounds the time by the product of the lengths.
func (g Pattern) Match(name string) bool {
	at, n := 0, 0
	star, mark := -1, 0
	for n < len(name) {
		if at < len(g) {
			if g[at].star {
				star, mark = at, n
				at++
				continue
			}
			if c, size := char(name[n:]); g[at].has(c) {
				at++
				n += size
				continue
			}
		}
		if star < 0 {
			return false
		}
		_, size := char(name[mark:])
		mark += size
		at, n = star+1, mark
	}
	for at < len(g) && g[at].star {
		at++
	}
	return at == len(g)
}
