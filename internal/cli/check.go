package cli

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/dialect/all"
	"github.com/hookrun/hookrun/internal/dialect/tenex"
	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/protocol"
)

var check = command{
	name:    "check",
	args:    "[FILE…] [FLAGS]",
	summary: "find what is wrong with hooks files, and with the programs they name",
	about: `Reads hooks files as a call would, and looks for what would fail when the hooks run: a program that
does not exist or is not executable, a script without an interpreter, a program that everybody may
write to. It runs nothing. It prints each problem with its position in the file, and exits with 1 if
there is an error.

Without FILE it checks the workspace's own file: that of -C DIR, or the nearest one upwards, as for a
call.`,
	example: "  hookrun check .tenex-hooks.json\n  hookrun check --schema > tenex-hooks.schema.json",
	setup: func(flags *pflag.FlagSet) func([]string, Streams) (int, error) {
		const where = "`DIR` in which the hooks will run (default the folder of FILE, or .)"
		workspace := flags.StringP("workspace", "C", "", where)
		output := flags.StringP("output", "o", "text", "output `FORM`: text, json")
		const alsoClaude = "also check the settings that Claude Code would load: the user's, project's and local ones"
		claude := flags.Bool("claude", false, alsoClaude)
		form := defineForm(flags)
		schema := flags.Bool("schema", false, "print a JSON Schema of the file, for editors")
		const parsed = "print the hooks as they are loaded, as JSON, and look at nothing on disk that they name"
		parse := flags.Bool("parse", false, parsed)
		return func(files []string, std Streams) (int, error) {
			switch {
			case *output != "text" && *output != "json":
				return 0, fmt.Errorf("--output %q is not one of text, json", *output)
			case flags.Changed("workspace") && *workspace == "":
				return 0, errors.New("--workspace is empty; leave it out for the default")
			case *schema && len(files) > 0:
				return 0, errors.New("--schema takes no FILE")
			case *schema && *parse:
				return 0, errors.New("--schema and --parse print two things; give one of the two")
			case *schema:
				return exitOK, write(std, hookfile.Schema)
			}
			as, err := form()
			if err != nil {
				return 0, err
			}
			c := checker{as: as, claude: *claude}
			if *parse {
				return exitOK, c.printParsed(files, *workspace, std)
			}
			report, err := c.command(files, *workspace)
			if err != nil {
				return 0, err
			}
			if *output == "json" {
				return report.exit(), writeJSON(std, report)
			}
			if len(report.Files) == 0 {
				own := filepath.Join(cmp.Or(*workspace, "."), hookfile.FileName)
				nothing := own + ": no such file, so no hooks\n"
				if *claude {
					nothing = "neither a hooks file nor settings of Claude Code, so no hooks\n"
				}
				report.warn(std)
				return exitOK, write(std, nothing)
			}
			return report.exit(), report.print(std)
		}
	},
}

type checkReport struct {
	Version  int           `json:"version"`
	OK       bool          `json:"ok"`
	Files    []checkedFile `json:"files"`
	Warnings []string      `json:"warnings,omitempty"` // that are about no file that was checked
}

type checkedFile struct {
	File     string                `json:"file"`
	Hooks    int                   `json:"hooks"`
	Errors   []hookfile.Diagnostic `json:"errors"`
	Warnings []hookfile.Diagnostic `json:"warnings"`
}

// checker checks hooks files.
type checker struct {
	as     string // whose form files are in; "": their place says it
	claude bool   // also what Claude Code would load
}

// command checks what the command line says: the files that are named, or else the project's own.
func (c *checker) command(files []string, workspace string) (checkReport, error) {
	report := checkReport{Version: 1, OK: true, Files: []checkedFile{}}
	files, p, err := c.meant(files, workspace)
	if err != nil {
		return report, err
	}
	if c.claude {
		workspace = p.Workspace // also for the user's own file
	}
	report.add(c.as, files, workspace)
	report.lookAbove(&p)
	return report, nil
}

// lookAbove takes what there is to say of the project, now that it is known how many hooks there are.
func (r *checkReport) lookAbove(p *project) {
	hooks := 0
	for _, f := range r.Files {
		hooks += f.Hooks + len(f.Errors) // a file that does not load may have some
	}
	p.lookAbove(hooks)
	r.Warnings = p.remarks()
}

// meant are the files that the command line means, and the project.
func (c *checker) meant(files []string, workspace string) (_ []string, p project, err error) {
	p, err = findProject(cmp.Or(workspace, "."), workspace != "" || len(files) > 0, c.claude)
	if err != nil {
		return nil, p, err
	}
	if p.configs = files; len(files) == 0 {
		files = nonEmpty(p.File)
	}
	if files, err = c.withClaude(files, p.Workspace); err != nil {
		return nil, p, err
	}
	return files, p, nil
}

// checkAgain checks the files of a server as they are on disk now.
func (f *callFlags) checkAgain() (any, error) {
	c := checker{as: f.dialect, claude: f.claude}
	p := f.project
	p.File = ownFile(f.workspace)
	files := f.configs
	if len(files) == 0 {
		files = nonEmpty(p.File)
	}
	files, err := c.withClaude(files, f.workspace)
	if err != nil {
		return nil, err
	}
	report := checkReport{Version: 1, OK: true, Files: []checkedFile{}}
	report.add(c.as, files, f.workspace)
	report.lookAbove(&p)
	return report, nil
}

// withClaude adds the settings that Claude Code would load in a folder, if they are to be checked too.
func (c *checker) withClaude(files []string, folder string) ([]string, error) {
	if !c.claude {
		return files, nil
	}
	settings, err := hookfile.ClaudeFiles(folder)
	if err != nil {
		return nil, err
	}
	files = slices.Clip(files)
	for _, path := range settings {
		if !slices.Contains(files, path) {
			files = append(files, path)
		}
	}
	return files, nil
}

// add checks files. workspace is where hooks run, "" for the folder that projectOf gives.
func (r *checkReport) add(as string, files []string, workspace string) {
	for _, path := range files {
		f := checkFile(as, path, workspace)
		r.OK = r.OK && len(f.Errors) == 0
		r.Files = append(r.Files, f)
	}
}

// printParsed prints the hooks as they are loaded.
func (c *checker) printParsed(files []string, workspace string, std Streams) error {
	files, p, err := c.meant(files, workspace)
	if err != nil {
		return err
	}
	all, err := c.parse(files)
	if err == nil {
		p.lookAbove(len(all.Hooks))
	}
	for _, r := range p.remarks() {
		fmt.Fprintln(std.Err, "hookrun check: warning:", r)
	}
	if err != nil {
		return err
	}
	return writeJSON(std, all)
}

func checkFile(as string, path, workspace string) checkedFile {
	f := checkedFile{File: path, Errors: []hookfile.Diagnostic{}, Warnings: []hookfile.Diagnostic{}}
	cfg, err := hookfile.LoadFile(path, as)
	var problems hookfile.Diagnostics
	switch {
	case errors.As(err, &problems):
		f.Errors = problems
		return f
	case err != nil:
		f.Errors = []hookfile.Diagnostic{{File: path, Text: err.Error()}}
		return f
	}
	if workspace == "" {
		workspace = projectOf(path)
	}
	if workspace, err = filepath.Abs(workspace); err != nil {
		f.Errors = []hookfile.Diagnostic{{File: path, Text: err.Error()}}
		return f
	}
	f.Hooks = len(cfg.Hooks)
	f.Warnings = append(f.Warnings, cfg.Warned()...)
	binary, err := os.Executable()
	if err != nil {
		f.Errors = []hookfile.Diagnostic{{File: path, Text: "finding hookrun itself: " + err.Error()}}
		return f
	}
	for i := range cfg.Hooks {
		h := &cfg.Hooks[i]
		if h.Unsupported != "" {
			const text = "a hook of type %q needs a model or a client; hookrun skips it, and says so in the outcome"
			f.Warnings = append(f.Warnings, h.Diagnostic(fmt.Sprintf(text, h.Unsupported)))
		}
		env := h.Environ(&protocol.Call{Workspace: workspace}, nil, binary)
		f.Errors = append(f.Errors, h.Inspect(workspace, env)...)
		f.Warnings = append(f.Warnings, h.Doubts(workspace, env)...)
	}
	f.Warnings = append(f.Warnings, failOpen(cfg)...)
	return f
}

// failOpen warns once of all gates of a file that fail open when they time out, where nobody has written that they
// should: it is TENEX's rule, and few expect it.
func failOpen(cfg *hookfile.Config) []hookfile.Diagnostic {
	call := protocol.Call{Event: protocol.PreTool}
	var gates []string
	var first *hookfile.Hook
	for i := range cfg.Hooks {
		h := &cfg.Hooks[i]
		_, said := h.OnFailure[protocol.CauseTimeout]
		isGate := h.StaticVerdict == nil && h.Dialect == tenex.Dialect.Name && slices.Contains(h.Events, protocol.PreTool)
		if said || !isGate || h.FailureDecision(&call, protocol.CauseTimeout) != protocol.Continue {
			continue
		}
		if gates = append(gates, strconv.Quote(spelling.Brief(h.Name, 80))); first == nil {
			first = h
		}
	}
	const most = 10
	rest := ""
	if len(gates) > most {
		gates, rest = gates[:most], fmt.Sprintf(" and %d more", len(gates)-most)
	}
	if first == nil {
		return nil
	}
	text := fmt.Sprintf("gate %s fails open: when it times out, the tool runs; "+
		`to close it add "on_failure": "block", or {"timeout": "continue"} if it is meant to`, gates[0])
	if len(gates) > 1 {
		text = fmt.Sprintf("gates %s%s fail open: when one times out, the tool runs; "+
			`to close them add "on_failure": "block", or {"timeout": "continue"} where it is meant to`,
			strings.Join(gates, ", "), rest)
	}
	return []hookfile.Diagnostic{first.Diagnostic(text)}
}

// defineForm adds the flag that says whose form files are in. What it returns reads them like that, or refuses the
// name.
func defineForm(flags *pflag.FlagSet) func() (string, error) {
	names := strings.Join(all.ClientNames(), ", ")
	usage := "`NAME` of the client whose form a file is in that lies elsewhere: " + names + " (default by the file)"
	name := flags.String("dialect", "", usage)
	return func() (string, error) {
		if !flags.Changed("dialect") {
			return "", nil
		}
		if _, ok := all.ClientNamed(*name); !ok {
			return "", fmt.Errorf("--dialect %q is not one of %s", *name, names)
		}
		return *name, nil
	}
}

// projectOf is the folder in which the hooks of a file will run, unless somebody says another: its own, the one above a
// client's folder, and for a plugin, whose file lies anywhere, the current one.
func projectOf(path string) string {
	folder := filepath.Dir(path)
	switch {
	case slices.Contains(all.ClientNames(), strings.TrimPrefix(filepath.Base(folder), ".")):
		return filepath.Dir(folder)
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

// warn writes what is to be said about no file that was checked.
func (r *checkReport) warn(std Streams) {
	for _, w := range r.Warnings {
		fmt.Fprintln(std.Err, "hookrun check: warning:", w)
	}
}

// print writes good news to stdout and the rest to stderr.
func (r *checkReport) print(std Streams) error {
	r.warn(std)
	stderr := bufio.NewWriter(std.Err) // a file can have half a million problems
	for _, f := range r.Files {
		for _, p := range f.Errors {
			fmt.Fprintln(stderr, p)
		}
		for _, p := range f.Warnings {
			p.Text = "warning: " + p.Text
			fmt.Fprintln(stderr, p)
		}
	}
	stderr.Flush()
	if !r.OK {
		return nil
	}
	for _, f := range r.Files {
		hooks := "hooks"
		if f.Hooks == 1 {
			hooks = "hook"
		}
		if err := write(std, fmt.Sprintf("%s: %d %s, nothing wrong\n", f.File, f.Hooks, hooks)); err != nil {
			return err
		}
	}
	return nil
}

func writeJSON(std Streams, v any) error {
	e := json.NewEncoder(std.Out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("writing to stdout: %w", err)
	}
	return nil
}
