//go:build linux

package engine_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/core/process/processtest"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
	"github.com/hookrun/hookrun/protocol"
)

func TestChildThatHoldsThePipesDoesNotDelayTheVerdict(t *testing.T) {
	t.Parallel()
	for _, code := range []int{1, 0} {
		b := newBench(t)
		o := b.fire(sh(fmt.Sprintf("sleep 1000 & echo $! >child; echo out; echo why >&2; exit %d", code),
			hook{"timeout": 15}))
		if code == 0 {
			require.Equal(t, protocol.Continue, o.Decision)
			require.Equal(t, "out", o.Texts[0].Content)
		} else {
			require.Equal(t, protocol.Block, o.Decision)
			require.Equal(t, protocol.CausePolicy, o.Cause)
			require.Equal(t, "why", o.Reason)
		}
		child := b.PID("child")
		require.Equal(t, []int{child}, o.Hooks[0].LeftRunning)
		b.Spare(child)
	}
}

// TestDenyBeforeTheDeadline: a deny that was printed whole counts, and the hook does not outlive its deadline.
func TestDenyBeforeTheDeadline(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	r := b.runner(engine.Options{}, sh(`echo '{"decision":"block","reason":"no"}'; echo $$ >ready; exec sleep 1000`,
		hook{"timeout": 1, "on_failure": "continue"}))
	var pid int
	o, err := b.during(context.Background(), r, func(words []string) { pid = processtest.Number(t, words[0]) })
	require.NoError(t, err)
	require.False(t, processtest.Alive(pid), "%s still runs", processtest.Describe(pid))
	require.Empty(t, b.Marked())
	require.Equal(t, protocol.Block, o.Decision)
	require.Equal(t, "no (it had not ended after 1s)", o.Reason)
	require.Equal(t, protocol.CausePolicy, o.Cause)
}

// At its deadline a hook has no verdict, whatever it did before and does then, but for a whole deny.
func TestDeadline(t *testing.T) {
	t.Parallel()
	newBench(t) // for what all of them leave
	for name, script := range map[string]string{
		"a hook that sleeps":            `echo $$ >ready; exec sleep 1000`,
		"a child that left the session": `setsid sh -c 'echo $$ >ready; exec sleep 1000' & wait`,
		"a hook that exits 2 on SIGTERM": `trap 'echo deny >&2; exit 2' TERM; echo $$ >ready; while :; do sleep ` +
			`0.01; done`,
		"half a deny":        `printf '{"decision":"block"'; echo $$ >ready; exec sleep 1000`,
		"a deny behind text": `echo 'note {"decision":"block"}'; echo $$ >ready; exec sleep 1000`,
		"an allow that was printed": `echo '{"hookSpecificOutput":{"permissionDecision":"allow"}}'; ` +
			`echo $$ >ready; exec sleep 1000`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			r := b.runner(engine.Options{}, sh(script, hook{"timeout": 1}))
			var pid int
			o, err := b.during(context.Background(), r, func(words []string) { pid = processtest.Number(t, words[0]) })
			require.NoError(t, err)
			require.False(t, processtest.Alive(pid), "%s still runs", processtest.Describe(pid))
			require.Empty(t, b.Marked())
			require.Equal(t, protocol.Continue, o.Decision)
			require.False(t, o.Approved)
			require.Empty(t, o.Texts)
			require.Equal(t, dialect.StatusTimeout, o.Hooks[0].Status)
			require.Equal(t, protocol.CauseTimeout, o.Hooks[0].Cause)
			require.Nil(t, o.Hooks[0].ExitCode)
			require.Empty(t, o.Hooks[0].LeftRunning)
			require.Equal(t, []string{"pre-tool hook 'h' timed out after 1s; continuing"}, o.Warnings)
		})
	}
}

func TestContextEndKillsTheHook(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	r := b.runner(engine.Options{}, sh(`trap '' TERM; echo $$ >ready; while :; do sleep 1; done`,
		hook{"timeout": "1h"}), sh("echo >second"))
	ctx, cancel := context.WithCancelCause(context.Background())
	gone := errors.New("the host gave up")
	var pid int
	o, err := b.during(ctx, r, func(words []string) {
		pid = processtest.Number(t, words[0])
		cancel(gone)
	})
	require.ErrorIs(t, err, gone)
	require.Equal(t, protocol.Block, o.Decision)
	require.Equal(t, protocol.CauseInterrupted, o.Cause)
	require.False(t, processtest.Alive(pid))
	require.NoFileExists(t, b.Path("second"))

	o, err = r.Fire(ctx, b.pre())
	require.ErrorIs(t, err, gone)
	require.Equal(t, protocol.Block, o.Decision)
}

func TestFloodOfOutput(t *testing.T) {
	b := newBench(t)
	const total = 20 << 20
	o := b.fire(sh(fmt.Sprintf("echo first; head -c %d /dev/zero | tr '\\0' x; echo; echo last", total)))
	require.Equal(t, protocol.Continue, o.Decision)
	require.EqualValues(t, total+len("first\n\nlast\n"), o.Hooks[0].StdoutBytes)
	text := o.Texts[0].Content
	require.True(t, o.Texts[0].Truncated)
	require.Less(t, len(text), 16<<20+100)
	require.True(t, strings.HasPrefix(text, "first\nxxx"))
	require.True(t, strings.HasSuffix(text, "xxx\nlast"))
	require.Contains(t, text, fmt.Sprintf("[hookrun: %d bytes left out]", total+len("first\n\nlast\n")-16<<20))
}

func TestFloodOfStderrStillGivesTheReason(t *testing.T) {
	b := newBench(t)
	o := b.fire(sh("echo because >&2; head -c 3000000 /dev/zero | tr '\\0' y >&2; exit 1"))
	require.Equal(t, protocol.Block, o.Decision)
	require.True(t, strings.HasPrefix(o.Reason, "because\nyyy"))
	require.Greater(t, len(o.Reason), 1<<20-100)
	require.LessOrEqual(t, len(o.Hooks[0].Stderr), 64<<10)
	require.Greater(t, len(o.Hooks[0].Stderr), 60<<10)
}

func TestAnswerLongerThanWhatIsKept(t *testing.T) {
	b := newBench(t)
	o := b.fire(sh(`printf '{"hookSpecificOutput":{"permissionDecision":"allow","additionalContext":"'; head -c ` +
		`17000000 /dev/zero | tr '\0' x; printf '"}}'`))
	require.Equal(t, protocol.Block, o.Decision)
	require.Equal(t, protocol.CauseOutput, o.Cause)
	require.Contains(t, o.Reason, "too long: 16 MiB of output is kept")
}

// What a hook prints is read whole up to 16 MiB, by the rules of each client but Qwen Code, which reads the first MiB.
func TestLongAnswerIsRead(t *testing.T) {
	b := newBench(t)
	const blanks = `head -c 2000000 /dev/zero | tr '\0' ' '; `
	const deny = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",` +
		`"permissionDecisionReason":"no"}}`
	for _, dialect := range []string{"claude", "codex", "copilot", "droid", "gemini", "kimi", "tenex"} {
		event, answer := "PreToolUse", deny
		if dialect == "gemini" {
			event, answer = "BeforeTool", `{"decision":"deny","reason":"no"}`
		}
		h := sh(blanks+"echo '"+answer+"'", hook{"events": []string{event}, "dialect": dialect})
		if dialect == "tenex" {
			delete(h, "dialect")
		}
		o := b.fire(h)
		require.Equal(t, protocol.Block, o.Decision, dialect)
		require.Equal(t, "no", o.Reason, dialect)
		require.Equal(t, protocol.CausePolicy, o.Cause, dialect)
	}
}

func TestDeathBySignal(t *testing.T) {
	t.Parallel()
	for _, signal := range []string{"KILL", "34"} {
		b := newBench(t)
		name := "SIG" + signal
		if signal == "34" {
			name = "signal 34"
		}
		o := b.fire(sh("echo partial; kill -" + signal + " $$"))
		require.Equal(t, protocol.Block, o.Decision)
		require.Equal(t, protocol.CauseSignal, o.Cause)
		require.Equal(t, "Tool call blocked by project hook 'h' (killed by "+name+", nothing on stderr)", o.Reason)
		require.Equal(t, name, o.Hooks[0].Signal)
		require.Nil(t, o.Hooks[0].ExitCode)

		o = b.fire(sh("kill -"+signal+" $$", hook{"on_failure": hook{"signal": "continue"}}))
		require.Equal(t, protocol.Continue, o.Decision)
		require.Equal(t, []string{"pre-tool hook 'h' was killed by " + name + "; continuing"}, o.Warnings)
	}
}

func TestUnstarted(t *testing.T) {
	b := newBench(t)
	write := func(name, text string, mode os.FileMode) {
		require.NoError(t, os.WriteFile(b.Path(name), []byte(text), mode))
	}
	write("plain", "exit 0\n", 0o644)
	write("noshebang", "exit 0\n", 0o755)
	write("lost", "#!/nonexistent/interpreter\n", 0o755)
	write("crlf", "#!/bin/sh\r\nexit 0\r\n", 0o755)
	write("mark", "\ufeff#!/bin/sh\nexit 0\n", 0o755)
	for command, want := range map[string]string{
		"./mark": "pre-tool hook 'h' could not run: ./mark: there is a byte order mark before its " +
			"#!, so that is no #! line; save it as UTF-8 without a byte order mark",
		"/nonexistent/hook-binary": "pre-tool hook 'h' could not run: /nonexistent/hook-binary: no such file",
		"./missing":                "pre-tool hook 'h' could not run: ./missing: no such file",
		"no-such-program":          "pre-tool hook 'h' could not run: no-such-program: not found in PATH",
		"./plain":                  "pre-tool hook 'h' could not run: ./plain: not executable; chmod +x it",
		"./noshebang": "pre-tool hook 'h' could not run: ./noshebang: exec format error; a script needs " +
			"a #! line",
		"./lost": "pre-tool hook 'h' could not run: ./lost: the interpreter of its #! line cannot " +
			"run: /nonexistent/interpreter: no such file",
		"./crlf": "pre-tool hook 'h' could not run: ./crlf: its #! line ends in CR LF, so its " +
			"interpreter is not found; save it with LF line ends",
		".":  "pre-tool hook 'h' could not run: .: not found in PATH",
		"./": "pre-tool hook 'h' could not run: ./: is a directory",
	} {
		o := b.fire(sh("", hook{"command": []string{command}}))
		require.Equal(t, protocol.Block, o.Decision, command)
		require.Equal(t, protocol.CauseUnstarted, o.Cause)
		require.Equal(t, want, o.Reason)
		require.Equal(t, dialect.StatusUnstarted, o.Hooks[0].Status)
	}
	o, err := b.runner(engine.Options{}, sh("", hook{"command": []string{"./missing"}})).Fire(context.Background(),
		b.post())
	require.NoError(t, err)
	require.Equal(t, protocol.Continue, o.Decision)
	require.Equal(t,
		[]string{"post-tool hook 'h' could not run: ./missing: no such file; ignored, the tool already ran"},
		o.Warnings)
}

// What a shell or env could not run was not started either, and the hook's file says why.
func TestUnstartedByAShell(t *testing.T) {
	b := newBench(t)
	write := func(name, text string, mode os.FileMode) {
		require.NoError(t, os.WriteFile(b.Path(name), []byte(text), mode))
	}
	write("crlf.sh", "#!/bin/sh\r\nexit 0\r\n", 0o755)
	write("lost.sh", "#!/nonexistent/interpreter\n", 0o755)
	write("env.sh", "#!/usr/bin/env no-such-interpreter\n", 0o755)
	write("plain.sh", "exit 0\n", 0o644)
	write("exits.sh", "#!/bin/sh\nexit 127\n", 0o755)
	const crlf = "./crlf.sh: its #! line ends in CR LF, so its interpreter is not found; save it with LF line ends"
	for _, test := range []struct {
		command any
		says    string
	}{
		{"./crlf.sh", "(exit 127); " + crlf},
		{"./crlf.sh --flag | cat; exit 127", "(exit 127); " + crlf},
		{"./lost.sh", "; ./lost.sh: the interpreter of its #! line cannot run: /nonexistent/interpreter: no such file"},
		{"./env.sh", "; ./env.sh: the interpreter of its #! line cannot run: no-such-interpreter: not found in PATH"},
		{[]string{"./env.sh"},
			"; ./env.sh: the interpreter of its #! line cannot run: no-such-interpreter: not found in PATH"},
		{[]string{"sh", "-c", "./crlf.sh"}, crlf},
		{[]string{"/bin/sh", "-ec", "no-such-program x"}, "no-such-program"},
		{[]string{"bash", "--norc", "-c", "./plain.sh"}, "(exit 126 of its shell)"},
		{[]string{"sh", "-e", "-c", "exit 127"}, "nothing on stderr (exit 127 of its shell)"},
	} {
		for _, e := range []protocol.Event{protocol.PreTool, protocol.PostTool} {
			c := dialect.Call{Event: protocol.PreTool, Tool: "shell", Workspace: b.Dir}
			if e == protocol.PostTool {
				c = b.post()
			}
			o, err := b.runner(engine.Options{}, sh("", hook{"command": test.command})).Fire(context.Background(), c)
			require.NoError(t, err)
			require.Equal(t, protocol.CauseUnstarted, o.Hooks[0].Cause, "%v %+v", test.command, o)
			text := o.Reason + strings.Join(o.Warnings, "\n")
			require.Contains(t, text, "hook 'h' could not run: ")
			require.Contains(t, text, test.says)
		}
	}
	for _, command := range []any{[]string{"./exits.sh"}, []string{"sh", "./exits.sh", "-c", "x"},
		[]string{"sh", "-c", "exit 125"}} {
		o := b.fire(sh("", hook{"command": command}))
		require.Equal(t, protocol.CausePolicy, o.Cause, command)
	}
}

func TestTooLargeForTheSystem(t *testing.T) {
	b := newBench(t)
	large := strings.Repeat("x", 256<<10) // an environment variable holds 128 KiB
	o := b.ask(b.config(sh("exit 0", hook{"env": map[string]string{"LARGE": large}})))
	require.Equal(t, protocol.Block, o.Decision)
	require.Equal(t, protocol.CauseUnstarted, o.Cause)

	// A tool's name is the model's choice, and must keep no gate from being asked.
	for _, name := range []string{large, "shell\x00"} {
		c := b.pre()
		c.Tool = name
		o, err := b.runner(engine.Options{}, sh("exit 1")).Fire(context.Background(), c)
		require.NoError(t, err)
		require.Equal(t, protocol.CausePolicy, o.Cause)
	}
}

// A host that waits for any child may take our hook's exit status. What it was is then unknown, and that is no
// approval.
func TestStolenExitStatusIsNoApproval(t *testing.T) {
	b := newBench(t)
	r := b.runner(engine.Options{}, sh("echo $$ >ready; exit 0"))
	stolen := false
	for range 100 {
		o, err := b.during(context.Background(), r, func(words []string) {
			_, err := syscall.Wait4(processtest.Number(t, words[0]), nil, 0, nil)
			stolen = err == nil
		})
		require.NoError(t, err)
		require.Equal(t, stolen, o.Decision == protocol.Block)
		if stolen {
			return
		}
	}
	t.Skip("the runner was always first")
}

func TestTwoHundredHooksAtOnce(t *testing.T) {
	b := newBench(t)
	r := b.runner(engine.Options{},
		sh("cat >/dev/null; exit 0"),
		sh("echo context", hook{"name": "context"}),
		sh("echo no >&2; exit 3", hook{"name": "no", "matcher": "blocked"}),
		sh("kill -9 $$", hook{"name": "dead", "matcher": "killed"}))
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for i := range testall.Of(10, 25) {
				c := b.pre()
				c.Tool = []string{"shell", "blocked", "killed"}[(g+i)%3]
				c.Args = fmt.Sprintf(`{"n":%d}`, i)
				o, err := r.Fire(context.Background(), c)
				if err != nil || (o.Decision == protocol.Continue) != (c.Tool == "shell") || len(o.Hooks) < 2 {
					t.Errorf("call %d of %d: %v %+v", i, g, err, o)
				}
			}
		})
	}
	all.Wait()
}
