package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/lib/printable"
)

// No command prints characters raw that steer a terminal or that nobody sees, whatever has them: the folder, a hook, a
// client's settings, an argument. The texts of hooks for a model are the exception.
func TestHiddenCharacters(t *testing.T) {
	const bad = "p\x1b[31m\u202e\u200b\u2066\u009bx"
	escaped := strings.ReplaceAll(bad, "\x1b", `\u001b`)
	p := newProject(t)
	p.dir = filepath.Join(p.home, bad)
	p.write(".git/HEAD", "")
	p.write(".tenex-hooks.json", `{"packs": ["git"], "hooks": [{"name": "n`+escaped+`", "command": ["sh", "./`+escaped+
		`.sh"], "events": ["pre-tool"]}, {"name": "r`+escaped+`", "inject": "`+escaped+`", "events": ["post-tool"]}]}`)
	p.write(bad+".sh", "echo "+bad+"\n")
	p.write("odd.json", `{"hooks": {"PreToolUse": [{"matcher": "B`+escaped+`", "hooks": [{"type": "command", "command":
		"echo `+escaped+`", "x`+escaped+`": 1}, {"type": "z`+escaped+`"}]}], "Ev`+escaped+`": []}}`)
	p.write(".claude/settings.json", `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command",
		"command": "echo `+escaped+`", "timeout": 5}]}]}}`)
	for _, line := range []string{
		"allow --yes", "status", "status -o json", "check", "check -o json", "check odd.json --claude", "check BAD",
		"doctor",
		"doctor -o json", "explain pre-tool --tool shell", "explain pre-tool --tool BAD", "log DIR/run.log", "log BAD",
		"import .claude/settings.json", "import .claude/settings.json -o json", "import odd.json --claude",
		"import BAD",
		"import .claude/settings.json --write=DIR/new.json", "install claude --dry-run -v", "install claude -v",
		"install claude", "install claude --log DIR/run.log", "install claude --local", "install codex -v",
		"install gemini --user --dry-run", "install BAD", "uninstall claude --dry-run", "uninstall claude",
		"init", "init --add infra --dry-run", "init --add infra", "init --add infra", "init --add BAD",
		"init --packs BAD",
		"init -C BAD", "fleet", "fleet BAD", "fleet DIR", "test", "test BAD",
		"inject --session-id BAD x", "drain BAD", "approve", "approve BAD", "pack BAD", "pack git/BAD", "get BAD",
		"deny BAD", "allow BAD", "allow --hash BAD", "allow DIR --yes", "status DIR", "completion BAD", "version BAD",
		"BAD", "--BAD", "pre-tool --BAD", "pre-tool --tool x --timeout BAD", "pre-tool --tool x --on-failure BAD",
		"post-tool -C BAD --tool x", "serve --listen BAD", "mcp -- BAD", "deny --yes",
	} {
		words := strings.Fields(line)
		for i := range words {
			words[i] = strings.NewReplacer("BAD", bad, "DIR", p.dir).Replace(words[i])
		}
		got := p.run(p.dir, words...)
		shown := strings.NewReplacer("\n", "", "\t", "").Replace(got.Stdout + got.Stderr)
		require.NotEmpty(t, shown, line)
		require.Equal(t, -1, strings.IndexFunc(shown, printable.Hidden), "%s: %q", line, shown)
	}
}

// init --add writes through a link in the project, as install does, and refuses a link that leads out of it.
func TestAddThroughALink(t *testing.T) {
	for to, refused := range map[string]bool{"hooks.json": false, "sub/../hooks.json": false, "../shared.json": true,
		"/dev/null": true, "none.json": true} {
		p := newProject(t)
		file := filepath.Join(p.dir, ".tenex-hooks.json")
		const before = `{"packs": ["git"]}`
		p.write("hooks.json", before)
		p.write("../shared.json", before)
		p.write("sub/x", "")
		require.NoError(t, os.Remove(file))
		require.NoError(t, os.Symlink(to, file))
		got := p.run(p.dir, "init", "--add", "infra")
		require.Equal(t, refused, got.Code != 0, "%s: %s", to, got.Stderr)
		now, err := os.Readlink(file)
		require.NoError(t, err, "the link stays")
		require.Equal(t, to, now)
		shared, err := os.ReadFile(filepath.Join(p.home, "shared.json"))
		require.NoError(t, err)
		require.Equal(t, before, string(shared))
		own, err := os.ReadFile(filepath.Join(p.dir, "hooks.json"))
		require.NoError(t, err)
		require.Equal(t, !refused, strings.Contains(string(own), "infra"))
	}
}
