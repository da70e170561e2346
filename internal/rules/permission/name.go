package permission

import (
	"path"
	"slices"
	"strings"
)

// name describes one name of a path in upper case, because case does not count.
type name struct {
	begin, end string
	open       bool // any text may be between begin and end; if false, begin is the whole name
	anyDepth   bool // any number of names
}

// upper returns a path in upper case, folded first, because paths that are equal for matchPath must be equal texts
// here.
func upper(path string) string { return strings.ToUpper(folded(path)) }

// mayOverlap reports whether one path may fit both lists of names.
func mayOverlap(a, b []name) bool {
	if a == nil {
		return false
	}
	fits := make([]bool, len(b)+1) // whether one path may fit the names of a so far and the first names of b
	fits[0] = true
	for i := 0; ; i++ {
		for j := range b {
			fits[j+1] = fits[j+1] || fits[j] && (b[j].anyDepth || i < len(a) && a[i].anyDepth)
		}
		if i == len(a) {
			return fits[len(b)]
		}
		for j := len(b); j >= 0; j-- {
			stays := fits[j] && (a[i].anyDepth || j < len(b) && b[j].anyDepth)
			fits[j] = stays || j > 0 && fits[j-1] && mayEqual(a[i], b[j-1])
		}
	}
}

// mayEqual reports whether two names may be equal.
func mayEqual(a, b name) bool {
	switch {
	case a.anyDepth || b.anyDepth:
		return false // handled in mayOverlap
	case !a.open && !b.open:
		return a.begin == b.begin
	case a.open && b.open:
		return (strings.HasPrefix(a.begin, b.begin) || strings.HasPrefix(b.begin, a.begin)) &&
			(strings.HasSuffix(a.end, b.end) || strings.HasSuffix(b.end, a.end))
	case a.open:
		a, b = b, a
	}
	return strings.HasPrefix(a.begin, b.begin) && strings.HasSuffix(a.begin, b.end)
}

// looksLikeFile reports whether the name has an ending that files have but folders hardly ever, unlike conf.d and .ssh.
func (n name) looksLikeFile() bool {
	end := n.begin
	if n.open {
		end = "*" + n.end
	}
	switch i := strings.LastIndexByte(end, '.'); {
	case strings.HasPrefix(n.begin, ".ENV"):
		return true
	case i < 0, i == len(end)-1:
		return false
	case i == 0:
		return strings.HasSuffix(end, "RC")
	default:
		return end[i:] != ".D" && end[i:] != ".GIT"
	}
}

// withoutFinalStars returns the names of a pattern without final names that match anything: a/** and a/* become a.
func withoutFinalStars(pattern []name) []name {
	for i := len(pattern) - 1; i >= 0; i-- {
		if n := pattern[i]; !n.anyDepth && (!n.open || n.begin+n.end != "") {
			return pattern[:i+1]
		}
	}
	return nil
}

// startsWith reports whether a list may start with the names of another list.
func startsWith(all, first []name) bool {
	return len(all) > 0 && len(all) >= len(first) && slices.EqualFunc(all[:len(first)], first, mayEqual)
}

// namesOf resolves a path and returns its names.
func namesOf(file string, at baseDirs) (all []name) {
	file = resolve(file, at.dir, at.home)
	all = make([]name, 0, strings.Count(file, "/")+2)
	for part := range strings.SplitSeq(upper(file), "/") {
		if part != "" {
			all = append(all, name{begin: part})
		}
	}
	return all
}

// pathPattern is a pattern for paths, split into names.
type pathPattern struct {
	base  byte // where the pattern starts: '/', '~', '*' for anywhere, or 0 for baseDirs.root
	names []name
	fixed int // the number of leading names that are known in full
	// forFiles means that the pattern's ending is typical of files. Every pattern also matches all files in a folder of
	// this name, so the last name has any depth.
	forFiles bool
}

// readPath reads a pattern. It returns no names if no path matches. The names fit more paths than the pattern matches.
func readPath(pattern string) (p pathPattern) {
	line, ok := trimLine(folded(pattern))
	switch {
	case !ok, line == "":
		return p
	case strings.HasPrefix(line, "//"):
		p.base, line = '/', "/"+strings.TrimLeft(fromDrive(strings.TrimLeft(line, "/")), "/")
	case strings.HasPrefix(line, "~/"):
		p.base, line = '~', line[1:]
	default:
		line = strings.TrimPrefix(line, "./")
	}
	if line == "" || line[0] == '#' || line[0] == '!' {
		return p
	}
	if line[0] == '*' || !strings.Contains(line[:len(line)-1], "/") {
		p.names = []name{{anyDepth: true}}
	}
	rest, _ := globNames(strings.Trim(line, "/"))
	p.names = append(append(p.names, rest...), name{anyDepth: true})
	if len(rest) > 0 && !strings.HasSuffix(line, "/") {
		p.forFiles = rest[len(rest)-1].looksLikeFile()
	}
	for p.fixed < len(p.names) && !p.names[p.fixed].open && !p.names[p.fixed].anyDepth {
		p.fixed++
	}
	if line[0] == '*' && p.base == 0 {
		p.base = '*' // outside of the root the pattern matches anywhere
	}
	return p
}

// names returns the pattern's names from the root of the file system, or nil if no path matches. within are the names
// of the innermost folder that the pattern names in full.
func (r Rule) names(c *Call, at baseDirs) (all, within []name) {
	p := r.path()
	if p.names == nil {
		return nil, nil
	}
	switch p.base {
	case '/':
	case '~':
		all = c.names(at.home, at)
	case '*':
		return p.names, c.names(at.root, at)
	default:
		all = c.names(at.root, at)
	}
	fixed := len(all) + p.fixed
	all = append(all, p.names...)
	return all, all[:fixed]
}

// globNames returns the names of a glob. sure is false if the glob has a "..", which may follow a wildcard.
func globNames(glob string) (all []name, sure bool) {
	sure = true
	for part := range strings.SplitSeq(upper(glob), "/") {
		first, last := strings.IndexAny(part, `*?[{(\`), strings.LastIndexAny(part, `*?]})\`)
		switch {
		case part == "" || part == ".":
		case part == "..":
			return all, false
		case len(part) > 1 && strings.Trim(part, "*") == "":
			all = append(all, name{anyDepth: true})
		case first < 0:
			all = append(all, name{begin: part})
		case strings.Count(part, "[") > strings.Count(part, "]"), strings.Count(part, "(") > strings.Count(part, ")"):
			return append(all, name{anyDepth: true}), sure // may contain a slash
		default:
			before := first
			if part[first] == '(' && first > 0 && strings.ContainsRune("!@+", rune(part[first-1])) {
				before--
			}
			all = append(all, name{begin: part[:before], end: part[max(first, last)+1:], open: true})
		}
	}
	return all, sure
}

// splitGlob splits a glob before the name with its first wildcard, into the leading folder and the other names. A glob
// without a slash may choose files at any depth.
func splitGlob(glob string) (start string, rest []name, sure bool) {
	glob = slashed(strings.TrimSpace(glob))
	special := strings.IndexAny(glob, `*?[{(\`)
	if special < 0 && strings.HasSuffix(glob, "/") {
		return glob, []name{{anyDepth: true}}, true
	}
	if special < 0 && strings.Contains(glob, "/") {
		return glob, nil, true
	}
	cut := strings.LastIndexByte(glob[:max(special, 0)], '/') + 1
	rest, sure = globNames(glob[cut:])
	if !strings.Contains(glob, "/") {
		rest = append([]name{{anyDepth: true}}, rest...)
	}
	isOpen := len(rest) > 0 && rest[len(rest)-1].open && !strings.Contains(path.Base(glob), ".")
	if isOpen || strings.HasSuffix(glob, "/") {
		rest = append(rest, name{anyDepth: true}) // the last name may be a folder
	}
	return glob[:cut], rest, sure
}

// maxAlternatives limits the number of globs that one glob with braces can expand to.
const maxAlternatives = 64

// alternativesOf returns the globs in lists of globs, with braces expanded. It leaves out the globs that exclude files.
func alternativesOf(globs []string) (all []string) {
	for _, glob := range globs {
		if len(glob) > maxPath || len(all) > maxOthers {
			return []string{"**"}
		}
		for _, one := range splitList(glob) {
			if one == "" || strings.HasPrefix(one, "!") {
				continue
			}
			all = append(all, withoutBraces(one, maxAlternatives)...)
			// On Windows some tools read a backslash as a path separator, and some as the escape of a glob.
			if escaped := strings.ReplaceAll(one, `\`, ""); escaped != one {
				all = append(all, withoutBraces(escaped, maxAlternatives)...)
			}
		}
	}
	return all
}

// splitList splits globs joined by blanks or commas outside of braces: *.go,*.mod. If the text has several globs, the
// whole text may be a glob as well.
func splitList(text string) (all []string) {
	text = strings.TrimSpace(text)
	depth, start := 0, 0
	for i, c := range text {
		switch {
		case c == '{':
			depth++
		case c == '}':
			depth--
		case depth <= 0 && (c == ',' || c == ' '):
			all, start = append(all, text[start:i]), i+1
		}
	}
	if start > 0 {
		all = append(all, text[start:])
	}
	return append(all, text)
}

// Braces returns the globs that a glob with braces expands to.
func Braces(glob string) []string { return withoutBraces(glob, maxAlternatives) }

// withoutBraces expands the braces of a glob. If the glob would expand to more than most globs, a wildcard replaces the
// braces and the rest.
func withoutBraces(glob string, most int) (all []string) {
	open := strings.IndexByte(glob, '{')
	if open < 0 {
		return []string{glob}
	}
	depth, start := 0, open+1
	var parts []string
	for i := open; i < len(glob); i++ {
		switch {
		case glob[i] == '{':
			depth++
		case glob[i] == ',' && depth == 1:
			parts, start = append(parts, glob[start:i]), i+1
		case glob[i] == '}':
			if depth--; depth > 0 {
				continue
			}
			parts = append(parts, glob[start:i])
			switch {
			case len(parts) > most:
				return []string{glob[:open] + "*/**"}
			case len(parts) == 1: // {1..3}
				parts[0] = "*"
			}
			for _, part := range parts {
				all = append(all, withoutBraces(glob[:open]+part+glob[i+1:], most/len(parts))...)
			}
			return all
		}
	}
	return []string{glob[:open] + "*/**"} // never closed
}
