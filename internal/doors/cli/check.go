package cli

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/install"
	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/internal/lib/spelling"
)

var check = command{
	name:    "check",
	args:    "[FILE…] [FLAGS]",
	takes:   files,
	summary: "find what is wrong with hooks files, and with the programs they name",
	about: `Reads hooks files as a call would, and looks for what would fail when the hooks run: a program that
does not exist or is not executable, a script without an interpreter, a program that everybody may
write to. It runs nothing. It prints each problem with its position in the file, and exits with 1 if
there is an error.

Without FILE it checks the files that a call would read: the managed one, your own, and the project's,
which is that of -C DIR, or the nearest one upwards.`,
	example: "  hookrun check .tenex-hooks.json\n  hookrun check --schema > .tenex-hooks.schema.json",
	setup: func(flags *pflag.FlagSet) func([]string, Streams) (int, error) {
		const where = "`DIR` in which the hooks will run (default the folder of FILE, or .)"
		workspace := flags.StringP("workspace", "C", "", where)
		var output string
		defineOutput(flags, &output, "text", "json")
		const alsoClaude = "also check the settings that Claude Code would load: the user's, project's and local ones"
		claude := flags.Bool("claude", false, alsoClaude)
		const config = "check `FILE`, whose hooks run in DIR of -C or in ., as explain and fire do with -c; repeatable"
		configs := flags.StringArrayP("config", "c", nil, config)
		form := defineForm(flags)
		schema := flags.Bool("schema", false, "print a JSON Schema of the file, for editors")
		const parsed = "print the hooks as they are loaded, as JSON, and look at nothing on disk that they name"
		parse := flags.Bool("parse", false, parsed)
		noUser := flags.Bool("no-user", false, noUserUsage)
		strict := flags.Bool("strict", false, "exit with 1 for a warning, too")
		return func(files []string, std Streams) (int, error) {
			if err := checkOutput(flags); err != nil {
				return 0, err
			}
			if files = append(files, *configs...); len(*configs) > 0 && *workspace == "" {
				*workspace = "."
			}
			switch {
			case flags.Changed("workspace") && *workspace == "":
				return 0, errors.New("--workspace is empty; leave it out for the default")
			case *schema && len(files) > 0:
				return 0, errors.New("--schema takes no FILE")
			case *schema && *parse:
				return 0, errors.New("--schema and --parse print two things; give one of the two")
			case *schema:
				return exitOK, write(std, parts.All().Schema())
			}
			as, err := form()
			if err != nil {
				return 0, err
			}
			c := checker{hookfile.Options{Parts: parts.All(), Dialect: as, Claude: *claude, NoUser: *noUser}}
			if *parse {
				return exitOK, c.printParsed(files, *workspace, std)
			}
			report, err := c.command(files, *workspace)
			if err != nil {
				return 0, err
			}
			report.OK = report.OK && !(*strict && report.hasWarnings())
			if output == "json" {
				return report.exit(), writeJSON(std, report)
			}
			if len(report.Files) == 0 {
				own := filepath.Join(cmp.Or(*workspace, "."), hookfile.FileName)
				nothing := own + ": no such file, so no hooks\n"
				if *claude {
					nothing = "neither a hooks file nor settings of Claude Code, so no hooks\n"
				}
				report.warn(std)
				return report.exit(), write(std, nothing)
			}
			return report.exit(), report.print(std)
		}
	},
}

type checkReport struct {
	Version  int           `json:"version"`
	OK       bool          `json:"ok"`
	Files    []checkedFile `json:"files"`
	Warnings []string      `json:"warnings,omitempty"` // about no checked file
}

type checkedFile struct {
	File     string            `json:"file"`
	Level    hook.Level        `json:"level"`
	Hooks    int               `json:"hooks"`
	Errors   []hook.Diagnostic `json:"errors"`
	Warnings []hook.Diagnostic `json:"warnings"`
	Notes    []hook.Diagnostic `json:"notes,omitempty"` // possibly intended, so no warning

	tally hook.Tally
	label string // the level, for a file in hookrun's own format
}

// checker checks the hooks files that a call would read with these options.
type checker struct{ hookfile.Options }

// command checks the files on the command line, or without them the files of all levels.
func (c *checker) command(files []string, workspace string) (checkReport, error) {
	report := checkReport{Version: 1, OK: true, Files: []checkedFile{}}
	there, p, err := c.selectedFiles(files, workspace)
	if err != nil {
		return report, err
	}
	if c.Claude || len(files) == 0 {
		workspace = p.Workspace // also for files in other folders
	}
	report.add(&c.Options, there, workspace)
	report.findAbove(&p)
	if len(files) == 0 && report.OK {
		report.addMissing(&c.Options, there, workspace)
	}
	return report, nil
}

// addMissing adds the events whose hooks never run, because no installed client has an entry for them.
func (r *checkReport) addMissing(o *hookfile.Options, there []hookfile.File, workspace string) {
	cfg, err := o.LoadFiles(there)
	if err != nil {
		return // already reported
	}
	for _, m := range install.MissingHere(cfg.Hooks, workspace) {
		for i := range r.Files {
			f := &r.Files[i]
			switch {
			case f.File != m.Hook.File:
			case m.RunsElsewhere && m.Mend == "":
				f.Notes = append(f.Notes, m.Hook.Diagnostic(m.String()))
			case m.RunsElsewhere:
				f.Warnings = append(f.Warnings, m.Hook.Diagnostic(m.String()))
			default:
				r.OK = false
				f.Errors = append(f.Errors, m.Hook.Diagnostic(m.String()))
			}
		}
	}
}

// findAbove adds the remarks about the project, which depend on the number of hooks.
func (r *checkReport) findAbove(p *project) {
	hooks := 0
	for _, f := range r.Files {
		hooks += f.Hooks + len(f.Errors) // a file that does not load may have hooks
	}
	p.findAbove(hooks)
	r.Warnings = remarkTexts(p.remarks()...)
}

// selectedFiles returns the files selected by the command line, and the project.
func (c *checker) selectedFiles(files []string, workspace string) (there []hookfile.File, p project, err error) {
	p, err = projectBy(cmp.Or(workspace, "."), workspace != "", len(files) > 0, c.Claude)
	if err != nil {
		return nil, p, err
	}
	c.Workspace, c.Project, p.configs = p.Workspace, &p.Project, files
	if len(files) == 0 {
		there, _, err = c.Find()
		return there, p, err
	}
	there = c.Named(files)
	if c.Claude {
		settings, err := parts.All().ClaudeFiles(p.Workspace)
		if err != nil {
			return nil, p, err
		}
		for _, f := range settings {
			if !slices.Contains(files, f.Path) {
				there = append(there, f)
			}
		}
	}
	return there, p, nil
}

// checkAgain checks a server's files as they are on disk now.
func (f *hooksFlags) checkAgain() (any, error) {
	again := *f
	again.project.Project = hookfile.ProjectIn(f.workspace)
	o := again.files()
	files, _, err := o.Find()
	if err != nil {
		return nil, err
	}
	report := checkReport{Version: 1, OK: true, Files: []checkedFile{}}
	report.add(&o, files, f.workspace)
	report.findAbove(&again.project)
	return report, nil
}

// printParsed prints the hooks as loaded.
func (c *checker) printParsed(files []string, workspace string, std Streams) error {
	there, p, err := c.selectedFiles(files, workspace)
	if err != nil {
		return err
	}
	all, err := c.parse(there)
	if err == nil {
		p.findAbove(len(all.Hooks))
	}
	for _, r := range p.remarks() {
		fmt.Fprint(std.Err, printable.Sprintf("hookrun check: warning: %s\n", r))
	}
	if err != nil {
		return err
	}
	return writeJSON(std, all)
}

// defineForm adds the flag --dialect. The returned function gives the dialect in which to read files: nil without the
// flag, or an error for an unknown name.
func defineForm(flags *pflag.FlagSet) func() (*dialect.Dialect, error) {
	forms := clients.All().FormNames()
	names := strings.Join(forms, ", ")
	usage := "`NAME` of the client whose form a file is in that lies elsewhere: " + names + " (default by the file)"
	name := flags.String("dialect", "", usage)
	setValues(flags, "dialect", forms...)
	return func() (*dialect.Dialect, error) {
		if !flags.Changed("dialect") {
			return nil, nil
		}
		as, ok := clients.All().ClientNamed(*name)
		if !ok || !as.HasHooksFile() {
			return nil, fmt.Errorf("--dialect %q is not one of %s", *name, names)
		}
		return as.Dialect, nil
	}
}

// projectOf returns the folder in which the hooks of a file run, unless a flag names another: the file's folder, or the
// parent of a client's folder such as .claude. A plugin's file can be anywhere, so the hooks run in the current folder.
func projectOf(path string) string {
	folder := filepath.Dir(path)
	switch {
	case slices.Contains(clients.All().ClientNames(), strings.TrimPrefix(filepath.Base(folder), ".")):
		return filepath.Dir(folder)
	case parts.All().ClientProject(path) != "":
		return parts.All().ClientProject(path)
	case filepath.Base(path) == "hooks.json":
		return "."
	}
	return folder
}

func (r *checkReport) exit() int {
	if r.OK {
		return exitOK
	}
	return exitFailed
}

// warn writes the warnings that concern no single file.
func (r *checkReport) warn(std Streams) {
	for _, w := range r.Warnings {
		fmt.Fprint(std.Err, printable.Sprintf("hookrun check: warning: %s\n", w))
	}
}

// print writes files without errors to stdout, and diagnostics to stderr.
func (r *checkReport) print(std Streams) error {
	r.warn(std)
	stderr := bufio.NewWriter(std.Err) // a file can have half a million problems
	for _, f := range r.Files {
		for _, p := range f.Errors {
			fmt.Fprint(stderr, printable.Lines(fmt.Sprintln(p)))
		}
		for _, p := range f.Warnings {
			p.Text = "warning: " + p.Text
			fmt.Fprint(stderr, printable.Lines(fmt.Sprintln(p)))
		}
		for _, p := range f.Notes {
			p.Text = "note: " + p.Text
			fmt.Fprint(stderr, printable.Lines(fmt.Sprintln(p)))
		}
	}
	stderr.Flush()
	if slices.ContainsFunc(r.Files, func(f checkedFile) bool { return len(f.Errors) > 0 }) {
		return nil
	}
	for _, f := range r.Files {
		verdict := "nothing wrong"
		if len(f.Warnings) > 0 {
			verdict = spelling.Count(len(f.Warnings), "warning")
		}
		line := printable.Sprintf("%s%s: %s, %s\n", f.File, f.label, f.tally, verdict)
		if err := write(std, line); err != nil {
			return err
		}
	}
	return nil
}

func (r *checkReport) hasWarnings() bool {
	return len(r.Warnings) > 0 || slices.ContainsFunc(r.Files, func(f checkedFile) bool { return len(f.Warnings) > 0 })
}

func writeJSON(std Streams, v any) error {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("writing to stdout: %w", err)
	}
	return write(std, printable.JSON(b.String()))
}

// parsed is the output of check --parse: the hooks as loaded, in order.
type parsed struct {
	Version  int               `json:"version"`
	Files    []string          `json:"files"`
	Wrappers []string          `json:"wrappers,omitempty"`
	Hooks    []hookfile.Values `json:"hooks"`
	Warnings []hook.Diagnostic `json:"warnings"`
}

// parse loads files without a look at the files and programs of the hooks. An error is a hookfile.Diagnostics with the
// faults of all files.
func (c *checker) parse(files []hookfile.File) (*parsed, error) {
	cfg, err := c.LoadFiles(files)
	if err != nil {
		return nil, err
	}
	p := &parsed{Version: 1, Files: cfg.Paths(), Hooks: []hookfile.Values{}}
	p.Wrappers = cfg.Wrappers()
	p.Warnings = append([]hook.Diagnostic{}, cfg.Warned()...)
	for i := range cfg.Hooks {
		p.Hooks = append(p.Hooks, hookfile.Loaded(&cfg.Hooks[i]))
	}
	return p, nil
}
