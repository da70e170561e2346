package shellline

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/rules/programs"
)

// Unwrapped holds the commands that a line runs, directly and through wrappers at any depth.
type Unwrapped struct {
	Commands     []Command
	Redirections []Redirection // of all lines
	Assignments  []Assignment  // of all lines
	Flow         *Step         // of the line
	Multiplies   string        // as in Line, of all lines
	Opaque       Opaque        // as in Line
	Within       string        // the text of the command or line with the opaque part; ""
	Hints        []Hint
	wholeLine    bool   // the line itself is a hint
	runner       string // the first command that may run a part of the line
	strong       bool   // programs and their arguments give a reason for wholeLine

	wrappers []string // further programs that run a command
	nested   int      // bytes of all commands
	stopped  bool     // at a limit
	outer    outerLine
	values
	files
	risks // of all lines
}

// Unwrap finds the commands that run because of the commands of a line. text is the line.
func (l *Line) Unwrap(text string, wrappers []string) *Unwrapped {
	r := &Unwrapped{wrappers: wrappers, outer: outerLine{text: text}, Redirections: l.Redirections, Flow: l.flow,
		Multiplies: l.Multiplies,
		Opaque:     l.Opaque, Within: l.Within}
	r.note(l.values.assignments)
	parameters := r.noteLine(l, &r.files)
	for _, c := range l.Commands {
		c.step.Parts, c.parameters = nil, parameters
		r.follow(c, MaxWrappers)
	}
	r.addLaunches(l.values, Command{}, MaxWrappers)
	if (r.code || r.unknownValues && r.textCode) && (r.arithmetic || r.zshArithmetic) {
		r.Opaque.add(unread("a value with an expansion in quotes, which arithmetic may evaluate"))
	}
	if r.zshArithmetic || r.writes && r.script {
		r.wholeLine, r.strong = true, true
	}
	if r.dollarQuotes && (r.runsText || r.wholeLine) {
		r.Opaque.add(unread("a text that runs and $'…', which dash reads otherwise"))
	}
	r.Commands = slices.Concat(l.Commands, r.Commands)
	for i := range r.Commands {
		r.Commands[i].step.Command = i
	}
	if r.wholeLine {
		r.addWholeLine(text)
	}
	for _, h := range r.Hints {
		if strings.ContainsAny(h.Text, "'\"\\") { // perhaps a shell line, in which gi”t is git
			h.Text = withoutQuotes(h.Text)
			r.Hints = append(r.Hints, h)
		}
	}
	return r
}

// follow adds the commands that one command runs. left is the remaining depth of wrappers.
func (r *Unwrapped) follow(c Command, left int) {
	if r.stopped {
		return
	}
	r.fillAll(c, left)
	name, found := ProgramName(c.Words[0].Text), launchesOf(c.Words, c.Row, r.wrappers)
	found.list = append(r.withInput(c, found.list), r.texts(c, name)...)
	if found.opaque.Computed {
		found.opaque.Computed = !isScript(c)
	}
	if r.addOpaque(found.opaque, c.Text); c.MoreArgs && found.opaque.Why == "" {
		// Arguments after a shell's line are its parameters. Other programs add the arguments to their command.
		isLine := len(found.list) > 0 && found.list[0].words == nil && (name == "eval" || !IsShellOf(c.Row, name))
		if isLine || found.open {
			r.addOpaque(fedBy(name, c), c.Text)
		}
	}
	// A shell that reads input from the line may run anything. In a container or on another machine, a shell reads
	// nothing unless the line says so.
	switch {
	case !found.shell:
	case c.Script != "":
		found.list = append(found.list, launch{line: c.Script, by: name, away: c.Elsewhere})
	case c.stdin == fed || c.stdin == inherited && !c.Elsewhere && IsShellOf(c.Row, name):
		r.addOpaque(fedBy(name, c), c.Text)
	}
	r.nested += len(c.Text)
	if len(found.list) > 0 && left == 0 || len(r.Commands) > MaxCommands || r.nested > maxNested {
		r.Opaque, r.stopped = Opaque{tooManyInside, true}, true
		return
	}
	hasText := found.shell || c.MoreArgs && len(found.hints) > 0
	r.runsWhole(found.wholeLine || hasText || c.Words[0].ProgramVariable, c.Text)
	r.strong = r.strong || found.wholeLine && !found.weak || hasText
	isReplaced := func(w Word) bool { return w.Computed && w.Source == "" }
	for _, l := range found.list {
		if slices.ContainsFunc(l.words, isReplaced) && fromOutside(c.PipedFrom) {
			for i := range l.words {
				l.words[i].Outside = l.words[i].Outside || isReplaced(l.words[i])
			}
		}
	}
	r.addLaunches(found, c, left)
}

// addLaunches adds the commands found in one command, or in the values of a line.
func (r *Unwrapped) addLaunches(found launches, c Command, left int) {
	r.addOpaque(found.opaque, c.Text)
	r.Hints, r.Assignments = append(r.Hints, found.hints...), append(r.Assignments, found.assignments...)
	if len(c.Words) > 0 {
		r.note(found.assignments)
	}
	r.risks.add(found.risks)
	r.script = r.script || len(c.Words) > 0 && strings.Contains(c.Words[0].Text, "/")
	names := namesFor(c)
	for _, l := range found.list {
		folders := c.Folders
		if to, ok := StartFolder(c.Words[:max(len(c.Words)-len(l.words), 0)]); ok {
			folders = append(slices.Clip(folders), to)
		}
		commands := []Command{{Text: JoinWords(l.words), Words: l.words, Row: rowOf(l.words),
			MoreArgs: l.more || c.MoreArgs, Script: c.Script, Substitutions: c.Substitutions, Files: c.Files,
			Env: c.Env, Captured: c.Captured, step: c.starts(l.words), filled: true}} // as c is filled before
		if l.by == "sudo" { // sudo may have read a password from stdin
			commands[0].Script = ""
		}
		if l.words == nil {
			if r.runsText = true; r.computes(l, c) {
				continue
			}
			line := splitIn(&r.outer, l.line)
			if r.addOpaque(line.Opaque, cmp.Or(line.Within, l.line)); OverLimit(line.Opaque.Why) || left == 0 {
				r.stopped = r.stopped || left > 0
				return
			}
			r.Multiplies = cmp.Or(r.Multiplies, line.Multiplies)
			r.addLaunches(line.values, c, left-1)
			r.enter(&line, l, c)
			c.launches(line.flow)
			commands, r.Redirections = line.Commands, slices.Clip(r.Redirections)
			for _, file := range line.Redirections {
				file.Elsewhere, file.Folders = c.Elsewhere || l.away, slices.Concat(folders, file.Folders)
				r.Redirections = append(r.Redirections, file)
			}
		}
		for _, command := range commands {
			command.Wrapper, command.Elsewhere, command.Names = l.by, c.Elsewhere || l.away, names
			command.Folders = slices.Concat(folders, command.Folders)
			if command.stdin == inherited {
				command.stdin = c.stdin
				command.PipedFrom = c.PipedFrom
			}
			r.Commands = append(r.Commands, command)
			r.follow(command, left-1)
		}
	}
}

// computes notes that a line of computed words may be another line than it looks, if a value is the line's own work. It
// reports whether all of the line comes from outside.
func (r *Unwrapped) computes(l launch, c Command) (isScript bool) {
	switch {
	case !slices.ContainsFunc(l.from, isInside):
	case fromOutside(c.Substitutions) && !slices.ContainsFunc(l.from, hasInsideVariable):
		r.addOpaque(mayTake(l.by), c.Text)
		return l.line == "$_"
	default:
		r.addOpaque(computedBy(l.by), c.Text)
	}
	return false
}

// namesFor returns the Names of what a command launches.
func namesFor(c Command) []Command {
	switch {
	case c.Row.Name == "find":
		return []Command{c}
	case c.Row.Is(programs.More):
		return c.PipedFrom
	}
	return c.Names
}

func JoinWords(words []Word) string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.Text
	}
	return strings.Join(texts, " ")
}

// Texts returns the words that pass a check, and what is on stdin: a program or the shell may run each as a line.
func (r *Unwrapped) Texts(is func(Word) bool) string {
	var all strings.Builder
	add := func(w Word) {
		if is(w) {
			all.WriteString(w.Text + "\n")
		}
	}
	for _, c := range r.Commands {
		for _, w := range slices.Concat(c.Words, c.Env) {
			add(w)
		}
		if c.Input != nil {
			all.WriteString(c.Input.Text + "\n")
		}
	}
	for _, a := range r.Assignments {
		add(a.Value)
	}
	return all.String()
}
