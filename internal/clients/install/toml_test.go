package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

func kimi(t testing.TB) *Client {
	c, found := Lookup("kimi")
	require.True(t, found)
	return c
}

var tomlFiles = map[string]string{
	"empty":               "",
	"a line":              "a = 1\n",
	"no end of the line":  "a = 1",
	"a blank line behind": "a = 1\n\n",
	"lines of Windows":    "a = 1\r\n[b]\r\nc = 2\r\n",
	"Windows, no end":     "a = 1\r\nb = 2",
	"a byte order mark":   "\ufeffa = 1\n",
	"a mark alone":        "\ufeff",
	"a comment":           "# é\n[models.m] # x\nprovider = 'p'\n# the end",
	"a text of lines":     "a = '''\n[[hooks]]\nevent = \"PreToolUse\"\n'''\n",
	"hooks": "default = 1\n\n[[hooks]]\nevent = \"PreToolUse\"\nmatcher = 'Bash'\ncommand = './guard.sh'\n\n" +
		"[thinking]\nenabled = true\n",
	"hookrun by somebody": "[[hooks]]\ncommand = 'hookrun fire' # mine\nevent = 'PreToolUse'\n",
}

func TestTOML(t *testing.T) {
	c := kimi(t)
	for name, text := range tomlFiles {
		t.Run(name, func(t *testing.T) {
			p := inProject(t, c, text)
			e := entry(c)
			requireEntries := func() string {
				t.Helper()
				installed := content(t, p)
				require.True(t, strings.HasPrefix(installed, text), installed)
				cfg, err := parts.All().ParseAs(p.Path, []byte(installed), nil)
				require.NoError(t, err, installed)
				command, err := c.Command(e.Binary, e.Args, true)
				require.NoError(t, err)
				var events []string
				for _, h := range cfg.Hooks {
					if h.Process().Shell == command {
						require.Equal(t, e.Timeout, h.Timeout)
						events = append(events, string(h.Events[0]))
					}
				}
				require.ElementsMatch(t, c.Events, events)
				require.True(t, c.Installed(p, ""))
				return installed
			}
			change, err := c.Install(p, e)
			do(t, change, err)
			installed := requireEntries()
			if strings.Contains(text, "\r\n") {
				require.Equal(t, strings.Count(installed, "\n"), strings.Count(installed, "\r\n"), "ends of lines")
			}
			again, err := c.Install(p, e)
			do(t, again, err)
			require.True(t, again.Empty(), again.Diff())

			e.Binary, e.Timeout = filepath.Join(filepath.Dir(e.Binary), "it's new", "hookrun"), 5*time.Second
			change, err = c.Install(p, e)
			do(t, change, err)
			require.Equal(t, strings.Count(installed, "\n"), strings.Count(requireEntries(), "\n"))

			change, err = c.Uninstall(p, "")
			do(t, change, err)
			require.Equal(t, text, content(t, p))
			change, err = c.Uninstall(p, "")
			do(t, change, err)
			require.True(t, change.Empty())
			require.False(t, c.Installed(p, ""))
		})
	}
}

// The client writes the file anew when its user changes a setting, without comments and in an order of its own.
func TestTOMLWrittenByTheClient(t *testing.T) {
	c := kimi(t)
	e := entry(c)
	command, err := c.Command(filepath.Join(filepath.Dir(e.Binary), "elsewhere", "hookrun"), e.Args, true)
	require.NoError(t, err)
	table := func(event string) string {
		return "[[hooks]]\ncommand = " + quoted(command) + "\nevent = '" + event + "'\n"
	}
	const before, between, after = "a = 1\n\n", "\n[[hooks]]\nevent = 'Stop'\ncommand = 'x'\n\n", "\n[z]\nb = 2\n"
	p := inProject(t, c, before+table("PreToolUse")+between+table("Stop")+table("PreToolUse")+after)
	change, err := c.Install(p, e)
	do(t, change, err)
	own, err := c.handler(e)
	require.NoError(t, err)
	want := before + own.table("PreToolUse", "\n") + between + after
	for _, event := range []string{"UserPromptSubmit", "PostToolUse", "PostToolUseFailure"} {
		want += "\n" + tomlComment + "\n" + own.table(event, "\n")
	}
	require.Equal(t, want, content(t, p), "one entry an event, the first where it stood")
	change, err = c.Uninstall(p, "")
	do(t, change, err)
	require.Equal(t, before+between+after, content(t, p))
}

func TestTOMLNoFile(t *testing.T) {
	c := kimi(t)
	root := t.TempDir()
	p := c.Project(root)
	change, err := c.Install(p, entry(c))
	do(t, change, err)
	require.True(t, strings.HasPrefix(content(t, p), tomlComment))
	change, err = c.Uninstall(p, "")
	do(t, change, err)
	require.NoDirExists(t, filepath.Dir(p.Path))

	change, err = c.Install(p, entry(c))
	do(t, change, err)
	text := content(t, p)
	require.NoError(t, os.WriteFile(p.Path, []byte(text+"\n[more]\n"), 0o600))
	change, err = c.Uninstall(p, "")
	do(t, change, err)
	require.Equal(t, "\n[more]\n", content(t, p))
}

// TestTOMLEditedBehind: what its user wrote behind the entries since stays, in lines of its own.
func TestTOMLEditedBehind(t *testing.T) {
	c := kimi(t)
	for _, test := range [][3]string{
		{"a = 1", "[b]\nc = 2\n", "a = 1\n[b]\nc = 2\n"},
		{"a = 1", "\n[b]\nc = 2\n", "a = 1\n[b]\nc = 2\n"},
		{"a = 1\n", "# x\n[b]\n", "a = 1\n# x\n[b]\n"},
		{"a = 1\r\n# x", "[b]\r\nc = 2", "a = 1\r\n# x\r\n[b]\r\nc = 2"},
	} {
		p := inProject(t, c, test[0])
		change, err := c.Install(p, entry(c))
		do(t, change, err)
		require.NoError(t, os.WriteFile(p.Path, []byte(content(t, p)+test[1]), 0o600))
		change, err = c.Uninstall(p, "")
		do(t, change, err)
		require.Equal(t, test[2], content(t, p))
	}
	for _, behind := range []string{"default_model = 'x'\n", "[hooks.env]\nx = 1\n"} {
		p := inProject(t, c, "a = 1\n")
		change, err := c.Install(p, entry(c))
		do(t, change, err)
		text := content(t, p) + behind
		require.NoError(t, os.WriteFile(p.Path, []byte(text), 0o600))
		_, err = c.Install(p, entry(c))
		require.ErrorContains(t, err, "is behind the header of hookrun's entry")
		_, err = c.Uninstall(p, "")
		require.ErrorContains(t, err, "is behind the header of hookrun's entry")
		require.Equal(t, text, content(t, p))
	}
}

func TestTOMLRefused(t *testing.T) {
	c := kimi(t)
	for text, want := range map[string]string{
		"a = \n":                                ":1:5: ",
		"a = 1\na = 2":                          ":2:1: key a is already defined",
		"a = \"\xff\"":                          ":1:6: not UTF-8",
		"hooks = [{event = 'Stop'}]\n":          `:1:9: "hooks" is no [[hooks]] tables`,
		"x = 1\n[hooks.PreToolUse]\ntype = 1\n": `"hooks" is no [[hooks]] tables`,
	} {
		p := inProject(t, c, text)
		_, err := c.Install(p, entry(c))
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, p.Path)
		require.Equal(t, text, content(t, p))
	}
}

func TestTOMLBehindALink(t *testing.T) {
	testall.NotOnWindows(t, "symbolic links need a right")
	c := kimi(t)
	root, outside := t.TempDir(), filepath.Join(t.TempDir(), "config.toml")
	require.NoError(t, os.WriteFile(outside, nil, 0o600))
	require.NoError(t, os.Symlink(outside, filepath.Join(root, "config.toml")))
	_, err := c.Install(dialect.Place{Root: root, Path: filepath.Join(root, "config.toml")}, entry(c))
	require.ErrorContains(t, err, "by a symbolic link")
}
