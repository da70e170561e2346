package shellline

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/hookrun/hookrun/internal/lib/lazy"
)

// Assignment is a value that a line gives to a variable.
type Assignment struct {
	Name  string
	Value Word
}

// addValue adds the commands that the value of a variable may run: in the shell, in a shell that inherits the variable,
// or in a program.
func (l *launches) addValue(name string, value Word) {
	if value.Text == "" && !value.Computed {
		return
	}
	l.assignments = append(l.assignments, Assignment{name, value})
	element, _, isElement := strings.Cut(name, "[")
	if isElement && isTable(element) {
		l.opaque.add(Opaque{"an element of " + element, true})
	}
	switch element {
	case "PATH", "FPATH", "ZDOTDIR", "path", "fpath":
		l.script = true
	}
	kind := kindOfVariable(element)
	if !l.addShellUse(kind, name, value) {
		l.opaque.add(Opaque{"the value of " + name, kind == shellDefines || kind == shellReads || kind == shellRuns})
	}
	l.code = l.code || value.Code
	if kind == shellRunsAlone || kind == programRuns || strings.ContainsAny(value.Text, " \t\n") {
		l.hints = append(l.hints, Hint{Text: value.Text, Name: "the value of " + name})
	}
}

// addShellUse adds the commands that a shell runs because of the value. It returns false if only the shell knows them.
func (l *launches) addShellUse(kind variableKind, name string, value Word) bool {
	text := value.Text
	switch kind {
	case shellDefines:
		return false
	case shellReads:
		l.script = true
		return !value.Code && !IsStdin(text) && (!value.Computed || variableOf(text) != "")
	case shellSets:
		return !value.Computed && optionsAreKnown(fixedWords(strings.ReplaceAll(text, ":", " ")))
	case shellExpands:
		if isText := value.Code && !strings.ContainsAny(text, "\"\\\n"); isText && !value.Computed {
			l.list = append(l.list, launch{line: `: "` + text + `"`, by: name})
			return true
		}
		return !value.Computed && (!value.Code || isPlainPrompt(text))
	case shellRuns:
		l.list = append(l.list, launch{line: text, by: name})
		return !value.Code && !value.Computed
	case shellEvaluates:
		return isNumber(value)
	case zshEvaluates:
		l.zshArithmetic = l.zshArithmetic || !isNumber(value)
		return !value.Code
	case programRuns:
		return !value.Code
	}
	return true
}

// variableKind is how shells and programs use the value of a variable.
type variableKind uint8

const (
	plainVariable  variableKind = iota
	shellReads                  // a shell runs the file of this name
	shellSets                   // a shell sets these options
	shellExpands                // a shell expands the value
	shellRuns                   // a shell runs the value as a line
	shellRunsAlone              // a shell runs the value as a command of one word
	shellEvaluates              // shells evaluate the value as arithmetic
	zshEvaluates                // only zsh evaluates the value as arithmetic
	shellDefines                // a shell reads the value as a function
	programRuns                 // a program runs the value
)

func kindOfVariable(name string) variableKind {
	switch name {
	case "BASH_ENV", "ENV":
		return shellReads
	case "SHELLOPTS", "BASHOPTS":
		return shellSets
	case "PS0", "PS1", "PS2", "PS3", "PS4", "PROMPT", "PROMPT2", "PROMPT3", "PROMPT4", "RPROMPT", "RPS1", "RPS2",
		"SPROMPT", "prompt", "psvar":
		return shellExpands
	case "PROMPT_COMMAND", "STTY":
		return shellRuns
	case "NULLCMD", "READNULLCMD":
		return shellRunsAlone
	case "RANDOM", "SRANDOM", "OPTIND", "SECONDS", "LINENO", "HISTCMD", "BASHPID", "EPOCHSECONDS",
		"HISTSIZE", "SAVEHIST", "TMOUT", "MAILCHECK", "KEYTIMEOUT", "LISTMAX", "DIRSTACKSIZE", "BAUD", "FUNCNEST",
		"LOGCHECK", "PERIOD", "UID", "EUID", "GID", "EGID", "TTYIDLE", "SHLVL", "PPID", "ERRNO", "TRY_BLOCK_ERROR",
		"BASH_ARGV0", "OPTERR":
		return shellEvaluates
	case "COLUMNS", "LINES":
		return zshEvaluates
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

// isTable reports whether the array of this name holds state of zsh or bash, such as the aliases.
func isTable(name string) bool {
	return InList("aliases galiases saliases functions commands options parameters nameddirs userdirs path fpath "+
		"module_path modules builtins BASH_ALIASES BASH_CMDS FUNCNAME DIRSTACK dirstack argv", name) ||
		strings.HasSuffix(name, "_functions") || strings.HasPrefix(name, "dis_")
}

// isPlainPrompt reports whether a prompt expands only variables by their names.
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

// outerLine is the line that contains other lines, and its effects on the words in all of them.
type outerLine struct {
	text string

	parsed   bool // the fields below are set
	home     bool // the line changes the meaning of ~ and $HOME
	nullGlob bool // the line may remove a pattern without a match
	defines  bool // the line may define a function or an alias

	names map[string]bool // as in sets; nil: not computed yet
}

// changes returns the effects of the outermost line. It searches the whole line for the names, quoted text too.
func (r *reader) changes() *outerLine {
	if o := r.outer; !o.parsed {
		plain := withoutQuotes(o.text)
		*o = outerLine{
			text:     o.text,
			names:    o.names,
			parsed:   true,
			home:     setsHome(plain),
			nullGlob: strings.Contains(strings.ToLower(strings.ReplaceAll(plain, "_", "")), "nullglob"),
			defines:  definition.Get().MatchString(o.text),
		}
	}
	return r.outer
}

func withoutQuotes(text string) string {
	return strings.NewReplacer("'", "", `"`, "", `\`, "").Replace(text)
}

// setsHome reports whether HOME, PWD or OLDPWD appears in a line other than as a use of the variable.
func setsHome(line string) bool {
	for _, at := range homeNames.Get().FindAllStringSubmatchIndex(line, -1) {
		before, behind := line[:at[2]], line[at[3]:]
		isBraced := strings.HasSuffix(before, "${")
		isUse := isBraced || strings.HasSuffix(before, "$")
		if !isUse || isBraced && strings.HasPrefix(strings.TrimPrefix(behind, ":"), "=") {
			return true
		}
	}
	return false
}

var homeNames = lazy.Regexp{Text: `\b(HOME|PWD|OLDPWD)\b`}

// assignment reads NAME, NAME=value or NAME+=value and returns it as a word.
func (r *reader) assignment(a *syntax.Assign, u role) Word {
	text := a.Name.Value
	switch {
	case a.Index != nil:
		return r.element(a)
	case a.Array != nil:
		r.failClient("parentheses in a command")
		return r.array(a)
	case a.Naked:
		if r.source(a) != text {
			r.fail("a line continued in a word")
		}
		return Word{Text: text, Source: r.source(a)}
	}
	operator := "="
	if a.Append {
		operator = "+="
	}
	// Package syntax reads ]=a[ and +=a[ as assignments; bash reads them as commands.
	if !syntax.ValidName(text) || !strings.HasPrefix(r.src[a.Pos().Offset():], text+operator) {
		r.fail("an assignment to no variable")
	}
	if a.Value == nil {
		r.noteSet(text)
		return Word{Text: text + operator, Source: r.source(a)}
	}
	value := r.word(a.Value, u)
	r.noteSetNumber(text, !a.Append && (isNumber(value) || r.printsNumber(r.source(a.Value))))
	r.line.values.addValue(text, value)
	text, value.Source = text+operator, r.source(a)
	value.Text = text + value.Text
	if value.Computed {
		value.Prefix = text + value.Prefix
	}
	return value
}

// element reads NAME[INDEX]=value, which dash takes for the name of a program, and returns it as a word.
func (r *reader) element(a *syntax.Assign) Word {
	const reason = "an element of an array"
	r.unusual(otherConstruct)
	r.failClient(reason)
	name, source := a.Name.Value, r.source(a)
	isPlain := syntax.ValidName(name) && kindOfVariable(name) == plainVariable && !isTable(name)
	if !isPlain || a.Value == nil || !plainElement.Get().MatchString(source) {
		r.failProject(reason)
		return Word{Text: source, Source: source}
	}
	r.index(a.Index)
	r.noteSet(name)
	value := r.word(a.Value, assigned)
	r.line.values.addValue(name, value)
	text := source[:strings.IndexByte(source, '=')+1]
	return Word{Text: text + value.Text, Computed: value.Computed, Prefix: text + value.Prefix, Code: value.Code,
		Source: source}
}

// plainElement matches an assignment to an element whose index has no meaning of its own.
var plainElement = lazy.Regexp{Text: `^[A-Za-z_][A-Za-z0-9_]*\[(?:[A-Za-z0-9_]+|\$[A-Za-z_][A-Za-z0-9_]*)\]\+?=`}
