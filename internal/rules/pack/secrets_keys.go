package pack

import (
	"slices"
	"strconv"
	"strings"
)

// keyKind is a kind of key or token: the beginning, the least number of further characters, and the least length of a
// run without - and _. If both numbers are equal, the key contains no - or _.
type keyKind struct {
	begin      string
	least, row int
}

var keyKinds = [...]keyKind{
	{"AKIA", 16, 16}, {"ASIA", 16, 16}, {"ghp_", 20, 20}, {"gho_", 20, 20}, {"ghu_", 20, 20}, {"ghs_", 20, 20},
	{"ghr_", 20, 20}, {"github_pat_", 20, 10}, {"glpat-", 20, 5}, {"glrt-", 20, 5}, {"sk-", 24, 20},
	{"sk_live_", 16, 16}, {"rk_live_", 16, 16}, {"xoxb-", 20, 10}, {"xoxp-", 20, 10}, {"xoxa-", 20, 10},
	{"xoxe-", 20, 10}, {"xoxs-", 20, 10}, {"AIza", 35, 5}, {"npm_", 36, 36}, {"pypi-", 50, 10}, {"hf_", 30, 30},
	{"dop_v1_", 40, 40}, {"SG.", 20, 5},
}

// keyInText finds a key or a token in the arguments of any tool.
func keyInText(c *Call) Found {
	args := c.Args
	if strings.Contains(args, `\u00`) {
		args = plainEscapes(args)
	}
	for i := range keyKinds {
		if kind := &keyKinds[i]; kind.appearsIn(args) {
			return Found{Subject: "a text that begins with " + kind.begin}
		}
	}
	if strings.Contains(args, "PRIVATE KEY") && hasPrivateKey(args) {
		return Found{Subject: "a private key"}
	}
	return Found{}
}

// appearsIn reports whether a text contains a key of this kind, other than an example.
func (k *keyKind) appearsIn(text string) bool {
	for {
		at := strings.Index(text, k.begin)
		if at < 0 {
			return false
		}
		inWord := at > 0 && isOfKey(text[at-1], true) && !(at > 1 && text[at-2] == '\\')
		text = text[at+len(k.begin):] // the rest of text after the beginning
		end, row, longest := 0, 0, 0
		for !inWord && end < len(text) && isOfKey(text[end], k.row < k.least) {
			if row++; !isAlphanumeric(text[end]) {
				row = 0
			}
			end, longest = end+1, max(longest, row)
		}
		if end >= k.least && longest >= k.row && isRandom(text[:end]) {
			return true
		}
		text = text[end:]
	}
}

func isOfKey(b byte, most bool) bool { return isAlphanumeric(b) || most && (b == '_' || b == '-') }

// isRandom reports whether a text looks like a key, and not like a word or a placeholder such as a row of x.
func isRandom(text string) bool {
	lower := strings.ToLower(text)
	if strings.Contains(lower, "example") || strings.Contains(lower, "xxxx") || strings.Contains(lower, "your") {
		return false
	}
	var seen [128]bool
	kinds, digits := 0, 0
	for i := range len(text) {
		if text[i] < 128 && !seen[text[i]] {
			seen[text[i]], kinds = true, kinds+1
		}
		if '0' <= text[i] && text[i] <= '9' {
			digits++
		}
	}
	return kinds >= 8 && digits > 0
}

// hasPrivateKey reports whether a text contains a private key, not only the key's first line.
func hasPrivateKey(text string) bool {
	for {
		_, rest, ok := strings.Cut(text, "PRIVATE KEY")
		if !ok {
			return false
		}
		before := text[:len(text)-len(rest)]
		text = rest
		if !strings.Contains(before[max(0, len(before)-50):], "-----BEGIN ") {
			continue
		}
		const most = 512
		rest, _, _ = strings.Cut(rest[:min(len(rest), most)], "-----END ")
		long := func(line string) bool { return len(strings.Trim(line, "=")) >= 40 && isRandom(line) }
		if slices.ContainsFunc(strings.FieldsFunc(strings.ReplaceAll(rest, `\n`, " "), func(r rune) bool {
			return r > 127 || !isAlphanumeric(byte(r)) && r != '+' && r != '/' && r != '='
		}), long) {
			return true
		}
	}
}

// plainEscapes decodes the \u00XX escapes of JSON.
func plainEscapes(text string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, `\u00`)
		b.WriteString(before)
		if !ok || len(rest) < 2 {
			return b.String() + rest
		}
		if code, err := strconv.ParseUint(rest[:2], 16, 8); err == nil {
			b.WriteByte(byte(code))
		}
		text = rest[2:]
	}
}

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
			return Found{word, d.why}
		}
	}
	return Found{}
}

// keepsPlain reports whether a command is a grep that filters another program's output for a variable without secrets.
func (c *Command) keepsPlain() bool {
	if useOf(c.Program) != searches {
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
		return len(c.Args) == 0 || plain() == 0 && !c.flag("fn")
	case "declare", "typeset":
		return plain() == 0 && !c.flag("fFaAin") && !help()
	case "ps": // letters without a dash, with an e
		return len(c.Args) > 0 && c.Args[0].Text != "" && c.Args[0].Text[0] != '-' &&
			strings.Contains(c.Args[0].Text, "e") && strings.Trim(c.Args[0].Text, "abcdefghijklmnopqrstuvwxyz") == ""
	case "gci", "get-childitem", "dir", "ls":
		return slices.ContainsFunc(c.Args, func(w Word) bool {
			return strings.EqualFold(strings.TrimRight(w.Text, `\/`), "env:")
		})
	}
	files := c.Args
	switch useOf(c.Program) {
	case namesFiles, ofGit:
		return false
	case searches:
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
