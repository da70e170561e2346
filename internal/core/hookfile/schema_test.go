package hookfile_test

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/core/tenex"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
	"github.com/hookrun/hookrun/protocol"
)

// The schema and the loader accept the same files, but for what no schema can say:
//
//   - what makes a file unreadable: its syntax, two equal keys, its encoding and halves of characters (see unreadable),
//     a size over 1 MiB, nesting over 64;
//   - sums: a duration that comes to less than a nanosecond or to more than 292 years;
//   - what is a regular expression;
//   - whether a month has the day in "observe_until", and whether a hook observes at all;
//   - what is a host in a url, and that two headers differ by more than case;
//   - numbers of seconds that only more digits than a float64 has can tell from the limits.

var compiledSchema = sync.OnceValues(func() (*jsonschema.Schema, error) { return compile(parts.All().Schema()) })

func compile(schema string) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(schema))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler() // checks the schema by the rules for schemas, too
	if err := c.AddResource("schema.json", doc); err != nil {
		return nil, err
	}
	return c.Compile("schema.json")
}

// requireAgreement checks that schema and loader both accept a file, or both refuse it.
func requireAgreement(t *testing.T, doc string) (accepted bool) {
	t.Helper()
	schema, err := compiledSchema()
	require.NoError(t, err)
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(strings.TrimPrefix(doc, bom)))
	require.NoError(t, err, doc)
	bySchema := schema.Validate(value)
	_, byLoader := parts.All().Parse("f", []byte(doc))
	require.Equal(t, byLoader == nil, bySchema == nil, "%s\n\nloader: %v\n\nschema: %v", doc, byLoader, bySchema)
	return byLoader == nil
}

func TestSchema(t *testing.T) {
	for _, test := range good {
		t.Run(test.name, func(t *testing.T) {
			require.True(t, requireAgreement(t, test.doc))
		})
	}
	for _, test := range ruleless {
		t.Run(test.name, func(t *testing.T) {
			require.False(t, requireAgreement(t, test.doc))
		})
	}
}

// The schema names what the code has, too: a new event or cause must not be forgotten there.
func TestSchemaIsWhole(t *testing.T) {
	for _, e := range dialect.CanonicalEvents() {
		for _, name := range []protocol.Event{e, dialect.ClaudeEventNamed(e)} {
			require.True(t, requireAgreement(t, `{"hooks":[{"name":"a","command":"a","events":["`+string(name)+
				`"]}]}`), name)
		}
	}
	for _, c := range dialect.FailureCauses() {
		require.Equal(t, slices.Contains(tenex.Dialect.Causes(), c),
			requireAgreement(t, withField(`"on_failure":{"`+string(c)+`":"block"}`)), c)
	}
}

// TestSchemaHasTheKeysOfTheParser: each of them, and no other.
func TestSchemaHasTheKeysOfTheParser(t *testing.T) {
	for place, keys := range hookfile.SchemaKeys {
		var there []string
		for key := range gjson.Get(parts.All().Schema(), place).Map() {
			if key != "$schema" {
				there = append(there, key)
			}
		}
		require.ElementsMatch(t, keys, there, place)
	}
}

// TestSchemaInOldEditors: an editor that knows draft-07 alone takes every good file. It overlooks some faults.
func TestSchemaInOldEditors(t *testing.T) {
	schema, err := compile(strings.Replace(parts.All().Schema(), "https://json-schema.org/draft/2020-12/schema",
		"http://json-schema.org/draft-07/schema#", 1))
	require.NoError(t, err)
	for _, test := range good {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(strings.TrimPrefix(test.doc, bom)))
		require.NoError(t, err)
		require.NoError(t, schema.Validate(value), test.name)
	}
}

// TestSchemaOnExamples: it takes the hooks files that people copy, and packs.
func TestSchemaOnExamples(t *testing.T) {
	files := []string{"../../../.tenex-hooks.example.json", "../../../scripts/examples/.tenex-hooks.json",
		"../../../scripts/examples/guards/tenex-hooks.json", "../../../scripts/examples/guards/tenex-rules.json",
		"../../../scripts/examples/persistent/tenex-hooks.json", "../../../scripts/examples/claude/tenex-hooks.json"}
	require.True(t, requireAgreement(t, `{"packs": ["git@1"], "except": ["git/no-lost-work"], "ask": []}`))
	for _, file := range files {
		if !strings.HasSuffix(file, ".hooktest.json") {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			require.True(t, requireAgreement(t, string(text)), file)
		}
	}
}

// TestSchemaOnSpace tries each white space, and what only looks like it.
func TestSchemaOnSpace(t *testing.T) {
	every := testall.Of(rune(61), 1)
	for r := range rune(0x10000) {
		if r > 0xff && r%every != 0 && !unicode.IsSpace(r) {
			continue
		}
		if 0xd800 <= r && r < 0xe000 || r > 0x3100 && r < 0xfe00 {
			continue
		}
		text, err := json.Marshal(string(r))
		require.NoError(t, err)
		for _, doc := range []string{
			`{"hooks":[{"name":` + string(text) + `,"command":"a","events":["pre-tool"]}]}`,
			withField(`"matcher":` + string(text)),
		} {
			requireAgreement(t, doc)
		}
	}
}

// TestSchemaOnPaths tries names that are written in other ways, and more of them than are read.
func TestSchemaOnPaths(t *testing.T) {
	for path, want := range map[string]bool{
		`\\args`: false, `a\\rgs.b`: false, `args\\.b`: false, `args.\\#`: true, `args.\\`: false, `args.é\\é`: true,
		`args.\n`: true, `args.a b`: true,
		`args.#.#`: true, `args.##`: false, `args.#.`: false, `args.a\\.b`: true, `tool.#`: false, `#`: false,
		`args.\\\ud83d\ude42`:             true,
		`args` + strings.Repeat(".a", 64): true, `args` + strings.Repeat(".#", 65): false,
	} {
		doc := `{"hooks":[{"name":"a","block":"b","events":["pre-tool"],"when":[{"path":"` + path +
			`","exists":true}]}]}`
		require.Equal(t, want, requireAgreement(t, doc), path)
	}
}

// TestSchemaOnMutations changes good files at random, and fails with the file on which schema and loader disagree.
func TestSchemaOnMutations(t *testing.T) {
	files := testall.Of(2_000, 10_000)
	m := mutator{rand.New(rand.NewPCG(4, 2))}
	accepted := 0
	for range files {
		var doc any
		require.NoError(t, json.Unmarshal([]byte(strings.TrimPrefix(pick(m, good).doc, bom)), &doc))
		for range 1 + m.IntN(3) {
			m.mutate(&doc)
		}
		text, err := json.Marshal(doc)
		require.NoError(t, err)
		if !unsayable(doc) && requireAgreement(t, string(text)) {
			accepted++
		}
	}
	require.Greater(t, accepted, files/10, "too few good files to show anything")
	require.Less(t, accepted, files*9/10, "too few bad files to show anything")
}

// unsayable reports whether a timeout is written well and wrong by its sum, or a pattern is none.
func unsayable(doc any) bool {
	switch doc := doc.(type) {
	case []any:
		return slices.ContainsFunc(doc, unsayable)
	case map[string]any:
		if _, ok := doc["hooks"].(map[string]any); ok {
			return true // Claude Code's form
		}
		if s, ok := doc["matches"].(string); ok {
			if _, err := regexp.Compile(s); err != nil {
				return true
			}
		}
		if s, ok := doc["timeout"].(string); ok && durationForm.MatchString(s) {
			if d, err := time.ParseDuration(s); err != nil || d == 0 && strings.ContainsAny(s, "123456789") {
				return true
			}
		}
		return slices.ContainsFunc(slices.Collect(maps.Values(doc)), unsayable)
	}
	return false
}

var durationForm = regexp.MustCompile(`^\+?([0-9.]+[a-z\x{b5}\x{3bc}]+)+$`)

// mutator changes JSON values at random.
type mutator struct{ *rand.Rand }

func pick[T any](m mutator, from []T) T { return from[m.IntN(len(from))] }

var (
	someKeys = []string{"hooks", "name", "command", "events", "matcher", "timeout", "on_failure", "env", "persistent",
		"workers", "block", "inject", "if", "when", "path", "matches", "equals", "exists", "$schema", "x-", "x-a",
		"X-a", "x", "Name",
		"signal", "unstarted", "output", "exit", "policy", "", " ", "HOOKRUN", "HOOKRUN_A", "HOOKRUNNER", "A=B", "A",
		"\x00", "é", "$schema2", " x-"}
	someTexts = []string{"", " ", "\t\n\v\f\r", "\u0085\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000",
		"\u200b", "\ufeff", "a\x00b", "\x00", "a", "|", " | ", "a|", "[",
		"args", "args.command", "args.#.a", "args.a#", "args.\\#", "args.", "args..a", "tool.a", "tool", "result",
		"arg", "#", "\\args", "Bash", "Bash(", "Bash(a)", "Bash(a\nb)", "(a)", "a b", "a*", "(", "a|b", "\\pX",
		"block", "continue", "Block", "blocks", "pre-execute", "pre-tool", "post-tool", "UserPromptSubmit",
		"PreToolUse", "PostToolUse", "pretool", "Stop", "pre-tool ",
		"5s", "0s", "-5s", "+5s", "5", "5 s", "1.5h", ".5m", "5.ms", ".s", "1us", "1µs", "1μs", "1ns", "1h2m3s", "1d",
		"s", "5S", "0h0.0m", "00.10s", "1e3s", "5s\n", "9ns1", "٣s", "\U0001f642"}
	someNumbers = []float64{0, 1, -1, 0.5, 1e-9, 1e-10, 2e-9, 30, 3599.999, 3600, 3600.001, 30000, 1e300, -1e-300}
)

// value makes a new value, seldom a deep one.
func (m mutator) value() any {
	switch m.IntN(12) {
	case 0:
		return nil
	case 1:
		return m.IntN(2) == 0
	case 2, 3:
		return pick(m, someNumbers)
	case 4:
		return []any{}
	case 5:
		return []any{m.value()}
	case 6:
		return map[string]any{}
	case 7:
		return map[string]any{pick(m, someKeys): m.value()}
	}
	return m.text(pick(m, someTexts))
}

// text changes a text at one place, or not.
func (m mutator) text(s string) string {
	r := []rune(s)
	at := m.IntN(len(r) + 1)
	switch m.IntN(6) {
	case 0:
		return string(slices.Insert(r, at, pick(m, []rune("a \u00a0\x00|s.05-+=_é"))))
	case 1:
		if at < len(r) {
			return string(slices.Delete(r, at, at+1))
		}
	case 2:
		return s + pick(m, someTexts)
	}
	return s
}

// mutate changes a value or, mostly, something in it.
func (m mutator) mutate(v *any) {
	switch old := (*v).(type) {
	case []any:
		if len(old) > 0 && m.IntN(4) > 0 {
			m.mutate(&old[m.IntN(len(old))])
			return
		}
		switch at := m.IntN(len(old) + 1); {
		case m.IntN(8) == 0:
			*v = m.value()
		case m.IntN(2) == 0 && at < len(old):
			*v = slices.Delete(old, at, at+1)
		default:
			*v = slices.Insert(old, at, m.value())
		}
	case map[string]any:
		keys := slices.Sorted(maps.Keys(old)) // a map's own order is another one in each run
		if len(keys) > 0 && m.IntN(3) > 0 {
			key := pick(m, keys)
			value := old[key]
			m.mutate(&value)
			old[key] = value
			return
		}
		switch {
		case m.IntN(8) == 0:
			*v = m.value()
		case m.IntN(3) == 0 && len(keys) > 0:
			delete(old, pick(m, keys))
		case m.IntN(3) == 0 && len(keys) > 0:
			key := pick(m, keys)
			value := old[key]
			delete(old, key)
			old[m.text(key)] = value
		default:
			old[pick(m, someKeys)] = m.value()
		}
	case string:
		if m.IntN(2) == 0 {
			*v = m.text(old)
			return
		}
		*v = m.value()
	default:
		*v = m.value()
	}
}
