//go:build linux

package binary

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Call is a hookrun that runs hooks of Claude Code's form in a workspace of their own, and that is gone with all of
// them at the end of the test.
type Call struct {
	*Process
	lines *bufio.Reader
	Mark  string // in the environment of all that comes of it
}

// NewCall makes the workspace: settings with handlers for one event, and the fifo "ready".
func NewCall(t *testing.T, event string, handlers ...Hook) *Call {
	c := &Call{Process: &Process{T: t, Dir: t.TempDir()}}
	c.Mark = "E2E_MARK=" + c.Dir
	require.NoError(t, syscall.Mkfifo(c.Path("ready"), 0o600))
	var err error
	c.Ready, err = os.OpenFile(c.Path("ready"), os.O_RDWR|syscall.O_NONBLOCK, 0)
	require.NoError(t, err)
	c.lines = bufio.NewReader(c.Ready)
	t.Cleanup(func() { c.Ready.Close() })
	t.Cleanup(func() {
		if c.Cmd != nil && c.Cmd.ProcessState == nil {
			_ = c.Cmd.Process.Kill()
			_ = c.Cmd.Wait()
		}
		if t.Failed() { // and may have left anything
			for _, pid := range c.Marked() {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		require.Eventually(t, func() bool { return len(c.Marked()) == 0 }, Patience, time.Millisecond,
			"processes are left")
	})
	settings := Hook{"hooks": Hook{event: []any{Hook{"hooks": handlers}}}}
	require.NoError(t, os.WriteFile(c.Path("settings.json"), []byte(JSON(t, settings)), 0o600))
	return c
}

func (c *Call) Path(name string) string { return filepath.Join(c.Dir, name) }

// Begin starts hookrun.
func (c *Call) Begin(args ...string) {
	c.Helper()
	c.Cmd = exec.Command(Path, append(args, "-C", c.Dir, "-c", c.Path("settings.json"), "-o", "json")...)
	c.Cmd.Env = append(os.Environ(), c.Mark)
	c.Cmd.Stdout, c.Cmd.Stderr = &c.Out, &c.Err
	require.NoError(c, c.Cmd.Start())
}

// Ends waits for hookrun's end, which closes its pipes too: nothing that it left may hold them.
func (c *Call) Ends(code int) {
	c.Helper()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = c.Cmd.Wait()
	}()
	select {
	case <-ended:
	case <-time.After(Patience):
		require.Fail(c, "hookrun does not end, or something keeps its output open")
	}
	require.Equal(c, code, c.Cmd.ProcessState.ExitCode(), "%s%s", &c.Out, &c.Err)
}

// CallOutcome is what these tests read of an outcome.
type CallOutcome struct {
	Decision, Reason, Cause string
	Approved                bool
	Warnings                []string
	Inject                  []struct{ Content string }
	Hooks                   []struct {
		Name, Status, Cause string
		ExitCode            *int `json:"exit_code"`
	}
}

func (c *Call) Outcome() (o CallOutcome) {
	c.Helper()
	require.NoError(c, json.Unmarshal(c.Out.Bytes(), &o), "%s%s", &c.Out, &c.Err)
	return o
}

func (o CallOutcome) Statuses() (all []string) {
	for _, h := range o.Hooks {
		all = append(all, h.Status)
	}
	return all
}

// Says waits for a line of a hook's.
func (c *Call) Says() []string {
	c.Helper()
	require.NoError(c, c.Ready.SetReadDeadline(time.Now().Add(Patience)))
	line, err := c.lines.ReadString('\n')
	require.NoError(c, err, "no hook said that it is ready: %s%s", &c.Out, &c.Err)
	return strings.Fields(line)
}

// Pids waits for n lines that are "NAME PID", and returns the pids by name.
func (c *Call) Pids(n int) map[string]int {
	c.Helper()
	pids := map[string]int{}
	for range n {
		words := c.Says()
		require.Len(c, words, 2)
		pid, err := strconv.Atoi(words[1])
		require.NoError(c, err)
		pids[words[0]] = pid
	}
	require.Len(c, pids, n)
	return pids
}

func (c *Call) Gone(pid int) {
	c.Helper()
	require.Eventually(c, func() bool { return !Alive(pid) }, Patience, time.Millisecond, "process %d", pid)
}

// Marked returns what runs of the call.
func (c *Call) Marked() (left []int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		env, err := os.ReadFile("/proc/" + e.Name() + "/environ")
		if err == nil && bytes.Contains(append(env, 0), []byte(c.Mark+"\x00")) && Alive(pid) {
			left = append(left, pid)
		}
	}
	return left
}

// Gate makes the fifo "gate", which hooks wait at until the test opens it: see waits.
func (c *Call) Gate() (open func()) {
	c.Helper()
	require.NoError(c, syscall.Mkfifo(c.Path("gate"), 0o600))
	f, err := os.OpenFile(c.Path("gate"), os.O_RDWR|syscall.O_NONBLOCK, 0)
	require.NoError(c, err)
	c.Cleanup(func() { f.Close() })
	return func() { f.Close() }
}

// Waits is the script of a hook that says its name and pid, and goes on when the gate is open.
func Waits(name string) string {
	return "exec 3<gate; echo " + name + " $$ >ready; read x <&3; exec 3<&-; "
}

func CommandHook(script string, more ...Hook) Hook {
	h := Hook{"type": "command", "command": script}
	for _, m := range more {
		for k, v := range m {
			h[k] = v
		}
	}
	return h
}
