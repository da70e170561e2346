package permission

import (
	"os"
	"path"
	"slices"
	"strings"
)

// A tool opens what a path leads to, and a rule is for files by their names. So a project's own rule for paths is also held
// against the names that files have without symbolic links.

const (
	maxPath    = 4096   // bytes: no longer path can be opened
	maxLinks   = 40     // in one path, as Linux has it
	maxLookups = 10_000 // of names in folders, for all rules of a call
)

// ofProcess are the links of /proc whose target depends on the process that opens them, or on others.
var ofProcess = []string{"cwd", "root", "fd", "exe", "map_files"}

// leadsTo says which paths a file may have without symbolic links: by the path as it is written, as the system walks it, and
// by the one without "..", which some tools open. ok: that is known.
func (c *Call) leadsTo(file, dir, home string) (paths []string, ok bool) {
	file = absolute(file, dir, home)
	if file == "" || len(file) > maxPath {
		return nil, true
	}
	if c.taken == nil {
		c.taken = &taken{}
	}
	for _, start := range []string{file, path.Clean(file)} {
		end, ok := c.taken.follow(start)
		if !ok {
			return nil, false
		}
		if !slices.Contains(paths, end) {
			paths = append(paths, end)
		}
	}
	return paths, true
}

// follow walks an absolute path from the root through its links. Behind the first name that does not exist there are none.
func (t *taken) follow(file string) (end string, ok bool) {
	if end, ok := t.followed[file]; ok {
		return end, end != ""
	}
	if t.followed == nil {
		t.followed = map[string]string{}
	}
	end = t.walk(file)
	t.followed[file] = end
	return end, end != ""
}

// walk is follow; "" is a path that leads nobody knows where.
func (t *taken) walk(file string) string {
	at, missing, links := "/", false, 0
	rest := strings.Split(file, "/")
	for len(rest) > 0 {
		name := rest[0]
		rest = rest[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			at, missing = path.Dir(at), false
			continue
		}
		next := path.Join(at, name)
		if strings.HasPrefix(at, "/proc/") && slices.Contains(ofProcess, name) {
			return ""
		}
		if missing {
			at = next
			continue
		}
		if t.lookups++; t.lookups > maxLookups {
			return ""
		}
		info, err := os.Lstat(next)
		switch {
		case err != nil:
			at, missing = next, true
			continue
		case info.Mode()&os.ModeSymlink == 0:
			at = next
			continue
		}
		target, err := os.Readlink(next)
		if links++; err != nil || links > maxLinks || len(target) > maxPath {
			return ""
		}
		if path.IsAbs(target) {
			at = "/"
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return at
}

// matchLinks holds the pattern against the paths that a file has without symbolic links.
func (r Rule) matchLinks(c *Call, file, dir, root, home string) (bool, string) {
	paths, ok := c.leadsTo(file, dir, home)
	if !ok {
		return true, "cannot tell where the path " + quote(file) + " leads" + soItRuns
	}
	if len(paths) == 0 {
		return false, ""
	}
	places := [][2]string{{root, home}, {root, home}}
	for i, place := range places[1] {
		if strings.HasPrefix(place, "/") {
			if end, ok := c.taken.follow(place); ok {
				places[1][i] = end
			}
		}
	}
	for _, end := range paths {
		for _, place := range places {
			if !c.spend(len(r.pattern) * (64 + len(end))) {
				return true, tooMuchWork
			}
			if matchPath(r.pattern, end, dir, place[0], place[1]) {
				return true, "matches the path " + quote(end) + ", where " + quote(file) + " leads"
			}
		}
	}
	return false, ""
}
