package permission

import (
	"bytes"
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
	maxName    = 255    // bytes of a name in a path; the same
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

// IsTooLong reports whether no file can have this path: the path or one of its names is too long for the system.
func IsTooLong(file string) bool {
	return len(file) > maxPath ||
		slices.ContainsFunc(strings.Split(file, "/"), func(name string) bool { return len(name) > maxName })
}

// follow returns the path without links, or "" if the path is unknown. A path that is too long exists nowhere, so
// nothing is looked up.
func (t *callCache) follow(file string) string {
	end, ok := t.followed[file]
	if ok {
		return end
	}
	if end = path.Clean(file); len(file) <= maxPath {
		end = t.walk(file)
	}
	t.followed[file] = end
	return end
}

// nameInFolder is what a folder has under a name.
type nameInFolder struct {
	missing bool
	link    bool
	path    string // of a link the target, "" if it cannot be read; else the path
}

// lookUp returns what is at a path whose folder has no links. Paths of a call share folders, so the result is cached.
// within is whether the call's lookups are within the limit; the system reads the whole path, so a long path costs
// more.
func (t *callCache) lookUp(file string) (n nameInFolder, within bool) {
	n, ok := t.lookedUp[file]
	if ok {
		return n, true
	}
	if t.lookups += 1 + len(file)/256; t.lookups > maxLookups {
		return n, false
	}
	info, err := os.Lstat(native(file))
	if err != nil {
		n.missing = true
	} else if n.path = longName(file); info.Mode()&(os.ModeSymlink|os.ModeIrregular) != 0 {
		target, err := os.Readlink(native(file))
		if n.link = err == nil || info.Mode()&os.ModeSymlink != 0; n.link { // else no junction of Windows
			n.path = slashed(target)
		}
	}
	t.lookedUp[file] = n
	return n, true
}

// walk returns where a path leads. After the first missing name, no name can be a link.
func (t *callCache) walk(file string) string {
	at, links := make([]byte, 0, len(file)+1), 0 // at is "" for the root
	missing := -1                                // length of the first path that is missing
	rest := strings.Split(file, "/")
	for len(rest) > 0 {
		name := rest[0]
		rest = rest[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			if at = at[:max(bytes.LastIndexByte(at, '/'), 0)]; len(at) < missing {
				missing = -1
			}
			continue
		}
		if bytes.HasPrefix(at, []byte("/proc/")) && slices.Contains(processLinks, name) {
			return ""
		}
		folder := len(at)
		if at = append(append(at, '/'), name...); missing >= 0 {
			continue
		}
		found, within := t.lookUp(string(at))
		switch {
		case !within:
			return ""
		case found.missing:
			missing = len(at)
			continue
		case !found.link:
			at = append(at[:0], found.path...)
			continue
		}
		if links++; links > maxLinks || found.path == "" || len(found.path) > maxPath {
			return ""
		}
		if at = at[:folder]; path.IsAbs(found.path) {
			at = at[:0]
		}
		rest = append(strings.Split(found.path, "/"), rest...)
	}
	return cmp.Or(string(at), "/")
}
