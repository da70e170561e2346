package trust

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

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
	tested  map[string]bool      // programs and files that the text tests, and names that it defines
	marks   map[syntax.Node]mark // of commands
	now     mark                 // of the current command
	past    bool                 // a program has run, so the next one is not the first
	changed bool                 // a file that the shell has read, or a new PATH, may change what names mean
	moved   bool                 // the folder is known only to the shell
	report  func(sure bool, text string)
	guard   guard
}

// mark says how a command stands in a text.
type mark uint8

const (
	maybe   mark = 1 << iota // runs only in some cases
	decides                  // the text uses the output or the exit code
	stops                    // the text ends if the command fails
	tried                    // another program can take its place, or it takes another's
)

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
		marks: map[syntax.Node]mark{}, guard: guard{isGate: isGate(h), isSh: !c.Bash}}
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
		s.command(literalWords(argv), nil)
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
	file, why := shellline.Parse(text)
	if why != "" {
		return
	}
	s.variablesOf(file)
	syntax.Walk(file, s.read)
	if s.guard.isGate {
		s.guard.read(s, file, text)
	}
	syntax.Walk(file, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.Assign:
			if n.Name != nil && !n.Naked {
				value := word{computed: true}
				if n.Value != nil && !n.Append {
					value = s.word(n.Value)
				}
				s.setVariable(n.Name.Value, value)
				s.changed = s.changed || n.Name.Value == "PATH"
			}
		case *syntax.CallExpr:
			words := make([]word, len(n.Args))
			for i, w := range n.Args {
				words[i] = s.word(w)
				words[i].source = source(w)
				words[i].computed = words[i].computed || hasGlob(w) || hasBraces(w)
			}
			isPath := func(a *syntax.Assign) bool { return a.Name != nil && a.Name.Value == "PATH" }
			s.changed = s.changed || slices.ContainsFunc(n.Assigns, isPath)
			s.now, s.guard.at = s.marks[n], n.Pos().Line()
			s.command(words, n.Args)
		}
		return true
	})
}

// read notes the tests of a text, and marks the commands.
func (s *starts) read(node syntax.Node) bool {
	test := func(words ...*syntax.Word) {
		for _, w := range words {
			text := s.word(w).text
			s.tested[source(w)], s.tested[text], s.tested[path.Base(text)] = true, true, true
		}
	}
	set := func(m mark, nodes ...syntax.Node) {
		for _, n := range nodes {
			syntax.Walk(n, func(inner syntax.Node) bool {
				if call, ok := inner.(*syntax.CallExpr); ok {
					s.marks[call] |= m
				}
				return true
			})
		}
	}
	switch n := node.(type) {
	case *syntax.FuncDecl:
		s.tested[n.Name.Value] = true
		set(maybe, n)
	case *syntax.ForClause, *syntax.WhileClause, *syntax.CaseClause:
		set(maybe, n)
	case *syntax.CmdSubst:
		set(maybe|decides, n)
	case *syntax.IfClause:
		set(maybe, n)
		for _, stmt := range n.Cond {
			set(decides, stmt)
		}
	case *syntax.BinaryCmd:
		call, _ := n.Y.Cmd.(*syntax.CallExpr)
		switch {
		case n.Op == syntax.Pipe:
			set(decides, n)
		case n.Op == syntax.OrStmt && endsGate.Get().MatchString(source(n.Y)):
			set(maybe|stops, n.X)
		case n.Op == syntax.OrStmt && call != nil && len(call.Args) > 0 && !shellline.IsBuiltin(call.Args[0].Lit()):
			set(tried, n)
		case n.Op == syntax.OrStmt:
			set(maybe, n.X)
		}
	case *syntax.Stmt:
		if n.Negated {
			set(stops, n)
		}
	case *syntax.UnaryTest:
		if w, ok := n.X.(*syntax.Word); ok {
			test(w)
		}
	case *syntax.CallExpr:
		last := len(n.Args) - 1
		switch {
		case last < 0:
		case shellline.InList("[ hash test type whence which", n.Args[0].Lit()),
			n.Args[0].Lit() == "command" && last > 0 && shellline.InList("-v -V", n.Args[1].Lit()),
			last == 1 && shellline.InList("--version -v -V --help", n.Args[1].Lit()):
			test(n.Args...)
		case n.Args[0].Lit() == "alias":
			s.changed = true
		}
	}
	return true
}

// setters are builtins that lines begin with, and that do not decide whether the rest of the line runs. followed run
// the command in their arguments with the same PATH. loginShell matches options of a shell that reads the user's files.
const (
	setters  = ": cd exit export pushd readonly set shopt trap true umask unset"
	followed = "command env exec flock ionice nice nohup setsid stdbuf time timeout xargs"
)

// valued matches options of a shell that have a value.
var valued = lazy.Regexp{Text: `^[-+][a-z]*[oO]$|^--(?:rcfile|init-file)$`}

var loginShell = lazy.Regexp{Text: `^-[a-z]*[li]|^--(?:login|rcfile|init-file)`}

// command checks the program of a command, its script, and the commands in its arguments. written has the words as they
// stand in the line, or is nil.
func (s *starts) command(argv []word, written []*syntax.Word) {
	if len(argv) == 0 {
		return
	}
	first, name, args := argv[0], filepath.Base(argv[0].text), argv[1:]
	isSetter := shellline.InList(setters, first.text)
	defer func() { s.past = s.past || !isSetter }()
	switch {
	case s.isSplit(argv, written, 0), first.computed, s.isTested(first):
		return
	case first.text == "cd" || first.text == "pushd":
		s.isSplit(argv, written, 1)
		s.cd(args)
		return
	case first.text == "." || first.text == "source":
		if first.text == "source" {
			s.now |= maybe // a shell goes on after it, and ends at a missing file of .
		}
		if len(args) > 0 && strings.Contains(args[0].text, "/") {
			s.script(argv, written, 1)
		}
		s.changed = true
		return
	case first.text == "eval":
		s.changed = true
	}
	if !shellline.IsBuiltin(first.text) && !s.program(first) {
		return
	}
	if shellline.InList(followed, name) || isPlainShell(name) {
		s.follow(name, argv, written)
	} else if at := scriptAt(name, args); at >= 0 {
		s.script(argv, written, at+1)
	}
}

// cd enters a folder. The contents of a missing folder are unknown.
func (s *starts) cd(args []word) {
	if len(args) != 1 || args[0].computed || strings.HasPrefix(args[0].text, "-") {
		s.moved = true
		return
	}
	folder := s.in(s.folders[0], args[0].text)
	if isFolder(folder) {
		s.folders = []string{folder}
		return
	}
	s.moved = true
	isHere := filepath.IsAbs(shellPath)                                // a shell of Windows has paths of its own
	if isHere && !s.past && s.now&maybe == 0 && !s.isTested(args[0]) { // an earlier command may make it
		s.add(named(args[0], args[0].text+": no such folder"))
	}
}

// follow checks the command, the line or the script in the arguments of a launcher or a shell.
func (s *starts) follow(name string, argv []word, written []*syntax.Word) {
	launched, _ := shellline.Launch(words(argv))
	if !isPlainShell(name) {
		if name == "xargs" {
			s.now |= maybe
		}
		for _, inner := range launched.Commands {
			s.command(sourced(inner, argv), nil)
		}
		return
	}
	s.changed = s.changed || len(argv) > 1 && loginShell.Get().MatchString(argv[1].text)
	for _, line := range launched.Lines {
		inner := *s
		inner.guard.isSh = s.guard.isSh && name != "bash"
		inner.line(line)
	}
	for i, w := range argv[1:] {
		if valued.Get().MatchString(argv[i].text) {
			continue // an option's value
		}
		if !strings.HasPrefix(w.text, "-") && len(launched.Lines) == 0 && !launched.Stdin {
			s.script(argv, written, i+1)
			s.readScript(w, name)
			break
		}
	}
}

// script checks the script at an index of the words of an interpreter, which only needs to be readable.
func (s *starts) script(argv []word, written []*syntax.Word, i int) {
	w := argv[i]
	if s.isSplit(argv, written, i) || w.computed || s.isTested(w) || s.moved && !filepath.IsAbs(w.text) ||
		shellline.IsStdin(w.text) {
		return
	}
	if fault := launch.ScriptFault(w.text, s.folders[0]); fault != "" {
		s.add(named(w, fault))
	}
}

// program checks a program, and reports whether the program can start.
func (s *starts) program(w word) bool {
	isPath := strings.ContainsAny(w.text, "/"+string(filepath.Separator))
	switch {
	case !isPath && (s.changed || !filepath.IsAbs(shellPath)): // a shell of Windows has programs of its own
		return true
	case s.moved && isPath && !filepath.IsAbs(w.text), !programName.Get().MatchString(w.text):
		return false
	}
	faults := launch.LineFaults(w.text, s.folders[0], s.env)
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
	case strings.Contains(w.source, `\`) && !strings.Contains(w.source, `"`):
		return fault + "; the line has " + w.source + ", and a shell takes each \\ out: write /"
	case w.source != "" && strings.Trim(w.source, `"'`) != w.text:
		return fault + "; the line has " + w.source
	}
	return fault
}

func (s *starts) isTested(w word) bool {
	return s.tested[w.text] || w.source != "" && s.tested[w.source]
}

// isSplit reports whether the shell splits a word of the line, because an unquoted variable has a blank.
func (s *starts) isSplit(argv []word, written []*syntax.Word, i int) bool {
	if i >= len(written) || !s.splits(written[i]) {
		return false
	}
	for _, part := range written[i].Parts {
		p, ok := part.(*syntax.ParamExp)
		if !ok {
			continue
		}
		if value, known := s.expansion(p); known && p.Exp == nil && strings.ContainsAny(value, " \t\n") {
			const text = "%s has a blank here (%s), at which the shell splits it: write it in double quotes, \"%s\""
			s.add(fmt.Sprintf(text, source(p), spelling.Brief(value, 200), strings.ReplaceAll(argv[i].source, `"`, "")))
			return true
		}
	}
	return false
}

// scriptAt returns the index of the script in the arguments of an interpreter, or -1 if they have none, or if only the
// interpreter can tell.
func scriptAt(name string, args []word) int {
	runs := shellline.InList("bun deno uv", name)
	if !runs && !isPython(name) && !shellline.InList(interpreters, baseName(name)) || strings.HasSuffix(name, "awk") {
		return -1
	}
	for i, w := range args {
		ending := scriptEnding.Get().MatchString(w.text)
		switch {
		case w.computed && !ending, shellline.InList("-c -e -m -p -r -x --eval --print --directory --cwd -C", w.text),
			strings.Contains(w.text, ":"), strings.HasPrefix(w.text, "--directory="):
			return -1
		case ending, i == 0 && (isPython(name) || name == "ruby" || name == "perl") && !strings.HasPrefix(w.text, "-"):
			return i
		case runs && i == 0 && w.text == "run", strings.HasPrefix(w.text, "-"), runs && i > 0:
			continue
		}
		return -1 // a command such as bun test, or a name without its ending
	}
	return -1
}
