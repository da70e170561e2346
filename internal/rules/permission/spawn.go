package permission

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/internal/rules/shellline"
)

// This file reads commands that a tool takes in parts: a program, its arguments, its input and its environment.

// commandUse is what a tool that runs commands uses the argument of a key for.
type commandUse int

const (
	besideCommand commandUse = iota // anything else
	forPeople
	aShell // runs the line; or another program does
	someWords
	standardInput
	aText // standard input of a process
	environment
	aSession // perhaps a process
	aProcess // takes a line as input
	fileOrProgram
	aLine   // a shell line, or a list of words
	aScript // a shell line, or a program in another language
	someLines
	aProgram
	aVector // words that may be the whole command
)

// commandUseOf returns the use of a key by its name, as returned by keyName.
func commandUseOf(name string) commandUse {
	switch name {
	case "bash", "sh", "zsh", "powershell", "exec", "execute", "run", "shellline", "shellscript", "bashscript",
		"commandtorun", "commandtoexecute":
		return aLine
	case "script", "code", "codesnippet", "cellsource":
		return aScript
	case "argv", "popenargs":
		return aVector
	case "shell", "interpreter", "launcher", "runner", "wrapper", "shellpath", "shellexecutable":
		return aShell
	case "program", "executable", "exe", "binary", "bin", "prog", "entrypoint", "executablepath", "programpath",
		"binarypath", "commandpath", "commandname", "execfile", "execpath":
		return aProgram
	case "file", "filename":
		return fileOrProgram
	case "stdin", "stdintext", "stdindata", "standardinput", "input", "inputtext", "chars", "keys":
		return standardInput
	case "text", "content", "data":
		return aText
	case "vars", "variables":
		return environment
	case "pid", "processid", "terminalid", "shellid", "pressenter":
		return aProcess
	case "session", "sessionid", "pane", "paneid":
		return aSession
	case "subcommand", "prefixrule", "thought", "thoughts", "rationale", "purpose", "intent", "goal", "note", "notes",
		"comment", "comments", "context", "label", "name", "why", "task":
		return forPeople
	}
	for _, form := range [...]string{"line", "list", "array", "parts", "string", "str", "text"} {
		name = strings.TrimSuffix(name, form) // of commandLine or arg_list
	}
	one := strings.TrimSuffix(strings.TrimSuffix(name, "s"), "line")
	for _, end := range [...]string{"command", "cmd"} {
		switch {
		case strings.HasSuffix(name, end):
			return aLine
		case strings.HasSuffix(one, end):
			return someLines
		}
	}
	for _, end := range [...]string{"arg", "argument", "param", "parameter", "flag", "option", "opt", "switche"} {
		if strings.HasSuffix(one, end) {
			return someWords
		}
	}
	switch {
	case strings.HasPrefix(name, "env"), strings.HasSuffix(one, "env"):
		return environment
	case strings.HasSuffix(strings.TrimSuffix(name, "ing"), "reason"), strings.HasSuffix(name, "description"):
		return forPeople
	}
	return besideCommand
}

// parts are the parts of a command in one object besides its lines.
type parts struct {
	programs []string    // in front of the lines
	program  string      // if there is no line, but words
	words    [][2]string // arguments: as a program gets them, and joined by blanks
	isVector bool        // the words may be the whole command, as in Python's subprocess.run
	env      []byte      // assignments in front of the line
	stdin    string
	text     string     // for the process, perhaps
	process  commandUse // aProcess or aSession
	hints    []shellline.Hint
}

// add adds an argument of a tool that runs commands.
func (p *parts) add(in *input, use commandUse, name, value string) {
	p.isVector = p.isVector || name == "kwargs" || name == "captureoutput"
	isHint := use == besideCommand && in.kind == Shell && useOf(name) == useUnknown
	if use <= forPeople && !isHint {
		return
	}
	texts, isList := textsOf(value)
	isText := isList && value[0] == '"'
	joined := strings.Join(texts, "\n")
	switch use {
	case aProcess, aSession:
		p.process = max(p.process, use)
	case environment:
		p.addEnvironment(gjson.Parse(value))
	case standardInput:
		p.stdin += joined
	case aText:
		p.text = joined
	case fileOrProgram, aShell, aProgram:
		switch {
		case !isList: // shell=False of Python
			p.isVector = true
		case isText && (use == fileOrProgram || use == aShell && isShell(joined)):
			p.program = joined
		default:
			p.programs = append(p.programs, strings.TrimSpace(programText(texts[0])+" "+quotedWords(texts[1:])))
		}
	case someWords, aVector:
		p.isVector = p.isVector || use == aVector
		switch {
		case isText && isJSON(joined): // perhaps all arguments of the tool
			isList = false
		case isText:
			p.words = append(p.words, [2]string{joined, joined})
		case isList:
			p.words = append(p.words, [2]string{quotedWords(texts), strings.Join(texts, " ")})
		}
		isHint = !isList
	}
	if isHint && len(value) > 2 && strings.ContainsAny(value[:1], `"[{`) {
		text := string(strictjson.Compact(nil, value)) // without escapes of letters
		p.hints = append(p.hints, shellline.Hint{Text: text, Name: `the argument "` + name + `"`})
	}
}

// addEnvironment adds variables: an object, a list of names and values, or a list or text of NAME=value.
func (p *parts) addEnvironment(value gjson.Result) {
	set := func(name, value string) {
		if strings.HasPrefix(name, "BASH_FUNC_") {
			name = "BASH_FUNC_x" // of BASH_FUNC_x%%, which no line can set
		}
		if shellline.IsName(name) { // else no shell reads it
			p.env = append(p.env, name+"="+quotedWords([]string{value})+"; "...)
		}
	}
	switch text := value.String(); {
	case value.IsObject():
		name := cmp.Or(value.Get("name").String(), value.Get("key").String())
		if of := value.Get("value"); name != "" && of.Exists() {
			set(name, of.String())
			return
		}
		for name, member := range value.ForEach {
			set(name.String(), member.String())
		}
	case isJSON(text) && !value.IsArray():
		p.addEnvironment(gjson.Parse(text))
	case value.IsArray():
		for _, element := range value.ForEach {
			p.addEnvironment(element)
		}
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
	lines := slices.Clone(in.lines[start:])
	hasProgram := p.program != "" || p.isVector || in.kind == Shell // the words may have the program
	if len(lines)+len(p.programs) == 0 && hasProgram && len(p.words) > 0 {
		p.programs = []string{programText(p.program)}
	}
	if len(lines) == 0 {
		lines = []shellLine{{soft: in.kind == Unknown}}
	}
	for _, program := range p.programs {
		for _, line := range lines {
			line.text = strings.TrimSpace(program + " " + line.text)
			in.lines = append(in.lines, line)
		}
	}
	if p.process == aProcess {
		p.stdin = cmp.Or(p.stdin, p.text)
	}
	switch isLine := strings.TrimRight(p.stdin, "\r\n") != p.stdin || strings.HasSuffix(p.stdin, "\nEnter"); {
	case len(in.lines) > start:
	case in.kind == Unknown && p.stdin != "" && (p.process == aProcess || p.process == aSession && isLine):
		// For a shell, or another program.
		line := shellLine{text: typed("input", p.stdin), typed: true, soft: true}
		in.commandKey, in.lines = "input", append(in.lines, line)
	default:
		in.beside(p)
		return
	}
	for i := range in.lines[start:] {
		if line := &in.lines[start+i]; !line.typed {
			in.complete(start+i, p)
		}
	}
	for _, hint := range p.hints {
		if hint.Text[0] != '"' || hint.Text[1] == '-' { // perhaps further words
			hint.Text = in.lines[start].text + " " + hint.Text
		}
		in.hints = append(in.hints, hint)
	}
}

// complete adds the parts to a line.
func (in *input) complete(i int, p *parts) {
	line, env := in.lines[i], string(p.env)
	name := strings.TrimSpace(programText(line.text))
	if len(p.words) > 0 && !(line.soft && strings.Contains(name, "\n")) {
		add := func(text string) { in.lines = append(in.lines, shellLine{text: env + text, soft: line.soft}) }
		// A tool that does not know the arguments runs the line alone. A program alone, such as bash, is no such line.
		if in.recordedTool || name == line.text && strings.ContainsAny(name, " \t\n;&|") {
			add(name)
		}
		quoted, joined := name, ""
		for _, words := range p.words {
			if strings.HasPrefix(words[1], name+" ") { // the program stands in the arguments too
				add(words[0])
			}
			quoted, joined = quoted+" "+words[0], joined+" "+words[1]
		}
		in.addJoined(env, name, joined, len(p.words) > 1)
		line.text = quoted
	}
	switch text := quotedWords([]string{p.stdin}); {
	case p.stdin == "" || in.kind == Shell && in.commandKey == "input":
	case strings.ContainsAny(line.text, ";&|\n"):
		line.text = "{ " + line.text + "\n} <<< " + text
	default:
		line.text += " <<< " + text
	}
	in.lines[i].text = env + line.text
}

// addJoined adds the words of a command as a shell reads them if the tool joins them, perhaps in another order, unless
// the program runs a command in its arguments.
func (in *input) addJoined(env, program, words string, always bool) {
	if !always && !strings.ContainsAny(words, ";&|") && !strings.Contains(words, "$(") {
		return
	}
	if _, launches := shellline.Launch([]shellline.Word{{Text: program}}); !launches {
		in.lines = append(in.lines, shellLine{text: env + program + words, soft: true, joined: true})
	}
}

// vector adds the words of a command.
func (in *input) vector(words []string) {
	name := programText(words[0])
	in.lines = append(in.lines, shellLine{text: strings.TrimSpace(name + " " + quotedWords(words[1:]))})
	in.addJoined("", name, strings.TrimPrefix(strings.Join(words, " "), words[0]), false)
}

// programText returns a program for a line. It may hold arguments, except behind a folder of Windows.
func programText(program string) string {
	if len(program) > 2 && program[1:3] == `:\` && !strings.ContainsAny(program, "\"'`$;&|<>\n") {
		return quotedWords([]string{program})
	}
	return program
}

// quotedWords returns words for a line, each quoted where necessary.
func quotedWords(words []string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:@%+,"
	var line []byte
	for i, word := range words {
		if i > 0 {
			line = append(line, ' ')
		}
		if word == "" || strings.Trim(word, plain) != "" {
			word = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
		line = append(line, word...)
	}
	return string(line)
}

// isShell reports whether a text names a shell, perhaps with options that let it run a line: bash -lc.
func isShell(text string) bool {
	name, options, _ := strings.Cut(strings.TrimSpace(text), " ")
	return text == "" || shellline.IsShell(shellline.ProgramName(name)) &&
		(options == "" || strings.ContainsAny(options[:1], "-/") && !strings.ContainsAny(options, " '\""))
}
