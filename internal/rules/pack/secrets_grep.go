package pack

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/lib/lazy"
	"github.com/hookrun/hookrun/internal/rules/programs"
	"github.com/hookrun/hookrun/internal/rules/shellline"
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
	isGrep := c.Row.Name == "grep" // the others search in folders, and not in hidden files
	g.recursive, g.hidden, g.fixed = !isGrep || c.Program == "rgrep", isGrep, c.Program == "fgrep"
	options, operands := c.Row.Parse(c.Args)
	given := false
	for _, o := range options {
		switch o.Name {
		case "e", "regexp":
			given = given || o.Value.Text != ""
			g.pattern(o.Value)
		case "f", "file":
			if o.Value.Text != "" { // ag -f follows links
				g.files, g.unknown, given = append(g.files, o.Value), true, true
			}
		case "g", "glob", "iglob", "include":
			if rest, ok := strings.CutPrefix(o.Value.Text, "!"); ok {
				g.exclude = append(g.exclude, rest)
			} else if rest != "" {
				g.include = append(g.include, rest)
			}
		case "exclude", "exclude-dir":
			g.exclude = append(g.exclude, o.Value.Text)
		case "r", "R", "recursive", "dereference-recursive", "d":
			g.recursive = g.recursive || o.Value.Text == "" || o.Name == "d" && o.Value.Text == "recurse"
		case "i", "S", "y", "ignore-case", "smart-case":
			g.ignoreCase = true
		case "F", "fixed-strings":
			g.fixed = true
		case "v", "invert-match", "passthru":
			g.unknown = true
		case "l", "L", "c", "q", "count", "quiet", "silent", "files-with-matches", "files-without-match", "files",
			"type-list":
			g.namesOnly = true
		case "u", ".", "hidden", "unrestricted":
			g.hidden = true
		}
	}
	if !given && len(operands) > 0 {
		g.pattern(operands[0])
		operands = operands[1:]
	}
	g.files = append(g.files, operands...)
	return g
}

func (g *grepCall) pattern(w Word) {
	if w.Text != "" {
		g.patterns, g.unknown = append(g.patterns, w.Text), g.unknown || w.Computed
	}
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
	if len(g.include) > 0 && !slices.ContainsFunc(g.include, func(glob string) bool { return !s.isGlob(glob) }) {
		return g.include[0] // among other files, those on the disk decide
	}
	if s.getsNames(c) {
		if s.listings--; s.listings < 0 {
			return s.anyListed(c)
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

// anyListed is listed for a command with a test that every file passes. The result is cached, if no grep filters names.
func (s *search) anyListed(c *Command) string {
	isGrep := func(c shellline.Command) bool { return c.Row.Is(programs.Searches) }
	if s.listings > 0 && (slices.ContainsFunc(c.PipedFrom, isGrep) || slices.ContainsFunc(c.Substitutions, isGrep)) {
		s.listings--
		s.gets = c
		defer func() { s.gets = nil }()
		return s.listed(func(string) bool { return true })
	}
	if s.listedFile == nil {
		listed := s.listed(func(string) bool { return true })
		s.listedFile, s.listedOnDisk = &listed, s.onDisk
	}
	s.onDisk = s.listedOnDisk
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
