package pack

import (
	"cmp"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/lib/lazy"
)

// unseenCommand is what agents/no-unseen-commands asks about.
const unseenCommand = "a command in a file, which a client runs without asking a hook"

// commandsIn returns the commands that a client runs from a file with a text. Tests of real clients show the forms.
func commandsIn(file, text string) (commands []string) {
	has := func(part string) bool { return strings.Contains(file, part) }
	between := func(begin, end string) {
		for before, rest, ok := strings.Cut(text, begin); ok; before, rest, ok = strings.Cut(rest, begin) {
			// Behind a backtick, as in the sentence "`!` negates", only OpenCode begins a command.
			isCode := begin == "!`" && strings.HasSuffix(before, "`") && !has("opencode/")
			if command, _, ends := strings.Cut(rest, end); ends && !isCode && strings.TrimSpace(command) != "" {
				commands = append(commands, begin+command+end)
			}
		}
	}
	hidden := strings.Contains(strings.ToLower(text), `\u00`) // may stand for a part of !{ or of a key
	switch ext := path.Ext(file); {
	case strings.HasSuffix(file, "mcp.json"):
		between("{", "}")
		return slices.DeleteFunc(commands, func(c string) bool { return !hidden && !strings.Contains(c, `"command"`) })
	case has(".factory/commands/"):
		if before, line, ok := strings.Cut("\n"+text, "\n#!"); ok && (before == "" || ext != ".md") {
			line, _, _ = strings.Cut(line, "\n")
			return []string{"#!" + line}
		}
		return nil
	case ext != ".md" && ext != ".toml":
		return nil
	case has(".gemini/"), has(".qwen/") && !has("/skills/"):
		if between("!{", "}"); hidden && ext == ".toml" {
			commands = append(commands, text)
		}
	case !has("/agents/") && !has(".qwen/"):
		between("!`", "`")
		between("```!", "```")
	}
	head := text
	if rest, ok := strings.CutPrefix(text, "---\n"); ok {
		head, _, _ = strings.Cut(rest, "\n---")
	}
	for line := range strings.Lines(head) { // hooks and MCP servers of a skill or an agent
		key, _, _ := strings.Cut(strings.ToLower(line), ":")
		switch key = strings.Trim(key, `"' `); {
		case key == "hooks", key == "mcpservers", key == "mcp-servers", line[0] == '"' && strings.Contains(key, `\`):
			_, block, _ := strings.Cut(head, line)
			commands = append(commands, line+block)
		}
	}
	return commands
}

// mostLooks limits how many texts of a call are searched for commands.
const mostLooks = 20

// commandInText returns the first new command in the texts that the call writes to f.at, or a doubt if the call does
// not show the texts. It reads the file, because an edit may change a command that is there.
func (f *guardFinder) commandInText(doubt string) Found {
	now, name, file, shown := "", path.Base(f.at), lowered(f.at), true
	doubt = cmp.Or(doubt, "the call does not show what it writes") + " (" + name + ")"
	if f.looks++; f.looks > mostLooks {
		return Found{Subject: unseenCommand, Doubt: doubt}
	}
	if info, err := os.Lstat(f.at); err == nil && info.Mode().IsRegular() && info.Size() < 1<<20 {
		text, _ := os.ReadFile(f.at)
		now = string(text)
	}
	if strings.Contains(file, "$") { // a variable may hold a folder that the line names
		file = strings.Join(f.call.lines, " ") + "/" + file
	}
	var texts []string
	if f.to == nil && f.current == nil {
		texts = toolTexts(f.call.Args, now)
	} else {
		var printed strings.Builder
		if f.current != nil {
			shown = f.current.prints(&printed)
		}
		for i := range f.call.Commands {
			c := &f.call.Commands[i]
			isTo := func(o File) bool { return o.Writes && o.Word.Text == f.to.Word.Text }
			if f.current == nil && slices.ContainsFunc(c.Files, isTo) {
				shown = c.prints(&printed) && shown
			}
		}
		if texts = []string{printed.String(), now + printed.String()}; !shown {
			texts = append(texts, f.call.facts.Texts...)
		}
	}
	known := commandsIn(file, now)
	for _, text := range texts {
		for _, command := range commandsIn(file, text) {
			if !slices.Contains(known, command) {
				command = strings.Join(strings.Fields(command), " ")
				return Found{Subject: strings.ToValidUTF8(command[:min(len(command), 100)], "") + " in " + name}
			}
		}
	}
	switch path.Ext(name) {
	case "", ".md", ".toml", ".json":
		if !shown {
			return Found{Subject: unseenCommand, Doubt: doubt}
		}
	}
	return Found{}
}

// prints adds what the command prints, and reports whether the line shows all of it.
func (c *Command) prints(to *strings.Builder) (shown bool) {
	switch c.Program {
	case "rm", "unlink", "shred", "rmdir", "mkdir", "touch", "truncate", "chmod", "chown", "chgrp", "git", "find", ":":
		return true // no text is new
	case "echo", "printf":
		shown = true
		for _, w := range c.Args {
			to.WriteString(w.Text + " ")
			for _, escape := range strings.Split(w.Text, `\`)[1:] {
				shown = shown && (escape == "" || !strings.Contains("01234567xuU", escape[:1]))
			}
			shown = shown && !w.Computed && (c.Program == "echo" || !strings.Contains(w.Text, "!%"))
		}
	case "cat", "tee":
		to.WriteString(c.Script)
		shown = (c.Script != "" || len(c.PipedFrom) > 0) && (c.Program == "tee" || len(c.Args) == 0)
		for _, from := range c.PipedFrom {
			command := commandOf(from)
			shown = command.prints(to) && shown
		}
	}
	return shown
}

// toolTexts returns the texts in the arguments of a tool, and the text that an edit of now makes.
func toolTexts(args, now string) (texts []string) {
	var walk func(v gjson.Result)
	walk = func(v gjson.Result) {
		old, edited := "", ""
		for k, v := range v.ForEach {
			text := v.String()
			switch key := k.String(); {
			case v.IsObject() || v.IsArray():
				walk(v)
				continue
			case strings.HasPrefix(key, "old"):
				old = text
				continue
			case strings.HasPrefix(key, "new"):
				edited = text
			case strings.Contains(text, "*** "): // a patch, perhaps in JSON
				text = removed.Get().ReplaceAllString(strings.ReplaceAll("\n"+text, `\n`, "\n"), "\n")
			}
			texts = append(texts, text)
		}
		if old != "" {
			now = strings.ReplaceAll(now, old, edited)
		}
	}
	walk(gjson.Parse(args))
	return append(texts, now)
}

// removed is what a patch removes, and the mark of each other line.
var removed = lazy.Regexp{Text: `\n((-|\*\*\* |@@)[^\n]*\n)*[+ ]?`}
