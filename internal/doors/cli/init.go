package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/clients/install"
	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/core/project"
	"github.com/hookrun/hookrun/internal/doors/cli/scaffold"
	"github.com/hookrun/hookrun/internal/lib/files/atomic"
	"github.com/hookrun/hookrun/internal/lib/files/regular"
	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/internal/lib/shellword"
	"github.com/hookrun/hookrun/internal/rules/pack"
)

var initProject = command{
	name:    "init",
	args:    "[--packs NAME,… | --add NAME,…] [FLAGS]",
	summary: "write a hooks file with ready rules",
	about: `Writes ` + hookfile.FileName + ` with packs of ready rules, tests of them for hookrun test, and a JSON Schema
for editors. A project in Go, Python or Node also gets hooks that format the files which were edited and
run the tests at the end of a turn, by the programs that its own files name.
It overwrites nothing: if one of the files exists, it writes none and exits with 1.
With --add it adds packs to the hooks file that is there, and keeps every other byte of it.

Packs:
{PACKS}

hookrun pack PACK lists the rules of one.`,
	example: "  hookrun init\n  hookrun init --packs git,secrets --dry-run\n  hookrun init --add infra",
	setup: func(flags *pflag.FlagSet) func([]string, Streams) (int, error) {
		dir := flags.StringP("workspace", "C", ".", "`DIR` of the project, in which the files are written")
		names, add := new(string), new(string)
		const packs = "`NAME` of a pack, or several with commas: {LIST}"
		defineChoice(flags, names, "packs", "", strings.Join(scaffold.Default, ","), packs, pack.Names)
		const more = "`NAME` of a pack to add to the hooks file, or several with commas"
		defineChoice(flags, add, "add", "", "", more, pack.Names)
		dryRun := flags.Bool("dry-run", false, "print what would be written, as a diff, and write nothing")
		return func(args []string, std Streams) (int, error) {
			if err := noArgs(args); err != nil {
				return 0, err
			}
			switch {
			case flags.Changed("add") && flags.Changed("packs"):
				return 0, errors.New("--packs is for a new hooks file, and --add for one that is there; " +
					"give one of them")
			case flags.Changed("add"):
				return exitOK, addPacks(*dir, strings.Split(*add, ","), *dryRun, std)
			}
			packs := strings.Split(*names, ",")
			files, hooks, err := scaffold.Files(*dir, packs)
			if err != nil {
				return 0, fmt.Errorf("--packs: %w", err)
			}
			return exitOK, initIn(*dir, packs, hooks, files, *dryRun, std)
		}
	},
}

// addPacks adds packs to the hooks file of a folder, or prints the change as a diff.
func addPacks(dir string, names []string, dryRun bool, std Streams) error {
	file := filepath.Join(dir, hookfile.FileName)
	path, err := install.Resolve(dialect.Place{Root: dir, Path: file}) // a link in the project stays a link
	if err != nil {
		return err
	}
	before, info, err := regular.Read(path, 1<<20)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%s, to which --add adds packs, is not there; run hookrun init first", file)
		}
		return err
	}
	after, added, err := scaffold.Add(string(before), names)
	if err != nil {
		return fmt.Errorf("--add: %w", err)
	}
	if _, err := parts.All().Parse(file, []byte(after)); err != nil {
		return err // the fault may be older than the change
	}
	if dryRun {
		change := install.Change{Path: file, Old: string(before), New: after, Existed: true, Exists: true}
		return write(std, printable.Lines(change.Diff()))
	}
	if len(added) == 0 {
		return write(std, printable.Sprintf("%s has them already\n", file))
	}
	if err := atomic.Replace(path, info, after); err != nil {
		return err
	}
	return write(std, printable.Sprintf("added %s to %s\n", strings.Join(added, ", "), file))
}

// initIn writes the files into a folder, or prints them as a diff, and prints the next steps.
func initIn(dir string, packs, hooks []string, files []scaffold.File, dryRun bool, std Streams) error {
	before, err := projectBy(dir, project.Given{}) // a file in a folder above no longer counts here
	if err != nil {
		return err
	}
	var text strings.Builder
	if dryRun {
		if err := scaffold.Check(dir, files); err != nil {
			return err
		}
		for _, f := range files {
			change := install.Change{Path: filepath.Join(dir, filepath.FromSlash(f.Name)), New: f.Text, Exists: true}
			text.WriteString(printable.Lines(change.Diff()))
		}
		return write(std, text.String())
	}
	if err := scaffold.Write(dir, files); err != nil {
		return err
	}
	for _, f := range files {
		text.WriteString(printable.Sprintf("wrote %s\n", filepath.Join(dir, filepath.FromSlash(f.Name))))
	}
	in := ""
	if dir != "." {
		in = " -C " + printable.Escape(shellword.Local(dir))
	}
	others := slices.DeleteFunc(pack.Names(), func(name string) bool { return slices.Contains(packs, name) })
	fmt.Fprintf(&text, "\nPacks: %s.", strings.Join(packs, ", "))
	if len(others) > 0 {
		fmt.Fprintf(&text, " There are others too: %s.", strings.Join(others, ", "))
	}
	text.WriteString(" hookrun pack explains them.\n")
	if len(hooks) > 0 {
		const own = "Hooks for this project: %s. Each does nothing where its program is missing. " +
			"To switch one off, write \"enabled\": false in its entry.\n"
		fmt.Fprintf(&text, own, strings.Join(hooks, ", "))
	}
	fmt.Fprintf(&text, "Watched once they are allowed: %s alone. After a change of it every tool call is blocked "+
		"until hookrun allow.\n", hookfile.FileName)
	fmt.Fprintf(&text, `
Next:
  hookrun test%[1]s  runs the tests of these rules, which are in %[2]s
  %[4]s%[1]s  shows which hooks a call would run
  hookrun install %[3]s%[1]s  makes a client run these hooks
`, in, scaffold.TestsName, strings.Join(install.Names(), "|"), exampleCall)
	if before.File != "" {
		const note = "note: in %s these hooks count now, and those of %s no longer do\n"
		fmt.Fprint(std.Err, printable.Sprintf(note, project.Absolute(dir), before.File))
	}
	return write(std, text.String())
}
