package qwen

import (
	"cmp"
	"math"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/clients/settings"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

const folderVariable = "QWEN_HOME"

var files = &dialect.Files{
	Client: clientName, Folder: ".qwen", Base: "settings.json", FolderVariable: folderVariable,
	OnFault: dialect.DropsEntry,
	Drops:   "; Qwen Code drops it for that, without a word",
	Reader:  reader{},

	FolderVariables: []string{"QWEN_PROJECT_DIR", "CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR"},
	Takes:           []string{"async"},
	Timeout:         timeouts{dialect.Unit(time.Second)},
	Once:            true,
}

type reader struct{}

func (reader) Expand(text string) string { return client.ExpandVariables(text, nil) }

func (reader) Complete(c *dialect.Command) { c.Bash = c.Argv == nil }

const offSwitch = "disableAllHooks"

var (
	top      = []dialect.Field{"hooks any", offSwitch + " any", "tools any"}
	switches = []dialect.Field{"enabled any", "disabled any", "notifications any"}
	group    = []dialect.Field{"matcher string?", "sequential any", "hooks any"}
	common   = []dialect.Field{
		"type string", "name string", "description string", "timeout any", "env object", "statusMessage string",
	}
	handlers = []settings.HandlerFields{
		{Type: "command", Fields: []dialect.Field{"command any!", "async any", "shell bash|powershell"}},
		// The client's reading of answers of the following types was not recorded.
		{Type: "http", Fields: []dialect.Field{"url string!", "headers object", "allowedEnvVars strings"}},
		{Type: "prompt", Fields: []dialect.Field{"prompt string!", "model string"}},
	}
)

func (reader) Normalize(doc *dialect.Document) {
	d := settings.Open(doc)
	fields := d.Top(top, 2)
	d.SwitchOff(fields, offSwitch)
	d.SetFormerSwitches(switches)
	lines := map[string]int{}
	for e := range d.Events(fields["hooks"]) {
		before := len(d.Entries)
		for g := range e.Groups(group, "") {
			for h := range g.Handlers(handlers, common) {
				readHook(h)
				keepFirst(h, lines)
			}
		}
		if e.WrongMatcherType { // if a matcher is no text, the client drops all hooks of the event
			d.Entries = d.Entries[:before]
		}
	}
}

func readHook(h *settings.Handler) {
	h.Common()
	h.Timeout = timeoutOf(h)
	h.Async = h.Members["async"].Bool()
	if h.Type != "command" {
		h.CannotRun()
		return
	}
	readCommand(h)
	h.SetDedupKey(nil, "name", "command")
}

func readCommand(h *settings.Handler) {
	command, ok := h.Members["command"]
	if !ok {
		return
	}
	if command.IsArray() { // JavaScript converts the list to a text
		var texts []string
		for _, v := range command.ForEach {
			texts = append(texts, v.String())
		}
		line := strings.Join(texts, ",")
		command = gjson.Result{Type: gjson.String, Raw: string(strictjson.Quote(line)), Str: line, Index: command.Index}
	}
	text, ok := h.Line("command", command)
	switch {
	case !ok:
		return
	case text != "" && strings.TrimSpace(text) == "": // a blank command does nothing
		h.Problem(command.Index, "%sthe command is blank: it does nothing, and lets everything pass", h.Who)
	case !h.Runnable(text, command):
		return
	}
	h.Command = h.Dialect.Files.Completed(dialect.Command{Shell: text,
		PowerShell: h.Members["shell"].String() == "powershell"})
}

// keepFirst drops a hook with the name of an earlier hook. Of hooks with the same name (or command, if they have no
// name), matcher and "sequential", the client takes the first only.
func keepFirst(h *settings.Handler, lines map[string]int) {
	if !h.Kept() {
		return
	}
	e := dialect.LastOf(h.From.JSON)
	key := dialect.DedupKey(string(h.Event), h.From.Matcher.Raw, h.Group.Sequential().Raw,
		cmp.Or(e["name"].String(), e["command"].String(), e["url"].String(), e["prompt"].String()))
	line, there := lines[key]
	if there && e["name"].String() != "" { // equal commands run only once anyway
		h.WarnOfGate(h.From.JSON.Index, "it has the name of the hook of line %d, so %s drops it", line, clientName)
		h.Drop()
	}
	if !there {
		lines[key] = h.Position.Line
	}
}

// timeoutOf reads a timeout. A text can be a number. Values that are not numbers above 0 are ignored.
func timeoutOf(h *settings.Handler) time.Duration {
	v, ok := h.Members["timeout"]
	if ok && !(v.Float() > 0) {
		h.Warn(v.Index, "%s\"timeout\" is no number above 0, so it is passed over", h.Who)
		return 0
	}
	return h.Time("timeout")
}

// milliseconds is the smallest number that counts as milliseconds.
const milliseconds = 1000

// timeouts reads small numbers as seconds and large numbers as milliseconds.
type timeouts struct{ dialect.Unit }

func (t timeouts) Read(n float64) time.Duration {
	if n >= milliseconds {
		return time.Duration(min(n, math.MaxInt32) * float64(time.Millisecond))
	}
	return t.Unit.Read(n)
}

func (t timeouts) Write(d time.Duration) int64 {
	if n := t.Unit.Write(d); n < milliseconds {
		return n
	}
	return dialect.Unit(time.Millisecond).Write(d)
}
