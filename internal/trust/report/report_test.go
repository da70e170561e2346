package report

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/record/lastrun"
	"github.com/hookrun/hookrun/internal/record/runlog"
)

// TestManagedHash: the hash is of the managed file and of the scripts beside it, and of no project's hook.
func TestManagedHash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script, other := filepath.Join(dir, "gate.sh"), filepath.Join(t.TempDir(), "other.sh")
	write := func(path, text string) { require.NoError(t, os.WriteFile(path, []byte(text), 0o600)) }
	write(script, "1")
	write(other, "1")
	file := filepath.Join(dir, "hooks.json")
	runs := func(c hook.Command) hook.Handler { return &hook.Process{Command: c} }
	cfg := &hookfile.Config{
		Files: []hookfile.File{{Path: file, Level: hook.ManagedLevel, Text: "a"},
			{Path: "p", Level: hook.ProjectLevel}},
		Hooks: []hook.Hook{
			{File: file, Level: hook.ManagedLevel, Handler: runs(hook.Command{Argv: []string{"sh", script, other}})},
			{File: file, Level: hook.ManagedLevel, Handler: runs(hook.Command{Shell: "'" + script + "'; true"})},
			{File: "p", Level: hook.ProjectLevel, Handler: runs(hook.Command{Argv: []string{other}})},
		},
	}
	before := managedHash(cfg)
	require.Len(t, before, 64)
	write(other, "2")
	require.Equal(t, before, managedHash(cfg))
	write(script, "2")
	changed := managedHash(cfg)
	require.NotEqual(t, before, changed)
	require.NoError(t, os.Remove(script))
	require.NotEqual(t, changed, managedHash(cfg))
	write(script, "1")
	require.Equal(t, before, managedHash(cfg))
	cfg.Files[0].Text = "b"
	require.NotEqual(t, before, managedHash(cfg))
	cfg.Files = cfg.Files[1:]
	require.Empty(t, managedHash(cfg))
}

func TestWordsOf(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"/f/a.sh x; sh '/f/b.sh' && timeout 5 /f/c.sh": "/f/a.sh x sh /f/b.sh timeout 5 /f/c.sh",
		"sh -c '/f/a.sh x' # /f/b.sh":                  "sh -c /f/a.sh x",
		"sh < /f/a.sh > /f/log":                        "sh /f/a.sh",
		"sh <<'E'\n/f/a.sh\nE":                         "sh /f/a.sh",
		"if true; then '/f/a.sh'; fi; x=$(/f/b.sh)":    "true /f/a.sh /f/b.sh",
		"'unclosed": "unclosed",
	} {
		require.Equal(t, want, strings.Join(wordsOf(&hook.Process{Command: hook.Command{Shell: line}}), " "), line)
	}
	argv := hook.Command{Argv: []string{"bash", "-c", "/f/a.sh $X"}}
	require.Equal(t, []string{"bash", "-c", "/f/a.sh", "$X"}, wordsOf(&hook.Process{Command: argv}))
}

func TestStatusLine(t *testing.T) {
	t.Parallel()
	now := time.Now()
	at := func(ago time.Duration) *time.Time { then := now.Add(-ago); return &then }
	entries := []runlog.ClientEntry{{File: "f"}}
	for want, r := range map[string]Report{
		"hookrun: 0 hooks; no client runs it; no call known": {Status: "none"},
		"hookrun: 5 hooks, allowed; claude, codex; last call less than a minute ago": {
			Status: "allowed", tally: hook.Tally{hook.Acts: 5}, Facts: runlog.Facts{LastCall: at(12 * time.Second),
				Clients: []runlog.Client{{Name: "claude", Entries: entries}, {Name: "gemini"},
					{Name: "codex", Entries: entries, Canary: &lastrun.Canary{OK: true}}}}},
		"hookrun: 1 hook (1 only observing), CHANGED; b, a SWITCHED OFF, c FAILED THE TEST CALL; " +
			"last call 3 days ago": {
			Status: "changed", tally: hook.Tally{hook.OnlyLooks: 1}, Facts: runlog.Facts{LastCall: at(80 * time.Hour),
				Clients: []runlog.Client{{Name: "a", Entries: entries, Off: []string{"x"}},
					{Name: "b", Entries: entries}, {Name: "c", Entries: entries, Canary: &lastrun.Canary{}}}}},
		"hookrun: 2 hooks, 1 switched off, NOT ALLOWED; no client runs it; last call less than a minute ago": {
			Status: "unknown", tally: hook.Tally{hook.Acts: 2, hook.IsOff: 1},
			Facts: runlog.Facts{LastCall: at(-time.Hour)}}, // the clock was set back
	} {
		require.Equal(t, want, r.Line(now))
	}
}

// TestLastLogged: the last call of the workspace counts, also behind calls of others.
func TestLastLogged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.log")
	require.Zero(t, lastLogged("/w", path))
	line := func(at, workspace string) string {
		return `{"version":1,"time":"2027-01-01T00:00:0` + at + `.000000Z","workspace":"` + workspace + `"}` + "\n"
	}
	text := line("1", "/w") + line("3", "/w") + line("2", "/w") + line("5", "/other") + "{\n" + line("x", "/w")
	require.NoError(t, os.WriteFile(path, []byte(strings.Repeat(line("0", "/other"), 5_000)+text), 0o600))
	require.Equal(t, time.Date(2027, 1, 1, 0, 0, 3, 0, time.UTC), lastLogged("/w", path))
	require.Zero(t, lastLogged("/none", path))
	require.Zero(t, lastLogged("/w", filepath.Dir(path)))
}

// TestBeatsOfOtherHooks: a process with many calls writes one heartbeat, and another one about hooks read again.
func TestBeatsOfOtherHooks(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "run.log")
	log, err := runlog.New(runlog.Options{Path: path})
	require.NoError(t, err)
	defer log.Close()
	config := func(text string) *hookfile.Config {
		return &hookfile.Config{Files: []hookfile.File{{Path: "p", Level: hook.ProjectLevel, Text: text}}}
	}
	b := Beats{Log: log, Path: path, Workspace: dir,
		Machine: Machine{State: filepath.Join(dir, "state"), Version: func() string { return "" }},
		Read:    func() (s State, fault, err error) { return s, nil, errors.New("not read") }}
	for i, text := range []string{"a", "b", "b", "a"} {
		b.Use(config(text))
		for range 3 {
			b.Answered()
			b.Wait()
		}
		log, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, []int{1, 2, 2, 2}[i], strings.Count(string(log), `"heartbeat":`))
	}
}
