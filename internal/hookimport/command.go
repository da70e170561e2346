package hookimport

import (
	"path"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/protocol"
)

// command carries what the hook runs. A line for a shell that is not sh is given to that one.
func (g *handler) command() {
	c := g.hook.Command
	line := g.value("command").String() // not the one of this system alone, and without the values of variables
	shell := g.value("shell")
	switch {
	case c.Argv != nil:
		quoted := g.quoted(c.Argv)
		set := g.variables(quoted)
		if set == "" {
			g.set("command", c.Argv)
			break
		}
		g.set("command", set+"exec "+quoted)
		g.report(Changed, "command", "it is a line for sh here, which sets the client's variables: %s",
			strings.TrimSuffix(set, "; "))
		return
	case c.PowerShell:
		g.set("command", []string{"pwsh", "-NoProfile", "-NonInteractive", "-Command", line})
		if g.variables(line) != "" {
			g.report(Differs, "command",
				"hookrun does not set the variables of %s for entries; for the project's folder write "+
					"HOOKRUN_WORKSPACE", g.form.Client)
		}
	default:
		set := g.variables(line)
		if set != "" {
			g.report(Changed, "command", "the line sets the client's variables first: %s",
				strings.TrimSuffix(set, "; "))
		}
		if c.Bash && strings.Trim(line, letters+"./ $\"-") != "" || g.knows("shell") && shell.String() == "bash" {
			g.set("command", []string{"bash", "-c", set + line})
			g.report(Changed, "command", "%s runs it with bash, so the entry names it", g.form.Client)
		} else {
			g.set("command", set+line)
		}
	}
	if c.Bash && (line != c.Shell || g.quotesVariable(line)) {
		g.report(Differs, "command",
			"%s puts the values of variables into the line before a shell reads it, also between single quotes",
			g.form.Client)
	}
}

// variables is what a line must begin with so that it finds the client's variables, which hookrun does not set for
// entries. A line without a path in it needs none: what is no file of the project does not know them.
func (g *handler) variables(line string) string {
	const folder = "/\x00"
	environment := g.dialect.Environment
	if environment == nil {
		return ""
	}
	var set []string
	for _, v := range environment(&protocol.Call{Workspace: folder, Event: g.event}) {
		name, value, _ := strings.Cut(v, "=")
		switch {
		case value != folder && strings.Contains(line, name):
			g.report(Differs, "command", "hookrun sets no variable %s for entries", name)
		case value == folder && (strings.Contains(line, "/") || strings.Contains(line, name)):
			set = append(set, name+`="$HOOKRUN_WORKSPACE"`)
		}
	}
	if set == nil {
		return ""
	}
	return "export " + strings.Join(set, " ") + "; "
}

// quotesVariable reports whether a variable that the client gives its hooks may stand between single quotes of a line.
func (g *handler) quotesVariable(line string) bool {
	given := g.dialect.Environment(&protocol.Call{Event: g.event})
	return strings.Contains(line, "'") && slices.ContainsFunc(given, func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return strings.Contains(line, "$"+name)
	})
}

// quoted writes arguments as a line for sh, in which variables stand where they do in arguments.
func (g *handler) quoted(argv []string) string {
	var words []string
	for _, a := range argv {
		if a != "" && strings.Trim(a, letters+"-./:=@,+%") == "" {
			words = append(words, a)
			continue
		}
		word := "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		for _, name := range g.form.FolderVariables {
			word = strings.ReplaceAll(word, "${"+name+"}", `'"$`+name+`"'`)
		}
		if short := strings.TrimPrefix(word, "''"); short != "" {
			word = short
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// nameOf makes a name of a command: that of the first file in it, else its first word.
func nameOf(c hookfile.Command) string {
	words := strings.FieldsFunc(c.String(), func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'`;|&()<>=", r) })
	for _, w := range words {
		if base := path.Base(w); base != w && base != "null" && !strings.HasPrefix(w, "/bin/") &&
			!strings.HasPrefix(w, "/usr/bin/") {
			words = []string{strings.TrimSuffix(base, path.Ext(base))}
			break
		}
	}
	if len(words) == 0 {
		return "hook"
	}
	return plainName(words[0])
}

// plainName keeps of a text what a name is best made of.
func plainName(text string) string {
	name := strings.Map(func(r rune) rune {
		if r < 0x80 && strings.ContainsRune(letters+"-.", r) {
			return r
		}
		return -1
	}, text)
	if name = strings.Trim(name[:min(len(name), 40)], "-."); name == "" {
		return "hook"
	}
	return name
}
