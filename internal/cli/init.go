package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/cases"
	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/internal/install"
	"github.com/hookrun/hookrun/internal/preset"
	"github.com/hookrun/hookrun/internal/shellline/shellword"
)

var initProject = command{
	name:    "init",
	args:    "[--preset NAME,…] [FLAGS]",
	summary: "write a hooks file with gates that are tested",
	about: `Writes ` + hookfile.FileName + ` with the gates of the presets, tests of them for hookrun test, and a
JSON Schema for editors. Scripts go to the folder ` + preset.Folder + `. They need only sh; on Windows init
writes rules and PowerShell in their place. It overwrites nothing: if one of the files exists, it
writes none and exits with 1.

Presets:
{PRESETS}`,
	example: "  hookrun init\n  hookrun init --preset git,shell --dry-run",
	setup: func(flags *pflag.FlagSet) func([]string, Streams) (int, error) {
		dir := flags.StringP("workspace", "C", ".", "`DIR` of the project, in which the files are written")
		names := flags.String("preset", strings.Join(preset.Default, ","),
			"`NAME` of a preset, or several with commas: "+strings.Join(preset.Names(), ", "))
		setValues(flags, "preset", preset.Names()...)
		dryRun := flags.Bool("dry-run", false, "print what would be written, as a diff, and write nothing")
		return func(args []string, std Streams) (int, error) {
			if err := noArgs(args); err != nil {
				return 0, err
			}
			files, err := preset.Files(strings.Split(*names, ","), preset.Here)
			if err != nil {
				return 0, fmt.Errorf("--preset: %w", err)
			}
			return exitOK, initIn(*dir, files, *dryRun, std)
		}
	},
}

// initIn writes the files into a folder, or prints them as a diff, and prints what to do next.
func initIn(dir string, files []preset.File, dryRun bool, std Streams) error {
	before, err := findProject(dir) // its file no longer counts here, if it is in a folder above
	if err != nil {
		return err
	}
	var text strings.Builder
	if dryRun {
		if err := preset.Check(dir, files); err != nil {
			return err
		}
		for _, f := range files {
			change := install.Change{Path: filepath.Join(dir, filepath.FromSlash(f.Name)), New: f.Text, Exists: true}
			text.WriteString(change.Diff())
		}
		return write(std, text.String())
	}
	if err := preset.Write(dir, files); err != nil {
		return err
	}
	for _, f := range files {
		fmt.Fprintf(&text, "wrote %s\n", filepath.Join(dir, filepath.FromSlash(f.Name)))
	}
	in := ""
	if dir != "." {
		in = " -C " + shellword.Local(dir)
	}
	fmt.Fprintf(&text, `
Next:
  hookrun test%[1]s  runs the tests of these hooks, which are in %[2]s
  %[4]s%[1]s  shows which hooks a call would run
  hookrun install %[3]s%[1]s  makes a client run these hooks
`, in, preset.Folder+cases.Suffix, strings.Join(install.Names(), "|"), exampleCall)
	if before.File != "" {
		const note = "note: in %s these hooks count now, and those of %s no longer do\n"
		fmt.Fprintf(std.Err, note, absolute(dir), before.File)
	}
	return write(std, text.String())
}
