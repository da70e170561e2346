// Package toml reads one TOML 1.0 document, or says where and why it does not.
//
//	top, err := toml.Parse(doc)
//	if fault, ok := err.(toml.Fault); ok {
//		fmt.Println(fault.Offset, fault.Text)
//	}
//	hooks := top.Get("hooks")
//
// It exists since the libraries that read TOML cost every start of a program, also of one that reads none.
//
// Guarantees: a document is accepted or refused as the specification says; time and memory are linear in it. Arrays and inline tables
// may be nested 64 deep, and a key may have 64 parts. Nothing is computed when the program starts.
//
// No guarantees: integers are those of 64 bits. Dates, times, inf and nan are recognized and kept as texts. UTF-8 is not looked at,
// and neither is a byte order mark taken away.
package toml

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/strictjson"
)

// Fault is why a document is refused. An offset counts bytes.
type Fault struct {
	Offset int
	Text   string
}

func (f Fault) Error() string { return f.Text }

// Kind is the type of a value.
type Kind int

const (
	String Kind = iota
	Number
	Bool
	Array
	Table
	Other // a date, a time, inf or nan
)

// Value is a value of a document, and its place.
type Value struct {
	Kind    Kind
	Offset  int
	Text    string // of a string; of a number or a bool as JSON has it; of an Other as it stands
	Items   []*Value
	Members []Member // in the order of the document

	index   map[string]*Value // of the members
	state   state
	section int // that wrote a dotted table
}

// Member is a key of a table, its place, and its value.
type Member struct {
	Key    string
	Offset int
	Value  *Value
}

// state says who may still add to a table, or an array.
type state int

const (
	closed   state = iota // written in one piece
	implicit              // named by the header of a table inside it
	headed                // by a header of its own
	dotted                // by the dotted keys of one section, which may add more
	tables                // an array by headers
)

// Get returns the value of a key, nil if it is not there.
func (v *Value) Get(key string) *Value { return v.index[key] }

func (v *Value) add(key string, offset int, value *Value) {
	if v.index == nil {
		v.index = map[string]*Value{}
	}
	v.index[key] = value
	v.Members = append(v.Members, Member{key, offset, value})
}

// maxDepth bounds what is inside each other.
const maxDepth = 64

// parser stands at a place of the document. Where it cannot go on it panics with a Fault, which Parse returns.
type parser struct {
	doc     string
	at      int
	depth   int
	section int // headers and inline tables so far
}

// Parse reads a document. An error is a Fault.
func Parse(doc string) (top *Value, err error) {
	p := parser{doc: doc}
	defer func() {
		if r := recover(); r != nil {
			fault, ok := r.(Fault)
			if !ok {
				panic(r)
			}
			top, err = nil, fault
		}
	}()
	top = &Value{Kind: Table, state: headed}
	for table := top; ; {
		p.blank()
		switch {
		case p.at == len(doc):
			return top, nil
		case doc[p.at] == '[':
			table = p.header(top)
		default:
			p.pair(table)
		}
		p.endOfLine()
	}
}

func (p *parser) fail(at int, format string, args ...any) {
	panic(Fault{at, fmt.Sprintf(format, args...)})
}

// has reports whether the text at hand begins with s.
func (p *parser) has(s string) bool { return strings.HasPrefix(p.doc[p.at:], s) }

// found names what stands at hand, for a message.
func (p *parser) found() string {
	switch {
	case p.at >= len(p.doc):
		return "the end of the file"
	case p.newline() > 0:
		return "the end of the line"
	}
	for _, r := range p.doc[p.at:] {
		return fmt.Sprintf("%q", r)
	}
	return ""
}

// newline is how long the end of a line at hand is, 0 if there is none.
func (p *parser) newline() int {
	switch {
	case p.has("\n"):
		return 1
	case p.has("\r\n"):
		return 2
	}
	return 0
}

// space skips blanks and tabs.
func (p *parser) space() {
	for p.at < len(p.doc) && (p.doc[p.at] == ' ' || p.doc[p.at] == '\t') {
		p.at++
	}
}

// comment skips what a # begins, to the end of the line.
func (p *parser) comment() {
	if !p.has("#") {
		return
	}
	for p.at < len(p.doc) && p.newline() == 0 {
		if isControl(p.doc[p.at]) {
			p.fail(p.at, "a comment has the control character %q", p.doc[p.at])
		}
		p.at++
	}
}

func isControl(c byte) bool { return c < ' ' && c != '\t' || c == 0x7f }

// blank skips blanks, comments and ends of lines.
func (p *parser) blank() {
	for {
		p.space()
		p.comment()
		n := p.newline()
		if n == 0 {
			return
		}
		p.at += n
	}
}

func (p *parser) endOfLine() {
	p.space()
	p.comment()
	if p.at < len(p.doc) && p.newline() == 0 {
		p.fail(p.at, "expected the end of the line, not %s", p.found())
	}
}

// part is one of a dotted key.
type part struct {
	name   string
	offset int
}

// key reads a key, dotted or not.
func (p *parser) key() (parts []part) {
	for {
		p.space()
		start := p.at
		switch {
		case p.has(`"""`), p.has("'''"):
			p.fail(p.at, "a key must stand on one line")
		case p.has(`"`), p.has("'"):
			parts = append(parts, part{p.text(), start})
		default:
			for p.at < len(p.doc) && isBare(p.doc[p.at]) {
				p.at++
			}
			if p.at == start {
				p.fail(p.at, "expected a key, not %s", p.found())
			}
			parts = append(parts, part{p.doc[start:p.at], start})
		}
		if len(parts) > maxDepth {
			p.fail(start, "a key of more than %d parts", maxDepth)
		}
		p.space()
		if !p.has(".") {
			return parts
		}
		p.at++
	}
}

func isBare(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-'
}

// header reads [a.b] or [[a.b]], and returns the table that the lines below it are for.
func (p *parser) header(top *Value) *Value {
	start, end := p.at, "]"
	p.at++
	if p.has("[") {
		p.at++
		end = "]]"
	}
	parts := p.key()
	if !p.has(end) {
		p.fail(p.at, "expected %s, not %s", end, p.found())
	}
	p.at += len(end)
	p.section++
	table := top
	last := len(parts) - 1
	for _, k := range parts[:last] {
		next := table.Get(k.name)
		switch {
		case next == nil:
			next = &Value{Kind: Table, Offset: k.offset, state: implicit}
			table.add(k.name, k.offset, next)
		case next.state == tables:
			next = next.Items[len(next.Items)-1]
		case next.Kind != Table:
			p.fail(k.offset, "%s is no table", k.name)
		case next.state == closed:
			p.fail(k.offset, "%s was written in one piece, and nothing can be added to it", k.name)
		}
		table = next
	}
	k := parts[last]
	there := table.Get(k.name)
	one := &Value{Kind: Table, Offset: start, state: headed}
	switch {
	case end == "]" && there == nil:
		table.add(k.name, k.offset, one)
	case end == "]" && there.state == implicit:
		there.state, one = headed, there
	case end == "]]" && there == nil:
		table.add(k.name, k.offset, &Value{Kind: Array, Offset: start, state: tables, Items: []*Value{one}})
	case end == "]]" && there.state == tables:
		there.Items = append(there.Items, one)
	default:
		p.fail(k.offset, "%s is there twice", k.name)
	}
	return one
}

// pair reads key = value into a table.
func (p *parser) pair(table *Value) {
	parts := p.key()
	if !p.has("=") {
		p.fail(p.at, "expected =, not %s", p.found())
	}
	p.at++
	last := len(parts) - 1
	for _, k := range parts[:last] {
		next := table.Get(k.name)
		switch {
		case next == nil:
			next = &Value{Kind: Table, Offset: k.offset, state: dotted, section: p.section}
			table.add(k.name, k.offset, next)
		case next.state == implicit:
			next.state, next.section = dotted, p.section
		case next.state != dotted || next.section != p.section:
			p.fail(k.offset, "%s was written elsewhere, and a dotted key cannot add to it", k.name)
		}
		table = next
	}
	k := parts[last]
	if table.Get(k.name) != nil {
		p.fail(k.offset, "%s is there twice", k.name)
	}
	p.space()
	table.add(k.name, k.offset, p.value())
}

func (p *parser) value() *Value {
	v := &Value{Offset: p.at}
	switch {
	case p.has(`"`), p.has("'"):
		v.Text = p.text()
	case p.has("["):
		v.Kind = Array
		p.inside(func() { p.array(v) })
	case p.has("{"):
		v.Kind = Table
		p.inside(func() { p.inline(v) })
	default:
		p.plain(v)
	}
	return v
}

// inside reads something that others can be in.
func (p *parser) inside(read func()) {
	if p.depth++; p.depth > maxDepth {
		p.fail(p.at, "nested more than %d deep", maxDepth)
	}
	read()
	p.depth--
}

func (p *parser) array(v *Value) {
	p.at++
	for {
		p.blank()
		if p.has("]") {
			break
		}
		v.Items = append(v.Items, p.value())
		p.blank()
		if !p.has(",") {
			break
		}
		p.at++
	}
	if !p.has("]") {
		p.fail(p.at, "expected , or ] in the array, not %s", p.found())
	}
	p.at++
}

// inline reads {a = 1}, which is one line and has no comma at its end.
func (p *parser) inline(v *Value) {
	p.at++
	outer := p.section
	p.section = -p.at // its own, whatever is counted
	p.space()
	for more := !p.has("}"); more; {
		p.pair(v)
		p.space()
		if more = p.has(","); more {
			p.at++
		}
	}
	if !p.has("}") {
		p.fail(p.at, "expected , or } in the table, not %s", p.found())
	}
	p.at++
	p.section = outer
}

// Origin is where in the document a piece of JSON comes from.
type Origin struct{ JSON, Doc int }

// Origins are those of some JSON, in its order.
type Origins []Origin

// Of returns the place in the document of one in the JSON. That is the same where the JSON was made of no document.
func (from Origins) Of(at int) int {
	if from == nil {
		return at
	}
	i, found := slices.BinarySearchFunc(from, at, func(o Origin, at int) int { return cmp.Compare(o.JSON, at) })
	if !found {
		i = max(i-1, 0)
	}
	return from[i].Doc
}

// AppendJSON appends a value as JSON, and for each key and value where it comes from, in the order of the JSON. JSON has nothing for
// an Other, so one is a Fault.
func (v *Value) AppendJSON(dst []byte, from Origins) ([]byte, Origins, error) {
	from = append(from, Origin{len(dst), v.Offset})
	var err error
	switch v.Kind {
	case String:
		return strictjson.AppendString(dst, v.Text), from, nil
	case Number, Bool:
		return append(dst, v.Text...), from, nil
	case Other:
		return dst, from, Fault{v.Offset, v.Text + " has no place here: no field is a date, a time or no number"}
	case Array:
		dst = append(dst, '[')
		for i, item := range v.Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, from, err = item.AppendJSON(dst, from); err != nil {
				return dst, from, err
			}
		}
		return append(dst, ']'), from, nil
	}
	dst = append(dst, '{')
	for i, m := range v.Members {
		if i > 0 {
			dst = append(dst, ',')
		}
		from = append(from, Origin{len(dst), m.Offset})
		dst = append(strictjson.AppendString(dst, m.Key), ':')
		if dst, from, err = m.Value.AppendJSON(dst, from); err != nil {
			return dst, from, err
		}
	}
	return append(dst, '}'), from, nil
}
