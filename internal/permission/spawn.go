package permission

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
	"mvdan.cc/sh/v3/syntax"

	"github.com/hookrun/hookrun/internal/lazy"
	"github.com/hookrun/hookrun/internal/shellline"
)

// This file reads commands that a tool takes in parts: a program, its arguments and its environment.

// commandUse is what a tool that runs commands uses the argument of a key for.
type commandUse int

const (
	besideCommand commandUse = iota // anything else
	forPeople
	aShell // runs the line; or another program does
	someWords
	environment
	aProcess // takes a line as input
	aLine    // a shell line, or a list of words
	someLines
	aProgram
	aVector // a list of words, perhaps with the program
)

// commandUseOf returns the use of a key by its name, as returned by keyName. nested: the key is not of the arguments,
// but of an object in them, where some names rarely mean a command.
func commandUseOf(name string, nested bool) commandUse {
	switch name {
	case "command", "cmd", "commandline", "cmdline", "shellline", "shellscript", "bashscript", "commandtorun",
		"commandtoexecute", "commandtext", "commandstring":
		return aLine
	case "script", "code", "codesnippet", "cellsource", "bash", "sh", "zsh", "powershell", "exec":
		if !nested {
			return aLine
		}
	case "commands", "cmds", "commandlines":
		return someLines
	case "shell":
		return aShell
	case "program", "executable", "exe", "binary", "entrypoint":
		return aProgram
	case "args", "arguments", "params", "parameters", "arg", "argument", "cmdargs", "commandargs", "commandarguments",
		"extraargs", "additionalargs", "programargs", "flags", "options", "switches":
		return someWords
	case "argv":
		return aVector
	case "env", "envs", "environ", "environment", "envvars", "environmentvariables":
		return environment
	case "pid", "processid", "terminalid", "shellid":
		return aProcess
	case "subcommand", "prefixrule", "thought", "thoughts", "reasoning", "rationale", "purpose", "intent", "goal", "note",
		"notes", "comment", "comments", "context", "label", "name", "why", "task":
		return forPeople
	}
	switch {
	case strings.HasSuffix(name, "command"), strings.HasSuffix(name, "cmd"):
		return aLine
	case strings.HasSuffix(name, "commands"):
		return someLines
	}
	return besideCommand
}

// parts are the parts of a command in one object besides its lines.
type parts struct {
	programs   []string
	words      [][2]string // arguments as text for the line: as a program gets them, and as a shell reads them joined
	vectors    [][]string  // words that may be the whole command
	env        []byte      // assignments in front of the line
	typed      string      // text for a running process
	process    bool        // there is one
	hints      []shellline.Hint
	wordHints  []shellline.Hint // with further words of the command
	unreadable bool
}

// add adds an argument of a tool that runs commands.
func (p *parts) add(in *input, use commandUse, name, value string) {
	texts, isList := textsOf(value)
	isText := isList && value[0] == '"'
	hint := func() shellline.Hint {
		return shellline.Hint{Text: leavesOf(value), Name: "the argument " + strconv.Quote(name)}
	}
	switch {
	case use == aProcess:
		p.process = true
	case use == besideCommand && isText && name == "input" && in.kind == Unknown:
		p.typed = texts[0]
	case use == environment:
		p.addEnvironment(gjson.Parse(value))
	case use == besideCommand && in.kind == Shell && useOf(name) == useUnknown && strings.ContainsAny(value[:1], `"[{`):
		p.hints = append(p.hints, hint())
	case use == aProgram && isList, use == aShell && isText && !isShell(texts[0]):
		quoted, _ := wordsOf(texts[1:])
		p.programs = append(p.programs, strings.TrimSpace(programText(texts[0])+" "+quoted))
	case use != someWords && use != aVector:
	case isText:
		p.words = append(p.words, [2]string{texts[0], texts[0]})
	case isList:
		quoted, joined := wordsOf(texts)
		p.words, p.vectors = append(p.words, [2]string{quoted, joined}), append(p.vectors, texts)
		p.wordHints = append(p.wordHints, joinedHint(texts)...)
	case value != "[]" && value != "{}" && strings.ContainsAny(value[:1], "[{"):
		p.unreadable = p.unreadable || in.kind == Shell && strings.HasPrefix(name, "arg")
		p.wordHints = append(p.wordHints, hint())
	}
}

// addEnvironment adds variables: an object, a list of names and values, or a list or text of NAME=value.
func (p *parts) addEnvironment(value gjson.Result) {
	set := func(name, value string) {
		if strings.HasPrefix(name, "BASH_FUNC_") {
			name = "BASH_FUNC_x" // of BASH_FUNC_x%%, which no line can set
		}
		if syntax.ValidName(name) { // else no shell reads it
			p.env = append(p.env, name+"="+quotedWord(value)+"; "...)
		}
	}
	switch text := value.String(); {
	case value.IsArray():
		for _, element := range value.Array() {
			p.addEnvironment(element)
		}
	case value.IsObject():
		name, of := cmp.Or(value.Get("name").String(), value.Get("key").String()), value.Get("value")
		if set(name, leavesOf(of.Raw)); name != "" && of.Exists() {
			return
		}
		value.ForEach(func(name, member gjson.Result) bool {
			p.unreadable = p.unreadable || member.Type == gjson.JSON
			set(name.String(), leavesOf(member.Raw))
			return true
		})
	case isJSON(text):
		p.addEnvironment(gjson.Parse(text))
	default:
		for line := range strings.Lines(text) {
			if name, value, ok := strings.Cut(strings.TrimRight(line, "\r\n"), "="); ok {
				set(strings.TrimSpace(name), value)
			}
		}
	}
}

// join adds the parts to the lines of their object, which start at an index.
func (p *parts) join(in *input, start int) {
	if p.process && p.typed != "" && len(in.lines) == start {
		in.commandKey, in.lines = "input", append(in.lines, shellLine{text: typed("input", p.typed), typed: true})
	}
	lines := slices.Clone(in.lines[start:])
	for _, program := range p.programs {
		if len(in.lines) == start {
			in.lines = append(in.lines, shellLine{text: program, program: in.kind == Unknown})
		}
		for _, line := range lines {
			line.text = program + " " + line.text
			in.lines = append(in.lines, line)
		}
	}
	if len(p.words)+len(p.wordHints) > 0 {
		for i := range in.lines[start:] {
			p.addWords(in, start+i)
		}
	}
	for _, vector := range p.vectors { // the program stands in args too, or there alone
		if len(in.lines) > start && strings.HasPrefix(in.lines[start].text, vector[0]+" ") || in.commandKey == "argv" {
			in.vector(vector)
		}
	}
	if len(in.lines) == start {
		return
	}
	for i := range in.lines[start:] {
		if line := &in.lines[start+i]; !line.typed {
			line.text = string(p.env) + line.text
		}
	}
	in.hints, in.unreadableLine = append(in.hints, p.hints...), in.unreadableLine || p.unreadable
}

// addWords adds the arguments to a line.
func (p *parts) addWords(in *input, i int) {
	line := in.lines[i]
	if line.typed || line.program && strings.Contains(line.text, "\n") {
		return
	}
	// A tool that does not know the arguments runs the line alone. A program alone, such as bash, is no such line.
	name, all := programText(line.text), []string{}
	if in.recordedTool || name == line.text && strings.ContainsAny(strings.TrimSpace(name), " \t\n;&|") {
		all = append(all, name)
	}
	in.addHints(name, p.wordHints)
	quoted, joined, reversed := name, name, ""
	for _, words := range p.words { // options may stand in front
		quoted, joined, reversed = quoted+" "+words[0], joined+" "+words[1], " "+words[0]+reversed
	}
	in.lines[i].text = quoted
	for _, line.text = range append(all, joined, name+reversed) {
		if line.text != quoted {
			in.lines = append(in.lines, line)
		}
	}
}

// vector adds the words of a command as lines.
func (in *input) vector(words []string) {
	quoted, joined := wordsOf(words[1:])
	name := programText(words[0])
	in.addHints(name, joinedHint(words[1:]))
	in.lines = append(in.lines, shellLine{text: strings.TrimSuffix(name+" "+quoted, " ")})
	if joined != quoted {
		in.lines = append(in.lines, shellLine{text: name + " " + joined})
	}
}

// addHints adds texts that a tool may join to the command of a program, unless its words show what the program runs.
func (in *input) addHints(program string, hints []shellline.Hint) {
	if _, launches := shellline.Launch([]shellline.Word{{Text: program}}); !launches {
		for _, hint := range hints {
			hint.Text = program + " " + hint.Text
			in.hints = append(in.hints, hint)
		}
	}
}

// programText returns a program for a line. It may hold arguments, except behind a folder of Windows.
func programText(program string) string {
	if len(program) > 2 && program[1:3] == `:\` && !strings.ContainsAny(program, "\"'`$;&|<>\n") {
		return quotedWord(program)
	}
	return program
}

// wordsOf returns words for a line: quoted, as a program gets them, and with the operators among them, as a shell reads
// them if a tool joins them.
func wordsOf(words []string) (quoted, joined string) {
	for i, word := range words {
		text := " " + quotedWord(word)
		quoted += text
		isOperator := strings.Trim(word, ";&|<>12") == "" && strings.ContainsAny(word, ";&|<>")
		if isOperator && (word != ";" || i < len(words)-1) { // find ends a command with ;
			text = " " + word
		}
		joined += text
	}
	return strings.TrimSpace(quoted), strings.TrimSpace(joined)
}

// joinedHint returns words of which one has an operator in it. Some tools join them for a shell.
func joinedHint(words []string) []shellline.Hint {
	all := strings.Join(words, " ")
	if !strings.ContainsAny(all, ";&|") && !strings.Contains(all, "$(") {
		return nil
	}
	return []shellline.Hint{{Text: all, Name: "the list of words"}}
}

// quotedWord quotes a word for a shell where necessary.
func quotedWord(word string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:@%+,"
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// shellOption matches options that let a shell run a line.
var shellOption = lazy.Regexp{Text: `^(\s+(-+[A-Za-z]+|/[cCkKsS]))*\s*$`}

// isShell reports whether a text names a shell, perhaps with options that let it run a line: bash -lc.
func isShell(text string) bool {
	name, options, _ := strings.Cut(strings.TrimSpace(text), " ")
	return text == "" || shellline.IsShell(shellline.ProgramName(name)) && shellOption.Get().MatchString(" "+options)
}

// leavesOf returns all keys and texts in a value, and its numbers and words as they are.
func leavesOf(value string) string {
	v := gjson.Parse(value)
	if v.Type != gjson.JSON {
		return v.String()
	}
	var all []string
	v.ForEach(func(key, element gjson.Result) bool {
		all = append(all, key.String(), leavesOf(element.Raw))
		return true
	})
	return strings.Join(all, " ")
}
