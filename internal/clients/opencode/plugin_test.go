package opencode

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/client"
)

// driver loads plugins as the client does, and makes one call of one of the hooks of each. For each it prints what is
// left of the output, or what was thrown. To start Node.js takes much longer than a call.
const driver = `
import { readFileSync } from "node:fs"
for (const { directory, call } of JSON.parse(readFileSync("calls.json"))) {
  const { Hookrun } = await import(directory + "/hookrun.mjs")
  const { hook, input, output, earlier } = call
  const told = []
  const client = {
    session: {
      get: async ({ path: { id } }) => ({ data: id === "child" ? { parentID: "main" } : {} }),
      abort: async ({ path }) => told.push("abort " + path.id),
    },
    tui: { showToast: async ({ body }) => told.push(body.message) },
    app: { log: async () => { throw new Error("no log") } },
  }
  const hooks = await Hookrun({ client, directory })
  await hooks.config({ mcp: { my_srv: {}, my: {} } })
  const args = output.args
  let thrown = ""
  try {
    for (const e of earlier ?? []) await hooks[e.hook](e.input, e.output)
    await hooks[hook](input, output)
  } catch (error) {
    thrown = error.message
  }
  console.log(JSON.stringify({ thrown, output, same: args === output.args, told }))
}
process.exit(0)
`

// pluginCall is a call whose hookrun is a shell script, or is missing.
type pluginCall struct {
	script string
	limit  time.Duration
	call   string
}

type called struct {
	Thrown string
	Output map[string]any
	Same   bool
	Told   []string
	stdin  string
}

func callPlugins(t *testing.T, calls []pluginCall) (got []called) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("it needs node and sh")
	}
	dir := t.TempDir()
	list := make([]struct {
		Directory string          `json:"directory"`
		Call      json.RawMessage `json:"call"`
	}, len(calls))
	for i, c := range calls {
		own := client.OwnCall{Program: "/bin/sh", Args: []string{"-c", c.script}, Timeout: c.limit}
		if c.script == "" {
			own.Program = "hookrun"
		}
		list[i].Directory, list[i].Call = filepath.Join(dir, strconv.Itoa(i)), json.RawMessage(c.call)
		require.NoError(t, os.Mkdir(list[i].Directory, 0o700))
		plugin := filepath.Join(list[i].Directory, "hookrun.mjs")
		require.NoError(t, os.WriteFile(plugin, []byte(pluginText(own)), 0o600))
	}
	text, err := json.Marshal(list)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "calls.json"), text, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "driver.mjs"), []byte(driver), 0o600))
	cmd := exec.CommandContext(t.Context(), node, "driver.mjs")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH=/usr/bin:/bin")
	out, err := cmd.Output()
	require.NoError(t, err)
	got = make([]called, len(calls))
	lines := json.NewDecoder(bytes.NewReader(out))
	for i := range got {
		require.NoError(t, lines.Decode(&got[i]), "%s", out)
		text, _ := os.ReadFile(filepath.Join(list[i].Directory, "stdin"))
		got[i].stdin = string(text)
	}
	return got
}

const (
	aCall = `{"hook":"tool.execute.before","input":{"tool":"bash","sessionID":"s","callID":"c"},` +
		`"output":{"args":{"command":"ls","x":1}}}`
	aAfter = `{"hook":"tool.execute.after","input":{"tool":"bash","sessionID":"s","callID":"c","args":{}},` +
		`"output":{"output":"secret","metadata":{"exit":1},"attachments":[1]}}`
	mcpAfter = `{"hook":"tool.execute.after","input":{"tool":"my_srv_echo","sessionID":"child","args":{}},` +
		`"output":{"content":[{"type":"text","text":"one"},{"type":"image","data":"x"}]}}`
	aPrompt = `{"hook":"chat.message","input":{"sessionID":"s"},"output":{"message":{"id":"m"},` +
		`"parts":[{"id":"prt_1","type":"text","text":"go"},{"id":"prt_2","type":"text","text":"f","synthetic":true}]}}`
)

// says is a hookrun that keeps its stdin and answers.
func says(answer string) string { return `cat >stdin; printf '%s' '` + answer + `'` }

// TestPluginBlocks: whatever hookrun does but answer, the call is blocked, before the tool, after it and at the prompt.
func TestPluginBlocks(t *testing.T) {
	tests := map[string]struct{ script, why string }{
		"missing":           {"", "install hookrun: "},
		"an exit code":      {`echo ".tenex-hooks.json:2:1: no" >&2; exit 2`, ".tenex-hooks.json:2:1: no"},
		"a block by exit":   {says(`{"decision":"continue"}`) + "; exit 3", "it ended with 3"},
		"a signal":          {`kill -9 $$`, "SIGKILL"},
		"nothing":           {`exit 0`, "cannot be read"},
		"no JSON":           {`echo ok`, "cannot be read"},
		"half an answer":    {`printf '{"decision":"contin'`, "cannot be read"},
		"two answers":       {says(`{"decision":"continue"}{}`), "cannot be read"},
		"an empty object":   {says(`{}`), "it has no decision"},
		"null":              {says(`null`), "it has no decision"},
		"another decision":  {says(`{"decision":"allow"}`), "it has no decision"},
		"an unknown key":    {says(`{"decision":"continue","updatedInput":{}}`), `"updatedInput" is unknown`},
		"args of no object": {says(`{"decision":"continue","args":[]}`), `"args" is unknown`},
		"a block":           {says(`{"decision":"block","reason":"not this"}`), "not this"},
		"slow":              {"exec sleep 1000", "it took more than 0.05 s"},
	}
	var names []string
	var calls []pluginCall
	for name, test := range tests {
		limit := time.Minute
		if name == "slow" {
			limit = 50 * time.Millisecond
		}
		for _, call := range []string{aCall, aAfter, mcpAfter, aPrompt} {
			names, calls = append(names, name), append(calls, pluginCall{test.script, limit, call})
		}
	}
	for i, got := range callPlugins(t, calls) {
		why := tests[names[i]].why
		require.Contains(t, got.Thrown, why, names[i])
		if calls[i].call == aPrompt {
			require.Len(t, got.Told, 1, "the client shows nobody why")
			require.Contains(t, got.Told[0], why)
		}
	}
}

func TestPlugin(t *testing.T) {
	redacts := says(`{"decision":"continue","output":"REDACTED","context":"more"}`)
	all := callPlugins(t, []pluginCall{
		{says(`{"decision":"continue","args":{"command":"pwd"},"systemMessage":"m"}`), time.Minute, aCall},
		{redacts, time.Minute, aAfter},
		{redacts, time.Minute, mcpAfter},
		{says(`{"decision":"continue","context":"more"}`), time.Minute, aPrompt},
		{says(`{"decision":"block","reason":"no","stop":"enough"}`), time.Minute, aCall},
	})

	got := all[0]
	require.Empty(t, got.Thrown)
	require.True(t, got.Same, "the client gives the tool that very object")
	require.Equal(t, map[string]any{"args": map[string]any{"command": "pwd"}}, got.Output)
	require.Equal(t, []string{"m"}, got.Told)
	require.Contains(t, got.stdin, `{"hook_event_name":"tool.execute.before","session_id":"s","cwd":"`)
	require.Contains(t, got.stdin, `"tool_name":"bash","tool_input":{"command":"ls","x":1},"tool_use_id":"c",`+
		`"mcp_servers":["my_srv","my"]}`)

	got = all[1]
	require.Empty(t, got.Thrown)
	require.Equal(t, "REDACTED\n\nmore", got.Output["output"])
	require.NotContains(t, got.Output, "attachments")
	require.Contains(t, got.stdin, `"tool_response":"secret","failed":true}`)

	got = all[2]
	require.Empty(t, got.Thrown)
	part := func(text string) any { return map[string]any{"type": "text", "text": text} }
	require.Equal(t, []any{part("REDACTED"), part("more")}, got.Output["content"])
	require.Contains(t, got.stdin, `"session_id":"main","agent_id":"child"`,
		"a subagent is of the session that began it")
	require.Contains(t, got.stdin, `"mcp_servers":["my_srv","my"]`)
	require.Contains(t, got.stdin, `"tool_response":"one\n\n{\"type\":\"image\",\"data\":\"x\"}"`)

	got = all[3]
	require.Empty(t, got.Thrown)
	parts := got.Output["parts"].([]any)
	require.Len(t, parts, 3)
	require.Equal(t, map[string]any{"id": "prt_2hookrun", "sessionID": "s", "messageID": "m", "type": "text",
		"text": "more", "synthetic": true}, parts[2])
	require.Contains(t, got.stdin, `"prompt":"go"}`)

	got = all[4]
	require.Equal(t, "no", got.Thrown)
	require.Equal(t, []string{"enough", "abort s"}, got.Told)
}

// TestPluginKeepsContext: the model cannot be told anything before a tool, so it reads that with the next result.
func TestPluginKeepsContext(t *testing.T) {
	var call map[string]any
	require.NoError(t, json.Unmarshal([]byte(aAfter), &call))
	call["earlier"] = []any{json.RawMessage(aCall)}
	text, err := json.Marshal(call)
	require.NoError(t, err)
	answer := `case $(cat) in *before*) text=early;; *) text=late;; esac; ` +
		`printf '{"decision":"continue","context":"%s"}' $text`
	got := callPlugins(t, []pluginCall{{answer, time.Minute, string(text)}})
	require.Equal(t, "secret\n\nearly\n\nlate", got[0].Output["output"])
}
