package permission

import (
	"path"
	"strings"
)

// name is what is known of one name of a path: where it begins and ends, in upper case, since case does not count.
type name struct {
	begin, end string
	open       bool // anything may be between begin and end; otherwise begin is the whole name
	depth      bool // any number of names instead
}

// upper returns a path in upper case. What is one path for matchPath is one text here, so it is folded first.
func upper(path string) string { return strings.ToUpper(folded(path)) }

// meet reports whether a path may fit both lists of names.
func meet(a, b []name) bool {
	if a == nil {
		return false
	}
	fits := make([]bool, len(b)+1) // whether the names of a so far and the first names of b may fit the same path
	fits[0] = true
	for i := 0; ; i++ {
		for j := range b {
			fits[j+1] = fits[j+1] || fits[j] && (b[j].depth || i < len(a) && a[i].depth)
		}
		if i == len(a) {
			return fits[len(b)]
		}
		for j := len(b); j >= 0; j-- {
			stays := fits[j] && (a[i].depth || j < len(b) && b[j].depth)
			fits[j] = stays || j > 0 && fits[j-1] && mayEqual(a[i], b[j-1])
		}
	}
}

// mayEqual reports whether two names may be the same.
func mayEqual(a, b name) bool {
	switch {
	case a.depth || b.depth:
		return false // meet looks at these
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

// isOfFile reports whether the name ends as those of files do, and hardly one of a folder, as conf.d and .ssh.
func (n name) isOfFile() bool {
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

// withoutAny returns the names of a pattern without what is for anything in a folder: a/** and a/* are a.
func withoutAny(pattern []name) []name {
	for i := len(pattern) - 1; i >= 0; i-- {
		if n := pattern[i]; !n.depth && (!n.open || n.begin+n.end != "") {
			return pattern[:i+1]
		}
	}
	return nil
}

// begin reports whether a list begins with the names of another.
func begin(all, first []name) bool {
	if len(first) > len(all) {
		return false
	}
	for i, n := range first {
		if !mayEqual(all[i], n) {
			return false
		}
	}
	return len(all) > 0
}

// namesOf returns the names of a path, which is resolved first.
func namesOf(file string, at place) (all []name) {
	file = resolve(file, at.dir, at.home)
	all = make([]name, 0, strings.Count(file, "/")+2)
	for part := range strings.SplitSeq(upper(file), "/") {
		if part != "" {
			all = append(all, name{begin: part})
		}
	}
	return all
}

// pathPattern is a pattern as names.
type pathPattern struct {
	base  byte // '/' or '~', where it starts from, or 0 for place.root
	names []name
	fixed int // how many of the names, if it does not begin with a star, are known in full
	// files says that the pattern is for files by its ending. As with any pattern all in a folder of that name is
	// meant, so the last of the names is for any depth.
	files bool
}

// readPath reads a pattern. There are no names if it matches no path. More paths fit the names than match the pattern.
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
		p.names = []name{{depth: true}}
	}
	rest, _ := globNames(strings.Trim(line, "/"))
	p.names = append(append(p.names, rest...), name{depth: true})
	if len(rest) > 0 && !strings.HasSuffix(line, "/") {
		p.files = rest[len(rest)-1].isOfFile()
	}
	for p.fixed < len(p.names) && !p.names[p.fixed].open && !p.names[p.fixed].depth {
		p.fixed++
	}
	if line[0] == '*' && p.base == 0 {
		p.base = '*' // outside of the root it matches anywhere
	}
	return p
}

// names returns the names of the pattern from the root of the file system on, nil if no path matches. within are those
// of the innermost folder that the pattern names in full.
func (r Rule) names(c *Call, at place) (all, within []name) {
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

// globNames returns the names of a glob. sure is false if it has a ".." that a wildcard leads to.
func globNames(glob string) (all []name, sure bool) {
	sure = true
	for part := range strings.SplitSeq(upper(glob), "/") {
		first, last := strings.IndexAny(part, `*?[{(\`), strings.LastIndexAny(part, `*?]})\`)
		switch {
		case part == "" || part == ".":
		case part == "..":
			return all, false
		case len(part) > 1 && strings.Trim(part, "*") == "":
			all = append(all, name{depth: true})
		case first < 0:
			all = append(all, name{begin: part})
		case strings.Count(part, "[") > strings.Count(part, "]"), strings.Count(part, "(") > strings.Count(part, ")"):
			return append(all, name{depth: true}), sure // a slash may be within
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

// splitGlob splits a glob at its first wildcard: the folder in front, and the names from there on. A glob without a
// slash may choose files at any depth.
func splitGlob(glob string) (start string, rest []name, sure bool) {
	glob = slashed(strings.TrimSpace(glob))
	special := strings.IndexAny(glob, `*?[{(\`)
	if special < 0 && strings.HasSuffix(glob, "/") {
		return glob, []name{{depth: true}}, true
	}
	if special < 0 && strings.Contains(glob, "/") {
		return glob, nil, true
	}
	cut := strings.LastIndexByte(glob[:max(special, 0)], '/') + 1
	rest, sure = globNames(glob[cut:])
	if !strings.Contains(glob, "/") {
		rest = append([]name{{depth: true}}, rest...)
	}
	isOpen := len(rest) > 0 && rest[len(rest)-1].open && !strings.Contains(path.Base(glob), ".")
	if isOpen || strings.HasSuffix(glob, "/") {
		rest = append(rest, name{depth: true}) // the last name may be that of a folder
	}
	return glob[:cut], rest, sure
}

// maxAlternatives limits how many globs braces can make of one.
const maxAlternatives = 64

// alternativesOf returns the globs that lists of them and braces stand for, without those that leave files out.
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
			// On Windows some tools read a backslash as one of a path, and some as the escape of a glob.
			if escaped := strings.ReplaceAll(one, `\`, ""); escaped != one {
				all = append(all, withoutBraces(escaped, maxAlternatives)...)
			}
		}
	}
	return all
}

// splitList splits globs that blanks or commas outside of braces join: *.go,*.mod. If there are several, the whole may
// be a glob as well.
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

// Braces returns the globs that a glob with braces stands for.
func Braces(glob string) []string { return withoutBraces(glob, maxAlternatives) }

// withoutBraces returns what a glob with braces stands for, or the glob if that would be more than most.
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
