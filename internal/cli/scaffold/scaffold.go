// Package scaffold has the files that hookrun init writes: a hooks file that takes packs, tests of it, and a JSON
// Schema.
//
//	files, err := scaffold.Files([]string{"git", "secrets"})
//	…
//	err = scaffold.Write("project", files)
package scaffold

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/cases"
	"github.com/hookrun/hookrun/internal/files/atomic"
	"github.com/hookrun/hookrun/internal/files/regular"
	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/internal/pack"
	"github.com/hookrun/hookrun/internal/spelling"
)

// SchemaName is the file of the JSON Schema, which the hooks file names, and TestsName that of the tests.
const (
	SchemaName = ".tenex-hooks.schema.json"
	TestsName  = ".tenex-hooks" + cases.Suffix
)

// Default has the packs of `hookrun init` without --packs: those that are for every project.
func Default() (names []string) {
	for _, name := range []string{"git", "secrets", "files", "agents", "remote"} {
		if pack.Named(name) != nil {
			names = append(names, name)
		}
	}
	return names
}

// Names returns the names of all packs.
func Names() (names []string) {
	for _, p := range pack.All() {
		names = append(names, p.Name)
	}
	return names
}

// About returns one line for each pack.
func About() string {
	var b strings.Builder
	for _, p := range pack.All() {
		fmt.Fprintf(&b, "  %-8s %s\n", p.Name, p.About)
	}
	return b.String()
}

// File is a file to write.
type File struct {
	Name string // relative to the project's folder, with slashes
	Text string
	Mode fs.FileMode
}

// check returns an error if one of the names is that of no pack.
func check(names []string) error {
	for _, name := range names {
		if pack.Named(name) == nil {
			near := spelling.Suggest(name, Names())
			return fmt.Errorf("unknown pack %q; there are %s%s", name, strings.Join(Names(), ", "), near)
		}
	}
	return nil
}

// Files returns the files for the packs with these names. The hooks file comes first.
func Files(names []string) (files []File, err error) {
	if err := check(names); err != nil {
		return nil, err
	}
	const hooks = "{\"$schema\": \"./%s\",\n \"packs\": [\"%s\"],\n \"hooks\": []}\n"
	return []File{
		{hookfile.FileName, fmt.Sprintf(hooks, SchemaName, strings.Join(names, `", "`)), 0o644},
		{TestsName, tests(names), 0o644},
		{SchemaName, hookfile.Schema(), 0o644},
	}, nil
}

// Add returns the text of a hooks file with these packs added, and every other byte as it was.
func Add(text string, names []string) (string, error) {
	if err := check(names); err != nil {
		return "", err
	}
	if !gjson.Valid(text) || !gjson.Parse(text).IsObject() {
		return "", errors.New("the hooks file is no JSON object; hookrun check says what is wrong with it")
	}
	packs := gjson.Get(text, "packs")
	has := map[string]bool{}
	for _, name := range packs.Array() {
		of, _, _ := strings.Cut(name.String(), "@")
		has[of] = true
	}
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return has[name] })
	if len(names) == 0 {
		return text, nil
	}
	list := `"` + strings.Join(names, `", "`) + `"`
	at := packs.Index + len(packs.Raw) - 1 // before the bracket that closes the list
	switch {
	case packs.IsArray() && len(has) > 0:
		at = packs.Index + len(strings.TrimRight(packs.Raw[:len(packs.Raw)-1], " \t\r\n"))
		list = ", " + list
	case packs.IsArray():
	default:
		at = strings.IndexByte(text, '{') + 1
		if list = "\"packs\": [" + list + "]"; len(gjson.Parse(text).Map()) > 0 {
			list += ", "
		}
	}
	return text[:at] + list + text[at:], nil
}

// tests are a call of each rule that it blocks, and one that every rule lets through.
func tests(names []string) string {
	type test struct {
		Name   string            `json:"name"`
		Event  string            `json:"event"`
		Tool   string            `json:"tool"`
		Args   map[string]string `json:"args"`
		Expect map[string]string `json:"expect"`
	}
	list := []string{}
	add := func(name string, e pack.Example, decision string) {
		t := test{name, "pre-tool", "shell", map[string]string{"command": e.Text},
			map[string]string{"decision": decision}}
		if e.Tool != "" {
			t.Tool, t.Args = e.Tool, map[string]string{"path": e.Text}
		}
		text, err := json.Marshal(t)
		if err != nil {
			panic(err) // it is made of texts
		}
		list = append(list, "  "+string(text))
	}
	for _, name := range names {
		p := pack.Named(name)
		for i := range p.Rules {
			add(p.ID(&p.Rules[i]), p.Rules[i].Block()[0], "block")
		}
	}
	add("what is harmless", pack.Example{Text: "git status && ls src"}, "continue")
	return "{\"tests\": [\n" + strings.Join(list, ",\n") + "\n]}\n"
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
