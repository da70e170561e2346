package hook_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// TestTableOfShellLines holds the rules of docs/reference/rules.md against the shell lines that it says they meet.
func TestTableOfShellLines(t *testing.T) {
	page, err := os.ReadFile("../../../docs/reference/rules.md")
	require.NoError(t, err)
	_, section, ok := strings.Cut(string(page), "\n## Where an `if` for shell lines ends\n")
	require.True(t, ok)
	section, _, _ = strings.Cut(section, "\n## ")
	_, doc, ok := strings.Cut(section, "```json\n")
	require.True(t, ok)
	doc, _, _ = strings.Cut(doc, "```")
	cfg, err := parts.All().Parse("f", []byte(doc))
	require.NoError(t, err)
	require.Empty(t, cfg.Warnings)
	require.Len(t, cfg.Hooks, 2)
	further, err := os.ReadFile("testdata/shell_lines.md") // more rows, for which the page has no room
	require.NoError(t, err)
	says := map[string]bool{"yes": true, "no": false}
	row := regexp.MustCompile("(?m)^\\| `(.+)` \\| (yes|no) \\| (yes|no) \\|$")
	rows := row.FindAllStringSubmatch(section+string(further), -1)
	require.Len(t, rows, 59)
	for _, row := range rows {
		line := strings.ReplaceAll(row[1], `\|`, "|")
		c := dialect.Call{
			Event:     protocol.PreTool,
			Tool:      "shell",
			Workspace: "/ws",
			Args:      string(strictjson.AppendString([]byte(`{"command":`), line)) + "}",
		}
		for i, want := range row[2:] {
			require.Equal(t, says[want], runsAt(&cfg.Hooks[i], &c), "%s: %s", line, whyAt(&cfg.Hooks[i], &c))
		}
	}
}
