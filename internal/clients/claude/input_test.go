package claude_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/claude"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

func TestClaudePayload(t *testing.T) {
	c := dialect.Call{
		Event: protocol.PreTool, Workspace: "/w", Dir: "/w/sub", SessionID: "s", Prompt: `say "<hi>" & é`, Tool: "Bash",
		Args: ` { "command" : "a\u0062 <&> \u00e9" , "n": 1e400 } `, Result: "line\n\x00\xff", ToolUseID: "t1",
		TranscriptPath: "/t",
	}
	const head = `{"session_id":"s","transcript_path":"/t","cwd":"/w/sub","permission_mode":"default",`
	const tool = `"tool_name":"Bash","tool_input":{"command":"ab <&> é","n":1e400},`
	require.Equal(t, head+`"hook_event_name":"PreToolUse",`+tool+`"tool_use_id":"t1"}`+"\n", dialecttest.Encoded(t, &c))
	c.AgentID = "a1"
	require.Equal(t, head+`"agent_id":"a1","hook_event_name":"PreToolUse",`+tool+`"tool_use_id":"t1"}`+"\n",
		dialecttest.Encoded(t, &c))
	c.AgentID, c.Event = "", protocol.PostTool
	require.Equal(t, head+`"hook_event_name":"PostToolUse",`+tool+
		`"tool_response":"line\n\u0000�","tool_use_id":"t1"}`+"\n", dialecttest.Encoded(t, &c))
	c.Failed = true
	require.Equal(t, head+`"hook_event_name":"PostToolUseFailure",`+tool+
		`"tool_use_id":"t1","error":"line\n\u0000�","is_interrupt":false}`+"\n", dialecttest.Encoded(t, &c))
	c.Event, c.Failed, c.Dir = protocol.PreExecute, false, ""
	require.Equal(t,
		`{"session_id":"s","transcript_path":"/t","cwd":"/w","permission_mode":"default",`+
			`"hook_event_name":"UserPromptSubmit","prompt":"say \"<hi>\" & é"}`+"\n", dialecttest.Encoded(t, &c))

	c.Event = "PostToolUse"
	for result, want := range map[string]string{
		"":                      `""`,
		"text":                  `"text"`,
		"12":                    `"12"`,
		`"quoted"`:              `"\"quoted\""`,
		` {"stdout": "x"} `:     `{"stdout":"x"}`,
		`[ {"type":"text"} ]`:   `[{"type":"text"}]`,
		`{"a":`:                 `"{\"a\":"`,
		`{"a":1,"a":2}`:         `"{\"a\":1,\"a\":2}"`, // which of them the tool meant nobody knows
		"{\"a\":\"\xff\"}":      `{"a":"�"}`,
		"[link](http://x) and…": `"[link](http://x) and…"`,
	} {
		c.Result = result
		require.Equal(t, want, string(dialecttest.Member(json.RawMessage(dialecttest.Encoded(t, &c)),
			"tool_response")), result)
	}
	c.Args = `{"a":1,"a":2}`
	p, warnings, err := claude.Dialect.Hooks.Encode(dialect.NewCall(c))
	require.NoError(t, err)
	require.Equal(t,
		[]string{`arguments of tool "Bash": the key "a" is there twice in one object; hooks were given the last`},
		warnings)
	require.Contains(t, string(p.Bytes()), `"tool_input":{"a":2},`)
	c.Args = strings.Repeat("[", 10_000)
	_, _, err = claude.Dialect.Hooks.Encode(dialect.NewCall(c))
	require.ErrorContains(t, err, "nested more than 9999 deep")
}

// TestClaudePassesOnRecordedInput: whatever the client was seen to put on stdin comes out again, byte for byte.
func TestClaudePassesOnRecordedInput(t *testing.T) {
	files, err := filepath.Glob("../../../conformance/claude/*.jsonl")
	require.NoError(t, err)
	events := map[protocol.Event]int{}
	for _, file := range files {
		f, err := os.Open(file)
		require.NoError(t, err)
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			stdin := dialecttest.Member(lines.Bytes(), "stdin")
			if stdin == nil {
				continue
			}
			c, warnings, err := clients.All().ParseInput(string(stdin) + "\n")
			require.NoError(t, err, "%s: %s", file, stdin)
			require.Empty(t, warnings)
			require.Equal(t, string(stdin)+"\n", dialecttest.Encoded(t, &c))
			got := dialecttest.Decode(t, stdin)
			require.Equal(t, got["hook_event_name"], string(c.Event))
			require.Equal(t, got["cwd"], c.Dir)
			require.Equal(t, got["session_id"], c.SessionID)
			if c.IsAboutTool() {
				require.Equal(t, got["tool_name"], c.Tool)
				require.Equal(t, string(dialecttest.Member(stdin, "tool_input")), c.Args)
				require.Equal(t, c.Event == "PostToolUseFailure", c.Failed)
			}
			require.Equal(t, c.Event, claude.Dialect.Of(c.Event).EventOf(&c))
			events[c.Event]++
		}
		require.NoError(t, lines.Err())
		require.NoError(t, f.Close())
	}
	require.Greater(t, len(events), 10, "%v", events)
	require.Greater(t, events["PreToolUse"], 50)
}

// TestClaudePayloadOfOtherClients: the input of a client with an event of almost the same name is not Claude Code's.
func TestClaudePayloadOfOtherClients(t *testing.T) {
	c, _, err := clients.All().ParseInput(`{"hook_event_name":"postToolUseFailure","cursor_version":"1",` +
		`"tool_name":"Shell","tool_input":{},"error_message":"no","failure_type":"error"}`)
	require.NoError(t, err)
	require.Equal(t, `"no"`, string(dialecttest.Member(json.RawMessage(dialecttest.Encoded(t, &c)), "error")))
}
