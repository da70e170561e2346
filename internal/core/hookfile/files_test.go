package hookfile_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// What is wrong with a file as a whole has no line.
func TestFilesAsAWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, hookfile.FileName)
	refused := func(t *testing.T, want string) {
		cfg, err := hookfile.Load(hookfile.Options{Parts: parts.All(), Workspace: dir})
		require.EqualError(t, err, path+": "+want)
		require.IsType(t, hook.Diagnostics{}, err)
		require.Nil(t, cfg)
		require.NoError(t, os.RemoveAll(path))
	}
	t.Run("a directory", func(t *testing.T) {
		require.NoError(t, os.Mkdir(path, 0o777))
		refused(t, "reading the hooks file: not a regular file but a directory")
	})
	t.Run("a link to nothing", func(t *testing.T) {
		symlink(t, "nowhere", path)
		refused(t, "reading the hooks file: no such file or directory")
	})
	t.Run("a link to itself", func(t *testing.T) {
		symlink(t, hookfile.FileName, path)
		refused(t, "reading the hooks file: too many levels of symbolic links")
	})
	t.Run("a link to a file", func(t *testing.T) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "real.json"), []byte(withField(`"env":{}`)), 0o666))
		symlink(t, "real.json", path)
		cfg, err := hookfile.Load(hookfile.Options{Parts: parts.All(), Workspace: dir})
		require.NoError(t, err)
		require.Len(t, cfg.Hooks, 1)
		require.NoError(t, os.Remove(path))
	})
	t.Run("1 MiB", func(t *testing.T) {
		doc := `{"hooks":[]}` + strings.Repeat(" ", 1<<20-12)
		require.NoError(t, os.WriteFile(path, []byte(doc), 0o666))
		_, err := hookfile.Load(hookfile.Options{Parts: parts.All(), Workspace: dir})
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, []byte(doc+" "), 0o666))
		refused(t, "larger than 1 MiB; a hooks file is a few lines")
	})
	t.Run("a parent's file is not read", func(t *testing.T) {
		require.NoError(t, os.WriteFile(path, []byte("broken"), 0o666))
		sub := filepath.Join(dir, "sub")
		require.NoError(t, os.Mkdir(sub, 0o777))
		cfg, err := hookfile.Load(hookfile.Options{Parts: parts.All(), Workspace: sub})
		require.NoError(t, err)
		require.Empty(t, cfg.Hooks)
	})
	t.Run("a workspace that is a file", func(t *testing.T) {
		testall.NotOnWindows(t, "what would lie in a file is missing like any other there")
		_, err := hookfile.Load(hookfile.Options{Parts: parts.All(), Workspace: path})
		require.EqualError(t, err, filepath.Join(path, hookfile.FileName)+": reading the hooks file: not a directory")
	})
	t.Run("a missing file that was named", func(t *testing.T) {
		path := filepath.Join(dir, "hooks.json")
		var missing *fs.PathError // in the words of the system
		_, err := os.Stat(path)
		require.ErrorAs(t, err, &missing)
		_, err = parts.All().LoadFile(path, nil)
		require.EqualError(t, err, path+": reading the hooks file: "+missing.Err.Error())
	})
}

func symlink(t *testing.T, to, path string) {
	testall.NotOnWindows(t, "Wine makes no symbolic links, and Windows only with a right for it")
	if err := os.Symlink(to, path); err != nil {
		t.Skip("no links here:", err)
	}
}

func TestSuggest(t *testing.T) {
	events := []string{"pre-execute", "UserPromptSubmit", "pre-tool", "PreToolUse", "post-tool", "PostToolUse"}
	for _, test := range []struct {
		wrong string
		words []string
		want  string
	}{
		{"pre-tol", events, `; did you mean "pre-tool"?`},          // a letter missing
		{"pre-toool", events, `; did you mean "pre-tool"?`},        // one too many
		{"pre-toll", events, `; did you mean "pre-tool"?`},         // a wrong one
		{"pre-tolo", events, `; did you mean "pre-tool"?`},         // two swapped
		{"per-toll", events, `; did you mean "pre-tool"?`},         // two mistakes
		{"per-tell", events, ""},                                   // three
		{"Pre-Tool", events, `; did you mean "pre-tool"?`},         // case
		{"pre_tool", events, `; did you mean "pre-tool"?`},         // - and _
		{"PRETOOLUSE", events, `; did you mean "PreToolUse"?`},     //
		{"post_tool_use", events, `; did you mean "PostToolUse"?`}, // both
		{"pst-tool", events, `; did you mean "post-tool"?`},        // the nearer of two
		{"p-tool", events, `; did you mean "pre-tool"?`},           // two letters missing
		{"Stop", events, ""},
		{"", events, ""},
		{"env", []string{"env"}, `; did you mean "env"?`},
		{"evn", []string{"env"}, `; did you mean "env"?`},
		{"envs", []string{"env"}, `; did you mean "env"?`},
		{"ev", []string{"env"}, `; did you mean "env"?`},
		{"e", []string{"env"}, ""}, // two letters of three are most of the word
		{"vent", []string{"env"}, ""},
		{"-", []string{"a"}, ""},
		{"b", []string{"a"}, ""},
		{"aac", []string{"aab", "aaa", "aad", "zzz"}, `; did you mean "aaa" or "aab" or "aad"?`},
		{"bock", []string{"block", "back"}, `; did you mean "back" or "block"?`},
		{"é", []string{"block"}, ""},
		{"anything", nil, ""},
		{strings.Repeat("a", 101), []string{strings.Repeat("a", 101)}, ""}, // nobody means that
		{strings.Repeat("a", 100), []string{strings.Repeat("a", 102)},
			`; did you mean "` + strings.Repeat("a", 102) + `"?`},
		// more bytes in lower case
		{strings.Repeat("Ⱥ", 50), []string{strings.Repeat("ⱥ", 50)},
			`; did you mean "` + strings.Repeat("ⱥ", 50) + `"?`},
		// one letter of another alphabet, not two bytes
		{"dеny", []string{"deny"}, `; did you mean "deny"?`},
	} {
		require.Equal(t, test.want, spelling.Suggest(test.wrong, test.words), "%q", test.wrong)
	}
}

func TestParseTimeout(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"5": 5 * time.Second, "0.5": time.Second / 2, "5s": 5 * time.Second, "2h": 2 * time.Hour, "3600": time.Hour,
	} {
		got, err := hookfile.ParseTimeout(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for text, want := range map[string]string{
		"":     `"" is no duration; write "5s", "1m30s", or a number of seconds`,
		"soon": `"soon" is no duration; write "5s", "1m30s", or a number of seconds`,
		"0":    `must be more than 0, not 0`,
		"-1":   `must be more than 0, not -1`,
		"-1s":  `must be more than 0, not "-1s"`,
		"30000": `is in seconds, and 30000 of them are more than an hour; if these are milliseconds write "30000ms", ` +
			`if you mean it a duration such as "2h"`,
		"inf": `"inf" is no duration; write "5s", "1m30s", or a number of seconds`,
		"NaN": `"NaN" is no duration; write "5s", "1m30s", or a number of seconds`,
	} {
		_, err := hookfile.ParseTimeout(text)
		require.EqualError(t, err, want, text)
	}
}
