package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/clients/doctor"
	"github.com/hookrun/hookrun/internal/clients/install"
	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/core/project"
	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/internal/lib/printable/terminal"
	"github.com/hookrun/hookrun/internal/lib/shellword"
	"github.com/hookrun/hookrun/internal/lib/spelling"
)

var installClient = command{
	name:    "install",
	args:    "CLIENT… [FLAGS]",
	takes:   install.Names,
	summary: "connect a client, so that it runs hookrun",
	about: `Adds one hook to the settings of a client. It runs hookrun at the prompt, before each tool and after
it, and at each other event of the client that hooks ask for, so the client obeys the project's
.tenex-hooks.json. Every other byte of the file stays as it is; --verbose prints what changes, as a
diff. Run it again when hooks ask for another event. The clients:
{CLIENT NAMES}.

In the project's settings the hook runs the hookrun in PATH, since each colleague has it in another
folder. Without one every call is blocked, with a message to install it. With --local and --user the
hook has the path of this hookrun.

The hook has --trust required and --pin: no tool runs until somebody has allowed the project's hooks,
and after a change of them none for which the changed hooks are. install shows the hooks and asks at
the terminal; --allow means yes, and if they cannot be allowed, install writes nothing. See hookrun
allow. With --before-allow continue, calls go on without the hooks until they are allowed.

With --user the events are also the ends of turns, for the hooks of any project, and those that your
own hooks ask for; with -C also those of that project.

With --managed it writes the settings for all users of this machine, of one client or several, so that
no user and no project can take the hook out, and the managed hooks file, if that is missing. It needs
the rights of an administrator. The managed hooks need no allow, and a project's hooks run only after
one. With --print it prints the files for another machine.

The hook's timeout is a little longer than those of the project's hooks together. Run install again
when they get longer, or when hookrun moves.`,
	example: "  hookrun install claude\n  hookrun install gemini --user --dry-run\n" +
		"  sudo hookrun install --managed claude codex --hooks policy.json",
	setup: func(flags *pflag.FlagSet) func([]string, Streams) (int, error) {
		var s settingsFlags
		var m managedFlags
		s.define(flags)
		m.define(flags, &s)
		m.defineInstall(flags)
		flags.BoolVarP(&s.diffs, "verbose", "v", false, "print the changes as a diff, and the allowed hooks")
		const usage = "allow the project's hooks without a question"
		allow := flags.Bool("allow", false, usage)
		const logUsage = "have the hook add a line about each call to `FILE`, or with the word " + defaultLog +
			" to run.log among the state of whoever runs the client; see hookrun log"
		flags.StringVar(&s.log, "log", "", logUsage)
		var beforeAllow string
		const before = "{WORDS}: what becomes of calls while nobody has allowed the project's hooks"
		defineWord(flags, &beforeAllow, "before-allow", "block", before, "block", "continue")
		return func(args []string, std Streams) (int, error) {
			if flags.Changed("log") && s.log == "" {
				return 0, errors.New("--log is empty; leave it out for no log")
			}
			if err := errors.Join(m.check(), checkWord(flags, "os"), checkWord(flags, "before-allow")); err != nil {
				return 0, err
			}
			if m.on {
				return exitOK, m.install(args, beforeAllow, std)
			}
			client, place, err := s.find(args)
			if err != nil {
				return 0, err
			}
			hooks, err := s.hooks(flags.Changed("workspace"))
			if err != nil {
				return 0, err
			}
			entry, err := s.entry(client, hooks)
			if err != nil {
				return 0, err
			}
			entry.Args = append(entry.Args, "--before-allow", beforeAllow)
			for _, kept := range client.InstalledExtraEvents(place, entry.Binary) {
				if !slices.Contains(entry.Events, kept) {
					entry.Events = append(entry.Events, kept)
				}
			}
			changes, err := client.InstallAll(place, entry)
			if err != nil {
				return 0, err
			}
			holds, err := s.allow(*allow, beforeAllow == "block", std)
			if err != nil {
				fmt.Fprintln(std.Err, "no entry was written")
				return 0, err
			}
			runs := client.Client + " runs hookrun at " + strings.Join(entry.Events, ", ")
			if err := s.apply(changes, std, runs, "has the hook already"); err != nil {
				return 0, err
			}
			// The client's MCP servers that already run the same hooks.
			for _, twice := range client.ProxiedServers(s.where(), entry.Binary) {
				fmt.Fprint(std.Err, printable.Sprintf("warning: %s\n", twice))
			}
			for _, n := range slices.Concat(s.notes(client, place, changes[0]), client.UnsupportedEvents(hooks),
				s.logNotes(entry), client.Doubts(s.where(), place, entry)) {
				fmt.Fprint(std.Err, printable.Sprintf("note: %s\n", n))
			}
			if strings.HasPrefix(holds, "note: ") {
				fmt.Fprint(std.Err, holds)
				holds = ""
			}
			if !s.dryRun && slices.ContainsFunc(changes, func(c *install.Change) bool { return !c.Empty() }) {
				holds += "next: hookrun doctor " + client.Name + "\n"
			}
			for _, o := range s.obstacles(client.Name) {
				holds += printable.Sprintf("a person must still %s: %s\n", o.Mend, o.What)
			}
			return exitOK, write(std, holds)
		}
	},
}

// entry returns the entry to install. A project's file is shared with colleagues, who have hookrun at another path.
func (s *settingsFlags) entry(client *install.Client, hooks []hook.Hook) (e install.Entry, err error) {
	e = install.Entry{
		Args:   []string{"--output", client.Name, "--trust", "required", "--pin"},
		Events: client.NeededEvents(hooks, s.user), ByName: !s.user && !s.local && install.HasShell,
		Timeout: install.AnyHooks,
	}
	if s.log != "" {
		if s.log != defaultLog { // a client can run the hook in any folder
			s.log = project.Absolute(s.log)
		}
		e.Args = append(e.Args, "--log", s.log)
	}
	if !s.user {
		e.Timeout = install.EntryTimeout(e.Events, hooks)
	}
	e.Binary, err = install.OwnPath()
	return e, err
}

// hooks returns the hooks whose events the entry needs: the project's and the user's, or with --user and without -C
// only the user's.
func (s *settingsFlags) hooks(named bool) ([]hook.Hook, error) {
	o := hookfile.Options{Parts: parts.All()}
	if !s.user || named {
		p, err := projectBy(s.workspace, project.Given{}) // as the entry does when the client starts there
		if err != nil {
			return nil, err
		}
		o.Workspace = p.Workspace
		cfg, err := hookfile.Load(o)
		if err != nil {
			return nil, err
		}
		return cfg.Hooks, nil
	}
	files, _, _ := o.Find() // faults of the project's files do not matter here
	cfg, err := o.LoadFiles(slices.DeleteFunc(files, func(f hookfile.File) bool {
		return f.Level >= hook.ProjectLevel
	}))
	if err != nil {
		return nil, err
	}
	return cfg.Hooks, nil
}

// logNotes returns a note about a log that colleagues would not have.
func (s *settingsFlags) logNotes(e install.Entry) (notes []string) {
	if e.ByName && s.log != "" && s.log != defaultLog {
		const text = "the entry is for all who work on the project, and the log %s is on this machine: " +
			"with --log %s each has a log of their own"
		notes = append(notes, fmt.Sprintf(text, s.log, defaultLog))
	}
	return notes
}

// allow shows the entry's hooks to a person, who can allow them, and returns a line that says what holds now. If they
// cannot be allowed, it returns an error, before an entry is written that would block every call.
func (s *settingsFlags) allow(yes, blocks bool, std Streams) (holds string, err error) {
	note := func(format string, args ...any) (string, error) {
		return printable.Sprintf("note: "+format+"\n", args...), nil
	}
	each := "the hooks of a project do not run until somebody looks at them and runs hookrun allow there"
	if blocks {
		each = "in a project with hooks no tool runs until somebody looks at them and runs hookrun allow there"
	}
	if s.user {
		return note("%s", each)
	}
	p, err := projectBy(s.workspace, project.Given{})
	if err != nil {
		return "", err
	}
	state, err := newTrustState(p.Workspace)
	if err != nil {
		return "", err
	}
	r, err := state.Report()
	switch {
	case err != nil:
		return "", err
	case r.Status == "none":
		return note("%s", each)
	case r.Status == "allowed":
		return "allowed: " + state.Counted(), nil
	case s.dryRun || !yes && !interactive(std):
		text := "the project's hooks do not run until somebody looks at them and runs hookrun allow %s"
		if blocks || r.Status == "changed" {
			text = "every tool call is blocked until somebody looks at the project's hooks and runs hookrun allow %s"
		}
		return note(text, shellword.Local(project.Absolute(p.Workspace)))
	}
	if holds, err = allowHooks(&state, "", yes, s.diffs, std); !errors.Is(err, errNotAllowed) {
		return holds, err
	}
	if blocks {
		return note("nothing was allowed, so every tool call is blocked until somebody runs hookrun allow")
	}
	return note("nothing was allowed, so the project's hooks do not run")
}

// interactive reports whether a person at a terminal started hookrun.
func interactive(std Streams) bool {
	return std.In == os.Stdin && terminal.Is(os.Stdin)
}

func (s *settingsFlags) where() client.Where {
	where := install.Here(s.workspace)
	where.AllProjects = s.user
	return where
}

// notes returns the reasons why the client may not run hookrun.
func (s *settingsFlags) notes(client *install.Client, place dialect.Place, change *install.Change) []string {
	notes := change.Notes
	if home, err := os.UserHomeDir(); err == nil {
		notes = append(notes, client.DisabledInOtherFiles(place, client.User(home, os.Getenv))...)
	}
	if change.Existed && client.Drops != "" {
		as, _ := clients.All().Named(client.Name)
		_, err := parts.All().ParseAs(change.Path, []byte(change.Old), as)
		var problems hook.Diagnostics
		if errors.As(err, &problems) {
			const text = "%v; for such a thing the client may drop the whole file without a word, " +
				"and the entry with it: see hookrun check"
			notes = append(notes, fmt.Sprintf(text, problems[0]))
		}
	}
	if client.Note != "" {
		notes = append(notes, client.Note)
	}
	return notes
}

// obstacles returns what a person must still do before the client runs the entry.
func (s *settingsFlags) obstacles(client string) []doctor.Finding {
	d := doctor.Doctor{Getenv: os.Getenv, Look: exec.LookPath}
	if s.dryRun || complete(&d, s.workspace, nil) != nil { // doctor itself reports the error
		return nil
	}
	return d.Obstacles(client)
}

// settingsFlags are the flags of install and uninstall.
type settingsFlags struct {
	workspace            string
	user, project, local bool
	dryRun, diffs        bool   // diffs: print what changes
	log                  string // of install
}

func (s *settingsFlags) define(flags *pflag.FlagSet) {
	flags.StringVarP(&s.workspace, "workspace", "C", ".", "`DIR` of the project")
	flags.BoolVar(&s.project, "project", false, "the project's settings, for all who work on it (the default)")
	flags.BoolVar(&s.local, "local", false, "your own settings in the project, which nobody commits")
	flags.BoolVar(&s.user, "user", false, "the user's settings, which are for every project")
	flags.BoolVar(&s.dryRun, "dry-run", false, "print what would change, and change nothing")
}

// find returns the client named on the command line, and the place of its file.
func (s *settingsFlags) find(args []string) (*install.Client, dialect.Place, error) {
	names := install.Names()
	one := "give one of " + strings.Join(names, ", ")
	switch {
	case len(args) == 0:
		return nil, dialect.Place{}, fmt.Errorf("no client; %s", one)
	case len(args) > 1:
		return nil, dialect.Place{}, fmt.Errorf("unexpected argument %q; %s", args[1], one)
	case s.user && s.project:
		return nil, dialect.Place{}, errors.New("--user and --project are two files; give one of the two")
	case s.local && (s.user || s.project):
		return nil, dialect.Place{}, errors.New("--local is another file than --user and --project; give one of them")
	}
	client, found := install.Lookup(args[0])
	if !found {
		near := spelling.Suggest(args[0], names)
		return nil, dialect.Place{}, fmt.Errorf("unknown client %q; %s%s", args[0], one, near)
	}
	if client.Folder == "" && !s.user {
		const text = "%s reads no hooks file of a project, but the user's alone; give --user"
		return nil, dialect.Place{}, fmt.Errorf(text, client.Client)
	}
	if s.user {
		home, err := os.UserHomeDir()
		place := client.User(home, os.Getenv)
		if err != nil && place.Root == "" { // no variable of the client names the folder
			return nil, dialect.Place{}, fmt.Errorf("finding the user's settings: %w", err)
		}
		return client, place, nil
	}
	if err := mustBeFolder(s.workspace); err != nil {
		return nil, dialect.Place{}, err
	}
	if s.local {
		place, found := client.LocalProject(s.workspace)
		if !found {
			const text = "--local: %s has no file in a project for one person alone; install with --project or --user"
			return nil, dialect.Place{}, fmt.Errorf(text, client.Client)
		}
		return client, place, nil
	}
	return client, client.Project(s.workspace), nil
}

// apply writes changes, or shows them with --dry-run. done describes their effect, unchanged a file without a change.
func (s *settingsFlags) apply(changes []*install.Change, std Streams, done, unchanged string) error {
	defer forgetBeats()
	for _, change := range changes {
		if !s.dryRun {
			change.Sweep()
		}
		if change.Empty() {
			fmt.Fprint(std.Err, printable.Sprintf("%s %s\n", change.Path, unchanged))
			continue
		}
		text := printable.Sprintf("wrote %s: %s\n", change.Path, done)
		if s.dryRun || s.diffs {
			text = printable.Lines(change.Diff())
		}
		if !s.dryRun {
			if err := change.Write(); err != nil {
				return fmt.Errorf("%s was not changed: %w", change.Path, err)
			}
		}
		if err := write(std, text); err != nil {
			return err
		}
	}
	return nil
}
