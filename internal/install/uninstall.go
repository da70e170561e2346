package install

import (
	"strings"

	"github.com/tailscale/hujson"
)

// uninstall returns the text without the entry, and whether there is still a file.
func (c *Client) uninstall(text, binary string) (rest string, exists bool, err error) {
	if c.HasExtension(c.Base) {
		return c.uninstallTOML(text, binary)
	}
	d, err := c.parse(text, binary)
	if err != nil {
		return "", false, err
	}
	if exists = d.remove(func(string) bool { return true }); exists {
		rest = d.String()
	}
	return rest, exists, nil
}

// remove removes the entries for which goes is true, and what Install had made for them. goes is called in the order of
// the file. exists reports whether there is still a file.
func (d *document) remove(goes func(event string) bool) (exists bool) {
	top, hooks := object(&d.tree), get(&d.tree, "hooks")
	if object(hooks) == nil {
		return true
	}
	found := map[string]string{} // by the entries that go
	event := func(m *hujson.ObjectMember) (empty bool) {
		groups, name := array(&m.Value), keyOf(m)
		gone := func(handler *hujson.Value) bool {
			command := commandOf(handler)
			if !d.isOurs(command) || !goes(name) {
				return false
			}
			readFootnote(text(command), found)
			return true
		}
		return groups != nil && prune(container{array: groups}, func(i int) bool {
			if d.flat(name) {
				return gone(&groups.Elements[i])
			}
			handlers := array(get(&groups.Elements[i], "hooks"))
			return handlers != nil && prune(container{array: handlers}, func(i int) bool {
				return gone(&handlers.Elements[i])
			})
		}) && !restore(&m.Value, found[name])
	}
	if !prune(container{object: object(hooks)}, func(i int) bool { return event(&object(hooks).Members[i]) }) {
		return true
	}
	if restore(hooks, found["hooks"]) {
		return true
	}
	for i := range top.Members {
		if keyOf(&top.Members[i]) == "hooks" {
			container{object: top}.remove(i)
			break
		}
	}
	if len(top.Members) > 0 && !d.onlyHead() || restore(&d.tree, found["file"]) {
		return true
	}
	// Nothing says that there was a file. One that was laid out in another way than ours has been in other hands.
	return d.marked || !strings.HasPrefix(d.text, "{\n") || !strings.HasSuffix(d.text, "\n}\n") ||
		!top.AfterExtra.IsStandard()
}

// prune removes members of a container, and reports whether that has emptied it.
func prune(c container, goes func(i int) bool) (emptied bool) {
	for i := 0; i < c.len(); {
		if goes(i) {
			c.remove(i)
			emptied = true
		} else {
			i++
		}
	}
	return emptied && c.len() == 0
}

// restore makes of an emptied container what Install found in its place, and reports whether that was anything. A
// comment in it is a person's, so it stays.
func restore(v *hujson.Value, found string) bool {
	after := containerOf(v).after()
	switch {
	case !after.IsStandard():
	case found == "":
		return false
	case found == "null":
		v.Value = hujson.Literal(found)
	default:
		*after = hujson.Extra(found[1 : len(found)-1])
	}
	return true
}
