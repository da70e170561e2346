package projecthooks

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/registry"
	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/protocol"
)

// The hooks files of a workspace. That of LocalFileName is not for committing.
const (
	FileName      = ".tenex-hooks.json"
	LocalFileName = ".tenex-hooks.local.json"
)

// Options say which hooks files Load reads.
type Options struct {
	// Workspace is the folder of the project; "" is the current one. FindProject says which folder that is.
	Workspace string
	// Files are read in the place of the workspace's own files, in this order.
	Files []string
	// NoUser leaves out the user's own hooks file. Nothing leaves out the managed one.
	NoUser bool
	// Dialect is whose rules a file is read by that is in a client's form, wherever it lies: claude, codex or gemini.
	// "" has the place of the file say it, and files of places that do not are Claude Code's. Files in other forms are
	// not concerned.
	Dialect string
	// Claude adds what Claude Code would load in the workspace: the user's settings, the project's, and the project's
	// local ones, those that are there.
	Claude bool
	// RequireHooks makes it an error if no hooks file was read, of whatever level: a loop that relies on gates may have
	// been started in another folder. A file without hooks is a file.
	RequireHooks bool
}

// Config is the hooks of one or more files, in order. No Runner takes a nil or zero Config, because it was never read.
type Config struct{ held }

// held has methods for hookrun's own packages.
type held = hookfile.Held

// Hook describes one hook of a Config.
type Hook struct {
	Name    string           // where the file has none, what it runs
	Source  string           // file:line of its entry
	Level   string           // whose file that is: managed, user, project or local
	Dialect string           // by whose rules it runs: tenex, or that of a client, such as claude
	Events  []protocol.Event // as the dialect names them
	Matcher string           // for which tools, or what else an event has; "": for all
	If      string           // for which arguments; "": for all
	// Disabled says what keeps the hook from running at all: its own entry, or the local file; "": nothing.
	Disabled string
	Command  string // the command line, the address that it posts to, or what a rule says, as people read it
}

// Diagnostic is one thing that is wrong, or odd, at a position in a file.
type Diagnostic struct {
	File   string `json:"file"`
	Line   int    `json:"line"` // 0: the file as a whole
	Column int    `json:"column"`
	Text   string `json:"message"`
}

// Diagnostics are all the errors of a Load, one a line.
type Diagnostics []Diagnostic

// Load reads hooks files: the managed one of the machine, the user's own, and the workspace's `.tenex-hooks.json` and
// `.tenex-hooks.local.json`, in the place of which Options.Files may be. Those that are missing have no hooks. What is
// wrong with files is an error of type Diagnostics, with that of all files.
func Load(o Options) (*Config, error) {
	as, err := named(o.Dialect)
	if err != nil {
		return nil, err
	}
	cfg, err := hookfile.Load(hookfile.Options{Workspace: o.Workspace, Files: o.Files, Dialect: as,
		Claude: o.Claude, NoUser: o.NoUser})
	if err == nil && o.RequireHooks && len(cfg.Files) == 0 {
		return nil, Diagnostics{{File: filepath.Join(o.Workspace, FileName),
			Text: "no such file, and RequireHooks needs a hooks file; see FindProject for the folder that has it"}}
	}
	return public(cfg, err)
}

// Empty returns a Config without hooks, for a program that has none in files. No file is read for it.
func Empty() *Config { return hookfile.Behind(new(Config), new(hookfile.Config)) }

// Parse reads the text of one hooks file. name is for messages, and its end tells MassGen's YAML and Codex's TOML from
// JSON.
func Parse(name string, text []byte) (*Config, error) { return public(hookfile.Parse(name, text)) }

func named(name string) (*dialect.Dialect, error) {
	if name == "" {
		return nil, nil
	}
	d, ok := registry.Named(name)
	if !ok {
		var names []string
		for _, d := range registry.All() {
			names = append(names, d.Name)
		}
		known := strings.Join(names, ", ")
		return nil, fmt.Errorf("unknown dialect %q; known are %s%s", name, known, spelling.Suggest(name, names))
	}
	return d, nil
}

// public wraps what was loaded, and turns errors into types of this package.
func public(c *hookfile.Config, err error) (*Config, error) {
	if err == nil {
		return hookfile.Behind(new(Config), c), nil
	}
	var found hook.Diagnostics
	if errors.As(err, &found) {
		return nil, Diagnostics(diagnostics(found))
	}
	return nil, err
}

func diagnostics(found []hook.Diagnostic) []Diagnostic {
	list := make([]Diagnostic, len(found))
	for i, d := range found {
		list[i] = Diagnostic{File: d.File, Line: d.Line, Column: d.Column, Text: d.Text}
	}
	return list
}

// Hooks are the hooks, in the order of the files.
func (c *Config) Hooks() []Hook {
	if c == nil || c.Held() == nil {
		return nil
	}
	hooks := make([]Hook, len(c.Held().Hooks))
	for i := range c.Held().Hooks {
		h := &c.Held().Hooks[i]
		hooks[i] = Hook{
			Name: h.Name, Source: h.Source(), Level: h.Level.String(), Dialect: h.Dialect.Name,
			Events: append([]protocol.Event{}, h.Events...),
			If:     h.If.String(), Command: h.String(), Disabled: h.Disabled,
		}
		if h.Matcher != nil {
			hooks[i].Matcher = h.Matcher.String()
		}
	}
	return hooks
}

// Files are the files that were read.
func (c *Config) Files() []string {
	if c == nil || c.Held() == nil {
		return nil
	}
	return c.Held().Paths()
}

// Warnings are what is odd about the files but loads.
func (c *Config) Warnings() []Diagnostic {
	if c == nil || c.Held() == nil {
		return nil
	}
	return diagnostics(c.Held().Warned())
}

// Error returns the diagnostic as file:line:column: message.
func (d Diagnostic) Error() string {
	return hook.Diagnostic{File: d.File, Line: d.Line, Column: d.Column, Text: d.Text}.Error()
}

func (ds Diagnostics) Error() string {
	lines := make([]string, len(ds))
	for i, d := range ds {
		lines[i] = d.Error()
	}
	return strings.Join(lines, "\n")
}

// Snapshot tells whether the files of a Config are still what was read: a program that stays up goes on with what it
// read. It is safe for concurrent use.
type Snapshot struct{ files *hookfile.Snapshot }

// Snapshot returns a Snapshot of the files that were read, and of those that were not there.
func (c *Config) Snapshot() *Snapshot {
	if c == nil || c.Held() == nil {
		return &Snapshot{&hookfile.Snapshot{}}
	}
	return &Snapshot{hookfile.NewSnapshot(c.Held())}
}

// Changed says of each file what is different now, in the order in which they were read. As long as a file was not
// touched that costs one look at its size and times; then its text is compared.
// A nil or zero Snapshot says that it knows of none.
func (s *Snapshot) Changed() []string {
	if s == nil || s.files == nil {
		return []string{"nothing is known of the files: Config.Snapshot did not make this Snapshot"}
	}
	return s.files.Changed()
}

// Project is where a folder has its hooks file. FindProject looks for it.
type Project struct {
	Workspace string // the folder of the hooks file, or where the search began if there is none
	File      string // the hooks file; "": there is none
	Local     string // the one beside it that is not for committing; "": there is none
	// PassedOver is a hooks file above that does not count, if no other was found. Why says why, as in "it lies above
	// the git repository /x". Repository is the folder with the .git at which the search ended; "": there is no .git.
	PassedOver string
	Why        string
	Repository string
}

// FindProject finds the project of a folder: the nearest folder upwards that has a hooks file, be it the local one
// alone, the folder itself first. It does not look above the first folder with a .git: what lies there is another
// project's. If there is no .git, it does not look above the home folder, and only through folders of this user or
// root that nobody else can write to: a file in /tmp can be anybody's. The folder itself always counts.
//
// A folder that is reached through symbolic links lies where it really is, as for git. Only if there is no hooks file
// on that way is the way through the links searched.
func FindProject(dir string) (Project, error) {
	p, err := hookfile.FindProject(dir)
	return Project(p), err
}
