//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/e2e/rpc"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// Editors and git take a file away for a moment before they write it. A reload in that moment must not take the gates
// away, and no call may have the hooks of one reading and the warnings of another.
func TestReloadWhileTheFileIsRewritten(t *testing.T) {
	hooks := []binary.Hook{{"name": "gate", "block": "no", "events": []string{"pre-tool"}}}
	for i := range 40 { // so that reading the file takes a while
		hooks = append(hooks, binary.Hook{"name": fmt.Sprint(i), "inject": "more", "events": []string{"post-tool"}})
	}
	text, err := json.Marshal(binary.Hook{"hooks": hooks})
	require.NoError(t, err)
	rewrites := map[string]func(path string) error{
		"renamed away, then renamed into place": func(path string) error {
			if err := os.Rename(path, path+"~"); err != nil {
				return err
			}
			if err := os.WriteFile(path+".new", text, 0o600); err != nil {
				return err
			}
			return os.Rename(path+".new", path)
		},
		"removed, then written in place": func(path string) error {
			if err := os.Remove(path); err != nil {
				return err
			}
			return os.WriteFile(path, text, 0o600)
		},
	}
	ways := map[string][]string{"": nil, "--trust required": {"--trust", "required"}, "--config": {"-c", ""}}
	for way, flags := range ways {
		for how, rewrite := range rewrites {
			t.Run(way+", "+how, func(t *testing.T) {
				s := rpc.NewServer(t, hooks...)
				path := s.Path(".tenex-hooks.json")
				if way == "--config" {
					flags = []string{"-c", path}
				}
				out, err := exec.Command(binary.Path, "allow", "--yes", "-C", s.Dir).CombinedOutput()
				require.NoError(t, err, "%s", out)
				s.Listen(flags...)
				c := s.Dial()
				stop, rewritten := make(chan struct{}), make(chan int)
				go func() {
					for n := 0; ; n++ {
						select {
						case <-stop:
							rewritten <- n
							return
						default:
						}
						if err := rewrite(path); err != nil {
							rewritten <- 0
							return
						}
					}
				}()
				var calls, reloads []string
				for i := range testall.Of(300, 2000) {
					if i%4 == 0 {
						reloads = append(reloads, c.Send("reload", nil))
					}
					calls = append(calls, c.Send("pre-tool", rpc.ToolParams("shell")))
				}
				for _, id := range calls {
					o := c.Answer(id).Outcome(t)
					require.Equal(t, "block", o.Decision, "%s: %s", id, o.Warnings)
				}
				for _, id := range reloads {
					c.Answer(id)
				}
				close(stop)
				require.NotZero(t, <-rewritten)
				require.Nil(t, c.Call("reload", nil).Error)
				o := c.Tool("shell")
				require.Equal(t, "no", o.Reason)
				require.Empty(t, o.Warnings)
				c.Once()
			})
		}
	}
}
