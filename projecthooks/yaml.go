package projecthooks

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/hookrun/hookrun/internal/strictjson"
)

// yamlKind is the type of a YAML value.
type yamlKind int

const (
	yamlNull yamlKind = iota
	yamlBool
	yamlNumber
	yamlString
	yamlList
	yamlMap
	yamlOther // of a tag that only some program knows
)

// yamlValue is a value of a YAML document, and its place. Aliases share what they stand for.
type yamlValue struct {
	kind    yamlKind
	text    string // of a scalar, as it was written; of a yamlBool true or false
	number  float64
	items   []*yamlValue
	members []yamlMember // in their order; those that a merge key brings in come last
	line    int
	column  int
}

type yamlMember struct {
	key   string
	at    *yamlValue // the key
	value *yamlValue
}

// get returns the value of a key, nil if it is not there.
func (v *yamlValue) get(key string) *yamlValue {
	if v != nil {
		for _, m := range v.members {
			if m.key == key {
				return m.value
			}
		}
	}
	return nil
}

func (v *yamlValue) is() string {
	return [...]string{"null", "true or false", "a number", "a string", "a list", "a mapping", "a value with a tag"}[v.kind]
}

// yamlFault is what makes a document unreadable.
type yamlFault struct {
	line, column int
	text         string
}

func (f yamlFault) Error() string { return f.text }

// maxMerged is how many members the merge keys of a document may bring in: each may bring in all that others did.
const maxMerged = 10_000

// parseYAML reads a document of one value, nil if it is empty. The library is a translation of libyaml, which MassGen's files
// are written for: two parsers that differ could lose a gate between them.
func parseYAML(doc string) (v *yamlValue, err error) {
	defer func() {
		if r := recover(); r != nil { // a slip of the library's: without the file's gates nothing may run
			v, err = nil, yamlFault{1, 1, fmt.Sprintf("this YAML cannot be read: %v", r)}
		}
	}()
	var first, second yaml.Node
	switch err := decodeYAML(strings.NewReader(doc), &first, &second); {
	case err != nil:
		return nil, yamlSyntax(doc, err)
	case second.Kind != 0:
		return nil, yamlFault{second.Line, second.Column, "a second document; a file has one"}
	case first.Kind == 0:
		return nil, nil
	}
	y := yamlReader{done: map[*yaml.Node]*yamlValue{}}
	v = y.value(first.Content[0], 0)
	if y.fault != nil {
		return nil, *y.fault
	}
	return v, nil
}

// decodeYAML reads the documents of a file, the second to see that there is none.
func decodeYAML(from io.Reader, documents ...*yaml.Node) error {
	d := yaml.NewDecoder(from)
	for _, into := range documents {
		if err := d.Decode(into); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
	return nil
}

// yamlSyntax finds the place of a fault of syntax. The library names a line at best, and often one before it; but it reads no
// further than it has to.
func yamlSyntax(doc string, err error) yamlFault {
	r := byBytes{doc: doc}
	_ = decodeYAML(&r, new(yaml.Node), new(yaml.Node))
	at := max(0, r.at-1)
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if _, rest, ok := strings.Cut(text, "unknown anchor '"); ok { // said after the next word was read
		name, _, _ := strings.Cut(rest, "'")
		at = max(0, strings.LastIndex(doc[:r.at], "*"+name))
	}
	line, column := strictjson.Position(doc, at)
	if rest, ok := strings.CutPrefix(text, "line "); ok {
		var number string
		number, text, _ = strings.Cut(rest, ": ")
		if began, err := strconv.Atoi(number); err == nil && strings.Contains(text, "end of stream") {
			line, column = began, 1 // of what has no end
		}
	}
	return yamlFault{line, column, text}
}

// byBytes gives a text byte by byte, so that it can be seen how far somebody read.
type byBytes struct {
	doc string
	at  int
}

func (r *byBytes) Read(p []byte) (int, error) {
	if r.at >= len(r.doc) {
		return 0, io.EOF
	}
	p[0] = r.doc[r.at]
	r.at++
	return 1, nil
}

type yamlReader struct {
	done   map[*yaml.Node]*yamlValue // nil for those that are being read
	merged int
	fault  *yamlFault // the first
}

func (y *yamlReader) fail(n *yaml.Node, format string, args ...any) {
	if y.fault == nil {
		y.fault = &yamlFault{n.Line, n.Column, fmt.Sprintf(format, args...)}
	}
}

func (y *yamlReader) value(n *yaml.Node, depth int) *yamlValue {
	v := &yamlValue{line: n.Line, column: n.Column}
	if n.Kind == yaml.AliasNode {
		if v := y.done[n.Alias]; v != nil {
			return v
		}
		y.fail(n, "the alias *%s stands within what it stands for", n.Value)
		return v
	}
	if y.done[n] = nil; depth > maxFileDepth {
		y.fail(n, "nested more than %d deep", maxFileDepth)
	}
	if y.fault != nil {
		return v
	}
	switch tag := n.ShortTag(); {
	case n.Kind == yaml.SequenceNode && tag == "!!seq":
		v.kind = yamlList
		for _, item := range n.Content {
			v.items = append(v.items, y.value(item, depth+1))
		}
	case n.Kind == yaml.MappingNode && tag == "!!map":
		v.kind = yamlMap
		y.members(v, n, depth)
	case n.Kind != yaml.ScalarNode:
		v.kind = yamlOther
	default:
		v.kind, v.text = yamlScalar(tag), n.Value
		switch {
		case v.kind == yamlBool:
			v.text = strings.ToLower(n.Value)
		case v.kind == yamlNumber && n.Decode(&v.number) != nil:
			v.kind = yamlOther
		}
	}
	y.done[n] = v
	return v
}

// yamlScalar is the type that a scalar's tag stands for. What MassGen takes for dates and << nobody here asks for.
func yamlScalar(tag string) yamlKind {
	switch tag {
	case "!!null":
		return yamlNull
	case "!!bool":
		return yamlBool
	case "!!int", "!!float":
		return yamlNumber
	case "!!str", "!!timestamp", "!!merge":
		return yamlString
	}
	return yamlOther
}

func (y *yamlReader) members(v *yamlValue, n *yaml.Node, depth int) {
	own := map[string]bool{}
	var merged []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, value := n.Content[i], n.Content[i+1]
		if k.ShortTag() == "!!merge" {
			merged = append(merged, value)
			continue
		}
		key := y.value(k, depth+1)
		switch {
		case key.kind > yamlString:
			y.fail(k, "a key must be a word, not %s", key.is())
		case own[key.text]:
			y.fail(k, "the key %s stands here twice; keep one", quote(key.text))
		}
		own[key.text] = true
		v.members = append(v.members, yamlMember{key.text, key, y.value(value, depth+1)})
	}
	for _, m := range merged {
		from := y.value(m, depth+1)
		all := []*yamlValue{from}
		if from.kind == yamlList {
			all = from.items
		}
		for _, f := range all {
			if f.kind != yamlMap {
				y.fail(m, "<< must be a mapping, not %s", f.is())
			}
			for _, member := range f.members {
				if y.merged++; y.merged > maxMerged {
					y.fail(m, "the merge keys (<<) bring in more than %d members", maxMerged)
					return
				}
				if !own[member.key] {
					own[member.key] = true
					v.members = append(v.members, member)
				}
			}
		}
	}
}
