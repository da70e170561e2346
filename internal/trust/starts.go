package trust

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/launch"
	"github.com/hookrun/hookrun/internal/lib/lazy"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/rules/shellline"
)

// starts finds the commands of a line or a script that cannot start. A word that only a shell knows is no finding, nor
// is a program or a file whose existence the text tests.
type starts struct {
	commandLine
	tested  map[string]bool // programs and files that the text tests, and names that it defines
	now     mark            // of the current command
	past    bool            // a program has run, so the next one is not the first
	changed bool            // a file that the shell has read, or a new PATH, may change what names mean
	moved   bool            // the folder is known only to the shell
	report  func(sure bool, text string)
	guard   guard
}

// CannotStart returns the programs and scripts in a hook's command that cannot start: an error for the first program,
// which runs in any case, a warning for others. warnings also has what lets calls pass a gate in sh without a word.
// CannotStart runs nothing, and does not repeat the faults of launch.Inspect.
func CannotStart(h *hook.Hook, o Options) (errors, warnings []hook.Diagnostic) {
	c := h.Process()
	if !h.Starts() || c.PowerShell || c.Callable+c.Script != "" {
		return nil, nil
	}
	dir, env := launch.Dir(h, &dialect.Call{Workspace: o.Workspace}), o.Environ(h)
	_, argv, err := launch.Program(h, dir, env)
	if err != nil || len(launch.Inspect(h, dir, env)) > 0 {
		return nil, nil
	}
	s := starts{commandLine: newCommandLine(&collector{Options: o}, h, env, dir), tested: map[string]bool{},
		guard: guard{isGate: isGate(h), isSh: !c.Bash}}
	s.report = func(sure bool, text string) {
		list, d := &warnings, h.RunsAt
		if sure {
			list = &errors
		}
		if d.Text = fmt.Sprintf("hook %q: %s", h.Name, text); !slices.Contains(*list, d) {
			*list = append(*list, d)
		}
	}
	if c.Argv != nil {
		s.command(literalWords(argv))
	} else {
		s.line(argv[2])
	}
	return errors, warnings
}

// add reports a fault of the current command.
func (s *starts) add(text string) {
	if s.guard.path == "" { // a script may get its files in many ways
		s.report(!s.past && s.now&maybe == 0, text)
	}
}

func (s *starts) line(text string) {
	line := shellline.Split(text)
	if line.Unreadable != "" {
		return
	}
	steps := stepsOf(&line, marksOf(&line))
	s.variablesOf(steps)
	for _, b := range line.Blocks {
		if b.Kind == shellline.Function {
			s.tested[b.Text] = true
		}
	}
	steps = slices.DeleteFunc(steps, func(s step) bool { return s.loop != nil })
	for _, step := range steps {
		words, _ := wordsOf(step.command)
		s.readTests(words)
	}
	if s.guard.isGate {
		s.guard.read(s, &line, steps, text)
	}
	for _, step := range steps {
		words, sets := wordsOf(step.command)
		for _, w := range sets {
			name, _ := assigned(w)
			s.changed = s.changed || strings.TrimSuffix(name, "+") == "PATH"
		}
		argv := make([]word, len(words))
		for i, w := range words {
			argv[i] = s.word(w)
			argv[i].Source = w.Source
			parts := shellline.Parts(w.Source)
			argv[i].Computed = argv[i].Computed || hasGlob(parts) || hasBraces(parts)
		}
		if len(argv) > 0 && argv[0].Text != "[[" {
			s.now, s.guard.at = step.marks, lineAt(text, step.at)
			s.command(argv)
		}
		for _, w := range sets {
			s.setVariable(s.assignment(w))
		}
	}
}

// lineAt is the number of a text's line at an offset.
func lineAt(text string, at int) int { return 1 + strings.Count(text[:at], "\n") }

// hasBraces reports whether a shell may make several words of a word with braces.
func hasBraces(parts []shellline.Part) bool {
	return hasUnquoted(parts, "{") && (hasUnquoted(parts, ",") || hasUnquoted(parts, "."))
}

// readTests notes the programs and files that a command tests.
func (s *starts) readTests(words []word) {
	test := func(words ...word) {
		for _, w := range words {
			text := s.word(w).Text
			s.tested[w.Source], s.tested[text], s.tested[path.Base(text)] = true, true, true
		}
	}
	switch last := len(words) - 1; {
	case last < 0:
	case words[0].Text == "[[" && last > 0:
		for i, w := range words[1:last] {
			if strings.HasPrefix(w.Text, "-") {
				test(words[i+2])
			}
		}
	case shellline.InList("[ hash test type whence which", words[0].Source),
		words[0].Source == "command" && last > 0 && shellline.InList("-v -V", words[1].Source),
		last == 1 && shellline.InList("--version -v -V --help", words[1].Source):
		test(words...)
	case words[0].Source == "alias":
		s.changed = true
	}
}

// marksOf returns the marks of the commands in each block of a line.
func marksOf(line *shellline.Line) []mark {
	marks := make([]mark, len(line.Blocks))
	for i, b := range line.Blocks {
		switch b.Kind {
		case shellline.Function, shellline.Loop, shellline.Choice:
			marks[i] = maybe
		case shellline.Captured:
			marks[i] = maybe | decides
		case shellline.Condition, shellline.Pipe:
			marks[i] = decides
		case shellline.Negation:
			marks[i] = stops
		case shellline.Attempt:
			switch program := line.Blocks[i+1].Text; {
			case endsGate.Get().MatchString(b.Text):
				marks[i] = maybe | stops
			case program != "" && !shellline.IsBuiltin(program):
				marks[i], marks[i+1] = tried, tried
			default:
				marks[i] = maybe
			}
		}
	}
	return marks
}

// setters are builtins that lines begin with, and that do not decide whether the rest of the line runs.
const setters = ": cd exit export pushd readonly set shopt trap true umask unset"

// valued matches options of a shell that have a value.
var valued = lazy.Regexp{Text: `^[-+][a-z]*[oO]$|^--(?:rcfile|init-file)$`}

// loginShell matches options of a shell that reads the user's files.
var loginShell = lazy.Regexp{Text: `^-[a-z]*[li]|^--(?:login|rcfile|init-file)`}

// command checks the program of a command, its script, and the commands in its arguments.
func (s *starts) command(argv []word) {
	if len(argv) == 0 {
		return
	}
	first, name, args := argv[0], filepath.Base(argv[0].Text), argv[1:]
	isSetter := shellline.InList(setters, first.Text)
	defer func() { s.past = s.past || !isSetter }()
	switch {
	case s.isSplit(first), first.Computed, s.isTested(first):
		return
	case first.Text == "cd" || first.Text == "pushd":
		s.isSplit(argv[min(1, len(args))])
		s.cd(args)
		return
	case first.Text == "." || first.Text == "source":
		if first.Text == "source" {
			s.now |= maybe // a shell goes on after it, and ends at a missing file of .
		}
		if len(args) > 0 && strings.Contains(args[0].Text, "/") {
			s.script(args[0])
		}
		s.changed = true
		return
	case first.Text == "eval":
		s.changed = true
	}
	if !shellline.IsBuiltin(first.Text) && !s.program(first) {
		return
	}
	if shellline.InList(followed, name) || isPlainShell(name) {
		s.follow(name, argv)
	} else if at := scriptAt(name, args); at >= 0 {
		s.script(args[at])
	}
}

// cd enters a folder. The contents of a missing folder are unknown.
func (s *starts) cd(args []word) {
	if len(args) != 1 || args[0].Computed || strings.HasPrefix(args[0].Text, "-") {
		s.moved = true
		return
	}
	folder := s.in(s.folders[0], args[0].Text)
	if isFolder(folder) {
		s.folders = []string{folder}
		return
	}
	s.moved = true
	isHere := filepath.IsAbs(shellPath)                                // a shell of Windows has paths of its own
	if isHere && !s.past && s.now&maybe == 0 && !s.isTested(args[0]) { // an earlier command may make it
		s.add(named(args[0], args[0].Text+": no such folder"))
	}
}

// follow checks the command, the line or the script in the arguments of a launcher or a shell.
func (s *starts) follow(name string, argv []word) {
	launched, _ := shellline.Launch(argv)
	if !isPlainShell(name) {
		if name == "xargs" {
			s.now |= maybe
		}
		for _, inner := range launched.Commands {
			s.command(inner)
		}
		return
	}
	s.changed = s.changed || len(argv) > 1 && loginShell.Get().MatchString(argv[1].Text)
	for _, line := range launched.Lines {
		inner := *s
		inner.guard.isSh = s.guard.isSh && name != "bash"
		inner.line(line)
	}
	for i, w := range argv[1:] {
		if valued.Get().MatchString(argv[i].Text) {
			continue // an option's value
		}
		if !strings.HasPrefix(w.Text, "-") && len(launched.Lines) == 0 && !launched.Stdin {
			s.script(w)
			s.readScript(w, name)
			break
		}
	}
}

// script checks the script of an interpreter, which only needs to be readable.
func (s *starts) script(w word) {
	if s.isSplit(w) || w.Computed || s.isTested(w) || s.moved && !filepath.IsAbs(w.Text) ||
		shellline.IsStdin(w.Text) {
		return
	}
	if fault := launch.ScriptFault(w.Text, s.folders[0]); fault != "" {
		s.add(named(w, fault))
	}
}

// program checks a program, and reports whether the program can start.
func (s *starts) program(w word) bool {
	isPath := strings.ContainsAny(w.Text, "/"+string(filepath.Separator))
	switch {
	case !isPath && (s.changed || !filepath.IsAbs(shellPath)): // a shell of Windows has programs of its own
		return true
	case s.moved && isPath && !filepath.IsAbs(w.Text), !programName.Get().MatchString(w.Text):
		return false
	}
	faults := launch.LineFaults(w.Text, s.folders[0], s.env)
	for _, fault := range faults {
		if s.now&tried == 0 && (isPath || !s.guardGoesOn(fault)) {
			s.add(named(w, fault))
		}
	}
	if len(faults) == 0 && isPath {
		s.readScript(w, "")
	}
	return len(faults) == 0
}

var programName = lazy.Regexp{Text: `^[A-Za-z0-9_./~ @+:-]+$`}

// named returns a fault with the word as it stands in the line, if only its value is in the fault.
func named(w word, fault string) string {
	switch {
	case strings.Contains(w.Source, `\`) && !strings.Contains(w.Source, `"`):
		return fault + "; the line has " + w.Source + ", and a shell takes each \\ out: write /"
	case w.Source != "" && strings.Trim(w.Source, `"'`) != w.Text:
		return fault + "; the line has " + w.Source
	}
	return fault
}

func (s *starts) isTested(w word) bool {
	return s.tested[w.Text] || w.Source != "" && s.tested[w.Source]
}

// isSplit reports whether the shell splits a word of the line, because an unquoted variable has a blank.
func (s *starts) isSplit(w word) bool {
	parts := shellline.Parts(w.Source)
	if !s.splits(parts) {
		return false
	}
	for _, p := range parts {
		if p.Kind != shellline.Variable || p.Quoted || p.Operator != "" {
			continue
		}
		if value, known := s.expansion(p); known && strings.ContainsAny(value, " \t\n") {
			const text = "%s has a blank here (%s), at which the shell splits it: write it in double quotes, \"%s\""
			s.add(fmt.Sprintf(text, p.Source, spelling.Brief(value, 200), strings.ReplaceAll(w.Source, `"`, "")))
			return true
		}
	}
	return false
}

// scriptAt returns the index of the script in the arguments of an interpreter, or -1 if they have none, or if only the
// interpreter can tell.
func scriptAt(name string, args []word) int {
	runs := shellline.InList("bun deno uv", name)
	if !runs && !isInterpreter(name) || strings.HasSuffix(name, "awk") {
		return -1
	}
	for i, w := range args {
		ending := isScript(w.Text)
		switch {
		case w.Computed && !ending, shellline.InList("-c -e -m -p -r -x --eval --print --directory --cwd -C", w.Text),
			strings.Contains(w.Text, ":"), strings.HasPrefix(w.Text, "--directory="):
			return -1
		case ending, i == 0 && (isPython(name) || name == "ruby" || name == "perl") && !strings.HasPrefix(w.Text, "-"):
			return i
		case runs && i == 0 && w.Text == "run", strings.HasPrefix(w.Text, "-"), runs && i > 0:
			continue
		}
		return -1 // a command such as bun test, or a name without its ending
	}
	return -1
}
