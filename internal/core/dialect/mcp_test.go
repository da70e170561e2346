package dialect_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
)

func TestMCPForm(t *testing.T) {
	for _, test := range []struct {
		form            client.MCPForm
		name            string
		servers         []string
		listed, guessed []string
	}{
		{"SERVER-TOOL", "stub-y", []string{"stub"}, []string{"mcp__stub__y"}, nil},
		{"SERVER-TOOL", "stub-y", nil, nil, []string{"mcp__stub__y"}},
		{"SERVER-TOOL", "a-b-c", []string{"a", "a-b"}, []string{"mcp__a__b-c", "mcp__a-b__c"}, nil},
		{"SERVER-TOOL", "a-b-c", []string{"a-b"}, []string{"mcp__a-b__c"}, nil},
		// a-b may be built in
		{"SERVER-TOOL", "a-b-c", []string{"a"}, []string{"mcp__a__b-c"}, []string{"mcp__a-b__c"}},
		{"SERVER-TOOL", "my-srv-t", []string{"my srv"}, []string{"mcp__my srv__t"}, nil},
		{"SERVER-TOOL", "stub-", []string{"stub"}, nil, nil},
		{"SERVER-TOOL", "-y", nil, nil, nil},
		{"SERVER_TOOL", "Up_Case_t", []string{"Up.Case", "stub"}, []string{"mcp__Up.Case__t"}, nil},
		{"mcp_SERVER_TOOL", "mcp_a_b", nil, nil, []string{"mcp__a__b"}},
		{"mcp_TITLE_TOOL", "mcp_my-very-long-_t", []string{"My-very-long-server"},
			[]string{"mcp__My-very-long-server__t"}, nil},
		{"MCP:TOOL", "MCP:t", []string{"a", "b"}, []string{"mcp__a__t", "mcp__b__t"}, nil},
	} {
		require.True(t, test.form.Fits(test.name), test.name)
		listed, guessed := test.form.Names(test.name, test.servers)
		require.Equal(t, test.listed, listed, "%s %q", test.name, test.servers)
		require.Equal(t, test.guessed, guessed, "%s %q", test.name, test.servers)
	}
	for form, name := range map[client.MCPForm]string{"SERVER-TOOL": "view", "mcp_SERVER_TOOL": "stub_y", "": "a-b"} {
		require.False(t, form.Fits(name), name)
	}
	for form, want := range map[client.MCPForm]string{"SERVER-TOOL": "s-t", "mcp_SERVER_TOOL": "mcp_s_t",
		"mcp_TITLE_TOOL": "mcp_s_t", "MCP:TOOL": "MCP:t", "": "mcp__s__t"} {
		require.Equal(t, want, form.Name("mcp__s__t"))
		require.Equal(t, form != "MCP:TOOL" && form != "mcp_TITLE_TOOL", form.NamesServer())
	}
}

func TestPluginMCP(t *testing.T) {
	require.Equal(t, []string{"mcp__my_files__read", "mcp__files__read"},
		dialect.PluginMCP("mcp__plugin_p_my_files__read"))
	require.Empty(t, dialect.PluginMCP("mcp__files__plugin_read"))
}
