package trust

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/printable"
	"github.com/hookrun/hookrun/internal/spelling"
)

// Difference is one difference between two Fingerprints.
type Difference struct {
	File  string   `json:"file"`            // path in the workspace, or name of a program
	What  string   `json:"what"`            // such as "was changed"
	Hooks []string `json:"hooks,omitempty"` // the hooks that use the file; nil: the set of hooks may be another
}

func (d Difference) String() string {
	if d.Hooks == nil {
		return d.File + " " + d.What
	}
	return d.File + " " + d.What + " (" + hookNames(d.Hooks) + ")"
}

// hookNames returns names of hooks for a message: the first few, and the number of further ones.
func hookNames(names []string) string {
	const most, longest = 3, 80
	what, more := "hook ", ""
	if len(names) > 1 {
		what = "hooks "
	}
	if len(names) > most {
		names, more = names[:most], fmt.Sprintf(" and %d more", len(names)-most)
	}
	var quoted []string
	for _, name := range names {
		quoted = append(quoted, "'"+printable.Escape(spelling.Brief(name, longest))+"'")
	}
	return what + strings.Join(quoted, ", ") + more
}

// Since returns the differences from an earlier Fingerprint, without the user's and the managed files.
func (f *Fingerprint) Since(then *Fingerprint) (found []Difference) {
	return f.since(then, func(file *File) bool { return !file.Outer })
}

// SinceAtAnyLevel is Since with the user's and the managed files.
func (f *Fingerprint) SinceAtAnyLevel(then *Fingerprint) (found []Difference) {
	return f.since(then, func(*File) bool { return true })
}

// since returns the differences, those first that may make another set of hooks.
func (f *Fingerprint) since(then *Fingerprint, counts func(*File) bool) (found []Difference) {
	if f.sum() == then.sum() {
		return nil
	}
	if f.Workspace != then.Workspace {
		what := "is the project now, not " + printable.Escape(then.Workspace)
		return []Difference{{File: f.shown(), What: what}}
	}
	users, loaded := f.users(), map[string]bool{}
	for i := range f.hooks {
		loaded[f.hooks[i].Name] = true
	}
	// A hook that is not loaded, or not recorded, may have been any.
	usersOf := func(name string, is, was bool) (hooks []string) {
		if then.Users == nil || is && len(users[name]) == 0 || was && len(then.Users[name]) == 0 {
			return nil
		}
		hooks = slices.Compact(slices.Sorted(slices.Values(slices.Concat(users[name], then.Users[name]))))
		if slices.ContainsFunc(hooks, func(hook string) bool { return !loaded[hook] }) {
			return nil
		}
		return hooks
	}
	add := func(name string, hooks []string, what string, args ...any) {
		found = append(found, Difference{printable.Escape(name), printable.Escape(fmt.Sprintf(what, args...)), hooks})
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
	lost := false // a hooks file: its hooks name nothing any more
	for name, old := range before {
		lost = lost || old.Hooks && now[name] == nil
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		file, old := now[name], before[name]
		var hooks []string
		if !file.Hooks && (old == nil || !old.Hooks) {
			hooks = usersOf(name, true, old != nil)
		}
		switch {
		case old == nil:
			add(name, hooks, "was not there before")
		case old.Real != file.Real && file.Real != "":
			add(name, hooks, "leads to %s", file.Real)
		case old.Real != file.Real:
			add(name, hooks, "led to %s before", old.Real)
		case file.SHA256 == noFile && old.SHA256 != noFile:
			add(name, hooks, "is a pipe, a socket or a device now")
		case old.SHA256 != file.SHA256:
			add(name, hooks, "was changed")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		switch old := before[name]; {
		case now[name] != nil || lost && !old.Hooks:
		case old.Hooks:
			add(name, nil, "is gone")
		case !f.exists(name):
			add(name, usersOf(name, false, true), "is gone")
		default:
			add(name, usersOf(name, false, true), "is not used any more")
		}
	}
	for _, d := range f.Doubts {
		if !slices.Contains(then.Doubts, d) {
			hooks := []string{d.Hook}
			if then.Users == nil {
				hooks = nil
			}
			add("the command of "+d.Hook, hooks, "is not understood any more: %s", d.Why)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.Programs)) {
		was, is := then.Programs[name], f.Programs[name]
		switch hooks := usersOf(name, true, was != ""); {
		case was == "":
			add(name, hooks, "is %s now, and was not in PATH before", is)
		case was != is:
			add(name, hooks, "is %s now, and was %s (PATH)", is, was)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(then.Programs)) {
		switch {
		case f.Programs[name] != "" || lost:
		case users[name] != nil:
			add(name, usersOf(name, true, true), "is not in PATH any more, and was %s", then.Programs[name])
		default:
			add(name, usersOf(name, false, true), "is not used any more")
		}
	}
	ofHooks := func(d Difference) int { return min(len(d.Hooks), 1) }
	slices.SortStableFunc(found, func(a, b Difference) int { return cmp.Compare(ofHooks(a), ofHooks(b)) })
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
	const most = 3
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
