package permission

import (
	"path"
	"strings"
)

// matchPath reports whether a pattern of a file rule matches a file. file may be relative (to dir) or contain "..":
// it is resolved first. dir is the session's current directory, root the place of patterns, home the user's home directory
// ("" if unknown); all absolute.
//
// The rule is the one of Claude Code 2.1.329: the pattern is a line of a .gitignore as the npm package "ignore" reads
// it, case-insensitive, that lies at the root of the file system (`//etc/**`), in home (`~/.ssh/**`) or else in root, which is dir there
// (`/src/**`, `./src/**`, `src/**`, `*.ts`). It does not see files outside of its place, except that a pattern that
// starts with a star is tried from the root of the file system for a file outside of root: `*.ts` and `**/.ssh/**` match
// anywhere, `x.ts` and `.ssh/**` only in root.
//
// An empty file matches nothing, nor does one with a NUL: no tool can open it.
func matchPath(pattern, file, dir, root, home string) bool {
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
	inside := below(root, file)
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
