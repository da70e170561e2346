package clients_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each folder of a client says in its dialect.go what it is, in the first line, for go doc.
func TestPackageSentences(t *testing.T) {
	files, err := filepath.Glob("*/dialect.go")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		name := filepath.Base(filepath.Dir(file))
		require.Regexp(t, `(?s)\A// Package `+regexp.QuoteMeta(name)+` is .*\npackage `, string(text))
	}
}
