package hook_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/protocol"
)

func TestRuns(t *testing.T) {
	for _, test := range []struct {
		events, matcher string
		event           protocol.Event
		tool            string
		runs            bool
		why             string
	}{
		{`"pre-tool"`, "", protocol.PreTool, "shell", true, "it subscribes to pre-tool"},
		{`"pre-tool"`, "", protocol.PreTool, "", true, "it subscribes to pre-tool"},
		{`"pre-tool"`, "", protocol.PostTool, "shell", false, "it does not subscribe to post-tool"},
		{`"PreToolUse"`, "", protocol.PreTool, "shell", true, "it subscribes to pre-tool"},
		{`"pre-tool"`, "", "PreToolUse", "shell", true, "it subscribes to pre-tool"},
		{`"pre-tool"`, "fs_*|shell", protocol.PreTool, "shell", true,
			`it subscribes to pre-tool, and its matcher "fs_*|shell" matches the tool "shell"`},
		{`"pre-tool"`, "fs_*", protocol.PreTool, "shell", false, `its matcher "fs_*" does not match the tool "shell"`},
		// there is no tool to match
		{`"pre-tool","pre-execute"`, "fs_*", protocol.PreExecute, "", true, "it subscribes to pre-execute"},
		{`"post-tool"`, "*", protocol.PostTool, "", true,
			`it subscribes to post-tool, and its matcher "*" matches the tool ""`},
	} {
		cfg, err := parts.All().Parse("f", []byte(`{"hooks":[{"name":"a","command":"a","events":[`+test.events+
			`],"matcher":"`+test.matcher+`"}]}`))
		require.NoError(t, err)
		c := dialect.Call{Event: test.event, Tool: test.tool}
		require.Equal(t, test.runs, runsAt(&cfg.Hooks[0], &c), test)
		require.Equal(t, test.why, whyAt(&cfg.Hooks[0], &c))
	}
}

func TestCommandString(t *testing.T) {
	for want, command := range map[string]hook.Command{
		`exit 2 # 'x'`:                     {Shell: "exit 2 # 'x'"},
		`./guard.sh --strict`:              {Argv: []string{"./guard.sh", "--strict"}},
		`sh -c 'exit 2'`:                   {Argv: []string{"sh", "-c", "exit 2"}},
		`a '' '*' 'it'\''s' '$HOME' a=b é`: {Argv: []string{"a", "", "*", "it's", "$HOME", "a=b", "é"}},
	} {
		require.Equal(t, want, command.String()) // can be pasted into a shell
	}
}

func TestProblem(t *testing.T) {
	require.EqualError(t, hook.Diagnostic{File: "f", Text: "x"}, "f: x")
	require.EqualError(t, hook.Diagnostic{File: "f", Line: 12, Column: 3, Text: "x"}, "f:12:3: x")
	require.EqualError(t, hook.Diagnostics{{File: "f", Text: "x"}, {File: "g", Line: 1, Column: 2, Text: "y"}},
		"f: x\ng:1:2: y")
}
