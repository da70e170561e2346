package pack

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/rules/programs"
	"github.com/hookrun/hookrun/internal/rules/shellline"
)

func skippedChecks(c *Call) Found {
	if found := c.changesHooks(); found.Subject != "" {
		return found
	}
	for i := range c.Commands {
		if command := &c.Commands[i]; command.Row.Name != "git" && command.does(programs.Skips) {
			found := Found{Subject: command.String()}
			if command.Program == "gh" {
				found.Act = "a merge that overrides the checks and the reviews of a pull request"
				found.Instead = "Wait for the checks and a review, or ask."
			}
			return found
		}
	}
	for i := range c.gits() {
		g := &c.gitCalls[i]
		hasChecks := g.program.Asks(programs.Skips) || !shellline.InList(withoutChecks, g.sub)
		if hasChecks && (g.does(programs.Skips) || g.has("--no-verify") || c.skipsHooks(g)) || g.setsHooks() {
			return g.found()
		}
	}
	return Found{}
}

// withoutChecks are the commands of git that run no hook that could check a change. Other commands may be aliases.
const withoutChecks = "add annotate apply archive blame branch bundle cat-file check-attr check-ignore checkout " +
	"checkout-index cherry clean clone config count-objects describe diff diff-files diff-index diff-tree fetch " +
	"for-each-ref format-patch fsck gc grep hash-object help init log ls-files ls-remote ls-tree maintenance " +
	"merge-base mv name-rev notes prune range-diff read-tree reflog remote repack replace reset restore rev-list " +
	"rev-parse rm shortlog show show-branch show-ref sparse-checkout stage stash status switch symbolic-ref tag " +
	"update-index update-ref var verify-commit version whatchanged worktree write-tree"

// skipsHooks reports whether a setting or a variable tells git, or the hooks of a repository, to skip hooks.
func (c *Call) skipsHooks(g *gitCall) bool {
	skips := func(name, value string) bool {
		switch name {
		case "HUSKY", "LEFTHOOK":
			return value == "0" || value == "false"
		case "SKIP", "HUSKY_SKIP_HOOKS", "OVERCOMMIT_DISABLE", "GIT_CONFIG_PARAMETERS", "LEFTHOOK_EXCLUDE",
			"SKIP_SIMPLE_GIT_HOOKS":
			return value != "" && value != "0"
		}
		return strings.HasPrefix(name, "GIT_CONFIG_KEY_") && strings.EqualFold(value, "core.hooksPath")
	}
	return slices.ContainsFunc(g.command.Env, func(w Word) bool {
		name, value, _ := strings.Cut(w.Text, "=")
		return skips(name, value)
	}) || slices.ContainsFunc(c.assigned, func(a shellline.Assignment) bool {
		return skips(a.Name, a.Value.Text)
	}) || slices.ContainsFunc(g.settings, func(s string) bool {
		name, value, _ := strings.Cut(s, "=")
		return isHooksPath(name) && !g.hasHooks(value)
	})
}

func isHooksPath(name string) bool { return strings.EqualFold(name, "core.hooksPath") }

// setsHooks reports whether git config sets another folder of hooks, without hooks, or forgets the folder.
func (g *gitCall) setsHooks() bool {
	words := g.operands()
	at := slices.IndexFunc(words, func(w Word) bool { return isHooksPath(w.Text) })
	switch {
	case g.sub != "config" || len(words) == 0:
		return false
	case words[0].Text == "unset" || g.has("--unset") || g.has("--unset-all"):
		return at >= 0
	case words[0].Text == "remove-section" || g.has("--remove-section"):
		return slices.ContainsFunc(words, func(w Word) bool { return strings.EqualFold(w.Text, "core") })
	case words[0].Text == "get" || g.has("--get") || g.has("--get-all"):
		return false
	}
	return at >= 0 && at+1 < len(words) && (words[at+1].Computed || !g.hasHooks(words[at+1].Text))
}

// hasHooks reports whether a folder has hooks, so git runs more hooks by the setting: a folder of the repository with a
// usual name, or one that has a hook on the disk.
func (g *gitCall) hasHooks(folder string) bool {
	folder = strings.ReplaceAll(folder, `\`, "/")
	if folder == "" || holdsPart(folder, "/.git/") || strings.HasPrefix(path.Clean(folder), "..") {
		return false
	}
	at := inFolder(g.dir, folder)
	if root := filepath.ToSlash(g.repo.root); root != "" && !below(root, filepath.ToSlash(at)) ||
		root == "" && filepath.IsAbs(folder) {
		return false
	}
	if _, err := os.Stat(at); err != nil { // made later
		return shellline.InList(".husky .githooks githooks .git-hooks git-hooks .hooks hooks",
			path.Base(strings.TrimSuffix(path.Clean(folder), "/_")))
	}
	for _, hook := range [...]string{"pre-commit", "commit-msg", "pre-push", "prepare-commit-msg"} {
		if _, err := os.Stat(filepath.Join(at, hook)); err == nil {
			return true
		}
	}
	return false
}

// holdsPart reports whether a path has a part such as /.git/.
func holdsPart(file, part string) bool {
	file = "/" + strings.ReplaceAll(strings.ToLower(file), `\`, "/") + "/"
	return strings.Contains(path.Clean(file)+"/", part)
}

// changesHooks finds a change of hooks: of any file in .git by a file tool, of hooks and of git's config by a shell
// line, and the removal of a file that says which checks a tool runs.
func (c *Call) changesHooks() Found {
	for _, f := range c.Files {
		if f.Writes && (holdsPart(f.Path, "/.git/") || holdsPart(f.Path, "/.husky/")) {
			return Found{Subject: f.Path}
		}
	}
	for _, f := range c.Redirect {
		if f.Writes && (c.isHook(f.Word, f.Folders) ||
			isChecksFile(f.Word) && !f.Appends && !c.fills(&f)) {
			return Found{Subject: "> " + f.Path}
		}
	}
	for i := range c.Commands {
		command := &c.Commands[i]
		if slices.ContainsFunc(command.withoutHooks(), func(w Word) bool { return c.isHook(w, command.Folders) }) ||
			slices.ContainsFunc(command.takesAway(), isChecksFile) {
			return Found{Subject: command.String()}
		}
	}
	return Found{}
}

// isHook reports whether a word names a hook of the repository, the folder of the hooks, or the file with the setting
// of this folder.
func (c *Call) isHook(w Word, folders []Word) bool {
	for _, at := range [...]string{w.Text, c.absolute(w.Text, folders)} {
		if holdsPart(at, "/.git/hooks/") || holdsPart(at, "/.husky/") || holdsPart(at, "/.git/config/") {
			return true
		}
	}
	return false
}

// isChecksFile reports whether a word names the file that says which checks pre-commit, lefthook or overcommit runs.
func isChecksFile(w Word) bool {
	name := strings.TrimPrefix(strings.ToLower(path.Base(w.Text)), ".")
	return name == "pre-commit-config.yaml" || name == "pre-commit-config.yml" || name == "overcommit.yml" ||
		strings.HasPrefix(name, "lefthook.") || strings.HasPrefix(name, "lefthook-local.")
}

// fills reports whether a redirection gives a file a text that is not empty.
func (c *Call) fills(f *File) bool {
	for i := range c.Commands {
		command := &c.Commands[i]
		silent := len(command.Args) == 0 && shellline.InList(": true echo printf", command.Program) ||
			command.Program == "cat" && len(command.Args) > 0 && command.Args[0].Text == "/dev/null"
		isFile := func(file File) bool { return file.Writes && file.Word.Text == f.Word.Text }
		if !silent && slices.ContainsFunc(command.Files, isFile) {
			return true
		}
	}
	return false
}

// takesAway returns the files that a command removes, moves away or empties.
func (c *Command) takesAway() []Word {
	if words := c.operands(); c.Row.Is(programs.Moves) && len(words) == 1 { // a{,.old} is two words
		return words
	}
	if r, ok := c.removes(); ok {
		return r.words
	}
	switch g := gitOf(c, ""); {
	case c.Row.Name == "git" && g.sub == "rm" && !g.has("--cached") && !g.has("-n,--dry-run"):
		return g.operands()
	case c.Row.Name == "git" && g.sub == "mv":
		words := g.operands()
		return words[:max(len(words)-1, 0)]
	case c.Row.Is(programs.Copies|programs.Links) && slices.ContainsFunc(c.operands(), doesNothing):
		return c.copyTargets()
	}
	return nil
}

// doesNothing reports whether a word is an empty file, or a program that succeeds without a check.
func doesNothing(w Word) bool {
	return shellline.InList("/dev/null /bin/true /usr/bin/true", w.Text)
}

// withoutHooks returns the files that do not run as hooks any more after a command, or run otherwise.
func (c *Command) withoutHooks() []Word {
	switch {
	case c.Program == "chmod":
		if slices.ContainsFunc(c.Args, takesExecution) {
			isConfig := func(w Word) bool { return holdsPart(w.Text, "/.git/config/") }
			return slices.DeleteFunc(slices.Clone(c.Args), isConfig)
		}
	case c.Row.Is(programs.Copies|programs.Links) && !c.Row.Is(programs.Moves):
	case c.Row.Is(programs.InPlace), c.Row.Is(programs.Writes) && c.does(programs.Replaces), c.Program == "dd":
		return slices.Concat(c.overwritten(), c.takesAway())
	}
	return c.takesAway()
}

// takesExecution reports whether a mode of chmod leaves a file that nobody can execute.
func takesExecution(w Word) bool {
	if w.Text != "" && strings.Trim(w.Text, "01234567") == "" {
		return strings.Trim(w.Text[max(len(w.Text)-3, 0):], "0246") == ""
	}
	who, mode, is := strings.Cut(w.Text, "=")
	return strings.HasSuffix(w.Text, "-x") || strings.Contains(w.Text, "-x,") || strings.HasSuffix(w.Text, "-wx") ||
		strings.HasSuffix(w.Text, "-rwx") || is && strings.Trim(who, "ugoa") == "" && !strings.Contains(mode, "x")
}
