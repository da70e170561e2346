package clientfile

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"

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
	members := object(&d.tree).Members
	if len(members) == 0 {
		return s
	}
	first := members[0]
	if first.Name.AfterExtra == nil && first.Value.BeforeExtra == nil {
		s.colon, s.comma = ":", ","
	}
	s.unit, s.lines = lineIndent(first.Name.BeforeExtra)
	if !s.lines {
		s.unit = ownStyle.unit
	}
	return s
}

// lineIndent returns the indentation of what stands behind an extra, and whether that begins a line.
func lineIndent(before hujson.Extra) (indent string, lines bool) {
	at := bytes.LastIndexByte(before, '\n')
	if at < 0 {
		return "", false
	}
	line := string(before[at+1:])
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))], true
}

// node is a JSON value that is to be written, and its key if it is a member of an object.
type node struct {
	key      string
	literal  string // of a string or a number
	brackets string // of all others
	inside   []*node
}

// value is the node without its key.
func (n *node) value() *node {
	v := *n
	v.key = ""
	return &v
}

// hooks is the object with the hooks. found is the footnote of each entry.
func (h *handler) hooks(events []string, found ...string) *node {
	n := &node{key: "hooks", brackets: "{}"}
	for _, event := range events {
		n.inside = append(n.inside, h.event(event, found...))
	}
	return n
}

// event is the list of an event.
func (h *handler) event(name string, found ...string) *node {
	return &node{key: name, brackets: "[]", inside: []*node{h.group(found...)}}
}

// group is the entry in a group of its own, which has no matcher: it is for every tool.
func (h *handler) group(found ...string) *node {
	return &node{brackets: "{}", inside: []*node{{key: "hooks", brackets: "[]", inside: []*node{h.entry(found...)}}}}
}

func (h *handler) entry(found ...string) *node {
	text := func(key, value string) *node {
		return &node{key: key, literal: string(strictjson.AppendString(nil, value))}
	}
	n := &node{brackets: "{}", inside: []*node{text("type", "command"), text("command", h.command+footnote(found))}}
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
	open, end, between, inside := "", "", s.comma, indent+s.unit
	if lines {
		open, end, between = s.newline+inside, s.newline+indent, ","+s.newline+inside
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

// add puts nodes behind the last member of a container, and behind the comments there. indent is that of the line in which
// the container begins. An empty one is written in lines if it says so.
func (s *style) add(v *hujson.Value, indent string, lines bool, nodes ...*node) {
	c := containerOf(v)
	empty, inside := c.len() == 0, indent+s.unit
	if !empty {
		var in string
		if in, lines = lineIndent(*c.before(0)); lines {
			inside = in
		}
	}
	end, endsLine := lastComment(*c.after())
	comments, rest := (*c.after())[:end:end], (*c.after())[end:]
	lines = lines || endsLine
	lead, between := "", s.comma
	switch {
	case lines:
		lead, between = s.newline+inside, ","+s.newline+inside
	case !empty || end > 0:
		lead = strings.TrimPrefix(s.comma, ",")
	}
	if empty && end == 0 { // the footnote of the entry says what was there
		if rest = nil; lines {
			rest = hujson.Extra(s.newline + indent)
		}
	}
	brackets := "[]"
	if c.object != nil {
		brackets = "{}"
	}
	more := parsed(brackets[:1] + s.writeAll(nodes, between, inside, lines) + brackets[1:])
	first := c.len()
	c.append(containerOf(&more))
	*c.before(first) = join(comments, hujson.Extra(lead))
	*c.after() = rest
}

// parsed is the tree of a text that write has made.
func parsed(text string) hujson.Value {
	v, err := hujson.Parse([]byte(text))
	if err != nil {
		panic(err) // it is JSON
	}
	return v
}
