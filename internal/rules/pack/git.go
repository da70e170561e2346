package pack

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/lib/files/gitdir"
	"github.com/hookrun/hookrun/internal/rules/programs"
)

var git = Pack{
	Name: "git", Version: 1, Summary: "no forced push, none to main, no lost work, no skipped checks",
	Rules: []Rule{
		{
			Name: "no-force-push", Blocks: "a push that overwrites commits on the remote",
			Find: forcedPush,
		},
		{
			Name: "no-remote-delete", Blocks: "the deletion of a branch or a tag on the remote",
			Find: remoteDelete,
		},
		{
			Name: "no-push-to-main", Blocks: "a push to the main branch",
			Find: pushToMain,
		},
		{
			Name: "no-lost-work", Blocks: "a git command that throws away uncommitted work",
			Find: lostWork,
		},
		{
			Name: "no-skipped-checks", Blocks: "a call that skips or changes the hooks of the repository",
			Find: skippedChecks,
		},
	},
}

// gitCall is a parsed git command.
type gitCall struct {
	command  *Command
	dir      string // the value of -C
	settings []string
	sub      string // "" if the shell computes the subcommand, or it is missing
	computed bool   // the shell computes the subcommand
	args     []Word // arguments of the subcommand
	program  programs.Program
}

// gits returns the git commands of a call.
func (c *Call) gits() (calls []gitCall) {
	for i := range c.Commands {
		if c.Commands[i].Program == "git" {
			calls = append(calls, gitOf(&c.Commands[i], c.folder(&c.Commands[i])))
		}
	}
	return calls
}

// folder returns the folder in which a command runs. If only the shell knows the folder, it is the call's.
func (c *Call) folder(command *Command) string {
	at := c.absolute(".", command.Folders)
	if at == "" {
		return c.Dir
	}
	return filepath.Clean(at)
}

func gitOf(c *Command, dir string) gitCall {
	g := gitCall{command: c, dir: dir}
	for rest := c.Args; len(rest) > 0; rest = rest[1:] {
		w := rest[0]
		switch {
		case w.Computed:
			g.computed = true
			g.args = rest[1:]
			return g
		case !strings.HasPrefix(w.Text, "-"):
			g.sub, g.args = w.Text, rest[1:]
			g.program, _ = programs.Find("git " + g.sub)
			return g
		case w.Text == "-c" && len(rest) > 1:
			g.settings = append(g.settings, rest[1].Text)
			rest = rest[1:]
		case w.Text == "-C" && len(rest) > 1:
			g.dir = inFolder(g.dir, rest[1].Text)
			rest = rest[1:]
		case c.Row.TakesNext(w.Text) && len(rest) > 1:
			rest = rest[1:]
		}
	}
	return g
}

// has reports whether the subcommand has one of the options in a list.
func (g *gitCall) has(list string) bool { return g.program.Has(list, g.args) }

// operands returns the arguments that are neither options nor values of options.
func (g *gitCall) operands() []Word { return g.program.Operands(g.args) }

func (g *gitCall) found() Found { return Found{Subject: g.command.String()} }

func forcedPush(c *Call) Found {
	for _, g := range c.gits() {
		for _, s := range g.settings {
			if strings.HasPrefix(strings.ToLower(s), "alias.") {
				return Found{Subject: g.command.String(), Doubt: "it gives a command of git another name"}
			}
		}
		if g.computed && g.has("-f,--force") {
			return Found{Subject: g.command.String(), Doubt: "the shell computes which command of git that is"}
		}
		if g.sub != "push" && g.sub != "send-pack" {
			continue
		}
		if g.has("-f,--force") || g.has("--mirror") {
			return g.found()
		}
		for i, w := range g.operands() {
			switch {
			case strings.HasPrefix(w.Text, "+"):
				return g.found()
			case i == 0 && w.Computed && w.MaybeMany && w.Prefix == "":
				const doubt = "the shell computes a word that may be an option; name the remote"
				return Found{Subject: g.command.String(), Doubt: doubt}
			}
		}
	}
	return Found{}
}

func remoteDelete(c *Call) Found {
	for _, g := range c.gits() {
		if g.sub != "push" {
			continue
		}
		if g.has("-d,--delete") || g.has("--prune") {
			return g.found()
		}
		for _, w := range g.operands() {
			if !w.Computed && len(w.Text) > 1 && w.Text[0] == ':' {
				return g.found()
			}
		}
	}
	return Found{}
}

func pushToMain(c *Call) Found {
	for _, g := range c.gits() {
		if g.sub != "push" {
			continue
		}
		if g.has("--all") || g.has("--branches") {
			return g.found()
		}
		words, main := g.operands(), mainBranches(g.dir)
		isMain := func(name string) bool { return slices.Contains(main, name) }
		if len(words) < 2 { // pushes the current branch
			if branch := currentBranch(g.dir); branch != "" && isMain(branch) && !g.has("--tags") {
				return Found{Subject: g.command.String() + " from " + branch}
			}
			continue
		}
		for _, w := range words[1:] {
			_, to, has := strings.Cut(w.Text, ":")
			if !has {
				to = strings.TrimPrefix(w.Text, "+")
			}
			if to == "HEAD" || to == "@" {
				to = currentBranch(g.dir)
			}
			if !w.Computed && isMain(strings.TrimPrefix(to, "refs/heads/")) {
				return g.found()
			}
		}
	}
	return Found{}
}

// mainBranches returns main, master, and the main branches of the repository's remotes. It reads files in .git.
func mainBranches(dir string) []string {
	names, of := []string{"main", "master"}, gitDir(dir)
	of = cmp.Or(gitdir.Common(of), of)
	heads, _ := filepath.Glob(filepath.Join(of, "refs", "remotes", "*", "HEAD"))
	for _, head := range heads {
		if text, err := os.ReadFile(head); err == nil {
			remote := filepath.Base(filepath.Dir(head))
			if name, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "ref: refs/remotes/"+remote+"/"); ok {
				names = append(names, name)
			}
		}
	}
	return names
}

// currentBranch returns the branch that is checked out in a folder, or "". It reads the file HEAD.
func currentBranch(dir string) string {
	text, err := os.ReadFile(filepath.Join(gitDir(dir), "HEAD"))
	if err != nil {
		return ""
	}
	name, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "ref: refs/heads/")
	if !ok {
		return ""
	}
	return name
}

// inFolder joins a folder and a name, or returns the name if it is absolute.
func inFolder(dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

// gitDir returns the git folder of the repository that contains a folder.
func gitDir(dir string) string {
	_, of := gitdir.Above(dir)
	return cmp.Or(of, filepath.Join(dir, ".git"))
}

func lostWork(c *Call) Found {
	for i := range c.Commands {
		command := &c.Commands[i]
		if r, ok := command.removes(); ok && !command.Elsewhere && slices.ContainsFunc(r.words, isRepository) {
			return Found{Subject: command.String()}
		}
	}
	for _, g := range c.gits() {
		if g.losesWork() {
			return g.found()
		}
	}
	return Found{}
}

func (g *gitCall) losesWork() bool {
	words := g.operands()
	first := ""
	if len(words) > 0 {
		first = words[0].Text
	}
	behind := slices.ContainsFunc(g.args, func(w Word) bool { return w.Text == "--" })
	switch g.sub {
	case "reset":
		return g.has("--hard")
	case "clean":
		return g.has("-f,--force") && !g.has("-n,--dry-run")
	case "checkout":
		return g.has("-f,--force") || behind && len(words) > 0 || slices.ContainsFunc(words, isAllFiles) ||
			len(words) == 1 && !words[0].Computed && g.isFile(first)
	case "restore":
		return !(g.has("-S,--staged") && !g.has("-W,--worktree"))
	case "switch":
		return g.has("-f,--force") || g.has("--discard-changes")
	case "branch":
		return g.has("-D") || (g.has("-d,--delete") && g.has("-f,--force"))
	case "stash":
		return first == "drop" || first == "clear"
	case "worktree":
		return first == "remove" && g.has("-f,--force")
	}
	return false
}

// isRepository reports whether a word is the folder of a repository.
func isRepository(w Word) bool {
	return filepath.Base(w.Text) == ".git" || strings.HasSuffix(w.Text, "/.git/*")
}

// isAllFiles reports whether a word is a path that matches all files.
func isAllFiles(w Word) bool {
	return w.Text == "." || w.Text == "./" || w.Text == ":/" || w.Text == "*"
}

// isFile reports whether a word is a file of the working tree, not a branch. git would overwrite the file.
func (g *gitCall) isFile(word string) bool {
	info, err := os.Lstat(filepath.Join(g.dir, word))
	return err == nil && !info.IsDir()
}
