package install

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/client"
)

func TestCommandsOnWindows(t *testing.T) {
	t.Parallel()
	const binary = `C:\Program Files\it's & (x)\hookrun.exe`
	const powerShell = `$hr_a = (& 'C:\Program Files\it''s & (x)\hookrun.exe' fire --pin --entry mark) -join "` +
		"`n" + `"; $hr_s = $LASTEXITCODE; if ($hr_a -clike 'hookrun:*' -and 0,2,5 -contains $hr_s) { ` +
		`[Console]::Out.Write($hr_a.Substring(8)); if ($hr_s -eq 5) { exit 1 }; exit $hr_s }; `
	const say = `[Console]::Error.WriteLine('hookrun gave no answer; is it installed?'); `
	const cmd = `"C:\Program Files\it's & (x)\hookrun.exe" fire --pin --entry status & `
	for name, want := range map[string][2]string{
		"claude": {powerShell + say + "exit 2", powerShell + say + "exit 1"},
		"gemini": {powerShell + say + "exit 2", powerShell + say + "exit 1"},
		"qwen": {powerShell + `'{"decision":"deny","reason":"hookrun gave no answer; is it installed?",` +
			`"continue":false}'; exit 0`, powerShell + say + "exit 1"},
		"kimi": {cmd + `if errorlevel 7 (exit 2) else if errorlevel 6 (exit 0) else if errorlevel 5 (exit 1) else ` +
			`exit 2`, cmd + `if errorlevel 7 (exit 1) else if errorlevel 6 (exit 0) else exit 1`},
	} {
		c, _ := Lookup(name)
		for i, blocks := range []bool{true, false} {
			command, err := c.write(c.WindowsShell, binary, []string{"--pin"}, blocks)
			require.NoError(t, err)
			require.Equal(t, want[i], command)
		}
	}
}

// An entry that was written on Windows is known on every system.
func TestEntriesFromWindows(t *testing.T) {
	t.Parallel()
	for _, name := range Names() {
		c, _ := Lookup(name)
		if c.OwnFiles() != nil { // which have a line that names hookrun
			continue
		}
		for _, binary := range []string{`C:\hookrun.exe`, `C:\a b\hookrun.exe`, `C:\it's\hookrun.exe`,
			`C:\it’s\hookrun.exe`,
			`C:\a & b; c\hookrun.exe`, `C:\^(x)!\hookrun.exe`, `\\server\share\hookrun.exe`, `C:\é\hookrun.exe`} {
			for _, blocks := range []bool{true, false} {
				command, err := c.write(c.WindowsShell, binary, []string{"--output", c.Name, "--pin"}, blocks)
				require.NoError(t, err)
				require.True(t, ours(command, ""), command)
				w := wordsOf(command)
				w.words[0] = filepath.ToSlash(w.words[0]) // on Windows, Crush's shell gets slashes
				require.Equal(t, []string{filepath.ToSlash(binary), "fire", "--output", c.Name, "--pin"}, w.words)
				require.False(t, w.byName)
			}
			for older, is := range map[string]bool{
				`& 'C:\hookrun.exe' fire ; if (-not $?) { exit 2 }`: true,
				`"C:\hookrun.exe" fire || exit 2`:                   true,
			} {
				require.Equal(t, is, ours(older, ""), older)
			}
		}
	}
	for _, command := range []string{
		`& 'C:\hookrun.exe' fire; true`, `& 'C:\other.exe' fire`,
		`& 'C:\hookrun.exe' fire -c x ; if (-not $?) { exit 2 }`,
		`& 'hookrun' fire`, `"C:\hookrun.exe" fire & true`, `"C:\%A%\hookrun.exe" fire`, `"hookrun.exe" fire`,
		`& 'C:\it's\hookrun.exe' fire`,
	} {
		require.False(t, ours(command, ""), command)
	}
}

func TestPathsThatNoShellTakes(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{
		"kimi": `C:\%A%\hookrun.exe`, "droid": `C:\%A%\hookrun.exe`, "gemini": `C:\$x\hookrun.exe`,
	} {
		c, _ := Lookup(name)
		_, err := c.write(c.WindowsShell, path, nil, true)
		require.ErrorContains(t, err, "; move hookrun", name)
	}
}

// Copilot CLI has a key of its own for the command on Windows.
func TestKeyOfTheCommand(t *testing.T) {
	t.Parallel()
	c, _ := Lookup("copilot")
	command, err := c.write(c.WindowsShell, `C:\hookrun.exe`, nil, true)
	require.NoError(t, err)
	key, _ := c.EntryMembers(c.WindowsShell)
	h := &handler{key: key, command: func(string) string { return command }, flat: func(string) bool { return true }}
	text, _, err := c.install("", false, h, []string{"PreToolUse"})
	require.NoError(t, err)
	require.Contains(t, text, `"powershell": "$hr_a = (& 'C:\\hookrun.exe' fire --entry mark)`)
	again, _, err := c.install(text, true, h, []string{"PreToolUse"})
	require.NoError(t, err)
	require.Equal(t, text, again)
	require.Len(t, c.Entries(client.SettingsText{Path: c.Base, Text: text}, ""), 1)
	rest, exists, err := c.uninstall(text, "")
	require.NoError(t, err)
	require.False(t, exists, rest)
}
