package form

import (
	"fmt"
	"strings"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// APIs are all that Messages knows.
func APIs() []protocol.API {
	return []protocol.API{protocol.AnthropicMessages, protocol.OpenAIChat, protocol.OpenAIResponses}
}

// Notes is how texts for the model are kept apart from the tool's output.
type Notes string

const (
	// Separate goes by each text's Strategy: ToolResult texts stand behind the tool's output, UserMessage texts in
	// a message or a block of their own. It is what "" means.
	Separate Notes = "separate"
	// Structured makes the output the text of a JSON object, {"output":…,"system_notes":[…]}, with the UserMessage
	// texts for notes. It has that form without notes too. The system prompt must explain it.
	Structured Notes = "structured"
	// Separator puts all texts behind the output, in a frame that says that they are not part of it.
	Separator Notes = "separator"
)

// AllNotes are all of them.
func AllNotes() []Notes { return []Notes{Separate, Structured, Separator} }

// ToolMessage is a tool's result and what the hooks behind it said.
type ToolMessage struct {
	ID      string // the model's id of the tool call
	Result  string
	Failed  bool
	Outcome protocol.Outcome
}

// Messages returns what a loop appends to its conversation after a tool call: a JSON array, on one line and without
// `<>&` escaped, of the call's result and the texts of the post-tool hooks. A result that a hook changed replaces the
// call's.
//
// The tool has run, so a block is feedback: the hook's reason is appended like a text of ToolResult. The block of a
// hook that failed is more than that: the hook might have changed the result, so the reason replaces it. The reason of
// a stop is for the user and in no message.
//
// Where a UserMessage text has a message or a block of its own, it is in a <system-reminder> tag, so that the model
// does not take it for the user's words. A text that already has that tag stays as it is, and so does one that starts
// and ends with a line of = or ═.
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
		Content   *string `json:"content,omitempty"` // there in a result, also where it is empty
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

// outputAndNotes returns the tool's output with all that belongs into it, and the texts that stand apart.
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

// appendLines puts texts behind a tool's result, each on a line of its own (MassGen). Result.Text of
// package runner has TENEX's blank lines.
func appendLines(result string, texts ...string) string {
	return strings.Join(append([]string{result}, texts...), "\n")
}

// frame returns items in the frame that keeps them apart from the output before them. Further lines of an item are
// indented, so that none can pass for the end of the frame.
func frame(items ...string) string {
	line := strings.Repeat("═", 55)
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s\nSYSTEM CONTEXT (not part of tool output):\n", line)
	for _, item := range items {
		fmt.Fprintf(&b, "- %s\n", strings.Join(linesOf(strings.TrimSpace(item)), "\n  "))
	}
	return b.String() + line
}

const reminderTag, reminderEnd = "<system-reminder", "</system-reminder>"

// reminder puts a text into its tag, unless its hook has set it apart already.
func reminder(text string) string {
	lines := linesOf(strings.TrimSpace(text))
	framed := len(lines) > 2 && rule(lines[0], "=═") && rule(lines[len(lines)-1], "=═")
	if _, tagged := untagged(text); tagged || framed {
		return text
	}
	return reminderTag + ">" + text + reminderEnd
}

// untagged returns a text without its tag, and whether it had one, with or without a type.
func untagged(text string) (string, bool) {
	inner, opened := strings.CutPrefix(strings.TrimSpace(text), reminderTag)
	inner, closed := strings.CutSuffix(inner, reminderEnd)
	attributes, inner, ended := strings.Cut(inner, ">")
	if !opened || !closed || !ended || attributes != "" && attributes[0] != ' ' {
		return text, false
	}
	return inner, true
}

func linesOf(text string) []string {
	return strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n")
}

// rule reports whether a line is a ruled one: three or more of the same few characters and nothing else.
func rule(line, of string) bool {
	line = strings.TrimSpace(line)
	return len([]rune(line)) > 2 && strings.Trim(line, of) == ""
}
