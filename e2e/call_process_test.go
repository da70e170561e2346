//go:build linux

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

func TestSignalToHookrunKillsItsHooks(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		for name, script := range map[string]string{
			"a hook": `echo $$ >ready; exec sleep 1000`,
			"a child that ignores signals": `sh -c "trap '' TERM INT HUP; echo \$\$ >ready; while :; do sleep 1; ` +
				`done" & wait`,
			"a child that left the session": `setsid sh -c 'echo $$ >ready; exec sleep 1000' & wait`,
			"an allow that was printed": `echo '{"hookSpecificOutput":{"permissionDecision":"allow"}}'; echo $$ ` +
				`>ready; exec sleep 1000`,
			"a hook that exits 0 on SIGTERM": `trap 'exit 0' TERM; echo $$ >ready; while :; do sleep 0.01; done`,
		} {
			t.Run(fmt.Sprintf("%v %s", sig, name), func(t *testing.T) {
				t.Parallel()
				s := binary.Start(t, script, "-o", "json")
				pid := s.Pid()
				require.NoError(t, s.Cmd.Process.Signal(sig))
				s.Cmd.Wait()
				require.Equal(t, 1, s.Cmd.ProcessState.ExitCode())
				require.Empty(t, s.Out.String())
				require.Regexp(t,
					`^hookrun pre-tool: interrupted by SIG[A-Z]+; the hooks were killed, there is no verdict\n$`,
					s.Err.String())
				require.False(t, binary.Alive(pid))
			})
		}
	}
}

// A second signal must not cut the killing short: it would leave what ignores the first one.
func TestSecondSignalLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	s := binary.Start(t, `echo $$ >ready; sh -c "trap '' TERM; echo \$\$ >ready; while :; do sleep 1; done" & wait`)
	outer, inner := s.Pid(), s.Pid()
	require.NoError(t, s.Cmd.Process.Signal(syscall.SIGINT))
	require.Eventually(t, func() bool { return !binary.Alive(outer) }, binary.Patience, time.Millisecond,
		"the first one was handed on")
	require.NoError(t, s.Cmd.Process.Signal(syscall.SIGINT))
	s.Cmd.Wait()
	require.Equal(t, 1, s.Cmd.ProcessState.ExitCode())
	require.NotEmpty(t, s.Err.String())
	require.False(t, binary.Alive(inner))
}

// A shell may start children and then become hookrun: they are not ours to kill.
func TestChildrenOfTheCallerAreLeftAlone(t *testing.T) {
	dir := t.TempDir()
	binary.WriteConfig(t, dir, `exec sleep 1000`)
	cmd := exec.Command("sh", "-c",
		`sleep 1000 >/dev/null 2>&1 & echo $! >"$1/child"; exec "$0" pre-tool --tool shell -C "$1" --timeout 0.2`,
		binary.Path, dir)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	text, err := os.ReadFile(filepath.Join(dir, "child"))
	require.NoError(t, err)
	child, err := strconv.Atoi(strings.TrimSpace(string(text)))
	require.NoError(t, err)
	require.True(t, binary.Alive(child))
	require.NoError(t, syscall.Kill(child, syscall.SIGKILL))
}

// A verdict that nobody can read must not pass for one that was read.
func TestClaudeOutputNeedsAStdout(t *testing.T) {
	dir := t.TempDir()
	binary.WriteConfig(t, dir, `echo no >&2; exit 1`)
	cmd := exec.Command("sh", "-c", `exec "$0" pre-tool --tool shell -o claude -C "$1" >&-`, binary.Path, dir)
	out, _ := cmd.CombinedOutput()
	require.Equal(t, 2, cmd.ProcessState.ExitCode(), string(out))
}

func TestIgnoredSignalStaysIgnored(t *testing.T) {
	s := &binary.Process{T: t, Dir: t.TempDir()}
	binary.WriteConfig(t, s.Dir, `kill -INT $PPID; kill -HUP $PPID; exit 0`)
	s.Cmd = exec.Command("sh", "-c", `trap '' INT HUP; exec "$0" pre-tool --tool shell -C "$1"`, binary.Path, s.Dir)
	out, err := s.Cmd.CombinedOutput()
	require.NoError(t, err, string(out))
}

func TestKilledHookrunTakesItsHooksAlong(t *testing.T) {
	t.Parallel()
	s := binary.Start(t, `echo $$ >ready; exec sleep 1000`)
	pid := s.Pid()
	killed(t, s, pid)
}

// The hook's children are of its group, which has a guard by the time that a second child of hookrun is seen.
func TestKilledHookrunTakesTheChildrenOfItsHooksAlong(t *testing.T) {
	s := binary.Start(t, `sh -c 'trap "" TERM; echo $$ >ready; while :; do sleep 1; done' & wait`)
	pid := s.Pid()
	require.Eventually(t, func() bool { return len(binary.Children(s.Cmd.Process.Pid)) == 2 }, binary.Patience,
		time.Millisecond)
	guards := binary.Children(s.Cmd.Process.Pid)
	killed(t, s, pid)
	for _, g := range guards {
		require.Eventually(t, func() bool { return !binary.Alive(g) }, binary.Patience, time.Millisecond)
	}
}

// killed kills hookrun and waits for the end of pid.
func killed(t *testing.T, s *binary.Process, pid int) {
	require.NoError(t, s.Cmd.Process.Kill())
	s.Cmd.Wait()
	require.Equal(t, -1, s.Cmd.ProcessState.ExitCode())
	require.Empty(t, s.Out.String())
	require.Eventually(t, func() bool { return !binary.Alive(pid) }, binary.Patience, time.Millisecond)
}

// A caller that ignores SIGCHLD hands that on, and the system then reaps children by itself: their exit codes are lost.
func TestCallerThatIgnoresSIGCHLD(t *testing.T) {
	t.Parallel()
	binary.Needs(t, "python3")
	dir := t.TempDir()
	binary.WriteConfig(t, dir, `echo no >&2; exit 1`)
	cmd := exec.Command("python3", "-c", `import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.execv(sys.argv[1], sys.argv[1:])`, binary.Path, "pre-tool", "--tool", "shell", "-C", dir)
	out, _ := cmd.CombinedOutput()
	require.Equal(t, 2, cmd.ProcessState.ExitCode(), string(out))
	require.Equal(t, "no\n", string(out))
}

func TestClosedStdout(t *testing.T) {
	dir := t.TempDir()
	binary.WriteConfig(t, dir, `echo context`)
	for _, command := range [][]string{{"pre-tool", "--tool", "shell", "-C", dir}, {"version"}, {"--help"},
		{"check", "-C", dir}, {"explain", "pre-tool", "--tool", "x", "-C", dir}} {
		isCall := command[0] == "pre-tool" // a person may have read enough of the others
		read, write, err := os.Pipe()
		require.NoError(t, err)
		read.Close()
		cmd := exec.Command(binary.Path, command...)
		var stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = write, &stderr
		cmd.Run()
		write.Close()
		require.Equal(t, 1, cmd.ProcessState.ExitCode(), command)
		require.Equal(t, isCall, strings.Contains(stderr.String(), "writing to stdout: broken pipe"), command)
	}
}

func TestClosedStderrChangesNoVerdict(t *testing.T) {
	dir := t.TempDir()
	binary.WriteConfig(t, dir, `echo no >&2; exit 1`)
	read, write, err := os.Pipe()
	require.NoError(t, err)
	read.Close()
	defer write.Close()
	cmd := exec.Command(binary.Path, "pre-tool", "--tool", "shell", "-C", dir)
	cmd.Stderr = write
	cmd.Run()
	require.Equal(t, 2, cmd.ProcessState.ExitCode())
}

func TestClosedStdin(t *testing.T) {
	dir := t.TempDir()
	binary.WriteConfig(t, dir, `cat >got`)
	run := func(args string) (int, string) {
		cmd := exec.Command("sh", "-c", `exec "$0" `+args+` <&-`, binary.Path)
		cmd.Dir = dir
		out, _ := cmd.CombinedOutput()
		return cmd.ProcessState.ExitCode(), string(out)
	}
	code, out := run("pre-tool --tool shell")
	require.Equal(t, 0, code, out)
	require.FileExists(t, filepath.Join(dir, "got"))
	code, out = run("pre-tool --tool shell --args -")
	require.Equal(t, 1, code)
	require.Contains(t, out, "--args -: ")
	code, out = run("get tool")
	require.Equal(t, 1, code)
	require.Contains(t, out, "stdin")
}

// Descriptors that a careless caller leaves open must not reach a hook, of the real binary as well.
func TestInheritedDescriptorsStayOut(t *testing.T) {
	dir := t.TempDir()
	binary.WriteConfig(t, dir, `exec ls /proc/self/fd`)
	cmd := exec.Command("sh", "-c", `exec 7</dev/null 9>/dev/null; exec "$0" pre-tool --tool shell -C "$1"`,
		binary.Path, dir)
	out, err := cmd.Output()
	require.NoError(t, err)
	require.Equal(t, "0\n1\n2\n3\n", string(out)) // 3 is ls's own, for the folder
}
