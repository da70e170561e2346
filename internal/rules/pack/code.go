package pack

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/hookrun/hookrun/internal/rules/programs"
	"github.com/hookrun/hookrun/internal/rules/shellline"
)

// This file finds commands that run code which is not in the line, because another command of the line prints the code.

// maxDepth limits the number of nested launchers around a command.
const maxDepth = 8

// maxInputs limits the number of commands in a call whose output other commands read.
const maxInputs = 100_000

var tooManyInputs = Found{Subject: "the line", Doubt: "it joins too many commands"}

// commandsOf calls yield with the words of a command and of commands inside its launchers, until yield returns true.
func commandsOf(words []Word, depth int, yield func([]Word) bool) bool {
	if len(words) == 0 || depth == 0 {
		return false
	}
	if yield(words) {
		return true
	}
	l, ok := shellline.Launch(words)
	if !ok {
		return false
	}
	for _, inner := range l.Commands {
		if commandsOf(inner, depth-1, yield) {
			return true
		}
	}
	for _, text := range l.Lines {
		line := shellline.Split(text)
		for i := range line.Commands {
			if commandsOf(line.Commands[i].Words, depth-1, yield) {
				return true
			}
		}
	}
	return false
}

// test is a question about a command.
type test func(*Command) bool

// getsOutputOf reports whether the command reads the output of a command that passes the test.
func (c *Command) getsOutputOf(is test) bool {
	named := func(words []Word) bool {
		row, _ := programs.Find(shellline.ProgramName(words[0].Text))
		command := commandOf(shellline.Command{Words: words, Row: row})
		return is(&command)
	}
	prints := func(from shellline.Command) bool { return commandsOf(from.Words, maxDepth, named) }
	return slices.ContainsFunc(c.PipedFrom, prints) || slices.ContainsFunc(c.Substitutions, prints)
}

// runsInput is how a command runs code that is not in the line.
type runsInput int

const (
	runsUnknown runsInput = iota
	runsNone
	runsOutput   // the output of commands that the command reads
	runsComputed // a text computed by the shell
)

// executes returns whether the command runs its input, or a text computed by the shell.
func (c *Command) executes() runsInput {
	if c.runs == runsUnknown {
		c.runs = c.findExecutes()
	}
	return c.runs
}

func (c *Command) findExecutes() runsInput {
	switch c.Program {
	case "":
		return runsNone
	case "iex", "invoke-expression", "at", "batch":
		return runsOutput
	case "cmd":
		if len(c.Args) == 0 {
			return runsOutput
		}
		return runsNone
	case "crontab":
		if len(c.Args) == 0 || len(c.Args) == 1 && c.Args[0].Text == "-" {
			return runsOutput
		}
		return runsNone
	case "deno", "uv":
		if len(c.Args) > 1 && c.Args[0].Text == "run" && hasWord(c.Args, "-") {
			return runsOutput
		}
		return runsNone
	case "trap":
		if len(c.Args) > 0 && c.Args[0].Computed && c.Args[0].Prefix == "" {
			return runsComputed
		}
		return runsNone
	case "make", "gmake", "awk", "gawk", "mawk", "nawk":
		if i := slices.IndexFunc(c.Args, func(w Word) bool { return w.Text == "-f" }); i >= 0 && i+1 < len(c.Args) {
			if next := c.Args[i+1]; next.Text == "-" || shellline.IsStdin(next.Text) {
				return runsOutput
			}
		}
		return runsNone
	case "xargs", "gxargs", "parallel":
		l, _ := shellline.Launch(c.Words)
		shell := slices.ContainsFunc(c.Args,
			func(w Word) bool { return shellline.IsShell(programName(w)) })
		if l.Doubt != "" && shell {
			return runsOutput
		}
		return runsNone
	}
	if c.isShell() {
		return c.shellRuns()
	}
	if c.isInterpreter() {
		return c.interpreterRuns()
	}
	if l, ok := shellline.Launch(c.Words); ok && l.Stdin {
		return runsOutput
	}
	return runsNone
}

// shellRuns is executes for a shell, eval or source.
func (c *Command) shellRuns() runsInput {
	l, _ := shellline.Launch(c.Words)
	switch {
	case l.Stdin:
		return runsOutput
	case c.Program == "source" || c.Program == ".", l.Doubt == "":
		if len(c.Args) > 0 && shellline.IsStdin(c.Args[0].Text) {
			return runsOutput
		}
		return runsNone
	}
	for _, w := range c.Args {
		switch {
		case shellline.IsStdin(w.Text), w.Text == "-":
			return runsOutput
		case w.Computed && c.Program != "eval" && !beginsCommand(w.Prefix):
			return runsNone
		case w.Computed:
			return runsComputed
		}
	}
	return runsNone
}

// beginsCommand reports whether the text after before in a shell line may be a command, and not an argument.
func beginsCommand(before string) bool {
	last := before[strings.LastIndexAny(before, ";&|({\n`")+1:]
	fields := strings.Fields(last)
	if len(fields) == 0 {
		return true
	}
	first := shellline.ProgramName(fields[0])
	return shellline.IsShell(first) || first == "exec" || first == "source" || first == "." || first == "sudo" ||
		first == "env" || strings.Contains(first, "=")
}

// isInterpreter reports whether the command runs a text in another language, or a script.
func (c *Command) isInterpreter() bool {
	return c.Row.Is(programs.Language) && !c.Row.Is(programs.Edits|programs.Inline)
}

// takesCode reports whether an argument is an option whose value is code.
func (c *Command) takesCode(text string) bool {
	if len(text) < 2 || text[0] != '-' {
		return false
	}
	letters := c.Row.List("text")
	if strings.HasPrefix(text, "--") {
		return shellline.InList(letters, text[2:])
	}
	for i := 1; i < len(text); i++ {
		if shellline.InList(letters, text[i:i+1]) || !c.isInterpreter() && text[i] == 'c' {
			return true
		}
	}
	return false
}

// interpreterRuns is executes for an interpreter.
func (c *Command) interpreterRuns() runsInput {
	for i, w := range c.Args {
		switch {
		case w.Text == "-", shellline.IsStdin(w.Text):
			return runsOutput
		case c.takesCode(w.Text):
			if i+1 < len(c.Args) && c.Args[i+1].Computed && strings.TrimSpace(c.Args[i+1].Prefix) == "" {
				return runsComputed
			}
			return runsNone
		case !strings.HasPrefix(w.Text, "-"):
			return runsNone
		}
	}
	return runsOutput
}

// has reports whether the call has a command that passes the test.
func (c *Call) has(is test) bool {
	for i := range c.Commands {
		if is(&c.Commands[i]) {
			return true
		}
	}
	return false
}

// mayHave reports whether the call may have a command that passes the test.
func (c *Call) mayHave(is test) bool {
	return len(c.doubts) > 0 || c.has(is)
}

// runsOutputOf finds commands that run the output of commands that pass the test.
func (c *Call) runsOutputOf(is test) Found {
	switch {
	case !c.mayHave(is):
		return Found{}
	case c.inputs > maxInputs:
		return tooManyInputs
	}
	captures := sync.OnceValue(func() bool {
		return c.has(func(o *Command) bool { return o.Captured && is(o) })
	})
	for i := range c.Commands {
		command := &c.Commands[i]
		switch runs := command.executes(); {
		case runs == runsNone:
		case command.getsOutputOf(is):
			return Found{Subject: command.String()}
		case runs == runsComputed && captures():
			return Found{Subject: command.String(), Doubt: "a variable may contain what the line downloads or decodes"}
		}
	}
	return Found{}
}

// savedFiles returns the names of files with the output of commands that pass the test. named returns files
// in the arguments of such a command.
func (c *Call) savedFiles(is test, named func(*Command) []string) (names []string) {
	if !c.mayHave(is) {
		return nil
	}
	if c.inputs > maxInputs {
		return []string{"?"}
	}
	for i := range c.Commands {
		command := &c.Commands[i]
		prints := is(command)
		if prints && named != nil {
			names = addNames(names, named(command)...)
		}
		if prints || command.getsOutputOf(is) {
			names = addNames(names, command.outputs()...)
		}
	}
	if len(names) == 0 {
		return nil
	}
	for i := range c.Commands { // later names of the files
		switch command := &c.Commands[i]; command.Program {
		case "mv", "cp", "install", "ln":
			if n := len(command.Args); n > 1 && slices.Contains(names, path.Base(command.Args[n-2].Text)) {
				names = addNames(names, command.Args[n-1].Text)
			}
		}
	}
	return names
}

// outputs returns the files to which the command writes its input or output.
func (c *Command) outputs() (files []string) {
	for _, f := range c.Files {
		if f.Writes {
			files = append(files, f.Word.Text)
		}
	}
	if c.Program == "tee" || c.Program == "sponge" || c.Program == "dd" {
		for _, w := range c.Args {
			files = append(files, strings.TrimPrefix(w.Text, "of="))
		}
	}
	return files
}

// addNames adds the names of files. It skips names such as "." and "null".
func addNames(names []string, files ...string) []string {
	for _, file := range files {
		if name := path.Base(file); name != "." && name != "/" && name != "null" && file != "-" {
			names = append(names, name)
		}
	}
	return names
}

// runsFile finds a command that runs a file with one of the names.
func (c *Call) runsFile(names []string) Found {
	switch {
	case len(names) == 0:
		return Found{}
	case c.inputs > maxInputs:
		return tooManyInputs
	}
	isNamed := func(file string) bool { return slices.Contains(names, path.Base(file)) }
	reads := func(c *Command) bool {
		return slices.ContainsFunc(c.Args, func(w Word) bool { return isNamed(w.Text) })
	}
	for i := range c.Commands {
		command := &c.Commands[i]
		if len(command.Words) == 0 {
			continue
		}
		program := command.Words[0].Text
		found := strings.Contains(program, "/") && isNamed(program)
		if script := command.script(); script >= 0 {
			found = found || isNamed(command.Args[script].Text)
		}
		if command.isShell() || command.isInterpreter() {
			if command.executes() == runsOutput {
				found = found || command.getsOutputOf(reads) ||
					slices.ContainsFunc(command.Files, func(f File) bool { return !f.Writes && isNamed(f.Word.Text) })
			}
		}
		if found {
			return Found{Subject: command.String()}
		}
	}
	return Found{}
}

// isShell reports whether the command is a shell, eval or source.
func (c *Command) isShell() bool {
	return shellline.IsShellOf(c.Row, c.Program) || c.Program == "source" || c.Program == "."
}

// script returns the index of the argument that is the script of a shell or an interpreter, or -1.
func (c *Command) script() int {
	if !c.isShell() && !c.isInterpreter() {
		return -1
	}
	for i := 0; i < len(c.Args); i++ {
		switch text := c.Args[i].Text; {
		case shellline.InList(scriptOptions, text):
			i++
		case text == "" || text[0] != '-' && text[0] != '+':
			if slices.ContainsFunc(c.Args[:i], func(w Word) bool { return c.takesCode(w.Text) }) {
				return -1
			}
			return i
		}
	}
	return -1
}

// scriptOptions are the options of shells and interpreters whose value is the next word.
const scriptOptions = "-o +o -O +O -X --rcfile --init-file --require --import"
