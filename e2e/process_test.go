//go:build linux

package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
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
)

const patience = 20 * time.Second

// started is a hookrun that runs, and the fifo by which its hooks say that they are ready.
type started struct {
	*testing.T
	dir      string
	cmd      *exec.Cmd
	out, err bytes.Buffer
	ready    *os.File
	lines    *bufio.Reader
}

// start starts `hookrun pre-tool --tool shell` on one hook of a shell script, which writes its pid to "ready".
func start(t *testing.T, script string, flags ...string) *started {
	s := &started{T: t, dir: t.TempDir()}
	require.NoError(t, syscall.Mkfifo(filepath.Join(s.dir, "ready"), 0o600))
	var err error
	s.ready, err = os.OpenFile(filepath.Join(s.dir, "ready"), os.O_RDWR|syscall.O_NONBLOCK, 0)
	require.NoError(t, err)
	t.Cleanup(func() { s.ready.Close() })
	s.lines = bufio.NewReader(s.ready)
	writeConfig(t, s.dir, script)
	s.cmd = exec.Command(hookrun, append([]string{"pre-tool", "--tool", "shell", "-C", s.dir}, flags...)...)
	s.cmd.Stdout, s.cmd.Stderr = &s.out, &s.err
	require.NoError(t, s.cmd.Start())
	return s
}

func writeConfig(t *testing.T, dir, script string) {
	doc, err := json.Marshal(map[string]any{"hooks": []any{map[string]any{"name": "h", "command": script, "events": []string{"pre-tool"}}}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".tenex-hooks.json"), doc, 0o600))
}

// pid waits until the hook is ready.
func (s *started) pid() int {
	s.Helper()
	require.NoError(s, s.ready.SetReadDeadline(time.Now().Add(patience)))
	line, err := s.lines.ReadString('\n')
	require.NoError(s, err, "the hook never said that it is ready")
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	require.NoError(s, err)
	require.True(s, alive(pid))
	return pid
}

func alive(pid int) bool {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	state := bytes.TrimSpace(line[bytes.LastIndexByte(line, ')')+1:])[0]
	return state != 'Z' && state != 'X'
}

func TestSignalToHookrunKillsItsHooks(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		for name, script := range map[string]string{
			"a hook":                         `echo $$ >ready; exec sleep 1000`,
			"a child that ignores signals":   `sh -c "trap '' TERM INT HUP; echo \$\$ >ready; while :; do sleep 1; done" & wait`,
			"a child that left the session":  `setsid sh -c 'echo $$ >ready; exec sleep 1000' & wait`,
			"an allow that was printed":      `echo '{"hookSpecificOutput":{"permissionDecision":"allow"}}'; echo $$ >ready; exec sleep 1000`,
			"a hook that exits 0 on SIGTERM": `trap 'exit 0' TERM; echo $$ >ready; while :; do sleep 0.01; done`,
		} {
			t.Run(fmt.Sprintf("%v %s", sig, name), func(t *testing.T) {
				s := start(t, script, "-o", "json")
				pid := s.pid()
				require.NoError(t, s.cmd.Process.Signal(sig))
				s.cmd.Wait()
				require.Equal(t, 1, s.cmd.ProcessState.ExitCode())
				require.Empty(t, s.out.String())
				require.Regexp(t, `^hookrun pre-tool: interrupted by SIG[A-Z]+; the hooks were killed, there is no verdict\n$`, s.err.String())
				require.False(t, alive(pid))
			})
		}
	}
}

// A second signal must not cut the killing short: it would leave what ignores the first one.
func TestSecondSignalLeavesNothingBehind(t *testing.T) {
	s := start(t, `echo $$ >ready; sh -c "trap '' TERM; echo \$\$ >ready; while :; do sleep 1; done" & wait`)
	outer, inner := s.pid(), s.pid()
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGINT))
	require.Eventually(t, func() bool { return !alive(outer) }, patience, time.Millisecond, "the first one was handed on")
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGINT))
	s.cmd.Wait()
	require.Equal(t, 1, s.cmd.ProcessState.ExitCode())
	require.NotEmpty(t, s.err.String())
	require.False(t, alive(inner))
}

// A shell may start children and then become hookrun: they are not ours to kill.
func TestChildrenOfTheCallerAreLeftAlone(t *testing.T) {
	dir := t.TempDir()
	writeConfig(t, dir, `exec sleep 1000`)
	cmd := exec.Command("sh", "-c", `sleep 1000 >/dev/null 2>&1 & echo $! >"$1/child"; exec "$0" pre-tool --tool shell -C "$1" --timeout 0.2`, hookrun, dir)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	text, err := os.ReadFile(filepath.Join(dir, "child"))
	require.NoError(t, err)
	child, err := strconv.Atoi(strings.TrimSpace(string(text)))
	require.NoError(t, err)
	require.True(t, alive(child))
	require.NoError(t, syscall.Kill(child, syscall.SIGKILL))
}

// A verdict that nobody can read must not pass for one that was read.
func TestClaudeOutputNeedsAStdout(t *testing.T) {
	dir := t.TempDir()
	writeConfig(t, dir, `echo no >&2; exit 1`)
	cmd := exec.Command("sh", "-c", `exec "$0" pre-tool --tool shell -o claude -C "$1" >&-`, hookrun, dir)
	out, _ := cmd.CombinedOutput()
	require.Equal(t, 2, cmd.ProcessState.ExitCode(), string(out))
}

func TestIgnoredSignalStaysIgnored(t *testing.T) {
	s := &started{T: t, dir: t.TempDir()}
	writeConfig(t, s.dir, `kill -INT $PPID; kill -HUP $PPID; exit 0`)
	s.cmd = exec.Command("sh", "-c", `trap '' INT HUP; exec "$0" pre-tool --tool shell -C "$1"`, hookrun, s.dir)
	out, err := s.cmd.CombinedOutput()
	require.NoError(t, err, string(out))
}

func TestKilledHookrunTakesItsHooksAlong(t *testing.T) {
	s := start(t, `echo $$ >ready; exec sleep 1000`)
	pid := s.pid()
	killed(t, s, pid)
}

// The hook's children are of its group, which has a guard by the time that a second child of hookrun is seen.
func TestKilledHookrunTakesTheChildrenOfItsHooksAlong(t *testing.T) {
	s := start(t, `sh -c 'trap "" TERM; echo $$ >ready; while :; do sleep 1; done' & wait`)
	pid := s.pid()
	require.Eventually(t, func() bool { return len(children(s.cmd.Process.Pid)) == 2 }, patience, time.Millisecond)
	guards := children(s.cmd.Process.Pid)
	killed(t, s, pid)
	for _, g := range guards {
		require.Eventually(t, func() bool { return !alive(g) }, patience, time.Millisecond)
	}
}

func children(parent int) (pids []int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		line, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue
		}
		fields := strings.Fields(string(line[bytes.LastIndexByte(line, ')')+1:]))
		if pid, err := strconv.Atoi(e.Name()); err == nil && fields[1] == strconv.Itoa(parent) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// killed kills hookrun and waits for the end of pid.
func killed(t *testing.T, s *started, pid int) {
	require.NoError(t, s.cmd.Process.Kill())
	s.cmd.Wait()
	require.Equal(t, -1, s.cmd.ProcessState.ExitCode())
	require.Empty(t, s.out.String())
	require.Eventually(t, func() bool { return !alive(pid) }, patience, time.Millisecond)
}

// A caller that ignores SIGCHLD hands that on, and the system then reaps children by itself: their exit codes are lost.
func TestCallerThatIgnoresSIGCHLD(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	dir := t.TempDir()
	writeConfig(t, dir, `echo no >&2; exit 1`)
	cmd := exec.Command(python, "-c", `import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.execv(sys.argv[1], sys.argv[1:])`, hookrun, "pre-tool", "--tool", "shell", "-C", dir)
	out, _ := cmd.CombinedOutput()
	require.Equal(t, 2, cmd.ProcessState.ExitCode(), string(out))
	require.Equal(t, "no\n", string(out))
}

func TestClosedStdout(t *testing.T) {
	dir := t.TempDir()
	writeConfig(t, dir, `echo context`)
	for _, command := range [][]string{{"pre-tool", "--tool", "shell", "-C", dir}, {"version"}, {"--help"}, {"check", "-C", dir}, {"explain", "pre-tool", "--tool", "x", "-C", dir}} {
		read, write, err := os.Pipe()
		require.NoError(t, err)
		read.Close()
		cmd := exec.Command(hookrun, command...)
		var stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = write, &stderr
		cmd.Run()
		write.Close()
		require.Equal(t, 1, cmd.ProcessState.ExitCode(), command)
		require.Contains(t, stderr.String(), "writing to stdout: broken pipe")
	}
}

func TestClosedStderrChangesNoVerdict(t *testing.T) {
	dir := t.TempDir()
	writeConfig(t, dir, `echo no >&2; exit 1`)
	read, write, err := os.Pipe()
	require.NoError(t, err)
	read.Close()
	defer write.Close()
	cmd := exec.Command(hookrun, "pre-tool", "--tool", "shell", "-C", dir)
	cmd.Stderr = write
	cmd.Run()
	require.Equal(t, 2, cmd.ProcessState.ExitCode())
}

func TestClosedStdin(t *testing.T) {
	dir := t.TempDir()
	writeConfig(t, dir, `cat >got`)
	run := func(args string) (int, string) {
		cmd := exec.Command("sh", "-c", `exec "$0" `+args+` <&-`, hookrun)
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
	writeConfig(t, dir, `exec ls /proc/self/fd`)
	cmd := exec.Command("sh", "-c", `exec 7</dev/null 9>/dev/null; exec "$0" pre-tool --tool shell -C "$1"`, hookrun, dir)
	out, err := cmd.Output()
	require.NoError(t, err)
	require.Equal(t, "0\n1\n2\n3\n", string(out)) // 3 is ls's own, for the folder
}
