//go:build linux

package binary

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

const Patience = 20 * time.Second

// Process is a hookrun that runs, and the fifo by which its hooks say that they are ready.
type Process struct {
	*testing.T
	Dir      string
	Cmd      *exec.Cmd
	Out, Err bytes.Buffer
	Ready    *os.File
	Lines    *bufio.Reader
}

// Start starts `hookrun pre-tool --tool shell` on one hook of a shell script, which writes its pid to "ready".
func Start(t *testing.T, script string, flags ...string) *Process {
	s := &Process{T: t, Dir: t.TempDir()}
	require.NoError(t, syscall.Mkfifo(filepath.Join(s.Dir, "ready"), 0o600))
	var err error
	s.Ready, err = os.OpenFile(filepath.Join(s.Dir, "ready"), os.O_RDWR|syscall.O_NONBLOCK, 0)
	require.NoError(t, err)
	t.Cleanup(func() { s.Ready.Close() })
	s.Lines = bufio.NewReader(s.Ready)
	WriteConfig(t, s.Dir, script)
	s.Cmd = exec.Command(Path, append([]string{"pre-tool", "--tool", "shell", "-C", s.Dir}, flags...)...)
	s.Cmd.Stdout, s.Cmd.Stderr = &s.Out, &s.Err
	require.NoError(t, s.Cmd.Start())
	return s
}

func WriteConfig(t *testing.T, dir, script string) {
	doc, err := json.Marshal(map[string]any{"hooks": []any{map[string]any{"name": "h", "command": script,
		"events": []string{"pre-tool"}}}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".tenex-hooks.json"), doc, 0o600))
}

// Pid waits until the hook is ready.
func (s *Process) Pid() int {
	s.Helper()
	require.NoError(s, s.Ready.SetReadDeadline(time.Now().Add(Patience)))
	line, err := s.Lines.ReadString('\n')
	require.NoError(s, err, "the hook never said that it is ready")
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	require.NoError(s, err)
	require.True(s, Alive(pid))
	return pid
}

func Alive(pid int) bool {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	state := bytes.TrimSpace(line[bytes.LastIndexByte(line, ')')+1:])[0]
	return state != 'Z' && state != 'X'
}

func Children(parent int) (pids []int) {
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
