package projecthooks

import (
	"strings"
	"unicode/utf8"
)

// Matcher says which tools a hook is for. It is a list of globs with | between them; blanks around a glob do not
// count. A glob must match the whole name, case-sensitively: * is any text, / included, ? one character, [abc] and
// [a-z] one of those, [!abc] one of the others. A [ that is never closed is itself, and so is a backslash. This is
// Python's fnmatch, which MassGen's matchers use. The zero Matcher matches no tool.
type Matcher struct {
	text  string
	globs []string
	all   bool
}

// EveryTool is the matcher of a hook that names none.
var EveryTool = Matcher{all: true}

// NewMatcher reads a matcher. "" is every tool. ok is false for a text without any glob, such as "|": a gate for no
// tool at all is a mistake.
func NewMatcher(text string) (m Matcher, ok bool) {
	if text == "" {
		return EveryTool, true
	}
	m.text = text
	for _, part := range strings.Split(text, "|") {
		if part = strings.TrimSpace(part); part != "" {
			m.globs = append(m.globs, part)
		}
	}
	return m, len(m.globs) > 0
}

func (m Matcher) String() string { return m.text }

// Match reports whether the hook is for the tool.
func (m Matcher) Match(tool string) bool {
	if m.all {
		return true
	}
	for _, g := range m.globs {
		if glob(g, tool) {
			return true
		}
	}
	return false
}

// glob matches with one point of return, the last star: what an earlier star could take, the last can take as well.
// That bounds the time by the product of the lengths.
func glob(pattern, name string) bool {
	p, n := 0, 0
	star, mark := -1, 0
	for n < len(name) {
		if p < len(pattern) {
			if pattern[p] == '*' {
				star, mark = p, n
				p++
				continue
			}
			_, size := utf8.DecodeRuneInString(name[n:])
			if width, ok := one(pattern[p:], name[n:n+size]); ok {
				p += width
				n += size
				continue
			}
		}
		if star < 0 {
			return false
		}
		_, size := utf8.DecodeRuneInString(name[mark:])
		mark += size
		p, n = star+1, mark
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// one matches the first element of a pattern, which is not a star, with one character, and returns the element's width.
func one(pattern, char string) (width int, ok bool) {
	switch pattern[0] {
	case '?':
		return 1, true
	case '[':
		if set, width := bracket(pattern); width > 0 {
			return width, inSet(set, char)
		}
	}
	_, width = utf8.DecodeRuneInString(pattern)
	return width, pattern[:width] == char
}

// bracket returns what stands between [ and ]; a ] that comes first, also after !, is one of the set. Width 0 means
// that the bracket is never closed.
func bracket(pattern string) (set string, width int) {
	start := 1
	if strings.HasPrefix(pattern[start:], "!") {
		start++
	}
	if strings.HasPrefix(pattern[start:], "]") {
		start++
	}
	end := strings.IndexByte(pattern[start:], ']')
	if end < 0 {
		return "", 0
	}
	return pattern[1 : start+end], start + end + 1
}

func inSet(set, char string) bool {
	negated := strings.HasPrefix(set, "!")
	rest := []rune(strings.TrimPrefix(set, "!"))
	c, _ := utf8.DecodeRuneInString(char)
	for i := 0; i < len(rest); i++ {
		lo, hi := rest[i], rest[i]
		if i+2 < len(rest) && rest[i+1] == '-' {
			hi = rest[i+2]
			i += 2
		}
		if lo <= c && c <= hi {
			return !negated
		}
	}
	return negated
}
