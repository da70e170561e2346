package install

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
	"github.com/hookrun/hookrun/protocol"
)

// withEntry are all clients whose entry is a line for a shell.
func withEntry() (found []*Client) {
	for _, name := range Names() {
		if c, _ := Lookup(name); c.OwnFiles() == nil || c.OwnFiles()[0].Executable {
			found = append(found, c)
		}
	}
	return found
}

// shellsOf are the shells that a client may give an entry to. The script is much the same for all clients, so one has
// all that are like sh.
func shellsOf(c *Client) (paths []string) {
	names := []string{"sh"}
	switch {
	case c.Name == "codex" || c.Name == "cursor": // the login shell of the user
		names = append(names, "zsh", "fish", "tcsh")
	case c.Name == "claude":
		names = append(names, "bash", "busybox")
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}

// inShell has a shell run an entry, and each shell that the entry names.
func inShell(shell, command string) *exec.Cmd {
	if filepath.Base(shell) == "busybox" {
		return exec.Command(shell, "sh", "-c", strings.Replace(command, "/bin/sh", shell+" sh", 1))
	}
	if base := filepath.Base(shell); base == "bash" || base == "dash" {
		command = strings.Replace(command, "/bin/sh", shell, 1)
	}
	return exec.Command(shell, "-c", command)
}

const allow = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}`

// An entry takes nothing but an answer of fire for one, whatever the hookrun in PATH or at its place does.
func TestNoAnswerBlocks(t *testing.T) {
	testall.NotOnWindows(t, "scripts for sh")
	t.Parallel()
	for name, script := range map[string]string{
		"silent":                    "exit 0",
		"an empty object":           "echo '{}'",
		"an answer without a mark":  "echo '" + allow + "'",
		"garbage":                   "echo 'command not implemented'",
		"a mark behind something":   "echo debug; echo 'hookrun:" + allow + "'",
		"fails":                     "exit 1",
		"fails behind an answer":    "echo 'hookrun:" + allow + "'; exit 1",
		"fails behind half of it":   "printf 'hookrun:{\"hookSp'; exit 3",
		"cannot run":                "exit 126",
		"killed":                    "kill -9 $$",
		"killed behind an answer":   "echo 'hookrun:" + allow + "'; kill -9 $$",
		"a flag is unknown to it":   "echo 'unknown flag: --entry' >&2; exit 2",
		"six, which is for cmd.exe": "echo 'hookrun:" + allow + "'; exit 6",
		"missing":                   "",
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			binary := filepath.Join(folder, "hookrun")
			if script != "" {
				require.NoError(t, os.WriteFile(binary, []byte("#!/bin/sh\n"+script+"\n"), 0o755))
			}
			for _, c := range withEntry() {
				for _, byName := range []bool{false, true} {
					h, err := c.handler(Entry{Binary: binary, Args: []string{"--output", c.Name}, ByName: byName,
						Events: c.Events})
					require.NoError(t, err)
					command := h.command(c.Events[0])
					require.True(t, ours(command, ""), command)
					require.Equal(t, byName && c.Name != "cursor", strings.Contains(command, "//"), command)
					for _, shell := range shellsOf(c) {
						requireBlocked(t, c, inShell(shell, command), folder, byName && script == "")
					}
				}
			}
		})
	}
}

// requireBlocked runs an entry, which must block in its client's own way. missing: it must say how to get hookrun.
func requireBlocked(t *testing.T, c *Client, cmd *exec.Cmd, path string, missing bool) {
	t.Helper()
	cmd.Env = []string{"PATH=" + path, "HOME=" + path}
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run()
	require.Equal(t, missing, strings.Contains(stderr.String(), "install hookrun: "), &stderr)
	json, exit := c.SilentBlock()
	if json == "" {
		require.Equal(t, 2, cmd.ProcessState.ExitCode(), &stderr)
		require.Empty(t, stdout.String())
		require.Contains(t, stderr.String(), client.SilentReason)
		return
	}
	require.Equal(t, exit, cmd.ProcessState.ExitCode(), &stderr)
	require.Equal(t, json, strings.TrimSpace(stdout.String()))
}

// An answer reaches the client as fire printed it, with its exit status.
func TestAnswersReachTheClient(t *testing.T) {
	testall.NotOnWindows(t, "scripts for sh")
	t.Parallel()
	folder := t.TempDir()
	binary := filepath.Join(folder, "hookrun")
	script := "#!/bin/sh\necho \"$@\" >&2; printf hookrun:; /bin/cat; exit $CODE\n"
	require.NoError(t, os.WriteFile(binary, []byte(script), 0o755))
	long := `{"reason":"` + strings.Repeat("aé€😀Á\u0088\\n%s $x `y` \u0001", 1_000) + `"}`
	for _, c := range withEntry() {
		h, err := c.handler(Entry{Binary: binary, Args: []string{"--output", c.Name}, ByName: true, Events: c.Events})
		require.NoError(t, err)
		require.NotContains(t, h.command(c.Events[0]), folder)
		for _, shell := range shellsOf(c) {
			for code, want := range map[string]int{"0": 0, "2": 2, "5": 1} {
				for _, answer := range []string{"", "{}", "a path", long} {
					cmd := inShell(shell, h.command(c.Events[0]))
					cmd.Env = []string{"PATH=" + folder, "CODE=" + code, "HOME=" + folder}
					cmd.Stdin = strings.NewReader(answer + "\n")
					var stderr strings.Builder
					cmd.Stderr = &stderr
					out, _ := cmd.Output()
					require.Equal(t, want, cmd.ProcessState.ExitCode(), &stderr)
					require.Equal(t, answer, string(out))
					require.Equal(t, "fire --output "+c.Name+" --entry mark\n", stderr.String())
				}
			}
		}
	}
}

// An answer that cannot be handed on blocks.
func TestNobodyReadsTheAnswer(t *testing.T) {
	testall.NotOnWindows(t, "scripts for sh")
	t.Parallel()
	folder := t.TempDir()
	script := "#!/bin/sh\necho 'hookrun:" + allow + "'\n"
	require.NoError(t, os.WriteFile(filepath.Join(folder, "hookrun"), []byte(script), 0o755))
	claude, _ := Lookup("claude")
	cmd := inShell("/bin/sh", claude.commandByName(nil, true)+" >&-")
	cmd.Env = []string{"PATH=" + folder}
	require.Error(t, cmd.Run())
	require.Equal(t, 2, cmd.ProcessState.ExitCode())
}

// What an entry says without an answer is a block by the client's own rules, at each event where something can be held.
func TestNoAnswerIsABlockOfTheClient(t *testing.T) {
	t.Parallel()
	for _, c := range withEntry() {
		d, _ := clients.All().Named(c.Name)
		for _, e := range c.Events {
			event := protocol.Event(e)
			if d.CannotBlock(event) {
				continue
			}
			json, exit := c.SilentBlock()
			r := dialect.HookResult{ExitCode: exit, Shell: true, Stdout: captured(json)}
			if json == "" {
				r.Stderr = captured(client.SilentReason)
			}
			call := dialect.Call{Event: event, Tool: "Bash", Args: "{}"}
			v := d.Hooks.Decode(&call, "hookrun", &r)
			require.Equal(t, protocol.Block, v.Decision, "%s %s", c.Name, e)
		}
	}
}

func captured(text string) dialect.Capture {
	return dialect.Capture{Head: []byte(text), Total: int64(len(text))}
}

// At the end of a turn a block would begin the next one, without end.
func TestNoAnswerAtTheEndOfATurn(t *testing.T) {
	testall.NotOnWindows(t, "scripts for sh")
	t.Parallel()
	for _, c := range withEntry() {
		h, err := c.handler(Entry{Binary: filepath.Join(t.TempDir(), "hookrun"), Events: c.Events})
		require.NoError(t, err)
		d, _ := clients.All().Named(c.Name)
		for _, row := range d.Events {
			if row.Can&dialect.EndsTurn == 0 {
				continue
			}
			e := row.Name
			require.False(t, c.failsClosed(string(e)))
			cmd := inShell("/bin/sh", h.command(string(e)))
			out, _ := cmd.Output()
			require.Equal(t, 1, cmd.ProcessState.ExitCode())
			require.Empty(t, out)
		}
	}
}
