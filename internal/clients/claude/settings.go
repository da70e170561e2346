package claude

import (
	"path/filepath"
	"time"

	"github.com/hookrun/hookrun/internal/clients/settings"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	rules "github.com/hookrun/hookrun/internal/rules/permission"
	"github.com/hookrun/hookrun/protocol"
)

const (
	folderVariable = "CLAUDE_CONFIG_DIR"
	pluginVariable = "CLAUDE_PLUGIN_ROOT"
	offSwitch      = "disableAllHooks"
)

var files = &dialect.Files{
	Client: clientName, Folder: ".claude", FolderVariable: folderVariable,
	Base: "settings.json", Others: []string{"settings.local.json"},
	Drops:  "; Claude Code drops the whole file for that, without a word",
	Reader: reader{},

	FolderVariables: []string{"CLAUDE_PROJECT_DIR", pluginVariable},
	Takes:           []string{"url", "if", "async", "on_failure"},
	Timeout:         dialect.Unit(time.Second),
	Once:            true,
}

type reader struct{}

func (reader) Complete(c *dialect.Command) { c.ByPath = c.Shell != "" && !c.PowerShell }

// top are the top-level fields of which the client checks the type. A wrong type in one discards the file. The first
// five are about hooks.
var top = []dialect.Field{
	"hooks any", offSwitch + " boolean", "env object", "allowedHttpHookUrls strings", "httpHookAllowedEnvVars strings",
	"allowManagedHooksOnly boolean", "permissions object", "model string", "apiKeyHelper string",
	"cleanupPeriodDays number", "includeCoAuthoredBy boolean", "attribution object",
	"statusLine object", "outputStyle string", "language string", "forceLoginMethod string",
	"enableAllProjectMcpServers boolean", "enabledMcpjsonServers strings",
	"disabledMcpjsonServers strings", "enabledPlugins object", "extraKnownMarketplaces object",
	"sandbox object", "alwaysThinkingEnabled boolean", "spinnerTipsEnabled boolean",
	"companyAnnouncements strings", "availableModels strings", "awsAuthRefresh string",
	"awsCredentialExport string", "effortLevel string",
}

var (
	group  = []dialect.Field{"matcher string", "hooks any"}
	common = []dialect.Field{
		"type string", "if string", "timeout number", "statusMessage string", "once boolean",
	}
	handlers = []settings.HandlerFields{
		{Type: "command", Fields: []dialect.Field{
			"command string!", "args strings", "shell bash|powershell", "onFailure continue|block",
			"async boolean", "asyncRewake boolean", "rewakeMessage string", "rewakeSummary string",
			"holdsTools any", "cloud device|skip",
		}},
		{Type: "http", Fields: []dialect.Field{
			"url string!", "headers object", "allowedEnvVars strings", "onFailure continue|block", "cloud device|skip",
		}},
		{Type: "mcp_tool", Fields: []dialect.Field{"server string!", "tool string!", "input object", "onFailure any"}},
		{Type: "prompt", Fields: []dialect.Field{"prompt string!", "model string", "continueOnBlock boolean"}},
		{Type: "agent", Fields: []dialect.Field{"prompt string!", "model string"}},
	}
)

func (reader) Normalize(doc *dialect.Document) {
	d := settings.Open(doc)
	fields := d.Top(top, 5)
	plugin := settings.PluginFolder(d.File)
	if plugin == "" { // a plugin has hooks, but no settings
		d.SwitchOff(fields, offSwitch)
		d.Environment(fields)
		d.Limits(fields, "allowedHttpHookUrls", "httpHookAllowedEnvVars")
	}
	d.Shared = plugin != "" && filepath.Base(filepath.Dir(d.File)) == "hooks"
	for e := range d.Events(fields["hooks"]) {
		if e.Name != "PreToolUse" && e.Name != "PermissionRequest" {
			e.Drops = "; Claude Code drops this entry for that, without a word"
		}
		for g := range e.Groups(group, "") {
			for h := range g.Handlers(handlers, common) {
				readHook(h, plugin)
			}
		}
	}
}

// readHook reads a hook of a settings file, or of the plugin in a folder.
func readHook(h *settings.Handler, plugin string) {
	if plugin != "" {
		h.Env, h.From.Plugin = append(h.Env, pluginVariable+"="+plugin), pluginVariable
	}
	readIf(h)
	h.Timeout = h.Time("timeout")
	readOnFailure(h)
	switch h.Type {
	case "command":
		readCommand(h)
		h.SetDedupKey([]string{plugin}, "command", "args", "if")
	case "http":
		h.ReadHTTP()
		h.SetDedupKey([]string{plugin}, "url", "if")
	default:
		h.CannotRun()
	}
}

func readIf(h *settings.Handler) {
	rule, ok := h.Members["if"]
	if !ok {
		return
	}
	h.If, h.IfAt = rule.String(), h.At(rule.Index)
	parsed := rules.Parse(h.If)
	if parsed.Malformed() {
		h.WarnOfGate(rule.Index, "%sthe \"if\" %s is no rule of the form Tool or Tool(pattern), so the hook never runs",
			h.Who, spelling.Quote(h.If))
	}
	if !h.Dialect.IsAboutTool(h.Event) && parsed.String() != "" {
		h.WarnOfGate(rule.Index, "%s%s has no tool call, so a hook with an \"if\" never runs", h.Who, h.Event)
	}
}

func readOnFailure(h *settings.Handler) {
	h.Async = h.Members["async"].Bool()
	policy, ok := h.Members["onFailure"]
	if !ok {
		return
	}
	if policy.String() == "continue" {
		h.SetOnFailure(protocol.Continue)
	} else {
		h.SetOnFailure(protocol.Block) // other words, in types that take any, mean block too
	}
	switch {
	case h.Async:
		h.Warn(policy.Index, "%s\"onFailure\" means nothing for an async hook: its failure blocks nothing",
			h.Who)
	case h.Dialect.CannotBlock(h.Event):
		h.Warn(policy.Index, "%s\"onFailure\" means nothing at %s: no failure blocks anything there", h.Who, h.Event)
	}
}

// readCommand reads a command line, or a program with its arguments.
func readCommand(h *settings.Handler) {
	command, ok := h.Members["command"]
	if !ok {
		return
	}
	args, hasArgs := h.Members["args"]
	text, ok := h.Line("command", command)
	switch {
	case !ok:
	case hasArgs && text != "":
		h.Command = h.Dialect.Files.Completed(dialect.Command{Argv: append([]string{text}, h.Args(args)...),
			Placeholders: true})
	case h.Runnable(text, command):
		h.Command = h.Dialect.Files.Completed(dialect.Command{Shell: text,
			PowerShell: h.Members["shell"].String() == "powershell"})
	}
}
