package ancestor

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/install"
)

// variables returns the lookup in a list of NAME=VALUE.
func variables(list ...string) func(name string) string {
	return func(name string) string {
		for _, v := range list {
			if value, is := strings.CutPrefix(v, name+"="); is {
				return value
			}
		}
		return ""
	}
}

// A process of an agent above, or a variable of its shells, means that an agent asks.
func TestAgentAbove(t *testing.T) {
	for _, line := range []string{
		"claude", "/usr/local/bin/claude --resume", "claude-code", "/nix/store/x/bin/.claude-wrapped",
		"CLAUDE.EXE -p x",
		"codex exec", "codex-cli", "/opt/codex-x86_64-unknown-linux-musl", "codex-linux-sandbox", "kimi", "kimi-cli",
		"kimi-code", "droid", "factory", "agy", "antigravity", "opencode", "opencode-linux-x64 serve", "cline", "qwen",
		"crush", "copilot", "junie", "kiro-cli", "kiro-cli-chat", "cursor-agent", "cursor-cli", "gemini",
		"cursor", "code", "windsurf", "kiro", "Code.exe", "code-insiders", "codium", // no terminal of theirs
		"hookrun mcp -- server", "/usr/bin/hookrun serve", "hookrun fire", ".hookrun-wrapped serve", "hookrun.exe",
		"hookrun-linux-amd64 mcp",
		"node /usr/bin/gemini", "node --no-warnings=DEP0040 --max-old-space-size=4096 /usr/bin/gemini -p x",
		"node --require x.js /usr/lib/node_modules/@google/gemini-cli/dist/index.js",
		"node /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js", "bun /x/node_modules/opencode-ai/bin/run",
		`C:\node.exe C:\npm\node_modules\@openai\codex\bin\codex.js`, "deno run -A /x/cline.ts",
		"python3.12 -m kimi_cli", "/venv/bin/python /venv/bin/kimi", "sh /home/u/bin/codex",
		"python3 /x/site-packages/kimi_cli/__main__.py",
		"node /srv/out/bootstrap-fork --type=extensionHost --useHostProxy=false",
	} {
		words := strings.Fields(strings.ReplaceAll(line, `\`, "/"))
		require.NotEmpty(t, agentAbove(variables(), [][]string{{"bash"}, {""}, words, {"/sbin/init"}}), line)
	}
	for _, v := range []string{
		"CLAUDECODE=1", "CLAUDE_CODE_ENTRYPOINT=cli", "CURSOR_AGENT=1", "AI_AGENT=x", "AGENT=goose", "HOOKRUN_DEPTH=1",
		"HOOKRUN_TOOL=shell", "HOOKRUN_EVENT=stop", "CLINE_ACTIVE=true", "COPILOT_AGENT=1", "ANTIGRAVITY_AGENT=1",
		"CODEX_CI=1", "CODEX_THREAD_ID=x", "GEMINI_CLI=1", "QWEN_CODE=1", "OPENCODE=1", "CRUSH=1", "COPILOT_CLI=1",
	} {
		require.Contains(t, agentAbove(variables(v, "TERM_PROGRAM=vscode"), nil), "($"+strings.Split(v, "=")[0]+")", v)
	}
}

// A person works in the terminals of an IDE, and below programs whose names only resemble an agent's.
func TestPersonAbove(t *testing.T) {
	for _, line := range []string{
		"/usr/share/code/code --type=utility --utility-sub-type=node.mojom.NodeService", "cursor", "windsurf", "kiro",
		"antigravity", "/Applications/Cursor.app/Contents/Frameworks/Cursor Helper", "Code.exe", "codium",
		"node /home/u/.vscode-server/out/bootstrap-fork --type=ptyHost",
	} {
		words := strings.Fields(line)
		if strings.HasSuffix(line, "Helper") {
			words = []string{line}
		}
		require.Empty(t, agentAbove(variables("TERM_PROGRAM=vscode"), [][]string{{"zsh"}, words}), line)
		require.Empty(t, agentAbove(variables("TERM_PROGRAM=kiro"), [][]string{{"zsh"}, words}), line)
		with := [][]string{{"zsh"}, {"node", "/usr/bin/gemini"}, words}
		require.NotEmpty(t, agentAbove(variables("TERM_PROGRAM=vscode"), with), line)
	}
	for _, line := range []string{
		"tmux new -s claude", "ssh codex", "vim gemini.md", "kiro-cli-term", "claude-squad",
		"node /home/u/claude/dev.js",
		"sshd: u@pts/0", "-bash", "login", "zellij --session copilot", "code-server", "python3 dev.py x codex",
		"xterm -T cursor", "systemd --user", "idea", "bash -c cat", "crushd", "hookrunner",
	} {
		require.Empty(t, agentAbove(variables("TERM=xterm", "EDITOR=code"), [][]string{strings.Fields(line)}), line)
	}
}

// Every client has a sign, by its program at the least.
func TestEveryClientIsAnAgent(t *testing.T) {
	for _, name := range install.Names() {
		c, _ := install.Lookup(name)
		require.NotEmpty(t, agentAbove(variables(), [][]string{{c.Program}}), name)
	}
}
