package hookfile

import (
	_ "embed"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/dialect/massgen"
	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/internal/yaml"
	"github.com/hookrun/hookrun/protocol"
)

// massgenCall runs a Python function as a hook: its argument is module.function.
//
//go:embed massgen_call.py
var massgenCall string

// isMassGen reports whether a file is a MassGen config.
func isMassGen(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".yaml", ".yml":
		return true
	}
	return false
}

// massgenFile reads the hooks of a MassGen config: those of all agents under "hooks", and those of one agent under its
// "backend". What else is in the file is MassGen's.
type massgenFile struct {
	file     string
	config   Config
	problems Diagnostics
	agents   []string
	override map[protocol.Event][]string // the agents that hooks of all agents are switched off for
}

func parseMassGen(path string, doc []byte) (*Config, error) {
	f := massgenFile{file: path, override: map[protocol.Event][]string{}}
	text := string(doc)
	top, err := yaml.Parse(text)
	if fault, ok := err.(yaml.Fault); ok {
		return nil, Diagnostics{{File: path, Line: fault.Line, Column: fault.Column, Text: "parsing: " + fault.Text}}
	}
	f.document(top)
	if len(f.problems) > 0 {
		f.problems = append(f.problems, f.config.Warnings...)
		f.problems.Sort()
		return nil, f.problems
	}
	for i := range f.config.Hooks {
		if h := &f.config.Hooks[i]; h.Agent == "" {
			h.NotAgents = f.override[h.Events[0]]
		}
	}
	Diagnostics(f.config.Warnings).Sort()
	f.config.Dialect, f.config.Files, f.config.texts = massgen.Dialect.Name, []string{path}, []string{text}
	if slices.ContainsFunc(f.config.Hooks, func(h Hook) bool { return h.Agent != "" || h.NotAgents != nil }) {
		f.config.agents = f.agents
	}
	return &f.config, nil
}

func (f *massgenFile) problem(v *yaml.Value, where, format string, args ...any) {
	f.problems = append(f.problems, Diagnostic{File: f.file, Line: v.Line, Column: v.Column, Text: where + " " + fmt.Sprintf(format, args...)})
}

func (f *massgenFile) warn(v *yaml.Value, where, format string, args ...any) {
	f.config.Warnings = append(f.config.Warnings, Diagnostic{File: f.file, Line: v.Line, Column: v.Column, Text: where + " " + fmt.Sprintf(format, args...)})
}

// warnOfGate warns of hooks that will never run.
func (f *massgenFile) warnOfGate(v *yaml.Value, where, format string, args ...any) {
	f.warn(v, where, format, args...)
	f.config.Warnings[len(f.config.Warnings)-1].Gate = true
}

func (f *massgenFile) document(top *yaml.Value) {
	switch {
	case top == nil || top.Kind == yaml.Null:
		return
	case top.Kind != yaml.Map:
		f.problem(top, "a MassGen config", "must be a mapping, as hooks: {PreToolUse: […]}, not %s", top.Kind)
		return
	}
	f.overlooked("", top)
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

// agent reads the nth agent. One without an id is agent1, agent2, … for MassGen, by its place among all of them.
func (f *massgenFile) agent(where string, a *yaml.Value, n int) {
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
				f.problem(given, where+".id", "must be the name that calls are made with, not %s; leave it out for agent%d", briefValue(given), n)
			}
			return
		}
	}
	switch known := slices.Contains(f.agents, id); {
	case known && given != nil:
		f.problem(given, where+".id", "is %s, as of an agent before", quote(id))
		return
	case known:
		f.problem(a, where, "has no id, so it is %s, as an agent before; give it an id of its own", quote(id))
		return
	}
	f.agents = append(f.agents, id)
	if h := a.Get("hooks"); h != nil {
		f.warnOfGate(h, where+".hooks", "is not read; the hooks of an agent stand under its backend")
	}
	f.overlooked(where+".", a)
	f.overlooked(where+".backend.", a.Get("backend"))
	f.events(where+".backend.hooks", hooks, id)
}

// overlooked warns of gates that a slip takes out of MassGen's sight, and so out of ours.
func (f *massgenFile) overlooked(where string, v *yaml.Value) {
	if v == nil {
		return
	}
	for _, m := range v.Members {
		if m.Key != "hooks" && (strings.EqualFold(m.Key, "hooks") || strings.EqualFold(m.Key, "hook")) {
			f.warnOfGate(m.At, where+brief(m.Key), "is not read; did you mean \"hooks\"?")
		}
	}
}

// events reads the hooks of all agents, or of one.
func (f *massgenFile) events(where string, hooks *yaml.Value, agent string) {
	switch {
	case hooks == nil || hooks.Kind == yaml.Null:
	case hooks.Kind == yaml.List: // each with its event, as in the document on injection
		for i, entry := range hooks.Items {
			f.listed(fmt.Sprintf("%s[%d]", where, i), entry, agent)
		}
	case hooks.Kind != yaml.Map:
		f.problem(hooks, where, "must be a mapping of events, as PreToolUse: […], not %s", hooks.Kind)
	default:
		for _, m := range hooks.Members {
			if m.Key == "override" { // MassGen passes over it
				continue
			}
			f.event(where+"."+m.Key, m, agent)
		}
	}
}

func (f *massgenFile) event(where string, m yaml.Member, agent string) {
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
				f.warn(member.At, where, "has the unknown key %s%s", quote(member.Key), spelling.Suggest(member.Key, []string{"override", "hooks"}))
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
		f.problem(entries, where, "must be a list of hooks, or a mapping with \"override\" and \"hooks\", not %s", entries.Kind)
		return
	}
	for i, entry := range entries.Items {
		at := fmt.Sprintf("%s[%d]", where, i)
		kind := "python"
		if t := entry.Get("type"); t != nil {
			if kind = t.Text; t.Kind != yaml.String || kind != "python" && kind != "command" {
				f.problem(t, at+".type", "must be python or command, not %s%s", briefValue(t), spelling.Suggest(t.Text, []string{"python", "command"}))
			}
		}
		f.hook(at, entry, event, agent, kind, "handler", []string{"matcher", "handler", "type", "timeout", "fail_closed", "shell"})
	}
}

// listed reads an entry of the list form: "type" is the event there, and "callable" the function.
func (f *massgenFile) listed(where string, entry *yaml.Value, agent string) {
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
	f.hook(where, entry, event, agent, "python", "callable", []string{"type", "matcher", "callable", "timeout", "fail_closed"})
}

// known finds an event by its name. One that is not known may be a newer MassGen's.
func (f *massgenFile) known(v *yaml.Value, where, name string) (protocol.Event, bool) {
	var names []string
	for _, e := range massgen.Dialect.Events() {
		if name == string(e) {
			return e, true
		}
		names = append(names, string(e))
	}
	f.warnOfGate(v, where, "is no event that is known, so its hooks never run%s", hint(name, names))
	return "", false
}

func (f *massgenFile) hook(where string, entry *yaml.Value, event protocol.Event, agent, kind, handlerKey string, keys []string) {
	if entry.Kind != yaml.Map {
		f.problem(entry, where, "must be a mapping with a %q, not %s", handlerKey, entry.Kind)
		return
	}
	before := len(f.problems)
	h := Hook{
		Dialect: massgen.Dialect.Name, Events: []protocol.Event{event}, Agent: agent,
		File: f.file, Line: entry.Line, column: entry.Column, unnamed: true,
	}
	if len(entry.Members) > 0 {
		h.Line, h.column = entry.Members[0].At.Line, entry.Members[0].At.Column
	}
	for _, m := range entry.Members {
		if !slices.Contains(keys, m.Key) && !ours(m.Key) {
			f.warn(m.At, where, "has the unknown key %s%s", quote(m.Key), hint(m.Key, keys))
		}
	}
	handler := entry.Get(handlerKey)
	switch {
	case handler == nil:
		f.problem(entry, where, "has no %q, so it would run nothing", handlerKey)
	case handler.Kind != yaml.String || strings.TrimSpace(handler.Text) == "" || strings.ContainsRune(handler.Text, 0):
		f.problem(handler, where+"."+handlerKey, "must be the name of a function or a program, not %s", briefValue(handler))
	default:
		h.Name = kind + "_" + handler.Text
		h.commandPos = Diagnostic{File: f.file, Line: handler.Line, Column: handler.Column}
		h.Command = f.command(where+"."+handlerKey, handler, kind, entry.Get("shell"))
	}
	runs := f.matcher(where+".matcher", entry.Get("matcher"), &h)
	h.Timeout = f.timeout(where+".timeout", entry.Get("timeout"))
	h.OnFailure = f.failClosed(where+".fail_closed", entry.Get("fail_closed"))
	if len(f.problems) == before && runs {
		f.config.Hooks = append(f.config.Hooks, h)
	}
}

func briefValue(v *yaml.Value) string {
	switch v.Kind {
	case yaml.String:
		return quote(v.Text)
	case yaml.Number:
		return brief(v.Text)
	}
	return v.Kind.String()
}

// command reads a handler.
func (f *massgenFile) command(where string, handler *yaml.Value, kind string, shell *yaml.Value) (c Command) {
	shells := shell != nil && shell.Text == "true"
	switch {
	case shell != nil && shell.Kind != yaml.Bool:
		f.problem(shell, where, "\"shell\" must be true or false, not %s", briefValue(shell))
	case shells && kind != "command":
		f.problem(shell, where, "\"shell\" goes with type: command only")
	case kind == "python":
		c.Callable = handler.Text
		module, function, dotted := cutLast(handler.Text, ".")
		switch {
		case strings.HasSuffix(handler.Text, ".py") || strings.ContainsAny(handler.Text, "/\\ "):
			f.problem(handler, where, "%s is no module.function; for a program add \"type: command\"", quote(handler.Text))
		case !dotted || module == "" || function == "":
			f.problem(handler, where, "Invalid callable path %s; write module.function", quote(handler.Text))
		}
	case shells:
		c.Shell = handler.Text
	default:
		c.Script = handler.Text
	}
	return c
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// matcher reads a matcher, and is false for one that no tool's name matches.
func (f *massgenFile) matcher(where string, v *yaml.Value, h *Hook) (runs bool) {
	switch {
	case v == nil || v.Kind == yaml.Null:
		return true
	case v.Kind != yaml.String:
		f.problem(v, where, "must be a string of globs, not %s", briefValue(v))
		return false
	}
	m, ok := NewGlobs(v.Text)
	if !ok {
		f.warnOfGate(v, where, "%s names no tool, so the hook never runs", quote(v.Text))
	}
	h.Matcher = m
	return ok
}

func (f *massgenFile) timeout(where string, v *yaml.Value) time.Duration {
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

// failClosed reads what a timeout and an error mean. A handler that is not found blocks in any case.
func (f *massgenFile) failClosed(where string, v *yaml.Value) protocol.FailurePolicy {
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
	policy := protocol.FailurePolicy{}
	for _, c := range massgen.Dialect.Causes {
		if c != protocol.CauseUnstarted {
			policy[c] = means
		}
	}
	return policy
}
