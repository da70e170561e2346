package hookfile_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/parts"
)

func TestFilesOfEntry(t *testing.T) {
	for _, tt := range []struct {
		files string
		want  []string
		fault string
	}{
		{`["gates/**", "a.sh", "g/*.[ps]*", "./b"]`, []string{"gates/**", "a.sh", "g/*.[ps]*", "b"}, ""},
		{`[]`, []string{}, ""},
		{`"gates/**"`, nil, `f:1:85: hook "h": "files" must be an array of globs such as "hooks/**", not a string`},
		{`[1]`, nil, `f:1:86: hook "h": a glob in "files" must be a string, not a number`},
		{`["/etc/x"]`, nil, `f:1:86: hook "h": a glob in "files" is a path below the workspace, such as "hooks/**", ` +
			`not "/etc/x"`},
		{`["a/../../b"]`, nil, `is a path below the workspace`},
		{`["a\\b"]`, nil, `is a path below the workspace`},
		{`["C:/x"]`, nil, `is a path below the workspace`},
		{`[""]`, nil, `is a path below the workspace`},
		{`["a[b"]`, nil, `f:1:86: hook "h": the glob "a[b" in "files" has a [ without a ]`},
		{`["a**"]`, nil, `in the glob "a**" of "files" a ** must stand alone between slashes, as in "hooks/**/*.sh"`},
	} {
		const entry = `{"hooks": [{"name": "h", "command": ["./x"], "events": ["pre-tool"],       "files": %s}]}`
		cfg, err := parts.All().Parse("f", fmt.Appendf(nil, entry, tt.files))
		if tt.fault != "" {
			require.ErrorContains(t, err, tt.fault, tt.files)
			continue
		}
		require.NoError(t, err, tt.files)
		require.Equal(t, tt.want, cfg.Hooks[0].Files)
	}
	for text, fault := range map[string]string{
		`"block": "no"`:              `runs no command, so "files" would mean nothing`,
		`"url": "https://x.example"`: `posts to a url and runs no program, so "files" would mean nothing`,
	} {
		const entry = `{"hooks": [{"name": "h", %s, "events": ["pre-tool"], "files": ["a"]}]}`
		_, err := parts.All().Parse("f", fmt.Appendf(nil, entry, text))
		require.ErrorContains(t, err, fault)
	}
}
