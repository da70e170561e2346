package serve

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/protocol"
)

func TestParamsOfACall(t *testing.T) {
	t.Parallel()
	other := t.TempDir()
	every := dialect.Call{Event: "pre-execute", Workspace: "/w"}
	with := func(change func(c *dialect.Call)) dialect.Call {
		c := every
		change(&c)
		return c
	}
	for name, test := range map[string]struct {
		method, params string
		want           dialect.Call
	}{
		"no params":      {"pre-execute", "", every},
		"null is absent": {"pre-execute", `{"prompt":null,"timeout":null}`, every},
		"another workspace": {"pre-execute", `{"workspace":` + strconv.Quote(other+"/.") + `}`,
			with(func(c *dialect.Call) { c.Workspace = other })},
		"what every call has": {
			"pre-execute",
			`{"session_id":"s","prompt":"p\n","transcript_path":"t","tool_use_id":"u","agent_id":"a",` +
				`"orchestrator_id":"o"}`,
			with(func(c *dialect.Call) {
				c.SessionID, c.Prompt, c.TranscriptPath = "s", "p\n", "t"
				c.ToolUseID, c.AgentID, c.OrchestratorID = "u", "a", "o"
			}),
		},
		"hyphens": {"pre-execute", `{"session-id":"s"}`, with(func(c *dialect.Call) { c.SessionID = "s" })},
		"a tool": {"pre-tool", `{"tool":"x","args":{"b" : 1}}`, with(func(c *dialect.Call) {
			c.Event, c.Tool, c.Args = "pre-tool", "x", `{"b" : 1}`
		})},
		"arguments as text": {"pre-tool", `{"tool":"x","args":" {\"b\":1}"}`, with(func(c *dialect.Call) {
			c.Event, c.Tool, c.Args = "pre-tool", "x", ` {"b":1}`
		})},
		"a text for arguments": {"pre-tool", `{"tool":"x","args":"ls"}`, with(func(c *dialect.Call) {
			c.Event, c.Tool, c.Args = "pre-tool", "x", `"ls"`
		})},
		"a result": {"post-tool", `{"tool":"x","result":"a\nb","failed":true}`, with(func(c *dialect.Call) {
			c.Event, c.Tool, c.Result, c.Failed = "post-tool", "x", "a\nb", true
		})},
		"a result that is JSON": {"post-tool", `{"tool":"x","result":{ "a": [1, 2] }}`, with(func(c *dialect.Call) {
			c.Event, c.Tool, c.Result = "post-tool", "x", `{"a":[1,2]}`
		})},
		"Claude Code's names": {"post-tool", `{"tool_name":"x","tool_input":{},"tool_response":"r"}`,
			with(func(c *dialect.Call) {
				c.Event, c.Tool, c.Args, c.Result = "post-tool", "x", "{}", "r"
			})},
		"MassGen's name": {"post-tool", `{"tool":"x","tool_output":"r"}`, with(func(c *dialect.Call) {
			c.Event, c.Tool, c.Result = "post-tool", "x", "r"
		})},
		"Universal Agent's name": {"post-tool", `{"tool":"x","tool_result":"r"}`, with(func(c *dialect.Call) {
			c.Event, c.Tool, c.Result = "post-tool", "x", "r"
		})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := readRequest(test.method, "/w", test.params)
			require.NoError(t, err)
			require.Equal(t, test.want, r.call.Call)
			require.Zero(t, r.timeout)
			require.Nil(t, r.onFailure)
		})
	}
}

func TestPolicyParams(t *testing.T) {
	t.Parallel()
	for params, want := range map[string]time.Duration{
		`{"timeout":5}`: 5 * time.Second, `{"timeout":"5"}`: 5 * time.Second,
		`{"timeout":"250ms"}`: 250 * time.Millisecond, `{"timeout":1.5}`: 1500 * time.Millisecond,
	} {
		r, err := readRequest("pre-execute", "/w", params)
		require.NoError(t, err, params)
		require.Equal(t, want, r.timeout, params)
	}
	r, err := readRequest("pre-execute", "/w", `{"on-failure":"block"}`)
	require.NoError(t, err)
	for _, cause := range dialect.FailureCauses() {
		require.Equal(t, protocol.Block, r.onFailure[cause], cause)
	}
}

func TestParamErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for name, test := range map[string]struct{ method, params, want string }{
		"a list":         {"pre-tool", `["x"]`, `params must be an object, as in {"tool":"shell","args":{}}`},
		"no tool":        {"pre-tool", ``, `"tool" is missing; give the name of the tool`},
		"an empty tool":  {"post-tool", `{"tool":""}`, `"tool" is missing; give the name of the tool`},
		"no text":        {"pre-tool", `{"tool":7}`, `"tool" must be a string`},
		"twice":          {"pre-tool", `{"tool":"x","tool":"x"}`, `"tool" is there twice`},
		"twice by alias": {"pre-tool", `{"tool":"x","tool_name":"x"}`, `"tool" is there twice`},
		"a near miss":    {"pre-tool", `{"tol":"x"}`, `unknown param "tol"; did you mean "tool"?`},
		"unknown": {"pre-execute", `{"x":1}`, `unknown param "x"; known are session_id, prompt, transcript_path, ` +
			`tool_use_id, agent_id, orchestrator_id, timeout, on_failure, workspace`},
		"a tool of no tool event": {"pre-execute", `{"tool":"x"}`, `unknown param "tool"; known are `},
		"a result before it":      {"pre-tool", `{"tool":"x","result":"r"}`, `unknown param "result"; known are `},
		"a flag of serve": {"pre-tool", `{"config":"x"}`,
			`"config" is for all calls of a server; give it to hookrun serve as a flag`},
		"output beside a tool": {"pre-tool", `{"output":"claude"}`, `"output" is for all calls of a server; `},
		"failed as text":       {"post-tool", `{"tool":"x","failed":"yes"}`, `"failed" must be true or false`},
		"timeout as a list":    {"pre-execute", `{"timeout":[]}`, `"timeout" must be a string`},
		"milliseconds": {"pre-execute", `{"timeout":30000}`,
			`"timeout" is in seconds, and 30000 of them are more than an hour`},
		"no duration": {"pre-execute", `{"timeout":"soon"}`, `"timeout" "soon" is no duration; `},
		"no policy": {"pre-execute", `{"on_failure":"allow"}`,
			`"on_failure" must be block or continue, not "allow"`},
		"nearly a policy": {"pre-execute", `{"on_failure":"blok"}`, `not "blok"; did you mean "block"?`},
		"a relative workspace": {"pre-execute", `{"workspace":"sub"}`,
			`"workspace" must be an absolute path, not "sub"`},
		"no workspace": {"pre-execute", `{"workspace":` + strconv.Quote(dir+"/none") + `}`,
			`"workspace" ` + dir + `/none: `},
		"a file as workspace": {"pre-execute", `{"workspace":` + strconv.Quote(file) + `}`,
			`"workspace" ` + file + `: not a directory; give the folder of the project`},
		"fire without an event": {"fire", ``, `the hook input has no hook_event_name; `},
		"fire of no event": {"fire", `{"hook_event_name":"Stopp"}`,
			`no event that is known; did you mean "Stop"?`},
		"fire with a list": {"fire", `[]`, `the hook input must be a JSON object`},
		"fire for no client": {"fire", `{"hook_event_name":"Stop","output":"cluade"}`,
			`"output" "cluade" is not one of ` + strings.Join(clients.All().ClientNames(), ", ") +
				`, json; did you mean "claude"?`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := readRequest(test.method, "/w", test.params)
			require.ErrorContains(t, err, test.want)
			c := newFixture(t).start()
			params := test.params
			if params == "" {
				params = "null"
			}
			answer := c.call(test.method, params)
			require.Contains(t, answer, `"error":{"code":-32602,"message":"`)
		})
	}
}

// The policy of one call is for that call alone.
func TestTimeoutAndFailurePolicyOfOneCall(t *testing.T) {
	t.Parallel()
	w := newWaits()
	f := newFixture(t, w.hooks()...)
	f.hooks(f.dir, `{"hooks":[{"name":"posts","url":"http://127.0.0.1:1/","events":["pre-execute"]}]}`)
	c := f.start()
	o := c.outcome("pre-tool", `{"tool":"x","timeout":"10ms","on_failure":"continue"}`)
	require.Equal(t, protocol.Block, o.Decision, "a function fails closed, whatever the policy")
	require.Equal(t, protocol.CauseTimeout, o.Cause)
	close(w.goOn)
	o = c.outcome("pre-tool", `{"tool":"x"}`)
	require.Equal(t, dialect.StatusOK, o.Hooks[0].Status)
	o = c.outcome("pre-execute", `{"on_failure":"block"}`)
	require.Equal(t, protocol.Block, o.Decision)
	require.Equal(t, protocol.CauseUnstarted, o.Cause)
	o = c.outcome("pre-execute", `{}`)
	require.Equal(t, protocol.Continue, o.Decision)
}

// "output" is the one key of fire's params that is not the client's.
func TestHooksDoNotSeeOutput(t *testing.T) {
	t.Parallel()
	seen := make(chan string, 10)
	hook := engine.NewFunction("look", protocol.PreTool,
		func(_ context.Context, c *dialect.Call, _ time.Duration) dialect.Verdict {
			seen <- c.ClientInput
			return dialect.OK()
		})
	c := newFixture(t, hook).start()
	const call = `{"hook_event_name":"PreToolUse","tool_name":"x"`
	for params, want := range map[string]string{
		call + `,"output":"json","tool_input":{"output":"a"}}`:             call + `,"tool_input":{"output":"a"}}`,
		`{"output":"json","hook_event_name":"PreToolUse","tool_name":"x"}`: call + `}`,
		call + `,"output":{"a":1}}`:                                        call + `,"output":{"a":1}}`,
	} {
		c.outcome("fire", params)
		require.Equal(t, want, <-seen)
	}
}

// "output" names the client, whatever fields the input has; without it the input says whose it is.
func TestOutputNamesTheClient(t *testing.T) {
	t.Parallel()
	seen := make(chan string, 10)
	hook := engine.NewFunction("look", protocol.PreTool,
		func(_ context.Context, c *dialect.Call, _ time.Duration) dialect.Verdict {
			seen <- c.Client.Name
			return dialect.OK()
		})
	c := newFixture(t, hook).start()
	const call = `{"hook_event_name":"PreToolUse","tool_name":"x","permission_mode":"default","timestamp":"t"`
	for params, want := range map[string]string{
		call + `}`: "qwen", call + `,"output":"json"}`: "qwen", call + `,"output":"claude"}`: "claude",
	} {
		c.call("fire", params)
		require.Equal(t, want, <-seen)
	}
	require.Contains(t, c.call("fire", call+`,"output":"gemini"}`), "the hook input is not Gemini CLI's")
}

// A callback of a client's SDK hands the result on as it is.
func TestOutputOfClients(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.hooks(f.dir, `{"hooks": [
		{"name": "guard", "block": "Ask first.", "events": ["pre-tool"], "matcher": "shell"},
		{"name": "context", "inject": "Mind the gap.", "events": ["post-tool"], "matcher": "other"}]}`)
	c := f.start()
	const deny = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",` +
		`"permissionDecisionReason":"Ask first."}}`
	for name, test := range map[string]struct{ params, want string }{
		"claude":         {`{"output":"claude","hook_event_name":"PreToolUse","tool_name":"Bash"}`, deny},
		"nothing to say": {`{"output":"claude","hook_event_name":"PreToolUse","tool_name":"Read"}`, `{}`},
		"codex":          {`{"output":"codex","hook_event_name":"PreToolUse","tool_name":"Bash","turn_id":"1"}`, deny},
		"gemini": {
			`{"output":"gemini","hook_event_name":"BeforeTool","tool_name":"run_shell_command","timestamp":"t"}`,
			`{"decision":"deny","reason":"Ask first."}`,
		},
		"text for context": {
			`{"output":"claude","hook_event_name":"PostToolUse","tool_name":"other","tool_response":"x"}`,
			`{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"Mind the gap."}}`,
		},
	} {
		require.JSONEq(t, test.want, strings.TrimPrefix(c.call("fire", test.params), `"result":`), name)
	}
	require.Contains(t, c.call("fire", `{"output":"json","hook_event_name":"PreToolUse","tool_name":"Bash"}`),
		`"decision":"block"`)
}

// What only a command can say stands beside the client's own output.
func TestClientResultHasWhatOnlyACommandCanSay(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		line string
		exit int
		want string
	}{
		"JSON":                  {`{"a":1}` + "\n", 0, `{"a":1}`},
		"JSON and an exit code": {`{"a":1}`, 2, `{"a":1,"exit":2}`},
		"an exit code":          {"", 2, `{"exit":2}`},
		"text":                  {"keep \"it\"\n", 0, `{"stdout":"keep \"it\"\n"}`},
		"text and an exit code": {"keep", 1, `{"stdout":"keep","exit":1}`},
		"a list":                {"[1]", 0, `{"stdout":"[1]"}`},
		"nothing":               {"", 0, `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			to := &client.Client{Answer: func(protocol.Outcome) (client.Reply, error) {
				return client.Reply{Stdout: []byte(test.line), Exit: test.exit}, nil
			}}
			result, err := clientResult(to, &dialect.Call{Event: "other"}, protocol.Outcome{})
			require.NoError(t, err)
			require.Equal(t, test.want, string(result))
		})
	}
}
