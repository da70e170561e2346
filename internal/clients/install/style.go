package install

import (
	"bytes"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// style is the layout of a file.
type style struct {
	lines        bool // the file has several lines; if not, additions stay in one line
	newline      string
	unit         string // one step of indentation
	colon, comma string // comma: between members in one line
}

var ownStyle = &style{lines: true, newline: "\n", unit: "  ", colon: ": ", comma: ", "}

// style reads the line ending from the first line, and the rest of the layout from the first member.
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

// lineIndent returns the indentation of the text after an extra, and whether the text begins a line.
func lineIndent(before hujson.Extra) (indent string, lines bool) {
	at := bytes.LastIndexByte(before, '\n')
	if at < 0 {
		return "", false
	}
	line := string(before[at+1:])
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))], true
}

// layout lays out a value in a line with this indentation: in several lines, or in this one.
func (s *style) layout(v *hujson.Value, indent string, lines bool) {
	c := containerOf(v)
	if c == (container{}) {
		return
	}
	*c.after() = nil
	if lines {
		*c.after() = hujson.Extra(s.newline + indent)
	}
	s.layoutInside(c, indent+s.unit, lines)
}

// layoutInside lays out the members of a container.
func (s *style) layoutInside(c container, indent string, lines bool) {
	for i := range c.len() {
		before, v := c.at(i)
		switch {
		case lines:
			*before = hujson.Extra(s.newline + indent)
		case i > 0:
			*before = hujson.Extra(s.comma[1:])
		default:
			*before = nil
		}
		if c.object != nil {
			v.BeforeExtra = hujson.Extra(s.colon[1:])
		}
		s.layout(v, indent, lines)
	}
}

// set replaces a value by a JSON text.
func (s *style) set(v *hujson.Value, text, indent string, lines bool) {
	made := parsed(text)
	s.layout(&made, indent, lines)
	v.Value = made.Value
}

// add appends the members of the container in text to v, after the comments there. indent is the indentation of the
// line in which v begins. lines: an empty v gets several lines.
func (s *style) add(v *hujson.Value, indent string, lines bool, text string) {
	c, added := containerOf(v), parsed(text)
	more := containerOf(&added)
	empty, inside := c.len() == 0, indent+s.unit
	if !empty {
		before, _ := c.at(0)
		var in string
		if in, lines = lineIndent(*before); lines {
			inside = in
		}
	}
	end, endsLine := lastComment(*c.after())
	comments, rest := (*c.after())[:end:end], (*c.after())[end:]
	lines = lines || endsLine
	s.layoutInside(more, inside, lines)
	before, _ := more.at(0)
	if !lines && (!empty || end > 0) {
		*before = hujson.Extra(s.comma[1:])
	}
	if empty && end == 0 { // the footnote of the entry records the old text
		if rest = nil; lines {
			rest = hujson.Extra(s.newline + indent)
		}
	}
	*before = slices.Concat(comments, *before)
	c.append(more)
	*c.after() = rest
}

// parsed returns the tree of a text written by hookrun.
func parsed(text string) hujson.Value {
	v, err := hujson.Parse([]byte(text))
	if err != nil {
		panic(err) // cannot happen: the text is JSON
	}
	return v
}
