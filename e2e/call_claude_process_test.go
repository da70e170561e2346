//go:build linux

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// stays is the script of a hook that has run for a moment when it says that it is ready, with a child that no signal
// but one moves. Each of the two says so.
func stays(name string) string {
	return "trap '' TERM; sh -c 'sleep 0.3; echo " + name +
		".child $$ >ready; while :; do sleep 1; done' & sleep 0.3; echo " + name +
		" $$ >ready; while :; do sleep 1; done"
}

const asyncLine = `echo '{"async":true}'; exec >/dev/null 2>&1; `

// asyncLeft goes on when the hook was left to itself: then nobody reads what it prints any more.
const asyncLeft = `echo '{"async":true}'; trap '' PIPE; while echo 2>/dev/null; do sleep 0.01; done; exec >/dev/null ` +
	`2>&1; `

func TestAsyncHookOutlivesHookrun(t *testing.T) {
	t.Parallel()
	work := binary.Waits("hook") + `cat >got; echo "$HOOKRUN_EVENT" >proof; echo done >ready`
	for way, h := range map[string]binary.Hook{
		"by the file":       binary.CommandHook(work, binary.Hook{"async": true}),
		"by its first line": binary.CommandHook(asyncLine + work),
	} {
		t.Run(way, func(t *testing.T) {
			c := binary.NewCall(t, "PreToolUse", h, binary.CommandHook("cat >sync"))
			open := c.Gate()
			c.Begin("pre-tool", "--tool", "shell", "--args", `{"command":"ls"}`)
			pid := c.Pids(1)["hook"]
			c.Ends(0)
			require.Equal(t, []string{"async", "ok"}, c.Outcome().Statuses())
			require.True(t, binary.Alive(pid))
			require.Equal(t, []int{pid}, c.Marked())
			require.False(t, binary.Exists(c.Dir, "proof"))
			open()
			require.Equal(t, []string{"done"}, c.Says())
			c.Gone(pid)
			proof, err := os.ReadFile(c.Path("proof"))
			require.NoError(t, err)
			require.Equal(t, "pre-tool\n", string(proof))
			got, err := os.ReadFile(c.Path("got"))
			require.NoError(t, err)
			sync, err := os.ReadFile(c.Path("sync"))
			require.NoError(t, err)
			require.Equal(t, string(sync), string(got), "it has its whole input, also after hookrun's end")
			require.Contains(t, string(got), `"tool_input":{"command":"ls"}`)
		})
	}
}

// Input that no pipe would hold. By its first line a hook is given all of it before it is left to itself.
func TestAsyncHookOutlivesHookrunWithALargeInput(t *testing.T) {
	t.Parallel()
	const size = 10 << 20
	for way, h := range map[string]binary.Hook{
		"by the file": binary.CommandHook(binary.Waits("hook")+"tr -dc x | wc -c >ready",
			binary.Hook{"async": true}),
		"by its first line": binary.CommandHook(asyncLine + "cat >in; " + binary.Waits("hook") +
			"tr -dc x <in | wc -c >ready"),
	} {
		t.Run(way, func(t *testing.T) {
			c := binary.NewCall(t, "PostToolUse", h)
			require.NoError(t, os.WriteFile(c.Path("result"), bytes.Repeat([]byte("x"), size), 0o600))
			open := c.Gate()
			c.Begin("post-tool", "--tool", "shell", "--result", "@"+c.Path("result"))
			pid := c.Pids(1)["hook"]
			c.Ends(0)
			open()
			n, err := strconv.Atoi(c.Says()[0])
			require.NoError(t, err)
			require.GreaterOrEqual(t, n, size)
			c.Gone(pid)
		})
	}
}

// The parent-death signal is not for hooks that may say that nobody has to wait for them; the guard is.
func TestKilledHookrunTakesAllHooksOfACallAlong(t *testing.T) {
	t.Parallel()
	const n = 4
	var handlers []binary.Hook
	for i := range n {
		handlers = append(handlers, binary.CommandHook(stays(fmt.Sprintf("hook%d", i))))
	}
	c := binary.NewCall(t, "PreToolUse", handlers...)
	c.Begin("pre-tool", "--tool", "shell")
	pids := c.Pids(2 * n)
	require.Eventually(t, func() bool { return len(binary.Children(c.Cmd.Process.Pid)) == n+1 }, binary.Patience,
		time.Millisecond, "the hooks, and one guard")
	started := binary.Children(c.Cmd.Process.Pid)
	require.NoError(t, c.Cmd.Process.Kill())
	c.Ends(-1)
	require.Empty(t, c.Out.String())
	for _, pid := range pids {
		c.Gone(pid)
	}
	for _, pid := range started {
		c.Gone(pid)
	}
}

// What is over, or was left to itself, is not the guard's any more.
func TestKilledHookrunSparesWhatIsNotItsOwn(t *testing.T) {
	t.Parallel()
	c := binary.NewCall(t, "PreToolUse",
		binary.CommandHook("sleep 0.1; sleep 1000 </dev/null >/dev/null 2>&1 & echo ended.child $! >ready; sleep "+
			"0.3; echo ended $$ >ready"),
		binary.CommandHook("sleep 0.1; "+asyncLeft+binary.Waits("line")+"echo done >ready"),
		binary.CommandHook(binary.Waits("file")+"echo done >ready", binary.Hook{"async": true}),
		binary.CommandHook(stays("waited")))
	open := c.Gate()
	c.Begin("pre-tool", "--tool", "shell")
	pids := c.Pids(6)
	// The first one is reaped after the guard was told, so then its number is not the guard's any more.
	require.Eventually(t, func() bool {
		_, err := os.Stat(fmt.Sprintf("/proc/%d", pids["ended"]))
		return os.IsNotExist(err)
	}, binary.Patience, time.Millisecond)
	require.NoError(t, c.Cmd.Process.Kill())
	c.Ends(-1)
	c.Gone(pids["waited"])
	c.Gone(pids["waited.child"])
	for _, name := range []string{"ended.child", "line", "file"} {
		require.True(t, binary.Alive(pids[name]), name)
	}
	open()
	require.Equal(t, []string{"done"}, c.Says())
	require.Equal(t, []string{"done"}, c.Says())
	c.Gone(pids["line"])
	c.Gone(pids["file"])
	require.True(t, binary.Alive(pids["ended.child"]))
	require.NoError(t, syscall.Kill(pids["ended.child"], syscall.SIGKILL))
	c.Gone(pids["ended.child"])
}

func TestSignalToHookrunKillsAllHooksOfACall(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			c := binary.NewCall(t, "PreToolUse",
				binary.CommandHook(stays("a")), binary.CommandHook(stays("b")),
				binary.CommandHook("echo no >&2; exit 2"),
				binary.CommandHook(`echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse",`+
					`"permissionDecision":"allow"}}'; echo c $$ >ready; exec sleep 1000`),
				binary.CommandHook(binary.Waits("async")+"echo done >ready", binary.Hook{"async": true}))
			open := c.Gate()
			c.Begin("pre-tool", "--tool", "shell")
			pids := c.Pids(6)
			require.NoError(t, c.Cmd.Process.Signal(sig))
			c.Ends(1)
			require.Empty(t, c.Out.String())
			require.Contains(t, c.Err.String(), "interrupted by SIG")
			require.Equal(t, []int{pids["async"]}, c.Marked())
			open()
			require.Equal(t, []string{"done"}, c.Says())
			c.Gone(pids["async"])
		})
	}
}

// Types that hookrun cannot run: the call goes on with a warning and without an approval, or is blocked if that is
// wanted.
func TestUnsupportedTypesOfTheRealBinary(t *testing.T) {
	allow := binary.CommandHook(`echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse",` +
		`"permissionDecision":"allow"}}'`)
	for _, kind := range []binary.Hook{{"type": "prompt", "prompt": "is it safe?"},
		{"type": "agent", "prompt": "is it safe?"}, {"type": "mcp_tool", "server": "s", "tool": "t"}} {
		c := binary.NewCall(t, "PreToolUse", kind, allow)
		c.Begin("pre-tool", "--tool", "shell")
		c.Ends(0)
		o := c.Outcome()
		require.Equal(t, []string{"skipped", "ok"}, o.Statuses())
		require.Equal(t, "unsupported", o.Hooks[0].Cause)
		require.False(t, o.Approved)
		require.Len(t, o.Warnings, 1)

		c = binary.NewCall(t, "PreToolUse", kind, allow)
		c.Begin("pre-tool", "--tool", "shell", "--on-failure", "block")
		c.Ends(2)
		require.Equal(t, "unsupported", c.Outcome().Cause)
	}
}

// Long contexts lie where only the user can read them, also after hookrun's end.
func TestLongContextIsKeptForTheModel(t *testing.T) {
	c := binary.NewCall(t, "UserPromptSubmit", binary.CommandHook("printf '%020000d' 0"))
	t.Setenv("TMPDIR", t.TempDir())
	c.Begin("pre-execute", "--prompt", "go")
	c.Ends(0)
	var o struct {
		Inject []struct {
			Content, File string
			Truncated     bool
		}
	}
	require.NoError(t, json.Unmarshal(c.Out.Bytes(), &o))
	require.True(t, o.Inject[0].Truncated)
	require.Less(t, len(o.Inject[0].Content), 3000)
	require.Contains(t, o.Inject[0].Content, o.Inject[0].File)
	info, err := os.Stat(o.Inject[0].File)
	require.NoError(t, err)
	require.EqualValues(t, 0o600, info.Mode().Perm())
	require.EqualValues(t, 20_000, info.Size())
}
