package toml_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/toml"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// read is a document as JSON, or why it is refused.
func read(doc string) (text string, fault string) {
	top, err := toml.Parse(doc)
	if err != nil {
		return "", err.Error()
	}
	b, _, err := top.AppendJSON(nil, nil)
	if err != nil {
		return "", err.Error()
	}
	return string(b), ""
}

var accepted = []struct{ name, doc, want string }{
	{"nothing", "", `{}`},
	{"blank lines and comments", " \t\n# a\r\n\n\t# b", `{}`},
	{"keys", "a = 1\nb-_3 = 2\n\"c d\" = 3\n'e\"' = 4\n3 = 5\n\"\" = 6", `{"a":1,"b-_3":2,"c d":3,"e\"":4,"3":5,"":6}`},
	{"dotted keys", "a.b.c = 1\na . b . d = 2\na.\"e.f\" = 3", `{"a":{"b":{"c":1,"d":2},"e.f":3}}`},
	{"strings", `a = "x\t\"\\\u00e9\U0001F600"` + "\nb = 'C:\\x'\nc = \"\"\nd = ''",
		`{"a":"x\t\"\\é😀","b":"C:\\x","c":"","d":""}`},
	{"strings of lines",
		"a = \"\"\"\nx\n  y\\\n   \n  z\"\"\"\nb = '''\r\nx\\\r\ny'''\nc = \"\"\"a\"\"b\"\"\"\"\"\nd = ''''x'''''",
		`{"a":"x\n  yz","b":"x\\\ny","c":"a\"\"b\"\"","d":"'x''"}`},
	{"integers", "a = +1\nb = -17\nc = 1_000\nd = 0xDead_beef\ne = 0o17\nf = 0b11\ng = 0\nh = -0",
		`{"a":1,"b":-17,"c":1000,"d":3735928559,"e":15,"f":3,"g":0,"h":0}`},
	{"the largest integers", "a = 9223372036854775807\nb = -9223372036854775808",
		`{"a":9223372036854775807,"b":-9223372036854775808}`},
	{"floats", "a = 3.0\nb = -0.5\nc = 1e3\nd = 6.02_2E+2\ne = +1.5e-1",
		`{"a":3.0,"b":-0.5,"c":1e3,"d":6.022E+2,"e":1.5e-1}`},
	{"words", "a = true\nb = false", `{"a":true,"b":false}`},
	{"arrays", "a = []\nb = [1, 'x', [2],]\nc = [ # one\n  1, # two\n  2\n]", `{"a":[],"b":[1,"x",[2]],"c":[1,2]}`},
	{"inline tables", "a = {}\nb = {x = 1, y.z = 2, y.w = {}}\nc = [{a = 1}, {a = 2}]",
		`{"a":{},"b":{"x":1,"y":{"z":2,"w":{}}},"c":[{"a":1},{"a":2}]}`},
	{"tables", "x = 1\n[a]\ny = 2\n[ b . \"c d\" ] # c\nz = 3\n[a.d]\nw = 4",
		`{"x":1,"a":{"y":2,"d":{"w":4}},"b":{"c d":{"z":3}}}`},
	{"a table after one inside it", "[a.b]\nx = 1\n[a]\ny = 2\n[a.b.c]", `{"a":{"b":{"x":1,"c":{}},"y":2}}`},
	{"a table inside a dotted one", "[a]\nb.c = 1\n[a.b.d]\nx = 2", `{"a":{"b":{"c":1,"d":{"x":2}}}}`},
	{"inline tables of several lines", "a = {\n x = 1, # one\n y = 2,\n}", `{"a":{"x":1,"y":2}}`},
	{"escapes of TOML 1.1", `a = "\x41\e"`, `{"a":"A\u001b"}`},
	{"arrays of tables", "[[a]]\nx = 1\n[[a]]\n[[a.b]]\ny = 2\n[a.c]\nz = 3\n[[a.b]]\ny = 4",
		`{"a":[{"x":1},{"b":[{"y":2},{"y":4}],"c":{"z":3}}]}`},
	{"hooks of Codex",
		"[[hooks.PreToolUse]]\nmatcher = \"^Bash$\"\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = " +
			"'./x.sh'\ntimeout = 30\n",
		`{"hooks":{"PreToolUse":[{"matcher":"^Bash$","hooks":[{"type":"command","command":"./x.sh","timeout":30}]}]}}`},
}

func TestAccepted(t *testing.T) {
	for _, test := range accepted {
		t.Run(test.name, func(t *testing.T) {
			got, fault := read(test.doc)
			require.Empty(t, fault)
			require.Equal(t, test.want, got)
		})
	}
}

var refused = []struct {
	doc  string
	at   int
	want string
}{
	{"a", 0, "expected '=' after key"},
	{"a = ", 3, "expected value, not end of input"},
	{"a = \n1", 4, "unexpected character U+000A at start of value"},
	{"= 1", 0, "invalid character at start of key: U+003D '='"},
	{"a = 1 b = 2", 6, "expected newline but got U+0062 'b'"},
	{"a = 1\na = 2", 6, "key a is already defined"},
	{"a.b = 1\na = 2", 8, "key a is already defined"},
	{"a = 1\na.b = 2", 6, "key a is already defined"},
	{"[a]\n[a]", 5, "table a already exists"},
	{"[a]\n[[a]]", 6, "key a already exists as a table, but should be an array table"},
	{"[[a]]\n[a]", 7, "table a already exists as an array of tables"},
	{"[a]\nb.c = 1\n[a.b]", 13, "table b already exists as defined by a dotted key"},
	{"[a.b]\n[a]\nb.c = 1", 10, "key b is already defined"},
	{"a.b = 1\n[x]\n[a]", 13, "table a already exists as defined by a dotted key"},
	{"a = {}\n[a.b]", 8, "key a already exists as a value"},
	{"a = {b.c = 1}\na.b.d = 2", 14, "key a is already defined"},
	{"a = {b.c = {}}\n[a.b.d]", 16, "key a already exists as a value"},
	{"a = {b = {}, b.c = 1}", 0, "key b is already defined"},
	{"a = [{}]\n[a.b]", 10, "key a already exists as a value"},
	{"a = [{}]\n[[a]]", 11, "key a already exists as a value, but should be an array table"},
	{"[a]\nb = 1\n[a.b.c]", 11, "key b already exists as a value"},
	{"[a", 1, "expected ']' to close table name"},
	{"[[a]", 3, "expected ']]' to close array table name"},
	{"[]", 1, "invalid character at start of key: U+005D ']'"},
	{"[a.]", 3, "invalid character at start of key: U+005D ']'"},
	{"a = [1 2]", 7, "expected ',' or ']' after array value"},
	{"a = [,]", 5, "expected value but got U+002C ','"},
	{"a = \"x", 5, "unterminated basic string"},
	{"a = \"x\ny\"", 6, "basic strings cannot have new lines"},
	{"a = \"\\", 5, `need a character after \`},
	{"a = \"\\ud800\"", 5, "escape sequence is not a valid unicode code point"},
	{"a = \"\\U0011FFFF\"", 5, "escape sequence is not a valid unicode code point"},
	{"a = \"\\u+123\"", 7, "invalid hexadecimal digit in unicode escape sequence"},
	{"a = 1\nb = '''x\ny\n", 10, "multiline literal string not terminated by '''"},
	{"a = 'x\x00'", 6, "literal strings cannot have control characters"},
	{"a = 1 # \x01", 8, "control characters are not allowed in comments"},
	{"a = 1\rb = 2", 5, "expected newline but got U+000D"},
	{"a = x", 4, "unexpected character U+0078 'x' at start of value"},
	{"a = True", 4, "unexpected character U+0054 'T' at start of value"},
	{"a = 01", 4, "integers cannot have leading zeroes"},
	{"a = 1_", 5, "number must have at least one digit between underscores"},
	{"a = 1__0", 5, "number must have at least one digit between underscores"},
	{"a = 1.", 5, "decimal point must be followed by a digit"},
	{"a = .5", 4, "unexpected character U+002E '.' at start of value"},
	{"a = +-1", 5, "expected digit but got U+002D '-'"},
	{"a = 0x", 4, "radix prefix must be followed by at least one digit"},
	{"a = +0x1", 4, "sign is not allowed on numbers with a radix prefix"},
	{"a = 9223372036854775808", 4, "decimal number is too large to fit in a 64-bit signed integer"},
	{"a = 2026-13-01", 9, "impossible date"},
	{"a = 7:00:00", 5, "expected newline but got U+003A ':'"},
	{"\"\"\"a\"\"\" = 1", 2, "expected '=' after key"},
}

func TestRefused(t *testing.T) {
	for _, test := range refused {
		t.Run(test.doc, func(t *testing.T) {
			_, err := toml.Parse(test.doc)
			require.Equal(t, toml.Fault{Offset: test.at, Text: test.want}, err)
		})
	}
	// tomllib lets a dotted key add to a table that a header named, which the specification forbids.
	_, err := toml.Parse("[a.b.c]\nx = 1\n[a]\nb.d = 2")
	require.Equal(t, toml.Fault{Offset: 18, Text: "key b is already defined"}, err)
	_, err = toml.Parse(strings.Repeat("\n[[a]]", 10_001))
	require.Equal(t, toml.Fault{Offset: 0, Text: "more than 10000 tables"}, err)
	deep := strings.Repeat("[", 65) + strings.Repeat("]", 65)
	_, err = toml.Parse("a = " + deep)
	require.Equal(t, toml.Fault{Offset: 68, Text: "nested more than 64 deep"}, err)
	_, err = toml.Parse("a" + strings.Repeat(".a", 64) + " = 1")
	require.Equal(t, toml.Fault{Offset: 128, Text: "a key of more than 64 parts"}, err)
}

// TestOther: what JSON has nothing for is a value like others, until somebody wants it.
func TestOther(t *testing.T) {
	for _, text := range []string{"2026-01-02", "07:32:00", "07:32:00.999", "2026-01-02T03:04:05",
		"2026-01-02 03:04:05Z", "2026-01-02t03:04:05.5+07:00", "inf", "-inf", "+nan"} {
		top, err := toml.Parse("a = " + text + " # c\nb = 1")
		require.NoError(t, err, text)
		require.Equal(t, toml.Other, top.Get("a").Kind, text)
		require.Equal(t, text, top.Get("a").Text)
		_, _, err = top.AppendJSON(nil, nil)
		require.Equal(t, toml.Fault{Offset: 4, Text: text +
			" has no place here: no field is a date, a time or no number"}, err)
		_, _, err = top.Get("b").AppendJSON(nil, nil)
		require.NoError(t, err)
	}
}

// TestOrigins: each key and value of the JSON is known by its place in the document.
func TestOrigins(t *testing.T) {
	const doc = "x = 1\n[[a.b]]\n\"k\" = ['v', {z=true}]\n"
	top, err := toml.Parse(doc)
	require.NoError(t, err)
	text, from, err := top.AppendJSON([]byte("__"), nil)
	require.NoError(t, err)
	var places []string
	for _, o := range from {
		places = append(places, string(text[o.JSON:min(o.JSON+3, len(text))])+" "+doc[o.Doc:min(o.Doc+3, len(doc))])
	}
	require.Equal(t, []string{`{"x x =`, `"x" x =`, `1," 1` + "\n[", `"a" a.b`, `{"b a.b`, `"b" b]]`, `[{" [[a`,
		`{"k [[a`, `"k" "k"`, `["v ['v`, `"v" 'v'`, `{"z {z=`, `"z" z=t`, `tru tru`}, places)
}

// tomllib reads documents with Python's own reader: their JSON, or null.
func tomllib(t testing.TB, docs []string) []json.RawMessage {
	t.Helper()
	if err := exec.Command("python3", "-c", "import tomllib").Run(); err != nil {
		t.Skip("there is no python3 with tomllib")
	}
	const program = `
import json, sys, tomllib
def plain(v):
    if isinstance(v, dict): return {k: plain(x) for k, x in v.items()}
    if isinstance(v, list): return [plain(x) for x in v]
    if isinstance(v, float) and v - v != 0: return "?"
    return v if isinstance(v, (str, int, float, bool)) else "?"
out = []
for doc in json.load(sys.stdin):
    try: out.append(plain(tomllib.loads(doc)))
    except ValueError: out.append(None)
json.dump(out, sys.stdout)
`
	in, err := json.Marshal(docs)
	require.NoError(t, err)
	cmd := exec.Command("python3", "-c", program)
	cmd.Stdin = bytes.NewReader(in)
	out, err := cmd.Output()
	require.NoError(t, err)
	var all []json.RawMessage
	require.NoError(t, json.Unmarshal(out, &all))
	return all
}

// plain is a value as tomllib's is printed.
func plain(v *toml.Value) any {
	switch v.Kind {
	case toml.String:
		return v.Text
	case toml.Number, toml.Bool:
		return json.RawMessage(v.Text)
	case toml.Array:
		items := []any{}
		for _, item := range v.Items {
			items = append(items, plain(item))
		}
		return items
	case toml.Table:
		members := map[string]any{}
		for _, m := range v.Members {
			members[m.Key] = plain(m.Value)
		}
		return members
	}
	return "?"
}

// alike holds documents against tomllib: both refuse one, or read the same.
func alike(t testing.TB, docs []string) {
	for i, want := range tomllib(t, docs) {
		top, err := toml.Parse(docs[i])
		if string(want) == "null" {
			// tomllib knows TOML 1.0. 1.1 has \e and \x, times without seconds, and inline tables of several lines or
			// with a last comma.
			if !strings.Contains(docs[i], `\e`) && !strings.Contains(docs[i], `\x`) && !strings.Contains(docs[i], "{") {
				require.Error(t, err, "%q", docs[i])
			}
			continue
		}
		if err != nil && strings.Contains(err.Error(), "already defined") && strings.Contains(docs[i], "[") &&
			strings.Contains(docs[i], ".") {
			continue // tomllib lets a dotted key add to a table that a header named, which the specification forbids
		}
		require.NoError(t, err, "%q", docs[i])
		got, err := json.Marshal(plain(top))
		require.NoError(t, err)
		require.JSONEq(t, string(want), string(got), "%q", docs[i])
	}
}

// TestAlike reads what Python reads as Python does, and what is made of it by cutting, doubling and swapping.
func TestAlike(t *testing.T) {
	var docs, seeds, spoilt []string
	for _, test := range accepted {
		seeds = append(seeds, test.doc)
	}
	for _, test := range refused {
		seeds = append(seeds, test.doc)
	}
	for _, seed := range seeds {
		docs = append(docs, seed)
		for i := range len(seed) {
			for _, put := range []string{"", "\n", "=", "\"", "'", "[", "]", "{", "}", ".", ",", "#", "_", "0", "e",
				"\\", " "} {
				spoilt = append(spoilt, seed[:i]+put+seed[i:], seed[:i]+put+seed[i+1:])
			}
		}
	}
	docs = append(docs, testall.Part(9, spoilt)...) // 9 meets each place and each text that is put there
	var valid []string
	for _, doc := range docs {
		// Python's integers have no end
		if !strings.Contains(doc, "92233") && !strings.Contains(doc, "580") && strings.ToValidUTF8(doc, "") == doc {
			valid = append(valid, doc)
		}
	}
	alike(t, valid)
}

func FuzzParse(f *testing.F) {
	for _, test := range accepted {
		f.Add(test.doc)
	}
	for _, test := range refused {
		f.Add(test.doc)
	}
	f.Fuzz(func(t *testing.T, doc string) {
		top, err := toml.Parse(doc)
		if err != nil {
			at := err.(toml.Fault).Offset
			require.True(t, 0 <= at && at <= len(doc))
			return
		}
		text, from, err := top.AppendJSON(nil, nil)
		if err != nil {
			return
		}
		require.True(t, json.Valid(text), "%s", text)
		for i := 1; i < len(from); i++ {
			require.Greater(t, from[i].JSON, from[i-1].JSON)
		}
	})
}

func TestPlaceOfAnOrigin(t *testing.T) {
	from := toml.Origins{{JSON: 8, Doc: 50}, {JSON: 20, Doc: 3}}
	for at, want := range map[int]int{0: 50, 8: 50, 9: 50, 19: 50, 20: 3, 99: 3} {
		require.Equal(t, want, from.Of(at), at)
	}
	require.Equal(t, 7, toml.Origins(nil).Of(7))
}
