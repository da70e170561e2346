package permission

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/hookrun/hookrun/internal/rules/shellline"
)

// maxPathSteps limits the work of package regexp for one pattern and one path, because a match cannot be interrupted:
// half a second at worst. Linux has no path longer than 4 KiB.
const maxPathSteps = 1 << 24

// gitignored reports whether a .gitignore with this one line ignores file, a clean path relative to the folder of the
// .gitignore. "" is never ignored. A pattern that matches a folder ignores everything in it. A pattern and path that
// could take too long count as ignored, so the hook runs.
func gitignored(pattern, file string) bool {
	switch {
	case file == "":
		return false
	case len(pattern)*(len(file)+64) > maxPathSteps:
		return true
	}
	expression, ok := translate(pattern)
	if !ok {
		return false
	}
	r, err := regexp.Compile(expression)
	return err != nil || r.MatchString(string(characters(file)))
}

// shift is the distance from the units in apart to the characters that replace them. These characters are in a plane
// whose own characters are surrogate pairs here.
const shift = 0x100000

// apart lists the UTF-16 units that package regexp reads differently from the client, as first and last of each range.
// For the client a surrogate is a unit, so a `?` is half an emoji. JavaScript ignores case by comparing upper case, so
// the Kelvin sign is not a k.
var apart = [...][2]rune{
	{0x17f, 0x17f}, {0x3f4, 0x3f4}, {0x1e9e, 0x1e9e}, {0x2126, 0x2126}, {0x212a, 0x212b}, {0xd800, 0xdfff},
}

// character returns the character for a unit in expressions and texts. A slash is shifted so no class contains it.
func character(unit rune) rune {
	if unit == '/' || slices.ContainsFunc(apart[:], func(a [2]rune) bool { return a[0] <= unit && unit <= a[1] }) {
		return unit + shift
	}
	return unit
}

// units returns the UTF-16 units of a text, as in JavaScript.
func units(text string) (all []rune) {
	for _, u := range utf16.Encode([]rune(text)) {
		all = append(all, rune(u))
	}
	return all
}

// characters returns a text in the form matched by the expressions.
func characters(text string) []rune {
	all := units(text)
	for i, u := range all {
		all[i] = character(u)
	}
	return all
}

// Parts of expressions.
const (
	slash    = `\x{10002f}`
	anyNames = `(?:.*` + slash + `)?`
	anyChar  = `[^` + slash + `]`
	anyText  = anyChar + `*`
)

// translate returns the regular expression of a line, for texts returned by characters. ok is false for a line that
// matches nothing by itself: a blank line, a comment, a negation, an unclosed bracket, an unknown class, a single
// backslash at the end, or an empty name.
func translate(line string) (expression string, ok bool) {
	if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "!") {
		return "", false
	}
	line, ok = trimLine(line)
	if !ok || line == "" {
		return "", false
	}
	anchored := strings.Contains(line[:len(line)-1], "/")
	body, isFolder := strings.CutSuffix(strings.TrimPrefix(line, "/"), "/")
	names, ok := splitNames(units(body))
	if !ok {
		return "", false
	}
	var b strings.Builder
	b.WriteString(`(?is)\A`)
	if !anchored && names[0] != "" {
		b.WriteString(anyNames)
	}
	last := len(names) - 1
	for i, name := range names {
		switch {
		case name == "" && i < last:
			b.WriteString(anyNames)
		case name == "" && isFolder: // `a/**/`: everything in folders of a
			b.WriteString(anyChar + `+` + slash)
		case name == "": // `a/**`: everything in a
		case i == last && !isFolder:
			b.WriteString(name + `(?:` + slash + `|\z)`)
		default:
			b.WriteString(name + slash)
		}
	}
	return b.String(), true
}

// trimLine cuts off trailing spaces, except a space escaped by a backslash. ok is false if the line ends in a backslash
// that escapes nothing.
func trimLine(line string) (trimmed string, ok bool) {
	trimmed = strings.TrimRight(line, " \t\r\n")
	slashes := len(trimmed) - len(strings.TrimRight(trimmed, `\`))
	if slashes%2 == 0 {
		return trimmed, true
	}
	if trimmed == line {
		return "", false
	}
	return line[:len(trimmed)+1], true
}

// splitNames returns the expression of each name of a pattern without leading or trailing slash. "" means any number of
// names, like `**`. ok is false for an empty name, because no path has an empty name.
func splitNames(rest []rune) (names []string, ok bool) {
	var name strings.Builder
	stars, other := 0, false
	rest = append(rest, '/')
	for len(rest) > 0 {
		c := rest[0]
		rest = rest[1:]
		escaped := c == '\\'
		if escaped {
			if c, rest = rest[0], rest[1:]; len(rest) == 0 {
				return nil, false // the escaped trailing slash was cut off
			}
		}
		if c == '*' && !escaped {
			if stars++; !strings.HasSuffix(name.String(), anyText) {
				name.WriteString(anyText)
			}
			continue
		}
		switch {
		case c == '/':
			switch {
			case stars == 0 && !other:
				return nil, false
			case stars < 2 || other:
				names = append(names, name.String())
			case len(names) == 0 || names[len(names)-1] != "":
				names = append(names, "")
			}
			name.Reset()
			stars = 0
		case c == '?' && !escaped:
			name.WriteString(anyChar)
		case c == '[' && !escaped:
			class, n, ok := readClass(rest)
			if !ok {
				return nil, false
			}
			name.WriteString(class)
			rest = rest[n:]
		default:
			name.WriteString(regexp.QuoteMeta(string(character(c))))
		}
		other = c != '/'
	}
	return names, true
}

// posixClasses are the classes known to git.
const posixClasses = "alnum alpha blank cntrl digit graph lower print punct space upper xdigit"

// readClass reads the text after a `[`; n is the length of the class. ok is false if the bracket is never closed or the
// class is unknown.
//
// As in git's wildmatch, a leading `]` is a member, a backslash escapes the next member, and only the start of a
// reversed range is a member.
func readClass(all []rune) (expression string, n int, ok bool) {
	var members strings.Builder
	i := 0
	negated := len(all) > 0 && (all[0] == '!' || all[0] == '^')
	if negated {
		i++
	}
	start := rune(-1) // the start of a range, if a `-` follows
	for first := i; i < len(all); i++ {
		c := all[i]
		if c == ']' && i > first {
			switch {
			case negated:
				return `[^` + slash + members.String() + `]`, i + 1, true
			case members.Len() == 0:
				return `[^\x00-\x{10FFFF}]`, i + 1, true
			}
			return `[` + members.String() + `]`, i + 1, true
		}
		if c == '[' && i+1 < len(all) && all[i+1] == ':' {
			shut := slices.Index(all[i+2:], ']')
			if shut < 0 {
				return "", 0, false
			}
			// Without a closing `:]` this is a plain bracket.
			if class, isClass := strings.CutSuffix(string(all[i+2:i+2+shut]), ":"); isClass {
				switch {
				case class == "space": // git does not count the vertical tab
					members.WriteString(`\t\n\r `)
				case shellline.InList(posixClasses, class):
					members.WriteString(`[:` + class + `:]`)
				default:
					return "", 0, false
				}
				i += 2 + shut
				start = -1
				continue
			}
		}
		isRange := c == '-' && start >= 0 && i+1 < len(all) && all[i+1] != ']'
		if isRange {
			i++
		}
		if all[i] == '\\' {
			i++
		}
		switch {
		case i >= len(all):
			return "", 0, false
		case isRange:
			writeSpan(&members, start, all[i])
			start = -1
		default:
			start = all[i]
			writeSpan(&members, start, start)
		}
	}
	return "", 0, false
}

// writeSpan adds the units from lo to hi to a class.
func writeSpan(class *strings.Builder, lo, hi rune) {
	write := func(lo, hi rune) {
		if lo <= hi {
			fmt.Fprintf(class, `\x{%x}-\x{%x}`, lo, hi)
		}
	}
	for _, a := range apart {
		if lo <= a[1] && a[0] <= hi {
			write(lo, a[0]-1)
			write(shift+max(lo, a[0]), shift+min(hi, a[1]))
			lo = a[1] + 1
		}
	}
	write(lo, hi)
}
