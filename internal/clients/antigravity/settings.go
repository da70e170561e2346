package antigravity

import (
	"regexp"
	"strconv"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/settings"
	"github.com/hookrun/hookrun/internal/core/dialect"
)

var files = &dialect.Files{
	Client: clientName, Folder: ".agents", HomeFolder: ".gemini/config", Base: "hooks.json",
	Drops:   "; Antigravity CLI goes on without all hooks of the file, and tells its log file alone",
	Reader:  reader{},
	Timeout: dialect.Unit(time.Second),
	Groups:  dialect.ToolsGrouped,
}

type reader struct{}

var (
	enabled  = dialect.Field("enabled boolean")
	group    = []dialect.Field{"matcher string", "hooks any"}
	common   = []dialect.Field{"type string", "timeout number"}
	handlers = []settings.HandlerFields{{Type: "command", Default: true, Fields: []dialect.Field{"command string!"}}}
)

// Normalize reads the named hooks of a file, each with its events. Only events of tools have groups.
func (reader) Normalize(doc *dialect.Document) {
	d := settings.Open(doc)
	for name, hook := range gjson.Parse(d.Text).ForEach {
		if !hook.IsObject() {
			d.WrongType(strconv.Quote(name.String()), "an object with events", hook, d.Drops)
			continue
		}
		on := dialect.LastOf(hook)["enabled"]
		if on.Exists() && !on.IsBool() {
			d.WrongType(strconv.Quote(name.String())+`: "enabled"`, "true or false", on, d.Drops)
		}
		for e := range d.EventsOf(name.String(), hook, enabled) {
			groups := e.Hooks()
			if e.Name == before || e.Name == after {
				groups = e.Groups(group, "")
			}
			for g := range groups {
				for h := range g.Handlers(handlers, common) {
					if _, ok := h.Members["timeout"]; ok && h.Whole("timeout") {
						h.Timeout = h.Time("timeout")
					}
					h.ReadCommand()
					if on.Type == gjson.False {
						h.Off = `"enabled" of ` + strconv.Quote(name.String()) + " is false"
					}
				}
			}
		}
	}
}

// Pattern reads a matcher: a Go regular expression that must match the whole name. "" and * match everything.
func (reader) Pattern(text, _ string) dialect.Pattern {
	p := dialect.Pattern{Text: text, Word: text}
	if text != "" && text != "*" {
		p.RE2, p.Err = regexp.Compile("^(?:" + text + ")$")
	}
	return p
}
