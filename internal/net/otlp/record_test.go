package otlp

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// one returns the record of a line, and its attributes by key.
func one(t *testing.T, line string, withArgs bool) (record gjson.Result, attributes map[string]string) {
	t.Helper()
	text, kind, _ := appendRecord(nil, []byte(line), time.Unix(1, 0), withArgs)
	require.Equal(t, sent, kind)
	require.True(t, json.Valid(text), "%s", text)
	attributes = map[string]string{}
	record = gjson.ParseBytes(text)
	for _, a := range record.Get("attributes").Array() {
		require.NotContains(t, attributes, a.Get("key").Str)
		attributes[a.Get("key").Str] = a.Get("value").Raw
	}
	return record, attributes
}

const blocked = `{"version":1,"time":"2026-11-26T23:11:45.545601Z","command":"fire","client":"claude","pid":7,` +
	`"session_id":"c","agent_id":"a","workspace":"/w","tool_use_id":"t2","args":{"command":"x \"1\""},"result":"r",` +
	`"prompt":"p","redacted":true,"failed":true,"outcome":{"version":1,"event":"PreToolUse","tool":"Bash",` +
	`"decision":"block","reason":"no\n\u0007","cause":"policy","hook":"git/no-force-push","warnings":["w"],"hooks":[` +
	`{"name":"slow","source":"/w/.tenex-hooks.json:2","status":"timeout","duration_ms":5},` +
	`{"name":"try","source":"/w/.tenex-hooks.json:3","status":"observed","would":"block: later"},` +
	`{"name":"git/no-force-push","source":"/home/u/.config/hookrun/hooks.json:1","status":"blocked"}],` +
	`"updated_input":{"secret":1},"inject":[{"content":"secret"}],"duration_ms":0.11}}`

func TestRecord(t *testing.T) {
	record, attributes := one(t, blocked, false)
	require.Equal(t, "1795734705545601000", record.Get("timeUnixNano").Str)
	require.Equal(t, "1000000000", record.Get("observedTimeUnixNano").Str)
	require.Equal(t, "hookrun.decision", record.Get("eventName").Str)
	require.Equal(t, "WARN", record.Get("severityText").Str)
	require.Equal(t, int64(13), record.Get("severityNumber").Int())
	require.Equal(t, "PreToolUse Bash: block (git/no-force-push, policy): no\n\a", record.Get("body.stringValue").Str)
	require.Equal(t, map[string]string{
		"gen_ai.operation.name":  `{"stringValue":"execute_tool"}`,
		"gen_ai.tool.name":       `{"stringValue":"Bash"}`,
		"gen_ai.tool.call.id":    `{"stringValue":"t2"}`,
		"gen_ai.conversation.id": `{"stringValue":"c"}`,
		"gen_ai.agent.id":        `{"stringValue":"a"}`,
		"hookrun.event":          `{"stringValue":"PreToolUse"}`,
		"hookrun.decision":       `{"stringValue":"block"}`,
		"hookrun.cause":          `{"stringValue":"policy"}`,
		"hookrun.hook":           `{"stringValue":"git/no-force-push"}`,
		"hookrun.rule":           `{"stringValue":"git/no-force-push"}`,
		"hookrun.reason":         `{"stringValue":"no\n\u0007"}`,
		"hookrun.duration_ms":    `{"doubleValue":0.11}`,
		"hookrun.source":         `{"stringValue":"/home/u/.config/hookrun/hooks.json:1"}`,
		"hookrun.level":          `{"stringValue":"user"}`,
		"hookrun.hooks": `{"arrayValue":{"values":[{"stringValue":"slow"},{"stringValue":"try"},` +
			`{"stringValue":"git/no-force-push"}]}}`,
		"hookrun.failed":      `{"arrayValue":{"values":[{"stringValue":"slow: timeout"}]}}`,
		"hookrun.would":       `{"arrayValue":{"values":[{"stringValue":"try: block: later"}]}}`,
		"hookrun.warnings":    `{"arrayValue":{"values":[{"stringValue":"w"}]}}`,
		"hookrun.client":      `{"stringValue":"claude"}`,
		"hookrun.command":     `{"stringValue":"fire"}`,
		"hookrun.workspace":   `{"stringValue":"/w"}`,
		"hookrun.tool_failed": `{"boolValue":true}`,
		"hookrun.redacted":    `{"boolValue":true}`,
		"process.pid":         `{"intValue":"7"}`,
	}, attributes)
	require.NotContains(t, record.Raw, "secret")

	_, attributes = one(t, blocked, true)
	require.Equal(t, `{"stringValue":"{\"command\":\"x \\\"1\\\"\"}"}`, attributes["gen_ai.tool.call.arguments"])
	require.Equal(t, `{"stringValue":"r"}`, attributes["gen_ai.tool.call.result"])
	require.Equal(t, `{"stringValue":"p"}`, attributes["hookrun.prompt"])
}

// A call without a verdict never looks like one that went on.
func TestRecordWithoutAVerdict(t *testing.T) {
	record, attributes := one(t, `{"time":"2026-11-26T23:11:45Z","event":"pre-tool","tool":"shell",`+
		`"error":"no file"}`, false)
	require.Equal(t, "ERROR", record.Get("severityText").Str)
	require.Equal(t, "pre-tool shell: no verdict: no file", record.Get("body.stringValue").Str)
	require.Equal(t, `{"stringValue":"none"}`, attributes["hookrun.decision"])
	require.Equal(t, `{"stringValue":"no file"}`, attributes["hookrun.error"])
	require.NotContains(t, attributes, "hookrun.duration_ms")
	_, attributes = one(t, `{"time":"2026-11-26T23:11:45Z","event":"pre-tool","error":"e",`+
		`"outcome":{"decision":"continue"}}`, false)
	require.Equal(t, `{"stringValue":"none"}`, attributes["hookrun.decision"])
	require.NotContains(t, attributes, "hookrun.missed")
	_, attributes = one(t, `{"version":1,"missed":3,"time":"2026-11-26T23:11:45Z","heartbeat":{"hooks":1}}`, false)
	require.Equal(t, `{"intValue":"3"}`, attributes["hookrun.missed"])
}

func TestSeverity(t *testing.T) {
	for outcome, want := range map[string]string{
		`"decision":"continue"`:                                          "INFO",
		`"decision":"continue","warnings":["style"]`:                     "INFO",
		`"decision":"continue","warnings":["style","w"]`:                 "WARN",
		`"decision":"continue","hooks":[{"name":"h","status":"failed"}]`: "WARN",
		`"decision":"continue","hooks":[{"name":"h","status":"ok"}]`:     "INFO",
		`"decision":"continue","stop":true,"cause":"policy"`:             "WARN",
		`"decision":"ask","cause":"policy"`:                              "WARN",
		`"decision":"block","cause":"policy"`:                            "WARN",
		`"decision":"block","cause":"timeout"`:                           "ERROR",
		`"decision":"block","cause":"untrusted"`:                         "ERROR",
		`"decision":"a word of a later version"`:                         "WARN",
	} {
		record, _ := one(t, `{"time":"2026-11-26T23:11:45Z","lint":1,"outcome":{`+outcome+`}}`, false)
		require.Equal(t, want, record.Get("severityText").Str, outcome)
	}
}

func TestHeartbeat(t *testing.T) {
	record, attributes := one(t, `{"version":1,"time":"2026-11-26T23:11:45Z","heartbeat":{`+
		`"machine":{"host":"h","id":"\ud800x"},"hooks":5,"ratio":0.5,"big":123456789012345678901,"trust":true,`+
		`"none":null,"clients":[{"name":"claude"},"codex"],`+
		`"deep":{"a":{"b":{"c":{"d":{"e":{"f":{"g":{"h":1}}}}}}}}}}`, false)
	require.Equal(t, "hookrun.heartbeat", record.Get("eventName").Str)
	require.Equal(t, "INFO", record.Get("severityText").Str)
	require.Equal(t, map[string]string{
		"hookrun.heartbeat.machine.host": `{"stringValue":"h"}`,
		"hookrun.heartbeat.machine.id":   `{"stringValue":"�x"}`,
		"hookrun.heartbeat.hooks":        `{"intValue":"5"}`,
		"hookrun.heartbeat.ratio":        `{"doubleValue":0.5}`,
		"hookrun.heartbeat.big":          `{"doubleValue":1.2345678901234568e+20}`,
		"hookrun.heartbeat.trust":        `{"boolValue":true}`,
		"hookrun.heartbeat.clients": `{"arrayValue":{"values":[{"stringValue":"{\"name\":\"claude\"}"},` +
			`{"stringValue":"codex"}]}}`,
		"hookrun.heartbeat.clients.name":       `{"arrayValue":{"values":[{"stringValue":"claude"}]}}`,
		"hookrun.heartbeat.deep.a.b.c.d.e.f.g": `{"arrayValue":{"values":[{"stringValue":"{\"h\":1}"}]}}`,
	}, attributes)

	many := `{"time":"2026-11-26T23:11:45Z","heartbeat":{` + strings.Repeat(`"k":{"k":1},`, 1000) + `"k":1}}`
	text, _, _ := appendRecord(nil, []byte(many), time.Unix(1, 0), false)
	require.True(t, json.Valid(text))
	require.Len(t, gjson.GetBytes(text, "attributes").Array(), maxFlat)
}

func TestKinds(t *testing.T) {
	for line, want := range map[string]kind{
		"":                            unreadable,
		"garbage":                     unreadable,
		`{"version":1,"ti`:            unreadable,
		`[]`:                          unreadable,
		`{"version":1}`:               other,
		`{"news":{"a":"b"}}`:          other,
		`{"error":"no time"}`:         unreadable,
		`{"time":"2026","error":"e"}`: unreadable,
		`{"time":"9999-01-01T00:00:00Z","error":"e"}`:                       unreadable,
		`{"time":"2026-11-26T23:11:45Z","outcome":{}}`:                      unreadable,
		`{"time":"2026-11-26T23:11:45Z","outcome":{"decision":1}}`:          unreadable,
		`{"time":"2026-11-26T23:11:45Z","error":"e"} x`:                     unreadable,
		`{"time":"2026-11-26T23:11:45Z","outcome":{"decision":"continue"}}`: sent,
		strings.Repeat("[", 100_000):                                        unreadable,
	} {
		dst := []byte("before")
		got, kind, _ := appendRecord(dst, []byte(line), time.Unix(1, 0), true)
		require.Equal(t, want, kind, line)
		require.Equal(t, want == sent, len(got) > len(dst), line)
	}
}

// FuzzRecord: a record is JSON in valid UTF-8 whatever the line is, so that no line spoils a batch.
func FuzzRecord(f *testing.F) {
	f.Add(blocked)
	f.Add(`{"time":"2026-11-26T23:11:45Z","heartbeat":{"a\ud800":[1,{"b":"\udc00"}],"c":1e999}}`)
	f.Add("{\"time\":\"2026-11-26T23:11:45Z\",\"error\":\"\xff\",\"args\":\"\xfe\"}")
	f.Fuzz(func(t *testing.T, line string) {
		text, kind, _ := appendRecord(nil, []byte(line), time.Unix(1, 0), true)
		if kind != sent {
			require.Empty(t, text)
			return
		}
		require.True(t, json.Valid(text), "%s", text)
		require.Equal(t, strings.ToValidUTF8(string(text), "?"), string(text))
	})
}
