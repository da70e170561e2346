package hookfile

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/lib/files/regular"
	"github.com/hookrun/hookrun/internal/lib/state"
)

// ClaudeFiles returns the existing files that Claude Code would load in a workspace: the user's, the project's and the
// local settings.
func (p Parts) ClaudeFiles(workspace string) (files []File, err error) {
	files, _, err = p.settingsFiles(workspace)
	return files, err
}

// settingsFiles returns the hooks files of Claude Code: the user's, the project's, and further files of the project.
func (p Parts) settingsFiles(workspace string) (there, absent []File, err error) {
	form := p.clients().DefaultForm()
	if form == nil {
		return nil, nil, errors.New("looking for Claude Code's settings: this program does not know the client")
	}
	s := form.Files
	home, err := state.Home()
	user := s.User(home, os.Getenv)
	if err != nil && user.Root == "" { // no variable of the client names the folder either
		return nil, nil, fmt.Errorf("looking for the user's %s settings: %w", s.Client, err)
	}
	if _, err := os.Stat(cmp.Or(workspace, ".")); err != nil {
		return nil, nil, hook.Diagnostics{{File: workspace,
			Text: "loading the " + s.Client + " settings: " + regular.UnwrapPath(err).Error()}}
	}
	files := []File{{Path: user.Path, Level: hook.UserLevel}}
	level := hook.ProjectLevel
	for _, base := range append([]string{s.Base}, s.Others...) {
		files = append(files, File{Path: filepath.Join(workspace, s.Folder, base), Level: level})
		level = hook.LocalLevel
	}
	for i, f := range files {
		if _, err := os.Lstat(f.Path); errors.Is(err, fs.ErrNotExist) {
			absent = append(absent, f)
		} else if i == 0 || !regular.Same(f.Path, user.Path) {
			there = append(there, f)
		}
	}
	return there, absent, nil
}
