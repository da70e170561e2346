package projecthooks

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/jsontype"
	"github.com/hookrun/hookrun/protocol"
)

// Files in Claude Code's form: .claude/settings.json and settings.local.json, the hooks/hooks.json of plugins, and any other
// whose "hooks" is an object. The client drops such a file, or an entry of it, without a word where something is wrong with
// it; here that is an error. What a later version of the client may know is a warning.

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
