// Package toml reads one TOML document with the positions of all keys and values, or returns a fault with its position.
//
//	top, err := toml.Parse(doc)
//	if fault, ok := err.(toml.Fault); ok {
//		fmt.Println(fault.Offset, fault.Text)
//	}
//	hooks := top.Get("hooks")
//
// The parser is github.com/pelletier/go-toml/v2. Its Unmarshal decides whether a document is valid, and the nodes of
// its package unstable have the positions. This package builds a tree from them, which can be written as JSON.
//
// Guarantees: a document is accepted or refused as TOML 1.1 says. Arrays and inline tables may be nested 64 deep. A key
// may have 64 parts, and a document 10,000 headers.
//
// Not guaranteed: integers have 64 bits. Dates, times, inf and nan are kept as texts. A byte order mark is not removed.
package toml

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

// Fault describes why a document is refused. Offset counts bytes.
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

// Value is a value of a document, and its position.
type Value struct {
	Kind    Kind
	Offset  int
	End     int    // unset for a table with a header or dotted keys, which has several positions
	Text    string // string: its value; number or bool: as in JSON; Other: as written
	Items   []*Value
	Members []Member // in the order of the document

	index map[string]*Value // the values of Members
}

// Member is a key of a table, its position, and its value.
type Member struct {
	Key    string
	Offset int
	Value  *Value
}

// Get returns the value of a key, or nil if the key is missing.
func (v *Value) Get(key string) *Value { return v.index[key] }

// Set adds a missing key.
func (v *Value) Set(key string, offset int, value *Value) { v.add(key, offset, value) }

func (v *Value) add(key string, offset int, value *Value) {
	if v.index == nil {
		v.index = map[string]*Value{}
	}
	v.index[key] = value
	v.Members = append(v.Members, Member{key, offset, value})
}

// maxDepth limits nesting.
const maxDepth = 64

// maxTables limits the number of headers.
const maxTables = 10_000

// Parse reads a document. An error is a Fault.
func Parse(doc string) (top *Value, err error) {
	if strings.Count(doc, "\n[") > maxTables { // the library needs quadratic time for them
		return nil, Fault{0, fmt.Sprintf("more than %d tables", maxTables)}
	}
	var all map[string]any
	if err := toml.Unmarshal([]byte(doc), &all); err != nil {
		return nil, faultOf(doc, err)
	}
	defer catch(&err)
	r := reader{doc: doc, parser: &unstable.Parser{}}
	r.parser.Reset([]byte(doc))
	top = &Value{Kind: Table}
	for table := top; r.parser.NextExpression(); {
		if e := r.parser.Expression(); e.Kind == unstable.KeyValue {
			r.pair(table, e, 0)
		} else {
			table = r.header(top, e)
		}
	}
	return top, nil
}

// catch turns a thrown Fault into an error.
func catch(err *error) {
	switch fault := recover().(type) {
	case nil:
	case Fault:
		*err = fault
	default:
		panic(fault)
	}
}

// faultOf returns the fault of an invalid document.
func faultOf(doc string, err error) Fault {
	fault, ok := errors.AsType[*toml.DecodeError](err)
	if !ok {
		return Fault{0, strings.TrimPrefix(err.Error(), "toml: ")}
	}
	line, column := fault.Position()
	at := 0
	for ; line > 1; line-- {
		at += strings.IndexByte(doc[at:], '\n') + 1
	}
	at = min(at+column-1, len(doc))
	for _, quotes := range []string{`"""`, "'''"} {
		if strings.HasSuffix(fault.Error(), "not terminated by "+quotes) {
			at = max(strings.LastIndex(doc, quotes), 0) // the last quotes are the opening ones
		}
	}
	return Fault{at, strings.TrimPrefix(fault.Error(), "toml: ")}
}

// reader builds the tree of a valid document.
type reader struct {
	doc    string
	parser *unstable.Parser
}

// step walks down all parts of a key except the last, and creates missing tables. at and end locate the last part.
func (r *reader) step(table *Value, keys unstable.Iterator) (into *Value, last string, at, end int) {
	for n := 1; keys.Next(); n++ {
		key := keys.Node()
		last, at = string(key.Data), int(key.Raw.Offset)
		end = at + int(key.Raw.Length)
		if n > maxDepth {
			panic(Fault{at, fmt.Sprintf("a key of more than %d parts", maxDepth)})
		}
		if keys.IsLast() {
			break
		}
		next := table.Get(last)
		switch {
		case next == nil:
			next = &Value{Kind: Table, Offset: at}
			table.add(last, at, next)
		case next.Kind == Array:
			next = next.Items[len(next.Items)-1]
		}
		table = next
	}
	return table, last, at, end
}

// header reads [a.b] or [[a.b]], and returns the table for the lines below it.
func (r *reader) header(top *Value, e *unstable.Node) *Value {
	table, last, at, _ := r.step(top, e.Key())
	start := strings.LastIndexByte(r.doc[:e.Child().Raw.Offset], '[')
	kind := Table
	if e.Kind == unstable.ArrayTable {
		kind, start = Array, start-1
	}
	existing := table.Get(last)
	if existing == nil {
		existing = &Value{Kind: kind, Offset: start}
		table.add(last, at, existing)
	}
	if kind == Table {
		return existing
	}
	element := &Value{Kind: Table, Offset: start}
	existing.Items = append(existing.Items, element)
	return element
}

// pair reads key = value into a table, and returns the end of the value.
func (r *reader) pair(table *Value, e *unstable.Node, depth int) (end int) {
	table, last, at, end := r.step(table, e.Key())
	v, end := r.value(e.Value(), r.gap(r.gap(end, " \t")+len("="), " \t"), depth)
	table.add(last, at, v)
	return end
}

// gap skips these characters, and comments if line ends are among them.
func (r *reader) gap(at int, chars string) int {
	for at < len(r.doc) {
		switch {
		case strings.IndexByte(chars, r.doc[at]) >= 0:
			at++
		case r.doc[at] == '#' && strings.IndexByte(chars, '\n') >= 0:
			for at < len(r.doc) && r.doc[at] != '\n' {
				at++
			}
		default:
			return at
		}
	}
	return at
}

// text returns a string with \n as line ends, because a \r of a Windows file would end up in each line of a shell
// command.
func (r *reader) text(raw, text string) string {
	var plain struct{ X string }
	unix := "X = " + strings.ReplaceAll(raw, "\r\n", "\n")
	if strings.Contains(raw, "\r\n") && toml.Unmarshal([]byte(unix), &plain) == nil {
		return plain.X
	}
	return text
}

// between is the set of characters between the values of an array or an inline table.
const between = " \t\r\n,"

// value reads the value at an offset, and returns its end.
func (r *reader) value(n *unstable.Node, at, depth int) (v *Value, end int) {
	v = &Value{Offset: at, Text: string(n.Data)}
	end = at + int(n.Raw.Length)
	switch n.Kind {
	case unstable.String:
		v.Text = r.text(r.doc[at:end], v.Text)
	case unstable.Bool:
		v.Kind = Bool
	case unstable.Integer:
		v.Kind = Number
		i, err := strconv.ParseInt(v.Text, 0, 64)
		if err != nil { // cannot happen: Unmarshal has read it
			panic(Fault{at, v.Text + " is no integer of 64 bits"})
		}
		v.Text = strconv.FormatInt(i, 10)
	case unstable.Float:
		v.Kind = Number
		if strings.HasSuffix(v.Text, "inf") || strings.HasSuffix(v.Text, "nan") {
			v.Kind = Other
			break
		}
		v.Text = strings.TrimPrefix(strings.ReplaceAll(v.Text, "_", ""), "+")
	case unstable.Array, unstable.InlineTable:
		if depth++; depth > maxDepth {
			panic(Fault{at, fmt.Sprintf("nested more than %d deep", maxDepth)})
		}
		v.Kind, v.Text = Array, ""
		if n.Kind == unstable.InlineTable {
			v.Kind = Table
		}
		end = at + 1
		for items := n.Children(); items.Next(); {
			if v.Kind == Table {
				end = r.pair(v, items.Node(), depth)
			} else {
				var item *Value
				item, end = r.value(items.Node(), r.gap(end, between), depth)
				v.Items = append(v.Items, item)
			}
		}
		end = r.gap(end, between) + 1 // the bracket
	default:
		v.Kind = Other
	}
	v.End = end
	return v, end
}

// Origin maps an offset in JSON to an offset in the document.
type Origin struct{ JSON, Doc int }

// Origins is sorted by JSON offset.
type Origins []Origin

// Of returns the offset in the document for an offset in the JSON. Without origins it returns the same offset.
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

// AppendJSON appends a value as JSON, and the origin of each key and value. It returns a Fault for a value of kind
// Other, which JSON cannot express.
func (v *Value) AppendJSON(dst []byte, from Origins) (_ []byte, _ Origins, err error) {
	defer catch(&err)
	dst, from = v.appendJSON(dst, from)
	return dst, from, nil
}

func (v *Value) appendJSON(dst []byte, from Origins) ([]byte, Origins) {
	from = append(from, Origin{len(dst), v.Offset})
	switch v.Kind {
	case String:
		return strictjson.AppendString(dst, v.Text), from
	case Number, Bool:
		return append(dst, v.Text...), from
	case Other:
		panic(Fault{v.Offset, v.Text + " has no place here: no field is a date, a time or no number"})
	case Array:
		dst = append(dst, '[')
		for i, item := range v.Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst, from = item.appendJSON(dst, from)
		}
		return append(dst, ']'), from
	}
	dst = append(dst, '{')
	for i, m := range v.Members {
		if i > 0 {
			dst = append(dst, ',')
		}
		from = append(from, Origin{len(dst), m.Offset})
		dst = append(strictjson.AppendString(dst, m.Key), ':')
		dst, from = m.Value.appendJSON(dst, from)
	}
	return append(dst, '}'), from
}
