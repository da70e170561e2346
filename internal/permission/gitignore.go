package permission

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"
)

// maxPathSteps bounds what package regexp may do for one pattern and one path, which it cannot be stopped at: half a second
// at the very worst. Linux knows no path of more than 4 KiB.
const maxPathSteps = 1 << 24

// gitignored reports whether the single line pattern of a .gitignore ignores file, a clean path relative to the place
// of the .gitignore; "" is never ignored. A pattern that matches a folder ignores all that is in it. What could take
// too long is ignored: doubt lets the hook run.
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
	return err != nil || r.MatchString(units(file))
}

// translate returns the regular expression of a line, for texts that units returned. A line that matches nothing of its
// own is not ok: a blank one, a comment, a negation, one with an open bracket, an unknown class or a lone backslash at
// its end, and one with an empty name.
func translate(line string) (expression string, ok bool) {
	if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "!") {
		return "", false
	}
	line, ok = trimLine(line)
	if !ok || line == "" {
		return "", false
	}
	anchored := strings.Contains(line[:len(line)-1], "/")
	line = strings.TrimPrefix(line, "/")
	body := strings.TrimSuffix(line, "/")

	t := translator{rest: []rune(units(body))}
	names, ok := t.names()
	if !ok {
		return "", false
	}
	const anyNames = `(?:.*/)?`
	t.out.WriteString(`(?is)\A`)
	last := len(names) - 1
	if !anchored && names[0] != "" {
		t.out.WriteString(anyNames)
	}
	for i, name := range names {
		switch {
		case name == "" && i == last: // `a/**` is what is in a
		case name == "" && (i == 0 || names[i-1] != ""):
			t.out.WriteString(anyNames)
		case name == "":
		case i == last && body == line:
			t.out.WriteString(name + `(?:/|\z)`)
		default:
			t.out.WriteString(name + `/`)
		}
	}
	if names[last] == "" && body != line { // `**/` and `a/**/` are what is in folders
		t.out.WriteString(`[^/]+/`)
	}
	return t.out.String(), true
}

// trimLine cuts off trailing blanks, but not one that a backslash stands before. It is not ok if the line ends in a
// backslash that escapes nothing.
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

// apart are the units of UTF-16 that package regexp would read in another way than the client, first and last of each
// span. A surrogate is a unit of its own to the client: a `?` is half an emoji. And where case is ignored, JavaScript
// compares upper case, so that it does not take the Kelvin sign for a k.
var apart = [...][2]rune{
	{0x17f, 0x17f}, {0x3f4, 0x3f4}, {0x1e9e, 0x1e9e}, {0x2126, 0x2126}, {0x212a, 0x212b}, {0xd800, 0xdfff},
}

// moved is how far the characters for those units lie from them, in a plane whose own characters are surrogates here.
const moved = 0x100000

// units returns a text with a character for each of its units.
func units(text string) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(text)) {
		c := rune(u)
		for _, a := range apart {
			if a[0] <= c && c <= a[1] {
				c += moved
				break
			}
		}
		b.WriteRune(c)
	}
	return b.String()
}

// span adds the units from lo to hi, given as units returns them, to a class. A slash is in no name.
func span(class *strings.Builder, lo, hi rune) {
	if lo >= moved {
		lo -= moved
	}
	if hi >= moved {
		hi -= moved
	}
	write := func(lo, hi rune) {
		if lo <= hi {
			class.WriteString(char(lo) + "-" + char(hi))
		}
	}
	for _, a := range slices.Concat([][2]rune{{'/', '/'}}, apart[:]) {
		if lo > hi || hi < a[0] || lo > a[1] {
			continue
		}
		write(lo, a[0]-1)
		if a[0] != '/' {
			write(moved+max(lo, a[0]), moved+min(hi, a[1]))
		}
		lo = a[1] + 1
	}
	write(lo, hi)
}

// char returns a character as it may stand in a class.
func char(c rune) string { return fmt.Sprintf(`\x{%x}`, c) }

// translator reads the names of a pattern without its leading and trailing slash.
type translator struct {
	rest []rune
	out  strings.Builder
}

// names returns the expression of each name, "" for `**`. An empty name is not ok: no path has one.
func (t *translator) names() (names []string, ok bool) {
	var name strings.Builder
	stars, other := 0, false
	end := func() bool {
		switch {
		case stars == 0 && !other:
			return false
		case stars > 1 && !other:
			names = append(names, "")
		default:
			names = append(names, name.String())
		}
		name.Reset()
		stars, other = 0, false
		return true
	}
	for len(t.rest) > 0 {
		c := t.rest[0]
		t.rest = t.rest[1:]
		if c == '\\' {
			if len(t.rest) == 0 {
				return nil, false // the trailing slash that it escaped is gone
			}
			c = t.rest[0]
			t.rest = t.rest[1:]
			if c != '/' {
				name.WriteString(regexp.QuoteMeta(string(c)))
				other = true
				continue
			}
		}
		switch c {
		case '/':
			if !end() {
				return nil, false
			}
			continue
		case '*':
			if stars++; !strings.HasSuffix(name.String(), anyText) {
				name.WriteString(anyText)
			}
			continue
		case '?':
			name.WriteString(`[^/]`)
		case '[':
			class, ok := t.class()
			if !ok {
				return nil, false
			}
			name.WriteString(class)
		default:
			name.WriteString(regexp.QuoteMeta(string(c)))
		}
		other = true
	}
	return names, end()
}

// anyText is what `*` becomes. No other part of an expression ends like it.
const anyText = `[^/]*`

// posixClasses are the ones of git, which knows ASCII only: pairs of a first and a last character.
var posixClasses = map[string]string{
	"alnum":  "09AZaz",
	"alpha":  "AZaz",
	"blank":  "\t\t  ",
	"cntrl":  "\x00\x1f\x7f\x7f",
	"digit":  "09",
	"graph":  "!~",
	"lower":  "az",
	"print":  " ~",
	"punct":  "!/:@[`{~",
	"space":  "\t\n\r\r  ",
	"upper":  "AZ",
	"xdigit": "09AFaf",
}

// class reads what follows a `[`. It is not ok if the bracket is never closed or names an unknown class.
//
// As in git's wildmatch, a `]` that comes first is a member, a backslash escapes the next member, and of a range that
// is the wrong way round only its start is a member.
func (t *translator) class() (expression string, ok bool) {
	all := t.rest
	var members strings.Builder
	i := 0
	negated := len(all) > 0 && (all[0] == '!' || all[0] == '^')
	if negated {
		i++
	}
	start := rune(-1) // the member that a `-` would start a range from
	for first := true; ; first = false {
		if i >= len(all) {
			return "", false
		}
		c := all[i]
		if c == ']' && !first {
			break
		}
		switch {
		case c == '-' && start >= 0 && i+1 < len(all) && all[i+1] != ']':
			i++
			if all[i] == '\\' {
				i++
			}
			if i >= len(all) {
				return "", false
			}
			span(&members, start, all[i])
			start = -1
		case c == '[' && i+1 < len(all) && all[i+1] == ':':
			shut := slices.Index(all[i+2:], ']')
			if shut < 0 {
				return "", false
			}
			name, isClass := strings.CutSuffix(string(all[i+2:i+2+shut]), ":")
			if !isClass { // no `:]`: it is a plain bracket
				span(&members, c, c)
				start = c
				break
			}
			pairs, known := posixClasses[name]
			if !known {
				return "", false
			}
			for n := 0; n < len(pairs); n += 2 {
				span(&members, rune(pairs[n]), rune(pairs[n+1]))
			}
			i += 2 + shut
			start = -1
		default:
			if c == '\\' {
				i++
				if i >= len(all) {
					return "", false
				}
				c = all[i]
			}
			span(&members, c, c)
			start = c
		}
		i++
	}
	t.rest = all[i+1:]
	switch {
	case negated:
		return `[^/` + members.String() + `]`, true
	case members.Len() == 0:
		return `[^\x00-\x{10FFFF}]`, true
	}
	return `[` + members.String() + `]`, true
}
