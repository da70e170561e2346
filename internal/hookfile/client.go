package hookfile

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/internal/jsregexp"
	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// Files in the form of a client, as the Settings of its dialect have it. A client drops such a file, or an entry of it,
// often without a word where something is wrong with it; here that is an error. What a later version of the client may
// know is a warning.

// clientFile reads a document in a client's form.
func (p *parser) clientFile(top gjson.Result) {
	p.form = p.dialect.Settings
	if p.onFault == dialect.DropsEntry {
		before := len(p.problems)
		defer func() {
			for _, d := range p.problems[before:] {
				d.Gate = true
				p.config.Warnings = append(p.config.Warnings, d)
			}
			p.problems = p.problems[:before]
		}()
	}
	// once: a file can have a hundred thousand wrong ones to compare with them
	for _, e := range p.dialect.FileEvents() {
		p.eventNames = append(p.eventNames, string(e))
	}
	flat := p.form.TopEvents != "" && filepath.Base(p.file) == p.form.TopEvents
	f := map[string]gjson.Result{"hooks": top}
	if !flat {
		f = p.members(top, p.form.Top, "", p.drops, p.form.About)
	}
	s := &hook.ClientSettings{}
	p.settings = s
	p.config.settings = map[*dialect.Settings]*hook.ClientSettings{p.form: s}
	if p.pluginRoot() != "" { // a plugin has hooks, and no settings
		f = map[string]gjson.Result{"hooks": f["hooks"]}
	}
	off, hasOff := f[p.form.Off]
	if hasOff {
		p.switchOff(off.Bool(), strconv.Quote(p.form.Off), "true", off)
	}
	s.Env = p.clientEnv(f["env"], "", p.drops)
	for _, list := range []struct {
		key  string
		into **[]string
	}{{"allowedHttpHookUrls", &s.URLs}, {"httpHookAllowedEnvVars", &s.Variables}} {
		if v, ok := f[list.key]; ok {
			texts := stringsOf(v)
			*list.into = &texts
		}
	}
	if config, ok := f["hooksConfig"]; ok {
		c := p.members(config, p.form.Switches, `"hooksConfig": `, p.drops, 0)
		if on, ok := c["enabled"]; ok {
			p.switchOff(!on.Bool(), `"enabled" of "hooksConfig"`, "false", on)
		}
		for _, name := range c["disabled"].Array() {
			s.Disabled = append(s.Disabled, p.expanded(name.String()))
		}
	}
	hooks := f["hooks"]
	switch {
	case p.ofHooks() && !hasKey(top, "hooks"):
		p.problem(top.Index, "has no \"hooks\"; write \"hooks\": {}%s", p.drops)
	case !hooks.Exists() || hooks.Type == gjson.Null: // where null is allowed it is as good as none
		return
	case !hooks.IsObject():
		p.clientType(`"hooks"`, "an object", hooks, p.drops)
		return
	}
	p.overridden(hooks)
	last := dialect.LastOf(hooks)
	hooks.ForEach(func(key, groups gjson.Result) bool {
		event := protocol.Event(key.String())
		d := p.spelt(key.String())
		within := slices.IndexFunc(p.form.Within, func(m dialect.Field) bool { return m.Key() == key.String() })
		switch {
		case last[strictjson.Text(key.Raw)].Index != groups.Index: // an equal key follows
		case flat && key.String() == "hooks":
			p.problem(key.Index, "in %s events stand at the top level; take them out of \"hooks\"%s", p.form.TopEvents,
				p.drops)
		case within == 0 && groups.IsBool():
			p.switchOff(groups.Bool(), strconv.Quote(key.String()), "true", key)
		case within >= 0:
		case d != nil:
			p.clientEvent(d, event, groups)
		case dialect.OwnKey(key.String()):
		case slices.ContainsFunc(p.form.Switches, func(m dialect.Field) bool { return m.Key() == key.String() }):
			p.warn(key.Index, "%s passes over %q here; put it under \"hooksConfig\"", p.form.Client, key.String())
		default:
			p.warnOfGate(key.Index, fmt.Sprintf("unknown event %s: none of its hooks will ever run%s",
				quote(string(event)), p.meantEvent(event)))
		}
		return true
	})
	slices.SortStableFunc(p.config.Hooks, func(a, b hook.Hook) int { return p.rank(&a) - p.rank(&b) })
	if hasOff && off.Bool() && p.ofHooks() { // it is for this file alone
		p.warnOfGate(off.Index, s.OffAt.Text)
		for i := range p.config.Hooks {
			p.config.Hooks[i].Disabled = strconv.Quote(p.form.Off) + " is true in its file"
		}
	}
	if p.ofHooks() {
		s.Off = nil
	}
}

// rank is how late a hook runs at a call, among those of the client's variants.
func (p *parser) rank(h *hook.Hook) int { return slices.Index(p.dialect.Variants(), h.Dialect) }

// switchOff notes that the hooks of the client are switched off, or on again.
func (p *parser) switchOff(off bool, by, is string, v gjson.Result) {
	p.settings.Off, p.settings.OffBy = &off, by
	p.settings.OffAt = p.at(v.Index, fmt.Sprintf("%s is %s, so no hook of %s's form runs", by, is, p.form.Client))
	p.settings.OffAt.Gate = true
}

func (p *parser) warn(offset int, format string, args ...any) {
	p.config.Warnings = append(p.config.Warnings, p.at(offset, fmt.Sprintf(format, args...)))
}

// warnOfDeadGate warns of a hook that no call reaches.
func (p *parser) warnOfDeadGate(offset int, text string) {
	p.warnOfGate(offset, text)
	p.config.Warnings[len(p.config.Warnings)-1].Unreachable = true
}

// warnOfGate warns of a hook that will never run or never block.
func (p *parser) warnOfGate(offset int, text string) {
	w := p.at(offset, text)
	w.Gate = true
	p.config.Warnings = append(p.config.Warnings, w)
}

func (p *parser) clientType(what, want string, got gjson.Result, drops string) {
	p.problem(got.Index, "%s must be %s, not %s%s", what, want, typeName(got), drops)
}

// members returns the fields of an object that are known, each of its type. Others are warnings, or errors in a
// document that is closed. Where the first about of the known fields are about hooks, as at the top of a document, the
// others are the client's: there only what may mean one of those is worth a word.
func (p *parser) members(object gjson.Result, known []dialect.Field, who, drops string,
	about int) map[string]gjson.Result {
	found := map[string]gjson.Result{}
	var names []string
	for _, m := range known {
		names = append(names, m.Key())
	}
	if about > 0 {
		names = names[:about]
	}
	object.ForEach(func(key, value gjson.Result) bool {
		name := key.String()
		for _, m := range known {
			if m.Key() != name {
				continue
			}
			is, orNull := strings.CutSuffix(m.Type(), "?")
			if orNull && value.Type == gjson.Null {
				return true
			}
			if want, ok := strictjson.CheckType(value, is); ok {
				found[name] = value
			} else if value.Type == gjson.String && strings.Contains(is, "|") {
				p.problem(value.Index, "%s%q must be %s, not %s%s%s", who, name, want, quote(value.String()),
					drops, spelling.Suggest(value.String(), strings.Split(is, "|")))
			} else {
				p.clientType(who+strconv.Quote(name), want, value, drops)
			}
			return true
		}
		hint := spelling.Suggest(name, names)
		switch {
		case dialect.OwnKey(name):
		case about == 0:
			p.warn(key.Index, "%sunknown field %s, which is passed over%s", who, quote(name), hint)
		case slices.Contains(p.eventNames, name):
			p.unknownTop(key,
				name+" is at the top level, so none of its hooks will ever run; put it under \"hooks\"", true, "")
		case name == anyFolder().Settings.Off: // so it is not that client's file
			p.unknownTop(key, fmt.Sprintf("%q is a switch of %s's, which %s does not know", name,
				anyFolder().Settings.Client, p.form.Client), false, "")
		case hint != "" || p.form.Closed:
			p.unknownTop(key, fmt.Sprintf("unknown field %s, which is passed over", quote(name)), false, hint)
		}
		return true
	})
	return found
}

// unknownTop warns of a field at the top of a document that the client does not know. gate: it has hooks in it. near
// ends the message with what may have been meant.
func (p *parser) unknownTop(key gjson.Result, text string, gate bool, near string) {
	switch {
	case p.form.Closed:
		p.problem(key.Index, "%s%s%s", strings.Replace(text, ", which is passed over", "", 1), p.drops, near)
	case gate:
		p.warnOfGate(key.Index, text+near)
	default:
		p.warn(key.Index, "%s%s", text, near)
	}
}

func (p *parser) clientEnv(object gjson.Result, who, drops string) (env []string) {
	object.ForEach(func(key, value gjson.Result) bool {
		name := key.String()
		switch {
		case name == "" || strings.ContainsAny(name, "=\x00"):
			p.problem(key.Index, "%s\"env\": %s cannot be the name of a variable", who, quote(name))
		case name == "HOOKRUN" || strings.HasPrefix(name, "HOOKRUN_"):
			p.problem(key.Index, "%s\"env\": %s is set by hookrun, also for these hooks", who, brief(name))
		case value.IsObject() || value.IsArray() || value.Type == gjson.Null:
			p.clientType(who+`"env" `+quote(name), "a string", value, drops)
		case strings.ContainsRune(value.String(), 0):
			p.problem(value.Index, "%s\"env\" %s has a NUL character, which no process can be given", who, quote(name))
		case value.Type == gjson.String:
			env = append(env, name+"="+p.expanded(value.String()))
		default:
			env = append(env, name+"="+value.Raw)
		}
		return true
	})
	return env
}

// maxPattern bounds what compiling a matcher can cost: a tenth of a second for a megabyte of it.
const maxPattern = 64 << 10

// clientEvent reads the groups of an event.
func (p *parser) clientEvent(d *dialect.Dialect, event protocol.Event, groups gjson.Result) {
	drops := p.drops
	if p.form.DropsAt != nil {
		drops = p.form.DropsAt(event)
	}
	if !groups.IsArray() {
		p.clientType(string(event), "an array", groups, drops)
		return
	}
	n, first, stopped := 0, len(p.config.Hooks), false
	defer func() {
		if stopped {
			p.config.Hooks = p.config.Hooks[:first]
		}
	}()
	groups.ForEach(func(_, group gjson.Result) bool {
		n++
		who := fmt.Sprintf("%s %d: ", event, n)
		before := len(p.problems)
		if !group.IsObject() {
			p.clientType(strings.TrimSuffix(who, ": "), "an object", group, drops)
			return true
		}
		flat := p.form.Flat && (p.form.Group == nil || !hasKey(group, "hooks"))
		if !flat && !hasKey(group, "hooks") && (hasKey(group, "type") || hasKey(group, "command")) {
			p.problem(group.Index, "%shas no \"hooks\"; write {\"hooks\": [{…}]} around this hook%s", who,
				cmp.Or(p.form.DropsGroup, drops))
			return true
		}
		f := map[string]gjson.Result{}
		if !flat {
			f = p.members(group, p.form.Group, who, drops, 0)
		} else if matcher := valueOf(group, "matcher"); matcher.Type == gjson.String {
			f["matcher"] = matcher
		}
		if _, ok := f["matcher"]; p.form.MatcherStops && len(p.problems) > before && !ok && hasKey(group, "matcher") {
			stopped = true
		}
		m, ok := p.clientMatcher(d, event, f, who)
		if !ok || p.form.OnFault == dialect.DropsEntry && len(p.problems) > before {
			return true
		}
		var when []hook.Condition
		add := func(entry gjson.Result, name string) {
			h := hook.Hook{Matcher: m, When: when, Events: []protocol.Event{event}, Dialect: d.Of(event),
				Sequential: f["sequential"].Type == gjson.True, File: p.file, Form: p.form, Settings: p.settings,
				OfClient: filepath.Base(p.file) != FileName}
			if pattern, is := m.(dialect.Pattern); is && pattern.Err == nil && d.SubjectField(event) == "tool_name" {
				p.patternDoubts(&h, pattern, f["matcher"].Index, who)
			}
			if p.handler(&h, entry, name, drops) && p.firstOfName(&h, group, entry) {
				p.config.Hooks = append(p.config.Hooks, h)
			}
		}
		if flat {
			add(group, strings.TrimSuffix(who, ": "))
			return true
		}
		m, when = p.commandRegex(m, f["commandRegex"], who)
		hooks, ok := f["hooks"]
		switch {
		case !ok:
			p.problem(group.Index, "%shas no \"hooks\"%s", who, cmp.Or(p.form.DropsGroup, drops))
		case !hooks.IsArray():
			p.clientType(who+`"hooks"`, "an array", hooks, drops)
			return true
		}
		i := 0
		hooks.ForEach(func(_, entry gjson.Result) bool {
			i++
			add(entry, fmt.Sprintf("%s %d, hook %d", event, n, i))
			return true
		})
		return true
	})
}

// firstOfName reports whether the client keeps the hook: where it has OneOfName it drops those behind the first.
func (p *parser) firstOfName(h *hook.Hook, group, entry gjson.Result) bool {
	if !p.form.OneOfName {
		return true
	}
	g, e := dialect.LastOf(group), dialect.LastOf(entry)
	key := same(string(h.Events[0]), g["matcher"].Raw, g["sequential"].Raw,
		cmp.Or(e["name"].String(), e["command"].String(), e["url"].String(), e["prompt"].String()))
	line, there := p.named[key]
	if there && e["name"].String() != "" { // of equal commands one runs, whatever happens here
		p.warnOfGate(entry.Index, fmt.Sprintf("it has the name of the hook of line %d, so %s drops it", line,
			p.form.Client))
		return false
	}
	if p.named == nil {
		p.named = map[string]int{}
	}
	if !there {
		p.named[key] = h.Line
	}
	return true
}

// overridden warns of hooks in a file that its client does not read, since another one stands beside it.
func (p *parser) overridden(hooks gjson.Result) {
	if p.form.TopEvents == "" || filepath.Base(p.file) != p.form.Base || len(dialect.LastOf(hooks)) == 0 {
		return
	}
	beside := filepath.Join(filepath.Dir(p.file), p.form.TopEvents)
	if doc, err := readFile(beside); err == nil {
		if _, err := ParseAs(beside, doc, p.dialect); err == nil {
			p.warnOfGate(hooks.Index, fmt.Sprintf("%s takes the hooks of %s and not these; put them all in one file",
				p.form.Client, p.form.TopEvents))
		}
	}
}

// commandRegex reads the expression that the command of one tool must match. It narrows the matcher to that tool.
func (p *parser) commandRegex(m hook.Matcher, text gjson.Result, who string) (hook.Matcher, []hook.Condition) {
	if p.form.CommandOf == "" || text.String() == "" {
		return m, nil
	}
	pattern, _ := m.(dialect.Pattern)
	pattern.Only = p.form.CommandOf
	c, _ := hook.ConditionAt("tool_input.command")
	c.Text = "commandRegex " + quote(text.String())
	re, err := jsregexp.Compile(text.String())
	if len(text.Raw) > maxPattern {
		err = errors.New("it is longer than 64 KiB")
	}
	if err != nil {
		p.warnOfGate(text.Index, fmt.Sprintf("%sthe commandRegex %s is no regular expression and matches nothing, so "+
			"the hook never runs: %s", who, quote(text.String()), spelling.Expression(err)))
		return pattern, []hook.Condition{c} // which never holds
	}
	c.Finds(func(text string) bool {
		matches, err := re.Match(text)
		return matches || err != nil
	})
	return pattern, []hook.Condition{c}
}

// clientMatcher reads the matcher of a group, nil if there is none.
func (p *parser) clientMatcher(d *dialect.Dialect, event protocol.Event, f map[string]gjson.Result,
	who string) (m hook.Matcher, ok bool) {
	text, ok := f["matcher"]
	if !ok {
		return nil, true
	}
	if len(text.Raw) > maxPattern {
		p.problem(text.Index, "%sthe matcher is longer than 64 KiB", who)
		return nil, false
	}
	subject := d.SubjectField(event)
	read := p.form.Pattern
	if d.Settings != p.form { // the other spelling has matchers of its own
		read = d.Settings.Pattern
	}
	pattern := read(p.expanded(text.String()), subject)
	if pattern.Refused != "" {
		p.problem(text.Index, "%sthe matcher %s %s%s", who, quote(text.String()), pattern.Refused, p.drops)
		return nil, false
	}
	if fault := pattern.Fault(); fault != "" && subject != "" {
		p.faultyMatcher(text.Index, pattern, fmt.Sprintf("%sthe matcher %s %s", who, quote(text.String()), fault))
	}
	return pattern, true
}
