package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/clients/install"
	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/canary"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/lib/files/regular"
	"github.com/hookrun/hookrun/internal/record/lastrun"
	"github.com/hookrun/hookrun/protocol"
)

var fire = command{
	name:    "fire",
	args:    "[FLAGS] < HOOK-INPUT",
	summary: "run the hooks for any event, with a client's own hook input on stdin",
	answers: true,
	client:  true,
	about: `Reads the hook input of a client from stdin, runs the hooks that match its event, and prints that
client's hook output. So it works as a hook command itself: as the only hook in a client's settings, it
runs a project's .tenex-hooks.json.

The search for that file starts in the client's project, which its variable names, as
$CLAUDE_PROJECT_DIR, else in the current directory. Errors exit with 2, since clients fail open on any
other code; || exit 2 does the same if there is no hookrun. With --output text or json they exit with 1.`,
	example: `  {"type": "command", "command": "hookrun fire || exit 2"}   in .claude/settings.json, under "PreToolUse"
  hookrun fire --claude --output json < input.json   what Claude Code's own hooks decide about a call`,
	setup: func(flags *pflag.FlagSet) func([]string, Streams) (int, error) {
		var f callCommand
		f.define(flags, "", func() []string { return append(clients.All().ClientNames(), "json", "text") })
		flags.Lookup("output").Usage += " (default that of the client whose input it is)"
		f.defineFiring(flags)
		defineIPC(flags, &f.ipc)
		f.defineEntry(flags)
		return func(args []string, std Streams) (int, error) {
			err := errors.Join(noArgs(args), checkWord(f.flags, "before-allow"), checkWord(f.flags, "entry"))
			if err != nil {
				return 0, err
			}
			exit, err := f.run(func() (protocol.Event, error) { return f.input(&stdinReader{Streams: std}) }, std)
			if errors.Is(err, errAnswered) {
				return f.status(exitOK), f.answerNothing(std)
			}
			return exit, err
		}
	},
}

// errAnswered means that another entry of the client answers this call.
var errAnswered = errors.New("another entry for hookrun answers this call")

// answerNothing prints the client's answer for "continue".
func (f *callCommand) answerNothing(std Streams) error {
	reply, err := f.reader().ReplyTo(&f.call, protocol.Outcome{Event: f.call.Event, Decision: protocol.Continue})
	if err != nil {
		return err
	}
	return f.writeAnswer(std, string(reply.Stdout))
}

// isAnsweredElsewhere reports whether another hookrun entry, which the client runs for the same call, answers the call.
// The other entry must be exactly as install writes it, in a file that the client surely reads.
func (f *callCommand) isAnsweredElsewhere(by *client.Client) bool {
	if by.AnsweringFiles == nil || f.managed || f.output != by.Name || canary.Is(&f.call) {
		return false
	}
	entries, known := install.Lookup(by.Name)
	w := install.Here(f.workspace)
	return known && slices.ContainsFunc(by.AnsweringFiles(w), func(path string) bool {
		cfg, err := parts.All().LoadFile(path, by.Dialect)
		if err != nil || slices.ContainsFunc(cfg.Hooks, func(h hook.Hook) bool { return h.Disabled != "" }) {
			return false
		}
		file, _, err := entries.Text(path)
		return err == nil && slices.ContainsFunc(entries.Entries(file, ""), func(e install.InstalledEntry) bool {
			return e.IsStandard && e.Matcher == "" && e.Event == string(f.call.Event)
		})
	})
}

// input reads the call from stdin.
func (f *callCommand) input(stdin io.Reader) (event protocol.Event, err error) {
	if err := inputAlone(f.flags); err != nil {
		return "", err
	}
	doc, err := readAll(stdin, maxValue, 0, true)
	switch {
	case err != nil:
		return "", fmt.Errorf("reading the hook input from stdin: %w", regular.UnwrapPath(err))
	case len(doc) > maxValue:
		return "", errors.New("the hook input on stdin is larger than 64 MiB")
	case strings.TrimSpace(doc) == "":
		return "", errors.New("stdin is empty; give it the JSON that a client gives its hooks")
	}
	entry := f.reader()
	event, err = f.readInput(doc, entry)
	client := f.sender
	// A client that runs another client's entry mostly understands its own form alone there.
	if client != nil && (entry == nil && !f.flags.Changed("output") || entry != nil && !client.Hooks.FollowsEntry()) {
		f.output, f.client = client.Name, client
	}
	if err != nil {
		return "", err
	}
	if f.isAnsweredElsewhere(client) {
		return "", errAnswered
	}
	return event, nil
}

// readInput reads the call from a client's hook input, which has the values of all flags of a call. The workspace is
// the client's project, unless a flag names another folder. entry is the client named by the flags; nil: the input
// tells the client.
func (f *callCommand) readInput(doc string, entry *client.Client) (event protocol.Event, err error) {
	if err := inputAlone(f.flags); err != nil {
		return "", err
	}
	if entry == nil {
		f.call, f.warnings, err = clients.All().ParseInput(doc)
	} else {
		f.call, f.warnings, err = clients.All().ParseEntryInput(doc, entry, os.Getenv)
	}
	f.sender = clients.All().ClientWith(f.call.Sender())
	if err != nil {
		return "", err
	}
	if f.flags.Changed("workspace") {
		return f.call.Event, nil
	}
	if dir := f.call.Workspace; dir != "" { // some client names the project in its input
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return "", fmt.Errorf("the hook input names the project %s, which is no folder; give --workspace", dir)
		}
		f.workspace = dir
		return f.call.Event, nil
	}
	// A client started from another client's shell inherits its project variable, which names another project.
	variable := f.sender.ProjectVariable
	if project := os.Getenv(variable); variable != "" && project != "" {
		if info, err := os.Stat(project); err != nil || !info.IsDir() {
			const text = "%s is %s, which is no folder; set it to the project's, or give --workspace"
			return "", fmt.Errorf(text, variable, project)
		}
		f.workspace = project
	}
	return f.call.Event, nil
}

// recordLastRun records the time for hookrun doctor. Errors are ignored: doctor checks whether the folder is writable.
func (f *callCommand) recordLastRun() {
	if f.call.ClientInput == "" || canary.Is(&f.call) && !canary.IsPrompt(&f.call) {
		return
	}
	if dir, err := f.stateDir(); err == nil {
		_ = lastrun.Record(dir, f.call.Client.Name, f.call.Workspace)
	}
}
