package install

import (
	"bytes"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

// maxDepth is the maximum nesting of a file, the same as for a hooks file.
const maxDepth = 64

// byteOrderMark is the byte order mark of UTF-8.
const byteOrderMark = "\ufeff"

// document is a file without faults, as a tree that keeps every byte of the text.
type document struct {
	tree   hujson.Value
	text   string // without the byte order mark; the tree has offsets of this text
	plain  string // text without comments
	marked bool   // the file begins with a byte order mark
	binary string // a path that counts as hookrun under any name
	head   string // members that the file must have beside its hooks

	flat func(event string) bool // the event has a list of handlers, without groups
}

// parse returns the document, or all faults of the file.
func (c *Client) parse(text, binary string) (*document, error) {
	d := &document{text: text, binary: binary, head: c.Head(), flat: c.Flat}
	if at := strictjson.InvalidUTF8(text); at >= 0 {
		return nil, d.faults(strictjson.Fault{Offset: at, Text: "not UTF-8; save the file as UTF-8"})
	}
	if rest, marked := strings.CutPrefix(text, byteOrderMark); marked {
		if c.JSON == client.WithoutMark {
			return nil, d.faults(strictjson.Fault{
				Text: "a byte order mark, with which " + c.Name + " drops the whole file; save it without"})
		}
		d.text, d.marked = rest, true
	}
	d.plain = d.text
	if c.JSON == client.WithComments {
		var open int
		if d.plain, open = strictjson.BlankComments(d.text); open >= 0 {
			return nil, d.faults(strictjson.Fault{Offset: open, Text: "this comment is never closed"})
		}
	}
	// strictjson reports all faults at once, and refuses duplicate keys and trailing commas, which hujson accepts.
	if faults := strictjson.Check(d.plain, maxDepth); len(faults) > 0 {
		return nil, d.faults(faults...)
	}
	var err error
	if d.tree, err = hujson.Parse([]byte(d.text + "\n")); err != nil { // a last comment needs a newline
		return nil, err
	}
	d.tree.AfterExtra = bytes.TrimSuffix(d.tree.AfterExtra, []byte("\n"))
	if object(&d.tree) == nil {
		return nil, d.fault(&d.tree, "the file must be an object; write {}")
	}
	return d, nil
}

// String returns the text of the file.
func (d *document) String() string {
	if d.marked {
		return byteOrderMark + d.tree.String()
	}
	return d.tree.String()
}

func (d *document) faults(faults ...strictjson.Fault) hook.Diagnostics {
	locator := strictjson.Locator{Doc: d.text}
	var list hook.Diagnostics
	for _, f := range faults {
		line, column := locator.Position(f.Offset)
		list = append(list, hook.Diagnostic{Line: line, Column: column, Text: f.Text})
	}
	return list
}

func (d *document) fault(at *hujson.Value, text string) hook.Diagnostics {
	return d.faults(strictjson.Fault{Offset: at.StartOffset, Text: text})
}

// as returns v as an object or an array, or nil if v is of another kind.
func as[T *hujson.Object | *hujson.Array](v *hujson.Value) (t T) {
	if v != nil {
		t, _ = v.Value.(T)
	}
	return t
}

func object(v *hujson.Value) *hujson.Object { return as[*hujson.Object](v) }

func array(v *hujson.Value) *hujson.Array { return as[*hujson.Array](v) }

// get returns the value of a key, or nil if v is not an object with this key.
func get(v *hujson.Value, key string) *hujson.Value {
	all := members(v)
	for i := range all {
		if keyOf(&all[i]) == key {
			return &all[i].Value
		}
	}
	return nil
}

func keyOf(m *hujson.ObjectMember) string { return text(&m.Name) }

// members returns the members of an object, or nil for another value.
func members(v *hujson.Value) []hujson.ObjectMember {
	if o := object(v); o != nil {
		return o.Members
	}
	return nil
}

// elements returns the elements of an array, or nil for another value.
func elements(v *hujson.Value) []hujson.Value {
	if a := array(v); a != nil {
		return a.Elements
	}
	return nil
}

// text returns the content of a string, or "" for another value.
func text(v *hujson.Value) string {
	if raw := raw(v); strings.HasPrefix(raw, `"`) {
		return strictjson.Text(raw)
	}
	return ""
}

func isText(v *hujson.Value) bool { return v != nil && v.Value.Kind() == '"' }

// raw returns the JSON text of a value without the white space around it, or "" for nil.
func raw(v *hujson.Value) string {
	if v == nil {
		return ""
	}
	return hujson.Value{Value: v.Value}.String()
}

// container is an object or an array. Their members are edited in the same way.
type container struct {
	object *hujson.Object
	array  *hujson.Array
}

func containerOf(v *hujson.Value) container { return container{object(v), array(v)} }

func (c container) len() int {
	if c.object != nil {
		return len(c.object.Members)
	}
	return len(c.array.Elements)
}

// at returns member i, and the extra between the comma or bracket and the member.
func (c container) at(i int) (before *hujson.Extra, v *hujson.Value) {
	if c.object != nil {
		m := &c.object.Members[i]
		return &m.Name.BeforeExtra, &m.Value
	}
	e := &c.array.Elements[i]
	return &e.BeforeExtra, e
}

// after returns the extra between the last member and the closing bracket.
func (c container) after() *hujson.Extra {
	if c.object != nil {
		return &c.object.AfterExtra
	}
	return &c.array.AfterExtra
}

func (c container) append(from container) {
	if c.object != nil {
		c.object.Members = append(c.object.Members, from.object.Members...)
	} else {
		c.array.Elements = append(c.array.Elements, from.array.Elements...)
	}
}

// remove deletes member i. Comments before the member stay.
func (c container) remove(i int) {
	before, _ := c.at(i)
	gone := *before
	if c.object != nil {
		c.object.Members = slices.Delete(c.object.Members, i, i+1)
	} else {
		c.array.Elements = slices.Delete(c.array.Elements, i, i+1)
	}
	if i < c.len() {
		if next, _ := c.at(i); i > 0 || !next.IsStandard() {
			*next = slices.Concat(keptOf(gone, *next), *next)
		} else {
			*next = gone // the layout after the bracket stays
		}
		return
	}
	after := c.after()
	*after = slices.Concat(keptOf(gone, *after), *after)
	if i > 0 { // hujson writes a comma between a last member and its AfterExtra, which JSON forbids
		_, last := c.at(i - 1)
		*after, last.AfterExtra = slices.Concat(last.AfterExtra, *after), nil
	}
}

// keptOf returns the part of a deleted member's extra that stays: the comments, and the newline that a last line
// comment needs before the following text.
func keptOf(gone, follows hujson.Extra) hujson.Extra {
	end, line := lastComment(gone)
	if line && !bytes.HasPrefix(bytes.TrimPrefix(follows, []byte("\r")), []byte("\n")) {
		end += bytes.IndexByte(gone[end:], '\n') + 1
	}
	return gone[:end]
}

// lastComment returns the end of the last comment, and whether the comment goes to the end of its line. end is 0 if the
// extra has no comment.
func lastComment(extra hujson.Extra) (end int, line bool) {
	all := strictjson.CommentOrString.Get().FindAllIndex(extra, -1)
	if all == nil {
		return 0, false
	}
	last := extra[:all[len(all)-1][1]]
	return len(bytes.TrimSuffix(last, []byte("\r"))), last[all[len(all)-1][0]+1] == '/'
}
