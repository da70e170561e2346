package claude_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/claude"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
	"github.com/hookrun/hookrun/protocol"
)

// node is a value of an answer that is about to be spoilt.
type node struct {
	key  string
	text string // of a value that is not taken apart
	kids []*node
}

// takenApart are the objects of an answer that have keys which mean something.
func takenApart(key string) bool {
	return key == "hookSpecificOutput" || key == "decision" || key == ""
}

func parseNode(key string, text []byte) *node {
	n := &node{key: key, text: string(text)}
	if !takenApart(key) || text[0] != '{' {
		return n
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil {
		panic(err)
	}
	for d.More() {
		key, err := d.Token()
		var value json.RawMessage
		if err := errors.Join(err, d.Decode(&value)); err != nil {
			panic(err)
		}
		n.kids = append(n.kids, parseNode(key.(string), value))
	}
	return n
}

// all returns the nodes below n, in order.
func (n *node) all() (nodes []*node) {
	for _, k := range n.kids {
		nodes = append(append(nodes, k), k.all()...)
	}
	return nodes
}

func (n *node) named(key string) *node {
	for _, k := range n.all() {
		if k.key == key && k.kids == nil {
			return k
		}
	}
	return nil
}

// write writes an answer as some other program would: with escapes that are not needed and white space between its
// tokens.
func (n *node) write(b *strings.Builder, rng *rand.Rand, escapes, spaces bool) {
	space := func() {
		if spaces {
			b.WriteString(strings.Repeat([]string{" ", "\n", "\t", "\r\n"}[rng.IntN(4)], rng.IntN(3)))
		}
	}
	str := func(raw string) {
		for i := 0; i < len(raw); i++ {
			switch c := raw[i]; {
			case c == '\\': // an escape that is there stays
				b.WriteString(raw[i : i+2])
				i++
			case escapes && (c|' ' >= 'a' && c|' ' <= 'z') && rng.IntN(3) == 0 && !isHex(raw, i):
				fmt.Fprintf(b, `\u00%02x`, c)
			default:
				b.WriteByte(c)
			}
		}
	}
	if n.kids == nil {
		if strings.HasPrefix(n.text, `"`) {
			str(n.text)
		} else {
			b.WriteString(n.text)
		}
		return
	}
	b.WriteByte('{')
	for i, k := range n.kids {
		if i > 0 {
			b.WriteByte(',')
		}
		space()
		key, _ := json.Marshal(k.key)
		str(string(key))
		space()
		b.WriteByte(':')
		space()
		k.write(b, rng, escapes, spaces)
		space()
	}
	b.WriteByte('}')
}

// isHex reports whether a letter belongs to a \uXXXX.
func isHex(raw string, i int) bool {
	at := strings.LastIndex(raw[:i], `\u`)
	return at >= 0 && i-at < 6
}

// slip misspells a word by one or two letters, as fingers do. Two slips do not touch: more than two letters would be
// wrong.
func slip(word string, rng *rand.Rand) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_- "
	for {
		wrong := word
		from := len(word)
		for range 1 + rng.IntN(2) {
			if from < 2 {
				break
			}
			i := rng.IntN(from - 1) // from the end to the start, so that the places before stay what they were
			letter := string(letters[rng.IntN(len(letters))])
			switch rng.IntN(5) {
			case 0:
				wrong = wrong[:i] + wrong[i+1:i+2] + wrong[i:i+1] + wrong[i+2:]
			case 1:
				wrong = wrong[:i] + wrong[i+1:]
			case 2:
				wrong = wrong[:i+1] + wrong[i:]
			case 3:
				wrong = wrong[:i] + letter + wrong[i+1:]
			case 4:
				wrong = wrong[:i] + letter + wrong[i:]
			}
			from = i - 1
		}
		if wrong != word {
			return wrong
		}
	}
}

// TestClaudeDenySpoilt: a hook that means to deny and has a bug either denies or fails for all to see; it never looks
// like one that has nothing against the call. What the client takes for plain text it does not look into, so there is a
// warning.
func TestClaudeDenySpoilt(t *testing.T) {
	good := []struct {
		event  protocol.Event
		stdout string
	}{
		{"PreToolUse", dialecttest.Pre(`"permissionDecision":"deny"`)},
		{"PreToolUse",
			dialecttest.Pre(`"permissionDecision":"deny","permissionDecisionReason":"no {pushing}, \"please\": ` +
				`\\ [1]"`)},
		{"PreToolUse", `{"continue":true,"suppressOutput":false,"systemMessage":"café ☃ 😀",` +
			dialecttest.Pre(`"permissionDecisionReason":"naïve\n\u2028","permissionDecision":"deny",` +
				`"additionalContext":"ctx"`)[1:]},
		{"PreToolUse",
			dialecttest.Pre(`"updatedInput":{"command":"ls","deep":{"a":[1,{"b":null}]}},"permissionDecision":"deny"`)},
		{"PreToolUse", `{"decision":"block"}`},
		{"PreToolUse", `{"reason":"old, \"{but}\" gold","decision":"block","stopReason":""}`},
		{"PreToolUse", `{"decision":"block","reason":"both",` +
			dialecttest.Pre(`"permissionDecision":"deny","permissionDecisionReason":"both"`)[1:]},
		{"PermissionRequest", dialecttest.Answers("PermissionRequest", `"decision":{"behavior":"deny"}`)},
		{"PermissionRequest", dialecttest.Answers("PermissionRequest",
			`"decision":{"message":"nein, \u00fcberhaupt nicht","interrupt":true,"behavior":"deny"}`)},
		{"PostToolUse", `{"decision":"block","reason":"look again",` + dialecttest.Answers("PostToolUse",
			`"additionalContext":"ctx"`)[1:]},
		{"UserPromptSubmit",
			`{"decision":"block","reason":"no","hookSpecificOutput":{"hookEventName":"UserPromptSubmit",` +
				`"suppressOriginalPrompt":true}}`},
		{"PreModelSwitch", dialecttest.Answers("PreModelSwitch",
			`"permissionDecision":"deny","permissionDecisionReason":"stay"`)},
	}
	deciding := []string{"hookSpecificOutput", "hookEventName", "permissionDecision", "decision", "behavior"}
	words := map[string][]string{"permissionDecision": {"allow", "deny", "ask", "defer"},
		"decision": {"approve", "block"}, "behavior": {"allow", "deny"}}
	wrongWords := []string{"", "Deny", "DENY", "denied", " deny", "deny ", "deny\\n", "no", "false", "reject", "Block",
		"blocked", "block.", "stop", "forbid", "null", "den", "dény", "permit", "yes"}
	values := []string{`null`, `true`, `false`, `0`, `-1.5e3`, `"x"`, `[]`, `["deny"]`, `{}`, `{"a":1}`,
		`[{"decision":"block"}]`}

	// What is done to the tree. Each says whether it could be done.
	inTree := map[string]func(*node, *rand.Rand) bool{
		"another type": func(n *node, rng *rand.Rand) bool {
			k := n.all()[rng.IntN(len(n.all()))]
			value := values[rng.IntN(len(values))]
			kind := func(s string) string { return map[byte]string{'t': "bool", 'f': "bool"}[s[0]] + s[:1] }
			if k.kids != nil && value[0] == '{' || k.kids == nil &&
				(kind(k.text) == kind(value) || strings.HasPrefix(kind(k.text), "bool") &&
					strings.HasPrefix(kind(value), "bool")) {
				return false
			}
			k.kids, k.text = nil, value
			return true
		},
		"a wrong word": func(n *node, rng *rand.Rand) bool {
			key := deciding[1+rng.IntN(4)]
			k, word := n.named(key), wrongWords[rng.IntN(len(wrongWords))]
			if k == nil || slices.Contains(words[key], word) {
				return false
			}
			if key == "hookEventName" {
				word = slip(strings.Trim(k.text, `"`), rng)
			}
			k.text = `"` + word + `"`
			return true
		},
		"another case": func(n *node, rng *rand.Rand) bool {
			k := n.all()[rng.IntN(len(n.all()))]
			if !slices.Contains(deciding, k.key) {
				return false
			}
			change := []func(string) string{strings.ToUpper, strings.ToLower, func(s string) string {
				return strings.ToUpper(s[:1]) + s[1:]
			},
				func(s string) string {
					return strings.NewReplacer("D", "_d", "S", "_s", "O", "_o", "E", "_e", "N", "_n").Replace(s)
				}}[rng.IntN(4)]
			was := k.key
			k.key = change(was)
			return k.key != was
		},
		"a slip": func(n *node, rng *rand.Rand) bool {
			k := n.all()[rng.IntN(len(n.all()))]
			if !slices.Contains(deciding, k.key) {
				return false
			}
			k.key = slip(k.key, rng)
			return true
		},
		"a key twice": func(n *node, rng *rand.Rand) bool {
			objects := slices.DeleteFunc(append(n.all(), n), func(n *node) bool { return n.kids == nil })
			o := objects[rng.IntN(len(objects))]
			o.kids = slices.Insert(o.kids, rng.IntN(len(o.kids)+1), o.kids[rng.IntN(len(o.kids))])
			return true
		},
		"another order": func(n *node, rng *rand.Rand) bool {
			for _, o := range append(n.all(), n) {
				rng.Shuffle(len(o.kids), func(i, j int) { o.kids[i], o.kids[j] = o.kids[j], o.kids[i] })
			}
			return true
		},
		"unknown keys": func(n *node, rng *rand.Rand) bool {
			objects := slices.DeleteFunc(append(n.all(), n), func(n *node) bool { return n.kids == nil })
			for range 1 + rng.IntN(3) {
				o := objects[rng.IntN(len(objects))]
				key := []string{"", "version", "x-note", "async", "tool", "updatedOutput", "é", "permission", "deny",
					"$schema"}[rng.IntN(10)]
				value := append(values, `{"hookEventName":"Stop","permissionDecision":"allow"}`)[rng.IntN(len(values)+
					1)]
				o.kids = slices.Insert(o.kids, rng.IntN(len(o.kids)+1), &node{key: key, text: value})
			}
			return true
		},
		"nothing": func(*node, *rand.Rand) bool { return true },
	}
	// What is done to the text.
	inText := map[string]func(string, *rand.Rand) string{
		"a mark dropped": func(s string, rng *rand.Rand) string {
			for {
				if i := rng.IntN(len(s)); strings.IndexByte(`"{},:`, s[i]) >= 0 {
					return s[:i] + s[i+1:]
				}
			}
		},
		"cut off": func(s string, rng *rand.Rand) string { return s[:1+rng.IntN(len(s)-1)] },
		"control characters": func(s string, rng *rand.Rand) string {
			i := rng.IntN(len(s) + 1)
			return s[:i] + strings.Repeat(string([]byte{"\x00\x01\x07\x08\t\n\v\f\r\x1b\x1f\x7f"[rng.IntN(12)]}),
				1+rng.IntN(2)) + s[i:]
		},
		"white space around": func(s string, rng *rand.Rand) string {
			space := []rune(dialecttest.JsSpace)
			return string(space[rng.IntN(len(space))]) + "\n" + s + string(space[rng.IntN(len(space))])
		},
		"a BOM": func(s string, rng *rand.Rand) string { return "\ufeff" + s },
		"text around": func(s string, rng *rand.Rand) string {
			return []string{"log\n" + s, s + "\nlog", "```json\n" + s + "\n```"}[rng.IntN(3)]
		},
		"another of it": func(s string, rng *rand.Rand) string { return s + "\n" + s },
		"single quotes": func(s string, rng *rand.Rand) string { return strings.ReplaceAll(s, `"`, `'`) },
		"nothing":       func(s string, rng *rand.Rand) string { return s },
	}
	harmless := []string{"nothing", "a key twice", "another order", "unknown keys", "white space around", "a BOM"}
	trees, texts := sortedKeys(inTree), sortedKeys(inText)
	counts := map[string]int{}
	for i, g := range good {
		require.Equal(t, protocol.Block, decideClaude(g.event, dialecttest.Printed(g.stdout)).Decision, g.stdout)
		rng := rand.New(rand.NewPCG(uint64(i), 20))
		for done := 0; done < testall.Of(300, 1_500); {
			n := parseNode("", []byte(g.stdout))
			tree, text := trees[rng.IntN(len(trees))], "nothing"
			if tree == "nothing" || rng.IntN(4) == 0 {
				text = texts[rng.IntN(len(texts))]
			}
			// together they are more than two letters
			if tree == "a slip" && text == "control characters" || !inTree[tree](n, rng) {
				continue
			}
			var b strings.Builder
			n.write(&b, rng, rng.IntN(3) == 0, rng.IntN(3) == 0)
			stdout := inText[text](b.String(), rng)
			done++
			what := fmt.Sprintf("%s, %s: %q\nmade of %s", tree, text, stdout, g.stdout)

			c := dialecttest.AtEvent(g.event)
			r := dialecttest.Printed(stdout)
			v := claude.Dialect.ApplyFailurePolicy(&c, claude.Dialect.Hooks.Decode(&c, "h", &r))
			require.False(t, v.Approved, what)
			strict := decideClaude(g.event, r, dialecttest.OnFailure(protocol.Block))
			if text := strings.Trim(stdout, dialecttest.JsSpace); !strings.HasPrefix(text, "{") ||
				!strings.HasSuffix(text, "}") {
				counts["plain text"]++
				require.Equal(t, dialect.StatusOK, v.Status, what)
				require.Equal(t, len(v.Warnings) > 0, strict.Decision == protocol.Block, what)
				if says := strings.Contains(stdout, `"permissionDecision"`) ||
					strings.Contains(stdout, `"decision"`); says && !strings.Contains(stdout, "null") {
					counts["with a warning"]++
					require.Len(t, v.Warnings, 1, what)
				}
				continue
			}
			require.Equal(t, protocol.Block, strict.Decision, what)
			if v.Decision == protocol.Block {
				counts["block"]++
				continue
			}
			counts["failed"]++
			require.Equal(t, dialect.StatusFailed, v.Status, what)
			require.Len(t, v.Warnings, 1, what)
			require.False(t, slices.Contains(harmless, tree) && slices.Contains(harmless, text),
				"the client blocks here: %s", what)
		}
	}
	for _, outcome := range []string{"plain text", "with a warning", "block", "failed"} {
		require.Greater(t, counts[outcome], testall.Of(100, 500), "each of the ways is taken: %v", counts)
	}
}

func sortedKeys[V any](m map[string]V) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
