package clientfile

import (
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/projecthooks"
	"github.com/tidwall/gjson"
)

// maxDepth is how deep a file may be nested: as deep as a hooks file.
const maxDepth = 64

// mark is the byte order mark of UTF-8.
const mark = "\ufeff"

// document is a file without faults, and where things are in it.
type document struct {
	text     string // as it is, without the byte order mark
	plain    string // the same with blanks for comments, so that an offset is good for both
	comments []span
	marked   bool   // a byte order mark comes before it
	binary   string // the path of hookrun, by which its entries are known beside their name
}

type span struct{ start, end int }

// value is where a JSON value stands.
type value struct{ span }

// member is an element of an array, or a key and its value.
type member struct {
	span  // from the key on
	key   string
	value value
}

// parse finds every fault of a file, or none.
func (c *Client) parse(text, binary string) (*document, error) {
	d := &document{text: text, plain: text, binary: binary}
	if at := strictjson.InvalidUTF8(text); at >= 0 {
		return nil, d.faults(strictjson.Fault{Offset: at, Text: "not UTF-8; save the file as UTF-8"})
	}
	if rest, marked := strings.CutPrefix(text, mark); marked {
		if c.noMark {
			return nil, d.faults(strictjson.Fault{Text: "a byte order mark, with which " + c.Name + " drops the whole file; save it without"})
		}
		d.text, d.plain, d.marked = rest, rest, true
	}
	if c.comments {
		if open := d.blankComments(); open >= 0 {
			return nil, d.faults(strictjson.Fault{Offset: open, Text: "this comment is never closed"})
		}
	}
	if faults := strictjson.Check(d.plain, maxDepth); len(faults) > 0 {
		return nil, d.faults(faults...)
	}
	if top := d.top(); d.plain[top.start] != '{' {
		return nil, d.fault(top.start, "the file must be an object; write {}")
	}
	return d, nil
}

func (d *document) faults(faults ...strictjson.Fault) projecthooks.Problems {
	places := strictjson.Locator{Doc: d.text}
	var list projecthooks.Problems
	for _, f := range faults {
		line, column := places.Position(f.Offset)
		list = append(list, projecthooks.Problem{Line: line, Column: column, Text: f.Text})
	}
	return list
}

func (d *document) fault(at int, text string) projecthooks.Problems {
	return d.faults(strictjson.Fault{Offset: at, Text: text})
}

// blankComments returns the place of a comment that is never closed, or -1. A line comment ends before its \n or \r\n.
func (d *document) blankComments() (open int) {
	plain := []byte(d.text)
	for i := 0; i < len(d.text); {
		end := i + 1
		switch rest := d.text[i:]; {
		case rest[0] == '"':
			end = i + stringLength(rest)
		case strings.HasPrefix(rest, "//"):
			line, _, _ := strings.Cut(rest, "\n")
			end = i + len(strings.TrimSuffix(line, "\r"))
			d.comments = append(d.comments, span{i, end})
		case strings.HasPrefix(rest, "/*"):
			n := strings.Index(rest[2:], "*/")
			if n < 0 {
				return i
			}
			end = i + 2 + n + 2
			d.comments = append(d.comments, span{i, end})
		}
		i = end
	}
	for _, c := range d.comments {
		for i := c.start; i < c.end; i++ {
			if plain[i] != '\n' { // the lines stay as they are
				plain[i] = ' '
			}
		}
	}
	d.plain = string(plain)
	return -1
}

// stringLength is how far the string goes that s begins with; one that is not closed goes to the end.
func stringLength(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}

func (d *document) skipSpace(at int) int {
	for strings.IndexByte(" \t\r\n", d.plain[at]) >= 0 {
		at++
	}
	return at
}

// top is the value that the file is.
func (d *document) top() value {
	return value{span{d.skipSpace(0), len(strings.TrimRight(d.plain, " \t\r\n"))}}
}

// kind is the first byte of a value, 0 if there is none.
func (d *document) kind(v value) byte {
	if v.end == 0 {
		return 0
	}
	return d.plain[v.start]
}

func (d *document) isNull(v value) bool { return d.kind(v) == 'n' }

// members are those of an object or an array. Other values have none.
func (d *document) members(v value) (list []member) {
	kind := d.kind(v)
	if kind != '{' && kind != '[' {
		return nil
	}
	gjson.Parse(d.raw(v)).ForEach(func(key, element gjson.Result) bool {
		at := v.start + element.Index
		m := member{value: value{span{at, at + len(element.Raw)}}}
		if m.span = m.value.span; kind == '{' {
			m.start, m.key = v.start+key.Index, strictjson.Text(key.Raw)
		}
		list = append(list, m)
		return true
	})
	return list
}

// get returns the member of a key.
func (d *document) get(object value, key string) (member, bool) {
	if d.kind(object) == '{' {
		for _, m := range d.members(object) {
			if m.key == key {
				return m, true
			}
		}
	}
	return member{}, false
}

// hasOwnComments reports whether a container has a comment that is not inside one of its members.
func (d *document) hasOwnComments(v value, members []member) bool {
	for _, c := range d.comments {
		inside := v.start < c.start && c.end < v.end
		for _, m := range members {
			inside = inside && !(m.start < c.start && c.end <= m.end)
		}
		if inside {
			return true
		}
	}
	return false
}

// spaceBefore returns where the white space begins that ends at an offset: behind a comment, a comma or a bracket.
func (d *document) spaceBefore(at int) int {
	start := len(strings.TrimRight(d.plain[:at], " \t\r\n"))
	for _, c := range d.comments {
		if c.end <= at {
			start = max(start, c.end)
		}
	}
	return start
}

// endsLineComment reports whether a comment ends at an offset that goes to the end of its line.
func (d *document) endsLineComment(at int) bool {
	return slices.ContainsFunc(d.comments, func(c span) bool { return c.end == at && strings.HasPrefix(d.text[c.start:], "//") })
}

// lastComment returns the end of the last comment between two offsets, and whether it is a line's; or start.
func (d *document) lastComment(start, end int) (at int, line bool) {
	at = start
	for _, c := range d.comments {
		if start <= c.start && c.end <= end {
			at, line = c.end, strings.HasPrefix(d.text[c.start:], "//")
		}
	}
	return at, line
}

// edit replaces a part of a text.
type edit struct {
	span
	text string
}

// apply makes edits, which are in order and do not overlap.
func (d *document) apply(edits []edit) string {
	var b strings.Builder
	if d.marked {
		b.WriteString(mark)
	}
	at := 0
	for _, e := range edits {
		b.WriteString(d.text[at:e.start])
		b.WriteString(e.text)
		at = e.end
	}
	b.WriteString(d.text[at:])
	return b.String()
}
