package hookfile

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/lib/files/regular"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/lib/strictjson/document"
)

// File is a hooks file of a Config.
type File struct {
	Path  string
	Level hook.Level
	Text  string // content when read; "" if absent

	outer bool             // the managed or the user's file
	as    *dialect.Dialect // Options.Dialect
}

// isOwn reports whether the file is the managed, the user's or the local file: these always have hookrun's own form.
func (f File) isOwn() bool { return f.outer || levelOf(f.Path) == hook.LocalLevel }

// LocalFileName is the hooks file of a workspace that is not for committing.
const LocalFileName = ".tenex-hooks.local.json"

// testManaged is the path of the managed file in a binary for tests, because tests cannot make files of root:
//
//	go build -ldflags "-X github.com/hookrun/hookrun/internal/core/hookfile.testManaged=PATH"
//
// No environment variable sets the path, because a user could leave out the managed hooks with a variable.
var testManaged string

// SetManaged sets testManaged in the process of a test, before any file is read.
func SetManaged(path string) { testManaged = path }

// managed returns the path of the managed file, and whether a test has set the path.
func (o *Options) managed() (path string, tested bool) {
	if path := cmp.Or(o.Managed, testManaged); path != "" {
		return path, true
	}
	return managedPath(), false
}

// ManagedPath returns the path of the managed file on a system, named as in runtime.GOOS.
func ManagedPath(system string) string {
	return dialect.OnSystem(system, managedOnLinux, managedOnMac, `C:\ProgramData\hookrun\hooks.json`)
}

const (
	managedOnLinux = "/etc/hookrun/hooks.json"
	managedOnMac   = "/Library/Application Support/hookrun/hooks.json"
)

// ManagedFile returns the path of the managed file on this system.
func ManagedFile() string {
	path, _ := (&Options{}).managed()
	return path
}

// ParseManaged reads the text of a managed file. path is for messages.
func (p Parts) ParseManaged(path, text string) (*Config, error) {
	return p.parse(File{Path: path, Level: hook.ManagedLevel, outer: true}, []byte(text), nil)
}

// userFile returns the path of the user's own file, or "" for a user without a home.
func userFile() string {
	dir := os.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) {
		var err error
		if dir, err = configDir(); err != nil || !filepath.IsAbs(dir) {
			return ""
		}
	}
	return filepath.Join(dir, "hookrun", "hooks.json")
}

// outer returns the files outside of the project, present or not.
func (o *Options) outer() []File {
	if o.ProjectOnly {
		return nil
	}
	path, _ := o.managed()
	files := []File{{Path: path, Level: hook.ManagedLevel, outer: true}}
	if path := userFile(); path != "" && !o.NoUser {
		files = append(files, File{Path: path, Level: hook.UserLevel, outer: true})
	}
	return files
}

// HasOuter reports whether a hooks file outside of the project exists.
func (o *Options) HasOuter() bool {
	return slices.ContainsFunc(o.outer(), func(f File) bool { return !missing(f.Path) })
}

// missing reports whether a path does not exist. If the path cannot be looked at, reading the file reports the error.
func missing(path string) bool {
	_, err := os.Lstat(path)
	return isMissing(err)
}

// isMissing reports whether err says that a file is missing. ENOTDIR counts: HOME=/dev/null means "no home".
func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// fault returns why an existing file is refused, or "".
func (o *Options) fault(f File) string {
	switch {
	case !f.outer:
		return ""
	case f.Level == hook.ManagedLevel:
		return managedFault(o.managed())
	}
	return userFault(f.Path)
}

// mend returns the end of a message: the command line that repairs the fault.
func mend(words ...string) string { return "; fix it with: " + hook.Command{Argv: words}.String() }

// Named returns the files with these paths. The level of each is the level at which hookrun would find the file.
func (o *Options) Named(paths []string) []File {
	files := make([]File, len(paths))
	for i, path := range paths {
		files[i] = File{Path: path, Level: levelOf(path)}
		for _, outer := range (&Options{Managed: o.Managed}).outer() {
			if regular.Same(path, outer.Path) {
				files[i] = outer
			}
		}
	}
	return files
}

// levelOf returns the level of a file in a project.
func levelOf(path string) hook.Level {
	if filepath.Base(path) == LocalFileName {
		return hook.LocalLevel
	}
	return hook.ProjectLevel
}

// levelKeys are the top-level keys that are allowed only at some levels.
var levelKeys = []struct {
	key    string
	levels []hook.Level
}{
	{"disable", []hook.Level{hook.LocalLevel}},
	{"only", []hook.Level{hook.ManagedLevel}},
	{"trust", []hook.Level{hook.UserLevel, hook.ManagedLevel}},
}

// topKeys returns the allowed keys at the top of the file. It reports each key that belongs to another level.
func (p *parser) topKeys(top document.Value) []string {
	keys := slices.Clone(fileKeys)
	for _, k := range levelKeys {
		if slices.Contains(k.levels, p.level) {
			keys = append(keys, k.key)
			continue
		}
		for key := range top.Members("") {
			if key.Key == k.key {
				files := levelFile(k.levels[0])
				for _, also := range k.levels[1:] {
					files += " or " + levelFile(also)
				}
				key.Problem("%q belongs in %s, and this is a %s file", k.key, files, p.level)
				keys = append(keys, k.key)
			}
		}
	}
	return keys
}

// levelFields reads the keys that are allowed only at some levels.
func (p *parser) levelFields(f map[string]document.Value) {
	if only, ok := f["only"]; ok {
		p.config.ManagedOnly = (&reader{p, only}).boolean()
	}
	if trust, ok := f["trust"]; ok && trust.Is(TrustOff+"|"+TrustRequired) {
		p.config.Trust = trust.String()
	}
	for name, v := range f["disable"].Texts("an array of names of hooks", `a name in "disable"`) {
		p.config.disable = append(p.config.disable, disabledName{name, v.Place()})
	}
}

// levelFile returns the name and path of a level's file, for messages.
func levelFile(l hook.Level) string {
	path := LocalFileName
	switch l {
	case hook.ManagedLevel:
		path, _ = (&Options{}).managed()
	case hook.UserLevel:
		path = cmp.Or(userFile(), "$XDG_CONFIG_HOME/hookrun/hooks.json")
	}
	return fmt.Sprintf("the %s file (%s)", l, path)
}

// disabledName is a name in the "disable" of a local file.
type disabledName struct {
	name string
	at   hook.Diagnostic
}

// WithoutProject returns the Config of the managed and the user's file alone. Settings of other files for all hooks,
// such as disableAllHooks, do not count.
func (c *Config) WithoutProject() *Config {
	rest := c.parts.Empty()
	for _, f := range c.Files {
		if f.Level >= hook.ProjectLevel {
			continue
		}
		if one, err := c.parts.parse(f, []byte(f.Text), f.as); err == nil { // the file has parsed before
			rest.Add(one)
		}
	}
	return rest
}

// Merge returns the hooks of several files, in the order of the files. Hooks that a local file disables are marked.
// unreached has a warning for each name in "disable" without effect; the Config has these warnings too.
func Merge(files []*Config) (merged *Config, unreached []hook.Diagnostic) {
	merged = &Config{}
	for _, f := range files {
		merged.Add(f)
	}
	for i := range merged.Hooks {
		merged.dropMeant(&merged.Hooks[i])
	}
	for _, d := range merged.disable {
		if text := merged.switchOff(d); text != "" {
			d.at.Text, d.at.Once = text, true
			unreached = append(unreached, d.at)
		}
	}
	merged.Warnings = append(merged.Warnings, unreached...)
	return merged, unreached
}

// switchOff disables the project's hooks of a name. It does not disable the user's and the managed hooks, because an
// agent can write to a local file.
func (c *Config) switchOff(d disabledName) (warning string) {
	var other *hook.Hook
	var names []string
	found := false
	for i := range c.Hooks {
		switch h := &c.Hooks[i]; {
		case h.Level == hook.ProjectLevel && h.Name == d.name:
			if h.Disabled == "" {
				h.DisabledAt = d.at.Position()
				h.Disabled = `"disable" names it in ` + h.DisabledAt
			}
			found = true
		case h.Level == hook.ProjectLevel:
			names = append(names, h.Name)
		case h.Name == d.name:
			other = h
		}
	}
	switch {
	case found:
		return ""
	case other != nil && other.Level == hook.LocalLevel:
		return fmt.Sprintf(`"disable" is for hooks of the project; %s stands in this file: `+
			`write "enabled": false in its entry`, quote(d.name))
	case other != nil:
		return fmt.Sprintf(`"disable" does not reach %s, which is a hook of the %s file %s`, quote(d.name),
			other.Level, other.File)
	}
	return fmt.Sprintf(`"disable": no hook of the project has the name %s%s`, quote(d.name),
		spelling.Suggest(d.name, names))
}

// LevelOfSource returns the level of a hook by its source, file:line, as far as the path tells.
func LevelOfSource(source string) hook.Level {
	path := source
	if i := strings.LastIndexByte(source, ':'); i > 0 {
		path = source[:i]
	}
	switch managed, _ := new(Options).managed(); {
	case path == managed:
		return hook.ManagedLevel
	case path == userFile() || filepath.Base(filepath.Dir(path)) == "hookrun" && filepath.Base(path) == "hooks.json":
		return hook.UserLevel
	}
	return levelOf(path)
}
