package trust

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/core/launch"
	"github.com/hookrun/hookrun/internal/lib/files/owner"
)

// File is one file of a Fingerprint.
type File struct {
	Name   string `json:"name"`           // path, relative in the workspace
	Real   string `json:"real,omitempty"` // the path without links, if different
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size,omitempty"`
	Hooks  bool   `json:"hooks,omitempty"` // a hooks file
	Outer  bool   `json:"outer,omitempty"` // the user's or the managed file, which no person needs to allow

	text  string   // only with Options.Texts
	watch *watched // nil for a hooks file
}

// Fingerprint has the existing files of a workspace's hooks. A file created later is a difference.
type Fingerprint struct {
	Workspace string            `json:"workspace"`      // without links
	Path      string            `json:"path,omitempty"` // as given, if different
	Files     []File            `json:"files"`          // sorted by name
	Programs  map[string]string `json:"programs"`       // paths in PATH, by the names in commands
	Doubts    []Doubt           `json:"doubts,omitempty"`
	// Users has the names of the hooks that use a file or a program. It is part of a record alone; nil: the record is
	// from a hookrun that did not record it.
	Users map[string][]string `json:"users"`

	worktree   string                  // the linked worktree, if the hooks are the main worktree's
	tree       string                  // the call's linked worktree
	cachedSum  string                  // result of sum
	hooks      []hook.Hook             // of all levels
	programs   []use                   // programs in commands, in PATH or not
	hooksFiles []string                // of the project's hooks files, present or absent; see key
	paths      []string                // of the project's hooks files that are present
	byHook     map[*hook.Hook][]string // paths in a hook's command, present or absent
	watched    map[string]*watched     // by path
	doubts     map[*hook.Hook][]string // see Unresolved
	envDoubts  map[*hook.Hook][]string // about variables of a client's form

	listings map[*hook.Hook][]listing // folders of "files"
	ways     map[*hook.Hook][]string  // folders and links on the way to the files of a hook
	steps    map[string]identity      // of the ways, by path
}

// use is a program in the command of a hook.
type use struct{ hook, program string }

// Options say how to take a Fingerprint.
type Options struct {
	Workspace string                      // absolute
	Dir       string                      // the call's folder, if hooks run there; "": the workspace
	Worktree  string                      // the linked worktree of Dir, without links; "": none
	Environ   func(h *hook.Hook) []string // the environment of a hook's process
	Hooks     []hook.Hook                 // the hooks that run; nil: those of the Config
	Texts     bool                        // keep the texts for a diff
	AllLevels bool                        // read the commands of the user's and the managed hooks, too
	// AnyMachine: a program that is missing here may be there on another machine, and run files that nobody knows.
	AnyMachine bool
	// Store has the records of earlier Fingerprints. If set, only the comparison with these records matters: a large
	// file is not read if all records have another size.
	Store   *Store
	Session string // of a pinned call
}

// collector takes one Fingerprint.
type collector struct {
	*Fingerprint
	Options
	folders   map[string]string // paths without links, by path
	buffer    []byte
	hashed    int64                    // bytes of all files
	sizes     map[string][]int64       // in the records, by file; nil: not read yet
	firstCall bool                     // the session has no record yet
	seen      map[hookPath]bool        // entries of byHook
	named     map[string]bool          // entries of Files
	read      map[string]folderEntries // by folder

	lastChange time.Time // of the files and the steps
}

type hookPath struct {
	hook *hook.Hook
	path string
}

// Take takes the Fingerprint of hooks that were just read. It returns an error if a file cannot be read.
func Take(cfg *hookfile.Config, o Options) (*Fingerprint, error) {
	real, err := filepath.EvalSymlinks(o.Workspace)
	if err != nil {
		return nil, fmt.Errorf("finding the workspace: %w", err)
	}
	t := collector{Options: o, folders: map[string]string{}, buffer: make([]byte, 64<<10), seen: map[hookPath]bool{},
		named: map[string]bool{}, read: map[string]folderEntries{}}
	t.Fingerprint = &Fingerprint{
		Workspace: real, Programs: map[string]string{}, worktree: cfg.Worktree,
		tree:   o.Worktree,
		byHook: map[*hook.Hook][]string{}, watched: map[string]*watched{}, doubts: map[*hook.Hook][]string{},
		envDoubts: map[*hook.Hook][]string{},
		listings:  map[*hook.Hook][]listing{}, hooks: o.Hooks,
		ways: map[*hook.Hook][]string{}, steps: map[string]identity{},
	}
	if t.hooks == nil {
		t.hooks = cfg.Hooks
	}
	if given := filepath.Clean(o.Workspace); given != real {
		t.Path = given
	}
	t.folders[o.Workspace+string(filepath.Separator)] = real
	for i := range cfg.Files {
		t.addHooksFile(&cfg.Files[i])
	}
	for i := range cfg.Absent {
		if f := &cfg.Absent[i]; f.Level >= hook.ProjectLevel {
			t.hooksFiles = append(t.hooksFiles, t.name(t.absolute(f.Path)))
		}
	}
	for i := range t.hooks {
		h := &t.hooks[i]
		add := t.addHook
		if h.Level < hook.ProjectLevel && !t.AllLevels {
			add = t.addOuter
		}
		if err := add(h); err != nil {
			return nil, err
		}
		if h.Files == nil {
			for _, why := range slices.Concat(t.envDoubts[h], t.doubts[h]) {
				t.Doubts = append(t.Doubts, Doubt{Hook: h.Name, Why: why})
			}
		}
	}
	t.Files = slices.DeleteFunc(t.Files, t.copies(slices.Clone(t.Files)))
	sort.Slice(t.Files, func(i, j int) bool { return t.Files[i].Name < t.Files[j].Name })
	slices.Sort(t.hooksFiles)
	t.waitForTick()
	return t.Fingerprint, nil
}

// copies reports whether a file of the linked worktree, where hooks in a client's form run, is the same as the file in
// its place in the main worktree: a person has allowed its text.
func (t *collector) copies(files []File) func(File) bool {
	return func(f File) bool {
		if !f.inWorktree(t.tree) || !f.watch.file || f.Real != "" || f.SHA256 == otherSize {
			return false
		}
		place, _ := filepath.Rel(t.tree, f.watch.path) // inWorktree says that it is there
		return slices.ContainsFunc(files, func(own File) bool {
			return own.Name == filepath.ToSlash(place) && own.Real == "" && own.SHA256 == f.SHA256
		})
	}
}

// inWorktree reports whether a command names a file in a linked worktree.
func (f *File) inWorktree(tree string) bool {
	return tree != "" && f.watch != nil && inside(f.watch.path, tree)
}

func (t *collector) absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// name returns the name of a path in a Fingerprint, which is the same in two copies of one project.
func (f *Fingerprint) name(path string) string {
	for _, folder := range []string{cmp.Or(f.Path, f.Workspace), f.Workspace} {
		if inside(path, folder) {
			return filepath.ToSlash(strings.TrimPrefix(path[len(folder):], string(filepath.Separator)))
		}
	}
	return path
}

func inside(path, folder string) bool {
	return beginsWith(path, folder) && (len(path) == len(folder) || path[len(folder)] == filepath.Separator ||
		strings.HasSuffix(folder, string(filepath.Separator)))
}

// addHooksFile adds a hooks file with the hash of the parsed text.
func (t *collector) addHooksFile(f *hookfile.File) {
	path := t.absolute(f.Path)
	sum := sha256.Sum256([]byte(f.Text))
	file := File{Name: t.name(path), SHA256: hex.EncodeToString(sum[:]), Hooks: true}
	file.Outer = f.Level < hook.ProjectLevel
	if real, err := t.real(path); err == nil {
		if info, err := os.Lstat(real); err == nil && info.Mode()&os.ModeSymlink != 0 {
			real, _ = filepath.EvalSymlinks(real)
		}
		if name := t.name(real); name != file.Name {
			file.Real = name
		}
	}
	if t.Texts {
		file.text = f.Text
	}
	t.named[file.Name] = true
	t.Files = append(t.Files, file)
	if f.Level >= hook.ProjectLevel {
		t.hooksFiles, t.paths = append(t.hooksFiles, file.Name), append(t.paths, path)
	}
}

// real returns the path with the links of its folder resolved.
func (t *collector) real(path string) (string, error) {
	folder, base := filepath.Split(path)
	real, ok := t.folders[folder]
	if !ok {
		var err error
		if real, err = filepath.EvalSymlinks(folder); err != nil {
			return "", err
		}
		t.folders[folder] = real
	}
	return filepath.Join(real, base), nil
}

// candidate adds the file at a path that a hook's command may name, if the file exists. The file must be in the
// workspace, by path or real path, unless anywhere is set.
func (t *collector) candidate(h *hook.Hook, path string, anywhere bool) error {
	if w := t.watched[path]; w == nil || anywhere && w.target == (identity{}) {
		if err := t.hashFile(path, anywhere); err != nil {
			return err
		}
	}
	if key := (hookPath{h, path}); !t.seen[key] {
		t.seen[key] = true
		t.byHook[h] = append(t.byHook[h], path)
		w, clean := t.watched[path], filepath.Clean(path)
		if w.target != (identity{}) || !w.file && inside(clean, t.Options.Workspace) {
			t.noteTime(w.target)
			t.wayTo(h, filepath.Dir(clean), 0)
		}
	}
	return nil
}

// hashFile opens the file at a path once, and hashes the content. A file outside of the workspace is not hashed, unless
// named is set.
func (t *collector) hashFile(path string, named bool) error {
	w := &watched{path: path}
	t.watched[path] = w
	real, err := t.real(path)
	if err != nil { // the folder does not exist
		return nil
	}
	f := File{Name: t.name(path), watch: w}
	hash := sha256.New()
	var kept []byte
	each := func(text []byte) {
		if w.interpreter == nil {
			w.interpreter = interpreter(text)
		}
		hash.Write(text)
		if t.Texts {
			if kept = append(kept, text...); len(kept) > 3*maxShown {
				kept = append(kept[:maxShown], kept[len(kept)-maxShown:]...)
			}
		}
	}
	clean := filepath.Clean(path)
	named = named || inside(clean, t.Options.Workspace) || inside(clean, t.Fingerprint.Workspace)
	var other, tooLarge bool
	read := func() (err error) {
		named = named || inside(real, t.Fingerprint.Workspace)
		whole := func(i identity) bool {
			other = named && i.size > maxAlwaysHashed && t.otherSize(f.Name, i.size)
			if tooLarge = named && !other && t.hashed+i.size > maxHashed; named && !other {
				t.hashed += i.size
			}
			return named && !other && !tooLarge
		}
		w.target, w.file, err = readRegular(real, t.buffer, whole, each)
		return err
	}
	if err = read(); isLink(err) {
		if real, err = filepath.EvalSymlinks(real); err != nil {
			w.file = !named // else a dangling link
			return nil
		}
		w.link, _ = lookAtLink(path)
		err = read()
	}
	switch {
	case !named:
		w.target = identity{}
		_, w.file = lookAt(real) // a device, too
		return nil
	case err != nil:
		return fmt.Errorf("a command of the hooks names %s, which cannot be read: %w", path, err)
	case other:
		f.SHA256 = otherSize
	case tooLarge:
		const text = "the files that the hooks name have more than %d MiB with %s, which is not hashed; name it in a " +
			"script instead"
		return fmt.Errorf(text, maxHashed>>20, path)
	case w.file:
		w.sum, w.real = [32]byte(hash.Sum(nil)), real
		f.SHA256, f.text = hex.EncodeToString(w.sum[:]), string(kept)
	default:
		now, there := lookAt(path)
		if !there || now.folder {
			return nil
		}
		f.SHA256, w.special, w.target = noFile, true, now // a pipe, a socket or a device
	}
	if name := t.name(real); name != f.Name {
		f.Real = name
	}
	f.Size = w.target.size
	if !t.named[f.Name] {
		t.named[f.Name] = true
		t.Files = append(t.Files, f)
	}
	return nil
}

// mode adds the fact that a file cannot be executed.
func (t *collector) mode(h *hook.Hook, path string) {
	if w := t.watched[path]; w != nil && w.sum != [32]byte{} && !isProgram(path) {
		t.fact(h, path, "not executable", "")
	}
}

// fact adds a fact about a path that is no part of a file's content, or only a part.
func (t *collector) fact(h *hook.Hook, path, about, value string) {
	path += " (" + about + ")"
	if t.watched[path] == nil {
		t.watched[path] = &watched{path: path, file: true, fact: true}
		sum := sha256.Sum256([]byte(value))
		t.Files = append(t.Files, File{Name: t.name(path), SHA256: hex.EncodeToString(sum[:]), watch: t.watched[path]})
	}
	_ = t.candidate(h, path, false) // no error, since it is in watched
}

// interpreter returns the program and the arguments in the #! line of a script.
func interpreter(start []byte) []string {
	line, _, _ := bytes.Cut(start[:min(len(start), 256)], []byte("\n"))
	if line, found := bytes.CutPrefix(line, []byte("#!")); found {
		return strings.Fields(string(line))
	}
	return []string{}
}

// sum returns a hash of the whole Fingerprint.
func (f *Fingerprint) sum() string {
	if f.cachedSum != "" {
		return f.cachedSum
	}
	var b []byte
	b = strconv.AppendQuote(b, f.Workspace)
	for i := range f.Files {
		file := &f.Files[i]
		b = strconv.AppendQuote(strconv.AppendQuote(append(b, '\n'), file.Name), file.Real)
		b = strconv.AppendInt(append(b, file.SHA256...), file.Size, 10)
		b = strconv.AppendBool(strconv.AppendBool(b, file.Hooks), file.Outer)
	}
	for _, name := range slices.Sorted(maps.Keys(f.Programs)) {
		b = strconv.AppendQuote(strconv.AppendQuote(append(b, '\n'), name), f.Programs[name])
	}
	for _, d := range f.Doubts {
		b = strconv.AppendQuote(strconv.AppendQuote(append(b, '\n'), d.Hook), d.Why)
	}
	sum := sha256.Sum256(b)
	f.cachedSum = hex.EncodeToString(sum[:])
	return f.cachedSum
}

// Hash returns a hash of all that a reviewer has seen: the hooks files of the project and the files that they name.
// Copies of the project have the same hash. The paths of programs in PATH do not count.
func (f *Fingerprint) Hash() string {
	hash := sha256.New()
	for i := range f.Files {
		if file := &f.Files[i]; !file.Outer {
			fmt.Fprintf(hash, "%q %q %s\n", file.Name, file.Real, file.SHA256)
		}
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// HasHooks reports whether the project has a hooks file.
func (f *Fingerprint) HasHooks() bool {
	return slices.ContainsFunc(f.Files, func(file File) bool { return file.Hooks && !file.Outer })
}

// users returns the hooks that use each file and each program, by their names. A file may be absent.
func (f *Fingerprint) users() map[string][]string {
	users := map[string][]string{}
	add := func(name, hook string) {
		if !slices.Contains(users[name], hook) {
			users[name] = append(users[name], hook)
		}
	}
	for i := range f.hooks {
		h := &f.hooks[i]
		for _, path := range f.byHook[h] {
			add(f.name(path), h.Name)
		}
	}
	for _, u := range f.programs {
		add(u.program, u.hook)
	}
	return users
}

// Named returns the files of the Fingerprint that a hook's command names.
func (f *Fingerprint) Named(h *hook.Hook) (names []string) {
	of := map[string]bool{}
	for _, path := range f.byHook[h] {
		of[path] = true
	}
	for i := range f.Files {
		if w := f.Files[i].watch; w != nil && of[w.path] && !w.fact {
			names = append(names, f.Files[i].Name)
		}
	}
	return names
}

// changeableByOthers returns a hooks file of the project that another user can change or replace, or "".
func (f *Fingerprint) changeableByOthers() string {
	for _, path := range f.paths {
		info, err := os.Stat(path)
		if err != nil || owner.Check(path, info) != nil || owner.OthersWrite(path, info) {
			return path
		}
		folder := filepath.Dir(path)
		info, err = os.Stat(folder)
		if err != nil || info.Mode()&os.ModeSticky == 0 && owner.OthersWrite(folder, info) {
			return path
		}
	}
	return ""
}

// OutsideCall returns the options to take a workspace's fingerprint outside of a call.
func OutsideCall(workspace, binary string) Options {
	return Options{Workspace: workspace, Environ: func(h *hook.Hook) []string {
		return launch.Environ(h, dialect.NewCall(dialect.Call{Workspace: workspace}), nil, binary)
	}}
}
