package copilot

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/clients/settings"
	"github.com/hookrun/hookrun/internal/core/dialect"
)

// files has the matchers of events in Claude Code's spelling.
var files = &dialect.Files{
	Client: "Copilot CLI", Folder: folder, HomeFolder: homeFolder,
	FolderVariable: "COPILOT_HOME",
	// The installed entry has a file of its own: no other program writes this file.
	Base: "hookrun.json", Others: []string{"../copilot/settings.json", "../copilot/settings.local.json"},
	OnFault: dialect.TakesLast,
	Drops:   "; Copilot CLI drops the entry or the file for that, and tells its log file alone",
	Reader:  reader{},

	FolderVariables: []string{"COPILOT_PROJECT_DIR", "CLAUDE_PROJECT_DIR"},
	Takes:           []string{"url", "cwd"},
	Timeout:         dialect.Unit(time.Second),
	Groups:          dialect.NoneGrouped,
}

type reader struct{}

func (reader) Complete(c *dialect.Command) { c.Bash = c.Argv == nil }

func (reader) Folders() []string { return []string{".github/copilot", ".copilot"} }

func (reader) Pattern(text, subject string) dialect.Pattern { return newPattern(text, subject) }

// camelReader implements dialect.FileReader for events in camelCase.
type camelReader struct{ reader }

func (camelReader) Pattern(text, subject string) dialect.Pattern { return camelPattern(text, subject) }

const (
	folder, homeFolder = ".github/hooks", ".copilot/hooks"
	offSwitch          = "disableAllHooks"
	timeoutKey         = "timeoutSec" // overrides "timeout"
	programKey         = "exec"       // a program without a shell, with "args"
	fileVariable       = "COPILOT_HOOK_DIR"
)

// commands are the keys of a command line. The first key in an entry counts.
var commands = []string{"bash", "command", "powershell"}

var (
	top      = []dialect.Field{"version 1", "hooks object", offSwitch + " boolean"}
	group    = []dialect.Field{"matcher string", "hooks any"}
	common   = []dialect.Field{"type string", "matcher string", timeoutKey + " number", "timeout number"}
	handlers = []settings.HandlerFields{
		{Type: "command", Default: true, Fields: []dialect.Field{"bash string", "command string", "powershell string",
			programKey + " string", "args strings", "cwd string", "env texts"}},
		{Type: "http", Fields: []dialect.Field{"url string!", "headers object", "allowedEnvVars strings"}},
		{Type: "prompt", Fields: []dialect.Field{"prompt string"}},
	}
)

func (reader) Normalize(doc *dialect.Document) {
	d := settings.Open(doc)
	fields := d.Top(top, 3)
	off, isOff := d.SwitchOff(fields, offSwitch)
	if isHooksFolder(d.Dir()) {
		if d.NeedsHooks(); isOff && off.Bool() { // the switch is for this file alone
			d.WarnOfGate(off.Index, "%s", d.Switched().Text)
		}
		d.IgnoreSwitches()
	}
	for e := range d.Events(fields["hooks"]) {
		for g := range e.HooksAndGroups(group) {
			for h := range g.Handlers(handlers, common) {
				readHook(h)
				if isOff && off.Bool() && isHooksFolder(d.Dir()) {
					h.Off = strconv.Quote(offSwitch) + " is true in its file"
				}
			}
		}
	}
}

// isHooksFolder reports whether the folder is for the client's hooks files only, without settings.
func isHooksFolder(dir string) bool {
	path := filepath.ToSlash(dir) + "/"
	return strings.Contains(path, "/"+folder+"/") || strings.Contains(path, "/"+homeFolder+"/")
}

func readHook(h *settings.Handler) {
	h.Common()
	if dir := h.Dir(); isHooksFolder(dir) {
		h.Env = append(h.Env, fileVariable+"="+dir)
	}
	h.Entry.Folder = h.Members["cwd"].String()
	h.From.KeyAliases = map[string][]string{"command": append(slices.Clip(commands), programKey),
		"timeout": {timeoutKey, "timeout"}}
	h.From.Machine = fileVariable
	for _, key := range h.From.KeyAliases["timeout"] {
		if _, ok := h.Members[key]; ok {
			h.Timeout = h.Time(key)
			break
		}
	}
	switch h.Type {
	case "command":
		readCommand(h)
	case "http":
		h.ReadHTTP()
	default:
		h.CannotRun()
	}
}

// readCommand reads a command line or, from "exec", a program and its arguments.
func readCommand(h *settings.Handler) {
	key := "command"
	for _, other := range commands {
		if _, ok := h.Members[other]; ok {
			key = other
			break
		}
	}
	command, ok := h.Members[key]
	program, isProgram := h.Members[programKey]
	switch {
	case isProgram && ok:
		h.Problem(program.Index, "%s%q and %q are both there; leave one out%s", h.Who, programKey, key,
			h.Document.Drops)
		return
	case isProgram:
		key, command = programKey, program
	case !ok:
		h.Problem(h.From.JSON.Index, "%sneeds one of %s%s", h.Who,
			strings.Join(append(slices.Clip(commands), programKey), ", "), h.Document.Drops)
		return
	}
	text, ok := h.Line(key, command)
	switch {
	case !ok:
	case isProgram:
		h.Command = h.Dialect.Files.Completed(dialect.Command{Placeholders: true,
			Argv: append([]string{text}, h.Args(h.Members["args"])...)})
	default:
		if !h.Members["args"].Exists() {
			h.WarnOfBlank(text, command)
		}
		h.Command = h.Dialect.Files.Completed(dialect.Command{Shell: text, PowerShell: key == "powershell"})
	}
}
