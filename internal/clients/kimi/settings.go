package kimi

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/clients/settings"
	"github.com/hookrun/hookrun/internal/clients/toml"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/protocol"
)

// files is the user's config.toml; a project has no such file. With one wrong entry the client warns, and ignores all
// hooks of the file.
var files = &dialect.Files{
	Client: clientName, HomeFolder: ".kimi-code", Base: "config.toml", FolderVariable: "KIMI_CODE_HOME",
	Extensions: []string{".toml"},
	OnFault:    dialect.DropsFile,
	Drops:      drops,
	Reader:     reader{},
	Timeout:    timeouts{dialect.Unit(time.Second)},
	Groups:     dialect.NoneGrouped,
	Once:       true,
}

type reader struct{}

func (reader) Complete(c *dialect.Command) { c.ByPath = c.Shell != "" && !c.PowerShell }

// timeouts is in seconds, with a limit.
type timeouts struct{ dialect.Unit }

func (timeouts) Longest() time.Duration { return 10 * time.Minute }

var (
	top      = []dialect.Field{"hooks object"}
	handlers = []settings.HandlerFields{{Type: "command", Default: true, Fields: []dialect.Field{"command string!",
		"matcher string", "timeout number"}}}
)

const drops = "; Kimi Code goes on without all hooks of the file for that"

// fields are the fields of an entry. The client rejects all others.
var fields = []string{"event", "matcher", "command", "timeout"}

// Normalize reads config.toml, or the same content as JSON.
func (reader) Normalize(doc *dialect.Document) {
	d := settings.Open(doc)
	if strings.HasSuffix(strings.ToLower(d.File), ".toml") && !readConfig(d) {
		return
	}
	for e := range d.Events(d.Top(top, 1)["hooks"]) {
		for g := range e.Hooks() {
			for h := range g.Handlers(handlers, nil) {
				h.Timeout = timeoutOf(h)
				h.ReadCommandOrSkip()
				h.SetDedupKey(nil, "command")
			}
		}
	}
}

func timeoutOf(h *settings.Handler) time.Duration {
	const key = "timeout"
	v, ok := h.Members[key]
	if !ok || !h.Whole(key) {
		return 0
	}
	unit := h.Dialect.Files.Timeout
	if longest := unit.Longest(); unit.Read(v.Float()) > longest {
		h.Problem(v.Index, "%s%q must be at most %d seconds, not %s%s", h.Who, key, unit.Write(longest),
			spelling.Brief(v.Raw, 80), h.Drops)
		return 0
	}
	return h.Time(key)
}

// readConfig reads the [[hooks]] tables, each with an event, and writes them as JSON by event.
func readConfig(d *settings.Document) bool {
	top := d.TOML()
	if top == nil {
		return false
	}
	byEvent := &toml.Value{Kind: toml.Table}
	switch hooks := top.Get("hooks"); {
	case hooks == nil:
	case hooks.Kind != toml.Array:
		d.Problem(hooks.Offset, `"hooks" must be tables, [[hooks]]`+drops)
	default:
		for i, entry := range hooks.Items {
			who := fmt.Sprintf("hook %d", i+1)
			if entry.Kind != toml.Table {
				d.Problem(entry.Offset, "%s must be a table%s", who, drops)
				continue
			}
			if event := readEntry(d, who+": ", entry); event != "" {
				list := byEvent.Get(event)
				if list == nil {
					list = &toml.Value{Kind: toml.Array, Offset: entry.Offset}
					byEvent.Set(event, list.Offset, list)
				}
				list.Items = append(list.Items, entry)
			}
		}
	}
	return d.AsJSON(byEvent)
}

// readEntry returns the event of an entry, or "" for an entry without one. It removes the event from the entry, because
// in JSON entries are listed under their events.
func readEntry(d *settings.Document, who string, entry *toml.Value) (event string) {
	if entry.Get("event") == nil {
		d.Problem(entry.Offset, "%s", who+`needs "event"`+drops)
	}
	entry.Members = slices.DeleteFunc(entry.Members, func(m toml.Member) bool {
		v := m.Value
		switch {
		case !slices.Contains(fields, m.Key):
			d.Problem(m.Offset, "%s", who+"unknown field "+spelling.Quote(m.Key)+spelling.Hint(m.Key, fields)+drops)
			return true
		case m.Key == "timeout" && v.Kind == toml.Number:
			if n, err := strconv.ParseFloat(v.Text, 64); err == nil && n == float64(int(n)) {
				v.Text = strconv.Itoa(int(n)) // 2.0 is 2
			}
		case m.Key == "event" && v.Kind != toml.String:
			d.Problem(v.Offset, "%s", who+`"event" must be a string`+drops)
		case m.Key == "event" && !events.Has(protocol.Event(v.Text)):
			var names []string
			for _, name := range events.Names() {
				names = append(names, string(name))
			}
			d.Problem(v.Offset, "%s", who+"unknown event "+spelling.Quote(v.Text)+drops+spelling.Suggest(v.Text, names))
		case m.Key == "command" && v.Kind == toml.String && v.Text == "":
			d.Problem(v.Offset, "%s", who+"the command is empty"+drops)
		case m.Key == "event":
			event = v.Text
		}
		return m.Key == "event"
	})
	return event
}
