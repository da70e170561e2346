// Package preset has the hooks that hookrun init writes: hooks files with their tests and scripts.
//
//	files, err := preset.Files([]string{"git", "shell"}, preset.Here)
//	…
//	err = preset.Write("project", files)
//
// A preset needs no interpreter but sh, and PowerShell on Windows. Its tests are those of hookrun test.
package preset

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/cases"
	"github.com/hookrun/hookrun/internal/files/atomic"
	"github.com/hookrun/hookrun/internal/files/regular"
	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/scripts/examples"
)

//go:embed files
var embedded embed.FS

// Folder is where the scripts of presets are, in the folder of the hooks file.
const Folder = ".tenex-hooks"

// SchemaName is the file of the JSON Schema, which the hooks file names.
const SchemaName = Folder + ".schema.json"

// Form is for which systems the hooks of a preset are.
type Form struct{ folder string }

// The folders of the forms' files.
const posix, windows = "files", "files/windows"

// Posix is the form for systems with sh, and Windows that for Windows.
var (
	Posix   = Form{posix}
	Windows = Form{windows}
)

// presets has all presets in the order in which their hooks run. The cheap ones come first.
var presets = []struct {
	name, about string
	scripts     []script
}{
	{name: "git", about: "no forced push, none to main, no reset --hard, no --no-verify"},
	{name: "secrets", about: "no reading of .env, ~/.ssh and the like; no keys in what is written"},
	{name: "paths", about: "no file tool writes out of the workspace, to .git or to the hooks",
		scripts: []script{
			{posix, "protect-paths.sh", func() string { return Posix.read("protect-paths.sh") }},
			{windows, "protect-paths.ps1", func() string { return Windows.read("protect-paths.ps1") }},
		}},
	{name: "shell", about: "no rm -rf of / or ~, curl | sh, chmod -R 777, mkfs, dd to a device",
		scripts: []script{
			{posix, "block-dangerous-shell.sh", func() string { return examples.BlockDangerousShell }},
		}},
}

// script is a program that a preset runs. Its text is read when init writes it, because no other command wants it.
type script struct {
	folder string // of its Form
	name   string
	text   func() string
}

// Default has the presets of `hookrun init` without --preset. They start no process, except before a git push.
var Default = []string{"git", "secrets"}

// Names returns the names of all presets.
func Names() (names []string) {
	for _, p := range presets {
		names = append(names, p.name)
	}
	return names
}

// About returns one line for each preset.
func About() string {
	var b strings.Builder
	for _, p := range presets {
		fmt.Fprintf(&b, "  %-8s %s\n", p.name, p.about)
	}
	return b.String()
}

// File is a file to write.
type File struct {
	Name string // relative to the project's folder, with slashes
	Text string
	Mode fs.FileMode
}

// Files returns the files of the presets with these names in a form. The hooks file comes first.
func Files(names []string, form Form) (files []File, err error) {
	for _, name := range names {
		if !slices.Contains(Names(), name) {
			near := spelling.Suggest(name, Names())
			return nil, fmt.Errorf("unknown preset %q; there are %s%s", name, strings.Join(Names(), ", "), near)
		}
	}
	var hooks, tests []string
	for _, p := range presets {
		if !slices.Contains(names, p.name) {
			continue
		}
		hooks = append(hooks, entries(form.read(p.name+".json")))
		tests = append(tests, entries(form.read(p.name+cases.Suffix)))
		for _, s := range p.scripts {
			if s.folder == form.folder {
				files = append(files, File{Folder + "/" + s.name, s.text(), 0o755})
			}
		}
	}
	file := func(name, head string, lists []string) File {
		return File{name, head + ": [\n" + strings.Join(lists, ",\n") + "\n]}\n", 0o644}
	}
	return append([]File{
		file(hookfile.FileName, `{"$schema": "./`+SchemaName+"\",\n \"hooks\"", hooks),
		file(Folder+cases.Suffix, `{"tests"`, tests),
		{SchemaName, hookfile.Schema(), 0o644},
	}, files...), nil
}

// read returns the text of a file of a preset, which differs between the forms or is one for both.
func (f Form) read(name string) string {
	text, err := embedded.ReadFile(path.Join(f.folder, name))
	if err != nil {
		text, err = embedded.ReadFile(path.Join(Posix.folder, name))
	}
	if err != nil {
		panic(err) // a test reads them all
	}
	return string(text)
}

// entries returns the text between the first line of a file and the last.
func entries(text string) string {
	_, text, _ = strings.Cut(text, "\n")
	return strings.TrimSuffix(text, "\n]}\n")
}

// Check returns an error if one of the files, or a folder for them, exists. If the hooks file does not, a run may have
// been killed, and what it has written is as good as missing.
func Check(dir string, files []File) error {
	var existing []string
	begun := isMissing(filepath.Join(dir, hookfile.FileName))
	for _, f := range files {
		name := f.Name
		if folder := path.Dir(name); folder != "." {
			name = folder
		}
		// A path that cannot be looked at may exist. A link that leads nowhere exists.
		if isMissing(filepath.Join(dir, name)) || slices.Contains(existing, name) ||
			begun && isLeft(dir, name, files) {
			continue
		}
		existing = append(existing, name)
	}
	if len(existing) == 0 {
		return nil
	}
	return fmt.Errorf("%s: already there; hookrun init overwrites nothing, and wrote nothing",
		strings.Join(existing, ", "))
}

func isMissing(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// isLeft reports whether a path has what a run that was killed has written there, and nothing else: a file with its
// whole text, or a folder with such files.
func isLeft(dir, name string, files []File) bool {
	place := filepath.Join(dir, filepath.FromSlash(name))
	for _, f := range files {
		if f.Name == name {
			text, info, err := regular.Read(place, int64(len(f.Text)))
			at, errAt := os.Lstat(place)
			return errors.Join(err, errAt) == nil && os.SameFile(info, at) && string(text) == f.Text
		}
	}
	info, err := os.Lstat(place)
	if err != nil || !info.IsDir() {
		return false
	}
	entries, err := os.ReadDir(place)
	return err == nil && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return !isLeft(dir, name+"/"+e.Name(), files)
	})
}

// Write creates the files in a folder, the hooks file last: it names the others. If one of them exists, it creates
// none.
func Write(dir string, files []File) (err error) {
	for _, f := range files {
		atomic.Sweep(filepath.Join(dir, filepath.FromSlash(f.Name)))
	}
	if err := Check(dir, files); err != nil {
		return err
	}
	files = append(slices.Clone(files[1:]), files[0])
	var made []string
	defer func() {
		if err != nil {
			for _, name := range slices.Backward(made) {
				err = errors.Join(err, os.Remove(name))
			}
		}
	}()
	for _, f := range files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		folder := filepath.Dir(name)
		if path.Dir(f.Name) != "." && isMissing(folder) {
			if err := os.Mkdir(folder, 0o755); err != nil { // an error too if somebody has created it meanwhile
				return err
			}
			made = append(made, folder)
		}
		if isLeft(dir, f.Name, files) {
			continue
		}
		if err := atomic.Create(name, f.Mode, f.Text); err != nil {
			return err
		}
		made = append(made, name)
	}
	return nil
}
