package pack

import (
	"cmp"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/lib/files/gitdir"
)

// gitRepo is a repository, or one of its linked worktrees. The files in .git are read once.
type gitRepo struct {
	key  string
	root string   // the working tree, or ""
	dir  string   // the git folder
	made []string // the branches that are checked out, if the line makes the working tree

	current, mains []string
	refs           []byte // the file packed-refs
	hasRefs        bool
}

// repoAt returns the repository of a folder.
func (c *Call) repoAt(folder string) *gitRepo {
	if r := c.gitRepos[folder]; r != nil {
		return r
	}
	for _, r := range c.madeRepos {
		if r.root == folder || below(r.root, folder) {
			return r
		}
	}
	const most = 200 // each folder costs a look at the disk
	if len(c.gitRepos) == most {
		return &gitRepo{key: "too many", made: []string{"*"}}
	}
	root, dir := gitdir.Above(folder)
	if dir == "" {
		root = ""
	}
	r := &gitRepo{key: cmp.Or(dir, folder), root: root, dir: cmp.Or(dir, filepath.Join(folder, ".git"))}
	for _, other := range c.gitRepos {
		if other.key == r.key {
			r = other
			break
		}
	}
	if c.gitRepos == nil {
		c.gitRepos = map[string]*gitRepo{}
	}
	c.gitRepos[folder] = r
	return r
}

// makes notes the working tree that git clone and git worktree add make.
func (c *Call) makes(g *gitCall) {
	words := g.operands()
	branch := g.program.Values("b,B,branch", g.args)
	var into, names []string
	switch {
	case g.sub == "clone" && len(words) > 0:
		into = []string{strings.TrimSuffix(path.Base(strings.TrimSuffix(words[0].Text, "/")), ".git")}
		if len(words) > 1 {
			into = c.texts(words[1])
		}
		names = []string{"*"} // the main branch of the remote
	case g.sub == "worktree" && len(words) > 1 && words[0].Text == "add":
		into, names = c.texts(words[1]), []string{path.Base(words[1].Text)}
		if len(words) > 2 {
			names = c.texts(words[2])
		}
	}
	if len(branch) > 0 {
		names = c.texts(branch[0])
	}
	if len(into) == 1 && !strings.Contains(into[0], "*") && len(c.madeRepos) < maxNames {
		root := inFolder(g.dir, into[0])
		c.madeRepos = append(c.madeRepos, &gitRepo{key: root + " (new)", root: root, dir: filepath.Join(root, ".git"),
			made: names})
	}
}

// branches returns the branch that is checked out.
func (r *gitRepo) branches() []string {
	if r.made != nil {
		return r.made
	}
	if r.current == nil {
		r.current = []string{currentBranch(r.dir)}
	}
	return r.current
}

// isMain reports whether a branch is main, master, or the main branch of one of the remotes.
func (r *gitRepo) isMain(name string) bool {
	if r.mains == nil {
		r.mains = mainBranches(r.dir)
	}
	return slices.Contains(r.mains, name)
}

// mayBeMain reports whether a name with computed parts may be one of a main branch.
func (r *gitRepo) mayBeMain(name string) bool {
	first, rest, computed := strings.Cut(name, "*")
	last := rest[strings.LastIndexByte(rest, '*')+1:]
	return r.isMain(name) || computed && slices.ContainsFunc(r.mains, func(main string) bool {
		return len(main) >= len(first)+len(last) && strings.HasPrefix(main, first) && strings.HasSuffix(main, last)
	})
}

// has reports whether a reference such as refs/heads/x is in the repository.
func (r *gitRepo) has(ref string) bool {
	common := cmp.Or(gitdir.Common(r.dir), r.dir)
	if info, err := os.Stat(filepath.Join(common, filepath.FromSlash(ref))); err == nil && !info.IsDir() {
		return true
	}
	if !r.hasRefs {
		r.refs, _ = os.ReadFile(filepath.Join(common, "packed-refs"))
		r.hasRefs = true
	}
	return strings.Contains(string(r.refs), " "+ref+"\n")
}

// isRevision reports whether git takes a word for a branch, a tag or a commit rather than for a file of this name.
func (r *gitRepo) isRevision(name string) bool {
	return name == "HEAD" || name == "@" || strings.ContainsAny(name, "~^") || strings.Contains(name, "@{") ||
		r.has("refs/heads/"+name) || r.has("refs/tags/"+name) || r.has("refs/remotes/"+name)
}

// mainBranches returns main, master, and the main branches of the repository's remotes. It reads files in .git.
func mainBranches(dir string) []string {
	names := []string{"main", "master"}
	heads, _ := filepath.Glob(filepath.Join(cmp.Or(gitdir.Common(dir), dir), "refs", "remotes", "*", "HEAD"))
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

// currentBranch returns the branch that is checked out, or "". It reads the file HEAD.
func currentBranch(dir string) string {
	text, err := os.ReadFile(filepath.Join(dir, "HEAD"))
	if err != nil {
		return ""
	}
	name, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "ref: refs/heads/")
	if !ok {
		return ""
	}
	return name
}

// branchName returns the name of a branch without the folder of branches.
func branchName(ref string) string {
	return strings.TrimPrefix(strings.TrimPrefix(ref, "refs/"), "heads/")
}

// checksOut returns the branches of which a git command checks out one, or nil if the command stays on its branch.
func (c *Call) checksOut(g *gitCall, at *gitState) []string {
	words := g.operands()
	named := func(w Word) (names []string) {
		if w.Text == "-" || w.Text == "@{-1}" {
			return at.previous
		}
		for _, name := range c.texts(w) {
			names = append(names, branchName(name))
		}
		return names
	}
	switch g.sub {
	case "checkout", "switch":
		if fresh := g.program.Values("b,B,c,C,orphan,create,force-create", g.args); len(fresh) > 0 {
			return named(fresh[0])
		}
		before, behind, dashed := g.dashed()
		switch {
		case len(before) != 1 || len(behind) > 0 || g.sub == "checkout" && !dashed && g.isPath(before[0]):
			return nil
		case g.has("-d,--detach"):
			return []string{""}
		case g.has("-t,--track"):
			_, name, _ := strings.Cut(before[0].Text, "/")
			return []string{name}
		}
		return named(before[0])
	case "branch":
		switch {
		case !g.has("-m,--move") && !g.has("-M") || len(words) == 0 || len(words) > 2:
		case len(words) == 1:
			return named(words[0])
		case slices.ContainsFunc(at.branches, func(b string) bool { return b == words[0].Text }) || words[0].Computed:
			return either(at.branches, named(words[1]))
		}
	case "symbolic-ref":
		if len(words) == 2 && words[0].Text == "HEAD" {
			return named(words[1])
		}
	case "stash":
		if len(words) > 1 && words[0].Text == "branch" {
			return named(words[1])
		}
	case "rebase":
		if len(words) == 2 {
			return named(words[1])
		}
	}
	return nil
}

// texts returns the texts that a word may have. A * stands for a part that only the shell will know.
func (c *Call) texts(w Word) []string {
	if !w.Computed {
		return []string{w.Text}
	}
	const most = 64 // parts that are computed
	if strings.Count(w.Text, "$")+strings.Count(w.Text, "`") > most {
		return []string{"*"}
	}
	return c.textsOf(w.Text, nil, 0)
}

func (c *Call) textsOf(text string, all []string, depth int) []string {
	const deepest = 4
	at := variable.Get().FindStringIndex(text)
	switch {
	case len(all) > maxNames || depth > deepest:
		return append(all, "*")
	case at == nil:
		return append(all, text)
	}
	before, name, rest := text[:at[0]], strings.Trim(text[at[0]:at[1]], "${}"), text[at[1]:]
	given := false
	for _, a := range c.assigned {
		if a.Name == name {
			given = true
			all = c.textsOf(before+a.Value.Text+rest, all, depth+1)
		}
	}
	if given {
		return all
	}
	return c.textsOf(before+"*"+rest, all, depth)
}
