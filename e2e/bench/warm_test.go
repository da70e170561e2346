package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// BenchmarkWarm times a guard in Python and in Node under a client, each call in turn with a call without hooks, and
// with the guard started alone.
func BenchmarkWarm(b *testing.B) {
	for _, guard := range []struct{ name, text string }{
		{"python3", `import json, sys
for line in sys.stdin:
    call = json.loads(line)
    force = "push --force" in call["args"]["command"]
    print(json.dumps({"id": call["id"], **({"decision": "block", "reason": "no"} if force else {})}), flush=True)
`},
		{"node", `require("readline").createInterface({input: process.stdin}).on("line", line => {
  const call = JSON.parse(line)
  const force = call.args.command.includes("push --force")
  console.log(JSON.stringify({id: call.id, ...(force ? {decision: "block", reason: "no"} : {})}))
})
`},
	} {
		b.Run(guard.name, func(b *testing.B) {
			program, err := exec.LookPath(guard.name)
			if err != nil {
				b.Skip("no " + guard.name)
			}
			b.Setenv("XDG_STATE_HOME", b.TempDir())
			with, without := b.TempDir(), b.TempDir()
			script := filepath.Join(with, "guard")
			require.NoError(b, os.WriteFile(script, []byte(guard.text), 0o600))
			doc, err := json.Marshal(map[string]any{"hooks": []any{map[string]any{"name": "guard", "persistent": true,
				"command": []string{program, "guard"}, "events": []string{"pre-tool"}}}})
			require.NoError(b, err)
			require.NoError(b, os.WriteFile(filepath.Join(with, ".tenex-hooks.json"), doc, 0o600))
			input := func(dir string) []byte {
				return fmt.Appendf(nil, `{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash",`+
					`"tool_input":{"command":"git push"},"cwd":%q}`, dir)
			}
			b.Cleanup(func() { require.NoError(b, exec.Command(binary.Path, "status", "--end", with).Run()) })
			fire := func(dir string) time.Duration {
				return timed(b, []string{binary.Path, "fire", "-C", dir}, input(dir))
			}
			fire(with) // starts the hook
			var warm, none, alone []time.Duration
			for b.Loop() {
				warm = append(warm, fire(with))
				none = append(none, fire(without))
				line := `{"id":1,"args":{"command":"git push"}}` + "\n"
				alone = append(alone, timed(b, []string{program, script}, []byte(line)))
			}
			report(b, warm, none)
			b.ReportMetric(float64(median(alone))/1e6, "alone-ms")
			explained, err := exec.Command(binary.Path, "explain", "pre-tool", "--tool", "t", "-C", with).Output()
			require.NoError(b, err)
			require.Contains(b, string(explained), "stays after a call")
			require.False(b, strings.Contains(string(explained), "each call of a client starts it"))
		})
	}
}
