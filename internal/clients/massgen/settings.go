package massgen

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/clients/massgen/yaml"
	"github.com/hookrun/hookrun/internal/clients/settings"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/glob"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/lib/strictjson/document"
	"github.com/hookrun/hookrun/protocol"
)

// call runs a Python function as a hook: its argument is module.function.
//
//go:embed call.py
var call string

var files = &dialect.Files{Client: "MassGen", Extensions: []string{".yaml", ".yml"}, Reader: reader{}}

type reader struct{}

// config reads the hooks of a MassGen config: hooks of all agents are under "hooks", and hooks of one agent under the
// agent's "backend". The rest of the file is MassGen's.
type config struct {
	*settings.Document
	override map[protocol.Event][]string // agents for which the hooks of all agents are off
	inherit  []string                    // for hooks without inheritKey; nil means all variables
}

// inheritKey is hookrun's own key for a hook, or for the whole file. MassGen ignores the key.
const inheritKey = "x-inherit_env"

func (reader) Normalize(doc *dialect.Document) {
	d := settings.Open(doc)
	f := config{Document: d, override: map[protocol.Event][]string{}}
	top, err := yaml.Parse(d.Text)
	if fault, ok := err.(yaml.Fault); ok {
		f.Problems = document.Diagnostics{{File: d.File, Line: fault.Line, Column: fault.Column,
			Text: "parsing: " + fault.Text}}
		return
	}
	f.document(top)
	for i := range f.Entries {
		if e := &f.Entries[i]; e.Agent == "" {
			e.NotAgents = f.override[e.Event]
		}
	}
	if !slices.ContainsFunc(f.Entries, func(e dialect.Entry) bool { return e.Agent != "" || e.NotAgents != nil }) {
		f.Agents = nil
	}
}

func position(v *yaml.Value) document.Position {
	return document.Position{Line: v.Line, Column: v.Column}
}

func (f *config) about(v *yaml.Value, text string) document.Diagnostic {
	return document.Diagnostic{File: f.File, Line: v.Line, Column: v.Column, Text: text}
}

func (f *config) problem(v *yaml.Value, where, format string, args ...any) {
	f.Problems = append(f.Problems, f.about(v, where+" "+fmt.Sprintf(format, args...)))
}

func (f *config) warn(v *yaml.Value, where, format string, args ...any) {
	f.Warnings = append(f.Warnings, f.about(v, where+" "+fmt.Sprintf(format, args...)))
}

// warnOfGate warns of hooks that will never run.
func (f *config) warnOfGate(v *yaml.Value, where, format string, args ...any) {
	f.warn(v, where, format, args...)
	f.Warnings[len(f.Warnings)-1].Gate = true
}

func (f *config) document(top *yaml.Value) {
	switch {
	case top == nil || top.Kind == yaml.Null:
		return
	case top.Kind != yaml.Map:
		f.problem(top, "a MassGen config", "must be a mapping, as hooks: {PreToolUse: […]}, not %s", top.Kind)
		return
	}
	f.overlooked("", top)
	f.inherit = f.inherits(inheritKey, top.Get(inheritKey), nil)
	for _, m := range top.Members {
		f.nearInherit("the file", m)
	}
	f.events("hooks", top.Get("hooks"), "")
	if one := top.Get("agent"); one != nil && one.Kind != yaml.Null {
		f.agent("agent", one, 1)
	}
	switch agents := top.Get("agents"); {
	case agents == nil || agents.Kind == yaml.Null:
	case agents.Kind != yaml.List:
		f.problem(agents, "agents", "must be a list, not %s", agents.Kind)
	default:
		for i, a := range agents.Items {
			f.agent(fmt.Sprintf("agents[%d]", i), a, i+1)
		}
	}
}

// agent reads the nth agent. In MassGen an agent without an id is agent1, agent2, …, by its position in the list.
func (f *config) agent(where string, a *yaml.Value, n int) {
	if a.Kind != yaml.Map {
		f.problem(a, where, "must be a mapping with an id and a backend, not %s", a.Kind)
		return
	}
	hooks := a.Get("backend").Get("hooks")
	given, id := a.Get("id"), "agent"+strconv.Itoa(n)
	if given != nil && given.Kind == yaml.Null {
		given = nil
	}
	if given != nil {
		if id = given.Text; id == "" || given.Kind != yaml.String && given.Kind != yaml.Number {
			if hooks != nil {
				f.problem(given, where+".id",
					"must be the name that calls are made with, not %s; leave it out for agent%d",
					briefValue(given), n)
			}
			return
		}
	}
	switch known := slices.Contains(f.Agents, id); {
	case known && given != nil:
		f.problem(given, where+".id", "is %s, as of an agent before", spelling.Quote(id))
		return
	case known:
		f.problem(a, where, "has no id, so it is %s, as an agent before; give it an id of its own", spelling.Quote(id))
		return
	}
	f.Agents = append(f.Agents, id)
	if h := a.Get("hooks"); h != nil {
		f.warnOfGate(h, where+".hooks", "is not read; the hooks of an agent stand under its backend")
	}
	f.overlooked(where+".", a)
	f.overlooked(where+".backend.", a.Get("backend"))
	f.events(where+".backend.hooks", hooks, id)
}

// overlooked warns of gates under a misspelt key, which neither MassGen nor hookrun reads.
func (f *config) overlooked(where string, v *yaml.Value) {
	if v == nil {
		return
	}
	for _, m := range v.Members {
		if m.Key != "hooks" && (strings.EqualFold(m.Key, "hooks") || strings.EqualFold(m.Key, "hook")) {
			f.warnOfGate(m.At, where+spelling.Brief(m.Key, 80), "is not read; did you mean \"hooks\"?")
		}
	}
}

// events reads the hooks of all agents, or of one agent.
func (f *config) events(where string, hooks *yaml.Value, agent string) {
	switch {
	case hooks == nil || hooks.Kind == yaml.Null:
	case hooks.Kind == yaml.List: // hooks with events, as in MassGen's document on injection
		for i, entry := range hooks.Items {
			f.listed(fmt.Sprintf("%s[%d]", where, i), entry, agent)
		}
	case hooks.Kind != yaml.Map:
		f.problem(hooks, where, "must be a mapping of events, as PreToolUse: […], not %s", hooks.Kind)
	default:
		for _, m := range hooks.Members {
			if m.Key == "override" { // MassGen ignores this key
				continue
			}
			f.event(where+"."+m.Key, m, agent)
		}
	}
}

func (f *config) event(where string, m yaml.Member, agent string) {
	event, known := f.known(m.At, where, m.Key)
	if !known {
		return
	}
	entries := m.Value
	if entries.Kind == yaml.Map {
		override := entries.Get("override")
		if override != nil && override.Kind != yaml.Bool {
			f.problem(override, where+".override", "must be true or false, not %s", briefValue(override))
		}
		for _, member := range entries.Members {
			if member.Key != "override" && member.Key != "hooks" {
				near := spelling.Suggest(member.Key, []string{"override", "hooks"})
				f.warn(member.At, where, "has the unknown key %s%s", spelling.Quote(member.Key), near)
			}
		}
		if entries = entries.Get("hooks"); entries == nil {
			entries = &yaml.Value{Line: m.At.Line, Column: m.At.Column}
		}
		if override != nil && override.Text == "true" {
			switch {
			case agent == "":
				f.warn(override, where+".override", "means something under an agent only; ignored")
			case len(entries.Items) == 0:
				f.warn(override, where+".override", "has no hooks beside it, and switches nothing off then")
			default:
				f.override[event] = append(f.override[event], agent)
			}
		}
	}
	if entries.Kind == yaml.Null {
		return
	}
	if entries.Kind != yaml.List {
		const text = "must be a list of hooks, or a mapping with \"override\" and \"hooks\", not %s"
		f.problem(entries, where, text, entries.Kind)
		return
	}
	for i, entry := range entries.Items {
		at := fmt.Sprintf("%s[%d]", where, i)
		kind := "python"
		if t := entry.Get("type"); t != nil {
			if kind = t.Text; t.Kind != yaml.String || kind != "python" && kind != "command" {
				near := spelling.Suggest(t.Text, []string{"python", "command"})
				f.problem(t, at+".type", "must be python or command, not %s%s", briefValue(t), near)
			}
		}
		keys := []string{"matcher", "handler", "type", "timeout", "fail_closed", "shell"}
		f.hook(at, entry, event, agent, kind, "handler", keys)
	}
}

// listed reads an entry of the list form, in which "type" is the event and "callable" the function.
func (f *config) listed(where string, entry *yaml.Value, agent string) {
	kind := entry.Get("type")
	if entry.Kind == yaml.Map && (kind == nil || kind.Kind != yaml.String) {
		f.problem(entry, where, "has no \"type\"; in a list of hooks it is the event, as type: PreToolUse")
		return
	}
	event := protocol.Event("")
	if kind != nil {
		known := false
		if event, known = f.known(kind, where+".type", kind.Text); !known {
			return
		}
	}
	keys := []string{"type", "matcher", "callable", "timeout", "fail_closed"}
	f.hook(where, entry, event, agent, "python", "callable", keys)
}

// known returns the event with a name. An unknown event may belong to a newer MassGen.
func (f *config) known(v *yaml.Value, where, name string) (protocol.Event, bool) {
	var names []string
	for _, e := range events.Names() {
		if name == string(e) {
			return e, true
		}
		names = append(names, string(e))
	}
	f.warnOfGate(v, where, "is no event that is known, so its hooks never run%s", spelling.Hint(name, names))
	return "", false
}

func (f *config) hook(
	where string, entry *yaml.Value, event protocol.Event, agent, kind, handlerKey string, keys []string,
) {
	if entry.Kind != yaml.Map {
		f.problem(entry, where, "must be a mapping with a %q, not %s", handlerKey, entry.Kind)
		return
	}
	before := len(f.Problems)
	e := dialect.Entry{Position: position(entry), Event: event, Agent: agent, Unnamed: true}
	if len(entry.Members) > 0 {
		e.Position = position(entry.Members[0].At)
	}
	for _, m := range entry.Members {
		if !f.nearInherit(where, m) && !slices.Contains(keys, m.Key) && !document.OwnKey(m.Key) {
			f.warn(m.At, where, "has the unknown key %s%s", spelling.Quote(m.Key), spelling.Hint(m.Key, keys))
		}
	}
	handler := entry.Get(handlerKey)
	switch {
	case handler == nil:
		f.problem(entry, where, "has no %q, so it would run nothing", handlerKey)
	case handler.Kind != yaml.String || strings.TrimSpace(handler.Text) == "" || strings.ContainsRune(handler.Text, 0):
		f.problem(handler, where+"."+handlerKey, "must be the name of a function or a program, not %s",
			briefValue(handler))
	default:
		e.Name, e.Runs = kind+"_"+handler.Text, position(handler)
		f.command(&e, where+"."+handlerKey, handler, kind, entry.Get("shell"))
	}
	runs := f.matcher(&e, where+".matcher", entry.Get("matcher"))
	e.Timeout = f.timeout(where+".timeout", entry.Get("timeout"))
	e.OnFailure = f.failClosed(where+".fail_closed", entry.Get("fail_closed"))
	e.Inherit = f.inherits(where+"."+inheritKey, entry.Get(inheritKey), f.inherit)
	if len(f.Problems) == before && runs {
		f.Entries = append(f.Entries, e)
	}
}

func briefValue(v *yaml.Value) string {
	switch v.Kind {
	case yaml.String:
		return spelling.Quote(v.Text)
	case yaml.Number:
		return spelling.Brief(v.Text, 80)
	}
	return v.Kind.String()
}

// command reads a handler.
func (f *config) command(e *dialect.Entry, where string, handler *yaml.Value, kind string, shell *yaml.Value) {
	shells := shell != nil && shell.Text == "true"
	switch {
	case shell != nil && shell.Kind != yaml.Bool:
		f.problem(shell, where, "\"shell\" must be true or false, not %s", briefValue(shell))
	case shells && kind != "command":
		f.problem(shell, where, "\"shell\" goes with type: command only")
	case kind == "python":
		e.Command.Callable = handler.Text
		dot := strings.LastIndexByte(handler.Text, '.')
		switch {
		case strings.HasSuffix(handler.Text, ".py") || strings.ContainsAny(handler.Text, "/\\ "):
			const text = "%s is no module.function; for a program add \"type: command\""
			f.problem(handler, where, text, spelling.Quote(handler.Text))
		case dot <= 0 || dot == len(handler.Text)-1:
			f.problem(handler, where, "Invalid callable path %s; write module.function", spelling.Quote(handler.Text))
		}
	case shells:
		e.Command.Shell = handler.Text
	default:
		e.Command.Script = handler.Text
	}
}

// matcher reads a matcher, and returns false if the hook can never run.
func (f *config) matcher(e *dialect.Entry, where string, v *yaml.Value) (runs bool) {
	switch {
	case v == nil || v.Kind == yaml.Null:
		return true
	case v.Kind != yaml.String:
		f.problem(v, where, "must be a string of globs, not %s", briefValue(v))
		return false
	}
	if v.Text != "" && len(glob.NewList(v.Text)) == 0 {
		f.warnOfGate(v, where, "%s names no tool, so the hook never runs", spelling.Quote(v.Text))
		return false
	}
	e.Globs = &v.Text
	return true
}

func (f *config) timeout(where string, v *yaml.Value) time.Duration {
	if v == nil || v.Kind == yaml.Null {
		return 0
	}
	d := time.Duration(min(v.Number, 1e9) * float64(time.Second))
	switch {
	case v.Kind != yaml.Number || math.IsInf(v.Number, 0) || math.IsNaN(v.Number):
		f.problem(v, where, "must be a number of seconds, not %s", briefValue(v))
	case d <= 0:
		f.problem(v, where, "must be more than 0, not %s", v.Text)
	case v.Number > 3600:
		f.warn(v, where, "is in seconds, and %s of them are more than an hour", v.Text)
	}
	return d
}

// failClosed reads the policy for timeouts and errors. A handler that is not found blocks in any case.
func (f *config) failClosed(where string, v *yaml.Value) dialect.FailurePolicy {
	if v == nil || v.Kind == yaml.Null {
		return nil
	}
	if v.Kind != yaml.Bool {
		f.problem(v, where, "must be true or false, not %s", briefValue(v))
		return nil
	}
	means := protocol.Continue
	if v.Text == "true" {
		means = protocol.Block
	}
	policy := dialect.FailurePolicy{}
	for _, c := range Dialect.Causes() {
		if c != protocol.CauseUnstarted {
			policy[c] = means
		}
	}
	return policy
}

// nearInherit warns of a key that may be a misspelt inheritKey, and reports whether it did. All other keys that begin
// with x- are the author's own.
func (f *config) nearInherit(where string, m yaml.Member) bool {
	near := m.Key != inheritKey && strings.Contains(strings.ToLower(m.Key), "inherit")
	if near {
		f.warn(m.At, where, "has the unknown key %s; did you mean %q?", spelling.Quote(m.Key), inheritKey)
	}
	return near
}

// inherits returns the caller's variables that a hook gets; nil means all.
func (f *config) inherits(where string, v *yaml.Value, unset []string) []string {
	switch {
	case v == nil || v.Kind == yaml.Null:
		return unset
	case v.Kind == yaml.Bool && v.Text == "true":
		return nil
	case v.Kind == yaml.Bool:
		return []string{}
	case v.Kind != yaml.List:
		f.problem(v, where, "must be true, false, or a list of names of variables, not %s", briefValue(v))
		return []string{}
	}
	names := []string{}
	for _, item := range v.Items {
		if item.Kind != yaml.String || item.Text == "" {
			f.problem(item, where, "has %s; write the name of a variable", briefValue(item))
		} else if fault := dialect.InheritedFault(item.Text); fault != "" {
			f.Problems = append(f.Problems, f.about(item, where+fault))
		} else {
			names = append(names, item.Text)
		}
	}
	return names
}
