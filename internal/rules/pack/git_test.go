package pack

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRepositories: to which branch a push goes, and what a checkout overwrites, stands in the repository.
func TestRepositories(t *testing.T) {
	base := t.TempDir()
	for name, text := range map[string]string{
		"own/.git/HEAD": "ref: refs/heads/feature\n", "own/sub/a.go": "", "own/a.go": "",
		"own/.git/refs/remotes/origin/HEAD": "ref: refs/remotes/origin/trunk\n",
		"main/.git/HEAD":                    "ref: refs/heads/main\n", "main/sub/a.go": "",
		"trunk/.git":                         "gitdir: ../own/.git/worktrees/trunk\n",
		"own/.git/worktrees/trunk/HEAD":      "ref: refs/heads/trunk\n",
		"own/.git/worktrees/trunk/commondir": "../..\n",
		"detached/.git/HEAD":                 "8f14e45fceea167a5a36dedd4bea2543ab12cd34\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(base, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(base, name), []byte(text), 0o600))
	}
	for _, test := range []struct {
		dir, line, rule string // "": no rule
	}{
		{"own", "git push", ""},
		{"own/sub", "git push -u origin HEAD", ""},
		{"own", "git push origin HEAD:trunk", "git/no-push-to-main"},
		{"own", "git push origin trunk", "git/no-push-to-main"},
		{"main", "git push", "git/no-push-to-main"},
		{"main/sub", "git push origin HEAD", "git/no-push-to-main"},
		{"main", "git push --tags", ""},
		{"main", "git push origin feature", ""},
		{"main", "git -C ../own push", ""},
		{"own", "git -C ../main push", "git/no-push-to-main"},
		{"own", "cd ../main && git push", "git/no-push-to-main"},
		{"own", "cd ../main && git -C sub push", "git/no-push-to-main"},
		{"main", "cd ../own; git push", ""},
		{"main", "(cd ../own && ls); git push", "git/no-push-to-main"},
		{"trunk", "git push", "git/no-push-to-main"},
		{"detached", "git push origin HEAD:x", ""},
		{"detached", "git push", ""},
		{"own", "git checkout a.go", "git/no-lost-work"},
		{"own", "cd sub && git checkout a.go", "git/no-lost-work"},
		{"own", "git checkout b.go", ""},
		{"own", "git checkout sub", "git/no-lost-work"},
	} {
		ids := held(callOf(t, Example{Text: test.line}, filepath.Join(base, test.dir)))
		if test.rule == "" {
			require.Empty(t, ids, "%s: %s", test.dir, test.line)
			continue
		}
		require.Equal(t, []string{test.rule}, ids, "%s: %s", test.dir, test.line)
	}
}
