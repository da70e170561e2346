package clientfile

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/internal/toml"
)

// install returns the text with one entry at each event, and none at any other.
func (c *Client) install(text string, exists bool, h *handler, events []string) (string, []string, error) {
	if exists {
		var err error
		seen := map[string]bool{}
		// Another version's events and copies of the entry go first: an edit of a member could meet its removal.
		text, exists, err = c.remove(text, h.binary, func(event string) bool {
			first := slices.Contains(events, event) && !seen[event]
			seen[event] = true
			return !first
		})
		if err != nil {
			return "", nil, err
		}
	}
	if !exists {
		file := &node{brackets: "{}", inside: []*node{h.hooks(events, wasMissing)}}
		return ownStyle.write(file, "", true) + "\n", nil, nil
	}
	d, err := c.parse(text, h.binary)
	if err != nil {
		return "", nil, err
	}
	edits, err := d.put(h, events)
	if err != nil {
		return "", nil, err
	}
	return d.apply(edits), c.notes(d), nil
}

// put returns the edits that put the entry where it is missing, or another than it should be.
func (d *document) put(h *handler, events []string) ([]edit, error) {
	s := d.style()
	hooks, found := d.get(d.top(), "hooks")
	switch {
	case !found:
		return d.add(s, d.top(), s.lines, h.hooks(events, wasMissing)), nil
	case d.isNull(hooks.value):
		return d.fill(s, hooks, h.hooks(events, wasNull)), nil
	case d.kind(hooks.value) != '{':
		return nil, d.fault(hooks.value.start, `"hooks" is no object, so the client can have no hooks; write {}`)
	}
	var edits []edit
	missing := slices.Clone(events)
	for _, event := range d.members(hooks.value) { // in the order of the file, as edits must be
		i := slices.Index(missing, event.key)
		if i < 0 {
			continue
		}
		missing = slices.Delete(missing, i, i+1)
		switch {
		case d.isNull(event.value):
			edits = append(edits, d.fill(s, event, h.event(event.key, wasNull))...)
		case d.kind(event.value) != '[':
			return nil, d.fault(event.value.start, fmt.Sprintf("%q is no list; put its hooks into []", event.key))
		default:
			edits = append(edits, d.putInto(s, event, h)...)
		}
	}
	if len(missing) > 0 {
		_, lines := d.lineIndent(hooks.start)
		edits = append(edits, d.add(s, hooks.value, lines, h.hooks(missing, "").inside...)...)
	}
	return edits, nil
}

// fill puts a node in the place of a null.
func (d *document) fill(s *style, m member, n *node) []edit {
	indent, lines := d.lineIndent(m.start)
	n.key = ""
	return []edit{{m.value.span, s.write(n, indent, lines)}}
}

// putInto puts the entry into an event's list, or renews the one that is there.
func (d *document) putInto(s *style, event member, h *handler) []edit {
	for _, group := range d.members(event.value) {
		for _, m := range d.handlers(group.value) {
			if !d.isOurs(m.value) {
				continue
			}
			there := *h
			if t, _ := d.get(m.value, "timeout"); h.keepsLonger {
				seconds, _ := strconv.ParseInt(d.raw(t.value), 10, 64)
				there.timeout = max(seconds, h.timeout)
			}
			if d.is(m.value, there.entry()) {
				return nil
			}
			indent, _ := d.lineIndent(m.start)
			return []edit{{m.span, s.write(h.entry(), indent, strings.Contains(d.plain[m.start:m.end], "\n"))}}
		}
	}
	_, lines := d.lineIndent(event.start)
	return d.add(s, event.value, lines, h.group())
}

// is reports whether an object has the members of a node, however it is written, and no others.
func (d *document) is(object value, n *node) bool {
	for _, want := range n.inside {
		m, found := d.get(object, want.key)
		if !found || string(strictjson.Compact(nil, d.raw(m.value))) != want.literal {
			return false
		}
	}
	return len(d.members(object)) == len(n.inside)
}

// handlers are those of a group; a thing of another shape has none.
func (d *document) handlers(group value) []member {
	if list, found := d.handlerList(group); found {
		return d.members(list)
	}
	return nil
}

func (d *document) handlerList(group value) (list value, found bool) {
	hooks, found := d.get(group, "hooks")
	return hooks.value, found && d.kind(hooks.value) == '['
}

func (d *document) isOurs(handler value) bool {
	command, found := d.get(handler, "command")
	return found && d.kind(command.value) == '"' && ours(d.textOf(command.value), d.binary)
}

func (d *document) textOf(v value) string { return strictjson.Text(d.raw(v)) }

// raw is a value as it is written; "" if there is none.
func (d *document) raw(v value) string { return d.plain[v.start:v.end] }

// notes say what keeps the entry from being run.
func (c *Client) notes(d *document) []string {
	notes := c.switchedOff(d)
	hooks, _ := d.get(d.top(), "hooks")
	for _, event := range d.members(hooks.value) {
		for _, group := range d.members(event.value) {
			matcher, found := d.get(group.value, "matcher")
			if found && slices.ContainsFunc(d.handlers(group.value), func(m member) bool { return d.isOurs(m.value) }) {
				notes = append(notes, fmt.Sprintf("the entry at %s has a matcher, %s, so hookrun is asked for no other tool", event.key, d.raw(matcher.value)))
			}
		}
	}
	return notes
}

func (c *Client) switchedOff(d *document) []string {
	if c.off == nil {
		return nil
	}
	return c.off(d)
}

func offInClaude(d *document) []string {
	if off, _ := d.get(d.top(), "disableAllHooks"); d.raw(off.value) == "true" {
		return []string{`"disableAllHooks" is true, so Claude Code runs no hook`}
	}
	return nil
}

func offInGemini(d *document) []string {
	config, _ := d.get(d.top(), "hooksConfig")
	enabled, _ := d.get(config.value, "enabled")
	disabled, _ := d.get(config.value, "disabled")
	switch {
	case d.raw(enabled.value) == "false":
		return []string{`"hooksConfig" has "enabled": false, so Gemini CLI runs no hook`}
	case slices.ContainsFunc(d.members(disabled.value), func(m member) bool { return d.raw(m.value) == `"hookrun"` }):
		return []string{`"hooksConfig" has "hookrun" among its "disabled", so Gemini CLI does not run it`}
	}
	return nil
}

// Elsewhere says what in other files of the settings than that of the first place keeps the client from running hooks. A file that cannot be read says
// nothing.
func (c *Client) Elsewhere(places ...Place) (notes []string) {
	for _, p := range places {
		for _, base := range append(c.others, c.Base) {
			path := filepath.Join(filepath.Dir(p.Path), base)
			f, err := find(Place{string(filepath.Separator), path})
			if path == places[0].Path || err != nil || f.info == nil {
				continue
			}
			var off []string
			if filepath.Ext(base) == ".toml" {
				off = featuresOff(f.text)
			} else if d, err := c.parse(f.text, ""); err == nil {
				off = c.switchedOff(d)
			}
			for _, why := range off {
				notes = append(notes, path+": "+why)
			}
		}
	}
	return notes
}

// featuresOff is that for Codex, which has its switch in another file than its hooks, under an old name and a new one.
func featuresOff(text string) (notes []string) {
	top, err := toml.Parse(text)
	if err != nil || top.Get("features") == nil {
		return nil
	}
	for _, key := range []string{"hooks", "codex_hooks"} {
		if v := top.Get("features").Get(key); v != nil && v.Kind == toml.Bool && v.Text == "false" {
			notes = append(notes, fmt.Sprintf("features.%s is false, so Codex runs no hook", key))
		}
	}
	return notes
}
