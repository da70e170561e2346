package main

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write testdata/api.txt anew")

// public are the folders of the public packages, without those of clients, which a test of package hooks holds to one
// form.
var public = []string{"protocol", "hooks", "hooks/rules", "hooks/requests", "hooks/trust", "projecthooks", "runner",
	"queue"}

// TestAPI holds the exported API of the public packages to testdata/api.txt: a change of it is meant, and shows in a
// diff.
func TestAPI(t *testing.T) {
	var api strings.Builder
	for _, dir := range public {
		fmt.Fprintf(&api, "package %s\n\n", dir)
		for _, line := range exported(t, dir) {
			api.WriteString(line + "\n")
		}
		api.WriteString("\n")
	}
	file := filepath.Join("testdata", "api.txt")
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o777))
		require.NoError(t, os.WriteFile(file, []byte(api.String()), 0o666))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	const hint = "if the change is meant: go test . -run TestAPI -update"
	before, now := strings.Split(string(want), "\n"), strings.Split(api.String(), "\n")
	for i, line := range now {
		require.Less(t, i, len(before), "%s is new; %s", line, hint)
		require.Equal(t, before[i], line, hint)
	}
	require.Len(t, before, len(now), hint)
}

// TestAPIHasNoInternalTypes refuses types that users of the module cannot name. A type that is defined as an internal
// one can be named, and has none of its methods.
func TestAPIHasNoInternalTypes(t *testing.T) {
	for _, dir := range public {
		for _, line := range exported(t, dir) {
			if regexp.MustCompile(`^type \w+ \w+\.\w+$|^var Part = hooks\.Part\(`).MatchString(line) {
				continue
			}
			for _, of := range []string{"hookfile.", "hook.", "dialect.", "process.", "httphook.", "permission.",
				"engine.", "form.", "internal.", "store.", "host."} {
				if value := strings.Contains(line, "= "+of); !value { // the value of a constant may be another's
					require.NotContains(t, line, of, dir)
				}
			}
		}
	}
}

// exported are the exported declarations of a package, without comments and unexported fields.
func exported(t *testing.T, dir string) (decls []string) {
	t.Helper()
	pkg, err := build.ImportDir(dir, 0)
	require.NoError(t, err)
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range pkg.GoFiles {
		file, err := parser.ParseFile(set, filepath.Join(dir, name), nil, 0)
		require.NoError(t, err)
		files = append(files, file)
	}
	docs, err := doc.NewFromFiles(set, files, pkg.Name)
	require.NoError(t, err)
	add := func(node ast.Node) {
		var b bytes.Buffer
		require.NoError(t, printer.Fprint(&b, set, node))
		for line := range strings.Lines(b.String()) { // its layout depends on the comments that are not there
			if line = strings.TrimRight(line, "\n"); strings.TrimSpace(line) != "" {
				indent := line[:len(line)-len(strings.TrimLeft(line, "\t"))]
				decls = append(decls, indent+strings.Join(strings.Fields(line), " "))
			}
		}
	}
	values := func(list []*doc.Value) {
		for _, v := range list {
			add(v.Decl)
		}
	}
	funcs := func(list []*doc.Func) {
		for _, f := range list {
			f.Decl.Body = nil
			add(f.Decl)
		}
	}
	values(docs.Consts)
	values(docs.Vars)
	funcs(docs.Funcs)
	for _, typ := range docs.Types {
		add(typ.Decl)
		values(typ.Consts)
		values(typ.Vars)
		funcs(typ.Funcs)
		funcs(typ.Methods)
	}
	return decls
}
