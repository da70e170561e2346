package trust

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/internal/lib/spelling"
)

// Difference is one difference between two Fingerprints.
type Difference struct {
	File  string   `json:"file"`            // path in the workspace, or name of a program
	What  string   `json:"what"`            // such as "was changed"
	Hooks []string `json:"hooks,omitempty"` // the hooks that use the file; nil: the set of hooks may be another

	outer bool // of the user's or the managed file
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
func (f *Fingerprint) since(then *Fingerprint, counts func(*File) bool) []Difference {
	if f.sum() == then.sum() {
		return nil
	}
	if f.Workspace != then.Workspace {
		what := "is the project now, not " + printable.Escape(then.Workspace)
		return []Difference{{File: f.shown(), What: what}}
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
	c := comparison{Fingerprint: f, then: then, before: index(then.Files), now: index(f.Files), users: f.users()}
	for name, old := range c.before {
		c.lost = c.lost || old.Hooks && c.now[name] == nil
	}
	c.compareFiles()
	for _, d := range f.Doubts {
		if !slices.Contains(then.Doubts, d) {
			c.add("the command of "+d.Hook, c.known(d.Hook), "is not understood any more: %s", d.Why)
		}
	}
	c.comparePrograms()
	sort.SliceStable(c.found, func(i, j int) bool { return len(c.found[i].Hooks) == 0 && len(c.found[j].Hooks) > 0 })
	return c.found
}

// comparison compares a Fingerprint with an earlier one.
type comparison struct {
	*Fingerprint
	then        *Fingerprint
	before, now map[string]*File
	users       map[string][]string
	lost        bool // a hooks file: its hooks name nothing any more
	outer       bool // the current file is the user's or the managed one
	found       []Difference
}

func (c *comparison) add(name string, hooks []string, what string, args ...any) {
	what = printable.Escape(fmt.Sprintf(what, args...))
	c.found = append(c.found, Difference{printable.Escape(name), what, hooks, c.outer})
}

// usersOf returns the hooks that use a file or program, now or before. nil: nobody can tell.
func (c *comparison) usersOf(name string, is, was bool) []string {
	if is && len(c.users[name]) == 0 || was && len(c.then.Users[name]) == 0 {
		return nil
	}
	return c.known(slices.Concat(c.users[name], c.then.Users[name])...)
}

// known returns the sorted hooks, or nil if one is not loaded, or the record does not name the users of files.
func (c *comparison) known(hooks ...string) []string {
	isLoaded := func(name string) bool {
		return slices.ContainsFunc(c.hooks, func(h hook.Hook) bool { return h.Name == name })
	}
	for _, name := range hooks {
		if c.then.Users == nil || !isLoaded(name) {
			return nil
		}
	}
	slices.Sort(hooks)
	return slices.Compact(hooks)
}

func (c *comparison) compareFiles() {
	for _, name := range slices.Sorted(maps.Keys(c.now)) {
		file, old := c.now[name], c.before[name]
		c.outer = file.Outer
		var hooks []string
		if !file.Hooks && (old == nil || !old.Hooks) {
			hooks = c.usersOf(name, true, old != nil)
		}
		switch {
		case old == nil && file.inWorktree(c.tree):
			c.add(name, hooks, "is in a linked worktree, and not the same as the file in %s", c.Workspace)
		case old == nil:
			c.add(name, hooks, "was not there before")
		case old.Real != file.Real && file.Real != "":
			c.add(name, hooks, "leads to %s", file.Real)
		case old.Real != file.Real:
			c.add(name, hooks, "led to %s before", old.Real)
		case file.SHA256 == noFile && old.SHA256 != noFile:
			c.add(name, hooks, "is a pipe, a socket or a device now")
		case old.SHA256 != file.SHA256:
			c.add(name, hooks, "was changed")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.before)) {
		old := c.before[name]
		c.outer = old.Outer
		switch {
		case c.now[name] != nil || c.lost && !old.Hooks:
		case old.Hooks:
			c.add(name, nil, "is gone")
		case !c.exists(name):
			c.add(name, c.usersOf(name, false, true), "is gone")
		default:
			c.add(name, c.usersOf(name, false, true), notUsed)
		}
	}
	c.outer = false
}

const notUsed = "is not used any more"

func (c *comparison) comparePrograms() {
	for _, name := range slices.Sorted(maps.Keys(c.Programs)) {
		was, is := c.then.Programs[name], c.Programs[name]
		switch hooks := c.usersOf(name, true, was != ""); {
		case was == "":
			c.add(name, hooks, "is %s now, and was not in PATH before", is)
		case was != is:
			c.add(name, hooks, "is %s now, and was %s (PATH)", is, was)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.then.Programs)) {
		switch was := c.then.Programs[name]; {
		case c.Programs[name] != "" || c.lost:
		case c.users[name] != nil:
			c.add(name, c.usersOf(name, true, true), "is not in PATH any more, and was %s", was)
		default:
			c.add(name, c.usersOf(name, false, true), notUsed)
		}
	}
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
