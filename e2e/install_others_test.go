//go:build unix

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/e2e/binary"
)

// Other programs run the entries in a client's file. Each is answered in a form that it reads, and an input of nobody
// that hookrun knows is denied with a reason that is true.
func TestOtherProgramsRunAnEntry(t *testing.T) {
	dir := t.TempDir()
	env := []string{"HOME=" + filepath.Join(dir, "home"), "PATH=" + filepath.Dir(binary.Path) + ":/usr/bin:/bin"}
	binary.WriteFile(t, dir, ".tenex-hooks.json", `{"hooks": [
		{"name": "force", "block": "no force", "events": ["pre-tool"], "if": "shell(git push --force*)"},
		{"name": "lock", "block": "no lock", "events": ["pre-tool"], "if": "fs_write(**/*.lock)"},
		{"name": "env", "block": "no env", "events": ["pre-tool"], "if": "fs_edit(**/.env)"}]}`)
	entries := map[string]string{}
	for client, at := range map[string]string{
		"copilot": ".github/hooks/hookrun.json hooks.PreToolUse.0.command",
		"vscode":  ".github/hooks/hookrun.json hooks.PreToolUse.0.command",
		"claude":  ".claude/settings.json hooks.PreToolUse.0.hooks.0.command",
		"cursor":  ".cursor/hooks.json hooks.preToolUse.0.command",
	} {
		r := binary.Run(t, dir, "", env, binary.Path, "install", client, "--allow")
		require.Zero(t, r.Code, r.Stderr)
		file, path, _ := strings.Cut(at, " ")
		text, err := os.ReadFile(filepath.Join(dir, file))
		require.NoError(t, err)
		entries[client] = gjson.GetBytes(text, path).String()
	}
	const source = `{"timestamp":"t","hook_event_name":"PreToolUse","session_id":"s","tool_use_id":"c",`
	const docs = `{"timestamp":"t","hookEventName":"PreToolUse","sessionId":"s","tool_use_id":"c",`
	const grok = `{"hookEventName":"pre_tool_use","hook_event_name":"PreToolUse","workspaceRoot":"/w",` +
		`"toolName":"run_terminal_command","toolInput":{"command":"ls"}}`
	for _, test := range []struct{ entries, input, deny, reason string }{
		{"copilot vscode claude", source + `"tool_name":"run_in_terminal","tool_input":{"command":"git push --force"}}`,
			"", "no force"},
		{"copilot vscode claude", docs + `"tool_name":"run_in_terminal","tool_input":{"command":"git push --force"}}`,
			"", "no force"},
		{"copilot vscode claude", source + `"tool_name":"create_file","tool_input":{"filePath":"/p/a.lock"}}`, "",
			"no lock"},
		{"copilot vscode claude", source + `"tool_name":"multi_replace_string_in_file","tool_input":{"replacements":[` +
			`{"filePath":"/p/b"},{"filePath":"/p/.env"}]}}`, "", "no env"},
		{"copilot vscode claude", docs + `"tool_name":"editFiles","tool_input":{"files":["b","a.lock"]}}`, "",
			"no lock"},
		{"copilot vscode claude", source + `"tool_name":"create_file","tool_input":{"filePath":"/p/a.txt"}}`, "", ""},
		{"copilot vscode claude cursor", grok, "all", "[compat.claude]"},
		{"copilot vscode claude cursor", `{"tool_name":"x","tool_input":{"command":"ls"}}`, "all",
			"chat.hookFilesLocations"},
		{"copilot vscode claude cursor", `{"hook_event_name":"beforeTool","tool":"x"}`, "all", "hook input"},
		{"copilot vscode claude cursor", `{"agent_action_name":"pre_run_command","tool_info":{}}`, "all",
			"hook input"},
		{"copilot vscode claude cursor", `nonsense`, "all", "hook input"},
		{"copilot vscode claude cursor", `{"event":"agent_spawn"}`, "goes on", "chat.hookFilesLocations"},
	} {
		for client := range strings.FieldsSeq(test.entries) {
			r := binary.Run(t, dir, test.input, env, "/bin/sh", "-c", entries[client])
			what := client + ": " + test.input + "\n" + r.Stdout + r.Stderr
			var answer map[string]any
			if test.deny != "goes on" {
				require.NoError(t, json.Unmarshal([]byte(r.Stdout), &answer), what)
			}
			switch test.deny {
			case "goes on":
				require.Equal(t, 1, r.Code, what)
				require.Empty(t, r.Stdout, what)
				require.Contains(t, r.Stderr, test.reason, what)
			case "all":
				require.Equal(t, 2, r.Code, what)
				require.Contains(t, r.Stderr, test.reason, what)
				require.Equal(t, "block", answer["decision"], what)
				require.Equal(t, "deny", answer["permission"], what)
				require.NotContains(t, r.Stdout+r.Stderr, "is it installed", what)
			default:
				require.Zero(t, r.Code, what)
				require.Equal(t, test.reason,
					gjson.Get(r.Stdout, "hookSpecificOutput.permissionDecisionReason").String(), what)
			}
		}
	}
}
