package hookfile

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ClaudeFiles are the files that Claude Code would load in a workspace, those that are there: the user's settings, the
// project's, and the project's local ones.
func ClaudeFiles(workspace string) (paths []string, err error) {
	paths, _, err = claudeFiles(workspace)
	return paths, err
}

func claudeFiles(workspace string) (there, absent []string, err error) {
	user, err := claudeFolder()
	if err != nil {
		return nil, nil, fmt.Errorf("looking for the user's Claude Code settings: %w", err)
	}
	if _, err := os.Stat(cmp.Or(workspace, ".")); err != nil {
		return nil, nil, Diagnostics{{File: workspace, Text: "loading the Claude Code settings: " + bare(err).Error()}}
	}
	project := filepath.Join(workspace, ".claude")
	users := filepath.Join(user, "settings.json")
	for i, path := range []string{users, filepath.Join(project, "settings.json"), filepath.Join(project, "settings.local.json")} {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			absent = append(absent, path)
		} else if i == 0 || !sameFile(path, users) {
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
