package hookfile

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hookrun/hookrun/internal/dialect"
)

// ClaudeFiles are the files that Claude Code would load in a workspace, those that are there: the user's settings, the
// project's, and the project's local ones.
func ClaudeFiles(workspace string) (paths []string, err error) {
	paths, _, err = settingsFiles(anyFolder().Settings, workspace)
	return paths, err
}

// settingsFiles are the files with hooks that a client reads: the user's, the project's, and more of the project's.
func settingsFiles(s *dialect.Settings, workspace string) (there, absent []string, err error) {
	home, err := os.UserHomeDir()
	user := s.User(home, os.Getenv)
	if err != nil && user.Root == "" { // no variable of the client's says where they are
		return nil, nil, fmt.Errorf("looking for the user's %s settings: %w", s.Client, err)
	}
	if _, err := os.Stat(cmp.Or(workspace, ".")); err != nil {
		return nil, nil, Diagnostics{{File: workspace,
			Text: "loading the " + s.Client + " settings: " + bare(err).Error()}}
	}
	paths := []string{user.Path}
	for _, base := range append([]string{s.Base}, s.Others...) {
		paths = append(paths, filepath.Join(workspace, s.Folder, base))
	}
	for i, path := range paths {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			absent = append(absent, path)
		} else if i == 0 || !sameFile(path, user.Path) {
			there = append(there, path)
		}
	}
	return there, absent, nil
}

// sameFile: in the home directory the project's settings are the user's.
func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}
