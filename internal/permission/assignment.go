package permission

import (
	"slices"
	"strings"
)

// assigned adds what the value of a variable may have run: by the shell, by a shell that inherits the variable, or by
// a program that does.
func (l *launches) assigned(name string, value word) {
	text := value.text
	switch kind := kindOfVariable(name); {
	case text == "" && !value.computed:
		return
	case kind == shellDefines:
		l.fail("a variable that defines a function")
	case kind == shellReads: // a file, or options
		switch {
		case name == "BASHOPTS" || name == "SHELLOPTS":
			if value.computed || !optionsAreKnown(fixedWords(strings.ReplaceAll(text, ":", " "))) {
				l.fail(anOption)
			}
		case value.code || isStdin(text) || value.computed && variableOf(text) == "" && !strings.HasPrefix(text, "$HOME"):
			l.fail("a file that each shell runs first")
		}
	case kind == shellExpands && (value.code && !isPlainPrompt(text) || value.computed):
		l.fail("a prompt that runs commands")
	case kind == shellRuns && (value.code || value.computed):
		l.fail("a variable that holds a command")
	case kind == shellRuns:
		l.all = append(l.all, launch{line: text, by: name})
	case kind == shellCounts && !isNumber(value):
		if value.code || name != "LINES" && name != "COLUMNS" {
			l.fail("a number that is evaluated")
		}
		l.counts = true
	case kind == programRuns && value.code:
		l.fail("a variable that holds a command")
	}
	l.code = l.code || value.code
	if kind := kindOfVariable(name); kind == shellRunsAlone || kind == programRuns || strings.ContainsAny(text, " \t\n") {
		l.hints = append(l.hints, hint{text, "the value of " + name})
	}
}

// variableKind says what shells and programs do with the value of a variable.
type variableKind uint8

const (
	plainVariable  variableKind = iota
	shellReads                  // of a file that a shell runs, or of options
	shellExpands                // a shell expands it
	shellRuns                   // a shell runs it as a line
	shellRunsAlone              // a shell runs it as a command of one word
	shellCounts                 // a shell evaluates it as arithmetic
	programRuns                 // a program runs it
	shellDefines                // a shell reads it as a function
)

func kindOfVariable(name string) variableKind {
	switch name {
	case "BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS":
		return shellReads
	case "PS0", "PS1", "PS2", "PS3", "PS4", "PROMPT", "PROMPT2", "PROMPT3", "PROMPT4", "RPROMPT", "RPS1", "RPS2",
		"SPROMPT", "prompt", "psvar":
		return shellExpands
	case "PROMPT_COMMAND":
		return shellRuns
	case "NULLCMD", "READNULLCMD":
		return shellRunsAlone
	case "RANDOM", "SRANDOM", "OPTIND", "SECONDS", "LINENO", "HISTCMD", "BASHPID", "EPOCHSECONDS", "COLUMNS", "LINES",
		"HISTSIZE", "SAVEHIST", "TMOUT", "MAILCHECK", "KEYTIMEOUT", "LISTMAX", "DIRSTACKSIZE", "BAUD", "FUNCNEST",
		"LOGCHECK", "PERIOD", "UID", "EUID", "GID", "EGID", "TTYIDLE", "SHLVL", "PPID", "ERRNO", "TRY_BLOCK_ERROR",
		"BASH_ARGV0", "OPTERR":
		return shellCounts
	}
	if strings.HasPrefix(name, "BASH_FUNC_") {
		return shellDefines
	}
	for _, end := range []string{"EDITOR", "PAGER", "COMMAND", "CMD", "RSH", "SSH", "ASKPASS", "BROWSER", "LESSOPEN",
		"LESSCLOSE", "SHELL", "FLAGS", "VISUAL"} {
		if strings.HasSuffix(name, end) {
			return programRuns
		}
	}
	return plainVariable
}

// isTable reports whether zsh or bash keep a part of themselves in an array.
func isTable(name string) bool {
	switch name {
	case "aliases", "galiases", "saliases", "functions", "commands", "options", "parameters", "nameddirs", "userdirs",
		"path", "fpath", "module_path", "modules", "builtins", "BASH_ALIASES", "BASH_CMDS", "FUNCNAME", "DIRSTACK",
		"dirstack", "argv":
		return true
	}
	return strings.HasSuffix(name, "_functions") || strings.HasPrefix(name, "dis_")
}

// isPlainPrompt reports whether a prompt expands no more than variables by their names.
func isPlainPrompt(text string) bool {
	for {
		_, behind, ok := strings.Cut(text, "$")
		if !ok {
			return !strings.Contains(text, "`")
		}
		if strings.HasPrefix(behind, "(") || strings.HasPrefix(behind, "[") {
			return false
		}
		if braced, isBraced := strings.CutPrefix(behind, "{"); isBraced {
			name, _, ok := strings.Cut(braced, "}")
			if !ok || variableOf("$"+name) == "" {
				return false
			}
		}
		text = behind
	}
}

// sets is what a line changes for all words in it.
type sets struct {
	known bool
	home  bool // what ~ and $HOME stand for
	globs bool // a pattern that matches nothing is no word
}

// changes returns what the outermost line changes. It looks for names anywhere in it, in quotes too.
func (r *reader) changes() sets {
	if !r.changed.known {
		plain := strings.NewReplacer("'", "", `"`, "", `\`, "").Replace(r.outer)
		r.changed = sets{
			known: true,
			home:  setsHome(plain),
			globs: strings.Contains(strings.ToLower(strings.ReplaceAll(plain, "_", "")), "nullglob"),
		}
	}
	return r.changed
}

// setsHome reports whether the names of HOME, PWD or OLDPWD stand in a line in another way than to use them.
func setsHome(line string) bool {
	return slices.ContainsFunc([]string{"HOME", "PWD"}, func(name string) bool {
		for rest := line; ; {
			before, behind, ok := strings.Cut(rest, name)
			if !ok {
				return false
			}
			rest = behind
			before = strings.TrimSuffix(before, "OLD")
			braced := strings.HasSuffix(before, "${")
			switch {
			case !braced && !strings.HasSuffix(before, "$"),
				braced && strings.HasPrefix(strings.TrimPrefix(behind, ":"), "="):
			default:
				continue
			}
			if before == "" || !inName(before[len(before)-1]) && (behind == "" || !inName(behind[0])) {
				return true
			}
		}
	})
}

func inName(b byte) bool {
	return b == '_' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}
