package clientfile

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/dialect"
)

// A copy of the test is the program that a command starts.
func init() {
	if code, err := strconv.Atoi(os.Getenv("CLIENTFILE_TEST_EXIT")); err == nil {
		input, _ := io.ReadAll(os.Stdin)
		fmt.Printf("%q %s", os.Args[1:], input)
		os.Exit(code)
	}
}

// shellLines are how clients start their shells.
var shellLines = map[dialect.Shell]func(command string) *exec.Cmd{
	dialect.Cmd: func(command string) *exec.Cmd {
		cmd := exec.Command("cmd.exe")
		cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: `cmd.exe /d /s /c "` + command + `"`}
		return cmd
	},
	dialect.PowerShell: func(command string) *exec.Cmd {
		return exec.Command("powershell.exe", "-NoProfile", "-Command", command)
	},
	dialect.POSIX: func(command string) *exec.Cmd { return exec.Command("sh", "-c", command) },
}

// The shell of each client starts hookrun wherever it is, gives it the input, and blocks if it fails or is missing.
func TestCommandsInTheirShells(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	text, err := os.ReadFile(self)
	require.NoError(t, err)
	binary := filepath.Join(t.TempDir(), `a b'c & (d) ^e; f`, "hookrun.exe")
	require.NoError(t, os.MkdirAll(filepath.Dir(binary), 0o700))
	require.NoError(t, os.WriteFile(binary, text, 0o700))
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			c, _ := Lookup(name)
			shell := shellLines[c.OnWindows.Shell]
			if code := exitOf(shell("exit 7")); code != 7 { // Wine's powershell.exe does nothing
				t.Skip("its shell is not there")
			}
			if name == "opencode" {
				t.Skip("it needs no shell")
			}
			command, err := c.Command(binary, []string{"--output", c.Name})
			require.NoError(t, err)
			codes := map[string]int{"1": 2, "2": 2, "9": 2}
			if exitOf(shell("cmd /c exit 0 || exit 3")) != 3 { // Wine's cmd.exe runs what is behind || at any code
				codes["0"] = 0
			}
			if name == "droid" {
				codes["5"] = 1
			}
			for code, want := range codes {
				cmd := shell(command)
				cmd.Env = append(os.Environ(), "CLIENTFILE_TEST_EXIT="+code)
				cmd.Stdin = strings.NewReader("ä")
				var out strings.Builder
				cmd.Stdout = &out
				if got := exitOf(cmd); name != "cline" { // which reads no exit code
					require.Equal(t, want, got, "%s, which ends with %s: %s", command, code, &out)
				}
				given := fmt.Sprintf("%q ä", []string{"fire", "--output", name})
				require.True(t, strings.HasPrefix(out.String(), given), &out)
				require.Equal(t, name == "cline" && code != "0", strings.Contains(out.String(), `"cancel":true`))
			}
			require.NoError(t, os.Rename(binary, binary+".gone"))
			defer func() { require.NoError(t, os.Rename(binary+".gone", binary)) }()
			command, err = c.Command(binary, nil)
			require.NoError(t, err)
			cmd := shell(command)
			out, _ := cmd.Output()
			if name == "cline" {
				require.Contains(t, string(out), `"cancel":true`)
				return
			}
			require.Equal(t, 2, cmd.ProcessState.ExitCode(), command)
		})
	}
}

func exitOf(cmd *exec.Cmd) int {
	_ = cmd.Run()
	if cmd.ProcessState == nil {
		return -1
	}
	return cmd.ProcessState.ExitCode()
}
