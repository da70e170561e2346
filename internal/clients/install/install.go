package install

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

// install returns the text with one entry at each of the events, and no entry at other events.
func (c *Client) install(text string, exists bool, h *handler, events []string) (string, []string, error) {
	if c.HasExtension(c.Base) {
		return c.installTOML(text, exists, h, events)
	}
	var d *document
	if exists {
		var err error
		if d, err = c.parse(text, h.binary); err != nil {
			return "", nil, err
		}
		// First, copies of the entry go, and entries at events that only another version used.
		seen := map[string]bool{}
		exists = d.remove(func(event string) bool {
			first := slices.Contains(events, event) && !seen[event]
			seen[event] = true
			return !first
		})
	}
	if !exists {
		head := "{"
		if c.Head() != "" {
			head += c.Head() + ","
		}
		file := parsed(head + objectOf("hooks", h.hooks(events))[1:])
		ownStyle.layout(&file, "", true)
		return file.String() + "\n", nil, nil
	}
	if err := d.put(h, events); err != nil {
		return "", nil, err
	}
	return d.String(), c.notes(d), nil
}

// put adds the entry at events without one, and updates an entry that differs.
func (d *document) put(h *handler, events []string) error {
	s := d.style()
	found := foundEmpty("file", &d.tree)
	hooks := get(&d.tree, "hooks")
	if hooks == nil {
		if d.onlyHead() { // Uninstall would mistake the file for one created by Install
			after := string(object(&d.tree).AfterExtra)
			found = append(found, "file "+escapeSpace("{"+after+"}"))
		}
		s.add(&d.tree, "", s.lines, objectOf("hooks", h.hooks(events, found...)))
		return nil
	}
	indent, lines := d.lineOf("hooks")
	found = append(found, foundEmpty("hooks", hooks)...)
	switch {
	case isNull(hooks):
		s.set(hooks, h.hooks(events, found...), indent, lines)
		return nil
	case object(hooks) == nil:
		return d.fault(hooks, `"hooks" is no object, so the client can have no hooks; write {}`)
	}
	missing := slices.Clone(events)
	members := object(hooks).Members
	for i := range members {
		event := &members[i]
		name := keyOf(event)
		n := slices.Index(missing, name)
		if n < 0 {
			continue
		}
		missing = slices.Delete(missing, n, n+1)
		inLine, lines := lineIndent(event.Name.BeforeExtra)
		if !lines {
			inLine = indent
		}
		found := append(slices.Clip(found), foundEmpty(name, &event.Value)...)
		switch {
		case isNull(&event.Value):
			s.set(&event.Value, h.event(name, found...), inLine, lines)
		case array(&event.Value) == nil:
			return d.fault(&event.Value, fmt.Sprintf("%q is no list; put its hooks into []", name))
		case !d.updateEntry(s, event, inLine, h):
			s.add(&event.Value, inLine, lines, h.event(name, found...))
		}
	}
	if len(missing) > 0 {
		s.add(hooks, indent, lines, h.hooks(missing, found...))
	}
	return nil
}

// lineOf returns the indentation of the line with a key of the file, and whether the key is first in the line.
func (d *document) lineOf(key string) (indent string, first bool) {
	members := object(&d.tree).Members
	i := slices.IndexFunc(members, func(m hujson.ObjectMember) bool { return keyOf(&m) == key })
	return lineIndent(members[i].Name.BeforeExtra)
}

// updateEntry reports whether the event has an entry, and rewrites the entry in place if it differs from h.
func (d *document) updateEntry(s *style, event *hujson.ObjectMember, indent string, h *handler) bool {
	for _, handlers := range d.handlers(event) {
		for i := range handlers {
			there := &handlers[i]
			command := commandOf(there)
			if !d.isOurs(command) {
				continue
			}
			at := keyOf(event)
			before := strings.TrimPrefix(footnoteOf(text(command)), footnoteStart)
			var found []string
			if before != "" {
				found = []string{before}
			}
			longer := *h
			if h.keepsLongerTimeout {
				seconds, _ := strconv.ParseInt(raw(get(there, "timeout")), 10, 64)
				longer.timeout = max(seconds, h.timeout)
			}
			if !sameObject(there, longer.entry(at, found...)) {
				if own, lines := lineIndent(there.BeforeExtra); lines {
					indent = own
				}
				s.set(there, h.entry(at, found...), indent, strings.Contains(raw(there), "\n"))
			}
			return true
		}
	}
	return false
}

// sameObject reports whether an object equals a JSON text, whatever the layout and the order of members.
func sameObject(v *hujson.Value, text string) bool {
	want := parsed(text)
	for _, m := range members(&want) {
		if string(strictjson.Compact(nil, raw(get(v, keyOf(&m))))) != raw(&m.Value) {
			return false
		}
	}
	return len(members(v)) == len(members(&want))
}

// hooks returns the object with the hooks, as JSON text. found becomes the footnote of each entry.
func (h *handler) hooks(events []string, found ...string) string {
	var lists []string
	for _, event := range events {
		lists = append(lists, quoted(event)+":"+h.event(event, found...))
	}
	return "{" + strings.Join(lists, ",") + "}"
}

// event returns the list of an event: one group with the entry, without a matcher because the entry is for every tool.
func (h *handler) event(name string, found ...string) string {
	if h.flat(name) {
		return "[" + h.entry(name, found...) + "]"
	}
	return `[{"hooks":[` + h.entry(name, found...) + `]}]`
}

func (h *handler) entry(event string, found ...string) string {
	text := `{"type":"command",` + quoted(h.key) + ":" +
		quoted(h.command(event)+footnote(slices.Concat(found, h.added)))
	if h.extra != "" {
		text += "," + h.extra
	}
	if h.timeout > 0 {
		text += `,"timeout":` + strconv.FormatInt(h.timeout, 10)
	}
	return text + "}"
}

func objectOf(key, value string) string { return "{" + quoted(key) + ":" + value + "}" }

func quoted(text string) string { return string(strictjson.AppendString(nil, text)) }

// handlers returns the handlers of each group of an event.
func (d *document) handlers(event *hujson.ObjectMember) (all [][]hujson.Value) {
	list := elements(&event.Value)
	for i := range list {
		if d.flat(keyOf(event)) {
			all = append(all, list[i:i+1])
		} else {
			all = append(all, elements(get(&list[i], "hooks")))
		}
	}
	return all
}

// onlyHead reports whether the file holds only the members that are required beside "hooks".
func (d *document) onlyHead() bool {
	if d.head == "" {
		return false
	}
	want := parsed("{" + d.head + "}")
	return sameObject(&d.tree, want.String())
}

func (d *document) isOurs(command *hujson.Value) bool {
	return isText(command) && ours(text(command), d.binary)
}

// notes returns the reasons why the client would not run the entry, or not for every tool.
func (c *Client) notes(d *document) []string {
	notes := c.switchedOff(d.plain)
	for _, event := range object(get(&d.tree, "hooks")).Members {
		groups := elements(&event.Value)
		for i, handlers := range d.handlers(&event) {
			matcher := get(&groups[i], "matcher")
			ours := func(v hujson.Value) bool { return d.isOurs(commandOf(&v)) }
			if matcher != nil && slices.ContainsFunc(handlers, ours) {
				notes = append(notes,
					fmt.Sprintf("the entry at %s has a matcher, %s, so the client runs hookrun for no other tool",
						keyOf(&event), raw(matcher)))
			}
		}
	}
	return notes
}

// switchedOff describes the settings in a file that switch hooks off.
func (c *Client) switchedOff(doc string) (notes []string) {
	for _, s := range c.Switches(doc) {
		if s.Off {
			notes = append(notes, s.What)
		}
	}
	return notes
}

// Installed reports whether a file has a hookrun entry. binary is as for Uninstall.
func (c *Client) Installed(p dialect.Place, binary string) bool {
	if c.OwnFiles() != nil {
		return c.installedOwn(p)
	}
	f, err := find(p)
	if err != nil || f.info == nil {
		return false
	}
	rest, exists, err := c.uninstall(f.text, binary)
	return err == nil && (!exists || rest != f.text)
}

// DisabledInOtherFiles describes the settings that switch hooks off in the client's other settings files, all but the
// first place. It skips unreadable files.
func (c *Client) DisabledInOtherFiles(places ...dialect.Place) (notes []string) {
	for _, p := range places {
		for _, base := range append(slices.Clip(c.Others), c.Base) {
			path := filepath.Join(filepath.Dir(p.Path), base)
			f, err := find(dialect.Place{Root: filepath.VolumeName(path) + string(filepath.Separator), Path: path})
			if path == places[0].Path || err != nil || f.info == nil {
				continue
			}
			for _, what := range c.switchedOff(c.plain(path, f.text)) {
				notes = append(notes, path+": "+what)
			}
		}
	}
	return notes
}

// plain returns the text of a client's file without comments, or "" for faulty JSON.
func (c *Client) plain(path, text string) string {
	if filepath.Ext(path) != ".json" {
		return text
	}
	d, err := c.parse(text, "")
	if err != nil {
		return ""
	}
	return d.plain
}
