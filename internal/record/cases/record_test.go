package cases_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/record/cases"
	"github.com/hookrun/hookrun/internal/record/runlog"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
	"github.com/hookrun/hookrun/protocol"
)

// recorded makes tests of the lines of a log, and reads them. The outcome of each line must pass its own test.
func recorded(t *testing.T, lines ...string) (*cases.File, *cases.Recording, string) {
	t.Helper()
	r := cases.NewRecording(workspace)
	require.NoError(t, r.Read(strings.NewReader(strings.Join(lines, "\n")), "run.log"))
	require.Equal(t, len(lines), r.Lines)
	doc, n := r.File()
	f, err := cases.Parse("f", []byte(doc), workspace)
	if n == 0 {
		require.ErrorContains(t, err, "nothing would be tested")
		return &cases.File{}, r, doc
	}
	require.NoError(t, err, doc)
	require.Len(t, f.Tests, n)
	return f, r, doc
}

// line is a line of a run log.
func line(about, outcome string) string {
	return `{"version":1,"time":"2026-11-21T14:43:17.123456Z","command":"pre-tool","pid":1,"workspace":"/work ` +
		`space",` + about + `"outcome":{"version":1,` + outcome + `,"hooks":[]}}`
}

// A call that was blocked is another one than the same call of a tool that ran.
func TestRecordOfABlockedCall(t *testing.T) {
	testall.NotOnWindows(t, "the paths of its data are those of Unix")
	const said = `"event":"post-tool","tool":"shell","decision":"continue"`
	f, r, _ := recorded(t, line(`"args":{},"result":"no","blocked":true,`, said),
		line(`"args":{},"result":"no",`, said))
	require.Empty(t, r.LeftOut)
	require.Len(t, f.Tests, 2)
	require.True(t, f.Tests[0].Call.Blocked)
	require.False(t, f.Tests[1].Call.Blocked)
}

func TestRecord(t *testing.T) {
	testall.NotOnWindows(t, "the paths of its data are those of Unix")
	said := `"event":"post-tool","tool":"shell","decision":"continue","inject":[{"hook":"a","content":"see /work ` +
		`space/log"},{"content":"out of a ` +
		`queue","id":"1"},{"hook":"b","content":"two"}],"system_messages":["m"],"updated_output":"new"`
	blocked := `"event":"pre-tool","tool":"shell","decision":"block","reason":"no <force>","cause":"policy","hook":"g"`
	f, r, doc := recorded(t,
		line(`"args":{"command":"git push --force"},"session_id":"s","tool_use_id":"u1",`,
			`"event":"pre-tool","tool":"shell","decision":"continue"`),
		line(`"args":{"n":1,"path":"/work space/a","copy":"/work spaceship /x/work space"},`,
			`"event":"pre-tool","tool":"write","decision":"continue","updated_input":{"n":1.0,"path":"b"}`),
		// the first once more
		line(`"args":{ "command":"git push \u002d-force"},"session_id":"s","tool_use_id":"u2",`, blocked),
		line(`"args":{"command":"git push --force"},"result":"ok","failed":true,`, said),
		line(`"prompt":"hi\nthere",`, `"event":"pre-execute","decision":"continue","stop":true,"stop_reason":"enough"`),
		line(`"args":{"command":"git push --force","force":true},`, blocked),
		line(`"args":[1],`,
			`"event":"PreToolUse","tool":"Bash","decision":"continue","approved":true,"reason":"fine",`+
				`"cause":"policy"`),
		line(``, `"event":"pre-tool","tool":"now","decision":"ask","reason":"sure?","cause":"policy"`))
	require.Empty(t, r.LeftOut)
	names := []string{}
	for i := range f.Tests {
		names = append(names, f.Tests[i].Name)
	}
	require.Equal(t, []string{
		"shell: git push --force", "write: ${HOOKRUN_WORKSPACE}/a", "post-tool shell: git push --force",
		"pre-execute: hi there",
		"shell: git push --force (2)", "Bash: [1]", "now",
	}, names)
	require.Equal(t, dialect.Call{Event: "pre-tool", Workspace: workspace, Tool: "shell",
		Args: `{"command":"git push --force"}`, SessionID: "s", ToolUseID: "u2"}, f.Tests[0].Call,
		"the last of its calls")
	require.Equal(t, `{"n":1,"path":"/work space/a","copy":"/work spaceship /x/work space"}`, f.Tests[1].Call.Args)
	require.Equal(t, dialect.Call{Event: "post-tool", Workspace: workspace, Tool: "shell",
		Args: `{"command":"git push --force"}`, Result: "ok", Failed: true}, f.Tests[2].Call)
	require.Equal(t, "hi\nthere", f.Tests[3].Call.Prompt)

	require.Contains(t, doc, `"copy": "/work spaceship /x/work space"`, "no part of another path is replaced")
	require.Contains(t, doc, `"see ${HOOKRUN_WORKSPACE}/log"`)
	require.Contains(t, doc, `"no <force>"`, "people read it")
	require.NotContains(t, doc, "out of a queue")

	// Each of them can fail, by each thing that was recorded.
	for i, change := range []func(*protocol.Outcome){
		func(o *protocol.Outcome) { o.Reason = "yes" },
		func(o *protocol.Outcome) { o.UpdatedInput = json.RawMessage(`{"n":2,"path":"b"}`) },
		func(o *protocol.Outcome) { o.Texts = o.Texts[:1] },
		func(o *protocol.Outcome) { o.StopReason = "" },
		func(o *protocol.Outcome) { o.Cause = protocol.CauseExit },
		func(o *protocol.Outcome) { o.Approved = false },
		func(o *protocol.Outcome) { o.Decision = protocol.Block },
	} {
		o := []protocol.Outcome{
			{Decision: protocol.Block, Reason: "no <force>", Cause: "policy"},
			{Decision: protocol.Continue, UpdatedInput: json.RawMessage(`{"n":1,"path":"b"}`)},
			{Decision: protocol.Continue, Texts: []protocol.Text{{Content: "see /work space/log"},
				{Content: "two"}}, SystemMessages: []string{"m"}, UpdatedOutput: json.RawMessage(`"new"`)},
			{Decision: protocol.Continue, Stop: true, StopReason: "enough"},
			{Decision: protocol.Block, Reason: "no <force>", Cause: "policy"},
			{Decision: protocol.Continue, Approved: true, Reason: "fine", Cause: "policy"},
			{Decision: protocol.Ask, Reason: "sure?", Cause: "policy"},
		}[i]
		before := f.Tests[i].Check(o, nil)
		require.Empty(t, before.Problems, f.Tests[i].Name)
		change(&o)
		after := f.Tests[i].Check(o, nil)
		require.NotEmpty(t, after.Problems, f.Tests[i].Name)
	}
}

func TestRecordLeavesOut(t *testing.T) {
	testall.NotOnWindows(t, "the paths of its data are those of Unix")
	long := strings.Repeat("é", 2500)
	fine := `"event":"pre-tool","tool":"t","decision":"continue"`
	for name, test := range map[string]struct{ line, why string }{
		"no JSON":           {`{"version":1,`, "not readable"},
		"another decision":  {line(``, `"event":"pre-tool","tool":"t","decision":"maybe"`), "not readable"},
		"no object":         {`[]`, "not readable"},
		"another workspace": {strings.Replace(line(``, fine), "/work space", "/other", 1), "of other workspaces"},
		"no workspace":      {`{"outcome":{}}`, "of other workspaces"},
		"an error": {`{"workspace":"/work space","error":"no","event":"pre-tool","tool":"t"}`,
			"without an outcome"},
		"cut arguments": {line(`"args_preview":"{","args_size":9999,`, fine),
			"with texts that were cut or redacted"},
		"a cut result": {line(`"result_preview":"x","result_size":9999,`,
			`"event":"post-tool","tool":"t","decision":"continue"`), "with texts that were cut or redacted"},
		"something taken out": {line(`"redacted":true,`, fine), "with texts that were cut or redacted"},
		"a cut prompt": {line(`"prompt":"`+long+`",`, `"event":"pre-execute","decision":"continue"`),
			"with texts that were cut or redacted"},
		"a cut reason": {line(``, `"event":"pre-tool","tool":"t","decision":"block","reason":"`+long+`"`),
			"with texts that were cut or redacted"},
		"a cut text": {line(``, fine+`,"inject":[{"hook":"h","content":"`+long+`"}]`),
			"with texts that were cut or redacted"},
		"a cut rewrite": {line(``, fine+`,"updated_input":"`+long+` … (9999 characters)"`),
			"with texts that were cut or redacted"},
		"a text in a file": {line(``, fine+`,"inject":[{"hook":"h","content":"see /tmp/x","truncated":true}]`),
			"with texts that were cut or redacted"},
		"a client's event": {line(``, `"event":"Stop","decision":"continue"`),
			"of events of which the log has not the whole input"},
		"a hook that crashed": {strings.Replace(line(``, fine), `"hooks":[]`,
			`"hooks":[{"name":"g","status":"timeout"}]`, 1),
			"that no test can repeat, such as those with hooks that gave no answer"},
		"a client's result": {line(`"result":"{\"stdout\":\"x\"}",`,
			`"event":"PostToolUse","tool":"Bash","decision":"continue"`),
			"of events of which the log has not the whole input"},
		"a lost rewrite": {line(``,
			`"event":"pre-tool","tool":"t","decision":"block","reason":"text output cannot carry `+
				`that","cause":"rewrite","hook":"h"`),
			"that no test can repeat, such as those with hooks that gave no answer"},
		"an unknown event": {line(``, `"event":"PreToolUse2","decision":"continue"`),
			"of events of which the log has not the whole input"},
		"no tool": {line(``, `"event":"pre-tool","decision":"continue"`),
			"that no test can repeat, such as those with hooks that gave no answer"},
		"keys twice": {line(`"args":{"a":1,"a":2},`, fine),
			"that no test can repeat, such as those with hooks that gave no answer"},
		"a text that is JSON": {line(`"args":"{\"a\":1}",`, fine),
			"that no test can repeat, such as those with hooks that gave no answer"},
		"our mark in a text": {line(`"args":{"a":"${HOOKRUN_WORKSPACE}"},`, fine),
			"that no test can repeat, such as those with hooks that gave no answer"},
		"our mark in a reason": {line(``,
			`"event":"pre-tool","tool":"t","decision":"block","reason":"${HOOKRUN_WORKSPACE}"`),
			"that no test can repeat, such as those with hooks that gave no answer"},
		"nested deeper than is": {line(`"args":`+strings.Repeat("[", 200)+strings.Repeat("]", 200)+`,`, fine),
			"that no test can repeat, such as those with hooks that gave no answer"},
	} {
		t.Run(name, func(t *testing.T) {
			f, r, _ := recorded(t, test.line)
			require.Empty(t, f.Tests)
			require.Equal(t, map[string]int{test.why: 1}, r.LeftOut)
		})
	}
}

// TestRecordStaysWithinAFile: what is printed can be read, however long the log is.
func TestRecordStaysWithinAFile(t *testing.T) {
	testall.NotOnWindows(t, "the paths of its data are those of Unix")
	var lines []string
	for i := range 600 {
		lines = append(lines, line(`"args":{"n":`+toJSON(t, i)+`,"text":"`+strings.Repeat("x", 2400)+`"},`,
			`"event":"pre-tool","tool":"t","decision":"continue"`))
	}
	f, r, doc := recorded(t, lines...)
	require.LessOrEqual(t, len(doc), 1<<20)
	require.Greater(t, len(f.Tests), 300)
	require.Equal(t, map[string]int{"over the 1 MiB that a file of tests may have": 600 - len(f.Tests)}, r.LeftOut)
}

// TestRecordReadsOnBehindALongLine: a line without an end costs no memory, and hides no other.
func TestRecordReadsOnBehindALongLine(t *testing.T) {
	testall.NotOnWindows(t, "the paths of its data are those of Unix")
	fine := line(``, `"event":"pre-tool","tool":"t","decision":"continue"`)
	f, r, _ := recorded(t, fine, strings.Repeat("x", 17<<20), strings.Replace(fine, `"t"`, `"u"`, 1))
	require.Len(t, f.Tests, 2)
	require.Equal(t, map[string]int{"not readable": 1}, r.LeftOut)
}

// TestRecordReadsARunLog: what the one package writes the other understands, and it knows what was cut or taken out.
func TestRecordReadsARunLog(t *testing.T) {
	testall.NotOnWindows(t, "the paths of its data are those of Unix")
	call := dialect.Call{Event: protocol.PostTool, Workspace: workspace, Tool: "shell", Args: `{"command":"ls"}`,
		Result: "a\nb", SessionID: "s", AgentID: "g", ToolUseID: "u"}
	outcome := protocol.Outcome{
		Version: 1, Event: call.Event, Tool: call.Tool, Decision: protocol.Block, Reason: "no",
		Cause: protocol.CausePolicy, Hook: "h",
		Texts: []protocol.Text{{Hook: "h", Content: "one"}}, SystemMessages: []string{"m"},
		UpdatedOutput: json.RawMessage(`{"a":1.0}`),
		Hooks: []protocol.Report{{Name: "h", Source: "f:1", Status: dialect.StatusBlocked,
			Cause: protocol.CausePolicy}},
	}
	var lines []string
	write := func(change func(*dialect.Call, *protocol.Outcome)) {
		c, o := call, outcome
		change(&c, &o)
		e := runlog.Entry{Command: "post-tool", Call: &c, Outcome: &o}
		lines = append(lines, string(e.AppendLine(nil, nil)))
	}
	long := strings.Repeat("x", 2501)
	write(func(*dialect.Call, *protocol.Outcome) {})
	write(func(c *dialect.Call, _ *protocol.Outcome) { c.Result = long })
	write(func(c *dialect.Call, _ *protocol.Outcome) { c.Args = `{"command":"` + long + `"}` })
	write(func(c *dialect.Call, _ *protocol.Outcome) { c.Args = `{"password":"x"}` })
	write(func(_ *dialect.Call, o *protocol.Outcome) { o.Reason = long })
	write(func(_ *dialect.Call, o *protocol.Outcome) { o.UpdatedOutput = json.RawMessage(`["` + long + `"]`) })
	f, r, _ := recorded(t, lines...)
	require.Equal(t, map[string]int{"with texts that were cut or redacted": 5}, r.LeftOut)
	require.Equal(t, call, f.Tests[0].Call)
	got := f.Tests[0].Check(outcome, nil)
	require.Empty(t, got.Problems)
}

// What differs from run to run is no part of a test.
func TestRecordIsStable(t *testing.T) {
	testall.NotOnWindows(t, "the paths of its data are those of Unix")
	for reason, want := range map[string]string{
		"no force":                        `"no force"`,
		"process 4711 is running (pid=4)": `{"matches":"^process [0-9]+ is running \\(pid=[0-9]+\\)$"}`,
		"left running: pids 4, 5.":        `{"matches":"^left running: pids [0-9]+, [0-9]+\\.$"}`,
		"g.sh: line 3:   812 Killed x":    `{"matches":"^g\\.sh: line [0-9]+:   [0-9]+ Killed x$"}`,
		"<A object at 0x7f00deadbeef>":    `{"matches":"^<A object at 0x[0-9a-f]+>$"}`,
		"http://h/x: dial tcp 127.0.0.1:9: connect: connection refused; is the server running?": `{"matches":"^` +
			`http://h/x: .*; is the server running\\?$"}`,
		"read tcp 127.0.0.1:50312->127.0.0.1:80: reset\nagain": `{"matches":"^.*\nagain$"}`,
		"processes 12 times": `{"matches":"^processes [0-9]+ times$"}`,
		"a pid is no secret": `"a pid is no secret"`,
	} {
		text, err := json.Marshal(reason)
		require.NoError(t, err)
		f, r, doc := recorded(t, line(`"args":{},`,
			`"event":"pre-tool","tool":"x","decision":"block","cause":"policy","hook":"g","reason":`+string(text)+
				`,"system_messages":[`+string(text)+`]`))
		require.Empty(t, r.LeftOut, reason)
		require.Len(t, f.Tests, 1)
		require.JSONEq(t, want, gjson.Get(doc, "tests.0.expect.reason").Raw, doc)
		require.JSONEq(t, want, gjson.Get(doc, "tests.0.expect.message.0").Raw, doc)
	}
}
