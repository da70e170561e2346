package permission

import (
	"path"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/lazyregexp"
)

// maxWrappers bounds how many of them may stand before one command.
const maxWrappers = 32

// launch is what a wrapper runs.
type launch struct {
	words []word // of a command
	more  bool   // other arguments follow that are known only when it runs
	line  string // or, where there are no words, a line for a shell
	by    string // the wrapper
}

// behind returns what the words of a simple command run besides their first one. opaque says why that is known only
// when it runs.
func behind(words []word) (all []launch, opaque string) {
	if len(words) == 0 {
		return nil, ""
	}
	name, args := path.Base(words[0].text), words[1:]
	switch {
	case name == "eval", name == "trap", name == "source", name == ".":
		return ofBuiltin(name, args)
	case name == "alias":
		return aliased(args)
	case name == "find":
		return found(args)
	case posixShell().MatchString(name):
		return ofShell(name, args)
	case foreignShell().MatchString(name):
		return ofForeignShell(name, args)
	}
	p, ok := programs[name]
	if !ok {
		return nil, ""
	}
	all, opaque = p.runs(name, args)
	if name == "watch" && len(all) > 0 { // it joins its words
		return lineOf(name, all[0].words)
	}
	return all, opaque
}

// lineOf joins words to a line for the shell.
func lineOf(by string, words []word) ([]launch, string) {
	if slices.ContainsFunc(words, isComputed) {
		return nil, computed(by)
	}
	return []launch{{line: joined(words), by: by}}, ""
}

func computed(by string) string { return "what " + by + " runs, which is known only then" }

// ofBuiltin reads the arguments of a builtin that runs a line. Rules do not see through scripts, but what source reads
// from stdin may stand in the line.
func ofBuiltin(name string, args []word) ([]launch, string) {
	if len(args) > 0 && args[0].text == "--" {
		args = args[1:]
	}
	isOption := len(args) > 0 && strings.HasPrefix(args[0].text, "-")
	switch {
	case name == "eval":
		return lineOf(name, args)
	case name == "trap" && len(args) > 1 && !isOption:
		return lineOf(name, args[:1])
	case name != "trap" && len(args) > 0 && (args[0].computed || isOption || isStdin(args[0].text)):
		return nil, computed("source")
	}
	return nil, ""
}

// aliased reads the arguments of alias, whose values are lines for later.
func aliased(args []word) (all []launch, opaque string) {
	if slices.ContainsFunc(args, isComputed) {
		return nil, computed("alias")
	}
	for _, w := range args {
		if _, line, ok := strings.Cut(w.text, "="); ok {
			all = append(all, launch{line: line + ` "$@"`, by: "alias"})
		}
	}
	return all, ""
}

var (
	// posixShell is a shell that reads lines as bash does, as far as commands are found in them.
	posixShell = lazyregexp.New(`^r?(?:ba|da|z|k|a|mk|lk|ok|pdk|lok|ya|po|hu|o)?sh(?:[0-9][0-9a-z.]*|-[0-9.]+|` +
		`-static)?$`)
	// foreignShell is one with a language of its own.
	foreignShell = lazyregexp.New(`^(?:fish|csh|tcsh|nu|elvish|xonsh|pwsh|powershell|rc|es|ion|murex|osh|ysh|oil|` +
		`scsh)(?:\.exe)?$`)
	// plainLine is a line that all shells read alike, unless it begins with a word that comes before a command in one.
	plainLine       = lazyregexp.New(`^[A-Za-z0-9_./][A-Za-z0-9_./:,@+ -]*$`)
	foreignKeywords = strings.Fields("and or not begin if else while for switch function do repeat foreach source end")
)

func isShell(name string) bool {
	name = path.Base(name)
	return name == "eval" || posixShell().MatchString(name) || foreignShell().MatchString(name)
}

// isStdin reports whether a path is one of those that stand for an open file, as /dev/stdin and /dev/fd/0 do.
func isStdin(file string) bool {
	file = path.Clean(file)
	return strings.HasSuffix(file, "dev/stdin") || strings.Contains(file, "dev/fd/") || strings.Contains(file, "/fd/")
}

// longOptions are those of bash that take no value.
var longOptions = strings.Fields("--debugger --dump-po-strings --dump-strings --login --noediting --noprofile --norc " +
	"--posix " +
	"--pretty-print --restricted --verbose")

// ofShell reads the arguments of a shell: -c makes the first operand a line. Without it that is a script, whose
// commands no rule sees, and without any operand the shell reads its commands from stdin.
func ofShell(name string, args []word) ([]launch, string) {
	isLine := false
	for len(args) > 0 {
		text := args[0].text
		if args[0].unsure() {
			return nil, computed(name)
		}
		isLong := strings.HasPrefix(text, "--")
		if text == "" || text[0] != '-' && text[0] != '+' || text == "+" {
			break
		}
		args = args[1:]
		if text == "--" || text == "-" {
			break
		}
		takes := false // a value
		switch {
		case text == "--version" || text == "--help":
			return nil, ""
		case text == "--rcfile" || text == "--init-file":
			takes = true
		case isLong && !slices.Contains(longOptions, text):
			return nil, "an option of " + name + " that is not known"
		case !isLong:
			isLine = isLine || text[0] == '-' && strings.Contains(text, "c")
			takes = strings.ContainsAny(text, "oO")
			if strings.Contains(text, "s") && !isLine {
				return nil, computed(name)
			}
		}
		if takes {
			args = args[min(1, len(args)):]
		}
	}
	switch {
	case len(args) == 0:
		return nil, computed(name)
	case isLine:
		return lineOf(name, args[:1])
	case args[0].unsure() || isStdin(args[0].text):
		return nil, computed(name)
	}
	return nil, ""
}

// ofForeignShell reads the arguments of a shell with a language of its own. -c makes the next one a line.
func ofForeignShell(name string, args []word) ([]launch, string) {
	if len(args) == 0 || args[0].unsure() || isStdin(args[0].text) {
		return nil, computed(name)
	}
	switch first := args[0].text; {
	case first == "--version", first == "--help", !strings.HasPrefix(first, "-"): // a script
		return nil, ""
	case first != "-c":
		return nil, computed(name)
	case len(args) != 2 || args[1].computed || !plainLine().MatchString(args[1].text),
		slices.Contains(foreignKeywords, strings.Fields(args[1].text)[0]):
		return nil, "a line of " + name
	}
	return lineOf(name, args[1:])
}

// found reads the arguments of find: its actions that run a command, whose {} is the file.
func found(args []word) (all []launch, opaque string) {
	for i := 0; i < len(args); i++ {
		w := args[i]
		isAction := slices.Contains([]string{"-exec", "-execdir", "-ok", "-okdir"}, w.text)
		if !isAction { // but for a computed word that may be one
			switch {
			case !w.computed || w.prefix != "":
				continue
			case w.several:
				return nil, computed("find")
			case i > 0 && strings.HasPrefix(args[i-1].text, "-"), // the value of a test
				!slices.ContainsFunc(args[i:], func(w word) bool { return w.text == ";" || w.text == "+" }):
				continue
			}
		}
		command := args[i+1:]
		for n, w := range command {
			if w.text == ";" || w.text == "+" && n > 0 && command[n-1].text == "{}" {
				command = command[:n]
				break
			}
		}
		some, opaque := replaced("find", command, "{}", false)
		if opaque != "" {
			return nil, opaque
		}
		all = append(all, some...)
		if isAction {
			i += len(command)
		}
	}
	return all, ""
}

// replaced is a command in which a text stands for arguments that are known only when it runs; "": none does. What
// follows the first of them is left out: more says that something does.
func replaced(by string, command []word, text string, more bool) ([]launch, string) {
	if i := slices.IndexFunc(command, func(w word) bool {
		return text != "" && strings.Contains(w.text, text)
	}); i >= 0 {
		// A line of a shell may use what was put into it.
		if i == 0 || isShell(command[0].text) {
			return nil, computed(by)
		}
		command, more = command[:i], true
	}
	if len(command) == 0 {
		return nil, ""
	}
	return []launch{{words: command, more: more, by: by}}, ""
}

// reached is the commands that a line runs behind wrappers, at any depth.
type reached struct {
	commands []command
	opaque   string // as a commandLine's
}

// reach finds what the commands of a line run.
func (l *commandLine) reach() *reached {
	r := &reached{}
	for _, c := range l.commands {
		r.follow(c, maxWrappers)
	}
	return r
}

// follow adds what one command runs. left is how many wrappers more it may go through.
func (r *reached) follow(c command, left int) {
	if r.opaque != "" {
		return
	}
	all, opaque := behind(c.words)
	if opaque == "" && c.more && len(c.words) > 0 {
		name := path.Base(c.words[0].text)
		// Arguments behind the line of a shell are its parameters. All others take them for more of what they run.
		isLine := len(all) > 0 && all[0].words == nil && (name == "eval" || !isShell(name))
		if isLine || len(all) == 0 && runsOthers(name) {
			opaque = computed(name)
		}
	}
	if len(all) > 0 && left == 0 || len(r.commands) > maxCommands {
		opaque = "too many commands in each other"
	}
	if opaque != "" {
		r.opaque = opaque
		return
	}
	for _, l := range all {
		commands := []command{{text: joined(l.words), words: l.words, more: l.more || c.more}}
		if l.words == nil {
			line := takeApart(l.line)
			if line.project != "" {
				r.opaque = line.project
				return
			}
			commands = line.commands
		}
		for _, command := range commands {
			command.by = l.by
			r.commands = append(r.commands, command)
			r.follow(command, left-1)
		}
	}
}

// runsOthers reports whether a program or builtin runs what its arguments say.
func runsOthers(name string) bool {
	_, runs := programs[name]
	return runs || isShell(name) || slices.Contains([]string{"source", ".", "alias", "trap"}, name)
}

func joined(words []word) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w.text)
	}
	return b.String()
}
