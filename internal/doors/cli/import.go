package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/clients/hookimport"
	"github.com/hookrun/hookrun/internal/clients/install"
	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/core/project"
	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/internal/trust"
)

var importHooks = command{
	name:    "import",
	args:    "FILE… [FLAGS]",
	takes:   files,
	summary: "turn the hooks of a client into entries of .tenex-hooks.json",
	about: `Reads hooks files of clients and prints a .tenex-hooks.json with the same hooks, or adds them to the
one that is there: every other byte stays, and no entry is added twice. It runs nothing, and changes no
file of the client. Each entry keeps its client's rules: "dialect" names the client.
The report on stderr has a line for each thing:
  changed   it means the same in other words
  wider     it matches more calls
  left out  it is not there
Notes are about every hook of that client.`,
	example: `  hookrun import .claude/settings.json
  hookrun import .claude/settings.json .gemini/settings.json --write`,
	setup: func(flags *pflag.FlagSet) func([]string, Streams) (int, error) {
		const where = "`DIR` of the project, for --write (default the nearest folder upwards with a hooks file)"
		workspace := flags.StringP("workspace", "C", ".", where)
		flags.Lookup("workspace").DefValue = ""
		const target = "add the entries to this `FILE`, which is made if it is missing; without a FILE: the workspace's"
		into := flags.String("write", "", target)
		flags.Lookup("write").NoOptDefVal = hookfile.FileName
		var output string
		defineOutput(flags, &output, "text", "json")
		flags.Lookup("output").Usage = "output `FORM`: text (the hooks file; the report on stderr), json (both)"
		form := defineForm(flags)
		return func(files []string, std Streams) (int, error) {
			switch {
			case len(files) == 0:
				return 0, errors.New("no FILE; name the file with the hooks, as .claude/settings.json")
			case flags.Changed("write") && *into == "":
				return 0, errors.New("--write= is empty; leave the = out for the workspace's file")
			case *into == "-":
				return 0, errors.New("--write=- is no file; without --write the entries are printed")
			}
			in, err := form()
			if err != nil {
				return 0, err
			}
			p, err := projectBy(*workspace, project.Given{Folder: flags.Changed("workspace")})
			if err != nil {
				return 0, err
			}
			done, err := importAll(in, files, p.Workspace)
			if err != nil {
				return 0, err
			}
			if flags.Changed("write") {
				path := *into
				if path == hookfile.FileName { // a second file in a subfolder would hide the first
					path = filepath.Join(p.Workspace, path)
					for _, r := range p.Remarks() {
						fmt.Fprint(std.Err, printable.Sprintf("hookrun import: warning: %s\n", r))
					}
				}
				if done.Added, err = hookimport.Write(path, done.Hooks); err != nil {
					return 0, err
				}
				done.Written = path
			}
			if output == "json" {
				return exitOK, writeJSON(std, done)
			}
			if done.Written == "" {
				text, _, err := hookimport.Add(hookfile.FileName, nil, done.Hooks)
				if err != nil {
					return 0, err
				}
				if len(text) == 0 {
					text = []byte("{\n  \"hooks\": []\n}\n")
				}
				if err := write(std, printable.JSON(string(text))); err != nil {
					return 0, err
				}
			}
			done.print(std.Err)
			return exitOK, nil
		}
	},
}

// imported is the result of importing all files.
type imported struct {
	Version  int                `json:"version"`
	Hooks    []hookimport.Entry `json:"hooks"`
	Report   []hookimport.Item  `json:"report"`
	Faithful bool               `json:"faithful"` // no hook or value was left out
	Written  string             `json:"written,omitempty"`
	Added    []string           `json:"added,omitempty"`
}

func importAll(as *dialect.Dialect, files []string, workspace string) (*imported, error) {
	done := &imported{Version: 1, Hooks: []hookimport.Entry{}, Report: []hookimport.Item{}, Faithful: true}
	var problems hook.Diagnostics
	var all hookimport.Result
	for _, path := range files {
		result, err := hookimport.Read(path, as)
		var found hook.Diagnostics
		switch {
		case errors.As(err, &found):
			problems = append(problems, found...)
			continue
		case err != nil:
			return nil, err
		}
		all.Append(result)
	}
	if len(problems) > 0 {
		return nil, problems
	}
	addWatched(&all, project.Absolute(workspace))
	done.Hooks, done.Report = append(done.Hooks, all.Entries...), append(done.Report, all.Report...)
	done.Faithful = all.Faithful()
	return done, nil
}

// addWatched adds "files" to each entry whose command may run other files of the workspace than it names, with a note.
// Without the key hookrun allow refuses such an entry.
func addWatched(all *hookimport.Result, workspace string) {
	doc, _, err := hookimport.Add(hookfile.FileName, nil, all.Entries)
	cfg, errParse := parts.All().Parse(hookfile.FileName, doc)
	binary, errBinary := install.OwnPath()
	if errors.Join(err, errParse, errBinary) != nil || len(cfg.Hooks) != len(all.Entries) {
		return // an error of the entries is one of Write, too
	}
	look := trust.OutsideCall(workspace, binary)
	look.AnyMachine = true // colleagues have the file too
	now, err := trust.Take(cfg, look)
	if err != nil {
		return // hookrun allow reports the error
	}
	for i := range cfg.Hooks {
		one := &hookfile.Config{Hooks: cfg.Hooks[i : i+1]}
		if unresolved, _ := now.Unresolved(one); len(unresolved) > 0 {
			all.Watch(i, now.Named(&cfg.Hooks[i]))
		}
	}
}

// print writes the report, one line per item, notes last.
func (i *imported) print(to io.Writer) {
	w := bufio.NewWriter(to)
	defer w.Flush()
	kinds := map[hookimport.Kind]int{}
	for _, notes := range []bool{false, true} {
		for _, item := range i.Report {
			if (item.Kind == hookimport.Note) != notes {
				continue
			}
			kinds[item.Kind]++
			p := item.Diagnostic
			p.Text = strings.ReplaceAll(string(item.Kind), "_", " ") + ": " + p.Text
			fmt.Fprint(w, printable.Lines(fmt.Sprintln(p)))
		}
	}
	of := fmt.Sprintf("%d of %d hooks", len(i.Added), len(i.Hooks))
	switch {
	case i.Written != "":
		fmt.Fprint(w, printable.Sprintf("%s: added %s", i.Written, of))
	case len(i.Hooks) == 1:
		fmt.Fprint(w, "1 hook")
	default:
		fmt.Fprintf(w, "%d hooks", len(i.Hooks))
	}
	fmt.Fprintf(w, "; %d changed, %d wider, %d left out\n",
		kinds[hookimport.Changed], kinds[hookimport.Wider], kinds[hookimport.LeftOut])
}
