package permission

import (
	"cmp"
	"os"
	"path"
	"slices"
	"strings"
)

// A rule names a file, but a tool opens whatever the path leads to. So the path rules of a project are also matched
// against the names that files have without symbolic links.

const (
	maxPath    = 4096   // bytes: the system opens no longer path
	maxLinks   = 40     // in one path, as on Linux
	maxLookups = 10_000 // of names in folders, for all rules of a call
)

// ofProcess are the links of /proc whose target depends on the process that opens them, or on other processes.
var ofProcess = []string{"cwd", "root", "fd", "exe", "map_files"}

// throughLinks holds a path against a test as atPath does: the paths that it may have without symbolic links are the
// path as written, which the system walks, and the path with ".." resolved first, which some tools open.
func (r Rule) throughLinks(c *Call, file string, at place, test func(file string, at place) bool) (bool, reason) {
	written := absolute(file, at.dir, at.home)
	if written == "" || len(written) > maxPath {
		return false, reason{}
	}
	real := func(dir string) string {
		if !strings.HasPrefix(dir, "/") {
			return dir
		}
		return cmp.Or(c.taken.follow(dir), dir)
	}
	places := slices.Compact([]place{at, {at.dir, real(at.root), real(at.home)}})
	for _, start := range slices.Compact([]string{written, path.Clean(written)}) {
		end := c.taken.follow(start)
		if end == "" {
			return doubt("cannot tell where the path " + quote(file) + " leads")
		}
		for _, p := range places {
			if !c.spend(len(r.pattern) * (64 + len(end))) {
				return true, tooMuchWork
			}
			if test(end, p) {
				return true, because(quote(end) + ", where " + quote(file) + " leads")
			}
		}
	}
	return false, reason{}
}

// follow returns where an absolute path leads through its links, "" if that cannot be known. It goes by way of the
// folder, which other paths share, unless the path has dots.
func (t *taken) follow(file string) string {
	end, ok := t.followed[file]
	switch {
	case ok:
		return end
	case file == "/":
		return file
	case path.Clean(file) != file:
		end = t.walk(file)
	default:
		end = t.enter(t.follow(path.Dir(file)), file)
	}
	t.followed[file] = end
	return end
}

// enter returns where a path without dots leads whose folder, without links, is given.
func (t *taken) enter(folder, file string) string {
	if t.lookups++; folder == "" || strings.HasPrefix(folder, "/proc/") || t.lookups > maxLookups {
		return t.walk(file)
	}
	end := path.Join(folder, path.Base(file))
	info, err := os.Lstat(native(end))
	switch {
	case err != nil:
		return end
	case info.Mode()&(os.ModeSymlink|os.ModeIrregular) != 0:
		return t.walk(file)
	}
	return longName(end)
}

// walk is follow without the cache. Nothing behind the first missing name can be a link.
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
		info, err := os.Lstat(native(next))
		switch {
		case err != nil:
			at, missing = next, true
			continue
		case info.Mode()&(os.ModeSymlink|os.ModeIrregular) == 0:
			at = longName(next)
			continue
		}
		target, err := os.Readlink(native(next))
		if err != nil && info.Mode()&os.ModeSymlink == 0 { // not a junction of Windows either
			at = longName(next)
			continue
		}
		target = slashed(target)
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
