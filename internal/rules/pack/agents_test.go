package pack

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/rules/programs"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// TestDialects: the table of guarded files has all settings and hooks that the dialects know.
func TestDialects(t *testing.T) {
	const dir, home = "/work/app", "/home/user"
	for _, d := range clients.All().Clients() {
		if d.Files == nil || !d.Files.IsPlaced() { // MassGen's can be anywhere
			continue
		}
		t.Run(d.Name, func(t *testing.T) {
			none := func(string) string { return "" }
			var files []string
			for i, place := range []dialect.Place{d.Files.Project(dir), d.Files.User(home, none)} {
				files = append(files, place.Path)
				for _, other := range d.Files.Others {
					if i == 0 || filepath.Base(other) == other { // else it is beside the project's folder
						files = append(files, filepath.Join(filepath.Dir(place.Path), other))
					}
				}
				for _, own := range d.Install.OwnFiles() {
					files = append(files, filepath.Join(filepath.Dir(place.Path), own.Base))
				}
			}
			where := client.Where{Workspace: dir, Home: home, Getenv: none, AllProjects: true}
			weakest, strongest, _ := d.Install.OtherFiles(where)
			for _, file := range append(append(files, weakest...), strongest...) {
				require.Equal(t, guardSettings, guardOf(lowered(file), home), file)
			}
		})
	}
}

// TestClients: the pack knows the program of each client, apart from editors, which are no agents by themselves.
func TestClients(t *testing.T) {
	for _, d := range clients.All().Clients() {
		if program := d.Install.Program; program != "" && program != "code" && program != "windsurf" {
			row, _ := programs.Find(program)
			require.True(t, row.Says("client"), "%s: add the word client to the row of %q", d.Name, program)
		}
	}
}

// TestLinks: a file is guarded by where its path leads, and not by its name alone.
func TestLinks(t *testing.T) {
	testall.NotOnWindows(t, "Wine makes no symbolic links, and Windows only with a right for it")
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, ".claude"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".claude", "settings.json"), nil, 0o600))
	if err := os.Symlink(filepath.Join(dir, ".claude"), filepath.Join(dir, "c")); err != nil {
		t.Skip(err)
	}
	require.NoError(t, os.Symlink("c/settings.json", filepath.Join(dir, "s")))
	rule := agents.Rule("no-client-settings")
	for _, e := range append(Lines("rm s", "echo x > c/settings.json", "rm -r c/", "cp x s", "cp settings.json c"),
		Paths("fs_write", "s", "c/settings.json")...) {
		require.NotEmpty(t, rule.Decide(callOf(t, e, dir)).Subject, "%s %s", e.Tool, e.Text)
	}
	for _, e := range append(Lines("cat s", "cp s t", "rm c/x.log", "cp x c/commands.md"), Paths("fs_write", "t")...) {
		require.Zero(t, rule.Decide(callOf(t, e, dir)), "%s %s", e.Tool, e.Text)
	}
}

// TestStartsIn: a line that goes to a folder outside of the workspace first does not write in the workspace.
func TestStartsIn(t *testing.T) {
	testall.NotOnWindows(t, "its paths are those of Unix")
	dir := t.TempDir()
	other, err := os.MkdirTemp("/tmp", "pack")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(other) })
	rule := agents.Rule("no-hook-edits")
	for _, joint := range []string{" && ", "; "} {
		require.Zero(t, rule.Decide(callOf(t, Example{Text: "cd " + other + joint + "rm .tenex-hooks.json"}, dir)))
	}
	for _, line := range []string{"case x in y) cd " + other + " && ls;; esac; rm .tenex-hooks.json",
		"function f { cd " + other + " && ls; }; rm .tenex-hooks.json",
		"(cd " + other + " && ls); rm .tenex-hooks.json",
		"cd " + other + " && cd - && rm .tenex-hooks.json", "cd " + other + " && ls & rm .tenex-hooks.json",
		"cd /not/there && rm .tenex-hooks.json", "cd " + other + " | rm .tenex-hooks.json"} {
		require.NotEmpty(t, rule.Decide(callOf(t, Example{Text: line}, dir)).Subject, line)
	}
}

// TestAnywhere: the entries for files in any folder are the first of the table, as guardOf takes them.
func TestAnywhere(t *testing.T) {
	for i, g := range guardedFolders {
		require.Equal(t, i < anywhere, g.name == "", g.files)
	}
}
