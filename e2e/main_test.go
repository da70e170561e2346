// Package e2e tests the real hookrun binary in real processes: scripts for every command, flag and exit code, an agent
// loop with a scripted model, and the examples that people copy.
package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// hookrun is the path of the binary under test, built as README says.
var hookrun string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "hookrun-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	hookrun = filepath.Join(dir, "hookrun")
	build := exec.Command("go", "build", "-o", hookrun, "..")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building hookrun: %v\n%s", err, out)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// repository is the root of this project, where the examples are.
func repository(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// TestScripts runs testdata/script/*.txtar. In them `exec hookrun` is the real binary, and `code N` asserts the exit
// code of the last command run by `run`.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", filepath.Dir(hookrun)+string(os.PathListSeparator)+env.Getenv("PATH"))
			return nil
		},
	})
}
