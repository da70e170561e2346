package cursor

import (
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/clients/settings"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/protocol"
)

var files = &dialect.Files{
	Client: "Cursor", Folder: ".cursor", Base: "hooks.json",
	Drops:           "; Cursor may drop the whole file for that",
	Reader:          reader{},
	FolderVariables: []string{"CURSOR_PROJECT_DIR", "CLAUDE_PROJECT_DIR"},
	Takes:           []string{"on_failure"},
	Timeout:         dialect.Unit(time.Second),
	Groups:          dialect.NoneGrouped,
}

type reader struct{}

var (
	top    = []dialect.Field{"version number", "hooks object"}
	common = []dialect.Field{"type string", "timeout number", "matcher string", "loop_limit number?",
		"failClosed boolean"}
	handlers = []settings.HandlerFields{
		{Type: "command", Default: true, Fields: []dialect.Field{"command string!"}},
		{Type: "prompt", Fields: []dialect.Field{"prompt string!", "model string?"}},
	}
)

func (reader) Normalize(doc *dialect.Document) {
	d := settings.Open(doc)
	for e := range d.Events(d.Top(top, 2)["hooks"]) {
		for g := range e.Hooks() {
			for h := range g.Handlers(handlers, common) {
				h.Timeout = h.Time("timeout")
				if h.Members["failClosed"].Bool() {
					h.SetOnFailure(protocol.Block)
				}
				if h.Type == "command" {
					h.ReadCommand()
				} else {
					h.CannotRun()
				}
			}
		}
	}
}

// Pattern reads a matcher: a regular expression, found anywhere. A blank matcher or * matches everything.
func (reader) Pattern(text, _ string) dialect.Pattern {
	p := dialect.Pattern{Text: text, Word: strings.TrimSpace(text)}
	if p.Word != "" && p.Word != "*" {
		p.JavaScript, p.Err = client.JavaScript(p.Word)
		p.Unread = p.Err != nil // the client may accept the expression
	}
	return p
}
