package clients_test

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/claude"
	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/clients/codex"
	"github.com/hookrun/hookrun/internal/clients/gemini"
	"github.com/hookrun/hookrun/internal/clients/qwen"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/tenex"
	"github.com/hookrun/hookrun/protocol"
)

// The client of every recorded hook input is the one that it was recorded from.
func TestClient(t *testing.T) {
	recorded := 0
	for _, d := range clients.All().Clients() {
		seen := map[protocol.Event]int{}
		files, err := filepath.Glob(filepath.Join("..", "..", "conformance", d.Name, "*.jsonl"))
		require.NoError(t, err)
		if !d.HasHooksFile() || files == nil { // nobody has recorded it with a hooks file
			continue
		}
		recorded++
		for _, name := range files {
			file, err := os.Open(name)
			require.NoError(t, err)
			lines := bufio.NewScanner(file)
			lines.Buffer(nil, 16<<20)
			for lines.Scan() {
				stdin := gjson.GetBytes(lines.Bytes(), "stdin")
				c, _, err := clients.All().ParseInput(stdin.Raw)
				require.NoError(t, err)
				want := d
				if d == codex.Client && c.Event == "SessionEnd" {
					want = claude.Client // nothing tells the two apart, and what is answered does not count
				}
				require.Equal(t, want.Name, c.Sender().Name, "%s", stdin.Raw)
				seen[c.Event]++
			}
			require.NoError(t, lines.Err())
			require.NoError(t, file.Close())
		}
		require.GreaterOrEqual(t, len(seen), min(8, len(d.Events.Names())), d.Name)
	}
	require.GreaterOrEqual(t, recorded, 8)
	for input, want := range map[string]string{
		`{"hook_event_name":"BeforeModel"}`:                                                       "gemini",
		`{"hook_event_name":"PreModelRequest"}`:                                                   "codex",
		`{"hook_event_name":"PostToolBatch"}`:                                                     "claude",
		`{"hook_event_name":"pre-execute","turn_id":"1"}`:                                         "claude",
		`{"hook_event_name":"SessionStart","model":"m"}`:                                          "claude",
		`{"hook_event_name":"SessionStart","model":"m","permission_mode":"plan"}`:                 "codex",
		`{"hook_event_name":"SessionStart","timestamp":"2026-01-01T00:00:00Z"}`:                   "gemini",
		`{"hook_event_name":"PreToolUse","tool_name":"x","timestamp":"t"}`:                        "claude",
		`{"hook_event_name":"Stop","session_id":"s","timestamp":"t"}`:                             "copilot",
		`{"clineVersion":"","hookName":"agent_end"}`:                                              "cline",
		`{"hook_event_name":"Interrupt","turn_id":0,"client_type":"kimi_code_cli"}`:               "kimi",
		`{"hook_event_name":"TodoCreated"}`:                                                       "qwen",
		`{"hook_event_name":"SessionStart","model":"m","permission_mode":"plan","timestamp":"t"}`: "qwen",
	} {
		c, _, err := clients.All().ParseInput(input)
		require.NoError(t, err)
		require.Equal(t, want, c.Sender().Name, input)
	}
	require.Nil(t, (&dialect.Call{Event: "PreToolUse"}).Sender(), "it comes from no client")
}

// An entry that names its client gets that client's input, whatever fields the input has.
func TestParseEntryInput(t *testing.T) {
	const pre = `"hook_event_name":"PreToolUse","tool_name":"Bash","session_id":"s"`
	const copilot, cursor = "COPILOT_CLI", "CURSOR_VERSION"
	for _, test := range []struct{ entry, variable, input, want, fails string }{
		{"claude", "", pre + `,"permission_mode":"default"`, "claude", ""},
		{"claude", "", pre + `,"permission_mode":"default","timestamp":"t"`, "claude", ""}, // Qwen's have both
		{"claude", "", pre + `,"timestamp":"t"`, "claude", ""},                             // Copilot's
		{"claude", "", pre + `,"turn_id":"t"`, "claude", ""},
		{"claude", "", pre + `,"permission_mode":"auto-low"`, "claude", ""},
		{"claude", "", pre + `,"client_type":"kimi_code_cli"`, "claude", ""},
		{"claude", "", pre + `,"cursor_version":"1"`, "claude", ""},
		{"qwen", "", pre, "qwen", ""},
		{"codex", "", pre, "codex", ""},
		{"gemini", "", `"hook_event_name":"SessionStart","permission_mode":"plan"`, "gemini", ""},
		{"claude", "", `"hook_event_name":"pre-tool","tool_name":"Bash"`, "claude", ""},
		{"cline", "", `"clineVersion":"","hookName":"agent_end"`, "cline", ""},

		// Two clients run the entries of Claude Code's settings as well.
		{"claude", copilot, pre + `,"timestamp":"t"`, "copilot", ""},
		{"claude", copilot, pre + `,"permission_mode":"default","timestamp":"t"`, "claude", ""}, // in Copilot's shell
		{"qwen", copilot, pre + `,"timestamp":"t"`, "qwen", ""},
		{"claude", cursor, `"hook_event_name":"preToolUse","tool_name":"Shell","cursor_version":"1"`, "cursor", ""},
		{"claude", "", `"hook_event_name":"preToolUse","tool_name":"Shell","cursor_version":"1"`, "cursor", ""},

		{"claude", "", `"hook_event_name":"BeforeTool","tool_name":"x"`, "", "the hook input is not Claude Code's: " +
			`"BeforeTool" is no event there; give --output the client that sent it, or leave it out`},
		{"claude", "", `"hook_event_name":"preToolUse","tool_name":"x"`, "", `"preToolUse" is no event there`},
		{"gemini", "", pre, "", `not Gemini CLI's: "PreToolUse" is no event there`},
		{"opencode", "", pre, "", `not OpenCode's: "PreToolUse" is no event there`},
		{"cline", "", pre, "", "not Cline's: it has another form"},
		{"claude", "", `"hookName":"agent_end","clineVersion":""`, "", "has no hook_event_name"},
		{"claude", "", `"hook_event_name":"PreTool"`, "", `did you mean "pre-tool"?`},
		{"claude", "", `"hook_event_name":7`, "", "hook_event_name 7 is no event that is known"},
		{"claude", "", `"hook_event_name":"PreToolUse"`, "claude", "has no tool_name"},
		{"claude", "", pre + `,"cwd":7`, "claude", "the hook input's cwd must be a string"},
	} {
		entry, known := clients.All().ClientNamed(test.entry)
		require.True(t, known)
		getenv := func(name string) string { return map[string]string{test.variable: "1"}[name] }
		c, _, err := clients.All().ParseEntryInput("{"+test.input+"}", entry, getenv)
		if test.fails == "" {
			require.NoError(t, err, test.input)
			require.Equal(t, c.Sender(), c.Client)
		} else {
			require.ErrorContains(t, err, test.fails, test.input)
		}
		if c.Client == nil {
			c.Client = &dialect.Dialect{}
		}
		require.Equal(t, test.want, c.Client.Name, "%s: %s", test.entry, test.input)
	}
}

func TestResolveClient(t *testing.T) {
	const input = `{"hook_event_name":"PreToolUse","tool_name":"Bash","permission_mode":"default","timestamp":"t"}`
	for _, test := range []struct {
		client *dialect.Dialect
		input  string
		want   *dialect.Dialect
	}{
		{nil, input, qwen.Dialect},
		{claude.Dialect, input, claude.Dialect},
		{nil, "", nil},
	} {
		c := dialect.Call{Event: protocol.PreTool, ClientInput: test.input, Client: test.client}
		require.NoError(t, c.Resolve(clients.All()))
		require.Same(t, test.want, c.Client)
	}
	require.EqualError(t, (&dialect.Call{Event: "Halt"}).Resolve(clients.All()), `unknown event "Halt"`)
	require.EqualError(t, (&dialect.Call{Event: "Stop"}).Resolve(dialect.NoClients{}), `unknown event "Stop"`)
}

func TestNameTool(t *testing.T) {
	named := func(names map[string]string) *dialect.FileTools {
		files := new(dialect.FileTools)
		files.Add(names, false)
		return files
	}
	more := named(map[string]string{"deploy": "shell", "Read": "secrets_read", "Edit": "Edit"})
	for _, test := range []struct {
		input string
		want  []string
	}{
		{`{"hook_event_name":"PreToolUse","tool_name":"Bash"}`, []string{"shell"}},
		{`{"hook_event_name":"PostToolUse","tool_name":"exec_command","turn_id":"1"}`, []string{"shell"}},
		{`{"hook_event_name":"BeforeTool","tool_name":"run_shell_command"}`, []string{"shell"}},
		{`{"hook_event_name":"PreToolUse","tool_name":"apply_patch"}`, []string{"fs_edit", "fs_write"}},
		{`{"hook_event_name":"AfterTool","tool_name":"write_file"}`, []string{"fs_write"}},
		{`{"hook_event_name":"PermissionRequest","tool_name":"WebFetch"}`, []string{"web_fetch"}},
		{`{"hook_event_name":"PreToolUse","tool_name":"bAsh"}`, nil},
		{`{"hook_event_name":"PreToolUse","tool_name":"getch"}`, nil},
		{`{"hook_event_name":"PreToolUse","tool_name":"mcp__a__b"}`, nil},
		{`{"hook_event_name":"BeforeTool","tool_name":"mcp_a_b_c","mcp_context":{"server_name":"a_b",` +
			`"tool_name":"c"}}`, []string{"mcp__a_b__c"}},
		{`{"hook_event_name":"BeforeTool","tool_name":"mcp_a_b"}`, nil},
		{`{"hook_event_name":"tool.execute.before","tool_name":"bash"}`, []string{"shell"}},
		{`{"hook_event_name":"tool.execute.before","tool_name":"a_b_c","mcp_context":{"server_name":"a_b",` +
			`"tool_name":"c"}}`, []string{"mcp__a_b__c"}},
		{`{"hook_event_name":"tool.execute.before","tool_name":"apply_patch","mcp_context":{"server_name":` +
			`"apply","tool_name":"patch"}}`, []string{"fs_edit", "fs_write"}}, // no server hides a tool
		{`{"hook_event_name":"PreToolUse","tool_name":"deploy"}`, []string{"shell"}},
		{`{"hook_event_name":"PreToolUse","tool_name":"Read"}`, []string{"secrets_read"}},
		{`{"hook_event_name":"PreToolUse","tool_name":"Edit"}`, nil},
		{`{"hook_event_name":"UserPromptSubmit","tool_name":"Bash"}`, nil},
	} {
		parsed, _, err := clients.All().ParseInput(test.input)
		require.NoError(t, err)
		c := dialect.NewCall(parsed)
		clients.All().NameTool(c, more)
		require.Equal(t, test.want, append([]string(nil), c.ProjectTools()...), test.input)
		want := c.Tool
		if test.want != nil {
			want = test.want[0]
		}
		require.Equal(t, want, c.ProjectTool(), test.input)
		clients.All().NameTool(c, named(map[string]string{c.Tool: "other"}))
		clients.All().NameTool(c, more)
		require.Equal(t, want, c.ProjectTool(), "again: %s", test.input)
	}
	c := dialect.NewCall(dialect.Call{Event: protocol.PreTool, Tool: "Bash"})
	clients.All().NameTool(c, more)
	require.Empty(t, c.ProjectTools(), "the call comes from no client, so the name is the loop's own")
	require.Equal(t, []string{"shell"}, c.Kinds)
	c = dialect.NewCall(dialect.Call{Event: protocol.PreTool, Tool: "deploy"})
	clients.All().NameTool(c, more)
	require.Equal(t, []string{"shell"}, c.ProjectTools(), "a file names the loop's tool")
}

func TestProjectToolOnStdin(t *testing.T) {
	parsed, _, err := clients.All().ParseInput(`{"hook_event_name":"BeforeTool","tool_name":"run_shell_command",` +
		`"tool_input":{"command":"ls"}}`)
	require.NoError(t, err)
	c := dialect.NewCall(parsed)
	clients.All().NameTool(c, nil)
	payload, _, err := tenex.Dialect.Hooks.Encode(c)
	require.NoError(t, err)
	require.Equal(t, "shell", gjson.GetBytes(payload.Bytes(), "tool").String())
	require.Equal(t, "run_shell_command", gjson.GetBytes(payload.Bytes(), "tool_name").String())
	for field, want := range map[string]string{"tool": "shell", "tool_name": "run_shell_command"} {
		got, _, ok, err := c.Value(field)
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, want, got)
	}
	payload, _, err = gemini.Dialect.Hooks.Encode(c)
	require.NoError(t, err)
	require.Equal(t, c.ClientInput+"\n", string(payload.Bytes()), "the client's own hooks see the client's names")
}

// A name is the project's, whichever of the two names of a client's tool it is.
func TestProjectNames(t *testing.T) {
	for _, name := range clients.All().ProjectNames() {
		require.True(t, clients.All().IsProjectName(name), name)
	}
	require.Contains(t, clients.All().ProjectNames(), "fs_write")
	for _, name := range []string{"", "Bash", "shell ", "Shell", "Bash shell", "fs_edit fs_write"} {
		require.False(t, clients.All().IsProjectName(name), name)
	}
	d := &client.Client{Tools: []dialect.Tool{"Both one two"}}
	tool, known := d.ToolNamed("Both")
	require.True(t, known)
	require.True(t, tool.IsCalled("one") && tool.IsCalled("two"))
	require.False(t, tool.IsCalled("") || tool.IsCalled("Both"))
}

// TestCanAsk: a client whose answer says that it cannot ask, on stdout or stderr, counts as one that cannot, so that
// the reason has the code for a person.
func TestCanAsk(t *testing.T) {
	can := map[bool]int{}
	for _, c := range clients.All().Clients() {
		call := dialect.NewCall(dialect.Call{Event: "PreToolUse", Tool: "shell", Client: c.Dialect,
			Args: `{"command":"ls"}`})
		require.NoError(t, call.Resolve(clients.All()), c.Name)
		reply, err := c.ReplyTo(call, protocol.Outcome{Event: call.Event, Tool: call.Tool, Decision: protocol.Ask,
			Cause: protocol.CausePolicy, Reason: "Sure?"})
		require.NoError(t, err, c.Name)
		says := regexp.MustCompile("cannot say").MatchString(string(reply.Stdout) + reply.Stderr)
		require.Equal(t, !says, c.CanAsk(call), c.Name)
		can[!says]++
	}
	require.Greater(t, can[true], 4)
	require.Greater(t, can[false], 6)
}
