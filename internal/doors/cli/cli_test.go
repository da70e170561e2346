package cli

import (
	"errors"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/install"
)

func TestHelp(t *testing.T) {
	t.Parallel()
	overview := run("", "--help")
	require.Equal(t, 0, overview.exit)
	require.Empty(t, overview.err)
	require.Equal(t, overview, run("", "help"))
	require.Equal(t, overview, run("", "-h"))
	require.Equal(t, ran{1, "", overview.out}, run(""))
	for _, c := range commands() {
		help := run("", c.name, "--help")
		require.Equal(t, help, run("", "help", c.name))
		require.Equal(t, 0, help.exit, c.name)
		require.Empty(t, help.err, c.name)
		require.Contains(t, help.out, "Usage: hookrun "+c.name, c.name)
		require.Contains(t, help.out, "\nExample:\n  ", c.name)
		require.Equal(t, !c.hidden, strings.Contains(overview.out, "\n  "+c.name+" "), c.name)
		for line := range strings.Lines(expand(c.about)) {
			require.LessOrEqual(t, len([]rune(line)), 105, "%s: %s", c.name, line)
		}
	}
}

// Every flag has a text of what it does, and those of values name the value.
func TestFlagsAreExplained(t *testing.T) {
	t.Parallel()
	for _, c := range commands() {
		flags := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
		c.setup(flags)
		fillUsages(flags)
		flags.VisitAll(func(f *pflag.Flag) {
			require.NotEmpty(t, f.Usage, "%s --%s", c.name, f.Name)
			if f.Value.Type() != "bool" {
				require.Contains(t, f.Usage, "`", "%s --%s", c.name, f.Name)
			}
		})
	}
}

func TestUsageErrors(t *testing.T) {
	t.Parallel()
	const (
		noCommand = `hookrun: unknown command "pretool"; did you mean "pre-tool"? (see hookrun --help)`
		noTool    = "hookrun pre-tool: --tool is missing; give the name of the tool, as in --tool shell"
		unknown   = "known are pre-execute, pre-tool, post-tool, and Claude Code's names, such as Stop"
		inInput   = "--prompt: the hook input has this; leave the flag out"
		noServer  = "the server is missing; give its command behind --, as in hookrun mcp -- ./server"
		noID      = "--session is missing; give the ID of the conversation, as post-tool has it in --session-id"
	)
	for line, want := range map[string]string{
		"1 pretool":         noCommand,
		"1 nonsense":        `hookrun: unknown command "nonsense" (see hookrun --help)`,
		"1 --tool pre-tool": "hookrun: --tool before a command; flags go behind it (see hookrun --help)",
		"1 pre-tool --tol x": "hookrun pre-tool: unknown flag: --tol; did you mean \"--tool\"? " +
			"(see hookrun pre-tool --help)",
		"1 pre-tool --tool": "hookrun pre-tool: flag needs an argument: --tool (see hookrun pre-tool --help)",
		"1 pre-tool shell":  `hookrun pre-tool: unexpected argument "shell"; every value belongs behind its flag`,
		"1 pre-tool":        noTool,

		// Clients fail open on other codes but 2.
		"2 pre-tool -o claude":       noTool,
		"2 pre-tool -vocodex":        noTool,
		"2 pre-tool --output=gemini": noTool,
		"2 pretool -o claude":        noCommand,
		"2 fire --tool x":            "hookrun fire: unknown flag: --tool (see hookrun fire --help)",
		"2 fire --prompt x":          "hookrun fire: " + inInput,
		"1 fire -o json --prompt x":  "hookrun fire: " + inInput,
		"2 fire":                     "hookrun fire: stdin is empty; give it the JSON that a client gives its hooks",

		"1 explain":          "hookrun explain: give one EVENT: " + unknown,
		"1 explain pretool":  `hookrun explain: unknown event "pretool"; ` + unknown + `; did you mean "pre-tool"?`,
		"1 serve now":        `hookrun serve: unexpected argument "now"; every value belongs behind its flag`,
		"1 serve --socket=":  "hookrun serve: --socket is empty; leave it out for stdin and stdout",
		"1 mcp":              "hookrun mcp: " + noServer,
		"1 check --schema x": "hookrun check: --schema takes no FILE",
		"1 check -o yaml":    `hookrun check: --output "yaml" is not one of text, json`,
		"1 queue --clear":    "hookrun queue: " + noID,
		"1 queue --session s --history --clear": "hookrun queue: --history and --clear are two commands; " +
			"give one of the two",
		"1 test --record x y": "hookrun test: --record LOG prints tests and runs none; leave FILE out",
		"1 install emacs": `hookrun install: unknown client "emacs"; give one of ` +
			strings.Join(install.Names(), ", "),
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			exit, words, _ := strings.Cut(line, " ")
			got := run("", strings.Fields(words)...)
			require.Equal(t, ran{int(exit[0] - '0'), "", want + "\n"}, got)
		})
	}
}

// A failed write to stdout is an error.
func TestStdoutThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	dir := workspace(t, rules)
	for name, test := range map[string]struct {
		args []string
		exit int
		want string
	}{
		"help":    {[]string{"--help"}, 1, "hookrun: writing to stdout: disk full\n"},
		"version": {[]string{"version"}, 1, "hookrun version: writing to stdout: disk full\n"},
		"texts": {[]string{"pre-tool", "-C", dir, "--tool", "fs"}, 1,
			"hookrun pre-tool: writing to stdout: disk full\n"},
		"JSON": {[]string{"pre-tool", "-C", dir, "--tool", "fs", "-o", "json"}, 1,
			"hookrun pre-tool: writing to stdout: disk full\n"},
		"client": {[]string{"pre-tool", "-C", dir, "--tool", "fs", "-o", "claude"}, 2,
			"hookrun pre-tool: writing to stdout: disk full\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var stderr strings.Builder
			exit := Run(test.args, Streams{In: strings.NewReader(""), Out: full{}, Err: &stderr})
			require.Equal(t, test.exit, exit)
			require.Equal(t, test.want, stderr.String())
		})
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

// A file whose hook runs that very file would have no end.
func TestHooksTooDeepInEachOther(t *testing.T) {
	t.Setenv("HOOKRUN_DEPTH", "4")
	dir := workspace(t, rules)
	deep := run("", "pre-tool", "-C", dir, "--tool", "shell")
	require.Equal(t, 1, deep.exit)
	require.Contains(t, deep.err, "hookrun pre-tool: 4 hooks deep in each other: ")
	require.Equal(t, ran{0, "", ""}, run("", "pre-tool", "-C", dir, "--tool", "other"), "no hook is for this call")
	t.Setenv("HOOKRUN_DEPTH", "3")
	require.Equal(t, 2, run("", "pre-tool", "-C", dir, "--tool", "shell").exit)
	env, err := hookEnviron()
	require.NoError(t, err)
	require.Contains(t, env, "HOOKRUN_DEPTH=4")
	require.NotContains(t, env, "HOOKRUN_DEPTH=3")
}
