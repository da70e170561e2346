//go:build unix

package e2e

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// kinds are projects with the hooks that init writes for them, and what daily work does in them.
var kinds = map[string]struct {
	files             map[string]string
	hooks             string // of init, beside the packs
	manifest, changed string
	adds              string // a package, and changes the manifest
}{
	"node": {
		files: map[string]string{
			"package.json": `{"name": "shop", "scripts": {"test": "node --test"},
				"devDependencies": {"prettier": "3"}}`,
		},
		hooks:    "format-node, tests-node",
		manifest: "package.json",
		changed: `{"name": "shop", "scripts": {"test": "node --test"}, "dependencies": {"left-pad": "1"},
 "devDependencies": {"prettier": "3"}}`,
		adds: "npm install left-pad",
	},
	"python": {
		files: map[string]string{
			"pyproject.toml":  "[project]\nname = \"shop\"\nversion = \"1\"\n[tool.ruff]\n[tool.pytest.ini_options]\n",
			"test_nothing.py": "",
		},
		hooks:    "format-python, tests-python",
		manifest: "pyproject.toml",
		changed: "[project]\nname = \"shop\"\nversion = \"1\"\ndependencies = [\"x\"]\n[tool.ruff]\n" +
			"[tool.pytest.ini_options]\n",
		adds: "pip install x && uv add x",
	},
	"go": {
		files: map[string]string{
			"go.mod":       "module example.com/shop\n\ngo 1.24\n",
			"shop_test.go": "package shop\n",
		},
		hooks:    "format-go, tests-go",
		manifest: "go.mod",
		changed:  "module example.com/shop\n\ngo 1.24\n\nrequire rsc.io/quote v1.5.2\n",
		adds:     "go get rsc.io/quote && go mod tidy",
	},
}

// TestNewUser is the first day of somebody with an empty home folder and a project: the commands of README.md with
// their whole screens, a push that is held, and a day's work that is not.
func TestNewUser(t *testing.T) {
	binary.Needs(t, "git")
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			k, u := kinds[kind], binary.NewUser(t)
			for name, text := range k.files {
				binary.WriteFile(t, u.Project, name, text)
			}
			for _, program := range []string{"npm", "npx", "go", "ruff"} { // none of them works without its folders
				binary.WriteFile(t, filepath.Join(u.Home, "bin"), program, "#!/bin/sh\nexit 0\n")
			}
			u.Runs(0, "git init -q -b topic")
			newUserConnects(u, k.hooks)
			newUserWorks(u, k.manifest, k.changed, k.adds)
		})
	}
}

// newUserConnects types the commands of README.md, and compares the screens.
func newUserConnects(u *binary.User, hooks string) {
	u.Helper()
	u.Shows("hookrun init", `wrote .tenex-hooks.json
wrote .tenex-hooks.hooktest.json
wrote .tenex-hooks.schema.json

Packs: git, secrets, files, agents, remote. There are others too: infra. hookrun pack explains them.
Hooks for this project: `+hooks+`. Each does nothing where its program is missing. To switch one off, write "enabled": false in its entry.
Watched once they are allowed: .tenex-hooks.json alone. After a change of it every … is blocked until hookrun allow.

Next:
  hookrun test …
  hookrun explain …
  hookrun install …
`)
	u.Shows("hookrun check", ".tenex-hooks.json: 32 hooks (3 asking), nothing wrong\n")
	u.Shows("hookrun test", "…\n31 tests, 31 ok, 0 failed in … s\n")
	u.Shows("hookrun install claude --allow", `wrote .claude/settings.json: Claude Code runs hookrun at UserPromptSubmit, …, Stop
allowed: 32 hooks (3 asking), in $PROJECT
next: hookrun doctor claude
`)
	u.Shows("hookrun doctor claude", `$PROJECT
  ok       hooks file $PROJECT/.tenex-hooks.json
  ok       $PROJECT/.tenex-hooks.json: project hooks file, 32 hooks (3 asking)
  ok       $HOME/.local/state/hookrun: can be written to

Claude Code
  ok       $HOME/bin/claude: …, which hookrun knows
  ok       $PROJECT/.claude/settings.json:…: runs hookrun at …: hookrun fire --output claude …
  ok       $PROJECT/.claude/settings.json:…: runs hookrun at Stop: hookrun fire --output claude …
  ok       the hooks are those that were allowed on …
  ok       $PROJECT/.claude/settings.json:…: the entry blocks the test call, as Claude Code would run it
  warning  it has never run hookrun in this workspace since the install
           -> let Claude Code run a tool in $PROJECT, then run hookrun doctor again
`)
}

// newUserWorks makes the calls of a day. Only the push is held.
func newUserWorks(u *binary.User, manifest, changed, adds string) {
	u.Helper()
	calm := func(when string) {
		u.Helper()
		u.Shows("hookrun status", "$PROJECT: allowed on …\n…\n")
		require.Empty(u, u.Bash("git status"), when)
		require.Empty(u, u.Claude("UserPromptSubmit", map[string]any{"prompt": "go on"}), when)
		require.Empty(u, u.Read(manifest), when)
		require.Empty(u, u.Claude("Stop", map[string]any{"stop_hook_active": false}), when)
	}
	calm("the first call")
	require.Equal(u, "This is a push that overwrites commits on the remote (git push --force origin topic). Push "+
		"without force, or with --force-with-lease to a branch of your own, or ask first. Rule: git/no-force-push",
		u.Bash("git push --force origin topic"))
	require.Empty(u, u.Bash("git push -u origin topic"))

	// A package manager changes the file while the tool runs.
	require.Empty(u, u.Bash(adds))
	require.NoError(u, os.WriteFile(filepath.Join(u.Project, manifest), []byte(changed), 0o644))
	require.Empty(u, u.Claude("PostToolUse", map[string]any{"tool_name": "Bash", "tool_use_id": "t1",
		"tool_input": map[string]any{"command": adds}, "tool_response": map[string]any{"stdout": "added 1 package"}}))
	calm(adds)

	// And so does the agent, by its own tool.
	edit := map[string]any{"tool_name": "Edit", "tool_use_id": "t3", "tool_input": map[string]any{
		"file_path": filepath.Join(u.Project, manifest), "old_string": "shop", "new_string": "store"}}
	require.Empty(u, u.Claude("PreToolUse", edit))
	require.NoError(u, os.WriteFile(filepath.Join(u.Project, manifest),
		[]byte(strings.ReplaceAll(changed, "shop", "store")), 0o644))
	edit["tool_response"] = map[string]any{"filePath": filepath.Join(u.Project, manifest)}
	require.Empty(u, u.Claude("PostToolUse", edit))
	calm("an edit of " + manifest)
	require.NotRegexp(u, regexp.MustCompile(`(?m)^  (error|warning) `), u.Runs(0, "hookrun doctor claude"))
	require.Contains(u, u.Bash("git push --force origin topic"), "Rule: git/no-force-push")
}
