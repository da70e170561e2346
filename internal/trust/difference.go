package trust

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/printable"
)

// Difference is one difference between two Fingerprints.
type Difference struct {
	File string `json:"file"` // path in the workspace, or name of a program
	What string `json:"what"` // such as "was changed"
}

func (d Difference) String() string { return d.File + " " + d.What }

// Since returns the differences from an earlier Fingerprint, without the user's and the managed files.
func (f *Fingerprint) Since(then *Fingerprint) (found []Difference) {
	return f.since(then, func(file *File) bool { return !file.Outer })
}

// SinceAtAnyLevel is Since with the user's and the managed files.
func (f *Fingerprint) SinceAtAnyLevel(then *Fingerprint) (found []Difference) {
	return f.since(then, func(*File) bool { return true })
}

func (f *Fingerprint) since(then *Fingerprint, counts func(*File) bool) (found []Difference) {
	if f.sum() == then.sum() {
		return nil
	}
	add := func(name, what string, args ...any) {
		found = append(found, Difference{printable.Escape(name), printable.Escape(fmt.Sprintf(what, args...))})
	}
	if f.Workspace != then.Workspace {
		add(f.Workspace, "is the project now, not %s", then.Workspace)
		return found
	}
	index := func(files []File) map[string]*File {
		byName := map[string]*File{}
		for i := range files {
			if file := &files[i]; counts(file) {
				byName[file.Name] = file
			}
		}
		return byName
	}
	before, now := index(then.Files), index(f.Files)
	for _, name := range slices.Sorted(maps.Keys(now)) {
		file, old := now[name], before[name]
		switch {
		case old == nil:
			add(name, "was not there before")
		case old.Real != file.Real && file.Real != "":
			add(name, "leads to %s", file.Real)
		case old.Real != file.Real:
			add(name, "led to %s before", old.Real)
		case file.SHA256 == noFile && old.SHA256 != noFile:
			add(name, "is a pipe, a socket or a device now")
		case old.SHA256 != file.SHA256:
			add(name, "was changed")
		}
	}
	isGone := func(name string) bool { return now[name] == nil }
	lost := slices.ContainsFunc(then.Files, func(file File) bool { return file.Hooks && isGone(file.Name) })
	for _, name := range slices.Sorted(maps.Keys(before)) {
		switch {
		case !isGone(name):
		case !f.exists(name):
			add(name, "is gone")
		case !lost: // if lost, the hooks file with the name is gone, too
			add(name, "is named by no hook any more")
		}
	}
	for _, d := range f.Doubts {
		if !slices.Contains(then.Doubts, d) {
			add("the command of "+d.Hook, "is not understood any more: %s", d.Why)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.Programs)) {
		if was, is := then.Programs[name], f.Programs[name]; was == "" {
			add(name, "is %s now, and was not in PATH before", is)
		} else if was != is {
			add(name, "is %s now, and was %s (PATH)", is, was)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(then.Programs)) {
		if f.Programs[name] == "" {
			add(name, "is not in PATH any more, and was %s", then.Programs[name])
		}
	}
	return found
}

// exists reports whether a file still exists.
func (f *Fingerprint) exists(name string) bool {
	path := filepath.FromSlash(name)
	if !filepath.IsAbs(path) {
		path = filepath.Join(f.Workspace, path)
	}
	_, err := os.Lstat(path)
	return err == nil
}

// list returns the first few differences as one text.
func list(differences []Difference) string {
	const most = 5
	var texts []string
	for i, d := range differences {
		if i == most {
			texts = append(texts, fmt.Sprintf("and %d more", len(differences)-most))
			break
		}
		texts = append(texts, d.String())
	}
	return strings.Join(texts, ", ")
}
