package projecthooks

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/httphook"
	"github.com/hookrun/hookrun/internal/jsontype"
	"github.com/hookrun/hookrun/internal/permission"
	"github.com/hookrun/hookrun/protocol"
)

// Files in Claude Code's form: .claude/settings.json and settings.local.json, the hooks/hooks.json of plugins, and any other
// whose "hooks" is an object. The client drops such a file, or an entry of it, without a word where something is wrong with
// it; here that is an error. What a later version of the client may know is a warning.

// LoadClaude reads what Claude Code would: the user's settings, the project's, and the project's local ones, those that
// are there.
func LoadClaude(workspace string) (*Config, error) {
	paths, absent, err := claudeFiles(workspace)
	if err != nil {
		return nil, err
	}
	cfg, err := LoadFiles(paths...)
	if err == nil {
		cfg.absent = absent
	}
	return cfg, err
}

// ClaudeFiles are the files that LoadClaude reads, those that are there.
func ClaudeFiles(workspace string) (paths []string, err error) {
	paths, _, err = claudeFiles(workspace)
	return paths, err
}

func claudeFiles(workspace string) (there, absent []string, err error) {
	user, err := claudeFolder()
	if err != nil {
		return nil, nil, fmt.Errorf("looking for the user's Claude Code settings: %w", err)
	}
	if _, err := os.Stat(cmp.Or(workspace, ".")); err != nil {
		return nil, nil, Problems{{File: workspace, Text: "loading the Claude Code settings: " + bare(err).Error()}}
	}
	project := filepath.Join(workspace, ".claude")
	users := filepath.Join(user, "settings.json")
	for i, path := range []string{users, filepath.Join(project, "settings.json"), filepath.Join(project, "settings.local.json")} {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			absent = append(absent, path)
		} else if i == 0 || !sameFile(path, users) {
			there = append(there, path)
		}
	}
	return there, absent, nil
}

// sameFile: in the home directory the project's settings are the user's.
func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// isClaudeFile reports whether a file is one of Claude Code's by its place or, where it has no hooks that would tell, its name.
func isClaudeFile(path string, hasHooks bool) bool {
	name := filepath.Base(path)
	if absolute, err := filepath.Abs(path); err == nil && filepath.Base(filepath.Dir(absolute)) == ".claude" {
		return true
	}
	return !hasHooks && (name == "settings.json" || name == "settings.local.json" || name == "hooks.json")
}

// member is a field of an object in Claude Code's form, and its type as package jsontype names it.
type member struct{ key, is string }

// ofHooks is how many of claudeSettings are about hooks: the first.
const ofHooks = 5

// claudeSettings are the top-level fields whose type the client checks. It discards a file for any that is wrong.
var claudeSettings = []member{
	{"hooks", "any"}, {"disableAllHooks", "boolean"}, {"env", "object"}, {"allowedHttpHookUrls", "strings"}, {"httpHookAllowedEnvVars", "strings"},
	{"allowManagedHooksOnly", "boolean"}, {"permissions", "object"}, {"model", "string"}, {"apiKeyHelper", "string"}, {"cleanupPeriodDays", "number"},
	{"includeCoAuthoredBy", "boolean"}, {"attribution", "object"}, {"statusLine", "object"}, {"outputStyle", "string"}, {"language", "string"},
	{"forceLoginMethod", "string"}, {"enableAllProjectMcpServers", "boolean"}, {"enabledMcpjsonServers", "strings"},
	{"disabledMcpjsonServers", "strings"}, {"enabledPlugins", "object"}, {"extraKnownMarketplaces", "object"}, {"sandbox", "object"},
	{"alwaysThinkingEnabled", "boolean"}, {"spinnerTipsEnabled", "boolean"}, {"companyAnnouncements", "strings"}, {"availableModels", "strings"},
	{"awsAuthRefresh", "string"}, {"awsCredentialExport", "string"}, {"effortLevel", "string"},
}

var claudeGroup = []member{{"matcher", "string"}, {"hooks", "any"}}

var claudeCommon = []member{{"type", "string"}, {"if", "string"}, {"timeout", "number"}, {"statusMessage", "string"}, {"once", "boolean"}}

// claudeHandlers are the fields of each type of handler, those it must have first.
var claudeHandlers = []struct {
	name     string
	required int
	members  []member
}{
	{"command", 1, []member{{"command", "string"}, {"args", "strings"}, {"shell", "bash|powershell"}, {"onFailure", "continue|block"}, {"async", "boolean"},
		{"asyncRewake", "boolean"}, {"rewakeMessage", "string"}, {"rewakeSummary", "string"}, {"holdsTools", "any"}, {"cloud", "device|skip"}}},
	{"http", 1, []member{{"url", "string"}, {"headers", "object"}, {"allowedEnvVars", "strings"}, {"onFailure", "continue|block"}, {"cloud", "device|skip"}}},
	{"mcp_tool", 2, []member{{"server", "string"}, {"tool", "string"}, {"input", "object"}, {"onFailure", "any"}}},
	{"prompt", 1, []member{{"prompt", "string"}, {"model", "string"}, {"continueOnBlock", "boolean"}}},
	{"agent", 1, []member{{"prompt", "string"}, {"model", "string"}}},
}

// claudeFile reads a document in Claude Code's form.
func (p *parser) claudeFile(top gjson.Result) {
	f := p.members(top, claudeSettings, "", wholeFile, true)
	s := &settings{}
	p.config.settings = s
	if p.pluginRoot() != "" { // a plugin has hooks, and no settings
		f = map[string]gjson.Result{"hooks": f["hooks"]}
	}
	if off, ok := f["disableAllHooks"]; ok {
		on := off.Bool()
		s.off, s.offAt = &on, p.at(off.Index, `"disableAllHooks" is true, so no hook of Claude Code's form runs`)
	}
	s.env = p.claudeEnv(f["env"])
	for _, list := range []struct {
		key  string
		into **[]string
	}{{"allowedHttpHookUrls", &s.urls}, {"httpHookAllowedEnvVars", &s.variables}} {
		if v, ok := f[list.key]; ok {
			texts := stringsOf(v)
			*list.into = &texts
		}
	}
	hooks := f["hooks"]
	switch {
	case !hooks.Exists() || hooks.Type == gjson.Null: // the client takes null for none
		return
	case !hooks.IsObject():
		p.claudeType(`"hooks"`, "an object", hooks, wholeFile)
		return
	}
	hooks.ForEach(func(key, groups gjson.Result) bool {
		event := protocol.Event(key.String())
		if ours(key.String()) {
			return true
		}
		if names := claudeEventNames(); !slices.Contains(names, string(event)) {
			meant := Suggest(string(event), names)
			if meant == "" && event.Claude() != event {
				meant = fmt.Sprintf("; did you mean %q?", event.Claude())
			}
			p.warn(key.Index, "unknown event %s: none of its hooks will ever run%s", quote(string(event)), meant)
			return true
		}
		p.claudeEvent(event, groups)
		return true
	})
}

// claudeEventNames are the client's events: a file can have a hundred thousand wrong ones to compare with them.
var claudeEventNames = sync.OnceValue(func() (names []string) {
	for _, e := range protocol.ClaudeCode.Events() {
		names = append(names, string(e))
	}
	return names
})

// What the client does, without a word, with a file that has a fault.
const (
	wholeFile = "; Claude Code drops the whole file for that, without a word"
	entryOnly = "; Claude Code drops this entry for that, without a word"
)

func (p *parser) warn(offset int, format string, args ...any) {
	p.config.Warnings = append(p.config.Warnings, p.at(offset, fmt.Sprintf(format, args...)))
}

func (p *parser) claudeType(what, want string, got gjson.Result, drops string) {
	p.problem(got.Index, "%s must be %s, not %s%s", what, want, typeName(got), drops)
}

// members returns the fields of an object that are known, each of its type. Others are warnings; in settings, which have
// many fields that are none of hookrun's business, only where one that is may be meant.
func (p *parser) members(object gjson.Result, known []member, who, drops string, settings bool) map[string]gjson.Result {
	found := map[string]gjson.Result{}
	var names []string
	for _, m := range known {
		names = append(names, m.key)
	}
	if settings {
		names = names[:ofHooks]
	}
	object.ForEach(func(key, value gjson.Result) bool {
		name := key.String()
		for _, m := range known {
			if m.key != name {
				continue
			}
			if want, ok := jsontype.Check(value, m.is); ok {
				found[name] = value
			} else if value.Type == gjson.String && strings.Contains(m.is, "|") {
				p.problem(value.Index, "%s%q must be %s, not %s%s%s", who, name, want, quote(value.String()), Suggest(value.String(), strings.Split(m.is, "|")), drops)
			} else {
				p.claudeType(who+strconv.Quote(name), want, value, drops)
			}
			return true
		}
		if settings && slices.Contains(claudeEventNames(), name) {
			p.warn(key.Index, "%s stands at the top level, so none of its hooks will ever run; put it under \"hooks\"", name)
			return true
		}
		if hint := Suggest(name, names); !ours(name) && (!settings || hint != "") {
			p.warn(key.Index, "%sunknown field %s, which is passed over%s", who, quote(name), hint)
		}
		return true
	})
	return found
}

func (p *parser) claudeEnv(object gjson.Result) (env []string) {
	object.ForEach(func(key, value gjson.Result) bool {
		name := key.String()
		switch {
		case name == "" || strings.ContainsAny(name, "=\x00"):
			p.problem(key.Index, "\"env\": %s cannot be the name of a variable", quote(name))
		case name == "HOOKRUN" || strings.HasPrefix(name, "HOOKRUN_"):
			p.problem(key.Index, "\"env\": %s is set by hookrun, also for these hooks", brief(name))
		case value.IsObject() || value.IsArray() || value.Type == gjson.Null:
			p.claudeType(`"env" `+quote(name), "a string", value, wholeFile)
		case strings.ContainsRune(value.String(), 0):
			p.problem(value.Index, "\"env\" %s has a NUL character, which no process can be given", quote(name))
		case value.Type == gjson.String:
			env = append(env, name+"="+value.String())
		default:
			env = append(env, name+"="+value.Raw)
		}
		return true
	})
	return env
}

// maxPattern bounds what compiling a matcher can cost: a tenth of a second for a megabyte of it.
const maxPattern = 64 << 10

// ours reports whether a key may stand in any object of a hooks file: it is the author's own.
func ours(key string) bool { return key == "$schema" || strings.HasPrefix(key, "x-") }

// claudeEvent reads the groups of an event.
func (p *parser) claudeEvent(event protocol.Event, groups gjson.Result) {
	drops := entryOnly
	if event == "PreToolUse" || event == "PermissionRequest" {
		drops = wholeFile
	}
	if !groups.IsArray() {
		p.claudeType(string(event), "an array", groups, drops)
		return
	}
	n := 0
	groups.ForEach(func(_, group gjson.Result) bool {
		n++
		who := fmt.Sprintf("%s %d: ", event, n)
		if !group.IsObject() {
			p.claudeType(strings.TrimSuffix(who, ": "), "an object", group, drops)
			return true
		}
		f := p.members(group, claudeGroup, who, drops, false)
		var m Matcher
		if text, ok := f["matcher"]; ok {
			if len(text.Raw) > maxPattern {
				p.problem(text.Index, "%sthe matcher is longer than 64 KiB", who)
				return true
			}
			pattern := NewPattern(text.String())
			if m = pattern; pattern.names != nil && !slices.ContainsFunc(pattern.names, func(n string) bool { return n != "" }) {
				p.warn(text.Index, "%sthe matcher %s names nothing, so the hook never runs", who, quote(text.String()))
			}
			if pattern.err != nil {
				p.warn(text.Index, "%sthe matcher %s is no regular expression and matches nothing, so the hook never runs: %v", who, quote(text.String()), pattern.err)
			}
		}
		hooks, ok := f["hooks"]
		switch {
		case !ok:
			p.problem(group.Index, "%shas no \"hooks\"%s", who, drops)
		case !hooks.IsArray():
			p.claudeType(who+`"hooks"`, "an array", hooks, drops)
			return true
		}
		i := 0
		hooks.ForEach(func(_, entry gjson.Result) bool {
			i++
			h := Hook{Matcher: m, Events: []protocol.Event{event}, Dialect: protocol.ClaudeCode, File: p.file, settings: p.config.settings}
			if p.handler(&h, entry, fmt.Sprintf("%s %d, hook %d", event, n, i), drops) {
				p.config.Hooks = append(p.config.Hooks, h)
			}
			return true
		})
		return true
	})
}

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
