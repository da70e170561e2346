package projecthooks

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/protocol"
)

// LoadOptions say which hooks files Load reads. The zero value has all levels: the machine's managed file, the user's
// own, the project's and its local one.
type LoadOptions struct {
	Files       []string // are read in the place of the project's own files, in this order; all must be there
	ProjectOnly bool     // nothing outside the project is read: neither the managed file nor the user's. For tests
	// RequireHooks makes it an error if there is no hooks file of any level, because a loop that relies on gates may
	// have been started in another folder. A file without hooks is a file.
	RequireHooks bool
}

// Config is the hooks of one or more files, in order. A nil or zero Config was never read: no Runner takes it.
type Config hookfile.Public

// Empty is a Config without hooks, for a program that has none in files.
var Empty *Config = newEmpty()

// HookInfo describes a hook of a file, or one that is a Go function.
type HookInfo struct {
	Name    string           // where the file has none, what it runs
	Source  string           // file:line of its entry
	Level   string           // whose file that is: managed, user, project or local
	Events  []protocol.Event // as the file names them
	Matcher string           // for which tools, or what else an event has; "": for all
	If      string           // for which arguments; "": for all
	Command string           // the command line, the address that it posts to, or what a rule says, as people read it
	// Runs and Why are those of one call if Runner.Explain returns them. In a Config, Runs is false if the hook never
	// runs, and Why is what keeps it from running: its own entry, or the local file.
	Runs bool
	Why  string
}

// Diagnostic is one thing that is wrong, or odd, at a position in a file.
type Diagnostic struct {
	File   string `json:"file"`
	Line   int    `json:"line"` // from 1; 0: the file as a whole
	Column int    `json:"column"`
	Text   string `json:"message"`

	cause error
}

// Diagnostics are all the errors of a Load, one a line. errors.Is and errors.As find each of them.
type Diagnostics []Diagnostic

// Load reads the hooks of the project that dir is in, "" being the current folder: those of the nearest folder upwards
// with a `.tenex-hooks.json` or `.tenex-hooks.local.json`, but not above its git repository or the home folder. Before
// them come the hooks of the machine and of the user. A file that is missing has no hooks.
//
// What is wrong with files is an error of type Diagnostics, with that of all files. If the error is not nil, no tool
// may run: nobody knows what the gates would say.
func Load(dir string, o LoadOptions) (*Config, error) {
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
	project, err := hookfile.FindProject(dir)
	if err != nil {
		return nil, err
	}
	workspace, err := filepath.Abs(project.Workspace)
	if err != nil {
		return nil, err
	}
	cfg, err := hookfile.Load(hookfile.Options{Workspace: project.Workspace, Project: &project, Files: o.Files,
		NoOuter: o.ProjectOnly})
	if err == nil && o.RequireHooks && len(cfg.Files) == 0 {
		return nil, Diagnostics{{File: filepath.Join(workspace, hookfile.FileName), cause: fs.ErrNotExist,
			Text: "no such file there or above, and RequireHooks needs a hooks file; give Load the project's folder"}}
	}
	if err == nil && len(o.Files) == 0 {
		cfg.Absent = append(cfg.Absent, nearer(dir, workspace)...)
	}
	if err == nil && project.PassedOver != "" {
		cfg.Warnings = append(cfg.Warnings, hook.Diagnostic{File: project.PassedOver, Gate: true,
			Text: "was passed over: " + project.Why + "; to use it give Load its folder"})
	}
	return public(cfg, workspace, err)
}

// nearer returns the hooks files that Load would find in the folders from dir up to the project's, but not in that
// itself. If one of them appears, it is the project's file.
func nearer(dir, workspace string) (absent []hookfile.File) {
	above := strings.TrimSuffix(workspace, string(filepath.Separator)) + string(filepath.Separator)
	dir, err := filepath.Abs(dir)
	if err == nil && !strings.HasPrefix(dir, above) { // the project was found by the path without symbolic links
		dir, err = filepath.EvalSymlinks(dir)
	}
	for ; err == nil && strings.HasPrefix(dir, above); dir = filepath.Dir(dir) {
		for _, name := range []string{hookfile.FileName, hookfile.LocalFileName} {
			absent = append(absent, hookfile.File{Path: filepath.Join(dir, name)})
		}
	}
	return absent
}

// Parse reads the text of one hooks file, for tests and for programs that keep hooks elsewhere. name is for messages,
// and its end tells MassGen's YAML and Codex's TOML from JSON.
func Parse(name string, text []byte) (*Config, error) {
	cfg, err := hookfile.Parse(name, text)
	return public(cfg, "", err)
}

func newEmpty() *Config { return newConfig(new(hookfile.Config), "") }

func newConfig(c *hookfile.Config, dir string) *Config { return (*Config)(hookfile.NewPublic(c, dir)) }

// public wraps what was loaded, and turns errors into types of this package.
func public(c *hookfile.Config, dir string, err error) (*Config, error) {
	if err == nil {
		return newConfig(c, dir), nil
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

// config returns what hookrun's own packages have for c, nil if c is nil or zero.
func (c *Config) config() *hookfile.Config { return (*hookfile.Public)(c).Config() }

// Hooks returns the hooks, in the order of the files. A nil or zero Config has none.
func (c *Config) Hooks() []HookInfo {
	cfg := c.config()
	if cfg == nil {
		return nil
	}
	hooks := make([]HookInfo, len(cfg.Hooks))
	for i := range cfg.Hooks {
		hooks[i] = HookInfo(hookfile.InfoOf(&cfg.Hooks[i]))
	}
	return hooks
}

// Warnings returns what is odd about the files but loads.
func (c *Config) Warnings() Diagnostics {
	cfg := c.config()
	if cfg == nil {
		return nil
	}
	return diagnostics(cfg.Warned())
}

// Changed tells of each file whether it is not what was read, or what the last Changed saw. A file that was not there
// counts as well. So a program that stays up reads the hooks again if Changed returns anything, and if that is an
// error goes on with the hooks that it has until the file changes again. Of a file that nobody has touched, Changed
// looks at the size and the times. What Parse was given never changes. Many goroutines can use Changed, but each change
// is told to one of them.
func (c *Config) Changed() []string {
	if c.config() == nil {
		return []string{"nothing is known of the files: Load and Parse did not return this Config"}
	}
	return (*hookfile.Public)(c).Snapshot().News()
}

// Error returns the diagnostic as file:line:column: message.
func (d Diagnostic) Error() string {
	return hook.Diagnostic{File: d.File, Line: d.Line, Column: d.Column, Text: d.Text}.Error()
}

// Unwrap returns fs.ErrNotExist for a file that has to be there and is not, else nil.
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
