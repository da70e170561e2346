package projecthooks_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/projecthooks"
)

// A program can tell errors of files from others, and has the position of each.
func TestLoadErrors(t *testing.T) {
	var found projecthooks.Diagnostics
	dir := t.TempDir()
	file := filepath.Join(dir, "hooks.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"hooks":[{"nam":"a"},1]}`), 0o666))
	_, err := projecthooks.Load(dir, projecthooks.LoadOptions{Files: []string{file, file}})
	require.ErrorAs(t, err, &found)
	first := projecthooks.Diagnostic{File: file, Line: 1, Column: 11,
		Text: `hook 1 has no "name", no "command", no "events"`}
	require.Equal(t, first, found[0])
	require.ErrorIs(t, err, first, "errors.Is finds each")
	var one projecthooks.Diagnostic
	require.ErrorAs(t, err, &one)
	_, same := hookfile.Load(hookfile.Options{Parts: parts.All(), Files: []string{file, file}})
	require.EqualError(t, err, same.Error())

	for _, dir := range []string{filepath.Join(dir, "nowhere"), file} {
		_, err = projecthooks.Load(dir, projecthooks.LoadOptions{})
		require.ErrorContains(t, err, "give the folder of the project")
		require.ErrorAs(t, err, new(*fs.PathError))
	}
	_, err = projecthooks.Load(dir, projecthooks.LoadOptions{Files: []string{filepath.Join(dir, "gone.json")}})
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// A program that relies on gates learns that there is no hooks file.
func TestRequireHooks(t *testing.T) {
	dir := t.TempDir()
	required := projecthooks.LoadOptions{ProjectOnly: true, RequireHooks: true}
	_, err := projecthooks.Load(dir, required)
	path := filepath.Join(dir, hookfile.FileName)
	require.ErrorContains(t, err, path+": no such file there or above, and RequireHooks needs a hooks file")
	require.ErrorAs(t, err, &projecthooks.Diagnostics{})
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = projecthooks.Load(dir, projecthooks.LoadOptions{ProjectOnly: true})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte(`{"hooks":[]}`), 0o600))
	_, err = projecthooks.Load(dir, required)
	require.NoError(t, err, "a file without hooks is a file")
}

// A test must not depend on what the machine and its user have.
func TestProjectOnly(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", home)
	require.NoError(t, os.Mkdir(filepath.Join(home, "hookrun"), 0o700))
	file := filepath.Join(home, "hookrun", "hooks.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"hooks":[{"name":"u","block":"no","events":["pre-tool"]}]}`), 0o600))
	cfg, err := projecthooks.Load(dir, projecthooks.LoadOptions{})
	require.NoError(t, err)
	require.Equal(t, "user", cfg.Hooks()[0].Level)
	cfg, err = projecthooks.Load(dir, projecthooks.LoadOptions{ProjectOnly: true})
	require.NoError(t, err)
	require.Empty(t, cfg.Hooks())
}

// A hooks file above the repository is another project's; that it was passed over is a warning.
func TestPassedOver(t *testing.T) {
	top := t.TempDir()
	repository := filepath.Join(top, "repository")
	require.NoError(t, os.MkdirAll(filepath.Join(repository, ".git"), 0o700))
	file := filepath.Join(top, hookfile.FileName)
	require.NoError(t, os.WriteFile(file, []byte(`{"hooks":[{"name":"h","block":"no","events":["pre-tool"]}]}`), 0o600))
	cfg, err := projecthooks.Load(repository, projecthooks.LoadOptions{ProjectOnly: true})
	require.NoError(t, err)
	require.Empty(t, cfg.Hooks())
	require.Len(t, cfg.Warnings(), 1)
	require.Contains(t, cfg.Warnings().Error(), file+": was passed over: ")
}

// TestChanged: a host hears of each change once, also of those after which the file cannot be loaded or read.
func TestChanged(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, hookfile.FileName)
	write := func(text string) { require.NoError(t, os.WriteFile(path, []byte(text), 0o600)) }
	write(`{"hooks":[]}`)
	cfg, err := projecthooks.Load(dir, projecthooks.LoadOptions{ProjectOnly: true})
	require.NoError(t, err)
	for _, change := range []func(){
		func() { write(`{"hooks":[`) },
		func() { write(`{"hooks":[{`) },
		func() { require.NoError(t, os.Remove(path)) },
		func() { require.NoError(t, os.Mkdir(path, 0o700)) },
		func() { require.NoError(t, os.Remove(path)); write(`{"hooks":[]}`) },
	} {
		require.Empty(t, cfg.Changed())
		change()
		require.Len(t, cfg.Changed(), 1)
	}
	require.Empty(t, cfg.Changed())
	write(`{"hooks":[]}`)
	require.Empty(t, cfg.Changed(), "it was written, and is the same")

	cfg, err = projecthooks.Parse(path, []byte(`{"hooks":[{"name":"h","block":"no","events":["pre-tool"]}]}`))
	require.NoError(t, err)
	require.Empty(t, cfg.Changed(), "it was in no file")
}

// TestZeroConfig: nobody loaded these configs. They have no hooks, and who asks must not hear that nothing has changed.
func TestZeroConfig(t *testing.T) {
	for _, cfg := range []*projecthooks.Config{nil, {}} {
		require.Empty(t, cfg.Hooks())
		require.Empty(t, cfg.Warnings())
		require.Len(t, cfg.Changed(), 1)
	}
	require.Empty(t, projecthooks.Empty.Hooks())
	require.Empty(t, projecthooks.Empty.Changed())
}

// TestChangedNearer: a hooks file that appears nearer to the folder is the project's then, whichever path leads there.
func TestChangedNearer(t *testing.T) {
	top := t.TempDir()
	sub := filepath.Join(top, "project", "sub")
	require.NoError(t, os.MkdirAll(filepath.Join(sub, "deep"), 0o700))
	require.NoError(t, os.Mkdir(filepath.Join(top, "project", ".git"), 0o700))
	write := func(dir string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, hookfile.FileName), []byte(`{"hooks":[]}`), 0o600))
	}
	write(filepath.Join(top, "project"))
	link := filepath.Join(top, "link")
	if err := os.Symlink(filepath.Join(top, "project"), link); err != nil {
		t.Skip(err)
	}
	if _, err := os.Stat(filepath.Join(link, "sub")); err != nil {
		t.Skip("links lead nowhere here, as under Wine:", err)
	}
	var all []*projecthooks.Config
	for _, dir := range []string{filepath.Join(sub, "deep"), filepath.Join(link, "sub", "deep")} {
		cfg, err := projecthooks.Load(dir, projecthooks.LoadOptions{ProjectOnly: true})
		require.NoError(t, err)
		require.Empty(t, cfg.Changed(), dir)
		all = append(all, cfg)
	}
	write(sub)
	for _, cfg := range all {
		require.Len(t, cfg.Changed(), 1)
	}
}
