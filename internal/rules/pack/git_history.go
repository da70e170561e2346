package pack

import (
	"path"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/rules/programs"
	"github.com/hookrun/hookrun/internal/rules/shellline"
)

func lostHistory(c *Call) Found {
	for i := range c.Commands {
		command := &c.Commands[i]
		isCleaner := func(w Word) bool {
			file := strings.ToLower(path.Base(w.Text))
			return strings.HasPrefix(file, "bfg") && strings.HasSuffix(file, ".jar")
		}
		if len(command.Args) > 0 && command.does(programs.Rewrites) && command.Row.Name != "git" ||
			command.Program == "java" && slices.ContainsFunc(command.Args, isCleaner) {
			return Found{Subject: command.String()}
		}
	}
	for i := range c.gits() {
		g := &c.gitCalls[i]
		if g.losesHistory(c) || slices.ContainsFunc(g.settings, expiresNow) {
			return g.found()
		}
		if act := g.movesBranch(c); act != "" {
			found := g.found()
			found.Act, found.Instead = act, "Choose another name, or ask."
			return found
		}
	}
	return Found{}
}

// losesHistory reports whether a git command rewrites commits, or deletes commits that only the reflog has.
func (g *gitCall) losesHistory(c *Call) bool {
	words := g.operands()
	first := ""
	if len(words) > 0 {
		first = words[0].Text
	}
	switch g.sub {
	case "reflog":
		age := slices.ContainsFunc(g.program.Values("expire,expire-unreachable", g.args), isSoon)
		return first == "delete" || first == "expire" && age && !g.has("-n,--dry-run")
	case "gc":
		return slices.ContainsFunc(g.program.Values("prune", g.args), isSoon)
	case "prune":
		age := g.program.Values("expire", g.args)
		return !g.has("-n,--dry-run") && (len(age) == 0 || slices.ContainsFunc(age, isSoon))
	case "update-ref":
		deletes := func(c shellline.Command) bool { return strings.Contains(c.Text, "delete") }
		return g.has("-d") && !strings.HasPrefix(first, "refs/remotes/") ||
			g.has("--stdin") && (strings.Contains(g.command.Script, "delete") ||
				slices.ContainsFunc(g.command.PipedFrom, deletes))
	case "config":
		return len(words) > 1 && expiresNow(words[len(words)-2].Text+"="+words[len(words)-1].Text)
	}
	return len(g.args) > 0 && g.does(programs.Rewrites)
}

// expiresNow reports whether a setting deletes commits without a delay that no branch has.
func expiresNow(setting string) bool {
	name, value, _ := strings.Cut(strings.ToLower(setting), "=")
	switch name {
	case "gc.pruneexpire", "gc.reflogexpire", "gc.reflogexpireunreachable":
		return isSoon(Word{Text: value})
	}
	return false
}

// isSoon reports whether a time of git is less than about a day ago, or computed.
func isSoon(w Word) bool {
	text := strings.ToLower(w.Text)
	return w.Computed || slices.Contains([]string{"now", "all", "today", "0", "1"}, text) ||
		strings.Contains(text, "second") || strings.Contains(text, "minute") || strings.Contains(text, "hour")
}

// movesBranch returns the act of a command that moves a branch, which may lose its commits, or "".
func (g *gitCall) movesBranch(c *Call) string {
	words := g.operands()
	const act = "the move of a branch, which loses the commits that only this branch has"
	// mayLose reports whether a branch has a place of its own.
	mayLose := func(w Word, known bool) bool {
		name := branchName(w.Text)
		isCurrent := slices.Equal(c.before(g).branches, []string{name})
		switch {
		case isCurrent:
			return false
		case w.Computed || g.repo.made != nil || g.repo.root == "":
			return !known
		}
		return g.repo.has("refs/heads/" + name)
	}
	switch g.sub {
	case "branch":
		switch {
		case g.has("-d,-D,--delete"), len(words) == 0:
		case g.has("-M") || g.has("-m,--move") && g.has("-f,--force"), g.has("-C"):
			if mayLose(words[len(words)-1], true) {
				return "the replacement of a branch by another one, which loses the commits of the first"
			}
		case g.has("-f,--force") && mayLose(words[0], false):
			return act
		}
	case "checkout", "switch":
		again := g.program.Values("B,C,force-create", g.args)
		if len(again) == 0 || !mayLose(again[0], true) {
			return ""
		}
		from := append(words, Word{})[0].Text
		_, of, _ := strings.Cut(from, "/") // begins again where the remote is
		if of != again[0].Text && from != "FETCH_HEAD" && from != "@{u}" && from != "@{upstream}" {
			return act
		}
	}
	return ""
}
