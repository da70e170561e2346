//go:build linux

package binary

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/record/runlog"
)

// logLine is the part of a line of the run log that these tests look at.
type logLine struct {
	Version                          int
	Time                             time.Time
	Command, Event, Tool             string
	Session                          string `json:"session_id"`
	ToolUse                          string `json:"tool_use_id"`
	Workspace, Prompt, Result, Error string
	Args                             json.RawMessage
	Failed, Redacted                 bool
	Outcome                          *struct {
		Event, Tool, Decision, Reason, Cause string
		Warnings                             []string
		Inject                               []struct{ Content, Source string }
		Hooks                                []struct{ Name, Status, Source string }
	}
}

func ReadLog(t *testing.T, path string) (lines []logLine) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.True(t, len(text) == 0 || text[len(text)-1] == '\n')
	for line := range strings.Lines(string(text)) {
		var l logLine
		require.NoError(t, json.Unmarshal([]byte(line), &l), line)
		if !runlog.IsHeartbeat([]byte(line)) {
			lines = append(lines, l)
		}
	}
	return lines
}
