package clientfile

import (
	"slices"
	"strings"
)

// uninstall returns the text without the entry, and whether there is still a file.
func (c *Client) uninstall(text, binary string) (rest string, exists bool, err error) {
	return c.remove(text, binary, func(string) bool { return true })
}

// remove takes out the entries that goes says of, which is asked in the order of the file.
func (c *Client) remove(text, binary string, goes func(event string) bool) (rest string, exists bool, err error) {
	d, err := c.parse(text, binary)
	if err != nil {
		return "", false, err
	}
	var edits []edit
	top := d.top()
	all := d.prune(&edits, top, func(m member, edits *[]edit) bool {
		return m.key == "hooks" && d.kind(m.value) == '{' && d.emptied(edits, m.value, func(event member, edits *[]edit) bool {
			return d.kind(event.value) == '[' && d.emptied(edits, event.value, func(group member, edits *[]edit) bool {
				list, found := d.handlerList(group.value)
				return found && d.prune(edits, list, func(handler member, _ *[]edit) bool {
					return d.isOurs(handler.value) && goes(event.key)
				})
			})
		})
	})
	if all && text == d.text && d.plain[1] == '\n' && strings.HasSuffix(d.plain, "\n}\n") && !d.hasOwnComments(top, d.members(top)) {
		return "", false, nil
	}
	return d.apply(edits), true, nil
}

// emptied prunes a container, and reports whether Install had made it for what went.
func (d *document) emptied(edits *[]edit, v value, goes func(member, *[]edit) bool) bool {
	var inside []edit
	if !d.prune(&inside, v, goes) || d.hasOwnComments(v, d.members(v)) {
		*edits = append(*edits, inside...)
		return false
	}
	switch string(d.plain[v.start+1]) {
	case wasMissing, "\n", "\r":
		return true
	case wasNull:
		inside = []edit{{v.span, "null"}}
	}
	*edits = append(*edits, inside...)
	return false
}

// prune removes members of a container, and reports whether all went. What is to be done inside of one that stays, goes adds to edits.
func (d *document) prune(edits *[]edit, v value, goes func(m member, edits *[]edit) bool) bool {
	members := d.members(v)
	gone := make([]bool, len(members))
	inside := make([][]edit, len(members))
	for i, m := range members {
		gone[i] = goes(m, &inside[i])
	}
	comma := func(m member) int { return d.skipSpace(m.end) }
	last := len(members) - 1
	for i := 0; i <= last; i++ {
		if !gone[i] {
			*edits = append(*edits, inside[i]...)
			continue
		}
		first := i
		for i < last && gone[i+1] {
			i++
		}
		start, end := d.spaceBefore(members[first].start), members[i].end
		switch {
		case i < last && first == 0: // what comes behind the bracket says who made the container
			start, end = members[0].start, d.spaceBefore(members[i+1].start)
			if end == comma(members[i])+1 {
				end = members[i+1].start
			}
		case i < last:
			end = comma(members[i]) + 1
		case first > 0: // JSON has no comma before a bracket
			at := comma(members[first-1])
			*edits = append(*edits, edit{span: span{at, at + 1}})
		}
		if d.endsLineComment(start) && !strings.HasPrefix(d.plain[end:], "\n") && !strings.HasPrefix(d.plain[end:], "\r\n") {
			start = members[first].start // or the comment would go on
		}
		*edits = append(*edits, edit{span: span{start, end}})
	}
	return len(members) > 0 && !slices.Contains(gone, false)
}
