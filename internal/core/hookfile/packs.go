package hookfile

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/lib/strictjson/document"
	"github.com/hookrun/hookrun/protocol"
)

// packs reads "packs" and the keys about the rules of packs. Each rule is a hook without a process, before the file's
// own hooks.
func (p *parser) packs(fields map[string]document.Value) {
	var hooks []hook.Hook
	var taken []string
	names := fields["packs"].Texts(`a list of names of packs, as ["git", "secrets"]`, `a name in "packs"`)
	for name, v := range names {
		found, version := p.pack(name, v)
		switch {
		case found == nil:
		case slices.Contains(taken, found.Name()):
			v.Problem(`"packs" has %s twice; leave one out`, quote(found.Name()))
		default:
			taken = append(taken, found.Name())
			for _, r := range found.At(version) {
				hooks = append(hooks, p.ruleHook(r, v.Place()))
			}
		}
	}
	rules := func(key string, each func(h *hook.Hook)) {
		takesPacks := key == "observe" || key == "approvable"
		names := fields[key].Texts(`a list of rules, as ["git/no-force-push"]`, fmt.Sprintf("a name in %q", key))
		for name, v := range names {
			var ids []string
			found := false
			for i := range hooks {
				of, _, _ := strings.Cut(hooks[i].Name, "/")
				if hooks[i].Name == name || of == name && takesPacks {
					each(&hooks[i])
					found = true
				}
				ids = append(ids, hooks[i].Name)
			}
			if takesPacks {
				ids = append(ids, taken...)
			}
			if !found {
				v.Problem(`%q: %s is no rule of the packs of this file%s`, key, quote(name),
					cmp.Or(spelling.Suggest(name, ids), p.withoutPack(name, taken)))
			}
		}
	}
	var except []string
	rules("except", func(h *hook.Hook) { except = append(except, h.Name) })
	rules("ask", func(h *hook.Hook) { h.Rule().Decision = protocol.Ask })
	rules("observe", func(h *hook.Hook) { h.Observe = true })
	rules("approvable", func(h *hook.Hook) { h.Approvable = true })
	for _, h := range hooks {
		if slices.Contains(except, h.Name) {
			h.Disabled = fmt.Sprintf(`"except" of %s`, p.File)
		}
		p.config.Hooks = append(p.config.Hooks, h)
	}
}

// withoutPack says how to mend the name of a rule or a pack for a key of the packs.
func (p *parser) withoutPack(name string, taken []string) string {
	of, _, isRule := strings.Cut(name, "/")
	var found hook.Pack
	if p.parts.Rules != nil {
		found, _ = p.parts.Rules.Pack(of)
	}
	switch {
	case slices.Contains(taken, of) && !isRule:
		return `; leave the pack out of "packs" instead`
	case found != nil && !slices.Contains(taken, of):
		return "; leave it out, or add " + quote(of) + ` to "packs"`
	}
	return ""
}

// pack returns the pack and the version for a name such as git or git@2, or nil without such a pack.
func (p *parser) pack(text string, at document.Value) (found hook.Pack, version int) {
	name, pin, pinned := strings.Cut(text, "@")
	if p.parts.Rules == nil {
		at.Problem(`"packs": this program has no packs, so it cannot run %s`, quote(name))
		return nil, 0
	}
	found, err := p.parts.Rules.Pack(name)
	if err != nil {
		at.Problem(`"packs": %s`, err.Error())
		return nil, 0
	}
	if version = found.Version(); !pinned {
		return found, version
	}
	n, err := strconv.Atoi(pin)
	if err != nil || n < 1 || n > version {
		at.Problem(`"packs": %s has no version %s; it has 1 to %d`, quote(name), quote(pin), version)
		return nil, 0
	}
	return found, n
}

// ruleHook returns a rule of a pack as a hook of the file.
func (p *parser) ruleHook(r hook.PackRule, at hook.Diagnostic) hook.Hook {
	decision := protocol.Block
	if r.Asks() {
		decision = protocol.Ask
	}
	return hook.Hook{
		Name: r.ID(), Observe: p.observe, ObserveUntil: p.observeUntil,
		Dialect: p.dialect, Events: []protocol.Event{protocol.PreTool},
		Handler: &hook.Rule{Pack: r, Verdict: dialect.Verdict{Decision: decision, Cause: protocol.CausePolicy,
			Status: dialect.StatusBlocked, Reason: r.Reason(hook.Found{})}},
		File: at.File, Level: p.level, Line: at.Line, Column: at.Column,
	}
}
