package install

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/strictjson"
)

// install returns the text with one entry at each event, and none at any other.
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
		// Another version's events and copies of the entry go first.
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

// put puts the entry where it is missing, or another than it should be.
func (d *document) put(h *handler, events []string) error {
	s := d.style()
	found := foundEmpty("file", &d.tree)
	hooks := get(&d.tree, "hooks")
	if hooks == nil {
		if d.onlyHead() { // which Uninstall would take for what Install made
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
		case !d.renew(s, event, inLine, h):
			s.add(&event.Value, inLine, lines, h.event(name, found...))
		}
	}
	if len(missing) > 0 {
		s.add(hooks, indent, lines, h.hooks(missing, found...))
	}
	return nil
}

// lineOf returns the indentation of the line with a key of the file, and whether the key begins it.
func (d *document) lineOf(key string) (indent string, first bool) {
	members := object(&d.tree).Members
	i := slices.IndexFunc(members, func(m hujson.ObjectMember) bool { return keyOf(&m) == key })
	return lineIndent(members[i].Name.BeforeExtra)
}

// renew writes the entry of an event anew where it stands, unless it is as it should be. It reports whether there is
// one.
func (d *document) renew(s *style, event *hujson.ObjectMember, indent string, h *handler) bool {
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
			if !same(there, longer.entry(at, found...)) {
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

// same reports whether an object has the members of another that is JSON text, however it is written, and no others.
func same(v *hujson.Value, text string) bool {
	want := parsed(text)
	for _, m := range members(&want) {
		if string(strictjson.Compact(nil, raw(get(v, keyOf(&m))))) != raw(&m.Value) {
			return false
		}
	}
	return len(members(v)) == len(members(&want))
}

// hooks is the object with the hooks, as JSON text. found is what the footnote of each entry says.
func (h *handler) hooks(events []string, found ...string) string {
	var lists []string
	for _, event := range events {
		lists = append(lists, quoted(event)+":"+h.event(event, found...))
	}
	return "{" + strings.Join(lists, ",") + "}"
}

// event is the list of an event: the entry in a group of its own, which has no matcher, for it is for every tool.
func (h *handler) event(name string, found ...string) string {
	if h.flat(name) {
		return "[" + h.entry(name, found...) + "]"
	}
	return `[{"hooks":[` + h.entry(name, found...) + `]}]`
}

func (h *handler) entry(event string, found ...string) string {
	text := `{"type":"command",` + quoted(h.key) + ":" + quoted(h.command(event)+footnote(found))
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

// handlers are those of an event's groups.
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

// onlyHead reports whether the file has nothing but what it must have beside "hooks".
func (d *document) onlyHead() bool {
	if d.head == "" {
		return false
	}
	want := parsed("{" + d.head + "}")
	return same(&d.tree, want.String())
}

func (d *document) isOurs(command *hujson.Value) bool {
	return isText(command) && ours(text(command), d.binary)
}

// notes list what keeps the client from running the entry.
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

// switchedOff says what in a file keeps the client from running hooks.
func (c *Client) switchedOff(doc string) (notes []string) {
	for _, s := range c.Switches(doc) {
		if s.Off {
			notes = append(notes, s.What)
		}
	}
	return notes
}

// Installed reports whether a file has an entry of hookrun's. Binary is as for Uninstall.
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

// SwitchedOffElsewhere lists what keeps the client from running hooks in other files of the settings than that of the
// first place. It skips files that cannot be read.
func (c *Client) SwitchedOffElsewhere(places ...dialect.Place) (notes []string) {
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

// plain is the text of a client's file without comments, "" if it is JSON that cannot be read.
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
