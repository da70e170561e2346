package dialect

import (
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// EventGroups are the groups of one event.
type EventGroups struct {
	*Document
	Name  protocol.Event
	Drops string // as in Document, for faults at this event
	// Untyped: the matcher of a group was of another type than a matcher is.
	Untyped bool

	dialect *Dialect // of hooks of the event
	path    string
	groups  gjson.Result
}

// Events yields the events in an object, which is "hooks" or, if they stand at the top level, the document, and says
// what is odd about its other keys. beside are switches of the client's that may stand there, too; the first of them
// switches all hooks off.
func (d *Document) Events(hooks gjson.Result, beside ...Field) iter.Seq[*EventGroups] {
	at, off := "hooks", ""
	if d.flat {
		at = ""
	}
	if len(beside) > 0 {
		off = beside[0].Key()
	}
	return func(yield func(*EventGroups) bool) { d.yieldEvents(hooks, at, off, beside, yield) }
}

// EventsOf is Events for an object under a key of the document. What stands beside the events there switches at most
// these off.
func (d *Document) EventsOf(key string, hooks gjson.Result, beside ...Field) iter.Seq[*EventGroups] {
	return func(yield func(*EventGroups) bool) { d.yieldEvents(hooks, key, "", beside, yield) }
}

// yieldEvents yields those in the object under a key, or at the top level. off is the key that switches all hooks off.
func (d *Document) yieldEvents(hooks gjson.Result, at, off string, beside []Field, yield func(*EventGroups) bool) {
	switch {
	case !hooks.Exists() || hooks.Type == gjson.Null: // where null is allowed it is as good as none
		return
	case !hooks.IsObject():
		d.WrongType(strconv.Quote(at), "an object", hooks, d.Drops)
		return
	}
	last := LastOf(hooks)
	place := ""
	if at != "" {
		place = PathPart(at) + "."
	}
	hooks.ForEach(func(key, groups gjson.Result) bool {
		name, path := key.String(), place+PathPart(key.String())
		event := protocol.Event(name)
		switch {
		case hasField(beside, name):
			d.note(OwnSetting, path, key.Index, name)
			if name == off && groups.IsBool() && last[strictjson.Text(key.Raw)].Index == groups.Index {
				d.switched(groups.Bool(), strconv.Quote(name), "true", key.Index, name, path, groups.Index)
			}
		case last[strictjson.Text(key.Raw)].Index != groups.Index:
			d.note(Overwritten, path, key.Index, name)
		case d.flat && name == "hooks":
			d.Problem(key.Index, "in %s events stand at the top level; take them out of \"hooks\"%s",
				filepath.Base(d.Path), d.Drops)
		case slices.Contains(d.events, name):
			d.note(AtEvent, path, key.Index, name)
			return yield(&EventGroups{Document: d, Name: event, Drops: d.Drops, dialect: d.Dialect.Of(event),
				path: path, groups: groups})
		case OwnKey(name):
			d.note(OwnSetting, path, key.Index, name)
		default:
			d.note(NoEvent, path, key.Index, name)
			d.noEvent(key, event)
		}
		return true
	})
}

// noEvent warns of an event that the client does not have.
func (d *Document) noEvent(key gjson.Result, event protocol.Event) {
	if hasField(d.switches, string(event)) {
		d.Warn(key.Index, "%s passes over %q here; put it under \"hooksConfig\"", d.client(), string(event))
		return
	}
	d.WarnOfGate(key.Index, "unknown event %s: none of its hooks will ever run%s", spelling.Quote(string(event)),
		d.meantEvent(event))
}

// TopEvents yields the events of a document that has them at the top level.
func (d *Document) TopEvents(beside ...Field) iter.Seq[*EventGroups] {
	d.flat, d.top = true, gjson.Parse(d.Text)
	return d.Events(d.top, beside...)
}

// OnceBeside are switches that once stood beside the events, and are passed over there.
func (d *Document) OnceBeside(switches []Field) { d.switches = switches }

// meantEvent suggests an event for a name that the client does not have: a similar one, or its own name for another
// client's event. In the place that plugins of all clients have for their hooks, the file may be another client's.
func (d *Document) meantEvent(event protocol.Event) string {
	if d.Shared {
		if names := d.Having(event); len(names) > 0 {
			return "; it is an event of " + strings.Join(names, ", ") + ": name the client with --dialect"
		}
	}
	if hint := spelling.Suggest(string(event), d.events); hint != "" {
		return hint
	}
	for _, name := range d.events {
		if Canonical(protocol.Event(name)) == Canonical(event) {
			return "; did you mean " + strconv.Quote(name) + "?"
		}
	}
	return ""
}

// Group is a matcher and the hooks that are for it.
type Group struct {
	*EventGroups
	Members Members
	Pattern *Pattern // its matcher, if it has one

	json, matcher gjson.Result
	matcherAt     Position
	who           string // for messages, as "PreToolUse 1: "
	path          string
	flat          bool // it is its only hook itself
	line          gjson.Result
	when          *LineTest
}

// Groups yields the groups of the event, each with a list of hooks. lost is what becomes of a group without one, as the
// end of a message; "": Drops.
func (e *EventGroups) Groups(fields []Field, lost string) iter.Seq[*Group] {
	return e.walk(fields, lost, func(gjson.Result) bool { return false })
}

// Hooks yields the hooks of the event, each as a group.
func (e *EventGroups) Hooks() iter.Seq[*Group] {
	return e.walk(nil, "", func(gjson.Result) bool { return true })
}

// HooksAndGroups yields both, whatever stands there.
func (e *EventGroups) HooksAndGroups(fields []Field) iter.Seq[*Group] {
	return e.walk(fields, "", func(group gjson.Result) bool { return !Has(group, "hooks") })
}

// Has reports whether an object has a key.
func Has(object gjson.Result, name string) bool { return valueOf(object, name).Exists() }

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

func (e *EventGroups) walk(fields []Field, lost string, isHook func(gjson.Result) bool) iter.Seq[*Group] {
	return func(yield func(*Group) bool) { e.yieldGroups(fields, lost, isHook, yield) }
}

func (e *EventGroups) yieldGroups(fields []Field, lost string, isHook func(gjson.Result) bool,
	yield func(*Group) bool) {
	if !e.groups.IsArray() {
		e.WrongType(string(e.Name), "an array", e.groups, e.Drops)
		if e.groups.Type != gjson.Null {
			e.note(EmptyGroup, e.path+".0", e.groups.Index, "")
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
			e.note(EmptyGroup, g.path, json.Index, "")
			return true
		}
		g.flat = isHook(json)
		if !g.flat && !Has(json, "hooks") && (Has(json, "type") || Has(json, "command")) {
			e.Problem(json.Index, "%shas no \"hooks\"; write {\"hooks\": [{…}]} around this hook%s", g.who, lost)
			return true
		}
		if !g.read(fields) {
			return true
		}
		if _, ok := g.Members["hooks"]; !g.flat && !ok {
			e.Problem(json.Index, "%shas no \"hooks\"%s", g.who, lost)
		}
		return yield(g)
	})
}

// read reads what is beside the hooks of a group. It reports whether the client looks at those.
func (g *Group) read(fields []Field) bool {
	before := g.faults
	g.matcher = valueOf(g.json, "matcher")
	g.matcherAt = g.At(g.matcher.Index)
	if g.flat {
		g.Members = Members{}
		if g.matcher.Type == gjson.String {
			g.Members["matcher"] = g.matcher
		}
	} else {
		g.Members = g.innerMembers(g.json, fields, g.who, g.Drops)
		g.noteMembers(fields)
	}
	if _, ok := g.Members["matcher"]; g.faults > before && !ok && g.matcher.Exists() {
		g.Untyped = true
	}
	return g.readMatcher() && (g.Dialect.Files.OnFault != DropsEntry || g.faults == before)
}

// noteMembers notes what is not about the hooks of the group.
func (g *Group) noteMembers(fields []Field) {
	g.json.ForEach(func(key, value gjson.Result) bool {
		switch name := key.String(); {
		case name == "hooks" || name == "matcher" || name == "commandRegex" && hasField(fields, name):
		case !hasField(fields, name):
			g.note(PassedOver, g.path+"."+PathPart(name), key.Index, name)
		case value.Bool() != g.Dialect.Run.Parallel:
			g.note(InTurn, g.path+"."+name, key.Index, name)
		}
		return true
	})
}

// maxPattern bounds what compiling a matcher can cost: a tenth of a second for a megabyte of it.
const maxPattern = 64 << 10

// PatternTooLong reports whether a text is too long to be compiled.
func PatternTooLong(text string) bool { return len(text) > maxPattern }

// readMatcher reads the matcher. It reports whether the client takes it.
func (g *Group) readMatcher() bool {
	text, ok := g.Members["matcher"]
	if !ok {
		return true
	}
	if PatternTooLong(text.Raw) {
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
		say := g.WarnOfGate
		if pattern.AlwaysRuns() { // the hook always runs
			say = g.Warn
		}
		say(text.Index, "%sthe matcher %s %s", g.who, spelling.Quote(text.String()), fault)
	}
	g.Pattern = &pattern
	return true
}

// OnlyLines narrows the group to commands of one tool that a function accepts; without a function, to none. line is the
// field that says which.
func (g *Group) OnlyLines(tool string, line gjson.Result, accepts func(command string) bool) {
	var pattern Pattern
	if g.Pattern != nil {
		pattern = *g.Pattern
	}
	pattern.Only = tool
	g.Pattern, g.line = &pattern, line
	g.when = &LineTest{Text: "commandRegex " + spelling.Quote(line.String()), Accepts: accepts}
}

// Sequential is the value of the field that says whether the hooks of the group run in turn.
func (g *Group) Sequential() gjson.Result { return valueOf(g.json, "sequential") }

// Who begins messages about the group.
func (g *Group) Who() string { return g.who }

// HandlerFields are the fields of a type of hooks. The type of a field ends in ! if there must be one. Default: a hook
// that says no type is of this one.
type HandlerFields struct {
	Type    string
	Default bool
	Fields  []Field
}

// Handlers yields the hooks of the group that are of one of the types, each as an Entry that is to be filled. It is
// among the Entries then, unless a fault of it was found meanwhile, or it was dropped. common are fields of all types.
func (g *Group) Handlers(types []HandlerFields, common []Field) iter.Seq[*Handler] {
	return func(yield func(*Handler) bool) { g.yieldHandlers(types, common, yield) }
}

func (g *Group) yieldHandlers(types []HandlerFields, common []Field, yield func(*Handler) bool) {
	if g.flat {
		g.handler(g.json, strings.TrimSuffix(g.who, ": "), g.path, types, common, yield)
		return
	}
	hooks, ok := g.Members["hooks"]
	if ok && !hooks.IsArray() {
		g.WrongType(g.who+`"hooks"`, "an array", hooks, g.Drops)
		g.note(EmptyGroup, g.path, g.json.Index, "")
		return
	}
	i := 0
	hooks.ForEach(func(_, json gjson.Result) bool {
		i++
		who := fmt.Sprintf("%s, hook %d", strings.TrimSuffix(g.who, ": "), i)
		return g.handler(json, who, g.path+".hooks."+strconv.Itoa(i-1), types, common, yield)
	})
	if i == 0 {
		g.note(EmptyGroup, g.path, g.json.Index, "")
	}
}

// handler yields one hook. It reports whether more are wanted.
func (g *Group) handler(json gjson.Result, who, path string, types []HandlerFields, common []Field,
	yield func(*Handler) bool) bool {
	before := g.faults
	if !json.IsObject() {
		g.WrongType(who, "an object", json, g.Drops)
		return true
	}
	h := &Handler{Group: g, Who: who + ": ", Entry: Entry{Who: who, GroupWho: g.who, Position: g.At(json.Index),
		Event: g.Name, Pattern: g.Pattern, MatcherAt: g.matcherAt, When: g.when,
		Sequential: g.Members["sequential"].Type == gjson.True,
		From:       Source{Path: path, Group: g.path, JSON: json, Matcher: g.matcher, Line: g.line}}}
	fields, known := h.typed(types)
	if !known {
		return true
	}
	all := append(slices.Clip(common), fields...)
	h.From.Fields = all
	h.Members = g.innerMembers(json, all, h.Who, g.Drops)
	for _, f := range fields {
		if _, ok := h.Members[f.Key()]; strings.HasSuffix(f.Type(), "!") && !ok && !Has(json, f.Key()) {
			g.Problem(json.Index, "%sa hook of type %q needs %q%s", h.Who, h.Type, f.Key(), g.Drops)
		}
	}
	h.start = before
	more := yield(h)
	if g.faults == before && !h.dropped {
		g.Entries = append(g.Entries, h.Entry)
	}
	return more
}

// typed finds the fields of the hook's type.
func (h *Handler) typed(types []HandlerFields) (fields []Field, known bool) {
	kind := valueOf(h.From.JSON, "type")
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
