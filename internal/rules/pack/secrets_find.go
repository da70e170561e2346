package pack

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/rules/programs"
)

// listed returns a file of secrets that a program in the line names. The name is in the program's arguments, or the
// file is in the folder of a find without names and passes the test.
func (s *search) listed(test func(file string) bool) string {
	defer func(dir string) { s.dir = dir }(s.dir)
	test = s.named(test)
	s.onDisk = false
	for i := range s.Commands {
		c := &s.Commands[i]
		s.goTo(c.Folders)
		if folder, depth, hidden, ok := c.listsFolder(); ok {
			isNamed := func(file string) bool {
				return (hidden || filepath.Base(file)[0] != '.') && (depth == 0 || s.depth(folder, file) <= depth) &&
					test(file)
			}
			if what := s.inFolder(folder, hidden, isNamed); what != "" {
				s.onDisk = true
				return what
			}
		}
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
				if what := s.field(strings.NewReplacer(`\n`, " ", `\0`, " ").Replace(w.Text)); what != "" {
					return what
				}
			}
		case "xargs":
			if what := s.field(c.Script); what != "" {
				return what
			}
		}
	}
	return ""
}

// listsFolder returns the folder whose files the command names, how deep (0: all), and whether hidden files are named.
func (c *Command) listsFolder() (folder string, depth int, hidden, ok bool) {
	switch operands := c.operands(); c.Program {
	case "ls", "dir", "vdir":
		if c.has("-d,--directory") || len(operands) > 1 {
			return "", 0, false, false
		}
		folder, depth, hidden = ".", 1, c.has("-a,-A,-f,--all,--almost-all")
		if c.has("-R,--recursive") {
			depth = 0
		}
		if len(operands) == 1 {
			folder = operands[0].Text
		}
		return folder, depth, hidden, len(operands) == 0 || !operands[0].Computed
	case "fd", "fdfind":
		return ".", 0, true, len(operands) == 0 && c.has("-H,-u,--hidden,--unrestricted") && c.has("-I,-u,--no-ignore")
	case "rg":
		return ".", 0, true, len(operands) == 0 && c.has("--files") && c.has("-.,--hidden") && c.has("-u,--no-ignore")
	case "git":
		isOthers := func(w Word) bool { return w.Text == "-o" || w.Text == "--others" }
		return ".", 0, true, len(c.Args) > 1 && c.Args[0].Text == "ls-files" && slices.ContainsFunc(c.Args, isOthers) &&
			!hasWord(c.Args, "--exclude-standard")
	case "du":
		return ".", 0, true, c.has("-a,--all") && len(operands) == 0
	case "compgen":
		return ".", 1, false, c.has("-f")
	}
	return "", 0, false, false
}

// depth returns how many folders below a folder a file of the disk is.
func (s *search) depth(folder, file string) int {
	ends := s.facts.ResolvedPaths(s.dir, folder)
	if len(ends) == 0 {
		return 0
	}
	rest, err := filepath.Rel(ends[len(ends)-1], file)
	if err != nil {
		return 0
	}
	return 1 + strings.Count(filepath.ToSlash(rest), "/")
}

func isComputed(w Word) bool { return w.Computed }

// named returns a test that also asks the greps that filter the names for a command, as in ls -a | grep env.
func (s *search) named(test func(file string) bool) func(file string) bool {
	var filters []grepCall
	var inverse []bool
	if s.gets != nil {
		for _, from := range slices.Concat(s.gets.PipedFrom, s.gets.Substitutions) {
			c := commandOf(from)
			if !c.Row.Is(programs.Searches) || len(c.PipedFrom) == 0 {
				continue
			}
			g := grepOf(&c)
			if isKnown := !slices.ContainsFunc(c.Args, isComputed); isKnown && len(g.files) == 0 && !g.namesOnly &&
				len(g.patterns) > 0 {
				filters, inverse = append(filters, g), append(inverse, c.has("-v,--invert-match"))
				filters[len(filters)-1].unknown = false
			}
		}
	}
	if len(filters) == 0 {
		return test
	}
	return func(file string) bool {
		name := "./" + path.Base(filepath.ToSlash(file))
		for i := range filters {
			if filters[i].matches(name) == inverse[i] {
				return false
			}
		}
		return test(file)
	}
}

// findTests are the parts of an expression of find that choose files by their names and places.
type findTests struct {
	froms   []string // the folders
	named   bool     // a pattern chooses the files
	names   string   // the pattern for files of secrets; or ""
	folders bool     // only folders, links and devices
	deepest int      // the depth of the files; 0: any
	without []func(file string) bool
}

// findTestsOf reads the arguments of find. With an "or" between tests, a test that excludes files may not hold.
func (s *search) findTestsOf(args []Word) (f findTests) {
	for len(args) > 0 && (args[0].Text == "-L" || args[0].Text == "-H" || args[0].Text == "-P") {
		args = args[1:]
	}
	for len(args) > 0 && (args[0].Text == "" || !strings.Contains("-!(", args[0].Text[:1])) {
		f.froms, args = append(f.froms, args[0].Text), args[1:]
	}
	either := hasWord(args, "-o", "-or", ",")
	for i := range max(len(args)-1, 0) {
		text, value := args[i].Text, args[i+1].Text
		isNot := i > 0 && (args[i-1].Text == "!" || args[i-1].Text == "-not")
		switch text {
		case "-maxdepth":
			if len(value) == 1 && '0' < value[0] && value[0] <= '9' {
				f.deepest = int(value[0] - '0')
			}
		case "-type":
			f.folders = f.folders || !either && !isNot && value != "" && strings.Trim(value, "dbcps,") == ""
		case "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex":
			s.addPattern(&f, text, value, isNot, either)
		}
	}
	return f
}

// addPattern adds the test of find for a pattern.
func (s *search) addPattern(f *findTests, option, pattern string, isNot, either bool) {
	switch isRegex := strings.HasSuffix(option, "regex"); {
	case strings.Trim(pattern, "*") == "":
	case isNot:
		if matches := pathTest(option, pattern); !either && matches != nil {
			f.without = append(f.without, matches)
		}
	case isRegex && strings.Contains(pattern, "[^"): // matches almost all names
	default:
		f.named = true
		glob := strings.NewReplacer(`\.`, ".", ".*", "*").Replace(pattern)
		if f.names == "" && s.isGlob(glob) {
			f.names = pattern
		}
	}
}

// byFind is listed for find. A name decides if there is one; otherwise the files on the disk do.
func (s *search) byFind(args []Word, test func(file string) bool) string {
	f := s.findTestsOf(args)
	switch {
	case f.named:
		return f.names
	case f.folders:
		return ""
	case len(f.froms) == 0:
		f.froms = []string{"."}
	}
	for _, from := range f.froms {
		if from = filepath.ToSlash(from); s.isFile(from) {
			return from
		}
		what := s.inFolder(from, true, func(file string) bool {
			inside := from + "/" + path.Base(filepath.ToSlash(file))
			isOut := func(matches func(string) bool) bool { return matches(inside) }
			return (f.deepest == 0 || s.depth(from, file) <= f.deepest) && !slices.ContainsFunc(f.without, isOut) &&
				test(file)
		})
		if what != "" {
			s.onDisk = true
			return what
		}
	}
	return ""
}

// pathTest returns the test of find for a pattern, or nil.
func pathTest(option, pattern string) func(file string) bool {
	if strings.HasSuffix(option, "regex") {
		re, err := regexp.Compile("^(?:" + basicPattern.Get().Replace(pattern) + ")$")
		if err != nil {
			return nil
		}
		return re.MatchString
	}
	if strings.HasSuffix(option, "name") && !strings.Contains(option, "whole") {
		return func(file string) bool {
			ok, _ := path.Match(pattern, path.Base(file))
			return ok
		}
	}
	flat := func(text string) string { return strings.ReplaceAll(text, "/", "\x01") } // a star also matches a slash
	return func(file string) bool {
		ok, _ := path.Match(flat(pattern), flat(file))
		return ok
	}
}
