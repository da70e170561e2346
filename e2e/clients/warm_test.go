//go:build linux

package clients

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

const lineGuard = `import json, sys
for line in sys.stdin:
    print(json.dumps({"id": json.loads(line)["id"]}), flush=True)
`

// TestWarm: in each session all calls but the first find the process of a persistent hook. So no variable that a client
// gives its hooks differs from call to call, also after a change of folder. The test has a short name because its home
// has a socket.
func TestWarm(t *testing.T) {
	for _, name := range []string{"claude", "codex"} {
		t.Run(name, func(t *testing.T) {
			if alone(t, pathOf(t, name)) {
				return
			}
			r := newClientRun(t, clientNamed(name))
			log := filepath.Join(r.home, "run.log")
			r.env = append(r.env, "HOOKRUN_LOG="+log)
			r.write("guard.py", lineGuard)
			r.write(".tenex-hooks.json", `{"hooks": [{"name": "guard", "command": ["python3", "guard.py"],
				"events": ["pre-tool"], "matcher": "shell", "persistent": true, "on_failure": "block"}]}`)
			r.install()
			if r.trust != nil {
				r.trust(r)
			}
			for range 2 {
				r.turn([]string{"touch free"}, []string{"mkdir -p sub; cd sub"}, []string{"touch free"})
			}
			text, err := os.ReadFile(log)
			require.NoError(t, err)
			var warm []bool
			for line := range strings.Lines(string(text)) {
				if hook := gjson.Get(line, `outcome.hooks.#(name=="guard")`); hook.Exists() {
					warm = append(warm, hook.Get("warm").Bool())
				}
			}
			require.Equal(t, []bool{false, true, true, false, true, true}, warm, "%s", text)
		})
	}
}
