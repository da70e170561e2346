package nearmiss_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
)

// A line may have the id of the call that it answers, and no other.
func TestReadLineWithID(t *testing.T) {
	for line, want := range map[string]string{
		`{"id":7}`: "", `{}`: "", `{"id":7,"decision":"block"}`: `{"decision":"block"}`,
		`{"decision":"block","id":7.0}`: `{"decision":"block"}`, `{"id":7,"stdout":"t"}`: "t",
	} {
		r := dialecttest.LineResultOf("7", line)
		require.Empty(t, r.ProtocolError, line)
		require.Equal(t, want, string(r.Stdout.Head), line)
	}
	for _, id := range []string{`8`, `"7"`, `null`, `[7]`, `{"id":7}`, `true`, `-7`, `""`} {
		r := dialecttest.LineResultOf("7", `{"decision":"approve","id":`+id+`}`)
		require.Contains(t, r.ProtocolError, `it has "id": `+id+`, and the call has 7`)
	}
	require.Empty(t, dialecttest.LineResultOf(`"a/b"`, `{"id":"a\/b"}`).ProtocolError)
	require.NotEmpty(t, dialecttest.LineResultOf("7", `{"id":7,"error":"no database"}`).ProtocolError)
}

func TestPayloadWithID(t *testing.T) {
	for _, p := range []dialect.Payload{{[]byte(`{"a":1}`), []byte("\n")}, {[]byte(`{"a":`), []byte("1}\n")}} {
		before := string(p.Bytes())
		require.Equal(t, "{\"a\":1,\"id\":7}\n", string(p.WithID("7").Bytes()))
		require.Equal(t, before, string(p.Bytes()), "other hooks get it, too")
	}
}

func TestReadLine(t *testing.T) {
	for name, test := range map[string]struct {
		line           string
		stdout, stderr string
		code           int
		garbled        string
	}{
		"nothing to say": {line: `{}`},
		"end of line":    {line: "{}\r\n"},
		"answer": {line: `{"decision":"block","reason":"no"}`,
			stdout: `{"decision":"block","reason":"no"}`},
		"answer with the rest": {line: `{"exit_code":0,"decision":"block","stderr":"e","reason":"no"}`,
			stdout: `{"decision":"block","reason":"no"}`, stderr: "e"},
		"exit code":  {line: `{"exit_code":2,"stderr":"no"}`, stderr: "no", code: 2},
		"text":       {line: `{"stdout":"remember\n"}`, stdout: "remember\n"},
		"empty text": {line: `{"stdout":""}`},
		"an answer as text": {line: `{"stdout":"{\"decision\":\"block\"}","exit_code":1}`,
			stdout: `{"decision":"block"}`, code: 1},
		"null is nothing":         {line: `{"stdout":null,"stderr":null}`},
		"escaped keys":            {line: `{"exit\u005fcode":2,"std\u006fut":"t"}`, stdout: "t", code: 2},
		"unknown keys stay":       {line: `{"a":1,"decision":"block"}`, stdout: `{"a":1,"decision":"block"}`},
		"a failure beside a code": {line: `{"error":"no db","exit_code":2}`, stdout: `{"error":"no db"}`, code: 2},
		"unknown keys alone":      {line: `{"a":1,"exit_code":0}`, garbled: "no JSON object with a key of an answer"},
		"killed by a signal": {line: `{"exit_code":null,"signal":"SIGKILL"}`,
			garbled: "exit_code must be a number from 0 to 255, not null"},
		"a signal":     {line: `{"signal":"SIGKILL"}`, garbled: "no JSON object with a key of an answer"},
		"no exit code": {line: `{"exit_code":null}`, garbled: "not null"},
		"an error":     {line: `{"error":"policy database is down"}`, garbled: "with a key of an answer"},
		"a JSON-RPC error": {line: `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}`,
			garbled: "with a key of an answer"},
		"an id":             {line: `{"id":7}`, garbled: "with a key of an answer"},
		"silence":           {line: " \n", garbled: "ended without an answer"},
		"text without JSON": {line: "hello", garbled: "must be one JSON object on one line"},
		"array":             {line: "[]", garbled: "must be one JSON object"},
		"two lines":         {line: "{}\n{}", garbled: "more than one line"},
		"two objects":       {line: "{} {}", garbled: "column 4"},
		"half a line":       {line: `{"decision":"allow"`, garbled: "column"},
		"a key twice":       {line: `{"exit_code":2,"exit_code":0}`, garbled: "column"},
		"stdout and an answer": {line: `{"stdout":"x","decision":"block"}`,
			garbled: `beside "stdout" there is another answer`},
		"code as text":      {line: `{"exit_code":"2"}`, garbled: "exit_code must be a number from 0 to 255"},
		"code with a part":  {line: `{"exit_code":1.5}`, garbled: "exit_code must be"},
		"code out of range": {line: `{"exit_code":256}`, garbled: "exit_code must be"},
		"code below zero":   {line: `{"exit_code":-1}`, garbled: "exit_code must be"},
		"huge code":         {line: `{"exit_code":1e300}`, garbled: "exit_code must be"},
		"stdout as object":  {line: `{"stdout":{}}`, garbled: "stdout must be a string"},
		"stderr as number":  {line: `{"stderr":1}`, garbled: "stderr must be a string"},
	} {
		t.Run(name, func(t *testing.T) {
			r := dialecttest.LineResult(test.line)
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
