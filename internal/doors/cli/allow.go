package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/internal/lib/printable/terminal"
	"github.com/hookrun/hookrun/internal/trust"
	"github.com/hookrun/hookrun/internal/trust/report"
)

var allow = command{
	name:    "allow",
	args:    "[DIR] [FLAGS]",
	takes:   folders,
	summary: "look at a project's hooks, and allow them to run where trust is required",
	about: `Prints the hooks of the project, and what changed in their files and in the scripts that they name
since they were last allowed. Then it asks at the terminal, and records them. Where it cannot show all
of a file, the answer is unseen and not y. With --trust required only hooks run that are recorded and
have not changed.

Without a terminal it needs --hash HASH or --yes. --hash allows the hooks if they have the hash that
hookrun allow and status print; --yes allows them as they are.`,
	example: "  hookrun allow\n  hookrun allow --hash \"$REVIEWED\"    in CI, for what a reviewer saw",
	setup: func(flags *pflag.FlagSet) func([]string, Streams) (int, error) {
		var f hooksFlags
		f.defineFiles(flags)
		yes := flags.Bool("yes", false, "allow without a question")
		hash := flags.String("hash", "", "allow without a question if the hooks have this `HASH`")
		const text = "forget workspaces that are gone, and sessions that began over 30 days ago; allow nothing"
		prune := flags.Bool("prune", false, text)
		return func(args []string, std Streams) (int, error) {
			switch {
			case flags.Changed("hash") && *hash == "":
				return 0, errors.New("--hash is empty; give the hash that hookrun allow printed to a reviewer")
			case *prune:
				return exitOK, pruneTrust(args, std)
			}
			s, err := f.trustState(args)
			if err != nil {
				return 0, err
			}
			done, err := allowHooks(&s, *hash, *yes, true, std)
			if err != nil {
				return 0, err
			}
			return exitOK, write(std, done)
		}
	},
}

var deny = command{
	name:    "deny",
	args:    "[DIR] [FLAGS]",
	takes:   folders,
	summary: "remove what allow has recorded of a project's hooks",
	about: `Removes the record that the hooks of the project were allowed. Where trust is required they do not
run any more: the entry of hookrun install blocks every tool call, other calls go on without them, and
sessions that began with them are blocked. It asks at the terminal; without one it needs --yes.`,
	example: "  hookrun deny",
	setup: func(flags *pflag.FlagSet) func([]string, Streams) (int, error) {
		var f hooksFlags
		f.defineFiles(flags)
		yes := flags.Bool("yes", false, "deny without a question")
		return func(args []string, std Streams) (int, error) {
			s, _, err := f.readTrustState(args)
			if err != nil {
				return 0, err
			}
			if !*yes && s.Allowed != nil { // otherwise an agent could switch the hooks off
				const question = "Have the hooks of %s run no more? [y/N] "
				sure, err := terminal.Confirm("", fmt.Sprintf(question, printable.Escape(s.Now.Workspace)))
				if err != nil {
					return 0, err
				}
				if !sure {
					return 0, errors.New("nothing was changed; the hooks are still allowed")
				}
			}
			was, err := s.Store.Deny(s.Now)
			if err != nil {
				return 0, err
			}
			forgetBeats()
			if _, err := endWarm(s.Now.Workspace); err != nil {
				return 0, err
			}
			text := "the hooks of %s were not allowed\n"
			if was {
				text = "the hooks of %s are not allowed any more\n"
			}
			return exitOK, write(std, fmt.Sprintf(text, printable.Escape(s.Now.Workspace)))
		}
	},
}

// pruneTrust removes records of deleted workspaces and of old sessions.
func pruneTrust(args []string, std Streams) error {
	if err := noArgs(args); err != nil {
		return err
	}
	store, err := trust.Open("", "")
	if err != nil {
		return err
	}
	removed, err := store.Prune()
	for _, workspace := range removed {
		err = errors.Join(err, write(std, printable.Escape(workspace)+" is gone\n"))
	}
	return err
}

// trustState reads the hooks in the files named by the flags.
func (f *hooksFlags) trustState(args []string) (report.State, error) {
	s, fault, err := f.readTrustState(args)
	if fault != nil {
		return s, fault
	}
	return s, err
}

// readTrustState is trustState for hooks files that may have a fault. If they have one, no hook is read.
func (f *hooksFlags) readTrustState(args []string) (s report.State, fault, err error) {
	if err := f.findIn(args); err != nil {
		return s, nil, err
	}
	store, err := trust.Open("", f.folder)
	if err != nil {
		return s, nil, err
	}
	cfg, fault := f.read()
	if fault != nil {
		cfg = &hookfile.Config{}
	}
	o, err := f.options()
	if err != nil {
		return s, fault, err
	}
	s, err = report.Read(store, cfg, f.folder, o.Binary)
	return s, fault, err
}

// findIn finds the project of the folder in an argument, if there is one.
func (f *hooksFlags) findIn(args []string) error {
	switch {
	case len(args) > 1:
		return fmt.Errorf("unexpected argument %q; give one DIR", args[1])
	case len(args) == 1 && f.flags.Changed("workspace"):
		return errors.New("DIR and --workspace are the same; give one of the two")
	case len(args) == 1:
		if err := f.flags.Set("workspace", args[0]); err != nil {
			return err
		}
	}
	return f.find()
}

// newTrustState reads the hooks of a folder.
func newTrustState(folder string) (report.State, error) {
	var f hooksFlags
	f.defineFiles(pflag.NewFlagSet("", pflag.ContinueOnError))
	return f.trustState([]string{folder})
}

// allowHooks prints the hooks, and records them if a person agrees, at the terminal or by a flag. It returns what holds
// now.
func allowHooks(s *report.State, hash string, yes, verbose bool, std Streams) (done string, err error) {
	isProject := func(f hookfile.File) bool { return f.Level >= hook.ProjectLevel }
	if hash == "" && !yes && s.Allowed == nil && !slices.ContainsFunc(s.Config.Files, isProject) {
		// Below an allowed folder, calls are blocked until a person allows the empty list of hooks.
		judgment, err := s.Store.Judge(s.Now, trust.Rules{Required: true})
		if err == nil && judgment.Cause == "" {
			const text = "%s has no hooks file, so there is nothing to allow; give the folder of the project"
			err = fmt.Errorf(text, printable.Escape(s.Now.Workspace))
		}
		if err != nil {
			return "", err
		}
	}
	shown, unseen, err := s.Show()
	if err != nil {
		return "", err
	}
	if verbose || !yes && hash == "" { // a person must see what they are asked about
		if err := write(std, shown); err != nil {
			return "", err
		}
	}
	unresolved, ofClients := s.Now.Unresolved(s.Config)
	for _, d := range ofClients {
		fmt.Fprintln(std.Err, "hookrun allow: warning:", d)
	}
	if len(unresolved) > 0 {
		fmt.Fprintln(std.Err, errNotAllowed)
		return "", hook.Diagnostics(unresolved)
	}
	switch now := s.Now.Hash(); {
	case hash != "" && hash != now:
		return "", fmt.Errorf("the hooks have another hash than %s; nothing was allowed", printable.Escape(hash))
	case hash != "" || yes:
	default:
		workspace, words := printable.Escape(s.Now.Workspace), []string{"y", "yes"}
		question := fmt.Sprintf("Allow the hooks of %s to run? [y/N] ", workspace)
		if len(unseen) > 0 {
			const text = "The text above does not show all of %s.\nAllow the hooks of %s to run unseen? [unseen/N] "
			question, words = fmt.Sprintf(text, strings.Join(unseen, ", "), workspace), []string{"unseen"}
		}
		answer, err := terminal.Ask(shown, question)
		switch {
		case err != nil:
			return "", err
		case !slices.Contains(words, answer):
			return "", errNotAllowed
		}
	}
	if err := s.Store.Allow(s.Now); err != nil {
		return "", err
	}
	forgetBeats()
	return "allowed: " + s.Counted(), nil
}

var errNotAllowed = errors.New("nothing was allowed")
