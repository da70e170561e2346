// Package cli is hookrun's command line: one file for each command, flags in, an exit code and two streams out.
//
//	os.Exit(cli.Run(os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
//
// Messages follow these rules: `hookrun COMMAND: fault; how to mend it`, lower case, no full stop. An error in a hooks
// file is `file:line:col: message` without a prefix, so editors recognize the position. On exit 2 and 3, stderr has
// only the reason.
package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/install"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/process"
	"github.com/hookrun/hookrun/internal/doors/cli/scaffold"
	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/internal/lib/secret"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/net/keeper"
)

// Exit codes of a call without a verdict. The codes of a verdict are in protocol.Outcome.
const (
	exitOK     = 0
	exitFailed = 1 // hookrun failed: the tool must not run
	exitBlock  = 2
	exitStop   = 3
)

// command is a command of hookrun.
type command struct {
	name    string
	args    string          // the text after the name in the usage line
	takes   func() []string // completions for an argument; nil: no completion
	summary string
	answers bool // --output can be a client's hook output, and the client reads the exit code as a verdict
	client  bool // the default output is a client's hook output
	hidden  bool // not in the overview
	masks   bool // stdout is for people, so it shows no secrets
	about   string
	example string
	exits   []exitCode // in ascending order; nil: 0 is "done", and 1 an error
	// setup defines the flags and returns the function to run once they are parsed.
	setup func(*pflag.FlagSet) func(args []string, std Streams) (exit int, err error)
}

// expand puts lists of clients and packs into the text of a command, when the text is shown.
func expand(text string) string {
	return strings.NewReplacer(
		"{CLIENTS}", clients.All().ClientList(), "{CLIENT NAMES}", folded(spelling.Or(install.Names())),
		"{IMPORTED CLIENTS}", clients.All().ImportList(), "{PACKS}", strings.TrimSuffix(scaffold.About(), "\n"),
	).Replace(text)
}

// folded breaks a list into lines of at most 100 columns.
func folded(list string) string {
	if len(list) <= 100 {
		return list
	}
	at := strings.LastIndexByte(list[:101], ' ')
	return list[:at] + "\n" + folded(list[at+1:])
}

// group is a part of the overview.
type group struct {
	title    string
	commands []*command
}

// groups returns the commands in the order of the overview. The first three groups are for newcomers.
func groups() []group {
	return []group{
		{"Start", []*command{&initProject, &installClient, &examine}},
		{"Run", []*command{&preTool, &postTool, &preExecute, &fire, &serveCalls}},
		{"Test", []*command{&checkFiles, &explainCall, &tests}},
		{"Look", []*command{&showLog, &status, &showFleet, &showPack, &showQueue}},
		{"Connect", []*command{&importHooks, &mcp, &uninstallClient}},
		{"More", []*command{&allow, &deny, &approve, &inject, &drain, &get, &completion, &version}},
	}
}

func commands() (all []*command) {
	for _, g := range groups() {
		all = append(all, g.commands...)
	}
	return all
}

// Run runs the command line and returns the exit code.
func Run(args []string, std Streams) int {
	std.Err = masked{std.Err}
	log.SetOutput(io.Discard) // net/http logs unsolicited server data; stderr is for messages and reasons
	if len(args) == 0 {
		fmt.Fprint(std.Err, overview())
		return exitFailed
	}
	switch args[0] {
	case "help", "--help", "-h":
		if len(args) == 1 {
			return print(std, overview())
		}
		args = append([]string{args[1], "--help"}, args[2:]...)
	case "__complete":
		return completeWord(args[1:], std)
	case keeper.Command:
		return keeper.Run()
	case process.BreakCommand:
		return sendBreak(args[1:], std)
	case "--version":
		args = append([]string{"version"}, args[1:]...)
	}
	var names []string
	for _, c := range commands() {
		if c.name == args[0] {
			return c.run(args[1:], std)
		}
		if !c.hidden {
			names = append(names, c.name)
		}
	}
	if strings.HasPrefix(args[0], "-") {
		const text = "hookrun: %s before a command; flags go behind it (see hookrun --help)\n"
		fmt.Fprint(std.Err, printable.Sprintf(text, args[0]))
		return failureExit(outputForms(args)...)
	}
	near := spelling.Suggest(args[0], names)
	fmt.Fprintf(std.Err, "hookrun: unknown command %q%s (see hookrun --help)\n", args[0], near)
	return failureExit(outputForms(args)...)
}

// sendBreak is a command for the supervisor of hooks on Windows, which starts hookrun with it.
func sendBreak(args []string, std Streams) int {
	if err := process.SendBreak(strings.Join(args, " ")); err != nil {
		fmt.Fprintf(std.Err, "hookrun: %v\n", err)
		return exitFailed
	}
	return exitOK
}

func (c *command) run(args []string, std Streams) int {
	flags := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
	flags.SortFlags = false
	flags.Usage = func() {}
	last := func() {}
	std.last = &last
	defer func() { last() }()
	work := c.setup(flags)
	err := parseFlags(flags, args)
	if errors.Is(err, pflag.ErrHelp) {
		return print(std, c.help(flags))
	}
	exit := exitFailed
	if err != nil {
		err = fmt.Errorf("%w%s (see hookrun %s --help)", err, suggestFlag(err, flags), c.name)
	} else {
		std.masks = c.masks
		exit, err = work(flags.Args(), std)
	}
	if err == nil {
		return exit
	}
	if !c.answers && hasNoReader(err) {
		return exitFailed
	}
	printError(std.Err, c.name, err)
	exit = exitFailed
	if c.answers {
		forms := outputForms(args)
		exit = failureExit(forms...)
		if c.client && !slices.Contains(forms, "json") && !slices.Contains(forms, "text") {
			exit = exitBlock
		}
	}
	if exit == exitBlock && c.client && errors.As(err, new(hook.Diagnostics)) { // the client shows stderr to the model
		fmt.Fprintf(std.Err, "hookrun %s: %s\n", c.name, personMustMend)
	}
	return exit
}

const personMustMend = "a person must fix this; until then every call is blocked, and so are the agent's own edits"

// failureExit returns the exit code of an error: 1, or 2 if an output form is a client's, because clients fail open on
// every other code.
func failureExit(forms ...string) int {
	clients := clients.All().ClientNames()
	if slices.ContainsFunc(forms, func(form string) bool { return slices.Contains(clients, form) }) {
		return exitBlock
	}
	return exitFailed
}

// outputForms returns the output forms that a faulty command line may mean. Each word is parsed as if it were the
// first: in `--tool $UNSET -o claude`, the first flag has taken -o as its value.
func outputForms(args []string) (forms []string) {
	for i := range args {
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		flags.Usage = func() {}
		flags.ParseErrorsAllowlist.UnknownFlags = true
		output := flags.StringP("output", "o", "", "")
		flags.BoolP("verbose", "v", false, "") // -vo is possible
		_ = flags.Parse(args[i:min(i+2, len(args))])
		forms = append(forms, *output)
	}
	return forms
}

// printError prints an error: without a prefix if the error has a position in a file, else after the command's name.
func printError(w io.Writer, name string, err error) {
	var problems hook.Diagnostics
	if errors.As(err, &problems) {
		fmt.Fprintln(w, secret.MaskMessage(printable.Lines(problems.Error())))
		return
	}
	fmt.Fprintf(w, "hookrun %s: %s\n", name, secret.MaskMessage(printable.Lines(err.Error())))
}

// print writes to stdout. A failed write is an error, because the caller would miss the output.
func print(std Streams, text string) int {
	err := write(std, text)
	if err == nil {
		return exitOK
	}
	if !hasNoReader(err) {
		fmt.Fprintln(std.Err, "hookrun:", err)
	}
	return exitFailed
}

func write(std Streams, text string) error {
	if text == "" {
		return nil
	}
	if std.masks {
		text = secret.MaskMessage(text)
	}
	if _, err := io.WriteString(std.Out, text); err != nil {
		return fmt.Errorf("%w: %w", errStdout, err)
	}
	return nil
}

// writeAs writes a value as JSON, or a text for a person.
func writeAs(std Streams, output string, v any, text func() string) error {
	if output == "json" {
		return writeJSON(std, v)
	}
	return write(std, text())
}

func writeJSON(std Streams, v any) error {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("writing to stdout: %w", err)
	}
	return write(std, printable.JSON(b.String()))
}

var errStdout = errors.New("writing to stdout")

// hasNoReader reports whether nobody reads stdout any more, as in hookrun allow | head.
func hasNoReader(err error) bool { return errors.Is(err, errStdout) && errors.Is(err, syscall.EPIPE) }

func suggestFlag(err error, flags *pflag.FlagSet) string {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return ""
	}
	var names []string
	flags.VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	return spelling.Suggest("--"+unknown.GetSpecifiedName(), names)
}

// noArgs returns an error for arguments that are not flags.
func noArgs(args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("unexpected argument %q; every value belongs behind its flag", args[0])
	}
	return nil
}

func (c *command) help(flags *pflag.FlagSet) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage: hookrun %s\n\n%s\n", strings.TrimSpace(c.name+" "+c.args), expand(c.about))
	b.WriteString(flagUsages(flags) + c.exitUsages())
	fmt.Fprintf(&b, "\nExample:\n%s\n", c.example)
	return b.String()
}

func overview() string {
	var b strings.Builder
	b.WriteString("hookrun runs a project's hooks for an agent loop, and answers block, inject or continue.\n\n" +
		"Usage: hookrun COMMAND [FLAGS]\n")
	for _, g := range groups() {
		fmt.Fprintf(&b, "\n%s:\n", g.title)
		for _, c := range g.commands {
			if !c.hidden {
				fmt.Fprintf(&b, "  %-12s %s\n", c.name, c.summary)
			}
		}
	}
	b.WriteString("\nExit codes of pre-execute, pre-tool, post-tool and fire:\n" + listExits(preTool.exitCodes()) +
		"\nhookrun COMMAND --help has the flags and an example.\n")
	return b.String()
}
