package codex

import (
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

const configFile = "config.toml"

var files = &dialect.Files{
	Client: clientName, Folder: ".codex", FolderVariable: "CODEX_HOME", Base: "hooks.json",
	Others:     []string{configFile},
	Extensions: []string{".toml"},
	Drops:      "; Codex drops the whole file for that",
	Reader:     reader{},
	Takes:      []string{"async"},
	Timeout:    dialect.Unit(time.Second),
}

type reader struct{}

func (reader) MaxTimeout(e protocol.Event) time.Duration {
	if e == "Interrupt" || e == "SessionEnd" {
		return 3 * time.Second
	}
	return 0
}

var (
	top      = []dialect.Field{"hooks object", "description string?"}
	group    = []dialect.Field{"matcher string?", "hooks any"}
	common   = []dialect.Field{"type string"}
	handlers = []settings.HandlerFields{
		{Type: "command", Fields: []dialect.Field{
			"command string!", commandWindows + " string?", "timeout number?", "async boolean",
			"statusMessage string?", limit + " number?",
		}},
		{Type: "mcp_tool", Fields: []dialect.Field{
			"server string!", "tool string!", "input object", "timeout number?",
		}},
		{Type: "prompt", Fields: []dialect.Field{"prompt any", "model any"}},
		{Type: "agent", Fields: []dialect.Field{"prompt any", "model any"}},
	}
)

const (
	commandWindows = "commandWindows"
	limit          = "additionalContextLimit"
)

func (reader) Normalize(doc *dialect.Document) {
	d := settings.Open(doc)
	if strings.HasSuffix(strings.ToLower(d.File), ".toml") && !readConfig(d) {
		return
	}
	for e := range d.Events(d.ClosedTop(top)["hooks"]) {
		for g := range e.Groups(group, "; Codex finds nothing to run there, without a word") {
			for h := range g.Handlers(handlers, common) {
				h.Timeout = timeoutOf(h)
				h.Async = h.Members["async"].Bool()
				if h.Type == "command" {
					readContextLimit(h)
					readCommand(h)
				} else {
					h.CannotRun()
				}
			}
		}
	}
}

// readConfig reads config.toml. The tables under [hooks] have the content of hooks.json. The rest of the file is
// Codex's.
func readConfig(d *settings.Document) bool {
	top := d.TOML()
	if top == nil {
		return false
	}
	hooks := top.Get("hooks")
	if hooks == nil {
		hooks = &toml.Value{Kind: toml.Table}
	}
	// Beside the events, Codex records facts about hooks, such as their hashes. The administrator's file has
	// the folder of its hooks.
	hooks.Members = slices.DeleteFunc(hooks.Members, func(m toml.Member) bool {
		own := slices.Contains([]string{"state", "managed_dir", "windows_managed_dir"}, m.Key)
		if own {
			d.NoteOwnSetting("hooks."+m.Key, m.Offset)
		}
		return own
	})
	return d.AsJSON(hooks)
}

func timeoutOf(h *settings.Handler) (t time.Duration) {
	const key = "timeout"
	v, ok := h.Members[key]
	switch {
	case !ok:
		return 0
	case !h.Whole(key):
		t = h.Dialect.Files.Timeout.Read(v.Float())
	case v.Float() == 0:
		t = time.Second
	default:
		t = h.Time(key)
	}
	if most := h.Dialect.Files.MaxTimeoutAt(h.Event); most > 0 && t > most {
		h.Warn(v.Index, "%s%s gives a hook of %s %s at most, so %q is cut to that", h.Who, clientName, h.Event, most,
			key)
		return most
	}
	return t
}

func readContextLimit(h *settings.Handler) {
	v, ok := h.Members[limit]
	if !ok {
		return
	}
	if _, err := strconv.ParseUint(v.Raw, 10, 64); err != nil {
		h.Problem(v.Index, "%s%q must be a whole number, not %s%s", h.Who, limit, spelling.Brief(v.Raw, 80), h.Drops)
		return
	}
	h.Warn(v.Index, "%s%q changes nothing: hookrun puts a context of more than %d characters into a file", h.Who, limit,
		h.Dialect.Run.MaxContext)
}

// readCommand reads the command for this system.
func readCommand(h *settings.Handler) {
	if own, ok := h.Members[ownCommand]; ok && ownCommand != "command" {
		text, ok := h.Line("command", own)
		if ok && h.Runnable(text, own) {
			h.Command = h.Dialect.Files.Completed(dialect.Command{Shell: text})
		}
		return
	}
	h.ReadCommand()
}
