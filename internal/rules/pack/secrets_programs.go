package pack

import (
	"cmp"
	"os"
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
	case c.isSource(), c.Wrapper == "source", c.Wrapper == ".": // see entering
		return Found{}
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
	case c.Program != "" && s.isFile(c.Program): // bash .env
		return Found{Subject: c.Program}
	case shows == programs.Maybe && !p.Is(programs.Language) && !p.Holds(programs.Checks|programs.MayShow, c.Args):
		what = s.unknownOperands(c.Args)
	default:
		what = s.operands(c.Args, shows)
	}
	if what = cmp.Or(what, s.inText(c)); what != "" && !(p.Is(programs.Reads) && s.savesSecret(c)) {
		return Found{Subject: what}
	}
	if shows == programs.Yes && !p.Is(programs.Searches) && s.getsNames(c) && !s.hidesNames(c) {
		if file := s.anyListed(c); file != "" {
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

// unknownOperands finds a file of secrets in the arguments of a program that no row says anything about. A key counts
// only as an argument of its own in a folder of secrets: programs use keys and do not show them, and words such as
// section.key look like keys. A pattern in quotes is none of the shell's.
func (s *search) unknownOperands(args []Word) string {
	isValue := false
	for i := 0; i < len(args); i++ {
		w := args[i]
		isOption := len(w.Text) > 1 && w.Text[0] == '-'
		if isOption {
			if left, next := leavesOut(w.Text, true); left {
				if next {
					i++
				}
				continue
			}
		}
		alone := !isValue && !isOption && !strings.ContainsAny(w.Text, "=:,;@")
		isValue = isOption && !strings.Contains(w.Text, "=")
		what := s.word(w, nameOnly)
		isQuoted := w.Computed && len(w.Source) > 1 && w.Source[0] == '"' &&
			strings.IndexByte(w.Source[1:], '"') == len(w.Source)-2
		switch {
		case what == "", isQuoted && strings.Contains(what, "*"):
		case secret.IsKey(what) && !(alone && secret.InSecretFolder(what)):
		default:
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
		words = append(words, "env", "key", "cert", "kubeconfig", "identity", "cred", "config", "netrc",
			"defaults", "-out", "secret", "pass", "token", "auth")
	}
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(name, word) }), !attached
}

// script reads the arguments of a program whose first operand is a program text.
func (s *search) script(c *Command) string {
	p := c.Row
	if slices.ContainsFunc(c.Args, c.isInPlace) && !strings.Contains(c.Text, "/dev/") {
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
	files, target, leaves := s.copied(c)
	for _, w := range files {
		if what := s.word(w, followed); what != "" && (leaves || !s.keepsName(what, target, len(files) > 1)) {
			return what
		}
	}
	return ""
}

// copied returns the files that a program copies, moves or links, and where to. leaves: to another machine.
func (s *search) copied(c *Command) (files []Word, target string, leaves bool) {
	files, target = splitBraces(c.operands()), c.intoFolder().Text
	if target == "" {
		if len(files) < 2 {
			return nil, "", false
		}
		target, files = files[len(files)-1].Text, files[:len(files)-1]
	}
	host, _, leaves := strings.Cut(target, ":")
	leaves = leaves && (c.Program == "scp" || c.Program == "rsync") && !strings.Contains(host, "/")
	return files, target, leaves
}

// savesSecret reports whether all that a command prints goes to a file of secrets, as in cat a.key b.crt > c.pem.
func (s *search) savesSecret(c *Command) bool {
	saves := false
	if s.duplicates() {
		return false
	}
	for i := range c.Command.Files {
		f := &c.Command.Files[i]
		if !f.Writes || f.Number != "" && f.Number != "1" {
			continue
		}
		if saves = !f.File.Computed && !f.Both && secret.File(f.File.Text); !saves {
			return false
		}
	}
	return saves
}

// hidesNames reports whether a command shows no file of a list of unnamed files: it changes the files in place, packs
// them, or copies them to a folder or to names that the line makes of theirs.
func (s *search) hidesNames(c *Command) bool {
	switch p := c.Row; {
	case slices.ContainsFunc(c.Args, c.isInPlace):
		return !strings.Contains(c.Text, "/dev/")
	case shellline.InList("tar 7z zip gzip", p.Name):
		return !c.has("-O,--to-stdout,--stdout") && !(p.Name == "gzip" && c.has("-c"))
	case p.Name == "perl":
		return c.has("-e,-E") && !c.has("-n,-p") && !strings.Contains(c.Text, "<") && !strings.Contains(c.Text, "open")
	case p.Is(programs.Copies | programs.Moves | programs.Links):
		files, target, leaves := s.copied(c)
		isListed := slices.ContainsFunc(files, func(w Word) bool {
			return strings.Contains(w.Text, "{}") || s.getsNames(&Command{Args: []Word{w}})
		})
		switch {
		case leaves, c.Program == "scp":
			return false
		case !isListed && (!c.MoreArgs || c.intoFolder().Text == ""): // the names are those of the copies
			return true
		case s.anyListed(c) != "" && !s.onDisk: // named in the line
			return false
		}
		isMany := slices.ContainsFunc(files, func(w Word) bool {
			return shellline.InList("$@ $* $() ``", w.Text)
		})
		isFolder := !strings.Contains(target[strings.LastIndexByte(target, '/')+1:], ".")
		return isMany || isFolder || strings.ContainsAny(target, "{$`") ||
			s.keepsName(".env", target, c.intoFolder().Text != "")
	}
	return false
}

// splitBraces expands the braces in words.
func splitBraces(words []Word) (all []Word) {
	for _, w := range words {
		if !w.Computed || strings.ContainsAny(w.Text, "$`*?[") || strings.Contains(w.Text, "{}") {
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
func (s *search) keepsName(file, target string, isFolder bool) bool {
	isSecret := func(file string) bool { return secret.File(file) || secret.Asks(file) }
	if isSecret(target) && target[strings.LastIndexByte(target, '/')+1:] != ".ssh" {
		return true
	}
	isFolder = isFolder || strings.HasSuffix(target, "/") ||
		strings.Trim(target[strings.LastIndexByte(target, '/')+1:], ".") == ""
	for _, end := range s.facts.ResolvedPaths(s.dir, target) {
		info, err := os.Stat(end)
		isFolder = isFolder || err == nil && info.IsDir()
	}
	base := file[strings.LastIndexByte(file, '/')+1:]
	isFolder = isFolder || base != "" && strings.Trim(base, ".*?[]!^") == "" // many files
	return isFolder && (isSecret(target+"/"+secret.Filled(base)) ||
		!secret.InSecretFolder(secret.Filled(file)) && secret.Glob(base))
}

// git reads the git subcommands that print files.
func (s *search) git(c *Command) string {
	g := gitOf(c, s.Dir)
	args := g.args
	for _, w := range g.program.Values(g.program.List("loads"), args) {
		if what := s.word(w, followed); what != "" {
			return what
		}
	}
	switch {
	case g.sub == "add", g.sub == "stage":
		if what := s.operands(args, programs.Yes); what != "" && s.showsChanges() {
			return what
		}
		return ""
	case !g.program.Does(programs.MayShow, args):
		return ""
	case g.sub == "grep" && !g.has("-e"):
		if at := slices.IndexFunc(args, func(w Word) bool { return !strings.HasPrefix(w.Text, "-") }); at >= 0 {
			args = slices.Delete(slices.Clone(args), at, at+1)
		}
	}
	return s.operands(args, programs.Maybe)
}

// showsChanges reports whether the line shows what it has added to git's index.
func (s *search) showsChanges() bool {
	return slices.ContainsFunc(s.Commands, func(c Command) bool {
		if c.Row.Name != "git" {
			return false
		}
		g := gitOf(&c, s.Dir)
		return shellline.InList("diff show stash", g.sub) && g.program.Does(programs.MayShow, g.args) ||
			g.sub == "log" && g.program.Does(programs.MayShow, g.args) || g.sub == "commit" && g.has("-v")
	})
}

// inText finds a file of secrets that a text in the arguments of a command reads: a program for sed, an editor, or a
// statement for a database.
func (s *search) inText(c *Command) string {
	switch p := c.Row; {
	case p.Name == "sed":
		for _, w := range c.Args {
			if what := s.sedReads(w.Text); what != "" {
				return what
			}
		}
	case p.Name == "awk" && (strings.Contains(c.Text, "getline") || strings.Contains(c.Text, "ARGV")):
		for text := range strings.SplitSeq(c.Text, `"`) {
			if s.isFile(text) {
				return text
			}
		}
	case p.Name == "ex", p.Name == "view":
		for _, w := range p.Values(p.List("text"), c.Args) {
			if found := s.inDoubt(doubt{text: "read " + w.Text, why: "a program"}); found.Subject != "" {
				return found.Subject
			}
		}
	case p.Is(programs.Database):
		for _, w := range c.Args {
			if strings.ContainsAny(w.Text, " (") {
				if found := s.inDoubt(doubt{text: strings.ToLower(w.Text), why: "a program"}); found.Subject != "" {
					return found.Subject
				}
			}
		}
	}
	return ""
}

// sedReads returns a file of secrets that the command r or R of a program for sed reads.
func (s *search) sedReads(text string) string {
	const longest = 256
	for i := range len(text) {
		if text[i]|0x20 != 'r' || i > 0 && isAlphanumeric(text[i-1]) && text[i-1] > '9' {
			continue
		}
		file := strings.TrimLeft(text[i+1:min(i+1+longest, len(text))], " \t")
		file, _, _ = strings.Cut(file, "\n")
		if file = strings.TrimRight(file, " }"); file != "" && !strings.Contains(file, " ") && s.isFile(file) &&
			file[len(file)-1] != '/' {
			return file
		}
	}
	return ""
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

// field returns the first word of a text that names files of secrets, or "".
func (s *search) field(text string) string {
	for field := range strings.FieldsSeq(text) {
		if s.isGlob(field) {
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
		if s.isGlob(glob) {
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
