package droid

import (
	"errors"
	"path/filepath"
	"time"

	"github.com/hookrun/hookrun/internal/clients/jsregexp"
	"github.com/hookrun/hookrun/internal/clients/settings"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/spelling"
)

// files are settings.json, with hooks under "hooks", and hooks.json, with events at the top level. If hooks.json has
// hooks, the hooks of settings.json do not count. With one wrong entry the client ignores all hooks of the file.
var files = &dialect.Files{
	Client: clientName, Folder: ".factory", Base: base, Others: []string{instead},
	OnFault:         dialect.DropsFile,
	Drops:           "; Droid goes on without all hooks of the file for that, without a word",
	Reader:          reader{},
	FolderVariables: folders,
	Timeout:         dialect.Unit(time.Second),
}

type reader struct{}

const base, instead = "settings.json", "hooks.json"

// timeout is the default timeout of a hook.
const timeout = time.Minute

// folders are the variables with the folder of the project.
var folders = []string{"FACTORY_PROJECT_DIR", "DROID_PROJECT_DIR", "CLAUDE_PROJECT_DIR"}

var (
	top      = []dialect.Field{"hooks object"}
	group    = []dialect.Field{"matcher string", commandRegex + " string", "hooks any"}
	common   = []dialect.Field{"type string", "timeout number"}
	handlers = []settings.HandlerFields{{Type: "command", Fields: []dialect.Field{"command string!"}}}
)

// switches stand beside the events. The first switches all hooks off.
var switches = []dialect.Field{"hooksDisabled boolean", "showHookOutput boolean"}

// commandRegex is a regular expression for the command of the tool Execute. A group with it is for this tool only.
const commandRegex, execute = "commandRegex", "Execute"

func (reader) Normalize(doc *dialect.Document) {
	d := settings.Open(doc)
	if filepath.Base(d.File) == instead {
		for e := range d.TopEvents(switches...) {
			readEvent(e)
		}
		return
	}
	hooks := d.Top(top, 1)["hooks"]
	beside := filepath.Join(filepath.Dir(d.File), instead)
	if filepath.Base(d.File) == base && len(dialect.LastOf(hooks)) > 0 && d.Loads(beside) {
		d.WarnOfGate(hooks.Index, "%s takes the hooks of %s and not these; put them all in one file", clientName,
			instead)
	}
	for e := range d.Events(hooks, switches...) {
		readEvent(e)
	}
}

func readEvent(e *settings.EventGroups) {
	for g := range e.Groups(group, "") {
		readLines(g)
		for h := range g.Handlers(handlers, common) {
			h.Timeout = timeoutOf(h)
			h.ReadCommandOrSkip()
		}
	}
}

// readLines reads the expression for the command of a tool.
func readLines(g *settings.Group) {
	line := g.Members[commandRegex]
	if line.String() == "" {
		return
	}
	re, err := jsregexp.Compile(line.String())
	if dialect.PatternTooLong(line.Raw) {
		err = errors.New("it is longer than 64 KiB")
	}
	if err != nil {
		g.WarnOfGate(line.Index, "%sthe commandRegex %s is no regular expression and matches nothing, so the hook "+
			"never runs: %s", g.Who(), spelling.Quote(line.String()), spelling.Expression(err))
		g.OnlyLines(execute, line, nil)
		return
	}
	g.OnlyLines(execute, line, func(command string) bool {
		matches, err := re.Match(command)
		return matches || err != nil
	})
}

// timeoutOf reads a timeout: 0 means the default, and with a negative number the client kills the hook at once.
func timeoutOf(h *settings.Handler) time.Duration {
	v, ok := h.Members["timeout"]
	switch n := v.Float(); {
	case !ok:
		return 0
	case n == 0:
		return timeout
	case n < 0:
		h.WarnOfGate(v.Index, "%s\"timeout\" is %s: %s kills the hook at once, so it decides nothing there", h.Who,
			spelling.Brief(v.Raw, 80), clientName)
		return time.Second
	}
	return h.Time("timeout")
}
