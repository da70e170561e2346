package jsregexp

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/hookrun/hookrun/internal/lazy"
)

// character returns the character that stands for a UTF-16 unit, in patterns and texts. The engine works on characters
// and sometimes loses surrogate halves, so these and all units above them are moved up.
func character(unit uint16) rune {
	if unit >= 0xd800 {
		return rune(unit) + 0x800
	}
	return rune(unit)
}

// \s and \S for units, because the engine has them for characters. U+FEFF is the one that moves.
const (
	spaces   = `\t-\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000` + "\U000106ff"
	noSpaces = `\x00-\x08\x0e-\x1f\x21-\x9f\xa1-\u167f\u1681-\u1fff` +
		`\u200b-\u2027\u202a-\u202e\u2030-\u205e\u2060-\u2fff\u3001-` + "\U000106fe\U00010700-\U0010ffff"
)

var (
	namedGroup = lazy.Regexp{Text: `\(\?<[^=!]`}
	groupName  = lazy.Regexp{Text: `^(?:\(\?|\\k)<[^=!<>()][^<>()]*>`}
	counts     = lazy.Regexp{Text: `^\{\d+(?:,\d*)?\}`}
	largeCount = lazy.Regexp{Text: `0*[1-9]\d{6,}`}
)

// translator rewrites a pattern so that the engine reads it as JavaScript does.
type translator struct {
	pattern string
	named   bool // there are named groups, so \k<name> is a reference
	at      int
	within  bool // inside a class, which begins at opened
	opened  int
	out     strings.Builder

	depth, groups, class int // nesting and number of groups, and the length of the longest class
}

func (t *translator) rest() string { return t.pattern[t.at:] }

func (t *translator) copy(n int) {
	t.out.WriteString(t.rest()[:n])
	t.at += n
}

func (t *translator) translate() (string, error) {
	open := 0
	for t.at < len(t.pattern) {
		rest := t.rest()
		switch {
		case rest[0] == '\\' && len(rest) > 1:
			t.escape()
		case t.within && rest[0] == '-' && len(rest) > 2 && rest[1] == '\\' && strings.IndexByte("sS", rest[2]) >= 0:
			t.out.WriteByte('\\') // [a-\s] has no range
			t.copy(1)
		case t.within && rest[0] == ']':
			t.within = false
			t.class = max(t.class, t.at-t.opened)
			t.copy(1)
		case !t.within && rest[0] == '[':
			t.within, t.opened = true, t.at
			t.copy(1)
		case !t.within && rest[0] == '(':
			t.groups++
			open++
			t.depth = max(t.depth, open)
			after, ok := strings.CutPrefix(rest, "(?")
			if ok && (after == "" || strings.IndexByte(":=!<", after[0]) < 0) {
				return "", errors.New("'(?' must be followed by ':', '=', '!', '<=', '<!' or a '<name>'")
			}
			t.copy(max(1, len(groupName.Get().FindString(rest))))
		case !t.within && rest[0] == ')':
			open--
			t.copy(1)
		case !t.within && rest[0] == '{':
			braces := counts.Get().FindString(rest)
			t.out.WriteString(largeCount.Get().ReplaceAllString(braces, "1000000")) // maxText
			t.at += len(braces)
			if braces == "" {
				t.copy(1)
			}
		default:
			t.unit()
		}
	}
	return t.out.String(), nil
}

// unit writes a character, which may be two units.
func (t *translator) unit() {
	r, size := utf8.DecodeRuneInString(t.rest())
	for _, u := range utf16.Encode([]rune{r}) {
		t.out.WriteRune(character(u))
	}
	t.at += size
}

// escape writes what follows a backslash.
func (t *translator) escape() {
	rest := t.rest()
	switch c := rest[1]; {
	case c >= utf8.RuneSelf: // it stands for itself; of two units only the first is escaped
		t.at++
		t.unit()
	case c == 's' || c == 'S':
		set := spaces
		if c == 'S' {
			set = noSpaces
		}
		if !t.within {
			set = "[" + set + "]"
		}
		t.out.WriteString(set)
		t.at += 2
	case c == 'u' && len(rest) >= 6:
		if u, err := strconv.ParseUint(rest[2:6], 16, 16); err == nil && u >= 0xd800 {
			t.out.WriteRune(character(uint16(u)))
			t.at += 6
			return
		}
		t.copy(2)
	case c == 'k' && t.named && !t.within:
		t.copy(max(2, len(groupName.Get().FindString(rest))))
	default:
		t.copy(2)
	}
	if t.within && strings.IndexByte("sS", rest[1]) >= 0 && strings.HasPrefix(t.rest(), "-") {
		t.out.WriteByte('\\') // [\s-a] has no range
		t.copy(1)
	}
}
