// Package yaml reads one YAML document as PyYAML does, or returns a fault with its position.
//
//	top, err := yaml.Parse(doc)
//	if fault, ok := err.(yaml.Fault); ok {
//		fmt.Printf("%d:%d: %s\n", fault.Line, fault.Column, fault.Text)
//	}
//	timeout := top.Get("timeout")
//
// The parser is go.yaml.in/yaml/v3; this package reads its nodes. It refuses all documents that PyYAML reads
// differently: if two readers of a file disagree, a gate seen by only one reader can be lost.
//
// Guarantees: an accepted document has the same keys, lists, texts and order as in PyYAML (and libyaml). Documents that
// they read differently are refused, and so are equal keys. Aliases are not expanded, and merge keys bring in at most
// 10,000 members. Nesting is limited to 64.
//
// Not guaranteed: directives and several documents are refused. Plain words resolve as in YAML 1.2, with the numbers of
// YAML 1.1: yes and on are strings, 017 is 15, 1:30 is a string. Keys are compared as texts: 1 and 01, or 1 and yes,
// are one key to Python and two here. The position of a syntax error is near the parser's stop.
package yaml

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/hookrun/hookrun/internal/lib/lazy"
	"github.com/hookrun/hookrun/internal/lib/spelling"
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
	Other // has a tag that is unknown or does not fit the value
)

func (k Kind) String() string {
	return [...]string{"null", "true or false", "a number", "a string", "a list", "a mapping", "a value with a tag"}[k]
}

// Value is a value of a document, and its position. Aliases share the value of their anchor.
type Value struct {
	Kind    Kind
	Text    string // of a scalar: as written, without quotes; of a Bool: true or false
	Number  float64
	Items   []*Value
	Members []Member // in order; members from a merge key come last
	Line    int      // from 1, like Column, which counts characters
	Column  int

	merge bool // a plain <<
}

// Member is a key of a mapping and its value.
type Member struct {
	Key   string
	At    *Value // the key
	Value *Value
}

// Get returns the value of a key, or nil if the key is missing.
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

// Fault describes why a document cannot be read.
type Fault struct {
	Line, Column int
	Text         string // lower case; with a fix if possible
}

func (f Fault) Error() string { return f.Text }

const (
	maxDepth = 64
	// maxMerged limits the members from merge keys in a document, because each can bring in the members of all others.
	maxMerged = 10_000
)

// Parse reads a document of one value, or returns nil if the document is empty. Its errors are Faults.
func Parse(doc string) (v *Value, err error) {
	defer func() {
		switch fault := recover().(type) {
		case nil:
		case Fault: // thrown at any depth
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

// lines splits a document at LF, CR LF and CR.
func lines(doc string) []string {
	return strings.Split(strings.ReplaceAll(strings.ReplaceAll(doc, "\r\n", "\n"), "\r", "\n"), "\n")
}

// at returns a fault at an offset.
func at(doc string, offset int, format string, args ...any) Fault {
	before := lines(doc[:offset])
	return Fault{len(before), 1 + utf8.RuneCountInString(before[len(before)-1]), fmt.Sprintf(format, args...)}
}

// checkCharacters refuses characters forbidden in YAML, and the line ends of YAML 1.1 that other programs do not show
// as line ends: after such a line end in a comment, a reader sees text that the author does not.
func checkCharacters(doc string) {
	for i, c := range doc {
		switch {
		case c == '\u0085' || c == '\u2028' || c == '\u2029':
			panic(at(doc, i, "the line separator U+%04X; write it as an escape in double quotes", c))
		case c == utf8.RuneError && !strings.HasPrefix(doc[i:], string(utf8.RuneError)):
			panic(at(doc, i, "not UTF-8; save the file as UTF-8"))
		case c < ' ' && c != '\t' && c != '\n' && c != '\r' || 0x7f <= c && c < 0xa0 ||
			c == '\ufeff' || c == '\ufffe' || c == '\uffff':
			panic(at(doc, i, "the character U+%04X does not belong here; write it as an escape in double quotes", c))
		}
	}
}

// decode returns the only document, or nil if the file is empty.
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
		panic(syntaxFault(doc, err))
	}
	fault := Fault{}
	switch err := next(decoder, &second); {
	case err == io.EOF:
		return &top
	case err != nil:
		fault = syntaxFault(doc, err)
	default:
		fault = Fault{Line: second.Line, Column: second.Column}
	}
	fault.Text = "a second document; a file has one"
	panic(fault)
}

// next decodes a document, and returns the parser's panics as errors.
func next(decoder *yaml.Decoder, node *yaml.Node) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	return decoder.Decode(node)
}

// unclosed maps errors at the end of the document to descriptions of the unclosed part.
func unclosed() map[string]string {
	return map[string]string{
		"found unexpected end of stream":   "a quote that begins in this line has no end",
		"did not find expected ',' or ']'": "a list that begins in this line has no ]",
		"did not find expected ',' or '}'": "a mapping that begins in this line has no }",
	}
}

// hints returns a fix for each error of the parser.
func hints() map[string]string {
	return map[string]string{
		"mapping values are not allowed in this context": "; a key is one word in one line, " +
			"a text with a colon and a blank needs quotes",
		"did not find expected node content": "; a value is missing here, or a bracket is never closed",
		"found character that cannot start any token": "; use blanks to indent, " +
			"and quotes for a text that begins with it",
		"did not find expected key": "; indent it like its neighbours, " +
			"and put a text in quotes as a whole",
		"could not find expected ':'": "; a key needs a colon and a blank, " +
			"a text may need quotes",
		"block sequence entries are not allowed in this context": "; begin the list in a line of its own",
		"found unknown escape character":                         `; write \\ for a backslash, or use single quotes`,
	}
}

// syntaxFault returns the fault of a document refused by the parser. The parser returns at most a line, often the line
// of the surrounding value. So the document is parsed again byte by byte: the fault is where the reading stops.
func syntaxFault(doc string, err error) Fault {
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
	if whole := strings.TrimRight(doc, " \t\r\n"); read == whole && unclosed()[text] != "" {
		if !strings.HasPrefix(text, "found") {
			line++ // the parser counts from 0, its scanner from 1
		}
		// If the fault is in the first line, the parser reports the last line.
		all := lines(whole)
		if line > len(all) || line == len(all) && !strings.ContainsAny(all[line-1], `"'[{`) {
			line = 1
		}
		return Fault{max(line, 1), 1, unclosed()[text]}
	}
	_, size := utf8.DecodeLastRuneInString(read)
	fault := at(doc, len(read)-size, "%s%s", text, hints()[text])
	if strings.HasPrefix(text, "could not") && 0 < line && line < fault.Line { // it looked for the colon on later lines
		fault.Line, fault.Column = line, 1
	}
	return fault
}

// byteReader reads one byte at a time.
type byteReader struct{ *strings.Reader }

func (b byteReader) Read(p []byte) (int, error) { return b.Reader.Read(p[:1]) }

// brief shortens a name for a message.
func brief(name string) string { return spelling.Brief(name, 80) }

// reader turns nodes into values.
type reader struct {
	lines  []string
	at     int // the number of line
	flow   int // number of open brackets
	line   []rune
	values map[*yaml.Node]*Value // by anchor's node; nil while the value is being read
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
			fail(n, "the alias *%s is inside of what it refers to", brief(n.Value))
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

// kindOf returns the kind of a plain word from its resolved tag. A date stays a text.
func kindOf(tag string) (kind Kind, known bool) {
	switch tag {
	case "!!null":
		return Null, true
	case "!!bool":
		return Bool, true
	case "!!int", "!!float":
		return Number, true
	}
	return Null, false
}

var signedPrefix = lazy.Regexp{Text: `0[bo][-+]`}

// scalar fills in a value. A quoted text is a string; a plain text resolves by its spelling. A fitting tag takes
// priority.
func (r *reader) scalar(v *Value, n *yaml.Node) {
	plain := n.Style&^yaml.TaggedStyle == 0
	resolved := (&yaml.Node{Kind: yaml.ScalarNode, Value: n.Value}).ShortTag()
	v.Kind, v.Text = String, n.Value
	if r.flow > 0 && plain && strings.HasSuffix(n.Value, ":") { // PyYAML reads a key, others a text
		fail(n, "a text that ends with a colon; put a blank behind the colon of a key, or the text in quotes")
	}
	tag := r.tag(n)
	if n.Style&yaml.TaggedStyle != 0 {
		tag = n.ShortTag()
	}
	kind, known := kindOf(resolved)
	switch {
	case tag == "" && plain:
		if known {
			v.Kind = kind
		}
		v.merge = n.Tag == "!!merge"
	case tag == "" || tag == "!!str":
	case tag == "!": // libyaml reads a string, PyYAML resolves the spelling
		if !plain || n.Tag != "!!str" && n.Tag != "!!timestamp" {
			v.Kind = Other
		}
	case known && tag == resolved:
		v.Kind = kind
	default:
		v.Kind = Other
	}
	switch v.Kind {
	case Bool:
		v.Text = strings.ToLower(v.Text)
	case Number:
		// Only this library reads 0b-1 as a number.
		if signedPrefix.Get().MatchString(n.Value) ||
			(&yaml.Node{Kind: yaml.ScalarNode, Value: n.Value}).Decode(&v.Number) != nil {
			v.Kind = String
		}
	}
}

// tag returns the tag of a node as written. The library does not report a single !.
func (r *reader) tag(n *yaml.Node) string {
	if n.Line != r.at && 1 <= n.Line && n.Line <= len(r.lines) {
		r.at, r.line = n.Line, []rune(r.lines[n.Line-1])
	}
	if n.Line != r.at || n.Column < 1 || n.Column > len(r.line) ||
		r.line[n.Column-1] != '!' && r.line[n.Column-1] != '&' {
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
	if strings.ContainsAny(tag, ",[]{}") { // some readers include the character in the tag
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
	var merge, merged *Value // the key <<, and its members
	for i := 0; i+1 < len(n.Content); i += 2 {
		at := n.Content[i]
		key := r.value(at, depth+1)
		if key.Kind <= String && !key.merge && known[key.Text] {
			fail(at, "the key %q is here twice; keep one", brief(key.Text))
		}
		value := r.value(n.Content[i+1], depth+1)
		switch {
		case key.Kind > String:
			fail(at, "a key must be a word, not %s", key.Kind)
		case key.merge && at.Kind == yaml.AliasNode: // some readers look at the text, some at the alias
			fail(at, "an alias of <<; write << itself")
		case key.merge && merge != nil: // readers disagree on which one wins
			fail(at, "the key << is here twice; write one with a list: <<: [*a, *b]")
		case key.merge:
			merge, merged = key, value
		default:
			add(Member{key.Text, key, value})
		}
	}
	if merge == nil {
		return
	}
	// The mapping's own members win, then the first of several merged mappings.
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
