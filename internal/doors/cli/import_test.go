package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/trust"
)

// TestImportCanBeAllowed: hookrun allow takes each entry of import as it is, on a machine with any programs.
// An entry has "files" and a note only if hookrun cannot tell what the command runs.
func TestImportCanBeAllowed(t *testing.T) {
	t.Parallel()
	const none, known = "[]", ""
	commands := map[string]string{ // of hooks of public repositories, each with the "files" of its entry
		`jq -r '.tool_input.file_path' | xargs npx prettier --write`: none,
		`npx eslint --fix "$(jq -r .tool_input.file_path)" || true`:  none,
		`npm run lint && npm run typecheck`:                          none,
		`pnpm test --run 2>&1 | tail -20`:                            none,
		`yarn lint`:                                                  none,
		`make -C src -f ../tools.mk all`:                             `["Makefile"]`, // "files" cannot have the other
		`npx tsx ./src/../src/a.ts /etc/passwd "src/[id]/a.ts"`:      none,
		`make test`:                                        `["Makefile"]`,
		`pytest -q`:                                        none,
		`python -m pytest -q --tb=no || exit 2`:            none,
		`uv run ruff check --fix --quiet`:                  none,
		`uv run --script .claude/hooks/check.py`:           `[".claude/hooks/check.py"]`,
		`uvx ty check`:                                     none,
		`gofmt -w . && go vet ./...`:                       none,
		`cargo fmt && cargo clippy --quiet -- -D warnings`: none,
		`npx tsx .claude/hooks/guard.ts`:                   `[".claude/hooks/guard.ts"]`,
		`python3 -c "import json,sys; sys.exit(2 if '.env' in sys.stdin.read() else 0)"`: none,
		`node -e "process.exit(0)"`:               none,
		`check() { npm test; }; check || exit 2`:  none,
		`docker compose exec -T app php bin/lint`: none,
		`sh -c "`:                             none, // no line of a shell
		`black -q .`:                          known,
		`ruff check --fix . && ruff format .`: known,
		`"$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh`:                                      known,
		`python3 $CLAUDE_PROJECT_DIR/.claude/hooks/check.py`:                                known,
		`notify-send 'Agent' 'waits for you'`:                                               known,
		`say done || true`:                                                                  known,
		`jq -r .tool_input.command >> ~/.claude/log.txt`:                                    known,
		`curl -s -X POST -H 'Content-Type: application/json' -d @- http://localhost:4000/e`: known,
		`git add -A && git commit -qm wip || true`:                                          none,
	}
	list := func(event string, entry func(command string) any) any {
		var all []any
		for command := range commands {
			all = append(all, entry(command))
		}
		return map[string]any{"hooks": map[string]any{event: all}}
	}
	grouped := func(command string) any {
		return map[string]any{"hooks": []any{map[string]any{"type": "command", "command": command}}}
	}
	for path, doc := range map[string]any{
		".claude/settings.json": list("PreToolUse", grouped), ".gemini/settings.json": list("BeforeTool", grouped),
		".codex/hooks.json": list("PreToolUse", grouped),
		".cursor/hooks.json": list("preToolUse", func(command string) any {
			return map[string]any{"command": command}
		}),
	} {
		dir := t.TempDir()
		for _, name := range []string{path, "Makefile", ".claude/hooks/guard.sh", ".claude/hooks/check.py",
			".claude/hooks/guard.ts", ".git/HEAD", "src/a.ts", "src/[id]/a.ts", "tools.mk"} {
			require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o700))
		}
		text, err := json.Marshal(doc)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, path), text, 0o600))
		done := run("", "import", filepath.Join(dir, path), "--write", "-C", dir)
		require.Equal(t, 0, done.exit, done.err)
		cfg, err := parts.All().LoadFile(filepath.Join(dir, hookfile.FileName), nil)
		require.NoError(t, err)
		require.Len(t, cfg.Hooks, len(commands))
		look := trust.OutsideCall(dir, "/usr/bin/hookrun")
		look.AnyMachine = true
		now, err := trust.Take(cfg, look)
		require.NoError(t, err)
		unresolved, _ := now.Unresolved(cfg)
		require.Empty(t, unresolved, path)
		raw, err := os.ReadFile(filepath.Join(dir, hookfile.FileName))
		require.NoError(t, err)
		var file struct {
			Hooks []struct {
				Command string
				Files   *json.RawMessage
				Note    string `json:"x-note"`
			}
		}
		require.NoError(t, json.Unmarshal(raw, &file))
		for _, h := range file.Hooks {
			got := known
			if h.Files != nil {
				got = string(*h.Files)
			}
			if strings.Contains(h.Command, "CLAUDE_PROJECT_DIR") && path != ".claude/settings.json" {
				continue // no variable of this client's hooks
			}
			require.Equal(t, commands[h.Command], got, "%s of %s", h.Command, path)
			require.Equal(t, h.Files != nil, strings.HasPrefix(h.Note, "files: what this command runs"), h.Command)
			require.Equal(t, h.Files != nil, strings.Contains(done.err, h.Note) && h.Note != "", h.Command)
		}
	}
}
