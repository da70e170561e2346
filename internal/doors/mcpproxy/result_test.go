package mcpproxy

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAdapt(t *testing.T) {
	for name, test := range map[string]struct {
		result, content string
		texts           []string
		want            string
	}{
		"M77 append": {
			`{ "content" : [ {"type":"text","text":"a\u0062"} ] , "isError":false}`, "", []string{"x <y>", "z"},
			`{ "content" : [ {"type":"text","text":"a\u0062"} ,{"type":"text","text":"\nx ` +
				`<y>"},{"type":"text","text":"\nz"}] , "isError":false}`},
		"M77 structured content is kept": {
			`{"content":[],"structuredContent":{"a":1}}`, "", []string{"x"},
			`{"content":[{"type":"text","text":"\nx"}],"structuredContent":{"a":1}}`},
		"M77 no payload": {` {"content" : 3}`, "", nil, ` {"content" : 3}`},
		"M77 no content": {`{"_meta":{}}`, "", []string{"x"},
			`{"_meta":{},"content":[{"type":"text","text":"\nx"}]}`},
		"M77 empty result": {`{ }`, "", []string{"x"}, `{ "content":[{"type":"text","text":"\nx"}]}`},
		"M77 content is a text": {`{"content":"a"}`, "", []string{"x"},
			`{"content":[{"type":"text","text":"a"},{"type":"text","text":"\nx"}]}`},
		"M77 result is a text": {`"a"`, "", []string{"x"},
			`{"content":[{"type":"text","text":"a"},{"type":"text","text":"\nx"}]}`},
		"M77 result is a list": {`[{"type":"text","text":"a"}]`, "", []string{"x"},
			`{"content":[{"type":"text","text":"a"},{"type":"text","text":"\nx"}]}`},
		"M77 result is a number": {`3`, "", []string{"x"},
			`{"content":[{"type":"text","text":"3"},{"type":"text","text":"\nx"}]}`},
		"M77 content is null": {`{"content":null}`, "", []string{"x"},
			`{"content":[{"type":"text","text":"null"},{"type":"text","text":"\nx"}]}`},
		"M78 mirror": {
			`{"content":[],"structuredContent":{"a": 1}}`, "", []string{"first", "\n[Human Input]:  stop now \n"},
			`{"content":[{"type":"text","text":"\nfirst"},{"type":"text","text":"\n\n[Human Input]:  stop now ` +
				`\n"}],"structuredContent":{"a":1,"massgen_runtime_input":"[Human Input]: stop ` +
				`now","massgen_runtime_input_priority":"high"}}`},
		"M78 an older input is replaced": {
			`{"structuredContent":{"massgen_runtime_input":"old"},"content":[]}`, "", []string{"[Human Input]: new"},
			`{"structuredContent":{"massgen_runtime_input":"[Human Input]: ` +
				`new","massgen_runtime_input_priority":"high"},"content":[{"type":"text","text":"\n[Human Input]: ` +
				`new"}]}`},
		"M78 an input that says nothing": {
			`{"content":[],"structuredContent":{}}`, "", []string{"[Human Input]:  "},
			`{"content":[{"type":"text","text":"\n[Human Input]:  "}],"structuredContent":{}}`},
		"M78 no structured content": {
			`{"content":[]}`, "", []string{"[Human Input]: x"},
			`{"content":[{"type":"text","text":"\n[Human Input]: x"}]}`},
		"a text in the place of the content": {
			`{"content":[{"type":"text","text":"secret"}],"structuredContent":{"a":"secret"},"isError":true}`,
			`"gone"`, nil,
			`{"isError":true,"content":[{"type":"text","text":"gone"}]}`},
		"a list in its place": {`{"content":[]}`, `[{"type":"image","data":""}]`, []string{"x"},
			`{"content":[{"type":"image","data":""},{"type":"text","text":"\nx"}]}`},
		"other JSON in its place": {`{"content":[]}`, `{"a": [1]}`, nil,
			`{"content":[{"type":"text","text":"{\"a\":[1]}"}]}`},
		"a list that is no content": {`{"content":[]}`, `["a"]`, nil, `{"content":[{"type":"text","text":"[\"a\"]"}]}`},
		"the JSON of a list in the place of a list": {
			`{"content":[{"type":"text","text":"key"},{"type":"resource","resource":{"uri":"a:b","text":"key"}}],` +
				`"isError":false}`,
			`"[{\"type\":\"text\",\"text\":\"x\"}, ` +
				`{\"type\":\"resource\",\"resource\":{\"uri\":\"a:b\",\"text\":\"x\"}}]"`, nil,
			`{"isError":false,"content":[{"type":"text","text":"x"},{"type":"resource","resource":{"uri":"a:b",` +
				`"text":"x"}}]}`},
		"a list with a key twice is a text": {
			`{"content":[{"type":"image","data":""}]}`, `"[{\"type\":\"text\",\"text\":\"x\",\"text\":\"y\"}]"`, nil,
			`{"content":[{"type":"text","text":"[{\"type\":\"text\",\"text\":\"x\",\"text\":\"y\"}]"}]}`},
		"other text in the place of a list": {`{"content":[{"type":"image","data":""}]}`, `"gone"`, nil,
			`{"content":[{"type":"text","text":"gone"}]}`},
		"the JSON of a list in the place of a text": {
			`{"content":[{"type":"text","text":"[{\"type\":\"a\"}]"}]}`, `"[{\"type\":\"b\"}]"`, nil,
			`{"content":[{"type":"text","text":"[{\"type\":\"b\"}]"}]}`},
		"a text in several lines": {`{"content":[]}`, "[\n{\"type\":\"text\",\n\"text\":\"a\"}]\n", nil,
			`{"content":[{"type":"text","text":"a"}]}`},
		"all that hooks saw is replaced": {
			`{"content":[{"type":"text","text":"a"}],"_meta":{"k":"secret"},"toolResult":"secret","isError":"secret"}`,
			`"gone"`, nil, `{"content":[{"type":"text","text":"gone"}]}`},
		"also of a result without content": {`{"toolResult":"secret","isError":true}`, `"gone"`, nil,
			`{"isError":true,"content":[{"type":"text","text":"gone"}]}`},
		"the JSON of a result with more": {
			`{"content":[{"type":"text","text":"a"}],"_meta":{"k":"secret"}}`,
			`"{\"content\":[{\"type\":\"text\",\"text\":\"a\"}],\"_meta\":{\"k\":\"gone\"}}"`, nil,
			`{"content":[{"type":"text","text":"a"}],"_meta":{"k":"gone"}}`},
		"a whole result": {
			`{"content":[],"structuredContent":{"a":1},"isError":true}`, `{"content":[],"structuredContent":{"a":2}}`,
			nil,
			`{"content":[],"structuredContent":{"a":2},"isError":true}`},
	} {
		t.Run(name, func(t *testing.T) {
			got := tool{listed: true}.adapt(test.result, ResultDecision{Content: test.content}, test.texts)
			require.Equal(t, test.want, got)
			require.True(t, json.Valid([]byte(got)))
		})
	}
}

// TestAdaptToSchema: whatever hooks make of a result, it is valid for its tool's output schema, or one of a tool that
// failed. What was replaced is nowhere in it.
func TestAdaptToSchema(t *testing.T) {
	const (
		text = `{"type":"object","properties":{"content":{"type":"string"}},"required":["content"],` +
			`"additionalProperties":false}`
		weather = `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object",` +
			`"properties":{"sky":{"type":"string","enum":["blue","grey"]},` +
			`"at":{"type":"string"},"t":{"type":"number"}},"required":["sky","t"],"additionalProperties":false}`
		texts  = `{"content":[{"type":"text","text":"key=1"}],"structuredContent":{"content":"key=1"}}`
		report = `{"content":[{"type":"text","text":"{\"sky\":\"blue\",\"at\":\"key=1\",\"t\":3}"}],` +
			`"structuredContent":{"sky":"blue","at":"key=1","t":3}}`
	)
	for name, test := range map[string]struct {
		tool   tool
		result string
		after  ResultDecision
		texts  []string
		want   string
	}{
		"a text in the place of a text that is all": {
			tool{true, text}, texts, ResultDecision{Content: `"key=[redacted]"`}, nil,
			`{"content":[{"type":"text","text":"key=[redacted]"}],"structuredContent":{"content":"key=[redacted]"}}`},
		"a list with a text in its place": {
			tool{true, text}, texts, ResultDecision{Content: `[{"type":"text","text":"key=x"}]`}, nil,
			`{"content":[{"type":"text","text":"key=x"}],"structuredContent":{"content":"key=x"}}`},
		"a text in the place of JSON": {
			tool{true, weather}, report, ResultDecision{Content: `"gone"`}, nil,
			`{"content":[{"type":"text","text":"gone"}],"isError":true}`},
		"the JSON of an object": {
			tool{true, weather}, report, ResultDecision{Content: `"{\"sky\":\"blue\", \"at\":\"x\",\"t\":3}"`}, nil,
			`{"content":[{"type":"text","text":"{\"sky\":\"blue\", ` +
				`\"at\":\"x\",\"t\":3}"}],"structuredContent":{"sky":"blue","at":"x","t":3}}`},
		"an object": {
			tool{true, weather}, report, ResultDecision{Content: `{"sky":"grey","t":4}`}, nil,
			`{"content":[{"type":"text","text":"{\"sky\":\"grey\",\"t\":4}"}],"structuredContent":{"sky":"grey",` +
				`"t":4}}`},
		"an object that the schema would not have": {
			tool{true, weather}, report, ResultDecision{Content: `{"sky":"[redacted]","t":4}`}, nil,
			`{"content":[{"type":"text","text":"{\"sky\":\"[redacted]\",\"t\":4}"}],"isError":true}`},
		"an object with a key twice": {
			tool{true, weather}, report, ResultDecision{Content: `"{\"sky\":\"grey\",\"t\":4,\"t\":\"\"}"`}, nil,
			`{"content":[{"type":"text","text":"{\"sky\":\"grey\",\"t\":4,\"t\":\"\"}"}],"isError":true}`},
		"JSON that is no object": {
			tool{true, weather}, report, ResultDecision{Content: `"[1]"`}, nil,
			`{"content":[{"type":"text","text":"[1]"}],"isError":true}`},
		"more texts than one": {
			tool{true, text}, texts,
			ResultDecision{Content: `[{"type":"text","text":"a"},{"type":"text","text":"b"}]`}, nil,
			`{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"isError":true}`},
		"a whole result": {
			tool{true, text}, texts, ResultDecision{Content: `{"content":[],"structuredContent":{"content":"x"}}`}, nil,
			`{"content":[],"structuredContent":{"content":"x"}}`},
		"a whole result that the schema would not have": {
			tool{true, text}, texts,
			ResultDecision{Content: `{"content":[],"structuredContent":{"contents":"x"}}`}, nil,
			`{"content":[],"isError":true}`},
		"a whole result without structured content": {
			tool{true, text}, texts,
			ResultDecision{Content: `{"content":[{"type":"text","text":"x"}],"_meta":{}}`}, nil,
			`{"content":[{"type":"text","text":"x"}],"_meta":{},"structuredContent":{"content":"x"}}`},
		"a text in the place of what the structured content alone said": {
			tool{true, ""}, `{"content":[{"type":"text","text":"done"}],"structuredContent":{"at":"key=1"}}`,
			ResultDecision{Content: `"{\"content\":[{\"type\":\"text\",\"text\":\"done\"}],` +
				`\"structuredContent\":{\"at\":\"x\"}}"`}, nil,
			`{"content":[{"type":"text","text":"done"}],"structuredContent":{"at":"x"}}`},
		"a failure that blocks": {
			tool{true, weather}, report, ResultDecision{Content: `"the redactor was killed"`, Failed: true}, nil,
			`{"content":[{"type":"text","text":"the redactor was killed"}],"isError":true}`},
		"a failure that blocks and whose words are JSON": {
			tool{true, ""}, report, ResultDecision{Content: `"{}"`, Failed: true}, nil,
			`{"content":[{"type":"text","text":"{}"}],"isError":true}`},
		"a block by policy": {
			tool{true, text}, texts, ResultDecision{Failed: true}, []string{"not good"},
			`{"content":[{"type":"text","text":"key=1"},{"type":"text","text":"\nnot ` +
				`good"}],"structuredContent":{"content":"key=1"},"isError":true}`},
		"a block where the server says that all is well": {
			tool{true, ""}, `{"content":[],"isError":false}`, ResultDecision{Failed: true}, nil,
			`{"content":[],"isError":true}`},
		"a tool that failed stays one": {
			tool{true, text}, `{"content":[],"structuredContent":{"content":"key=1"},"isError":true}`,
			ResultDecision{Content: `"x"`}, nil,
			`{"isError":true,"content":[{"type":"text","text":"x"}]}`},
		"a tool without a schema needs no structured content": {
			tool{true, ""}, texts, ResultDecision{Content: `"x"`}, nil, `{"content":[{"type":"text","text":"x"}]}`},
		"a tool of which nobody knows": {
			tool{}, texts, ResultDecision{Content: `"x"`}, nil,
			`{"content":[{"type":"text","text":"x"}],"isError":true}`},
		"the JSON of an object, of a tool of which nobody knows": {
			tool{}, texts, ResultDecision{Content: `"{\"a\":1}"`}, nil,
			`{"content":[{"type":"text","text":"{\"a\":1}"}],"structuredContent":{"a":1}}`},
		"texts behind it": {
			tool{true, text}, texts, ResultDecision{}, []string{"more"},
			`{"content":[{"type":"text","text":"key=1"},{"type":"text","text":"\nmore"}],` +
				`"structuredContent":{"content":"key=1"}}`},
		"what a person says, where the schema has no room": {
			tool{true, text}, texts, ResultDecision{}, []string{"[Human Input]: stop"},
			`{"content":[{"type":"text","text":"key=1"},{"type":"text","text":"\n[Human Input]: ` +
				`stop"}],"structuredContent":{"content":"key=1"}}`},
		"what a person says, where it has": {
			tool{true, `{"type":"object"}`}, texts, ResultDecision{}, []string{"[Human Input]: stop"},
			`{"content":[{"type":"text","text":"key=1"},{"type":"text","text":"\n[Human Input]: ` +
				`stop"}],"structuredContent":{"content":"key=1",` +
				`"massgen_runtime_input":"[Human Input]: stop","massgen_runtime_input_priority":"high"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			got := test.tool.adapt(test.result, test.after, test.texts)
			require.Equal(t, test.want, got)
			require.True(t, json.Valid([]byte(got)))
		})
	}
}

func TestResultOf(t *testing.T) {
	for line, want := range map[string]Result{
		`{"result":{"content":[{"type":"text","text":"a\u0062"}]}}`: {Text: "ab"},
		`{"result":{"content":[{"type":"text","text":"a"}],"isError":true}}`: {Text: "a",
			Failed: true},
		`{"result":{"content":[ {"type":"text","text":"a"}, {"type":"text","text":"b"}]}}`: {
			Text: `[{"type":"text","text":"a"},{"type":"text","text":"b"}]`},
		`{"result":{"content":[{"type":"image","data":"x"}]}}`: {
			Text: `[{"type":"image","data":"x"}]`},
		`{"result":{"content":[]}}`: {Text: `[]`},
		`{"result":{"toolResult": 1}}`: {
			Text: `{"toolResult":1}`},
		`{"result":null}`: {Text: `null`},
		`{"result":{"content":[{"type":"text","text":"a\"b"}],"structuredContent":{"c":"a\"b"}}}`: {Text: `a"b`},
		`{"result":{"content":[{"type":"text","text":"{\"k\": \"v\\n\", \"n\": ` +
			`1}"}],"structuredContent":{"n":1,"k":"v\n"}}}`: {Text: `{"k": "v\n", "n": 1}`},
		`{"result":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"structuredContent":{"r":["a",` +
			`"b"]}}}`: {Text: `[{"type":"text","text":"a"},{"type":"text","text":"b"}]`},
		`{"result":{"content":[{"type":"text","text":"done"}],"structuredContent":{"key": "AKIA"},"_meta":{}}}`: {
			Text: `{"content":[{"type":"text","text":"done"}],"structuredContent":{"key":"AKIA"}}`},
		`{"result":{"content":[{"type":"text","text":"AKIA"}],"structuredContent":{"password":"AKIA",` +
			`"n":null}}}`: {Text: `{"content":[{"type":"text","text":"AKIA"}],"structuredContent":{"password":"AKIA",` +
			`"n":null}}`},
		`{"result":{"structuredContent":{"pin":1234},"isError":true}}`: {Text: `{"content":[],` +
			`"structuredContent":{"pin":1234}}`, Failed: true},
		// What a client may read beside the text.
		`{"result":{"content":[{"type":"text","text":"a","_meta":{"k":"AKIA"}}]}}`: {
			Text: `[{"type":"text","text":"a","_meta":{"k":"AKIA"}}]`},
		`{"result":{"content":[{"type":"text","text":"a","annotations":{"audience":["AKIA"]}}]}}`: {
			Text: `[{"type":"text","text":"a","annotations":{"audience":["AKIA"]}}]`},
		`{"result":{"content":[{"type":"text","text":"a","Text":"AKIA"}]}}`: {
			Text: `[{"type":"text","text":"a","Text":"AKIA"}]`},
		`{"result":{"content":[{"type":"text","text":"a","annotations":null,"_meta":{}}],"_meta":{"fastmcp":` +
			`{"wrap_result":true}},"structuredContent":null}}`: {Text: "a"},
		`{"result":{"content":[{"type":"text","text":"a"}],"_meta":{"k":"AKIA"}}}`: {
			Text: `{"content":[{"type":"text","text":"a"}],"_meta":{"k":"AKIA"}}`},
		`{"result":{"x":"AKIA","content":[{"type":"text","text":"a"}],"structuredContent":{"r":"a"}}}`: {
			Text: `{"content":[{"type":"text","text":"a"}],"structuredContent":{"r":"a"},"x":"AKIA"}`},
		`{"result":{"content":[{"type":"text","text":"a"}],"structuredContent":["AKIA"]}}`: {
			Text: `{"content":[{"type":"text","text":"a"}],"structuredContent":["AKIA"]}`},
		`{"result":{"content":[],"isError":"AKIA"}}`: {Text: `{"content":[],"isError":"AKIA"}`},
		`{"error":{"code":-1,"message":"no"}}`:       {Text: "no", Failed: true, Error: true},
		`{"error": {"code": -1}}`: {Text: `{"code":-1}`, Failed: true,
			Error: true},
		`{"error":{"code":-1,"message":"no"},"result":{"content":[{"type":"text","text":"both"}]}}`: {Text: "no",
			Failed: true, Error: true},
	} {
		m, err := parse(line)
		require.Nil(t, err)
		require.Equal(t, want, resultOf(&m), line)
	}
}

// FuzzAdapt says that whatever a tool answered, a result with texts behind it is JSON with all of them.
func FuzzAdapt(f *testing.F) {
	f.Add(`{"content":[{"type":"text","text":"a"}],"structuredContent":{"a":{}}}`, `"x"`, "text", "[Human Input]: go")
	f.Add(`{ }`, ``, "", "x")
	f.Add("{\n}", "A", "0", "0")
	f.Add(`0`, `0`, "0", "0")
	f.Add(`[]`, `{"content":[]}`, "[Human Input]:", "")
	f.Fuzz(func(t *testing.T, result, content, one, two string) {
		line, equal, err := check(`{"result":` + result + `}`)
		if err != nil || equal != "" {
			return
		}
		m, err := parse(line)
		if _, equal, err := check(content); err != nil || equal != "" {
			content = ""
		}
		if err != nil || !m.result.exists() {
			return
		}
		texts := []string{one, two}
		got := tool{}.adapt(m.result.raw, ResultDecision{Content: content}, texts)
		var parsed struct {
			Content []struct{ Text any }
		}
		require.NoError(t, json.Unmarshal([]byte(got), &parsed), got)
		require.GreaterOrEqual(t, len(parsed.Content), 2)
		for i, item := range parsed.Content[len(parsed.Content)-2:] {
			require.Equal(t, "\n"+string([]rune(texts[i])), item.Text)
		}
		require.Equal(t, m.result.raw, tool{}.adapt(m.result.raw, ResultDecision{}, nil))
		if !strings.Contains(result, "\n") {
			require.NotContains(t, got, "\n", "it is one line")
		}
	})
}
