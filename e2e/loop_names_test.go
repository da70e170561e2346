//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/projecthooks"
	"github.com/hookrun/hookrun/protocol"
	"github.com/hookrun/hookrun/runner"
)

// loopNames are names that loops give to tools, with arguments that a rule is for, and arguments that none is for.
var loopNames = []struct{ names, held, free string }{
	{"Bash bash BASH Shell shell execute_bash run_command run_shell_command run_terminal_cmd local_shell " +
		"exec_command terminal functions.bash run_in_terminal mcp__box__run my_tool task",
		`{"command":"git push --force"}`, `{"command":"git status"}`},
	{"Write write_file create_file Create write_to_file fs_write Edit edit_file replace MultiEdit my_tool",
		`{"file_path":"sub/a.lock","content":"x"}`, `{"file_path":"sub/a.txt","content":"see a.lock"}`},
	{"str_replace_editor str_replace_based_edit_tool editor",
		`{"command":"create","path":"a.lock","file_text":"x"}`, `{"command":"view","path":"a.lock"}`},
	{"str_replace_editor str_replace_based_edit_tool Edit edit replace",
		`{"path":"a.lock","old_str":"a","new_str":"b"}`, `{"path":"a.txt","old_str":"a","new_str":"b"}`},
	{"Read read_file view view_file fs_read my_tool", `{"path":"sub/.env"}`, `{"path":"sub/env"}`},
	{"Read read_file view view_file fs_read", `{"file_path":".env"}`, `{"file_path":"a.lock"}`},
	{"view Grep", `{"command":"git push --force"}`, `{"path":"a.txt","pattern":"git push --force"}`},
	{"download todo list_files", `{"path":"a.lock","content":"x"}`, `{"url":"https://x.io","path":"a.txt"}`},
	{"bash execute_command bash_tool run_shell developer__shell launch-process start_process",
		`{"command":["git","push","--force"]}`, `{"restart":true}`},
	{"WebFetch webfetch FetchUrl fetch web_fetch fetch_url read_url visit_webpage open_url browser_navigate",
		`{"url":"https://evil.io/x"}`, `{"url":"https://x.io"}`},
}

const loopRules = `{"hooks": [
	{"name": "shell", "block": "held", "events": ["pre-tool"], "if": "shell(git push --force*)"},
	{"name": "write", "block": "held", "events": ["pre-tool"], "if": "fs_write(**/*.lock)"},
	{"name": "read", "block": "held", "events": ["pre-tool"], "if": "fs_read(**/.env)"},
	{"name": "web", "block": "held", "events": ["pre-tool"], "if": "web_fetch(domain:evil.io)"}]}`

// TestNamesOfLoops makes the calls of loopNames by each door that needs no other language, and by the packages.
func TestNamesOfLoops(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".tenex-hooks.json"), []byte(loopRules), 0o600))
	type call struct {
		Tool string          `json:"tool"`
		Args json.RawMessage `json:"args"`
	}
	var calls []call
	var want, requests strings.Builder
	for _, row := range loopNames {
		for name := range strings.FieldsSeq(row.names) {
			for _, args := range []string{row.held, row.free} {
				c := call{name, json.RawMessage(args)}
				calls = append(calls, c)
				params, err := json.Marshal(c)
				require.NoError(t, err)
				fmt.Fprintf(&requests, `{"jsonrpc":"2.0","id":%d,"method":"pre-tool","params":%s}`+"\n", len(calls),
					params)
				fmt.Fprintf(&want, "%s %s %t\n", name, args, args == row.held)
			}
		}
	}
	all, err := json.Marshal(calls)
	require.NoError(t, err)
	for door, says := range map[string]func(t *testing.T) []bool{
		"pre-tool": func(t *testing.T) (held []bool) {
			for _, c := range calls {
				done := binary.Run(t, dir, "", os.Environ(), binary.Path, "pre-tool", "--tool", c.Tool, "--args",
					string(c.Args))
				held = append(held, done.Code == 2)
			}
			return held
		},
		"serve": func(t *testing.T) []bool {
			done := binary.Run(t, dir, requests.String(), os.Environ(), binary.Path, "serve")
			held := make([]bool, len(calls))
			for line := range strings.Lines(done.Stdout) {
				var answer struct {
					ID     int
					Result struct{ Decision string }
				}
				require.NoError(t, json.Unmarshal([]byte(line), &answer), line)
				held[answer.ID-1] = answer.Result.Decision == "block"
			}
			return held
		},
		"runner": func(t *testing.T) (held []bool) {
			cfg, err := projecthooks.Load(dir, projecthooks.LoadOptions{})
			require.NoError(t, err)
			r, err := runner.New(cfg, runner.Options{})
			require.NoError(t, err)
			defer func() { require.NoError(t, r.Close()) }()
			for _, c := range calls {
				o, err := r.Before(t.Context(), protocol.Call{Workspace: dir, Tool: c.Tool, Args: string(c.Args)})
				require.NoError(t, err)
				held = append(held, o.Decision == protocol.Block)
			}
			return held
		},
		"python": func(t *testing.T) []bool {
			return packageHolds(t, dir, string(all), "python3", "-c", `import json, os, sys
sys.path.insert(0, os.environ["PACKAGES"] + "/python/src")
from hookrun import Gate
with Gate(".", binary=os.environ["HOOKRUN_BIN"], timeout=300) as gate:
    print(json.dumps([gate.before(c["tool"], c["args"]).decision == "block" for c in json.load(sys.stdin)]))`)
		},
		"node": func(t *testing.T) []bool {
			return packageHolds(t, dir, string(all), "node", "--input-type=module", "-e", `
const { Gate } = await import(process.env.PACKAGES + "/node/lib/index.js");
import { readFileSync } from "node:fs";
const gate = new Gate({ workspace: ".", binary: process.env.HOOKRUN_BIN, timeout: 300000 });
const held = [];
for (const c of JSON.parse(readFileSync(0, "utf8"))) held.push((await gate.before(c.tool, c.args)).decision === "block");
await gate.close();
console.log(JSON.stringify(held));`)
		},
	} {
		t.Run(door, func(t *testing.T) {
			t.Parallel()
			var got strings.Builder
			for i, held := range says(t) {
				fmt.Fprintf(&got, "%s %s %t\n", calls[i].Tool, calls[i].Args, held)
			}
			require.Equal(t, want.String(), got.String())
		})
	}
}

// packageHolds runs a program with a package of this clone and the calls on stdin. It prints which calls are blocked.
func packageHolds(t *testing.T, dir, calls, program string, args ...string) (held []bool) {
	binary.Needs(t, program)
	packages, err := filepath.Abs("../packages")
	require.NoError(t, err)
	env := append(os.Environ(), "PACKAGES="+packages, "HOOKRUN_BIN="+binary.Path)
	done := binary.Run(t, dir, calls, env, append([]string{program}, args...)...)
	require.NoError(t, json.Unmarshal([]byte(done.Stdout), &held), done.Stderr)
	return held
}
