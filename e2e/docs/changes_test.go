package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// TestWhereAChangeIsMade holds the table of docs/develop/architecture.md to the code: each name is declared in its
// file, and in no other file of that folder, so that whoever looks there has found the one place.
func TestWhereAChangeIsMade(t *testing.T) {
	root := binary.Repository(t)
	page, err := os.ReadFile(filepath.Join(root, "docs", "develop", "architecture.md"))
	require.NoError(t, err)
	_, table, _ := strings.Cut(string(page), "## Where a change is made\n")
	table, _, _ = strings.Cut(table, "\n## ")
	place := regexp.MustCompile("^\\|.*`(\\w+)` in `([^`]+\\.go)`")
	_, table, _ = strings.Cut(table, "|---|---|\n")
	rows := strings.Split(strings.TrimSpace(table), "\n")
	require.Len(t, rows, 12)
	for _, line := range rows {
		row := place.FindStringSubmatch(line)
		require.NotNil(t, row, "this row names no place: %s", line)
		name, path := row[1], filepath.Join(root, strings.Replace(row[2], "<name>", "*", 1))
		places, err := filepath.Glob(path)
		require.NoError(t, err)
		var files []string
		for _, place := range places {
			beside, err := filepath.Glob(filepath.Join(filepath.Dir(place), "*.go"))
			require.NoError(t, err)
			files = append(files, beside...)
		}
		found := 0
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") || !declares(t, file, name) {
				continue
			}
			found++
			require.Equal(t, filepath.Base(path), filepath.Base(file), "%s is in %s, too", name, file)
		}
		require.NotZero(t, found, "%s is not in %s", name, path)
	}
}

// declares reports whether a file declares a name at its top level, as a value, a function or an exported method.
func declares(t *testing.T, path, name string) bool {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	require.NoError(t, err)
	for _, d := range file.Decls {
		if f, is := d.(*ast.FuncDecl); is && f.Name.Name == name && (f.Recv == nil || f.Name.IsExported()) {
			return true
		}
	}
	return file.Scope.Lookup(name) != nil
}

// TestOnePlace: what users read of a limit or a failure stands in one place, so that a change of it is one.
func TestOnePlace(t *testing.T) {
	root := binary.Repository(t)
	for text, want := range map[string]struct{ pattern, file string }{
		`\btimed out after\b`: {"*.go", "internal/core/dialect/failure.go"},
		`\b500 ?ms\b`:         {"*.md", "docs/reference/environment.md"},
	} {
		expression := regexp.MustCompile(text)
		var found []string
		err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			inside, _ := filepath.Rel(root, path)
			is, _ := filepath.Match(want.pattern, d.Name())
			if err != nil || d.IsDir() || !is || strings.HasSuffix(path, "_test.go") || d.Name() == "CHANGELOG.md" ||
				strings.HasPrefix(inside, "scripts") || strings.HasPrefix(inside, "tools") {
				return err
			}
			content, err := os.ReadFile(path)
			if err == nil && expression.Match(content) {
				found = append(found, filepath.ToSlash(inside))
			}
			return err
		})
		require.NoError(t, err)
		require.Equal(t, []string{want.file}, found, text)
	}
}
