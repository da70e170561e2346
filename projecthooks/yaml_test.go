package projecthooks

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// plain writes a value without its places: what a document says.
func plain(v *yamlValue) string {
	if v == nil {
		return "null"
	}
	switch v.kind {
	case yamlNull:
		return "null"
	case yamlBool:
		return v.text
	case yamlNumber:
		return "#" + strconv.FormatFloat(v.number, 'g', -1, 64)
	case yamlString:
		return strconv.Quote(v.text)
	case yamlList:
		var items []string
		for _, item := range v.items {
			items = append(items, plain(item))
		}
		return "[" + strings.Join(items, " ") + "]"
	case yamlMap:
		var members []string
		for _, m := range v.members {
			members = append(members, strconv.Quote(m.key)+":"+plain(m.value))
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
		"a start and an end":                {"%YAML 1.1\n---\na: [b, c: 1]\n...\n# x\n", hooks},
		"windows":                           {"a:\r\n  - b\r\n  - c: 1\r\n", hooks},
		"a byte order mark":                 {"\ufeffa: [b, c: 1]", hooks},
		"complex keys":                      {"? a\n: - b\n  - ? c\n    : 1\n", hooks},
		"anchors":                           {"x: &x {c: 1}\na: [b, *x]\n", `{"a":["b" {"c":#1}] "x":{"c":#1}}`},
		"an anchor that stands for another": {"a: &x b\nc: &x d\ne: *x\n", `{"a":"b" "c":"d" "e":"d"}`},
		"an anchor of nothing":              {"a: &x\nb: *x\n", `{"a":null "b":null}`},
		"an anchor of a key":                {"&x a: b\nc: *x\n", `{"a":"b" "c":"a"}`},
		"a merge":                           {"x: &x {a: 1, b: 2}\ny: {b: 3, <<: *x}\n", `{"x":{"a":#1 "b":#2} "y":{"a":#1 "b":#3}}`},
		"several merges":                    {"x: &x {a: 1}\ny: &y {a: 2, b: 3}\nz: {<<: [*x, *y]}\n", `{"x":{"a":#1} "y":{"a":#2 "b":#3} "z":{"a":#1 "b":#3}}`},
		"a merge of a merge":                {"x: &x {a: 1}\ny: &y {<<: *x}\nz: {<<: *y}\n", `{"x":{"a":#1} "y":{"a":#1} "z":{"a":#1}}`},
		"a merge key in quotes is a key":    {"\"<<\": {a: 1}\n", `{"<<":{"a":#1}}`},
		"quotes":                            {"'a': \"b\\tc\\x41\\u00e9\"\n\"d\": 'it''s'\n", `{"a":"b\tcAé" "d":"it's"}`},
		"quoted over lines":                 {"a: \"b\n  c\n\n  d\"\n", `{"a":"b c\nd"}`},
		"plain over lines":                  {"a: b\n  c\n\n  d\n", `{"a":"b c\nd"}`},
		"literal":                           {"a: |\n  b\n   c # d\n\n  e: f\n", `{"a":"b\n c # d\n\ne: f\n"}`},
		"literal without its end":           {"a: |-\n  b\n", `{"a":"b"}`},
		"folded":                            {"a: >\n  b\n  c\n\n  d\n", `{"a":"b c\nd\n"}`},
		"tabs within a text":                {"a: b\tc\n", `{"a":"b\tc"}`},
		"tabs behind a colon":               {"a:\tb\n", `{"a":"b"}`},
		"blanks behind a line of a text":    {"a: |\n  b \n", `{"a":"b \n"}`},
		"a colon without a blank":           {"{a:b, \"c\":d}", `{"a:b":null "c":"d"}`},
		"three dots with more":              {"...a: 1\n", `{"...a":#1}`},
		"words for true":                    {"[true, True, TRUE, false]", `[true true true false]`},
		"words of YAML 1.1 for true":        {"[yes, no, on, off, y, n, Yes, NO]", `["yes" "no" "on" "off" "y" "n" "Yes" "NO"]`},
		"words for null":                    {"[~, null, Null, NULL, nUll]", `[null null null null "nUll"]`},
		"numbers":                           {"[1, -1, +1, 0x1e, 1_000, .5, 1.5e+3, 017, 0b11]", `[#1 #-1 #1 #30 #1000 #0.5 #1500 #15 #3]`},
		"numbers without an end":            {"[.inf, -.inf, .nan]", `[#+Inf #-Inf #NaN]`},
		"no numbers":                        {"[1:30, 1.2.3, 1e, 0x, \"1\", '2']", `["1:30" "1.2.3" "1e" "0x" "1" "2"]`},
		"dates":                             {"[2001-01-01]", `["2001-01-01"]`},
		"tags":                              {"[!!str 1, !!int \"5\", !!bool \"true\", !x y, !x {a: 1}, !x [], ! z, !!python/name:os.system '']", `["1" #5 true other other other "z" other]`},
		"a tag that is not so":              {"[!!float x]", "[other]"},
		"nothing":                           {"", "null"},
		"white space":                       {"\n \n", "null"},
		"only a comment":                    {"# a\n", "null"},
		"only a start":                      {"---\n", "null"},
		"a text":                            {"a b", `"a b"`},
	} {
		t.Run(name, func(t *testing.T) {
			v, err := parseYAML(test.doc)
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
		"equal keys":                              {"a: 1\nb: 2\na: 3\n", `the key "a" stands here twice; keep one`, 3, 1},
		"equal keys spelled in two ways":          {"{a: 1, \"\\x61\": 2}", `the key "a" stands here twice; keep one`, 1, 8},
		"equal keys by an alias":                  {"&x a: 1\n*x : 2\n", `the key "a" stands here twice; keep one`, 2, 1},
		"equal keys, one of them with ?":          {"a: 1\n? a\n: 2\n", `the key "a" stands here twice; keep one`, 2, 3},
		"equal keys below":                        {"x: [{b: &y {k: 1, k: 2}}]", `the key "k" stands here twice; keep one`, 1, 19},
		"equal keys that a merge hides":           {"<<: {k: 1, k: 2}", `the key "k" stands here twice; keep one`, 1, 12},
		"a second document":                       {"a: 1\n---\nb: 2\n", "a second document; a file has one", 2, 1},
		"a second document behind an empty one":   {"---\n# c\n---\na: 1\n", "a second document; a file has one", 3, 1},
		"a second document that is empty":         {"a: 1\n---\n", "a second document; a file has one", 2, 1},
		"a second document behind an end":         {"a: 1\n...\nb: 2\n", "did not find expected <document start>", 3, 1},
		"a second document that cannot be read":   {"a: 1\n---\nb: [\n", "did not find expected node content", 3, 4},
		"a list for a key":                        {"[a]: b\n", "a key must be a word, not a list", 1, 1},
		"a mapping for a key":                     {"a:\n  ? {b: c}\n  : d\n", "a key must be a word, not a mapping", 2, 5},
		"an alias without an anchor":              {"a: 1\nb: *x\n", "unknown anchor 'x' referenced", 2, 4},
		"an alias before its anchor":              {"a: *x\nb: &x 1\n", "unknown anchor 'x' referenced", 1, 4},
		"an alias within what it stands for":      {"a: &x\n  b: [*x]\n", "the alias *x stands within what it stands for", 2, 7},
		"a merge of itself":                       {"a: &x\n  <<: *x\n", "the alias *x stands within what it stands for", 2, 7},
		"a merge of a number":                     {"a:\n  <<: 1\n", "<< must be a mapping, not a number", 2, 7},
		"a merge of nothing":                      {"a:\n  <<:\n", "<< must be a mapping, not null", 2, 6},
		"a merge of texts":                        {"a:\n  <<: [b]\n", "<< must be a mapping, not a string", 2, 7},
		"a tab that indents":                      {"a:\n\tb: c\n", "found character that cannot start any token", 2, 1},
		"a tab that indents within a text":        {"a: b\n\tc\n", "found a tab character that violates indentation", 2, 1},
		"two colons":                              {"x: 1\na: b: c\n", "mapping values are not allowed in this context", 2, 5},
		"another indentation":                     {"a:\n  b: 1\n c: 2\n", "did not find expected key", 3, 2},
		"a quote without its end":                 {"a: 1\nb: 'c\nd: 2\n", "found unexpected end of stream", 2, 1},
		"a list without its end":                  {"a: 1\nb: [c\n", "did not find expected ',' or ']'", 2, 4},
		"a list that goes on with a key":          {"a: [b\nc: d\ne: f\n", "did not find expected ',' or ']'", 3, 1},
		"an escape that does not exist":           {"a: \"\\z\"\n", "found unknown escape character", 1, 4},
		"half a character":                        {"a: \"\\ud800\"\n", "found invalid Unicode character escape code", 1, 4},
		"an @":                                    {"a: @b\n", "found character that cannot start any token", 1, 4},
		"NUL":                                     {"a: 1\nb: \x00\n", "control characters are not allowed", 2, 1},
		"a bell in quotes":                        {"a: \"\x07\"\n", "control characters are not allowed", 1, 1},
		"nested too deep":                         {"a:\n " + deep, "nested more than 64 deep", 2, 65},
		"nested too deep, in lines":               {strings.Repeat("- ", 70) + "a", "nested more than 64 deep", 1, 131},
		"nested too deep for the library":         {strings.Repeat("- ", 20_000) + "a", "exceeded max depth of 10000", 1, 19_000},
		"merges that bring in too much":           {"a: &x {b: 1}\nc:\n" + strings.Repeat("- <<: *x\n", 10_001), "the merge keys (<<) bring in more than 10000 members", 10_003, 7},
		"merges of merges that bring in too much": {doubling(), "the merge keys (<<) bring in more than 10000 members", 101, 18},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parseYAML(test.doc)
			var fault yamlFault
			require.ErrorAs(t, err, &fault)
			require.Equal(t, test.text, fault.text)
			require.Equal(t, test.line, fault.line)
			// Of a fault of syntax the column is where the library stopped to read: near it, behind it.
			require.GreaterOrEqual(t, fault.column, test.column)
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

// TestYAMLExpansion: aliases of aliases stand for more than a memory holds, and cost nothing while nobody writes them out.
func TestYAMLExpansion(t *testing.T) {
	var b strings.Builder
	b.WriteString("a0: &a0 [b, b, b, b]\n")
	for i := 1; i < 60; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [*a%d, *a%d, *a%d, *a%d]\n", i, i, i-1, i-1, i-1, i-1)
	}
	b.WriteString("hooks:\n  PreToolUse:\n  - handler: m.f\n")
	cfg, err := Parse("f.yaml", []byte(b.String()))
	require.NoError(t, err)
	require.Len(t, cfg.Hooks, 1)
}

// FuzzYAML compares what is accepted with what yaml.v3 itself makes of it: it merges, follows aliases and looks for equal keys
// in its own way.
func FuzzYAML(f *testing.F) {
	for _, doc := range []string{
		"hooks:\n  PreToolUse:\n  - handler: m.f\n    fail_closed: true # Deny\n", "a: &x {b: [c, 'd', \"e\"]}\nf: {<<: *x, b: 1}\n",
		"a: |\n  x\n\n   y\nb: >-\n z\n", "? a\n: b\n", "--- # x\na: !!str 1\n...\n", "- - a\n  - {b: c}\n-\n  d: e\n", "a: 0x1e\nb: ~\nc: yes\n",
		"a: &x [1]\nb: [*x, *x]\n", "<<: [{a: 1}, {a: 2, b: 3}]\n", "1: a\n\"1\": b\n", "a: 1\n---\nb: 2\n", "agents:\n- id: a\n  backend: {hooks: {PostToolUse: {override: true, hooks: [handler: m.f]}}}\n",
		"&x a: b\n*x : c\n", "a: &x {b: &x 1}\nc: *x\n",
	} {
		f.Add(doc)
	}
	f.Fuzz(func(t *testing.T, doc string) {
		v, err := parseYAML(doc)
		lines := 2 + strings.Count(doc, "\n") + strings.Count(doc, "\r") + strings.Count(doc, "\u0085") + strings.Count(doc, "\u2028") + strings.Count(doc, "\u2029")
		if fault, ok := err.(yamlFault); ok {
			require.NotContains(t, fault.text, "this YAML cannot be read")
			require.True(t, 1 <= fault.line && fault.line <= lines && 1 <= fault.column, "%+v", fault)
			return
		}
		require.NoError(t, err)
		if _, err := Parse("f.yaml", []byte(doc)); err != nil {
			for _, p := range err.(Problems) {
				require.True(t, 1 <= p.Line && p.Line <= lines && 1 <= p.Column, "%+v", p)
			}
		}
		var want any
		if err := yaml.Unmarshal([]byte(doc), &want); err != nil {
			return // it is stricter, as with a tag that does not fit; nobody asks for such values
		}
		requireSame(t, want, v)
	})
}

// requireSame compares a value with yaml.v3's. Where that has a type that hooks have none of, nothing is to be compared.
func requireSame(t *testing.T, want any, got *yamlValue) {
	t.Helper()
	switch want := want.(type) {
	case nil:
		require.Equal(t, "null", plain(got))
	case bool:
		require.Equal(t, strconv.FormatBool(want), plain(got))
	case string:
		if got.kind != yamlOther { // !!binary, or a tag of its own
			require.Equal(t, strconv.Quote(want), plain(got))
		}
	case int, int64, uint64, float64:
		require.Equal(t, yamlNumber, got.kind)
		n, err := strconv.ParseFloat(fmt.Sprint(want), 64)
		require.NoError(t, err)
		require.True(t, n == got.number || math.IsNaN(n) && math.IsNaN(got.number), "%v, not %v", n, got.number)
	case []any:
		if got.kind == yamlList {
			require.Len(t, got.items, len(want))
			for i := range want {
				requireSame(t, want[i], got.items[i])
			}
			return
		}
		require.Equal(t, yamlOther, got.kind)
	case map[string]any:
		if got.kind == yamlMap {
			require.Len(t, got.members, len(want))
			for _, m := range got.members {
				require.Contains(t, want, m.key)
				requireSame(t, want[m.key], m.value)
			}
			return
		}
		require.Equal(t, yamlOther, got.kind)
	case map[any]any:
		if got.kind == yamlMap { // 0 and 00 are one key there
			require.GreaterOrEqual(t, len(got.members), len(want))
		}
	}
}

// pyYAML answers each line of JSON, a document, with what MassGen's parser makes of it, or with null.
const pyYAML = `
import json, sys, yaml

def plain(v):
    if v is None: return "null"
    if isinstance(v, bool): return "true" if v else "false"
    if isinstance(v, (int, float)): return ["number", repr(float(v))]
    if isinstance(v, str): return ["string", v]
    if isinstance(v, list): return ["list", [plain(i) for i in v]]
    if isinstance(v, dict): return ["mapping", {k: plain(i) for k, i in v.items()}] if all(isinstance(k, str) for k in v) else "other keys"
    return "other"

for line in sys.stdin:
    try:
        print(json.dumps({"value": plain(yaml.safe_load(json.loads(line)))}), flush=True)
    except RecursionError:
        print("null", flush=True)
    except Exception as e:
        print("null", flush=True)
`

// TestYAMLAsMassGen compares with PyYAML, MassGen's parser, on random documents: where both accept one, they must see the same
// keys and lists, and the same texts, but for words of YAML 1.1 that ours takes for texts.
func TestYAMLAsMassGen(t *testing.T) {
	if out, err := exec.Command("python3", "-c", "import yaml").CombinedOutput(); err != nil {
		t.Skipf("PyYAML is missing: %s", out)
	}
	python := exec.Command("python3", "-c", pyYAML)
	stdin, err := python.StdinPipe()
	require.NoError(t, err)
	stdout, err := python.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, python.Start())
	t.Cleanup(func() { stdin.Close(); _ = python.Wait() })
	answers := bufio.NewReader(stdout)
	r := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"a", "b", ": ", ":", "- ", "-", "\n", "\n  ", "\n ", "  ", " ", "[", "]", "{", "}", ", ", "'", "\"", "# c", " # c", "|", ">", "|-", "\n\n",
		"&x ", "*x", "? ", "---\n", "...", "!!str ", "1", "x y", "\t", "\r\n", "~", "hooks", "<<", "<<: ", "%", "\\n", "!t ", "yes", "1e3", "a: 1\n", "- a\n", "é", "\ufeff", "\u2028", "\x07"}
	both := 0
	for n := 0; n < 4000; n++ {
		var b strings.Builder
		for range 2 + r.IntN(9) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		doc := strings.TrimLeft(b.String(), "\ufeff") // of two byte order marks Python skips one only
		v, err := parseYAML(doc)
		if err != nil {
			continue // loud
		}
		line, err := json.Marshal(doc)
		require.NoError(t, err)
		_, err = stdin.Write(append(line, '\n'))
		require.NoError(t, err)
		answer, err := answers.ReadBytes('\n')
		require.NoError(t, err)
		var theirs *struct{ Value any }
		require.NoError(t, json.Unmarshal(answer, &theirs))
		if theirs != nil {
			both++
			requireAsMassGen(t, doc, theirs.Value, v)
		}
	}
	require.Greater(t, both, 500)
	require.NoError(t, stdin.Close())
	_, _ = io.Copy(io.Discard, stdout)
}

func requireAsMassGen(t *testing.T, doc string, want any, v *yamlValue) {
	t.Helper()
	switch want := want.(type) {
	case string:
		if want == "null" {
			require.Equal(t, want, plain(v), "%q", doc)
		}
		if want == "true" && v.kind == yamlString {
			require.Contains(t, []string{"yes", "on", "Yes", "On", "YES", "ON"}, v.text, "%q", doc)
		}
	case []any:
		switch want[0] {
		case "string":
			if v.kind != yamlNumber { // 1e3
				require.Equal(t, strconv.Quote(want[1].(string)), plain(v), "%q", doc)
			}
		case "list":
			require.Equal(t, yamlList, v.kind, "%q", doc)
			items := want[1].([]any)
			require.Len(t, v.items, len(items), "%q", doc)
			for i := range items {
				requireAsMassGen(t, doc, items[i], v.items[i])
			}
		case "mapping":
			require.Equal(t, yamlMap, v.kind, "%q", doc)
			members := want[1].(map[string]any)
			require.Len(t, v.members, len(members), "%q", doc)
			for _, m := range v.members {
				require.Contains(t, members, m.key, "%q", doc)
				requireAsMassGen(t, doc, members[m.key], m.value)
			}
		}
	}
}
