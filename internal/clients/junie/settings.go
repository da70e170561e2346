package junie

import (
	"regexp"
	"time"

	"github.com/hookrun/hookrun/internal/clients/settings"
	"github.com/hookrun/hookrun/internal/core/dialect"
)

// files is the user's config.json: the client ignores hooks in a project's.
var files = &dialect.Files{
	Client: clientName, HomeFolder: ".junie", Base: "config.json", FolderVariable: "JUNIE_HOME",
	Drops:   "; Junie CLI shows an error, and goes on without the hook",
	Reader:  reader{},
	Timeout: dialect.Unit(time.Second),
}

type reader struct{}

var (
	top      = []dialect.Field{"hooks object"}
	group    = []dialect.Field{"matcher string", "hooks any"}
	handlers = []settings.HandlerFields{{Type: "command", Fields: []dialect.Field{"command string!"}}}
	common   = []dialect.Field{"type string", "timeout number"}
)

func (reader) Normalize(doc *dialect.Document) {
	d := settings.Open(doc)
	for e := range d.Events(d.Top(top, 1)["hooks"]) {
		for g := range e.Groups(group, "") {
			for h := range g.Handlers(handlers, common) {
				h.Timeout = h.Time("timeout")
				h.ReadCommand()
			}
		}
	}
}

// Pattern reads a matcher: a regular expression that must match the whole name.
func (reader) Pattern(text, _ string) dialect.Pattern {
	p := dialect.Pattern{Text: text, Word: text}
	if text != "" {
		p.RE2, p.Err = regexp.Compile("^(?:" + text + ")$")
		p.Unread = p.Err != nil // the client has Java's expressions
	}
	return p
}
