package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/core/project"
	"github.com/hookrun/hookrun/internal/core/tenex"
	"github.com/hookrun/hookrun/internal/lib/files/regular"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/trust"
	"github.com/hookrun/hookrun/protocol"
)

// hooksFlags are the flags that say which hooks files a command reads, and how their hooks run.
type hooksFlags struct {
	flags       *pflag.FlagSet // of the command
	workspace   string         // as the flag has it; after resolveWorkspace the project's folder
	configs     []string
	claude      bool
	noUser      bool
	required    bool // a missing hooks file is an error
	managed     bool // so is a missing managed one
	dialect     string
	timeout     string
	onFailure   string
	trust       string
	beforeAllow string
	pin         bool
	project     project.Project
	folder      string // the absolute path of workspace, after resolveWorkspace
}

const workspaceUsage = "`DIR` of the project; hooks run in it (default the nearest folder upwards with a hooks file)"

const noUserUsage = "leave out your own hooks, of $XDG_CONFIG_HOME/hookrun/hooks.json"

// defineFiles adds the flags that select hooks files.
func (f *hooksFlags) defineFiles(flags *pflag.FlagSet) {
	f.flags = flags
	flags.StringVarP(&f.workspace, "workspace", "C", ".", workspaceUsage)
	flags.Lookup("workspace").DefValue = ""
	const config = "hooks `FILE` instead of the project's, repeatable (default WORKSPACE/" + hookfile.FileName + ")"
	flags.VarP((*list)(&f.configs), "config", "c", config)
	const claude = "also load what Claude Code would: the user's, project's and local settings"
	flags.BoolVar(&f.claude, "claude", false, claude)
	flags.BoolVar(&f.noUser, "no-user", false, noUserUsage)
}

// definePolicy adds the flags that control how hooks run.
func (f *hooksFlags) definePolicy(flags *pflag.FlagSet) {
	flags.StringVar(&f.timeout, "timeout", "", "`DURATION` for every hook, as 5s or 5 (default each hook's own)")
	const onFailure = "{WORDS}, for hooks without an on_failure of their own"
	defineWord(flags, &f.onFailure, "on-failure", "", onFailure, "block", "continue")
	const dialect = "`NAME` of the rules that all hooks must have: {LIST} (default by the file)"
	defineChoice(flags, &f.dialect, "dialect", "", "", dialect, dialectNames)
}

// defineRequired adds the flag of commands that answer calls.
func (f *hooksFlags) defineRequired(flags *pflag.FlagSet) {
	flags.BoolVar(&f.required, "require-hooks", false, "fail if there is no hooks file at all, of whatever scope")
}

// trustVariable is the variable with the default of --trust.
const trustVariable = "HOOKRUN_TRUST"

// defineTrust adds the flags for trust and for the pin.
func (f *hooksFlags) defineTrust(flags *pflag.FlagSet) {
	const trust = "{WORDS}: required runs a project's hooks only as hookrun allow has them (default $" +
		trustVariable + ", else off)"
	defineWord(flags, &f.trust, "trust", "", trust, trustWords()...)
	flags.BoolVar(&f.pin, "pin", false, "block calls if the hooks are no longer those of the session's first call")
}

func dialectNames() (names []string) {
	for _, d := range clients.All().Dialects() {
		if d == tenex.Dialect || !d.HasProjectRules() { // a protocol has no files
			names = append(names, d.Name)
		}
	}
	return names
}

// valid returns an error for flags with a value that no command accepts.
func (f *hooksFlags) valid() error {
	if err := f.notEmpty(); err != nil {
		return err
	}
	if f.dialect == "" {
		return nil
	}
	return checkWord(f.flags, "dialect")
}

// notEmpty returns an error for an empty flag: most likely the caller's variable is unset.
func (f *hooksFlags) notEmpty() error {
	err := noneEmpty(f.flags, "workspace", "timeout", "on-failure", "dialect", "state", "massgen-ipc", "trust")
	if err != nil {
		return err
	}
	if slices.Contains(f.configs, "") {
		return errors.New("--config is empty; leave it out for the default")
	}
	return nil
}

// find checks the flags, and finds the project.
func (f *hooksFlags) find() error {
	if err := f.valid(); err != nil {
		return err
	}
	return f.resolveWorkspace()
}

// resolveWorkspace finds the project; the project's folder is the workspace. With --config, the workspace is the
// current folder or the client's, because a named file does not tell the project.
func (f *hooksFlags) resolveWorkspace() (err error) {
	named := f.flags.Changed("workspace")
	if f.project, err = f.findProject(named); err != nil {
		return err
	}
	f.project.Configs = f.configs
	f.workspace = f.project.Workspace
	if f.folder, err = filepath.Abs(f.workspace); err != nil {
		return fmt.Errorf("--workspace %s: %w", f.workspace, err)
	}
	return nil
}

// findProject finds the project for the flags. named: -C names the folder.
func (f *hooksFlags) findProject(named bool) (project.Project, error) {
	return projectBy(f.workspace, project.Given{Folder: named, Files: len(f.configs) > 0, Claude: f.claude})
}

// projectBy returns the project of a folder.
func projectBy(folder string, given project.Given) (project.Project, error) {
	if err := mustBeFolder(folder); err != nil {
		return project.Project{}, err
	}
	return project.Of(folder, given)
}

// noFile returns the error of --require-hooks.
func (f *hooksFlags) noFile() error {
	p := &f.project
	where := project.Absolute(p.Workspace)
	if !p.Given.Folder && !p.Given.Files {
		where += " or above"
	}
	const mend = "run hookrun init, or give -C and the folder of the project"
	return fmt.Errorf("no hooks file in %s; %s", where, cmp.Or(strings.Join(project.Texts(p.Skipped...), "; "),
		strings.Join(project.Texts(p.Misnamed...), "; "), "--require-hooks needs one; "+mend))
}

// mustBeFolder returns an error if the workspace is not a folder.
func mustBeFolder(workspace string) error {
	if _, err := filepath.Abs(workspace); errors.Is(err, fs.ErrNotExist) {
		return errors.New("the folder you are in was deleted; give -C and the folder of the project")
	}
	info, err := os.Stat(workspace)
	if err == nil && !info.IsDir() {
		err = errors.New("not a directory")
	}
	if err != nil {
		return fmt.Errorf("--workspace %s: %w; give the folder of the project", workspace, regular.UnwrapPath(err))
	}
	return nil
}

// hasFile reports whether a hooks file may exist. Without a file, no hook runs.
func (f *hooksFlags) hasFile() bool {
	if f.claude || len(f.configs) > 0 || f.project.HasFile {
		return true
	}
	o := f.files()
	return o.HasOuter()
}

// load returns the hooks of all files, and the runner's options from the flags. It reports all their errors at once.
func (f *hooksFlags) load() (*hookfile.Config, engine.Options, error) {
	o, err := f.options()
	if err != nil {
		return nil, o, err
	}
	cfg, err := f.read()
	return cfg, o, err
}

// read reads the hooks files selected by the flags.
func (f *hooksFlags) read() (*hookfile.Config, error) {
	cfg, err := hookfile.Load(f.files())
	if err != nil {
		return nil, err
	}
	for i := range cfg.Hooks {
		if h := &cfg.Hooks[i]; f.dialect != "" && h.Dialect.Name != f.dialect && h.Level >= hook.ProjectLevel {
			const text = "--dialect %s: %s is in the form of the %s dialect"
			return nil, fmt.Errorf(text, f.dialect, h.File, h.Dialect.Name)
		}
	}
	if f.required && len(cfg.Files) == 0 {
		return nil, f.noFile()
	}
	if f.managed && !cfg.HasLevel(hook.ManagedLevel) {
		return nil, fmt.Errorf("%s is missing, and this call is by an entry of install --managed; put the file back, "+
			"or run hookrun uninstall --managed as administrator", hookfile.ManagedFile())
	}
	f.project.Files, f.project.Only = cfg.Files, cfg.ManagedOnly
	return cfg, nil
}

// files returns the options that select the hooks files.
func (f *hooksFlags) files() hookfile.Options {
	named := f.form()
	return hookfile.Options{Parts: parts.All(), Workspace: f.workspace, Files: f.configs,
		Project: &f.project.Project, Dialect: named, Claude: f.claude, NoUser: f.noUser,
		AsClient: f.onFailure != protocol.Block.String()}
}

// readAgain reads the hooks files again. A file found at first may have been removed on purpose.
func (f *hooksFlags) readAgain() (*hookfile.Config, error) {
	again := *f
	again.project.Project = hookfile.ProjectIn(f.workspace)
	again.project.Worktree = f.project.Worktree
	return again.read()
}

// form returns the dialect named by the flags; nil: the dialect of each file.
func (f *hooksFlags) form() *dialect.Dialect {
	if f.dialect == "" {
		return nil
	}
	d, _ := clients.All().Named(f.dialect)
	return d
}

// options returns the runner's options from the flags.
func (f *hooksFlags) options() (o engine.Options, err error) {
	if f.timeout != "" {
		if o.Timeout, err = hookfile.ParseTimeout(f.timeout); err != nil {
			return o, fmt.Errorf("--timeout %w", err)
		}
	}
	if f.onFailure != "" {
		if o.OnFailure, err = hookfile.ParseFailurePolicy(f.onFailure); err != nil {
			return o, fmt.Errorf("--on-failure %w", err)
		}
	}
	mode, err := f.trustMode()
	if err != nil {
		return o, err
	}
	o.RequireTrust, o.CheckTrust = mode == hookfile.TrustRequired, trust.Check
	o.Pin, o.BlockUntilAllowed = f.pin, f.beforeAllow == "block"
	if o.Binary, err = os.Executable(); err != nil {
		return o, fmt.Errorf("finding hookrun itself: %w", err)
	}
	o.Subreaper = true
	comma := func(r rune) bool { return r == ',' || unicode.IsSpace(r) }
	o.Skip = strings.FieldsFunc(os.Getenv(engine.SkipVariable), comma)
	return o, nil
}

func trustWords() []string { return []string{hookfile.TrustOff, hookfile.TrustRequired} }

// trustMode returns the value of --trust, or of the environment variable, for commands with the flag.
func (f *hooksFlags) trustMode() (string, error) {
	value, from := f.trust, "--trust"
	if value == "" && f.flags.Lookup("trust") != nil {
		value, from = os.Getenv(trustVariable), "$"+trustVariable
	}
	if value == "" || slices.Contains(trustWords(), value) {
		return value, nil
	}
	near := spelling.Suggest(value, trustWords())
	return "", fmt.Errorf("%s %q is not one of off, required%s", from, value, near)
}

// hookEnviron returns the environment of hooks. A variable in it counts the nesting of hooks that call hookrun: a file
// with a hook that runs the same file, like `hookrun fire --claude` in Claude Code's settings, would never end.
func hookEnviron() (env []string, err error) {
	const variable, deepest = "HOOKRUN_DEPTH", 4
	depth, _ := strconv.Atoi(os.Getenv(variable)) // only hookrun sets the variable
	if depth >= deepest {
		const text = "%d hooks deep in each other: a hook calls hookrun, which runs that hook again; " +
			"take hookrun out of the files that it reads there"
		return nil, fmt.Errorf(text, depth)
	}
	env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, variable+"=") })
	return append(env, fmt.Sprintf("%s=%d", variable, depth+1)), nil
}
