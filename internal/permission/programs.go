package permission

import (
	"cmp"
	"slices"
	"strings"
)

// program says where a program has what it runs. It knows words of one simple command and no syntax of the shell.
type program struct {
	// short are its options of one letter, as getopt has them: a colon follows one that takes a value, two follow one
	// that takes it only when it is attached. long are the others, with a colon behind those that take a value.
	short, long string
	// assigns: NAME=value may stand before the command. operands is how many other words stand there.
	assigns  bool
	operands int
	// idle are options of one letter with which it runs nothing.
	idle string
	// lines are the options whose value is a line for a shell. Options then stand behind operands as well, and those
	// are no command. parameters: the line gets further arguments.
	lines      string
	parameters bool
}

// programs are those that run another command, which stands in their arguments. Claude Code looks behind xargs alone. A
// project's own rule looks behind all of these, since `timeout 5 git push` is a `git push`.
var programs = map[string]program{
	"builtin": {},
	"busybox": {},
	"toybox":  {},
	"command": {short: "pvV", idle: "vV"},
	"coproc":  {assigns: true},
	"doas":    {short: "a:C:u:nsL"},
	"env": {short: "i0vu:C:S:P:a:", assigns: true, long: "ignore-environment null debug unset: chdir: " +
		"split-string: argv0: block-signal default-signal ignore-signal list-signal-handling"},
	"exec":   {short: "cla:"},
	"ionice": {short: "c:n:tp:P:u:", long: "class: classdata: ignore"},
	"nice":   {short: "n:0123456789", long: "adjustment:"},
	"nohup":  {},
	"setsid": {short: "cfw", long: "ctty fork wait"},
	"stdbuf": {short: "i:o:e:", long: "input: output: error:"},
	"sudo": {short: "AbBEHnPSskiKlveu:g:h:p:C:c:r:t:T:U:D:R:a:", assigns: true, long: "askpass background bell " +
		"preserve-env edit group: set-home host: login list non-interactive preserve-groups prompt: role: stdin " +
		"shell " +
		"type: command-timeout: other-user: user: chdir: chroot:"},
	"time": {short: "pavqVf:o:", assigns: true, long: "append format: output: portability quiet verbose"},
	"timeout": {short: "fpvs:k:", operands: 1,
		long: "signal: kill-after: foreground preserve-status verbose"},
	"watch": {short: "bcCd::egn:pq:rs:twxfhv", long: "beep color no-color differences errexit chgexit interval: " +
		"precise no-rerun shotsdir: no-title no-wrap exec equexit: help version"},
	"xargs": {short: "0rtpxoa:d:E:e::I:J:i::L:l::n:P:s:R:S:", long: "null no-run-if-empty verbose interactive exit " +
		"open-tty show-limits arg-file: delimiter: eof replace max-lines max-args: max-procs: max-chars: " +
		"process-slot-var:"},

	"mapfile":   {short: "d:n:O:s:tu:C:c:", lines: "C", parameters: true},
	"readarray": {short: "d:n:O:s:tu:C:c:", lines: "C", parameters: true},
	"compgen":   {short: "abcdefgjksuvo:A:G:W:F:C:X:P:S:V:", lines: "C", parameters: true},
	"complete":  {short: "abcdefgjksuvprDEIo:A:G:W:F:C:X:P:S:", lines: "C", parameters: true},
	"script": {short: "aefqc:I:O:B:T:m:t::o:E:hV", lines: "c command", long: "append command: echo: return flush " +
		"force log-in: log-out: log-io: log-timing: logging-format: output-limit: quiet timing help version"},
	"su":      suOptions,
	"runuser": suOptions,
}

var suOptions = program{short: "c:fg:G:lmpPs:u:w:hVT", lines: "c command session-command",
	long: "command: session-command: fast group: supp-group: login preserve-environment pty no-pty shell: user: " +
		"whitelist-environment: help version"}

// option is one option.
type option struct {
	name  string
	value word
}

// options takes the options of the first argument, which begins with -, and their value, which may be the next one.
// There are none where that is missing, and nothing runs. ok: all of them are known.
func (p *program) options(args []word) (all []option, rest []word, ok bool) {
	text, rest := args[0].text, args[1:]
	takes := false // the last one takes the next word for its value
	if text, isLong := strings.CutPrefix(text, "--"); isLong {
		name, value, attached := strings.Cut(text, "=")
		if name, ok = p.longOption(name); !ok {
			return nil, nil, false
		}
		name, takes = strings.CutSuffix(name, ":")
		takes = takes && !attached
		all = []option{{name, word{text: value}}}
	} else {
		for letters := text[1:]; letters != ""; {
			letter := letters[:1]
			letters = letters[1:]
			_, behind, known := strings.Cut(p.short, letter)
			if !known || letter == ":" {
				return nil, nil, false
			}
			o := option{name: letter}
			if strings.HasPrefix(behind, ":") {
				takes = letters == "" && !strings.HasPrefix(behind, "::")
				o.value.text, letters = letters, ""
			}
			all = append(all, o)
		}
	}
	if !takes {
		return all, rest, true
	}
	if len(rest) == 0 {
		return nil, nil, true
	}
	all[len(all)-1].value = rest[0]
	return all, rest[1:], true
}

// longOption finds an option, which may be cut to what only one begins with.
func (p *program) longOption(name string) (option string, ok bool) {
	var meant []string
	for _, known := range strings.Fields(p.long) {
		switch bare := strings.TrimSuffix(known, ":"); {
		case bare == name:
			return known, true
		case strings.HasPrefix(bare, name):
			meant = append(meant, known)
		}
	}
	if len(meant) != 1 {
		return "", false
	}
	return meant[0], true
}

// runs reads the arguments of the program for what it runs.
func (p *program) runs(name string, args []word) (all []launch, opaque string) {
	placeholder, idle := "", false
	for len(args) > 0 {
		text := args[0].text
		isOption := len(text) > 1 && text[0] == '-'
		switch {
		case args[0].unsure():
			return nil, computed(name)
		case !isOption && p.lines != "", name == "time" && text == "!", name == "env" && text == "-":
			args = args[1:]
			continue
		}
		if !isOption || text == "--" {
			break
		}
		options, rest, ok := p.options(args)
		if !ok {
			return nil, "an option of " + name + " that is not known"
		}
		args = rest
		for _, o := range options {
			value := o.value.text
			switch isLine := slices.Contains(strings.Fields(p.lines), o.name); {
			case isLine && o.value.computed, p.lines == "" && o.value.unsure():
				return nil, computed(name)
			case isLine && p.parameters:
				all = append(all, launch{line: value + ` "$@"`, by: name})
			case isLine:
				all = append(all, launch{line: value, by: name})
			case len(o.name) == 1 && strings.Contains(p.idle, o.name):
				idle = true
			case name == "xargs" && (o.name == "I" || o.name == "J"):
				placeholder = value
			case name == "xargs" && (o.name == "i" || o.name == "replace"):
				placeholder = cmp.Or(value, "{}")
			case name == "env" && (o.name == "S" || o.name == "split-string"): // its words stand in its place
				if strings.ContainsAny(value, "\\\"'$#") {
					return nil, "-S of env with more than words"
				}
				args = slices.Concat(fixedWords(value), args)
			}
		}
	}
	if idle || p.lines != "" && name != "runuser" {
		return all, ""
	}
	for operands := p.operands; len(args) > 0; args = args[1:] {
		switch assigns := p.assigns && strings.Contains(args[0].text, "="); {
		case args[0].unsure():
			return nil, computed(name)
		case args[0].text == "--", assigns:
		case operands > 0:
			operands--
		default:
			behind, opaque := replaced(name, args, placeholder, name == "xargs" && placeholder == "")
			return append(all, behind...), opaque
		}
	}
	return all, ""
}

func fixedWords(text string) (words []word) {
	for _, field := range strings.Fields(text) {
		words = append(words, word{text: field})
	}
	return words
}
