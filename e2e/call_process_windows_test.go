package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/internal/core/process/processtest"
)

// A hook of these tests is this program.
func init() { processtest.Play(roles) }

// call is a hookrun that runs this program as the hook, in a role.
type call struct {
	*processtest.Bench
	cmd      *exec.Cmd
	out, err bytes.Buffer
}

func newCall(t *testing.T, hook map[string]any, flags ...string) *call {
	c := &call{Bench: processtest.New(t)}
	hook["name"], hook["events"] = "h", []string{"pre-tool"}
	hook["command"] = append([]string{c.Self()}, hook["command"].([]string)...)
	doc, err := json.Marshal(map[string]any{"hooks": []any{hook}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(c.Dir, ".tenex-hooks.json"), doc, 0o600))
	c.cmd = exec.Command(binary.Path, append([]string{"pre-tool", "--tool", "shell", "-C", c.Dir}, flags...)...)
	c.cmd.Env = append(os.Environ(), c.Mark)
	c.cmd.Stdout, c.cmd.Stderr = &c.out, &c.err
	c.cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NO_WINDOW} // a console of its own
	return c
}

func role(words ...string) map[string]any { return map[string]any{"command": words} }

func (c *call) exits(code int) {
	c.Helper()
	_ = c.cmd.Wait()
	require.Equal(c, code, c.cmd.ProcessState.ExitCode(), "%s%s", &c.out, &c.err)
}

func TestConsoleEventEndsHookrunAndItsHooks(t *testing.T) {
	for name, event := range map[string]int{"CTRL_C": windows.CTRL_C_EVENT, "CTRL_BREAK": windows.CTRL_BREAK_EVENT} {
		t.Run(name, func(t *testing.T) {
			if event == windows.CTRL_BREAK_EVENT && processtest.UnderWine() {
				t.Skip("Wine has no CTRL_BREAK")
			}
			c := newCall(t, role("tree"), "-o", "json")
			require.NoError(t, c.cmd.Start())
			hooks := c.ReadyAll(2)
			send := processtest.ChildOf("send", windows.DETACHED_PROCESS, strconv.Itoa(c.cmd.Process.Pid),
				strconv.Itoa(event))
			send.Env = append(os.Environ(), c.Mark)
			out, err := send.CombinedOutput()
			require.NoError(t, err, string(out))
			c.exits(1)
			require.Empty(t, c.out.String())
			require.Equal(t, "hookrun pre-tool: interrupted by SIGINT; the hooks were killed, there is no verdict\n",
				c.err.String())
			for _, p := range hooks {
				require.False(t, p.Runs(), "process %d still runs", p.PID)
			}
		})
	}
}

func TestKilledHookrunTakesItsHooksAlong(t *testing.T) {
	c := newCall(t, role("tree"))
	require.NoError(t, c.cmd.Start())
	hooks := c.ReadyAll(2)
	require.NoError(t, c.cmd.Process.Kill())
	_ = c.cmd.Wait()
	require.Empty(t, c.out.String())
	for _, p := range hooks {
		p.Gone()
	}
}

// outcome is what these tests read of an outcome.
type outcome struct {
	Decision, Cause, Reason string
	Inject                  []struct{ Content string }
	Hooks                   []struct {
		Status      string
		LeftRunning []int `json:"left_running"`
	}
}

func (c *call) outcome() (o outcome) {
	c.Helper()
	require.NoError(c, json.Unmarshal(c.out.Bytes(), &o), "%s%s", &c.out, &c.err)
	return o
}

func TestNothingIsLeftAtTheDeadline(t *testing.T) {
	hook := role("tree")
	hook["timeout"], hook["on_failure"] = "2s", "block"
	c := newCall(t, hook, "-o", "json")
	require.NoError(t, c.cmd.Start())
	hooks := c.ReadyAll(2)
	c.exits(2)
	require.Equal(t, "timeout", c.outcome().Cause)
	for _, p := range hooks {
		require.False(t, p.Runs(), "process %d still runs", p.PID)
	}
}

// A child that holds stdout delays the verdict only for a moment. It is left alone and named.
func TestChildIsLeftRunning(t *testing.T) {
	c := newCall(t, role("leave", "some", "context"), "-o", "json")
	require.NoError(t, c.cmd.Start())
	child := c.ReadyAll(1)[0]
	c.exits(0)
	o := c.outcome()
	require.Equal(t, "some context", o.Inject[0].Content)
	require.Equal(t, []int{child.PID}, o.Hooks[0].LeftRunning)
	child.Spared()
}

// A verdict that nobody can read must not pass for one that was read.
func TestClosedStdout(t *testing.T) {
	c := newCall(t, role("print", "context"))
	read, write, err := os.Pipe()
	require.NoError(t, err)
	read.Close()
	c.cmd.Stdout = write
	require.NoError(t, c.cmd.Start())
	write.Close()
	c.exits(1)
	require.Contains(t, c.err.String(), "writing to stdout: ")
}
