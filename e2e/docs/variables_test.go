package docs

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestVariables: the page of the environment has each variable of hookrun's that the sources read or set, and no other.
func TestVariables(t *testing.T) {
	variable := regexp.MustCompile(`\bHOOKRUN(_[A-Z]+)*\b`)
	found := map[string][]string{} // and the files
	sources := func(root string, names func(path string, text []byte) []string) {
		read := func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				if d != nil && slices.Contains([]string{"testsupport", "node_modules", "testdata"}, d.Name()) {
					return fs.SkipDir
				}
				return err
			}
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			for _, literal := range names(path, text) {
				for _, name := range variable.FindAllString(literal, -1) {
					found[name] = append(found[name], filepath.ToSlash(path))
				}
			}
			return nil
		}
		require.NoError(t, filepath.WalkDir(filepath.Join("../..", root), read))
	}
	sources("internal", stringsOfGo)
	whole := func(_ string, text []byte) []string { return []string{string(text)} }
	for _, root := range []string{"packages/python/src", "packages/node/lib", "packages/node/bin", "install.sh",
		"install.ps1"} {
		sources(root, whole)
	}

	page, err := os.ReadFile("../../docs/reference/environment.md")
	require.NoError(t, err)
	_, section, ok := strings.Cut(string(page), "\n## Variables that hooks get\n")
	require.True(t, ok)
	section, _, _ = strings.Cut(section, "\n## Times\n")
	listed := map[string]bool{}
	for line := range strings.Lines(section) {
		if cells := strings.Split(line, "|"); len(cells) > 2 {
			for _, name := range variable.FindAllString(cells[1], -1) {
				listed[name] = true
			}
		}
	}
	require.Equal(t, slices.Sorted(maps.Keys(found)), slices.Sorted(maps.Keys(listed)), "%v", found)
	require.Greater(t, len(listed), 10)
}

// stringsOfGo returns the texts of a Go program; comments and tests do not count.
func stringsOfGo(path string, text []byte) (literals []string) {
	if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
		return nil
	}
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile(path, -1, len(text)), text, nil, 0)
	for {
		_, kind, literal := s.Scan()
		switch kind {
		case token.EOF:
			return literals
		case token.STRING:
			literals = append(literals, literal)
		}
	}
}
