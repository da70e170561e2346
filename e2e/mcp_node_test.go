//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/testall"
)

// TestMCPWithTheSDK runs real servers with a client of the MCP SDK, and holds what it hears through hookrun against what it hears
// without.
func TestMCPWithTheSDK(t *testing.T) {
	testall.Only(t, "it installs packages of npm")
	needs(t, "node")
	needs(t, "npm")
	folder := installJS(t, filepath.Join("..", "..", "..", "e2e", "testdata", "mcp"))
	// run returns the lines that a client prints but for those whose moment nobody can tell.
	run := func(t *testing.T, dir string, script []any, argv ...string) (heard []string) {
		t.Helper()
		file := filepath.Join(t.TempDir(), "script.json")
		require.NoError(t, os.WriteFile(file, []byte(toJSON(t, script)), 0o600))
		done := finish(t, folder, "", nil, append([]string{"node", "client.mjs", file}, argv...)...)
		require.Equal(t, 0, done.code, done.stderr)
		require.Empty(t, withArgument(t, dir))
		for line := range strings.Lines(done.stdout) {
			if strings.HasPrefix(line, `["progress",{"progress":3,`) {
				continue // the SDK has forgotten the call if the result comes with it
			}
			switch what, _, _ := strings.Cut(strings.TrimPrefix(line, `["`), `"`); what {
			case "roots asked", "error":
			case "closed":
				if argv[0] == hookrun {
					require.Equal(t, `["closed",true]`+"\n", line, "it had to be killed")
				}
			default:
				heard = append(heard, strings.ReplaceAll(line, dir, "DIR"))
			}
		}
		return heard
	}
	through := func(dir string, argv []string) []string {
		return append([]string{hookrun, "mcp", "-C", dir, "--"}, argv...)
	}
	tool := func(name string, arguments hook, how ...any) []any {
		return append([]any{"callTool", hook{"name": name, "arguments": arguments}}, how...)
	}
	guards := []hook{
		before("guard", "mcp__*__echo|mcp__*__write_file", `in=$(cat); case $in in *secret*) echo "no secrets" >&2; exit 1 ;; esac`),
		after("mcp__*__get-sum", "echo check the sum"),
	}

	t.Run("everything", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		server := []string{"node", filepath.Join(folder, "node_modules/@modelcontextprotocol/server-everything/dist/index.js"), "stdio", dir}
		script := []any{
			[]any{"listTools", hook{}}, []any{"listResources", hook{}}, []any{"listResourceTemplates", hook{}}, []any{"listPrompts", hook{}},
			[]any{"ping", hook{}}, []any{"getPrompt", hook{"name": "args-prompt", "arguments": hook{"city": "Bern"}}},
			[]any{"readResource", hook{"uri": "demo://resource/static/document/features.md"}},
			[]any{"complete", hook{"ref": hook{"type": "ref/prompt", "name": "completable-prompt"}, "argument": hook{"name": "department", "value": "E"}}},
			tool("echo", hook{"message": "hé\u2028llo"}), tool("get-sum", hook{"a": 1, "b": 2}), tool("get-tiny-image", hook{}),
			tool("get-structured-content", hook{"location": "Chicago"}), tool("get-annotated-message", hook{"messageType": "error", "includeImage": true}),
			tool("get-resource-links", hook{"count": 2}), tool("trigger-sampling-request", hook{"prompt": "p", "maxTokens": 3}),
			tool("trigger-long-running-operation", hook{"duration": 0.3, "steps": 3}, "progress"),
			tool("trigger-long-running-operation", hook{"duration": 20, "steps": 2}, hook{"timeout": 100}),
			tool("echo", hook{"message": 3}),
		}
		writeHooks(t, dir)
		direct := run(t, dir, script, server...)
		all := strings.Join(direct, "")
		require.Equal(t, 2, strings.Count(all, `["progress",`), all)
		require.Equal(t, 1, strings.Count(all, `["sampling asked",`), all)
		require.Equal(t, len(script)+1+2+1, len(direct), all)
		require.Equal(t, direct, run(t, dir, script, through(dir, server)...))
		writeHooks(t, dir, before("idle", "*", "exit 0"), after("*", "exit 0"))
		require.Equal(t, direct, run(t, dir, script, through(dir, server)...), "hooks that say nothing change nothing")

		writeHooks(t, dir, guards...)
		require.Equal(t, []string{
			`["callTool",{"content":[{"type":"text","text":"no secrets"}],"isError":true}]` + "\n",
			`["callTool",{"content":[{"type":"text","text":"The sum of 1 and 2 is 3."},{"type":"text","text":"\ncheck the sum"}]}]` + "\n",
		}, run(t, dir, []any{tool("echo", hook{"message": "a secret"}), tool("get-sum", hook{"a": 1, "b": 2})}, through(dir, server)...)[1:])

		// A server takes a name as it likes, and the gate goes by it.
		for name, answer := range map[string]string{"none": ";", "Echo": `; did you mean \"echo\"?`, " echo": `; did you mean \"echo\"?`} {
			for _, script := range [][]any{{tool(name, hook{"message": "a secret"})}, {[]any{"listTools", hook{}}, tool(name, hook{"message": "x"})}} {
				heard := run(t, dir, script, through(dir, server)...)
				require.Equal(t, `["callTool failed","McpError: MCP error -32602: unknown tool \"`+name+`\"`+answer+
					` call a tool by its name in tools/list"]`+"\n", heard[len(heard)-1])
			}
		}
	})
	t.Run("results stay valid for the schema of their tool", func(t *testing.T) {
		t.Parallel()
		server := []string{"node", filepath.Join(folder, "node_modules/@modelcontextprotocol/server-everything/dist/index.js"), "stdio"}
		script := []any{[]any{"listTools", hook{}}, tool("get-structured-content", hook{"location": "Chicago"})}
		failing := after("*", "kill -9 $$")
		failing["on_failure"] = "block"
		output := func(value any) hook {
			return after("*", "echo '"+toJSON(t, hook{"hookSpecificOutput": hook{"hookEventName": "PostToolUse", "updatedToolOutput": value}})+"'")
		}
		for name, test := range map[string]struct {
			hook       hook
			text       string
			structured any // nil: the result is one of a tool that failed
		}{
			"a block before":      {before("h", "*", "echo no >&2; exit 1"), "no", nil},
			"a failure":           {failing, "was killed by SIGKILL", nil},
			"a text":              {output("gone"), "gone", nil},
			"JSON of an object":   {output(`{"temperature": 1, "conditions": "x", "humidity": 2}`), `"conditions": "x"`, hook{"temperature": 1.0, "conditions": "x", "humidity": 2.0}},
			"an object":           {output(hook{"temperature": 1, "conditions": "x", "humidity": 2}), `"conditions":"x"`, hook{"temperature": 1.0, "conditions": "x", "humidity": 2.0}},
			"an object too small": {output(hook{"temperature": 1}), `{"temperature":1}`, nil},
			"an object too large": {output(hook{"temperature": 1, "conditions": "x", "humidity": 2, "wind": 3}), `"wind":3`, nil},
			"a wrong type":        {output(hook{"temperature": "1", "conditions": "x", "humidity": 2}), `"temperature":"1"`, nil},
			"texts":               {after("*", "echo more"), "Light rain", hook{"temperature": 36.0, "conditions": "Light rain / drizzle", "humidity": 82.0}},
			"what a person says":  {after("*", "echo '[Human Input]: stop'"), "[Human Input]: stop", hook{"temperature": 36.0, "conditions": "Light rain / drizzle", "humidity": 82.0}},
		} {
			t.Run(name, func(t *testing.T) {
				dir := t.TempDir()
				writeHooks(t, dir, test.hook)
				heard := run(t, dir, script, through(dir, server)...)
				last := heard[len(heard)-1]
				result := gjson.Get(last, "1")
				require.Equal(t, "callTool", gjson.Get(last, "0").Str, last)
				require.Contains(t, result.Get("content.#.text").String()+result.Get("content.0.text").Str, test.text)
				require.Equal(t, test.structured == nil, result.Get("isError").Bool(), last)
				require.Equal(t, test.structured != nil, result.Get("structuredContent").Exists(), last)
				if test.structured != nil {
					require.JSONEq(t, toJSON(t, test.structured), result.Get("structuredContent").Raw)
				} else {
					require.NotContains(t, last, "drizzle")
				}
			})
		}
	})
	t.Run("filesystem", func(t *testing.T) {
		t.Parallel()
		dir, files := t.TempDir(), t.TempDir()
		files, err := filepath.EvalSymlinks(files)
		require.NoError(t, err)
		server := []string{"node", filepath.Join(folder, "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"), files}
		file, secret := filepath.Join(files, "a.txt"), filepath.Join(files, "secret.txt")
		script := []any{
			[]any{"listTools", hook{}}, tool("list_allowed_directories", hook{}), tool("write_file", hook{"path": file, "content": "one\ntwo\n"}),
			tool("read_text_file", hook{"path": file}), tool("edit_file", hook{"path": file, "edits": []hook{{"oldText": "two", "newText": "2"}}}),
			tool("list_directory", hook{"path": files}), tool("read_text_file", hook{"path": "/etc/passwd"}), tool("read_text_file", hook{"path": secret}),
		}
		writeHooks(t, dir)
		direct := run(t, files, script, server...)
		require.Len(t, direct, len(script)+1)
		require.Equal(t, direct, run(t, files, script, through(dir, server)...))

		writeHooks(t, dir, guards...)
		heard := run(t, files, []any{tool("write_file", hook{"path": secret, "content": "x"}), tool("write_file", hook{"path": file, "content": "x"})}, through(dir, server)...)
		require.Contains(t, heard[1], "no secrets")
		require.Contains(t, heard[2], "Successfully wrote")
		require.False(t, exists(files, "secret.txt"), "the server never saw the call")
		require.True(t, exists(files, "a.txt"))

		// The redactor that comes with hookrun.
		redactor := after("*", "")
		redactor["command"] = []string{"node", filepath.Join(repository(t), "scripts", "examples", "redact-secrets.mjs")}
		redactor["on_failure"] = "block"
		writeHooks(t, dir, redactor)
		require.NoError(t, os.WriteFile(file, []byte("user = me\napi_key = AKIAABCDEFGHIJKLMNOP\n"), 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(files, "b.txt"), []byte("nothing\n"), 0o600))
		for name, arguments := range map[string]hook{
			"read_text_file": {"path": file}, "read_file": {"path": file, "head": 2}, "read_multiple_files": {"paths": []string{file, file}},
			"edit_file": {"path": file, "dryRun": true, "edits": []hook{{"oldText": "user = me", "newText": "user = you"}}},
		} {
			heard := run(t, files, []any{[]any{"listTools", hook{}}, tool(name, arguments)}, through(dir, server)...)
			last := heard[len(heard)-1]
			require.NotContains(t, last, "AKIA")
			result := gjson.Get(last, "1")
			require.Contains(t, result.Get("content.0.text").Str, "api_key = [redacted]", last)
			require.Equal(t, result.Get("content.0.text").Str, result.Get("structuredContent.content").Str)
			require.False(t, result.Get("isError").Exists())
		}
		plain := run(t, files, []any{[]any{"listTools", hook{}}, tool("read_text_file", hook{"path": filepath.Join(files, "b.txt")})}, through(dir, server)...)
		require.Equal(t, `["callTool",{"content":[{"type":"text","text":"nothing\n"}],"structuredContent":{"content":"nothing\n"}}]`+"\n", plain[len(plain)-1])
	})
}
