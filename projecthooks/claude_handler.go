package projecthooks

import (
	"cmp"
	"encoding/json"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/httphook"
	"github.com/hookrun/hookrun/internal/permission"
	"github.com/hookrun/hookrun/protocol"
	"github.com/tidwall/gjson"
)

// handler reads one hook.
func (p *parser) handler(h *Hook, entry gjson.Result, who, drops string) bool {
	before := len(p.problems)
	if !entry.IsObject() {
		p.claudeType(who, "an object", entry, drops)
		return false
	}
	who += ": "
	h.Line, h.column = p.places.Position(entry.Index)
	kind := gjson.Result{}
	entry.ForEach(func(key, value gjson.Result) bool {
		if key.String() == "type" {
			kind = value
		}
		return true
	})
	var names []string
	for _, handler := range claudeHandlers {
		names = append(names, handler.name)
		if kind.Type != gjson.String || kind.String() != handler.name {
			continue
		}
		f := p.members(entry, append(slices.Clip(claudeCommon), handler.members...), who, drops, false)
		for _, m := range handler.members[:handler.required] {
			if _, ok := f[m.key]; !ok && !hasKey(entry, m.key) {
				p.problem(entry.Index, "%sa hook of type %q needs %q%s", who, handler.name, m.key, drops)
			}
		}
		p.claudeFields(h, handler.name, f, who, drops)
		return len(p.problems) == before
	}
	switch {
	case !kind.Exists():
		p.problem(entry.Index, "%shas no \"type\"; write \"type\": \"command\"%s", who, drops)
	case kind.Type != gjson.String:
		p.claudeType(who+`"type"`, "a string", kind, drops)
	default:
		p.problem(kind.Index, "%sunknown type %s%s%s", who, quote(kind.String()), hint(kind.String(), names), drops)
	}
	return false
}

func hasKey(object gjson.Result, name string) (has bool) {
	object.ForEach(func(key, _ gjson.Result) bool {
		has = has || key.String() == name
		return !has
	})
	return has
}

// claudeFields takes what the fields of a handler say.
func (p *parser) claudeFields(h *Hook, kind string, f map[string]gjson.Result, who, drops string) {
	root := p.pluginRoot()
	h.Env = []string{}
	if root != "" {
		h.Env = append(h.Env, "CLAUDE_PLUGIN_ROOT="+root)
	}
	if rule, ok := f["if"]; ok {
		h.If = permission.Parse(rule.String())
		if h.If.Malformed() {
			p.warn(rule.Index, "%sthe \"if\" %s is no rule of the form Tool or Tool(pattern), so the hook never runs", who, quote(rule.String()))
		}
		if !h.Events[0].HasTool() && h.If.String() != "" {
			p.warn(rule.Index, "%sno tool call stands at %s, so a hook with an \"if\" never runs", who, h.Events[0])
		}
	}
	if timeout, ok := f["timeout"]; ok {
		h.Timeout = p.claudeTimeout(timeout, who, drops)
	}
	if policy, ok := f["onFailure"]; ok {
		d := protocol.Block // any other word than continue reads as block, where the client takes any
		if policy.String() == "continue" {
			d = protocol.Continue
		}
		h.OnFailure = protocol.FailurePolicy{}
		for _, c := range h.Dialect.Causes {
			h.OnFailure[c] = d
		}
	}
	h.Async = f["async"].Bool()
	if policy, ok := f["onFailure"]; ok && (h.Async || h.Dialect.Passes(h.Events[0])) {
		where := "at " + string(h.Events[0])
		if h.Async {
			where = "for a hook that is async"
		}
		p.warn(policy.Index, "%s\"onFailure\" means nothing %s: no failure holds anything up", who, where)
	}
	switch kind {
	case "command":
		p.claudeCommand(h, f, root, who)
	case "http":
		p.claudeEndpoint(h, f, who, drops)
	default:
		h.Unsupported, h.Name = kind, kind+" hook of line "+strconv.Itoa(h.Line)
	}
	if h.Name == "" {
		h.Name = cmp.Or(oneLine(h.String()), "hook of line "+strconv.Itoa(h.Line))
	}
}

// oneLine is the text of a command as it names a hook in messages.
func oneLine(text string) string { return brief(strings.Join(strings.Fields(text), " ")) }

func (p *parser) claudeTimeout(v gjson.Result, who, drops string) time.Duration {
	seconds := v.Float()
	d := time.Duration(math.MaxInt64)
	if seconds < 9e9 { // what a Duration holds
		d = time.Duration(seconds * float64(time.Second))
	}
	switch {
	case d <= 0:
		p.problem(v.Index, "%s\"timeout\" must be more than 0, not %s%s", who, brief(v.Raw), drops)
	case seconds > 3600:
		p.warn(v.Index, "%s\"timeout\" is in seconds, and %s of them are more than an hour; were these milliseconds?", who, brief(v.Raw))
	}
	return d
}

func (p *parser) claudeCommand(h *Hook, f map[string]gjson.Result, root, who string) {
	command, ok := f["command"]
	if !ok {
		return
	}
	h.commandPos = p.at(command.Index, "")
	r := reader{p, who, command}
	text, ok := r.text(command, `"command"`)
	switch {
	case !ok:
		return
	case text == "":
		p.problem(command.Index, "%shas an empty command, which fails whenever it runs; write a command, or take the hook out", who)
	case strings.TrimSpace(text) == "" && !f["args"].Exists():
		p.warn(command.Index, "%sthe command is blank: it does nothing, and lets everything pass", who)
	}
	h.Command = Command{Shell: text, PowerShell: f["shell"].String() == "powershell"}
	if args, ok := f["args"]; ok {
		h.Command = Command{Argv: []string{text}, Placeholders: true}
		args.ForEach(func(_, a gjson.Result) bool {
			arg, _ := r.text(a, `"args"`)
			h.Command.Argv = append(h.Command.Argv, arg)
			return true
		})
	}
	h.Same = same("command", text, strings.Join(h.Command.Argv, "\x00"), strconv.FormatBool(h.Command.Argv == nil), h.If.String(), root)
}

func (p *parser) claudeEndpoint(h *Hook, f map[string]gjson.Result, who, drops string) {
	where, ok := f["url"]
	if !ok {
		return
	}
	h.commandPos = p.at(where.Index, "")
	h.HTTP = &Endpoint{URL: where.String(), AllowedEnvVars: stringsOf(f["allowedEnvVars"])}
	f["headers"].ForEach(func(key, value gjson.Result) bool {
		if value.Type != gjson.String {
			p.claudeType(who+"the header "+quote(key.String()), "a string", value, drops)
		}
		h.HTTP.Headers = append(h.HTTP.Headers, Header{key.String(), value.String()})
		return true
	})
	request := httphook.Request{URL: h.HTTP.URL, Headers: map[string]string{}, AllowedEnvVars: h.HTTP.AllowedEnvVars}
	for _, header := range h.HTTP.Headers {
		request.Headers[header.Name] = header.Value
	}
	if err := request.Check(); err != nil { // it does not repeat the address, which may hold a password
		p.problem(where.Index, "%sno request can be sent: %v", who, err)
	}
	h.Same = same("http", h.HTTP.URL, h.If.String())
}

// same joins what equal hooks have in common.
func same(parts ...string) string {
	b, _ := json.Marshal(parts) // strings always have a JSON form
	return string(b)
}

func stringsOf(array gjson.Result) []string {
	texts := []string{}
	array.ForEach(func(_, v gjson.Result) bool {
		texts = append(texts, v.String())
		return true
	})
	return texts
}

// pluginRoot is the folder of the plugin whose hooks the file has, "" for settings. A plugin has them in hooks/hooks.json.
func (p *parser) pluginRoot() string {
	path, err := filepath.Abs(p.file)
	if err != nil || filepath.Base(path) != "hooks.json" {
		return ""
	}
	folder := filepath.Dir(path)
	if filepath.Base(folder) == "hooks" {
		return filepath.Dir(folder)
	}
	return folder
}
