package permission

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
	"mvdan.cc/sh/v3/syntax"

	"github.com/hookrun/hookrun/internal/shellline"
	"github.com/hookrun/hookrun/internal/strictjson"
)

// This file reads the commands of tools that take a command in parts: a program, its arguments and its environment.

// commandUse is what a tool that runs commands uses the argument of a key for.
type commandUse int

const (
	besideCommand commandUse = iota // anything else
	aLine                           // a shell line, or the words of a command
	someLines                       // several of those
	aShell                          // the shell that runs the line, or another program
	aProgram                        // the program that gets the other arguments
	someWords                       // arguments of the command
	aVector                         // arguments of the command, perhaps with the program first
	environment                     // variables
	forPeople                       // none of these
)

// commandUseOf returns the use of a key by its name, as returned by keyName. In an object inside of the arguments, only
// names count that hardly mean anything but a command.
func commandUseOf(name string, nested bool) commandUse {
	switch name {
	case "command", "cmd", "commandline", "cmdline", "shellline", "shellscript", "bashscript", "commandtorun",
		"commandtoexecute", "commandtext", "commandstring":
		return aLine
	case "script", "code", "bash", "sh", "zsh", "powershell", "exec":
		if !nested {
			return aLine
		}
	case "commands", "cmds", "commandlines":
		return someLines
	case "shell":
		return aShell
	case "program", "executable", "exe", "binary":
		return aProgram
	case "args", "arguments", "params", "parameters", "arg", "argument", "cmdargs", "commandargs", "commandarguments",
		"extraargs", "additionalargs", "programargs", "flags", "options", "switches":
		return someWords
	case "argv":
		return aVector
	case "env", "envs", "environ", "environment", "envvars", "environmentvariables":
		return environment
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
	words      []string        // arguments, as text for the line
	loose      bool            // some of them are operators, if a shell reads them
	looseWords []string        // the same words with the operators
	lists      [][]string      // the words that stand in lists
	vectors    [][]string      // words that are the whole command, perhaps
	env        strings.Builder // assignments in front of the line
	hints      []shellline.Hint
	wordHints  []shellline.Hint // hints that hold further words of the command
	unreadable bool
}

// add adds an argument of a tool that runs commands.
func (p *parts) add(in *input, use commandUse, name, value string) {
	texts, isList := textsOf(value)
	isText := isList && value[0] == '"'
	switch use {
	case aShell, aProgram:
		if isText && texts[0] != "" && !(use == aShell && isShell(texts[0])) {
			p.programs = append(p.programs, texts[0])
		}
	case someWords, aVector:
		switch {
		case isText:
			p.words, p.looseWords = append(p.words, texts[0]), append(p.looseWords, texts[0])
		case isList:
			quoted, loose, hint := wordsOf(texts)
			p.words, p.looseWords = append(p.words, quoted), append(p.looseWords, loose)
			p.loose, p.wordHints = p.loose || loose != quoted, append(p.wordHints, hint...)
			if p.lists = append(p.lists, texts); use == aVector {
				p.vectors = append(p.vectors, texts)
			}
		case value != "[]" && value != "{}" && strings.ContainsAny(value[:1], "[{"):
			p.unreadable = p.unreadable || in.kind == Shell && strings.HasPrefix(name, "arg")
			p.wordHints = append(p.wordHints, hintOf(name, value))
		}
	case environment:
		p.addEnvironment(gjson.Parse(value))
	case besideCommand:
		if in.kind == Shell && useOf(name) == useUnknown && strings.ContainsAny(value[:1], `"[{`) {
			p.hints = append(p.hints, hintOf(name, value))
		}
	}
}

// hintOf returns an argument that the tool may run in an unknown way.
func hintOf(name, value string) shellline.Hint {
	return shellline.Hint{Text: leavesOf(value), Name: "the argument " + strconv.Quote(name)}
}

// addEnvironment adds variables: an object, a list of names and values, or a list or text of NAME=value.
func (p *parts) addEnvironment(value gjson.Result) {
	switch {
	case value.IsObject():
		strictjson.Members(value.Raw, func(name, value string) bool {
			p.unreadable = p.unreadable || value[0] == '{' || value[0] == '['
			p.set(strictjson.Text(name), leavesOf(value))
			return true
		})
	case value.IsArray():
		value.ForEach(func(_, element gjson.Result) bool {
			switch name := cmp.Or(element.Get("name").Raw, element.Get("key").Raw); {
			case element.Type == gjson.String:
				p.addEnvironment(element)
			case strings.HasPrefix(name, `"`):
				p.set(strictjson.Text(name), leavesOf(element.Get("value").Raw))
			default:
				p.unreadable = true
			}
			return true
		})
	case value.Type == gjson.String && isJSON(value.String()):
		p.addEnvironment(gjson.Parse(value.String()))
	case value.Type == gjson.String:
		for line := range strings.Lines(strictjson.Text(value.Raw)) {
			if name, value, ok := strings.Cut(strings.TrimRight(line, "\r\n"), "="); ok {
				p.set(strings.TrimSpace(name), value)
			}
		}
	}
}

// set writes an assignment. Shells read no variable with another name than a line can set, except for functions.
func (p *parts) set(name, value string) {
	if strings.HasPrefix(name, "BASH_FUNC_") {
		name = "BASH_FUNC_x" // of BASH_FUNC_x%%
	}
	if syntax.ValidName(name) {
		p.env.WriteString(name + "=" + quotedWord(value) + "; ")
	}
}

// join adds the parts to the lines of their object, which start at an index.
func (p *parts) join(in *input, start int) {
	if len(in.lines)-start+len(p.programs)+len(p.vectors) == 0 {
		return
	}
	for _, program := range p.programs {
		lines := in.lines[start:]
		if len(lines) == 0 {
			in.lines = append(in.lines, shellLine{text: programText(program), program: in.kind == Unknown})
		}
		for _, line := range lines {
			line.text = programText(program) + " " + line.text
			in.lines = append(in.lines, line)
		}
	}
	for i, line := range in.lines[start:] {
		if len(p.words)+len(p.wordHints) == 0 || line.typed || line.program && strings.Contains(line.text, "\n") {
			continue
		}
		name := programText(line.text)
		// A tool that does not know the arguments runs the line alone. A program alone, such as bash, is no such line.
		if in.recordedTool || name == line.text && strings.ContainsAny(strings.TrimSpace(name), " \t\n;&|") {
			in.lines = append(in.lines, line)
		}
		in.addHints(name, p.wordHints)
		if len(p.words) == 0 {
			continue
		}
		in.lines[start+i].text = name + " " + strings.Join(p.words, " ")
		if p.loose {
			line.text = name + " " + strings.Join(p.looseWords, " ")
			in.lines = append(in.lines, line)
		}
		if len(p.words) > 1 { // options may stand first
			slices.Reverse(p.words)
			line.text = name + " " + strings.Join(p.words, " ")
			in.lines = append(in.lines, line)
			slices.Reverse(p.words)
		}
		for _, list := range p.lists {
			if list[0] == name {
				in.vector(list)
			}
		}
	}
	for _, vector := range p.vectors {
		in.vector(vector)
	}
	for i := range in.lines[start:] {
		if line := &in.lines[start+i]; !line.typed {
			line.text = p.env.String() + line.text
		}
	}
	in.hints, in.unreadableLine = append(in.hints, p.hints...), in.unreadableLine || p.unreadable
}

// vector adds the words of a command as lines.
func (in *input) vector(words []string) {
	quoted, loose, hints := wordsOf(words[1:])
	name := programText(words[0])
	in.addHints(name, hints)
	if in.lines = append(in.lines, shellLine{text: strings.TrimSuffix(name+" "+quoted, " ")}); loose != quoted {
		in.lines = append(in.lines, shellLine{text: name + " " + loose})
	}
}

// addHints adds texts that a tool may join to the command of a program. What a launcher runs is known from its words.
func (in *input) addHints(program string, hints []shellline.Hint) {
	if _, launches := shellline.Launch([]shellline.Word{{Text: program}}); launches {
		return
	}
	for _, hint := range hints {
		hint.Text = program + " " + hint.Text
		in.hints = append(in.hints, hint)
	}
}

// programText returns a program for a line. It may hold arguments, except behind a folder of Windows.
func programText(program string) string {
	if len(program) > 2 && program[1:3] == `:\` && !strings.ContainsAny(program, "\"'`$;&|<>\n") {
		return quotedWord(program)
	}
	return program
}

// wordsOf returns words for a line, quoted as a program gets them. Some tools join the words for a shell: loose has the
// operators among them, and a hint the words that contain operators.
func wordsOf(words []string) (quoted, loose string, hints []shellline.Hint) {
	all, joined := make([]string, len(words)), make([]string, len(words))
	for i, word := range words {
		all[i] = quotedWord(word)
		joined[i] = all[i]
		if word != "" && strings.Trim(word, ";&|<>012") == "" && strings.Trim(word, "012") != "" &&
			(word != ";" || i < len(words)-1) { // find ends a command with it
			joined[i] = word
		}
		if len(hints) == 0 && (strings.ContainsAny(word, ";&|") && len(word) > 2 || strings.Contains(word, "$(")) {
			hints = []shellline.Hint{{Text: strings.Join(words, " "), Name: "the list of words"}}
		}
	}
	return strings.Join(all, " "), strings.Join(joined, " "), hints
}

// quotedWord quotes a word for a shell where necessary.
func quotedWord(word string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:@%+,"
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// isShell reports whether a text names a shell, perhaps with options that let it run a line: bash -lc.
func isShell(text string) bool {
	words := strings.Fields(text)
	for _, word := range words[min(len(words), 1):] {
		if strings.Trim(strings.TrimLeft(word, "-/"), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" ||
			!strings.ContainsAny(word[:1], "-/") || strings.Contains(word[1:], "/") {
			return false
		}
	}
	return len(words) > 0 && shellline.IsShell(shellline.ProgramName(words[0]))
}

// leavesOf returns all keys and texts in a value, and its numbers and words as they are.
func leavesOf(value string) string {
	v := gjson.Parse(value)
	if v.Type == gjson.String {
		return strictjson.Text(value)
	}
	if v.Type != gjson.JSON {
		return value
	}
	var all []string
	v.ForEach(func(key, element gjson.Result) bool {
		if key.Type == gjson.String {
			all = append(all, strictjson.Text(key.Raw))
		}
		all = append(all, leavesOf(element.Raw))
		return true
	})
	return strings.Join(all, " ")
}
