package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/clientfile"
	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/protocol"
)

var install = command{
	name:    "install",
	args:    "CLIENT [FLAGS]",
	summary: "make Claude Code, Codex or Gemini CLI run hookrun",
	about: `Adds one hook to the settings of a client (claude, codex or gemini). It runs this hookrun at the
prompt, before each tool and after it, so the client obeys the project's .tenex-hooks.json. install
prints what changes in the file; every other byte stays as it is.

The hook's timeout is a little longer than those of the project's hooks together. Run install again
when they get longer, or when hookrun moves.`,
	example: "  hookrun install claude\n  hookrun install gemini --user --dry-run",
	setup: func(flags *pflag.FlagSet) func([]string, Streams) (int, error) {
		var s settingsFlags
		s.define(flags)
		return func(args []string, std Streams) (int, error) {
			client, place, err := s.find(args)
			if err != nil {
				return 0, err
			}
			entry := clientfile.Entry{Args: []string{"--output", client.Name}, Events: client.Events}
			if entry.Binary, err = ownPath(); err != nil {
				return 0, err
			}
			if entry.Timeout, err = s.timeout(client); err != nil {
				return 0, err
			}
			change, err := client.Install(place, entry)
			if err != nil {
				return 0, err
			}
			if err := s.make(change, std, "has the hook already"); err != nil {
				return 0, err
			}
			for _, twice := range s.proxied(client, entry.Binary) {
				fmt.Fprintln(std.Err, "warning:", twice)
			}
			for _, n := range s.notes(client, place, change) {
				fmt.Fprintln(std.Err, "note:", n)
			}
			return exitOK, nil
		}
	},
}

// proxied finds the client's MCP servers that run the same hooks already.
func (s *settingsFlags) proxied(client *clientfile.Client, binary string) []hookfile.Diagnostic {
	home, _ := os.UserHomeDir()
	where := clientfile.Where{Workspace: s.workspace, Home: home, Getenv: os.Getenv, Everybody: s.user}
	return client.Proxied(where, binary)
}

// notes say what may keep the client from asking hookrun.
func (s *settingsFlags) notes(client *clientfile.Client, place clientfile.Place, change *clientfile.Change) []string {
	notes := change.Notes
	if home, err := os.UserHomeDir(); err == nil {
		notes = append(notes, client.Elsewhere(place, client.User(home, os.Getenv))...)
	}
	if change.Existed && client.Drops {
		_, err := hookfile.ParseAs(change.Path, []byte(change.Old), client.Name)
		var problems hookfile.Diagnostics
		if errors.As(err, &problems) {
			const text = "%v; for such a thing the client may drop the whole file without a word, " +
				"and the entry with it: see hookrun check"
			notes = append(notes, fmt.Sprintf(text, problems[0]))
		}
	}
	if client.Asks != "" {
		notes = append(notes, client.Asks)
	}
	return notes
}

// settingsFlags are the flags of install and uninstall.
type settingsFlags struct {
	workspace     string
	user, project bool
	dryRun        bool
}

func (s *settingsFlags) define(flags *pflag.FlagSet) {
	flags.StringVarP(&s.workspace, "workspace", "C", ".", "`DIR` of the project")
	flags.BoolVar(&s.project, "project", false, "the project's settings (the default)")
	flags.BoolVar(&s.user, "user", false, "the user's settings, which are for every project")
	flags.BoolVar(&s.dryRun, "dry-run", false, "print what would change, and change nothing")
}

// find returns the client that the command line names, and its file.
func (s *settingsFlags) find(args []string) (*clientfile.Client, clientfile.Place, error) {
	names := clientfile.Names()
	one := "give one of " + strings.Join(names, ", ")
	switch {
	case len(args) == 0:
		return nil, clientfile.Place{}, fmt.Errorf("no client; %s", one)
	case len(args) > 1:
		return nil, clientfile.Place{}, fmt.Errorf("unexpected argument %q; %s", args[1], one)
	case s.user && s.project:
		return nil, clientfile.Place{}, errors.New("--user and --project are two files; give one of the two")
	}
	client, found := clientfile.Lookup(args[0])
	if !found {
		near := spelling.Suggest(args[0], names)
		return nil, clientfile.Place{}, fmt.Errorf("unknown client %q%s; %s", args[0], near, one)
	}
	if s.user {
		home, err := os.UserHomeDir()
		place := client.User(home, os.Getenv)
		if err != nil && place.Root == "" { // no variable of the client's says where they are
			return nil, clientfile.Place{}, fmt.Errorf("finding the user's settings: %w", err)
		}
		return client, place, nil
	}
	if err := mustBeFolder(s.workspace); err != nil {
		return nil, clientfile.Place{}, err
	}
	return client, client.Project(s.workspace), nil
}

// make shows a change, and makes it unless that is all that was asked for.
func (s *settingsFlags) make(change *clientfile.Change, std Streams, nothing string) error {
	if !s.dryRun {
		change.Sweep()
	}
	if change.Nothing() {
		fmt.Fprintf(std.Err, "%s %s\n", change.Path, nothing)
		return nil
	}
	if err := write(std, change.Diff()); err != nil || s.dryRun {
		return err
	}
	return change.Write()
}

const (
	someHooks  = time.Minute      // where there are no hooks yet
	anyHooks   = 10 * time.Minute // for every project of the user; two of the clients have this default
	aroundHook = 1 * time.Second  // a hook that is killed, and what is left in its pipes
	aroundCall = 5 * time.Second
)

// timeout is a little more than the hooks of the project can take at one event: the client would kill hookrun at its
// limit, and take that for a pass.
func (s *settingsFlags) timeout(client *clientfile.Client) (time.Duration, error) {
	if s.user {
		return anyHooks, nil
	}
	p, err := findProject(s.workspace, false, false) // as the hook will do when the client is started there
	if err != nil {
		return 0, err
	}
	cfg, err := hookfile.Load(hookfile.Options{Workspace: p.Workspace})
	if err != nil {
		return 0, err
	}
	var longest time.Duration
	for _, event := range client.Events {
		var atEvent time.Duration
		for i := range cfg.Hooks {
			h := &cfg.Hooks[i]
			canonical := protocol.Event(event).Canonical()
			if slices.ContainsFunc(h.Events, func(e protocol.Event) bool { return e.Canonical() == canonical }) {
				own := min(h.Deadline(protocol.Event(event)), clientfile.MaxTimeout)
				atEvent = min(atEvent+own+aroundHook, clientfile.MaxTimeout)
			}
		}
		longest = max(longest, atEvent)
	}
	if longest == 0 {
		return someHooks, nil
	}
	return longest + aroundCall, nil
}

// ownPath is the path of this program: the one in PATH if that is it, since what it links to may have a version in its
// name, and be gone with the next.
func ownPath() (string, error) {
	binary, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("finding hookrun itself: %w", err)
	}
	if found, err := exec.LookPath("hookrun"); err == nil {
		mine, err1 := os.Stat(binary)
		named, err2 := os.Stat(found)
		if err1 == nil && err2 == nil && os.SameFile(mine, named) {
			return found, nil
		}
	}
	return binary, nil
}
