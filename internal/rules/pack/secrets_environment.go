package pack

import (
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/rules/programs"
)

// environmentDump finds a command that prints the whole environment, or what a filter leaves of it with secrets.
func environmentDump(c *Call) Found {
	for i := range c.Commands {
		if c.Commands[i].dumps() && c.showsValues(i, false) {
			return Found{Subject: c.Commands[i].String()}
		}
	}
	for _, r := range c.Redirect {
		if isEnviron(r.Word.Text) && !r.Writes {
			return Found{Subject: r.Word.Text}
		}
	}
	for _, f := range c.Files {
		if isEnviron(f.Path) && f.Reads {
			return c.mayDo("read", f.Path)
		}
	}
	for _, d := range c.doubts {
		if word := dumpIn(d.text); word != "" {
			return Found{Subject: word, Doubt: d.why}
		}
	}
	return Found{}
}

func isEnviron(path string) bool {
	return strings.HasPrefix(path, "/proc/") && strings.HasSuffix(path, "/environ")
}

func (c *Command) dumps() bool {
	plain := func() (words int) {
		for _, w := range c.Args {
			if w.Computed || !strings.HasPrefix(w.Text, "-") {
				words++
			}
		}
		return words
	}
	help := func() bool { return hasWord(c.Args, "--help", "--version") }
	if c.Wrapper == "source" || c.Wrapper == "." { // a file of this name
		return false
	}
	switch c.Program {
	case "printenv":
		return plain() == 0 && !help()
	case "env":
		return c.isEnvAlone() && !help()
	case "set":
		return len(c.Args) == 0
	case "export":
		return len(c.Args) == 0 || plain() == 0 && !c.has("-f,-n")
	case "declare", "typeset":
		return plain() == 0 && !c.has("-f,-F,-a,-A,-i,-n") && !help()
	case "ps": // letters without a dash, with an e
		return len(c.Args) > 0 && c.Args[0].Text != "" && c.Args[0].Text[0] != '-' &&
			strings.Contains(c.Args[0].Text, "e") && strings.Trim(c.Args[0].Text, "abcdefghijklmnopqrstuvwxyz") == ""
	case "gci", "get-childitem", "dir", "ls":
		return slices.ContainsFunc(c.Args, func(w Word) bool {
			return strings.EqualFold(strings.TrimRight(w.Text, `\/`), "env:")
		})
	}
	files := c.Args
	switch {
	case c.Row.Name == "git", c.Row.Shows(c.Args) == programs.No && c.Row.List("loads") == "":
		return false
	case c.Row.Is(programs.Searches):
		files = grepOf(c).files
	}
	return slices.ContainsFunc(files, func(w Word) bool { return isEnviron(w.Text) })
}

// isEnvAlone reports whether env prints an environment: no command follows, and the environment is not empty.
func (c *Command) isEnvAlone() bool {
	for i := 0; i < len(c.Args); i++ {
		switch text := c.Args[i].Text; {
		case text == "-i", text == "-", text == "--ignore-environment", c.Args[i].Computed:
			return false
		case text == "-u", text == "-C", text == "--unset", text == "--chdir":
			i++
		case text == "-S", strings.HasPrefix(text, "--split-string"), strings.HasPrefix(text, "-S"):
			return false
		case strings.HasPrefix(text, "-"), strings.Contains(text, "="):
		default:
			return false
		}
	}
	return !c.MoreArgs
}
