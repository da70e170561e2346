package toolmatch_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/toolmatch"
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

// TestCheck has matchers with the name that is meant, "" where nothing is odd.
func TestCheck(t *testing.T) {
	for matcher, meant := range map[string]string{
		"": "", "shell": "", "shell|Bash": "", "*": "", "fs_*": "", "mcp__*": "", "my.tool": "", "mcp__a.b__c": "",
		"fs.*.x": "did you mean \"fs*.x\"?", "[ab]x": "",
		"Bash|bash": "", "BASH|Bash": "", "glob": "", "Glob": "", "something_else": "", "S*": "", "m*": "",
		"mcp_*": "", "shell | Bash": "", "Fs": "",
		"shell.*":    `did you mean "shell*"?`,
		".*":         `did you mean "*"?`,
		".+":         `did you mean "*"?`,
		"mcp__.*":    `did you mean "mcp__*"?`,
		"shell|fs.*": `did you mean "fs*"?`,
		"Shell":      `differs from the tool "shell" by case alone`,
		"bash":       `did you mean "Bash"?`,
		"x|Shell":    `did you mean "shell"?`,
		"Fs_*":       `did you mean "fs_read"?`,
		"WEBFETCH":   `did you mean "WebFetch"?`,
		"Edit, Bash": "with a comma or a blank in it",
		"Edit,Write": "with a comma or a blank in it",
		"web fetch":  "with a comma or a blank in it",
	} {
		warnings, err := toolmatch.Check(matcher, known)
		require.NoError(t, err, matcher)
		if meant == "" {
			require.Empty(t, warnings, matcher)
			continue
		}
		require.Len(t, warnings, 1, matcher)
		require.Contains(t, warnings[0], meant)
		require.Contains(t, warnings[0], "matchers are globs: shell|Bash")
	}
}

func TestCharactersOfNoTool(t *testing.T) {
	for _, matcher := range []string{"^shell", "shell$", "^(shell|Bash)$", "(a)", `mcp__\w`, "a|b|c)", "[^a]"} {
		_, err := toolmatch.Check(matcher, known)
		require.ErrorContains(t, err, "which no name of a tool has", matcher)
		require.ErrorContains(t, err, "matchers are globs: shell|Bash")
	}
}

func TestOtherCase(t *testing.T) {
	for name, want := range map[string]string{"shell": "", "Shell": "shell", "BASH": "Bash", "GLOB": "glob", "x": "",
		"*": "", "s*": "", "Fs_Read": "fs_read"} {
		require.Equal(t, want, toolmatch.OtherCase(name, known), name)
	}
}
