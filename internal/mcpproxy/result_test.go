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
			`{ "content" : [ {"type":"text","text":"a\u0062"} ,{"type":"text","text":"\nx <y>"},{"type":"text","text":"\nz"}] , "isError":false}`},
		"M77 structured content is kept": {
			`{"content":[],"structuredContent":{"a":1}}`, "", []string{"x"},
			`{"content":[{"type":"text","text":"\nx"}],"structuredContent":{"a":1}}`},
		"M77 no payload":         {` {"content" : 3}`, "", nil, ` {"content" : 3}`},
		"M77 no content":         {`{"_meta":{}}`, "", []string{"x"}, `{"_meta":{},"content":[{"type":"text","text":"\nx"}]}`},
		"M77 empty result":       {`{ }`, "", []string{"x"}, `{ "content":[{"type":"text","text":"\nx"}]}`},
		"M77 content is a text":  {`{"content":"a"}`, "", []string{"x"}, `{"content":[{"type":"text","text":"a"},{"type":"text","text":"\nx"}]}`},
		"M77 result is a text":   {`"a"`, "", []string{"x"}, `{"content":[{"type":"text","text":"a"},{"type":"text","text":"\nx"}]}`},
		"M77 result is a list":   {`[{"type":"text","text":"a"}]`, "", []string{"x"}, `{"content":[{"type":"text","text":"a"},{"type":"text","text":"\nx"}]}`},
		"M77 result is a number": {`3`, "", []string{"x"}, `{"content":[{"type":"text","text":"3"},{"type":"text","text":"\nx"}]}`},
		"M77 content is null":    {`{"content":null}`, "", []string{"x"}, `{"content":[{"type":"text","text":"null"},{"type":"text","text":"\nx"}]}`},
		"M78 mirror": {
			`{"content":[],"structuredContent":{"a": 1}}`, "", []string{"first", "\n[Human Input]:  stop now \n"},
			`{"content":[{"type":"text","text":"\nfirst"},{"type":"text","text":"\n\n[Human Input]:  stop now \n"}],"structuredContent":{"a":1,"massgen_runtime_input":"[Human Input]: stop now","massgen_runtime_input_priority":"high"}}`},
		"M78 an older input is replaced": {
			`{"structuredContent":{"massgen_runtime_input":"old"},"content":[]}`, "", []string{"[Human Input]: new"},
			`{"structuredContent":{"massgen_runtime_input":"[Human Input]: new","massgen_runtime_input_priority":"high"},"content":[{"type":"text","text":"\n[Human Input]: new"}]}`},
		"M78 an input that says nothing": {
			`{"content":[],"structuredContent":{}}`, "", []string{"[Human Input]:  "},
			`{"content":[{"type":"text","text":"\n[Human Input]:  "}],"structuredContent":{}}`},
		"M78 no structured content": {
			`{"content":[]}`, "", []string{"[Human Input]: x"}, `{"content":[{"type":"text","text":"\n[Human Input]: x"}]}`},
		"a text in the place of the content": {
			`{"content":[{"type":"text","text":"secret"}],"structuredContent":{"a":"secret"},"isError":true}`, `"gone"`, nil,
			`{"isError":true,"content":[{"type":"text","text":"gone"}]}`},
		"a list in its place":       {`{"content":[]}`, `[{"type":"image","data":""}]`, []string{"x"}, `{"content":[{"type":"image","data":""},{"type":"text","text":"\nx"}]}`},
		"other JSON in its place":   {`{"content":[]}`, `{"a": [1]}`, nil, `{"content":[{"type":"text","text":"{\"a\":[1]}"}]}`},
		"a list that is no content": {`{"content":[]}`, `["a"]`, nil, `{"content":[{"type":"text","text":"[\"a\"]"}]}`},
		"a text in several lines":   {`{"content":[]}`, "[\n{\"type\":\"text\",\n\"text\":\"a\"}]\n", nil, `{"content":[{"type":"text","text":"a"}]}`},
		"a whole result": {
			`{"content":[],"structuredContent":{"a":1},"isError":true}`, `{"content":[],"structuredContent":{"a":2}}`, nil,
			`{"content":[],"structuredContent":{"a":2},"isError":true}`},
	} {
		t.Run(name, func(t *testing.T) {
			got := adapt(test.result, test.content, test.texts)
			require.Equal(t, test.want, got)
			require.True(t, json.Valid([]byte(got)))
		})
	}
}

func TestResultOf(t *testing.T) {
	for line, want := range map[string]Result{
		`{"result":{"content":[{"type":"text","text":"a\u0062"}]}}`:                                 {Text: "ab"},
		`{"result":{"content":[{"type":"text","text":"a"}],"isError":true}}`:                        {Text: "a", Failed: true},
		`{"result":{"content":[ {"type":"text","text":"a"}, {"type":"text","text":"b"}]}}`:          {Text: `[{"type":"text","text":"a"},{"type":"text","text":"b"}]`},
		`{"result":{"content":[{"type":"image","data":"x"}]}}`:                                      {Text: `[{"type":"image","data":"x"}]`},
		`{"result":{"content":[]}}`:                                                                 {Text: `[]`},
		`{"result":{"toolResult": 1}}`:                                                              {Text: `{"toolResult":1}`},
		`{"result":null}`:                                                                           {Text: `null`},
		`{"error":{"code":-1,"message":"no"}}`:                                                      {Text: "no", Failed: true, Error: true},
		`{"error": {"code": -1}}`:                                                                   {Text: `{"code":-1}`, Failed: true, Error: true},
		`{"error":{"code":-1,"message":"no"},"result":{"content":[{"type":"text","text":"both"}]}}`: {Text: "no", Failed: true, Error: true},
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
		if err != nil || !m.result.there() {
			return
		}
		texts := []string{one, two}
		got := adapt(m.result.raw, content, texts)
		var parsed struct {
			Content []struct{ Text any }
		}
		require.NoError(t, json.Unmarshal([]byte(got), &parsed), got)
		require.GreaterOrEqual(t, len(parsed.Content), 2)
		for i, item := range parsed.Content[len(parsed.Content)-2:] {
			require.Equal(t, "\n"+string([]rune(texts[i])), item.Text)
		}
		require.Equal(t, m.result.raw, adapt(m.result.raw, "", nil))
		if !strings.Contains(result, "\n") {
			require.NotContains(t, got, "\n", "it is one line")
		}
	})
}
