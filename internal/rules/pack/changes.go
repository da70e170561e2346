package pack

import (
	"os"
	"path"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/rules/programs"
	"github.com/hookrun/hookrun/internal/rules/shellline"
)

// command adds the guarded files that a command changes.
func (f *guardFinder) command(c *Command) {
	f.current = c
	f.setDirs(c.Folders)
	changes := c.Row.Changes(c.Args)
	switch p := c.Row; {
	case len(c.Words) == 0, changes == programs.No:
	case p.Name == "git":
		f.git(c)
	case p.Name == "find":
		f.find(c)
	case p.Name == "dd":
		f.changes(c, c.overwritten(), "")
	case c.Row.Is(programs.Copies | programs.Moves):
		f.copies(c)
	case c.Row.Is(programs.Edits):
		for _, w := range c.operands() {
			f.word(w, false, "")
		}
	case changes == programs.Yes:
		f.changes(c, slices.Concat(c.operands(), p.Values(p.List("saves"), c.Args)), "")
	case p.Is(programs.Filters):
		f.changes(c, c.operands()[min(1, len(c.operands())):], "")
	default:
		f.other(c)
	}
}

// changes adds words that are all changed.
func (f *guardFinder) changes(c *Command, words []Word, doubt string) {
	for _, w := range words {
		f.word(w, true, doubt)
	}
	if c.MoreArgs {
		for _, line := range f.lineNames() {
			f.add(line.guard, "it gets files that nobody knows")
		}
	}
}

// copies adds the target of a command that copies or moves.
func (f *guardFinder) copies(c *Command) {
	target, files := c.intoFolder(), c.operands()
	isFolder := target.Text != ""
	recursive := c.Row.Is(programs.Moves) || c.does(programs.Recursive) || c.has("-r,-R,-a")
	if c.Row.Is(programs.Moves) {
		before := f.found[guardCommands] // what is moved away is no new text
		f.changes(c, files, "")
		f.found[guardCommands] = before
	}
	if !isFolder {
		if len(files) < 2 {
			f.changes(c, files, "") // more files may follow
			return
		}
		target, files = files[len(files)-1], files[:len(files)-1]
	}
	if c.MoreArgs {
		f.changes(c, nil, "")
	}
	f.word(target, false, "")
	if !isFolder && !f.isFolder(target) {
		return
	}
	for _, from := range files {
		name := path.Base(from.Text)
		if f.sweepsOther(from.Text) { // the names in the target are those of the folder
			continue
		}
		all := name == "." || name == "*" || strings.HasSuffix(from.Text, "/")
		if all && recursive {
			f.word(target, true, "")
			continue
		}
		into := target
		into.Text = strings.TrimSuffix(into.Text, "/") + "/" + name
		f.word(into, recursive, "")
	}
}

// isFolder reports whether a target is or may be a folder.
func (f *guardFinder) isFolder(w Word) bool {
	file, known := f.text(w)
	if !known || strings.HasSuffix(file, "/") {
		return true
	}
	found := false
	f.eachPath(file, func(at string) {
		info, err := os.Stat(at)
		found = found || err == nil && info.IsDir()
	})
	return found
}

// git adds the files that a git command changes.
func (f *guardFinder) git(c *Command) {
	g := gitOf(c, "")
	files := g.operands()
	if g.dir != "" {
		f.setDirs(append(slices.Clip(c.Folders), Word{Text: g.dir, Home: true}))
	}
	switch g.sub {
	case "checkout", "mv", "clean":
		f.changes(c, files, "")
	case "restore":
		if !g.has("-S,--staged") || g.has("-W,--worktree") {
			f.changes(c, files, "")
		}
	case "rm":
		if !g.has("--cached") {
			f.changes(c, files, "")
		}
	case "stash":
		if i := slices.IndexFunc(g.args, func(w Word) bool { return w.Text == "--" }); i >= 0 {
			f.changes(c, g.args[i+1:], "")
		}
	}
}

// find adds the files that find deletes.
func (f *guardFinder) find(c *Command) {
	roots, deletes := c.findRemoval()
	for i, w := range c.Args {
		if (w.Text == "-exec" || w.Text == "-execdir" || w.Text == "-ok") && i+1 < len(c.Args) {
			next, _ := programs.Find(programName(c.Args[i+1]))
			deletes = deletes || next.Changes(nil) == programs.Yes
		}
	}
	if !deletes {
		return
	}
	var names []string // name patterns, in lower case
	for i, w := range c.Args[:max(len(c.Args)-1, 0)] {
		switch w.Text {
		case "-name", "-iname", "-path", "-ipath", "-wholename":
			names = append(names, strings.TrimPrefix(lowered(c.Args[i+1].Text), "*/"))
			f.add(guardOf(names[len(names)-1], f.home), "")
		}
	}
	for _, w := range roots.words {
		if len(names) == 0 ||
			slices.ContainsFunc(names, func(name string) bool { return namesGuarded(lowered(w.Text), name) }) {
			f.word(w, true, "")
		}
	}
}

// namesGuarded reports whether a name pattern matches a guarded file anywhere in a folder.
func namesGuarded(folder, name string) bool {
	for i := range guardedFolders {
		g := &guardedFolders[i]
		if g.name == "" || g.shared || !strings.Contains("/"+folder+"/", "/"+g.name+"/") {
			continue
		}
		for _, file := range g.files {
			if ok, err := path.Match(path.Base(name), path.Base(file)); ok || err != nil {
				return true
			}
		}
	}
	return false
}

// checks are arguments of programs that only read files.
var checks = []string{"--check", "--list-different", "--dry-run", "lint", "check", "validate", "json.tool",
	"--version", "--help", "show", "diff"}

// writes are words of programs that write a file. Other programs read the texts of skills and commands.
var writes = []string{"-o", "-O", "-i", "-w", "--output", "--in-place", "--inplace", "--write", "--fix", "set-content",
	"Set-Content", "Add-Content", "Out-File", "New-Item", "Copy-Item", "Move-Item", "copy", "move", "xcopy"}

// other adds the file arguments of a program whose use of files is unknown.
func (f *guardFinder) other(c *Command) {
	args := c.Args
	const doubt = "nobody can tell what the program does to the file"
	switch p := c.Row; {
	case p.Is(programs.InPlace):
		f.edits(c)
		return
	case p.Name == "awk":
		if hasWord(args, "inplace") {
			f.changes(c, c.operands(), "")
		}
		for _, w := range args {
			if strings.Contains(w.Text, ">") {
				f.add(guardInText(strings.ToLower(w.Text)), doubt)
			}
		}
		return
	case p.Is(programs.Finds):
		if hasWord(args, "-x", "-X", "--exec", "--exec-batch") {
			f.changes(c, c.operands(), "")
		}
		return
	case p.Asks(programs.MayWrite):
		if !c.does(programs.MayWrite) {
			return
		}
	case p.Name == "tar":
		mode := func(letter string) bool {
			return c.has("-"+letter) || len(args) > 0 && strings.Contains(args[0].Text, letter)
		}
		if mode("c") && !mode("x") || hasWord(args, "--create") {
			return
		}
		f.extracts(c.value("-C", "--directory"))
	case p.Name == "unzip":
		f.extracts(c.value("-d", "-d"))
	default:
		args = c.Args[c.script()+1:]
	}
	for i, w := range args {
		g := f.argument(w, args[max(i-1, 0)].Text)
		isRead := g == guardCommands && !hasWord(c.Words, writes...) && !strings.HasPrefix(w.Text, "--out")
		if g != guardNone && !isRead && !f.harmless(c, args) {
			f.add(g, doubt)
		}
	}
}

// harmless reports whether a command only reads its files, or starts another command, which is checked separately.
func (f *guardFinder) harmless(c *Command, args []Word) bool {
	if hasWord(args, checks...) {
		return true
	}
	_, starts := shellline.Launch(c.Words)
	return starts && len(f.call.doubts) == 0
}

// extracts adds the folder that an archive is unpacked to.
func (f *guardFinder) extracts(folder Word) {
	if folder.Text != "" {
		f.word(folder, true, "nobody can tell what is in the archive")
	}
}

// edits adds the files that sed, perl and ruby change in place, and the files that sed writes.
func (f *guardFinder) edits(c *Command) {
	if words := c.overwritten(); len(words) > 0 {
		f.changes(c, words, "")
		return
	}
	for _, w := range c.Args {
		if _, file, ok := strings.Cut(w.Text, "w "); ok && c.Row.Name == "sed" {
			f.word(Word{Text: strings.TrimSpace(file)}, false, "")
		}
	}
}

// argument returns the guard of a word that may be a file or an option with a file. before is the previous word.
func (f *guardFinder) argument(w Word, before string) guard {
	switch before {
	case "-m", "--message", "--title", "--body", "-F", "-f", "--file", "--config", "--settings", "-s", "--schema", "-i",
		"--input":
		return guardNone // an option that only reads the file
	}
	low := lowered(w.Text)
	if w.Home {
		file, _ := f.text(w)
		low = lowered(file)
	}
	if _, value, ok := strings.Cut(low, "="); ok && strings.HasPrefix(low, "-") {
		low = value
	} else if len(low) > 2 && low[0] == '-' && low[1] != '-' {
		low = low[2:]
	}
	if low == "" || low[0] == '-' || strings.Contains(low, "://") {
		return guardNone
	}
	f.at = low
	found := guardOf(low, f.home)
	for _, dir := range f.dirs {
		if found == guardNone && dir != f.call.Dir && !isRooted(low) {
			found = guardOf(path.Join(lowered(dir), low), f.home)
		}
	}
	return found
}
