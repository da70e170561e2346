package permission

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// daily returns harmless lines as people and agents write them: one in each line of the file, with ⏎ for its line ends.
func daily(t *testing.T) (lines []string) {
	text, err := os.ReadFile("testdata/daily.txt")
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		lines = append(lines, strings.ReplaceAll(strings.TrimSpace(line), "⏎", "\n"))
	}
	return lines
}

// TestDailyLines holds rules against harmless lines. They may hold up one in a hundred.
func TestDailyLines(t *testing.T) {
	lines := daily(t)
	require.Greater(t, len(lines), 1000)
	var held []string
	for _, line := range lines {
		for _, rule := range []string{"git push --force*", "rm -rf /*", "danger --force*"} {
			if got, why := Parse("shell(" + rule + ")").Match(projectLine(t, line)); got {
				held = append(held, line+": "+rule+" "+why)
				break
			}
		}
	}
	t.Logf("%d of %d lines are held up:\n%s", len(held), len(lines), strings.Join(held, "\n"))
	require.LessOrEqual(t, len(held)*100, len(lines))
}
