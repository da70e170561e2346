// Package fnmatch matches names as Python's fnmatch does where upper and lower case differ: * is any text, / included,
// ? one character, [abc] and [a-z] one of those, [!abc] one of the others. A [ that is never closed is itself, and so
// is a backslash. The whole name must match.
//
//	fnmatch.New("mcp__*").Match("mcp__files__read") // true
//	fnmatch.NewList("Write | Edit").Match("Edit")   // true
//
// A glob becomes a regular expression, as Python's fnmatch.translate does it. The expression is matched by package
// regexp, in time in proportion to the length of the glob times that of the name. A byte that is no UTF-8 equals itself
// alone.
package fnmatch

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hookrun/hookrun/internal/lazyregexp"
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

// escaped puts a character of its own in the place of each byte that is no UTF-8, as Python does. To package regexp all
// such bytes are one character.
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

// sets finds [sets]. As the first of a set, a ] is one of it.
var sets = lazyregexp.New(`(?s)\[(?:!.|[^!])[^\]]*\]`)

// translate returns the regular expression of a glob.
func translate(glob string) string {
	for strings.Contains(glob, "**") {
		glob = strings.ReplaceAll(glob, "**", "*")
	}
	var b strings.Builder
	b.WriteString(`(?s)\A`)
	plain := strings.NewReplacer(`\\`, `\\`, `\*`, `.*`, `\?`, `.`)
	for {
		at := sets().FindStringIndex(glob)
		if at == nil {
			break
		}
		b.WriteString(plain.Replace(regexp.QuoteMeta(glob[:at[0]])) + set(glob[at[0]+1:at[1]-1]))
		glob = glob[at[1]:]
	}
	b.WriteString(plain.Replace(regexp.QuoteMeta(glob)) + `\z`)
	return b.String()
}

// set returns the class of what stands between [ and ]. A range that runs backwards, as [z-a], holds nothing. Python
// throws it out before it looks for the !: [z-a!b] is [!b] there.
func set(text string) string {
	text, negated := strings.CutPrefix(text, "!")
	var b strings.Builder
	for chars := []rune(text); len(chars) > 0; {
		lo, hi, n := chars[0], chars[0], 1
		if len(chars) > 2 && chars[1] == '-' {
			hi, n = chars[2], 3
		}
		switch chars = chars[n:]; {
		case lo < hi:
			b.WriteString(char(lo) + "-" + char(hi))
		case lo == hi:
			b.WriteString(char(lo))
		}
	}
	class := b.String()
	if !negated {
		class, negated = strings.CutPrefix(class, "!")
	}
	switch {
	case class == "" && negated:
		return `.`
	case class == "":
		return `[^\x00-\x{10FFFF}]`
	case negated:
		return `[^` + class + `]`
	}
	return `[` + class + `]`
}

// char returns a character as it stands in a class.
func char(c rune) string {
	if strings.ContainsRune(`\[]^-&~|:`, c) { // some of them mean something behind another one
		return `\` + string(c)
	}
	return string(c)
}
