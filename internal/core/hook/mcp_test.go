package hook_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// TestRecordedMCPNames: rules are met by the names that real clients gave the tools of one server, as recorded.
func TestRecordedMCPNames(t *testing.T) {
	const long = "a_very_long_tool_name_that_goes_on_and_on_well_over_sixty_four_characters"
	for _, test := range []struct {
		client, name, glob string
		not                bool // the rule is for another tool
	}{
		{"codex", "mcp__my_files__read_x", "mcp__my-files__read-x", false},
		{"codex", "mcp__my_files__read_x", "mcp__my-files__*", false},
		{"codex", "mcp__a_b__c", "mcp__a__*", true}, // another server
		{"codex", "mcp__a_b__c", "mcp__[a]__*", true},
		{"claude", "mcp__stub__dot_name", "mcp__stub__dot.name", false},
		{"claude", "mcp__stub__read_metrics", "mcp__stub__read", true}, // not a hash
		{"claude", "mcp__stub__sla_sh", "mcp__stub__sla/sh | Bash", false},
		{"qwen", "mcp__stub__dot_name_0o7im8n", "mcp__stub__dot.name", false},
		{"qwen", "mcp__my_srv__t_1jfsees", "mcp__my srv__t", false},
		{"qwen", "mcp__stub__a_very_long_tool_name_that_goes_on_and_on_we_0dp8jvm", "mcp__stub__" + long, false},
		{"qwen", "mcp__stub__a_very_long_tool_name_that_goes_on_and_on_we_0dp8jvm", "mcp__stub__*characters", false},
		{"qwen", "mcp__stub__a_very_long_tool_name_that_goes_on_and_on_we_0dp8jvm", "mcp__stub__a_short*", true},
		{"kimi", "mcp__stub__dou_ble", "mcp__stub__dou__ble", false},
		{"kimi", "mcp__stub__a_very_long_tool_name_that_goes_on_and_on_we_316123a2", "mcp__stub__" + long, false},
		{"cline", "stub__dot_name_b675674c", "mcp__stub__dot.name", false},
		{"cline", "stub__a_very_long_tool_name_that_goes_on_and_on_well_ov_12870dea", "mcp__stub__" + long, false},
		{"droid", "stub___y", "mcp__stub__y", false},
		{"copilot", "stub-a_very_long_tool_name_that_goes_on_and_on_well_over_sixty_f", "mcp__stub__" + long, false},
		{"copilot", "stub-dou__ble", "mcp__stub__dou__ble", false},
		{"copilot", "stub-y", "mcp__stub__y", false},
		{"copilot", "a-b-c", "mcp__a-b__c", false},
		{"copilot", "a-b-c", "mcp__a__b-c", false},
		{"copilot", "view", "mcp__*", true},
		{"crush", "mcp_stub_under_score", "mcp__stub__under_score", false},
		{"gemini", "mcp_stub_y", "mcp__stub__y", false},
	} {
		client, _ := clients.All().Named(test.client)
		c := dialect.Call{Event: protocol.PreTool, Tool: test.name, Client: client,
			ClientInput: `{}`, Workspace: t.TempDir()}
		for _, narrowed := range []string{`"matcher":"` + test.glob + `"`, `"if":"` + test.glob + `"`} {
			if strings.ContainsAny(test.glob, "*|[ ") && strings.HasPrefix(narrowed, `"if"`) {
				continue
			}
			ran, _ := runs(rules(t, narrowed), c)
			require.Equal(t, !test.not, len(ran) > 0, "%s: %s at %s", test.client, narrowed, test.name)
		}
	}
}

// TestServerOfMCPTool: the input names the servers, also to hooks in another client's form; else each server that the
// name may have counts, with a warning, and an MCP tool may be a shell.
func TestServerOfMCPTool(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	cfg := rules(t, `"matcher":"mcp__a__*"`, `"matcher":"mcp__a_b__*"`, `"matcher":"mcp__a_b_c__*"`,
		`"if":"shell(rm *)"`)
	for input, want := range map[string][]string{
		`{"hook_event_name":"tool.execute.before","tool_name":"a_b_c_d","mcp_servers":["a_b"]}`: {
			`"matcher":"mcp__a_b__*"`},
		`{"hook_event_name":"tool.execute.before","tool_name":"a_b_c_d","mcp_servers":["a","a_b"]}`: {
			`"matcher":"mcp__a__*"`, `"matcher":"mcp__a_b__*"`},
		`{"hook_event_name":"tool.execute.before","tool_name":"a_b_c_d","mcp_context":{"server_name":"a"}}`: {
			`"matcher":"mcp__a__*"`}, // the plugin of an earlier hookrun
		`{"hook_event_name":"tool.execute.before","tool_name":"a_b_c_d","mcp_servers":[]}`: nil,
		`{"hook_event_name":"BeforeTool","tool_name":"mcp_a_b","tool_input":{"command":"rm x"},` +
			`"mcp_context":{"server_name":"a","tool_name":"b"}}`: {`"matcher":"mcp__a__*"`, `"if":"shell(rm *)"`},
	} {
		ran, _ := runs(cfg, clientCall(t, input))
		require.Equal(t, want, ran, input)
	}
	call := dialect.NewCall(clientCall(t, `{"hook_event_name":"PreToolUse","session_id":"s","timestamp":"t",`+
		`"tool_name":"a-x","tool_input":{}}`))
	cfg.NameTool(call)
	require.Contains(t, cfg.UnnamedToolWarning(call), `"tools": {"a-x": "mcp__a__x"}`)
	ran, _ := runs(rules(t, `"dialect":"claude","matcher":"mcp__a__.*"`, `"dialect":"gemini","matcher":"mcp_a_x"`),
		*call)
	require.Len(t, ran, 2, "each by the name in its client")
}
