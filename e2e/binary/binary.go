// Package binary builds the hookrun that the tests in the folders beside it run in real processes, and has what they
// share: how to run it, hooks files, testscripts, and processes to look after. A package of tests has
//
//	func TestMain(m *testing.M) { binary.Main(m) }
package binary

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// Path is the binary under test, built as the README says.
var Path string

// Main builds the binary, runs the tests, and exits.
func Main(m *testing.M) {
	asTool()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "hookrun-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	Path = filepath.Join(dir, "hookrun"+programSuffix)
	os.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "config")) // the hooks of whoever runs the tests are none of theirs
	os.Setenv("XDG_STATE_HOME", filepath.Join(dir, "state"))   // nor is what they allowed
	for _, v := range os.Environ() {                           // nor are their secrets, of which check has a note
		name, _, _ := strings.Cut(v, "=")
		if strings.HasSuffix(name, "_TOKEN") || strings.HasSuffix(name, "_KEY") || strings.HasSuffix(name, "_SECRET") {
			os.Unsetenv(name)
		}
	}
	if built := os.Getenv("HOOKRUN_TEST_BINARY"); built != "" { // there may be no Go where the tests run
		Path = built
	} else if err := build(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	os.Unsetenv("HOOKRUN_TEST_BINARY")
	if err := putTools(filepath.Join(dir, "tools")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	pythons = filepath.Join(dir, "python", "bin")
	os.Setenv("PATH", pythons+string(os.PathListSeparator)+os.Getenv("PATH"))
	for _, sig := range []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT} {
		if signal.Ignored(sig) { // as under nohup: without a handler here, no child could be interrupted
			signal.Notify(make(chan os.Signal, 1), sig)
		}
	}
	testall.Beside(6)
	return m.Run()
}

// build builds the binary. The managed hooks of this machine are none of the tests': a test has them in its current
// folder.
func build() error {
	const flags = "-ldflags=-s -w -X github.com/hookrun/hookrun/internal/core/hookfile.testManaged=managed/hooks.json"
	cmd := exec.Command("go", goBuild(flags, "github.com/hookrun/hookrun", Path)...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building hookrun: %w\n%s", err, out)
	}
	return nil
}

// pythons is first in PATH, and empty until a test needs Python.
var pythons string

// barePython puts a Python without the machine's packages first in PATH: the interpreter as of a virtual environment.
// Packages may run code at each start, and what is in PATH may be a script that chooses among versions. Either costs
// each hook more than the interpreter does.
func barePython() error {
	path, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	if err != nil || runtime.GOOS == "windows" {
		return err // on Windows tests take it as it is
	}
	python := strings.TrimSpace(string(path))
	settings := "home = " + filepath.Dir(python) + "\ninclude-system-site-packages = false\n"
	return errors.Join(os.MkdirAll(pythons, 0o700),
		os.WriteFile(filepath.Join(filepath.Dir(pythons), "pyvenv.cfg"), []byte(settings), 0o600),
		os.Symlink(python, filepath.Join(pythons, "python3")))
}

// Repository is the root of this project, where the examples are.
func Repository(t testing.TB) string {
	t.Helper()
	root, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			return root
		}
		above := filepath.Dir(root)
		if above == root {
			t.Fatal("no go.mod in this folder or above")
		}
		root = above
	}
}
