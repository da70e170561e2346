//go:build linux

package clients

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// TestStopGate: a gate at the end of a turn that is never content sends the agent back to work twice, and then the turn
// ends, though the agent calls a tool each time. Some clients send the reason as a prompt.
func TestStopGate(t *testing.T) {
	const block = `{"decision": "block", "reason": "2 tests fail"}`
	for _, row := range []struct {
		client, event, answer string
		blocks                int
		tells                 bool // the user reads why the turn ends
	}{
		{"claude", "Stop", block, 2, true},
		{"codex", "Stop", block, 2, false},
		{"copilot", "Stop", block, 2, true},
		{"droid", "Stop", block, 2, false},
		{"gemini", "AfterAgent", `{"decision": "deny", "reason": "2 tests fail"}`, 2, true},
		{"kimi", "Stop", `{"hookSpecificOutput": {"permissionDecision": "deny", ` +
			`"permissionDecisionReason": "2 tests fail"}}`, 1, false}, // by itself it goes on once
		{"qwen", "Stop", block, 2, true},
	} {
		t.Run(row.client, func(t *testing.T) {
			if alone(t, pathOf(t, row.client)) {
				return
			}
			r := &clientRun{T: t, client: clientNamed(row.client)}
			if row.client == "codex" {
				r.args = slices.Insert(slices.Clone(r.args), 1, "--dangerously-bypass-hook-trust")
			}
			asked := 0 // all requests of a turn come one after the other
			r.prepare(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				body, _ := io.ReadAll(req.Body)
				ofTurn := req.Method == http.MethodPost && bytes.Contains(body, []byte(`"name":"`+r.shell+`"`))
				if !ofTurn || asked > 20 {
					http.NotFound(w, req)
					return
				}
				r.mu.Lock()
				defer r.mu.Unlock()
				w.Header().Set("Content-Type", "text/event-stream")
				var commands []string
				if asked%2 == 1 {
					commands = []string{fmt.Sprint("touch again-", asked)}
				}
				_, _ = io.WriteString(w, r.says(asked, commands...))
				asked++
			}))
			r.env = append(r.env, "HOOKRUN_LOG="+filepath.Join(r.home, "run.log"))
			require.NoError(t, os.WriteFile(filepath.Join(r.workspace, ".tenex-hooks.json"),
				fmt.Appendf(nil, `{"max_stop_blocks": 2, "hooks": [{"name": "tests", "dialect": %q, "events": [%q],
				"command": %q}]}`, row.client, row.event, "echo '"+row.answer+"'"), 0o600))
			r.install()
			r.turn()
			require.Equal(t, 1+2*row.blocks, asked, r.output)
			log, err := os.ReadFile(filepath.Join(r.home, "run.log"))
			require.NoError(t, err)
			var ends []string
			for line := range strings.Lines(string(log)) {
				if gjson.Get(line, "outcome.event").String() == row.event {
					ends = append(ends, gjson.Get(line, "outcome.decision").String())
				}
			}
			want := slices.Repeat([]string{"block"}, row.blocks)
			if row.blocks > 1 {
				want = append(want, "continue")
			}
			require.Equal(t, want, ends)
			require.Equal(t, row.tells, r.userReads("2 times in a row (max_stop_blocks)"), r.output)
		})
	}
}
