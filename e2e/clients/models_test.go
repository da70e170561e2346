//go:build linux

package clients

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/hookrun/hookrun/e2e/binary"
)

// client is what differs between the real clients.
type client struct {
	name  string
	args  []string                               // one turn without a terminal, in which the shell may be used
	env   []string                               // $URL stands for the model's, here and in home
	home  map[string]string                      // the user's own files
	trust func(*clientRun)                       // what is asked of the user beyond that
	user  bool                                   // it has the user's settings alone
	shell string                                 // the tool's name
	says  func(n int, commands ...string) string // the model's nth answer: calls of the shell; none ends the turn

	model  string       // stands for $MODEL in args, env and home; "": "scripted"
	others []otherModel // models for which the client has other tools, its default among them
}

// otherModel is a model by which a client chooses its tools.
type otherModel struct {
	name  string
	shell string // "": the same as with other models
	says  func(n int, commands ...string) string
}

// with returns the client with another model.
func (c client) with(m otherModel) client {
	c.model = m.name
	if m.shell != "" {
		c.shell, c.says = m.shell, m.says
	}
	return c
}

var realClients = []client{{
	name: "claude",
	args: []string{"-p", "go", "--allowedTools", "Bash", "--output-format", "stream-json", "--verbose"},
	env: []string{"ANTHROPIC_BASE_URL=$URL", "ANTHROPIC_API_KEY=none", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1",
		"ENABLE_TOOL_SEARCH=false"}, // else the model must search for some of the tools
	shell: "Bash",
	says: func(n int, commands ...string) string {
		if len(commands) == 0 {
			return claudeText("done")
		}
		var blocks []claudeBlock
		for i, command := range commands {
			id := fmt.Sprintf("toolu_%d_%d", n, i)
			blocks = append(blocks, claudeCall(id, "Bash", binary.Hook{"command": command}))
		}
		return claudeMessage("tool_use", blocks...)
	},
}, {
	name: "cline",
	args: []string{"--json", "--auto-approve", "true", "please go"},
	env:  []string{"CLINE_SESSION_BACKEND_MODE=local"}, // else it leaves a daemon behind
	home: map[string]string{
		".cline/data/settings/global-settings.json": `{"telemetryOptOut": true, "autoUpdateEnabled": false}`,
		".cline/data/settings/providers.json": `{"version": 1, "modes": {},
"lastUsedProvider": "openai-compatible", "providers": {"openai-compatible": {"tokenSource": "manual",
"updatedAt": "2026-01-01T00:00:00.000Z", "settings": {"provider": "openai-compatible", "apiKey": "none",
"model": "$MODEL", "baseUrl": "$URL/v1"}}}}`,
	},
	shell:  "run_commands",
	says:   clineShell,
	others: []otherModel{{name: "gpt-5.1"}},
}, {
	name: "codex",
	args: []string{"exec", "--skip-git-repo-check", "--sandbox", "danger-full-access", "go"},
	home: map[string]string{".codex/config.toml": `
model = "$MODEL"
model_provider = "loopback"
model_providers.loopback = {name = "loopback", base_url = "$URL/v1", wire_api = "responses"}
check_for_update_on_startup = false
analytics.enabled = false
features.plugins = false # it would look for them on GitHub
projects."$WORKSPACE".trust_level = "trusted"
`},
	trust: func(r *clientRun) {
		binary.TrustInCodex(r.T, r.home, r.workspace, r.command("codex", "app-server"), 3)
	},
	shell: "exec_command",
	says: responses(func(id, command string) binary.Hook {
		return binary.Hook{"type": "function_call", "call_id": id, "name": "exec_command",
			"arguments": toText(binary.Hook{"cmd": command})}
	}),
	others: []otherModel{{
		name:  "gpt-6.1-sol", // its default, which calls most tools in a script
		shell: "exec",
		says: responses(func(id, command string) binary.Hook {
			return binary.Hook{"type": "custom_tool_call", "call_id": id, "name": "exec",
				"input": "text((await tools.exec_command(" + toText(binary.Hook{"cmd": command}) + ")).output)"}
		}),
	}},
}, {
	name: "copilot",
	args: []string{"-p", "go", "--allow-all-tools", "--trust-folder", "--no-color"},
	env: []string{"COPILOT_PROVIDER_BASE_URL=$URL/v1", "COPILOT_PROVIDER_API_KEY=none", "COPILOT_MODEL=$MODEL",
		"COPILOT_OFFLINE=true", "COPILOT_AUTO_UPDATE=false"},
	shell:  "bash",
	says:   completions("bash", binary.Hook{"description": "d"}),
	others: []otherModel{{name: "gpt-5.1-codex"}, {name: "claude-sonnet-4.5"}},
}, {
	// It runs no hook at the prompt when it is started like this, and none after a tool that failed.
	name: "droid",
	args: []string{"exec", "--skip-permissions-unsafe", "-m", "custom:$MODEL-0", "go"},
	env:  []string{"FACTORY_AIRGAP_ENABLED=true"},
	home: map[string]string{".factory/settings.json": `{"customModels": [{"model": "$MODEL",
"displayName": "$MODEL", "baseUrl": "$URL/v1", "apiKey": "none",
"provider": "generic-chat-completion-api", "maxOutputTokens": 1000}]}`},
	shell: "Execute",
	says: completions("Execute",
		binary.Hook{"summary": "Do it", "riskLevel": "low", "riskLevelReason": "none"}),
	others: []otherModel{{name: "gpt-5.1"}},
}, {
	name: "gemini",
	args: []string{"--model", "$MODEL", "--yolo", "--prompt", "go"},
	env: []string{"GOOGLE_GEMINI_BASE_URL=$URL", "GEMINI_API_KEY=none", "GEMINI_CLI_TRUST_WORKSPACE=true",
		"GEMINI_CLI_NO_RELAUNCH=true"}, // started as two processes it does not end after an "ask"
	home: map[string]string{
		".gemini/settings.json": `{"security": {"auth": {"selectedType": "gemini-api-key"}},
"privacy": {"usageStatisticsEnabled": false},
"general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false}}`},
	model:  "gemini-2.5-pro", // it takes no name of another kind
	others: []otherModel{{name: "gemini-3-pro-preview"}},
	shell:  "run_shell_command",
	says: func(n int, commands ...string) string {
		parts := []any{}
		for _, command := range commands {
			parts = append(parts, binary.Hook{"functionCall": binary.Hook{"name": "run_shell_command",
				"args": binary.Hook{"command": command}}})
		}
		if len(commands) == 0 {
			parts = append(parts, binary.Hook{"text": "done"})
		}
		return stream(binary.Hook{"candidates": []any{binary.Hook{"content": binary.Hook{"role": "model",
			"parts": parts}, "finishReason": "STOP"}}})
	},
}, {
	name: "kimi",
	args: []string{"-p", "go"},
	env:  []string{"KIMI_CODE_NO_AUTO_UPDATE=1"},
	home: map[string]string{".kimi-code/config.toml": `default_model = "$MODEL"
[providers.loopback]
type = "openai"
base_url = "$URL/v1"
api_key = "none"
[models."$MODEL"]
provider = "loopback"
model = "$MODEL"
max_context_size = 100000
`},
	user:   true,
	shell:  "Bash",
	says:   completions("Bash", binary.Hook{"description": "Do it"}),
	others: []otherModel{{name: "kimi-for-coding"}},
}, {
	name: "opencode",
	args: []string{"run", "--format", "json", "go"},
	env: []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1",
		"OPENCODE_DISABLE_LSP_DOWNLOAD=1"},
	home: map[string]string{
		".npmrc": "fetch-retries=0\n", // it fetches what plugins may import, and waits for that
		".config/opencode/opencode.json": `{"model": "loopback/$MODEL", "small_model": "loopback/$MODEL",
"share": "disabled", "provider": {"loopback": {"npm": "@ai-sdk/openai-compatible", "name": "loopback",
"options": {"baseURL": "$URL/v1", "apiKey": "none"}, "models": {"$MODEL": {"name": "$MODEL"}}}}}`},
	shell:  "bash",
	says:   completions("bash", binary.Hook{"description": "a command"}),
	others: []otherModel{{name: "gpt-5.1"}},
}, {
	name: "qwen",
	args: []string{"--auth-type", "openai", "--yolo", "-p", "go"},
	env:  []string{"OPENAI_BASE_URL=$URL/v1", "OPENAI_API_KEY=none", "OPENAI_MODEL=$MODEL"},
	home: map[string]string{".qwen/settings.json": `{"privacy": {"usageStatisticsEnabled": false},
"general": {"enableAutoUpdate": false, "disableAutoUpdate": true},
"tools": {"toolSearch": {"threshold": 100}}}`}, // else the model must search for some of the tools
	others: []otherModel{{name: "qwen3-coder-plus"}},
	shell:  "run_shell_command",
	says:   completions("run_shell_command", binary.Hook{"is_background": false}),
}}

// responses is a model of OpenAI's responses. call is a call of the shell.
func responses(call func(id, command string) binary.Hook) func(n int, commands ...string) string {
	return func(n int, commands ...string) string {
		events := []binary.Hook{{"type": "response.created", "response": binary.Hook{"id": "resp"}}}
		item := func(item binary.Hook) {
			events = append(events, binary.Hook{"type": "response.output_item.done", "item": item})
		}
		for i, command := range commands {
			item(call(fmt.Sprintf("call_%d_%d", n, i), command))
		}
		if len(commands) == 0 {
			item(binary.Hook{"type": "message", "role": "assistant", "id": "msg",
				"content": []any{binary.Hook{"type": "output_text", "text": "done"}}})
		}
		return stream(append(events, binary.Hook{"type": "response.completed",
			"response": binary.Hook{"id": "resp", "usage": binary.Hook{"input_tokens": 1, "output_tokens": 1,
				"total_tokens": 2}}})...)
	}
}

// completions is a model of OpenAI's chat completions. Beside its command a call of the shell has more arguments.
func completions(shell string, more binary.Hook) func(n int, commands ...string) string {
	return func(n int, commands ...string) string {
		delta, reason := binary.Hook{"role": "assistant", "content": "done"}, "stop"
		var calls []any
		for i, command := range commands {
			args := maps.Clone(more)
			args["command"] = command
			calls = append(calls, binary.Hook{"index": i, "id": fmt.Sprintf("call_%d_%d", n, i), "type": "function",
				"function": binary.Hook{"name": shell, "arguments": toText(args)}})
		}
		if len(calls) > 0 {
			delta, reason = binary.Hook{"role": "assistant", "tool_calls": calls}, "tool_calls"
		}
		return chunks(delta, reason)
	}
}

// chunks are a reply of chat completions.
func chunks(delta binary.Hook, reason string) string {
	chunk := func(delta binary.Hook, reason any) binary.Hook {
		return binary.Hook{"id": "chunk", "object": "chat.completion.chunk", "created": 1, "model": "scripted",
			"choices": []any{binary.Hook{"index": 0, "delta": delta, "finish_reason": reason}},
			"usage":   binary.Hook{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}
	}
	return stream(chunk(delta, nil), chunk(binary.Hook{}, reason)) + "data: [DONE]\n\n"
}

// claudeBlock is a block of an answer of Claude's model: how it starts, and what comes then.
type claudeBlock struct{ start, delta binary.Hook }

// claudeText is an answer of Claude's model that ends the turn.
func claudeText(text string) string {
	return claudeMessage("end_turn", claudeBlock{binary.Hook{"type": "text", "text": ""},
		binary.Hook{"type": "text_delta", "text": text}})
}

// claudeToolUse is an answer of Claude's model that calls a tool.
func claudeToolUse(id, tool string, input binary.Hook) string {
	return claudeMessage("tool_use", claudeCall(id, tool, input))
}

func claudeCall(id, tool string, input binary.Hook) claudeBlock {
	return claudeBlock{binary.Hook{"type": "tool_use", "id": id, "name": tool, "input": binary.Hook{}},
		binary.Hook{"type": "input_json_delta", "partial_json": toText(input)}}
}

func claudeMessage(reason string, blocks ...claudeBlock) string {
	usage := binary.Hook{"input_tokens": 1, "output_tokens": 1}
	events := []binary.Hook{{"type": "message_start", "message": binary.Hook{"id": "msg", "type": "message",
		"role": "assistant", "model": "scripted", "content": []any{}, "usage": usage}}}
	for i, block := range blocks {
		events = append(events,
			binary.Hook{"type": "content_block_start", "index": i, "content_block": block.start},
			binary.Hook{"type": "content_block_delta", "index": i, "delta": block.delta},
			binary.Hook{"type": "content_block_stop", "index": i})
	}
	return stream(append(events,
		binary.Hook{"type": "message_delta", "delta": binary.Hook{"stop_reason": reason}, "usage": usage},
		binary.Hook{"type": "message_stop"})...)
}

func toText(v binary.Hook) string {
	b, _ := json.Marshal(v)
	return string(b)
}

// stream is server-sent events.
func stream(events ...binary.Hook) string {
	var all strings.Builder
	for _, e := range events {
		data, _ := json.Marshal(e)
		if name, ok := e["type"]; ok {
			fmt.Fprintf(&all, "event: %s\n", name)
		}
		fmt.Fprintf(&all, "data: %s\n\n", data)
	}
	return all.String()
}
