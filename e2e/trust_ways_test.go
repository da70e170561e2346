//go:build unix

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// Ways to what a hook runs that are not the path of a script.
func TestWays(t *testing.T) {
	for _, tt := range []struct {
		name, command string // of the one hook
		attack        func(p *project)
		reason        string
	}{
		{name: "interpreter of a #! line", command: `["./guard.sh"]`, reason: "found is ", attack: func(p *project) {
			p.write("../bin/found", "#!/bin/sh\n")
		}},
		{name: "interpreter behind env -S", command: `["./split.sh"]`, reason: "found is ", attack: func(p *project) {
			p.write("../bin/found", "#!/bin/sh\n")
		}},
		{name: "program behind timeout", command: `"timeout 5 found data.txt", "files": []`, reason: "found is ",
			attack: func(p *project) { p.write("../bin/found", "#!/bin/sh\n") }},
		{name: "shell behind env", command: `["env", "A=b", "sh", "-c", "sh ./guard.sh strict"]`,
			reason: "guard.sh was changed", attack: func(p *project) { p.write("guard.sh", "") }},
		{name: "line of timeout's shell", command: `"timeout 5 sh -c 'sh ./guard.sh strict'"`,
			reason: "guard.sh was changed", attack: func(p *project) { p.write("guard.sh", "") }},
		{name: "eval", command: `"eval 'sh ./guard.sh strict'"`,
			reason: "guard.sh was changed", attack: func(p *project) { p.write("guard.sh", "") }},
		{name: "folder before .. made a link", command: `["sh", "scripts/../guard.sh"]`,
			reason: "scripts/../guard.sh leads to ", attack: func(p *project) {
				p.write("../other/guard.sh", "")
				p.write("../other/scripts/x", "")
				scripts := filepath.Join(p.dir, "scripts")
				require.NoError(p, os.RemoveAll(scripts))
				require.NoError(p, os.Symlink(filepath.Join(p.home, "other", "scripts"), scripts))
			}},
		{name: "program gone from PATH", command: `"found data.txt", "files": []`,
			reason: "found is not in PATH any more",
			attack: func(p *project) { require.NoError(p, os.Remove(filepath.Join(p.home, "late", "found"))) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newProject(t)
			bin, late := filepath.Join(p.home, "bin"), filepath.Join(p.home, "late")
			p.env = append(p.env, "PATH="+bin+":"+late+":"+os.Getenv("PATH"))
			p.write("../late/found", "#!/bin/sh\n")
			p.write("guard.sh", "#!/usr/bin/env found\n")
			p.write("split.sh", "#!/usr/bin/env -S found -u\n")
			p.write(".tenex-hooks.json", `{"hooks": [{"name": "guard", "command": `+tt.command+
				`, "events": ["pre-tool"], "on_failure": "continue"}]}`)
			p.allow()
			p.call(p.dir, "--trust", "required", "--pin")
			tt.attack(p)
			p.blocks("untrusted", tt.reason, p.dir, "--trust", "required")
			p.blocks("changed", tt.reason, p.dir, "--pin")
		})
	}
}

// Hooks in a client's form run in the folder of the call. One elsewhere can have a script of the same name.
func TestFolderOfCall(t *testing.T) {
	requireRow(t, "call in a folder elsewhere with a script of the same name", "the hook's calls")
	p := newProject(t)
	p.write(".tenex-hooks.json",
		`{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "./guard.sh"}]}]}}`)
	p.write("guard.sh", "#!/bin/sh\nexit 2\n")
	p.write("../elsewhere/guard.sh", "#!/bin/sh\n")
	p.allow()
	for flag, cause := range map[string]string{"--trust=required": "untrusted", "--pin": "changed"} {
		var o binary.Outcome
		for _, dir := range []string{p.dir, filepath.Join(p.home, "elsewhere")} {
			input, err := json.Marshal(map[string]any{"hook_event_name": "PreToolUse", "session_id": "s", "cwd": dir,
				"transcript_path": "/t", "tool_name": "Bash", "tool_input": map[string]any{"command": "ls"}})
			require.NoError(t, err)
			got := binary.Run(t, dir, string(input), p.env, binary.Path, "fire", "-C", p.dir, "-o", "json", flag)
			require.NoError(t, json.Unmarshal([]byte(got.Stdout), &o), got.Stderr)
			require.Equal(t, "block", o.Decision)
		}
		require.Equal(t, cause, o.Cause, o.Reason)
		require.Contains(t, o.Reason, "elsewhere/guard.sh was not there before")
	}
}
