package windsurf

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

// A call of another client is at the event of the tool's kind, and an input says which call is meant.
func TestEvents(t *testing.T) {
	for tool, want := range map[string]protocol.Event{"shell": "pre_run_command", "fs_read": "pre_read_code",
		"fs_edit": "pre_write_code", "mcp__git__push": "pre_mcp_tool_use", "fs_grep": "pre_mcp_tool_use"} {
		require.Equal(t, want, Dialect.EventOf(&dialect.Call{Event: protocol.PreTool, Tool: tool}), tool)
	}
	for _, test := range []struct{ event, info, tool, args string }{
		{"pre_run_command", `{"command_line":"ls","cwd":"/p"}`, "run_command",
			`{"command_line":"ls","cwd":"/p","command":"ls"}`},
		{"pre_write_code", `{"file_path":"/p/a","edits":[]}`, "write_code", `{"file_path":"/p/a","edits":[]}`},
		{"pre_mcp_tool_use", `{"mcp_server_name":"git","mcp_tool_name":"push","mcp_tool_arguments":{"a":1}}`,
			"mcp__git__push", `{"a":1}`},
	} {
		c := dialect.NewCall(dialect.Call{Event: protocol.Event(test.event),
			ClientInput: `{"agent_action_name":"` + test.event + `","trajectory_id":"t","tool_info":` + test.info +
				`}`})
		Client.Read(c, gjson.Result{})
		require.Equal(t, test.tool, c.Tool)
		require.JSONEq(t, test.args, c.Args)
		require.Equal(t, "t", c.SessionID)
		own, _, err := Dialect.Hooks.Encode(c)
		require.NoError(t, err)
		require.Equal(t, c.ClientInput+"\n", string(own.Bytes()))
	}
	payload, _, err := Dialect.Hooks.Encode(dialect.NewCall(dialect.Call{Event: protocol.PreTool, Tool: "shell",
		Args: `{"command":"ls"}`, Workspace: "/p"}))
	require.NoError(t, err)
	require.JSONEq(t, `{"command_line":"ls","cwd":"/p"}`, gjson.GetBytes(payload.Bytes(), "tool_info").Raw)
}

func TestReplyAndDecode(t *testing.T) {
	for _, row := range events[:len(events)-1] {
		o := protocol.Outcome{Event: row.Name, Decision: protocol.Block, Reason: "no"}
		reply, err := Client.Reply(o)
		require.NoError(t, err)
		c := &dialect.Call{Event: row.Name}
		r := dialecttest.Exited(reply.Exit, string(reply.Stdout), reply.Stderr)
		v := Dialect.Hooks.Decode(c, "h", &r)
		require.Equal(t, row.Can&dialect.Block != 0, v.Decision == protocol.Block, row.Name)
		require.Contains(t, reply.Stderr+string(reply.Stdout), "no")
	}
	o := protocol.Outcome{Event: "pre_run_command", Decision: protocol.Ask, Reason: "sure?"}
	reply, err := Client.Reply(o)
	require.NoError(t, err)
	require.Equal(t, 2, reply.Exit)
}
