package pack

import (
	"os"
	"path"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/rules/shellline"
)

// access is how a program uses the files in its arguments.
type access int

const (
	accessUnknown access = iota
	accessReads
	accessChanges // changes all of them, and the files in folders
	accessCopies  // changes the last of them
)

// accessOf returns how a program uses files. Options may change the use.
func accessOf(program string) access {
	switch program {
	case "rm", "unlink", "shred", "rmdir", "truncate", "chmod", "chown", "chgrp", "chattr", "setfacl", "touch", "tee",
		"sponge", "ln", "ed", "ex", "patch", "del", "remove-item", "trash", "gio":
		return accessChanges
	case "cp", "mv", "install", "rsync", "scp", "ditto", "gcp", "gmv":
		return accessCopies
	case "cat", "less", "more", "head", "tail", "grep", "egrep", "fgrep", "rg", "ag", "ack", "jq", "ls", "ll", "eza",
		"exa", "tree", "stat", "file", "wc", "diff", "cmp", "colordiff", "delta", "uniq", "cut", "tr", "tac", "nl",
		"readlink", "realpath", "basename", "dirname", "md5sum", "sha1sum", "sha256sum", "sha512sum", "shasum", "xxd",
		"od", "hexdump", "strings", "bat", "batcat", "column", "cd", "pushd", "du", "test", "[", "[[", "echo", "printf",
		"gh", "export", "set", "which", "type", "command", "hookrun", "claude", "codex", "gemini", "qwen", "droid",
		"copilot", "crush", "opencode", "read", "fold", "paste", "join", "comm", "base64", "zip", "open", "xdg-open",
		"get-content", "exit", "return", "make", "shellcheck", "jsonlint", "check-jsonschema", "ajv", "cksum", "glow",
		"mdcat", "locate", "lsof", "getfacl", "markdownlint", "yamllint", "actionlint", "pre-commit", "gitleaks",
		"trufflehog", "semgrep", "mkdir", "unset", "local", "declare", "readonly", "alias", "trap", ":", "true",
		"false", "sleep", "kill", "git-lfs", "code", "cursor":
		return accessReads
	}
	return accessUnknown
}

// command adds the guarded files that a command changes.
func (f *guardFinder) command(c *Command) {
	f.current = c
	f.setDirs(c.Folders)
	switch program := accessOf(c.Program); {
	case len(c.Words) == 0, program == accessReads:
	case program == accessChanges:
		f.changes(c, c.operands(""), "")
	case program == accessCopies:
		f.copies(c)
	case c.Program == "git":
		f.git(c)
	case c.Program == "find", c.Program == "gfind":
		f.find(c)
	case c.Program == "dd":
		f.changes(c, c.overwritten(), "")
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
	target, files := c.intoFolder(), c.operands("")
	if c.Program != "rsync" {
		files = c.operands(copyOptions)
	}
	isFolder := target.Text != ""
	recursive := c.Program == "mv" || c.Program == "rsync" || c.Program == "ditto" || hasLetter(c.Args, "rRa")
	if c.Program == "mv" {
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
	files := operands(g.args, "")
	if g.dir != "" {
		f.setDirs(append(slices.Clip(c.Folders), Word{Text: g.dir, Home: true}))
	}
	switch g.sub {
	case "checkout", "mv", "clean":
		f.changes(c, files, "")
	case "restore":
		if !g.has("--staged", 'S', "s") || g.has("--worktree", 'W', "s") {
			f.changes(c, files, "")
		}
	case "rm":
		if !g.has("--cached", 0, "") {
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
			next := accessOf(programName(c.Args[i+1]))
			deletes = deletes || next == accessChanges || next == accessCopies
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
	switch strings.TrimRight(c.Program, "0123456789.-") {
	case "sed", "gsed", "perl", "ruby":
		f.edits(c)
		return
	case "awk", "gawk", "mawk", "nawk":
		if hasWord(args, "inplace") {
			f.changes(c, operands(args, ""), "")
		}
		for _, w := range args {
			if strings.Contains(w.Text, ">") {
				f.add(guardInText(strings.ToLower(w.Text)), doubt)
			}
		}
		return
	case "fd", "fdfind":
		if hasWord(args, "-x", "-X", "--exec", "--exec-batch") {
			f.changes(c, operands(args, ""), "")
		}
		return
	case "sort":
		if !hasLetter(args, "o") {
			return
		}
	case "yq":
		if !hasLetter(args, "i") && !hasWord(args, "--inplace") {
			return
		}
	case "tar", "bsdtar":
		mode := func(letter string) bool {
			return hasLetter(args, letter) || len(args) > 0 && strings.Contains(args[0].Text, letter)
		}
		if mode("c") && !mode("x") || hasWord(args, "--create") {
			return
		}
		f.extracts(c.value("-C", "--directory"))
	case "unzip":
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
		if _, file, ok := strings.Cut(w.Text, "w "); ok && strings.HasSuffix(c.Program, "sed") {
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
