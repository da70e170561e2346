package cli

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/check"
	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/core/project"
	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/internal/lib/secret"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/net/keeper"
	"github.com/hookrun/hookrun/internal/texts/queue"
	"github.com/hookrun/hookrun/internal/trust"
)

var checkFiles = command{
	name:    "check",
	args:    "[FILE…] [FLAGS]",
	takes:   files,
	summary: "find what is wrong with hooks files, and with the programs they name",
	masks:   true,
	about: `Reads hooks files as a call would, and looks for what would fail when the hooks run: a program that
does not exist or is not executable, a script without an interpreter, a program that everybody may
write to. It runs nothing. It prints each problem with its position in the file.

Without FILE it checks the files that a call would read: the managed one, your own, and the project's,
which is that of -C DIR, or the nearest one upwards.`,
	exits:   []exitCode{{exitOK, "no error"}, {exitFailed, "an error; with --strict also a warning"}},
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
				std.masks = false
				return exitOK, write(std, parts.All().Schema())
			}
			as, err := form()
			if err != nil {
				return 0, err
			}
			c := check.Checker{Options: hookfile.Options{Parts: parts.All(), Dialect: as, Claude: *claude,
				NoUser: *noUser}, Trust: outsideTrust}
			given := project.Given{Folder: *workspace != "", Files: len(files) > 0, Claude: *claude}
			p, err := projectBy(cmp.Or(*workspace, "."), given)
			if err != nil {
				return 0, err
			}
			there, err := c.Select(files, &p)
			if err != nil {
				return 0, err
			}
			if *parse {
				return exitOK, printParsed(&c, there, &p, std)
			}
			in := *workspace
			if *claude || len(files) == 0 {
				in = p.Workspace // also for files in other folders
			}
			report := c.Check(there, in, &p)
			if len(files) == 0 && report.OK {
				c.AddMissing(report, there, in)
			}
			exit := exitOK
			if !report.OK || *strict && report.HasWarnings() {
				report.OK, exit = false, exitFailed
			}
			if output == "json" {
				return exit, writeJSON(std, report)
			}
			warnOfProject(report.Warnings, std)
			if len(report.Files) == 0 {
				nothing := filepath.Join(cmp.Or(*workspace, "."), hookfile.FileName) + ": no such file, so no hooks\n"
				if *claude {
					nothing = "neither a hooks file nor settings of Claude Code, so no hooks\n"
				}
				return exit, write(std, nothing)
			}
			return exit, printChecked(report.Files, std)
		}
	},
}

// outsideTrust is what trust says of hooks outside of a call.
var outsideTrust = check.Trust{
	CannotStart: func(h *hook.Hook, workspace, binary string) (errors, warnings []hook.Diagnostic) {
		return trust.CannotStart(h, trust.OutsideCall(workspace, binary))
	},
	Unresolved: func(hooks []hook.Hook, workspace, binary string) (entries, ofClients []hook.Diagnostic) {
		cfg := &hookfile.Config{Hooks: hooks}
		now, err := trust.Take(cfg, trust.OutsideCall(workspace, binary))
		if err != nil {
			return nil, nil // hookrun allow reports the error
		}
		return now.Unresolved(cfg)
	},
	Cold: func(h *hook.Hook, workspace, binary string) error {
		dir, err := queue.DefaultDir()
		if err != nil {
			return err
		}
		if err = keeper.Fault(dir, workspace); err != nil {
			return err
		}
		cfg := &hookfile.Config{Hooks: []hook.Hook{*h}}
		o := trust.OutsideCall(workspace, binary)
		o.AllLevels = true
		now, err := trust.Take(cfg, o)
		if err == nil {
			_, err = now.State(&cfg.Hooks[0])
		}
		return err
	},
}

// checkAgain checks a server's files as they are on disk now.
func (f *hooksFlags) checkAgain() (any, error) {
	p := f.project
	p.Project = hookfile.ProjectIn(f.workspace)
	c := check.Checker{Options: f.files(), Trust: outsideTrust}
	c.Project = &p.Project
	files, _, err := c.Find()
	if err != nil {
		return nil, err
	}
	return c.Check(files, f.workspace, &p), nil
}

// printParsed prints the hooks as loaded.
func printParsed(c *check.Checker, files []hookfile.File, p *project.Project, std Streams) error {
	all, err := c.Parse(files)
	if err == nil {
		p.FindAbove(len(all.Hooks))
	}
	warnOfProject(project.Texts(p.Remarks()...), std)
	if err != nil {
		return err
	}
	return writeJSON(std, all)
}

// warnOfProject writes the warnings that concern no single file.
func warnOfProject(warnings []string, std Streams) {
	for _, w := range warnings {
		fmt.Fprint(std.Err, printable.Sprintf("hookrun check: warning: %s\n", w))
	}
}

// printChecked writes files without errors to stdout, and diagnostics to stderr.
func printChecked(files []check.File, std Streams) error {
	stderr, failed := bufio.NewWriter(std.Err), false // a file can have half a million problems
	print := func(kind string, found []hook.Diagnostic) {
		for _, d := range found {
			d.Text = kind + d.Text
			fmt.Fprint(stderr, secret.MaskMessage(printable.Lines(fmt.Sprintln(d))))
		}
	}
	for _, f := range files {
		print("", f.Errors)
		print("warning: ", f.Warnings)
		print("note: ", f.Notes)
		failed = failed || len(f.Errors) > 0
	}
	stderr.Flush()
	var b strings.Builder
	for _, f := range files {
		verdict := "nothing wrong"
		if len(f.Warnings) > 0 {
			verdict = spelling.Count(len(f.Warnings), "warning")
		}
		b.WriteString(printable.Sprintf("%s%s: %s, %s\n", f.Path, f.Label, f.Tally, verdict))
	}
	if failed {
		return nil
	}
	return write(std, b.String())
}

// defineForm adds the flag --dialect. The returned function gives the dialect in which to read files: nil without the
// flag, or an error for an unknown name.
func defineForm(flags *pflag.FlagSet) func() (*dialect.Dialect, error) {
	const usage = "`NAME` of the client whose form a file is in that lies elsewhere: {LIST} (default by the file)"
	name := new(string)
	defineChoice(flags, name, "dialect", "", "", usage, clients.All().FormNames)
	return func() (*dialect.Dialect, error) {
		if !flags.Changed("dialect") {
			return nil, nil
		}
		as, ok := clients.All().ClientNamed(*name)
		if !ok || !as.HasHooksFile() {
			return nil, fmt.Errorf("--dialect %q is not one of %s", *name,
				strings.Join(clients.All().FormNames(), ", "))
		}
		return as.Dialect, nil
	}
}
