// Package yaml reads one YAML document as PyYAML does, or says where and why it does not.
//
//	top, err := yaml.Parse(doc)
//	if fault, ok := err.(yaml.Fault); ok {
//		fmt.Printf("%d:%d: %s\n", fault.Line, fault.Column, fault.Text)
//	}
//	timeout := top.Get("timeout")
//
// It exists because two readers of one file can disagree, and a gate that only one of them sees can be lost. What people write is
// accepted: block and flow collections, every style of scalar, comments, anchors, aliases, merge keys.
//
// Guarantees: an accepted document has the keys, lists, texts and order that PyYAML (and libyaml) give it; what they read
// differently is refused, as are equal keys. Time and memory are linear in the document, but for the 10,000 members that merge keys
// may bring in. Nesting is bounded by 64. Nothing is computed when the program starts.
//
// No guarantees: it is no complete YAML. Complex keys (? key), directives, several documents, tags in < > and tabs that indent are
// refused. Plain words resolve as in YAML 1.2, with the numbers of 1.1: yes and on are strings, 017 is 15, 1:30 is a string.
// Keys are compared as texts: 1 and 01, or 1 and yes, are one key to Python and two here.
package yaml

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/hookrun/hookrun/internal/spelling"
)

// Kind is the type of a value.
type Kind int

const (
	Null Kind = iota
	Bool
	Number
	String
	List
	Map
	Other // of a tag that only some program knows, or that does not fit its value
)

func (k Kind) String() string {
	switch k {
	case Null:
		return "null"
	case Bool:
		return "true or false"
	case Number:
		return "a number"
	case String:
		return "a string"
	case List:
		return "a list"
	case Map:
		return "a mapping"
	}
	return "a value with a tag"
}

// Value is a value of a document, and its place. Aliases share what they stand for.
type Value struct {
	Kind    Kind
	Text    string // of a scalar, as it was written, without quotes; of a Bool true or false
	Number  float64
	Items   []*Value
	Members []Member // in their order; those that a merge key brings in come last
	Line    int      // from 1, as Column, which counts characters
	Column  int

	open  bool // being read: an alias here would be endless
	merge bool // a plain <<
}

// Member is a key of a mapping and what it stands for.
type Member struct {
	Key   string
	At    *Value // the key
	Value *Value
}

// Get returns the value of a key, nil if it is not there.
func (v *Value) Get(key string) *Value {
	if v != nil {
		for _, m := range v.Members {
			if m.Key == key {
				return m.Value
			}
		}
	}
	return nil
}

// Fault is what makes a document unreadable.
type Fault struct {
	Line, Column int
	Text         string // lower case, with a way to mend it where there is one
}

func (f Fault) Error() string { return f.Text }

const (
	maxDepth = 64
	// maxMerged is how many members the merge keys of a document may bring in: each may bring in all that others did.
	maxMerged = 10_000
	// maxKey is how far libyaml looks for the colon behind a key. Longer words are no keys to it.
	maxKey = 1024
)

type parser struct {
	doc     string
	at      int // what is read next
	line    int // where its line begins
	anchors map[string]*Value
	merged  int
	known   place // the last one asked for: counting goes on from there
}

type place struct{ at, line, column int }

// Parse reads a document of one value, nil if it is empty. Its errors are Faults.
func Parse(doc string) (v *Value, err error) {
	p := parser{doc: doc}
	if strings.HasPrefix(doc, "\ufeff") {
		p.at, p.line = len("\ufeff"), len("\ufeff")
	}
	p.known = place{p.at, 1, 1}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case Fault: // from fail, however deep
			v, err = nil, r
		default:
			panic(r)
		}
	}()
	p.characters()
	return p.document(), nil
}

// characters refuses what YAML allows nowhere, and the line ends of YAML 1.1 that other programs show as no line ends: behind one
// of them in a comment stands something that a reader sees and the author does not.
func (p *parser) characters() {
	for i := p.at; i < len(p.doc); {
		c, size := rune(p.doc[i]), 1
		if c >= utf8.RuneSelf {
			c, size = utf8.DecodeRuneInString(p.doc[i:])
		}
		switch {
		case c == '\u0085' || c == '\u2028' || c == '\u2029':
			p.fail(i, "the line separator U+%04X; write it as an escape in double quotes", c)
		case c == utf8.RuneError && size == 1:
			p.fail(i, "not UTF-8; save the file as UTF-8")
		case c < ' ' && c != '\t' && c != '\n' && c != '\r' || 0x7f <= c && c < 0xa0 || c == '\ufeff' || c == '\ufffe' || c == '\uffff':
			p.fail(i, "the character U+%04X does not belong here; write it as an escape in double quotes", c)
		}
		i += size
	}
}

func (p *parser) document() *Value {
	p.gap()
	if p.peek() == '%' && p.at == p.line {
		p.fail(p.at, "a directive; leave it out")
	}
	if p.end() {
		return nil
	}
	if p.marker("...") {
		p.fail(p.at, "the end of a document that has not begun")
	}
	// Behind --- no mapping and no list may begin in the same line.
	explicit := p.marker("---")
	if explicit {
		p.at += len("---")
	} else {
		p.at = p.line // as block wants to see the indentation
	}
	v := p.block(-1, !explicit, false, 0)
	p.gap()
	if p.marker("...") {
		p.at += len("...")
		p.endOfLine()
		p.gap()
		if !p.end() {
			p.fail(p.at, "a second document; a file has one")
		}
	}
	switch {
	case p.marker("---"):
		p.fail(p.at, "a second document; a file has one")
	case !p.end():
		p.misplaced()
	}
	return v
}

// misplaced is the fault of a line that goes on with nothing that stands above it.
func (p *parser) misplaced() {
	switch {
	case p.dash():
		p.fail(p.at, "a list item where none may stand; indent it like the items before it")
	case p.peek() == '?' && p.blank(p.at+1):
		p.fail(p.at, "a complex key (?); write the key as one word")
	case p.key():
		p.fail(p.at, "a key that is indented like none above; indent it like its neighbours")
	}
	p.fail(p.at, "a line that goes on with nothing above; a key needs a colon and a blank, a text may need quotes")
}

func (p *parser) fail(at int, format string, args ...any) {
	if at < p.known.at {
		p.known = place{0, 1, 1}
		if strings.HasPrefix(p.doc, "\ufeff") {
			p.known.at = len("\ufeff")
		}
	}
	p.locate(at)
	panic(Fault{p.known.line, p.known.column, fmt.Sprintf(format, args...)})
}

// brief cuts a name that a message repeats.
func brief(name string) string { return spelling.Brief(name, 80) }

// locate moves known to an offset behind it.
func (p *parser) locate(at int) {
	k := &p.known
	for ; k.at < at; k.at++ {
		switch c := p.doc[k.at]; {
		case c == '\n', c == '\r' && p.byteAt(k.at+1) != '\n':
			k.line, k.column = k.line+1, 1
		case utf8.RuneStart(c):
			k.column++
		}
	}
}

// value makes a value that begins at an offset. Offsets only grow, so that counting lines stays linear.
func (p *parser) value(at, depth int) *Value {
	if depth > maxDepth {
		p.fail(at, "nested more than %d deep", maxDepth)
	}
	p.locate(at)
	return &Value{Line: p.known.line, Column: p.known.column, open: true}
}

// mapping collects the members of one mapping.
type mapping struct {
	into   *Value
	known  map[string]bool // once there are many
	merges *Member
}

func (m *mapping) has(key string) bool {
	if m.known != nil {
		return m.known[key]
	}
	return m.into.Get(key) != nil
}

func (m *mapping) add(member Member) {
	m.into.Members = append(m.into.Members, member)
	switch {
	case m.known != nil:
		m.known[member.Key] = true
	case len(m.into.Members) > 16:
		m.known = map[string]bool{}
		for _, member := range m.into.Members {
			m.known[member.Key] = true
		}
	}
}

// member adds a key that was read at an offset. Of equal keys most readers take the last in silence.
func (p *parser) member(m *mapping, at int, key, value *Value) {
	switch {
	case key.Kind > String:
		p.fail(at, "a key must be a word, not %s", key.Kind)
	case key.merge && p.doc[at] == '*': // some look at the text and some at the alias
		p.fail(at, "an alias of <<; write << itself")
	case key.merge && m.merges != nil: // readers disagree on which of them wins
		p.fail(at, "the key << stands here twice; write one with a list: <<: [*a, *b]")
	case key.merge:
		m.merges = &Member{At: key, Value: value}
	case m.has(key.Text):
		p.fail(at, "the key %q stands here twice; keep one", brief(key.Text))
	default:
		m.add(Member{key.Text, key, value})
	}
}

// merge brings in the members of other mappings, the first of them first, where the mapping has none of that name itself.
func (p *parser) merge(m *mapping) {
	if m.merges == nil {
		return
	}
	fault := Fault{Line: m.merges.At.Line, Column: m.merges.At.Column}
	all := m.merges.Value.Items
	if m.merges.Value.Kind != List {
		all = []*Value{m.merges.Value}
	}
	for _, from := range all {
		if from.Kind != Map {
			fault.Text = fmt.Sprintf("<< must be a mapping, not %s", from.Kind)
			panic(fault)
		}
		for _, member := range from.Members {
			if p.merged++; p.merged > maxMerged {
				fault.Text = fmt.Sprintf("the merge keys (<<) bring in more than %d members", maxMerged)
				panic(fault)
			}
			if !m.has(member.Key) {
				m.add(member)
			}
		}
	}
}
