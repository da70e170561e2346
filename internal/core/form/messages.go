package form

import (
	"fmt"
	"strings"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// APIs returns all APIs known to Messages.
func APIs() []protocol.API {
	return []protocol.API{protocol.AnthropicMessages, protocol.OpenAIChat, protocol.OpenAIResponses}
}

// Notes is how texts for the model are kept apart from the tool's output.
type Notes string

const (
	// Separate, the default for "", goes by each text's Strategy: ToolResult texts follow the tool's output,
	// UserMessage texts get a message or a block of their own.
	Separate Notes = "separate"
	// Structured makes the output a JSON object, {"output":…,"system_notes":[…]}, with the UserMessage texts as notes.
	// The output has this form without notes too. The system prompt must explain it.
	Structured Notes = "structured"
	// Separator puts all texts after the output, in a frame that marks them as no part of the output.
	Separator Notes = "separator"
)

// AllNotes returns all values of Notes.
func AllNotes() []Notes { return []Notes{Separate, Structured, Separator} }

// ToolMessage is a tool's result with the outcome of the post-tool hooks.
type ToolMessage struct {
	ID      string // the model's id of the tool call
	Result  string
	Failed  bool
	Outcome protocol.Outcome
}

// Messages returns the messages that a loop appends to its conversation after a tool call: a JSON array, on one line
// and without `<>&` escaped, of the call's result and the texts of the post-tool hooks. If a hook changed the result,
// the array has the changed result.
//
// The tool has run, so a block is feedback: the hook's reason is appended like a text of ToolResult. If the hook
// failed, its reason replaces the result, because the hook might have changed the result. The reason of a stop is for
// the user and in no message.
//
// A UserMessage text in a message or a block of its own gets a <system-reminder> tag, so the model does not take the
// text for the user's words. A text stays as it is if it already has that tag, or if it starts and ends with a line of
// = or ═.
func Messages(api protocol.API, notes Notes, m *ToolMessage) ([]byte, error) {
	if m.ID == "" {
		return nil, fmt.Errorf("the call has no id; %s messages need the model's id of the tool call", api)
	}
	output, apart, err := m.outputAndNotes(notes)
	if err != nil {
		return nil, err
	}
	type block struct {
		Type      string  `json:"type"`
		ToolUseID string  `json:"tool_use_id,omitempty"`
		Content   *string `json:"content,omitempty"` // set in every result, even if empty
		IsError   bool    `json:"is_error,omitempty"`
		Text      string  `json:"text,omitempty"`
	}
	type message struct {
		Role       string `json:"role"`
		ToolCallID string `json:"tool_call_id,omitempty"`
		Content    any    `json:"content"`
	}
	type callOutput struct {
		Type   string `json:"type"`
		CallID string `json:"call_id"`
		Output string `json:"output"`
	}
	var messages []any
	switch api {
	case protocol.AnthropicMessages:
		blocks := []block{{Type: "tool_result", ToolUseID: m.ID, Content: &output, IsError: m.Failed}}
		for _, text := range apart {
			blocks = append(blocks, block{Type: "text", Text: text})
		}
		return strictjson.Marshal([]message{{Role: "user", Content: blocks}})
	case protocol.OpenAIChat:
		messages = append(messages, message{Role: "tool", ToolCallID: m.ID, Content: output})
	case protocol.OpenAIResponses:
		messages = append(messages, callOutput{Type: "function_call_output", CallID: m.ID, Output: output})
	default:
		return nil, fmt.Errorf("API %q is not one of %q", api, APIs())
	}
	for _, text := range apart {
		messages = append(messages, message{Role: "user", Content: text})
	}
	return strictjson.Marshal(messages)
}

// outputAndNotes returns the tool's output with all texts that belong into it, and the texts that are kept apart.
func (m *ToolMessage) outputAndNotes(notes Notes) (output string, apart []string, err error) {
	o := m.Outcome
	output = ResultText(o, m.Result)
	var behind, all []string
	add := func(text, strategy string) {
		if strings.TrimSpace(text) == "" {
			return // an API refuses a block without text
		}
		all = append(all, text)
		if strategy == dialect.UserMessage {
			apart = append(apart, text)
		} else {
			behind = append(behind, text)
		}
	}
	for _, t := range o.Texts {
		add(t.Content, t.Strategy)
	}
	if IsFeedback(o) {
		add(o.Reason, dialect.ToolResult)
	}
	if m.Failed && strings.TrimSpace(output) == "" {
		output = "the tool failed and said nothing" // Anthropic's API refuses an error without text
	}
	switch notes {
	case Separate, "":
		for i := range apart {
			apart[i] = reminder(apart[i])
		}
		return appendLines(output, behind...), apart, nil
	case Structured:
		b, err := strictjson.Marshal(struct {
			Output string   `json:"output"`
			Notes  []string `json:"system_notes"`
		}{appendLines(output, behind...), append([]string{}, apart...)})
		return string(b), nil, err
	case Separator:
		if len(all) > 0 {
			output = appendLines(output, frame(all...))
		}
		return output, nil, nil
	}
	return "", nil, fmt.Errorf("notes %q are not one of %q", notes, AllNotes())
}

// appendLines appends texts to a tool's result, each on a new line (MassGen). Result.Text of package runner has TENEX's
// blank lines.
func appendLines(result string, texts ...string) string {
	return strings.Join(append([]string{result}, texts...), "\n")
}

// frame returns items in the frame that keeps them apart from the output before them. Further lines of an item are
// indented, so no line can pass for the end of the frame.
func frame(items ...string) string {
	line := strings.Repeat("═", 55)
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s\nSYSTEM CONTEXT (not part of tool output):\n", line)
	for _, item := range items {
		fmt.Fprintf(&b, "- %s\n", strings.Join(linesOf(strings.TrimSpace(item)), "\n  "))
	}
	return b.String() + line
}

// reminder puts a text into the tag, unless the hook has marked the text already.
func reminder(text string) string {
	lines := linesOf(strings.TrimSpace(text))
	framed := len(lines) > 2 && isRule(lines[0], "=═") && isRule(lines[len(lines)-1], "=═")
	if _, tagged := dialect.Untagged(text); tagged || framed {
		return text
	}
	return dialect.ReminderTag + ">" + text + dialect.ReminderEnd
}

func linesOf(text string) []string {
	return strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n")
}

// isRule reports whether a line is a rule: three or more of the characters in of, and no others.
func isRule(line, of string) bool {
	line = strings.TrimSpace(line)
	return len([]rune(line)) > 2 && strings.Trim(line, of) == ""
}
