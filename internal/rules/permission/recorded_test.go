package permission

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// recordedCase is what one run of Claude Code 2.1.329 with a hook for each pattern showed.
type recordedCase struct {
	ID     string
	Matrix struct{ Patterns []string }
	Stdin  struct {
		CWD       string          `json:"cwd"`
		ToolName  string          `json:"tool_name"`
		ToolInput json.RawMessage `json:"tool_input"`
	}
	Expect struct {
		Matched    []string
		NotMatched []string `json:"not_matched"`
	}
}

// recorded reads the cases whose files have names that match the glob.
func recorded(t testing.TB, glob string) []recordedCase {
	t.Helper()
	files, err := filepath.Glob("../../../conformance/claude/" + glob)
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var cases []recordedCase
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		lines := bufio.NewScanner(strings.NewReader(strings.NewReplacer("<WORKSPACE>", "/ws", "<HOME>",
			"/home/u").Replace(string(data))))
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var c recordedCase
			require.NoError(t, json.Unmarshal(lines.Bytes(), &c), file)
			cases = append(cases, c)
		}
		require.NoError(t, lines.Err())
	}
	return cases
}

func TestRecorded(t *testing.T) {
	decided := 0
	for _, glob := range []string{"if-bash*.jsonl", "if-shape.jsonl", "if-misc.jsonl"} {
		for _, c := range recorded(t, glob) {
			t.Run(c.ID, func(t *testing.T) {
				call := Call{Tool: c.Stdin.ToolName, Input: string(c.Stdin.ToolInput), Dir: c.Stdin.CWD,
					Home: "/home/u"}
				var matched, not []string
				for _, pattern := range c.Matrix.Patterns {
					if ok, why := Parse(pattern).Match(call); ok {
						matched = append(matched, pattern)
					} else {
						not = append(not, pattern)
						require.NotContains(t, why, "so the hook runs")
					}
				}
				decided += len(c.Matrix.Patterns)
				require.ElementsMatch(t, c.Expect.Matched, matched, call.Input)
				require.ElementsMatch(t, c.Expect.NotMatched, not)
			})
		}
	}
	require.Greater(t, decided, 2000)
}
