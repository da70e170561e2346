package pack

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/hookrun/hookrun/internal/lib/lazy"
	"github.com/hookrun/hookrun/internal/rules/programs"
)

// grepCall is a command that searches for a text in files.
type grepCall struct {
	patterns   []string
	unknown    bool // the printed lines are unknown
	fixed      bool // the patterns are plain texts
	ignoreCase bool
	recursive  bool
	namesOnly  bool // prints only names or numbers
	hidden     bool // reads hidden files
	files      []Word
	include    []string // globs of the files to read in folders; nil: all
	exclude    []string // globs of the files to skip
}

// grepOf parses the arguments of a program that searches for a text.
func grepOf(c *Command) (g grepCall) {
	isGrep := c.program.Name == "grep" // the others search in folders, and not in hidden files
	g.recursive, g.hidden = !isGrep || c.Program == "rgrep", isGrep
	g.fixed = c.Program == "fgrep"
	args, given := c.Args, false
	for i := 0; i < len(args); i++ {
		w := args[i]
		name, value, attached := strings.Cut(w.Text, "=")
		next := func() Word {
			if attached {
				return Word{Text: value}
			}
			if i++; i < len(args) {
				return args[i]
			}
			return Word{}
		}
		switch {
		case w.Text == "--":
			for _, rest := range args[i+1:] {
				given = g.operand(rest, given)
			}
			return g
		case w.Computed && !strings.HasPrefix(w.Prefix, "-"), len(w.Text) < 2, w.Text[0] != '-':
			given = g.operand(w, given)
		case w.Text[1] == '-':
			given = g.long(c.program, name, next, given)
		default:
			given = g.short(c.program, w.Text[1:], next, given)
		}
	}
	return g
}

func (g *grepCall) operand(w Word, given bool) bool {
	if given {
		g.files = append(g.files, w)
	} else {
		g.pattern(w)
	}
	return true
}

func (g *grepCall) pattern(w Word) {
	g.patterns, g.unknown = append(g.patterns, w.Text), g.unknown || w.Computed
}

func (g *grepCall) long(p programs.Program, name string, next func() Word, given bool) bool {
	switch name {
	case "--regexp":
		g.pattern(next())
		return true
	case "--file":
		g.files, g.unknown = append(g.files, next()), true
		return true
	case "--recursive", "--dereference-recursive":
		g.recursive = true
	case "--ignore-case", "--smart-case":
		g.ignoreCase = true
	case "--fixed-strings":
		g.fixed = true
	case "--invert-match", "--passthru":
		g.unknown = true
	case "--count", "--quiet", "--silent", "--files-with-matches", "--files-without-match", "--files", "--type-list":
		g.namesOnly = true
	case "--hidden", "--unrestricted":
		g.hidden = true
	case "--include", "--glob", "--iglob":
		g.glob(next().Text)
	case "--exclude", "--exclude-dir":
		g.exclude = append(g.exclude, next().Text)
	default:
		if p.TakesNext(name) {
			next()
		}
	}
	return given
}

func (g *grepCall) glob(glob string) {
	if rest, ok := strings.CutPrefix(glob, "!"); ok {
		g.exclude = append(g.exclude, rest)
	} else {
		g.include = append(g.include, glob)
	}
}

func (g *grepCall) short(p programs.Program, letters string, next func() Word, given bool) bool {
	for i := 0; i < len(letters); i++ {
		value := Word{Text: letters[i+1:]}
		takes := p.Takes(letters[i])
		if takes && value.Text == "" {
			value = next()
		}
		switch letters[i] {
		case 'e':
			if takes {
				g.pattern(value)
				given = true
			}
		case 'f':
			if !takes { // ag follows links
				break
			}
			g.files, g.unknown, given = append(g.files, value), true, true
		case 'g':
			if takes {
				g.glob(value.Text)
			}
		case 'r', 'R':
			g.recursive = g.recursive || !takes
		case 'd':
			g.recursive = g.recursive || value.Text == "recurse"
		case 'i', 'S', 'y':
			g.ignoreCase = true
		case 'F':
			g.fixed = true
		case 'v':
			g.unknown = true
		case 'l', 'L', 'c', 'q':
			g.namesOnly = true
		case 'u', '.':
			g.hidden = true
		}
		if takes {
			break
		}
	}
	return given
}

// grep finds a file of secrets that a command searches. A file in a folder counts if one of its lines would be printed.
func (s *search) grep(c *Command) string {
	g := grepOf(c)
	if g.namesOnly {
		return ""
	}
	for _, w := range g.files {
		if what := s.word(w, followed); what != "" {
			return what
		}
	}
	for _, glob := range g.include {
		if mayBeSecret(glob) {
			return glob
		}
	}
	if s.getsNames(c) {
		if s.listings--; s.listings < 0 {
			return s.anyListed()
		}
		return s.listed(g.mayPrint)
	}
	if !g.recursive {
		return ""
	}
	folders := g.files
	if len(folders) == 0 {
		folders = []Word{{Text: "."}}
	}
	for _, w := range folders {
		if w.Computed {
			continue
		}
		if what := s.inFolder(w.Text, g.hidden, g.mayPrint); what != "" {
			return what
		}
	}
	return ""
}

// anyListed is listed with a test that every file passes. The result is cached.
func (s *search) anyListed() string {
	if s.listedFile == nil {
		listed := s.listed(func(string) bool { return true })
		s.listedFile = &listed
	}
	return *s.listedFile
}

// mayPrint reports whether the command prints a line of a file found in a folder. It reads only the file's beginning.
func (g *grepCall) mayPrint(file string) bool {
	base := filepath.Base(file)
	fits := func(globs []string) bool {
		for _, glob := range globs {
			ok, _ := filepath.Match(filepath.Base(filepath.FromSlash(glob)), base)
			if ok || strings.Contains(filepath.ToSlash(file), "/"+strings.Trim(glob, "/*")+"/") {
				return true
			}
		}
		return false
	}
	if g.include != nil && !fits(g.include) || fits(g.exclude) || !g.hidden && base[0] == '.' {
		return false
	}
	f, err := os.Open(file)
	if err != nil {
		return !os.IsNotExist(err)
	}
	defer func() { _ = f.Close() }()
	const most = 64 << 10
	text, err := io.ReadAll(io.LimitReader(f, most))
	return err != nil || g.matches(string(text))
}

// basicPattern translates a basic regular expression to an extended one.
var basicPattern = lazy.Value[*strings.Replacer]{Make: func() *strings.Replacer {
	return strings.NewReplacer(`\|`, "|", `\(`, "(", `\)`, ")", `\{`, "{", `\}`, "}", `\+`, "+", `\?`, "?",
		"|", `\|`, "(", `\(`, ")", `\)`, "{", `\{`, "}", `\}`, "+", `\+`, "?", `\?`)
}}

// matches reports whether a pattern may match a line of a text, as a basic or as an extended expression.
func (g *grepCall) matches(text string) bool {
	flags := "(?m)"
	if g.ignoreCase {
		flags = "(?mi)"
	}
	for _, pattern := range g.patterns {
		all := []string{pattern, basicPattern.Get().Replace(pattern)}
		if g.fixed {
			all = []string{regexp.QuoteMeta(pattern)}
		}
		read := false
		for _, one := range all {
			re, err := regexp.Compile(flags + one)
			if read = read || err == nil; err == nil && re.MatchString(text) {
				return true
			}
		}
		if !read {
			return true
		}
	}
	return g.unknown || len(g.patterns) == 0
}
