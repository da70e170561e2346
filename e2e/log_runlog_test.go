//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/e2e/rpc"
)

// every way to ask hooks leaves one line for each call.
func TestRunLogOfEveryCommand(t *testing.T) {
	const hooks = `{"hooks":[
		{"name":"guard","command":"grep -q rm && { echo 'no rm' >&2; exit 2; }; exit 0","events":["pre-tool"]},
		{"name":"note","inject":"be brief","events":["pre-execute","post-tool"]}]}`
	dir := t.TempDir()
	binary.WriteFile(t, dir, ".tenex-hooks.json", hooks)
	log := filepath.Join(dir, "run.log")
	run := func(code int, stdin string, argv ...string) binary.Result {
		t.Helper()
		done := binary.Run(t, dir, stdin, []string{"HOOKRUN_LOG=" + log,
			"HOOKRUN_STATE=" + filepath.Join(dir, "state")}, append([]string{binary.Path}, argv...)...)
		require.Equal(t, code, done.Code, done.Stderr)
		return done
	}
	run(0, "", "inject", "--session", "s", "from the queue")
	before := time.Now().Add(-time.Second)
	run(0, "", "pre-execute", "--prompt", "hello", "--session-id", "s")
	run(2, "", "pre-tool", "--tool", "shell", "--args", `{"command":"rm x"}`, "--session-id", "s", "--tool-use-id",
		"t1")
	run(0, "", "pre-tool", "--tool", "shell", "--args", `not JSON`)
	run(0, "", "post-tool", "--tool", "shell", "--result", "done", "--failed", "--session-id", "s")
	run(0, `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"rm"},"session_id":"c",`+
		`"tool_use_id":"t2"}`, "fire")
	lines := binary.ReadLog(t, log)
	require.Len(t, lines, 5)
	for i, want := range []struct{ command, event, tool, session, use, args, decision, reason string }{
		{"pre-execute", "pre-execute", "", "s", "", "", "continue", ""},
		{"pre-tool", "pre-tool", "shell", "s", "t1", `{"command":"rm x"}`, "block", "no rm"},
		{"pre-tool", "pre-tool", "shell", "", "", `"not JSON"`, "continue", ""},
		{"post-tool", "post-tool", "shell", "s", "", "{}", "continue", ""},
		{"fire", "PreToolUse", "Bash", "c", "t2", `{"command":"rm"}`, "block", "no rm"},
	} {
		l := lines[i]
		require.NotNil(t, l.Outcome, i)
		require.Equal(t, want, struct{ command, event, tool, session, use, args, decision, reason string }{
			l.Command, l.Outcome.Event, l.Outcome.Tool, l.Session, l.ToolUse, string(l.Args), l.Outcome.Decision,
			l.Outcome.Reason})
		require.Equal(t, 1, l.Version)
		require.Equal(t, dir, l.Workspace)
		require.WithinRange(t, l.Time, before, time.Now())
	}
	require.Equal(t, "hello", lines[0].Prompt)
	require.Equal(t, "done", lines[3].Result)
	require.True(t, lines[3].Failed)
	require.Equal(t, filepath.Join(dir, ".tenex-hooks.json")+":2", lines[1].Outcome.Hooks[0].Source)
	require.Len(t, lines[3].Outcome.Inject, 2, "the hook's, and what the queue had")
}

func TestRunLogOfServe(t *testing.T) {
	s := rpc.NewServer(t, binary.Hook{"name": "guard",
		"command": "grep -q rm && { echo 'no rm' >&2; exit 2; }; exit 0", "events": []string{"pre-tool"},
		"matcher": "shell"})
	log := s.Path("run.log")
	c := s.Stdio("--log", log)
	require.Nil(t, c.Call("pre-tool", binary.Hook{"tool": "shell", "args": binary.Hook{"command": "rm"},
		"tool_use_id": "t1"}).Error)
	require.Nil(t, c.Call("pre-tool", binary.Hook{"tool": "other"}).Error, "no hook is for it, and it is on record too")
	require.NotNil(t, c.Call("pre-tool", binary.Hook{"tool": "shell", "workspace": "relative"}).Error,
		"no hook runs for it, and it is on record as it is with a command")
	c.Line(`{"jsonrpc":"2.0","id":"twice","method":"fire","params":{"hook_event_name":"PreToolUse",` +
		`"tool_name":"other","tool_input":{"a":1,"a":2}}}`)
	require.Nil(t, c.Answer(`"twice"`).Error)
	lines := binary.ReadLog(t, log)
	require.Len(t, lines, 4)
	require.Equal(t, `"workspace" must be an absolute path, not "relative"`, lines[2].Error)
	require.Len(t, lines[3].Outcome.Warnings, 2, "the second is of a tool without a name of the project's")
	require.Contains(t, lines[3].Outcome.Warnings[0], `the key "a" is there twice`,
		"what only the server says is on record too")
	for i, want := range []string{"shell t1 block no rm", "other  continue "} {
		require.Equal(t, "serve", lines[i].Command)
		o := lines[i].Outcome
		require.Equal(t, want, fmt.Sprintf("%s %s %s %s", o.Tool, lines[i].ToolUse, o.Decision, o.Reason))
	}
}

func TestRunLogOfWhatCameToNoVerdict(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "run.log")
	run := func(code int, argv ...string) {
		t.Helper()
		done := binary.Run(t, dir, "", nil, append([]string{binary.Path}, argv...)...)
		require.Equal(t, code, done.Code, done.Stderr)
	}
	run(1, "pre-tool", "--log", log)
	binary.WriteFile(t, dir, "bad.json", `{"hooks":[{}]}`)
	run(1, "pre-tool", "--log", log, "--tool", "shell", "-c", "bad.json", "--session-id", "s")
	run(2, "pre-tool", "--log", log, "--tool", "shell", "-c", "bad.json", "-o", "claude")
	binary.WriteFile(t, dir, "rewrite.json",
		`{"hooks":[{"name":"r","command":"echo `+
			`'{\"hookSpecificOutput\":{\"updatedInput\":{}}}'","events":["pre-tool"]}]}`)
	run(2, "pre-tool", "--log", log, "--tool", "shell", "-c", "rewrite.json")
	for _, input := range []string{"", "garbage", `{"hook_event_name":"PreToolUse"}`} {
		done := binary.Run(t, dir, input, nil, binary.Path, "fire", "--log", log)
		require.Equal(t, 2, done.Code, done.Stderr)
	}
	lines := binary.ReadLog(t, log)
	require.Len(t, lines, 7)
	require.Contains(t, lines[0].Error, "--tool is missing")
	for i, want := range []string{"stdin is empty", "the hook input", "has no tool_name"} {
		require.Equal(t, "fire", lines[4+i].Command)
		require.Contains(t, lines[4+i].Error, want)
	}
	for _, l := range lines[1:3] {
		require.Nil(t, l.Outcome)
		require.Equal(t, "pre-tool", l.Event)
		require.Equal(t, "shell", l.Tool)
		require.Contains(t, l.Error, `bad.json:1:11: hook 1 has no "name"`)
	}
	require.Equal(t, "rewrite", lines[3].Outcome.Cause, "the verdict that was given, by text output")
}

// An interrupted call is in the log too.
func TestRunLogOfAnInterruptedCall(t *testing.T) {
	log := filepath.Join(t.TempDir(), "run.log")
	s := binary.Start(t, "echo $$ >ready; exec sleep 1000", "--log", log)
	s.Pid()
	require.NoError(t, s.Cmd.Process.Signal(syscall.SIGTERM))
	require.Error(t, s.Cmd.Wait())
	require.Equal(t, 1, s.Cmd.ProcessState.ExitCode())
	lines := binary.ReadLog(t, log)
	require.Len(t, lines, 1)
	require.Contains(t, lines[0].Error, "interrupted by SIGTERM")
}

// A log that cannot be written is a warning, and every verdict is what it is.
func TestRunLogIsNoVerdict(t *testing.T) {
	dir := t.TempDir()
	binary.WriteFile(t, dir, ".tenex-hooks.json",
		`{"hooks":[{"name":"guard","block":"no","events":["pre-tool"],"when":[{"path":"args.bad","exists":true}]}]}`)
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600))
	binary.WriteFile(t, dir, "file", "")
	for name, why := range map[string]string{
		"fifo":       "is no regular file",
		".":          "is a folder",
		"/dev/null":  "is no regular file",
		"file/x":     "not a directory",
		"absent/log": "its folder does not exist",
	} {
		for args, code := range map[string]int{`{}`: 0, `{"bad":1}`: 2} {
			done := binary.Run(t, dir, "", nil, binary.Path, "pre-tool", "--tool", "shell", "--args", args, "-o",
				"json", "--log", name)
			require.Equal(t, code, done.Code, done.Stderr)
			var o struct {
				Decision string
				Warnings []string
			}
			require.NoError(t, json.Unmarshal([]byte(done.Stdout), &o))
			require.Equal(t, map[int]string{0: "continue", 2: "block"}[code], o.Decision)
			require.Len(t, o.Warnings, 1, name)
			require.Contains(t, o.Warnings[0], why)
		}
	}
	served := binary.Run(t, dir, `{"jsonrpc":"2.0","id":1,"method":"pre-tool","params":{"tool":"shell"}}`+"\n", nil,
		binary.Path, "serve", "--log", "absent/log")
	require.Equal(t, 0, served.Code)
	require.Contains(t, served.Stdout, `"decision":"continue"`)
	require.Contains(t, served.Stdout, "its folder does not exist")
}

func TestRunLogFlags(t *testing.T) {
	dir := t.TempDir()
	run := func(env []string, flags ...string) binary.Result {
		return binary.Run(t, dir, "", env, append([]string{binary.Path, "pre-tool", "--tool", "shell"}, flags...)...)
	}
	for _, test := range []struct {
		flags []string
		want  string
	}{
		{[]string{"--log", ""}, "--log is empty"},
		{[]string{"--log", "l", "--log-size", "many"}, `--log-size must be a number of bytes, as 64M, not "many"`},
		{[]string{"--log", "l", "--log-size", "0"}, `--log-size must be`},
		{[]string{"--log", "l", "--log-size", "9999999G"}, `--log-size must be`},
		{[]string{"--log", "l", "--redact", "("}, `redact pattern "(" is no RE2 pattern`},
		{[]string{"--log", "l", "--redact", "a*"}, "matches the empty text"},
		{[]string{"--redact", "a"}, "needs --log"},
	} {
		done := run(nil, test.flags...)
		require.Equal(t, 1, done.Code, test.flags)
		require.Contains(t, done.Stderr, test.want)
	}
	require.NoFileExists(t, filepath.Join(dir, "l"))

	done := run([]string{"HOOKRUN_LOG=" + filepath.Join(dir, "env.log")}, "--log", "flag.log", "--redact",
		"project-[a-z]+", "--args", `{"command":"deploy project-moon","password":"hunter2"}`)
	require.Equal(t, 0, done.Code, done.Stderr)
	require.NoFileExists(t, filepath.Join(dir, "env.log"), "the flag is before the variable")
	lines := binary.ReadLog(t, filepath.Join(dir, "flag.log"))
	require.Len(t, lines, 1)
	require.JSONEq(t, `{"command":"deploy [redacted]","password":"[redacted]"}`, string(lines[0].Args))
	require.True(t, lines[0].Redacted)
	info, err := os.Stat(filepath.Join(dir, "flag.log"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())

	for i := range 20 { // it is rotated
		require.Equal(t, 0, run(nil, "--log", "small.log", "--log-size", "1K", "--session-id", fmt.Sprint(i)).Code)
	}
	for _, name := range []string{"small.log", "small.log.1", "small.log.2"} {
		require.NotEmpty(t, binary.ReadLog(t, filepath.Join(dir, name)), name)
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		require.LessOrEqual(t, info.Size(), int64(1<<10))
	}
}
