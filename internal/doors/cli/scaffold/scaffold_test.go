package scaffold

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/record/cases"
	"github.com/hookrun/hookrun/internal/rules/pack"
)

func TestFiles(t *testing.T) {
	for _, names := range [][]string{pack.Names(), Default, {"git"}} {
		files, _, err := Files(t.TempDir(), names)
		require.NoError(t, err)
		require.Equal(t, hookfile.FileName, files[0].Name)
		config, err := parts.All().Parse(files[0].Name, []byte(files[0].Text))
		require.NoError(t, err)
		require.Empty(t, config.Warnings)
		require.NotEmpty(t, config.Hooks)
		tests, err := cases.Parse(files[1].Name, []byte(files[1].Text), "/w")
		require.NoError(t, err)
		require.Len(t, tests.Tests, len(config.Hooks)+1, "one for each rule, and one that passes")
	}
	_, _, err := Files(t.TempDir(), []string{"gti"})
	require.ErrorContains(t, err, `there is no pack "gti"; there are `)
}

// TestAdd: a file that somebody wrote keeps every byte.
func TestAdd(t *testing.T) {
	for before, after := range map[string]string{
		`{"hooks": []}`:                         `{"packs": ["git"],"hooks": []}`,
		`{}`:                                    `{"packs": ["git"]}`,
		"{\n  \"packs\": [],\n \"hooks\":[]}\n": "{\n  \"packs\": [\"git\"],\n \"hooks\":[]}\n",
		"{\"packs\": [\n  \"infra\"\n]}":        "{\"packs\": [\n  \"infra\", \"git\"\n]}",
		"{\"packs\": [\n  \"git@1\"\n]}":        "{\"packs\": [\n  \"git@1\"\n]}",
	} {
		got, added, err := Add(before, []string{"git"})
		require.NoError(t, err)
		require.Equal(t, after, got)
		require.Equal(t, before != after, len(added) > 0)
		_, err = parts.All().Parse("f", []byte(got))
		require.NoError(t, err)
	}
	_, _, err := Add(`{"hooks": [`, []string{"git"})
	require.ErrorContains(t, err, "is no JSON object")
	_, _, err = Add(`{}`, []string{"gti"})
	require.ErrorContains(t, err, `did you mean "git"?`)
}

// TestWriteCleansUp: what was made before a failure is taken away again.
func TestWriteCleansUp(t *testing.T) {
	dir := t.TempDir()
	files := []File{{"a", "a"}, {"b", "b"}, {"b/x", "x"}} // the last one cannot be: b is a file
	require.Error(t, Write(dir, files))
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	require.Empty(t, left)
}
