package clientfile

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/dialect"
)

func TestCommandsOnWindows(t *testing.T) {
	t.Parallel()
	const binary = `C:\Program Files\it's & (x)\hookrun.exe`
	for name, want := range map[string]string{
		"claude": `& 'C:\Program Files\it''s & (x)\hookrun.exe' fire --pin ; if (-not $?) { exit 2 }`,
		"gemini": `& 'C:\Program Files\it''s & (x)\hookrun.exe' fire --pin ; if (-not $?) { ` +
			`[Console]::Error.WriteLine('hookrun gave no answer'); exit 2 }`,
		"kimi": `"C:\Program Files\it's & (x)\hookrun.exe" fire --pin || exit 2`,
		"droid": `"C:\Program Files\it's & (x)\hookrun.exe" fire --pin || ` +
			`if errorlevel 6 (exit 2) else if errorlevel 5 (exit 1) else exit 2`,
	} {
		c, _ := Lookup(name)
		command, err := c.write(c.OnWindows, binary, []string{"--pin"})
		require.NoError(t, err)
		require.Equal(t, want, command)
	}
}

// An entry that was written on Windows is known on every system.
func TestEntriesFromWindows(t *testing.T) {
	t.Parallel()
	for _, name := range Names() {
		c, _ := Lookup(name)
		if c.OwnFiles != nil { // which have a line that names hookrun
			continue
		}
		for _, binary := range []string{`C:\hookrun.exe`, `C:\a b\hookrun.exe`, `C:\it's\hookrun.exe`,
			`C:\it’s\hookrun.exe`,
			`C:\a & b; c\hookrun.exe`, `C:\^(x)!\hookrun.exe`, `\\server\share\hookrun.exe`, `C:\é\hookrun.exe`} {
			command, err := c.write(c.OnWindows, binary, []string{"--output", c.Name, "--pin"})
			require.NoError(t, err)
			require.True(t, ours(command, ""), command)
			words, _, byName := hookrunWords(command)
			require.Equal(t, []string{binary, "fire", "--output", c.Name, "--pin"}, words)
			require.False(t, byName)
		}
		require.NotEmpty(t, c.OnWindows.OrBlock, name)
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
		_, err := c.write(c.OnWindows, path, nil)
		require.ErrorContains(t, err, "; move hookrun", name)
	}
}

// Copilot CLI has a key of its own for the command on Windows.
func TestKeyOfTheCommand(t *testing.T) {
	t.Parallel()
	c, _ := Lookup("copilot")
	h := &handler{key: c.OnWindows.Key, command: `& 'C:\hookrun.exe' fire ; if (-not $?) { exit 2 }`, flat: true}
	text, _, err := c.install("", false, h, []string{"PreToolUse"})
	require.NoError(t, err)
	require.Contains(t, text, `"powershell": "& 'C:\\hookrun.exe' fire ;`)
	again, _, err := c.install(text, true, h, []string{"PreToolUse"})
	require.NoError(t, err)
	require.Equal(t, text, again)
	require.Len(t, c.Entries(dialect.SettingsText{Path: c.Base, Text: text}, ""), 1)
	rest, exists, err := c.uninstall(text, "")
	require.NoError(t, err)
	require.False(t, exists, rest)
}
