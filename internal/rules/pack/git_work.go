package pack

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/rules/programs"
	"github.com/hookrun/hookrun/internal/rules/shellline"
)

// loss is what a git command throws away.
type loss struct {
	work         []work // uncommitted
	act, instead string // as in Found, if it is something else than uncommitted work
}

func lostWork(c *Call) Found {
	for i := range c.Commands {
		command := &c.Commands[i]
		if r, ok := command.removes(); ok && !command.Elsewhere && slices.ContainsFunc(r.words, isRepository) {
			return Found{Subject: command.String(), Act: "the removal of a repository with its commits and stashes",
				Instead: "Leave it, and ask."}
		}
	}
	saves := map[int]bool{} // commands behind others that save their work
	for i := range c.gits() {
		g := &c.gitCalls[i]
		l, loses := g.loses(c)
		of, isValued := c.withValues[g.index]
		if !loses || isValued && saves[of] || c.outer != nil && c.outer.hasRead(g.command) {
			continue
		}
		found := g.found()
		if found.Act, found.Instead = l.act, l.instead; l.act != "" {
			return found
		}
		saved, option := c.before(g).saved, "-u"
		isLost := false
		for _, w := range l.work {
			isLost = isLost || !w.isIn(saved)
			if w.what&ignored != 0 {
				option = "-a"
			}
			if w.what&ofOthers != 0 {
				found.Instead = "Save the repositories inside first, each in a line of its own, or ask."
				return found
			}
		}
		if isLost && hasGitDir(g.in) {
			found.Instead = "Ask a person, since the options choose another repository."
			return found
		}
		if isLost {
			at := strings.Join(append([]string{"git"}, g.in...), " ")
			found.Instead = "Put " + at + " stash " + option + " && in front of it in the same line, or ask."
			return found
		}
		saves[g.index] = true
	}
	return Found{}
}

// hasGitDir reports whether an option chooses the git folder, but not the files.
func hasGitDir(options []string) bool {
	return slices.ContainsFunc(options, func(o string) bool { return strings.HasPrefix(o, "--git-dir") })
}

// hasRead reports whether a call has the same command, which was looked at among the commands before.
func (c *Call) hasRead(command *Command) bool {
	text := command.String()
	return slices.ContainsFunc(c.gits(), func(g gitCall) bool { return g.command.String() == text })
}

// isRepository reports whether a word is the folder of a repository, or has its commits or its branches.
func isRepository(w Word) bool {
	at := strings.TrimSuffix(w.Text, "/*")
	return filepath.Base(at) == ".git" || holdsPart(at, "/.git/objects/") || holdsPart(at, "/.git/refs/heads/") ||
		holdsPart(at, "/.git/refs/stash/") || holdsPart(at, "/.git/packed-refs/") || holdsPart(at, "/.git/logs/") ||
		strings.HasSuffix(at, ".git/refs")
}

// loses returns what a git command throws away. ok is false if the command throws nothing away.
func (g *gitCall) loses(c *Call) (l loss, ok bool) {
	words := g.operands()
	first := ""
	if len(words) > 0 {
		first = words[0].Text
	}
	switch g.sub {
	case "reset":
		return g.losesAll(words), g.has("--hard")
	case "clean":
		what := untracked
		if g.has("-x,-X") {
			what = untracked | ignored
		}
		options, _ := g.program.Parse(g.args)
		isForce := func(o programs.Option) bool { return o.Name == "f" || o.Name == "force" }
		if i := slices.IndexFunc(options, isForce); i >= 0 && slices.ContainsFunc(options[i+1:], isForce) {
			what |= ofOthers
		}
		forced := slices.ContainsFunc(g.settings, func(s string) bool {
			name, value, _ := strings.Cut(strings.ToLower(s), "=")
			return name == "clean.requireforce" && slices.Contains([]string{"false", "0", "no", "off"}, value)
		})
		return loss{work: g.works(words, what)}, (forced || g.has("-f,--force")) && !g.has("-n,--dry-run")
	case "checkout":
		return g.checkoutLoses()
	case "restore":
		what := tracked
		if g.has("-s,--source") {
			what = tracked | untracked
		}
		l.work = g.works(words, what)
		if g.has("--pathspec-from-file") {
			l.work = []work{{"", what}}
		}
		return l, !(g.has("-S,--staged") && !g.has("-W,--worktree"))
	case "switch":
		return g.losesAll(words), g.has("-f,--force") || g.has("--discard-changes")
	case "read-tree":
		return g.losesAll(words), g.has("--reset") && g.has("-u")
	case "checkout-index":
		return loss{work: g.works(words, tracked)}, g.has("-f,--force") && (g.has("-a,--all") || len(words) > 0) &&
			!g.has("--prefix") && !g.has("--temp")
	case "rm":
		return loss{work: g.works(words, tracked)}, g.has("-f,--force") && !g.has("-n,--dry-run") &&
			!g.has("--cached") && slices.ContainsFunc(words, isAllFiles)
	case "branch":
		merged := c.before(g).merged
		isMerged := func(w Word) bool { return slices.Contains(merged, w.Text) }
		return loss{act: "the deletion of a branch, perhaps with commits that no other branch has",
				instead: "Use git branch -d, which deletes only a branch that is merged, or ask."},
			(g.has("-D") || g.has("-d,--delete") && g.has("-f,--force")) &&
				!(len(words) > 0 && !slices.ContainsFunc(words, func(w Word) bool { return !isMerged(w) }))
	case "stash":
		applied := c.before(g).applied
		return loss{act: "the deletion of stashed work",
				instead: "Use git stash pop, which deletes a stash when its changes are back in the files, or ask."},
			first == "clear" || first == "drop" && !slices.Contains(applied, stashOf(words))
	case "worktree":
		return loss{act: "the removal of a worktree with its uncommitted work",
			instead: "Remove it without --force, or ask."}, first == "remove" && g.has("-f,--force")
	}
	return l, false
}

// stashOf returns the stash that a command is about.
func stashOf(words []Word) string {
	if len(words) < 2 || words[1].Text == "stash@{0}" || words[1].Text == "0" {
		return "stash"
	}
	return words[1].Text
}

// losesAll is the loss of all changes for the files of a commit, perhaps with new files that stand in the way.
func (g *gitCall) losesAll(words []Word) loss {
	what := tracked | untracked
	switch {
	case g.has("--recurse-submodules"):
		what |= ofOthers
	case len(words) == 0 || words[0].Text == "HEAD" || words[0].Text == "@":
		what = tracked
	}
	return loss{work: []work{{"", what}}}
}

// checkoutLoses is loses of git checkout.
func (g *gitCall) checkoutLoses() (l loss, ok bool) {
	before, behind, dashed := g.dashed()
	switch {
	case g.has("-f,--force"):
		return g.losesAll(before), true
	case g.has("--pathspec-from-file"):
		return g.losesAll(before), true
	case g.has("-b,-B") || g.has("--orphan"):
		return l, false
	case dashed:
		return g.checkoutOf(before, behind), len(behind) > 0
	case len(before) == 1:
		return g.checkoutOf(nil, before), g.isPath(before[0])
	case len(before) < 2:
		return l, false
	case before[0].Computed && before[0].MaybeMany && !isAllFiles(before[0]) && !g.isPath(before[1]):
		return l, false // perhaps options and a branch
	case g.isPath(before[0]):
		return g.checkoutOf(nil, before), true
	}
	return g.checkoutOf(before[:1], before[1:]), true
}

// checkoutOf is the loss by paths that are taken from the index, or from a tree.
func (g *gitCall) checkoutOf(tree, paths []Word) loss {
	all := g.losesAll(tree)
	return loss{work: g.works(paths, all.work[0].what)}
}

// works returns work of a kind in the paths of words, or in the current folder if there are no words.
func (g *gitCall) works(words []Word, what workKind) (all []work) {
	if len(words) == 0 {
		words = []Word{{Text: "."}}
	}
	for _, w := range words {
		all = append(all, work{g.path(w), what})
	}
	return all
}

// path returns the path of a word, or "" for the whole repository. Only the folder of a pattern counts.
func (g *gitCall) path(w Word) string {
	text := w.Text
	if w.Computed {
		text = w.Prefix
	}
	if i := strings.IndexAny(text, "*?["); i >= 0 || w.Computed {
		if i < 0 {
			i = len(text)
		}
		text = text[:strings.LastIndexByte(text[:i], '/')+1]
	}
	if strings.HasPrefix(text, ":") {
		return ""
	}
	at := filepath.ToSlash(inFolder(g.dir, text))
	if root := filepath.ToSlash(g.repo.root); at == root || below(at, root) {
		return ""
	}
	return at
}

// isAllFiles reports whether a word is a path that matches all files.
func isAllFiles(w Word) bool {
	return w.Text == "." || w.Text == "./" || w.Text == ":/" || w.Text == "*"
}

// isPath reports whether git takes the one operand of a checkout for a path. The path has a file or a folder on the
// disk, and no branch or tag has this name.
func (g *gitCall) isPath(w Word) bool {
	text := w.Text
	switch {
	case isAllFiles(w), strings.HasPrefix(text, "./"), strings.HasPrefix(text, "../"), strings.HasPrefix(text, "/"),
		strings.HasPrefix(text, ":("), strings.HasPrefix(text, ":!"), text == "..":
		return true
	case strings.ContainsAny(text, "*?[") && !strings.Contains(text, "$"):
		return strings.ContainsAny(text, "*?]") && !isOneLetter(text)
	case w.Computed, text == "", text == "-":
		return false
	}
	_, err := os.Lstat(filepath.Join(g.dir, text))
	return err == nil && !g.repo.isRevision(text)
}

// after returns the state of a repository after a git command that has succeeded.
func (c *Call) after(g *gitCall, at *gitState) *gitState {
	next := *at
	words := g.operands()
	if names := c.checksOut(g, at); names != nil && g.sub != "branch" {
		next.branches, next.previous = names, at.branches
	} else if names != nil {
		next.branches = names
	}
	switch g.sub {
	case "add", "stage", "commit", "stash":
		if g.unsure {
			return &next
		}
	}
	switch g.sub {
	case "add", "stage":
		next.staged = append(slices.Clip(at.staged), g.stages(words)...)
	case "commit":
		next.saved = append(slices.Clip(at.saved), g.commits(words, at.staged)...)
	case "stash":
		g.stashes(words, at, &next)
	case "restore", "rm", "mv", "read-tree", "update-index", "apply":
		next.staged = nil
	case "merge":
		if len(words) > 0 && !g.has("--squash") && !g.has("--no-commit") {
			next.merged = slices.Clip(at.merged)
			for _, w := range words {
				next.merged = append(next.merged, w.Text)
			}
		}
	}
	if g.unsaves() {
		next.staged, next.saved, next.applied, next.merged = nil, nil, nil, nil
	}
	if len(next.staged)+len(next.saved)+len(next.merged) > maxNames {
		next.staged, next.saved, next.merged = nil, nil, nil
	}
	return &next
}

// unsaves reports whether a git command may take back what other commands of the line have saved.
func (g *gitCall) unsaves() bool {
	switch g.sub {
	case "stash":
		return g.has("pop,branch,drop,clear,store")
	case "reset":
		return !g.has("--hard")
	}
	return shellline.InList("update-ref reflog gc prune", g.sub)
}

// stages returns the work that git add puts into the index.
func (g *gitCall) stages(words []Word) []work {
	what := tracked | untracked
	switch {
	case g.has("-n,--dry-run") || g.has("-p,--patch") || g.has("-i,--interactive") || g.has("-e,--edit") ||
		g.has("-N,--intent-to-add") || g.has("--refresh") || g.has("--pathspec-from-file") ||
		g.has("--ignore-removal") ||
		g.has("--no-all") || slices.ContainsFunc(words, func(w Word) bool { return w.Computed || isPattern(w) }):
		return nil
	case g.has("-u,--update"):
		what = tracked
	case g.has("-f,--force"):
		what = tracked | untracked | ignored
	}
	if len(words) == 0 && g.has("-A,--all,-u,--update") {
		return []work{{"", what}}
	}
	if len(words) == 0 {
		return nil
	}
	return g.works(words, what)
}

// isPattern reports whether a word may match less than the folder that it begins with.
func isPattern(w Word) bool {
	return strings.ContainsAny(w.Text, "*?[") || strings.HasPrefix(w.Text, ":") && w.Text != ":/"
}

// commits returns the work that git commit saves.
func (g *gitCall) commits(words []Word, staged []work) []work {
	switch {
	case g.has("--dry-run") || g.has("--short") || g.has("--porcelain") || g.has("--long") || g.has("-p,--patch") ||
		g.has("--interactive") || g.has("--pathspec-from-file") || slices.ContainsFunc(words, isComputedOrPattern):
		return nil
	case len(words) > 0:
		return g.works(words, tracked)
	case g.has("-a,--all"):
		return append(slices.Clip(staged), work{"", tracked})
	}
	return staged
}

func isComputedOrPattern(w Word) bool { return w.Computed || isPattern(w) }

// stashes notes what git stash saves, brings back or deletes.
func (g *gitCall) stashes(words []Word, at, next *gitState) {
	sub := "push"
	paths, behind, _ := g.dashed()
	if len(paths) > 0 {
		sub, paths = paths[0].Text, paths[1:]
	}
	paths = slices.Concat(paths, behind)
	switch sub {
	case "apply":
		next.applied = append(slices.Clip(at.applied), stashOf(words))
	case "push", "save":
		next.applied = nil
		what := tracked
		switch {
		case g.has("-p,--patch") || g.has("-S,--staged") || g.has("--pathspec-from-file"):
			return
		case g.has("-a,--all"):
			what = tracked | untracked | ignored
		case g.has("-u,--include-untracked") && !g.has("--no-include-untracked"):
			what = tracked | untracked
		}
		next.saved = slices.Clip(at.saved)
		if sub == "push" && len(paths) > 0 {
			if !slices.ContainsFunc(paths, isComputedOrPattern) {
				next.saved = append(next.saved, g.works(paths, what)...)
			}
			return
		}
		next.saved = append(append(next.saved, at.staged...), work{"", what})
	}
}
