package pack

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// eachFile calls see for the files below a folder, the near ones first, until see returns true. It goes into a folder
// if enters returns true for the name. left is the number of entries to read, so a folder of a million files costs no
// more than a small one.
func eachFile(folder string, left *int, enters func(name string) bool, see func(file string) bool) {
	if info, err := os.Lstat(folder); err != nil || !info.IsDir() {
		if err == nil {
			see(folder)
		}
		return
	}
	for folders := []string{folder}; len(folders) > 0 && *left > 0; folders = folders[1:] {
		for _, entry := range entriesOf(folders[0], left) {
			file := filepath.Join(folders[0], entry.Name())
			switch {
			case !entry.IsDir():
				if see(file) {
					return
				}
			case enters(entry.Name()):
				folders = append(folders, file)
			}
		}
	}
}

// entriesOf returns entries of a folder by name, and takes their number from left. A folder that nobody may read has
// none.
func entriesOf(folder string, left *int) []fs.DirEntry {
	f, err := os.Open(folder)
	if err != nil {
		*left--
		return nil
	}
	defer func() { _ = f.Close() }()
	entries, _ := f.ReadDir(*left)
	*left -= 1 + len(entries)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries
}

// sweepsOther reports whether a path is a pattern for all hidden files of a named folder, such as x/.*, in which the
// disk has no guarded file. The folders of the call do not count, and neither do folders above them. The line must be
// one command, because an earlier command may put a guarded file into the folder.
func (f *guardFinder) sweepsOther(file string) bool {
	folder, name := path.Split(file)
	if len(f.call.Commands) != 1 || len(f.call.Redirect) > 0 || strings.ContainsAny(folder, "$`*?[{~") ||
		strings.Trim(folder, "./") == "" || name == "" || !isSweep(name) {
		return false
	}
	for _, dir := range f.dirs {
		if !path.IsAbs(folder) {
			dir += "/" + folder
		} else {
			dir = folder
		}
		for _, at := range f.call.facts.ResolvedPaths(f.call.Dir, dir) {
			if at = strings.TrimSuffix(filepath.ToSlash(at), "/"); !f.isFree(at) {
				return false
			}
		}
	}
	return true
}

// isFree reports whether a folder has no guarded file, and is no folder of the call or above one.
func (f *guardFinder) isFree(folder string) bool {
	low := lowered(folder)
	for _, own := range []string{f.call.Root, f.call.Dir, f.call.Home, f.call.Worktree} {
		if own = lowered(own); own != "" && (own == low || below(low, own)) {
			return false
		}
	}
	const most = 1000
	left := most
	for _, entry := range entriesOf(folder, &left) {
		at := lowered(entry.Name())
		if guardOf(low+"/"+at, f.home) != guardNone || guardIn(low+"/"+at, folder+"/"+entry.Name()) != guardNone {
			return false
		}
	}
	return left > 0 && guardIn(low, folder) == guardNone
}

// isSweep reports whether a pattern has no letters outside of brackets.
func isSweep(name string) bool {
	for before, rest, ok := strings.Cut(name, "["); ok; before, rest, ok = strings.Cut(name, "[") {
		_, behind, _ := strings.Cut(rest, "]")
		name = before + behind
	}
	return strings.Trim(name, ".*?") == ""
}
