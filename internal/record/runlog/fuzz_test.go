package runlog

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// planted is the secret that must not be in a line, in two parts so that the half of it is found as well.
const plantedHead, plantedTail = "kJ8vQ2", "Wz7nR4"

// FuzzLine puts any bytes into all fields, and a secret under a telling name between them.
func FuzzLine(f *testing.F) {
	f.Add("shell", `{"command":"x","token":1}`, "done\n", "no\xff", uint16(0))
	f.Add("a\x00", `["--password"`, `{"a":"`, "token='", uint16(9))
	f.Add("", `\"`, "password: ", "a://b", uint16(1400))
	f.Add("tokens", "-----BEGIN", "Authorization:", `"auth":[`, uint16(1240))
	patterns := []*regexp.Regexp{pattern(`9\d{3}`)}
	f.Fuzz(func(t *testing.T, name, args, before, after string, shift uint16) {
		before += strings.Repeat("x ", int(shift)%1500)
		secret := plantedHead + plantedTail
		text := before + "\nAPI_KEY=" + secret + "\n" + after + ` --password "` + secret + `" ` + after +
			` {"x-api-key" : "` + secret + `"} https://u:` + secret + "@h/ " + before
		object, err := json.Marshal([]any{before,
			map[string]any{name + "_password": secret + after, "a": map[string]any{"Set-Cookie": []any{secret}}}, text,
			[]any{"--token", secret}, map[string]any{"tokens": []any{secret, 5}}, after})
		require.NoError(t, err)
		for _, call := range []dialect.Call{
			{Event: "post-tool", Tool: name, Args: args, Result: text, SessionID: before, AgentID: after,
				Workspace: args, ToolUseID: name, Failed: true},
			{Event: "PreToolUse", Tool: text, Args: string(object)},
			{Event: protocol.Event(name), Args: args, Prompt: text},
		} {
			for _, e := range []Entry{
				{Err: errors.New(text)},
				{Outcome: &protocol.Outcome{Event: protocol.Event(name), Tool: args, Reason: text, Hook: after,
					StopReason: before, UpdatedInput: object, UpdatedOutput: []byte(args),
					Texts: []protocol.Text{{Content: text, File: args}}, SystemMessages: []string{text, before},
					Warnings: []string{after, text},
					Other: dialect.ObjectOf(strictjson.Fields{{Key: name, Value: object},
						{Key: after + "Token", Value: []byte(`"` + secret + `"`)}}),
					Hooks: []protocol.Report{{Name: name, Source: args, Stderr: text, Signal: after}}}},
			} {
				e.Command, e.Call = name, &call
				line := string(e.AppendLine(nil, patterns))
				require.True(t, json.Valid([]byte(line)), line)
				require.True(t, utf8.ValidString(line))
				require.True(t, strings.HasPrefix(line, lineStart))
				require.NotContains(t, line, "\n")
				require.NotContains(t, line, plantedHead)
				require.NotContains(t, line, plantedTail)
				fields := gjson.GetMany(line, "args", "result", "args_preview", "result_preview", "prompt")
				for _, f := range fields[2:4] {
					require.LessOrEqual(t, utf8.RuneCountInString(f.String()), maxText)
				}
				if call.Failed {
					require.True(t, gjson.Get(line, "redacted").Bool())
				}
			}
		}
	})
}
