package trust

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/core/hook"
)

// maxListed bounds the number of names compared with the globs of one hook.
const maxListed = 20_000

// addListed adds the files that match the globs of a hook's "files", so a new file there is a difference.
func (t *collector) addListed(h *hook.Hook) error {
	for _, glob := range h.Files {
		l := lister{collector: t, hook: h, names: strings.Split(glob, "/")}
		if err := l.walk(t.Options.Workspace, l.names); err != nil {
			return fmt.Errorf(`the glob %q in "files" of hook %q: %w`, glob, h.Name, err)
		}
		if l.found == 0 {
			doubt(t.doubts, h, `its glob %q in "files" names no file`, glob)
		}
	}
	return nil
}

// listing has the names in a folder when a glob was compared.
type listing struct {
	folder string
	at     identity // of the folder, which any new name changes
	names  []string
	counts func(name string) bool // nil: every name does
}

// list reads the names in a folder once.
func (t *collector) list(folder string) (listing, []os.DirEntry, error) {
	at, _ := lookAt(folder)
	l := listing{folder: folder, at: at}
	if read, is := t.read[folder]; is && read.at == at {
		return l, read.entries, nil
	}
	entries, err := os.ReadDir(folder)
	t.read[folder] = folderEntries{at, entries}
	t.noteTime(at)
	return l, entries, err
}

type folderEntries struct {
	at      identity
	entries []os.DirEntry
}

func (l listing) namesOf(entries []os.DirEntry) (names []string) {
	for _, entry := range entries {
		if l.counts == nil || l.counts(entry.Name()) {
			names = append(names, entry.Name())
		}
	}
	return names
}

func (l listing) changed() bool {
	if now, _ := lookAt(l.folder); now == l.at {
		return false
	}
	entries, err := os.ReadDir(l.folder)
	return err != nil || !slices.Equal(l.namesOf(entries), l.names)
}

type lister struct {
	*collector
	hook   *hook.Hook
	names  []string
	looked int
	found  int
}

// walk adds the files below a folder that match the rest of a glob. A ** matches any folders but .git.
func (l *lister) walk(folder string, rest []string) error {
	if rest[0] != "**" && !strings.ContainsAny(rest[0], `*?[`) {
		info, err := os.Lstat(filepath.Join(folder, rest[0]))
		if err != nil {
			return nil
		}
		return l.entry(folder, rest[0], info.Mode(), rest)
	}
	names, entries, err := l.list(folder)
	if err != nil {
		return err
	}
	names.names = names.namesOf(entries)
	l.listings[l.hook] = append(l.listings[l.hook], names)
	if l.looked += len(entries); l.looked > maxListed {
		return fmt.Errorf("more than %d files; write one that names fewer, such as \"hooks/**\"", maxListed)
	}
	if rest[0] == "**" && len(rest) > 1 {
		if err := l.walk(folder, rest[1:]); err != nil {
			return err
		}
	}
	for _, entry := range entries {
		if err := l.compare(folder, entry, rest); err != nil {
			return err
		}
	}
	return nil
}

// compare compares an entry of a folder with the first name of the rest, which has a glob.
func (l *lister) compare(folder string, entry fs.DirEntry, rest []string) error {
	at := filepath.Join(folder, entry.Name())
	switch {
	case rest[0] == "**" && entry.IsDir():
		if entry.Name() == ".git" {
			return nil
		}
		return l.walk(at, rest)
	case rest[0] == "**" && len(rest) > 1: // walk has compared the entry with the part after **
		return checkLink(at, entry.Type())
	}
	if matches, _ := path.Match(strings.Replace(rest[0], "**", "*", 1), entry.Name()); !matches {
		return nil
	}
	return l.entry(folder, entry.Name(), entry.Type(), rest)
}

// checkLink returns an error for a link to a folder.
func checkLink(path string, mode fs.FileMode) error {
	if mode&fs.ModeSymlink != 0 {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return fmt.Errorf("%s is a link to a folder; name the folder itself", path)
		}
	}
	return nil
}

// entry adds the file that matches the first name of the rest, or walks the folder that matches.
func (l *lister) entry(folder, name string, mode fs.FileMode, rest []string) error {
	at := filepath.Join(folder, name)
	if err := checkLink(at, mode); err != nil {
		return err
	}
	switch {
	case len(rest) > 1 && mode.IsDir():
		return l.walk(at, rest[1:])
	case len(rest) > 1 || mode.IsDir():
		return nil
	}
	l.found++
	return l.candidate(l.hook, at, false)
}
