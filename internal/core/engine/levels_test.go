//go:build linux

package engine_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
	model "github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/protocol"
)

// lowerKey is one cell of the table in docs/scale/managed.md: what a file of a lower level has, and a gate of a higher
// one that holds all the same.
type lowerKey struct {
	name  string // the key, and what it tries
	gate  string // entries of the higher file
	lower string // the lower file
	tool  string // of a call by Claude Code; "": Bash
	input string // its arguments; "": {"command":"rm -rf x"}
	only  []model.Level
	want  protocol.Decision
}

const (
	noShell   = `{"name":"gate","block":"no","events":["pre-tool"],"matcher":"shell"}`
	noRemoval = `{"name":"gate","block":"no","events":["pre-tool"],"if":"shell(rm -rf*)"}`
	script    = `"command":"exit 2","events":["pre-tool"]`
)

// lowerKeys has every key of a hooks file that reaches over its own hooks, and those of an entry that has the name of
// the gate.
var lowerKeys = []lowerKey{
	{name: "tools: to its own name", gate: noShell, lower: `{"tools":{"Bash":"Bash"}}`},
	{name: "tools: to another name", gate: noShell, lower: `{"tools":{"Bash":"fs_read"}}`},
	{name: "tools: to none", gate: noShell, lower: `{"tools":{"Bash":null}}`},
	{name: "tools: that nobody knows, to another name", gate: noShell, lower: `{"tools":{"term":"fs_read"}}`,
		tool: "term"},
	{name: "tools: that nobody knows, to none", gate: noShell, lower: `{"tools":{"term":null}}`, tool: "term"},
	{name: "tools: that nobody knows, of an if", gate: noRemoval, lower: `{"tools":{"term":"fs_read"}}`, tool: "term"},
	{name: "tools: of an if", gate: noRemoval, lower: `{"tools":{"Bash":"fs_read"}}`},
	{name: "tools: adds a name", gate: noRemoval, lower: `{"tools":{"term":"shell"}}`, tool: "term"},
	{name: "tools: adds a name to the higher file's", lower: `{"tools":{"term":"fs_read"}}`, tool: "term",
		gate: noShell + `],"tools":{"term":"shell"},"x-rest":[`},
	{name: "tools: a patch by another name", lower: `{"tools":{"apply_patch":"fs_read"}}`, tool: "apply_patch",
		input: `{"input":"*** Begin Patch\n*** Update File: yarn.lock\n*** End Patch"}`,
		gate:  `{"name":"gate","block":"no","events":["pre-tool"],"if":"fs_edit(yarn.lock)"}`},
	{name: "tools: of a when", lower: `{"tools":{"Bash":"fs_read"}}`,
		gate: `{"name":"gate","block":"no","events":["pre-tool"],"when":[{"path":"tool","equals":"shell"}]}`},
	{name: "tools: on stdin", lower: `{"tools":{"Bash":"fs_read"}}`,
		gate: `{"name":"gate","command":"! grep -q '\"tool\":\"shell\"'","events":["pre-tool"]}`},
	{name: "tools: in the environment", lower: `{"tools":{"Bash":"fs_read"}}`,
		gate: `{"name":"gate","command":"[ \"$HOOKRUN_TOOL\" != shell ]","events":["pre-tool"]}`},
	{name: "tools: of an entry with a dialect", lower: `{"tools":{"Bash":"fs_read"}}`,
		gate: `{"name":"gate","dialect":"gemini","command":"echo no >&2; exit 2","events":["BeforeTool"],` +
			`"matcher":"run_shell_command"}`},
	{name: "wrappers: the program of a rule", gate: noRemoval, lower: `{"wrappers":["rm","bash","ssh","env"]}`},
	{name: "wrappers: a program that is known", gate: noRemoval, lower: `{"wrappers":["ssh"]}`,
		input: `{"command":"ssh host <<'E'\nrm -rf x\nE"}`},
	{name: "wrappers: adds", gate: noRemoval, lower: `{"wrappers":["inhouse"]}`,
		input: `{"command":"inhouse rm -rf x"}`},
	{name: "inherit_env", lower: `{"inherit_env":false}`,
		gate: `{"name":"gate","command":"[ \"$LEVELS\" != x ]","events":["pre-tool"]}`},
	{name: "max_stop_blocks", gate: `{"name":"gate",` + script + `}`, lower: `{"max_stop_blocks":1}`},
	{name: "disable", gate: noShell, lower: `{"disable":["gate"]}`, only: []model.Level{model.LocalLevel}},
	{name: "enabled", gate: noShell, lower: `{"hooks":[{"name":"gate","block":"no","events":["pre-tool"],` +
		`"matcher":"shell","enabled":false}]}`},
	{name: "name, matcher, if, when, events", gate: noShell, lower: `{"hooks":[{"name":"gate","inject":"yes",` +
		`"events":["post-tool"],"matcher":"fs_read","if":"fs_read","when":[{"path":"tool","equals":"x"}]}]}`},
	{name: "timeout", gate: `{"name":"gate","command":"sleep 0.1; exit 2","events":["pre-tool"]}`,
		lower: `{"hooks":[{"name":"gate","command":"sleep 0.1; exit 2","events":["pre-tool"],"timeout":"1ms"}]}`},
	{name: "on_failure", gate: `{"name":"gate","command":["./none"],"events":["pre-tool"],"on_failure":"block"}`,
		lower: `{"hooks":[{"name":"gate","command":["./none"],"events":["pre-tool"],"on_failure":"continue"}]}`},
	{name: "env", gate: `{"name":"gate","command":"[ \"$LEVELS\" != x ]","events":["pre-tool"]}`,
		lower: `{"hooks":[{"name":"gate","command":"exit 0","events":["pre-tool"],"env":{"LEVELS":"y"}}]}`},
	{name: "dialect and async", gate: `{"name":"gate","dialect":"claude",` + script + `}`,
		lower: `{"hooks":[{"name":"gate","dialect":"claude","async":true,` + script + `}]}`},
	{name: "persistent and workers", gate: `{"name":"gate",` + script + `}`,
		lower: `{"hooks":[{"name":"gate","persistent":true,"workers":2,` + script + `}]}`},
	{name: "the answer allow", gate: `{"name":"gate","command":"echo '{\"hookSpecificOutput\":{\"hookEventName\":` +
		`\"PreToolUse\",\"permissionDecision\":\"ask\",\"permissionDecisionReason\":\"sure?\"}}'",` +
		`"events":["pre-tool"]}`,
		lower: `{"hooks":[{"name":"yes","command":"echo '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",` +
			`\"permissionDecision\":\"allow\"}}'","events":["pre-tool"]}]}`, want: protocol.Ask},
	{name: "the answer updatedInput", gate: noRemoval, input: `{"command":"ls"}`,
		lower: `{"hooks":[{"name":"rm","command":"echo '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",` +
			`\"updatedInput\":{\"command\":\"rm -rf x\"}}}'","events":["pre-tool"]}]}`},
}

// levelFiles writes the files of the levels, and reads them as a call does.
func levelFiles(t *testing.T, files map[model.Level]string) (*hookfile.Config, error) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "config"))
	paths := map[model.Level]string{
		model.ManagedLevel: filepath.Join(dir, "managed.json"),
		model.UserLevel:    filepath.Join(dir, "config", "hookrun", "hooks.json"),
		model.ProjectLevel: filepath.Join(dir, hookfile.FileName),
		model.LocalLevel:   filepath.Join(dir, hookfile.LocalFileName),
	}
	require.NoError(t, os.MkdirAll(filepath.Dir(paths[model.UserLevel]), 0o700))
	for level, text := range files {
		require.NoError(t, os.WriteFile(paths[level], []byte(text), 0o600))
	}
	return hookfile.Load(hookfile.Options{Parts: parts.All(), Workspace: dir, Managed: paths[model.ManagedLevel]})
}

// claudeCall is a call as Claude Code makes it.
func claudeCall(t *testing.T, tool, input string) dialect.Call {
	t.Helper()
	dir := t.TempDir()
	c, _, err := clients.All().ParseInput(fmt.Sprintf(`{"hook_event_name":"PreToolUse","session_id":"s","cwd":%q,`+
		`"transcript_path":"/t","tool_name":%q,"tool_input":%s}`, dir, tool, input))
	require.NoError(t, err)
	c.Workspace = dir
	return c
}

// TestLowerLevels tries every key of a file against the gates of each higher level.
func TestLowerLevels(t *testing.T) {
	t.Setenv("LEVELS", "x")
	levels := []model.Level{model.ManagedLevel, model.UserLevel, model.ProjectLevel, model.LocalLevel}
	for _, key := range lowerKeys {
		if key.tool == "" {
			key.tool = "Bash"
		}
		if key.input == "" {
			key.input = `{"command":"rm -rf x"}`
		}
		for i, higher := range levels {
			for _, lower := range levels[i+1:] {
				if len(key.only) > 0 && (!slices.Contains(key.only, lower) || higher == model.ProjectLevel) {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s over %s", key.name, lower, higher), func(t *testing.T) {
					cfg, err := levelFiles(t, map[model.Level]string{
						higher: `{"hooks":[` + key.gate + `]}`, lower: key.lower})
					require.NoError(t, err)
					r, err := engine.New(cfg, engine.Options{})
					require.NoError(t, err)
					defer r.Close()
					o, err := r.Fire(context.Background(), claudeCall(t, key.tool, key.input))
					require.NoError(t, err)
					require.Equal(t, key.want, o.Decision, "%v", o.Warnings)
					require.Equal(t, "gate", o.Hook)
				})
			}
		}
	}
}

// TestLevelKeys has the keys that a file of a wrong level is refused for.
func TestLevelKeys(t *testing.T) {
	for _, level := range []model.Level{model.UserLevel, model.ProjectLevel, model.LocalLevel} {
		for text, allowed := range map[string][]model.Level{
			`{"only":true}`:     nil,
			`{"disable":["x"]}`: {model.LocalLevel},
			`{"trust":"off"}`:   {model.UserLevel},
			`{"hooks":[]}`:      {model.UserLevel, model.ProjectLevel, model.LocalLevel},
		} {
			_, err := levelFiles(t, map[model.Level]string{level: text})
			require.Equal(t, slices.Contains(allowed, level), err == nil, "%s %s: %v", level, text, err)
		}
	}
	for _, words := range [][2]string{{"required", "off"}, {"off", "required"}} {
		cfg, err := levelFiles(t, map[model.Level]string{
			model.ManagedLevel: `{"trust":"` + words[0] + `"}`, model.UserLevel: `{"trust":"` + words[1] + `"}`})
		require.NoError(t, err)
		require.Equal(t, hookfile.TrustRequired, cfg.Trust)
	}
}

// TestFunctionsAboveFiles: no file takes a name away from a function of the program, and wrappers count for its if.
func TestFunctionsAboveFiles(t *testing.T) {
	for lower, input := range map[string]string{
		`{"tools":{"Bash":"Bash"}}`:    `{"command":"rm -rf x"}`,
		`{"tools":{"Bash":"fs_read"}}`: `{"command":"rm -rf x"}`,
		`{"wrappers":["inhouse"]}`:     `{"command":"inhouse rm -rf x"}`,
		`{"hooks":[{"name":"rm","command":"echo '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",` +
			`\"updatedInput\":{\"command\":\"rm -rf x\"}}}'","events":["pre-tool"]}]}`: `{"command":"ls"}`,
	} {
		cfg, err := levelFiles(t, map[model.Level]string{model.ProjectLevel: lower})
		require.NoError(t, err)
		var no dialect.Verdict
		no.Decide(protocol.Block, "no")
		gate := function("gate", no)
		gate.If = parts.All().Rules.If("shell(rm -rf*)")
		r, err := engine.New(cfg, engine.Options{Functions: []model.Hook{gate}})
		require.NoError(t, err)
		o, err := r.Fire(context.Background(), claudeCall(t, "Bash", input))
		require.NoError(t, err)
		require.Equal(t, protocol.Block, o.Decision, lower)
		require.NoError(t, r.Close())
	}
}

// TestStopsOfLevels: hooks of a lower level do not use up how often one of a higher level may block the end of a turn.
func TestStopsOfLevels(t *testing.T) {
	entry := `{"max_stop_blocks":2,"hooks":[{"name":"%s","dialect":"claude","events":["Stop"],"command":"%s"}]}`
	cfg, err := levelFiles(t, map[model.Level]string{
		model.UserLevel:    fmt.Sprintf(entry, "gate", "[ ! -e red ] || { echo red >&2; exit 2; }"),
		model.ProjectLevel: fmt.Sprintf(entry, "gate", "echo more >&2; exit 2"),
	})
	require.NoError(t, err)
	r, err := engine.New(cfg, engine.Options{})
	require.NoError(t, err)
	defer r.Close()
	dir := t.TempDir()
	fire := func() protocol.Decision {
		c, _, err := clients.All().ParseInput(fmt.Sprintf(`{"hook_event_name":"Stop","session_id":"s","cwd":%q}`, dir))
		require.NoError(t, err)
		c.Workspace = dir
		o, err := r.Fire(context.Background(), c)
		require.NoError(t, err)
		return o.Decision
	}
	require.Equal(t, protocol.Block, fire())
	require.Equal(t, protocol.Block, fire())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "red"), nil, 0o600))
	require.Equal(t, protocol.Block, fire(), "the user's hook has said nothing yet")
	require.Equal(t, protocol.Block, fire())
	require.Equal(t, protocol.Continue, fire(), "and so the turn comes to an end")
}
