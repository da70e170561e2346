package jsregexp

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// ask is what node runs: for each pattern its SyntaxError, or what it says of each text. It says null where it gives up
// or takes too long.
const ask = `
const vm = require("vm");
const test = new vm.Script("texts.map(text => { try { return re.test(text); } catch (e) { return null; } })");
const cases = JSON.parse(require("fs").readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(cases.map(({pattern, texts}) => {
	try { globalThis.re = new RegExp(pattern); } catch (e) { return {error: e.message}; }
	globalThis.texts = texts;
	try { return {matches: test.runInThisContext({timeout: 500})}; } catch (e) { return {matches: texts.map(() => null)}; }
})));`

type question struct {
	Pattern string   `json:"pattern"`
	Texts   []string `json:"texts"`
}

// known says whether a difference is one of age: node has taken names that alternatives share, and modifiers, which the
// package refuses, since version 23.
func known(err error, nodeError string) bool {
	if err != nil {
		return nodeError == "" && strings.HasPrefix(err.Error(), "'(?' must be followed by")
	}
	return strings.HasSuffix(nodeError, "Duplicate capture group name")
}

func TestNode(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed, and it is what this compares with")
	}
	var questions []question
	var texts []string
	for _, m := range matches {
		texts = append(texts, m.yes...)
		texts = append(texts, m.no...)
	}
	for i, text := range texts {
		texts[i] = strings.ToValidUTF8(text, "\ufffd")
	}
	for _, m := range matches {
		questions = append(questions, question{m.pattern, texts})
	}
	for _, pattern := range append(invalid, doubtful...) {
		questions = append(questions, question{pattern, texts[:1]})
	}
	g := generator{rand.New(rand.NewPCG(1, 2))}
	for range testall.Of(1_000, 12_000) {
		q := question{Pattern: g.alternatives(3)}
		if g.IntN(4) == 0 {
			q.Pattern = g.noise()
		}
		for range 12 {
			q.Texts = append(q.Texts, g.text())
		}
		questions = append(questions, q)
	}

	input, err := json.Marshal(questions)
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), node, "-e", ask)
	cmd.Stdin = bytes.NewReader(input)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	output, err := cmd.Output()
	require.NoError(t, err, "%s", &stderr)
	var answers []struct {
		Error   string
		Matches []*bool
	}
	require.NoError(t, json.Unmarshal(output, &answers))
	require.Len(t, answers, len(questions))

	var valid, doubts, refused, pairs, positive, hard, hardForNode, old int
	for i, q := range questions {
		want := answers[i]
		re, err := Compile(q.Pattern)
		if err == nil && re.engine == nil { // it counts as a match, whatever node says
			doubts++
			continue
		}
		if (err != nil) != (want.Error != "") {
			require.True(t, known(err, want.Error), "%q: %v, but node says %q", q.Pattern, err, want.Error)
			old++
			continue
		}
		if err != nil {
			refused++
			continue
		}
		valid++
		for j, text := range q.Texts {
			got, err := re.Match(text)
			if err != nil {
				hard++
				continue
			}
			if want.Matches[j] == nil {
				hardForNode++
				continue
			}
			require.Equal(t, *want.Matches[j], got, "%q on %q", q.Pattern, text)
			pairs++
			if got {
				positive++
			}
		}
	}
	t.Logf("%d patterns are valid, %d are not, %d are doubtful, %d differ by node's age; %d pairs compared, %d of "+
		"them match; %d too hard, %d for node", valid, refused, doubts, old, pairs, positive, hard, hardForNode)
	require.Less(t, hard+hardForNode, pairs/100)
	require.Greater(t, positive, pairs/10)
	require.Less(t, positive, pairs*9/10)
	require.Greater(t, refused, testall.Of(40, 500))
}

// generator makes patterns that are mostly valid, and texts of the same few characters.
type generator struct{ *rand.Rand }

func (g generator) pick(from ...string) string { return from[g.IntN(len(from))] }

func (g generator) alternatives(depth int) string {
	s := g.sequence(depth)
	for g.IntN(3) == 0 {
		s += "|" + g.sequence(depth)
	}
	return s
}

func (g generator) sequence(depth int) string {
	var s string
	for range g.IntN(4) {
		s += g.atom(depth)
		if g.IntN(3) == 0 {
			s += g.pick("*", "+", "?", "{2}", "{1,}", "{0,2}", "{2,3}", "{0}", "{9}", "{7,8}", "{0,3000000000}") +
				g.pick("", "", "?")
		}
	}
	return s
}

func (g generator) atom(depth int) string {
	if depth == 0 || g.IntN(2) == 0 {
		switch g.IntN(8) {
		case 0:
			return g.pick("^", "$", `\b`, `\B`)
		case 1:
			return g.pick(`\1`, `\2`, `\3`, `\k<n>`, `\k<m>`)
		case 2, 3:
			return g.pick(".", `\d`, `\w`, `\s`, `\D`, `\W`, `\S`, `[ab]`, `[^a]`, `[]`, `[^]`, `[a-c]`, `[\w-]`,
				`[^\d-b]`, `[😀]`, `\ud83d`, `[\b-\cJ]`)
		default:
			return g.pick("a", "b", "c", "A", "1", "_", "-", "a", "b", "ab")
		}
	}
	return g.pick("(", "(", "(", "(?:", "(?:", "(?=", "(?!", "(?<=", "(?<!", "(?<n>", "(?<m>") +
		g.alternatives(depth-1) + ")"
}

// noise is pieces of the syntax in any order.
func (g generator) noise() string {
	var s string
	for range 1 + g.IntN(9) {
		s += g.pick("a", "b", "c", "k", "u", "x", "-", "]", "[", "[^", "{", "}", ",", "(", ")", ")", "(?:", "(?<n>",
			"(?<", "(?<=", "(?!", "(?", "<n>", ">", "|", "*", "+", "?", "^", "$", ".",
			`\`, `\b`, `\B`, `\d`, `\W`, `\c`, `\cA`, `\c1`, `\c_`, `\x`, `\x6`, `\x61`, `\u`, `\u006`, `\u0061`,
			`\u{61}`, `\k`, `\k<n>`, `\k<`, `\0`, `\1`, `\2`, `\8`, `\12`, `\141`, `\400`, `\777`, `\-`, `\p{L}`,
			"{1}", "{1,", "{,2}", "{2,1}", "{1,2}", "1", "2", "😀", "é", "\u2028", " ", "/", "!", "=", ":")
	}
	return s
}

func (g generator) text() string {
	var s string
	for range g.IntN(8) {
		s += g.pick("a", "b", "c", "a", "b", "A", "1", "_", "-", "aa", "ab", " ", "\n", "😀", "é", "\x01", "{", "}",
			"]", "k<n>", `\`, ",")
	}
	return s
}
