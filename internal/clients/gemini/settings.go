package gemini

import (
	"time"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/clients/settings"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/spelling"
)

var files = &dialect.Files{
	Client: "Gemini CLI", Folder: ".gemini", Base: "settings.json", FolderVariable: "GEMINI_CLI_HOME/.gemini",
	Reader: reader{},

	FolderVariables: []string{"GEMINI_PROJECT_DIR", "GEMINI_CWD"},
	Timeout:         dialect.Unit(time.Millisecond),
	Once:            true,
}

type reader struct{}

func (reader) Expand(text string) string { return client.ExpandVariables(text, written) }

func (reader) Complete(c *dialect.Command) { c.Bash, c.Written = c.Argv == nil, written }

// written are the variables that the client replaces in the text of a command.
var written = []string{
	"GEMINI_PROJECT_DIR", "GEMINI_CWD", "GEMINI_SESSION_ID", "GEMINI_PLANS_DIR", "CLAUDE_PROJECT_DIR",
}

var (
	top      = []dialect.Field{"hooks any", "hooksConfig object", "tools any"}
	switches = []dialect.Field{"enabled boolean", "disabled strings", "notifications boolean"}
	group    = []dialect.Field{"matcher string?", "sequential boolean", "hooks any"}
	common   = []dialect.Field{
		"type string", "name string", "description string", "timeout number", "env object",
	}
	handlers = []settings.HandlerFields{{Type: "command", Fields: []dialect.Field{"command string!"}}}
)

func (reader) Normalize(doc *dialect.Document) {
	d := settings.Open(doc)
	fields := d.Top(top, 2)
	d.HooksConfig(fields, switches)
	d.SetFormerSwitches(switches)
	for e := range d.Events(fields["hooks"]) {
		for g := range e.Groups(group, "") {
			for h := range g.Handlers(handlers, common) {
				h.Common()
				h.Timeout = timeoutOf(h)
				h.ReadCommand()
				h.SetDedupKey(nil, "name", "command")
			}
		}
	}
}

func timeoutOf(h *settings.Handler) time.Duration {
	t := h.Time("timeout")
	if v := h.Members["timeout"]; t > 0 && t < time.Second {
		h.Doubt(v, "%s\"timeout\" is in milliseconds, and %s of them are less than a second; were these seconds?",
			h.Who, spelling.Brief(v.Raw, 80))
	}
	return t
}
