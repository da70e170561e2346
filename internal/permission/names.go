package permission

import (
	"slices"
	"unicode"
	"unicode/utf16"
)

// namePattern is the pattern of one name of a path: fixed parts with a `*` between them.
type namePattern struct {
	parts    [][]unit
	anyDepth bool // it is `**`: any number of names
}

// unit matches one code unit. Like the regular expressions of the client, all of this file counts in UTF-16: a `?` is
// half an emoji.
type unit struct {
	char  uint16 // folded; if neither any nor class
	any   bool
	class *class
}

// parseNames parses a pattern without its leading and trailing slash.
func parseNames(body string) ([]*namePattern, bool) {
	r := nameReader{rest: utf16.Encode([]rune(body)), names: map[string]*namePattern{}, classes: map[string]*class{}}
	var names []*namePattern
	for {
		n, more, ok := r.next()
		if !ok {
			return nil, false
		}
		names = append(names, n)
		if !more {
			return names, true
		}
	}
}

// nameReader reads names. It gives equal names and equal classes only once, which findRun relies on to be quick.
type nameReader struct {
	rest    []uint16
	names   map[string]*namePattern
	classes map[string]*class
}

// next reads a name and the slash after it. An empty name is not ok: no path has one.
func (r *nameReader) next() (n *namePattern, more, ok bool) {
	whole := r.rest
	n = &namePattern{parts: [][]unit{nil}}
	stars, other := 0, false
	read := 0 // the length of the name
loop:
	for len(r.rest) > 0 {
		c := r.rest[0]
		if c == '\\' {
			if len(r.rest) == 1 {
				return nil, false, false // the trailing slash that it escaped is gone
			}
			c = r.rest[1]
			r.rest = r.rest[2:]
			if c == '/' {
				more = true
				break loop
			}
			n.add(unit{char: foldUnit(c)})
			other = true
			read = len(whole) - len(r.rest)
			continue
		}
		r.rest = r.rest[1:]
		switch c {
		case '/':
			more = true
			break loop
		case '*':
			stars++
			if last := len(n.parts) - 1; last == 0 || n.parts[last] != nil {
				n.parts = append(n.parts, nil)
			}
		case '?':
			n.add(unit{any: true})
			other = true
		case '[':
			c := r.class()
			if c == nil {
				return nil, false, false
			}
			n.add(unit{class: c})
			other = true
		default:
			n.add(unit{char: foldUnit(c)})
			other = true
		}
		read = len(whole) - len(r.rest)
	}
	if read == 0 {
		return nil, false, false
	}
	n.anyDepth = stars > 1 && !other
	key := string(utf16.Decode(whole[:read]))
	if seen := r.names[key]; seen != nil {
		return seen, more, true
	}
	r.names[key] = n
	return n, more, true
}

func (n *namePattern) add(u unit) {
	last := len(n.parts) - 1
	n.parts[last] = append(n.parts[last], u)
}

// match reports whether the pattern matches all of text, which is folded.
func (n *namePattern) match(text []uint16) bool {
	matchUnit := func(u unit, i int) bool {
		return u.any || u.class == nil && u.char == text[i] || u.class != nil && u.class.match(text[i])
	}
	first, last := n.parts[0], n.parts[len(n.parts)-1]
	if len(n.parts) == 1 {
		return len(text) == len(first) && findRun(first, 0, len(text), matchUnit) == 0
	}
	at, end := len(first), len(text)-len(last)
	if at > end || findRun(first, 0, at, matchUnit) < 0 || findRun(last, end, len(text), matchUnit) < 0 {
		return false
	}
	for _, part := range n.parts[1 : len(n.parts)-1] {
		if at = findRun(part, at, end, matchUnit); at < 0 {
			return false
		}
		at += len(part)
	}
	return true
}

// class is a bracket expression. It never matches a slash, because a name has none.
type class struct {
	negated bool
	units   spanSet
}

// posixClasses are the ones of git, which knows ASCII only.
var posixClasses = [...]struct {
	name  string
	units spanSet
}{
	{"alnum", spanSet{{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}},
	{"alpha", spanSet{{'A', 'Z'}, {'a', 'z'}}},
	{"blank", spanSet{{'\t', '\t'}, {' ', ' '}}},
	{"cntrl", spanSet{{0, 0x1f}, {0x7f, 0x7f}}},
	{"digit", spanSet{{'0', '9'}}},
	{"graph", spanSet{{'!', '~'}}},
	{"lower", spanSet{{'a', 'z'}}},
	{"print", spanSet{{' ', '~'}}},
	{"punct", spanSet{{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}},
	{"space", spanSet{{'\t', '\n'}, {'\r', '\r'}, {' ', ' '}}},
	{"upper", spanSet{{'A', 'Z'}}},
	{"xdigit", spanSet{{'0', '9'}, {'A', 'F'}, {'a', 'f'}}},
}

func posixClass(name string) (units spanSet, ok bool) {
	for _, c := range posixClasses {
		if c.name == name {
			return c.units, true
		}
	}
	return nil, false
}

// class reads what follows a `[`. It returns nil if the bracket is never closed or names an unknown class.
//
// As in git's wildmatch, a `]` that comes first is a member, a backslash escapes the next member, and of a range that
// is the wrong way round only its start is a member.
func (r *nameReader) class() *class {
	whole := r.rest
	cl := &class{}
	i := 0
	if len(whole) > 0 && (whole[0] == '!' || whole[0] == '^') {
		cl.negated = true
		i++
	}
	start := -1 // the member that a `-` would start a range from
	for first := true; ; first = false {
		if i >= len(whole) {
			return nil
		}
		c := whole[i]
		if c == ']' && !first {
			break
		}
		switch {
		case c == '-' && start >= 0 && i+1 < len(whole) && whole[i+1] != ']':
			i++
			if whole[i] == '\\' {
				i++
			}
			if i >= len(whole) {
				return nil
			}
			if lo := uint16(start); lo <= whole[i] {
				cl.units = append(cl.units, span{lo, whole[i]})
			}
			start = -1
		case c == '[' && i+1 < len(whole) && whole[i+1] == ':':
			shut := slices.Index(whole[i+2:], ']')
			if shut < 0 {
				return nil
			}
			if shut == 0 || whole[i+1+shut] != ':' { // no `:]`: it is a plain bracket
				cl.units = append(cl.units, span{c, c})
				start = int(c)
				break
			}
			units, ok := posixClass(string(utf16.Decode(whole[i+2 : i+1+shut])))
			if !ok {
				return nil
			}
			cl.units = append(cl.units, units...)
			i += 2 + shut
			start = -1
		default:
			if c == '\\' {
				i++
				if i >= len(whole) {
					return nil
				}
				c = whole[i]
			}
			cl.units = append(cl.units, span{c, c})
			start = int(c)
		}
		i++
	}
	r.rest = whole[i+1:]
	key := string(utf16.Decode(whole[:i]))
	if seen := r.classes[key]; seen != nil {
		return seen
	}
	cl.units = union(cl.units)
	r.classes[key] = cl
	return cl
}

// match reports whether the class has a member that folds to c, which is folded.
func (cl *class) match(c uint16) bool {
	found := cl.has(c)
	for v := unicode.SimpleFold(rune(c)); !found && v != rune(c); v = unicode.SimpleFold(v) {
		found = v <= 0xffff && foldUnit(uint16(v)) == c && cl.has(uint16(v))
	}
	return found != cl.negated
}

func (cl *class) has(c uint16) bool { return cl.units.has(c) }

func foldUnits(s string) []uint16 {
	units := utf16.Encode([]rune(s))
	for i, c := range units {
		units[i] = foldUnit(c)
	}
	return units
}

// foldUnit makes code units equal that a regular expression of JavaScript with the flag i holds for equal: it compares
// upper case, but no ASCII character equals one that is not (the Kelvin sign is no k).
func foldUnit(c uint16) uint16 {
	if c < 0x80 {
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		return c
	}
	upper := unicode.ToUpper(rune(c))
	if upper < 0x80 || upper > 0xffff {
		return c
	}
	return uint16(upper)
}
