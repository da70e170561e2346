package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// ownClient is one without a hooks file: it runs a plugin and an executable.
func ownClient() *Client {
	text := func(call client.OwnCall) string {
		return strings.Join(append([]string{call.Program}, call.Args...), " ") + "\n" + call.Command + "\n" +
			call.Timeout.String() + "\n"
	}
	return &Client{Name: "own", Files: &dialect.Files{Client: "Own", Folder: ".own/hooks", Base: "plug.js"},
		Installation: &client.Installation{Events: []string{"before", "after"},
			Installer: &ownInstaller{files: []client.OwnFile{
				{Base: "plug.js", Events: []string{"before", "after"}, Comment: "//", Text: text},
				{Base: "prompt", Events: []string{"prompt"}, Comment: "#", Executable: true,
					Text: func(call client.OwnCall) string { return "#!/bin/sh\n" + text(call) }},
			}}}}
}

type ownInstaller struct {
	client.BaseInstaller
	files []client.OwnFile
}

func (i *ownInstaller) OwnFiles() []client.OwnFile { return i.files }

func ownEntry(t *testing.T) Entry {
	binary, err := filepath.Abs("/opt/hookrun")
	require.NoError(t, err)
	return Entry{Binary: binary, Args: []string{"--output", "claude", "--pin"}, Timeout: time.Minute,
		Events: []string{"before", "after", "prompt"}}
}

func writeAll(t *testing.T, changes []*Change) {
	for _, c := range changes {
		require.NoError(t, c.Write())
	}
}

func TestOwnFiles(t *testing.T) {
	testall.NotOnWindows(t, "the path of the program is written with slashes")
	c, e := ownClient(), ownEntry(t)
	p := c.Project(t.TempDir())
	second := filepath.Join(filepath.Dir(p.Path), "prompt")
	require.False(t, c.Installed(p, ""))

	changes, err := c.InstallAll(p, e)
	require.NoError(t, err)
	require.Len(t, changes, 2)
	require.Contains(t, changes[0].Diff(), "+"+e.Binary+" fire --output claude --pin")
	require.NoFileExists(t, p.Path, "nothing is done before Write")
	writeAll(t, changes)
	require.True(t, c.Installed(p, ""))
	script, err := os.ReadFile(second)
	require.NoError(t, err)
	lines := strings.Split(string(script), "\n")
	require.Equal(t, "#!/bin/sh", lines[0])
	require.True(t, strings.HasPrefix(lines[1], "#"+ownMark), lines[1])
	if HasShell {
		info, err := os.Stat(second)
		require.NoError(t, err)
		require.NotZero(t, info.Mode()&0o100)
	}

	// What doctor reads from them.
	file, exists, err := c.Text(p.Path)
	require.True(t, exists)
	require.NoError(t, err)
	what, _ := c.CheckOwnFile(file)
	require.Empty(t, what)
	entries := c.Entries(file, "")
	require.Len(t, entries, 2)
	require.Equal(t, "after", entries[1].Event)
	require.Equal(t, time.Minute, entries[1].Timeout)
	require.True(t, entries[1].IsStandard)
	program, _, known := Program(entries[1].Command)
	require.True(t, known)
	require.Equal(t, e.Binary, program)

	// A second time there is nothing to do, also after a checkout with other ends of lines.
	require.NoError(t, os.WriteFile(second, []byte(strings.ReplaceAll(string(script), "\n", "\r\n")), 0o777))
	changes, err = c.InstallAll(p, e)
	require.NoError(t, err)
	require.True(t, changes[0].Empty() && changes[1].Empty())
	if HasShell {
		require.NoError(t, os.Chmod(second, 0o600))
		changes, err = c.InstallAll(p, e)
		require.NoError(t, err)
		require.False(t, changes[1].Empty(), "it cannot be run")
		require.Contains(t, changes[1].Diff(), "executable")
		writeAll(t, changes)
		info, err := os.Stat(second)
		require.NoError(t, err)
		require.EqualValues(t, 0o711, info.Mode().Perm())
	}

	// Another version of hookrun's own is replaced.
	e.ByName, e.Timeout = true, time.Hour
	changes, err = c.InstallAll(p, e)
	require.NoError(t, err)
	require.Contains(t, changes[0].Diff(), "+1h0m0s")
	writeAll(t, changes)
	if HasShell {
		text, err := os.ReadFile(p.Path)
		require.NoError(t, err)
		require.NotContains(t, string(text), "/opt", "colleagues have it elsewhere")
		require.Contains(t, string(text), "\nhookrun fire --output claude --pin\n")
	}

	changes, err = c.UninstallAll(p, "")
	require.NoError(t, err)
	writeAll(t, changes)
	require.NoDirExists(t, filepath.Join(p.Root, ".own"))
	changes, err = c.UninstallAll(p, "")
	require.NoError(t, err)
	require.True(t, changes[0].Empty() && changes[1].Empty())
}

// TestOthersFileStays: hookrun neither replaces nor removes what it did not write.
func TestOthersFileStays(t *testing.T) {
	e := ownEntry(t)
	for name, text := range map[string]func(own string) string{
		"somebody's": func(string) string { return "export default 1\n" },
		"empty":      func(string) string { return "" },
		"edited":     func(own string) string { return own + "process.exit(0)\n" },
		"another head": func(own string) string {
			return strings.Replace(own, `"args":["`, `"args":["--output","gemini","`, 1)
		},
		"broken head": func(own string) string { return strings.Replace(own, `{"binary"`, `{binary`, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			c := ownClient()
			p := c.Project(t.TempDir())
			changes, err := c.InstallAll(p, e)
			require.NoError(t, err)
			writeAll(t, changes)
			second := filepath.Join(filepath.Dir(p.Path), "prompt")
			own, err := os.ReadFile(second)
			require.NoError(t, err)
			others := text(string(own))
			require.NotEqual(t, string(own), others)
			require.NoError(t, os.WriteFile(second, []byte(others), 0o666))

			_, err = c.InstallAll(p, e)
			require.ErrorContains(t, err, second)
			require.ErrorContains(t, err, "then try again")
			file := client.SettingsText{Path: second, Text: others}
			what, mend := c.CheckOwnFile(file)
			require.NotEmpty(t, what)
			require.NotEmpty(t, mend)
			require.Empty(t, c.Entries(file, ""))

			changes, err = c.UninstallAll(p, "")
			if strings.Contains(others, ownMark) {
				require.ErrorContains(t, err, "was edited")
				return
			}
			require.NoError(t, err)
			writeAll(t, changes)
			require.NoFileExists(t, p.Path)
			after, err := os.ReadFile(second)
			require.NoError(t, err)
			require.Equal(t, others, string(after))
		})
	}
}

// TestOwnFileOfAnother: a file that has the checksum and another program than this hookrun writes is replaced, and is
// not one to run in a folder that nobody trusts yet.
func TestOwnFileOfAnother(t *testing.T) {
	other := ownClient()
	text := other.OwnFiles()[0].Text
	other.OwnFiles()[0].Text = func(call client.OwnCall) string { return "older\n" + text(call) }
	c, e := ownClient(), ownEntry(t)
	p := c.Project(t.TempDir())
	changes, err := other.InstallAll(p, e)
	require.NoError(t, err)
	writeAll(t, changes)
	entries := c.Entries(client.SettingsText{Path: p.Path, Text: changes[0].New}, "")
	require.Len(t, entries, 2)
	require.False(t, entries[0].IsStandard)

	changes, err = c.InstallAll(p, e)
	require.NoError(t, err)
	require.Contains(t, changes[0].Diff(), "-older")
}
