package hookimport

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clientfile"
	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/all"
	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// group walks the hooks of a group.
func (r *reader) group(event protocol.Event, group gjson.Result, at string, carried bool) {
	var hooks, matcher, command gjson.Result
	group.ForEach(func(key, value gjson.Result) bool {
		switch name := key.String(); {
		case name == "hooks":
			hooks = value
		case name == "matcher":
			matcher = value
		case name == "commandRegex" && r.form.CommandOf != "":
			command = value
		case carried && has(r.form.Group, name):
			r.item(Note, at+"."+name, key.Index, "%q: here all hooks run one after the other, whatever this says", name)
		case carried:
			r.item(LeftOut, at+"."+escaped(name), key.Index, "%s passes over %s", r.form.Client, brief(name))
		}
		return true
	})
	entries := hooks.Array()
	for n, entry := range entries {
		if text := dialect.LastOf(entry)["command"]; r.form.Lenient && text.String() == "" {
			r.item(LeftOut, at+".hooks."+strconv.Itoa(n), entry.Index, "%s skips a hook with an empty command",
				r.form.Client)
			continue
		}
		h := &r.hooks[0]
		r.hooks = r.hooks[1:]
		if carried {
			g := handler{reader: r, hook: h, event: event, entry: entry, matcher: matcher,
				commandRegex: command, given: map[string]gjson.Result{}}
			g.group, g.path = at, at+".hooks."+strconv.Itoa(n)
			g.convert()
		}
	}
	if len(entries) == 0 && carried {
		r.item(LeftOut, at, group.Index, "this group has no hooks")
	}
}

// handler is one hook on its way.
type handler struct {
	*reader
	hook        *hookfile.Hook
	event       protocol.Event
	entry       gjson.Result
	matcher     gjson.Result
	group, path string

	commandRegex gjson.Result // of the group
	keys         []string     // in the order of the file
	given        map[string]gjson.Result
	to           Entry
	when         []string
}

// leaveOut leaves the whole hook out. It returns false: the hook is not carried over.
func (g *handler) leaveOut(format string, args ...any) bool {
	g.item(LeftOut, g.path, g.entry.Index, "this hook is not carried: "+format, args...)
	if g.matcher.Exists() { // it was the matcher of this hook too
		last := &g.result.Report[len(g.result.Report)-1]
		last.Paths = append(last.Paths, g.group+".matcher")
	}
	return false
}

// value is what a key of the hook has, a Result that is not there if it has none.
func (g *handler) value(key string) gjson.Result { return g.given[key] }

// report adds an item about one of the hook's keys.
func (g *handler) report(kind Kind, key, format string, args ...any) {
	g.item(kind, g.path+"."+escaped(key), g.value(key).Index, format, args...)
}

func (g *handler) convert() {
	h := g.hook
	g.entry.ForEach(func(key, value gjson.Result) bool {
		g.keys = append(g.keys, key.String())
		g.given[key.String()] = value
		return true
	})
	name := g.givenName()
	for _, off := range g.disabled {
		if off.text == name || name == "" && off.text == g.value("command").String() {
			off.used = true
			g.leaveOut("%q in the settings switches it off", off.text)
			return
		}
	}
	rule := h.If.String()
	if why := g.obstacle(rule + name); why != "" {
		g.leaveOut("%s", why)
		return
	}
	if h.HTTP != nil {
		g.endpoint()
	} else {
		g.command()
	}
	g.set("events", []string{string(g.event.Canonical())})
	if g.commandRegex.String() == "" && !g.narrow() || g.commandRegex.String() != "" && !g.narrowToCommand() {
		return
	}
	if rule != "" {
		g.rule(rule)
	}
	g.narrowToEvent()
	if g.when != nil {
		g.to.Set("when", []byte("["+strings.Join(g.when, ",")+"]"))
	}
	g.timeout()
	g.onFailure()
	if h.HTTP == nil {
		g.environment()
	}
	for _, key := range g.keys {
		switch {
		case g.carried(key):
		case dialect.OwnKey(key):
			g.to.Set(key, strictjson.Compact(nil, g.value(key).Raw))
		case notCarried[key] != "":
			if g.value(key).Type != gjson.False { // which is what is so without it
				g.report(LeftOut, key, "%q is not carried: %s", key, notCarried[key])
			}
		default:
			g.report(LeftOut, key, "%s passes over %s", g.form.Client, brief(key))
		}
	}
	if before := g.event.Canonical() == protocol.PreTool; !before && h.HTTP == nil {
		g.item(Differs, g.path+".command", g.value("command").Index,
			`at %s an exit code holds nothing up here, and in %s 2 does: let the hook print {"decision": "block", `+
				`"reason": "…"} and end with 0`, g.event.Canonical(), g.form.Client)
	}
	if g.dialect.Import.OtherWords {
		g.item(Differs, g.path+".command", g.value("command").Index,
			`an answer of the hook must be in hookrun's words: "block" for "deny", "permissionDecision": "ask" for `+
				`"ask", "updatedInput" for "tool_input"; another one is unreadable, and blocks a tool call with a `+
				`reason of hookrun's own`)
	}
	g.add(name)
}

// obstacle explains why no entry can be made of the hook, "" if one can. texts are its own beside the matcher.
func (g *handler) obstacle(texts string) string {
	h, command := g.hook, g.value("command").String()
	switch rule := h.If.String(); {
	case h.Unsupported != "":
		return "an entry runs a command or posts to a url, and this is of type " + h.Unsupported
	case h.Async:
		return "it is async, and entries are waited for; end its command with & and give it /dev/null for its output"
	case h.HTTP == nil && strings.TrimSpace(command) == "":
		return "its command is blank, so it lets everything pass"
	case clientfile.RunsHookrun(command):
		return "it runs hookrun, which would run this hook again"
	case rule != "" && (h.If.Malformed() || !g.event.HasTool()):
		return fmt.Sprintf("its if %s holds of no call of this event, so it never runs", brief(rule))
	}
	if h.HTTP != nil {
		if _, err := h.Endpoint(); err != nil {
			return err.Error() + ", so it is never sent"
		}
	}
	if strings.ContainsRune(texts+g.matcher.String(), 0) {
		return "its name, matcher or if has a NUL character, which no entry may have"
	}
	return ""
}

// set puts a value into the entry.
func (g *handler) set(key string, v any) {
	g.to.Set(key, []byte(text(v)))
}

// text writes a value as JSON.
func text(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // texts, lists and maps of them have a JSON form
	return strings.TrimSpace(b.String())
}

// add puts the entry behind the others, under a name that is its own.
func (g *handler) add(name string) {
	same := name + "\x00" + inJSON(g.to)
	if source, ok := g.there[same]; ok {
		g.item(Changed, g.path, g.entry.Index, "this hook is the same as that of %s, and is there once", source)
		return
	}
	g.there[same] = g.hook.Source()
	if same := g.hook.DedupKey; same != "" {
		key := string(g.event) + "\x00" + same
		others := g.equal[key]
		for _, other := range others[:min(len(others), 100)] {
			if overlap(g.hook.Matcher, other.Matcher) {
				g.item(Differs, g.path, g.entry.Index,
					"%s runs this hook and that of %s once where a call is for both; here each of them runs",
					g.form.Client, other.Source())
				break
			}
		}
		g.equal[key] = append(others, g.hook)
	}
	switch {
	case name != "":
	case g.hook.HTTP != nil:
		name = nameOfURL(g.hook.HTTP.URL)
	default:
		name = nameOf(g.hook.Command)
	}
	g.result.Entries = append(g.result.Entries,
		append(Entry{{Key: "name", Value: strictjson.AppendString(nil, g.names.free(name))}}, g.to...))
	g.result.Sources = append(g.result.Sources, g.hook.Source())
	if g.hook.HTTP == nil {
		g.commands = append(g.commands, g.runs())
	}
	g.result.positions = append(g.result.positions, g.problem(g.entry.Index, ""))
}

func inJSON(e Entry) string {
	text, _ := e.MarshalJSON() // its values have a JSON form
	return string(text)
}

// names are those that are taken, each with the number that the next of its kind may get.
type names map[string]int

// free returns a name that is not taken, and takes it.
func (n names) free(name string) string {
	for number := n[name] + 1; ; number++ {
		if try := numbered(name, number); n[try] == 0 {
			n[try]++
			n[name] = number
			return try
		}
	}
}

// numbered is the nth name of those that are the same without a number.
func numbered(name string, n int) string {
	if n == 1 {
		return name
	}
	return name + "-" + strconv.Itoa(n)
}

// givenName is the name that a hook has in its file, "" if it has none.
func (g *handler) givenName() string {
	if name := g.value("name"); g.knows("name") && strings.TrimSpace(name.String()) != "" {
		return name.String()
	}
	return ""
}

// narrowToEvent narrows an entry to calls of the hook's event, where the client has several that are one here.
func (g *handler) narrowToEvent() {
	for _, e := range g.dialect.Events() {
		if e != g.event && e.Canonical() == g.event.Canonical() {
			g.when = append(g.when, `{"path": "hook_event_name", "equals": `+strconv.Quote(string(g.event))+`}`)
			g.item(Changed, g.runs(), g.entry.Index,
				`%s is %s with a condition in "when" here: that event is for tools that ran and for those that `+
					`failed`, g.event, g.event.Canonical())
			return
		}
	}
}

// timeout carries the hook's deadline, also where it is the client's own.
func (g *handler) timeout() {
	limit := g.hook.Deadline(g.event)
	raw := g.value("timeout")
	seconds, err := strconv.ParseUint(raw.Raw, 10, 16)
	switch {
	case err == nil && time.Duration(seconds)*time.Second == limit && limit <= time.Hour:
		g.to.Set("timeout", []byte(raw.Raw))
	case raw.Exists() && raw.Type != gjson.Null:
		text := duration(limit)
		g.set("timeout", text)
		g.report(Changed, "timeout", "%s is %s here", raw.Raw, text)
	case limit != all.Project().Timeout:
		g.set("timeout", duration(limit))
	}
}

// duration writes a duration without what is zero at its end.
func duration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// onFailure sets on_failure where a failed hook would otherwise have another decision than in its client.
func (g *handler) onFailure() {
	from, to := &protocol.Call{Event: g.event}, &protocol.Call{Event: g.event.Canonical()}
	here := all.Project()
	causes := here.Causes
	if g.hook.HTTP != nil {
		here = here.ForHTTP()
		causes = slices.DeleteFunc(slices.Clone(causes), func(c protocol.Cause) bool {
			return c == protocol.CauseSignal
		})
	}
	policy := map[string]string{}
	for _, cause := range causes {
		theirs := cause
		switch {
		case g.hook.HTTP != nil:
			if cause != protocol.CauseTimeout { // the client has one cause for all others
				theirs = protocol.CauseExit
			}
		case cause == protocol.CauseOutput && g.dialect.Import.OtherWords:
			continue // it may be a deny
		case cause == protocol.CauseExit && (g.event.Canonical() == protocol.PreTool || g.hook.OnFailure == nil):
			continue // before a tool it always blocks; elsewhere entries fail open by default
		}
		if wanted := g.dialect.FailureDecision(from, theirs, g.hook.OnFailure); wanted != here.FailureDecision(to,
			cause) {
			policy[string(cause)] = wanted.String()
		}
	}
	if len(policy) > 0 {
		g.set("on_failure", policy)
	}
	if g.hook.HTTP == nil && g.value("onFailure").Exists() {
		g.report(Differs, "onFailure",
			`"onFailure" is "on_failure" here, which before a tool is not for exit codes, nor for an answer with `+
				`another event's name: the first always block there, the second is read as any answer`)
	}
}

// environment carries the variables that the file gives the hook.
func (g *handler) environment() {
	env := map[string]string{}
	for _, v := range g.hook.Environment() {
		name, value, _ := strings.Cut(v, "=")
		own := g.value("env").Get(gjson.Escape(name))
		// nobody wants the value of a token in the project's file
		if own.Exists() && own.Type == gjson.String && own.String() != value {
			g.item(LeftOut, g.path+".env."+escaped(name), own.Index,
				"the variable %s is not carried: %s has another variable in it, and entries have texts alone",
				brief(name), brief(own.String()))
			continue
		}
		env[name] = value
	}
	if root := env[g.form.PluginVariable]; root != "" {
		g.item(Changed, g.path+".command", g.value("command").Index,
			"the plugin's folder is written out in \"env\": %s", root)
	}
	if len(env) > 0 {
		g.set("env", env)
	}
}
