// Package gitdir reads the paths in git's own files. It runs no git.
package gitdir

import (
	"path/filepath"
	"strings"

	"github.com/hookrun/hookrun/internal/lib/files/regular"
)

// maxSize is the maximum size of a file with a path.
const maxSize = 64 << 10

// Of returns the git folder of a folder with a .git, or "". In a linked worktree or a submodule, .git is a file with
// the path of the git folder, which need not exist.
func Of(root string) string {
	path := filepath.Join(root, ".git")
	if to := Path(path, "gitdir:"); to != "" || !regular.Same(path, path) {
		return to
	}
	return path
}

// Above returns the nearest folder with a git folder, from folder upwards, and its git folder.
func Above(folder string) (root, dir string) {
	for ; ; folder = filepath.Dir(folder) {
		if dir = Of(folder); dir != "" || folder == filepath.Dir(folder) {
			return folder, dir
		}
	}
}

// Common returns the git folder of the repository, which a linked worktree shares, or "" if dir is no git folder of a
// linked worktree.
func Common(dir string) string { return Path(filepath.Join(dir, "commondir"), "") }

// Path returns the path in a file, behind a prefix, or "". A relative path starts from the file's folder.
func Path(file, prefix string) string {
	text, _, err := regular.Read(file, maxSize)
	if err != nil {
		return ""
	}
	return pathIn(string(text), prefix, filepath.Dir(file))
}

// pathIn returns the path in the text of a file in a folder.
func pathIn(text, prefix, folder string) string {
	path, ok := strings.CutPrefix(strings.TrimRight(text, "\r\n"), prefix)
	if path = strings.TrimLeft(path, " "); !ok || path == "" || strings.ContainsRune(path, 0) {
		return ""
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(folder, path)
	}
	return filepath.Clean(path)
}
