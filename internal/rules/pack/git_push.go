package pack

import (
	"slices"
	"strings"
)

// isPush reports whether a git command pushes.
func (g *gitCall) isPush() bool { return g.sub == "push" || g.sub == "send-pack" }

func forcedPush(c *Call) Found {
	for _, g := range c.gits() {
		for _, s := range g.settings {
			if strings.HasPrefix(strings.ToLower(s), "alias.") {
				return g.inDoubt("it gives a command of git another name")
			}
		}
		if g.computed && g.has("-f,--force") {
			return g.inDoubt("the shell computes which command of git that is")
		}
		if !g.isPush() {
			continue
		}
		if g.has("-f,--force") || g.has("--mirror") {
			return g.found()
		}
		if found := c.mayForce(&g); found.Subject != "" {
			return found
		}
	}
	return Found{}
}

// mayForce looks for a push that is forced by a computed word, or by a refspec.
func (c *Call) mayForce(g *gitCall) Found {
	if slices.ContainsFunc(g.args, isComputedOption) {
		return g.inDoubt("the shell computes an option")
	}
	if g.command.MoreArgs {
		forces := func(text string) bool { return text == "-f" || text == "--force" || text == "--mirror" }
		printed := strings.Fields(g.command.Script)
		for _, from := range g.command.PipedFrom {
			printed = append(printed, strings.Fields(from.Text)...)
		}
		if slices.ContainsFunc(printed, forces) {
			return g.inDoubt("another command prints its arguments")
		}
	}
	for i, w := range g.operands() {
		if i == 0 && w.Computed && w.MaybeMany && w.Prefix == "" && !isOneLetter(w.Text) {
			return g.inDoubt("the shell computes a word that may be an option; name the remote")
		}
		for _, text := range c.texts(w) {
			isOption := i > 0 && w.Computed && (text == "-f" || text == "--force")
			if isOption || strings.HasPrefix(text, "+") {
				return g.found()
			}
		}
	}
	return Found{}
}

// isComputedOption reports whether the shell computes which option a word is. The value of an option is none.
func isComputedOption(w Word) bool {
	return w.Computed && strings.HasPrefix(w.Prefix, "-") && !strings.Contains(w.Prefix, "=")
}

// isOneLetter reports whether a word is a pattern for names of one letter, as a placeholder is: [remote].
func isOneLetter(text string) bool {
	inside, ok := strings.CutPrefix(text, "[")
	return ok && strings.IndexByte(inside, ']') == len(inside)-1 && !strings.ContainsAny(inside, "-!^$`")
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
			for _, text := range c.texts(w) { // :: is of the program parallel
				if len(text) > 1 && text[0] == ':' && text[1] != ':' {
					return g.found()
				}
			}
		}
	}
	return Found{}
}

func pushToMain(c *Call) Found {
	for i := range c.gits() {
		g := &c.gitCalls[i]
		if !g.isPush() {
			continue
		}
		if g.has("--all") || g.has("--branches") {
			return g.found()
		}
		words := g.operands()
		if len(words) < 2 {
			if !g.has("--tags") {
				if found := c.pushesCurrent(g); found.Subject != "" {
					return found
				}
			}
			continue
		}
		for _, w := range words[1:] {
			if found := c.pushesRef(g, w); found.Subject != "" {
				return found
			}
		}
	}
	return Found{}
}

// pushesRef looks at a word that says which branches a push is for.
func (c *Call) pushesRef(g *gitCall, w Word) Found {
	source := strings.Trim(w.Source, `"`)
	if showsCurrent(source) {
		return c.pushesCurrent(g)
	}
	for _, text := range c.texts(w) {
		_, to, has := strings.Cut(text, ":")
		if !has {
			to = strings.TrimPrefix(text, "+")
		}
		switch {
		case to == "HEAD" || to == "@" ||
			has && showsCurrent(source[min(len(source), 1+strings.IndexByte(source, ':')):]):
			return c.pushesCurrent(g)
		case has && to == "" && strings.Trim(text, "+:") == "": // each branch that the remote has, too
			return g.found()
		case g.repo.isMain(branchName(to)), !w.Computed && g.repo.mayBeMain(branchName(to)):
			return g.found()
		}
	}
	return Found{}
}

// showsCurrent reports whether a text is a substitution that prints the branch that is checked out.
func showsCurrent(source string) bool {
	switch strings.Join(strings.Fields(source), " ") {
	case "$(git branch --show-current)", "$(git rev-parse --abbrev-ref HEAD)", "$(git symbolic-ref --short HEAD)",
		"$(git symbolic-ref --short -q HEAD)", "$(git symbolic-ref -q --short HEAD)":
		return true
	}
	return false
}

// pushesCurrent looks at a push of the branch that is checked out.
func (c *Call) pushesCurrent(g *gitCall) Found {
	isTarget := func(setting string) bool {
		name, value, _ := strings.Cut(strings.ToLower(setting), "=")
		return name == "push.default" && (value == "upstream" || value == "tracking" || value == "matching") ||
			strings.HasPrefix(name, "remote.") && strings.HasSuffix(name, ".push")
	}
	if slices.ContainsFunc(g.settings, isTarget) {
		return g.inDoubt("a setting chooses the branches")
	}
	names := c.before(g).branches
	for _, name := range names {
		switch {
		case g.repo.isMain(name):
			found := Found{Subject: g.command.String() + " from " + name}
			if len(names) > 1 {
				found.Doubt = "if a command before it fails or does not run, " + name + " is checked out; " +
					"join them with &&, or name the branch in the push"
			}
			return found
		case g.repo.mayBeMain(name):
			return g.inDoubt("only git or the shell knows which branch is checked out; name the branch in the push")
		}
	}
	return Found{}
}
