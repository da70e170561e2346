// Package cases reads tests of hooks from *.hooktest.json files, and compares outcomes with what the tests expect.
//
//	file, err := cases.Load("guards.hooktest.json", workspace)
//	…
//	for _, t := range file.Tests {
//		outcome, err := r.Fire(ctx, t.Call)
//		result := t.Check(outcome, err)
//		… // result.Problems lists what differs
//	}
//
// A file is {"tests": [{"name": …, "event": "pre-tool", "tool": "shell", "args": {…}, "expect": {"decision":
// "block"}}]}. Instead of event, tool, args and so on a test may have "input", a client's whole hook input. In an
// expectation a string must be equal, {"matches": RE2} must match somewhere in the text, and null expects an empty
// value. ${HOOKRUN_WORKSPACE} means the path of the workspace in all strings except a test's name, so a test works on
// every machine.
//
// Fields without an expectation are not compared, with two exceptions, because a test could pass by accident. A test
// fails
//   - if the decision is not continue, unless expect has "decision", and if the loop ends, unless expect has "stop" or
//     "stop_reason". Otherwise {"inject": "x"} would pass on a block.
//   - if a hook gave no answer (it crashed, could not be started, was too slow, printed nonsense), unless expect has
//     "cause" or "warning". Otherwise {"decision": "block"} would pass without the guard.
//
// Files are read as strictly as hooks files: a misspelt key, with which a test would check nothing, is an error with a
// position.
//
// Not guaranteed: a test may pass although a hook crashes before a tool with an exit code of its own (1 for most
// interpreters). In .tenex-hooks.json such a crash is a block like any other; "reason" tells them apart.
package cases

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/files/regular"
	"github.com/hookrun/hookrun/internal/lib/strictjson/document"
	"github.com/hookrun/hookrun/protocol"
)

// Suffix is the end of the file names of tests.
const Suffix = ".hooktest.json"

// WorkspaceMark stands for the path of the workspace.
const WorkspaceMark = "${HOOKRUN_WORKSPACE}"

const (
	maxFileSize  = 1 << 20
	maxFileDepth = 128 // arguments may be nested 64 deep, inside a client's whole input
)

// File is a file of tests.
type File struct {
	Path  string
	Tests []Test // in the order of the file
}

// Test is a call and the expected outcome.
type Test struct {
	Name   string
	File   string
	Line   int
	Call   dialect.Call
	Env    []string // NAME=VALUE, added to the environment of the hooks
	Expect Expectation
}

// Result is the result of a test.
type Result struct {
	Name     string                `json:"name"`
	File     string                `json:"file"`
	Line     int                   `json:"-"`
	OK       bool                  `json:"ok"`
	Problems []string              `json:"problems"` // how the outcome differs
	Duration protocol.Milliseconds `json:"duration_ms"`
	Outcome  *protocol.Outcome     `json:"outcome,omitempty"` // nil if the call had none
}

// Check compares the outcome of the test's call with what the test expects.
func (t *Test) Check(o protocol.Outcome, err error) Result {
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

// Find returns the test files in a folder, sorted by name.
func Find(folder string) (paths []string, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("looking for tests in %s: %w", folder, regular.UnwrapPath(err))
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

// Load reads a test file for a workspace, whose path must be absolute. An error with a position is of type
// document.Diagnostics.
func Load(path, workspace string) (*File, error) {
	doc, _, err := regular.Read(path, maxFileSize)
	if errors.Is(err, regular.ErrTooLarge) {
		err = errors.New("larger than 1 MiB; divide it")
	}
	if err != nil {
		text := "reading the tests: " + regular.UnwrapPath(err).Error()
		return nil, document.Diagnostics{{File: path, Text: text}}
	}
	return Parse(path, doc, workspace)
}
