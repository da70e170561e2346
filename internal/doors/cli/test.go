package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/core/project"
	"github.com/hookrun/hookrun/internal/lib/printable/terminal"
	"github.com/hookrun/hookrun/internal/lib/shellword"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/record/cases"
)

var tests = command{
	name:    "test",
	args:    "[FILE…] [FLAGS]",
	takes:   files,
	summary: "run tests of hooks, in *" + cases.Suffix,
	masks:   true,
	about: `Runs the real hooks for the calls in files of tests, several at once, and compares the outcomes
with what each test expects. A FILE may be a folder, for the
*` + cases.Suffix + ` in it; without FILE it is the workspace.

The hooks are those of the project that each FILE is in: the nearest .tenex-hooks.json upwards. They
run in its folder, and are started anew for each test. Nothing is taken from a queue. Hooks that keep
something in files, and would disturb each other, want -j 1.

  {"tests": [{"name": "no force push",
              "event": "pre-tool", "tool": "shell", "args": {"command": "git push -f"},
              "expect": {"decision": "block", "reason": {"matches": "force"}}}]}

A test may also have result, failed, prompt, session_id, tool_use_id, agent_id and env; or, instead of
the call, input: a client's whole hook input. expect has one or more of decision, reason, cause, hook,
stop_reason, inject, message, warning, updated_input, updated_output, approved, stop. A string must be
equal, {"matches": RE2} must match, and null means none.
` + cases.WorkspaceMark + ` in a string stands for the path of the workspace.`,
	exits: []exitCode{{exitOK, "each test passed; with --replay, all calls end as before"},
		{exitFailed, "a test failed, a call ends in another way, or there is none"}},
	example: "  hookrun test\n  hookrun test --record run.log > recorded" + cases.Suffix,
	setup: func(flags *pflag.FlagSet) func([]string, Streams) (int, error) {
		var t testRun
		t.defineFiles(flags)
		workspace := flags.Lookup("workspace")
		workspace.DefValue = ""
		workspace.Usage = "`DIR` of the project; hooks run in it " +
			"(default the nearest folder upwards from FILE with a hooks file)"
		flags.Lookup("config").Usage = "hooks `FILE`, repeatable (default the nearest " + hookfile.FileName +
			" upwards from FILE; with -C the one beside FILE, else the workspace's)"
		t.definePolicy(flags)
		const replay = "run the calls in the run log `LOG`, and in those of further arguments, and print those " +
			"that would end in another way; a folder stands for all logs in it"
		flags.StringVar(&t.replay, "replay", "", replay)
		record := flags.String("record", "", "print tests made of the calls in the run log `LOG`, and run none")
		defineOutput(flags, &t.output, "text", "json", "junit")
		only := flags.String("run", "", "run only tests whose name matches `RE2`")
		const parallel = "run up to `N` tests at once; 1 is one after the other (default the number of CPUs)"
		flags.IntVarP(&t.parallel, "jobs", "j", runtime.GOMAXPROCS(0), parallel)
		flags.Lookup("jobs").DefValue = "0"
		flags.BoolVar(&t.failFast, "fail-fast", false, "begin no test after the first that failed")
		flags.BoolVarP(&t.verbose, "verbose", "v", false, "show what each hook did, also where a test passes")
		return func(files []string, std Streams) (int, error) {
			if err := t.valid(); err != nil {
				return 0, err
			}
			if err := t.selection(*only); err != nil {
				return 0, err
			}
			if err := checkOutput(flags); err != nil {
				return 0, err
			}
			switch {
			case flags.Changed("record") && len(files) > 0:
				return 0, errors.New("--record LOG prints tests and runs none; leave FILE out")
			case flags.Changed("replay") && flags.Changed("record"):
				return 0, errors.New("--replay LOG runs the calls of a log; leave out --record")
			case flags.Changed("replay") && t.replay == "":
				return 0, errors.New("--replay is empty; name the run log")
			case flags.Changed("record"):
				return exitOK, t.record(*record, std)
			}
			return t.run(files, std)
		}
	},
}

// testRun has the flags of test. It uses no flags of a call.
type testRun struct {
	hooksFlags
	output   string
	verbose  bool
	only     *regexp.Regexp // pattern for names of tests; nil: all
	parallel int            // number of tests that run at once
	failFast bool
	replay   string // run log with calls to run instead of tests
}

// selection sets the tests to run, and the number of parallel tests, from the flags.
func (t *testRun) selection(only string) (err error) {
	switch {
	case t.flags.Changed("run") && only == "":
		return errors.New("--run is empty; leave it out for all tests")
	case t.parallel < 1:
		return fmt.Errorf("--jobs %d runs no test; give 1 or more", t.parallel)
	case only == "":
		return nil
	}
	if t.only, err = regexp.Compile(only); err != nil {
		return fmt.Errorf("--run: %w", err)
	}
	return nil
}

// run reads all files, and runs their tests if no file has a fault.
func (t *testRun) run(files []string, std Streams) (exit int, err error) {
	o, err := t.options()
	if err != nil {
		return 0, err
	}
	o.OneShot, o.Skip, o.NoApprovals = true, nil, true
	var suites []cases.Suite
	var r *cases.Recording
	if t.replay != "" {
		suites, r, err = t.replayed(append([]string{t.replay}, files...))
	} else {
		suites, err = t.readSuites(files)
	}
	if err != nil {
		return 0, err
	}
	all := cases.Run{Options: o, Only: t.only, Parallel: t.parallel, FailFast: t.failFast, Replay: t.replay != "",
		Verbose: t.verbose, Paint: terminal.Paint(isColoured(std.Out))}
	if t.output == "text" {
		all.Print = func(text string) error { return write(std, text) }
	}
	if isScreen(std.Err, os.Stderr) {
		all.Progress = std.Err
	}
	if all.Add(suites) == 0 && t.only != nil {
		return 0, fmt.Errorf("--run %q matches the name of no test", t.only)
	}
	if all.Options.Env, err = hookEnviron(); err != nil {
		return 0, err
	}
	until := interruption{exit: exitFailed}
	until.watch()
	defer until.done()
	begin := time.Now()
	if err := all.All(until.context()); err != nil {
		return 0, err
	}
	took := time.Since(begin)
	ok := !slices.ContainsFunc(all.Results, func(r cases.Result) bool { return !r.OK })
	switch t.output {
	case "json":
		err = writeJSON(std, struct {
			Version int            `json:"version"`
			OK      bool           `json:"ok"`
			Tests   []cases.Result `json:"tests"`
			NotRun  int            `json:"not_run,omitempty"` // after a failure, with --fail-fast
		}{1, ok, all.Results, all.NotRun})
	case "junit":
		err = write(std, cases.JUnit(all.Results, took))
	default:
		text := all.Summary(took.Seconds())
		if t.replay != "" {
			text = all.Differences(took.Seconds()) + r.Skipped() + "\n"
		}
		err = write(std, text)
	}
	if !ok {
		exit = exitFailed
	}
	return exit, err
}

// readSuites reads the selected files and their hooks. The error has the faults of all files.
func (t *testRun) readSuites(args []string) (suites []cases.Suite, err error) {
	paths, err := t.paths(args)
	if err != nil {
		return nil, err
	}
	var problems hook.Diagnostics
	collect := func(err error) error {
		var found hook.Diagnostics
		if errors.As(err, &found) {
			problems = append(problems, found...)
			return nil
		}
		return err
	}
	configs := map[string]*hookfile.Config{} // by folder
	for _, path := range paths {
		own, err := t.flagsFor(path)
		if err != nil {
			return nil, err
		}
		s := cases.Suite{Hint: own.explainFlags()}
		if s.File, err = cases.Load(path, own.workspace); collect(err) != nil {
			return nil, err
		}
		folder := filepath.Dir(path)
		if _, known := configs[folder]; !known {
			if configs[folder], err = own.read(); collect(err) != nil {
				return nil, err
			}
		}
		if s.Config = configs[folder]; s.Config != nil && len(s.Config.Files) == 0 {
			problems = append(problems, hook.Diagnostic{File: path, Text: nothingToTest(&own.project)})
		}
		suites = append(suites, s)
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return suites, nil
}

// nothingToTest returns the message for a file of tests without a hooks file.
func nothingToTest(p *project.Project) string {
	text := "there is no " + hookfile.FileName + " beside it, so there is nothing to test; " +
		"give a hooks file with --config"
	for _, r := range p.Remarks() {
		text += "; " + r.String()
	}
	return text
}

// paths returns the files of tests to run, each once, even if the arguments have a folder and a file inside.
func (t *testRun) paths(args []string) (paths []string, err error) {
	if len(args) == 0 {
		folder, err := t.testFolder()
		if err != nil {
			return nil, err
		}
		args = []string{folder}
	}
	for _, path := range args {
		found := []string{filepath.Clean(path)}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			if found, err = cases.Find(path); err != nil {
				return nil, err
			}
		}
		for _, path := range found {
			if !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	return paths, nil
}

// testFolder returns the folder whose tests run without FILE: the folder given by -C, or the current folder, or the
// project's folder if the current folder has no tests.
func (t *testRun) testFolder() (string, error) {
	if _, err := cases.Find(t.workspace); err == nil || t.flags.Changed("workspace") {
		return t.workspace, nil
	}
	p, err := projectBy(t.workspace, project.Given{Claude: t.claude})
	return p.Workspace, err
}

// flagsFor returns the flags for one file of tests. By default, the hooks come from the project of the file's folder,
// and run there. With -C the hooks file is the one in the file's folder, or else the workspace's.
func (t *testRun) flagsFor(path string) (own hooksFlags, err error) {
	own = t.hooksFlags
	folder := filepath.Dir(path)
	given := own.flags.Changed("workspace")
	if !given {
		own.workspace = folder
	}
	if own.project, err = own.findProject(given); err != nil {
		return own, err
	}
	if beside := hookfile.ProjectIn(folder); len(own.configs) == 0 && beside.Found() {
		isNone := func(path string) bool { return path == "" }
		own.configs = slices.DeleteFunc([]string{beside.File, beside.Local}, isNone)
	}
	own.workspace, err = filepath.Abs(own.project.Workspace)
	return own, err
}

// explainFlags returns the flags for hookrun explain to see the same hooks.
func (f *hooksFlags) explainFlags() string {
	hint := " -C " + shellword.Local(f.workspace)
	for _, c := range f.configs {
		hint += " -c " + shellword.Local(c)
	}
	if f.claude {
		hint += " --claude"
	}
	if f.noUser {
		hint += " --no-user"
	}
	return hint
}

// record prints tests made from a run log and its rotated files.
func (t *testRun) record(log string, std Streams) error {
	if err := t.resolveWorkspace(); err != nil {
		return err
	}
	r := cases.NewRecording(t.folder)
	if err := r.ReadLog("--record", log); err != nil {
		return err
	}
	doc, tests := r.File()
	about := fmt.Sprintf("%s of %s", spelling.Count(tests, "test"), spelling.Count(r.Lines, "line")) + r.Skipped()
	if tests == 0 {
		const text = "%s; the log has no call of the workspace %s that can be repeated"
		return fmt.Errorf(text, about, t.folder)
	}
	if err := write(std, doc); err != nil {
		return err
	}
	fmt.Fprintln(std.Err, "hookrun test:", about)
	return nil
}

// replayed returns the calls of run logs as tests of the workspace's hooks.
func (t *testRun) replayed(logs []string) ([]cases.Suite, *cases.Recording, error) {
	if err := t.resolveWorkspace(); err != nil {
		return nil, nil, err
	}
	cfg, err := t.read()
	if err != nil {
		return nil, nil, err
	}
	r := cases.NewRecording(t.folder)
	r.Anywhere = true
	for _, log := range logs {
		if err := r.ReadLog("--replay", log); err != nil {
			return nil, nil, err
		}
	}
	file := &cases.File{Path: t.replay, Tests: r.Replay()}
	if len(file.Tests) == 0 {
		const text = "--replay %s: of %s no call can be repeated%s"
		return nil, nil, fmt.Errorf(text, t.replay, spelling.Count(r.Lines, "line"), r.Skipped())
	}
	return []cases.Suite{{File: file, Config: cfg, Hint: t.explainFlags()}}, r, nil
}
