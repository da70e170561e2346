package permission

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// Shells and builtins that run a text of their arguments, or stdin, as a line.

var (
	// posixShell is a shell that reads lines as bash does, as far as commands are found in them.
	posixShell = regexp.MustCompile(`^r?(?:ba|da|z|k|a|mk|lk|ok|pdk|lok|ya|po|hu|o)?sh(?:[0-9][0-9a-z.]*|-[0-9.]+|-static)?$`)
	// foreignShell is one with a language of its own.
	foreignShell = regexp.MustCompile(`^(?:fish|csh|tcsh|nu|elvish|xonsh|pwsh|powershell|rc|es|ion|murex|osh|ysh|oil|scsh)(?:\.exe)?$`)
)

func isShell(name string) bool {
	name = path.Base(name)
	return name == "eval" || posixShell.MatchString(name) || foreignShell.MatchString(name)
}

// plainLine is a line that all shells read alike. It does not begin with a word that comes before a command in one of them.
var plainLine = regexp.MustCompile(`^[A-Za-z0-9_./][A-Za-z0-9_./:,@+ -]*$`)

var foreignKeywords = []string{"and", "or", "not", "begin", "if", "else", "while", "for",
	"switch", "function", "do", "repeat", "foreach", "source", "end"}

// foreignLine reads the arguments of a shell with a language of its own. -c makes the next one a line.
func foreignLine(name string, args []word) ([]launch, string) {
	switch {
	case len(args) == 0 || args[0].unknown || isStdin(args[0].text):
		return nil, computed(name)
	case args[0].text == "--version", args[0].text == "--help":
		return nil, ""
	case args[0].text != "-c":
		if strings.HasPrefix(args[0].text, "-") {
			return nil, computed(name)
		}
		return nil, "" // a script
	case len(args) != 2 || args[1].computed || !plainLine.MatchString(args[1].text),
		slices.Contains(foreignKeywords, strings.Fields(args[1].text)[0]):
		return nil, "a line of " + name
	}
	return lineOf(name, args[1:])
}

// isStdin reports whether a path is one of those that stand for an open file, as /dev/stdin and /dev/fd/0 do.
func isStdin(file string) bool {
	file = path.Clean(file)
	return strings.HasSuffix(file, "dev/stdin") || strings.Contains(file, "dev/fd/") || strings.Contains(file, "/fd/")
}

// sourced reads the arguments of source. Rules do not see through scripts, but what comes from stdin may stand in the
// line.
func sourced(args []word) ([]launch, string) {
	if len(args) > 0 && args[0].text == "--" {
		args = args[1:]
	}
	if len(args) > 0 && (args[0].computed || strings.HasPrefix(args[0].text, "-") || isStdin(args[0].text)) {
		return nil, computed("source")
	}
	return nil, ""
}

// lineOption says where programs that run a line have it: in the value of an option.
type lineOption struct {
	options wrapper
	names   []string // of the options
	more    bool     // the line gets further arguments
}

var lineOptions = map[string]lineOption{
	"mapfile":   {options: wrapper{short: "d:n:O:s:tu:C:c:"}, names: []string{"C"}, more: true},
	"readarray": {options: wrapper{short: "d:n:O:s:tu:C:c:"}, names: []string{"C"}, more: true},
	"compgen":   {options: wrapper{short: "abcdefgjksuvo:A:G:W:F:C:X:P:S:V:"}, names: []string{"C"}, more: true},
	"complete":  {options: wrapper{short: "abcdefgjksuvprDEIo:A:G:W:F:C:X:P:S:"}, names: []string{"C"}, more: true},
	"script": {
		options: wrapper{short: "aefqc:I:O:B:T:m:t::o:E:hV", long: []string{
			"append", "command:", "echo:", "return", "flush", "force",
			"log-in:", "log-out:", "log-io:", "log-timing:",
			"logging-format:", "output-limit:", "quiet", "timing", "help", "version",
		}},
		names: []string{"c", "command"},
	},
	"su":      {options: suOptions, names: []string{"c", "command", "session-command"}},
	"runuser": {options: suOptions, names: []string{"c", "command", "session-command"}},
}

var suOptions = wrapper{short: "c:fg:G:lmpPs:u:w:hVT", long: []string{
	"command:", "session-command:", "fast", "group:",
	"supp-group:", "login",
	"preserve-environment", "pty", "no-pty", "shell:", "user:", "whitelist-environment:", "help", "version",
}}

// lines reads the lines in the options of a program, which may stand behind operands as well. runuser -u also has a command.
func (l *lineOption) lines(name string, args []word) (all []launch, opaque string) {
	for i := 0; i < len(args); i++ {
		switch text := args[i].text; {
		case args[i].unknown:
			return nil, computed(name)
		case text == "--":
			if name == "runuser" && i+1 < len(args) {
				all = append(all, launch{words: args[i+1:], by: name})
			}
			return all, ""
		case len(text) < 2 || text[0] != '-':
			continue
		}
		options, ok := l.options.options(args[i].text)
		if !ok {
			return nil, "an option of " + name + " that is not known"
		}
		for _, o := range options {
			value := word{text: o.value, computed: args[i].computed}
			if o.wants {
				if i++; i == len(args) {
					return all, ""
				}
				value = args[i]
			}
			if !slices.Contains(l.names, o.name) {
				continue
			}
			if value.computed {
				return nil, computed(name)
			}
			line := value.text
			if l.more {
				line += ` "$@"`
			}
			all = append(all, launch{line: line, by: name})
		}
	}
	return all, ""
}

// aliased reads the arguments of alias, whose values are lines for later.
func aliased(args []word) (all []launch, opaque string) {
	for _, w := range args {
		_, line, ok := strings.Cut(w.text, "=")
		switch {
		case w.computed:
			return nil, computed("alias")
		case ok:
			all = append(all, launch{line: line + ` "$@"`, by: "alias"})
		}
	}
	return all, ""
}

// watched reads the arguments of watch: without -x it joins them to a line.
func watched(args []word) ([]launch, string) {
	w := wrapper{short: "bcCd::egn:pq:rs:twxfhv", long: []string{
		"beep", "color", "no-color", "differences", "errexit", "chgexit", "interval:",
		"precise", "no-rerun", "shotsdir:", "no-title", "no-wrap", "exec", "equexit:", "help", "version",
	}}
	all, opaque := w.command("watch", args)
	if opaque != "" || len(all) == 0 {
		return all, opaque
	}
	return lineOf("watch", all[0].words)
}
