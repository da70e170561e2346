package shellline

import (
	"cmp"
	"slices"

	"github.com/hookrun/hookrun/internal/rules/programs"
)

// Hint is a text that may contain a command at an unknown position: a program in another language, or the arguments of
// a launcher with unknown options. If the text contains all words of a rule, the rule is in doubt.
type Hint struct {
	Text string
	Name string // names the text in messages
	// Weak: the text is a line whose programs could run a text, but their arguments do not say so.
	Weak bool
}

// Launched is the commands and lines that a launcher, a shell, eval, trap or find runs.
type Launched struct {
	Commands [][]Word // the words of each command
	Lines    []string // shell lines
	Doubt    string   // why more commands may run, or ""
	Stdin    bool     // the program reads commands from stdin
}

// Launch returns the commands that run because of the arguments of a command. ok is false if the program runs no
// command from its arguments.
func Launch(argv []Word) (l Launched, ok bool) {
	if len(argv) == 0 {
		return l, false
	}
	name, row := ProgramName(argv[0].Text), rowOf(argv)
	if !InList("eval trap alias find", name) && !row.Is(programs.Runs|programs.ForeignShell) && !isPosixShell(name) {
		return l, false
	}
	found := launchesOf(argv, row, nil)
	l.Doubt, l.Stdin = found.opaque.Why, found.shell
	if l.Doubt == "" && (found.wholeLine || len(found.hints) > 0) && name != "find" {
		l.Doubt = "what " + name + " runs, which its arguments do not say for sure"
	}
	for _, each := range found.list {
		switch {
		case each.from != nil:
			l.Doubt = cmp.Or(l.Doubt, computedBy(name).Why)
		case each.words == nil:
			l.Lines = append(l.Lines, each.line)
		case each.more:
			l.Commands = append(l.Commands, append(slices.Clip(each.words), Word{Computed: true}))
		default:
			l.Commands = append(l.Commands, each.words)
		}
	}
	return l, true
}
