package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/record/runlog"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	dir := workspace(t, rules)
	path := filepath.Join(dir, hookfile.FileName)
	require.Equal(t, ran{0, path + ": 3 hooks, nothing wrong\n", ""}, run("", "check", "-C", dir))
	require.Equal(t, ran{0, path + ": 3 hooks, nothing wrong\n", ""}, run("", "check", path))
	json := run("", "check", "-o", "json", path)
	require.Equal(t, 0, json.exit)
	require.JSONEq(t, `{"version":1,"ok":true,"files":[{"file":`+strconv.Quote(path)+
		`,"level":"project","hooks":3,"errors":[],`+
		`"warnings":[]}]}`, json.out)

	bad := file(t, filepath.Join(dir, "bad.json"), `{"hooks": [{"name": "a"}]}`)
	failed := run("", "check", path, bad)
	require.Equal(t, 1, failed.exit)
	require.Empty(t, failed.out)
	require.Contains(t, failed.err, bad+`:1:12: hook "a" has no "command"`)
	json = run("", "check", "-o", "json", bad)
	require.Equal(t, 1, json.exit)
	require.Empty(t, json.err)
	require.False(t, gjson.Get(json.out, "ok").Bool())
	require.Equal(t, int64(1), gjson.Get(json.out, "files.0.errors.0.line").Int())

	empty := workspace(t, "")
	none := run("", "check", "-C", empty)
	require.Equal(t, ran{0, filepath.Join(empty, hookfile.FileName) + ": no such file, so no hooks\n", ""}, none)
	require.True(t, gjson.Valid(run("", "check", "--schema").out))
	parsed := run("", "check", "--parse", path)
	require.Equal(t, 0, parsed.exit)
	require.Equal(t, `["Ask first.","There is a secret in it."]`, gjson.Get(parsed.out, "hooks.#.block").Raw)
	require.Equal(t, "Mind the gap.", gjson.Get(parsed.out, "hooks.1.inject").String())
}

// A gate that fails open where nobody has written that it should is worth a warning, once for all of them.
func TestCheckWarnsOfGatesThatFailOpen(t *testing.T) {
	testall.NotOnWindows(t, "a string command needs sh")
	t.Parallel()
	gate := func(name string) string { return `{"name": "` + name + `", "command": "true", "events": ["pre-tool"]}` }
	for hooks, want := range map[string]string{
		gate("a"):                   `hook "a" fails open: when it times out, the tool runs; `,
		gate("a") + "," + gate("b"): `hooks "a", "b" fail open: when one times out, the tool runs; `,
	} {
		got := run("", "check", "-C", workspace(t, `{"hooks": [`+hooks+`]}`))
		require.Equal(t, 0, got.exit)
		require.Equal(t, 1, strings.Count(got.err, "warning: "), got.err)
		require.Contains(t, got.err, want)
	}
}

func TestExplain(t *testing.T) {
	t.Parallel()
	dir := workspace(t, rules)
	text := run("", "explain", "pre-tool", "--tool", "shell", "-C", dir)
	require.Equal(t, 0, text.exit)
	require.Empty(t, text.err)
	require.Contains(t, text.out, `pre-tool of tool "shell" in `+dir+": 1 of 3 hooks would run\n")
	require.Contains(t, text.out, "\n  would run: it subscribes to pre-tool, and its matcher")
	require.Contains(t, text.out, "\n  would not run: it does not subscribe to pre-tool\n")
	json := run("", "explain", "-o", "json", "-C", dir, "--input",
		`{"hook_event_name":"PreToolUse","tool_name":"Bash"}`)
	require.Equal(t, 0, json.exit)
	require.Equal(t, `[true,false,false]`, gjson.Get(json.out, "hooks.#.would_run").Raw)
	require.Equal(t, `["shell"]`, gjson.Get(json.out, "project_tools").Raw)
}

func TestExplainShowsInput(t *testing.T) {
	t.Parallel()
	dir := workspace(t, `{"hooks": [
		{"name": "a", "command": "true", "events": ["pre-tool"]},
		{"name": "b", "url": "http://localhost/", "events": ["pre-tool"]},
		{"name": "c", "command": "true", "events": ["post-tool"]}]}`)
	args := []string{"explain", "pre-tool", "-C", dir, "--tool", "shell", "--args", `{"a":"\u202e"}`}
	text := run("", append(args, "--show-input")...)
	require.Equal(t, 0, text.exit)
	require.Equal(t, 1, strings.Count(text.out, "\n  stdin:      {\"event\":\"pre-tool\","))
	require.Equal(t, 1, strings.Count(text.out, "\n  body:       {\"event\":\"pre-tool\","))
	json := run("", append(args, "--show-input", "-o", "json")...).out
	require.Equal(t, "{\"a\":\"\u202e\"}", gjson.Get(gjson.Get(json, "hooks.1.input").String(), "args").Raw)
	require.False(t, gjson.Get(json, "hooks.2.input").Exists())
	require.NotContains(t, run("", args...).out, "stdin")
}

func TestGet(t *testing.T) {
	t.Parallel()
	const input = `{"tool":"shell","args":{"command":"ls -l","files":["a","b"],"n":1.50}}`
	for path, want := range map[string]ran{
		"tool":         {0, "shell\n", ""},
		"args.command": {0, "ls -l\n", ""},
		"args.files.1": {0, "b\n", ""},
		"args.files":   {0, `["a","b"]` + "\n", ""},
		"args.n":       {0, "1.50\n", ""},
		"args.none":    {1, "", ""},
	} {
		require.Equal(t, want, run(input, "get", path), path)
	}
	twice := run(`{"a":1,"a":2}`, "get", "a")
	require.Equal(t, 1, twice.exit)
	require.Empty(t, twice.out)
	require.Contains(t, twice.err, "hookrun get: ")
}

// A text that inject puts into the queue goes to the agent with the next result, and what nobody got is drained.
func TestQueueCommands(t *testing.T) {
	t.Parallel()
	dir := workspace(t, "")
	with := func(command string, args ...string) ran {
		return run("", append([]string{command, "--state", filepath.Join(dir, "state")}, args...)...)
	}
	waiting := func() string { return with("queue", "--session", "s").out }
	require.Empty(t, waiting())
	id := with("inject", "--session", "s", "--source", "human", "first")
	require.Equal(t, 0, id.exit)
	require.Contains(t, waiting(),
		strings.TrimSpace(id.out)+" to every agent (from human, tool_result, 5 bytes): first\n")
	got := with("post-tool", "-C", dir, "--tool", "x", "--session-id", "s", "--agent-id", "a")
	require.Equal(t, ran{0, "first\n", ""}, got)
	got = with("post-tool", "-C", dir, "--tool", "x", "--session-id", "s", "--agent-id", "a")
	require.Equal(t, ran{0, "", ""}, got)
	require.Contains(t, with("queue", "--session", "s", "--history").out, " delivered to a after x\n")

	with("inject", "--session", "s", "--agent", "b", "second")
	with("inject", "--session", "s", "--agent", "b", "third")
	require.Equal(t, ran{0, "third\n", ""}, with("queue", "--session", "s", "--pop-latest"))
	drained := with("drain", "--session", "s", "--agent", "b", "-o", "json").out
	require.Equal(t, `["first","second"]`, gjson.Get(drained, "entries.#.content").Raw)
	with("inject", "--session", "s", "fourth")
	require.Regexp(t, `^\d dropped\n$`, with("queue", "--session", "s", "--clear").out)
	require.Equal(t, ran{0, "", ""}, with("drain", "--session", "s"))
}

// What could not be printed was not delivered.
func TestQueueKeepsWhatWasNotPrinted(t *testing.T) {
	t.Parallel()
	dir := workspace(t, "")
	state := filepath.Join(dir, "state")
	run("", "inject", "--state", state, "--session", "s", "hi")
	var stderr strings.Builder
	call := []string{"post-tool", "-C", dir, "--tool", "x", "--session-id", "s", "--state", state}
	require.Equal(t, 1, Run(call, Streams{In: strings.NewReader(""), Out: full{}, Err: &stderr}))
	require.Equal(t, ran{0, "hi\n", ""}, run("", call...))
}

func TestLog(t *testing.T) {
	testall.NotOnWindows(t, "an open file keeps its name when it is removed, under Wine")
	t.Parallel()
	dir := workspace(t, rules)
	log := filepath.Join(dir, "run.log")
	call := func(args ...string) ran { return run("", append(args, "-C", dir, "--log", log)...) }
	require.Equal(t, 2, call("pre-tool", "--tool", "shell").exit)
	require.Equal(t, 0, call("pre-tool", "--tool", "fs").exit)
	require.Equal(t, 1, call("pre-tool").exit)
	text, err := os.ReadFile(log)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	beat := gjson.Get(lines[1], "heartbeat")
	require.Equal(t, int64(3), beat.Get("hooks").Int())
	require.Equal(t, "unknown", beat.Get("status").String())
	lines = slices.DeleteFunc(lines, func(l string) bool { return runlog.IsHeartbeat([]byte(l)) })
	require.Len(t, lines, 3)
	require.Equal(t, "block", gjson.Get(lines[0], "outcome.decision").String())
	source := gjson.Get(lines[0], "outcome.hooks.0.source").String()
	require.Equal(t, filepath.Join(dir, hookfile.FileName)+":2", source)
	require.Equal(t, "Mind the gap.", gjson.Get(lines[1], "outcome.inject.0.content").String())
	require.Contains(t, gjson.Get(lines[2], "error").String(), "--tool is missing")
	shown := run("", "log", log, "-C", dir)
	require.Equal(t, 0, shown.exit)
	require.Contains(t, shown.out, "3 calls from ")
	require.Contains(t, shown.out, "guard")
	tests := run("", "test", "-C", dir, "--record", log)
	require.Equal(t, 0, tests.exit)
	require.Equal(t, "hookrun test: 2 tests of 3 lines; left out: 1 of other workspaces\n", tests.err)

	none := filepath.Join(dir, "none", "log")
	missing := run("", "pre-tool", "-C", dir, "--tool", "x", "--log", none)
	require.Equal(t, 0, missing.exit)
	require.Equal(t, "hookrun: warning: run log "+none+": its folder does not exist; make it\n", missing.err)
}

func TestLogFlags(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{"1": 1, "2k": 2 << 10, "64M": 64 << 20, "3G": 3 << 30} {
		size, err := parseSize(text)
		require.NoError(t, err, text)
		require.Equal(t, want, size, text)
	}
	for _, text := range []string{"", "0", "-1", "1T", "M", "1.5M", "9999999G"} {
		_, err := parseSize(text)
		require.Error(t, err, text)
	}
	for line, want := range map[string]string{
		"--redact x":         "--redact is for the run log; it needs --log\n",
		"--log=":             "--log is empty; leave it out for the default\n",
		"--log x --redact (": `redact pattern "(" is no RE2 pattern: `,
	} {
		got := run("", append([]string{"serve"}, strings.Fields(line)...)...)
		require.Equal(t, 1, got.exit, line)
		require.Contains(t, got.err, "hookrun serve: "+want, line)
	}
}

func TestTest(t *testing.T) {
	t.Parallel()
	dir := workspace(t, rules)
	path := file(t, filepath.Join(dir, "guard.hooktest.json"), `{"tests": [
		{"name": "blocks", "event": "pre-tool", "tool": "shell", "expect": {"decision": "block"}},
		{"name": "goes on", "event": "pre-tool", "tool": "shell", "expect": {"decision": "continue"}}]}`)
	text := run("", "test", path)
	require.Equal(t, 1, text.exit)
	require.Regexp(t, `(?m)^ok   blocks \(`, text.out)
	require.Regexp(t, `(?m)^FAIL goes on \(`, text.out)
	require.Contains(t, text.out, "2 tests, 1 ok, 1 failed in ")
	json := run("", "test", "-o", "json", path)
	require.Equal(t, 1, json.exit)
	require.Equal(t, `[true,false]`, gjson.Get(json.out, "tests.#.ok").Raw)
	require.Contains(t, run("", "test", "-o", "junit", path).out, `<testsuite`)
}

func TestImportAndInstall(t *testing.T) {
	t.Parallel()
	dir := workspace(t, "")
	settings := file(t, filepath.Join(dir, ".claude", "settings.json"),
		`{"hooks": {"PreToolUse": [
			{"matcher": "Bash", "hooks": [{"type": "command", "command": "./guard.sh"}]}]}}`+"\n")
	imported := run("", "import", settings)
	require.Equal(t, 0, imported.exit)
	require.Contains(t, gjson.Get(imported.out, "hooks.0.command").String(), "./guard.sh")
	written := run("", "import", settings, "--write", "-C", dir)
	require.Equal(t, 0, written.exit, written.err)
	require.FileExists(t, filepath.Join(dir, hookfile.FileName))

	before, err := os.ReadFile(settings)
	require.NoError(t, err)
	dry := run("", "install", "claude", "-C", dir, "--dry-run")
	require.Equal(t, 0, dry.exit)
	require.Contains(t, dry.out, "+")
	require.Equal(t, 0, run("", "install", "claude", "-C", dir).exit)
	require.Equal(t, 0, run("", "uninstall", "claude", "-C", dir).exit)
	after, err := os.ReadFile(settings)
	require.NoError(t, err)
	require.Equal(t, string(before), string(after))
}

// TestStatusLineOfNothing: a status bar gets a line and no failure, whatever is wrong.
func TestStatusLineOfNothing(t *testing.T) {
	require.Equal(t, 0, run("", "status", "--line", "-C", filepath.Join(t.TempDir(), "none")).exit)
}
