package windsurf

import (
	"time"

	"github.com/hookrun/hookrun/internal/clients/settings"
	"github.com/hookrun/hookrun/internal/core/dialect"
)

var files = &dialect.Files{
	Client: clientName, Folder: ".windsurf", HomeFolder: ".codeium/windsurf", Base: "hooks.json",
	Drops:   "; Windsurf may drop the whole file for that",
	Reader:  reader{},
	Timeout: dialect.Unit(time.Second),
	Groups:  dialect.NoneGrouped,
}

type reader struct{}

var (
	top      = []dialect.Field{"hooks object"}
	handlers = []settings.HandlerFields{{Type: "command", Default: true, Fields: []dialect.Field{"command string",
		"powershell string", "show_output boolean", "working_directory string", "type string", "timeout number"}}}
)

func (reader) Normalize(doc *dialect.Document) {
	d := settings.Open(doc)
	for e := range d.Events(d.Top(top, 1)["hooks"]) {
		for g := range e.Hooks() {
			for h := range g.Handlers(handlers, nil) {
				_, has := h.Members["command"]
				if _, windows := h.Members["powershell"]; windows && !has {
					h.CannotRun()
				} else if !has {
					h.Problem(h.From.JSON.Index, "%sneeds a \"command\"%s", h.Who, h.Drops)
				}
				h.ReadCommand()
			}
		}
	}
}

// Pattern matches everything, because the client has no matchers.
func (reader) Pattern(text, _ string) dialect.Pattern { return dialect.Pattern{Text: text, Word: text} }
