package settings

import (
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/internal/lib/strictjson/document"
	"github.com/hookrun/hookrun/protocol"
)

// EventGroups are the groups of one event.
type EventGroups struct {
	*Document
	Name  protocol.Event
	Drops string // as Document.Drops, for faults at this event
	// WrongMatcherType: the matcher of a group had the wrong type.
	WrongMatcherType bool

	dialect *dialect.Dialect // for hooks of the event
	path    string
	groups  gjson.Result
}

// Events yields the events in hooks, which is the "hooks" object or the document if events are at the top level. Other
// keys cause a warning. beside are switches of the client that may be among the events; the first turns off all hooks.
func (d *Document) Events(hooks gjson.Result, beside ...dialect.Field) iter.Seq[*EventGroups] {
	at, off := "hooks", ""
	if d.topLevel {
		at = ""
	}
	if len(beside) > 0 {
		off = beside[0].Key()
	}
	return func(yield func(*EventGroups) bool) { d.yieldEvents(hooks, at, off, beside, yield) }
}

// EventsOf is Events for an object under a key of the document. A switch among these events turns off only these hooks.
func (d *Document) EventsOf(key string, hooks gjson.Result, beside ...dialect.Field) iter.Seq[*EventGroups] {
	return func(yield func(*EventGroups) bool) { d.yieldEvents(hooks, key, "", beside, yield) }
}

// yieldEvents yields the events of an object under a key, or at the top level. off is the key that turns off all hooks.
func (d *Document) yieldEvents(hooks gjson.Result, at, off string, beside []dialect.Field,
	yield func(*EventGroups) bool) {
	switch {
	case !hooks.Exists() || hooks.Type == gjson.Null: // null counts as missing, if allowed
		return
	case !hooks.IsObject():
		d.WrongType(strconv.Quote(at), "an object", hooks, d.Drops)
		return
	}
	last := dialect.LastOf(hooks)
	place := ""
	if at != "" {
		place = PathPart(at) + "."
	}
	hooks.ForEach(func(key, groups gjson.Result) bool {
		name, path := key.String(), place+PathPart(key.String())
		event := protocol.Event(name)
		switch {
		case hasField(beside, name):
			d.note(dialect.OwnSetting, path, key.Index, name)
			if name == off && groups.IsBool() && last[strictjson.Text(key.Raw)].Index == groups.Index {
				d.addSwitch(groups.Bool(), strconv.Quote(name), "true", key.Index, name, path, groups.Index)
			}
		case last[strictjson.Text(key.Raw)].Index != groups.Index:
			d.note(dialect.Overwritten, path, key.Index, name)
		case d.topLevel && name == "hooks":
			d.Problem(key.Index, "in %s events are keys of the file itself; take them out of \"hooks\"%s",
				filepath.Base(d.File), d.Drops)
		case slices.Contains(d.events, name):
			d.note(dialect.AtEvent, path, key.Index, name)
			return yield(&EventGroups{Document: d, Name: event, Drops: d.Drops, dialect: d.Dialect.Of(event),
				path: path, groups: groups})
		case document.OwnKey(name):
			d.note(dialect.OwnSetting, path, key.Index, name)
		default:
			d.note(dialect.NoEvent, path, key.Index, name)
			d.warnUnknownEvent(key, event)
		}
		return true
	})
}

// warnUnknownEvent warns about an event that the client does not have.
func (d *Document) warnUnknownEvent(key gjson.Result, event protocol.Event) {
	if hasField(d.formerSwitches, string(event)) {
		d.Warn(key.Index, "%s passes over %q here; put it under \"hooksConfig\"", d.client(), string(event))
		return
	}
	d.WarnOfGate(key.Index, "unknown event %s: none of its hooks will ever run%s", spelling.Quote(string(event)),
		d.suggestEvent(event))
}

// TopEvents yields the events of a document with events at the top level.
func (d *Document) TopEvents(beside ...dialect.Field) iter.Seq[*EventGroups] {
	d.topLevel, d.top = true, gjson.Parse(d.Text)
	return d.Events(d.top, beside...)
}

// SetFormerSwitches sets the switches that were formerly allowed among the events. The client now ignores them there.
func (d *Document) SetFormerSwitches(switches []dialect.Field) { d.formerSwitches = switches }

// suggestEvent suggests an event for an unknown name: a similar name, or the client's name for another client's event.
// A file in the folder shared by plugins of all clients may belong to another client.
func (d *Document) suggestEvent(event protocol.Event) string {
	if d.Shared {
		if names := d.ClientsWithEvent(event); len(names) > 0 {
			return "; it is an event of " + strings.Join(names, ", ") + ": name the client with --dialect"
		}
	}
	if hint := spelling.Suggest(string(event), d.events); hint != "" {
		return hint
	}
	for _, name := range d.events {
		if d.Common != nil && d.Common(protocol.Event(name)) == d.Common(event) {
			return "; did you mean " + strconv.Quote(name) + "?"
		}
	}
	return ""
}

// Group is a matcher and the hooks for the matcher.
type Group struct {
	*EventGroups
	Members Members
	Pattern *dialect.Pattern // if the group has a matcher

	json, matcher gjson.Result
	matcherAt     document.Position
	who           string // begins messages, as "PreToolUse 1: "
	path          string
	isHook        bool // the object is a hook without a group
	line          gjson.Result
	when          *dialect.LineTest
}

// Groups yields the groups of the event, each with a list of hooks. lost is the effect of a missing list, as the end of
// a message; if "", Drops.
func (e *EventGroups) Groups(fields []dialect.Field, lost string) iter.Seq[*Group] {
	return e.walk(fields, lost, func(gjson.Result) bool { return false })
}

// Hooks yields the hooks of the event, each as a group.
func (e *EventGroups) Hooks() iter.Seq[*Group] {
	return e.walk(nil, "", func(gjson.Result) bool { return true })
}

// HooksAndGroups yields groups, and hooks without a group, for a client that allows both.
func (e *EventGroups) HooksAndGroups(fields []dialect.Field) iter.Seq[*Group] {
	return e.walk(fields, "", func(group gjson.Result) bool { return !dialect.Has(group, "hooks") })
}

func (e *EventGroups) walk(fields []dialect.Field, lost string, isHook func(gjson.Result) bool) iter.Seq[*Group] {
	return func(yield func(*Group) bool) { e.yieldGroups(fields, lost, isHook, yield) }
}

func (e *EventGroups) yieldGroups(fields []dialect.Field, lost string, isHook func(gjson.Result) bool,
	yield func(*Group) bool) {
	if !e.groups.IsArray() {
		e.WrongType(string(e.Name), "an array", e.groups, e.Drops)
		if e.groups.Type != gjson.Null {
			e.note(dialect.EmptyGroup, e.path+".0", e.groups.Index, "")
		}
		return
	}
	if lost == "" {
		lost = e.Drops
	}
	n := 0
	e.groups.ForEach(func(_, json gjson.Result) bool {
		n++
		g := &Group{EventGroups: e, json: json, who: fmt.Sprintf("%s %d: ", e.Name, n),
			path: e.path + "." + strconv.Itoa(n-1)}
		if !json.IsObject() {
			e.WrongType(strings.TrimSuffix(g.who, ": "), "an object", json, e.Drops)
			e.note(dialect.EmptyGroup, g.path, json.Index, "")
			return true
		}
		g.isHook = isHook(json)
		if !g.isHook && !dialect.Has(json, "hooks") && (dialect.Has(json, "type") || dialect.Has(json, "command")) {
			e.Problem(json.Index, "%shas no \"hooks\"; write {\"hooks\": [{…}]} around this hook%s", g.who, lost)
			return true
		}
		if !g.read(fields) {
			return true
		}
		if _, ok := g.Members["hooks"]; !g.isHook && !ok {
			e.Problem(json.Index, "%shas no \"hooks\"%s", g.who, lost)
		}
		return yield(g)
	})
}

// read reads the fields of a group, except the hooks. It reports whether the client reads the hooks.
func (g *Group) read(fields []dialect.Field) bool {
	before := len(g.Problems)
	g.matcher = dialect.ValueOf(g.json, "matcher")
	g.matcherAt = g.At(g.matcher.Index)
	if g.isHook {
		g.Members = Members{}
		if g.matcher.Type == gjson.String {
			g.Members["matcher"] = g.matcher
		}
	} else {
		g.Members = g.innerMembers(g.json, fields, g.who, g.Drops)
		g.noteMembers(fields)
	}
	if _, ok := g.Members["matcher"]; len(g.Problems) > before && !ok && g.matcher.Exists() {
		g.WrongMatcherType = true
	}
	return g.readMatcher() && (g.Dialect.Files.OnFault != dialect.DropsEntry || len(g.Problems) == before)
}

// noteMembers notes the fields that are not about the hooks of the group.
func (g *Group) noteMembers(fields []dialect.Field) {
	for key, value := range g.json.ForEach {
		switch name := key.String(); {
		case name == "hooks" || name == "matcher" || name == "commandRegex" && hasField(fields, name):
		case !hasField(fields, name):
			g.note(dialect.PassedOver, g.path+"."+PathPart(name), key.Index, name)
		case value.Bool() != g.Dialect.Run.Parallel:
			g.note(dialect.InTurn, g.path+"."+name, key.Index, name)
		}
	}
}

// readMatcher reads the matcher. It reports whether the client accepts the matcher.
func (g *Group) readMatcher() bool {
	text, ok := g.Members["matcher"]
	if !ok {
		return true
	}
	if dialect.PatternTooLong(text.Raw) {
		g.Problem(text.Index, "%sthe matcher is longer than 64 KiB", g.who)
		return false
	}
	subject := g.dialect.SubjectField(g.Name)
	pattern := g.dialect.Files.Pattern(g.dialect.Files.Expanded(text.String()), subject)
	if pattern.Refused != "" {
		g.Problem(text.Index, "%sthe matcher %s %s%s", g.who, spelling.Quote(text.String()), pattern.Refused,
			g.Document.Drops)
		return false
	}
	if fault := pattern.Fault(); fault != "" && subject != "" {
		w := g.Warn(text.Index, "%sthe matcher %s %s", g.who, spelling.Quote(text.String()), fault)
		w.Gate = !pattern.AlwaysRuns()
	}
	g.Pattern = &pattern
	return true
}

// OnlyLines restricts the group to commands of one tool for which accepts returns true. A nil accepts means no command.
// line is the field with the expression.
func (g *Group) OnlyLines(tool string, line gjson.Result, accepts func(command string) bool) {
	var pattern dialect.Pattern
	if g.Pattern != nil {
		pattern = *g.Pattern
	}
	pattern.Only = tool
	g.Pattern, g.line = &pattern, line
	g.when = &dialect.LineTest{Text: "commandRegex " + spelling.Quote(line.String()), Accepts: accepts}
}

// Sequential returns the field that says whether the hooks of the group run in turn.
func (g *Group) Sequential() gjson.Result { return dialect.ValueOf(g.json, "sequential") }

// Who returns the beginning of messages about the group.
func (g *Group) Who() string { return g.who }

// HandlerFields are the fields of a hook type. If the type of a field ends in !, the field is required. Default: the
// type of a hook without a type.
type HandlerFields struct {
	Type    string
	Default bool
	Fields  []dialect.Field
}

// Handlers yields the group's hooks of the given types, each with an Entry to fill in. The Entry joins Entries unless
// the caller finds a fault or drops the hook. common are fields of all types.
func (g *Group) Handlers(types []HandlerFields, common []dialect.Field) iter.Seq[*Handler] {
	return func(yield func(*Handler) bool) { g.yieldHandlers(types, common, yield) }
}

func (g *Group) yieldHandlers(types []HandlerFields, common []dialect.Field, yield func(*Handler) bool) {
	if g.isHook {
		g.handler(g.json, strings.TrimSuffix(g.who, ": "), g.path, types, common, yield)
		return
	}
	hooks, ok := g.Members["hooks"]
	if ok && !hooks.IsArray() {
		g.WrongType(g.who+`"hooks"`, "an array", hooks, g.Drops)
		g.note(dialect.EmptyGroup, g.path, g.json.Index, "")
		return
	}
	i := 0
	hooks.ForEach(func(_, json gjson.Result) bool {
		i++
		who := fmt.Sprintf("%s, hook %d", strings.TrimSuffix(g.who, ": "), i)
		return g.handler(json, who, g.path+".hooks."+strconv.Itoa(i-1), types, common, yield)
	})
	if i == 0 {
		g.note(dialect.EmptyGroup, g.path, g.json.Index, "")
	}
}

// handler yields one hook. It reports whether the caller wants more.
func (g *Group) handler(json gjson.Result, who, path string, types []HandlerFields, common []dialect.Field,
	yield func(*Handler) bool) bool {
	before := len(g.Problems)
	if !json.IsObject() {
		g.WrongType(who, "an object", json, g.Drops)
		return true
	}
	h := &Handler{Group: g, Who: who + ": ", Entry: dialect.Entry{Who: who, GroupWho: g.who, Position: g.At(json.Index),
		Event: g.Name, Pattern: g.Pattern, MatcherAt: g.matcherAt, When: g.when,
		Sequential: g.Members["sequential"].Type == gjson.True,
		From:       dialect.Source{Path: path, Group: g.path, JSON: json, Matcher: g.matcher, Line: g.line}}}
	fields, known := h.fieldsOfType(types)
	if !known {
		return true
	}
	all := append(slices.Clip(common), fields...)
	h.From.Fields = all
	h.Members = g.innerMembers(json, all, h.Who, g.Drops)
	for _, f := range fields {
		if _, ok := h.Members[f.Key()]; strings.HasSuffix(f.Type(), "!") && !ok && !dialect.Has(json, f.Key()) {
			g.Problem(json.Index, "%sa hook of type %q needs %q%s", h.Who, h.Type, f.Key(), g.Drops)
		}
	}
	h.faultsBefore = before
	more := yield(h)
	if len(g.Problems) == before && !h.dropped {
		g.Entries = append(g.Entries, h.Entry)
	}
	return more
}

// fieldsOfType returns the fields of the hook's type.
func (h *Handler) fieldsOfType(types []HandlerFields) (fields []dialect.Field, known bool) {
	kind := dialect.ValueOf(h.From.JSON, "type")
	var names []string
	for _, t := range types {
		if t.Default && !kind.Exists() || kind.Type == gjson.String && kind.String() == t.Type {
			h.Type = t.Type
			return t.Fields, true
		}
		names = append(names, t.Type)
	}
	switch {
	case !kind.Exists():
		h.Problem(h.From.JSON.Index, "%shas no \"type\"; write \"type\": \"command\"%s", h.Who, h.Drops)
	case kind.Type != gjson.String:
		h.WrongType(h.Who+`"type"`, "a string", kind, h.Drops)
	default:
		others := ""
		near := spelling.Suggest(kind.String(), names)
		if near == "" {
			others = "; known are " + strings.Join(names, ", ")
		}
		h.Problem(kind.Index, "%sunknown type %s%s%s%s", h.Who, spelling.Quote(kind.String()), others, h.Drops, near)
	}
	return nil, false
}
