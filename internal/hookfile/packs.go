package hookfile

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/protocol"
)

// packs reads "packs" and the keys about the rules of packs. Each rule is a hook without a process, before the file's
// own hooks.
func (p *parser) packs(fields map[string]gjson.Result) {
	var hooks []hook.Hook
	var taken []string
	p.eachName(fields, "packs", `a list of names of packs, as ["git", "secrets"]`, func(name string, at int) {
		found, version := p.pack(name, at)
		switch {
		case found == nil:
		case slices.Contains(taken, found.Name()):
			p.problem(at, `"packs" has %s twice; leave one out`, quote(found.Name()))
		default:
			taken = append(taken, found.Name())
			for _, r := range found.At(version) {
				hooks = append(hooks, p.ruleHook(r, at))
			}
		}
	})
	rules := func(key string, each func(h *hook.Hook)) {
		takesPacks := key == "observe" || key == "approvable"
		p.eachName(fields, key, `a list of rules, as ["git/no-force-push"]`, func(name string, at int) {
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
				const text = `%q: %s is no rule of the packs of this file%s`
				p.problem(at, text, key, quote(name), cmp.Or(spelling.Suggest(name, ids), p.withoutPack(name, taken)))
			}
		})
	}
	var except []string
	rules("except", func(h *hook.Hook) { except = append(except, h.Name) })
	rules("ask", func(h *hook.Hook) { h.StaticVerdict.Decision = protocol.Ask })
	rules("observe", func(h *hook.Hook) { h.Observe = true })
	rules("approvable", func(h *hook.Hook) { h.Approvable = true })
	for _, h := range hooks {
		if slices.Contains(except, h.Name) {
			h.Disabled = fmt.Sprintf(`"except" of %s`, p.file)
		}
		p.config.Hooks = append(p.config.Hooks, h)
	}
}

// withoutPack says how to mend the name of a rule or a pack for a key of the packs.
func (p *parser) withoutPack(name string, taken []string) string {
	of, _, isRule := strings.Cut(name, "/")
	var found hook.Pack
	if p.rules() != nil {
		found, _ = p.rules().Pack(of)
	}
	switch {
	case slices.Contains(taken, of) && !isRule:
		return `; leave the pack out of "packs" instead`
	case found != nil && !slices.Contains(taken, of):
		return "; leave it out, or add " + quote(of) + ` to "packs"`
	}
	return ""
}

// eachName calls each for every name in a list at the top of the file.
func (p *parser) eachName(fields map[string]gjson.Result, key, want string, each func(name string, at int)) {
	list := fields[key]
	switch {
	case !list.Exists():
		return
	case !list.IsArray():
		p.wrongType(quote(key), want, list)
		return
	}
	list.ForEach(func(_, v gjson.Result) bool {
		if name, ok := (&reader{p, "", key, v}).text(v, fmt.Sprintf("a name in %q", key)); ok {
			each(name, v.Index)
		}
		return true
	})
}

// pack returns the pack and the version for a name such as git or git@2, or nil without such a pack.
func (p *parser) pack(text string, at int) (found hook.Pack, version int) {
	name, pin, pinned := strings.Cut(text, "@")
	if p.rules() == nil {
		p.problem(at, `"packs": this program has no packs, so it cannot run %s`, quote(name))
		return nil, 0
	}
	found, err := p.rules().Pack(name)
	if err != nil {
		p.problem(at, `"packs": %s`, err.Error())
		return nil, 0
	}
	if version = found.Version(); !pinned {
		return found, version
	}
	n, err := strconv.Atoi(pin)
	if err != nil || n < 1 || n > version {
		p.problem(at, `"packs": %s has no version %s; it has 1 to %d`, quote(name), quote(pin), version)
		return nil, 0
	}
	return found, n
}

// ruleHook returns a rule of a pack as a hook of the file.
func (p *parser) ruleHook(r hook.PackRule, at int) hook.Hook {
	place, decision := p.at(at, ""), protocol.Block
	if r.Asks() {
		decision = protocol.Ask
	}
	return hook.Hook{
		Name: r.ID(), Rule: r, Observe: p.observe, ObserveUntil: p.observeUntil,
		Dialect: p.dialect, Events: []protocol.Event{protocol.PreTool},
		StaticVerdict: &dialect.Verdict{Decision: decision, Cause: protocol.CausePolicy,
			Status: dialect.StatusBlocked, Reason: r.Reason(hook.Found{})},
		File: p.file, Level: p.level, Line: place.Line, Column: place.Column,
	}
}
