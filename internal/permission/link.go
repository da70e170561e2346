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

// place is where a path leads without links.
type place struct {
	path    string // "": unknown
	missing bool   // nothing is there, so no name below it is a link
}

// IsTooLong reports whether no file can have this path: the path or one of its names is too long for the system.
func IsTooLong(file string) bool {
	if len(file) > maxPath {
		return true
	}
	for name := range strings.SplitSeq(file, "/") {
		if len(name) > maxName {
			return true
		}
	}
	return false
}

// follow returns the path without links, or "" if the path is unknown. It starts from the cached folders, which other
// paths share, unless the path has dots. A path that is too long exists nowhere, so nothing is looked up.
func (t *callCache) follow(file string) string {
	end, ok := t.followed[file]
	switch {
	case ok:
		return end.path
	case file == "/":
		return file
	case len(file) > maxPath:
		return path.Clean(file)
	case path.Clean(file) != file:
		end.path = t.walk(file)
	default:
		end = t.followClean(file)
	}
	t.followed[file] = end
	return end.path
}

// followClean is follow for a path without dots. It stops at the first missing name.
func (t *callCache) followClean(file string) (end place) {
	for at := 0; at < len(file); {
		next := at + 1
		for next < len(file) && file[next] != '/' {
			next++
		}
		if strings.HasPrefix(end.path, "/proc/") {
			return place{path: t.walk(file)}
		}
		known, ok := t.followed[file[:next]]
		if !ok {
			known = t.followName(end.path, file[:next])
			t.followed[file[:next]] = known
		}
		if end, at = known, next; end.path == "" {
			break
		}
		if end.missing && !strings.HasPrefix(end.path, "/proc/") {
			end.path += file[at:]
			break
		}
	}
	return end
}

// followName returns where a path without dots leads. folder is where its folder leads; "": the root.
func (t *callCache) followName(folder, file string) place {
	end := strings.TrimSuffix(folder, "/") + file[strings.LastIndexByte(file, '/'):]
	if !t.mayLookUp(end) {
		return place{}
	}
	info, err := os.Lstat(native(end))
	switch {
	case err != nil:
		return place{end, true}
	case info.Mode()&(os.ModeSymlink|os.ModeIrregular) != 0:
		return place{path: t.walk(file)}
	}
	return place{path: longName(end)}
}

// mayLookUp counts a lookup of a path, and reports whether the call's lookups are within the limit. The system reads
// the whole path, so a long path costs more.
func (t *callCache) mayLookUp(file string) bool {
	t.lookups += 1 + len(file)/256
	return t.lookups <= maxLookups
}

// walk is follow without the cache. After the first missing name, no name can be a link.
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
		next := string(at)
		if !t.mayLookUp(next) {
			return ""
		}
		info, err := os.Lstat(native(next))
		switch {
		case err != nil:
			missing = len(at)
			continue
		case info.Mode()&(os.ModeSymlink|os.ModeIrregular) == 0:
			at = append(at[:0], longName(next)...)
			continue
		}
		target, err := os.Readlink(native(next))
		if err != nil && info.Mode()&os.ModeSymlink == 0 { // nor a junction of Windows
			at = append(at[:0], longName(next)...)
			continue
		}
		target = slashed(target)
		if links++; err != nil || links > maxLinks || len(target) > maxPath {
			return ""
		}
		if at = at[:folder]; path.IsAbs(target) {
			at = at[:0]
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return cmp.Or(string(at), "/")
}
