package binary

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// AtTerminal runs a command at a terminal on which somebody types the next line at each question. The output of the
// command leads elsewhere.
func AtTerminal(t *testing.T, cmd *exec.Cmd, typed string) (code int, screen string) {
	t.Helper()
	return TypedAhead(t, cmd, "", typed)
}

// TypedAhead is AtTerminal, and has keys typed before the command starts.
func TypedAhead(t *testing.T, cmd *exec.Cmd, ahead, typed string) (code int, screen string) {
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
	_, err = leader.WriteString(ahead)
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	terminal.Close()
	lines, since := strings.SplitAfter(typed, "\n"), 0
	buffer := make([]byte, 64<<10)
	for {
		n, err := leader.Read(buffer)
		screen += string(buffer[:n])
		if len(lines) > 0 && question.MatchString(screen[since:]) {
			_, errType := leader.WriteString(lines[0])
			require.NoError(t, errType)
			lines, since = lines[1:], len(screen)
		}
		if err != nil { // EIO is the end of the terminal
			break
		}
	}
	_ = cmd.Wait()
	return cmd.ProcessState.ExitCode(), screen
}

var question = regexp.MustCompile(`/N(/all)?\] $`)
