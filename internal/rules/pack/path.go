package pack

import (
	"cmp"
	"path"
	"path/filepath"
	"strings"

	"github.com/hookrun/hookrun/internal/lib/lazy"
)

// area is the kind of place that a path leads to, in ascending order of the loss if deleted.
type area uint8

const (
	unknown   area = iota // computed by the shell
	inside                // in the workspace
	temporary             // in a temporary folder
	cached                // files in the home that programs create again
	outside               // elsewhere
	inSystem              // in a system folder
	workspace             // the workspace itself
	protected             // a root, a home, a system folder, or a parent folder of the workspace
)

// target is the file that a word of a command names.
type target struct {
	area  area
	path  string
	doubt string // why the target is in doubt
	list  *list  // the commands that name the file; nil: the word does
}

// isFound reports whether the target is a folder in which a search or a listing of the line has found files.
func (t *target) isFound() bool { return t.list != nil && t.list.found }

// isMany reports whether the target stands for files that the line finds or lists by a pattern.
func (t *target) isMany() bool { return t.list != nil && (t.list.found || t.list.glob) }

// reading is one possible text of a word.
type reading struct {
	text  string
	globs bool // the text may contain a pattern
	doubt string
	list  *list // as in target
}

const (
	ifEmpty  = "the shell computes a part of the path, which may be empty"
	ifFolder = "the shell computes the folder"
)

// targets returns the files that a word of a command may name. by is nil for a file tool. It follows symbolic links;
// through means that the command follows a link at the end of a path.
func (c *Call) targets(w Word, by *Command, through bool) (all []target) {
	var folders []Word
	if by != nil {
		folders = by.Folders
	}
	for _, r := range c.readings(w, by, 0) {
		text, contents := sweptFolder(r)
		at := c.absolute(text, folders)
		switch {
		case at != "":
			real := c.follow(at, through || contents)
			t := target{c.areaOf(real), real, r.doubt, r.list}
			clean := path.Clean(at)
			if r.doubt == ifEmpty && clean != "/" && !(isRooted(text) && clean == c.Home) {
				continue
			}
			if t.area == protected && contents && c.isTemporaryFolder(clean) {
				t.area = temporary
			}
			all = append(all, t)
		case contents || path.Clean(text) == "." || strings.HasPrefix(path.Clean(text), ".."):
			all = append(all, target{workspace, text, ifFolder, r.list})
		}
	}
	return all
}

// isRooted reports whether a path starts elsewhere than in the current folder.
func isRooted(text string) bool { return strings.HasPrefix(text, "/") || strings.HasPrefix(text, "~") }

// sweptFolder returns the folder whose whole contents a pattern matches, or else the path.
func sweptFolder(r reading) (text string, contents bool) {
	glob := strings.IndexAny(r.text, "*?[")
	if !r.globs || glob < 0 || strings.HasSuffix(r.text, "[]") && glob == len(r.text)-2 { // [] is no pattern
		return r.text, false
	}
	cut := strings.LastIndexByte(r.text[:glob], '/') + 1
	if strings.Trim(r.text[cut:], "*?.!^[]/") != "" {
		return r.text, false
	}
	return cmp.Or(r.text[:cut], "."), true
}

// absolute returns the absolute path of a text after the folder changes, or "" if only the shell knows the path.
func (c *Call) absolute(text string, folders []Word) string {
	text = filepath.ToSlash(text)
	if text == "~" || strings.HasPrefix(text, "~/") {
		return cmp.Or(filepath.ToSlash(c.Home), "/root") + text[1:]
	}
	if strings.HasPrefix(text, "~") {
		return "/home/" + text[1:]
	}
	if path.IsAbs(text) || filepath.VolumeName(text) != "" {
		return text
	}
	at := filepath.ToSlash(c.Dir)
	if n := len(folders); n > 0 {
		folder, known := c.pathOfFolder(folders[n-1])
		if !known {
			return ""
		}
		if at = c.absolute(folder, folders[:n-1]); at == "" {
			return ""
		}
	}
	return at + "/" + text
}

// follow resolves links and "..".
func (c *Call) follow(at string, through bool) string {
	folder, name := path.Split(at)
	if through || name == "" || name == "." || name == ".." {
		return c.real(at)
	}
	return path.Join(c.real(folder), name)
}

// real returns a path without links, or the root if the path is unknown or the call has too many links.
func (c *Call) real(at string) string { return cmp.Or(c.facts.Resolve(at), "/") }

// pathOfFolder returns the path of a folder as written, and whether it is known.
func (c *Call) pathOfFolder(w Word) (text string, known bool) {
	if !w.Computed && !strings.Contains(w.Text, "{}") {
		return pathOf(w), true
	}
	r := c.readings(w, nil, 0)
	if len(r) == 0 || r[0].doubt != "" || r[0].globs && strings.ContainsAny(r[0].text, "$*?[`") {
		return "", false
	}
	return r[0].text, true
}

// pathOf returns the path that a word names, if the shell computes no part of it: ~ for the home folder, and ./~ for a
// file of this name.
func pathOf(w Word) string {
	if rest, ok := strings.CutPrefix(w.Text, "$HOME"); ok && w.Home {
		return "~" + rest
	}
	if !w.Home && strings.HasPrefix(w.Text, "~") {
		return "./" + w.Text
	}
	return w.Text
}

// readings returns the possible texts of a word of a command. If the line does not set a variable, only known
// variables have a value; others may be empty. by is nil if the word is in no command.
func (c *Call) readings(w Word, by *Command, depth int) (all []reading) {
	const deepest = 4
	if depth > deepest {
		return nil
	}
	if before, rest, ok := strings.Cut(w.Text, "{}"); ok { // the placeholder of find and xargs
		if by != nil {
			all, _ = c.listed(c.namesFor(by), before, rest, depth)
		}
		return all
	}
	if !w.Computed {
		return []reading{{text: pathOf(w)}}
	}
	if strings.Count(w.Text, "{")-strings.Count(w.Text, "${") > maxBraces {
		return []reading{{text: "/", doubt: "braces make many words of it"}}
	}
	if all, known := c.substituted(w, depth); known {
		return all
	}
	texts := expandBraces(w.Text, nil)
	for _, text := range texts {
		all = append(all, c.computed(Word{Text: text, Home: w.Home, Source: w.Source}, by, depth)...)
	}
	if len(texts) == maxBraced { // the last word may be followed by any path
		all = append(all, reading{text: "/", doubt: "braces make many words of it"})
	}
	return all
}

// computed returns the possible texts of a word with computed parts.
func (c *Call) computed(w Word, by *Command, depth int) (all []reading) {
	text := w.Text
	if rest, ok := strings.CutPrefix(text, "$HOME"); ok && w.Home {
		text = "~" + rest
	}
	at := variable.Get().FindStringSubmatchIndex(text)
	if depth > maxDefaults {
		return []reading{{text: "/", doubt: "variables stand in each other"}}
	}
	if at == nil {
		return []reading{{text: text, globs: true}}
	}
	before, expression, rest := text[:at[0]], text[at[0]:at[1]], text[at[1]:]
	name, operation := parameter(strings.Trim(expression, "${}"))
	given := false
	for _, a := range c.assigned {
		if a.Name != name {
			continue
		}
		given = true
		if c.expanded++; c.expanded > maxExpanded { // the last value may be followed by any other
			return append(all, reading{text: "/", doubt: "variables make many words of it"})
		}
		value := Word{Text: before + a.Value.Text + rest, Home: a.Value.Home, Computed: true, Source: a.Value.Source}
		if before != "" {
			value.Home = w.Home
		}
		all = append(all, c.readings(value, by, depth+1)...)
	}
	if some, known := c.listed(c.namesIn(name, by), before, rest, depth); known {
		return append(all, some...)
	}
	if before != "" && !given {
		without := variable.Get().ReplaceAllString(text, "")
		return []reading{{text: text, globs: true}, {text: without, globs: true, doubt: ifEmpty}}
	}
	switch {
	case given:
		return all
	case name == "HOME":
		return c.computed(Word{Text: "~" + rest, Home: true, Source: w.Source}, by, depth+1)
	case name == "PWD":
		return c.computed(Word{Text: "." + rest, Source: w.Source}, by, depth+1)
	case name == "TMPDIR", name == "RUNNER_TEMP":
		return c.computed(Word{Text: "/tmp" + rest, Source: w.Source}, by, depth+1)
	case strings.HasPrefix(name, "TMP"), name == "TEMP": // mostly a file or a folder that mktemp made
		return c.computed(Word{Text: "/tmp/" + name + rest, Source: w.Source}, by, depth+1)
	case operation == "?", strings.HasPrefix(operation, ":?"): // fails if empty
		return nil
	}
	if value := substitute(operation); value != "" {
		return c.computed(Word{Text: value + rest, Source: w.Source}, by, depth+1)
	}
	if rest == "" {
		return nil
	}
	return []reading{{text: rest, globs: true, doubt: ifEmpty}}
}

// parameter splits the text between ${ and } into the name of a variable, and an operation such as :-word.
func parameter(text string) (name, operation string) {
	if i := strings.IndexAny(text, ":-=?+#%/^,@["); i > 0 {
		return text[:i], text[i:]
	}
	return text, ""
}

// substitute returns the word in ${X:-word}, and in the other operations that insert a word: - := = :+ +.
func substitute(operation string) string {
	word := strings.TrimPrefix(operation, ":")
	if word == "" || !strings.Contains("-=+", word[:1]) {
		return ""
	}
	return word[1:]
}

// variable matches an expansion in the text of a word.
var variable = lazy.Regexp{Text: `\$\{[^}]*\}|\$\(\)|\$\(\([^)]*\)\)|\$[A-Za-z_][A-Za-z_0-9]*|\$[0-9@*#?!$-]|` + "``"}

const (
	maxBraces   = 64   // braces in a word
	maxDefaults = 16   // variables in the values of others
	maxBraced   = 256  // words from braces
	maxExpanded = 2000 // values of variables in one call
)

// expandBraces adds the words that a text with braces and commas expands to.
func expandBraces(text string, all []string) []string {
	for open := strings.IndexByte(text, '{'); open >= 0; {
		if open > 0 && text[open-1] == '$' {
			next := strings.IndexByte(text[open+1:], '{')
			if next < 0 {
				break
			}
			open += 1 + next
			continue
		}
		end, parts, start := 0, []string(nil), open+1
		depth := 0
		for i := open; i < len(text) && end == 0; i++ {
			switch {
			case text[i] == '{':
				depth++
			case text[i] == ',' && depth == 1:
				parts, start = append(parts, text[start:i]), i+1
			case text[i] == '}':
				if depth--; depth == 0 {
					end = i
				}
			}
		}
		if end == 0 || parts == nil {
			break
		}
		for _, part := range append(parts, text[start:end]) {
			if len(all) < maxBraced {
				all = expandBraces(text[:open]+part+text[end+1:], all)
			}
		}
		return all
	}
	return append(all, text)
}

// areaOf returns the area of a path without links.
func (c *Call) areaOf(p string) area {
	root, home := c.follow(filepath.ToSlash(cmp.Or(c.Root, c.Dir)), true), ""
	if c.Home != "" {
		home = c.follow(filepath.ToSlash(c.Home), true)
	}
	tree := "/"
	if c.Worktree != "" {
		tree = c.follow(filepath.ToSlash(c.Worktree), true)
	}
	above, name := path.Split(p)
	switch {
	case p == "/", len(p) == 2 && filepath.Separator != '/': // a drive too
		return protected
	case strings.EqualFold(p, root), strings.EqualFold(p, tree):
		return workspace
	case below(p, root), below(p, tree), strings.EqualFold(p, home), p == "/root":
		return protected
	case root != "/" && below(root, p), tree != "/" && below(tree, p):
		return inside
	case (strings.EqualFold(above, "/home/") || strings.EqualFold(above, "/users/")) && name != "":
		return protected
	case isTemporary(p, c) && !(home != "" && isTemporary(home, c) && below(home, p)):
		return temporary
	}
	for _, folder := range caches {
		if home != "" && (below(home+folder, p) || strings.EqualFold(home+folder, p)) {
			return cached
		}
	}
	if home != "" && below(home, p) {
		return outside
	}
	if a := systemArea(p); a != outside || root != "/" {
		return a
	}
	return inside
}

// below reports whether a path is in a folder. It ignores case. On a disk where case counts, a path that differs only
// in case is unlikely to exist.
func below(folder, p string) bool {
	folder = strings.TrimSuffix(folder, "/")
	return len(p) > len(folder)+1 && p[len(folder)] == '/' && strings.EqualFold(p[:len(folder)], folder)
}

// caches are folders of a home that programs fill again.
var caches = [...]string{"/.cache", "/Library/Caches", "/Library/Developer/Xcode/DerivedData", "/.npm",
	"/.local/share/pnpm/store", "/.bun/install/cache", "/.yarn/cache", "/.gradle/caches", "/.m2/repository",
	"/.cargo/registry", "/.nuget/packages", "/.Trash", "/.local/share/Trash"}

var temporaryFolders = [...]string{"/tmp", "/private/tmp", "/var/tmp", "/private/var/tmp", "/var/folders",
	"/private/var/folders", "/dev/shm"}

// isTemporary reports whether a path is in a temporary folder.
func isTemporary(p string, c *Call) bool {
	for _, folder := range temporaryFolders {
		if below(folder, p) {
			return true
		}
	}
	return c.Home != "" && below(filepath.ToSlash(c.Home)+"/AppData/Local/Temp", p)
}

// isTemporaryFolder reports whether a path is a temporary folder that does not contain the workspace.
func (c *Call) isTemporaryFolder(p string) bool {
	return !isTemporary(p, c) && isTemporary(p+"/x", c) && !below(p, filepath.ToSlash(c.Root)) &&
		!below(p, filepath.ToSlash(c.Worktree))
}

// System folders. Files in the folders of notSystem do not belong to the system, but these folders themselves do.
var (
	systemFolders = [...]string{"/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/proc", "/run",
		"/sbin", "/sys", "/usr", "/var", "/System", "/Library", "/Applications", "/private", "/nix", "C:/Windows",
		"C:/Program Files", "/c/Windows", "/c/Program Files"}
	notSystem = [...]string{"/usr/local", "/usr/src", "/var/www", "/var/log", "/var/cache", "/var/lib/apt/lists",
		"/var/tmp", "/private/tmp", "/opt", "/srv", "/mnt", "/media", "/Volumes", "/home", "/Users", "/tmp",
		"/snap", "C:/Users", "/c/Users"}
)

func systemArea(p string) area {
	for _, folder := range notSystem {
		switch is := strings.EqualFold(folder, p); {
		case (is || below(folder, p)) && (folder == "/var/cache" || folder == "/var/lib/apt/lists"):
			return cached
		case is && folder != "/var/www":
			return protected
		case is, below(folder, p):
			return outside
		}
	}
	for _, folder := range systemFolders {
		switch {
		case strings.EqualFold(folder, p):
			return protected
		case below(folder, p):
			return inSystem
		}
	}
	return outside
}
