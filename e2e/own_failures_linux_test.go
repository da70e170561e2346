package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/tenex"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
	"github.com/hookrun/hookrun/protocol"
)

// TestOwnFailures takes descriptors, memory and processes away from hookrun, in each dialect and by each way to call
// it. A hook that ran may say what its client makes of it. A hook that did not run holds the call.
func TestOwnFailures(t *testing.T) {
	limits := []string{"ulimit -n 8", "ulimit -n 12", "ulimit -n 14", "ulimit -v 700000"}
	for n := 6; n <= testall.Of(0, 40); n++ {
		limits = append(limits, fmt.Sprintf("ulimit -n %d", n))
	}
	hooks := map[string]binary.Hook{
		"command":    {"command": "touch ran; exit 1"},
		"persistent": {"command": []string{"sh", "-c", "touch ran; exit 1"}, "persistent": true},
		"http":       {"url": "http://127.0.0.1:9/"},
		"http name":  {"url": "http://localhost:9/"},
	}
	const call = `{"jsonrpc":"2.0","id":1,"method":"pre-tool","params":{"tool":"shell","args":{"command":"ls"}}}`
	ways := map[string]string{
		"pre-tool": `exec "$0" pre-tool -o json --log log --tool shell --args '{"command":"ls"}'`,
		"serve":    `printf '%s\n' '` + call + `' | "$0" serve --log log`,
	}
	unstarted := 0
	for _, d := range clients.All().Dialects() {
		event, found := gateOf(d)
		if !found {
			continue
		}
		t.Run(d.Name, func(t *testing.T) {
			for kind, hook := range hooks {
				if d.Name == "massgen" && strings.HasPrefix(kind, "http") {
					continue
				}
				dir := t.TempDir()
				entry := binary.Hook{"name": "g", "events": []string{string(event)}}
				for key, value := range hook {
					entry[key] = value
				}
				if d != tenex.Dialect {
					entry["dialect"] = d.Name
				}
				binary.WriteHooks(t, dir, entry)
				for way, line := range ways {
					for _, limit := range limits {
						r := binary.Run(t, dir, "", binary.Environment(dir), "sh", "-c", limit+"; "+line, binary.Path)
						outcome := gjson.Parse(r.Stdout)
						if o := outcome.Get("result"); o.Exists() {
							outcome = o
						}
						ran := binary.Exists(dir, "ran")
						if ran {
							binary.Run(t, dir, "", nil, "rm", filepath.Join(dir, "ran"))
							continue
						}
						at := fmt.Sprintf("%s, %s, %s, %s: %s%.400s", d.Name, kind, way, limit, r.Stdout, r.Stderr)
						if strings.Contains(outcome.Get("reason").String(), "hookrun could not start it: ") {
							unstarted++
							require.Equal(t, "block", outcome.Get("decision").String(), at)
							require.Equal(t, "unstarted", outcome.Get("cause").String(), at)
						} else if strings.HasPrefix(kind, "http") { // refused: it was sent
							require.False(t, strings.Contains(r.Stdout, "too many open files") &&
								outcome.Get("decision").String() == "continue", at)
						} else {
							require.NotEqual(t, "continue", outcome.Get("decision").String(), at)
							require.False(t, r.Code == 0 && way == "pre-tool", at)
						}
					}
				}
			}
		})
	}
	require.Greater(t, unstarted, 100)
}

// gateOf is the event of a dialect before a shell command.
func gateOf(d *dialect.Dialect) (protocol.Event, bool) {
	c := dialect.Call{Event: protocol.PreTool, Tool: "shell", Args: `{"command":"ls"}`}
	e := d.EventOf(&c)
	return e, e != "" && !d.CannotBlock(e)
}
