package permission

import (
	"cmp"
	"os"
	"slices"
	"strings"
)

// A tool reaches more files than the paths in its input: the files in a folder, and the files that a glob chooses. This
// file matches a pattern against those files.

// baseDirs are the folders that the paths of a call and of patterns start from.
type baseDirs struct{ dir, root, home string }

// anyFile stands for an unknown file name.
const anyFile = "\ufffd"

// hasPath reports whether the input names the files that the tool works on.
func (in *input) hasPath() bool { return len(in.paths) > 0 || len(in.globs) > 0 || in.unreadablePath }

// matchPaths matches the pattern against each path of the input, and against the other files that the tool may reach.
func (r Rule) matchPaths(c *Call, in *input) (bool, reason) {
	paths, folders := in.paths, in.folders
	if len(folders) == 0 && in.kind == Folder && c.Dir != "" && !in.invalidPath {
		folders = []string{c.Dir}
	}
	switch {
	case in.recorded && len(paths) == 0:
		paths = folders
	case in.kind == Unknown:
		paths = slices.DeleteFunc(slices.Clone(paths), isURL)
	}
	ok, why := firstMatch(paths, func(file string) (bool, reason) { return r.matchPath(c, file) })
	if !ok && !in.recorded {
		if ok, reached := r.matchReach(c, in, folders); ok {
			return true, reached
		}
	}
	switch {
	case ok:
	case in.unreadablePath, in.kind == Folder && len(paths)+len(folders) == 0, in.kind == File && !in.hasPath():
		return unreadable(in.field)
	}
	return ok, cmp.Or(why, because("matches no path of the input"))
}

// firstMatch returns the first match in a list, or why the last text does not match.
func firstMatch(list []string, match func(string) (bool, reason)) (ok bool, why reason) {
	for _, text := range list {
		if ok, why = match(text); ok {
			break
		}
	}
	return ok, why
}

// matchReach matches the pattern against the files that the tool may reach besides the paths of its input.
func (r Rule) matchReach(c *Call, in *input, folders []string) (ok bool, why reason) {
	isFolder, globs, others := in.kind == Folder, in.globs, in.maybePaths
	switch {
	case isFolder && r.isTool(c, "fs_glob", "Glob"):
		globs = slices.Concat(globs, in.patterns)
	case !isFolder || !r.isTool(c, "fs_grep", "Grep"):
		others = slices.Concat(others, in.patterns)
	}
	if globs = alternativesOf(globs); len(globs) == 0 && len(in.globs) > 0 && !isFolder {
		globs = []string{"**"} // all globs exclude files
	}
	bases := in.bases
	if len(bases)*(len(in.paths)+len(others)) > maxJoined {
		return doubt("could be for any of too many paths")
	}
	if isFolder {
		folders = slices.Concat(folders, within(in.bases, folders))
		bases = folders
		ok, why = firstMatch(folders, func(folder string) (bool, reason) { return r.matchFolder(c, folder, globs) })
	} else {
		ok, why = firstMatch(in.paths, func(file string) (bool, reason) { return r.matchTree(c, file) })
	}
	chosen := func(globs []string, always bool) (bool, reason) {
		return firstMatch(globs, func(glob string) (bool, reason) {
			from := bases
			if always || !isRelative(glob) {
				from = slices.Concat(bases, []string{c.Dir})
			}
			return firstMatch(from, func(base string) (bool, reason) { return r.matchGlob(c, base, glob, !isFolder) })
		})
	}
	if !ok {
		ok, why = chosen(globs, !isFolder)
	}
	if !ok {
		ok, why = chosen(alternativesOf(in.pathGlobs), true)
	}
	if !ok && len(in.bases) > 0 {
		others = slices.Concat(others, within(in.bases, in.paths), within(in.bases, others))
	}
	if !ok {
		ok, why = firstMatch(others, func(other string) (bool, reason) { return r.matchOther(c, other) })
	}
	return ok, why
}

// within joins each relative path to each of the folders.
func within(folders, paths []string) (all []string) {
	for _, folder := range folders {
		for _, file := range paths {
			if isRelative(file) && file != folder {
				all = append(all, folder+"/"+file)
			}
		}
	}
	return all
}

// fileTools work only on the files named in their input, never on files in a folder.
var fileTools = []string{"fs_read", "fs_write", "fs_edit", "Read", "Write", "Edit", "MultiEdit", "NotebookEdit",
	"NotebookRead"}

// isTool reports whether the rule or the call has one of these tool names.
func (r Rule) isTool(c *Call, names ...string) bool {
	return slices.Contains(names, r.tool) || slices.Contains(names, c.Tool) ||
		slices.ContainsFunc(c.Aliases, func(name string) bool { return slices.Contains(names, name) })
}

func isRelative(file string) bool {
	file = strings.TrimSpace(file)
	return !strings.HasPrefix(file, "/") && !strings.HasPrefix(file, "~")
}

// matchOther matches the pattern against a text that may be a path or a glob.
func (r Rule) matchOther(c *Call, text string) (bool, reason) {
	if strings.Contains(text, "://") {
		return false, reason{}
	}
	if ok, why := r.matchPath(c, text); ok {
		return true, why
	}
	if ok, why := r.matchAbove(c, text); ok || !strings.ContainsAny(text, "*?[{") || !strings.Contains(text, "/") {
		return ok, why
	}
	return firstMatch(alternativesOf([]string{text}), func(glob string) (bool, reason) {
		return r.matchGlob(c, c.Dir, glob, false)
	})
}

// matchTree matches the pattern against all files in a folder, if the path is a folder. If the path does not exist yet,
// a pattern for files in folders below the path matches.
func (r Rule) matchTree(c *Call, file string) (bool, reason) {
	switch {
	case r.isTool(c, fileTools...):
		return false, reason{}
	case c.cache.targetOf(c.absolutePath(file)) == aFolder:
		return r.matchFolder(c, file, nil)
	}
	return r.matchAbove(c, file)
}

// matchAbove matches a pattern that names a folder against the path of a parent folder.
func (r Rule) matchAbove(c *Call, folder string) (bool, reason) {
	return r.matchInDoubt(c, folder, "in the folder "+quote(folder), func(file string, at baseDirs) bool {
		_, within := r.names(c, at)
		return startsWith(within, c.names(file, at))
	})
}

// matchFolder matches the pattern against the files in a folder that any of the globs chooses, or against all files if
// globs is empty. The folder may turn out to be a file.
func (r Rule) matchFolder(c *Call, folder string, globs []string) (bool, reason) {
	ok, why := r.matchInDoubt(c, folder, "in the folder "+quote(folder), func(file string, at baseDirs) bool {
		pattern, _ := r.names(c, at)
		return mayOverlap(pattern, append(c.names(file, at), name{anyDepth: true}))
	})
	switch {
	case !ok:
		return false, reason{}
	case c.cache.targetOf(c.absolutePath(folder)) == aFile:
		return r.matchPath(c, folder)
	case len(globs) == 0:
		return ok, why
	case folder == c.Dir:
		return false, reason{}
	}
	// Tools start globs from the folder, as matchReach does, or from the current directory.
	return firstMatch(globs, func(glob string) (bool, reason) { return r.matchGlob(c, c.Dir, glob, false) })
}

// matchGlob matches the pattern against the files that a glob chooses. A glob without a slash may choose files at any
// depth. trees means that the tool also takes all files in a folder named by the glob.
func (r Rule) matchGlob(c *Call, base, glob string, trees bool) (bool, reason) {
	start, rest, sure := splitGlob(glob)
	if !sure {
		return doubtOf(ofFiles, "may mean files ", "that the glob "+quote(glob)+" chooses", "")
	}
	if isRelative(start) {
		start = base + "/" + start
	}
	if len(rest) == 0 {
		if ok, why := r.matchPath(c, start); ok || !trees {
			return ok, why
		}
		return r.matchTree(c, start)
	}
	if ok, why := r.matchPath(c, start); ok {
		return true, why
	}
	return r.matchInDoubt(c, start, "that the glob "+quote(glob)+" chooses", func(file string, at baseDirs) bool {
		pattern, _ := r.names(c, at)
		if r.path().forFiles { // hardly the files of folders
			pattern = pattern[:len(pattern)-1]
		}
		return mayOverlap(pattern, append(c.names(file, at), rest...))
	})
}

// matchInDoubt returns a match in doubt if the test holds for files in a folder that are not named. If the pattern
// covers everything in the folder, the match is certain.
func (r Rule) matchInDoubt(c *Call, folder, files string, test func(file string, at baseDirs) bool) (bool, reason) {
	ok, why := r.atPath(c, folder, test)
	switch {
	case !ok, why.isDoubt():
		return ok, why
	case !isPathPattern(r.pattern):
		return false, reason{}
	}
	if ok, why := r.matchPath(c, folder+"/"+anyFile); ok && !why.isDoubt() {
		return true, because("matches what is in the folder " + quote(folder))
	}
	return doubtOf(ofFiles, "may mean files ", files, "")
}

// matchPath matches the pattern against a path. A project's pattern for a folder's contents also matches the folder.
func (r Rule) matchPath(c *Call, file string) (bool, reason) {
	ok, why := r.atPath(c, file, func(file string, at baseDirs) bool {
		if !c.Project {
			return matchPath(r.pattern, file, at.dir, at.root, at.home)
		}
		// Comparing names is much faster than regular expressions.
		pattern, _ := r.names(c, at)
		names := c.names(file, at)
		if !mayOverlap(pattern, names) {
			return false
		}
		folder := withoutFinalStars(pattern)
		return matchPath(r.pattern, file, at.dir, at.root, at.home) ||
			len(folder) > 0 && !folder[len(folder)-1].open && mayOverlap(folder, names) &&
				matchPath(r.pattern, file+"/"+anyFile, at.dir, at.root, at.home)
	})
	switch {
	case !ok:
		return false, because("does not match the path " + quote(file))
	case why.isDoubt():
		return true, why
	}
	return true, because("matches the path " + why.text)
}

// atPath tests a path as written and without symbolic links. If the test holds, why contains the path.
func (r Rule) atPath(c *Call, given string, test func(file string, at baseDirs) bool) (bool, reason) {
	if fromRoot := test; c.Worktree != "" {
		test = func(file string, at baseDirs) bool {
			return fromRoot(file, at) || fromRoot(file, baseDirs{at.dir, slashed(c.Worktree), at.home})
		}
	}
	at, file := c.baseDirs(), slashed(given)
	noHome := !strings.HasPrefix(at.home, "/")
	switch {
	case isAmbiguous(given, at.dir):
		return doubt("cannot place the path, which may lead to any folder")
	case !strings.HasPrefix(at.dir, "/"):
		return doubt("cannot place the path without an absolute current directory")
	case noHome && (strings.HasPrefix(r.pattern, "~/") || strings.HasPrefix(strings.TrimSpace(file), "~")):
		return doubt("cannot place ~ without a home directory")
	case !c.spend(len(r.pattern) * (64 + len(file))):
		return true, tooMuchWork
	case test(file, at):
		return true, because(quote(given))
	}
	if c.Project {
		if ok, why := r.matchLinks(c, file, at, test); ok {
			return true, why
		}
	}
	if other := onDrive(file, at.dir); other != file {
		return r.atPath(c, other, test)
	}
	return false, reason{}
}

// baseDirs returns the folders of the call.
func (c *Call) baseDirs() baseDirs {
	return baseDirs{slashed(c.Dir), slashed(cmp.Or(c.Root, c.Dir)), slashed(c.Home)}
}

// names returns the names of a path, computed once for all rules.
func (c *Call) names(file string, at baseDirs) []name {
	key := [2]string{file, at.home}
	all, ok := c.cache.names[key]
	if !ok {
		all = namesOf(file, at)
		c.cache.names[key] = all
	}
	return slices.Clip(all)
}

// target is the kind of file that a path leads to.
type target int

const (
	missing target = iota
	aFile
	aFolder
)

// absolutePath returns the absolute path of a file.
func (c *Call) absolutePath(file string) string {
	return absolute(slashed(file), slashed(c.Dir), slashed(c.Home))
}

// targetOf returns what an absolute path leads to.
func (t *callCache) targetOf(file string) target {
	end := ""
	if file != "" && len(file) <= maxPath {
		end = t.follow(file)
	}
	kind, ok := t.targets[end]
	if ok || end == "" {
		return kind
	}
	info, err := os.Lstat(native(end))
	switch {
	case err != nil:
	case info.IsDir():
		kind = aFolder
	case info.Mode().IsRegular():
		kind = aFile
	}
	t.targets[end] = kind
	return kind
}
