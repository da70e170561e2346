package pack

import (
	"path"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/rules/shellline"
)

func skippedChecks(c *Call) Found {
	if found := c.changesGit(); found.Subject != "" {
		return found
	}
	for _, g := range c.gits() {
		for _, s := range g.settings {
			if strings.HasPrefix(strings.ToLower(s), "core.hookspath") {
				return g.found()
			}
		}
		switch g.sub {
		case "commit", "push", "merge", "rebase", "pull", "am", "cherry-pick", "revert":
			if g.has("--no-verify") || g.sub == "commit" && g.has("-n") || c.skipsHooks(g.command) {
				return g.found()
			}
		case "config":
			sets := func(w Word) bool { return strings.EqualFold(w.Text, "core.hooksPath") }
			words := g.operands()
			at := slices.IndexFunc(words, sets)
			if at >= 0 && (len(words) > at+1 || g.has("--unset") || g.has("--unset-all")) {
				return g.found()
			}
		}
	}
	return Found{}
}

// skipsHooks reports whether a variable tells git, or the hooks of a repository, to skip hooks.
func (c *Call) skipsHooks(command *Command) bool {
	skips := func(name, value string) bool {
		switch name {
		case "HUSKY", "LEFTHOOK":
			return value == "0" || value == "false"
		case "SKIP", "HUSKY_SKIP_HOOKS", "OVERCOMMIT_DISABLE", "GIT_CONFIG_PARAMETERS":
			return value != "" && value != "0"
		}
		return strings.HasPrefix(name, "GIT_CONFIG_KEY_") && strings.EqualFold(value, "core.hooksPath")
	}
	return slices.ContainsFunc(command.Env, func(w Word) bool {
		name, value, _ := strings.Cut(w.Text, "=")
		return skips(name, value)
	}) || slices.ContainsFunc(c.assigned, func(a shellline.Assignment) bool { return skips(a.Name, a.Value.Text) })
}

// changesGit finds a change in .git: of any file by a file tool, of hooks and config by a shell line.
func (c *Call) changesGit() Found {
	holds := func(file, part string) bool {
		file = "/" + strings.ReplaceAll(strings.ToLower(file), `\`, "/") + "/"
		return strings.Contains(path.Clean(file)+"/", part)
	}
	for _, f := range c.Files {
		if f.Writes && holds(f.Path, "/.git/") {
			return Found{Subject: f.Path}
		}
	}
	for _, f := range c.Redirect {
		if f.Writes && (holds(f.Path, "/.git/hooks/") || holds(f.Path, "/.git/config/")) {
			return Found{Subject: "> " + f.Path}
		}
	}
	for i := range c.Commands {
		command := &c.Commands[i]
		r, ok := command.removes()
		if command.Program == "chmod" {
			r.words = command.Args
			ok = slices.ContainsFunc(r.words, func(w Word) bool { return strings.HasSuffix(w.Text, "-x") })
		}
		if ok && slices.ContainsFunc(r.words, func(w Word) bool { return holds(w.Text, "/.git/hooks/") }) {
			return Found{Subject: command.String()}
		}
	}
	return Found{}
}
