package permission

import (
	"cmp"
	"math/bits"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
)

// matchPath reports whether a pattern of a file rule matches a file. file may be relative (to dir) or contain "..":
// it is resolved first. dir is the session's current directory, home the user's home directory ("" if unknown); both
// absolute.
//
// The rule is the one of Claude Code 2.1.329: the pattern is a line of a .gitignore as the npm package "ignore" reads
// it, case-insensitive, that lies at the root of the file system (`//etc/**`), in home (`~/.ssh/**`) or else in dir
// (`/src/**`, `./src/**`, `src/**`, `*.ts`). It does not see files outside of its place, except that a pattern that
// starts with a star is tried from the root of the file system for a file outside of dir: `*.ts` and `**/.ssh/**` match
// anywhere, `x.ts` and `.ssh/**` only in dir.
//
// An empty file matches nothing, nor does one with a NUL: no tool can open it.
func matchPath(pattern, file, dir, home string) bool {
	file = resolve(file, dir, home)
	if file == "" {
		return false
	}
	switch {
	case pattern == "*", pattern == "**":
		return true // also for the root itself, which has no path below the root
	case strings.HasPrefix(pattern, "//"):
		// However many slashes there are: `//<dir>/**` is written with a dir that has its own.
		return gitignored("/"+strings.TrimLeft(pattern, "/"), below("/", file))
	case strings.HasPrefix(pattern, "~/"):
		return home != "" && gitignored(pattern[1:], below(home, file))
	}
	inside := below(dir, file)
	if inside == "" && strings.HasPrefix(pattern, "*") {
		return gitignored(pattern, below("/", file))
	}
	// `./` names the place and no more: `./a.ts` is `a.ts`, which matches at any depth, unlike `/a.ts`.
	return gitignored(strings.TrimPrefix(pattern, "./"), inside)
}

// resolve returns the absolute path without "." and ".." that a tool of Claude Code opens for file, or "". The tools
// trim the path and know `~/`; a rule that did not would be walked around with it.
func resolve(file, dir, home string) string {
	if file == "" || strings.ContainsRune(file, 0) {
		return ""
	}
	file = strings.TrimSpace(file)
	switch {
	case home != "" && (file == "~" || strings.HasPrefix(file, "~/")):
		file = home + file[1:]
	case !path.IsAbs(file):
		file = dir + "/" + file
	}
	file = path.Clean(file)
	if !path.IsAbs(file) {
		return ""
	}
	return file
}

// below returns the path of file relative to root, or "" if it is root itself or not in it.
func below(root, file string) string {
	root = strings.TrimSuffix(path.Clean(root), "/")
	rest, ok := strings.CutPrefix(file, root+"/")
	if !ok {
		return ""
	}
	return rest
}

// gitignored reports whether the single line pattern of a .gitignore ignores file, a clean path relative to the place
// of the .gitignore; "" is never ignored. A pattern that matches a folder ignores all that is in it.
func gitignored(pattern, file string) bool {
	if file == "" {
		return false
	}
	p, ok := parseGitignore(pattern)
	if !ok {
		return false
	}
	var names [][]uint16
	for name := range strings.SplitSeq(file, "/") {
		names = append(names, foldUnits(name))
	}

	// Only what is above the file is known to be a folder.
	end := len(names)
	if p.folderOnly {
		end--
	}
	// A trailing `/**` wants at least one more name below what the rest matches.
	if p.inside {
		end--
	}
	matchName := func(n *namePattern, i int) bool { return n.match(names[i]) }

	// The first place of each run is the best: a later one leaves less for the next run, and what follows the last
	// one is in the matched folder.
	at := 0
	for i, run := range p.runs {
		if i == 0 && p.anchored {
			if findRun(run, 0, min(end, len(run)), matchName) < 0 {
				return false
			}
		} else if at = findRun(run, at, end, matchName); at < 0 {
			return false
		}
		at += len(run)
	}
	return at <= end
}

// gitignore is a parsed line: runs of names with `**/` between them.
type gitignore struct {
	runs       [][]*namePattern
	anchored   bool // the first run starts at the place of the .gitignore
	inside     bool // it ends in `/**`
	folderOnly bool // it ends in `/`
}

// parseGitignore parses a line. A line that matches nothing of its own is not ok: a blank one, a comment, a negation,
// one with an open bracket, an unknown class or a lone backslash at its end, and one with an empty name.
func parseGitignore(line string) (p gitignore, ok bool) {
	if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "!") {
		return p, false
	}
	line, ok = trimLine(line)
	if !ok || line == "" {
		return p, false
	}
	p.anchored = strings.Contains(line[:len(line)-1], "/")
	line = strings.TrimPrefix(line, "/")
	body := strings.TrimSuffix(line, "/")
	p.folderOnly = body != line

	names, ok := parseNames(body)
	if !ok {
		return p, false
	}
	var run []*namePattern
	for i, n := range names {
		switch {
		case !n.anyDepth:
			run = append(run, n)
			continue
		case i == len(names)-1:
			p.inside = true
		case i == 0:
			p.anchored = false
		}
		if run != nil {
			p.runs = append(p.runs, run)
			run = nil
		}
	}
	if run != nil {
		p.runs = append(p.runs, run)
	}
	return p, true
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
	ranges  []unitRange // sorted, apart from each other
}

type unitRange struct{ lo, hi uint16 }

// posixClasses are the ones of git, which knows ASCII only.
var posixClasses = map[string][]unitRange{
	"alnum":  {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}},
	"alpha":  {{'A', 'Z'}, {'a', 'z'}},
	"blank":  {{'\t', '\t'}, {' ', ' '}},
	"cntrl":  {{0, 0x1f}, {0x7f, 0x7f}},
	"digit":  {{'0', '9'}},
	"graph":  {{'!', '~'}},
	"lower":  {{'a', 'z'}},
	"print":  {{' ', '~'}},
	"punct":  {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}},
	"space":  {{'\t', '\n'}, {'\r', '\r'}, {' ', ' '}},
	"upper":  {{'A', 'Z'}},
	"xdigit": {{'0', '9'}, {'A', 'F'}, {'a', 'f'}},
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
				cl.ranges = append(cl.ranges, unitRange{lo, whole[i]})
			}
			start = -1
		case c == '[' && i+1 < len(whole) && whole[i+1] == ':':
			shut := slices.Index(whole[i+2:], ']')
			if shut < 0 {
				return nil
			}
			if shut == 0 || whole[i+1+shut] != ':' { // no `:]`: it is a plain bracket
				cl.ranges = append(cl.ranges, unitRange{c, c})
				start = int(c)
				break
			}
			ranges, ok := posixClasses[string(utf16.Decode(whole[i+2:i+1+shut]))]
			if !ok {
				return nil
			}
			cl.ranges = append(cl.ranges, ranges...)
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
			cl.ranges = append(cl.ranges, unitRange{c, c})
			start = int(c)
		}
		i++
	}
	r.rest = whole[i+1:]
	key := string(utf16.Decode(whole[:i]))
	if seen := r.classes[key]; seen != nil {
		return seen
	}
	cl.ranges = mergeRanges(cl.ranges)
	r.classes[key] = cl
	return cl
}

func mergeRanges(ranges []unitRange) []unitRange {
	slices.SortFunc(ranges, func(a, b unitRange) int { return cmp.Compare(a.lo, b.lo) })
	merged := ranges[:0]
	for _, r := range ranges {
		if last := len(merged) - 1; last >= 0 && r.lo <= merged[last].hi {
			merged[last].hi = max(merged[last].hi, r.hi)
		} else {
			merged = append(merged, r)
		}
	}
	return merged
}

// match reports whether the class has a member that folds to c, which is folded.
func (cl *class) match(c uint16) bool {
	found := cl.has(c)
	for v := unicode.SimpleFold(rune(c)); !found && v != rune(c); v = unicode.SimpleFold(v) {
		found = v <= 0xffff && foldUnit(uint16(v)) == c && cl.has(uint16(v))
	}
	return found != cl.negated
}

func (cl *class) has(c uint16) bool {
	_, found := slices.BinarySearchFunc(cl.ranges, c, func(r unitRange, c uint16) int {
		switch {
		case c < r.lo:
			return 1
		case c > r.hi:
			return -1
		}
		return 0
	})
	return found
}

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

// findRun returns the first place in [from, end) at which all of run lies, one element for one place, or -1.
// An empty run is at from.
//
// It tries place after place, which is quick unless a long run nearly fits at very many of them.
// findRunBits goes on from there: patterns and paths may be hostile.
func findRun[T comparable](run []T, from, end int, match func(T, int) bool) int {
	spent := 0
	for at := from; at <= end-len(run); at++ {
		n := 0
		for n < len(run) && match(run[n], at+n) {
			n++
		}
		if n == len(run) {
			return at
		}
		spent += n
		if spent > 16*(at-from)+patience {
			return findRunBits(run, at+1, end, match)
		}
	}
	return -1
}

// patience is how many comparisons findRun may waste before it changes its ways.
var patience = 1 << 14

// findRunBits is findRun in a time of about len(run) * (end-from) / 64: it looks at all places at once, one bit for
// each that can still be the answer.
func findRunBits[T comparable](run []T, from, end int, match func(T, int) bool) int {
	count := end - len(run) - from + 1
	if count <= 0 {
		return -1
	}
	live := newBitset(count)
	for i := range count {
		live.set(i)
	}
	alive := count
	fits := map[T]bitset{} // the places, from `from` on, that an element matches
	// From the end, because it is not the start that findRun stumbled over.
	for n, element := range slices.Backward(run) {
		// With few places left it costs less to look at each than to fill the bits of an element.
		if alive <= count/64 {
			for i := range live.all {
				if !match(element, from+i+n) {
					live.clear(i)
					alive--
				}
			}
		} else {
			fit, ok := fits[element]
			if !ok {
				fit = newBitset(end - from + 64)
				for i := range end - from {
					if match(element, from+i) {
						fit.set(i)
					}
				}
				fits[element] = fit
			}
			if !live.and(fit, n) {
				alive = live.count()
			}
		}
		if alive == 0 {
			return -1
		}
	}
	for i := range live.all {
		return from + i
	}
	return -1
}

type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) set(i int)   { b[i/64] |= 1 << (i % 64) }
func (b bitset) clear(i int) { b[i/64] &^= 1 << (i % 64) }

// all yields the bits that are set, in order.
func (b bitset) all(yield func(int) bool) {
	for w, word := range b {
		for ; word != 0; word &= word - 1 {
			if !yield(w*64 + bits.TrailingZeros64(word)) {
				return
			}
		}
	}
}

// and keeps the bits i whose bit i+shift is set in other, and reports whether all were kept. other has a word after the
// last one that is asked for.
func (b bitset) and(other bitset, shift int) (all bool) {
	other = other[shift/64:][:len(b)+1]
	low := uint(shift % 64)
	var lost uint64
	next := other[0]
	for w, word := range b {
		after := other[w+1]
		kept := word & (next>>low | after<<(64-low))
		lost |= word ^ kept
		b[w] = kept
		next = after
	}
	return lost == 0
}

func (b bitset) count() (n int) {
	for _, word := range b {
		n += bits.OnesCount64(word)
	}
	return n
}
