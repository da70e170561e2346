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
	for part := range strings.SplitSeq(strings.ToUpper(file), "/") {
		if part != "" {
			all = append(all, name{begin: part})
		}
	}
	return all
}

// names returns the names of the pattern from the root of the file system on, which more paths fit than match the
// pattern; nil if none does. within are the names of the innermost folder in which all of these are that are below
// place.root: the last one that the pattern names in full.
func (r Rule) names(at place) (all, within []name) {
	pattern := r.pattern
	line, ok := trimLine(pattern)
	if !ok || line == "" {
		return nil, nil
	}
	base := at.root
	switch {
	case strings.HasPrefix(line, "//"):
		base, line = "/", "/"+strings.TrimLeft(fromDrive(strings.TrimLeft(line, "/")), "/")
	case strings.HasPrefix(line, "~/"):
		base, line = at.home, line[1:]
	default:
		line = strings.TrimPrefix(line, "./")
	}
	within = namesOf(base, at)
	if strings.HasPrefix(line, "*") { // outside of the root it matches anywhere
		all = append(all, name{depth: true})
	} else {
		all = append(all, within...)
	}
	if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "!") || line == "" {
		return nil, nil
	}
	if !strings.Contains(line[:len(line)-1], "/") {
		all = append(all, name{depth: true})
	}
	rest, _ := globNames(strings.Trim(line, "/"))
	all = append(all, rest...)
	if !all[0].depth {
		within = all
		for i, n := range all {
			if n.open || n.depth {
				within = all[:i]
				break
			}
		}
	}
	return append(all, name{depth: true}), within
}

// globNames returns the names of a glob. sure is false if it has a ".." that a wildcard leads to.
func globNames(glob string) (all []name, sure bool) {
	sure = true
	for part := range strings.SplitSeq(strings.ToUpper(glob), "/") {
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
	if special < 0 && strings.Contains(glob, "/") {
		return glob, nil, true
	}
	cut := strings.LastIndexByte(glob[:max(special, 0)], '/') + 1
	rest, sure = globNames(glob[cut:])
	if !strings.Contains(glob, "/") {
		rest = append([]name{{depth: true}}, rest...)
	}
	if strings.HasSuffix(glob, "/") || len(rest) > 0 && rest[len(rest)-1].open && !strings.Contains(path.Base(glob), ".") {
		rest = append(rest, name{depth: true}) // it may be that of a folder
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
			if one != "" && !strings.HasPrefix(one, "!") {
				all = append(all, withoutBraces(one, maxAlternatives)...)
			}
		}
	}
	return all
}

// splitList splits globs that blanks or commas join: *.go,*.mod. Those in braces do not. If there are several, the whole
// may be a glob as well.
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
