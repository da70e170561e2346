// Package glob matches names as Python's case-sensitive fnmatch does. * matches any text (/ included), ? one character,
// [abc] and [a-z] one character of the set, [!abc] one character outside the set. An unclosed [ and a backslash are
// literal. The whole name must match.
//
//	glob.New("mcp__*").Match("mcp__files__read") // true
//	glob.NewList("Write | Edit").Match("Edit")   // true
//
// A glob becomes a regular expression for package regexp, as in Python's fnmatch.translate. The time of a match grows
// with the length of the glob times the length of the name. An invalid UTF-8 byte matches only the same byte.
package glob

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hookrun/hookrun/internal/lib/lazy"
)

// List is a list of globs. A name matches if one glob matches; no name matches an empty List.
type List []Pattern

// NewList reads globs separated by |. Spaces around a glob are ignored, and so are empty parts.
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

// New parses a glob. Every text is a valid glob.
func New(pattern string) Pattern {
	if !strings.ContainsAny(pattern, "*?[") {
		return Pattern{text: pattern}
	}
	re, err := regexp.Compile(translate(escaped(pattern)))
	if err != nil { // megabytes long; match every name, because in doubt the hook must run
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

// escaped replaces each invalid UTF-8 byte by a distinct character, as Python does. Package regexp would take all such
// bytes for the same character.
func escaped(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	const first = 0x10ff00 // private use, in no real name
	var b strings.Builder
	for i, r := range text {
		if _, size := utf8.DecodeRuneInString(text[i:]); r == utf8.RuneError && size == 1 {
			r = first + rune(text[i])
		}
		b.WriteRune(r)
	}
	return b.String()
}

// sets matches a set with its brackets. A leading ] is a member of the set.
var sets = lazy.Regexp{Text: `(?s)\[(?:!.|[^!])[^\]]*\]`}

// translate returns the regular expression of a glob.
func translate(glob string) string {
	for strings.Contains(glob, "**") {
		glob = strings.ReplaceAll(glob, "**", "*")
	}
	var b strings.Builder
	b.WriteString(`(?s)\A`)
	plain := strings.NewReplacer(`\\`, `\\`, `\*`, `.*`, `\?`, `.`)
	for {
		at := sets.Get().FindStringIndex(glob)
		if at == nil {
			break
		}
		b.WriteString(plain.Replace(regexp.QuoteMeta(glob[:at[0]])) + set(glob[at[0]+1:at[1]-1]))
		glob = glob[at[1]:]
	}
	b.WriteString(plain.Replace(regexp.QuoteMeta(glob)) + `\z`)
	return b.String()
}

// set returns the class for the text between [ and ]. A reversed range such as [z-a] is empty. Python removes reversed
// ranges before it looks for !, so [z-a!b] means [!b].
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

// char returns a character as written in a class.
func char(c rune) string {
	if strings.ContainsRune(`\[]^-&~|:`, c) { // some are special only after another character
		return `\` + string(c)
	}
	return string(c)
}
