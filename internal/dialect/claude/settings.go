package claude

import (
	"time"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/protocol"
)

const (
	folderVariable = "CLAUDE_CONFIG_DIR"
	pluginVariable = "CLAUDE_PLUGIN_ROOT"
)

var settings = &dialect.Settings{
	Client: "Claude Code", Folder: ".claude",
	AnyFolder: []string{"settings.json", "settings.local.json", "hooks.json"},
	Base:      "settings.json", Local: "settings.local.json", Others: []string{"settings.local.json"},
	FolderVariable: folderVariable,
	// The top-level fields whose type the client checks. It discards a file for any that is wrong.
	Top: []dialect.Field{
		"hooks any", "disableAllHooks boolean", "env object", "allowedHttpHookUrls strings",
		"httpHookAllowedEnvVars strings",
		"allowManagedHooksOnly boolean", "permissions object", "model string", "apiKeyHelper string",
		"cleanupPeriodDays number", "includeCoAuthoredBy boolean", "attribution object",
		"statusLine object", "outputStyle string", "language string", "forceLoginMethod string",
		"enableAllProjectMcpServers boolean", "enabledMcpjsonServers strings",
		"disabledMcpjsonServers strings", "enabledPlugins object", "extraKnownMarketplaces object",
		"sandbox object", "alwaysThinkingEnabled boolean", "spinnerTipsEnabled boolean",
		"companyAnnouncements strings", "availableModels strings", "awsAuthRefresh string",
		"awsCredentialExport string", "effortLevel string",
	},
	About: 5,
	Off:   "disableAllHooks",
	Group: []dialect.Field{"matcher string", "hooks any"},
	Common: []dialect.Field{
		"type string", "if string", "timeout number", "statusMessage string", "once boolean",
	},
	Handlers: []dialect.HandlerType{
		{Name: "command", Required: 1, Members: []dialect.Field{
			"command string", "args strings", "shell bash|powershell", "onFailure continue|block",
			"async boolean", "asyncRewake boolean", "rewakeMessage string", "rewakeSummary string",
			"holdsTools any", "cloud device|skip",
		}, Same: []string{"command", "args", "if"}, Kind: dialect.Runs},
		{Name: "http", Required: 1, Members: []dialect.Field{
			"url string", "headers object", "allowedEnvVars strings", "onFailure continue|block",
			"cloud device|skip",
		}, Same: []string{"url", "if"}, Kind: dialect.Posts},
		{Name: "mcp_tool", Required: 2, Members: []dialect.Field{
			"server string", "tool string", "input object", "onFailure any",
		}},
		{Name: "prompt", Required: 1, Members: []dialect.Field{
			"prompt string", "model string", "continueOnBlock boolean",
		}},
		{Name: "agent", Required: 1, Members: []dialect.Field{"prompt string", "model string"}},
	},
	Pattern:         func(text, _ string) dialect.Pattern { return newPattern(text) },
	Timeout:         dialect.TimeoutForm{Unit: time.Second, Name: "seconds", Less: "milliseconds"},
	ByPath:          true,
	FolderVariables: []string{"CLAUDE_PROJECT_DIR", pluginVariable},
	PluginVariable:  pluginVariable,
	Drops:           drops,
	DropsAt: func(e protocol.Event) string {
		if e == "PreToolUse" || e == "PermissionRequest" {
			return drops
		}
		return "; Claude Code drops this entry for that, without a word"
	},
}

const drops = "; Claude Code drops the whole file for that, without a word"
