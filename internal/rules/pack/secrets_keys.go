package pack

import (
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/lib/secret"
	"github.com/hookrun/hookrun/internal/rules/programs"
)

// keyInText finds a key or a token in the arguments of any tool.
func keyInText(c *Call) Found { return Found{Subject: secret.InText(c.Args)} }

// environmentDump finds a command that prints the whole environment.
func environmentDump(c *Call) Found {
	for i := range c.Commands {
		isFiltered := i+1 < len(c.Commands) && len(c.Commands[i+1].PipedFrom) > 0 && c.Commands[i+1].keepsPlain()
		if c.Commands[i].dumps() && !isFiltered {
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

// keepsPlain reports whether a command is a grep that filters another program's output for a variable without secrets.
func (c *Command) keepsPlain() bool {
	if !c.Row.Is(programs.Searches) {
		return false
	}
	g := grepOf(c)
	if g.unknown || g.recursive && c.Program != "rg" || len(g.files) > 0 {
		return false
	}
	return !slices.ContainsFunc(g.patterns, func(pattern string) bool {
		switch strings.ToLower(strings.Trim(pattern, "^=")) {
		case "path", "proxy", "http_proxy", "https_proxy", "no_proxy", "home", "lang", "lc_", "lc_all", "shell", "term",
			"user", "editor", "display", "node", "node_env", "java", "java_home", "gopath", "goroot", "go",
			"virtual_env", "conda", "python", "pythonpath", "xdg", "ci", "debug", "port", "host", "hostname", "rust",
			"cargo", "nvm", "pwd", "tz", "ps1":
			return false
		}
		return true
	})
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

// dumpIn returns the word in a program text that prints the whole environment, or "".
func dumpIn(text string) string {
	prints := strings.Contains(text, "print")
	for _, word := range [...]string{"process.env", "os.environ", "environ", "env.to_h", "%env", "getenv()",
		"printenv"} {
		for rest := text; ; {
			before, behind, ok := strings.Cut(rest, word)
			if !ok {
				break
			}
			rest = behind
			next := strings.TrimLeft(behind, " ")
			ends := next == "" || strings.IndexByte(`)'";`, next[0]) >= 0 || strings.HasPrefix(next, ".items") ||
				strings.HasPrefix(next, "\n")
			starts := strings.HasSuffix(before, "(") || strings.HasSuffix(before, "-p ") || word == "env.to_h" ||
				strings.HasSuffix(before, "-p '") || strings.HasSuffix(before, `-p "`) || word == "%env" ||
				word == "getenv()" || word == "printenv" ||
				word == "environ" && strings.Contains(before[max(0, len(before)-12):], "/proc/")
			starts = starts || prints && strings.HasPrefix(next, ".items")
			if ends && starts {
				return word
			}
		}
	}
	return ""
}
