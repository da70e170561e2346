package install

import (
	"strings"

	"github.com/tailscale/hujson"
)

// uninstall returns the text without the entry, and whether a file remains.
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

// remove deletes the entries for which matches returns true, and the containers that Install created for them. It calls
// matches in the order of the file. exists reports whether a file remains.
func (d *document) remove(matches func(event string) bool) (exists bool) {
	top, hooks := object(&d.tree), get(&d.tree, "hooks")
	if object(hooks) == nil {
		return true
	}
	found := map[string]string{} // old values from the footnotes of deleted entries, by key
	event := func(m *hujson.ObjectMember) (empty bool) {
		groups, name := array(&m.Value), keyOf(m)
		gone := func(handler *hujson.Value) bool {
			command := commandOf(handler)
			if !d.isOurs(command) || !matches(name) {
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
	// No footnote says that the file existed, but a layout other than ours means that a user has edited the file.
	return d.marked || !strings.HasPrefix(d.text, "{\n") || !strings.HasSuffix(d.text, "\n}\n") ||
		!top.AfterExtra.IsStandard()
}

// prune removes members of a container, and reports whether the container is empty now.
func prune(c container, matches func(i int) bool) (emptied bool) {
	for i := 0; i < c.len(); {
		if matches(i) {
			c.remove(i)
			emptied = true
		} else {
			i++
		}
	}
	return emptied && c.len() == 0
}

// restore gives an emptied container the text that Install found, and reports whether the container stays. A comment in
// a container is a person's, so the container stays.
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
