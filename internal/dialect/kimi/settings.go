package kimi

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/internal/toml"
	"github.com/hookrun/hookrun/protocol"
)

// settings are those of the user's config.toml; a project has no such file. One wrong entry, and the client warns and
// goes on without all hooks of the file.
var settings = &dialect.Settings{
	Client: client, Folder: ".kimi-code", Base: "config.toml", FolderVariable: "KIMI_CODE_HOME", UserOnly: true,
	Top:         []dialect.Field{"hooks object"},
	About:       1,
	OnFault:     dialect.DropsFile,
	Flat:        true,
	DefaultType: "command",
	Handlers: []dialect.HandlerType{{
		Name: "command", Required: 1, Members: []dialect.Field{"command string", "matcher string", "timeout number"},
		Same: []string{"command"}, Kind: dialect.Runs,
	}},
	ByPath:  true,
	Pattern: newPattern,
	Timeout: dialect.TimeoutForm{
		Unit: time.Second, Name: "seconds", Less: "milliseconds", Whole: true, Longest: 10 * time.Minute,
	},
	Drops: drops,
}

const drops = "; Kimi Code goes on without all hooks of the file for that"

// fields are those of an entry. The client takes no others.
var fields = []string{"event", "matcher", "command", "timeout"}

// format is that of config.toml: [[hooks]] tables, each with its event. They are written as JSON, each under its event.
var format = &dialect.Format{Extensions: []string{".toml"}, Read: readConfig}

func readConfig(doc string) dialect.File {
	f := dialect.ReadTOML(doc)
	if f.Top == nil {
		return f.File
	}
	byEvent := &toml.Value{Kind: toml.Table}
	switch hooks := f.Top.Get("hooks"); {
	case hooks == nil:
	case hooks.Kind != toml.Array:
		f.Say(hooks.Offset, `"hooks" must be tables, [[hooks]]`+drops, false)
	default:
		for i, entry := range hooks.Items {
			who := fmt.Sprintf("hook %d", i+1)
			if entry.Kind != toml.Table {
				f.Say(entry.Offset, who+" must be a table"+drops, false)
				continue
			}
			if event := readEntry(f, who+": ", entry); event != "" {
				list := byEvent.Get(event)
				if list == nil {
					list = &toml.Value{Kind: toml.Array, Offset: entry.Offset}
					byEvent.Set(event, list.Offset, list)
				}
				list.Items = append(list.Items, entry)
			}
		}
	}
	return f.WithHooks(byEvent)
}

// readEntry returns the event of an entry, and takes it out, since JSON has entries under their events. "" is an entry
// without one.
func readEntry(f *dialect.TOMLFile, who string, entry *toml.Value) (event string) {
	if entry.Get("event") == nil {
		f.Say(entry.Offset, who+`needs "event"`+drops, false)
	}
	entry.Members = slices.DeleteFunc(entry.Members, func(m toml.Member) bool {
		v := m.Value
		switch {
		case !slices.Contains(fields, m.Key):
			f.Say(m.Offset, who+"unknown field "+spelling.Quote(m.Key)+spelling.Hint(m.Key, fields)+drops, false)
			return true
		case m.Key == "timeout" && v.Kind == toml.Number:
			if n, err := strconv.ParseFloat(v.Text, 64); err == nil && n == float64(int(n)) {
				v.Text = strconv.Itoa(int(n)) // 2.0 is 2
			}
		case m.Key == "event" && v.Kind != toml.String:
			f.Say(v.Offset, who+`"event" must be a string`+drops, false)
		case m.Key == "event" && !events.Has(protocol.Event(v.Text)):
			var names []string
			for _, name := range events.Names() {
				names = append(names, string(name))
			}
			f.Say(v.Offset, who+"unknown event "+spelling.Quote(v.Text)+drops+spelling.Suggest(v.Text, names), false)
		case m.Key == "command" && v.Kind == toml.String && v.Text == "":
			f.Say(v.Offset, who+"the command is empty"+drops, false)
		case m.Key == "event":
			event = v.Text
		}
		return m.Key == "event"
	})
	return event
}
