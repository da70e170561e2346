package pack

import (
	"path/filepath"
	"strings"

	"github.com/hookrun/hookrun/internal/rules/programs"
	"github.com/hookrun/hookrun/internal/rules/shellline"
)

var git = Pack{
	Name: "git", Version: 2,
	Summary: "no forced push, none to main, no lost work or history, no skipped checks",
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
		{
			Name: "no-lost-history", Since: 2,
			Blocks: "a command that rewrites the history of git, or deletes commits for good",
			Find:   lostHistory,
		},
	},
}

// gitCall is a parsed git command.
type gitCall struct {
	command  *Command
	index    int // in the commands of the call
	repo     *gitRepo
	dir      string   // the folder in which git works
	in       []string // the options that choose the folder, as written
	unsure   bool     // options or variables may choose other files than those of the folder
	unknown  string   // if only the shell knows the folder: its name in the line
	settings []string
	sub      string // "" if the shell computes the subcommand, or it is missing
	computed bool   // the shell computes the subcommand
	args     []Word // arguments of the subcommand
	program  programs.Program
}

// gits returns the git commands of a call. A command that only shows its help is none.
func (c *Call) gits() []gitCall {
	if c.gitCalls != nil {
		return c.gitCalls
	}
	c.gitCalls = []gitCall{}
	for i := range c.Commands {
		command := &c.Commands[i]
		if command.Program != "git" && !strings.HasPrefix(command.Program, "git-") {
			continue
		}
		g := gitOf(command, c.folder(command))
		if g.index = i; hasWord(g.args, "--help") && g.has("--help") {
			continue
		}
		if n := len(command.Folders); n > 0 && c.absolute(".", command.Folders) == "" {
			g.unknown += command.Folders[n-1].Source + " "
		}
		g.repo = c.repoAt(g.dir)
		if key := g.unknown; key != "" || command.Elsewhere {
			if command.Elsewhere {
				key += "elsewhere " + g.dir
			}
			g.repo = &gitRepo{key: key, root: g.repo.root, dir: g.repo.dir}
		}
		c.makes(&g)
		c.gitCalls = append(c.gitCalls, g)
	}
	return c.gitCalls
}

// folder returns the folder in which a command runs. If only the shell knows the folder, it is the call's.
func (c *Call) folder(command *Command) string {
	at := c.absolute(".", command.Folders)
	if at == "" {
		return c.Dir
	}
	return filepath.Clean(at)
}

// gitOf parses a git command that runs in a folder: `git push`, and git's own name of such a program, git-push.
func gitOf(c *Command, dir string) gitCall {
	g := gitCall{command: c, dir: dir}
	if sub, ok := strings.CutPrefix(c.Program, "git-"); ok {
		g.sub, g.args = sub, c.Args
		g.program, _ = programs.Find("git " + sub)
		return g
	}
	for _, w := range c.Env {
		if of, ok := strings.CutPrefix(w.Text, "GIT_DIR="); ok && filepath.Base(of) == ".git" {
			g.dir = inFolder(dir, filepath.Dir(of))
		}
		name, _, _ := strings.Cut(w.Text, "=")
		g.unsure = g.unsure || shellline.InList("GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_CONFIG_PARAMETERS "+
			"GIT_CONFIG_COUNT GIT_OBJECT_DIRECTORY", name)
	}
	for rest := c.Args; len(rest) > 0; rest = rest[1:] {
		w := rest[0]
		value, hasValue := after(w, "--git-dir=")
		if w.Text == "--git-dir" && len(rest) > 1 {
			value, hasValue = rest[1], true
		}
		if hasValue && filepath.Base(value.Text) == ".git" {
			g.dir, g.in = inFolder(g.dir, filepath.Dir(value.Text)), append(g.in, "--git-dir="+value.Text)
		}
		g.unsure = g.unsure || strings.HasPrefix(w.Text, "--work-tree") || strings.HasPrefix(w.Text, "--git-dir")
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
			g.set(rest[1].Text)
			rest = rest[1:]
		case strings.HasPrefix(w.Text, "--config-env="):
			g.set(strings.TrimPrefix(w.Text, "--config-env="))
		case w.Text == "-C" && len(rest) > 1:
			g.dir, g.in = inFolder(g.dir, rest[1].Text), append(g.in, "-C "+rest[1].Text)
			if rest[1].Computed {
				g.unknown += rest[1].Source + " "
			}
			rest = rest[1:]
		case c.Row.TakesNext(w.Text) && len(rest) > 1:
			rest = rest[1:]
		}
	}
	return g
}

// set notes a setting for this command alone.
func (g *gitCall) set(setting string) {
	g.settings = append(g.settings, setting)
	section, _, _ := strings.Cut(strings.ToLower(setting), ".")
	g.unsure = g.unsure || !shellline.InList("user author committer commit advice color gc http credential", section) &&
		!isHooksPath(strings.SplitN(setting, "=", 2)[0])
}

// inFolder joins a folder and a name, or returns the name if it is absolute.
func inFolder(dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

// has reports whether the subcommand has one of the options in a list.
func (g *gitCall) has(list string) bool { return g.program.Has(list, g.args) }

// operands returns the arguments that are neither options nor values of options.
func (g *gitCall) operands() []Word { return g.program.Operands(g.args) }

// dashed returns the operands before a -- and the arguments behind it, and whether there is a --.
func (g *gitCall) dashed() (before, behind []Word, dashed bool) {
	for i, w := range g.args {
		if w.Text == "--" {
			return g.program.Operands(g.args[:i]), g.args[i+1:], true
		}
	}
	return g.operands(), nil, false
}

// does reports whether one of the facts of the table of programs holds for the subcommand.
func (g *gitCall) does(f programs.Fact) bool { return g.program.Holds(f, g.args) }

func (g *gitCall) found() Found { return Found{Subject: g.command.String()} }

// inDoubt is found for a command of which it is not sure that the rule is about the command.
func (g *gitCall) inDoubt(why string) Found { return Found{Subject: g.command.String(), Doubt: why} }
