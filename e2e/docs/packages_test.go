package docs

import (
	"encoding/json"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
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

// TestPackageCommentsCompile: the first block in the comment of each public package is a program that compiles as it
// stands. An overlay puts the programs into packages that are not on disk.
func TestPackageCommentsCompile(t *testing.T) {
	root, temp := binary.Repository(t), t.TempDir()
	overlay, build := map[string]string{}, exec.Command("go", "build", "-overlay", filepath.Join(temp, "overlay.json"))
	for _, name := range []string{"hooks", "projecthooks", "queue", "runner"} {
		path := filepath.Join(root, name, "doc.go")
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		require.NoError(t, err)
		content := new(comment.Parser).Parse(file.Doc.Text()).Content
		first := slices.IndexFunc(content, func(b comment.Block) bool { _, is := b.(*comment.Code); return is })
		require.GreaterOrEqual(t, first, 0, "%s: the comment has no block", name)
		program := content[first].(*comment.Code).Text
		require.True(t, strings.HasPrefix(program, "package main\n"), "%s: %s", name, program)
		source := filepath.Join(temp, name+".go")
		require.NoError(t, os.WriteFile(source, []byte(program), 0o644))
		overlay[filepath.Join(root, "docs", "comments", name, "main.go")] = source
		build.Args = append(build.Args, "./docs/comments/"+name)
	}
	text, err := json.Marshal(map[string]any{"Replace": overlay})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(temp, "overlay.json"), text, 0o644))
	build.Dir = root
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
}
