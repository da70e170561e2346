package stats

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// at is a line of a log: so many milliseconds after the first, of the session s1 unless rest has another.
func at(ms int, event, rest string) string {
	when := time.UnixMicro(1_795_272_197_250_000).Add(time.Duration(ms) * time.Millisecond).UTC()
	line := `{"version":1,"time":"` + when.Format(stampForm) + `",`
	if !strings.Contains(rest, "session_id") {
		line += `"session_id":"s1",`
	}
	if !strings.Contains(rest, `"outcome"`) {
		rest += `,"outcome":{"decision":"continue"}`
	}
	return line + strings.TrimPrefix(rest, ",") + `}` + "\x00" + event
}

// events gives the events of the lines.
func events(t *testing.T, f Filter, lines ...string) (all []string) {
	m := NewEvents(f)
	for _, line := range lines {
		line, event, _ := strings.Cut(line, "\x00")
		line = strings.Replace(line, `"outcome":{`, `"outcome":{"event":"`+event+`","tool":"Bash",`, 1)
		out, err := m.Of([]byte(line))
		require.NoError(t, err)
		for e := range strings.Lines(string(out)) {
			all = append(all, strings.TrimSuffix(e, "\n"))
		}
	}
	return all
}

func TestEvents(t *testing.T) {
	const call1 = `"tool_use_id":"t1","args":{"command":"ls <&>"}`
	prompt := at(0, "UserPromptSubmit", "")
	t.Run("U52 a call that went on", func(t *testing.T) {
		require.Equal(t, []string{
			`{"type":"tool_call","timestamp":1795272198.75,"data":{"id":"t1","name":"Bash","input":{"command":"ls ` +
				`<&>"},"time_offset":1.5}}`,
		}, events(t, Filter{}, prompt, at(1500, "PreToolUse", call1)))
		require.Equal(t, []string{
			`{"type":"tool_call","timestamp":1795272197.25,"data":{"id":"t1","name":"Bash","input":{"command":"ls ` +
				`<&>"},"time_offset":0.0}}`,
		}, events(t, Filter{}, at(0, "pre-tool", call1)), "no turn has begun")
		for _, held := range []string{
			`,"outcome":{"decision":"block"}`, `,"outcome":{"decision":"ask"}`,
			`,"outcome":{"decision":"continue","stop":true}`, `,"error":"interrupted","outcome":{"decision":"block"}`,
		} {
			require.Empty(t, events(t, Filter{}, at(0, "pre-tool", call1+held)), held)
		}
	})
	t.Run("U52 input", func(t *testing.T) {
		for args, want := range map[string]string{
			``:                `{}`,
			`,"args":"plain"`: `{"value":"plain"}`,
			`,"args":[1]`:     `{"value":[1]}`,
			`,"args_preview":"{\"a\":\"x","args_size":9000`: "" +
				`{"preview":"{\"a\":\"x","size":9000}`,
			`,"args":{"a":1},"outcome":{"decision":"continue","updated_input":{"a":2}}`: "" +
				`{"a":2}`,
			`,"args":{"a":1},"outcome":{"decision":"continue","updated_input":"{\"a\":\"y … (9001 characters)"}`: "" +
				`{"preview":"{\"a\":\"y","size":9001}`,
			`,"args":{"a":1},"outcome":{"decision":"continue","updated_input":5}`: "" +
				`{"value":5}`,
			`,"args":{"a":1},"outcome":{"decision":"continue","updated_input":"text"}`: "" +
				`{"value":"text"}`,
		} {
			got := events(t, Filter{}, at(0, "pre-tool", `"tool_use_id":"t1"`+args))
			require.Equal(t,
				[]string{`{"type":"tool_call","timestamp":1795272197.25,"data":{"id":"t1","name":"Bash","input":` +
					want + `,"time_offset":0.0}}`}, got, args)
		}
	})
	t.Run("U53 each id once a turn", func(t *testing.T) {
		pre, post := at(10, "pre-tool", call1), at(20, "post-tool", `"tool_use_id":"t1","result":"ok"`)
		require.Len(t, events(t, Filter{}, prompt, pre, pre, post, post), 2)
		require.Len(t, events(t, Filter{}, prompt, pre, post, prompt, pre, post), 4, "another turn")
		require.Len(t, events(t, Filter{}, prompt, pre, at(15, "pre-execute", `"session_id":"s2"`), pre), 1,
			"another session's turn")
		require.Empty(t, events(t, Filter{}, at(0, "pre-tool", `"args":{}`), at(0, "post-tool", `"result":"x"`),
			at(0, "pre-tool", `"tool_use_id":""`)), "no id")
		require.Len(t, events(t, Filter{}, at(0, "pre-tool", call1+`,"outcome":{"decision":"block"}`), pre), 1,
			"a call that was held up is none")
	})
	t.Run("U54 a result", func(t *testing.T) {
		result := func(rest string) string {
			got := events(t, Filter{}, at(0, "post-tool", `"tool_use_id":"t1",`+rest))
			require.Len(t, got, 1, rest)
			_, data, _ := strings.Cut(got[0], `"timestamp":1795272197.25,`)
			return data
		}
		require.Equal(t,
			`"data":{"tool_use_id":"t1","is_error":false,"content_preview":"done","content_size":4,`+
				`"time_offset":0.0}}`, result(`"result":"done"`))
		require.Equal(t, `"data":{"tool_use_id":"t1","is_error":false,"content_preview":"`+strings.Repeat("é", 2500)+
			`","content_size":3000,"time_offset":0.0}}`,
			result(`"result":"`+strings.Repeat("é", 3000)+`"`))
		require.Equal(t,
			`"data":{"tool_use_id":"t1","is_error":true,"content_preview":"{\"conte","content_size":3000,`+
				`"time_offset":0.0}}`,
			result(`"failed":true,"result_preview":"{\"conte","result_size":3000`))
		require.Equal(t,
			`"data":{"tool_use_id":"t1","is_error":false,"content_preview":"","content_size":0,"time_offset":0.0}}`,
			result(`"failed":false`))
		for text, isError := range map[string]string{
			`{\"is_error\":true}`: "true", `{\"error\":\"x\"}`: "true", `{\"error\":{\"code\":1}}`: "true",
			`{\"is_error\":1}`:                    "true",
			`{\"is_error\":false,\"error\":null}`: "false", `{\"error\":\"\"}`: "false", `{\"error\":{}}`: "false",
			`is_error`: "false", `{\"is_error\":true`: "false",
		} {
			require.Contains(t, result(`"result":"`+text+`"`), `"is_error":`+isError, text)
		}
		require.Contains(t, events(t, Filter{}, at(0, "PostToolUseFailure",
			`"tool_use_id":"t1","failed":true,"result":"oh"`))[0], `"is_error":true`)
	})
	t.Run("U56 and U58 what hooks say is a status", func(t *testing.T) {
		said := `"tool_use_id":"t1","result":"x","outcome":{"decision":"continue","system_messages":["mind"],` +
			`"warnings":["slow"],"hooks":[{"name":"a","status":"ok","stderr":"one\r\n\ntwo"}]}`
		status := func(text, level, prefix string) string {
			return `{"type":"status","timestamp":1795272197.26,"data":{"status":"` + text + `","level":"` + level +
				`","prefix":"` + prefix + `","is_log":true,"time_offset":0.01}}`
		}
		want := []string{status("one", "INFO", "[LOG]"), status("two", "INFO", "[LOG]"), status("mind", "INFO", ""),
			status("slow", "WARNING", "")}
		got := events(t, Filter{}, prompt, at(10, "post-tool", said))
		require.Contains(t, got[0], `"type":"tool_result"`)
		require.Equal(t, want, got[1:])
		got = events(t, Filter{}, prompt, at(10, "pre-tool", said))
		require.Equal(t, want, got[:4])
		require.Contains(t, got[4], `"type":"tool_call"`, "behind the hooks that let it go on")
		require.Equal(t, want, events(t, Filter{}, prompt,
			at(10, "Stop", strings.ReplaceAll(said, "continue", "block"))))
	})
	t.Run("U57 runs beside each other, and lines that are none", func(t *testing.T) {
		got := events(t, Filter{}, prompt, at(1000, "pre-execute", `"session_id":"s2"`), "garbage", `{"time":1}`,
			at(3000, "pre-tool", call1), at(3000, "pre-tool", `"session_id":"s2",`+call1))
		require.Len(t, got, 2)
		require.Contains(t, got[0], `"time_offset":3.0`)
		require.Contains(t, got[1], `"time_offset":2.0`)
	})
	t.Run("what a filter leaves out still counts", func(t *testing.T) {
		since := Filter{Since: time.UnixMicro(1_795_272_199_000_000)}
		got := events(t, since, prompt, at(10, "pre-tool", call1), at(3000, "pre-tool", call1),
			at(3000, "pre-tool", strings.Replace(call1, "t1", "t2", 1)))
		require.Len(t, got, 1)
		require.Contains(t, got[0], `"id":"t2"`)
		require.Contains(t, got[0], `"time_offset":3.0`)
		require.Empty(t, events(t, Filter{Session: "s2"}, prompt, at(10, "pre-tool", call1)))
	})
}

func TestResultText(t *testing.T) {
	for _, c := range []struct{ name, result, want string }{
		{"U55 text", "two\nlines ", "two\nlines "},
		{"U55 nothing", "", ""},
		{"U55 content", `{"content":"the text","result":"not this"}`, "the text"},
		{"U55 result", `{"result":"the text","other":1}`, "the text"},
		{"U55 itself", `{"stdout":"a","n":[1,{}]}`, "{\n  \"stdout\": \"a\",\n  \"n\": [\n    1,\n    {}\n  ]\n}"},
		{"U55 blocks",
			`{"content":[{"type":"text","text":"one\n"},{"type":"text","text":"two é"},{"type":"image"},3]}`,
			"one\n\ntwo é\n{\"type\":\"image\"}\n3"},
		{"U55 a bare list", `[{"type":"text","text":"one"},{"type":"text","text":"two"}]`, "one\ntwo"},
		{"U55 a text that is JSON", `{"content":"{\"a\":[]}"}`, "{\n  \"a\": []\n}"},
		{"U55 blocks that are JSON", `[{"type":"text","text":"{\"a\":1}"}]`, "{\n  \"a\": 1\n}"},
		{"U55 printed by Python", `[{'type': 'text', 'text': 'it\'s\n"x" \xe9 \u20ac \\d'}]`, "it's\n\"x\" é € \\d"},
		{"U55 printed, within an object",
			`{"content":"[{'type': 'text', 'text': \"it's\", 'x': 1}, {'type': 'text', 'text': 'more'}]"}`, "it's"},
		{"U55 printed, and cut off", `[{'type': 'text', 'text': 'the begi`, "the begi"},
		{"U55 JSON, and cut off", ` [ {"type":"text","text":"the \"begi`, `the "begi`},
		{"U55 printed, and JSON", `[{'type': 'text', 'text': '{"a": 1}'}]`, "{\n  \"a\": 1\n}"},
		{"U55 no block", `[{'type': 'image'}]`, `[{'type': 'image'}]`},
		{"U55 a JSON string", `"quoted"`, `"quoted"`},
		{"U55 null", `{"content":null}`, "null"},
		{"U55 escapes that are none", `[{'type': 'text', 'text': '\q\xzz\ud800\`, "\\q\\xzz\ufffd\\"},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, ResultText(c.result)) })
	}
}

func FuzzEvents(f *testing.F) {
	f.Add(`[{'type': 'text', 'text': 'it\x41'}]`, `{"a":1}`, "x (5 characters)")
	f.Add(`{"content":[{"text":1}],"error":[]}`, `5`, "")
	f.Fuzz(func(t *testing.T, result, args, rewrite string) {
		var values []string
		for _, text := range []string{result, args, rewrite} {
			value, err := json.Marshal(text)
			require.NoError(t, err)
			values = append(values, string(value))
		}
		m := NewEvents(Filter{})
		for _, rewritten := range []string{args, values[2], ""} {
			if rewritten != "" {
				rewritten = `"updated_input":` + rewritten + `,`
			}
			for _, event := range []string{"pre-execute", "pre-tool", "post-tool"} {
				out, err := m.Of([]byte(`{"time":"2026-11-21T14:43:17Z","tool_use_id":"t","args":` + args +
					`,"result":` + values[0] +
					`,"outcome":{` + rewritten + `"decision":"continue","event":"` + event + `"}}`))
				require.NoError(t, err)
				if !json.Valid([]byte(args)) || event == "pre-execute" {
					continue
				}
				require.Equal(t, 1, bytes.Count(out, []byte("\n")))
				require.True(t, json.Valid(out), "%s", out)
			}
		}
	})
}
