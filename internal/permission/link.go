package permission

import (
	"cmp"
	"os"
	"path"
	"slices"
	"strings"
)

// A rule names a file, but a tool opens the file that the path leads to. So a project's path rules are also matched
// against the names that files have without symbolic links.

const (
	maxPath    = 4096   // bytes; the system opens no longer path
	maxLinks   = 40     // in one path, as on Linux
	maxLookups = 10_000 // of names in folders, for all rules of a call
)

// processLinks are the links of /proc whose target depends on the process that opens them, or on other processes.
var processLinks = []string{"cwd", "root", "fd", "exe", "map_files"}

// matchLinks tests a path as atPath does, but without symbolic links. It tests two paths: the path as written, as the
// system walks it, and the path after ".." is resolved, as some tools open it.
func (r Rule) matchLinks(c *Call, file string, at baseDirs, test func(file string, at baseDirs) bool) (bool, reason) {
	written := absolute(file, at.dir, at.home)
	if written == "" || len(written) > maxPath {
		return false, reason{}
	}
	real := func(dir string) string {
		if !strings.HasPrefix(dir, "/") {
			return dir
		}
		return cmp.Or(c.cache.follow(dir), dir)
	}
	places := slices.Compact([]baseDirs{at, {at.dir, real(at.root), real(at.home)}})
	for _, start := range slices.Compact([]string{written, path.Clean(written)}) {
		end := c.cache.follow(start)
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

// follow returns the path without links, or "" if the path is unknown. It starts from the cached folder, which other
// paths share, unless the path has dots.
func (t *callCache) follow(file string) string {
	end, ok := t.followed[file]
	switch {
	case ok:
		return end
	case file == "/":
		return file
	case path.Clean(file) != file:
		end = t.walk(file)
	default:
		end = t.followIn(t.follow(path.Dir(file)), file)
	}
	t.followed[file] = end
	return end
}

// followIn returns a path without links. folder is the path's folder, already without links; the path has no dots.
func (t *callCache) followIn(folder, file string) string {
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

// walk is follow without the cache. After the first missing name, no name can be a link.
func (t *callCache) walk(file string) string {
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
		if strings.HasPrefix(at, "/proc/") && slices.Contains(processLinks, name) {
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
		if err != nil && info.Mode()&os.ModeSymlink == 0 { // nor a junction of Windows
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
