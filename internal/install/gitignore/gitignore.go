// Package gitignore finds out from git's own files whether the next commit may take a file along.
//
//	switch gitignore.Of("/project/.env") {
//	case gitignore.Tracked, gitignore.Open:
//		// say so
//	}
//
// It runs no git: a repository's configuration can name programs that git would start.
//
// Not guaranteed: patterns are matched against each name on the way to the file alone, so more files count as ignored
// than git ignores. An index of version 4, whose names are shortened, tracks nothing here.
package gitignore

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/hookrun/hookrun/internal/files/regular"
)

// State is what git does with a file.
type State int

const (
	NoRepository State = iota // or none that can be read
	Ignored
	Open    // `git add .` would take it
	Tracked // it is part of the next commit
)

// maxFile is the size of the largest file that is read.
const maxFile = 64 << 20

// Of returns the state of a file.
func Of(file string) State {
	file, err := filepath.Abs(file)
	if err != nil {
		return NoRepository
	}
	root, gitDir := repository(filepath.Dir(file))
	if root == "" {
		return NoRepository
	}
	inside, err := filepath.Rel(root, file)
	if err != nil {
		return NoRepository
	}
	inside = filepath.ToSlash(inside)
	if isTracked(gitDir, inside) {
		return Tracked
	}
	for _, list := range lists(root, gitDir, inside) {
		if matches(read(list), inside) {
			return Ignored
		}
	}
	return Open
}

// repository returns the folder with the .git that a folder is in, and the folder with git's files.
func repository(dir string) (root, gitDir string) {
	for ; ; dir = filepath.Dir(dir) {
		dotGit := filepath.Join(dir, ".git")
		if info, err := os.Stat(dotGit); err == nil && info.IsDir() {
			return dir, dotGit
		} else if err == nil { // of a worktree or a submodule
			target, found := strings.CutPrefix(strings.TrimSpace(string(read(dotGit))), "gitdir: ")
			if !found {
				return "", ""
			}
			if !filepath.IsAbs(target) {
				target = filepath.Join(dir, target)
			}
			return dir, target
		}
		if dir == filepath.Dir(dir) {
			return "", ""
		}
	}
}

// isTracked reports whether the index has the file. A name in it ends with NUL, and before it is the lower byte of its
// length.
func isTracked(gitDir, inside string) bool {
	if len(inside) >= 0xfff {
		return false
	}
	return bytes.Contains(read(filepath.Join(gitDir, "index")), append([]byte{byte(len(inside))}, inside+"\x00"...))
}

// lists returns the files with patterns that count for a file.
func lists(root, gitDir, inside string) (paths []string) {
	config := os.Getenv("XDG_CONFIG_HOME")
	if home, err := os.UserHomeDir(); err == nil {
		if config == "" {
			config = filepath.Join(home, ".config")
		}
		for _, settings := range []string{filepath.Join(home, ".gitconfig"), filepath.Join(config, "git", "config")} {
			if path := excludesFile(string(read(settings)), home); path != "" {
				paths = append(paths, path)
			}
		}
	}
	if config != "" {
		paths = append(paths, filepath.Join(config, "git", "ignore"))
	}
	common := gitDir // that of a worktree is elsewhere
	if text := strings.TrimSpace(string(read(filepath.Join(gitDir, "commondir")))); text != "" {
		if common = text; !filepath.IsAbs(common) {
			common = filepath.Join(gitDir, common)
		}
	}
	paths = append(paths, filepath.Join(common, "info", "exclude"), filepath.Join(root, ".gitignore"))
	at := root
	for _, name := range strings.Split(path.Dir(inside), "/") {
		at = filepath.Join(at, name)
		paths = append(paths, filepath.Join(at, ".gitignore"))
	}
	return paths
}

// excludesFile returns the core.excludesFile of a configuration, "" for none.
func excludesFile(settings, home string) string {
	for line := range strings.Lines(settings) {
		key, value, _ := strings.Cut(line, "=")
		if strings.EqualFold(strings.TrimSpace(key), "excludesfile") {
			value = strings.Trim(strings.TrimSpace(value), `"`)
			if rest, inHome := strings.CutPrefix(value, "~/"); inHome {
				return filepath.Join(home, rest)
			}
			return value
		}
	}
	return ""
}

// matches reports whether a pattern of a list is for the file or for a folder that it is in. The last one that is
// decides, and a ! takes the file out.
func matches(list []byte, inside string) (ignored bool) {
	names := strings.Split(inside, "/")
	for line := range strings.Lines(string(list)) {
		pattern, out := strings.CutPrefix(strings.TrimSpace(line), "!")
		pattern = path.Base(strings.TrimSuffix(pattern, "/"))
		if pattern == "." || strings.HasPrefix(pattern, "#") {
			continue
		}
		for _, name := range names {
			if found, err := path.Match(pattern, name); err == nil && found {
				ignored = !out
			}
		}
	}
	return ignored
}

// read returns the text of a file, nil if it cannot be read.
func read(path string) []byte {
	text, _, err := regular.Read(path, maxFile)
	if err != nil {
		return nil
	}
	return text
}
