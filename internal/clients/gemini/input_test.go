package gemini_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/claude"
	"github.com/hookrun/hookrun/internal/clients/gemini"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/tenex"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

// recordedAfterTool is what the client gave a hook.
const recordedAfterTool = `{"session_id":"s","transcript_path":"/t","cwd":"/w","hook_event_name":"AfterTool",` +
	`"timestamp":"2026-01-02T03:04:05.678Z",` +
	`"tool_name":"read_file","tool_input":{"file_path":"absent.txt"},"tool_response":{"llmContent":"Could not read ` +
	`file.","returnDisplay":"File not found.","error":{"message":"File not found: ` +
	`/w/absent.txt","type":"file_not_found"}}}`

func TestGeminiPayload(t *testing.T) {
	payload := func(t *testing.T, c dialect.Call) string {
		p, warnings, err := gemini.Dialect.Hooks.Encode(dialect.NewCall(c))
		require.NoError(t, err)
		require.Empty(t, warnings)
		return string(p.Bytes())
	}
	t.Run("the client's own input goes through", func(t *testing.T) {
		c, _, err := clients.All().ParseInput(recordedAfterTool)
		require.NoError(t, err)
		require.Equal(t, recordedAfterTool+"\n", payload(t, c))
	})
	t.Run("a call of another's is written in the client's form", func(t *testing.T) {
		for _, e := range []protocol.Event{"pre-tool", "PreToolUse", "BeforeTool"} {
			c := dialect.Call{Event: e, Workspace: "/w", SessionID: "s", TranscriptPath: "/t", Tool: "x",
				Args: `{"a": 1}`}
			if e == "PreToolUse" {
				c.ClientInput = `{"hook_event_name":"PreToolUse","permission_mode":"default"}`
			}
			require.NoError(t, c.Resolve(clients.All()))
			require.Regexp(t,
				`^{"session_id":"s","transcript_path":"/t","cwd":"/w","hook_event_name":"BeforeTool",`+
					`"timestamp":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z","tool_name":"x","tool_input":{"a":1}}\n$`,
				payload(t, c))
		}
		after := payload(t, dialect.Call{Event: "PostToolUseFailure", Failed: true, Tool: "x", Result: "bad\n"})
		require.Contains(t, after, `"hook_event_name":"AfterTool"`)
		require.Contains(t, after,
			`"tool_input":{},"tool_response":{"llmContent":"bad\n","returnDisplay":"bad\n",`+
				`"error":{"message":"bad\n"}}}`)
		require.Contains(t, payload(t, dialect.Call{Event: "pre-execute", Prompt: "go"}), `,"prompt":"go"}`)
	})
	t.Run("moments", func(t *testing.T) {
		for _, test := range []struct {
			fired dialect.Call
			want  protocol.Event
		}{
			{dialect.Call{Event: "pre-tool"}, "BeforeTool"},
			{dialect.Call{Event: "post-tool"}, "AfterTool"},
			{dialect.Call{Event: "PostToolUseFailure"}, "AfterTool"},
			{dialect.Call{Event: "post-tool", Failed: true}, "AfterTool"},
			{dialect.Call{Event: "post-tool", Blocked: true}, ""},
			{dialect.Call{Event: "UserPromptSubmit"}, "BeforeAgent"},
			{dialect.Call{Event: "AfterAgent"}, "AfterAgent"},
			{dialect.Call{Event: "Stop"}, "Stop"},
		} {
			require.Equal(t, test.want, gemini.Dialect.EventOf(&test.fired), "%+v", test.fired)
		}
		require.Equal(t, protocol.PostTool, gemini.Dialect.Common("AfterTool"))
		after := &dialect.Call{Event: "AfterTool"}
		require.NoError(t, after.Resolve(clients.All()))
		require.Equal(t, protocol.Event("PostToolUse"), dialect.ClaudeEvent(after))
		require.True(t, gemini.Dialect.IsAboutTool("BeforeTool"))
	})
	t.Run("environment", func(t *testing.T) {
		c := dialect.Call{Event: "BeforeTool", Workspace: "/w", SessionID: "s"}
		require.Equal(t, []string{"GEMINI_PROJECT_DIR=/w", "GEMINI_CWD=/w", "CLAUDE_PROJECT_DIR=/w",
			"GEMINI_SESSION_ID=s"}, gemini.Dialect.Hooks.Environment(&c))
	})
}

// Hooks of all other dialects see the client's call as their own.
func TestGeminiInputForOtherHooks(t *testing.T) {
	c, _, err := clients.All().ParseInput(recordedAfterTool)
	require.NoError(t, err)
	require.True(t, c.Failed)
	require.Equal(t, "Could not read file.", c.Result)
	c.Workspace = "/w"

	ofClaude, _, err := claude.Dialect.Hooks.Encode(dialect.NewCall(c))
	require.NoError(t, err)
	require.Contains(t, string(ofClaude.Bytes()),
		`"hook_event_name":"PostToolUseFailure","tool_name":"read_file","tool_input":{"file_path":"absent.txt"}`)
	require.Contains(t, string(ofClaude.Bytes()), `"error":"Could not read file."`)
	ofTenex, _, err := tenex.Dialect.Hooks.Encode(dialect.NewCall(c))
	require.NoError(t, err)
	require.Contains(t, string(ofTenex.Bytes()),
		`"event":"post-tool","tool":"read_file","args":{"file_path":"absent.txt"},"result":"Could not read file."`)

	before, _, err := clients.All().ParseInput(`{"hook_event_name":"BeforeTool","tool_name":"t",` +
		`"tool_input":{"a":1},"timestamp":"x"}`)
	require.NoError(t, err)
	ofClaude, _, err = claude.Dialect.Hooks.Encode(dialect.NewCall(before))
	require.NoError(t, err)
	require.Contains(t, string(ofClaude.Bytes()),
		`"hook_event_name":"PreToolUse","tool_name":"t","tool_input":{"a":1},"tool_use_id":""}`)
	require.NotContains(t, string(ofClaude.Bytes()), "timestamp")

	for response, want := range map[string]dialect.Call{
		`{"llmContent":"ok","returnDisplay":"d"}`: {Result: "ok"},
		`{"llmContent":[{"text": "a"}]}`:          {Result: `[{"text":"a"}]`},
		`{"error":{"message":"m"}}`:               {Result: "m", Failed: true},
		`{"llmContent":"ok","error":null}`:        {Result: "ok"},
		`"plain"`:                                 {Result: "plain"},
	} {
		c, _, err := clients.All().ParseInput(`{"hook_event_name":"AfterTool","tool_name":"t","tool_response":` +
			response + `}`)
		require.NoError(t, err)
		require.Equal(t, want, dialect.Call{Result: c.Result, Failed: c.Failed}, response)
	}
}

func TestGeminiChain(t *testing.T) {
	call := func(e protocol.Event, more string) *dialect.Call {
		c, _, err := clients.All().ParseInput(`{"hook_event_name":"` + string(e) + `",` + more + `}`)
		require.NoError(t, err)
		return dialect.NewCall(c)
	}
	t.Run("the next hook sees a rewrite merged", func(t *testing.T) {
		c := call("BeforeTool", `"tool_name":"x","tool_input":{"command":"a","description":"d"}`)
		v := decideGemini("BeforeTool", dialecttest.Printed(dialecttest.Specific(`"tool_input":{"command":"b","n":1}`)))
		require.True(t, gemini.Dialect.Hooks.(dialect.Propagator).Propagate(c, &v))
		require.JSONEq(t, `{"command":"b","description":"d","n":1}`, c.Args)
		require.JSONEq(t,
			`{"hook_event_name":"BeforeTool","tool_name":"x","tool_input":{"command":"b","description":"d","n":1}}`,
			c.ClientInput)
	})
	t.Run("a deny hands its rewrite on too", func(t *testing.T) {
		c := call("BeforeTool", `"tool_name":"x","tool_input":{"command":"a"}`)
		v := decideGemini("BeforeTool", dialecttest.Printed(`{"decision":"deny",`+
			dialecttest.Specific(`"tool_input":{"command":"b"}`)[1:]))
		require.True(t, gemini.Dialect.Hooks.(dialect.Propagator).Propagate(c, &v))
		require.JSONEq(t, `{"command":"b"}`, c.Args)
	})
	t.Run("a hook that failed hands nothing on", func(t *testing.T) {
		c := call("BeforeTool", `"tool_name":"x","tool_input":{"command":"a"}`)
		v := decideGemini("BeforeTool", dialecttest.Exited(1, dialecttest.Specific(`"tool_input":{"command":"b"}`), ""))
		require.NotNil(t, v.UpdatedInput)
		require.False(t, gemini.Dialect.Hooks.(dialect.Propagator).Propagate(c, &v))
		v = decideGemini("BeforeTool", dialecttest.Exited(2,
			`{"decision":"deny",`+dialecttest.Specific(`"tool_input":{"command":"b"}`)[1:], ""))
		require.Equal(t, protocol.Block, v.Decision)
		require.False(t, gemini.Dialect.Hooks.(dialect.Propagator).Propagate(c, &v))
		v = decideGemini("BeforeTool", dialecttest.Killed("SIGTERM",
			`{"decision":"deny",`+dialecttest.Specific(`"tool_input":{"command":"b"}`)[1:], ""))
		require.False(t, gemini.Dialect.Hooks.(dialect.Propagator).Propagate(c, &v))
		require.JSONEq(t, `{"command":"a"}`, c.Args)
		v = decideGemini("BeforeTool", dialecttest.Exited(1,
			`{"decision":"ask",`+dialecttest.Specific(`"tool_input":{"command":"b"}`)[1:], ""))
		require.NotNil(t, v.UpdatedInput, "the person who is asked may allow it")
	})
	t.Run("an odd answer of a hook that ended well is handed on", func(t *testing.T) {
		c := call("BeforeTool", `"tool_name":"x","tool_input":{"command":"a"}`)
		v := decideGemini("BeforeTool",
			dialecttest.Printed(`{"decision":"maybe","hookSpecificOutput":{"tool_input":{"command":"b"}}}`))
		require.Equal(t, dialect.StatusFailed, v.Status)
		require.True(t, gemini.Dialect.Hooks.(dialect.Propagator).Propagate(c, &v))
		require.JSONEq(t, `{"command":"b"}`, c.Args)
		for _, input := range []string{`"a"`, `[]`, `null`} {
			c := call("BeforeTool", `"tool_name":"x","tool_input":`+input)
			require.False(t, gemini.Dialect.Hooks.(dialect.Propagator).Propagate(c, &v),
				"there is nothing to merge it with")
		}
	})
	t.Run("a request is merged", func(t *testing.T) {
		c := call("BeforeModel", `"llm_request":{"model":"m","messages":[]}`)
		v := decideGemini("BeforeModel", dialecttest.Printed(dialecttest.Specific(`"llm_request":{"model":"n"}`)))
		require.True(t, gemini.Dialect.Hooks.(dialect.Propagator).Propagate(c, &v))
		require.Equal(t, `{"hook_event_name":"BeforeModel","llm_request":{"model":"n","messages":[]}}`, c.ClientInput)
		v = decideGemini("BeforeModel", dialecttest.Printed(dialecttest.Specific(`"llm_request":"x"`)))
		require.False(t, gemini.Dialect.Hooks.(dialect.Propagator).Propagate(c, &v))
		v = decideGemini("BeforeModel", dialecttest.Printed(dialecttest.Specific(`"llm_response":{}`)))
		require.False(t, gemini.Dialect.Hooks.(dialect.Propagator).Propagate(c, &v))
	})
	t.Run("context is added to the prompt", func(t *testing.T) {
		c := call("BeforeAgent", `"prompt":"go"`)
		v := decideGemini("BeforeAgent", dialecttest.Printed(dialecttest.Specific(`"additionalContext":"C \"1\""`)))
		require.True(t, gemini.Dialect.Hooks.(dialect.Propagator).Propagate(c, &v))
		require.Equal(t, `{"hook_event_name":"BeforeAgent","prompt":"go\n\nC \"1\""}`, c.ClientInput)
	})
	t.Run("nothing else is handed on", func(t *testing.T) {
		c := call("AfterTool", `"tool_name":"x","tool_response":{"llmContent":"r"}`)
		before := *c
		v := decideGemini("AfterTool", dialecttest.Printed(dialecttest.Specific(`"additionalContext":"C"`)))
		require.False(t, gemini.Dialect.Hooks.(dialect.Propagator).Propagate(c, &v))
		require.Equal(t, before, *c)
	})
}
