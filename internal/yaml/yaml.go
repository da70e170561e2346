// Package yaml reads one YAML document as PyYAML does, or says where and why it does not.
//
//	top, err := yaml.Parse(doc)
//	if fault, ok := err.(yaml.Fault); ok {
//		fmt.Printf("%d:%d: %s\n", fault.Line, fault.Column, fault.Text)
//	}
//	timeout := top.Get("timeout")
//
// The parser is go.yaml.in/yaml/v3, by its nodes. This package refuses what PyYAML reads otherwise, since two readers
// of one file can disagree, and a gate that only one of them sees can be lost.
//
// Guarantees: an accepted document has the keys, lists, texts and order that PyYAML (and libyaml) give it; what they
// read differently is refused, as are equal keys. Aliases are not written out, and merge keys bring in 10,000 members
// at most. Nesting is bounded by 64.
//
// No guarantees: directives and several documents are refused. Plain words resolve as in YAML 1.2, with the numbers of
// 1.1: yes and on are strings, 017 is 15, 1:30 is a string. Keys are compared as texts: 1 and 01, or 1 and yes, are one
// key to Python and two here. The place of what is no YAML is about where the parser stopped.
package yaml

import (
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

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
	return [...]string{"null", "true or false", "a number", "a string", "a list", "a mapping", "a value with a tag"}[k]
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
)

// Parse reads a document of one value, nil if it is empty. Its errors are Faults.
func Parse(doc string) (v *Value, err error) {
	defer func() {
		switch fault := recover().(type) {
		case nil:
		case Fault: // however deep
			v, err = nil, fault
		default:
			panic(fault)
		}
	}()
	doc = strings.TrimPrefix(doc, "\ufeff")
	checkCharacters(doc)
	top := decode(doc)
	if top == nil {
		return nil, nil
	}
	r := reader{lines: lines(doc), values: map[*yaml.Node]*Value{}}
	return r.value(top.Content[0], 0), nil
}

// lines returns the lines of a document, which end with LF, CR LF or CR.
func lines(doc string) []string {
	return strings.Split(strings.ReplaceAll(strings.ReplaceAll(doc, "\r\n", "\n"), "\r", "\n"), "\n")
}

// at returns the fault of an offset.
func at(doc string, offset int, format string, args ...any) Fault {
	before := lines(doc[:offset])
	return Fault{len(before), 1 + utf8.RuneCountInString(before[len(before)-1]), fmt.Sprintf(format, args...)}
}

// checkCharacters refuses what YAML allows nowhere, and the line ends of YAML 1.1 that other programs show as no
// line ends: behind one of them in a comment stands something that a reader sees and the author does not.
func checkCharacters(doc string) {
	for i, c := range doc {
		switch {
		case c == '\u0085' || c == '\u2028' || c == '\u2029':
			panic(at(doc, i, "the line separator U+%04X; write it as an escape in double quotes", c))
		case c == utf8.RuneError && !strings.HasPrefix(doc[i:], string(utf8.RuneError)):
			panic(at(doc, i, "not UTF-8; save the file as UTF-8"))
		case c < ' ' && c != '\t' && c != '\n' && c != '\r' || 0x7f <= c && c < 0xa0 || c == '\ufeff' ||
			c == '\ufffe' || c == '\uffff':
			panic(at(doc, i, "the character U+%04X does not belong here; write it as an escape in double quotes", c))
		}
	}
}

// decode returns the only document, nil if there is none.
func decode(doc string) *yaml.Node {
	if rest := strings.TrimLeft(doc, " \t\r\n"); strings.HasPrefix(rest, "%") {
		panic(at(doc, len(doc)-len(rest), "a directive; leave it out"))
	}
	var top, second yaml.Node
	decoder := yaml.NewDecoder(strings.NewReader(doc))
	switch err := next(decoder, &top); {
	case err == io.EOF:
		return nil
	case err != nil:
		panic(unreadable(doc, err))
	}
	fault := Fault{}
	switch err := next(decoder, &second); {
	case err == io.EOF:
		return &top
	case err != nil:
		fault = unreadable(doc, err)
	default:
		fault = Fault{Line: second.Line, Column: second.Column}
	}
	fault.Text = "a second document; a file has one"
	panic(fault)
}

// next decodes a document. The parser panics where it does not understand itself.
func next(decoder *yaml.Decoder, node *yaml.Node) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	return decoder.Decode(node)
}

// open says what has no end where the parser reads to the end of the document.
var open = map[string]string{
	"found unexpected end of stream":   "a quote that begins in this line has no end",
	"did not find expected ',' or ']'": "a list that begins in this line has no ]",
	"did not find expected ',' or '}'": "a mapping that begins in this line has no }",
}

// mends says how to mend what the parser finds.
var mends = map[string]string{
	"mapping values are not allowed in this context": "; a key is one word in one line, a text with a colon " +
		"and a blank needs quotes",
	"did not find expected node content": "; a value is missing here, or a bracket is never closed",
	"found character that cannot start any token": "; use blanks to indent, and quotes for a text that " +
		"begins with it",
	"did not find expected key": "; indent it like its neighbours, and put a text in " +
		"quotes as a whole",
	"could not find expected ':'": "; a key needs a colon and a blank, a text may need " +
		"quotes",
	"block sequence entries are not allowed in this context": "; begin the list in a line of its own",
	"found unknown escape character":                         `; write \\ for a backslash, or use single quotes`,
}

// unreadable returns the fault of a document that the parser refuses. The parser tells a line at most, often that of
// what encloses the fault. So the document is read again byte by byte: where the reading stops, there the fault was
// seen.
func unreadable(doc string, err error) Fault {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 0
	if rest, ok := strings.CutPrefix(text, "line "); ok {
		number, behind, _ := strings.Cut(rest, ": ")
		line, _ = strconv.Atoi(number)
		text = behind
	}
	bytes := byteReader{strings.NewReader(doc)}
	decoder := yaml.NewDecoder(bytes)
	for err := error(nil); err == nil; {
		err = next(decoder, &yaml.Node{})
	}
	read := strings.TrimRight(doc[:len(doc)-bytes.Len()], " \t\r\n")
	if whole := strings.TrimRight(doc, " \t\r\n"); read == whole && open[text] != "" {
		if !strings.HasPrefix(text, "found") {
			line++ // the parser counts from 0, its scanner from 1
		}
		// Where the first line is at fault, it tells the last.
		all := lines(whole)
		if line > len(all) || line == len(all) && !strings.ContainsAny(all[line-1], `"'[{`) {
			line = 1
		}
		return Fault{max(line, 1), 1, open[text]}
	}
	_, size := utf8.DecodeLastRuneInString(read)
	fault := at(doc, len(read)-size, "%s%s", text, mends[text])
	if strings.HasPrefix(text, "could not") && 0 < line && line < fault.Line { // it looked for the colon further down
		fault.Line, fault.Column = line, 1
	}
	return fault
}

// byteReader reads a byte at a time.
type byteReader struct{ *strings.Reader }

func (b byteReader) Read(p []byte) (int, error) { return b.Reader.Read(p[:1]) }

// brief cuts a name that a message repeats.
func brief(name string) string { return spelling.Brief(name, 80) }

// reader makes values of nodes.
type reader struct {
	lines  []string
	at     int // which of them line is
	flow   int // how many brackets are open
	line   []rune
	values map[*yaml.Node]*Value // of those with an anchor, nil while one is read
	merged int
}

func fail(n *yaml.Node, format string, args ...any) {
	panic(Fault{n.Line, n.Column, fmt.Sprintf(format, args...)})
}

func (r *reader) value(n *yaml.Node, depth int) *Value {
	if depth > maxDepth {
		fail(n, "nested more than %d deep", maxDepth)
	}
	if n.Kind == yaml.AliasNode {
		known := r.values[n.Alias]
		if known == nil {
			fail(n, "the alias *%s stands within what it stands for", brief(n.Value))
		}
		return known
	}
	v := &Value{Line: n.Line, Column: n.Column}
	if n.Style&yaml.FlowStyle != 0 {
		r.flow++
		defer func() { r.flow-- }()
	}
	switch n.Kind {
	case yaml.ScalarNode:
		r.scalar(v, n)
	case yaml.SequenceNode:
		v.Kind = List
		for _, item := range n.Content {
			v.Items = append(v.Items, r.value(item, depth+1))
		}
	case yaml.MappingNode:
		v.Kind = Map
		r.mapping(v, n, depth)
	}
	if n.Kind != yaml.ScalarNode && r.tag(n) != "" && n.Style&yaml.TaggedStyle != 0 &&
		n.ShortTag() != map[Kind]string{List: "!!seq", Map: "!!map"}[v.Kind] {
		v.Kind, v.Items, v.Members = Other, nil, nil
	}
	if n.Anchor != "" {
		r.values[n] = v
	}
	return v
}

// kinds are the types of what a plain word looks like. A date is a text here.
var kinds = map[string]Kind{"!!null": Null, "!!bool": Bool, "!!int": Number, "!!float": Number}

var signed = regexp.MustCompile(`0[bo][-+]`)

// scalar fills in a value: a text in quotes is a string, a plain one what it looks like, a tag decides if it fits.
func (r *reader) scalar(v *Value, n *yaml.Node) {
	plain := n.Style&^yaml.TaggedStyle == 0
	looks := (&yaml.Node{Kind: yaml.ScalarNode, Value: n.Value}).ShortTag()
	v.Kind, v.Text = String, n.Value
	if r.flow > 0 && plain && strings.HasSuffix(n.Value, ":") { // the end of a key to PyYAML, text to others
		fail(n, "a text that ends with a colon; put a blank behind the colon of a key, or the text in quotes")
	}
	tag := r.tag(n)
	if n.Style&yaml.TaggedStyle != 0 {
		tag = n.ShortTag()
	}
	kind, known := kinds[looks]
	switch {
	case tag == "" && plain:
		if known {
			v.Kind = kind
		}
		v.merge = n.Tag == "!!merge"
	case tag == "" || tag == "!!str":
	case tag == "!": // a string to libyaml, and what it looks like to PyYAML
		if !plain || n.Tag != "!!str" && n.Tag != "!!timestamp" {
			v.Kind = Other
		}
	case known && tag == looks:
		v.Kind = kind
	default:
		v.Kind = Other
	}
	switch v.Kind {
	case Bool:
		v.Text = strings.ToLower(v.Text)
	case Number:
		// 0b-1 is a number to this library alone.
		if signed.MatchString(n.Value) || (&yaml.Node{Kind: yaml.ScalarNode, Value: n.Value}).Decode(&v.Number) != nil {
			v.Kind = String
		}
	}
}

// tag returns the tag of a node as it is written: of a ! without more the node says nothing.
func (r *reader) tag(n *yaml.Node) string {
	if n.Line != r.at && 1 <= n.Line && n.Line <= len(r.lines) {
		r.at, r.line = n.Line, []rune(r.lines[n.Line-1])
	}
	if n.Line != r.at || n.Column < 1 || n.Column > len(r.line) || r.line[n.Column-1] != '!' &&
		r.line[n.Column-1] != '&' {
		return ""
	}
	const longest = 1000 // of an anchor and a tag
	text := string(r.line[n.Column-1 : min(n.Column+longest, len(r.line))])
	if rest, ok := strings.CutPrefix(text, "&"+n.Anchor); ok && n.Anchor != "" {
		text = strings.TrimLeft(rest, " \t")
	}
	if !strings.HasPrefix(text, "!") {
		return ""
	}
	tag, _, _ := strings.Cut(strings.ReplaceAll(text, "\t", " "), " ")
	if strings.ContainsAny(tag, ",[]{}") { // a part of it to some
		fail(n, "a blank must stand behind a tag; a text that begins with ! needs quotes")
	}
	return tag
}

func (r *reader) mapping(v *Value, n *yaml.Node, depth int) {
	known := map[string]bool{}
	add := func(m Member) {
		known[m.Key] = true
		v.Members = append(v.Members, m)
	}
	var merge, merged *Value // the key <<, and what it brings in
	for i := 0; i+1 < len(n.Content); i += 2 {
		at := n.Content[i]
		key := r.value(at, depth+1)
		if key.Kind <= String && !key.merge && known[key.Text] {
			fail(at, "the key %q stands here twice; keep one", brief(key.Text))
		}
		value := r.value(n.Content[i+1], depth+1)
		switch {
		case key.Kind > String:
			fail(at, "a key must be a word, not %s", key.Kind)
		case key.merge && at.Kind == yaml.AliasNode: // some look at the text and some at the alias
			fail(at, "an alias of <<; write << itself")
		case key.merge && merge != nil: // readers disagree on which of them wins
			fail(at, "the key << stands here twice; write one with a list: <<: [*a, *b]")
		case key.merge:
			merge, merged = key, value
		default:
			add(Member{key.Text, key, value})
		}
	}
	if merge == nil {
		return
	}
	// The first of several mappings comes first, where the mapping has none of that name itself.
	at := &yaml.Node{Line: merge.Line, Column: merge.Column}
	all := merged.Items
	if merged.Kind != List {
		all = []*Value{merged}
	}
	for _, from := range all {
		if from.Kind != Map {
			fail(at, "<< must be a mapping, not %s", from.Kind)
		}
		for _, member := range from.Members {
			if r.merged++; r.merged > maxMerged {
				fail(at, "the merge keys (<<) bring in more than %d members", maxMerged)
			}
			if !known[member.Key] {
				add(member)
			}
		}
	}
}
