// Package cli is hookrun's command line: one file for each command, flags in, an exit code and two streams out.
//
//	os.Exit(cli.Run(os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
//
// Messages are written by these rules: `hookrun COMMAND: what is wrong; how to mend it`, lower case, no full stop.
// Errors in a hooks file stand as `file:line:col: message` alone, so that editors find them. On exit 2 and 3 stderr is
// the reason and nothing else.
package cli

import (
	"errors"
	"fmt"
	"io"
	"log"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/dialect/all"
	"github.com/hookrun/hookrun/projecthooks"
)

// Exit codes of a call that came to no verdict; those of a verdict are protocol.Outcome's.
const (
	exitOK     = 0
	exitFailed = 1 // hookrun could not do its work: the tool must not run
	exitBlock  = 2
)

// command is one of hookrun's commands.
type command struct {
	name    string
	args    string // what follows the name in the usage line
	summary string
	answers bool // its --output can be a client's hook output: that client may take its exit code for a verdict
	client  bool // and that is its default
	hidden  bool // it is not for people
	about   string
	example string
	// setup defines the flags and returns what is run when they are parsed.
	setup func(*pflag.FlagSet) func(args []string, std Streams) (exit int, err error)
}

func commands() []*command {
	return []*command{
		&preExecute, &preTool, &postTool, &fire, &serveCalls, &check, &explain, &tests, &get, &inject, &drain,
		&showQueue, &showLog, &mcp, &importHooks, &install, &uninstall, &version,
	}
}

// Run does what the command line says and returns the exit code.
func Run(args []string, std Streams) int {
	log.SetOutput(io.Discard) // net/http logs what a server sent on its own; stderr is for messages and reasons
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
		fmt.Fprintf(std.Err, "hookrun: %s before a command; flags go behind it (see hookrun --help)\n", args[0])
		return failure(args)
	}
	near := projecthooks.Suggest(args[0], names)
	fmt.Fprintf(std.Err, "hookrun: unknown command %q%s (see hookrun --help)\n", args[0], near)
	return failure(args)
}

func (c *command) run(args []string, std Streams) int {
	flags := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
	flags.SortFlags = false
	flags.Usage = func() {}
	work := c.setup(flags)
	err := flags.Parse(args)
	if errors.Is(err, pflag.ErrHelp) {
		return print(std, c.help(flags))
	}
	exit := exitFailed
	if err != nil {
		err = fmt.Errorf("%w%s (see hookrun %s --help)", err, suggestFlag(err, flags), c.name)
	} else {
		exit, err = work(flags.Args(), std)
	}
	if err == nil {
		return exit
	}
	printError(std.Err, c.name, err)
	exit = exitFailed
	switch {
	case !c.answers:
	case c.client && !asksFor(args, "json") && !asksFor(args, "text"):
		exit = exitBlock
	default:
		exit = failure(args)
	}
	if exit == exitBlock && c.client && errors.As(err, new(projecthooks.Problems)) { // the client gives it to its model
		const text = "a person must mend this; until then every call is blocked, and so are the agent's own edits"
		fmt.Fprintf(std.Err, "hookrun %s: %s\n", c.name, text)
	}
	return exit
}

// failure is the exit code of an error. With the output of a client it is another: they take codes but 2 for a pass.
// The flag is looked for in the words themselves, since the error may be in one before it.
func failure(args []string) int {
	if slices.ContainsFunc(all.ClientNames(), func(form string) bool { return asksFor(args, form) }) {
		return exitBlock
	}
	return exitFailed
}

// asksFor reports whether the words have a form of output: as --output FORM, --output=FORM, -o FORM, -o=FORM or -oFORM,
// also behind -v in one word.
func asksFor(args []string, form string) bool {
	for i, a := range args {
		value, found := strings.CutPrefix(a, "--output")
		if !found && strings.HasPrefix(a, "-") {
			value, found = strings.CutPrefix(strings.TrimLeft(a[1:], "v"), "o")
		}
		if !found {
			continue
		}
		if value == "" && i+1 < len(args) {
			value = args[i+1]
		}
		if strings.TrimPrefix(value, "=") == form {
			return true
		}
	}
	return false
}

// printError prints an error: those with a position in a file as they are, any other behind our name.
func printError(w io.Writer, name string, err error) {
	var problems projecthooks.Problems
	if errors.As(err, &problems) {
		fmt.Fprintln(w, problems)
		return
	}
	fmt.Fprintf(w, "hookrun %s: %v\n", name, err)
}

// print writes to stdout. What could not be written was not said, and that is an error.
func print(std Streams, text string) int {
	if err := write(std, text); err != nil {
		fmt.Fprintln(std.Err, "hookrun:", err)
		return exitFailed
	}
	return exitOK
}

func write(std Streams, text string) error {
	if text == "" {
		return nil
	}
	if _, err := io.WriteString(std.Out, text); err != nil {
		return fmt.Errorf("writing to stdout: %w", err)
	}
	return nil
}

func suggestFlag(err error, flags *pflag.FlagSet) string {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return ""
	}
	var names []string
	flags.VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	return projecthooks.Suggest("--"+unknown.GetSpecifiedName(), names)
}

// noArgs refuses words that are no flags.
func noArgs(args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("unexpected argument %q; every value belongs behind its flag", args[0])
	}
	return nil
}

func (c *command) help(flags *pflag.FlagSet) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage: hookrun %s\n\n%s\n", strings.TrimSpace(c.name+" "+c.args), c.about)
	if f := flags.FlagUsages(); f != "" {
		fmt.Fprintf(&b, "\nFlags:\n%s", f)
	}
	fmt.Fprintf(&b, "\nExample:\n%s\n", c.example)
	return b.String()
}

func overview() string {
	var b strings.Builder
	b.WriteString("hookrun runs a project's hooks for an agent loop, and says block, inject or continue.\n\n" +
		"Usage: hookrun COMMAND [FLAGS]\n\nCommands:\n")
	for _, c := range commands() {
		if !c.hidden {
			fmt.Fprintf(&b, "  %-12s %s\n", c.name, c.summary)
		}
	}
	b.WriteString(`
Exit codes of pre-execute, pre-tool, post-tool and fire:
  0  continue; stdout has the texts for the model
  1  hookrun could not do its work; do not run the tool
  2  do not run the tool; stderr has the reason
  3  end the loop; stderr has the reason

hookrun COMMAND --help has the flags and an example.
`)
	return b.String()
}
