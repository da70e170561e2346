//go:build unix

package binary

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
)

// User is a new user: an empty home folder, an empty project, and hookrun and a client in PATH.
type User struct {
	*testing.T
	Home, Project string
	Env           []string
}

// NewUser makes a user. The program claude in PATH prints the version that hookrun knows, and does nothing else.
func NewUser(t *testing.T) *User {
	t.Helper()
	client, ok := clients.All().ClientNamed("claude")
	require.True(t, ok)
	home, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	u := &User{T: t, Home: home, Project: filepath.Join(home, "project")}
	bin := filepath.Join(home, "bin")
	WriteFile(t, bin, "claude", "#!/bin/sh\necho '"+client.Install.Versions[0]+" (Claude Code)'\n")
	require.NoError(t, os.Mkdir(u.Project, 0o755))
	path := []string{filepath.Dir(Path), bin, os.Getenv("PATH")}
	u.Env = []string{"HOME=" + home, "LANG=C.UTF-8", "TMPDIR=" + t.TempDir(), "PATH=" + strings.Join(path, ":"),
		"GIT_CONFIG_NOSYSTEM=1"}
	return u
}

// Runs pastes lines into a shell, in the project. The exit code must be code. It returns stdout and stderr.
func (u *User) Runs(code int, lines string) string {
	u.Helper()
	cmd := exec.Command("sh", "-c", lines)
	cmd.Dir, cmd.Env = u.Project, u.Env
	out, _ := cmd.CombinedOutput()
	require.Equal(u, code, cmd.ProcessState.ExitCode(), "%s\n%s", lines, out)
	return string(out)
}

// Claude makes the calls of Claude Code's hooks at an event, as the settings of the project have them. It returns what
// the hooks say: the reason if they hold the event up, else an answer that is more than "go on".
func (u *User) Claude(event string, input map[string]any) (said string) {
	u.Helper()
	text, err := os.ReadFile(filepath.Join(u.Project, ".claude", "settings.json"))
	require.NoError(u, err)
	var settings struct {
		Hooks map[string][]struct {
			Matcher string
			Hooks   []struct{ Command string }
		}
	}
	require.NoError(u, json.Unmarshal(text, &settings))
	require.NotEmpty(u, settings.Hooks[event], "no hook at %s", event)
	all := map[string]any{"hook_event_name": event, "session_id": "one", "cwd": u.Project, "permission_mode": "default",
		"transcript_path": filepath.Join(u.Home, "transcript.jsonl")}
	for key, value := range input {
		all[key] = value
	}
	for _, group := range settings.Hooks[event] {
		require.Empty(u, group.Matcher)
		for _, h := range group.Hooks {
			cmd := exec.Command("sh", "-c", h.Command)
			cmd.Dir, cmd.Env = u.Project, append(u.Env, "CLAUDE_PROJECT_DIR="+u.Project)
			cmd.Stdin = strings.NewReader(JSON(u.T, all))
			var stderr strings.Builder
			cmd.Stderr = &stderr
			stdout, _ := cmd.Output()
			if code := cmd.ProcessState.ExitCode(); code != 0 {
				return stderr.String()
			}
			var a Answer
			require.NoError(u, json.Unmarshal(stdout, &a), "%s%s", stdout, &stderr)
			if said = a.Specific.Why + a.Reason; said == "" && strings.TrimSpace(string(stdout)) != "{}" {
				said = string(stdout)
			}
			if said != "" {
				return said
			}
		}
	}
	return ""
}

// Bash is a call of Claude Code's shell. It returns what the hooks say.
func (u *User) Bash(command string) string {
	u.Helper()
	return u.Claude("PreToolUse", map[string]any{"tool_name": "Bash", "tool_use_id": "t1",
		"tool_input": map[string]any{"command": command}})
}

// Read is a call of Claude Code's tool that reads a file of the project. It returns what the hooks say.
func (u *User) Read(name string) string {
	u.Helper()
	return u.Claude("PreToolUse", map[string]any{"tool_name": "Read", "tool_use_id": "t2",
		"tool_input": map[string]any{"file_path": filepath.Join(u.Project, name)}})
}

// Shows pastes a line into a shell, and compares stdout and stderr with the screen, in which $PROJECT and $HOME are
// the folders, and … is as in Elided. The line must succeed.
func (u *User) Shows(line, screen string) {
	u.Helper()
	screen = strings.NewReplacer("$PROJECT", u.Project, "$HOME", u.Home).Replace(screen)
	require.Regexp(u, Elided(screen), u.Runs(0, line))
}

// Elided is the expression of an output in which a line … stands for any lines, and any other … for any text in its
// line.
func Elided(output string) string {
	quoted := regexp.QuoteMeta(output)
	quoted = regexp.MustCompile(`(?m)^…\n`).ReplaceAllString(quoted, "(?:.*\n)*")
	return "^" + strings.ReplaceAll(quoted, "…", ".*") + "$"
}
