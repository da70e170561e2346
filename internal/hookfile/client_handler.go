package hookfile

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/internal/httphook"
	"github.com/hookrun/hookrun/internal/permission"
	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/protocol"
)

// handler reads one hook.
func (p *parser) handler(h *hook.Hook, entry gjson.Result, who, drops string) bool {
	before := len(p.problems)
	if !entry.IsObject() {
		p.clientType(who, "an object", entry, drops)
		return false
	}
	who += ": "
	h.Line, h.Column = p.locator.Position(p.from.Of(entry.Index))
	kind := gjson.Result{}
	entry.ForEach(func(key, value gjson.Result) bool {
		if key.String() == "type" {
			kind = value
		}
		return true
	})
	var names []string
	for i := range p.form.Handlers {
		handler := &p.form.Handlers[i]
		names = append(names, handler.Name)
		isDefault := !kind.Exists() && p.form.DefaultType == handler.Name
		if !isDefault && (kind.Type != gjson.String || kind.String() != handler.Name) {
			continue
		}
		f := p.members(entry, append(slices.Clip(p.form.Common), handler.Members...), who, drops, 0)
		for _, m := range handler.Members[:handler.Required] {
			if _, ok := f[m.Key()]; !ok && !hasKey(entry, m.Key()) {
				p.problem(entry.Index, "%sa hook of type %q needs %q%s", who, handler.Name, m.Key(), drops)
			}
		}
		p.clientFields(h, handler, f, who, drops)
		skipped := p.form.OnFault == dialect.DropsFile &&
			handler.Kind == dialect.Runs && h.Command.Shell == "" && h.Command.Argv == nil
		return len(p.problems) == before && !skipped
	}
	switch {
	case !kind.Exists():
		p.problem(entry.Index, "%shas no \"type\"; write \"type\": \"command\"%s", who, drops)
	case kind.Type != gjson.String:
		p.clientType(who+`"type"`, "a string", kind, drops)
	default:
		known := ""
		near := spelling.Suggest(kind.String(), names)
		if near == "" {
			known = "; known are " + strings.Join(names, ", ")
		}
		p.problem(kind.Index, "%sunknown type %s%s%s%s", who, quote(kind.String()), known, drops, near)
	}
	return false
}

func hasKey(object gjson.Result, name string) (has bool) { return valueOf(object, name).Exists() }

// valueOf is a field of an object, the last of equal ones.
func valueOf(object gjson.Result, name string) (found gjson.Result) {
	object.ForEach(func(key, value gjson.Result) bool {
		if key.String() == name {
			found = value
		}
		return true
	})
	return found
}

// clientFields reads the fields of a handler into the hook.
func (p *parser) clientFields(h *hook.Hook, handler *dialect.HandlerType, f map[string]gjson.Result, who,
	drops string) {
	root := p.pluginRoot()
	h.Env = []string{}
	if root != "" {
		h.Env = append(h.Env, p.form.PluginVariable+"="+root)
	}
	h.Env = append(h.Env, p.clientEnv(f["env"], who, drops)...)
	if absolute, err := filepath.Abs(p.file); err == nil && p.form.FileVariable != "" && p.ofHooks() {
		h.Env = append(h.Env, p.form.FileVariable+"="+filepath.Dir(absolute))
	}
	if folder, ok := f["cwd"]; ok {
		h.Folder = folder.String()
	}
	if rule, ok := f["if"]; ok {
		h.If = permission.Parse(rule.String())
		if h.If.Malformed() {
			p.warnOfGate(rule.Index,
				fmt.Sprintf("%sthe \"if\" %s is no rule of the form Tool or Tool(pattern), so the hook never runs",
					who, quote(rule.String())))
		} else if h.If.String() != "" {
			p.ruleDoubt(h, rule.Index, who)
		}
		if !h.Events[0].HasTool() && h.If.String() != "" {
			p.warnOfGate(rule.Index, fmt.Sprintf("%s%s has no tool call, so a hook with an \"if\" never runs",
				who, h.Events[0]))
		}
	}
	for _, key := range []string{p.form.Timeout.Key, "timeout"} {
		if timeout, ok := f[key]; ok {
			h.Timeout = p.clientTimeout(key, timeout, h.Events[0], who, drops)
			break
		}
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
		if d == protocol.Block && filepath.Base(p.file) != FileName {
			h.OnFailure[dialect.PolicyOfClient] = d
		}
	}
	if f["failClosed"].Bool() {
		h.OnFailure = protocol.FailurePolicy{dialect.PolicyOfClient: protocol.Block}
		for _, c := range h.Dialect.Causes {
			h.OnFailure[c] = protocol.Block
		}
	}
	h.Async = f["async"].Bool()
	if policy, ok := f["onFailure"]; ok && (h.Async || h.Dialect.CannotBlock(h.Events[0])) {
		where := "at " + string(h.Events[0])
		if h.Async {
			where = "for a hook that is async"
		}
		p.warn(policy.Index, "%s\"onFailure\" means nothing %s: no failure holds anything up", who, where)
	}
	if limit, ok := f["additionalContextLimit"]; ok {
		if _, err := strconv.ParseUint(limit.Raw, 10, 64); err != nil {
			p.problem(limit.Index, "%s\"additionalContextLimit\" must be a whole number, not %s%s", who,
				brief(limit.Raw), drops)
		} else {
			p.warn(limit.Index,
				"%s\"additionalContextLimit\" changes nothing: hookrun puts a context of more than %d characters "+
					"into a file", who, h.Dialect.Run.MaxContext)
		}
	}
	switch handler.Kind {
	case dialect.Runs:
		p.clientCommand(h, f, who)
	case dialect.Posts:
		p.clientEndpoint(h, f, who, drops)
	default:
		h.Unsupported, h.Name = handler.Name, handler.Name+" hook of line "+strconv.Itoa(h.Line)
	}
	if handler.Same != nil {
		equal := []string{handler.Name, root}
		for _, key := range handler.Same {
			equal = append(equal, p.equalPart(f[key]))
		}
		h.DedupKey = same(equal...)
	}
	if name, ok := f["name"]; ok {
		h.Name = oneLine(p.expanded(name.String()))
	}
	if h.Name == "" {
		h.Name, h.Unnamed = cmp.Or(oneLine(h.String()), "hook of line "+strconv.Itoa(h.Line)), true
	}
}

// equalPart is what a field adds to what equal hooks have in common. One that is not there differs from one that is
// empty only as a list: a command without arguments is for a shell, and one with an empty list of them is not.
func (p *parser) equalPart(v gjson.Result) string {
	if v.IsArray() {
		return same(stringsOf(v)...)
	}
	return p.expanded(v.String())
}

// oneLine is the text of a command as it names a hook in messages.
func oneLine(text string) string { return brief(strings.Join(strings.Fields(text), " ")) }

func (p *parser) clientTimeout(key string, v gjson.Result, event protocol.Event, who,
	drops string) time.Duration {
	form := &p.form.Timeout
	n := v.Float()
	if form.Odd && !(n > 0) {
		p.warn(v.Index, "%s\"timeout\" is no number above 0, so it is passed over", who)
		return 0
	}
	d := form.Read(n)
	_, fraction := strconv.ParseUint(v.Raw, 10, 64)
	switch {
	case form.Whole && fraction != nil:
		p.problem(v.Index, "%s%q must be a whole number of %s, not %s%s", who, key, form.Name, brief(v.Raw), drops)
	case n == 0 && form.Zero > 0:
		d = form.Zero
	case d < 0 && form.Negative > 0:
		d = form.Negative
		p.warnOfGate(v.Index, fmt.Sprintf("%s\"timeout\" is %s: %s kills the hook at once, so it decides nothing there",
			who, brief(v.Raw), p.form.Client))
	case d <= 0:
		p.problem(v.Index, "%s%q must be more than 0, not %s%s", who, key, brief(v.Raw), drops)
	case form.Longest > 0 && d > form.Longest:
		p.problem(v.Index, "%s%q must be at most %d %s, not %s%s", who, key, form.Write(form.Longest), form.Name,
			brief(v.Raw), drops)
	case d > time.Hour:
		p.warn(v.Index, "%s%q is in %s, and %s of them are more than an hour; were these %s?", who, key, form.Name,
			brief(v.Raw), form.Less)
	case d < time.Second && form.More != "":
		p.warn(v.Index, "%s%q is in %s, and %s of them are less than a second; were these %s?", who, key,
			form.Name, brief(v.Raw), form.More)
	}
	if most := form.MostAt(event); most > 0 && d > most {
		p.warn(v.Index, "%s%s gives a hook of %s %s at most, so %q is cut to that", who, p.form.Client, event,
			most, key)
		d = most
	}
	return d
}

func (p *parser) clientCommand(h *hook.Hook, f map[string]gjson.Result, who string) {
	key := "command"
	for _, other := range p.form.Commands {
		if _, ok := f[other]; ok {
			key = other
			break
		}
	}
	command, ok := f[key]
	program, runs := f[p.form.Exec]
	ownKey := "command"
	if runtime.GOOS == "windows" {
		ownKey = "commandWindows"
	}
	switch own, other := f[ownKey]; {
	case runs && ok:
		p.problem(program.Index, "%s%q and %q are both there; leave one out%s", who, p.form.Exec, key, p.drops)
		return
	case runs:
		key, command = p.form.Exec, program
	case other && p.form.Commands == nil:
		command = own
	case !ok && p.form.Commands != nil:
		p.problems = append(p.problems, h.Diagnostic(who+"needs one of "+
			strings.Join(append(slices.Clone(p.form.Commands), p.form.Exec), ", ")+p.drops))
		return
	case !ok:
		return
	}
	h.RunsAt = p.at(command.Index, "")
	r := reader{p, who, command}
	if command.IsArray() && p.form.OnFault == dialect.DropsEntry { // JavaScript makes a text of it
		command = gjson.Result{Type: gjson.String, Str: strings.Join(stringsOf(command), ","), Index: command.Index}
	}
	text, ok := r.text(command, strconv.Quote(key))
	text = p.expanded(text)
	switch {
	case !ok:
		return
	case text == "" && p.form.OnFault == dialect.DropsFile:
		p.warnOfGate(command.Index, who+"the command is empty, so "+p.form.Client+" skips the hook")
		return
	case text == "" && p.form.Commands == nil:
		p.problem(command.Index,
			"%shas an empty command, which fails whenever it runs; write a command, or take the hook out", who)
	case strings.TrimSpace(text) == "" && p.form.OnFault == dialect.DropsEntry: // it would do nothing
		p.problem(command.Index, "%sthe command is blank: it does nothing, and lets everything pass", who)
	case strings.TrimSpace(text) == "" && !f["args"].Exists() && !runs:
		p.warnOfGate(command.Index, who+"the command is blank: it does nothing, and lets everything pass")
	}
	h.Command = hook.Command{Shell: text, PowerShell: f["shell"].String() == "powershell" || key == "powershell",
		Bash: p.form.Bash}
	if args, ok := f["args"]; ok && p.form.Exec == "" || runs {
		h.Command = hook.Command{Argv: []string{text}, Placeholders: true}
		args.ForEach(func(_, a gjson.Result) bool {
			arg, _ := r.text(a, `"args"`)
			h.Command.Argv = append(h.Command.Argv, arg)
			return true
		})
	}
}

func (p *parser) clientEndpoint(h *hook.Hook, f map[string]gjson.Result, who, drops string) {
	where, ok := f["url"]
	if !ok {
		return
	}
	h.RunsAt = p.at(where.Index, "")
	h.HTTP = &httphook.Endpoint{URL: where.String(), AllowedEnvVars: stringsOf(f["allowedEnvVars"])}
	f["headers"].ForEach(func(key, value gjson.Result) bool {
		if value.Type != gjson.String {
			p.clientType(who+"the header "+quote(key.String()), "a string", value, drops)
		}
		h.HTTP.Headers = append(h.HTTP.Headers, httphook.Header{Name: key.String(), Value: value.String()})
		return true
	})
	if err := h.HTTP.Check(); err != nil { // it does not repeat the address, which may hold a password
		p.problem(where.Index, "%sno request can be sent: %v", who, err)
	}
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

// pluginRoot is the folder of the plugin whose hooks the file has, "" for settings. A plugin has them in
// hooks/hooks.json.
func (p *parser) pluginRoot() string {
	path, err := filepath.Abs(p.file)
	if err != nil || p.form.PluginVariable == "" || filepath.Base(path) != "hooks.json" {
		return ""
	}
	folder := filepath.Dir(path)
	if filepath.Base(folder) == "hooks" {
		return filepath.Dir(folder)
	}
	return folder
}
