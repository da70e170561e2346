package binary

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// AtTerminal runs a command at a terminal on which somebody types. Its output leads elsewhere.
func AtTerminal(t *testing.T, cmd *exec.Cmd, typed string) (code int, screen string) {
	t.Helper()
	leader, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	require.NoError(t, err)
	defer leader.Close()
	require.NoError(t, unix.IoctlSetPointerInt(int(leader.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(leader.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	cmd.Stdin = terminal
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	_, err = leader.WriteString(typed)
	require.NoError(t, err)
	err = cmd.Run()
	terminal.Close()
	text, _ := io.ReadAll(leader) // EIO is its end
	if cmd.ProcessState == nil {
		require.NoError(t, err)
	}
	return cmd.ProcessState.ExitCode(), string(text)
}
