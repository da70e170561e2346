package shellline

import (
	"slices"

	"github.com/hookrun/hookrun/internal/lib/lazy"
	"github.com/hookrun/hookrun/internal/rules/programs"
)

// runsText reports whether the arguments of a program that may run a text say that the program runs a line. Otherwise a
// line could come only from other input.
func runsText(p programs.Program, args []Word) bool {
	if p.Name == "sed" {
		return slices.ContainsFunc(args, func(w Word) bool { return sedRuns.Get().MatchString(w.Text) })
	}
	return !p.Asks(programs.RunsText) || p.Holds(programs.RunsText, args)
}

// sedRuns matches sed scripts that may have the command e, or s with the flag e.
var sedRuns = lazy.Regexp{Text: `(?:^|[;{}\n/$0-9!\s])e(?:$|[\s;}])|` +
	`s(?:.|\n)*[^a-zA-Z\s\\][gpiImM0-9]*e[gpiImM0-9w]*(?:$|[\s;}])`}

// mayWrite reports whether a program may write to a file that the line names.
func mayWrite(name string, p programs.Program) bool {
	isLauncher := p.Is(programs.Runs) && !p.Is(programs.OptionsUnknown)
	return !isLauncher && !p.Is(programs.NoFile) && !p.Is(programs.ForeignShell) && !isPosixShell(name) &&
		kindOfBuiltin(name) == noBuiltin
}
