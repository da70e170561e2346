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
)

// managedIn is a client with settings for all users in a temporary folder.
func managedIn(t *testing.T, name, base string) (*Client, client.Managed, Entry) {
	c, found := Lookup(name)
	require.True(t, found)
	m, found := c.Managed("linux")
	require.True(t, found)
	m.Path = filepath.Join(t.TempDir(), base)
	there := *c
	there.system = "linux"
	return &there, m, Entry{Binary: "/usr/bin/hookrun", Args: []string{"--output", name, "--managed"},
		Timeout: time.Minute, Events: c.Events}
}

func apply(t *testing.T, changes []*Change, err error) {
	t.Helper()
	require.NoError(t, err)
	for _, change := range changes {
		require.NoError(t, change.Write())
	}
}

func TestManagedRoundTrip(t *testing.T) {
	for _, test := range []struct{ client, base, before, has string }{
		{"gemini", "settings.json", "", `"hooksConfig": {`},
		{"gemini", "settings.json", "{}", `"enabled": true`},
		{"gemini", "settings.json", "{\n}\n", `"enabled": true`},
		{"gemini", "settings.json", `{"hooksConfig":{ }, "a": 1}`, `"hooksConfig":{"enabled":true}`},
		{"gemini", "settings.json", "{\n\t// why\n\t\"hooksConfig\": {\"notifications\": false},\n\t\"a\": [1]\n}",
			"\"hooksConfig\": {\"notifications\": false, \"enabled\": true}"},
		{"gemini", "settings.json", "{\n  \"hooksConfig\": {\n    \"enabled\": true\n  }\n}\n", `"enabled": true`},
		{"gemini", "settings.json", `{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "x"}]}]}}`,
			"hookrun"},
		{"qwen", "settings.json", "{\n  \"a\": 1\n}", `"disableAllHooks": false`},
		{"copilot", "hookrun.json", "", `"bash": "exec /bin/sh`},
		{"claude", "hookrun.json", "", "hookrun fire"},
		{"codex", "requirements.toml", "", "[features]\nhooks = true\n[hooks]\nmanaged_dir = \"/etc/codex\"\n"},
		{"codex", "requirements.toml", "\n", "[[hooks.PreToolUse.hooks]]"},
		{"codex", "requirements.toml", "a = 1", "a = 1\n# hookrun"},
		{"codex", "requirements.toml", "a = 1\r\n\r\n[b]\r\nc = 2\r\n", "a = 1\r\n\r\n# hookrun"},
		{"codex", "requirements.toml", "[features]\nhooks = true\n[hooks]\nmanaged_dir = \"/opt/x\"\n" +
			"[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"x\"\n", "[[hooks.PreToolUse]]"},
		{"codex", "requirements.toml", "[[ a.b ]]\nc = 2", "# the end of hookrun's lines\n[[ a.b ]]"},
	} {
		t.Run(test.client+" "+test.before, func(t *testing.T) {
			c, m, e := managedIn(t, test.client, test.base)
			if test.before != "" {
				require.NoError(t, os.WriteFile(m.Path, []byte(test.before), 0o600))
			}
			for _, m := range []client.Managed{m, m.Alone(), m.Alone()} {
				changes, err := c.InstallManaged(m, e)
				apply(t, changes, err)
				again, err := c.InstallManaged(m, e)
				require.NoError(t, err)
				require.True(t, again[0].Empty(), again[0].Diff())
			}
			text, err := os.ReadFile(m.Path)
			require.NoError(t, err)
			require.Contains(t, string(text), test.has)
			if m.Only != nil {
				require.Contains(t, strings.ToLower(strings.ReplaceAll(string(text), "_", "")), "allowmanagedhooksonly")
			}
			if HasShell {
				info, err := os.Stat(m.Path)
				require.NoError(t, err)
				require.EqualValues(t, 0o444, info.Mode().Perm()&0o444, "each user's client reads it")
			}
			found, state, err := c.ManagedEntries(m, "")
			require.NoError(t, err)
			require.Len(t, found, len(c.Events))
			require.Equal(t, map[bool]ManagedState{true: ManagedAlone, false: ManagedSame}[m.Only != nil], state)

			changes, err := c.UninstallManaged(m, "")
			apply(t, changes, err)
			text, err = os.ReadFile(m.Path)
			require.Equal(t, test.before, string(text))
			require.Equal(t, test.before == "", os.IsNotExist(err))
		})
	}
}

func TestManagedEmptyTOML(t *testing.T) {
	c, m, e := managedIn(t, "codex", "requirements.toml")
	require.NoError(t, os.WriteFile(m.Path, nil, 0o644))
	changes, err := c.InstallManaged(m, e)
	apply(t, changes, err)
	changes, err = c.UninstallManaged(m, "")
	apply(t, changes, err)
	require.FileExists(t, m.Path)
}

// What the administrator or somebody else has written against hookrun is an error, or makes a difference to doctor.
func TestManagedRefuses(t *testing.T) {
	for _, test := range []struct{ client, base, before, err string }{
		{"gemini", "settings.json", `{"hooksConfig": {"enabled": false}}`,
			`:1:29: "hooksConfig.enabled" is false; hookrun's entry needs true`},
		{"gemini", "settings.json", `{"hooksConfig": []}`, `"hooksConfig" is no object; write {}`},
		{"gemini", "settings.json", `{"a": 1, "a": 2}`, `"a"`},
		{"qwen", "settings.json", `{"disableAllHooks": true}`,
			`"disableAllHooks" is true; hookrun's entry needs false`},
		{"codex", "requirements.toml", "[features]\nhooks = false\n", `:2:9: "features.hooks" is false`},
		{"codex", "requirements.toml", "[features]\nhooks = \"true\"\n", `:2:9: "features.hooks" is "true"`},
		{"codex", "requirements.toml", "[features]\na = true\n", "write hooks = true there"},
		{"codex", "requirements.toml", "[hooks]\n", `write managed_dir = "/etc/codex" there`},
		{"codex", "requirements.toml", "allow_managed_hooks_only = false\n", "hookrun's entry needs true"},
		{"codex", "requirements.toml", "a = \n", ":1:"},
		{"codex", "requirements.toml", blockStart + "\na = 1\n", "hookrun's lines have no end"},
	} {
		t.Run(test.before, func(t *testing.T) {
			c, m, e := managedIn(t, test.client, test.base)
			require.NoError(t, os.WriteFile(m.Path, []byte(test.before), 0o644))
			_, err := c.InstallManaged(m.Alone(), e)
			require.ErrorContains(t, err, test.err)
		})
	}
	c, m, e := managedIn(t, "gemini", "settings.json")
	changes, err := c.InstallManaged(m, e)
	apply(t, changes, err)
	text, err := os.ReadFile(m.Path)
	require.NoError(t, err)
	for _, spoilt := range []string{
		strings.Replace(string(text), `"enabled": true`, `"enabled": false`, 1),
		strings.Replace(string(text), `"enabled": true`, "", 1),
		strings.Replace(string(text), `"timeout": 60000`, `"timeout": 60`, 1),
	} {
		require.NoError(t, os.WriteFile(m.Path, []byte(spoilt), 0o644))
		found, state, _ := c.ManagedEntries(m, "")
		require.NotEmpty(t, found)
		require.Equal(t, ManagedDiffers, state, spoilt)
	}
}

func TestManagedElsewhere(t *testing.T) {
	for system, want := range map[string][]string{
		"linux": {"/etc/opencode/hookrun.js", "/etc/opencode/opencode.jsonc", "file:///etc/opencode/hookrun.js"},
		"darwin": {"/Library/Application Support/opencode/hookrun.js",
			"file:///Library/Application%20Support/opencode/"},
		"windows": {`C:\ProgramData\opencode\hookrun.js`, "file:///C:/ProgramData/opencode/hookrun.js"},
	} {
		all := ""
		for _, name := range Names() {
			c, _ := Lookup(name)
			m, has := c.Managed(system)
			if !has {
				continue
			}
			binary := dialect.OnSystem(system, "/usr/bin/hookrun", "/usr/local/bin/hookrun", `C:\hookrun\hookrun.exe`)
			files, err := c.NewManaged(system, m,
				Entry{Binary: binary, Args: []string{"--output", name}, Events: c.Events})
			require.NoError(t, err)
			for _, f := range files {
				all += f.Path + "\n" + f.New
				require.Equal(t, system == "windows", strings.HasPrefix(f.Path, `C:\`), f.Path)
			}
		}
		for _, text := range want {
			require.Contains(t, all, text)
		}
		require.Equal(t, system != "windows", strings.Contains(all, "exec /bin/sh -c"))
	}
}
