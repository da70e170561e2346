package hooks

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/core/hookfile/host"
	"github.com/hookrun/hookrun/protocol"
)

// LoadOptions say which hooks files Load reads. The zero value reads all scopes: the managed file of the machine, the
// user's own file, the project's file and its local file.
type LoadOptions struct {
	Files       []string // read instead of the project's own files, in this order; all must exist
	ProjectOnly bool     // for tests: do not read the managed file or the user's file
	// RequireHooks makes it an error if no scope has a hooks file: a loop that relies on hooks may have been started in
	// the wrong folder. A hooks file without hooks is enough.
	RequireHooks bool
}

// Config is the hooks of one or more files, in order. A nil or zero Config was never loaded: no Runner takes it.
type Config host.Config

// Part is something that a Loader knows beside hookrun's own form. The packages below this one have a Part each. The
// zero Part adds nothing.
type Part host.Part

// Loader reads hooks files. The zero Loader knows hookrun's own form alone: what a file asks of a Part that the Loader
// does not have is an error of the file, never skipped.
type Loader struct {
	Parts []Part // the order does not matter
}

// HookInfo describes a hook of a file, or a hook that is a Go function.
type HookInfo struct {
	Name    string           // if the file gives no name: what the hook runs
	Source  string           // file:line of its entry
	Level   string           // the scope of the file: managed, user, project or local
	Events  []protocol.Event // as the file names them
	Matcher string           // the tools, or another property of the event; "" matches all
	If      string           // the arguments; "" matches all
	Command string           // the command line, the URL, or the rule's answer, in readable form
	// Runner.Explain sets Runs and Why for one call. In a Config, Runs is false if the hook never runs, and Why names
	// what switched the hook off: its own entry, or the local file.
	Runs bool
	Why  string
}

// Diagnostic is one error or warning at a position in a file.
type Diagnostic struct {
	File   string `json:"file"`
	Line   int    `json:"line"` // from 1; 0: the file as a whole
	Column int    `json:"column"`
	Text   string `json:"message"`

	cause error
}

// Diagnostics are all errors of a Load, one a line. errors.Is and errors.As find each of them.
type Diagnostics []Diagnostic

// Load reads the hooks of the project of dir; "" is the current folder. The project is the nearest folder upwards with
// a `.tenex-hooks.json` or `.tenex-hooks.local.json`, but not above dir's git repository or the home folder. The hooks
// of the machine and of the user come first. A missing file has no hooks.
//
// Errors in files are returned as Diagnostics, with the errors of all files. If the error is not nil, run no tool: no
// hook could block one.
func (l Loader) Load(dir string, o LoadOptions) (*Config, error) {
	if dir == "" {
		dir = "."
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: dir, Err: syscall.ENOTDIR}
	}
	if err != nil {
		return nil, fmt.Errorf("reading hooks: %w; give the folder of the project", err)
	}
	all := l.all()
	project, err := hookfile.FindProject(dir)
	if err != nil {
		return nil, err
	}
	workspace, err := filepath.Abs(project.Workspace)
	if err != nil {
		return nil, err
	}
	cfg, err := hookfile.Load(hookfile.Options{Parts: all.Parts, Workspace: project.Workspace, Project: &project,
		Files: o.Files, ProjectOnly: o.ProjectOnly})
	if err == nil && o.RequireHooks && len(cfg.Files) == 0 {
		return nil, Diagnostics{{File: filepath.Join(workspace, hookfile.FileName), cause: fs.ErrNotExist,
			Text: "no such file there or above, and RequireHooks needs a hooks file; give Load the project's folder"}}
	}
	if err == nil && len(o.Files) == 0 {
		cfg.Absent = append(cfg.Absent, nearer(dir, cmp.Or(project.Worktree, workspace))...)
	}
	if err == nil && project.Fault != "" {
		cfg.Warnings = append(cfg.Warnings, hook.Diagnostic{File: filepath.Join(dir, ".git"), Gate: true,
			Text: project.Fault + "; " + project.Mend})
	}
	if err == nil && project.PassedOver != "" {
		cfg.Warnings = append(cfg.Warnings, hook.Diagnostic{File: project.PassedOver, Gate: true,
			Text: "was passed over: " + project.Why + "; to use it give Load its folder"})
	}
	return public(cfg, all, workspace, err)
}

// nearer returns the hooks files that Load would find in the folders from dir up to the project's folder, without the
// project's folder. If one of them appears, it becomes the project's file.
func nearer(dir, workspace string) (absent []hookfile.File) {
	above := strings.TrimSuffix(workspace, string(filepath.Separator)) + string(filepath.Separator)
	dir, err := filepath.Abs(dir)
	if err == nil && !strings.HasPrefix(dir, above) { // the project was found by the path without symbolic links
		dir, err = filepath.EvalSymlinks(dir)
	}
	for ; err == nil && strings.HasPrefix(dir, above); dir = filepath.Dir(dir) {
		absent = append(absent, hookfile.Elsewhere(dir)...)
	}
	return absent
}

// Parse reads the text of one hooks file, for tests and for programs that keep hooks elsewhere. Diagnostics show the
// name, and its extension tells MassGen's YAML and Codex's TOML from JSON.
func (l Loader) Parse(name string, text []byte) (*Config, error) {
	all := l.all()
	cfg, err := all.Parse(name, text)
	return public(cfg, all, "", err)
}

// Empty returns a Config without hooks, for a program without hooks files.
func (l Loader) Empty() *Config {
	all := l.all()
	return newConfig(all.Empty(), all, "")
}

// all returns what the Loader knows beside hookrun's own form.
func (l Loader) all() (all host.Parts) {
	for _, p := range l.Parts {
		host.Part(p).AddTo(&all)
	}
	return all
}

func newConfig(c *hookfile.Config, p host.Parts, dir string) *Config {
	return (*Config)(host.New(c, p, dir))
}

// public wraps a loaded config, and turns errors into types of this package.
func public(c *hookfile.Config, p host.Parts, dir string, err error) (*Config, error) {
	if err == nil {
		return newConfig(c, p, dir), nil
	}
	var found hook.Diagnostics
	if errors.As(err, &found) {
		list := diagnostics(found)
		for i := range list {
			if _, err := os.Stat(list[i].File); list[i].Line == 0 && errors.Is(err, fs.ErrNotExist) {
				list[i].cause = fs.ErrNotExist
			}
		}
		return nil, list
	}
	return nil, err
}

func diagnostics(found []hook.Diagnostic) Diagnostics {
	list := make(Diagnostics, len(found))
	for i, d := range found {
		list[i] = Diagnostic{File: d.File, Line: d.Line, Column: d.Column, Text: d.Text}
	}
	return list
}

// config returns the internal Config of c, or nil if c is nil or zero.
func (c *Config) config() *hookfile.Config { return (*host.Config)(c).Config() }

// Hooks returns the hooks, in the order of the files. A nil or zero Config has none.
func (c *Config) Hooks() []HookInfo {
	cfg := c.config()
	if cfg == nil {
		return nil
	}
	hooks := make([]HookInfo, len(cfg.Hooks))
	for i := range cfg.Hooks {
		hooks[i] = HookInfo(host.InfoOf(&cfg.Hooks[i]))
	}
	return hooks
}

// Warnings returns the warnings about the files.
func (c *Config) Warnings() Diagnostics {
	cfg := c.config()
	if cfg == nil {
		return nil
	}
	return diagnostics(cfg.Warned())
}

// Changed lists the files that have changed since they were read or since the last Changed. A new file counts too. A
// long-running program calls Load again if Changed returns anything. If Load then fails, the program goes on with its
// old hooks until a file changes again.
//
// If size and times of a file are as before, Changed does not read the file. A Config from Parse has no files and never
// changes. Many goroutines can call Changed, but only one of them is told of each change.
func (c *Config) Changed() []string {
	if c.config() == nil {
		return []string{"nothing is known of the files: Load and Parse did not return this Config"}
	}
	return (*host.Config)(c).Snapshot().TakeChanges()
}

// Error returns the diagnostic as file:line:column: message.
func (d Diagnostic) Error() string {
	return hook.Diagnostic{File: d.File, Line: d.Line, Column: d.Column, Text: d.Text}.Error()
}

// Unwrap returns fs.ErrNotExist if a required file is missing, else nil.
func (d Diagnostic) Unwrap() error { return d.cause }

// Error returns the diagnostics, one a line.
func (ds Diagnostics) Error() string {
	lines := make([]string, len(ds))
	for i, d := range ds {
		lines[i] = d.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns each Diagnostic.
func (ds Diagnostics) Unwrap() []error {
	all := make([]error, len(ds))
	for i, d := range ds {
		all[i] = d
	}
	return all
}
