package dialect_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
)

// once takes one U+FFFD for several: of a character that was cut encoding/json makes one of each byte, and hookrun, as
// JavaScript and Rust, one of all.
func once(text string) string {
	return regexp.MustCompile("\uFFFD+").ReplaceAllString(text, "\uFFFD")
}

// FuzzReadLine: what is read is what encoding/json reads, and whatever is not one JSON object is garbled.
func FuzzReadLine(f *testing.F) {
	for _, line := range []string{`{}`, `{"exit_code":2,"stderr":"no"}`, `{"stdout":"a"}`, `{"decision":"block"}`, "x",
		"{}\n{}", `{"exit_code":1e0}`, `{"stdout":"\ud800"}`, "{\"stdout\":\"\xe7\xe7\"}",
		"{\"stdout\":\"\xe7\xb2\"}"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		r := dialecttest.LineResult(line)
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
		if raw, ok := fields["exit_code"]; ok {
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
