package docs

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// TestPackagesSayWhatTheyAre: go doc of each package begins with a sentence about it.
func TestPackagesSayWhatTheyAre(t *testing.T) {
	says := map[string]bool{} // by folder
	require.NoError(t, filepath.WalkDir(binary.Repository(t), func(path string, f fs.DirEntry, err error) error {
		if err == nil && f.IsDir() && slices.Contains([]string{".git", "node_modules", "testdata"}, f.Name()) {
			return fs.SkipDir
		}
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		name := strings.TrimSuffix(file.Name.Name, "_test")
		starts := name == "main" && file.Doc != nil || strings.HasPrefix(file.Doc.Text(), "Package "+name+" ")
		says[filepath.Dir(path)] = says[filepath.Dir(path)] || starts
		return nil
	}))
	require.Greater(t, len(says), 100)
	for folder, is := range says {
		require.True(t, is, "%s needs a comment above its package clause: // Package NAME …", folder)
	}
}
