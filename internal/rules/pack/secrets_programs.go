package pack

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/lib/secret"
	"github.com/hookrun/hookrun/internal/rules/permission"
	"github.com/hookrun/hookrun/internal/rules/programs"
	"github.com/hookrun/hookrun/internal/rules/shellline"
)

// command finds a file of secrets that a command reads.
func (s *search) command(c *Command) Found {
	what, p := "", c.Row
	shows := p.Shows(c.Args)
	switch {
	case shows == programs.No && !p.Is(programs.Group):
		return Found{Subject: s.loaded(c)}
	case p.Is(programs.Searches):
		what = s.grep(c)
	case c.Row.Is(programs.Copies | programs.Moves | programs.Links):
		what = s.copies(c)
	case p.Is(programs.Script):
		what = s.script(c)
	case p.Name == "git":
		what = s.git(c)
	case p.Is(programs.Uploads):
		what = s.sent(c)
	case shows == programs.No:
		if len(c.Args) > 0 {
			sub, _ := programs.Find(p.Name + " " + c.Args[0].Text)
			if rest := c.Args[1:]; sub.Does(programs.MayShow, rest) || sub.Does(programs.Reads, rest) {
				what = s.operands(rest, sub.Shows(rest))
			}
		}
	case p.Is(programs.Finds):
		what = s.fd(c.Args)
	case c.Program == "zip":
		return Found{Subject: s.operands(zipped(c.Args), shows)}
	case c.Wrapper == "foreman", c.Wrapper == "honcho": // c.Program is run or start; -e names an environment file
		by, _ := programs.Find("foreman")
		return Found{Subject: s.operands(by.Operands(c.Args), shows)}
	case p.Name == "python" && len(c.Args) > 1 && c.Args[0].Text == "-m" &&
		shellline.InList("venv virtualenv", c.Args[1].Text):
		return Found{}
	case c.Program != "" && secret.File(c.Program): // bash .env
		return Found{Subject: c.Program}
	default:
		what = s.operands(c.Args, shows)
	}
	if what != "" {
		return Found{Subject: what}
	}
	if shows == programs.Yes && !p.Is(programs.Searches) && s.getsNames(c) {
		if file := s.anyListed(); file != "" {
			return Found{Subject: file, Doubt: "another program names the files"}
		}
	}
	return Found{}
}

// operands finds a file of secrets in arguments. It skips files that the program only loads, such as the values of
// --env-file and --key, unless the program is known to print files.
func (s *search) operands(args []Word, shows programs.Answer) string {
	e := nameOnly
	switch shows {
	case programs.No:
		return ""
	case programs.Yes:
		e = followed
	}
	for i := 0; i < len(args); i++ {
		w := args[i]
		if len(w.Text) > 2 && w.Text[0] == '-' {
			if left, next := leavesOut(w.Text, shows == programs.Maybe); left {
				if next {
					i++
				}
				continue
			}
		}
		if what := s.word(w, e); what != "" {
			return what
		}
	}
	return ""
}

// zipped returns the arguments of zip without the exclude patterns after -x.
func zipped(args []Word) (rest []Word) {
	leavesOut := false
	for _, w := range args {
		leavesOut = w.Text == "-x" || leavesOut && w.Text != "@" && !strings.HasPrefix(w.Text, "-")
		if !leavesOut {
			rest = append(rest, w)
		}
	}
	return rest
}

// leavesOut reports whether an option names a file that is not printed, and whether the next word is that name.
func leavesOut(option string, loads bool) (leaves, next bool) {
	name, _, attached := strings.Cut(strings.ToLower(option), "=")
	words := []string{"exclude", "ignore"}
	if loads {
		words = append(words, "env", "key", "cert", "kubeconfig", "identity", "credential", "config", "netrc",
			"defaults", "-out", "secret", "pass")
	}
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(name, word) }), !attached
}

// script reads the arguments of a program whose first operand is a program text.
func (s *search) script(c *Command) string {
	p := c.Row
	if slices.ContainsFunc(c.Args, c.isInPlace) {
		return ""
	}
	files, operands := p.Values(p.List("loads"), c.Args), c.operands()
	if p.Name == "yq" && len(operands) > 0 && shellline.InList("e eval ea eval-all", operands[0].Text) {
		operands = operands[1:]
	}
	given := len(files)+len(p.Values(p.List("text"), c.Args)) > 0
	if !given && len(operands) > 0 {
		operands = operands[1:]
	}
	return s.operands(slices.Concat(files, operands), programs.Yes)
}

// copies reads the arguments of a program that copies, moves or links files. A copy does not count as reading if the
// name of the copy is also secret, unless the copy leaves the machine.
func (s *search) copies(c *Command) string {
	files, target := splitBraces(c.operands()), c.intoFolder().Text
	if target == "" {
		if len(files) < 2 {
			return ""
		}
		target, files = files[len(files)-1].Text, files[:len(files)-1]
	}
	host, _, leaves := strings.Cut(target, ":")
	leaves = leaves && (c.Program == "scp" || c.Program == "rsync") && !strings.Contains(host, "/")
	for _, w := range files {
		if what := s.word(w, followed); what != "" && (leaves || !s.keepsName(what, target)) {
			return what
		}
	}
	return ""
}

// splitBraces expands the braces in words.
func splitBraces(words []Word) (all []Word) {
	for _, w := range words {
		if !w.Computed || strings.ContainsAny(w.Text, "$`*?[") {
			all = append(all, w)
			continue
		}
		for _, text := range permission.Braces(w.Text) {
			all = append(all, Word{Text: text})
		}
	}
	return all
}

// keepsName reports whether the copy of a file has a secret name.
func (s *search) keepsName(file, target string) bool {
	if secret.File(target) && target[strings.LastIndexByte(target, '/')+1:] != ".ssh" {
		return true
	}
	isFolder := strings.HasSuffix(target, "/") || strings.Trim(target[strings.LastIndexByte(target, '/')+1:], ".") == ""
	for _, end := range s.facts.ResolvedPaths(s.dir, target) {
		info, err := os.Stat(end)
		isFolder = isFolder || err == nil && info.IsDir()
	}
	return isFolder && secret.File(target+"/"+secret.Filled(file[strings.LastIndexByte(file, '/')+1:]))
}

// git reads the git subcommands that print files.
func (s *search) git(c *Command) string {
	g := gitOf(c, s.Dir)
	args := g.args
	switch {
	case !g.program.Does(programs.MayShow, args):
		return ""
	case g.sub == "grep" && !g.has("-e"):
		if at := slices.IndexFunc(args, func(w Word) bool { return !strings.HasPrefix(w.Text, "-") }); at >= 0 {
			args = slices.Delete(slices.Clone(args), at, at+1)
		}
	}
	return s.operands(args, programs.Maybe)
}

// sent reads the arguments of programs that send files: files after an @ or a <, and the values of a few options.
func (s *search) sent(c *Command) string {
	words := c.Row.Values(c.Row.List("sends"), c.Args)
	for _, w := range c.Args {
		_, value, _ := strings.Cut(w.Text, "=")
		if strings.HasPrefix(w.Text, "file:") || strings.HasPrefix(value, "<") || strings.HasPrefix(w.Text, "<") ||
			strings.Contains(w.Text, "@") {
			words = append(words, w)
		}
	}
	for _, w := range words {
		if strings.Contains(w.Text, "://") && !strings.HasPrefix(w.Text, "file:") {
			continue
		}
		if what := s.word(w, nameOnly); what != "" {
			return what
		}
		if _, file, ok := strings.Cut(w.Text, "@"); ok && !isText(file) {
			if what := s.secretAt(file); what != "" {
				return what
			}
		}
	}
	return ""
}

// getsNames reports whether a command reads files named by another program, as after xargs or in a loop.
func (s *search) getsNames(c *Command) bool {
	return c.MoreArgs || slices.ContainsFunc(c.Args, func(w Word) bool {
		if !w.Computed || strings.Contains(w.Text, "/dev/fd/") {
			return false
		}
		if strings.HasPrefix(w.Text, "$()") || strings.HasPrefix(w.Text, "``") || strings.Contains(w.Text, "{}") {
			return true
		}
		name := strings.Trim(w.Text, "${}")
		if name == "@" || strings.Trim(name, "0123456789") == "" { // as in sh -c 'cat "$1"' _ {}
			return true
		}
		isListed := func(v shellline.Assignment) bool {
			return v.Name == name && strings.HasPrefix(v.Value.Text, "$()")
		}
		return slices.Contains(s.readVars, name) || slices.ContainsFunc(s.assigned, isListed)
	})
}

func showsNothing(program string) bool {
	p, _ := programs.Find(program)
	return p.Shows(nil) == programs.No
}

// listed returns a file of secrets that a program in the line names. The name is in the program's arguments, or the
// file is in the folder of a find without names and passes the test.
func (s *search) listed(test func(file string) bool) string {
	defer func(dir string) { s.dir = dir }(s.dir)
	for _, c := range s.Commands {
		s.goTo(c.Folders)
		switch c.Program {
		case "find":
			if what := s.byFind(c.Args, test); what != "" {
				return what
			}
		case "echo", "printf", "ls", "fd", "fdfind", "locate":
			for _, w := range c.Args {
				if what := s.word(w, nameOnly); what != "" {
					return what
				}
				if what := secretField(strings.NewReplacer(`\n`, " ", `\0`, " ").Replace(w.Text)); what != "" {
					return what
				}
			}
		case "xargs":
			if what := secretField(c.Script); what != "" {
				return what
			}
		}
	}
	return ""
}

// secretField returns the first word of a text that names files of secrets, or "".
func secretField(text string) string {
	for field := range strings.FieldsSeq(text) {
		if secret.Glob(field) {
			return field
		}
	}
	return ""
}

// fd reads the arguments of fd, which runs a command for the files that fd finds.
func (s *search) fd(args []Word) string {
	at := slices.IndexFunc(args, func(w Word) bool {
		return slices.Contains([]string{"-x", "-X", "--exec", "--exec-batch"}, w.Text)
	})
	if at < 0 || at+1 == len(args) || showsNothing(args[at+1].Text) {
		return ""
	}
	for i, w := range args[:at] {
		glob := strings.Trim(strings.ReplaceAll(w.Text, `\`, ""), "^$")
		if i > 0 && (args[i-1].Text == "-e" || args[i-1].Text == "--extension") {
			glob = "x." + glob
		}
		if secret.Glob(glob) {
			return glob
		}
	}
	return ""
}

// loaded finds a file of secrets in the values of options: the file from which xargs takes arguments.
func (s *search) loaded(c *Command) string {
	for _, w := range c.Row.Values(c.Row.List("loads"), c.Args) {
		if what := s.word(w, followed); what != "" {
			return what
		}
	}
	return ""
}

// byFind is listed for find.
func (s *search) byFind(args []Word, test func(file string) bool) string {
	named := false
	for i := 1; i < len(args); i++ {
		switch args[i-1].Text {
		case "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex":
		default:
			continue
		}
		if i > 1 && (args[i-2].Text == "!" || args[i-2].Text == "-not") || strings.Trim(args[i].Text, "*") == "" {
			continue
		}
		named = true
		glob := strings.NewReplacer(`\.`, ".", ".*", "*").Replace(args[i].Text)
		if secret.Glob(glob) {
			return args[i].Text
		}
	}
	if named {
		return ""
	}
	from := "."
	if len(args) > 0 && !strings.HasPrefix(args[0].Text, "-") && args[0].Text != "!" && args[0].Text != "(" {
		from = args[0].Text
	}
	if from = filepath.ToSlash(from); secret.File(from) {
		return from
	}
	return s.inFolder(from, true, test)
}
