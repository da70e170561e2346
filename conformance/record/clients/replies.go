package clients

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Text is a value in JSON.
func Text(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

// Stream is server-sent events.
func Stream(events ...Object) string {
	var all strings.Builder
	for _, e := range events {
		if name, ok := e["type"]; ok {
			fmt.Fprintf(&all, "event: %s\n", name)
		}
		fmt.Fprintf(&all, "data: %s\n\n", Text(e))
	}
	return all.String()
}

func callID(n, i int) string { return fmt.Sprintf("call_%d_%d", n, i) }

// responsesSay is a model of OpenAI's responses.
func responsesSay(n int, calls ...Call) string {
	events := []Object{{"type": "response.created", "response": Object{"id": "resp"}}}
	item := func(item Object) {
		events = append(events, Object{"type": "response.output_item.done", "item": item})
	}
	for i, c := range calls {
		var free string
		if json.Unmarshal(c.Input, &free) == nil {
			item(Object{"type": "custom_tool_call", "call_id": callID(n, i), "name": c.Tool, "input": free})
			continue
		}
		item(Object{"type": "function_call", "call_id": callID(n, i), "name": c.Tool, "arguments": string(c.Input)})
	}
	if len(calls) == 0 {
		item(Object{"type": "message", "role": "assistant", "id": "msg",
			"content": []any{Object{"type": "output_text", "text": "done"}}})
	}
	return Stream(append(events, Object{"type": "response.completed", "response": Object{"id": "resp",
		"usage": Object{"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}}})...)
}

// completionsSay is a model of OpenAI's chat completions.
func completionsSay(n int, calls ...Call) string {
	delta, reason := Object{"role": "assistant", "content": "done"}, "stop"
	var all []any
	for i, c := range calls {
		all = append(all, Object{"index": i, "id": callID(n, i), "type": "function",
			"function": Object{"name": c.Tool, "arguments": string(c.Input)}})
	}
	if len(all) > 0 {
		delta, reason = Object{"role": "assistant", "tool_calls": all}, "tool_calls"
	}
	return Chunks(delta, reason)
}

// Chunks are a reply of chat completions.
func Chunks(delta Object, reason string) string {
	chunk := func(delta Object, reason any) Object {
		return Object{"id": "chunk", "object": "chat.completion.chunk", "created": 1, "model": "scripted",
			"choices": []any{Object{"index": 0, "delta": delta, "finish_reason": reason}},
			"usage":   Object{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}
	}
	return Stream(chunk(delta, nil), chunk(Object{}, reason)) + "data: [DONE]\n\n"
}

func geminiSays(_ int, calls ...Call) string {
	parts := []any{}
	for _, c := range calls {
		parts = append(parts, Object{"functionCall": Object{"name": c.Tool, "args": c.Input}})
	}
	if len(calls) == 0 {
		parts = append(parts, Object{"text": "done"})
	}
	return Stream(Object{"candidates": []any{Object{"content": Object{"role": "model", "parts": parts},
		"finishReason": "STOP"}}})
}

func claudeSays(n int, calls ...Call) string {
	if len(calls) == 0 {
		return ClaudeText("done")
	}
	var blocks []ClaudeBlock
	for i, c := range calls {
		blocks = append(blocks, ClaudeCall(fmt.Sprintf("toolu_%d_%d", n, i), c.Tool, c.Input))
	}
	return ClaudeMessage("tool_use", blocks...)
}

// ClaudeBlock is a block of an answer of Claude's model: how it starts, and what comes then.
type ClaudeBlock struct{ start, delta Object }

// ClaudeText is an answer of Claude's model that ends the turn.
func ClaudeText(text string) string {
	return ClaudeMessage("end_turn", ClaudeBlock{Object{"type": "text", "text": ""},
		Object{"type": "text_delta", "text": text}})
}

// ClaudeCall is a call of a tool.
func ClaudeCall(id, tool string, input any) ClaudeBlock {
	return ClaudeBlock{Object{"type": "tool_use", "id": id, "name": tool, "input": Object{}},
		Object{"type": "input_json_delta", "partial_json": Text(input)}}
}

// ClaudeMessage is an answer of Claude's model.
func ClaudeMessage(reason string, blocks ...ClaudeBlock) string {
	usage := Object{"input_tokens": 1, "output_tokens": 1}
	events := []Object{{"type": "message_start", "message": Object{"id": "msg", "type": "message",
		"role": "assistant", "model": "scripted", "content": []any{}, "usage": usage}}}
	for i, block := range blocks {
		events = append(events,
			Object{"type": "content_block_start", "index": i, "content_block": block.start},
			Object{"type": "content_block_delta", "index": i, "delta": block.delta},
			Object{"type": "content_block_stop", "index": i})
	}
	return Stream(append(events,
		Object{"type": "message_delta", "delta": Object{"stop_reason": reason}, "usage": usage},
		Object{"type": "message_stop"})...)
}
