package cases_test

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/claude"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/record/cases"
	"github.com/hookrun/hookrun/protocol"
)

const workspace = "/work space"

// parsed reads one test, of which the text is a part.
func parsed(t *testing.T, test string) cases.Test {
	t.Helper()
	f, err := cases.Parse("f", []byte(`{"tests": [`+test+`]}`), workspace)
	require.NoError(t, err)
	require.Len(t, f.Tests, 1)
	return f.Tests[0]
}

// toJSON is a text or value as JSON.
func toJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

// bad are files that are refused, with their errors.
var bad = map[string]struct{ doc, want string }{
	"empty":   {``, `f:1:1: parsing: the document is empty`},
	"no JSON": {"{\n 'tests': []}", `f:2:2: parsing: JSON takes double quotes, not single ones`},
	"trailing bytes": {`{"tests": []} x`,
		`f:1:15: parsing: unexpected 'x' after the end of the document; remove it`},
	"not UTF-8":             {"{\"tests\": \"\xff\"}", `f:1:12: parsing: not UTF-8; save the file as UTF-8`},
	"a list":                {` []`, `f:1:2: a file of tests must be an object, as {"tests": […]}, not []`},
	"no tests":              {`{}`, `f:1:1: there is no "tests", so nothing would be tested`},
	"empty tests":           {`{"tests": []}`, `f:1:11: "tests" is empty, so nothing would be tested`},
	"tests of a wrong type": {`{"tests": {}}`, `f:1:11: "tests" must be an array, not {}`},
	"a misspelt key on top": {`{"test": []}`,
		"f:1:1: there is no \"tests\", so nothing would be tested\nf:1:2: unknown key \"test\"; did you mean " +
			"\"tests\"?"},
	"a key twice": {`{"tests": [{"name": "a", "n\u0061me": "b", "event": "pre-execute", "expect": ` +
		`{"stop": true}}]}`, `f:1:26: parsing: the key "name" is there twice in one object; keep one`},
	"a key twice in args": {`{"tests": [{"name": "a", "event": "pre-tool", "tool": "t", "args": {"a": 1, "a": 2}, ` +
		`"expect": {"stop": true}}]}`, `f:1:77: parsing: the key "a" is there twice in one object; keep one`},
	"a test that is none": {`{"tests": [1]}`, `f:1:12: a test must be an object, not 1`},
	"nothing in a test": {`{"tests": [{}]}`,
		"f:1:12: the test has no \"name\"\nf:1:12: the test has neither \"event\" nor \"input\"\nf:1:12: the test " +
			"has no \"expect\", so it could not fail"},
	"a blank name": {one(`"name": " ", "event": "pre-execute"`, `"stop": true`),
		`f:1:21: the name of the test is blank`},
	"two tests of one name": {"{\"tests\": [{\"name\": \"a\", \"event\": \"pre-execute\", \"expect\": {\"stop\": " +
		"true}},\n{\"name\": \"a\", \"event\": \"pre-execute\", \"expect\": {\"stop\": true}}]}",
		`f:2:1: the test of line 1 has the same name "a"; nobody could tell which one failed`},
	"a misspelt key": {one(`"name": "a", "event": "pre-tool", "tool": "t", "arg": {}`, `"stop": true`),
		`f:1:60: unknown key "arg"; did you mean "args"?`},
	"an unknown key": {one(`"name": "a", "event": "pre-execute", "colour": 1`, `"stop": true`),
		`f:1:50: unknown key "colour"; known are name, input, env, expect, event, tool, args, result, failed, ` +
			`blocked, prompt, session_id, tool_use_id, agent_id`},
	"an unknown event": {one(`"name": "a", "event": "PreToolUes"`, `"stop": true`),
		`f:1:35: unknown event "PreToolUes"; did you mean "PreToolUse" or "preToolUse"?`},
	"an event of no kind": {one(`"name": "a", "event": 1, "tool": 1`, `"stop": true`),
		"f:1:35: \"event\" must be a string, not 1\nf:1:46: \"tool\" must be a string, not 1"},
	"no tool": {one(`"name": "a", "event": "pre-tool"`, `"stop": true`),
		`f:1:12: the test has no "tool", and pre-tool is about one`},
	"an empty tool": {one(`"name": "a", "event": "pre-tool", "tool": ""`, `"stop": true`),
		`f:1:12: the test has no "tool", and pre-tool is about one`},
	"a tool where is none": {one(`"name": "a", "event": "Stop", "tool": "t"`, `"stop": true`),
		`f:1:51: Stop is about no tool, so it has no "tool"`},
	"a result before": {one(`"name": "a", "event": "pre-tool", "tool": "t", "result": "r", "failed": true`,
		`"stop": true`),
		"f:1:70: \"result\" is known after the tool alone, not at pre-tool\nf:1:85: \"failed\" is known after the " +
			"tool alone, not at pre-tool"},
	"failed of a wrong type": {one(`"name": "a", "event": "post-tool", "tool": "t", "failed": 1`, `"stop": true`),
		`f:1:71: "failed" must be true or false, not 1`},
	"blocked of a wrong type": {one(`"name": "a", "event": "post-tool", "tool": "t", "blocked": "yes"`, `"stop": true`),
		`f:1:72: "blocked" must be true or false, not "yes"`},
	"blocked before": {one(`"name": "a", "event": "pre-tool", "tool": "t", "blocked": true`, `"stop": true`),
		`f:1:71: "blocked" is known after the tool alone, not at pre-tool`},
	"env of HOOKRUN": {one(`"name": "a", "event": "pre-execute", "env": {"HOOKRUN_X": "1"}`, `"stop": true`),
		`f:1:58: HOOKRUN_X is set by hookrun; choose a name that does not start with HOOKRUN`},
	"env of no name": {one(`"name": "a", "event": "pre-execute", "env": {"a=b": "1", "c": 1, "d": "\u0000"}`,
		`"stop": true`),
		"f:1:58: \"a=b\" cannot be the name of a variable\nf:1:75: the variable \"c\" must be a string, not " +
			"1\nf:1:83: the variable \"d\" has a NUL character, which no process can be given"},
	"input and event": {one(`"name": "a", "event": "Stop", "input": {"hook_event_name": "Stop"}`,
		`"stop": true`), `f:1:35: "event" is in "input" too; leave one of them out`},
	"input of no event": {one(`"name": "a", "input": {"hook_event_name": "Stpo"}`, `"stop": true`),
		`f:1:35: the hook input's hook_event_name "Stpo" is no event that is known; did you mean "Stop"?`},
	"input of a wrong type": {one(`"name": "a", "input": "x"`, `"stop": true`),
		`f:1:35: "input" must be an object, not "x"`},
	"expect of nothing": {one(`"name": "a", "event": "Stop"`, `"x-note": 1`),
		`f:1:53: "expect" is empty, so the test could not fail; known are decision, reason, cause, hook, ` +
			`stop_reason, inject, message, warning, updated_input, updated_output, approved, stop`},
	"expect misspelt": {one(`"name": "a", "event": "Stop"`, `"decison": "block", "stop": true`),
		`f:1:54: unknown key "decison"; did you mean "decision"?`},
	"an unknown decision": {one(`"name": "a", "event": "Stop"`, `"decision": "deny"`),
		`f:1:66: "decision" must be "continue", "block", "ask" or "defer", not "deny"`},
	"a text of a wrong type": {one(`"name": "a", "event": "Stop"`, `"reason": true`),
		`f:1:64: "reason" must be a string, {"matches": "a pattern"}, or null for none, not true`},
	"a list where is one": {one(`"name": "a", "event": "Stop"`, `"warning": ["a"]`),
		`f:1:65: "warning" must be a string, {"matches": "a pattern"}, or null for none, not ["a"]`},
	"none in a list": {one(`"name": "a", "event": "Stop"`, `"inject": ["a", null, 1]`),
		"f:1:70: a text of \"inject\" cannot be none; leave it out of the list\nf:1:76: a text of \"inject\" must be " +
			"a string, {\"matches\": \"a pattern\"}, or null for none, not 1"},
	"a bool of a wrong type": {one(`"name": "a", "event": "Stop"`, `"stop": "true"`),
		`f:1:62: "stop" must be true or false, not "true"`},
	"no pattern": {one(`"name": "a", "event": "Stop"`, `"hook": {"match": "a"}`),
		"f:1:62: \"hook\" has no \"matches\"\nf:1:63: unknown key \"match\"; did you mean \"matches\"?"},
	"a pattern that is none": {one(`"name": "a", "event": "Stop"`, `"hook": {"matches": "a(b"}`),
		`f:1:74: the pattern "a(b" is no RE2: missing closing ): "a(b"`},
	"an empty pattern": {one(`"name": "a", "event": "Stop"`, `"hook": {"matches": ""}`),
		`f:1:74: the pattern is empty, which every text matches; write null for none`},
	"a pattern of Perl's": {one(`"name": "a", "event": "Stop"`, `"hook": {"matches": "(?=a)"}`),
		`f:1:74: the pattern "(?=a)" is no RE2: invalid or unsupported Perl syntax: "(?="; RE2 has (?:…), ` +
			`(?P<name>…) and the flags i, m, s and U, as (?i), but no look-around`},
	"a pattern of a type": {one(`"name": "a", "event": "Stop"`, `"hook": {"matches": 1}`),
		`f:1:74: "matches" must be a string, not 1`},
	"nested too deep": {`{"tests": ` + strings.Repeat("[", 200), `f:1:138: parsing: nested more than 128 deep`},
}

func one(call, expect string) string {
	return `{"tests": [{` + call + `, "expect": {` + expect + `}}]}`
}

func TestWhatIsRefused(t *testing.T) {
	for name, test := range bad {
		t.Run(name, func(t *testing.T) {
			f, err := cases.Parse("f", []byte(test.doc), workspace)
			require.Nil(t, f)
			require.ErrorAs(t, err, new(hook.Diagnostics))
			require.Equal(t, test.want, err.Error())
		})
	}
}

// good are tests, and the calls that they are of.
var good = map[string]struct {
	test string
	call dialect.Call
}{
	"before a tool": {`"event": "pre-tool", "tool": "shell", "args": {"command": "ls -l", "n": [1, 2.0]}, "prompt": ` +
		`"p", "session_id": "s", "tool_use_id": "u", "agent_id": "g"`,
		dialect.Call{Event: "pre-tool", Tool: "shell", Args: `{"command":"ls -l","n":[1,2.0]}`, Prompt: "p",
			SessionID: "s", ToolUseID: "u", AgentID: "g"}},
	"a name of Claude Code's": {`"event": "PreToolUse", "tool": "Bash"`,
		dialect.Call{Event: "PreToolUse", Tool: "Bash"}},
	"after a tool": {`"event": "post-tool", "tool": "shell", "result": "done\n", "failed": true`,
		dialect.Call{Event: "post-tool", Tool: "shell", Result: "done\n", Failed: true}},
	"a blocked call": {`"event": "post-tool", "tool": "shell", "result": "no", "blocked": true`,
		dialect.Call{Event: "post-tool", Tool: "shell", Result: "no", Blocked: true}},
	"a failure has its own name": {`"event": "PostToolUseFailure", "tool": "Bash", "result": "no"`,
		dialect.Call{Event: "PostToolUseFailure", Tool: "Bash", Result: "no", Failed: true}},
	"a result that is no text": {`"event": "post-tool", "tool": "shell", "result": {"stdout": "x"}`,
		dialect.Call{Event: "post-tool", Tool: "shell", Result: `{"stdout":"x"}`}},
	"arguments as a text": {`"event": "pre-tool", "tool": "shell", "args": " {\"a\": 1, \"a\": 2}"`,
		dialect.Call{Event: "pre-tool", Tool: "shell", Args: ` {"a": 1, "a": 2}`}},
	"arguments that are a text": {`"event": "pre-tool", "tool": "shell", "args": "ls"`,
		dialect.Call{Event: "pre-tool", Tool: "shell", Args: `"ls"`}},
	"the workspace's path": {`"event": "pre-tool", "tool": "shell", "args": {"path": ` +
		`"${HOOKRUN_WORKSPACE}/x"}, "prompt": "in ${HOOKRUN_WORKSPACE}"`,
		dialect.Call{Event: "pre-tool", Tool: "shell", Args: `{"path":"/work space/x"}`, Prompt: "in /work space"}},
	"a message": {`"event": "pre-execute", "prompt": "hi", "x-why": 1, "$schema": "s"`,
		dialect.Call{Event: "pre-execute", Prompt: "hi"}},
	"another event": {`"event": "Stop"`, dialect.Call{Event: "Stop"}},
	"a client's input": {`"input": {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": ` +
		`"ls"}, "session_id": "s", "cwd": "${HOOKRUN_WORKSPACE}"}`,
		dialect.Call{Event: "PreToolUse", Tool: "Bash", Args: `{"command":"ls"}`, SessionID: "s", Dir: "/work space",
			ClientInput: `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"},` +
				`"session_id":"s","cwd":"/work space"}`, Client: claude.Dialect}},
}

func TestTheCallOfATest(t *testing.T) {
	for name, test := range good {
		t.Run(name, func(t *testing.T) {
			test.call.Workspace = workspace
			if test.call.ClientInput != "" {
				require.NoError(t, test.call.Resolve(clients.All()))
			}
			require.Equal(t, test.call, parsed(t, `{"name": "n", `+test.test+`, "expect": {"stop": true}}`).Call)
		})
	}
	both := "\ufeff" +
		`{"tests": [{"name": "a", "event": "Stop", "env": {"B": "${HOOKRUN_WORKSPACE}", "A": ""}, "expect": {"stop": ` +
		`true}},` + "\n" +
		`{"name": "b", "event": "Stop", "expect": {"stop": true}}]}`
	f, err := cases.Parse("f", []byte(both), workspace)
	require.NoError(t, err)
	require.Equal(t, []string{"B=" + workspace, "A="}, f.Tests[0].Env)
	require.Equal(t, []any{"b", "f", 2}, []any{f.Tests[1].Name, f.Tests[1].File, f.Tests[1].Line})
}

// TestExpectations: of each expectation an outcome that fits and one that does not.
func TestExpectations(t *testing.T) {
	blocked := `{"decision": "block", "reason": "no force", "cause": "policy", "hook": "guard"}`
	rewritten := `{"decision": "continue", "updated_input": {"b": [9007199254740993, 1.50], "a": null}, ` +
		`"updated_output": "new"}`
	outcome := `{"decision": "continue", "inject": [{"hook": "a", "content": "one"}, {"hook": "b", "content": ` +
		`"two\nlines"}], "system_messages": ["m"], "warnings": ["w1", "w2"]}`
	crashed := `{"decision": "block", "reason": "r", "cause": "signal", "hook": "g", "hooks": [{"name": "g", ` +
		`"status": "blocked", "cause": "signal"}]}`
	late := `{"decision": "continue", "warnings": ["g timed out after 1s"], "hooks": [{"name": "g", "status": ` +
		`"timeout", "cause": "timeout"}]}`
	for name, test := range map[string]struct{ expect, outcome, want string }{
		"decision": {`"decision": "block"`, blocked, ``},
		"another decision": {`"decision": "ask"`, blocked,
			`decision: expected ask, got block by hook 'guard' with the reason "no force"`},
		"a decision not named": {`"reason": "no force"`, blocked,
			`decision: not in "expect", got block by hook 'guard' with the reason "no force"`},
		"nothing decided": {`"decision": "block"`, `{"decision": "continue"}`,
			`decision: expected block, got continue`},
		"continue need not be named": {`"reason": null`, `{"decision": "continue"}`, ``},
		"reason":                     {`"decision": "block", "reason": "no force"`, blocked, ``},
		"another reason": {`"decision": "block", "reason": "force"`, blocked,
			`reason: expected "force", got "no force"`},
		"no reason": {`"decision": "block", "reason": null`, blocked,
			`reason: expected none, got "no force"`},
		"a reason by its pattern": {`"decision": "block", "reason": {"matches": "for.e$"}`, blocked, ``},
		"another pattern": {`"decision": "block", "reason": {"matches": "^force"}`, blocked,
			`reason: expected a text that matches "^force", got "no force"`},
		"cause and hook": {`"decision": "block", "cause": "policy", "hook": "guard"`, blocked, ``},
		"another cause and hook": {`"decision": "block", "cause": "exit", "hook": "g"`, blocked,
			"cause: expected \"exit\", got \"policy\"\nhook: expected \"g\", got \"guard\""},
		"the workspace's path": {`"reason": "in ${HOOKRUN_WORKSPACE}"`,
			`{"decision": "continue", "reason": "in /work space"}`, ``},
		"the path in a pattern": {`"reason": {"matches": "${HOOKRUN_WORKSPACE}$"}`,
			`{"decision": "continue", "reason": "in /work space"}`, ``},
		"stop": {`"stop": true`,
			`{"decision": "continue", "stop": true, "stop_reason": "enough"}`, ``},
		"stop by its reason": {`"stop_reason": "enough"`,
			`{"decision": "continue", "stop": true, "stop_reason": "enough"}`, ``},
		"a stop not named": {`"decision": "continue"`,
			`{"decision": "continue", "stop": true, "stop_reason": "enough"}`,
			`stop: not in "expect", got true with the reason "enough"`},
		"no stop":  {`"stop": true`, `{"decision": "continue"}`, `stop: expected true, got false`},
		"approved": {`"approved": true`, `{"decision": "continue", "approved": true}`, ``},
		"not approved": {`"approved": true`, `{"decision": "continue"}`,
			`approved: expected true, got false`},
		"approved against the test": {`"approved": false`, `{"decision": "continue", "approved": true}`,
			`approved: expected false, got true`},
		"inject together":     {`"inject": "one\n\ntwo\nlines"`, outcome, ``},
		"inject by a pattern": {`"inject": {"matches": "(?s)one.*lines"}`, outcome, ``},
		"inject one by one":   {`"inject": ["one", {"matches": "^two"}]`, outcome, ``},
		"inject in another order": {`"inject": [{"matches": "^two"}, "one"]`, outcome,
			"inject[0]: expected a text that matches \"^two\", got \"one\"\ninject[1]: expected \"one\", got " +
				"\"two\\nlines\""},
		"too few":     {`"inject": ["one"]`, outcome, `inject: expected 1, got 2: "one", "two\nlines"`},
		"inject none": {`"inject": null`, outcome, `inject: expected none, got "one", "two\nlines"`},
		"an empty text is one": {`"inject": null`, `{"decision": "continue", "inject": [{"content": ""}]}`,
			`inject: expected none, got ""`},
		"inject an empty list":      {`"inject": []`, `{"decision": "continue"}`, ``},
		"there is none":             {`"inject": "x"`, `{"decision": "continue"}`, `inject: expected "x", got none`},
		"message":                   {`"message": ["m"]`, outcome, ``},
		"another message":           {`"message": "x"`, outcome, `message: expected "x", got "m"`},
		"some warning":              {`"warning": "w2"`, outcome, ``},
		"some warning by a pattern": {`"warning": {"matches": "2"}`, outcome, ``},
		"no such warning":           {`"warning": "w"`, outcome, `warning: expected "w", got "w1", "w2"`},
		"no warning":                {`"warning": null`, outcome, `warning: expected none, got "w1", "w2"`},
		"input by value":            {`"updated_input": {"a": null, "b": [9007199254740993, 15e-1]}`, rewritten, ``},
		"a neighbour of a number": {`"updated_input": {"a": null, "b": [9007199254740992, 1.5]}`, rewritten,
			`updated_input: expected {"a":null,"b":[9007199254740992,1.5]}, got {"b": [9007199254740993, 1.50], "a": ` +
				`null}`},
		"a number as a text": {`"updated_input": {"a": null, "b": ["9007199254740993", 1.5]}`, rewritten,
			`updated_input: expected {"a":null,"b":["9007199254740993",1.5]}, got {"b": [9007199254740993, 1.50], ` +
				`"a": null}`},
		"a field too few": {`"updated_input": {"b": [9007199254740993, 1.5]}`, rewritten,
			`updated_input: expected {"b":[9007199254740993,1.5]}, got {"b": [9007199254740993, 1.50], "a": null}`},
		"input none": {`"updated_input": null`, rewritten,
			`updated_input: expected none, got {"b": [9007199254740993, 1.50], "a": null}`},
		"no input": {`"updated_input": {}`, `{"decision": "continue"}`,
			`updated_input: expected {}, got none`},
		"output": {`"updated_output": "new"`, rewritten, ``},
		"another output": {`"updated_output": "old"`, rewritten,
			`updated_output: expected "old", got "new"`},
		"a crash that blocks": {`"decision": "block"`, crashed,
			`hook 'g' gave no answer (signal), and "expect" has no "cause" or "warning"`},
		"a crash that is named": {`"decision": "block", "cause": "signal"`, crashed, ``},
		"a timeout": {`"decision": "continue"`, late,
			`hook 'g' gave no answer (timeout), and "expect" has no "cause" or "warning"`},
		"a timeout that is named": {`"warning": {"matches": "timed out"}`, late, ``},
		"skipped and async are fine": {`"decision": "continue"`,
			`{"decision": "continue", "hooks": [{"name": "a", "status": "skipped", "cause": "unsupported"}, {"name": ` +
				`"b", "status": "async"}]}`, ``},
	} {
		t.Run(name, func(t *testing.T) {
			var o protocol.Outcome
			require.NoError(t, json.Unmarshal([]byte(test.outcome), &o))
			test1 := parsed(t, `{"name": "n", "event": "Stop", "expect": {`+test.expect+`}}`)
			r := test1.Check(o, nil)
			require.Equal(t, test.want, strings.Join(r.Problems, "\n"))
			require.Equal(t, test.want == "", r.OK)
			require.NotNil(t, r.Problems, "in JSON it is a list")
			require.Equal(t, &o, r.Outcome)
		})
	}
}

func TestACallWithoutAVerdict(t *testing.T) {
	test := parsed(t, `{"name": "n", "event": "Stop", "expect": {"decision": "block"}}`)
	r := test.Check(protocol.Outcome{}, errors.New("too deep"))
	require.False(t, r.OK, "the outcome beside an error is a block, but no hook's")
	require.Equal(t, []string{"the call came to no verdict: too deep"}, r.Problems)
	require.Nil(t, r.Outcome)
}

func TestFindAndLoad(t *testing.T) {
	dir := t.TempDir()
	_, err := cases.Find(dir)
	require.ErrorContains(t, err, "has no file *.hooktest.json")
	_, err = cases.Find(filepath.Join(dir, "none"))
	require.ErrorContains(t, err, "none: ")
	write := func(name, doc string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(doc), 0o600))
		return path
	}
	doc := one(`"name": "a", "event": "Stop"`, `"stop": true`)
	b, a := write("b.hooktest.json", doc), write(".hooktest.json", doc)
	write("c.json", doc)
	paths, err := cases.Find(dir)
	require.NoError(t, err)
	require.Equal(t, []string{a, b}, paths)

	f, err := cases.Load(b, workspace)
	require.NoError(t, err)
	require.Equal(t, b, f.Path)
	for path, want := range map[string]string{
		filepath.Join(dir, "none.hooktest.json"): "none.hooktest.json: reading the tests: ",
		dir:                                      "reading the tests: not a regular file",
		write("large.hooktest.json", doc+strings.Repeat(" ", 1<<20)): "reading the tests: larger than 1 MiB; divide it",
	} {
		_, err := cases.Load(path, workspace)
		require.ErrorContains(t, err, want)
	}
}

// TestJUnit reads what is written with encoding/xml.
func TestJUnit(t *testing.T) {
	nasty := "a <b> & \"c\" 'd' ]]> \x1b[31m\x00\ufffe \xff\ttab\r\nline"
	results := []cases.Result{
		{Name: "fine", File: "a.hooktest.json", Line: 2, OK: true,
			Duration: protocol.Milliseconds(1500 * time.Millisecond)},
		{Name: nasty, File: "a.hooktest.json", Line: 3, Problems: []string{nasty, "second"}, Outcome: &protocol.Outcome{
			Hooks: []protocol.Report{{Name: "g", Source: "f:1", Status: dialect.StatusBlocked,
				Stderr: "said <this>"}}}},
		{Name: "alone", File: "b.hooktest.json", Line: 1, Problems: []string{"no verdict"}},
	}
	var read struct {
		XMLName  xml.Name `xml:"testsuites"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Time     float64  `xml:"time,attr"`
		Suites   []struct {
			Name     string  `xml:"name,attr"`
			Tests    int     `xml:"tests,attr"`
			Failures int     `xml:"failures,attr"`
			Time     float64 `xml:"time,attr"`
			Cases    []struct {
				Name    string  `xml:"name,attr"`
				Class   string  `xml:"classname,attr"`
				Line    int     `xml:"line,attr"`
				Time    float64 `xml:"time,attr"`
				Failure *struct {
					Message string `xml:"message,attr"`
					Text    string `xml:",chardata"`
				} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	require.NoError(t, xml.Unmarshal([]byte(cases.JUnit(results, 2*time.Second)), &read))
	require.Equal(t, []any{3, 2, 2.0}, []any{read.Tests, read.Failures, read.Time})
	require.Len(t, read.Suites, 2)
	a, b := read.Suites[0], read.Suites[1]
	require.Equal(t, []any{"a.hooktest.json", 2, 1, 1.5}, []any{a.Name, a.Tests, a.Failures, a.Time})
	require.Equal(t, []any{"b.hooktest.json", 1, 1}, []any{b.Name, b.Tests, b.Failures})
	require.Equal(t, []any{"fine", "a.hooktest.json", 2, 1.5},
		[]any{a.Cases[0].Name, a.Cases[0].Class, a.Cases[0].Line, a.Cases[0].Time})
	require.Nil(t, a.Cases[0].Failure)
	legal := "a <b> & \"c\" 'd' ]]> \ufffd[31m\ufffd\ufffd \ufffd\ttab\r\nline"
	require.Equal(t, legal, a.Cases[1].Name)
	require.Equal(t, legal, a.Cases[1].Failure.Message)
	require.Equal(t, legal+"\nsecond\nhook 'g' (f:1): blocked\nsaid <this>", a.Cases[1].Failure.Text)
	require.Equal(t, "no verdict", b.Cases[0].Failure.Text)
}
