package clientfile

import (
	"strconv"
	"strings"

	"github.com/hookrun/hookrun/internal/strictjson"
)

// style is how a file is written.
type style struct {
	lines        bool // it has more than one; else all is put into one
	newline      string
	unit         string // one step of indentation
	colon, comma string // the comma is one between things in a line
}

var ownStyle = &style{lines: true, newline: "\n", unit: "  ", colon: ": ", comma: ", "}

// style looks at the first member for all of it but the ends of lines.
func (d *document) style() *style {
	own := *ownStyle
	s := &own
	if at := strings.IndexByte(d.text, '\n'); at > 0 && d.text[at-1] == '\r' {
		s.newline = "\r\n"
	}
	top := d.top()
	members := d.members(top)
	if len(members) == 0 {
		return s
	}
	first := members[0]
	if d.plain[first.start:first.value.start] == d.plain[first.start:first.start+stringLength(d.plain[first.start:])]+":" {
		s.colon, s.comma = ":", ","
	}
	s.unit, s.lines = d.lineIndent(first.start)
	if !s.lines {
		s.unit = ownStyle.unit
	}
	return s
}

// lineIndent returns the indentation of the line of an offset, and whether nothing but comments is between the two.
func (d *document) lineIndent(at int) (indent string, first bool) {
	start := strings.LastIndexByte(d.plain[:at], '\n') + 1
	line := d.text[start:]
	indent = line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	return indent, start > 0 && strings.TrimLeft(d.plain[start:at], " \t") == ""
}

// node is a JSON value that is to be written, and its key if it is a member of an object.
type node struct {
	key      string
	literal  string // of a string or a number
	brackets string // of all others
	lead     string // comes behind the bracket, unless a new line says the same
	inside   []*node
}

// The first byte behind the bracket of an object or a list that is empty but for us says what was there before Install: a new line or
// a blank if nothing was, a tab if it was null, and none of them if it was empty. It is how Uninstall knows what to leave.
const (
	wasMissing = " "
	wasNull    = "\t"
)

// hooks is the object with the hooks.
func (h *handler) hooks(events []string, lead string) *node {
	n := &node{key: "hooks", brackets: "{}", lead: lead}
	for _, event := range events {
		n.inside = append(n.inside, h.event(event, wasMissing))
	}
	return n
}

// event is the list of an event.
func (h *handler) event(name, lead string) *node {
	return &node{key: name, brackets: "[]", lead: lead, inside: []*node{h.group()}}
}

// group is the entry in a group of its own, which has no matcher: it is for every tool.
func (h *handler) group() *node {
	return &node{brackets: "{}", inside: []*node{{key: "hooks", brackets: "[]", inside: []*node{h.entry()}}}}
}

func (h *handler) entry() *node {
	text := func(key, value string) *node {
		return &node{key: key, literal: string(strictjson.AppendString(nil, value))}
	}
	n := &node{brackets: "{}", inside: []*node{text("type", "command"), text("command", h.command)}}
	if h.name != "" {
		n.inside = append(n.inside, text("name", h.name))
	}
	if h.timeout > 0 {
		n.inside = append(n.inside, &node{key: "timeout", literal: strconv.FormatInt(h.timeout, 10)})
	}
	return n
}

// write returns the text of a node, in a line that has this indentation.
func (s *style) write(n *node, indent string, lines bool) string {
	key := ""
	if n.key != "" {
		key = string(strictjson.AppendString(nil, n.key)) + s.colon
	}
	if n.brackets == "" {
		return key + n.literal
	}
	open, end, between, inside := n.lead, "", s.comma, indent+s.unit
	if lines {
		end, between = s.newline+indent, ","+s.newline+inside
		if n.lead != wasNull {
			open = s.newline + inside
		}
	}
	return key + n.brackets[:1] + open + s.writeAll(n.inside, between, inside, lines) + end + n.brackets[1:]
}

func (s *style) writeAll(nodes []*node, between, indent string, lines bool) string {
	var parts []string
	for _, n := range nodes {
		parts = append(parts, s.write(n, indent, lines))
	}
	return strings.Join(parts, between)
}

// add puts nodes behind the last member of a container, and behind the comments there. An empty one is written in lines if it says so.
func (d *document) add(s *style, v value, lines bool, nodes ...*node) []edit {
	members := d.members(v)
	indent, _ := d.lineIndent(v.start)
	indent += s.unit
	last := v.start + 1
	if len(members) > 0 {
		last = members[len(members)-1].end
		var inside string
		if inside, lines = d.lineIndent(members[0].start); lines {
			indent = inside
		}
	}
	at, inLine := d.lastComment(last, v.end)
	lines = lines || inLine
	lead, between := "", s.comma
	if lines {
		between = "," + s.newline + indent
	}
	switch {
	case lines && (at > last || len(members) > 0):
		lead = s.newline + indent
	case len(members) > 0:
		lead = strings.TrimPrefix(s.comma, ",")
	}
	edits := []edit{{span{at, at}, lead + s.writeAll(nodes, between, indent, lines)}}
	if len(members) > 0 {
		edits = append([]edit{{span{last, last}, ","}}, edits...)
	}
	return edits
}
