package antigravity

import (
	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/protocol"
)

// install adds the entry to the hook named "hooks".
var install = &client.Installation{
	Events:       []string{string(before), string(after)},
	WindowsShell: client.Cmd,
	JSON:         client.WithoutMark,
	Note: "hookrun was not tried with Antigravity CLI itself, see docs/clients/antigravity.md; Antigravity CLI runs " +
		"no hook at the prompt, and reads no answer after a tool: a hook there is not given the result, and can " +
		"neither change nor withhold it. Before a tool a rewrite and a text for the model block the call",
	HooklessActions: []client.HooklessAction{
		{What: "runs no hook at the prompt", Event: protocol.PreExecute},
		{What: "reads no answer of a hook after a tool", Event: protocol.PostTool},
	},
	Program: "agy", Page: "antigravity.md#what-no-hook-sees",
	Installer: installer{},
}

type installer struct{ client.BaseInstaller }

func (installer) Agent() (signs, ides string) { return "$ANTIGRAVITY_AGENT", "antigravity" }

// NamelessEvents returns PostInvocation, because its input looks like the input of PreInvocation.
func (installer) NamelessEvents() []protocol.Event { return []protocol.Event{postInvocation} }

func (installer) SilentBlock() (json string, exit int) {
	return `{"decision":"deny","reason":"` + client.SilentReason + `"}`, 0
}

func (installer) Switches(doc string) []client.Switch {
	return client.OffIfFalse(doc, "hooks.enabled",
		`"enabled" of "hooks" is false, so Antigravity CLI does not run it`, `take "enabled" out of "hooks"`)
}

func (installer) Servers(w client.Where, _ func(path string) string) []client.ServerFile {
	return client.ServerFiles(files, w, "mcp_config.json", client.MCPServers)
}
