package install

import (
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/testsupport/testall"

	"github.com/hookrun/hookrun/internal/core/dialect"
)

// settings are the files of testdata, by their paths.
func settings(t testing.TB) map[string]string {
	files := map[string]string{}
	paths, err := filepath.Glob("testdata/*/*.json")
	require.NoError(t, err)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		files[path] = string(text)
	}
	require.GreaterOrEqual(t, len(files), 30)
	return files
}

// clientOf is the client whose folder of testdata a file is in.
func clientOf(t testing.TB, path string) *Client {
	c, found := Lookup(filepath.Base(filepath.Dir(path)))
	require.True(t, found, path)
	return c
}

// jsonClients are those with a hooks file of JSON.
var jsonClients = func() (jsonClients []Client) {
	for _, name := range Names() {
		if c, _ := Lookup(name); c.OwnFiles() == nil && !c.HasExtension(c.Base) {
			jsonClients = append(jsonClients, *c)
		}
	}
	return jsonClients
}()

// entry is one that this system could have.
func entry(c *Client) Entry {
	binary, err := filepath.Abs("/opt/hookrun")
	if err != nil {
		panic(err)
	}
	return Entry{Binary: binary, Args: []string{"-o", c.Name}, Timeout: 70 * time.Second, Events: c.Events}
}

// inProject writes a file where its client reads it.
func inProject(t testing.TB, c *Client, text string) dialect.Place {
	p := c.Project(t.TempDir())
	require.NoError(t, os.MkdirAll(filepath.Dir(p.Path), 0o755))
	require.NoError(t, os.WriteFile(p.Path, []byte(text), 0o640))
	return p
}

func do(t testing.TB, change *Change, err error) *Change {
	t.Helper()
	require.NoError(t, err)
	require.NoError(t, change.Write())
	return change
}

func content(t testing.TB, p dialect.Place) string {
	t.Helper()
	text, err := os.ReadFile(p.Path)
	require.NoError(t, err)
	return string(text)
}

func TestInstallAndUninstall(t *testing.T) {
	for path, text := range settings(t) {
		t.Run(path, func(t *testing.T) {
			c := clientOf(t, path)
			p := inProject(t, c, text)
			e := entry(c)

			change, err := c.Install(p, e)
			do(t, change, err)
			installed := content(t, p)
			require.Equal(t, change.New, installed)
			requireAdded(t, c, text, installed, e)
			if strings.Contains(text, "\r\n") {
				require.Equal(t, strings.Count(installed, "\n"), strings.Count(installed, "\r\n"), "ends of lines")
			}
			if !strings.Contains(strings.TrimSpace(text), "\n") && len(meaning(t, text)) > 0 {
				require.Equal(t, strings.Count(text, "\n"), strings.Count(installed, "\n"), "one line stays one")
			}

			again, err := c.Install(p, e)
			do(t, again, err)
			require.True(t, again.Empty(), again.Diff())

			e.Binary = filepath.Join(filepath.Dir(e.Binary), "it's new", "hookrun")
			e.Timeout = 0
			change, err = c.Install(p, e)
			do(t, change, err)
			requireAdded(t, c, text, content(t, p), e)

			change, err = c.Uninstall(p, "")
			do(t, change, err)
			require.Equal(t, text, content(t, p))
			change, err = c.Uninstall(p, "")
			do(t, change, err)
			require.True(t, change.Empty())
		})
	}
}

// What Install makes is the same whether an older entry was there or not.
func TestStaleEntryIsReplaced(t *testing.T) {
	for path, text := range settings(t) {
		c := clientOf(t, path)
		e := entry(c)
		fresh, err := c.Install(inProject(t, c, text), e)
		require.NoError(t, err)
		for name, old := range map[string]Entry{
			"path": {Binary: filepath.Join(filepath.Dir(e.Binary), "a b", "hookrun"), Timeout: e.Timeout,
				Events: e.Events},
			"timeout":   {Binary: e.Binary, Events: e.Events},
			"arguments": {Binary: e.Binary, Args: []string{"--dialect=codex"}, Timeout: e.Timeout, Events: e.Events},
			"events":    {Binary: e.Binary, Timeout: e.Timeout, Events: append([]string{"Stop"}, e.Events...)},
		} {
			p := inProject(t, c, text)
			change, err := c.Install(p, old)
			do(t, change, err)
			change, err = c.Install(p, e)
			do(t, change, err)
			require.Equal(t, fresh.New, content(t, p), "%s: %s", path, name)
		}
	}
}

// Codex takes a changed entry for a new one, which it passes over until somebody trusts it: it is changed only for what
// must be.
func TestLongerTimeoutStays(t *testing.T) {
	for _, c := range jsonClients {
		p := c.Project(t.TempDir())
		e := entry(&c)
		change, err := c.Install(p, e)
		do(t, change, err)
		e.Timeout -= 10 * time.Second
		change, err = c.Install(p, e)
		do(t, change, err)
		require.Equal(t, c.Name == "codex", change.Empty(), c.Name)
		e.Timeout += 20 * time.Second
		change, err = c.Install(p, e)
		do(t, change, err)
		require.False(t, change.Empty(), c.Name)
		e.Binary += "/hookrun"
		e.Timeout -= 10 * time.Second
		change, err = c.Install(p, e)
		do(t, change, err)
		requireAdded(t, &c, "{}", content(t, p), e)
	}
}

func TestNoFile(t *testing.T) {
	for _, c := range jsonClients {
		root := t.TempDir()
		p := c.Project(root)
		requireNone := func() {
			t.Helper()
			if require.NoFileExists(t, p.Path); c.Folder != "." {
				require.NoDirExists(t, filepath.Join(root, cmp.Or(c.Folder, c.HomeFolder)))
			}
		}
		change, err := c.Uninstall(p, "")
		do(t, change, err)
		require.True(t, change.Empty())
		requireNone()

		change, err = c.Install(p, entry(&c))
		require.NoError(t, err)
		requireNone() // a plan does nothing
		require.NoError(t, change.Write())
		requireAdded(t, &c, "{}", content(t, p), entry(&c))
		info, err := os.Stat(p.Path)
		require.NoError(t, err)
		require.Zero(t, info.Mode().Perm()&0o111)

		change, err = c.Uninstall(p, "")
		do(t, change, err)
		requireNone()

		// The folder stays if anything else is in there, and an object of the user's is a file of the user's.
		folder := filepath.Join(root, cmp.Or(c.Folder, c.HomeFolder))
		require.NoError(t, os.MkdirAll(folder, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "x"), nil, 0o644))
		change, err = c.Install(p, entry(&c))
		do(t, change, err)
		change, err = c.Uninstall(p, "")
		do(t, change, err)
		require.NoFileExists(t, p.Path)
		require.FileExists(t, filepath.Join(folder, "x"))
	}
}

// requireAdded holds what encoding/json makes of the new text against the old one with the entry.
func requireAdded(t testing.TB, c *Client, before, after string, e Entry) {
	t.Helper()
	want := meaning(t, before)
	hooks, _ := want["hooks"].(map[string]any)
	if hooks == nil {
		hooks = map[string]any{}
		want["hooks"] = hooks
	}
	command, err := c.Command(e.Binary, e.Args, true)
	require.NoError(t, err)
	key, more := c.EntryMembers(c.shell())
	handler := map[string]any{"type": "command", key: command}
	if e.Timeout > 0 {
		handler["timeout"] = float64(c.Files.Timeout.Write(e.Timeout))
	}
	for key, value := range meaning(t, "{"+more+"}") {
		handler[key] = value
	}
	for _, event := range e.Events {
		list, _ := hooks[event].([]any)
		if c.Flat(event) {
			hooks[event] = append(list, handler)
		} else {
			hooks[event] = append(list, map[string]any{"hooks": []any{handler}})
		}
	}
	got := meaning(t, footnotes.ReplaceAllString(after, ""))
	for key := range meaning(t, "{"+c.Head()+"}") { // a new file alone gets it
		if want[key] == nil {
			delete(got, key)
		}
	}
	require.Equal(t, want, got, after)
}

// footnotes are what commands say of a file that had something empty in it.
var footnotes = regexp.MustCompile(` # before: [^"]*`)

var commentsAndStrings = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|//[^\n]*|(?s:/\*.*?\*/)`)

func meaning(t testing.TB, text string) map[string]any {
	t.Helper()
	text = commentsAndStrings.ReplaceAllStringFunc(strings.TrimPrefix(text, "\ufeff"), func(s string) string {
		if s[0] == '"' {
			return s
		}
		return " "
	})
	var v map[string]any
	require.NoError(t, json.Unmarshal([]byte(text), &v), text)
	return v
}

func TestRefused(t *testing.T) {
	for _, c := range []struct{ client, text, want string }{
		{"claude", ``, `:1:1: the document is empty`},
		{"claude", " \n", `:2:1: the document is empty`},
		{"claude", `[]`, `:1:1: the file must be an object; write {}`},
		{"claude", `{"a":1,"a":2}`, `:1:8: the key "a" is there twice in one object; keep one`},
		{"claude", `{"a":1,"\u0061":2,"b":{"c":1,"c":2}}`, `:1:30: the key "c" is there twice in one object; keep one`},
		{"claude", "{\n  \"a\": \"\xff\"}", `:2:9: not UTF-8; save the file as UTF-8`},
		{"claude", "{\n  \"é\": 1,\n}", `:2:9: a comma before '}'; remove it`},
		{"claude", "{\n  // x\n}", `:2:3: JSON has no comments`},
		{"claude", `{"hooks": []}`, `:1:11: "hooks" is no object, so the client can have no hooks; write {}`},
		{"claude", `{"hooks": {"PreToolUse": {"hooks": []}}}`, `:1:26: "PreToolUse" is no list; put its hooks into []`},
		{"claude", `{} {}`, `:1:4: unexpected '{' after the end of the document; remove it`},
		{"claude", strings.Repeat(`{"a":`, 65) + "1" + strings.Repeat("}", 65), `nested more than 64 deep`},
		{"codex", "\ufeff{}", `:1:1: a byte order mark, with which codex drops the whole file; save it without`},
		{"codex", `{/**/}`, `:1:2: JSON has no comments`},
		{"gemini", "{} /* é\n", `:1:4: this comment is never closed`},
		{"gemini", "{/* é */ \"a\": 1, // ,\n}", `:1:16: a comma before '}'; remove it`},
		{"gemini", `{# x` + "\n}", `JSON has no comments`},
		{"gemini", `{"a": "x // y`, `:1:7: this string is never closed`},
	} {
		client, _ := Lookup(c.client)
		p := inProject(t, client, c.text)
		_, err := client.Install(p, entry(client))
		var problems hook.Diagnostics
		require.ErrorAs(t, err, &problems, c.text)
		require.ErrorContains(t, err, c.want)
		require.True(t, strings.HasPrefix(err.Error(), p.Path+":"), err.Error())
		require.Equal(t, c.text, content(t, p))
	}
	claude, _ := Lookup("claude")
	p := inProject(t, claude, `{"x":"`+strings.Repeat("x", maxSize)+`"}`)
	_, err := claude.Uninstall(p, "")
	require.ErrorContains(t, err, "larger than 1 MiB")
	p = inProject(t, claude, `{"x":"`+strings.Repeat("x", maxSize-10)+`"}`)
	_, err = claude.Install(p, entry(claude))
	require.ErrorContains(t, err, "would be larger than 1 MiB")
}

// Whoever edits the file between Install and Uninstall keeps what he wrote.
func TestEditedMeanwhile(t *testing.T) {
	testall.NotOnWindows(t, "the paths of its data are those of Unix")
	claude, _ := Lookup("claude")
	gemini, _ := Lookup("gemini")
	const ours = `{"type":"command","command":"/opt/hookrun fire"}`
	for _, c := range []struct {
		name       string
		client     *Client
		text, want string
	}{
		{"behind ours", claude, `{"hooks":{ "Stop":[ {"hooks":[` + ours + `]},{"hooks":[]}]}}`,
			`{"hooks":{ "Stop":[ {"hooks":[]}]}}`},
		{"before ours", claude, `{"hooks":{ "Stop":[ {"hooks":[]},{"hooks":[` + ours + `]}]}}`,
			`{"hooks":{ "Stop":[ {"hooks":[]}]}}`},
		{"between ours", claude, `{"hooks":{"A":[ {"hooks":[` + ours + `]}],"Stop":[],"B":[ {"hooks":[` + ours +
			`]}]},"x":1}`, `{"hooks":{"Stop":[]},"x":1}`},
		{"in our group", claude, `{"hooks":{ "Stop":[ {"matcher":"x","hooks":[` + ours + `, {}]}]}}`,
			`{"hooks":{ "Stop":[ {"matcher":"x","hooks":[{}]}]}}`},
		{"formatted", claude, "{\n \"hooks\": {\n  \"Stop\": [\n   {\n    \"hooks\": [\n     " + ours +
			"\n    ]\n   }\n  ]\n },\n \"x\": 1\n}\n", "{\n \"x\": 1\n}\n"},
		{"another key, then away again", claude,
			"{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": [" + ours + "]}\n    ]\n  }\n}", "{\n}"},
		{"copies", claude, `{"a":1,"hooks":{ "Stop":[ {"hooks":[` + ours + `,` + ours + `]}, {"hooks":[` + ours +
			`]}]}}`, `{"a":1}`},
		{"comment in our list", gemini, "{\"a\":1,\"hooks\":{ \"Stop\":[ // why\n{\"hooks\":[" + ours + "]}]}}",
			"{\"a\":1,\"hooks\":{ \"Stop\":[ // why\n]}}"},
	} {
		p := inProject(t, c.client, c.text)
		change, err := c.client.Uninstall(p, "")
		do(t, change, err)
		require.Equal(t, c.want, content(t, p), c.name)
		meaning(t, content(t, p))
	}
}

func TestNotes(t *testing.T) {
	testall.NotOnWindows(t, "the paths of its data are those of Unix")
	claude, _ := Lookup("claude")
	for text, want := range map[string]string{
		`{"disableAllHooks": true}`: `"disableAllHooks" is true`,
		`{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "/x/hookrun ` +
			`fire"}]}]}}`: `the entry at PreToolUse has a matcher, "Bash"`,
		`{"disableAllHooks": false}`: ``,
	} {
		change, err := claude.Install(inProject(t, claude, text), entry(claude))
		require.NoError(t, err)
		if want == "" {
			require.Empty(t, change.Notes)
			continue
		}
		require.Len(t, change.Notes, 1)
		require.Contains(t, change.Notes[0], want)
	}
	for _, c := range []struct{ client, text, want string }{
		{"gemini", `{"hooksConfig": {"enabled": false}}`, `"enabled": false, so Gemini CLI runs no hook`},
		{"gemini", `{"hooksConfig": {"disabled": ["x", "hookrun"]}}`, `"hookrun" among its "disabled"`},
		{"gemini", `{"hooksConfig": {"enabled": true, "disabled": ["x", 1]}, "hooks": {"enabled": false}, ` +
			`"disableAllHooks": true}`, ``},
		{"gemini", `{"hooksConfig": null}`, ``},
		{"codex", `{"disableAllHooks": true}`, ``}, // which is a fault of the file
	} {
		client, _ := Lookup(c.client)
		change, err := client.Install(inProject(t, client, c.text), entry(client))
		require.NoError(t, err)
		if c.want == "" {
			require.Empty(t, change.Notes, c.text)
			continue
		}
		require.Len(t, change.Notes, 1, c.text)
		require.Contains(t, change.Notes[0], c.want)
	}
}

// A switch may be in any file that the client reads.
func TestDisabledInOtherFiles(t *testing.T) {
	for _, test := range []struct{ client, path, text, want string }{
		{"claude", "project/.claude/settings.local.json", `{"disableAllHooks": true}`, `"disableAllHooks" is true`},
		{"claude", "home/.claude/settings.json", `{"disableAllHooks": true}`, `"disableAllHooks" is true`},
		{"claude", "project/.claude/settings.json", `{"disableAllHooks": true}`, ``}, // that is Install's
		{"claude", "project/.claude/settings.local.json", `{"disableAllHooks": true`, ``},
		{"codex", "project/.codex/config.toml", "[features]\nhooks = false\n",
			`features.hooks is false, so Codex runs no hook`},
		{"codex", "home/.codex/config.toml", "features = {codex_hooks = false}\n", `features.codex_hooks is false`},
		{"codex", "home/.codex/config.toml", "features.hooks = true\nhooks = false\n", ``},
		{"codex", "home/.codex/config.toml", "features = 1\n", ``},
		{"codex", "home/.codex/config.toml", "features = ", ``},
		{"gemini", "home/.gemini/settings.json", `{/**/"hooksConfig": {"enabled": false}}`, `"enabled": false`},
	} {
		root := t.TempDir()
		path := filepath.Join(root, filepath.FromSlash(test.path))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(test.text), 0o644))
		c, _ := Lookup(test.client)
		notes := c.DisabledInOtherFiles(c.Project(filepath.Join(root, "project")),
			c.User(filepath.Join(root, "home"), func(string) string { return "" }))
		if test.want == "" {
			require.Empty(t, notes, test.text)
			continue
		}
		require.Len(t, notes, 1, test.text)
		require.Contains(t, notes[0], path+": ")
		require.Contains(t, notes[0], test.want)
	}
}

func TestLookup(t *testing.T) {
	require.Subset(t, Names(), []string{"claude", "codex", "gemini", "opencode"})
	_, found := Lookup("emacs")
	require.False(t, found)
	claude, _ := Lookup("claude")
	home := filepath.FromSlash("/home/me")
	require.Equal(t, dialect.Place{Root: home, Path: filepath.FromSlash("/home/me/.claude/settings.json")},
		claude.User(home, func(string) string { return "" }))
	require.Equal(t, dialect.Place{Root: "/c", Path: filepath.FromSlash("/c/settings.json")},
		claude.User(home, func(name string) string {
			return map[string]string{"CLAUDE_CONFIG_DIR": "/c"}[name]
		}))
	gemini, _ := Lookup("gemini")
	require.Equal(t, dialect.Place{Root: "/h", Path: filepath.FromSlash("/h/.gemini/settings.json")},
		gemini.User(home, func(name string) string {
			return map[string]string{"GEMINI_CLI_HOME": "/h"}[name]
		}))
}

func FuzzInstall(f *testing.F) {
	files := settings(f)
	for _, path := range slices.Sorted(maps.Keys(files)) {
		for n := range jsonClients {
			f.Add(n, files[path])
		}
	}
	f.Add(0, `{"hooks":{ "Stop":[ {"matcher":"x","hooks":[{"type":"command","command":"/opt/hookrun fire"}, {}]}]}}`)
	f.Fuzz(func(t *testing.T, n int, text string) {
		c := &jsonClients[uint(n)%uint(len(jsonClients))]
		e := entry(c)
		h, err := c.handler(e)
		require.NoError(t, err)
		without, isFile, err := c.uninstall(text, "")
		if err != nil {
			_, _, err = c.install(text, true, h, e.Events)
			require.Error(t, err)
			return
		}
		installed, _, err := c.install(text, true, h, e.Events)
		if err != nil {
			return
		}
		again, _, err := c.install(installed, true, h, e.Events)
		require.NoError(t, err)
		require.Equal(t, installed, again, "twice is once")

		back, exists, err := c.uninstall(installed, "")
		require.NoError(t, err)
		if without == text && isFile { // nothing of ours was there
			require.True(t, exists)
			require.Equal(t, text, back)
			requireAdded(t, c, text, installed, e)
			older := &handler{binary: h.binary, key: h.key, flat: h.flat, extra: h.extra}
			older.timeout, older.command = 0, func(event string) string {
				return strings.Replace(h.command(event), "/opt", "/usr/local", 1)
			}
			stale, _, err := c.install(text, true, older, append([]string{"Stop"}, e.Events...))
			if err != nil { // the list of Stop
				return
			}
			renewed, _, err := c.install(stale, true, h, e.Events)
			require.NoError(t, err)
			require.Equal(t, installed, renewed)
		}
		if exists {
			meaning(t, back)
			rest, isFile, err := c.uninstall(back, "")
			require.NoError(t, err)
			require.True(t, isFile)
			require.Equal(t, back, rest)
		}
	})
}

// A program of another name finds its own entry, and no other does.
func TestAnotherName(t *testing.T) {
	claude, _ := Lookup("claude")
	p := inProject(t, claude, "{}")
	e := entry(claude)
	e.Binary = filepath.Join(filepath.Dir(e.Binary), "hr 2")
	change, err := claude.Install(p, e)
	do(t, change, err)
	change, err = claude.Install(p, e)
	do(t, change, err)
	require.True(t, change.Empty())
	change, err = claude.Uninstall(p, "")
	require.NoError(t, err)
	require.True(t, change.Empty())
	change, err = claude.Uninstall(p, e.Binary)
	do(t, change, err)
	require.Equal(t, "{}", content(t, p))
}
