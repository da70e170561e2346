package yaml

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	oracle "go.yaml.in/yaml/v3"

	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// onlyV3 matches texts that are numbers to yaml.v3 alone, such as 0b-1.
var onlyV3 = regexp.MustCompile(`^[-+]?0[bo][-+]`)

// differs compares a value with yaml.v3's, and says where they are not alike. Merge keys it knows nothing of: they are
// compared by decoding, and by PyYAML.
func differs(want *oracle.Node, got *Value, seen map[*oracle.Node]bool) string {
	for want.Kind == oracle.AliasNode {
		want = want.Alias
	}
	if seen[want] || got.Kind == Other {
		return ""
	}
	seen[want] = true
	text := fmt.Sprintf("%d:%d: %s %q, not %s %q", got.Line, got.Column, got.Kind, got.Text, want.ShortTag(),
		want.Value)
	switch want.Kind {
	case oracle.ScalarNode:
		kind := String
		switch want.ShortTag() {
		case "!!null":
			kind = Null
		case "!!bool":
			kind = Bool
		case "!!int", "!!float":
			kind = Number
		}
		var n float64
		switch {
		case kind != got.Kind, kind != Bool && want.Value != got.Text, kind == Bool &&
			strings.ToLower(want.Value) != got.Text:
			if kind == Number && got.Kind == String && onlyV3.MatchString(want.Value) && want.Value == got.Text {
				return ""
			}
			return text
		case kind == Number && want.Decode(&n) == nil && n != got.Number && !math.IsNaN(n):
			return fmt.Sprint(text, n, got.Number)
		}
	case oracle.SequenceNode:
		if got.Kind != List || len(want.Content) != len(got.Items) {
			return text
		}
		for i, item := range want.Content {
			if d := differs(item, got.Items[i], seen); d != "" {
				return d
			}
		}
	case oracle.MappingNode:
		if got.Kind != Map {
			return text
		}
		n := 0
		for i := 0; i+1 < len(want.Content); i += 2 {
			key := want.Content[i]
			if key.ShortTag() == "!!merge" {
				continue
			}
			if n >= len(got.Members) {
				return text + ": a member is missing"
			}
			if d := differs(key, got.Members[n].At, map[*oracle.Node]bool{}); d != "" {
				return d
			}
			if d := differs(want.Content[i+1], got.Members[n].Value, seen); d != "" {
				return d
			}
			n++
		}
		if n < len(got.Members) && !strings.Contains(fmt.Sprint(tags(want)), "!!merge") {
			return text + ": more members"
		}
	}
	return ""
}

func tags(mapping *oracle.Node) (all []string) {
	for i := 0; i < len(mapping.Content); i += 2 {
		all = append(all, mapping.Content[i].ShortTag())
	}
	return all
}

// compare says where a document that was accepted reads differently in yaml.v3, and whether that reads it at all.
func compare(doc string, got *Value) (difference string, read bool) {
	var top oracle.Node
	if err := oracle.Unmarshal([]byte(doc), &top); err != nil {
		return "", false
	}
	if top.Kind == 0 || got == nil {
		if got == nil && top.Kind == 0 || got != nil && got.Kind == Null {
			return "", true
		}
		return "one is empty", true
	}
	return differs(top.Content[0], got, map[*oracle.Node]bool{}), true
}

// python answers each line of JSON, a document, with what PyYAML and libyaml make of it: null where they refuse it.
const python = `
import json, sys, yaml

def plain(v):
    if v is None: return ["null"]
    if isinstance(v, bool): return ["bool", v]
    if isinstance(v, (int, float)):
        try: return ["number", repr(float(v))]
        except OverflowError: return ["other"]
    if isinstance(v, str): return ["string", v]
    if isinstance(v, list): return ["list", [plain(i) for i in v]]
    if isinstance(v, dict): return ["mapping", [[plain(k), plain(i)] for k, i in v.items()]]
    return ["other"]

def load(doc, loader):
    try: return plain(yaml.load(doc, loader))
    except Exception: return None
    except RecursionError: return None

for line in sys.stdin:
    doc = json.loads(line)
    print(json.dumps([load(doc, yaml.SafeLoader), load(doc, yaml.CSafeLoader)]), flush=True)
`

var (
	only11 = regexp.MustCompile(`^([-+]?[0-9_]+(:[0-5]?[0-9])+(\.[0-9_]*)?|[0-9]{4}-[0-9]+-[0-9]+.*|[-+]?0b[01_]*|` +
		`0x_*|[-+]?[0-9][0-9_]*\.[0-9_]*([eE][-+][0-9]+)?|\.[0-9][0-9_]*|=)$`)
	only12 = regexp.MustCompile(`^[-+]?(0o[0-7_]+|0[0-9]*[89][0-9]*|[0-9_]*\.?[0-9_]*([eE][-+]?[0-9]+)?|0[bxBXO]` +
		`[0-9a-fA-F_]+)$`)
)

func asPython(want []any, got *Value) string {
	text := fmt.Sprintf("%d:%d: %s %q, not %v", got.Line, got.Column, got.Kind, got.Text, want)
	kind := want[0].(string)
	switch got.Kind {
	case Null:
		if kind != "null" {
			return text
		}
	case Bool:
		if kind != "bool" || strconv.FormatBool(want[1].(bool)) != got.Text {
			return text
		}
	case Number:
		if kind == "number" {
			n, _ := strconv.ParseFloat(want[1].(string), 64)
			if n == got.Number || math.IsNaN(n) && math.IsNaN(got.Number) {
				return ""
			}
		}
		if kind != "string" || want[1] != got.Text || !only12.MatchString(got.Text) {
			return text
		}
	case String:
		switch {
		case kind == "string" && want[1] == got.Text:
		case kind == "bool" && strings.Contains(" yes no on off ", " "+strings.ToLower(got.Text)+" "):
		case (kind == "number" || kind == "other") && only11.MatchString(got.Text):
		default:
			return text
		}
	case List:
		if kind != "list" || len(want[1].([]any)) != len(got.Items) {
			return text
		}
		for i, item := range want[1].([]any) {
			if d := asPython(item.([]any), got.Items[i]); d != "" {
				return d
			}
		}
	case Map:
		if kind != "mapping" {
			return text
		}
		if len(want[1].([]any)) != len(got.Members) {
			for _, m := range want[1].([]any) {
				if m.([]any)[0].([]any)[0] != "string" {
					return "" // yes and 1 are one key to Python
				}
			}
			return text
		}
		// What PyYAML merges comes first, what this package merges last: order is compared where nothing is merged.
		theirs := map[string][]any{}
		var order []string
		for _, m := range want[1].([]any) {
			key := fmt.Sprint(m.([]any)[0])
			theirs[key] = m.([]any)[1].([]any)
			order = append(order, key)
		}
		at := -1
		for _, m := range got.Members {
			found := ""
			for _, m2 := range want[1].([]any) {
				if asPython(m2.([]any)[0].([]any), m.At) == "" {
					found = fmt.Sprint(m2.([]any)[0])
					break
				}
			}
			if found == "" {
				return text + ": no key " + m.Key
			}
			if d := asPython(theirs[found], m.Value); d != "" {
				return d
			}
			for i, key := range order {
				if key == found {
					if i < at {
						return text + ": another order"
					}
					at = i
				}
			}
		}
	}
	return ""
}

// random writes documents: of a grammar, with slips, so that both good and bad ones come about.
type random struct {
	*rand.Rand
	b       strings.Builder
	anchors int
}

func (r *random) pick(of ...string) string { return of[r.IntN(len(of))] }

func (r *random) slip() bool { return r.IntN(60) == 0 }

func (r *random) word() string {
	return r.pick("a", "b", "c d", "e", "f-g", "-h", "?i", ":j", "k#l", "m:n", "http://x.y/z", `C:\d`, "é", "😀 x", "1",
		"017", "0x1F", "1.5", "1_0", "true", "No", "yes", "null", "~", "it's", "x\"y",
		"o p q", "<", "=", "%z", ".5", "-", "--", "---", "...", "x y: z", "a: ", "# c", "@x", "2001-01-01", "1:30",
		"x ", "x\t", "<<", "?", "[", "]", "{x", ",", "x, y", "x]", "!t", "&", "*", "|x", ">")
}

func (r *random) blanks() string { return r.pick("", "", "", " ", " ", "  ") }

func (r *random) comment() string {
	return r.pick("", "", "", "", " # c", " # x: 'y", "  #", " #\t[", "#no", "\t# t")
}

func (r *random) newline() string {
	return r.pick("\n", "\n", "\n", "\n", "\n", "\n\n", "\n# c\n", "\n  # c\n", "\r\n", "\n \n", "\n   \n", "\r")
}

func (r *random) indented(n int) string {
	if r.slip() {
		n += r.IntN(4) - 2
	}
	if r.IntN(3000) == 0 {
		return "\t"
	}
	return strings.Repeat(" ", max(0, n))
}

func (r *random) quoted() string {
	quote := r.pick("'", "\"")
	var b strings.Builder
	for range r.IntN(5) {
		b.WriteString(r.pick("a", "b ", " c", "\n", "\n  ", " \n", "\n\n ", "\t", "#", " # ", ": ", "{", "[", ",",
			"- ", "\r\n", "\n--- ", "\n... ", "x", "é", "\n\t"))
		if quote == "'" {
			b.WriteString(r.pick("", "", "''", "\\", "\""))
		} else {
			b.WriteString(r.pick("", "", `\n`, `\"`, `\\`, `\x41`, `\u00e9`, `\U0001F600`, "\\\n", "\\\n  ", " \\\n",
				`\/`, `\t`, `\ `, `\0`, `\_`, `\N`, "'", `\q`, `\ud800`, "\\\r\n\n"))
		}
	}
	return quote + b.String() + quote
}

func (r *random) properties() string {
	switch r.IntN(30) {
	case 0, 1:
		r.anchors++
		return fmt.Sprintf("&x%d%s", r.anchors, r.pick(" ", " ", "  ", ""))
	case 2:
		return r.pick("!!str ", "!!int ", "!t ", "! ", "!!map ", "!!seq ", "!!null ", "!!float ", "!!bool ")
	case 3:
		r.anchors++
		return fmt.Sprintf("&x%d !!str ", r.anchors)
	}
	return ""
}

func (r *random) alias() string { return fmt.Sprintf("*x%d", 1+r.IntN(r.anchors+1)) }

func (r *random) flow(depth int) string {
	gap := func() string {
		return r.pick("", "", "", " ", " ", "\n", "\n  ", " # c\n", "\n# c\n   ", "\r\n ", "\t")
	}
	var b strings.Builder
	b.WriteString(r.properties())
	switch n := r.IntN(9); {
	case n < 2 && depth < 3:
		b.WriteString("[" + gap())
		for i := range r.IntN(4) {
			if i > 0 {
				b.WriteString("," + gap())
			}
			b.WriteString(r.flow(depth+1) + gap())
			if r.IntN(5) == 0 {
				b.WriteString(r.pick(": ", ":", " : ", "\n: ") + r.flow(depth+1) + gap())
			}
		}
		b.WriteString(r.pick("", "", "", ",") + gap() + r.pick("]", "]", "]", "]", "]", "]", "]", "]", "}", ""))
	case n < 4 && depth < 3:
		b.WriteString("{" + gap())
		for i := range r.IntN(4) {
			if i > 0 {
				b.WriteString("," + gap())
			}
			b.WriteString(r.pick("k", "l", "\"m\"", "'n'", "o p", "1", r.word(), "<<", "? x") + strconv.Itoa(i) +
				r.pick(": ", ": ", ": ", ":", " : ", "", "\n: ", ":\n ") + r.flow(depth+1) + gap())
		}
		b.WriteString(r.pick("", "", "", ",") + gap() + r.pick("}", "}", "}", "}", "}", "}", "}", "]", ""))
	case n == 4:
		b.WriteString(r.quoted())
	case n == 5 && r.anchors > 0:
		b.WriteString(r.alias() + r.pick(" ", ""))
	case n == 6:
		b.WriteString(r.pick("a", "b") + gap() + r.word())
	case n == 7:
	default:
		b.WriteString(r.word())
	}
	return b.String()
}

// block writes a value behind "- ", "key:" or at the beginning of the document, for an indentation.
func (r *random) block(n, depth int, collections bool) {
	b := &r.b
	properties := r.properties()
	b.WriteString(r.blanks() + properties)
	kind := r.IntN(12)
	if depth > 4 {
		kind = 5 + r.IntN(7)
	}
	switch {
	case kind < 5: // a collection
		inner := n + 1 + r.IntN(3)
		isList := kind < 2
		if isList && !collections && n >= 0 && r.IntN(3) == 0 {
			inner = n // not indented
		}
		if inner < 0 {
			inner = 0
		}
		if collections && properties == "" && depth > 0 && r.IntN(2) == 0 { // in this line
			column := b.Len() - 1 - strings.LastIndexAny(b.String(), "\n\r")
			inner = column
		} else if depth > 0 || properties != "" {
			b.WriteString(r.comment() + r.newline() + r.indented(inner))
		} else {
			inner = 0
		}
		for i := range 1 + r.IntN(3) {
			if i > 0 {
				b.WriteString(r.pick("", "", "", r.newline()) + r.indented(inner))
			}
			if isList {
				b.WriteString("-" + r.pick(" ", " ", " ", " ", "  ", "", "\t", " \t"))
				r.block(inner, depth+1, true)
			} else {
				switch r.IntN(14) {
				case 0:
					b.WriteString("<<")
				case 1:
					b.WriteString(r.quoted() + strconv.Itoa(i))
				case 2:
					b.WriteString(r.word())
				case 3:
					b.WriteString(r.properties() + "k" + strconv.Itoa(i))
				case 4:
					b.WriteString(r.pick("\"q\"", "'q''r'", "s t", "1", "? u", "[v]", "null", "yes", r.alias()))
				default:
					b.WriteString(r.pick("k", "l", "m ") + strconv.Itoa(i))
				}
				b.WriteString(r.pick(":", ":", ":", ":", ":", " :", "") + r.pick(" ", " ", " ", "", "\t"))
				r.block(inner, depth+1, false)
			}
		}
		return
	case kind < 7: // a text of lines
		b.WriteString(r.pick("|", ">", "|-", ">-", "|+", ">+", "|2", ">1-", "|+1", "|0", "> x") + r.comment())
		inner := max(n+1, 1) + r.IntN(3)
		for range r.IntN(5) {
			b.WriteString(r.pick("\n", "\n", "\n", "\r\n", "\n\n", "\n \n", "\n     \n",
				"\n"+strings.Repeat(" ", inner)+"\n", "\n\t\n"))
			b.WriteString(r.indented(inner) + r.pick("", "", "", "", " ", "  ", "\t") + r.pick("a", "b c ", "# d",
				"- e", "f: g", "é", "---", "\t", " "))
		}
	case kind == 7:
		b.WriteString(r.flow(0) + r.comment())
	case kind == 8:
		b.WriteString(r.quoted() + r.comment())
	case kind == 9:
		if r.anchors > 0 {
			b.WriteString(r.alias())
		}
	case kind == 10:
		b.WriteString(r.word())
		for range r.IntN(4) {
			b.WriteString(r.blanks() + r.newline() + r.indented(n+1+r.IntN(3)) + r.pick("a", "- b", "c# d", "#e",
				"f:g", "h: i", "? j", "é", "'k'", "&l", "[m", "%n", "--- o"))
		}
		b.WriteString(r.comment())
	default:
		b.WriteString(r.word() + r.comment())
	}
	b.WriteString(r.newline())
}

func (r *random) document() string {
	r.b.Reset()
	r.anchors = 0
	r.b.WriteString(r.pick("", "", "", "", "", "", "---\n", "--- ", "# c\n", "\n", "\ufeff", "%YAML 1.1\n---\n",
		"--- # c\n", "  "))
	r.block(-1, 0, true)
	r.b.WriteString(r.pick("", "", "", "", "", "...\n", "---\n", "... # c\n", "# end", "...\nx"))
	doc := r.b.String()
	if r.IntN(4) == 0 && doc != "" { // a slip of the pen
		at := r.IntN(len(doc))
		doc = doc[:at] + r.pick("", " ", "\n", ":", "-", "'", "#", "\t", ",", "]", "\"", "? ", "&y ", "\\") +
			doc[at+r.IntN(min(3, len(doc)-at)):]
	}
	return strings.ToValidUTF8(doc, "?")
}

// pieces writes a document without any grammar.
func (r *random) pieces() string {
	var b strings.Builder
	for range 2 + r.IntN(9) {
		b.WriteString(r.pick("a", "b", ": ", ":", "- ", "-", "\n", "\n  ", "\n ", "  ", " ", "[", "]", "{", "}", ", ",
			"'", "\"", "# c", " # c", "|", ">", "|-", "\n\n",
			"&x ", "*x", "? ", "---\n", "...", "!!str ", "1", "x y", "\t", "\r\n", "~", "hooks", "<<", "<<: ", "%",
			"\\n", "!t ", "yes", "1e3", "a: 1\n", "- a\n", "é", "\ufeff", "\u2028", "\x07"))
	}
	return b.String()
}

// TestRandom compares what is accepted with yaml.v3, PyYAML and libyaml: where they read a document too, they must read
// the same.
func TestRandom(t *testing.T) {
	documents, seed := testall.Of(1000, 4000), uint64(1)
	if n, err := strconv.Atoi(os.Getenv("YAML_DOCUMENTS")); err == nil { // to look for more
		documents, seed = n, rand.Uint64()
	}
	ask := func(string) [2][]any { return [2][]any{} }
	if out, err := exec.Command("python3", "-c", "import yaml; yaml.CSafeLoader").CombinedOutput(); err != nil {
		t.Logf("without PyYAML: %s", out)
	} else {
		cmd := exec.Command("python3", "-c", python)
		stdin, err := cmd.StdinPipe()
		require.NoError(t, err)
		stdout, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		t.Cleanup(func() { stdin.Close(); _, _ = io.Copy(io.Discard, stdout); _ = cmd.Wait() })
		answers := bufio.NewReader(stdout)
		ask = func(doc string) (theirs [2][]any) {
			line, err := json.Marshal(doc)
			require.NoError(t, err)
			_, err = stdin.Write(append(line, '\n'))
			require.NoError(t, err)
			answer, err := answers.ReadBytes('\n')
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(answer, &theirs))
			return theirs
		}
	}
	r := &random{Rand: rand.New(rand.NewPCG(seed, 2))}
	accepted, refusedByAll := 0, 0
	for n := range documents {
		doc := r.document()
		switch {
		case n < len(corpus):
			doc = corpus[n]
		case n%4 == 3:
			doc = r.pieces()
		}
		v, err := Parse(doc)
		if err != nil {
			if os.Getenv("YAML_REFUSED") != "" {
				if d := ask(doc); d[0] != nil && d[1] != nil {
					fmt.Printf("REFUSED %q: %s\n", doc, err)
				}
			}
			continue
		}
		accepted++
		difference, read := compare(doc, v)
		require.Empty(t, difference, "yaml.v3: %q", doc)
		if v == nil {
			v = &Value{}
		}
		theirs := ask(doc)
		for i, name := range []string{"PyYAML", "libyaml"} {
			if theirs[i] != nil {
				if d := asPython(theirs[i], v); !strings.HasSuffix(d, ": another order") ||
					!strings.Contains(doc, "<<") {
					require.Empty(t, d, "%s: %q", name, doc)
				}
				read = true
			}
		}
		if !read {
			refusedByAll++
			if os.Getenv("YAML_DOCUMENTS") != "" && refusedByAll < 40 {
				fmt.Printf("LOOSE %q %s\n", doc, plain(v))
			}
		}
	}
	t.Logf("%d of %d accepted, %d of them by nobody else", accepted, documents, refusedByAll)
	require.Greater(t, accepted, documents/5)
}
