package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/core/project"
	"github.com/hookrun/hookrun/internal/lib/shellword"
)

// Where the hooks of a command are from, and what there is to say about that.
func TestFindProject(t *testing.T) {
	t.Parallel()
	top := workspace(t, "")
	repo := filepath.Join(top, "repo")
	sub, inner := filepath.Join(repo, "a", "b"), filepath.Join(repo, "inner")
	for _, dir := range []string{sub, filepath.Join(repo, ".git"), filepath.Join(inner, ".git")} {
		require.NoError(t, os.MkdirAll(dir, 0o700))
	}
	own := file(t, filepath.Join(repo, hookfile.FileName), rules)
	for name, test := range map[string]struct {
		given     project.Given
		folder    string
		workspace string
		file      string
		warning   string
	}{
		"the folder itself":  {project.Given{}, repo, repo, own, ""},
		"found above":        {project.Given{}, sub, repo, own, ""},
		"given, with a file": {project.Given{Folder: true}, repo, repo, own, ""},
		"given, without":     {project.Given{Folder: true}, sub, sub, "", ""},
		"no file anywhere":   {project.Given{}, top, top, "", ""},
		"with Claude Code's": {project.Given{Claude: true}, repo, repo, own, ""},
		"above another .git": {project.Given{}, inner, inner, "", "the hooks file " + own +
			" was passed over: it lies above the git repository " + inner + "; to use it give -C " +
			shellword.Local(repo)},
		"above, with Claude Code's": {project.Given{Claude: true}, sub, sub, "", "the hooks file " + own +
			" was passed over: with --claude the workspace is " + sub + " itself; to use it give -C " +
			shellword.Local(repo)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := projectBy(test.folder, test.given)
			require.NoError(t, err)
			require.Equal(t, test.workspace, p.Workspace)
			require.Equal(t, test.file, p.File)
			require.Equal(t, test.warning, strings.Join(p.Warnings(), "\n"))
		})
	}
	_, err := projectBy(own, project.Given{})
	require.EqualError(t, err, "--workspace "+own+": not a directory; give the folder of the project")
}
