// Package gitignore reads git's own files to find out whether the next commit may include a file.
//
//	switch gitignore.Of("/project/.env") {
//	case gitignore.Tracked, gitignore.Open:
//		// say so
//	}
//
// The package runs no git, because a repository's configuration can name programs for git to start.
//
// Not guaranteed: a pattern is matched against each single name in the path, so more files count as ignored than git
// ignores. No file counts as tracked if the index has version 4, which shortens names.
package gitignore

import (
	"bytes"
	"cmp"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/hookrun/hookrun/internal/lib/files/gitdir"
	"github.com/hookrun/hookrun/internal/lib/files/regular"
)

// State is what git does with a file.
type State int

const (
	NoRepository State = iota // or an unreadable repository
	Ignored
	Open    // `git add .` would take it
	Tracked // the next commit has the file
)

// maxFile is the size of the largest file to read.
const maxFile = 64 << 20

// Of returns the state of a file.
func Of(file string) State {
	file, err := filepath.Abs(file)
	if err != nil {
		return NoRepository
	}
	root, gitDir := gitdir.Above(filepath.Dir(file))
	if gitDir == "" {
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

// isTracked reports whether the index has the file. In the index, a name ends with NUL and follows the lower byte of
// the name's length.
func isTracked(gitDir, inside string) bool {
	if len(inside) >= 0xfff {
		return false
	}
	return bytes.Contains(read(filepath.Join(gitDir, "index")), append([]byte{byte(len(inside))}, inside+"\x00"...))
}

// lists returns the files with patterns that apply to a file.
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
	common := cmp.Or(gitdir.Common(gitDir), gitDir) // a worktree has its common folder elsewhere
	paths = append(paths, filepath.Join(common, "info", "exclude"), filepath.Join(root, ".gitignore"))
	at := root
	for _, name := range strings.Split(path.Dir(inside), "/") {
		at = filepath.Join(at, name)
		paths = append(paths, filepath.Join(at, ".gitignore"))
	}
	return paths
}

// excludesFile returns the core.excludesFile of a configuration, or "".
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

// matches reports whether a list ignores the file or a folder above it. The last matching pattern decides; a pattern
// with ! includes the file again.
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

// read returns the text of a file, or nil if the file is unreadable.
func read(path string) []byte {
	text, _, err := regular.Read(path, maxFile)
	if err != nil {
		return nil
	}
	return text
}
