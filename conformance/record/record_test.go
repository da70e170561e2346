//go:build linux

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/conformance/kit"
	"github.com/hookrun/hookrun/conformance/record/clients"
)

// tinyCase is a case whose hook blocks the call.
const tinyCase = `{"id": "tiny", "event": "PreToolUse", "config": {}, ` +
	`"files": {"hooks/a.sh": ". ./hooks/rec.sh; rec a; echo no >&2; exit 2"}, ` +
	`"stdin": {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "touch ran.txt"}}, ` +
	`"expect": {"ran": ["a"], "decision": "block", "reason": "no"}}`

// The requests of a run: the prompt, and then the call with its result.
const (
	first  = `{"system": "at $WS", "messages": [{"role": "user", "content": "go"}], "tools": [{"name": "Bash"}]}`
	second = `{"messages": [{"role": "user", "content": "go"}, {"role": "assistant", "content": "own words"}, ` +
		`{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "RESULT"}]}]}`
)

// tinyRun distils a run of a client that is a line of the shell.
func tinyRun(t *testing.T, client, result string) (*seen, *kit.Case) {
	doc, err := os.ReadFile("../claude/client.json")
	require.NoError(t, err)
	folder := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "claude"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "claude/client.json"), doc, 0o644))
	cases, _, err := kit.ReadClient(os.DirFS(folder), "claude")
	require.NoError(t, err)
	trial, err := kit.New(tinyCase, cases)
	require.NoError(t, err)
	t.Cleanup(func() { trial.Close() })
	before, stdin := filesIn(trial.Workspace), trial.Stdin
	trial.Run(trial.Workspace, trial.Environment(nil), time.Minute, "sh", "-c", client)
	require.NoError(t, trial.Err)
	call, ok := callOf(clients.All[0], stdin)
	require.True(t, ok)
	requests := []string{strings.ReplaceAll(first, "$WS", trial.Workspace),
		strings.ReplaceAll(second, "RESULT", result)}
	s, err := distil(raw{trial: trial, stdin: stdin, before: before, requests: requests, call: &call},
		&usual{lines: map[string]bool{"at <WORKSPACE>": true, "go": true, "done": true}, results: []string{"fine"}})
	require.NoError(t, err)
	return s, &trial.Case
}

const (
	obeys = `sh hooks/a.sh 2>/dev/null || true; echo done; echo '{"text": "a message", "kind": "word"}'`
	leaks = `sh hooks/a.sh 2>/dev/null; touch ran.txt; echo done`
)

func TestDistil(t *testing.T) {
	s, c := tinyRun(t, obeys, "hook says:\\n no \\n")
	require.JSONEq(t, `{"requests": 2, "ran": {"a": 1}, "told": ["hook says:", "no"], "untold": ["fine"],
		"said": ["a message"]}`, inJSON(s))
	call, _ := callOf(clients.All[0], string(c.Stdin))
	require.Empty(t, s.disagrees(c, &call))

	s, c = tinyRun(t, leaks, "fine")
	require.JSONEq(t, `{"requests": 2, "ran": {"a": 1}, "made": {"ran.txt": ""}, "told": ["fine"]}`, inJSON(s))
	require.Equal(t, []string{"decision: want block, but the tool ran", `nobody read "no"`}, s.disagrees(c, &call))

	s, c = tinyRun(t, `grep -v '"tool_name"' | sh -c 'echo done'`, "no")
	require.Equal(t, []string{`hooks that ran: want ["a"], got []`}, s.disagrees(c, &call))

	s, _ = tinyRun(t, `sed 's/"tool_name"/"new": {"key": 1}, "tool_name"/; s/"hook_event_name"/"hook_event_name"/' | `+
		`sh hooks/a.sh`, "no")
	require.Equal(t, []string{"+new", "+new.key"}, s.Keys)
}

func TestIsRead(t *testing.T) {
	long := strings.Repeat("x", 1000)
	for line, want := range map[string]bool{
		"blocked: " + long + "yz; go on": true,
		long + "yz":                      true,
		"yz" + long:                      false, // its end is another
		"blocked: " + long:               false, // its end was cut
		long[:500] + "yz":                false, // cut in the middle
	} {
		require.Equal(t, want, isRead(split(line), long+"yz"), short(line))
	}
	require.True(t, isRead([]string{"the hook said: no"}, "no"))
}

func TestReport(t *testing.T) {
	old, _ := tinyRun(t, obeys, "hook says: no")
	r := &report{title: "Client 2", recorded: "1", cases: 5, same: 1, events: []string{"NewEvent"}}
	for _, id := range []string{"a", "b"} {
		now, _ := tinyRun(t, leaks, "the hook said: no")
		now.Keys = []string{"+new"}
		for _, d := range compare(old, now) {
			r.add(&r.differ, d, id)
		}
	}
	require.Empty(t, compare(old, old))
	r.add(&r.unable, "it needs luck", "c")
	r.add(&r.unable, "it needs luck", "d")
	var out strings.Builder
	r.print(&out)
	require.True(t, r.changed())
	require.Equal(t, `## Client 2 (the cases: 1)

3 of 5 cases were run again, 2 differ.

* events of the client that are in no row: `+"`NewEvent`"+`
* changed verdict: files {} → {"ran.txt":""}: a, b
* changed words: the model reads ["hook says: no"] → ["the hook said: no"]: a, b
* changed words: the user reads ["a message"] → []: a, b
* keys on stdin: new `+"`new`"+`: a, b
* not run again, 2: it needs luck: c, d
`, out.String())
	require.False(t, (&report{unable: r.unable}).changed(), "that is how it always is")
}

func TestUnknownEvents(t *testing.T) {
	known := map[string]bool{"PreToolUse": true, "PostToolUse": true, "Stop": true, "UserPromptSubmit": true}
	const skill = "PreSkillShellCommand"
	const structs = "PreToolUseOtherWirePostToolUseStop"
	for text, want := range map[string][]string{
		`EVENTS: ["PreToolUse", "PostToolUse", "` + skill + `", "Stop"];`:                           {skill},
		`type E = "PreToolUse" | "NewOne" |` + "\n  'PostToolUse' | `Stop`":                         {"NewOne"},
		`(e["PreToolUse"]="PreToolUse",e["PostToolUse"]="PostToolUse",e["Stop"]="",e["NewOne"]="")`: {"NewOne"},
		`{hook_event_name:p.literal("NewOne"),tool_name:p.string()}`:                                {"NewOne"},
		"\x00\x01PreToolUseNewOnePostToolUseUserPromptSubmitStopinvalid\x00":                        {"NewOne"},
		`["PreToolUse", "PostToolUse", "Stop"]` + strings.Repeat(" ", apart) + `["SomethingElse"]`:  nil,
		structs: nil,
		`["PreToolUse", "OneThing", "OtherThing", "ThirdThing"]`:              nil,
		`["PreToolUse", "PostToolUse", "Stop", "permissionDecision", "word"]`: nil,
		`{"tool": "PreToolUse", "hook_event_name": "Stop"}`:                   nil,
	} {
		var got []string
		for name := range unknownEvents([]byte(text), known) {
			got = append(got, name)
		}
		require.ElementsMatch(t, want, got, text)
	}
}

func TestRewrite(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Join(folder, "claude"), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "claude", name), []byte(text), 0o644))
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(folder, "claude", name))
		require.NoError(t, err)
		return string(text)
	}
	write("client.json", `{"client": "c", "version": "1"}`)
	write("pre.jsonl", `{"id":"a","stdin":{"x":1},"client":{"requests":9},"client_version":"0"}`+"\n"+`{"id":"b"}`+"\n")
	found := map[string]*seen{"a": {Requests: 2}}
	o := &options{client: "claude", dir: folder, only: "a"}
	require.NoError(t, o.rewrite("2", &kit.Client{Version: "1"}, found))
	require.Equal(t, `{"id": "a", "stdin": {"x":1}, "client_version": "2", "seen": {"requests":2}}`+
		"\n"+`{"id":"b"}`+"\n", read("pre.jsonl"))
	require.Contains(t, read("client.json"), `"version": "1"`)
	o.only = "*"
	require.NoError(t, o.rewrite("2", &kit.Client{Version: "1"}, found))
	require.Equal(t, `{"id": "a", "stdin": {"x":1}, "seen": {"requests":2}}`+
		"\n"+`{"id":"b", "client_version": "1"}`+"\n", read("pre.jsonl"))
	require.Contains(t, read("client.json"), `"version": "2"`)
}
