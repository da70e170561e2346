// Package e2e tests the real hookrun binary in real processes: scripts for every command, flag and exit code, an agent
// loop with a scripted model, and the examples that people copy.
package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
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
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", hookrun, "..")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building hookrun: %v\n%s", err, out)
		os.Exit(1)
	}
	pythonItself()
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// pythonItself puts the interpreter before what may stand for it in PATH: a script that chooses among versions costs each hook more
// than the interpreter does.
func pythonItself() {
	path, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	if err == nil {
		os.Setenv("PATH", filepath.Dir(strings.TrimSpace(string(path)))+string(os.PathListSeparator)+os.Getenv("PATH"))
	}
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

// TestScripts runs testdata/script/*.txtar, in which hookrun is the real binary. They have two commands more than
// testscript's own: see exits and outcome.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":   exits,
			"outcome": outcome, "answers": cmpAnswers,
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", filepath.Dir(hookrun)+string(os.PathListSeparator)+env.Getenv("PATH"))
			return nil
		},
	})
}

// exits is `exits CODE program [args...]`: exec for a program that must end with this exit code and no other. What it
// printed is there for stdout, stderr, cmp and stdin as after exec.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE program [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode() // -1: killed
	}
	if got != want {
		ts.Fatalf("%s exited with %d, not %d", args[1], got, want)
	}
}

// outcome is `outcome FILE`: the last stdout is one line of JSON, and that of FILE. Of FILE white space does not count
// and variables are expanded. A duration may be any number: in FILE it is 0. Start and limit of a hook are not looked at.
func outcome(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: outcome FILE")
	}
	got := timeless(ts.ReadFile("stdout"))
	file := os.Expand(ts.ReadFile(args[0]), ts.Getenv)
	var want bytes.Buffer
	if err := json.Compact(&want, []byte(file)); err != nil {
		ts.Fatalf("%s: %v", args[0], err)
	}
	want.WriteByte('\n')
	if got != want.String() {
		ts.Fatalf("the outcome is not that of %s:\ngot  %swant %s", args[0], got, want.String())
	}
}

// cmpAnswers is `answers FILE`: the last stdout is FILE, but for durations, which may be any number: in FILE they are 0.
func cmpAnswers(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: answers FILE")
	}
	got, want := timeless(ts.ReadFile("stdout")), ts.ReadFile(args[0])
	if !slices.Equal(slices.Sorted(strings.Lines(got)), slices.Sorted(strings.Lines(want))) { // calls may overtake each other
		ts.Fatalf("the answers are not those of %s:\ngot  %swant %s", args[0], got, want)
	}
}

var duration, bounds = regexp.MustCompile(`"duration_ms":[0-9]+(\.[0-9]+)?\b`), regexp.MustCompile(`"(start|limit)_ms":[0-9]+(\.[0-9]+)?,`)

func timeless(outcome string) string {
	return bounds.ReplaceAllString(duration.ReplaceAllString(outcome, `"duration_ms":0`), "")
}
