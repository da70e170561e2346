// Package clients describes the real clients: installation, and one turn with a scripted model, without a terminal and
// without a network.
package clients

import (
	"encoding/json"
	"slices"
)

// Client holds the differences between the real clients.
type Client struct {
	Name     string
	Packages []string          // of npm: the client, which gets a version, and its needs
	Renamed  string            // a newer name of the client's package, if its packages are complete
	Args     []string          // one turn, in which the shell may be used
	Env      []string          // $URL stands for the model's, here and in Home
	Home     map[string]string // the user's own files
	Unasked  []string          // of Args: without these the client asks a person
	Trusting []string          // behind the first of Args: hooks run before a person trusts them
	UserOnly bool              // the client has only the user's settings
	Shell    string            // the tool's name
	Tools    map[string]string // from a hook's name of a tool to the model's
	NoEvents []string          // names in hooks' inputs that are no events of hooks
	Run      func(command string) Call
	Says     func(n int, calls ...Call) string // the model's nth answer: calls of tools; none ends the turn

	Model  string  // stands for $MODEL in Args, Env and Home; "": "scripted"
	Others []Model // models with other tools, the default among them
}

// Call is a call of a tool. An Input that is a JSON string is free text.
type Call struct {
	Tool  string
	Input json.RawMessage
}

// Object is a JSON object.
type Object = map[string]any

// Model is a model by which a client chooses its tools.
type Model struct {
	Name  string
	Shell string // "": the same as with other models
	Run   func(command string) Call
}

// With returns the client with another model.
func (c Client) With(m Model) Client {
	c.Model = m.Name
	if m.Shell != "" {
		c.Shell, c.Run = m.Shell, m.Run
	}
	return c
}

// Named finds a client.
func Named(name string) (Client, bool) {
	i := slices.IndexFunc(All, func(c Client) bool { return c.Name == name })
	if i < 0 {
		return Client{}, false
	}
	return All[i], true
}

// Install are the packages of a version, as npm takes them.
func (c Client) Install(version string) []string {
	return append([]string{c.Packages[0] + "@" + version}, c.Packages[1:]...)
}

// Names are the names of the client's own package, the newest first.
func (c Client) Names() []string {
	if c.Renamed == "" {
		return c.Packages[:1]
	}
	return []string{c.Renamed, c.Packages[0]}
}

// shell is a call of a shell: the command under a key, and more.
func shell(tool, key string, more Object) func(string) Call {
	return func(command string) Call {
		input := Object{key: command}
		for k, v := range more {
			input[k] = v
		}
		return Call{tool, json.RawMessage(Text(input))}
	}
}

// All lists the clients of npm.
var All = []Client{{
	Name:     "claude",
	Packages: []string{"@anthropic-ai/claude-code"},
	Args:     []string{"-p", "go", "--allowedTools", "Bash", "--output-format", "stream-json", "--verbose"},
	Unasked:  []string{"--allowedTools", "Bash"},
	Env: []string{"ANTHROPIC_BASE_URL=$URL", "ANTHROPIC_API_KEY=none", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1",
		"ENABLE_TOOL_SEARCH=false"}, // else the model must search for tools
	Shell:    "Bash",
	NoEvents: []string{"FileSuggestion", "StatusLine"}, // commands in the settings
	Run:      shell("Bash", "command", nil),
	Says:     claudeSays,
}, {
	Name:     "cline",
	Packages: []string{"cline"},
	Args:     []string{"--json", "--auto-approve", "true", "please go"},
	Env:      []string{"CLINE_SESSION_BACKEND_MODE=local"}, // else a daemon is left behind
	Home: map[string]string{
		".cline/data/settings/global-settings.json": `{"telemetryOptOut": true, "autoUpdateEnabled": false}`,
		".cline/data/settings/providers.json": `{"version": 1, "modes": {},
"lastUsedProvider": "openai-compatible", "providers": {"openai-compatible": {"tokenSource": "manual",
"updatedAt": "2026-01-01T00:00:00.000Z", "settings": {"provider": "openai-compatible", "apiKey": "none",
"model": "$MODEL", "baseUrl": "$URL/v1"}}}}`,
	},
	Shell: "run_commands",
	Run: func(command string) Call {
		return Call{"run_commands", json.RawMessage(Text(Object{"commands": []string{command}}))}
	},
	Says:   completionsSay,
	Others: []Model{{Name: "gpt-5.1"}},
}, {
	Name:     "codex",
	Packages: []string{"@openai/codex"},
	Args:     []string{"exec", "--skip-git-repo-check", "--sandbox", "danger-full-access", "go"},
	Trusting: []string{"--dangerously-bypass-hook-trust"},
	Home: map[string]string{".codex/config.toml": `
model = "$MODEL"
model_provider = "loopback"
model_providers.loopback = {name = "loopback", base_url = "$URL/v1", wire_api = "responses"}
check_for_update_on_startup = false
analytics.enabled = false
features.plugins = false # else Codex looks for plugins on GitHub
projects."$WORKSPACE".trust_level = "trusted"
`},
	Shell: "exec_command",
	Run:   shell("exec_command", "cmd", nil),
	Says:  responsesSay,
	Others: []Model{{
		Name:  "gpt-6.1-sol", // the default: most tools are called in a script
		Shell: "exec",
		Run: func(command string) Call {
			return Call{"exec", json.RawMessage(Text(
				"text((await tools.exec_command(" + Text(Object{"cmd": command}) + ")).output)"))}
		},
	}},
}, {
	Name:     "copilot",
	Packages: []string{"@github/copilot"},
	Args:     []string{"-p", "go", "--allow-all-tools", "--trust-folder", "--no-color"},
	Unasked:  []string{"--allow-all-tools"},
	Tools:    map[string]string{"Read": "view", "Edit": "edit", "Glob": "glob"},
	Env: []string{"COPILOT_PROVIDER_BASE_URL=$URL/v1", "COPILOT_PROVIDER_API_KEY=none", "COPILOT_MODEL=$MODEL",
		"COPILOT_OFFLINE=true", "COPILOT_AUTO_UPDATE=false"},
	Shell:  "bash",
	Run:    shell("bash", "command", Object{"description": "d"}),
	Says:   completionsSay,
	Others: []Model{{Name: "gpt-5.1-codex"}, {Name: "claude-sonnet-4.5"}},
}, {
	// Started like this, Droid has no hook at the prompt or after a tool that failed.
	Name:     "droid",
	Packages: []string{"droid"},
	Renamed:  "@factory/cli",
	Args:     []string{"exec", "--skip-permissions-unsafe", "-m", "custom:$MODEL-0", "go"},
	Unasked:  []string{"--skip-permissions-unsafe"},
	Env:      []string{"FACTORY_AIRGAP_ENABLED=true"},
	Home: map[string]string{".factory/settings.json": `{"customModels": [{"model": "$MODEL",
"displayName": "$MODEL", "baseUrl": "$URL/v1", "apiKey": "none",
"provider": "generic-chat-completion-api", "maxOutputTokens": 1000}]}`},
	Shell: "Execute",
	Run: shell("Execute", "command",
		Object{"summary": "Do it", "riskLevel": "low", "riskLevelReason": "none"}),
	Says:   completionsSay,
	Others: []Model{{Name: "gpt-5.1"}},
}, {
	Name:     "gemini",
	Packages: []string{"@google/gemini-cli"},
	Args:     []string{"--model", "$MODEL", "--yolo", "--prompt", "go"},
	Unasked:  []string{"--yolo"},
	Env: []string{"GOOGLE_GEMINI_BASE_URL=$URL", "GEMINI_API_KEY=none", "GEMINI_CLI_TRUST_WORKSPACE=true",
		"GEMINI_CLI_NO_RELAUNCH=true"}, // two processes would not end after an "ask"
	Home: map[string]string{
		".gemini/settings.json": `{"security": {"auth": {"selectedType": "gemini-api-key"}},
"privacy": {"usageStatisticsEnabled": false},
"general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false}}`},
	Model:  "gemini-2.5-pro", // other kinds of names are refused
	Others: []Model{{Name: "gemini-3-pro-preview"}},
	Shell:  "run_shell_command",
	Run:    shell("run_shell_command", "command", nil),
	Says:   geminiSays,
}, {
	Name:     "kimi",
	Packages: []string{"@moonshot-ai/kimi-code", "node@24"}, // newer than on most machines
	Args:     []string{"-p", "go"},
	Env:      []string{"KIMI_CODE_NO_AUTO_UPDATE=1"},
	Home: map[string]string{".kimi-code/config.toml": `default_model = "$MODEL"
[providers.loopback]
type = "openai"
base_url = "$URL/v1"
api_key = "none"
[models."$MODEL"]
provider = "loopback"
model = "$MODEL"
max_context_size = 100000
`},
	UserOnly: true,
	Shell:    "Bash",
	Run:      shell("Bash", "command", Object{"description": "Do it"}),
	Says:     completionsSay,
	Others:   []Model{{Name: "kimi-for-coding"}},
}, {
	Name:     "opencode",
	Packages: []string{"opencode-ai"},
	Args:     []string{"run", "--format", "json", "go"},
	Env: []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1",
		"OPENCODE_DISABLE_LSP_DOWNLOAD=1"},
	Home: map[string]string{
		".npmrc": "fetch-retries=0\n", // OpenCode waits for the imports of plugins
		".config/opencode/opencode.json": `{"model": "loopback/$MODEL", "small_model": "loopback/$MODEL",
"share": "disabled", "provider": {"loopback": {"npm": "@ai-sdk/openai-compatible", "name": "loopback",
"options": {"baseURL": "$URL/v1", "apiKey": "none"}, "models": {"$MODEL": {"name": "$MODEL"}}}}}`},
	Shell:  "bash",
	Run:    shell("bash", "command", Object{"description": "a command"}),
	Says:   completionsSay,
	Others: []Model{{Name: "gpt-5.1"}},
}, {
	Name:     "qwen",
	Packages: []string{"@qwen-code/qwen-code"},
	Args:     []string{"--auth-type", "openai", "--yolo", "-p", "go"},
	Unasked:  []string{"--yolo"},
	Env:      []string{"OPENAI_BASE_URL=$URL/v1", "OPENAI_API_KEY=none", "OPENAI_MODEL=$MODEL"},
	Home: map[string]string{".qwen/settings.json": `{"privacy": {"usageStatisticsEnabled": false},
"general": {"enableAutoUpdate": false, "disableAutoUpdate": true},
"tools": {"toolSearch": {"threshold": 100}}}`}, // else the model must search for tools
	Others: []Model{{Name: "qwen3-coder-plus"}},
	Shell:  "run_shell_command",
	Run:    shell("run_shell_command", "command", Object{"is_background": false}),
	Says:   completionsSay,
}}
