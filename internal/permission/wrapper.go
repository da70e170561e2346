package permission

import (
	"path"
	"slices"
	"strings"
)

// Programs and builtins that run another command, which stands in their arguments. Claude Code looks behind xargs
// alone. A project's own rule looks behind all of these, since `timeout 5 git push` is a `git push`.
//
// This file knows words of one simple command and no syntax of the shell.

// maxWrappers bounds how many of them may stand before one command.
const maxWrappers = 32

// wrapper says where the command begins in the arguments of a program.
type wrapper struct {
	// short are its options of one letter, as getopt has them: a colon follows one that takes a value, two follow one
	// that takes it only when it is attached. long are the others, with a colon behind those that take a value.
	short string
	long  []string
	// assigns: NAME=value may stand before the command. operands is how many other words stand there.
	assigns  bool
	operands int
	// idle are options of one letter with which it runs nothing.
	idle string
}

var wrappers = map[string]wrapper{
	"builtin": {},
	"busybox": {},
	"toybox":  {},
	"command": {short: "pvV", idle: "vV"},
	"coproc":  {assigns: true},
	"doas":    {short: "a:C:u:nsL"},
	"env": {short: "i0vu:C:S:P:a:", assigns: true,
		long: []string{"ignore-environment", "null", "debug", "unset:", "chdir:", "split-string:", "argv0:",
			"block-signal", "default-signal", "ignore-signal", "list-signal-handling"}},
	"exec":   {short: "cla:"},
	"ionice": {short: "c:n:tp:P:u:", long: []string{"class:", "classdata:", "ignore"}},
	"nice":   {short: "n:0123456789", long: []string{"adjustment:"}},
	"nohup":  {},
	"setsid": {short: "cfw", long: []string{"ctty", "fork", "wait"}},
	"stdbuf": {short: "i:o:e:", long: []string{"input:", "output:", "error:"}},
	"sudo": {short: "AbBEHnPSskiKlveu:g:h:p:C:c:r:t:T:U:D:R:a:", assigns: true,
		long: []string{
			"askpass",
			"background",
			"bell",
			"preserve-env",
			"edit",
			"group:",
			"set-home",
			"host:",
			"login",
			"list",
			"non-interactive",
			"preserve-groups",
			"prompt:",
			"role:",
			"stdin",
			"shell",
			"type:",
			"command-timeout:",
			"other-user:",
			"user:",
			"chdir:",
			"chroot:",
		}},
	"time": {short: "pavqVf:o:", assigns: true,
		long: []string{"append", "format:", "output:", "portability", "quiet", "verbose"}},
	"timeout": {short: "fpvs:k:", operands: 1,
		long: []string{"signal:", "kill-after:", "foreground", "preserve-status", "verbose"}},
	"xargs": {short: "0rtpxoa:d:E:e::I:J:i::L:l::n:P:s:R:S:",
		long: []string{
			"null",
			"no-run-if-empty",
			"verbose",
			"interactive",
			"exit",
			"open-tty",
			"show-limits",
			"arg-file:",
			"delimiter:",
			"eof",
			"replace",
			"max-lines",
			"max-args:",
			"max-procs:",
			"max-chars:",
			"process-slot-var:",
		}},
}

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
	name := path.Base(words[0].text)
	switch name {
	case "eval":
		if len(words) > 1 && words[1].text == "--" {
			words = words[1:]
		}
		return lineOf(name, words[1:])
	case "trap":
		return trapped(words[1:])
	case "source", ".":
		return sourced(words[1:])
	case "alias":
		return aliased(words[1:])
	case "watch":
		return watched(words[1:])
	case "find":
		return found(words[1:])
	}
	if posixShell.MatchString(name) {
		return shellLine(name, words[1:])
	}
	if foreignShell.MatchString(name) {
		return foreignLine(name, words[1:])
	}
	if l, ok := lineOptions[name]; ok {
		return l.lines(name, words[1:])
	}
	w, ok := wrappers[name]
	if !ok {
		return nil, ""
	}
	return w.command(name, words[1:])
}

// lineOf joins words to a line for the shell.
func lineOf(by string, words []word) ([]launch, string) {
	var texts []string
	for _, w := range words {
		if w.computed {
			return nil, computed(by)
		}
		texts = append(texts, w.text)
	}
	return []launch{{line: strings.Join(texts, " "), by: by}}, ""
}

func computed(by string) string { return "what " + by + " runs, which is known only then" }

// trapped reads the arguments of trap: the first one is a line, unless it is an option or all there is.
func trapped(args []word) ([]launch, string) {
	if len(args) > 0 && args[0].text == "--" {
		args = args[1:]
	}
	if len(args) < 2 || strings.HasPrefix(args[0].text, "-") {
		return nil, ""
	}
	return lineOf("trap", args[:1])
}

// longOptions are those of bash that take no value.
var longOptions = []string{"--debugger", "--dump-po-strings", "--dump-strings", "--login", "--noediting", "--noprofile", "--norc", "--posix",
	"--pretty-print", "--restricted", "--verbose"}

// shellLine reads the arguments of a shell: -c makes the first operand a line. Without it that is a script, whose
// commands no rule sees, and without any operand the shell reads its commands from stdin.
func shellLine(name string, args []word) ([]launch, string) {
	isLine := false
	for len(args) > 0 {
		w := args[0]
		text := w.text
		if w.unknown {
			return nil, computed(name)
		}
		if text == "--" || text == "-" {
			args = args[1:]
			break
		}
		if len(text) < 2 || text[0] != '-' && text[0] != '+' {
			break
		}
		args = args[1:]
		if strings.HasPrefix(text, "--") {
			if text == "--version" || text == "--help" {
				return nil, ""
			}
			if text == "--rcfile" || text == "--init-file" {
				args = args[min(1, len(args)):]
			} else if !slices.Contains(longOptions, text) {
				return nil, "an option of " + name + " that is not known"
			}
			continue
		}
		isLine = isLine || text[0] == '-' && strings.Contains(text, "c")
		if strings.ContainsAny(text, "oO") { // the name of an option follows
			args = args[min(1, len(args)):]
		}
		if strings.Contains(text, "s") && !isLine {
			return nil, computed(name)
		}
	}
	switch {
	case len(args) == 0:
		return nil, computed(name)
	case isLine:
		return lineOf(name, args[:1])
	case args[0].unknown || isStdin(args[0].text):
		return nil, computed(name)
	}
	return nil, ""
}

// found reads the arguments of find: its actions that run a command, whose {} is the file.
func found(args []word) (all []launch, opaque string) {
	for i := 0; i < len(args); i++ {
		switch args[i].text {
		case "-exec", "-execdir", "-ok", "-okdir":
		default:
			if w := args[i]; !w.computed || w.prefix != "" {
				continue
			} else if w.several {
				return nil, computed("find")
			} else if i > 0 && strings.HasPrefix(args[i-1].text, "-") ||
				!slices.ContainsFunc(args[i:], func(w word) bool { return w.text == ";" || w.text == "+" }) {
				continue
			}
			// It may be -exec.
			if s, opaque := found(append([]word{{text: "-exec"}}, args[i+1:]...)); opaque != "" {
				return nil, opaque
			} else {
				all = append(all, s...)
			}
			continue
		}
		var command []word
		for i++; i < len(args) && args[i].text != ";"; i++ {
			if args[i].text == "+" && len(command) > 0 && command[len(command)-1].text == "{}" {
				break
			}
			command = append(command, args[i])
		}
		s, opaque := replaced("find", command, "{}", false)
		if opaque != "" {
			return nil, opaque
		}
		all = append(all, s...)
	}
	return all, ""
}

// replaced is a command in which a text stands for arguments that are known only when it runs; "": none does. What
// follows the first of them is left out: more says that something does.
func replaced(by string, command []word, text string, more bool) ([]launch, string) {
	if i := slices.IndexFunc(command, func(w word) bool { return text != "" && strings.Contains(w.text, text) }); i >= 0 {
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

// command reads the arguments up to the command that they run.
func (w *wrapper) command(name string, args []word) ([]launch, string) {
	placeholder, split := "", ""
	runs := true
	for len(args) > 0 {
		text := args[0].text
		switch {
		case args[0].unknown:
			return nil, computed(name)
		case name == "time" && text == "!", name == "env" && text == "-":
			args = args[1:]
			continue
		}
		if len(text) < 2 || text[0] != '-' {
			break
		}
		args = args[1:]
		if text == "--" {
			break
		}
		options, ok := w.options(text)
		if !ok {
			return nil, "an option of " + name + " that is not known"
		}
		for _, o := range options {
			if o.wants {
				if len(args) == 0 {
					return nil, ""
				}
				if args[0].unknown {
					return nil, computed(name)
				}
				o.value, args = args[0].text, args[1:]
			}
			switch {
			case len(o.name) == 1 && strings.Contains(w.idle, o.name):
				runs = false
			case name == "xargs" && (o.name == "I" || o.name == "J"):
				placeholder = o.value
			case name == "xargs" && (o.name == "i" || o.name == "replace"):
				if placeholder = o.value; placeholder == "" {
					placeholder = "{}"
				}
			case name == "env" && (o.name == "S" || o.name == "split-string"):
				split = o.value
			}
		}
		if split != "" { // its words stand in its place
			if strings.ContainsAny(split, "\\\"'$#") {
				return nil, "-S of env with more than words"
			}
			var front []word
			for _, field := range strings.Fields(split) {
				front = append(front, word{text: field})
			}
			args, split = append(front, args...), ""
		}
	}
	for operands := w.operands; len(args) > 0; args = args[1:] {
		switch assigns := w.assigns && strings.Contains(args[0].text, "="); {
		case args[0].unknown:
			return nil, computed(name)
		case args[0].text == "--":
		case !assigns && operands == 0:
			if !runs {
				return nil, ""
			}
			return replaced(name, args, placeholder, name == "xargs" && placeholder == "")
		case !assigns:
			operands--
		}
	}
	return nil, ""
}

// option is one option. wants: its value is the next word.
type option struct {
	name, value string
	wants       bool
}

// options reads a word that begins with -. A long one may be cut to what only one option begins with.
func (w *wrapper) options(text string) (all []option, ok bool) {
	if text, isLong := strings.CutPrefix(text, "--"); isLong {
		name, value, has := strings.Cut(text, "=")
		var meant []string
		for _, long := range w.long {
			bare := strings.TrimSuffix(long, ":")
			if bare == name {
				meant = []string{long}
				break
			}
			if strings.HasPrefix(bare, name) {
				meant = append(meant, long)
			}
		}
		if len(meant) != 1 {
			return nil, false
		}
		bare, takes := strings.CutSuffix(meant[0], ":")
		return []option{{bare, value, takes && !has}}, true
	}
	for letters := text[1:]; letters != ""; {
		letter := letters[:1]
		letters = letters[1:]
		i := strings.Index(w.short, letter)
		if i < 0 || letter == ":" {
			return nil, false
		}
		switch behind := w.short[i+1:]; {
		case strings.HasPrefix(behind, "::"):
			return append(all, option{name: letter, value: letters}), true
		case strings.HasPrefix(behind, ":"):
			return append(all, option{letter, letters, letters == ""}), true
		}
		all = append(all, option{name: letter})
	}
	return all, true
}

// reached is the commands that a line runs behind wrappers, at any depth.
type reached struct {
	commands []reachedCommand
	opaque   string // as a commandLine's
}

type reachedCommand struct {
	text  string
	words []word
	more  bool // it gets further arguments, which are known only when it runs
	by    string
}

// reach finds what the commands of a line run.
func (l *commandLine) reach() (r reached) {
	for _, words := range l.words {
		r.follow(words, false, maxWrappers)
	}
	return r
}

// follow adds what one command runs. more: it gets further arguments, which are known only when it runs. left is how
// many wrappers more it may go through.
func (r *reached) follow(words []word, more bool, left int) {
	all, opaque := behind(words)
	if opaque == "" && more && len(words) > 0 {
		name := path.Base(words[0].text)
		// Arguments behind the line of a shell are its parameters. All others take them for more of what they run.
		isLine := len(all) > 0 && all[0].words == nil && (name == "eval" || !isShell(name))
		if isLine || len(all) == 0 && runsOthers(name) {
			opaque = computed(name)
		}
	}
	switch {
	case r.opaque != "":
		return
	case opaque != "":
		r.opaque = opaque
		return
	case len(all) > 0 && left == 0, len(r.commands) > maxCommands:
		r.opaque = "too many commands in each other"
		return
	}
	for _, s := range all {
		if s.words == nil {
			line := takeApartMore(s.line)
			r.opaque = line.opaque
			for i, command := range line.commands {
				r.commands = append(r.commands, reachedCommand{text: command, words: line.words[i], by: s.by})
				r.follow(line.words[i], false, left-1)
			}
			continue
		}
		s.more = s.more || more
		r.commands = append(r.commands, reachedCommand{joined(s.words), s.words, s.more, s.by})
		r.follow(s.words, s.more, left-1)
	}
}

// runsOthers reports whether a program or builtin runs what its arguments say.
func runsOthers(name string) bool {
	_, wraps := wrappers[name]
	_, hasLine := lineOptions[name]
	return wraps || hasLine || isShell(name) || slices.Contains([]string{"source", ".", "alias", "watch", "trap"}, name)
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
