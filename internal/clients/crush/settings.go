package crush

import (
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/settings"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

// files are crush.json and .crush.json in the project, crush.json in .crush, which the client itself writes, and the
// user's crush.json. With a fault in any of them the client does not start.
var files = &dialect.Files{
	Client: clientName, Folder: ".", HomeFolder: ".config/crush", FolderVariable: "XDG_CONFIG_HOME",
	Base: "crush.json", Others: []string{".crush.json"},
	OnFault:         dialect.TakesLast,
	Drops:           drops,
	Reader:          reader{},
	FolderVariables: []string{"CRUSH_PROJECT_DIR", "CRUSH_CWD"},
	Timeout:         dialect.Unit(time.Second),
	Groups:          dialect.NoneGrouped,
	Once:            true,
}

type reader struct{}

func (reader) Folders() []string { return []string{".crush"} }

func (reader) Pattern(text, _ string) dialect.Pattern { return newPattern(text) }

const drops = "; Crush does not start with that"

var (
	top      = []dialect.Field{"hooks object?", "env object?", "tools any"}
	handlers = []settings.HandlerFields{{Type: "command", Default: true, Fields: []dialect.Field{"command string!"}}}
	common   = []dialect.Field{"type string", "name string?", "matcher string?", "timeout number?"}
)

func (reader) Normalize(doc *dialect.Document) {
	d := settings.Open(doc)
	respell(d)
	fields := d.Top(top, 2)
	d.Environment(fields)
	for e := range d.Events(fields["hooks"]) {
		for g := range e.Hooks() {
			for h := range g.Handlers(handlers, common) {
				h.Common()
				h.Timeout = timeoutOf(h)
				h.ReadCommand()
				h.SetDedupKey(nil, "command")
			}
		}
	}
}

// timeoutOf reads a timeout. A number below 1 means the client's default.
func timeoutOf(h *settings.Handler) time.Duration {
	const key = "timeout"
	v, n := h.Members[key], h.Members[key].Float()
	switch {
	case n != float64(int64(n)):
		h.Problem(v.Index, "%s%q must be a whole number of seconds, not %s%s", h.Who, key, spelling.Brief(v.Raw, 80),
			h.Drops)
		return 0
	case v.Exists() && n < 1:
		h.Warn(v.Index, "%s%q is %s, and %s takes its own 30 seconds for that", h.Who, key, v.Raw, clientName)
		return 0
	}
	return h.Time(key)
}

// respell gives keys the spelling used here: the client ignores case in keys, and in the event also underscores. All
// offsets stay the same.
func respell(d *settings.Document) {
	text := []byte(d.Text)
	write := func(v gjson.Result, with string) {
		copy(text[v.Index:], with+strings.Repeat(" ", len(v.Raw)-len(with)))
	}
	rename := func(object gjson.Result, named func(key string) string) {
		seen := map[string]string{}
		eachOf(object, func(key, _ gjson.Result) {
			written := strictjson.Text(key.Raw)
			name := named(written)
			if name == "" {
				return
			}
			if before, twice := seen[name]; twice && before != written {
				d.Problem(key.Index, "%s is %s once more; write it once", spelling.Quote(written),
					spelling.Quote(before))
			}
			if seen[name] = written; written != name {
				write(key, `"`+name+`"`)
			}
		})
	}
	rename(gjson.Parse(d.Text), folded("hooks", "env"))
	hooks := dialect.LastOf(gjson.ParseBytes(text))["hooks"]
	eachOf(hooks, func(event, list gjson.Result) {
		name := strictjson.Text(event.Raw)
		if list.Type == gjson.Null { // null means no hooks
			write(list, "[]")
		}
		for i, hook := range list.Array() {
			rename(hook, folded("name", "matcher", "command", "timeout"))
			if canonical(name) == "" && !hasCommand(hook) { // needed even at an unknown event
				d.Problem(hook.Index, "%s %d: needs a \"command\"%s", spelling.Brief(name, 80), i+1, drops)
			}
		}
	})
	rename(hooks, canonical)
	d.Text = string(text)
}

// eachOf calls do with each key and value of an object.
func eachOf(object gjson.Result, do func(key, value gjson.Result)) {
	if object.IsObject() {
		for key, value := range object.ForEach {
			do(key, value)
		}
	}
}

func hasCommand(hook gjson.Result) (has bool) {
	eachOf(hook, func(key, value gjson.Result) {
		has = has || folded("command")(strictjson.Text(key.Raw)) != "" && dialect.StringOf(value) != ""
	})
	return has
}

// folded returns a function that finds the name equal to a key, ignoring case.
func folded(names ...string) func(key string) string {
	return func(key string) string {
		for _, name := range names {
			if strings.EqualFold(name, key) {
				return name
			}
		}
		return ""
	}
}

// canonical returns the event for a key, or "".
func canonical(key string) string {
	if strings.ToLower(strings.ReplaceAll(key, "_", "")) == "pretooluse" {
		return string(before)
	}
	return ""
}
