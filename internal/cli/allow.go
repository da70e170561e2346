package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/internal/printable"
	"github.com/hookrun/hookrun/internal/printable/terminal"
	"github.com/hookrun/hookrun/internal/trust"
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
		var f callFlags
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
			done, err := s.allow(*hash, *yes, true, std)
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
run any more: calls go on without them, and sessions that began with them are blocked. It asks at the
terminal; without one it needs --yes.`,
	example: "  hookrun deny",
	setup: func(flags *pflag.FlagSet) func([]string, Streams) (int, error) {
		var f callFlags
		f.defineFiles(flags)
		yes := flags.Bool("yes", false, "deny without a question")
		return func(args []string, std Streams) (int, error) {
			s, _, err := f.readTrustState(args)
			if err != nil {
				return 0, err
			}
			if !*yes && s.allowed != nil { // otherwise an agent could switch the hooks off
				const question = "Have the hooks of %s run no more? [y/N] "
				sure, err := terminal.Confirm("", fmt.Sprintf(question, printable.Escape(s.now.Workspace)))
				if err != nil {
					return 0, err
				}
				if !sure {
					return 0, errors.New("nothing was changed; the hooks are still allowed")
				}
			}
			was, err := s.store.Deny(s.now)
			if err != nil {
				return 0, err
			}
			forgetBeats()
			text := "the hooks of %s were not allowed\n"
			if was {
				text = "the hooks of %s are not allowed any more\n"
			}
			return exitOK, write(std, fmt.Sprintf(text, printable.Escape(s.now.Workspace)))
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

// trustState has a project's current hooks, and the hooks that a person allowed.
type trustState struct {
	config  *hookfile.Config
	now     *trust.Fingerprint
	store   *trust.Store
	allowed *trust.Record // nil: never allowed
}

// trustState reads the hooks in the files named by the flags.
func (f *callFlags) trustState(args []string) (trustState, error) {
	s, fault, err := f.readTrustState(args)
	if fault != nil {
		return s, fault
	}
	return s, err
}

// readTrustState is trustState for hooks files that may have a fault. If they have one, no hook is read.
func (f *callFlags) readTrustState(args []string) (s trustState, fault, err error) {
	switch {
	case len(args) > 1:
		return s, nil, fmt.Errorf("unexpected argument %q; give one DIR", args[1])
	case len(args) == 1 && f.flags.Changed("workspace"):
		return s, nil, errors.New("DIR and --workspace are the same; give one of the two")
	case len(args) == 1:
		if err := f.flags.Set("workspace", args[0]); err != nil {
			return s, nil, err
		}
	}
	if err := f.valid(); err != nil {
		return s, nil, err
	}
	if err := f.resolveWorkspace(); err != nil {
		return s, nil, err
	}
	if s.store, err = trust.Open("", f.call.Workspace); err != nil {
		return s, nil, err
	}
	if s.config, fault = f.read(); fault != nil {
		s.config = &hookfile.Config{}
	}
	o, err := f.options()
	if err != nil {
		return s, fault, err
	}
	look := trustOptions(f.call.Workspace, o.Binary)
	look.Texts = true
	s.now, err = trust.Take(s.config, look)
	if err == nil {
		s.allowed, err = s.store.Allowed(s.now)
	}
	return s, fault, err
}

// newTrustState reads the hooks of a folder.
func newTrustState(folder string) (trustState, error) {
	var f callFlags
	f.defineFiles(pflag.NewFlagSet("", pflag.ContinueOnError))
	return f.trustState([]string{folder})
}

// allow prints the hooks, and records them if a person agrees, at the terminal or by a flag. It returns what holds now.
func (s *trustState) allow(hash string, yes, verbose bool, std Streams) (done string, err error) {
	isProject := func(f hookfile.File) bool { return f.Level >= hook.ProjectLevel }
	if hash == "" && !yes && s.allowed == nil && !slices.ContainsFunc(s.config.Files, isProject) {
		// Below an allowed folder, calls are blocked until a person allows the empty list of hooks.
		judgment, err := s.store.Judge(s.now, trust.Rules{Required: true})
		if err == nil && judgment.Cause == "" {
			const text = "%s has no hooks file, so there is nothing to allow; give the folder of the project"
			err = fmt.Errorf(text, printable.Escape(s.now.Workspace))
		}
		if err != nil {
			return "", err
		}
	}
	shown, unseen, err := s.show()
	if err != nil {
		return "", err
	}
	if verbose || !yes && hash == "" { // a person must see what they are asked about
		if err := write(std, shown); err != nil {
			return "", err
		}
	}
	unresolved, ofClients := s.now.Unresolved(s.config)
	for _, d := range ofClients {
		fmt.Fprintln(std.Err, "hookrun allow: warning:", d)
	}
	if len(unresolved) > 0 {
		fmt.Fprintln(std.Err, errNotAllowed)
		return "", hook.Diagnostics(unresolved)
	}
	switch now := s.now.Hash(); {
	case hash != "" && hash != now:
		return "", fmt.Errorf("the hooks have another hash than %s; nothing was allowed", printable.Escape(hash))
	case hash != "" || yes:
	default:
		workspace, words := printable.Escape(s.now.Workspace), []string{"y", "yes"}
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
	if err := s.store.Allow(s.now); err != nil {
		return "", err
	}
	forgetBeats()
	return "allowed: " + s.counted(), nil
}

// counted returns the number of the project's hooks, as a line.
func (s *trustState) counted() string {
	return fmt.Sprintf("%s, in %s\n", hook.Count(s.config.Hooks, hook.ProjectLevel, time.Now()),
		printable.Escape(s.now.Workspace))
}

var errNotAllowed = errors.New("nothing was allowed")

// show returns the text for the person: first what has changed, then all hooks; the first time the hooks come first.
// unseen are the files with a change that the text does not show.
func (s *trustState) show() (text string, unseen []string, err error) {
	texts, err := s.store.Texts(s.now)
	if err != nil {
		return "", nil, err
	}
	changes, unseen := s.now.Diff(s.allowed, texts)
	hooks, since := s.list(time.Now()), ", which nobody has allowed yet"
	if s.allowed == nil {
		changes = hooks + "\nThe texts:\n" + changes
	} else {
		since = ", last allowed " + s.allowed.Time.Local().Format(time.DateTime)
		if changes == "" {
			changes = "no text has changed since\n"
		}
		for _, d := range s.now.Since(&s.allowed.Fingerprint) {
			since += "\n  " + d.String()
		}
		changes += "\n" + hooks
	}
	return fmt.Sprintf("hooks of %s%s\n\n%s\nhash %s\n", printable.Escape(s.now.Workspace), since, changes,
		s.now.Hash()), unseen, nil
}

// list returns the project's hooks as text: those that run commands, with the files that they name, and then the rules,
// those of packs in short.
func (s *trustState) list(now time.Time) (text string) {
	const most = 50 // rules: they run nothing, and a command must not be lost among them
	var commands, ofPacks string
	var rules []string
	var packs []string
	var packed []hook.Hook
	for i := range s.config.Hooks {
		h := &s.config.Hooks[i]
		_, holds := h.EffectAt(now)
		shown := describe(h, holds)
		switch pack, _, _ := strings.Cut(h.Name, "/"); {
		case h.Level < hook.ProjectLevel:
		case h.Rule != nil:
			if packed = append(packed, *h); !slices.Contains(packs, pack) {
				packs = append(packs, pack)
			}
			if holds != "" {
				ofPacks += "    " + h.Name + ": " + printable.Escape(holds) + "\n"
			}
		case h.StaticVerdict != nil:
			rules = append(rules, shown)
		default:
			files := cmp.Or(strings.Join(s.now.Named(h), ", "), "no file of the project")
			commands += shown + "    watched: " + printable.Escape(files) + "\n"
		}
	}
	if commands != "" {
		text = "Commands that run:\n" + commands
	}
	if packed != nil {
		ofPacks = fmt.Sprintf("  packs %s: %s\n%s", strings.Join(packs, ", "),
			hook.Count(packed, hook.ProjectLevel, now), ofPacks)
	}
	if more := len(rules) - most; more > 0 {
		rules = append(rules[:most], fmt.Sprintf("  and %d more\n", more))
	}
	if packed != nil || rules != nil {
		text += "Rules, which run nothing:\n" + ofPacks + strings.Join(rules, "")
	}
	if text == "" {
		return "no hooks\n"
	}
	return text + "After a change of a watched file the calls of its hook are held until hookrun allow; of a hooks " +
		"file,\nevery tool call.\n"
}

// describe returns the lines about a hook. holds is what keeps it from acting, or "".
func describe(h *hook.Hook, holds string) string {
	var events []string
	for _, e := range h.Events {
		events = append(events, string(e))
	}
	if holds != "" {
		holds = ", " + holds
	}
	at := fmt.Sprintf("  %s (%s) at %s%s", h.Name, h.Source(), strings.Join(events, ", "), holds)
	at, _ = printable.Fold(at)
	what, _ := printable.Fold(h.String())
	return at + "\n    " + what + "\n"
}
