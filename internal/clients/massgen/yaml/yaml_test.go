package yaml

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// plain writes a value without its places: what a document says.
func plain(v *Value) string {
	if v == nil {
		return "null"
	}
	switch v.Kind {
	case Null:
		return "null"
	case Bool:
		return v.Text
	case Number:
		return "#" + strconv.FormatFloat(v.Number, 'g', -1, 64)
	case String:
		return strconv.Quote(v.Text)
	case List:
		var items []string
		for _, item := range v.Items {
			items = append(items, plain(item))
		}
		return "[" + strings.Join(items, " ") + "]"
	case Map:
		var members []string
		for _, m := range v.Members {
			members = append(members, strconv.Quote(m.Key)+":"+plain(m.Value))
		}
		slices.Sort(members)
		return "{" + strings.Join(members, " ") + "}"
	}
	return "other"
}

func TestYAML(t *testing.T) {
	const hooks = `{"a":["b" {"c":#1}]}`
	for name, test := range map[string]struct{ doc, want string }{
		"block":                             {"a:\n  - b\n  - c: 1\n", hooks},
		"block, lists not indented":         {"a:\n- b\n- c: 1\n", hooks},
		"flow":                              {"{a: [b, {c: 1}]}", hooks},
		"flow over lines":                   {"a: [\n b,\n  {c:\n 1}\n ]\n", hooks},
		"JSON":                              {`{"a":["b",{"c":1}]}`, hooks},
		"comments":                          {"# x\na: # y\n  - b # z\n# w\n  - c: 1\n# v", hooks},
		"a start and an end":                {"---\na: [b, c: 1]\n...\n# x\n", hooks},
		"windows":                           {"a:\r\n  - b\r\n  - c: 1\r\n", hooks},
		"a byte order mark":                 {"\ufeffa: [b, c: 1]", hooks},
		"anchors":                           {"x: &x {c: 1}\na: [b, *x]\n", `{"a":["b" {"c":#1}] "x":{"c":#1}}`},
		"an anchor that stands for another": {"a: &x b\nc: &x d\ne: *x\n", `{"a":"b" "c":"d" "e":"d"}`},
		"an anchor of nothing":              {"a: &x\nb: *x\n", `{"a":null "b":null}`},
		"an anchor of a key":                {"&x a: b\nc: *x\n", `{"a":"b" "c":"a"}`},
		"a merge": {"x: &x {a: 1, b: 2}\ny: {b: 3, <<: *x}\n",
			`{"x":{"a":#1 "b":#2} "y":{"a":#1 "b":#3}}`},
		"several merges": {"x: &x {a: 1}\ny: &y {a: 2, b: 3}\nz: {<<: [*x, *y]}\n",
			`{"x":{"a":#1} "y":{"a":#2 "b":#3} "z":{"a":#1 "b":#3}}`},
		"a merge of a merge": {"x: &x {a: 1}\ny: &y {<<: *x}\nz: {<<: *y}\n",
			`{"x":{"a":#1} "y":{"a":#1} "z":{"a":#1}}`},
		"a merge key in quotes is a key": {"\"<<\": {a: 1}\n", `{"<<":{"a":#1}}`},
		"quotes": {"'a': \"b\\tc\\x41\\u00e9\"\n\"d\": 'it''s'\n",
			`{"a":"b\tcAé" "d":"it's"}`},
		"quoted over lines":              {"a: \"b\n  c\n\n  d\"\n", `{"a":"b c\nd"}`},
		"plain over lines":               {"a: b\n  c\n\n  d\n", `{"a":"b c\nd"}`},
		"literal":                        {"a: |\n  b\n   c # d\n\n  e: f\n", `{"a":"b\n c # d\n\ne: f\n"}`},
		"literal without its end":        {"a: |-\n  b\n", `{"a":"b"}`},
		"folded":                         {"a: >\n  b\n  c\n\n  d\n", `{"a":"b c\nd\n"}`},
		"tabs within a text":             {"a: b\tc\n", `{"a":"b\tc"}`},
		"tabs behind a colon":            {"a:\tb\n", `{"a":"b"}`},
		"blanks behind a line of a text": {"a: |\n  b \n", `{"a":"b \n"}`},
		"a colon without a blank":        {"{a:b, \"c\":d}", `{"a:b":null "c":"d"}`},
		"a key that ends with a colon":   {"a::\n  b:: c\n", `{"a:":{"b:":"c"}}`},
		"three dots with more":           {"...a: 1\n", `{"...a":#1}`},
		"words for true":                 {"[true, True, TRUE, false]", `[true true true false]`},
		"words of YAML 1.1 for true": {"[yes, no, on, off, y, n, Yes, NO]",
			`["yes" "no" "on" "off" "y" "n" "Yes" "NO"]`},
		"words for null": {"[~, null, Null, NULL, nUll]", `[null null null null "nUll"]`},
		"numbers": {"[1, -1, +1, 0x1e, 1_000, .5, 1.5e+3, 017, 0b11]",
			`[#1 #-1 #1 #30 #1000 #0.5 #1500 #15 #3]`},
		"numbers without an end": {"[.inf, -.inf, .nan]", `[#+Inf #-Inf #NaN]`},
		"no numbers": {"[1:30, 1.2.3, 1e, 0x, \"1\", '2']",
			`["1:30" "1.2.3" "1e" "0x" "1" "2"]`},
		"dates": {"[2001-01-01]", `["2001-01-01"]`},
		"tags": {"[!!str 1, !!int \"5\", !!bool \"true\", !x y, !x {a: 1}, !x [], ! z, " +
			"!!python/name:os.system '']", `["1" #5 true other other other "z" other]`},
		"a tag that is not so": {"[!!float x]", "[other]"},
		"nothing":              {"", "null"},
		"white space":          {"\n \n", "null"},
		"only a comment":       {"# a\n", "null"},
		"only a start":         {"---\n", "null"},
		"a text":               {"a b", `"a b"`},
	} {
		t.Run(name, func(t *testing.T) {
			v, err := Parse(test.doc)
			require.NoError(t, err)
			require.Equal(t, test.want, plain(v))
		})
	}
}

func TestYAMLFaults(t *testing.T) {
	deep := strings.Repeat("[", 65) + strings.Repeat("]", 65)
	for name, test := range map[string]struct {
		doc, text    string
		line, column int
	}{
		"equal keys": {"a: 1\nb: 2\na: 3\n", `the key "a" is here twice; keep one`,
			3, 1},
		"equal keys spelled in two ways": {"{a: 1, \"\\x61\": 2}",
			`the key "a" is here twice; keep one`, 1, 8},
		"equal keys by an alias": {"&x a: 1\n*x : 2\n", `the key "a" is here twice; keep one`,
			2, 1},
		"equal keys, one of them with ?": {"a: 1\n? a\n: 2\n", `the key "a" is here twice; keep one`,
			2, 3},
		"equal keys below": {"x: [{b: &y {k: 1, k: 2}}]",
			`the key "k" is here twice; keep one`, 1, 19},
		"equal keys that a merge hides": {"<<: {k: 1, k: 2}", `the key "k" is here twice; keep one`,
			1, 12},
		"a second document": {"a: 1\n---\nb: 2\n", "a second document; a file has one", 2, 1},
		"a second document behind an empty one": {"---\n# c\n---\na: 1\n", "a second document; a file has one", 3,
			1},
		"a second document that is empty":       {"a: 1\n---\n", "a second document; a file has one", 2, 1},
		"a second document behind an end":       {"a: 1\n...\nb: 2\n", "a second document; a file has one", 3, 4},
		"a second document that cannot be read": {"a: 1\n---\nb: [\n", "a second document; a file has one", 3, 4},
		"a list for a key":                      {"[a]: b\n", "a key must be a word, not a list", 1, 1},
		"a mapping for a key": {"a:\n  ? {b: c}\n  : d\n",
			"a key must be a word, not a mapping", 2, 5},
		"an alias without an anchor": {"a: 1\nb: *x\n", "unknown anchor 'x' referenced", 2, 5},
		"an alias before its anchor": {"a: *x\nb: &x 1\n", "unknown anchor 'x' referenced", 2, 5},
		"an alias within what it stands for": {"a: &x\n  b: [*x]\n",
			"the alias *x is inside of what it refers to", 2, 7},
		"a merge of itself": {"a: &x\n  <<: *x\n",
			"the alias *x is inside of what it refers to", 2, 7},
		"a merge of a number": {"a:\n  <<: 1\n", "<< must be a mapping, not a number", 2, 3},
		"a merge of nothing":  {"a:\n  <<:\n", "<< must be a mapping, not null", 2, 3},
		"a merge of texts":    {"a:\n  <<: [b]\n", "<< must be a mapping, not a string", 2, 3},
		"a tab that indents": {"a:\n\tb: c\n",
			"found character that cannot start any token; use blanks to indent, and quotes for a text that begins " +
				"with it", 2, 3},
		"a tab that indents within a text": {"a: b\n\tc\n",
			"found a tab character that violates indentation", 2, 2},
		"two colons": {"x: 1\na: b: c\n",
			"mapping values are not allowed in this context; a key is one word in one line, a text with a colon and " +
				"a blank needs quotes", 2, 7},
		"another indentation": {"a:\n  b: 1\n c: 2\n",
			"did not find expected key; indent it like its neighbours, and put a text in quotes as a whole", 3, 5},
		"a quote without its end, in the first line": {"a: 'b\nc: d\ne: f\n",
			"a quote that begins in this line has no end", 1, 1},
		"a word without a colon": {"a: 1\nb\nc: 2\nd: 3\n",
			"could not find expected ':'; a key needs a colon and a blank, a text may need quotes", 2, 1},
		"a quote without its end": {"a: 1\nb: 'c\nd: 2\n",
			"a quote that begins in this line has no end", 2, 1},
		"a list without its end": {"a: 1\nb: [c\n", "a list that begins in this line has no ]", 2,
			1},
		"a list that goes on with a key": {"a: [b\nc: d\ne: f\n",
			"a list that begins in this line has no ]", 2, 1},
		"an escape that does not exist": {"a: \"\\z\"\n",
			`found unknown escape character; write \\ for a backslash, or use single quotes`, 1, 7},
		"half a character": {"a: \"\\ud800\"\n",
			"found invalid Unicode character escape code", 1, 10},
		"a directive": {"%YAML 1.1\n---\na: 1\n", "a directive; leave it out", 1, 1},
		"two merge keys": {"a: &a {b: 1}\nc:\n  <<: *a\n  <<: *a\n",
			"the key << is here twice; write one with a list: <<: [*a, *b]", 4, 3},
		"a question mark in brackets": {"[a?b]", "a list that begins in this line has no ]", 1, 1},
		"a colon before a comma": {"{a:, b}",
			"a text that ends with a colon; put a blank behind the colon of a key, or the text in quotes", 1, 2},
		"a list behind a key": {"a: - b\n",
			"block sequence entries are not allowed in this context; begin the list in a line of its own", 1, 6},
		"words behind a quote": {"a: 'b' c\n",
			"did not find expected key; indent it like its neighbours, and put a text in quotes as a whole", 1, 8},
		"a comment within a text": {"a: b\n  # c\n  d\n",
			"did not find expected key; indent it like its neighbours, and put a text in quotes as a whole", 3, 3},
		"a comma too many": {"[a,,b]",
			"did not find expected node content; a value is missing here, or a bracket is never closed", 1, 6},
		"a comma too few": {"['a'\n 'b']", "a list that begins in this line has no ]", 2, 1},
		"a document that ends in brackets": {"a: [b\n---\n", "a list that begins in this line has no ]", 1,
			1},
		"a document that ends in quotes": {"a: 'b\n...\n", "found unexpected document indicator", 2, 3},
		"a line separator": {"a: b # \u2028hooks: c\n",
			"the line separator U+2028; write it as an escape in double quotes", 1, 8},
		"a mark within": {"a: 1\n\ufeffb: 2\n",
			"the character U+FEFF does not belong here; write it as an escape in double quotes", 2, 1},
		"not UTF-8": {"a: é\xff", "not UTF-8; save the file as UTF-8", 1, 5},
		"an anchor of an alias": {"a: &x 1\nb: &y *x\n",
			"did not find expected key; indent it like its neighbours, and put a text in quotes as a whole", 2, 8},
		"an anchor without a name": {"a: &\n",
			"did not find expected alphabetic or numeric character", 1, 4},
		"two anchors": {"a: &x &y 1\n",
			"did not find expected key; indent it like its neighbours, and put a text in quotes as a whole", 1, 10},
		"an empty line that is too wide": {"a: |\n    \n  b\n",
			"did not find expected key; indent it like its neighbours, and put a text in quotes as a whole", 3, 3},
		"text behind a |": {"a: |b\n", "did not find expected comment or line break", 1, 5},
		"a tab behind a dash": {"-\ta: b\n",
			"found character that cannot start any token; use blanks to indent, and quotes for a text that begins " +
				"with it", 1, 4},
		"a long key": {strings.Repeat("é", 1025) + ": b\n",
			"mapping values are not allowed in this context; a key is one word in one line, a text with a colon and " +
				"a blank needs quotes", 1, 1028},
		"a list item too far out": {"a:\n  - b\n - c\n",
			"did not find expected key; indent it like its neighbours, and put a text in quotes as a whole", 3, 4},
		"a lone end": {"...\n",
			"did not find expected node content; a value is missing here, or a bracket is never closed", 1, 3},
		"too few digits": {`"\u12"`, "did not find expected hexdecimal number", 1, 6},
		"no value before a colon": {": a\n",
			"did not find expected key; indent it like its neighbours, and put a text in quotes as a whole", 1, 3},
		"equal keys among many": {"{k1: 1, k2: 1, k3: 1, k4: 1, k5: 1, k6: 1, k7: 1, k8: 1, k9: " +
			"1, ka: 1, kb: 1, kc: 1, kd: 1, ke: 1, kf: 1, kg: 1, kh: 1, k2: 1}",
			`the key "k2" is here twice; keep one`, 1, 121},
		"an @": {"a: @b\n",
			"found character that cannot start any token; use blanks to indent, and quotes for a text that begins " +
				"with it", 1, 5},
		"NUL": {"a: 1\nb: \x00\n",
			"the character U+0000 does not belong here; write it as an escape in double quotes", 2, 4},
		"a bell in quotes": {"a: \"\x07\"\n",
			"the character U+0007 does not belong here; write it as an escape in double quotes", 1, 5},
		"nested too deep": {"a:\n " + deep, "nested more than 64 deep", 2, 66},
		"nested too deep, in lines": {strings.Repeat("- ", 70) + "a", "nested more than 64 deep", 1,
			131},
		"nested too deep for the library": {strings.Repeat("- ", 20_000) + "a",
			"exceeded max depth of 10000", 1, 20003},
		"merges that bring in too much": {"a: &x {b: 1}\nc:\n" + strings.Repeat("- <<: *x\n", 10_001),
			"the merge keys (<<) bring in more than 10000 members", 10003, 3},
		"merges of merges that bring in too much": {doubling(),
			"the merge keys (<<) bring in more than 10000 members", 101, 14},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse(test.doc)
			var fault Fault
			require.ErrorAs(t, err, &fault)
			require.Equal(t, test.text, fault.Text)
			require.Equal(t, [2]int{test.line, test.column}, [2]int{fault.Line, fault.Column})
		})
	}
}

// doubling is mappings that each bring in the one before twice.
func doubling() string {
	var b strings.Builder
	b.WriteString("a0: &a0 {k: 1}\n")
	for i := 1; i < 150; i++ {
		fmt.Fprintf(&b, "a%d: &a%d {<<: [*a%d, *a%d], k%d: 1}\n", i, i, i-1, i-1, i)
	}
	return b.String()
}

// FuzzYAML compares what is accepted with what yaml.v3 itself makes of it: it merges, follows aliases and looks for
// equal keys in its own way.
func FuzzYAML(f *testing.F) {
	for _, doc := range corpus {
		f.Add(doc)
	}
	f.Fuzz(func(t *testing.T, doc string) {
		v, err := Parse(doc)
		lines := 2 + strings.Count(doc, "\n") + strings.Count(doc, "\r") + strings.Count(doc, "\u0085") +
			strings.Count(doc, "\u2028") + strings.Count(doc, "\u2029")
		if fault, ok := err.(Fault); ok {
			require.True(t, 1 <= fault.Line && fault.Line <= lines && 1 <= fault.Column, "%+v", fault)
			return
		}
		require.NoError(t, err)
		difference, _ := compare(doc, v)
		require.Empty(t, difference, "%q", doc)
	})
}
