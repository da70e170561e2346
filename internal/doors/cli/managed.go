package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/clients/install"
	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/core/project"
	"github.com/hookrun/hookrun/internal/lib/printable"
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

// install installs hookrun in the settings for all users, or prints them.
func (m *managedFlags) install(names []string, beforeAllow string, std Streams) error {
	system := cmp.Or(m.system, runtime.GOOS)
	clients, err := install.ManagedClients(names, system)
	if err != nil {
		return err
	}
	path, text, hooks, err := install.Policy(parts.All(), system, m.hooks, !m.print)
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
		e := install.Entry{Binary: binary, Timeout: install.AnyHooks, Events: c.NeededEvents(hooks, true)}
		e.Args = []string{"--output", c.Name, "--managed", "--trust", "required", "--before-allow", beforeAllow}
		if log := m.settings.log; log != "" {
			if log != defaultLog && !m.print {
				log = project.Absolute(log)
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
		return write(std, install.ManagedText(system, path, text, changes))
	}
	if err := install.MayWriteManaged(binary, path, changes, m.settings.dryRun); err != nil {
		return err
	}
	done, err := install.WritePolicy(path, text, m.hooks, m.settings.dryRun)
	if err != nil {
		return err
	}
	if err := write(std, done); err != nil {
		return err
	}
	if err := m.settings.apply(changes, std, "all users run hookrun", "has the hook already"); err != nil {
		return err
	}
	for _, text := range install.ManagedNotes(clients, path, hooks) {
		fmt.Fprint(std.Err, printable.Sprintf("note: %s\n", text))
	}
	fmt.Fprintln(std.Err, "next: hookrun doctor --managed")
	return nil
}

// settled returns the settings of a client, with --only or as they are.
func (m *managedFlags) settled(c install.ManagedClient, binary string) client.Managed {
	if !m.print && !m.given("only") {
		_, state, _ := c.ManagedEntries(c.Settings, binary)
		m.only = state == install.ManagedAlone
	}
	if m.only {
		return c.Settings.Alone()
	}
	return c.Settings
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

// uninstall removes the entries of the clients, and leaves the managed hooks file.
func (m *managedFlags) uninstall(names []string, std Streams) error {
	clients, err := install.ManagedClients(names, runtime.GOOS)
	if err != nil {
		return err
	}
	binary, err := install.OwnPath()
	if err != nil {
		return err
	}
	var changes []*install.Change
	for _, c := range clients {
		files, err := c.UninstallManaged(c.Settings, binary)
		if err != nil {
			return err
		}
		changes = append(changes, files...)
	}
	policy := project.Absolute(hookfile.ManagedFile())
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
