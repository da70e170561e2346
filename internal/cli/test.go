package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/hooktest"
	"github.com/hookrun/hookrun/internal/printable"
	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/projecthooks"
	"github.com/hookrun/hookrun/protocol"
	"github.com/hookrun/hookrun/runner"
)

var tests = command{
	name:    "test",
	args:    "[FILE…] [FLAGS]",
	summary: "run tests of hooks, which stand in *" + hooktest.Suffix,
	about: `Runs the real hooks for the calls in files of tests, one after the other, and compares what they say
with what each test expects. It exits with 1 if a test fails. A FILE may be a folder, for the
*` + hooktest.Suffix + ` in it; without FILE it is the workspace.

The hooks are those of the project that each FILE is in: the nearest .tenex-hooks.json upwards. They
run in its folder. Nothing is taken from a queue.

  {"tests": [{"name": "no force push",
              "event": "pre-tool", "tool": "shell", "args": {"command": "git push -f"},
              "expect": {"decision": "block", "reason": {"matches": "force"}}}]}

A test may also have result, failed, prompt, session_id, tool_use_id, agent_id and env; or, instead of
the call, input: a client's whole hook input. expect has one or more of decision, reason, cause, hook,
stop_reason, inject, message, warning, updated_input, updated_output, approved, stop. A string must be
equal, {"matches": RE2} must match, and null means none.
` + hooktest.WorkspaceMark + ` in a string stands for the path of the workspace.`,
	example: "  hookrun test\n  hookrun test --record run.log > recorded" + hooktest.Suffix,
	setup: func(flags *pflag.FlagSet) func([]string, Streams) (int, error) {
		var t testRun
		t.defineFiles(flags)
		workspace := flags.Lookup("workspace")
		workspace.DefValue = ""
		workspace.Usage = "`DIR` of the project; hooks run in it " +
			"(default the nearest folder upwards from FILE with a hooks file)"
		flags.Lookup("config").Usage = "hooks `FILE`, repeatable (default the nearest " + projecthooks.FileName +
			" upwards from FILE; with -C the one beside FILE, else the workspace's)"
		t.definePolicy(flags)
		record := flags.String("record", "", "print tests made of the calls in the run log `LOG`, and run none")
		t.outputs = []string{"text", "json", "junit"}
		flags.StringVarP(&t.output, "output", "o", "text", "output `FORM`: "+strings.Join(t.outputs, ", "))
		flags.BoolVarP(&t.verbose, "verbose", "v", false, "say what each hook did, also where a test passes")
		return func(files []string, std Streams) (int, error) {
			if err := t.valid(); err != nil {
				return 0, err
			}
			switch {
			case !slices.Contains(t.outputs, t.output):
				return 0, fmt.Errorf("--output %q is not one of %s", t.output, strings.Join(t.outputs, ", "))
			case flags.Changed("record") && len(files) > 0:
				return 0, errors.New("--record LOG prints tests and runs none; leave FILE out")
			case flags.Changed("record"):
				return exitOK, t.record(*record, std)
			}
			return t.run(files, std)
		}
	},
}

// testRun is what the flags of a test say. Of the call itself there is nothing in them.
type testRun struct{ callFlags }

// suite is a file of tests, and the hooks that it is about.
type suite struct {
	*hooktest.File
	workspace string
	config    *projecthooks.Config
	hint      string // flags of hookrun explain that have it look at the same hooks
}

// run reads all files, and runs their tests if there is nothing wrong with any.
func (t *testRun) run(files []string, std Streams) (exit int, err error) {
	o, err := t.options()
	if err != nil {
		return 0, err
	}
	o.OneShot = true
	suites, err := t.readSuites(files)
	if err != nil {
		return 0, err
	}
	begin := time.Now()
	results, err := t.runSuites(suites, o, std)
	if err != nil {
		return 0, err
	}
	failed, took := 0, time.Since(begin)
	for i := range results {
		if !results[i].OK {
			failed++
		}
	}
	switch t.output {
	case "json":
		err = writeJSON(std, struct {
			Version int               `json:"version"`
			OK      bool              `json:"ok"`
			Tests   []hooktest.Result `json:"tests"`
		}{1, failed == 0, results})
	case "junit":
		err = write(std, hooktest.JUnit(results, took))
	default:
		err = write(std, fmt.Sprintf("%s, %d ok, %d failed in %.1f s\n",
			counted(len(results), "test"), len(results)-failed, failed, took.Seconds()))
	}
	if failed > 0 {
		exit = exitFailed
	}
	return exit, err
}

// readSuites reads the files that are meant, and their hooks. The error has what is wrong with all of them.
func (t *testRun) readSuites(args []string) (suites []suite, err error) {
	paths, err := t.paths(args)
	if err != nil {
		return nil, err
	}
	var problems projecthooks.Problems
	collect := func(err error) error {
		var found projecthooks.Problems
		if errors.As(err, &found) {
			problems = append(problems, found...)
			return nil
		}
		return err
	}
	configs := map[string]*projecthooks.Config{} // by folder
	for _, path := range paths {
		own, err := t.beside(path)
		if err != nil {
			return nil, err
		}
		s := suite{workspace: own.workspace, hint: own.explainFlags()}
		if s.File, err = hooktest.Load(path, s.workspace); collect(err) != nil {
			return nil, err
		}
		folder := filepath.Dir(path)
		if _, known := configs[folder]; !known {
			if configs[folder], err = own.read(); collect(err) != nil {
				return nil, err
			}
		}
		if s.config = configs[folder]; s.config != nil && len(s.config.Files) == 0 {
			problems = append(problems, projecthooks.Problem{File: path, Text: nothingToTest(&own.project)})
		}
		suites = append(suites, s)
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return suites, nil
}

// nothingToTest says that no hooks file was found for a file of tests.
func nothingToTest(p *project) string {
	text := "there is no " + projecthooks.FileName + " beside it, so there is nothing to test; " +
		"give a hooks file with --config"
	for _, r := range p.remarks() {
		text += "; " + r
	}
	return text
}

// paths are the files that are meant, each once: a folder may be named, and a file in it.
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
			if found, err = hooktest.Find(path); err != nil {
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

// testFolder is the folder whose tests run where no FILE is named: that of -C, else the current one or, where it has no
// tests, the project's.
func (t *testRun) testFolder() (string, error) {
	if _, err := hooktest.Find(t.workspace); err == nil || t.flags.Changed("workspace") {
		return t.workspace, nil
	}
	p, err := findProject(t.workspace, false, t.claude)
	return p.Workspace, err
}

// beside are the flags for one file of tests. Unless they say others, the hooks are those of the project that the
// file's folder is in, and run there. With -C they are those in the file's folder or, where it has none, those of the
// workspace.
func (t *testRun) beside(path string) (own callFlags, err error) {
	own = t.callFlags
	folder := filepath.Dir(path)
	given := own.flags.Changed("workspace")
	if !given {
		own.workspace = folder
	}
	if own.project, err = findProject(own.workspace, given || len(own.configs) > 0, own.claude); err != nil {
		return own, err
	}
	if hooks := ownFile(folder); len(own.configs) == 0 && hooks != "" {
		own.configs = []string{hooks}
	}
	own.workspace, err = filepath.Abs(own.project.Workspace)
	return own, err
}

// explainFlags are the flags by which hookrun explain looks at the same hooks.
func (f *callFlags) explainFlags() string {
	hint := " -C " + quoted(f.workspace)
	for _, c := range f.configs {
		hint += " -c " + quoted(c)
	}
	if f.claude {
		hint += " --claude"
	}
	return hint
}

// quoted is a word as a shell reads it.
func quoted(word string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,"
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// runSuites runs the tests, in their order. As text each is printed when it is over, since hooks can take their time.
func (t *testRun) runSuites(suites []suite, o runner.Options, std Streams) (results []hooktest.Result, err error) {
	env, err := nested()
	if err != nil {
		return nil, err
	}
	until := interruption{exit: exitFailed}
	until.watch()
	ctx := until.context()
	defer until.over()
	colour := coloured(std.Out)
	for _, s := range suites {
		if t.output == "text" && len(suites) > 1 {
			if err := write(std, visible(s.Path)+"\n"); err != nil {
				return nil, err
			}
		}
		for i := range s.Tests {
			test := &s.Tests[i]
			o.Env = append(slices.Clip(env), test.Env...)
			r := runner.New(s.config, o)
			outcome, err := r.Fire(ctx, test.Call)
			if ctx.Err() != nil {
				ran := counted(len(results), "test")
				return nil, fmt.Errorf("%w; the hooks were killed, %s had run", context.Cause(ctx), ran)
			}
			results = append(results, test.Judge(outcome, err))
			if t.output != "text" {
				continue
			}
			if err := write(std, t.shown(test, &results[len(results)-1], s.hint, colour)); err != nil {
				return nil, err
			}
		}
	}
	return results, nil
}

// shown is a line for a test; where it fails what is otherwise than expected, and all that helps to find out why.
func (t *testRun) shown(test *hooktest.Test, r *hooktest.Result, hint string, colour bool) string {
	var b strings.Builder
	verdict, tint := "ok  ", green
	if !r.OK {
		verdict, tint = "FAIL", red
	}
	fmt.Fprintf(&b, "%s %s (%s)\n", paint(colour).as(tint, verdict), visible(r.Name), took(r.Duration))
	if !r.OK {
		fmt.Fprintf(&b, "     %s:%d\n", visible(r.File), r.Line)
	}
	for _, p := range r.Problems {
		fmt.Fprintf(&b, "     %s\n", visible(p))
	}
	if r.Outcome == nil || r.OK && !t.verbose {
		return b.String()
	}
	for _, h := range r.Outcome.Hooks {
		name, source := printable.Escape(h.Name), printable.Escape(h.Source)
		fmt.Fprintf(&b, "     hook '%s' (%s) %s%s (%s)\n", name, source, h.Status, because(&h), took(h.Duration))
		for line := range strings.Lines(spelling.Brief(h.Stderr, 4<<10)) {
			fmt.Fprintf(&b, "       stderr: %s\n", visible(strings.TrimRight(line, "\r\n")))
		}
	}
	if len(r.Outcome.Hooks) == 0 {
		const text = "     no hook is for this call; why: hookrun explain %s%s\n"
		fmt.Fprintf(&b, text, visible(explaining(&test.Call)), visible(hint))
	}
	return b.String()
}

func took(d protocol.Milliseconds) string { return duration(time.Duration(d).Seconds() * 1000) }

// because says by what a hook failed.
func because(h *protocol.HookReport) string {
	switch {
	case h.ExitCode != nil && *h.ExitCode != 0:
		return fmt.Sprintf(", exit %d", *h.ExitCode)
	case h.Signal != "":
		return ", " + h.Signal
	}
	return ""
}

// explaining are the words that make hookrun explain look at a call.
func explaining(c *protocol.Call) string {
	const most = 300 // longer ones nobody copies
	if c.ClientInput != "" {
		if len(c.ClientInput) > most {
			return "--input @FILE"
		}
		return "--input " + quoted(c.ClientInput)
	}
	words := string(c.Event)
	if c.Tool != "" {
		words += " --tool " + quoted(c.Tool)
	}
	if c.Args != "" && len(c.Args) <= most {
		words += " --args " + quoted(c.Args)
	}
	return words
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// record prints tests made of a run log and of what was rotated out of it.
func (t *testRun) record(log string, std Streams) error {
	if err := t.resolveWorkspace(); err != nil {
		return err
	}
	r := hooktest.NewRecording(t.call.Workspace)
	for _, path := range []string{log + ".3", log + ".2", log + ".1", log} { // the oldest lines first
		file, err := os.Open(path)
		if path != log && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = r.Read(file)
			file.Close()
		}
		if err != nil {
			const mend = "give the file that hookrun was given as --log"
			return fmt.Errorf("--record %s: %w; %s", path, spelling.UnwrapPath(err), mend)
		}
	}
	doc, tests := r.File()
	about := fmt.Sprintf("hookrun test: %s of %s", counted(tests, "test"), counted(r.Lines, "line"))
	separator := "; left out: "
	for _, why := range slices.Sorted(maps.Keys(r.LeftOut)) {
		about += fmt.Sprintf("%s%d %s", separator, r.LeftOut[why], why)
		separator = ", "
	}
	if tests == 0 {
		const text = "%s; the log has no call of the workspace %s that can be repeated"
		return fmt.Errorf(text, strings.TrimPrefix(about, "hookrun test: "), t.call.Workspace)
	}
	if err := write(std, doc); err != nil {
		return err
	}
	fmt.Fprintln(std.Err, about)
	return nil
}
