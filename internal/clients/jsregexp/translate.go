package jsregexp

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/hookrun/hookrun/internal/lib/lazy"
)

// character returns the character for a UTF-16 unit, in patterns and texts. The engine works on characters and
// sometimes loses surrogate halves, so halves and all higher units are moved up by 0x800.
func character(unit uint16) rune {
	if unit >= 0xd800 {
		return rune(unit) + 0x800
	}
	return rune(unit)
}

// \s and \S for moved units, because the engine's sets are of unmoved characters. U+FEFF is the only blank that moves.
const (
	spaces   = `\t-\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000` + "\U000106ff"
	noSpaces = `\x00-\x08\x0e-\x1f\x21-\x9f\xa1-\u167f\u1681-\u1fff` +
		`\u200b-\u2027\u202a-\u202e\u2030-\u205e\u2060-\u2fff\u3001-` + "\U000106fe\U00010700-\U0010ffff"
)

// sets are the letters of escapes for sets of characters.
const sets = "dDwWsS"

var (
	namedGroup = lazy.Regexp{Text: `\(\?<[^=!]`}
	groupName  = lazy.Regexp{Text: `^\(\?<[A-Za-z_$][\w$]*>`}
	counts     = lazy.Regexp{Text: `^\{\d+(?:,\d*)?\}`}
	quantifier = lazy.Regexp{Text: `^(?:[*+?]|\{\d+(?:,\d*)?\})`}
	largeCount = lazy.Regexp{Text: `0*[1-9]\d{6,}`}
)

// translator rewrites a pattern so the engine reads it as JavaScript does.
type translator struct {
	pattern    string
	named      bool // the pattern has named groups, so \k<name> is a reference
	at         int
	classOpen  bool // a class began at classStart, and has not ended
	classStart int
	out        strings.Builder

	isAssertion          bool     // the last output is an assertion, which cannot be repeated
	lookbehind           []bool   // for each open group
	names                []string // of groups
	hasRefs              bool     // there may be back references: the engine does not reset a repeated group
	mayDiffer            bool     // JavaScript may read the pattern differently from the engine
	depth, groups, class int      // nesting and number of groups, and the length of the longest class
}

func (t *translator) rest() string { return t.pattern[t.at:] }

func (t *translator) copy(n int) {
	t.out.WriteString(t.rest()[:n])
	t.at += n
}

func (t *translator) translate() (string, error) {
	for t.at < len(t.pattern) {
		rest := t.rest()
		t.isAssertion = false
		switch {
		case rest[0] == '\\' && len(rest) > 1:
			t.escape()
		case t.classOpen:
			t.inClass()
		default:
			if err := t.operator(); err != nil {
				return "", err
			}
		}
		if t.isAssertion && quantifier.Get().MatchString(t.rest()) {
			return "", errors.New("there is nothing to repeat")
		}
	}
	return t.out.String(), nil
}

// inClass writes the next character of a class.
func (t *translator) inClass() {
	rest := t.rest()
	switch {
	case rest[0] == ']':
		t.classOpen = false
		t.class = max(t.class, t.at-t.classStart)
		t.copy(1)
	case rest[0] == '[', // [[:alpha:]] is no class of letters, and [a-\s] has no range
		rest[0] == '-' && len(rest) > 2 && rest[1] == '\\' && strings.IndexByte(sets, rest[2]) >= 0:
		t.literal(uint16(rest[0]))
		t.at++
	default:
		t.unit()
	}
}

// operator writes the next character or operator outside of a class.
func (t *translator) operator() error {
	rest := t.rest()
	switch rest[0] {
	case '.':
		t.out.WriteString(`[^\n\r\u2028\u2029]`) // for the engine only \n ends a line
		t.at++
	case '^', '$':
		t.isAssertion = true
		t.copy(1)
	case '[':
		t.classOpen, t.classStart = true, t.at
		t.copy(1)
	case '(':
		return t.open()
	case ')':
		if n := len(t.lookbehind); n > 0 {
			t.isAssertion = t.lookbehind[n-1]
			t.lookbehind = t.lookbehind[:n-1]
		}
		t.copy(1)
	case '{':
		braces := counts.Get().FindString(rest)
		t.out.WriteString(largeCount.Get().ReplaceAllString(braces, "1000000")) // maxText
		t.at += len(braces)
		if braces == "" {
			t.copy(1)
		}
	default:
		t.unit()
	}
	return nil
}

// open rewrites the start of a group, and removes the name of a group.
func (t *translator) open() error {
	rest := t.rest()
	t.groups++
	isLookbehind := strings.HasPrefix(rest, "(?<=") || strings.HasPrefix(rest, "(?<!")
	t.lookbehind = append(t.lookbehind, isLookbehind)
	t.depth = max(t.depth, len(t.lookbehind))
	after, ok := strings.CutPrefix(rest, "(?")
	switch {
	case ok && (after == "" || strings.IndexByte(":=!<", after[0]) < 0):
		return errors.New("'(?' must be followed by ':', '=', '!', '<=', '<!' or a '<name>'")
	case !ok || after[0] != '<':
		t.copy(1)
	case isLookbehind:
		t.copy(4)
	default:
		name := groupName.Get().FindString(rest)
		t.mayDiffer = t.mayDiffer || name == "" || slices.Contains(t.names, name)
		t.names = append(t.names, name)
		t.out.WriteByte('(')
		t.at += max(len("(?<"), len(name))
	}
	return nil
}

// unit writes a character, as one or two units.
func (t *translator) unit() {
	r, size := utf8.DecodeRuneInString(t.rest())
	for _, u := range utf16.Encode([]rune{r}) {
		t.out.WriteRune(character(u))
	}
	t.at += size
}

// escape rewrites an escape sequence.
func (t *translator) escape() {
	rest := t.rest()
	switch c := rest[1]; {
	case c >= utf8.RuneSelf: // the character itself; of two units only the first is escaped
		t.at++
		t.unit()
	case c == 's' || c == 'S':
		set := spaces
		if c == 'S' {
			set = noSpaces
		}
		if !t.classOpen {
			set = "[" + set + "]"
		}
		t.out.WriteString(set)
		t.at += 2
	case !t.classOpen && c == 'b':
		t.isAssertion = true
		t.out.WriteString(`(?:(?<![0-9A-Za-z_])(?=[0-9A-Za-z_])|(?<=[0-9A-Za-z_])(?![0-9A-Za-z_]))`)
		t.at += 2
	case !t.classOpen && c == 'B':
		t.isAssertion = true
		t.out.WriteString(`(?:(?<![0-9A-Za-z_])(?![0-9A-Za-z_])|(?<=[0-9A-Za-z_])(?=[0-9A-Za-z_]))`)
		t.at += 2
	case c == 'x' && t.code(2), c == 'u' && t.code(4):
	case c == 'c':
		t.control()
	case !t.classOpen && c >= '1' && c <= '9', c == 'k' && t.named:
		t.hasRefs = true
		t.copy(2)
	case (isLetter(c) || c == '_') && strings.IndexByte("bdDwWfnrtv", c) < 0: // the engine may read an escape
		t.at++
		t.unit()
	default:
		t.copy(2)
	}
	if t.classOpen && strings.IndexByte(sets, rest[1]) >= 0 && strings.HasPrefix(t.rest(), "-") {
		t.literal('-') // [\s-a] has no range
		t.at++
	}
}

// code rewrites an escape such as \x41 or \u0041, and reports false if digits are missing.
func (t *translator) code(digits int) bool {
	rest := t.rest()[2:]
	if len(rest) < digits {
		return false
	}
	u, err := strconv.ParseUint(rest[:digits], 16, 16)
	if err != nil {
		return false
	}
	t.literal(uint16(u))
	t.at += 2 + digits
	return true
}

func isLetter(c byte) bool { return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' }

// control rewrites \c. Without a letter after it (in a class: a letter, a digit or _), the backslash is literal.
func (t *translator) control() {
	rest := t.rest()
	if len(rest) > 2 {
		c := rest[2]
		if isLetter(c) || t.classOpen && (c >= '0' && c <= '9' || c == '_') {
			t.literal(uint16(c % 32))
			t.at += 3
			return
		}
	}
	t.literal('\\')
	t.at++
}

// literal writes a unit that is not an operator.
func (t *translator) literal(u uint16) {
	if u >= 0xd800 {
		t.out.WriteRune(character(u))
		return
	}
	fmt.Fprintf(&t.out, `\u%04x`, u)
}
