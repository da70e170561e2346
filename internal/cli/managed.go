package cli

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/client"
	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/files/atomic"
	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/internal/install"
	"github.com/hookrun/hookrun/internal/parts"
	"github.com/hookrun/hookrun/internal/printable"
	"github.com/hookrun/hookrun/internal/spelling"
)

// managedFlags are the flags of install and uninstall for settings of a machine.
type managedFlags struct {
	on, print, only       bool
	hooks, system, binary string
	settings              *settingsFlags
	given                 func(flag string) bool
}

func (m *managedFlags) define(flags *pflag.FlagSet, s *settingsFlags) {
	m.settings, m.given = s, flags.Changed
	flags.BoolVar(&m.on, "managed", false, "the settings for all users of this machine, of one client or several")
}

// defineInstall adds the flags of install alone.
func (m *managedFlags) defineInstall(flags *pflag.FlagSet) {
	flags.StringVar(&m.hooks, "hooks", "", "with --managed: copy `FILE` to the managed hooks file, if that is missing")
	const only = "with --managed: no hooks of the users' own, which could change a call behind hookrun"
	flags.BoolVar(&m.only, "only", false, only)
	flags.BoolVar(&m.print, "print", false, "with --managed: print the files for another machine, and write nothing")
	const system = "with --print: for a machine with {WORDS}"
	defineWord(flags, &m.system, "os", "", system, "linux", "darwin", "windows")
	flags.StringVar(&m.binary, "binary", "", "with --print: the `PATH` of hookrun on that machine")
}

// check returns an error for flags that do not go together.
func (m *managedFlags) check() error {
	needs := map[string]string{"hooks": "managed", "only": "managed", "print": "managed", "os": "print",
		"binary": "print"}
	for _, flag := range []string{"hooks", "only", "print", "os", "binary"} {
		if m.given(flag) && !m.given(needs[flag]) {
			return fmt.Errorf("--%s is for --%s; give both, or neither", flag, needs[flag])
		}
	}
	for _, flag := range []string{"workspace", "project", "local", "user", "allow"} {
		if m.on && m.given(flag) {
			return fmt.Errorf("--%s is not for --managed, whose settings are for all projects; leave it out", flag)
		}
	}
	return nil
}

// managedClient is a client with its settings for all users.
type managedClient struct {
	*install.Client
	managed client.Managed
}

// clients returns the named clients on a system.
func (m *managedFlags) clients(names []string, system string) (all []managedClient, err error) {
	var can []string
	for _, name := range install.Names() {
		if c, _ := install.Lookup(name); c != nil {
			if _, has := c.Managed(system); has {
				can = append(can, name)
			}
		}
	}
	if len(names) == 0 {
		return nil, errors.New("no client; give some of " + strings.Join(can, ", "))
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			continue
		}
		c, known := install.Lookup(name)
		if !known {
			return nil, fmt.Errorf("unknown client %q; give some of %s%s", name, strings.Join(can, ", "),
				spelling.Suggest(name, can))
		}
		managed, has := c.Managed(system)
		if !has {
			const text = "%s has no settings for all users that override a user's own, so nothing there would hold; " +
				"leave %s out, and give some of %s"
			return nil, fmt.Errorf(text, c.Files.Client, name, strings.Join(can, ", "))
		}
		all = append(all, managedClient{c, managed})
	}
	return all, nil
}

// noHooks is the managed hooks file if there is no other.
const noHooks = "{\"hooks\": []}\n"

// policy returns the managed hooks file: its path, its text, and its hooks.
func (m *managedFlags) policy(system string) (path, text string, hooks []hook.Hook, err error) {
	path = hookfile.ManagedPath(system)
	from, text := path, noHooks
	if !m.print {
		path = absolute(hookfile.ManagedFile())
		from = path
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			doc, err := hookfile.ReadFile(path)
			if err != nil {
				return "", "", nil, err
			}
			text = string(doc)
		}
	}
	if m.hooks != "" {
		doc, err := hookfile.ReadFile(m.hooks)
		if err != nil {
			return "", "", nil, err
		}
		from, text = m.hooks, string(doc)
	}
	cfg, err := parts.All().ParseManaged(from, text)
	if err != nil {
		return "", "", nil, err
	}
	return path, text, cfg.Hooks, nil
}

// install installs hookrun in the settings for all users, or prints them.
func (m *managedFlags) install(names []string, beforeAllow string, std Streams) error {
	system := cmp.Or(m.system, runtime.GOOS)
	clients, err := m.clients(names, system)
	if err != nil {
		return err
	}
	path, text, hooks, err := m.policy(system)
	if err != nil {
		return err
	}
	binary, err := m.program(system)
	if err != nil {
		return err
	}
	if !m.given("before-allow") { // a call must not be blocked because nobody has looked at a project yet
		beforeAllow = "continue"
	}
	var changes []*install.Change
	for _, c := range clients {
		e := install.Entry{Binary: binary, Timeout: anyHooks, Events: c.NeededEvents(hooks, true), Args: []string{
			"--output", c.Name, "--managed", "--trust", "required", "--before-allow", beforeAllow}}
		if log := m.settings.log; log != "" {
			if log != defaultLog && !m.print {
				log = absolute(log)
			}
			e.Args = append(e.Args, "--log", log)
		}
		files, err := c.NewManaged(system, m.settled(c, binary), e)
		if !m.print {
			files, err = c.InstallManaged(m.settled(c, binary), e)
		}
		if err != nil {
			return err
		}
		changes = append(changes, files...)
	}
	if m.print {
		return printManaged(system, path, text, changes, std)
	}
	if err := m.mayWrite(binary, path, changes); err != nil {
		return err
	}
	if err := m.writePolicy(path, text, std); err != nil {
		return err
	}
	if err := m.settings.apply(changes, std, "all users run hookrun", "has the hook already"); err != nil {
		return err
	}
	m.notes(clients, path, hooks, std)
	return nil
}

// settled returns the settings of a client, with --only or as they are.
func (m *managedFlags) settled(c managedClient, binary string) client.Managed {
	if !m.print && !m.given("only") {
		_, state, _ := c.ManagedEntries(c.managed, binary)
		m.only = state == install.ManagedAlone
	}
	if m.only {
		return c.managed.Alone()
	}
	return c.managed
}

// program returns the path of hookrun for the entry.
func (m *managedFlags) program(system string) (string, error) {
	switch {
	case m.given("binary"):
		return m.binary, nil
	case system != runtime.GOOS:
		return "", fmt.Errorf("where is hookrun on that machine? Give --binary, such as --binary %s",
			dialect.OnSystem(system, "/usr/bin/hookrun", "/usr/local/bin/hookrun",
				`"C:\Program Files\hookrun\hookrun.exe"`))
	}
	return install.OwnPath()
}

// mayWrite returns an error if this user cannot write the files, or if other users could change them or the program.
func (m *managedFlags) mayWrite(binary, policy string, changes []*install.Change) error {
	if how, may := install.MayManage(); !may && !m.settings.dryRun {
		return errors.New("the settings for all users belong to the administrator; " + how +
			", or print them with --print")
	}
	if binary != "" {
		if err := install.CheckManaged(binary, 0o5); err != nil {
			return fmt.Errorf("all users would run this hookrun: %w", err)
		}
	}
	paths := []string{policy}
	for _, c := range changes {
		paths = append(paths, c.Path)
	}
	for _, path := range paths {
		if err := install.CheckManaged(path, 0o4); err != nil {
			return err
		}
	}
	if m.settings.dryRun {
		return nil
	}
	for _, path := range paths {
		if err := install.MakeFolder(filepath.Dir(path)); err != nil {
			return err
		}
	}
	return nil
}

// writePolicy writes the managed hooks file, if that is missing.
func (m *managedFlags) writePolicy(path, text string, std Streams) error {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		doc, err := hookfile.ReadFile(path)
		if err == nil && string(doc) != text {
			const text = "%s is there and differs from %s; replace it yourself if that is the policy"
			err = fmt.Errorf(text, path, m.hooks)
		}
		return err
	}
	if m.settings.dryRun {
		return write(std, printable.Sprintf("would write %s\n", path))
	}
	if err := atomic.Create(path, 0o644, text); err != nil {
		return err
	}
	return write(std, printable.Sprintf("wrote %s: the managed hooks\n", path))
}

// notes says what the administrator has still to know.
func (m *managedFlags) notes(clients []managedClient, policy string, hooks []hook.Hook, std Streams) {
	note := func(format string, args ...any) {
		fmt.Fprint(std.Err, printable.Sprintf("note: "+format+"\n", args...))
	}
	if len(hooks) == 0 {
		note("%s has no hooks, so nothing is blocked until you write some there", policy)
	}
	for _, c := range clients {
		for _, text := range c.UnsupportedEvents(hooks) {
			note("%s", text)
		}
		if c.managed.Note != "" {
			note("%s: %s", c.Files.Client, c.managed.Note)
		}
		if len(c.managed.Ways) > 0 {
			note("a user can still get around hookrun in %s: %s", c.Files.Client, strings.Join(c.managed.Ways, "; "))
		}
	}
	fmt.Fprintln(std.Err, "next: hookrun doctor --managed")
}

// printManaged prints files for another machine, each behind a line with its path, mode and owner.
func printManaged(system, policy, text string, changes []*install.Change, std Streams) error {
	out := bufio.NewWriter(std.Out)
	owner := dialect.OnSystem(system, "root", "root", "Administrators")
	fmt.Fprintf(out, "# %s (0644, %s)\n%s\n", policy, owner, strings.TrimSuffix(text, "\n"))
	for _, c := range changes {
		fmt.Fprintf(out, "\n# %s (0644, %s)\n%s", c.Path, owner, c.New)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("%w: %w", errStdout, err)
	}
	return nil
}

// uninstall removes the entries of the clients, and leaves the managed hooks file.
func (m *managedFlags) uninstall(names []string, std Streams) error {
	clients, err := m.clients(names, runtime.GOOS)
	if err != nil {
		return err
	}
	binary, err := install.OwnPath()
	if err != nil {
		return err
	}
	var changes []*install.Change
	for _, c := range clients {
		files, err := c.UninstallManaged(c.managed, binary)
		if err != nil {
			return err
		}
		changes = append(changes, files...)
	}
	policy := absolute(hookfile.ManagedFile())
	if how, may := install.MayManage(); !may && !m.settings.dryRun {
		return errors.New("the settings for all users belong to the administrator; " + how)
	}
	m.settings.diffs = true
	if err := m.settings.apply(changes, std, "", "has no hook of hookrun's"); err != nil {
		return err
	}
	if _, err := os.Lstat(policy); err == nil {
		fmt.Fprintln(std.Err, "note: the managed hooks stay, for your own agent loops, too: remove", policy,
			"if nothing needs them")
	}
	return nil
}
