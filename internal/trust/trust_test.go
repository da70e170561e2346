//go:build unix

package trust_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/core/launch"
	"github.com/hookrun/hookrun/internal/trust"
	"github.com/hookrun/hookrun/protocol"
)

// workspace has the files that are named, each with its name for a text.
func workspace(t testing.TB, files ...string) string {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, name := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(name), 0o700))
	}
	return dir
}

func take(t testing.TB, dir, doc string) (*hookfile.Config, *trust.Fingerprint) {
	cfg, err := parts.All().Parse(filepath.Join(dir, hookfile.FileName), []byte(doc))
	require.NoError(t, err)
	now, err := trust.Take(cfg, options(dir))
	require.NoError(t, err)
	return cfg, now
}

func options(dir string) trust.Options {
	return trust.Options{Workspace: dir, Texts: true, Environ: func(h *hook.Hook) []string {
		list := string(filepath.ListSeparator)
		env := []string{"PATH=/nowhere" + list + "bin" + list + programs(dir), "HOME=/root"}
		return launch.Environ(h, dialect.NewCall(dialect.Call{Workspace: dir}), env, "")
	}}
}

// programs is a folder in PATH beside the workspace.
func programs(dir string) string { return dir + "-programs" }

// install puts programs there.
func install(t *testing.T, dir string, names ...string) {
	t.Helper()
	require.NoError(t, os.Mkdir(programs(dir), 0o700))
	for _, name := range names {
		require.NoError(t, os.WriteFile(filepath.Join(programs(dir), name), nil, 0o700)) //nolint:gosec // a program
	}
}

func TestFilesOfVariables(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"lib.sh", "hook.js", "log.txt"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	cfg, now := take(t, dir, `{"hooks": [{"name": "h", "command": "true", "events": ["pre-tool"],
		"env": {"BASH_ENV": "./lib.sh", "NODE_OPTIONS": "--require=./hook.js --no-warnings", "LOG": "log.txt"}}]}`)
	require.ElementsMatch(t, []string{"hook.js", "lib.sh"}, now.Named(&cfg.Hooks[0]))
}

func TestFilesOfCommands(t *testing.T) {
	for _, tt := range []struct {
		command string // as it stands in the file
		want    string
	}{
		{`["./a.sh"]`, "a.sh"},
		{`["a.sh"]`, ""}, // which PATH does not have
		{`["tool"]`, "bin/tool"},
		{`["python3", "lib/x.py", "-v", "data.json", "--config=conf/c.json", "none"]`,
			"conf/c.json data.json lib/x.py"},
		{`["python3", "-m", "lib.x"]`, "lib/x.py"},
		{`["node", "app"]`, "app/index.js"},
		{`["sh", "-ec", "./a.sh && exec lib/x.py"]`, "a.sh lib/x.py"},
		{`["env", "A=1", "timeout", "5", "./a.sh"]`, "a.sh"},
		{`["bash", "-ceu", "./a.sh --strict"]`, "a.sh"},
		{`["bash", "-c", "--", "./a.sh --strict"]`, "a.sh"},
		{`["bash", "-c", "-e", "./a.sh --strict"]`, "a.sh"},
		{`["busybox", "sh", "-c", "./a.sh"]`, "a.sh"},
		{`["rbash", "-c", "./a.sh"]`, "a.sh"},
		{`["ionice", "-c", "3", "bash", "-c", "./a.sh"]`, "a.sh"},
		{`["flock", "out", "-c", "./a.sh --strict"]`, "a.sh out"},
		{`["find", ".", "-exec", "sh", "-c", "./a.sh --strict", ";"]`, "a.sh"},
		{`"eval './a.sh --strict'; trap 'lib/x.py --strict' EXIT"`, "a.sh lib/x.py"},
		{`["lib"]`, ""},
		{`"./a.sh"`, "a.sh"},
		{`"'./a.sh' | tee data.json; sh \"lib/x.py\" > conf/c.json < out"`, "a.sh lib/x.py out"},
		{`"\"$HOOKRUN_WORKSPACE\"/a.sh"`, "a.sh"},
		{`"${HOOKRUN_WORKSPACE}/a.sh $HOME/none"`, "a.sh"},
		{`"$(git rev-parse --show-toplevel)/a.sh"`, "a.sh"},
		{`"cd lib && ./x.py"`, "lib/x.py"},
		{`"D=lib; if true; then $D/x.py; fi"`, "lib/x.py"},
		{`"bash -c 'bash -c ./a.sh'"`, "a.sh"},
		{`"if then ./a.sh"`, "a.sh"}, // no shell takes it
		{`". ./a.sh"`, "a.sh"},
		{`"python3 \"back\\slash\" \"lib/\\\"x.py\""`, `back\slash`},
		{`["cmd", "/C", "a.sh lib/x.py"]`, "a.sh lib/x.py"},
		{`"echo $1 $(echo lib)/x.py"`, ""},
	} {
		t.Run(tt.command, func(t *testing.T) {
			dir := workspace(t, "a.sh", "lib/x.py", "data.json", "conf/c.json", "app/index.js", "out", "bin/tool",
				`back\slash`, "tool.ps1")
			doc := `{"hooks": [{"name": "h", "command": ` +
				strings.ReplaceAll(tt.command, `["tool"]`, `["tool"], "env": {"PATH": "`+dir+`/bin"}`) +
				`, "events": ["pre-tool"]}]}`
			cfg, now := take(t, dir, doc)
			got := strings.Join(now.Named(&cfg.Hooks[0]), " ")
			if strings.Contains(tt.command, "$(echo lib)") { // a guess may find more
				return
			}
			require.Equal(t, tt.want, got)
		})
	}
}

// What a command for a shell names is known also where that shell is not there yet.
func TestFilesWithoutTheirShell(t *testing.T) {
	for command, want := range map[string][]string{
		`& ./a.sh; lib/x.py`: {"a.sh", "lib/x.py"}, "./tool": {"tool.ps1"}, "tool.ps1 -x": {"tool.ps1"},
		`& '.\\my lib\\it''s.ps1' -x`:                      {"my lib/it's.ps1"},
		`. \".\\my lib\\y.ps1\"; .\\tool.ps1 'a b'`:        {"my lib/y.ps1", "tool.ps1"},
		`& \"$env:HOOKRUN_WORKSPACE\\my lib\\y.ps1\"`:      {"my lib/y.ps1"},
		`& \"${env:HOOKRUN_WORKSPACE}/my lib\"/y.ps1`:      {"my lib/y.ps1"},
		`cmd /c \"%HOOKRUN_WORKSPACE%\\my lib\\y.ps1\"`:    {"my lib/y.ps1"},
		`& \"$(git rev-parse --show-toplevel)\\tool.ps1\"`: {"tool.ps1"},
		`pwsh -File $PWD\\tool.ps1 > none`:                 {"tool.ps1"},
		`echo it's; .\\tool.ps1; echo it's`:                {"tool.ps1"},
		`& $env:HOOKRUN_WORKSPACE\\tool.ps1 -x`:            {"tool.ps1"},
	} {
		names := []string{"a.sh", "lib/x.py", "tool.ps1", "my lib/it's.ps1", "my lib/y.ps1"}
		for i, name := range names {
			names[i] = "d'A's project/" + name
		}
		dir := filepath.Join(workspace(t, names...), "d'A's project")
		cfg, now := take(t, dir, `{"hooks": {"PreToolUse": [{"hooks": [
			{"type": "command", "command": "`+command+`", "shell": "powershell"}]}]}}`)
		require.Equal(t, want, now.Named(&cfg.Hooks[0]), command)
	}
}

// The files of a hook that runs in a folder of its own are those of that folder.
func TestFilesOfFolder(t *testing.T) {
	dir := workspace(t, "tools/a.sh", "a.sh", "b.sh")
	cfg, now := take(t, dir, `{"hooks": [
		{"name": "h", "dialect": "copilot", "command": "./a.sh", "events": ["pre-tool"], "cwd": "tools"},
		{"name": "other", "dialect": "copilot", "command": "./b.sh", "events": ["pre-tool"]}]}`)
	require.Equal(t, []string{"tools/a.sh"}, now.Named(&cfg.Hooks[0]))
	require.Equal(t, []string{"b.sh"}, now.Named(&cfg.Hooks[1]))
}

// The hash is that of what a reviewer saw, wherever it lies.
func TestHash(t *testing.T) {
	const doc = `{"hooks": [{"name": "h", "command": ["./a.sh"], "events": ["pre-tool"]}]}`
	one, other := workspace(t, "a.sh"), workspace(t, "a.sh")
	_, a := take(t, one, doc)
	_, b := take(t, other, doc)
	require.Equal(t, a.Hash(), b.Hash())
	require.NoError(t, os.WriteFile(filepath.Join(other, "a.sh"), []byte("else"), 0o700))
	_, b = take(t, other, doc)
	require.NotEqual(t, a.Hash(), b.Hash())
	_, b = take(t, one, strings.Replace(doc, "pre-tool", "post-tool", 1))
	require.NotEqual(t, a.Hash(), b.Hash())
}

func TestTouched(t *testing.T) {
	dir := workspace(t, "a.sh", "b.sh")
	a, b := filepath.Join(dir, "a.sh"), filepath.Join(dir, "b.sh")
	touched := func(change func()) string {
		cfg, now := take(t, dir, `{"hooks": [{"name": "h", "command": "./a.sh; ./late.sh", "events": ["pre-tool"]}]}`)
		require.Empty(t, now.ChangedBeforeRun(&cfg.Hooks[0]))
		change()
		return filepath.Base(now.ChangedBeforeRun(&cfg.Hooks[0]))
	}
	require.Equal(t, ".", touched(func() { require.NoError(t, os.WriteFile(b, []byte("b"), 0o700)) }))
	require.Equal(t, "a.sh", touched(func() { require.NoError(t, os.Chmod(a, 0o755)) }))
	require.Equal(t, "a.sh", touched(func() { require.NoError(t, os.Rename(b, a)) }))
	require.Equal(t, "late.sh", touched(func() {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "late.sh"), nil, 0o700))
	}))
	require.Equal(t, "a.sh", touched(func() {
		require.NoError(t, os.Rename(a, b))
		require.NoError(t, os.Symlink("b.sh", a))
	}))
	require.Equal(t, "a.sh", touched(func() { // the link is another one, that leads to the same
		require.NoError(t, os.Remove(a))
		require.NoError(t, os.Symlink("b.sh", a))
	}))
	require.Equal(t, "a.sh", touched(func() { require.NoError(t, os.Remove(a)) }))
}

func TestPinIsOneForAll(t *testing.T) {
	dir, state := workspace(t, "a.sh"), filepath.Join(t.TempDir(), "state")
	store, err := trust.Open(state, "")
	require.NoError(t, err)
	rules := trust.Rules{Pin: true, Session: "../s"}
	_, one := take(t, dir, `{"hooks": [{"name": "h", "command": ["./a.sh"], "events": ["pre-tool"]}]}`)
	_, other := take(t, dir, `{"hooks": []}`)
	for _, now := range []*trust.Fingerprint{one, other} { // both see that nobody was there
		j, err := store.Judge(now, rules)
		require.NoError(t, err)
		require.Equal(t, engine.Judgment{Unpinned: true}, j)
	}
	j, err := store.Pin(one, rules, engine.Judgment{Unpinned: true})
	require.NoError(t, err)
	require.Zero(t, j)
	j, err = store.Pin(other, rules, engine.Judgment{Unpinned: true})
	require.NoError(t, err)
	require.Equal(t, protocol.CauseChanged, j.Cause)
	require.Contains(t, j.Reason, ".tenex-hooks.json was changed, a.sh is not used any more, so every tool call is")
	files, err := os.ReadDir(filepath.Join(state, "sessions"))
	require.NoError(t, err)
	require.Len(t, files, 1)

	old := time.Now().Add(-31 * 24 * time.Hour)
	require.NoError(t, os.Chtimes(filepath.Join(state, "sessions", files[0].Name()), old, old))
	_, err = store.Prune()
	require.NoError(t, err)
	j, err = store.Judge(other, rules)
	require.NoError(t, err)
	require.True(t, j.Unpinned)
}

// A record that cannot be read says nothing, and least of all that hooks may run.
func TestBrokenRecord(t *testing.T) {
	dir, state := workspace(t), filepath.Join(t.TempDir(), "state")
	store, err := trust.Open(state, "")
	require.NoError(t, err)
	_, now := take(t, dir, `{"hooks": []}`)
	require.NoError(t, store.Allow(now))
	files, err := filepath.Glob(filepath.Join(state, "allowed", "*.json"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	for _, text := range []string{"", "\n", "{}", "\n{}", `{"version":2}`, "x\n{\"version\":2}"} {
		require.NoError(t, os.WriteFile(files[0], []byte(text), 0o600))
		_, err = store.Judge(now, trust.Rules{Required: true})
		require.ErrorContains(t, err, "cannot be read; remove it", "%q", text)
	}
	require.NoError(t, os.Remove(files[0]))
	require.NoError(t, os.Mkdir(files[0], 0o700))
	_, err = store.Judge(now, trust.Rules{Required: true})
	require.ErrorContains(t, err, "it is no file; remove it")
}
