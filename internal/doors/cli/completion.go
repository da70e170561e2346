package cli

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/lib/spelling"
)

// The script for a shell runs hookrun __complete, which prints the candidates for a word: commands, their flags and
// arguments, and the values of flags.

//go:embed completion
var completionScripts embed.FS

func shells() []string { return []string{"bash", "zsh", "fish", "powershell"} }

var completion = command{
	name:    "completion",
	args:    "bash|zsh|fish|powershell",
	takes:   shells,
	summary: "print the script that completes commands and flags in a shell",
	about: `Prints a script that completes commands, flags and the values of some flags. The script runs the
hookrun in PATH. For bash, put the line of the example into ~/.bashrc. For zsh, put
source <(hookrun completion zsh) into ~/.zshrc, after compinit. For fish:

  hookrun completion fish > ~/.config/fish/completions/hookrun.fish

For PowerShell, in $PROFILE:

  hookrun completion powershell | Out-String | Invoke-Expression`,
	example: "  source <(hookrun completion bash)",
	setup: func(*pflag.FlagSet) func([]string, Streams) (int, error) {
		return func(args []string, std Streams) (int, error) {
			if len(args) != 1 {
				return 0, fmt.Errorf("give one shell: %s", strings.Join(shells(), ", "))
			}
			if !slices.Contains(shells(), args[0]) {
				return 0, fmt.Errorf("unknown shell %q; there are %s%s", args[0], strings.Join(shells(), ", "),
					spelling.Suggest(args[0], shells()))
			}
			script, err := completionScripts.ReadFile("completion/" + args[0])
			if err != nil {
				return 0, err
			}
			return exitOK, write(std, string(script))
		}
	},
}

// completeWord is hookrun __complete =WORD [BEFORE…]. It prints the candidates for WORD after the words BEFORE, one per
// line, with a description after a tab. The line :files stands for file names, and :dirs for folder names.
func completeWord(args []string, std Streams) int {
	var b strings.Builder
	if len(args) > 0 {
		for _, line := range candidates(strings.TrimPrefix(args[0], "="), args[1:]) {
			b.WriteString(line + "\n")
		}
	}
	return print(std, b.String())
}

const (
	anyFiles   = ":files"
	anyFolders = ":dirs"
)

// candidates returns the lines of __complete for a word after the words before.
func candidates(word string, before []string) (lines []string) {
	before, whole := joinAssignments(before, word)
	flag, value, isValue := strings.Cut(whole, "=")
	all := allCandidates(whole, before)
	if isValue {
		all, whole = allCandidates("", append(before, flag)), value
	}
	prefix := strings.TrimSuffix(word, whole) // bash has split off the --flag= of a word
	if word == "=" {
		prefix = ""
	}
	for _, c := range all {
		if c == anyFiles || c == anyFolders {
			lines = append(lines, c)
		} else if strings.HasPrefix(c, whole) {
			lines = append(lines, prefix+c)
		}
	}
	return lines
}

// joinAssignments joins the three words into which bash splits --flag=value.
func joinAssignments(before []string, word string) (joined []string, last string) {
	for _, w := range append(slices.Clip(before), word) {
		if n := len(joined) - 1; n >= 0 && (w == "=" || strings.HasSuffix(joined[n], "=")) {
			joined[n] += w
		} else {
			joined = append(joined, w)
		}
	}
	return joined[:len(joined)-1], joined[len(joined)-1]
}

// allCandidates returns all candidates for a word without "=".
func allCandidates(word string, before []string) []string {
	if len(before) == 0 || before[0] == "help" {
		return commandLines()
	}
	i := slices.IndexFunc(commands(), func(c *command) bool { return c.name == before[0] && !c.hidden })
	if i < 0 {
		return nil
	}
	c := commands()[i]
	flags := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
	flags.SortFlags = false
	c.setup(flags)

	var waiting *pflag.Flag // a flag whose value is the next word
	for _, w := range before[1:] {
		if w == "--" {
			return []string{anyFiles}
		}
		if waiting != nil {
			waiting = nil // w is the value
		} else if f := flagOf(flags, w); f != nil && f.NoOptDefVal == "" {
			waiting = f
		}
	}
	switch {
	case waiting != nil:
		return values(waiting)
	case strings.HasPrefix(word, "-"):
		return flagLines(flags)
	}
	if c.takes == nil {
		return nil
	}
	return c.takes()
}

// flagOf returns the flag named by a word, or nil if the word is no flag or includes the value.
func flagOf(flags *pflag.FlagSet, word string) *pflag.Flag {
	if name, long := strings.CutPrefix(word, "--"); long {
		return flags.Lookup(name)
	}
	if len(word) == 2 && word[0] == '-' {
		return flags.ShorthandLookup(word[1:])
	}
	return nil
}

func commandLines() (lines []string) {
	for _, c := range commands() {
		if !c.hidden {
			lines = append(lines, c.name+"\t"+expand(c.summary))
		}
	}
	return append(lines, "help\tshow what a command does")
}

func flagLines(flags *pflag.FlagSet) (lines []string) {
	fillUsages(flags)
	flags.VisitAll(func(f *pflag.Flag) {
		if _, usage := pflag.UnquoteUsage(f); !f.Hidden {
			lines = append(lines, "--"+f.Name+"\t"+usage)
		}
	})
	return append(lines, "--help\tshow what the command does")
}

// values returns the possible values of a flag.
func values(f *pflag.Flag) []string {
	if words := choicesOf(f); words != nil {
		return words
	}
	if f.Name == "tool" { // too many to compute for every command line
		names := slices.Concat(clients.All().ProjectNames(), clients.All().ClientTools())
		slices.Sort(names)
		return slices.Compact(names)
	}
	switch placeholder, _ := pflag.UnquoteUsage(f); placeholder {
	case "FILE", "LOG", "PATH":
		return files()
	case "DIR":
		return folders()
	}
	return nil
}

func files() []string   { return []string{anyFiles} }
func folders() []string { return []string{anyFolders} }
