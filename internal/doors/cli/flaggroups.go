package cli

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// flagGroup is a heading of a command's help, with the flags below.
type flagGroup struct {
	title string
	flags []string
}

// flagGroups has the headings in order. Flags without a heading are the command's own, and come first.
var flagGroups = []flagGroup{
	{"Flags", nil},
	{"The call", []string{"tool", "args", "result", "failed", "blocked", "input", "session-id", "prompt",
		"transcript-path", "tool-use-id", "agent-id", "orchestrator-id"}},
	{"The hooks", []string{"workspace", "config", "claude", "no-user", "dialect", "timeout", "on-failure",
		"trust", "pin", "require-hooks"}},
	{"The outcome", []string{"output", "notes", "wrap", "verbose", "debug"}},
	{"State and log", []string{"state", "massgen-ipc", "log", "log-size", "log-args", "redact"}},
}

// groupsOf returns the flags of a command by heading, in the order of definition.
func groupsOf(flags *pflag.FlagSet) (groups []flagGroup) {
	for _, g := range flagGroups {
		found := flagGroup{title: g.title}
		flags.VisitAll(func(f *pflag.Flag) {
			inGroup := func(g flagGroup) bool { return slices.Contains(g.flags, f.Name) }
			own := g.flags == nil && !slices.ContainsFunc(flagGroups, inGroup)
			if !f.Hidden && (own || inGroup(g)) {
				found.flags = append(found.flags, f.Name)
			}
		})
		if len(found.flags) > 0 {
			groups = append(groups, found)
		}
	}
	return groups
}

// flagUsages returns the help of a command's flags, all in the same columns.
func flagUsages(flags *pflag.FlagSet) string {
	fillUsages(flags)
	var b strings.Builder
	groups, sorted := groupsOf(flags), pflag.NewFlagSet("", pflag.ContinueOnError)
	sorted.SortFlags = false
	for _, g := range groups {
		for _, name := range g.flags {
			sorted.AddFlag(flags.Lookup(name))
		}
	}
	lines := slices.Collect(strings.Lines(sorted.FlagUsages())) // one line per flag
	for _, g := range groups {
		b.WriteString("\n" + g.title + ":\n" + strings.Join(lines[:len(g.flags)], ""))
		lines = lines[len(g.flags):]
	}
	return b.String()
}
