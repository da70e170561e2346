// Package hooktest reads tests of hooks from *.hooktest.json files, and says what an outcome has otherwise than they
// expect.
//
//	file, err := hooktest.Load("guards.hooktest.json", workspace)
//	…
//	for _, t := range file.Tests {
//		outcome, err := r.Fire(ctx, t.Call)
//		result := t.Judge(outcome, err)
//		…                              // result.Problems says what differs
//	}
//
// A file is {"tests": [{"name": …, "event": "pre-tool", "tool": "shell", "args": {…}, "expect": {"decision":
// "block"}}]}. In place of event, tool, args and so on a test may have "input", a client's whole hook input. Of an
// expectation a string is equality, {"matches": RE2} a pattern that is found somewhere in the text, and null says that
// there must be none. In all strings but a test's name ${HOOKRUN_WORKSPACE} stands for the path of the workspace, so
// that a test holds on every machine.
//
// What a test does not name is not compared, but for what would make it pass by accident. A test fails
//   - by a decision other than continue, unless expect has "decision", and by the end of the loop, unless it has "stop"
//     or "stop_reason": else {"inject": "x"} would pass on a block;
//   - by a hook that gave no answer (it crashed, could not be started, was too slow, printed nonsense), unless expect
//     has "cause" or "warning": else {"decision": "block"} would pass where the guard is not even there.
//
// Files are read as strictly as hooks files: a test that says nothing, by a slip in a key, is refused with its place.
//
// Not guaranteed: that a hook which crashes with an exit code of its own before a tool (1, of most interpreters) fails
// the test. In .tenex-hooks.json that is a block like any other; "reason" tells them apart.
package hooktest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hookrun/hookrun/internal/regularfile"
	"github.com/hookrun/hookrun/projecthooks"
	"github.com/hookrun/hookrun/protocol"
)

// Suffix is the end of the names of files with tests.
const Suffix = ".hooktest.json"

// WorkspaceMark stands for the path of the workspace.
const WorkspaceMark = "${HOOKRUN_WORKSPACE}"

const (
	maxFileSize  = 1 << 20
	maxFileDepth = 128 // arguments may be nested 64 deep, and a client's whole input stands around them
)

// File is a file of tests.
type File struct {
	Path  string
	Tests []Test // in the order of the file
}

// Test is a call, and what its outcome should be.
type Test struct {
	Name   string
	File   string
	Line   int
	Call   protocol.Call
	Env    []string // NAME=VALUE, added to the environment of the hooks
	Expect Expectation
}

// Result is what became of a test.
type Result struct {
	Name     string                `json:"name"`
	File     string                `json:"file"`
	Line     int                   `json:"-"`
	OK       bool                  `json:"ok"`
	Problems []string              `json:"problems"` // what is otherwise than expected
	Duration protocol.Milliseconds `json:"duration_ms"`
	Outcome  *protocol.Outcome     `json:"outcome,omitempty"` // nil: the call came to none
}

// Judge compares what a runner returned for the test's call with what the test expects.
func (t *Test) Judge(o protocol.Outcome, err error) Result {
	r := Result{Name: t.Name, File: t.File, Line: t.Line, Problems: []string{}, Duration: o.Duration}
	if err != nil {
		r.Problems = append(r.Problems, fmt.Sprintf("the call came to no verdict: %v", err))
		return r
	}
	r.Outcome = &o
	r.Problems = append(r.Problems, t.Expect.differences(&o)...)
	r.OK = len(r.Problems) == 0
	return r
}

// Find returns the files of tests in a folder, in the order of their names.
func Find(folder string) (paths []string, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("looking for tests in %s: %w", folder, bare(err))
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), Suffix) {
			paths = append(paths, filepath.Join(folder, e.Name()))
		}
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s has no file *%s; write one, or make one of a run log with --record", folder, Suffix)
	}
	return paths, nil
}

// Load reads a file of tests for a workspace, whose path must be absolute. An error that has a place is of type
// projecthooks.Problems.
func Load(path, workspace string) (*File, error) {
	doc, _, err := regularfile.Read(path, maxFileSize)
	if errors.Is(err, regularfile.ErrTooLarge) {
		err = errors.New("larger than 1 MiB; divide it")
	}
	if err != nil {
		return nil, projecthooks.Problems{{File: path, Text: "reading the tests: " + bare(err).Error()}}
	}
	return Parse(path, doc, workspace)
}

// bare takes the path out of an error that stands behind that path already.
func bare(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
