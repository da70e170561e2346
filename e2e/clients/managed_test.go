//go:build linux

package clients

import (
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/internal/clients"
)

// try is a way in which a user could switch off the hookrun of install --managed.
type try struct {
	row   int               // of ways
	label string            // names it in docs/scale/managed.md, where it works
	home  map[string]string // more files of the user's, or more members of them
	there map[string]string // files in the project
	env   []string
	flags []string

	refuses bool // the client may start no turn, or refuse the tool itself
}

// ways are the rows of the table in docs/scale/managed.md.
var ways = []string{
	"settings: hooks off, other hooks, none",
	"variables, a new home",
	"flags, other settings files",
	"an own hook rewrites the call",
	"the same with `--only`",
}

const rewriting, withOnly = 3, 4 // rows

const (
	off      = `{"disableAllHooks": true}`
	noHooks  = `{"hooks": {}}`
	claudeOK = `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command":
"echo '{\"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\", \"permissionDecision\": \"allow\"}}'"}]}]}}`
	elsewhere = "HOME=/opt/home"
	rewritten = "the rewrite"
)

// rewrite is a hook that turns every command into the forbidden one.
func rewrite(event, answer string) string {
	answer = strings.Replace(answer, "{}", `{"command": "touch forbidden", "cmd": "touch forbidden",
"description": "d", "is_background": false, "summary": "Do it", "riskLevel": "low", "riskLevelReason": "none"}`, 1)
	command := "echo '" + strings.ReplaceAll(answer, "\n", " ") + "'"
	return `{"version": 1, "hooks": {"` + event + `": [{"type": "command", "bash": ` + quoted(command) + `, "hooks": [
{"type": "command", "command": ` + quoted(command) + `}]}]}}`
}

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

const claudeAnswer = `{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow",
"updatedInput": {}}}`

func at(text string, paths ...string) map[string]string {
	files := map[string]string{}
	for _, path := range paths {
		files[path] = text
	}
	return files
}

var tries = map[string][]try{
	"claude": {
		{row: 0, home: at(off, ".claude/settings.json"),
			there: at(off, ".claude/settings.json", ".claude/settings.local.json")},
		{row: 0, home: at(claudeOK, ".claude/settings.json"), there: at(noHooks, ".claude/settings.json")},
		{row: 1, label: "`CLAUDE_CODE_SAFE_MODE`", env: []string{"CLAUDE_CODE_SAFE_MODE=1"}},
		{row: 1, label: "`CLAUDE_CODE_SIMPLE`", env: []string{"CLAUDE_CODE_SIMPLE=1"}},
		{row: 2, label: "`--settings`", flags: []string{"--settings", off, "--setting-sources", "user"}},
		{row: 2, label: "`--bare`", flags: []string{"--bare"}},
		{row: 2, label: "`--safe-mode`", flags: []string{"--safe-mode"}},
		{row: 1, env: []string{elsewhere, "CLAUDE_CONFIG_DIR=/opt/config"}},
		{row: 3, label: rewritten, home: at(rewrite("PreToolUse", claudeAnswer), ".claude/settings.json")},
	},
	"codex": {
		{row: 0, home: at("features.hooks = false\nfeatures.codex_hooks = false\n", ".codex/config.toml"),
			there: at("features.hooks = false\n", ".codex/config.toml")},
		{row: 0, home: at(noHooks, ".codex/hooks.json"), there: at(noHooks, ".codex/hooks.json")},
		{row: 2, label: "`--disable hooks`", flags: []string{"--disable", "hooks", "-c", "features.hooks=false"}},
		{row: 2, label: "`-c hooks={}`", flags: []string{"-c", "hooks={}"}},
		{row: 1},
		{row: 3, label: rewritten, flags: []string{"--dangerously-bypass-hook-trust"},
			home: at(strings.Replace(rewrite("PreToolUse", claudeAnswer), `"version": 1, `, "", 1),
				".codex/hooks.json")},
	},
	"copilot": {
		{row: 0, home: at(`{"version": 1, "disableAllHooks": true, "hooks": {}}`, ".copilot/settings.json",
			".copilot/hooks/off.json"), there: at(`{"version": 1, "disableAllHooks": true, "hooks": {}}`,
			".github/hooks/off.json", ".claude/settings.json", ".github/copilot/settings.json")},
		{row: 0, home: at(`{"version": 1, "hooks": {}}`, ".copilot/hooks/own.json")},
		{row: 1, label: "`COPILOT_HOOK_DIR`", env: []string{"COPILOT_HOOK_DIR=/opt/home/.copilot/hooks",
			"GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS=false"}},
		{row: 2, label: "`--config-dir`", flags: []string{"--config-dir", "/opt/config"}},
		{row: 1, env: []string{elsewhere, "COPILOT_HOME=/opt/copilot"}},
		{row: 3, label: rewritten, home: at(rewrite("preToolUse",
			`{"permissionDecision": "allow", "modifiedArgs": {}}`), ".copilot/hooks/own.json")},
	},
	"droid": {
		{row: 0, home: at(`{"hooksDisabled": true, "hooks": {"hooksDisabled": true}}`, ".factory/settings.json"),
			there: at(`{"hooksDisabled": true, "hooks": {"hooksDisabled": true}}`, ".factory/settings.json",
				".factory/settings.local.json")},
		{row: 0, home: at("{}", ".factory/hooks.json"), there: at("{}", ".factory/hooks.json")},
		{row: 1, label: "`FACTORY_ORG_MANAGED_SETTINGS_LOCAL_PATH`",
			env: []string{"FACTORY_ORG_MANAGED_SETTINGS_LOCAL_PATH=/opt/none.json"}},
		{row: 2, label: "`--settings`", flags: []string{"--settings", "/opt/off.json"}},
		{row: 1},
		{row: 3, label: rewritten, home: at(rewrite("PreToolUse", claudeAnswer), ".factory/settings.json")},
	},
	"gemini": {
		{row: 0, home: at(`{"hooksConfig": {"enabled": false}}`, ".gemini/settings.json"),
			there: at(`{"hooksConfig": {"enabled": false}}`, ".gemini/settings.json")},
		{row: 0, label: "`hooksConfig.disabled`",
			home: at(`{"hooksConfig": {"disabled": ["hookrun"]}}`, ".gemini/settings.json")},
		{row: 0, home: at(noHooks, ".gemini/settings.json"), there: at(noHooks, ".gemini/settings.json")},
		{row: 1, label: "`GEMINI_RESTRICTED_MODE`", env: []string{"GEMINI_RESTRICTED_MODE=true"}, refuses: true},
		{row: 1, label: "`GEMINI_CLI_TRUST_WORKSPACE`", refuses: true,
			env: []string{"GEMINI_CLI_TRUST_WORKSPACE=false"}},
		{row: 2, label: "`--skip-trust`", env: []string{"GEMINI_CLI_TRUST_WORKSPACE="},
			flags: []string{"--skip-trust"}, refuses: true},
		{row: 1, label: "`GEMINI_CLI_SYSTEM_SETTINGS_PATH`",
			env: []string{"GEMINI_CLI_SYSTEM_SETTINGS_PATH=/opt/none.json"}},
		{row: 1},
		{row: 3, label: rewritten, home: at(rewrite("BeforeTool", `{"hookSpecificOutput": {"tool_input": {}}}`),
			".gemini/settings.json")},
	},
	"opencode": {
		{row: 0, home: at(`{"plugin": []}`, ".config/opencode/opencode.json"), there: at(`{"plugin": []}`,
			"opencode.json", ".opencode/opencode.json")},
		{row: 1, label: "`OPENCODE_PURE`", env: []string{"OPENCODE_PURE=1"}},
		{row: 1, label: "`OPENCODE_DISABLE_DEFAULT_PLUGINS`", env: []string{"OPENCODE_DISABLE_DEFAULT_PLUGINS=1"}},
		{row: 1, label: "`OPENCODE_TEST_MANAGED_CONFIG_DIR`",
			env: []string{"OPENCODE_TEST_MANAGED_CONFIG_DIR=/opt/none"}},
		{row: 2, label: "`--pure`", flags: []string{"--pure"}},
		{row: 2, label: "`OPENCODE_CONFIG_CONTENT`", env: []string{`OPENCODE_CONFIG_CONTENT={"plugin": []}`}},
		{row: 1},
		{row: 3, label: rewritten, home: at(`export const Own = async () => ({
"tool.execute.before": async (input, output) => { output.args.command = "touch forbidden" }})
`, ".config/opencode/plugins/own.js")},
	},
	"qwen": {
		{row: 0, home: at(off, ".qwen/settings.json"), there: at(off, ".qwen/settings.json")},
		{row: 0, label: "`folderTrust`", refuses: true,
			home: at(`{"security": {"folderTrust": {"enabled": true}}}`, ".qwen/settings.json")},
		{row: 0, home: at(noHooks, ".qwen/settings.json"), there: at(noHooks, ".qwen/settings.json")},
		{row: 1, label: "`QWEN_CODE_SYSTEM_SETTINGS_PATH`",
			env: []string{"QWEN_CODE_SYSTEM_SETTINGS_PATH=/opt/none.json"}},
		{row: 2, label: "`--bare`", flags: []string{"--bare"}},
		{row: 2, label: "`--safe-mode`", flags: []string{"--safe-mode"}},
		{row: 1, env: []string{elsewhere}},
		{row: 3, label: rewritten, home: at(rewrite("PreToolUse", claudeAnswer), ".qwen/settings.json")},
	},
}

// TestManaged has the real clients run with the hookrun of install --managed, while a user tries to switch it off, and
// compares what blocks with the table in docs/scale/managed.md. It has folders of its own in the place of /etc and
// /opt.
func TestManaged(t *testing.T) {
	const inside = "E2E_MANAGED"
	if os.Getenv(inside) == "" {
		managedAlone(t, inside)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(tries)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(name); err != nil {
				t.Skip("it is not in PATH")
			}
			policy := filepath.Join(t.TempDir(), "policy.json")
			require.NoError(t, os.WriteFile(policy, []byte(`{"hooks": [{"name": "no", "block": "not this one",
"events": ["pre-tool"], "if": "shell(touch forbidden*)"}]}`), 0o600))
			r := newClientRun(t, clientNamed(name))
			r.run(managedBinary, "install", "--managed", name, "--hooks", policy)
			d, _ := clients.All().ClientNamed(name)
			managed := d.Install.Managed("linux")
			if out := r.run(managedBinary, "doctor", "--managed", name); managed.Trial.Args != nil {
				require.Contains(t, out, "it obeyed the entry", out)
			}
			cells := map[int][]string{}
			for _, try := range tries[name] {
				cells[try.row] = append(cells[try.row], r.try(try)...)
			}
			if name == "copilot" { // another file of the administrator's
				require.NoError(t, os.WriteFile("/etc/github-copilot/managed-settings.json",
					[]byte(`{"allowManagedHooksOnly": true}`), 0o644))
				cells[withOnly] = r.try(tries[name][len(tries[name])-1])
			}
			if managed.Only != nil {
				r.run(managedBinary, "install", "--managed", name, "--only")
				cells[withOnly] = r.try(tries[name][len(tries[name])-1])
			}
			documented := managedCells(t, r.title())
			for row, way := range ways {
				cell := "blocked"
				if offs, tried := cells[row]; !tried {
					cell = "–"
				} else if offs = slices.DeleteFunc(offs, func(s string) bool { return s == "" }); len(offs) > 0 {
					cell = "**off** by " + strings.Join(offs, ", ")
				}
				t.Logf("%s | %s | %s", r.title(), way, cell)
				if documented[way] != cell {
					t.Errorf("docs/scale/managed.md has %q", documented[way])
				}
			}
		})
	}
}

const managedBinary = "/opt/hookrun/hookrun"

// try returns the label of what switched hookrun off, else its row; "": nothing did.
func (r *clientRun) try(way try) []string {
	c := r.client
	c.home = maps.Clone(c.home)
	for path, text := range way.home {
		if c.home == nil {
			c.home = map[string]string{}
		}
		c.home[path] = with(r.T, path, c.home[path], text)
	}
	c.env = append(slices.Clone(c.env), way.env...)
	c.args = slices.Clone(c.args)
	c.args = slices.Insert(c.args, len(c.args)-map[bool]int{true: 2, false: 1}[c.name == "gemini" || c.name == "qwen"],
		way.flags...)
	if c.name == "claude" || c.name == "copilot" { // the prompt is not the last
		c.args = append(slices.Clone(r.client.args), way.flags...)
	}
	again := newClientRun(r.T, c)
	require.NoError(r, os.Remove(filepath.Join(again.workspace, ".tenex-hooks.json")))
	for path, text := range way.there {
		path = filepath.Join(again.workspace, path)
		require.NoError(r, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(r, os.WriteFile(path, []byte(text), 0o600))
	}
	command := "touch forbidden"
	if way.row == rewriting {
		command = "touch allowed"
	}
	again.turn([]string{command})
	require.True(r, way.refuses || len(again.requests) > 0, "%+v: %s", way, again.output)
	ran := again.ran("forbidden")
	if _, after := again.after(command); !ran && way.row != rewriting && !way.refuses {
		require.Contains(r, after+again.output, "not this one", "%+v", way)
	}
	again.ran("allowed")
	if ran {
		return []string{cmp.Or(way.label, ways[way.row])}
	}
	return []string{""}
}

// with returns a file with more members, or more text at its start.
func with(t *testing.T, path, text, more string) string {
	if filepath.Ext(path) != ".json" || text == "" {
		return more + text
	}
	merged := map[string]any{}
	for _, part := range []string{text, more} {
		part = strings.ReplaceAll(part, "\n", " ")
		require.NoError(t, json.Unmarshal([]byte(part), &merged), part)
	}
	out, err := json.Marshal(merged)
	require.NoError(t, err)
	return string(out)
}

// managedAlone runs the test again with a new /opt, a copy of /etc and no network but loopback.
func managedAlone(t *testing.T, inside string) {
	if os.Geteuid() != 0 || exec.Command("unshare", "-mn", "true").Run() != nil {
		t.Skip("it needs root, who can have file systems of its own")
	}
	path := os.Getenv("PATH")
	for _, name := range slices.Sorted(maps.Keys(tries)) {
		path = strings.TrimSuffix(pathOf(t, name), os.Getenv("PATH")) + path
	}
	built := filepath.Join(t.TempDir(), "hookrun")
	build := exec.Command("go", "build", "-o", built, "github.com/hookrun/hookrun")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	cmd := exec.Command("unshare", "-mn", "sh", "-ec", `ip link set lo up
mount --make-rprivate /
mount -t tmpfs none /mnt
mkdir /mnt/new /mnt/work
mount -t overlay none -o lowerdir=/etc,upperdir=/mnt/new,workdir=/mnt/work /etc
mount -t tmpfs -o mode=755 none /opt
mkdir /opt/hookrun /opt/home
cp "$0" `+managedBinary+`
echo '{"hooksDisabled": true, "hooks": {}}' >/opt/off.json
exec "$@"`, built, os.Args[0], "-test.v", "-test.timeout=30m", "-test.run=^TestManaged$")
	if run := os.Getenv("E2E_MANAGED_CLIENT"); run != "" {
		cmd.Args[len(cmd.Args)-1] += "/^" + run + "$"
	}
	cmd.Env = append(os.Environ(), inside+"=1", "PATH="+path, "HOOKRUN_TEST_BINARY="+binary.Path)
	out, err = cmd.CombinedOutput()
	t.Logf("%s", out)
	require.NoError(t, err)
	require.Contains(t, string(out), "--- PASS: TestManaged", "the test did not run")
}

// managedCells are the cells of a client in the table of docs/scale/managed.md, by way.
func managedCells(t *testing.T, title string) map[string]string {
	text, err := os.ReadFile("../../docs/scale/managed.md")
	require.NoError(t, err)
	cells, column := map[string]string{}, -1
	for line := range strings.Lines(string(text)) {
		parts := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range parts {
			parts[i] = strings.TrimSpace(parts[i])
		}
		if i := slices.Index(parts, title); i > 0 {
			column = i
		} else if column > 0 && len(parts) > column {
			cells[parts[0]] = parts[column]
		}
	}
	return cells
}
