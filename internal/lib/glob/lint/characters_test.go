package lint_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/lib/glob/lint"
)

// TestCharactersThatNoToolHas has globs that match no tool, with what the warning says.
func TestCharactersThatNoToolHas(t *testing.T) {
	for matcher, says := range map[string]string{
		"shell+":            `a +, which no name of a tool has; did you mean "shell"?`,
		"'shell'":           `a ', which no name of a tool has; did you mean "shell"?`,
		`"shell"`:           `a ", which no name of a tool has; did you mean "shell"?`,
		"“shell”":           `a “, which no name of a tool has; did you mean "shell"?`,
		"`shell`":           "a `, which no name of a tool has",
		"/shell/":           `did you mean "shell"?`,
		"/shell":            "begins or ends with one",
		"mcp__*/":           "begins or ends with one",
		"!shell":            "cannot leave tools out",
		"shell;Bash":        `did you mean "shell|Bash"?`,
		"shell&Bash":        `did you mean "shell|Bash"?`,
		"shell && Bash":     "with a comma or a blank in it",
		"shell:*":           `which is for the pattern of an "if"; did you mean "shell"?`,
		"she\u200bll":       `cannot be seen (U+200B); did you mean "shell"?`,
		"\ufeffshell":       `cannot be seen (U+FEFF); did you mean "shell"?`,
		"shell\u00adx":      "cannot be seen (U+00AD)",
		"she\u00a0ll":       "with a comma or a blank in it",
		"sh\u0435ll":        "U+0435",
		"B\u0430sh":         "U+0430",
		"\uff22\uff41":      "U+FF22",
		"fs_r\u0435ad|Bash": "U+0435",
		"{shell}":           "a {, which",
		"shell=x":           "a =, which",
		"fs_[ab":            "a [, which",
		"shell\x00":         "cannot be seen (U+0000)",
		"shell|'Bash'":      `did you mean "Bash"?`,
	} {
		found, err := lint.Check(matcher, known)
		require.NoError(t, err, "%q", matcher)
		require.Len(t, found, 1, "%q", matcher)
		require.Equal(t, lint.Never, found[0].Kind, "%q", matcher)
		require.Contains(t, found[0].Text, says, "%q", matcher)
		require.Contains(t, found[0].Text, "matchers are globs: shell|Bash")
	}
	for _, matcher := range []string{
		"mcp__a__b", "mcp__a-b__c.d", "server:tool", "server:*", "a/b", "mcp__x__a/b", "a/*", "[!a-zA-Z]*", "[]!]x",
		"инструмент", "工具_1",
		"@scope/tool", "functions.shell", "a::b", "web?search", "mcp__*__read_[a-z]*",
	} {
		found, err := lint.Check(matcher, known)
		require.NoError(t, err, matcher)
		for _, f := range found { // it may be a tool of a loop
			require.Equal(t, lint.Unknown, f.Kind, f.Text)
		}
	}
}
