// Package scaffold creates the files of hookrun init: a hooks file with packs, tests for the hooks, and a JSON Schema.
//
//	files, own, err := scaffold.Files("project", []string{"git", "secrets"})
//	…
//	err = scaffold.Write("project", files)
package scaffold

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/lib/files/atomic"
	"github.com/hookrun/hookrun/internal/lib/files/regular"
	"github.com/hookrun/hookrun/internal/record/cases"
	"github.com/hookrun/hookrun/internal/rules/pack"
)

// SchemaName is the file of the JSON Schema, named in the hooks file, and TestsName the file of the tests.
const (
	SchemaName = ".tenex-hooks.schema.json"
	TestsName  = ".tenex-hooks" + cases.Suffix
)

// Default are the packs of `hookrun init` without --packs: the packs for every project.
var Default = []string{"git", "secrets", "files", "agents", "remote"}

// About returns one line for each pack.
func About() string {
	var b strings.Builder
	for _, p := range pack.All() {
		fmt.Fprintf(&b, "  %-8s %s\n", p.Name, p.Summary)
	}
	return b.String()
}

// File is a file to write into the project's folder.
type File struct{ Name, Text string }

// Files returns the files for the packs with these names, and the names of the hooks added for the project in dir. The
// hooks file comes first.
func Files(dir string, packs []string) (files []File, hooks []string, err error) {
	tests, err := tests(packs)
	list := ""
	for i, e := range entries(dir) {
		if i > 0 {
			list += ","
		}
		list += "\n  " + e.String()
		hooks = append(hooks, e.name)
	}
	const text = "{\"$schema\": \"./%s\",\n \"packs\": [\"%s\"],\n \"hooks\": [%s]}\n"
	return []File{
		{hookfile.FileName, fmt.Sprintf(text, SchemaName, strings.Join(packs, `", "`), list)},
		{TestsName, tests},
		{SchemaName, parts.All().Schema()},
	}, hooks, err
}

// Add returns the text of a hooks file with these packs added, and every other byte unchanged. added are the packs that
// the file lacked.
func Add(text string, names []string) (after string, added []string, err error) {
	root, err := hujson.Parse([]byte(text))
	object, ok := root.Value.(*hujson.Object)
	if err != nil || !ok {
		return "", nil, errors.New("the hooks file is no JSON object; hookrun check says what is wrong with it")
	}
	if root.Find("/packs") == nil {
		object.Members = slices.Insert(object.Members, 0, hujson.ObjectMember{
			Name:  hujson.Value{Value: hujson.String("packs")},
			Value: hujson.Value{BeforeExtra: hujson.Extra(" "), Value: &hujson.Array{}},
		})
	}
	list, ok := root.Find("/packs").Value.(*hujson.Array)
	if !ok {
		return "", nil, errors.New(`"packs" of the hooks file is no list`)
	}
	for _, name := range names {
		if _, err := pack.Named(name); err != nil {
			return "", nil, err
		}
		if slices.ContainsFunc(list.Elements, func(v hujson.ArrayElement) bool { return isPack(v, name) }) {
			continue
		}
		element := hujson.Value{Value: hujson.String(name)}
		if len(list.Elements) > 0 {
			element.BeforeExtra = hujson.Extra(" ")
		}
		list.Elements, added = append(list.Elements, element), append(added, name)
	}
	if len(added) == 0 {
		return text, nil, nil
	}
	return root.String(), added, nil
}

// isPack reports whether an element of "packs" is the pack, in any version.
func isPack(v hujson.ArrayElement, name string) bool {
	text, ok := v.Value.(hujson.Literal)
	of, _, _ := strings.Cut(text.String(), "@")
	return ok && of == name
}

// tests returns the tests file: for each rule one call that the rule holds, and one harmless call.
func tests(names []string) (string, error) {
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
			panic(err) // cannot happen: t has only strings
		}
		list = append(list, "  "+string(text))
	}
	for _, name := range names {
		p, err := pack.Named(name)
		if err != nil {
			return "", err
		}
		for i := range p.Rules {
			decision := "block"
			if p.Rules[i].Asks {
				decision = "ask"
			}
			add(p.ID(&p.Rules[i]), p.Rules[i].Block()[0], decision)
		}
	}
	add("what is harmless", pack.Example{Text: "git status && ls src"}, "continue")
	return "{\"tests\": [\n" + strings.Join(list, ",\n") + "\n]}\n", nil
}

// Check returns an error if one of the files exists. But without a hooks file, a file with the exact text counts as
// missing, because a killed run may have written the file.
func Check(dir string, files []File) error {
	var existing []string
	begun := isMissing(filepath.Join(dir, hookfile.FileName))
	for _, f := range files {
		// A path with an unknown state counts as existing, and so does a dangling link.
		if !isMissing(filepath.Join(dir, f.Name)) && !(begun && f.isIn(dir)) {
			existing = append(existing, f.Name)
		}
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

// isIn reports whether a folder has the file, with its whole text.
func (f File) isIn(dir string) bool {
	place := filepath.Join(dir, f.Name)
	text, info, err := regular.Read(place, int64(len(f.Text)))
	at, errAt := os.Lstat(place)
	return errors.Join(err, errAt) == nil && os.SameFile(info, at) && string(text) == f.Text
}

// Write creates the files in a folder: the hooks file last, because it names the others. If one of the files exists,
// Write creates no file.
func Write(dir string, files []File) (err error) {
	for _, f := range files {
		atomic.Sweep(filepath.Join(dir, f.Name))
	}
	if err := Check(dir, files); err != nil {
		return err
	}
	var made []string
	defer func() {
		if err != nil {
			for _, name := range slices.Backward(made) {
				err = errors.Join(err, os.Remove(name))
			}
		}
	}()
	for _, f := range append(slices.Clone(files[1:]), files[0]) {
		if f.isIn(dir) {
			continue
		}
		name := filepath.Join(dir, f.Name)
		if err := atomic.Create(name, 0o644, f.Text); err != nil {
			return err
		}
		made = append(made, name)
	}
	return nil
}
