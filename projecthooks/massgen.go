package projecthooks

import (
	"bytes"
	_ "embed"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/strictjson"
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
	problems Problems
	agents   []string
	override map[protocol.Event][]string // the agents that hooks of all agents are switched off for
}

func parseMassGen(path string, doc []byte) (*Config, error) {
	f := massgenFile{file: path, override: map[protocol.Event][]string{}}
	text := string(bytes.TrimPrefix(doc, []byte("\ufeff")))
	if at := strictjson.InvalidUTF8(text); at >= 0 {
		line, column := strictjson.Position(text, at)
		return nil, Problems{{path, line, column, "parsing: not UTF-8; save the file as UTF-8"}}
	}
	top, err := parseYAML(text)
	if fault, ok := err.(yamlFault); ok {
		return nil, Problems{{path, fault.line, fault.column, "parsing: " + fault.text}}
	}
	f.document(top)
	if len(f.problems) > 0 {
		f.problems = append(f.problems, f.config.Warnings...)
		sortByPlace(f.problems)
		return nil, f.problems
	}
	for i := range f.config.Hooks {
		if h := &f.config.Hooks[i]; h.Agent == "" {
			h.NotAgents = f.override[h.Events[0]]
		}
	}
	sortByPlace(f.config.Warnings)
	f.config.Files, f.config.texts = []string{path}, []string{string(doc)}
	if slices.ContainsFunc(f.config.Hooks, func(h Hook) bool { return h.Agent != "" || h.NotAgents != nil }) {
		f.config.agents = f.agents
	}
	return &f.config, nil
}

func (f *massgenFile) problem(v *yamlValue, where, format string, args ...any) {
	f.problems = append(f.problems, Problem{f.file, v.line, v.column, where + " " + fmt.Sprintf(format, args...)})
}

func (f *massgenFile) warn(v *yamlValue, where, format string, args ...any) {
	f.config.Warnings = append(f.config.Warnings, Problem{f.file, v.line, v.column, where + " " + fmt.Sprintf(format, args...)})
}

func (f *massgenFile) document(top *yamlValue) {
	switch {
	case top == nil || top.kind == yamlNull:
		return
	case top.kind != yamlMap:
		f.problem(top, "a MassGen config", "must be a mapping, as hooks: {PreToolUse: […]}, not %s", top.is())
		return
	}
	f.overlooked("", top)
	f.events("hooks", top.get("hooks"), "")
	if one := top.get("agent"); one != nil && one.kind != yamlNull {
		f.agent("agent", one)
	}
	switch agents := top.get("agents"); {
	case agents == nil || agents.kind == yamlNull:
	case agents.kind != yamlList:
		f.problem(agents, "agents", "must be a list, not %s", agents.is())
	default:
		for i, a := range agents.items {
			f.agent(fmt.Sprintf("agents[%d]", i), a)
		}
	}
}

func (f *massgenFile) agent(where string, a *yamlValue) {
	id, hooks := a.get("id"), a.get("backend").get("hooks")
	switch {
	case a.kind != yamlMap:
		f.problem(a, where, "must be a mapping with an id and a backend, not %s", a.is())
		return
	case id == nil || id.text == "" || id.kind != yamlString && id.kind != yamlNumber:
		if hooks != nil {
			f.problem(a, where, "has hooks and no id; give it the one that calls are made with")
		}
		return
	case slices.Contains(f.agents, id.text):
		f.problem(id, where+".id", "is %s, as of an agent before", quote(id.text))
		return
	}
	f.agents = append(f.agents, id.text)
	if h := a.get("hooks"); h != nil {
		f.warn(h, where+".hooks", "is not read; the hooks of an agent stand under its backend")
	}
	f.overlooked(where+".", a)
	f.overlooked(where+".backend.", a.get("backend"))
	f.events(where+".backend.hooks", hooks, id.text)
}

// overlooked warns of gates that a slip takes out of MassGen's sight, and so out of ours.
func (f *massgenFile) overlooked(where string, v *yamlValue) {
	if v == nil {
		return
	}
	for _, m := range v.members {
		if m.key != "hooks" && (strings.EqualFold(m.key, "hooks") || strings.EqualFold(m.key, "hook")) {
			f.warn(m.at, where+brief(m.key), "is not read; did you mean \"hooks\"?")
		}
	}
}

// events reads the hooks of all agents, or of one.
func (f *massgenFile) events(where string, hooks *yamlValue, agent string) {
	switch {
	case hooks == nil || hooks.kind == yamlNull:
	case hooks.kind == yamlList: // each with its event, as in the document on injection
		for i, entry := range hooks.items {
			f.listed(fmt.Sprintf("%s[%d]", where, i), entry, agent)
		}
	case hooks.kind != yamlMap:
		f.problem(hooks, where, "must be a mapping of events, as PreToolUse: […], not %s", hooks.is())
	default:
		for _, m := range hooks.members {
			if m.key == "override" { // MassGen passes over it
				continue
			}
			f.event(where+"."+m.key, m, agent)
		}
	}
}

func (f *massgenFile) event(where string, m yamlMember, agent string) {
	event, known := f.known(m.at, where, m.key)
	if !known {
		return
	}
	entries := m.value
	if entries.kind == yamlMap {
		override := entries.get("override")
		if override != nil && override.kind != yamlBool {
			f.problem(override, where+".override", "must be true or false, not %s", override.brief())
		}
		for _, member := range entries.members {
			if member.key != "override" && member.key != "hooks" {
				f.warn(member.at, where, "has the unknown key %s%s", quote(member.key), Suggest(member.key, []string{"override", "hooks"}))
			}
		}
		if entries = entries.get("hooks"); entries == nil {
			entries = &yamlValue{line: m.at.line, column: m.at.column}
		}
		if override != nil && override.text == "true" {
			switch {
			case agent == "":
				f.warn(override, where+".override", "means something under an agent only; ignored")
			case len(entries.items) == 0:
				f.warn(override, where+".override", "has no hooks beside it, and switches nothing off then")
			default:
				f.override[event] = append(f.override[event], agent)
			}
		}
	}
	if entries.kind == yamlNull {
		return
	}
	if entries.kind != yamlList {
		f.problem(entries, where, "must be a list of hooks, or a mapping with \"override\" and \"hooks\", not %s", entries.is())
		return
	}
	for i, entry := range entries.items {
		at := fmt.Sprintf("%s[%d]", where, i)
		kind := "python"
		if t := entry.get("type"); t != nil {
			if kind = t.text; t.kind != yamlString || kind != "python" && kind != "command" {
				f.problem(t, at+".type", "must be python or command, not %s%s", t.brief(), Suggest(t.text, []string{"python", "command"}))
			}
		}
		f.hook(at, entry, event, agent, kind, "handler", []string{"matcher", "handler", "type", "timeout", "fail_closed", "shell"})
	}
}

// listed reads an entry of the list form: "type" is the event there, and "callable" the function.
func (f *massgenFile) listed(where string, entry *yamlValue, agent string) {
	kind := entry.get("type")
	if entry.kind == yamlMap && (kind == nil || kind.kind != yamlString) {
		f.problem(entry, where, "has no \"type\"; in a list of hooks it is the event, as type: PreToolUse")
		return
	}
	event := protocol.Event("")
	if kind != nil {
		known := false
		if event, known = f.known(kind, where+".type", kind.text); !known {
			return
		}
	}
	f.hook(where, entry, event, agent, "python", "callable", []string{"type", "matcher", "callable", "timeout", "fail_closed"})
}

// known finds an event by its name. One that is not known may be a newer MassGen's.
func (f *massgenFile) known(v *yamlValue, where, name string) (protocol.Event, bool) {
	var names []string
	for _, e := range protocol.MassGen.Events() {
		if name == string(e) {
			return e, true
		}
		names = append(names, string(e))
	}
	f.warn(v, where, "is no event that is known, so its hooks never run%s", hint(name, names))
	return "", false
}

func (f *massgenFile) hook(where string, entry *yamlValue, event protocol.Event, agent, kind, handlerKey string, keys []string) {
	if entry.kind != yamlMap {
		f.problem(entry, where, "must be a mapping with a %q, not %s", handlerKey, entry.is())
		return
	}
	before := len(f.problems)
	h := Hook{
		Dialect: protocol.MassGen, Events: []protocol.Event{event}, Agent: agent,
		File: f.file, Line: entry.line, column: entry.column, unnamed: true,
	}
	if len(entry.members) > 0 {
		h.Line, h.column = entry.members[0].at.line, entry.members[0].at.column
	}
	for _, m := range entry.members {
		if !slices.Contains(keys, m.key) && !ours(m.key) {
			f.warn(m.at, where, "has the unknown key %s%s", quote(m.key), hint(m.key, keys))
		}
	}
	handler := entry.get(handlerKey)
	switch {
	case handler == nil:
		f.problem(entry, where, "has no %q, so it would run nothing", handlerKey)
	case handler.kind != yamlString || strings.TrimSpace(handler.text) == "" || strings.ContainsRune(handler.text, 0):
		f.problem(handler, where+"."+handlerKey, "must be the name of a function or a program, not %s", handler.brief())
	default:
		h.Name = kind + "_" + handler.text
		h.commandPos = Problem{f.file, handler.line, handler.column, ""}
		h.Command = f.command(where+"."+handlerKey, handler, kind, entry.get("shell"))
	}
	runs := f.matcher(where+".matcher", entry.get("matcher"), &h)
	h.Timeout = f.timeout(where+".timeout", entry.get("timeout"))
	h.OnFailure = f.failClosed(where+".fail_closed", entry.get("fail_closed"))
	if len(f.problems) == before && runs {
		f.config.Hooks = append(f.config.Hooks, h)
	}
}

func (v *yamlValue) brief() string {
	switch v.kind {
	case yamlString:
		return quote(v.text)
	case yamlNumber:
		return brief(v.text)
	}
	return v.is()
}

// command reads a handler.
func (f *massgenFile) command(where string, handler *yamlValue, kind string, shell *yamlValue) (c Command) {
	shells := shell != nil && shell.text == "true"
	switch {
	case shell != nil && shell.kind != yamlBool:
		f.problem(shell, where, "\"shell\" must be true or false, not %s", shell.brief())
	case shells && kind != "command":
		f.problem(shell, where, "\"shell\" goes with type: command only")
	case kind == "python":
		c.Callable = handler.text
		module, function, dotted := cutLast(handler.text, ".")
		switch {
		case strings.HasSuffix(handler.text, ".py") || strings.ContainsAny(handler.text, "/\\ "):
			f.problem(handler, where, "%s is no module.function; for a program add \"type: command\"", quote(handler.text))
		case !dotted || module == "" || function == "":
			f.problem(handler, where, "Invalid callable path %s; write module.function", quote(handler.text))
		}
	case shells:
		c.Shell = handler.text
	default:
		c.Script = handler.text
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
func (f *massgenFile) matcher(where string, v *yamlValue, h *Hook) (runs bool) {
	switch {
	case v == nil || v.kind == yamlNull:
		return true
	case v.kind != yamlString:
		f.problem(v, where, "must be a string of globs, not %s", v.brief())
		return false
	}
	m, ok := NewGlobs(v.text)
	if !ok {
		f.warn(v, where, "%s names no tool, so the hook never runs", quote(v.text))
	}
	h.Matcher = m
	return ok
}

func (f *massgenFile) timeout(where string, v *yamlValue) time.Duration {
	if v == nil || v.kind == yamlNull {
		return 0
	}
	d := time.Duration(min(v.number, 1e9) * float64(time.Second))
	switch {
	case v.kind != yamlNumber || math.IsInf(v.number, 0) || math.IsNaN(v.number):
		f.problem(v, where, "must be a number of seconds, not %s", v.brief())
	case d <= 0:
		f.problem(v, where, "must be more than 0, not %s", v.text)
	case v.number > 3600:
		f.warn(v, where, "is in seconds, and %s of them are more than an hour", v.text)
	}
	return d
}

// failClosed reads what a timeout and an error mean. A handler that is not found blocks in any case.
func (f *massgenFile) failClosed(where string, v *yamlValue) protocol.FailurePolicy {
	if v == nil || v.kind == yamlNull {
		return nil
	}
	if v.kind != yamlBool {
		f.problem(v, where, "must be true or false, not %s", v.brief())
		return nil
	}
	means := protocol.Continue
	if v.text == "true" {
		means = protocol.Block
	}
	policy := protocol.FailurePolicy{}
	for _, c := range protocol.MassGen.Causes {
		if c != protocol.CauseUnstarted {
			policy[c] = means
		}
	}
	return policy
}
