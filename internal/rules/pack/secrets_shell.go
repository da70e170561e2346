package pack

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/lib/lazy"
	"github.com/hookrun/hookrun/internal/lib/secret"
	"github.com/hookrun/hookrun/internal/rules/permission"
	"github.com/hookrun/hookrun/internal/rules/programs"
	"github.com/hookrun/hookrun/internal/rules/shellline"
)

// search finds the files of secrets that a call reads.
type search struct {
	*Call
	dir  string // start folder of relative paths in the current command
	asks bool   // looks for .envrc instead

	dotglob bool // a star matches hidden files

	readVars []string // variables set by the read commands of the lines

	// The remaining work for one call. With no work left, a folder search finds nothing, and variables are unknown.
	files, expansions, variables, listings int
	listedFile                             *string // result of listed; nil: not called yet
	onDisk, listedOnDisk                   bool    // listed has found a file on the disk, and not a name in the line
	gets                                   *Command
}

// readSecret finds a file of secrets that a call reads. It follows links, and searches folders that are read whole.
func readSecret(c *Call) Found { return searchOf(c).all() }

// readEnvrc finds a call that reads the .envrc of direnv.
func readEnvrc(c *Call) Found {
	mayName := func(text string) bool { return strings.Contains(text, "env") && strings.Contains(text, "rc") }
	if !slices.ContainsFunc(c.lines, mayName) && (c.Shell || !mayName(strings.ToLower(c.Args))) {
		return Found{}
	}
	s := searchOf(c)
	s.asks = true
	return s.all()
}

func searchOf(c *Call) *search {
	s := &search{Call: c, dir: c.Dir, files: 5000, expansions: 20, variables: 2000, listings: 20}
	for i := range c.Commands {
		switch command := &c.Commands[i]; command.Program {
		case "read":
			for _, w := range command.Args {
				s.readVars = append(s.readVars, w.Text)
			}
		case "shopt", "setopt", "set", "bash", "zsh":
			s.dotglob = s.dotglob || slices.ContainsFunc(command.Args, func(w Word) bool {
				return shellline.InList("dotglob globdots", strings.ToLower(strings.ReplaceAll(w.Text, "_", "")))
			})
		}
	}
	for i := range c.assigned {
		s.dotglob = s.dotglob || c.assigned[i].Name == "GLOBIGNORE"
	}
	return s
}

// byZsh finds what only zsh reads: an element of mapfile, which is the file of this name, and a star with the qualifier
// D, which also matches hidden files.
func (s *search) byZsh() string {
	for _, line := range s.lines {
		if !strings.Contains(line, "mapfile[") && !strings.Contains(line, "*(") {
			continue
		}
		for _, at := range zshFiles.Get().FindAllStringSubmatch(line, -1) {
			switch name := strings.Trim(at[1], `'"`); {
			case name != "" && s.isFile(name):
				return name
			case name == "" && isReader(at[2]):
				isHere := func(file string) bool { return s.depth(".", file) == 1 }
				if what := s.inFolder(".", false, isHere); what != "" {
					return what
				}
			}
		}
	}
	return ""
}

var zshFiles = lazy.Regexp{Text: `\bmapfile\[([^\]]+)\]|\b([a-z]+) [^;|&\n]*\*\([^()\s]*d[^()\s]*\)`}

// isFile reports whether a path is a file that the search is for.
func (s *search) isFile(file string) bool {
	if s.asks {
		return secret.Asks(file)
	}
	return secret.File(file)
}

// isGlob is isFile for a glob.
func (s *search) isGlob(glob string) bool {
	if s.asks {
		isEnvrc, _ := path.Match(path.Base(glob), ".envrc")
		return isEnvrc && strings.Contains(glob, "envr")
	}
	return secret.Glob(glob)
}

// all finds a file in any part of the call.
func (s *search) all() Found {
	if len(s.Commands) == 0 && len(s.Redirect) == 0 && len(s.doubts) == 0 {
		return s.byTool()
	}
	for i := range s.Commands {
		c := &s.Commands[i]
		if s.goTo(c.Folders); i+1 < len(s.Commands) && s.Commands[i+1].isBehind(c) {
			continue
		}
		if found := s.command(c); found.Subject != "" {
			return found
		}
	}
	for _, r := range s.Redirect {
		if r.Writes {
			continue
		}
		s.goTo(r.Folders)
		if what := s.word(r.Word, followed); what != "" {
			return Found{Subject: what}
		}
	}
	if file := s.entering(); file != "" && s.printsVariables() {
		return Found{Subject: file, Act: "a command that prints variables of a file with secrets"}
	}
	s.goTo(nil)
	if what := s.byZsh(); what != "" {
		return Found{Subject: what}
	}
	if found := s.doubtful(); found.Subject != "" {
		return found
	}
	return s.byTool()
}

// isBehind reports whether the command stands behind an unknown word that c begins with, as in as_root rm x.
func (c *Command) isBehind(unknown *Command) bool {
	return unknown.Row.Name == "" && unknown.Program != "" && c.Row.Name != "" && c.Wrapper == unknown.Words[0].Text &&
		len(c.Words) < len(unknown.Words) && strings.HasSuffix(unknown.Text, " "+c.Text)
}

// goTo sets the start folder of relative paths, after the line has changed to folders.
func (s *search) goTo(folders []Word) { s.dir = cmp.Or(s.absolute(".", folders), s.Dir) }

// byTool finds a file of secrets that a file tool reads.
func (s *search) byTool() Found {
	isOne := func(names ...string) bool {
		return slices.ContainsFunc(s.Tools, func(tool string) bool { return slices.Contains(names, tool) })
	}
	if isOne("fs_glob", "fs_list", "Glob", "LS") { // name files without reading them
		return Found{}
	}
	looks := isOne("fs_grep", "Grep")
	for _, f := range s.Files {
		if !f.Reads {
			continue
		}
		if what := s.secretAt(f.Path); what != "" {
			return s.mayDo("read", what)
		}
		if looks && len(s.facts.Globs) == 0 {
			g := grepCall{patterns: s.facts.Patterns, hidden: true}
			if what := s.inFolder(f.Path, true, g.mayPrint); what != "" {
				return Found{Subject: what}
			}
		}
	}
	if looks && len(s.Files) == 0 && len(s.facts.Globs) == 0 {
		g := grepCall{patterns: s.facts.Patterns, hidden: true}
		return Found{Subject: s.inFolder(".", true, g.mayPrint)}
	}
	texts := s.facts.Globs
	if !looks && (len(s.Files) == 0 || s.unknown()) {
		texts = s.MaybePaths
	}
	for _, text := range texts {
		for _, glob := range permission.Braces(text) {
			if !strings.HasPrefix(glob, "!") && !isText(glob) && s.isGlob(glob) {
				return s.mayDo("read", glob)
			}
		}
	}
	return Found{}
}

// effort is how far a word is followed.
type effort int

const (
	nameOnly effort = iota // only the word's text
	followed               // also links and globs, because the program is known to read its files
)

// word returns the file of secrets that a word of a command names, or "".
func (s *search) word(w Word, e effort) string {
	if !w.Computed {
		return s.text(w.Text, e)
	}
	for _, text := range s.values(strings.ReplaceAll(w.Text, "{}", unknownText), 3) {
		known := !strings.Contains(text, unknownText)
		for _, glob := range permission.Braces(strings.ReplaceAll(text, unknownText, "*")) {
			for _, part := range parts(glob) {
				if s.anywhere(part, s.isGlob) {
					return part
				}
			}
			if e == followed && known {
				if file := s.globSecret(glob); file != "" {
					return file
				}
			}
		}
	}
	return ""
}

// text is word for a text without computed parts.
func (s *search) text(text string, e effort) string {
	for _, part := range parts(text) {
		if s.anywhere(part, s.isFile) {
			return part
		}
	}
	if e == followed && !strings.HasPrefix(text, "-") && !isText(text) {
		return s.secretAt(text)
	}
	return ""
}

// anywhere reports whether a path passes a test as written, or from the current folder of the line.
func (s *search) anywhere(file string, test func(string) bool) bool {
	return test(file) || !isRooted(file) && test(s.dir+"/"+file)
}

// secretAt returns the path if it is or leads to a file of secrets, or "".
func (s *search) secretAt(file string) string {
	if s.anywhere(filepath.ToSlash(file), s.isFile) {
		return file
	}
	for _, end := range s.facts.ResolvedPaths(s.dir, file) {
		if s.isFile(filepath.ToSlash(end)) {
			return file
		}
	}
	return ""
}

// globSecret returns a file of secrets that a glob matches now. Stars match no hidden file.
func (s *search) globSecret(glob string) string {
	hidden := s.dotglob || strings.HasPrefix(filepath.Base(glob), ".")
	wild := 0
	for name := range strings.SplitSeq(glob, "/") {
		if strings.ContainsAny(name, "*?[") {
			wild++
		}
	}
	if s.expansions--; s.expansions < 0 || wild == 0 || wild > 2 {
		return ""
	}
	ends := s.facts.ResolvedPaths(s.dir, glob)
	if len(ends) == 0 {
		return ""
	}
	files, _ := filepath.Glob(ends[0])
	for _, file := range files {
		if (hidden || !strings.HasPrefix(filepath.Base(file), ".")) && s.secretAt(file) != "" {
			return file
		}
	}
	return ""
}

// parts returns a word and the possible paths in the word: after an option, a =, an @ or a colon.
func parts(text string) []string {
	switch {
	case isText(text):
		return nil
	case strings.Contains(text, "://") && !strings.Contains(text, "file://"):
		return nil
	case strings.HasPrefix(text, ":!"), strings.HasPrefix(text, ":^"), strings.HasPrefix(text, ":(exclude"):
		return nil // excluded by git
	}
	all := []string{text}
	if strings.ContainsAny(text, "=@:,;<") {
		for item := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune("@:,;<", r) }) {
			name, value, _ := strings.Cut(item, "=")
			if isUsed := strings.Contains(name, "key") || strings.Contains(name, "cert"); !isUsed ||
				!secret.IsKey(value) {
				all = append(append(all, item), strings.FieldsFunc(item, func(r rune) bool { return r == '=' })...)
			}
		}
	}
	if len(text) > 3 && text[0] == '-' && text[1] != '-' {
		all = append(all, text[2:])
	}
	return all
}

// isText reports whether a word has blanks and is hardly a path.
func isText(word string) bool {
	i := strings.IndexAny(word, " \t\n")
	return i >= 0 && (strings.IndexByte("/.~", word[0]) < 0 || strings.Contains(word, " -") ||
		strings.Contains(word, "\n"))
}

// unknownText replaces the unknown parts of a word.
const unknownText = "\x00"

// values returns the possible texts of a word, with the line's values of variables, and unknownText for the rest.
func (s *search) values(text string, left int) (all []string) {
	at := strings.IndexAny(text, "$`")
	if at < 0 {
		return []string{text}
	}
	if s.variables--; s.variables < 0 {
		return []string{text[:at] + unknownText}
	}
	before, rest := text[:at], text[at+1:]
	name, operation := "", ""
	if text[at] == '$' && rest != "" && strings.IndexByte("$!?#", rest[0]) >= 0 { // a number
		name, rest = "0", rest[1:]
	}
	switch {
	case name != "":
	case text[at] == '`':
		_, rest, _ = strings.Cut(rest, "`")
	case strings.HasPrefix(rest, "()"):
		rest = rest[2:]
	case strings.HasPrefix(rest, "{"):
		name, rest, _ = strings.Cut(rest[1:], "}")
		name, operation = parameter(name)
	default:
		end := strings.IndexFunc(rest, func(r rune) bool { return r > 127 || r != '_' && !isAlphanumeric(byte(r)) })
		if end < 0 {
			end = len(rest)
		}
		name, rest = rest[:end], rest[end:]
	}
	tails := s.values(rest, left)
	some := []string{unknownText}
	for i := range s.assigned {
		v := &s.assigned[i]
		if v.Name == name && name != "" && left > 0 && len(some) < 64 {
			some = append(some, s.values(v.Value.Text, left-1)...)
		}
	}
	if value := substitute(operation); value != "" {
		some = append(some, value)
	}
	if len(some) > 1 {
		some = some[1:]
	} else if name == "HOME" {
		some[0] = "~"
	} else if name == "0" && operation == "" && strings.IndexByte("$!?#", text[at+1]) >= 0 {
		some[0] = "0"
	}
	for _, value := range some {
		for _, tail := range tails {
			if len(all) < 64 {
				all = append(all, before+value+tail)
			}
		}
	}
	return all
}

func isAlphanumeric(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

// inFolder returns a file of secrets in a folder that passes the test, or "". The limit is a few thousand files for one
// call, and folders of packages are skipped.
func (s *search) inFolder(folder string, hidden bool, test func(file string) bool) (what string) {
	ends := s.facts.ResolvedPaths(s.dir, folder)
	if len(ends) == 0 || s.files <= 0 {
		return ""
	}
	root := ends[len(ends)-1]
	isOfPackages := func(name string) bool { return shellline.InList(".git node_modules .venv vendor", name) }
	if isOfPackages(filepath.Base(root)) {
		return ""
	}
	enters := func(name string) bool { return (hidden || name[0] != '.') && !isOfPackages(name) }
	eachFile(root, &s.files, enters, func(file string) bool {
		if (s.isFile(filepath.ToSlash(file)) || secret.Asks(file)) && test(file) {
			what = file
		}
		return what != ""
	})
	return what
}

// doubtful finds a file of secrets in a text with unknown commands. The text must also have a word that reads files:
// anywhere in a program text, but before the file in a shell line.
func (s *search) doubtful() Found {
	for i := range s.Commands {
		if c := &s.Commands[i]; c.Script != "" && (c.isInterpreter()) {
			program := doubt{text: strings.ToLower(c.Script), why: "a program for " + c.Program}
			if found := s.inDoubt(program); found.Subject != "" {
				return found
			}
		}
	}
	for _, d := range s.doubts {
		if found := s.inDoubt(d); found.Subject != "" {
			return found
		}
	}
	return Found{}
}

// isReader reports whether a program shows all files in its operands.
func isReader(program string) bool {
	p, _ := programs.Find(program)
	return program != "." && program != "source" && p.Is(programs.Reads) || p.Is(programs.Edits) ||
		p.Is(programs.Filters)
}

// inDoubt is doubtful for one text.
func (s *search) inDoubt(d doubt) Found {
	isProgram := strings.Contains(d.why, "program")
	reads := isProgram && slices.ContainsFunc([]string{"open", "read", "cat", "load", "copy", "file", "slurp", "lines",
		":r ", "getline", "argv", "import", `\i `}, func(word string) bool { return strings.Contains(d.text, word) })
	leaves, named := false, ""
	for token := range strings.FieldsFuncSeq(d.text, func(r rune) bool {
		return strings.ContainsRune(" \t\"'`()[]{},\\", r)
	}) {
		if !isProgram {
			reads = (reads || token[0] == '<') && !strings.ContainsAny(token, "|;&\n")
		}
		left := leaves
		leaves = token[0] == '-' && strings.Contains(token, "exclude")
		word := strings.Trim(token, "|;&\n<>")
		reads = reads || !isProgram && isReader(word)
		if !reads || left || strings.HasPrefix(word, "-") || !strings.ContainsAny(word, "._") {
			continue
		}
		for part := range strings.SplitSeq(word, "=") {
			if part == named || !isProgram && part != word || !s.isFile(part) {
				continue
			}
			if named = part; !isProgram || !onlyNames(d.text, part) {
				return Found{Subject: part, Doubt: d.why}
			}
		}
	}
	return Found{}
}

// onlyNames reports whether a program text gives a file only to functions that test, write or delete files.
func onlyNames(text, file string) bool {
	for at := 0; ; {
		next := strings.Index(text[at:], file)
		if next < 0 {
			return true
		}
		before, behind := text[:at+next], text[at+next+len(file):]
		if at += next + len(file); behind != "" && (behind[0] == '.' || isAlphanumeric(behind[0])) {
			continue // another file
		}
		before = strings.TrimRight(before, "'\"`")
		isSecond := strings.HasSuffix(strings.TrimRight(before, " "), ",")
		if isSecond {
			before = before[:strings.LastIndexByte(before, '(')+1]
		}
		call, ok := strings.CutSuffix(before, "(")
		name := call[strings.LastIndexFunc(call, func(r rune) bool {
			return r > 127 || r != '_' && !isAlphanumeric(byte(r))
		})+1:]
		if !ok || !isSecond && !shellline.InList(noReads, name) || isSecond && !shellline.InList(noSecondReads, name) {
			return false
		}
	}
}

const (
	// noReads are functions of several languages that read no contents of the file in their first argument.
	noReads = "file_exists exists existssync is_file isfile is_readable unlink unlinksync remove rmsync stat " +
		"statsync " +
		"touch chmod access accesssync file_put_contents writefile writefilesync"
	noSecondReads = "copy copyfile copyfilesync rename renamesync move copy2"
)
