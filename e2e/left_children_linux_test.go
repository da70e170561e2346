//go:build linux

package e2e

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// TestChildrenAtTheEnd: what a hook left behind at its normal exit goes on when serve or mcp ends, and a hook that
// still runs ends with all its children.
func TestChildrenAtTheEnd(t *testing.T) {
	binary.Needs(t, "python3")
	server, err := filepath.Abs("testdata/mcp/server.py")
	require.NoError(t, err)
	const request = `{"jsonrpc":"2.0","id":%d,"method":"%s","params":{"%s":"%s","%s":{"text":"%s"}}}` + "\n"
	for name, way := range map[string]struct {
		args []string
		call func(id int, text string) string
	}{
		"serve": {[]string{"serve"}, func(id int, text string) string {
			return fmt.Sprintf(request, id, "pre-tool", "tool", "echo", "args", text)
		}},
		"mcp": {[]string{"mcp", "--name", "s", "--", "python3", server}, func(id int, text string) string {
			return fmt.Sprintf(request, id, "tools/call", "name", "echo", "arguments", text)
		}},
	} {
		for how, leave := range map[string]string{"in the group": "", "in a session of its own": "setsid "} {
			t.Run(name+", "+how, func(t *testing.T) {
				t.Parallel()
				s := &binary.Process{T: t, Dir: t.TempDir()}
				ready := filepath.Join(s.Dir, "ready")
				require.NoError(t, syscall.Mkfifo(ready, 0o600))
				var err error
				s.Ready, err = os.OpenFile(ready, os.O_RDWR|syscall.O_NONBLOCK, 0)
				require.NoError(t, err)
				defer s.Ready.Close()
				s.Lines = bufio.NewReader(s.Ready)
				binary.WriteConfig(t, s.Dir, `child() { `+leave+`sh -c 'echo $$ >ready; exec sleep 1000' >/dev/null 2>&1 & }
case $("$HOOKRUN" get args.text) in
leaves) child ;;
hangs) child; echo $$ >ready; wait ;;
esac`)
				s.Cmd = exec.Command(binary.Path, append([]string{way.args[0], "-C", s.Dir}, way.args[1:]...)...)
				s.Cmd.Stderr = &s.Err
				s.Cmd.Env = append(os.Environ(), "SERVER_LOG="+filepath.Join(s.Dir, "server.log"))
				in, err := s.Cmd.StdinPipe()
				require.NoError(t, err)
				out, err := s.Cmd.StdoutPipe()
				require.NoError(t, err)
				require.NoError(t, s.Cmd.Start())
				lines := bufio.NewReader(out)
				_, err = io.WriteString(in, way.call(1, "leaves"))
				require.NoError(t, err)
				left := s.Pid()
				defer func() { _ = syscall.Kill(left, syscall.SIGKILL) }()
				answer, err := lines.ReadString('\n')
				require.NoError(t, err)
				require.Contains(t, answer, `"result":`, "the hook has ended")
				_, err = io.WriteString(in, way.call(2, "hangs"))
				require.NoError(t, err)
				running := []int{s.Pid(), s.Pid()}
				require.NoError(t, in.Close())
				_, err = io.Copy(io.Discard, lines)
				require.NoError(t, err)
				require.NoError(t, s.Cmd.Wait(), strings.TrimSpace(s.Err.String()))
				require.True(t, binary.Alive(left), "left behind at a normal exit")
				for _, pid := range running {
					require.False(t, binary.Alive(pid), "a process of a hook that ran")
				}
			})
		}
	}
}
