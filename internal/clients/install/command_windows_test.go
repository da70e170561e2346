package install

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

	"github.com/hookrun/hookrun/internal/clients/client"
)

// A copy of the test is the program that a command starts.
func init() {
	if code, err := strconv.Atoi(os.Getenv("CLIENTFILE_TEST_EXIT")); err == nil {
		input, _ := io.ReadAll(os.Stdin)
		fmt.Printf("%s%q %s\n", os.Getenv("CLIENTFILE_TEST_MARK"), os.Args[1:], input)
		os.Exit(code)
	}
}

// shellLines are how clients start their shells.
var shellLines = map[client.Shell]func(command string) *exec.Cmd{
	client.Cmd: func(command string) *exec.Cmd {
		cmd := exec.Command("cmd.exe")
		cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: `cmd.exe /d /s /c "` + command + `"`}
		return cmd
	},
	client.PowerShell: func(command string) *exec.Cmd {
		return exec.Command("powershell.exe", "-NoProfile", "-Command", command)
	},
	client.POSIX: func(command string) *exec.Cmd { return exec.Command("sh", "-c", command) },
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
			shell := shellLines[c.WindowsShell]
			if code := exitOf(shell("exit 7")); code != 7 { // Wine's powershell.exe does nothing
				t.Skip("its shell is not there")
			}
			if name == "opencode" {
				t.Skip("it needs no shell")
			}
			command, err := c.Command(binary, []string{"--output", c.Name}, true)
			require.NoError(t, err)
			json, exit := c.SilentBlock()
			blocked := func(cmd *exec.Cmd, out string) bool {
				return cmd.ProcessState.ExitCode() == exit && strings.Contains(out, json)
			}
			entry, answered := "mark", map[string]int{"0": 0, "2": 2, "5": 1}
			if c.WindowsShell == client.Cmd { // there the status says it, which blocks in all such clients
				json, exit = "", 2
				entry, answered = "status", map[string]int{"6": 0, "5": 1}
			}
			given := fmt.Sprintf("%q a", []string{"fire", "--output", name, "--entry", entry})
			for _, code := range []string{"0", "1", "2", "5", "6", "9"} {
				for _, mark := range []string{AnswerMark, ""} {
					cmd := shell(command)
					cmd.Env = append(os.Environ(), "CLIENTFILE_TEST_EXIT="+code, "CLIENTFILE_TEST_MARK="+mark)
					cmd.Stdin = strings.NewReader("a")
					var out strings.Builder
					cmd.Stdout = &out
					got := exitOf(cmd)
					want, is := answered[code]
					if entry == "mark" && mark == "" || !is {
						require.True(t, blocked(cmd, out.String()), "%s, which ends with %s: %s", command, code, &out)
						continue
					}
					require.Equal(t, want, got, "%s, which ends with %s: %s", command, code, &out)
					require.Equal(t, given, strings.TrimSpace(strings.TrimPrefix(out.String(), AnswerMark)))
				}
			}
			require.NoError(t, os.Rename(binary, binary+".gone"))
			defer func() { require.NoError(t, os.Rename(binary+".gone", binary)) }()
			cmd := shell(command)
			out, _ := cmd.Output()
			require.True(t, blocked(cmd, string(out)), command)
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
