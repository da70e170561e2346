package pack

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/rules/permission"
)

// toolCall is a call of a tool that writes files.
func toolCall(t testing.TB, tool, dir string, args map[string]any) *Call {
	t.Helper()
	input, err := json.Marshal(args)
	require.NoError(t, err)
	return NewCall(permission.Call{Tool: tool, Kind: permission.KindOf(tool), Input: string(input), Dir: dir, Root: dir,
		Home: "/home/user"}.WithCache(), true)
}

// TestCommandsInTexts: what a file tool writes is held for a command that a client runs from there, and named.
func TestCommandsInTexts(t *testing.T) {
	rule := agents.Rule("no-unseen-commands")
	const head = "---\nname: a\ndescription: b\n"
	for _, c := range []struct{ file, text, held string }{
		{".claude/skills/a/SKILL.md", head + "---\nState: !`git push`\n", "!`git push` in SKILL.md"},
		{".claude/commands/a.md", "!`x`", "!`x` in a.md"},
		{".claude/commands/a.md", "```!\nmake deploy\n```\n", "```! make deploy ``` in a.md"},
		{"sub/.claude/commands/b/a.md", "Is\n!`x\ny`", "!`x y` in a.md"},
		{"/home/user/.claude/skills/a/SKILL.md", head + "hooks:\n  Stop: []\n---\n", "hooks: Stop: [] in SKILL.md"},
		{".claude/skills/a/SKILL.md", head + "\"h\\u006foks\":\n  x\n---\n", `"h\u006foks": x in SKILL.md`},
		{".claude/agents/a.md", head + "mcpServers:\n  - x\n---\n", "mcpServers: - x in a.md"},
		{".github/agents/a.agent.md", head + "mcp-servers:\n  x: y\n---\n", "mcp-servers: x: y in a.agent.md"},
		{".gemini/commands/a.toml", `prompt = "!{rm x}"`, "!{rm x} in a.toml"},
		{".gemini/commands/a.toml", `prompt = "\u0021{rm x}"`, `prompt = "\u0021{rm x}" in a.toml`},
		{".gemini/extensions/e/commands/a.toml", `prompt = "!{rm x}"`, "!{rm x} in a.toml"},
		{".qwen/commands/a.md", "Is !{rm x}", "!{rm x} in a.md"},
		{".qwen/skills/a/SKILL.md", head + "\"hooks\":\n  x\n---\n", `"hooks": x in SKILL.md`},
		{".factory/commands/a.sh", "#!/bin/sh\nrm x\n", "#!/bin/sh in a.sh"},
		{".opencode/command/a.md", "a`!`rm x`", "!`rm x` in a.md"},
		{"/home/user/.config/opencode/commands/a.md", "!`rm x`", "!`rm x` in a.md"},
		{".agents/skills/a/SKILL.md", "!`rm x`", "!`rm x` in SKILL.md"},
		{".mcp.json", `{"mcpServers": {"a": {"command": "x"}}}`, `{"mcpServers": {"a": {"command": "x"} in .mcp.json`},
		{".factory/mcp.json", `{"m": {"comm\u0061nd": "x"}}`, `{"m": {"comm\u0061nd": "x"} in mcp.json`},

		{".claude/skills/a/SKILL.md", head + "allowed-tools: Bash\n---\n# A\nRun `make`. Mind `!` and `x`!\n", ""},
		{".claude/skills/a/SKILL.md", "Write:\n```sh\n#!/bin/sh\necho !{x} \"!\"\n```\n", ""},
		{".claude/skills/a/scripts/a.sh", "#!/bin/sh\necho ' !`x`'\n", ""},
		{".claude/commands/a.md", "Review $ARGUMENTS, and see @docs/a.md.\n", ""},
		{".claude/agents/a.md", head + "tools: Read\n---\nYou write hooks: good ones. !`x`\n", ""},
		{".gemini/commands/a.toml", "description = \"a\"\nprompt = \"\"\"Review {{args}} and @{a.md}!\"\"\"\n", ""},
		{".gemini/commands/a.md", "!`x`", ""},
		{".qwen/commands/a.md", "Say hello!\n", ""},
		{".qwen/skills/a/SKILL.md", head + "---\n!{x} and !`x`\n", ""},
		{".factory/commands/a.md", "Review it.\n```sh\n#!/bin/sh\n```\n", ""},
		{".opencode/command/a.md", "Review it! Run `make`.\n", ""},
		{".opencode/agent/a.md", "!`x`", ""},
		{".github/agents/a.agent.md", head + "---\nHelp.\n", ""},
		{".github/prompts/a.prompt.md", "!`x`", ""},
		{".mcp.json", `{"mcpServers": {"a": {"type": "http", "url": "https://x.io"}}}`, ""},
		{".claude/skills/a/reference/mcp.md", "`{\"command\": \"npx\"}`", ""},
		{"docs/skills.md", "!`x`", ""},
		{"CLAUDE.md", "!`x`", ""},
		{".claude/commands/a.md", "", ""},
		{".claude/skills/a/data.json", `{"command": "x"}`, ""},
		{".agents/skills/a/SKILL.md", "# Deploy\n1. Run `make`.\n2. Say \"done\"!\n", ""},
		{".factory/skills/a/SKILL.md", "!`x`", ""},
		{".claude/output-styles/a.md", "!`x`", ""},
	} {
		dir := t.TempDir()
		found := rule.Decide(toolCall(t, "fs_write", dir, map[string]any{"file_path": c.file, "content": c.text}))
		require.Equal(t, Found{Subject: c.held}, found, "%s %q", c.file, c.text)
		patch := "*** Begin Patch\n*** Add File: " + c.file + "\n+" + strings.ReplaceAll(c.text, "\n", "\n+") +
			"\n*** End Patch\n"
		found = rule.Decide(toolCall(t, "apply_patch", dir, map[string]any{"input": patch}))
		require.Equal(t, c.held != "", found.Subject != "", "patch %s %q", c.file, c.text)
	}
	reason := rule.Reason("agents/no-unseen-commands", Found{Subject: "!`x` in a.md"})
	require.Contains(t, reason, "a client runs without asking a hook (!`x` in a.md). Leave the command out, ")
	require.Contains(t, reason, "have a person allow it. Rule: agents/no-unseen-commands")
}

// TestCommandsInEdits: an edit is held if it makes or changes a command, and not for one that is there.
func TestCommandsInEdits(t *testing.T) {
	rule := agents.Rule("no-unseen-commands")
	dir := t.TempDir()
	const file, text = ".claude/commands/a.md", "# A\nState: !`git status`\nDo it.\n"
	require.NoError(t, os.MkdirAll(filepath.Join(dir, ".claude", "commands"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600))
	for _, c := range []struct {
		old, new string
		held     bool
	}{
		{"git status", "git push --force", true},
		{"Do it.", "Do it: !`git push`", true},
		{"# A\nState: !`git status`\n", "# A\nState: !`git push`\n", true},
		{"Do it.", "Do it well.", false},
		{"State: !`git status`\n", "", false},
		{"# A\nState: !`git status`\n", "# B\nState: !`git status`\n", false},
	} {
		for _, key := range []string{"_string", "String", "_str"} {
			args := map[string]any{"file_path": file, "old" + key: c.old, "new" + key: c.new}
			require.Equal(t, c.held, rule.Decide(toolCall(t, "fs_edit", dir, args)).Subject != "", args)
		}
		args := map[string]any{"file_path": file, "edits": []map[string]string{
			{"old_string": "# A", "new_string": "# A"}, {"old_string": c.old, "new_string": c.new}}}
		require.Equal(t, c.held, rule.Decide(toolCall(t, "fs_edit", dir, args)).Subject != "", args)
	}
	whole := map[string]any{"file_path": file, "content": text + "More.\n"}
	require.Zero(t, rule.Decide(toolCall(t, "fs_write", dir, whole)), "the command was there")
	for line, held := range map[string]bool{"echo 'More.' >> " + file: false, "echo '!`x`' >> " + file: true,
		"cat >> " + file + " <<'E'\n!`git status`\nE": false, "echo -e '!\\x60x\\x60' >> " + file: true,
		"printf '!%s' '`x`' >> " + file: true, "echo \"$X\" >> " + file: true, "cat <<E > " + file + "\n$X\nE": true,
		"cat x | tee " + file: true, "echo hi | tee " + file: false, "mv x.md " + file: true,
		"sudo tee " + file + " < x": true, "npx prettier --write " + file: true, "npx prettier --check " + file: false,
		"python3 -c 'open(\"" + file + "\", \"w\").write(\"!`x`\")'":  true,
		"python3 -c 'open(\"" + file + "\", \"w\").write(\"hello\")'": false} {
		require.Equal(t, held, rule.Decide(callOf(t, Example{Text: line}, dir)).Subject != "", line)
	}
}
