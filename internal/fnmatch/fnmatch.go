// Package fnmatch matches names as Python's fnmatch does where upper and lower case differ: * is any text, / included, ? one
// character, [abc] and [a-z] one of those, [!abc] one of the others. A [ that is never closed is itself, and so is a
// backslash. The whole name must match.
//
//	fnmatch.New("mcp__*").Match("mcp__files__read") // true
//	fnmatch.NewList("Write | Edit").Match("Edit")   // true
//
// A glob becomes a regular expression, as Python's fnmatch.translate does it. The expression is matched by package regexp, in time in
// proportion to the length of the glob times that of the name. A byte that is no
// UTF-8 equals itself alone.
package fnmatch

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
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

// Pattern is a glob.
type Pattern struct {
	text  string
	regex *regexp.Regexp // nil: the glob is a plain name
}

// New reads a pattern; every text is one.
func New(pattern string) Pattern {
	if !strings.ContainsAny(pattern, "*?[") {
		return Pattern{text: pattern}
	}
	re, err := regexp.Compile(translate(escaped(pattern)))
	if err != nil { // the glob is megabytes long: what cannot be decided matches
		re = regexp.MustCompile("")
	}
	return Pattern{pattern, re}
}

// Match reports whether the pattern matches the whole name.
func (p Pattern) Match(name string) bool {
	if p.regex == nil {
		return p.text == name
	}
	return p.regex.MatchString(escaped(name))
}

// escaped puts a character of its own in the place of each byte that is no UTF-8, as Python does. To package regexp all such bytes are
// one character.
func escaped(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	const first = 0x10ff00 // for private use, and of no name
	var b strings.Builder
	for i, r := range text {
		if _, size := utf8.DecodeRuneInString(text[i:]); r == utf8.RuneError && size == 1 {
			r = first + rune(text[i])
		}
		b.WriteRune(r)
	}
	return b.String()
}

// translate returns the regular expression of a glob.
func translate(pattern string) string {
	var b strings.Builder
	b.WriteString(`(?s)\A`)
	chars := []rune(pattern)
	lastClosing := len(chars) - 1 // without it a pattern of a million [ would be searched a million times
	for lastClosing >= 0 && chars[lastClosing] != ']' {
		lastClosing--
	}
	for i := 0; i < len(chars); i++ {
		switch c := chars[i]; c {
		case '*':
			for i+1 < len(chars) && chars[i+1] == '*' {
				i++
			}
			b.WriteString(`.*`)
		case '?':
			b.WriteByte('.')
		case '[':
			end := i + 1
			if end < len(chars) && chars[end] == '!' {
				end++
			}
			if end < len(chars) && chars[end] == ']' { // as the first it is one of the set
				end++
			}
			if end > lastClosing {
				b.WriteString(`\[`)
				continue
			}
			for chars[end] != ']' {
				end++
			}
			b.WriteString(set(chars[i+1 : end]))
			i = end
		default:
			b.WriteString(regexp.QuoteMeta(string(c)))
		}
	}
	b.WriteString(`\z`)
	return b.String()
}

// set returns the class of what stands between [ and ]. A range that runs backwards, as [z-a], holds nothing. Python throws it out
// before it looks for the !: [z-a!b] is [!b] there.
func set(chars []rune) string {
	type span struct{ lo, hi rune }
	var spans []span
	negated := chars[0] == '!'
	if negated {
		chars = chars[1:]
	}
	for i := 0; i < len(chars); i++ {
		s := span{chars[i], chars[i]}
		if i+2 < len(chars) && chars[i+1] == '-' {
			s.hi = chars[i+2]
			i += 2
		}
		if s.lo <= s.hi {
			spans = append(spans, s)
		}
	}
	if !negated && len(spans) > 0 && spans[0].lo == '!' {
		first := spans[0]
		negated, spans = true, spans[1:]
		if first.hi != '!' {
			spans = append(spans, span{'-', '-'}, span{first.hi, first.hi})
		}
	}
	switch {
	case len(spans) > 0:
	case negated:
		return `.`
	default:
		return `[^\x00-\x{10FFFF}]`
	}
	var b strings.Builder
	b.WriteByte('[')
	if negated {
		b.WriteByte('^')
	}
	for _, s := range spans {
		b.WriteString(char(s.lo))
		if s.hi > s.lo {
			b.WriteString("-" + char(s.hi))
		}
	}
	b.WriteByte(']')
	return b.String()
}

// char returns a character as it stands in a class.
func char(c rune) string {
	if strings.ContainsRune(`\[]^-&~|:`, c) { // some of them mean something behind another one
		return `\` + string(c)
	}
	return string(c)
}
