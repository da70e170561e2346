package protocol_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/all"
	"github.com/hookrun/hookrun/protocol"
)

func lineResult(line string) *dialect.HookResult {
	r := &dialect.HookResult{Stdout: dialect.Capture{Head: []byte(line), Total: int64(len(line))}}
	r.ReadLine()
	return r
}

func TestReadLine(t *testing.T) {
	for name, test := range map[string]struct {
		line           string
		stdout, stderr string
		code           int
		garbled        string
	}{
		"nothing to say":       {line: `{}`},
		"end of line":          {line: "{}\r\n"},
		"answer":               {line: `{"decision":"block","reason":"no"}`, stdout: `{"decision":"block","reason":"no"}`},
		"answer with the rest": {line: `{"exit_code":0,"decision":"block","stderr":"e","reason":"no"}`, stdout: `{"decision":"block","reason":"no"}`, stderr: "e"},
		"exit code":            {line: `{"exit_code":2,"stderr":"no"}`, stderr: "no", code: 2},
		"text":                 {line: `{"stdout":"remember\n"}`, stdout: "remember\n"},
		"empty text":           {line: `{"stdout":""}`},
		"an answer as text":    {line: `{"stdout":"{\"decision\":\"block\"}","exit_code":1}`, stdout: `{"decision":"block"}`, code: 1},
		"null is nothing":      {line: `{"stdout":null,"stderr":null,"exit_code":null}`},
		"escaped keys":         {line: `{"exit\u005fcode":2,"std\u006fut":"t"}`, stdout: "t", code: 2},
		"unknown keys stay":    {line: `{"a":1,"exit_code":0}`, stdout: `{"a":1}`},
		"silence":              {line: " \n", garbled: "ended without an answer"},
		"text without JSON":    {line: "hello", garbled: "must be one JSON object on one line"},
		"array":                {line: "[]", garbled: "must be one JSON object"},
		"two lines":            {line: "{}\n{}", garbled: "more than one line"},
		"two objects":          {line: "{} {}", garbled: "column 4"},
		"half a line":          {line: `{"decision":"allow"`, garbled: "column"},
		"a key twice":          {line: `{"exit_code":2,"exit_code":0}`, garbled: "column"},
		"stdout and an answer": {line: `{"stdout":"x","decision":"block"}`, garbled: `beside "stdout" there is another answer`},
		"code as text":         {line: `{"exit_code":"2"}`, garbled: "exit_code must be a number from 0 to 255"},
		"code with a part":     {line: `{"exit_code":1.5}`, garbled: "exit_code must be"},
		"code out of range":    {line: `{"exit_code":256}`, garbled: "exit_code must be"},
		"code below zero":      {line: `{"exit_code":-1}`, garbled: "exit_code must be"},
		"huge code":            {line: `{"exit_code":1e300}`, garbled: "exit_code must be"},
		"stdout as object":     {line: `{"stdout":{}}`, garbled: "stdout must be a string"},
		"stderr as number":     {line: `{"stderr":1}`, garbled: "stderr must be a string"},
	} {
		t.Run(name, func(t *testing.T) {
			r := lineResult(test.line)
			if test.garbled != "" {
				require.Contains(t, r.ProtocolError, test.garbled)
				return
			}
			require.Empty(t, r.ProtocolError)
			require.Equal(t, test.stdout, string(r.Stdout.Head))
			require.Equal(t, test.stderr, string(r.Stderr.Head))
			require.Equal(t, test.code, r.ExitCode)
		})
	}
}

// What cannot be read never lets a tool run, in any dialect that says nothing else.
func TestGarbledLineIsAFailure(t *testing.T) {
	c := &protocol.Call{Event: protocol.PreTool, Tool: "shell"}
	for _, d := range all.All() {
		r := lineResult("hello")
		v := d.Decode(c, "h", r)
		require.NotEmpty(t, v.Problem, d.Name)
		require.Equal(t, protocol.CauseOutput, v.Cause)
		v = d.ApplyFailurePolicy(c, v, protocol.FailurePolicy{protocol.CauseOutput: protocol.Block})
		require.Equal(t, protocol.Block, v.Decision)
	}
}

// once takes one U+FFFD for several: of a character that was cut encoding/json makes one of each byte, and hookrun, as JavaScript and
// Rust, one of all.
func once(text string) string {
	return regexp.MustCompile("\uFFFD+").ReplaceAllString(text, "\uFFFD")
}

// FuzzReadLine: what is read is what encoding/json reads, and whatever is not one JSON object is garbled.
func FuzzReadLine(f *testing.F) {
	for _, line := range []string{`{}`, `{"exit_code":2,"stderr":"no"}`, `{"stdout":"a"}`, `{"decision":"block"}`, "x", "{}\n{}", `{"exit_code":1e0}`, `{"stdout":"\ud800"}`, "{\"stdout\":\"\xe7\xe7\"}", "{\"stdout\":\"\xe7\xb2\"}"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		r := lineResult(line)
		trimmed := strings.TrimSpace(line)
		var fields map[string]json.RawMessage
		err := json.Unmarshal([]byte(trimmed), &fields)
		if err != nil || fields == nil || strings.ContainsAny(trimmed, "\r\n") {
			require.NotEmpty(t, r.ProtocolError)
			return
		}
		if r.ProtocolError != "" {
			return
		}
		code := 0
		if raw, ok := fields["exit_code"]; ok && string(raw) != "null" {
			var n float64
			require.NoError(t, json.Unmarshal(raw, &n))
			code = int(n)
		}
		require.Equal(t, code, r.ExitCode)
		delete(fields, "exit_code")
		delete(fields, "stderr")
		var text *string
		if raw, ok := fields["stdout"]; ok {
			require.NoError(t, json.Unmarshal(raw, &text))
			delete(fields, "stdout")
		}
		switch {
		case text != nil:
			require.Empty(t, fields)
			if !strings.Contains(line, `\u`) { // readers differ in halves of characters
				require.Equal(t, once(*text), once(string(r.Stdout.Head)))
			}
		case len(fields) == 0:
			require.Empty(t, r.Stdout.Head)
		default:
			var rest map[string]json.RawMessage
			require.NoError(t, json.Unmarshal(r.Stdout.Head, &rest))
			require.Len(t, rest, len(fields))
		}
	})
}
