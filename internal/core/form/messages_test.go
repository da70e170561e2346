package form_test

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/form"
	"github.com/hookrun/hookrun/protocol"
)

// goesOn is an outcome with these texts for the model.
func goesOn(inject ...protocol.Text) protocol.Outcome {
	return protocol.Outcome{Event: protocol.PostTool, Decision: protocol.Continue, Texts: inject}
}

func TestMessages(t *testing.T) {
	behind := protocol.Text{Content: "[UPDATE] new <answer>"} // "" is ToolResult
	apart := protocol.Text{Content: "Your TODO list is empty", Strategy: dialect.UserMessage}
	both := goesOn(behind, apart, protocol.Text{Content: "second", Strategy: dialect.ToolResult},
		protocol.Text{Content: "more", Strategy: dialect.UserMessage})
	blocked := goesOn(behind, apart)
	blocked.Decision, blocked.Cause, blocked.Reason = protocol.Block, protocol.CausePolicy, "format the file"
	stopped := blocked
	stopped.Stop, stopped.StopReason = true, "for the user"
	silent := blocked
	silent.Cause, silent.Reason = protocol.CauseTimeout, "the hook gave no answer"
	rewritten := goesOn(behind)
	rewritten.UpdatedOutput = []byte(`"key=***"`)
	rewrittenAndSilent := rewritten
	rewrittenAndSilent.Decision, rewrittenAndSilent.Cause, rewrittenAndSilent.Reason =
		protocol.Block, protocol.CauseSignal, "killed"
	object := goesOn()
	object.UpdatedOutput = []byte(`{"rows":[1,2]}`)

	for _, tt := range []struct {
		name    string
		outcome protocol.Outcome
		api     protocol.API
		notes   form.Notes
		call    form.ToolMessage
		want    string
	}{
		{"M55 the default is behind the tool's output", goesOn(behind), protocol.OpenAIChat, "",
			form.ToolMessage{Result: "out"},
			`[{"role":"tool","tool_call_id":"call_123","content":"out\n[UPDATE] new <answer>"}]`},
		{"M55 M57 anthropic, both strategies", both, protocol.AnthropicMessages, "",
			form.ToolMessage{Result: "actual tool output"},
			`[{"role":"user","content":[` +
				`{"type":"tool_result","tool_use_id":"call_123","content":"actual tool output\n[UPDATE] new ` +
				`<answer>\nsecond"},` +
				`{"type":"text","text":"<system-reminder>Your TODO list is empty</system-reminder>"},` +
				`{"type":"text","text":"<system-reminder>more</system-reminder>"}]}]`},
		{"M57 anthropic, as in the document", goesOn(apart), protocol.AnthropicMessages, form.Separate,
			form.ToolMessage{Result: "actual tool output"},
			`[{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_123","content":"actual tool ` +
				`output"},` +
				`{"type":"text","text":"<system-reminder>Your TODO list is empty</system-reminder>"}]}]`},
		{"M57 anthropic, no hook said anything", goesOn(), protocol.AnthropicMessages, "", form.ToolMessage{},
			`[{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_123","content":""}]}]`},
		{"anthropic, failed", goesOn(apart), protocol.AnthropicMessages, "",
			form.ToolMessage{Result: "exit status 1", Failed: true},
			`[{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_123","content":"exit status ` +
				`1","is_error":true},` +
				`{"type":"text","text":"<system-reminder>Your TODO list is empty</system-reminder>"}]}]`},
		{"anthropic, failed without a word", goesOn(), protocol.AnthropicMessages, "",
			form.ToolMessage{Result: " \n", Failed: true},
			`[{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_123","content":"the tool failed ` +
				`and said nothing","is_error":true}]}]`},
		{"M58 openai, separate", both, protocol.OpenAIChat, form.Separate,
			form.ToolMessage{Result: "actual output"},
			`[{"role":"tool","tool_call_id":"call_123","content":"actual output\n[UPDATE] new <answer>\nsecond"},` +
				`{"role":"user","content":"<system-reminder>Your TODO list is empty</system-reminder>"},` +
				`{"role":"user","content":"<system-reminder>more</system-reminder>"}]`},
		{"M59 openai, structured", both, protocol.OpenAIChat, form.Structured,
			form.ToolMessage{Result: `say "hi"`},
			`[{"role":"tool","tool_call_id":"call_123","content":"{\"output\":\"say \\\"hi\\\"\\n[UPDATE] new ` +
				`<answer>\\nsecond\",\"system_notes\":[\"Your TODO list is empty\",\"more\"]}"}]`},
		{"M59 structured, without notes", goesOn(), protocol.OpenAIChat, form.Structured,
			form.ToolMessage{Result: "out"},
			`[{"role":"tool","tool_call_id":"call_123","content":"{\"output\":\"out\",\"system_notes\":[]}"}]`},
		{"M60 responses", both, protocol.OpenAIResponses, form.Separate, form.ToolMessage{Result: "out"},
			`[{"type":"function_call_output","call_id":"call_123","output":"out\n[UPDATE] new <answer>\nsecond"},` +
				`{"role":"user","content":"<system-reminder>Your TODO list is empty</system-reminder>"},` +
				`{"role":"user","content":"<system-reminder>more</system-reminder>"}]`},
		{"M60 responses, no hook said anything", goesOn(), protocol.OpenAIResponses, "", form.ToolMessage{},
			`[{"type":"function_call_output","call_id":"call_123","output":""}]`},
		{"M61 all texts in the order of the file", both, protocol.OpenAIResponses, form.Separator,
			form.ToolMessage{Result: "out"},
			`[{"type":"function_call_output","call_id":"call_123","output":"out\n\n` + line +
				`\nSYSTEM CONTEXT (not part of tool output):\n` +
				`- [UPDATE] new <answer>\n- Your TODO list is empty\n- second\n- more\n` + line + `"}]`},
		{"M61 no line without texts", goesOn(), protocol.AnthropicMessages, form.Separator,
			form.ToolMessage{Result: "out"},
			`[{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_123","content":"out"}]}]`},
		{"blocked: the reason is the last text", blocked, protocol.OpenAIChat, "", form.ToolMessage{Result: "out"},
			`[{"role":"tool","tool_call_id":"call_123","content":"out\n[UPDATE] new <answer>\nformat the file"},` +
				`{"role":"user","content":"<system-reminder>Your TODO list is empty</system-reminder>"}]`},
		{"blocked, under the line", blocked, protocol.OpenAIChat, form.Separator, form.ToolMessage{Result: "out"},
			`[{"role":"tool","tool_call_id":"call_123","content":"out\n\n` + line +
				`\nSYSTEM CONTEXT (not part of tool output):\n` +
				`- [UPDATE] new <answer>\n- Your TODO list is empty\n- format the file\n` + line + `"}]`},
		{"stopped: the stop reason is not for the model", stopped, protocol.OpenAIChat, "",
			form.ToolMessage{Result: "out"},
			`[{"role":"tool","tool_call_id":"call_123","content":"out\n[UPDATE] new <answer>\nformat the file"},` +
				`{"role":"user","content":"<system-reminder>Your TODO list is empty</system-reminder>"}]`},
		{"a hook that failed hides the result", silent, protocol.OpenAIChat, "", form.ToolMessage{Result: "secret"},
			`[{"role":"tool","tool_call_id":"call_123","content":"the hook gave no answer\n[UPDATE] new <answer>"},` +
				`{"role":"user","content":"<system-reminder>Your TODO list is empty</system-reminder>"}]`},
		{"a hook that failed hides a changed result too", rewrittenAndSilent, protocol.OpenAIChat, "",
			form.ToolMessage{Result: "key=AKIA"},
			`[{"role":"tool","tool_call_id":"call_123","content":"killed\n[UPDATE] new <answer>"}]`},
		{"the zero outcome shows no result", protocol.Outcome{}, protocol.OpenAIChat, "",
			form.ToolMessage{Result: "secret"},
			`[{"role":"tool","tool_call_id":"call_123","content":""}]`},
		{"a changed result", rewritten, protocol.AnthropicMessages, "", form.ToolMessage{Result: "key=AKIA"},
			`[{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_123","content":"key=***\n[UPDATE] ` +
				`new <answer>"}]}]`},
		{"a changed result that is no text", object, protocol.OpenAIChat, "", form.ToolMessage{Result: "all"},
			`[{"role":"tool","tool_call_id":"call_123","content":"{\"rows\":[1,2]}"}]`},
		{"blank texts are left out", goesOn(protocol.Text{Content: " \n"},
			protocol.Text{Content: "\t", Strategy: dialect.UserMessage}), protocol.AnthropicMessages, "",
			form.ToolMessage{Result: "out"},
			`[{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_123","content":"out"}]}]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.call.ID, tt.call.Outcome = "call_123", tt.outcome
			got, err := form.Messages(tt.api, tt.notes, &tt.call)
			require.NoError(t, err)
			require.Equal(t, tt.want, string(got))
			require.True(t, json.Valid(got))
		})
	}
}

// line is the document's.
const line = "═══════════════════════════════════════════════════════"

func TestMessagesAreNotMade(t *testing.T) {
	for _, tt := range []struct {
		name  string
		api   protocol.API
		notes form.Notes
		id    string
		want  string
	}{
		{"no id", protocol.OpenAIChat, "", "",
			"the call has no id; openai messages need the model's id of the tool call"},
		{"no such API", "gemini", "", "1", `API "gemini" is not one of ["anthropic" "openai" "openai-responses"]`},
		{"no API", "", "", "1", `API "" is not one of ["anthropic" "openai" "openai-responses"]`},
		{"no such notes", protocol.OpenAIChat, "loud", "1",
			`notes "loud" are not one of ["separate" "structured" "separator"]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := form.Messages(tt.api, tt.notes, &form.ToolMessage{ID: tt.id, Outcome: goesOn()})
			require.EqualError(t, err, tt.want)
			require.Nil(t, got)
		})
	}
}

// toolOutput is what the messages have as the tool's result.
func toolOutput(t *testing.T, notes form.Notes, result string, texts ...string) string {
	o := protocol.Outcome{Decision: protocol.Continue}
	for _, text := range texts {
		o.Texts = append(o.Texts, protocol.Text{Content: text})
	}
	messages, err := form.Messages(protocol.OpenAIChat, notes, &form.ToolMessage{ID: "1", Result: result, Outcome: o})
	require.NoError(t, err)
	return gjson.GetBytes(messages, "0.content").String()
}

func TestTextsBehindTheResult(t *testing.T) {
	t.Run("M56 one line break", func(t *testing.T) {
		require.Equal(t, "out\ninj", toolOutput(t, form.Separate, "out", "inj"))
		require.Equal(t, "out\na\nb", toolOutput(t, form.Separate, "out", "a", "b"))
		require.Equal(t, "\ninj", toolOutput(t, form.Separate, "", "inj"))
		require.Equal(t, "out", toolOutput(t, form.Separate, "out"))
	})
}

func TestSeparator(t *testing.T) {
	for _, tt := range []struct {
		name  string
		items []string
		want  string
	}{
		{"M61 as in the document", []string{"Your TODO list is empty", "Consider using TodoWrite for multi-step tasks"},
			"actual tool output here\n\n" + line +
				"\nSYSTEM CONTEXT (not part of tool output):\n- Your TODO list is empty\n" +
				"- Consider using TodoWrite for multi-step tasks\n" + line},
		{"M61 a text cannot end the frame", []string{"one\r\n" + line + "\ntwo\n", " three "},
			"actual tool output here\n\n" + line + "\nSYSTEM CONTEXT (not part of tool output):\n- one\n  " + line +
				"\n  two\n- three\n" + line},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := toolOutput(t, form.Separator, "actual tool output here", tt.items...)
			require.Equal(t, tt.want, got)
			require.Equal(t, 2, strings.Count(got, "\n"+line))
		})
	}
}

func TestUserMessage(t *testing.T) {
	banner := strings.Repeat("=", 60)
	for _, tt := range []struct {
		name, content, want string
	}{
		{"M58 in the tag", "SYSTEM REMINDER: …", "<system-reminder>SYSTEM REMINDER: …</system-reminder>"},
		{"M58 lines and spaces stay", " a\n\nb\n", "<system-reminder> a\n\nb\n</system-reminder>"},
		{"M62 tagged by its hook", "<system-reminder>a\nb</system-reminder>\n", ""},
		{"M62 tagged with a type", `<system-reminder type="pre-execute-hook">` + "\na\n</system-reminder>", ""},
		{"M62 framed by its hook", "\n" + banner + "\n⚠️  SYSTEM REMINDER\n" + banner + "\n\nDocument it.\n\n" +
			banner + "\n", ""},
		{"M62 framed in double lines", "═══\na\n═══", ""},
		{"only its start is tagged", "<system-reminder>a</system-reminder> b",
			"<system-reminder><system-reminder>a</system-reminder> b</system-reminder>"},
		{"a tag of another name", "<system-reminders>a</system-reminder>",
			"<system-reminder><system-reminders>a</system-reminder></system-reminder>"},
		{"half a tag", "<system-reminder</system-reminder>",
			"<system-reminder><system-reminder</system-reminder></system-reminder>"},
		{"only its start is framed", "═══\na", "<system-reminder>═══\na</system-reminder>"},
		{"nothing in the frame", "===\n===", "<system-reminder>===\n===</system-reminder>"},
		{"dashes are no frame", "---\na: 1\n---", "<system-reminder>---\na: 1\n---</system-reminder>"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := tt.want
			if want == "" {
				want = tt.content // as it is
			}
			o := goesOn(protocol.Text{Content: tt.content, Strategy: dialect.UserMessage})
			for _, api := range form.APIs() {
				got, err := form.Messages(api, form.Separate, &form.ToolMessage{ID: "1", Result: "out", Outcome: o})
				require.NoError(t, err)
				require.Equal(t, want, lastText(t, got))
			}
			got, err := form.Messages(protocol.OpenAIChat, form.Structured,
				&form.ToolMessage{ID: "1", Result: "out", Outcome: o})
			require.NoError(t, err)
			var inner struct {
				SystemNotes []string `json:"system_notes"`
			}
			require.NoError(t, json.Unmarshal([]byte(lastText(t, got)), &inner))
			require.Equal(t, []string{tt.content}, inner.SystemNotes)
		})
	}
}

// lastText is the content of the last message, or of its last block.
func lastText(t *testing.T, doc []byte) string {
	t.Helper()
	var messages []struct {
		Role    string
		Content json.RawMessage
	}
	require.NoError(t, json.Unmarshal(doc, &messages))
	last := messages[len(messages)-1].Content
	var blocks []struct{ Text string }
	if json.Unmarshal(last, &blocks) == nil {
		return blocks[len(blocks)-1].Text
	}
	var text string
	require.NoError(t, json.Unmarshal(last, &text))
	return text
}

// Python reads what a loop in Python would.
func TestMessagesInPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	const check = `
import json, sys
anthropic, openai, structured, responses = [json.loads(line) for line in sys.stdin.buffer.read().decode().split("\n")]
text, note = 'a "b" <c> & \u2028 \U0001f600 \n\\', "<system-reminder>mind \u00e9</system-reminder>"
assert anthropic == [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": text}, {"type": "text", "text": note}]}], anthropic
assert openai == [{"role": "tool", "tool_call_id": "1", "content": text}, {"role": "user", "content": note}], openai
assert len(structured) == 1 and json.loads(structured[0]["content"]) == {"output": text, "system_notes": ["mind \u00e9"]}, structured
assert responses == [{"type": "function_call_output", "call_id": "1", "output": text}, {"role": "user", "content": note}], responses
`
	var lines []string
	for _, to := range []struct {
		api   protocol.API
		notes form.Notes
	}{{protocol.AnthropicMessages, ""}, {protocol.OpenAIChat, ""}, {protocol.OpenAIChat, form.Structured},
		{protocol.OpenAIResponses, ""}} {
		got, err := form.Messages(to.api, to.notes, &form.ToolMessage{ID: "1", Result: "a \"b\" <c> & \u2028 😀 \n\\",
			Outcome: goesOn(protocol.Text{Content: "mind é", Strategy: dialect.UserMessage})})
		require.NoError(t, err)
		require.NotContains(t, string(got), "\n")
		lines = append(lines, string(got))
	}
	cmd := exec.Command(python, "-c", check)
	cmd.Stdin = strings.NewReader(strings.Join(lines, "\n"))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}
