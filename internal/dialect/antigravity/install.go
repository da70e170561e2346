package antigravity

import (
	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// install adds the entry to the hook of the name "hooks".
var install = &dialect.Installation{
	Events:    []string{string(before), string(after)},
	Nameless:  []protocol.Event{postInvocation}, // its input is that of PreInvocation
	NoAnswer:  dialect.NoAnswer{JSON: `{"decision":"deny","reason":"` + dialect.SilentReason + `"}`},
	OnWindows: dialect.CommandForm{Shell: dialect.Cmd},
	Asks:      "hookrun was not tried with Antigravity CLI itself, see docs/dialects/antigravity.md",
	Lacks: "Antigravity CLI runs no hook at the prompt, and reads no answer after a tool: a hook there is not given " +
		"the result, and can neither change nor withhold it. Before a tool a rewrite and a text for the model block " +
		"the call",
	NoMark: true,
	ReadSwitches: func(doc string) []dialect.Switch {
		return dialect.SwitchAt(doc, "hooks.enabled", false,
			`"enabled" of "hooks" is false, so Antigravity CLI does not run it`, `take "enabled" out of "hooks"`)
	},
	Servers: func(w dialect.Where, _ func(path string) string) []dialect.ServerFile {
		return files.ServerFiles(w, "mcp_config.json", dialect.MCPServers)
	},
	Unseen: []dialect.Unseen{
		{What: "runs no hook at the prompt", Event: protocol.PreExecute},
		{What: "reads no answer of a hook after a tool", Event: protocol.PostTool},
	},
	Program: "agy",
}
