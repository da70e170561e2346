package lint_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/lib/glob/lint"
)

var known = []string{
	"shell",
	"fs_read",
	"fs_write",
	"web_fetch",
	"Bash",
	"Read",
	"WebFetch",
	"glob",
	"Glob",
	"TodoWrite",
	"MultiEdit",
}

// TestCheck has matchers with the kind of each finding, and what the last one says.
func TestCheck(t *testing.T) {
	const never, odd, unknown = lint.Never, lint.Odd, lint.Unknown
	for _, c := range []struct {
		matcher string
		kinds   []lint.Kind
		says    string
	}{
		// Names and globs of known tools, and of tools that MCP servers can have.
		{matcher: ""}, {matcher: "shell"}, {matcher: "shell|Bash"}, {matcher: "*"}, {matcher: "fs_*"},
		{matcher: "sh[!x]ll"},
		{matcher: "mcp__*"}, {matcher: "mcp__a.b__c"}, {matcher: "my.tool"}, {matcher: "m*"}, {matcher: "*deploy*"},
		{matcher: "mcp_*"}, {matcher: "server:tool"}, {matcher: "shell | Bash"}, {matcher: "glob"}, {matcher: "Glob"},
		// Additions to a right name.
		{matcher: "Bash|bash"}, {matcher: "BASH|Bash"},

		{"shell.*", []lint.Kind{never}, `did you mean "shell*"?`},
		{".*", []lint.Kind{never}, `did you mean "*"?`},
		{".+", []lint.Kind{never}, `did you mean "*"?`},
		{"mcp__.*", []lint.Kind{never}, `did you mean "mcp__*"?`},
		{"shell|fs.*", []lint.Kind{never}, `did you mean "fs*"?`},
		{"github.*", []lint.Kind{odd}, `did you mean "github*"?`},
		{"Edit, Bash", []lint.Kind{never}, "with a comma or a blank in it"},
		{"Edit,Write", []lint.Kind{never}, "with a comma or a blank in it"},
		{"web fetch", []lint.Kind{never}, "with a comma or a blank in it"},

		// Case.
		{"Shell", []lint.Kind{never}, `differs from the tool "shell" by case alone`},
		{"bash", []lint.Kind{never}, `did you mean "Bash"?`},
		{"BASH", []lint.Kind{never}, `did you mean "Bash"?`},
		{"x|Shell", []lint.Kind{unknown, never}, `did you mean "shell"?`},
		{"Fs_*", []lint.Kind{never}, `did you mean "fs_read"?`},
		{"WEBFETCH", []lint.Kind{never}, `did you mean "WebFetch"?`},

		// One letter, one plural, a glob with one letter.
		{"shel", []lint.Kind{never}, `which is no tool that hookrun knows; did you mean "shell"? If a loop has ` +
			`such a tool, write "tools": {"shel": null}`},
		{"shel|Bsah", []lint.Kind{never, never}, `the matcher "shel|Bsah" has "Bsah"`},
		{"shell|Bsah", []lint.Kind{never}, `did you mean "Bash"?`},
		{"bahs*", []lint.Kind{never}, `did you mean "Bash*"?`},

		// Tools of a loop.
		{"deploy", []lint.Kind{unknown}, `has "deploy", which is no tool that hookrun knows; if a loop has ` +
			`such a tool, write "tools": {"deploy": null}`},
		{"shell|deploy", []lint.Kind{unknown}, `"deploy"`},
		{"deploy_*", []lint.Kind{unknown}, `name one of them, as "tools": {"my_tool": null}`},
		{"Fs", []lint.Kind{unknown}, `"Fs"`},
	} {
		found, err := lint.Check(c.matcher, known)
		require.NoError(t, err, c.matcher)
		var kinds []lint.Kind
		for _, f := range found {
			kinds = append(kinds, f.Kind)
		}
		require.Equal(t, c.kinds, kinds, "%s: %v", c.matcher, found)
		if len(found) > 0 {
			require.Contains(t, found[len(found)-1].Text, c.says)
		}
		found, err = lint.Check(c.matcher, nil)
		require.NoError(t, err, c.matcher)
		require.Empty(t, found, c.matcher)
	}
}

// TestSlip has names that may have been meant as a known one, and tools that loops may well have.
func TestSlip(t *testing.T) {
	known := []string{"shell", "Bash", "fs_read", "fs_list", "list", "edit", "read", "glob", "task", "wait", "skill",
		"patch", "write", "TaskGet", "run_commands", "WebFetch", "LS", "web_fetch", "plan", "FetchUrl"}
	for name, want := range map[string]string{
		// One letter too few, too many, wrong, or in its neighbour's place.
		"shel": "shell", "Bsh": "Bash", "shelll": "shell", "Bashh": "Bash", "shall": "shell", "Bsah": "Bash",
		"aBsh": "Bash", "SHEL": "shell", "fs_raed": "fs_read", "fs_reed": "", "TaskGte": "TaskGet", "wrote": "write",
		"WebFetsh": "WebFetch", "sshell": "shell", "Baash": "Bash", "shxell": "shell",
		// Another case, plural or separator.
		"Bashs": "Bash", "shells": "shell", "Bashes": "Bash", "fs-read": "fs_read", "fsread": "fs_read",
		"Web_Fetch": "WebFetch",
		// Beginnings.
		"Bahs*": "Bash*", "fs_raed*": "fs_read*", "run_comands*": "run_commands*",
		// Tools of a loop.
		"lint": "", "exit": "", "head": "", "blob": "", "ask": "", "await": "", "kill": "", "match": "", "batch": "",
		"hell": "", "fs_head": "", "fs_lint": "", "TaskSet": "", "run_command": "", "bash2": "", "plain": "",
		"plane": "", "fetch_url": "", "shell2": "", "LX": "",
		"deploy": "", "git_*": "", "test": "", "cash": "", "db": "", "ls": "", "[sS]hel": "",
		"": "", "*": "", "sh": "",
	} {
		require.Equal(t, want, lint.Slip(name, known), name)
	}
}

func TestCharactersOfNoTool(t *testing.T) {
	for _, matcher := range []string{"^shell", "shell$", "^(shell|Bash)$", "(a)", `mcp__\w`, "a|b|c)", "[^a]"} {
		_, err := lint.Check(matcher, known)
		require.ErrorContains(t, err, "which no name of a tool has", matcher)
		require.ErrorContains(t, err, "matchers are globs: shell|Bash")
	}
}

func TestCheckName(t *testing.T) {
	for name, want := range map[string]string{
		"shell": "", "mcp__x__y": "",
		"Shell":   `which differs from "shell" by case alone, and case counts; did you mean "shell"?`,
		"BASH":    `did you mean "Bash"?`,
		"GLOB":    `did you mean "glob"?`,
		"Fs_Read": `did you mean "fs_read"?`,
		"Bsh":     `which is no tool that hookrun knows; did you mean "Bash"?`,
	} {
		f, odd := lint.CheckName(name, known)
		require.Equal(t, want != "", odd, name)
		require.Contains(t, f.Text, want)
		require.True(t, !odd || f.Kind == lint.Never, name)
	}
	f, odd := lint.CheckName("deploy", known)
	require.True(t, odd)
	require.Equal(t, lint.Unknown, f.Kind)
}
