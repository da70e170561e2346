package kiro

import (
	"regexp"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/clients/settings"
	"github.com/hookrun/hookrun/internal/core/dialect"
)

// files are the files of agents. hookrun writes an agent of its own.
var files = &dialect.Files{
	Client: clientName, Folder: ".kiro/agents", Base: "hookrun.json",
	Drops:   "; Kiro CLI does not load the agent for that",
	Reader:  reader{},
	Timeout: dialect.Unit(time.Millisecond),
	Groups:  dialect.NoneGrouped,
}

type reader struct{}

var (
	top      = []dialect.Field{"hooks object", "tools any"}
	handlers = []settings.HandlerFields{{Type: "command", Default: true, Fields: []dialect.Field{"command string!",
		"matcher string?", "timeout_ms number", "max_output_size number", "cache_ttl_seconds number", "type string",
		"timeout number"}}}
)

func (reader) Normalize(doc *dialect.Document) {
	d := settings.Open(doc)
	for e := range d.Events(d.Top(top, 1)["hooks"]) {
		for g := range e.Hooks() {
			for h := range g.Handlers(handlers, nil) {
				if _, ok := h.Members["timeout_ms"]; ok && h.Whole("timeout_ms") {
					h.Timeout = h.Time("timeout_ms")
				}
				h.From.KeyAliases = map[string][]string{"command": {"command"}, "timeout": {"timeout_ms"}}
				if h.Members["cache_ttl_seconds"].Float() > 0 {
					h.Warn(h.Members["cache_ttl_seconds"].Index, "%s%s keeps the answer for some seconds, and hookrun "+
						"runs the hook at each call", h.Who, clientName)
				}
				h.ReadCommand()
			}
		}
	}
}

// Pattern reads a matcher: a glob with * and ?, @SERVER for all tools of a server, or @builtin for all other tools.
func (reader) Pattern(text, _ string) dialect.Pattern {
	p := dialect.Pattern{Text: text, Word: text}
	switch {
	case text == "*":
	case text == "@builtin":
		p.RE2 = regexp.MustCompile("^[^@]")
	default:
		glob := strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(text))
		if strings.HasPrefix(text, "@") && !strings.Contains(text, "/") {
			glob += "(/.*)?"
		}
		p.RE2 = regexp.MustCompile("(?s)^(?:" + glob + ")$")
	}
	return p
}
