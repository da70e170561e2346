//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/e2e/rpc"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// TestMCPWithTheSDK runs real servers with a client of the MCP SDK, and holds what it hears through hookrun against
// what it hears without.
func TestMCPWithTheSDK(t *testing.T) {
	testall.Only(t, "it installs packages of npm")
	binary.Needs(t, "node")
	binary.Needs(t, "npm")
	folder := binary.InstallJS(t, "e2e", "testdata", "mcp")
	// run returns the lines that a client prints but for those whose moment nobody can tell.
	run := func(t *testing.T, dir string, script []any, argv ...string) (heard []string) {
		t.Helper()
		file := filepath.Join(t.TempDir(), "script.json")
		require.NoError(t, os.WriteFile(file, []byte(binary.JSON(t, script)), 0o600))
		done := binary.Run(t, folder, "", nil, append([]string{"node", "client.mjs", file}, argv...)...)
		require.Equal(t, 0, done.Code, done.Stderr)
		require.Empty(t, binary.WithArgument(t, dir))
		for line := range strings.Lines(done.Stdout) {
			if strings.HasPrefix(line, `["progress",{"progress":3,`) {
				continue // the SDK has forgotten the call if the result comes with it
			}
			switch what, _, _ := strings.Cut(strings.TrimPrefix(line, `["`), `"`); what {
			case "roots asked", "error":
			case "closed":
				if argv[0] == binary.Path {
					require.Equal(t, `["closed",true]`+"\n", line, "it had to be killed")
				}
			default:
				heard = append(heard, strings.ReplaceAll(line, dir, "DIR"))
			}
		}
		return heard
	}
	through := func(dir string, argv []string) []string {
		return append([]string{binary.Path, "mcp", "-C", dir, "--"}, argv...)
	}
	tool := func(name string, arguments binary.Hook, how ...any) []any {
		return append([]any{"callTool", binary.Hook{"name": name, "arguments": arguments}}, how...)
	}
	guards := []binary.Hook{
		rpc.PreTool("guard", "mcp__*__echo|mcp__*__write_file",
			`in=$(cat); case $in in *secret*) echo "no secrets" >&2; exit 1 ;; esac`),
		after("mcp__*__get-sum", "echo check the sum"),
	}

	t.Run("everything", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		server := []string{"node", filepath.Join(folder,
			"node_modules/@modelcontextprotocol/server-everything/dist/index.js"), "stdio", dir}
		script := []any{
			[]any{"listTools", binary.Hook{}}, []any{"listResources", binary.Hook{}},
			[]any{"listResourceTemplates", binary.Hook{}}, []any{"listPrompts", binary.Hook{}},
			[]any{"ping", binary.Hook{}}, []any{"getPrompt",
				binary.Hook{"name": "args-prompt", "arguments": binary.Hook{"city": "Bern"}}},
			[]any{"readResource", binary.Hook{"uri": "demo://resource/static/document/features.md"}},
			[]any{"complete", binary.Hook{"ref": binary.Hook{"type": "ref/prompt", "name": "completable-prompt"},
				"argument": binary.Hook{"name": "department", "value": "E"}}},
			tool("echo", binary.Hook{"message": "hé\u2028llo"}), tool("get-sum", binary.Hook{"a": 1, "b": 2}),
			tool("get-tiny-image", binary.Hook{}),
			tool("get-structured-content", binary.Hook{"location": "Chicago"}),
			tool("get-annotated-message", binary.Hook{"messageType": "error", "includeImage": true}),
			tool("get-resource-links", binary.Hook{"count": 2}),
			tool("trigger-sampling-request", binary.Hook{"prompt": "p", "maxTokens": 3}),
			tool("trigger-long-running-operation", binary.Hook{"duration": 0.3, "steps": 3}, "progress"),
			tool("trigger-long-running-operation", binary.Hook{"duration": 20, "steps": 2},
				binary.Hook{"timeout": 100}),
			tool("echo", binary.Hook{"message": 3}),
		}
		binary.WriteHooks(t, dir)
		direct := run(t, dir, script, server...)
		all := strings.Join(direct, "")
		require.Equal(t, 2, strings.Count(all, `["progress",`), all)
		require.Equal(t, 1, strings.Count(all, `["sampling asked",`), all)
		require.Equal(t, len(script)+1+2+1, len(direct), all)
		require.Equal(t, direct, run(t, dir, script, through(dir, server)...))
		binary.WriteHooks(t, dir, rpc.PreTool("idle", "*", "exit 0"), after("*", "exit 0"))
		require.Equal(t, direct, run(t, dir, script, through(dir, server)...), "hooks that say nothing change nothing")

		binary.WriteHooks(t, dir, guards...)
		require.Equal(t, []string{
			`["callTool",{"content":[{"type":"text","text":"no secrets"}],"isError":true}]` + "\n",
			`["callTool",{"content":[{"type":"text","text":"The sum of 1 and 2 is ` +
				`3."},{"type":"text","text":"\ncheck the sum"}]}]` + "\n",
		}, run(t, dir, []any{tool("echo", binary.Hook{"message": "a secret"}),
			tool("get-sum", binary.Hook{"a": 1, "b": 2})}, through(dir, server)...)[1:])

		// A server takes a name as it likes, and the gate goes by it.
		for name, answer := range map[string]string{"none": ";", "Echo": `; did you mean \"echo\"?`,
			" echo": `; did you mean \"echo\"?`} {
			for _, script := range [][]any{{tool(name, binary.Hook{"message": "a secret"})},
				{[]any{"listTools", binary.Hook{}}, tool(name, binary.Hook{"message": "x"})}} {
				heard := run(t, dir, script, through(dir, server)...)
				require.Equal(t, `["callTool",{"content":[{"type":"text","text":"unknown tool \"`+name+`\"`+answer+
					` call a tool by its name in tools/list"}],"isError":true}]`+"\n", heard[len(heard)-1])
			}
		}
	})
	t.Run("results stay valid for the schema of their tool", func(t *testing.T) {
		t.Parallel()
		server := []string{"node", filepath.Join(folder,
			"node_modules/@modelcontextprotocol/server-everything/dist/index.js"), "stdio"}
		script := []any{[]any{"listTools", binary.Hook{}},
			tool("get-structured-content", binary.Hook{"location": "Chicago"})}
		failing := after("*", "kill -9 $$")
		failing["on_failure"] = "block"
		output := func(value any) binary.Hook {
			return after("*", "echo '"+binary.JSON(t,
				binary.Hook{"hookSpecificOutput": binary.Hook{"hookEventName": "PostToolUse",
					"updatedToolOutput": value}})+"'")
		}
		for name, test := range map[string]struct {
			hook       binary.Hook
			text       string
			structured any // nil: the result is one of a tool that failed
		}{
			"a block before": {rpc.PreTool("h", "*", "echo no >&2; exit 1"), "no", nil},
			"a failure":      {failing, "was killed by SIGKILL", nil},
			"a text":         {output("gone"), "gone", nil},
			"JSON of an object": {output(`{"temperature": 1, "conditions": "x", "humidity": 2}`),
				`"conditions": "x"`, binary.Hook{"temperature": 1.0, "conditions": "x", "humidity": 2.0}},
			"an object": {output(binary.Hook{"temperature": 1, "conditions": "x", "humidity": 2}),
				`"conditions":"x"`, binary.Hook{"temperature": 1.0, "conditions": "x", "humidity": 2.0}},
			"an object too small": {output(binary.Hook{"temperature": 1}), `{"temperature":1}`, nil},
			"an object too large": {output(binary.Hook{"temperature": 1, "conditions": "x", "humidity": 2, "wind": 3}),
				`"wind":3`, nil},
			"a wrong type": {output(binary.Hook{"temperature": "1", "conditions": "x", "humidity": 2}),
				`"temperature":"1"`, nil},
			"texts": {after("*", "echo more"), "Light rain",
				binary.Hook{"temperature": 36.0, "conditions": "Light rain / drizzle", "humidity": 82.0}},
			"what a person says": {after("*", "echo '[Human Input]: stop'"), "[Human Input]: stop",
				binary.Hook{"temperature": 36.0, "conditions": "Light rain / drizzle", "humidity": 82.0}},
		} {
			t.Run(name, func(t *testing.T) {
				dir := t.TempDir()
				binary.WriteHooks(t, dir, test.hook)
				heard := run(t, dir, script, through(dir, server)...)
				last := heard[len(heard)-1]
				result := gjson.Get(last, "1")
				require.Equal(t, "callTool", gjson.Get(last, "0").Str, last)
				require.Contains(t, result.Get("content.#.text").String()+result.Get("content.0.text").Str, test.text)
				require.Equal(t, test.structured == nil, result.Get("isError").Bool(), last)
				require.Equal(t, test.structured != nil, result.Get("structuredContent").Exists(), last)
				if test.structured != nil {
					require.JSONEq(t, binary.JSON(t, test.structured), result.Get("structuredContent").Raw)
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
		server := []string{"node", filepath.Join(folder,
			"node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"), files}
		file, secret := filepath.Join(files, "a.txt"), filepath.Join(files, "secret.txt")
		script := []any{
			[]any{"listTools", binary.Hook{}},
			tool("write_file", binary.Hook{"path": file, "content": "one\ntwo\n"}),
			tool("read_text_file", binary.Hook{"path": file}),
			tool("edit_file", binary.Hook{"path": file, "edits": []binary.Hook{{"oldText": "two", "newText": "2"}}}),
			tool("list_directory", binary.Hook{"path": files}),
			tool("read_text_file", binary.Hook{"path": "/etc/passwd"}),
			tool("read_text_file", binary.Hook{"path": secret}),
			tool("list_allowed_directories", binary.Hook{}), // the server asks the client for them meanwhile
		}
		binary.WriteHooks(t, dir)
		direct := run(t, files, script, server...)
		require.Len(t, direct, len(script)+1)
		require.Equal(t, direct, run(t, files, script, through(dir, server)...))

		binary.WriteHooks(t, dir, guards...)
		heard := run(t, files, []any{tool("write_file", binary.Hook{"path": secret, "content": "x"}),
			tool("write_file", binary.Hook{"path": file, "content": "x"})}, through(dir, server)...)
		require.Contains(t, heard[1], "no secrets")
		require.Contains(t, heard[2], "Successfully wrote")
		require.False(t, binary.Exists(files, "secret.txt"), "the server never saw the call")
		require.True(t, binary.Exists(files, "a.txt"))

		// The redactor that comes with hookrun.
		redactor := after("*", "")
		redactor["command"] = []string{"node", filepath.Join(binary.Repository(t), "scripts", "examples",
			"redact-secrets.mjs")}
		redactor["on_failure"] = "block"
		binary.WriteHooks(t, dir, redactor)
		require.NoError(t, os.WriteFile(file, []byte("user = me\napi_key = AKIAABCDEFGHIJKLMNOP\n"), 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(files, "b.txt"), []byte("nothing\n"), 0o600))
		for name, arguments := range map[string]binary.Hook{
			"read_text_file": {"path": file}, "read_file": {"path": file, "head": 2},
			"read_multiple_files": {"paths": []string{file, file}},
			"edit_file": {"path": file, "dryRun": true,
				"edits": []binary.Hook{{"oldText": "user = me", "newText": "user = you"}}},
		} {
			heard := run(t, files, []any{[]any{"listTools", binary.Hook{}}, tool(name, arguments)},
				through(dir, server)...)
			last := heard[len(heard)-1]
			require.NotContains(t, last, "AKIA")
			result := gjson.Get(last, "1")
			require.Contains(t, result.Get("content.0.text").Str, "api_key = [redacted]", last)
			require.Equal(t, result.Get("content.0.text").Str, result.Get("structuredContent.content").Str)
			require.False(t, result.Get("isError").Exists())
		}
		plain := run(t, files, []any{[]any{"listTools", binary.Hook{}},
			tool("read_text_file", binary.Hook{"path": filepath.Join(files, "b.txt")})}, through(dir, server)...)
		require.Equal(t,
			`["callTool",{"content":[{"type":"text","text":"nothing\n"}],`+
				`"structuredContent":{"content":"nothing\n"}}]`+"\n", plain[len(plain)-1])
	})
}
