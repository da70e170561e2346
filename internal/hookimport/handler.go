package hookimport

import (
	"encoding/json"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clientfile"
	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/projecthooks"
	"github.com/hookrun/hookrun/protocol"
)

// group walks the hooks of a group.
func (r *reader) group(event protocol.Event, group gjson.Result, at string, carried bool) {
	var hooks, matcher gjson.Result
	group.ForEach(func(key, value gjson.Result) bool {
		switch name := key.String(); {
		case name == "hooks":
			hooks = value
		case name == "matcher":
			matcher = value
		case carried && slices.Contains(r.client.group, name):
			r.item(Note, at+"."+name, key.Index, "%q: here all hooks run one after the other, whatever this says", name)
		case carried:
			r.item(LeftOut, at+"."+escaped(name), key.Index, "%s passes over %s", r.client.name, brief(name))
		}
		return true
	})
	n := 0
	hooks.ForEach(func(_, entry gjson.Result) bool {
		h := &r.hooks[0]
		r.hooks = r.hooks[1:]
		if carried {
			g := handler{reader: r, hook: h, event: event, entry: entry, matcher: matcher, group: at, path: at + ".hooks." + strconv.Itoa(n), given: map[string]*gjson.Result{}}
			g.convert()
		}
		n++
		return true
	})
	if n == 0 && carried {
		r.item(LeftOut, at, group.Index, "this group has no hooks")
	}
}

// handler is one hook on its way.
type handler struct {
	*reader
	hook        *projecthooks.Hook
	event       protocol.Event
	entry       gjson.Result
	matcher     gjson.Result
	group, path string
	keys        []string                 // in the order of the file
	given       map[string]*gjson.Result // a Result has eleven words: to copy them at each place is long
	to          Entry
	when        []string
}

// without leaves the hook out, with all that is in it.
func (g *handler) without(format string, args ...any) {
	g.item(LeftOut, g.path, g.entry.Index, "this hook is not carried: "+format, args...)
	if g.matcher.Exists() { // it was the matcher of this hook too
		last := &g.result.Report[len(g.result.Report)-1]
		last.Paths = append(last.Paths, g.group+".matcher")
	}
}

// value is what a key of the hook has, a Result that is not there if it has none.
func (g *handler) value(key string) *gjson.Result {
	if v := g.given[key]; v != nil {
		return v
	}
	return new(gjson.Result)
}

// say reports something of one of the hook's keys.
func (g *handler) say(kind Kind, key, format string, args ...any) {
	g.item(kind, g.path+"."+escaped(key), g.value(key).Index, format, args...)
}

func (g *handler) convert() {
	h := g.hook
	g.entry.ForEach(func(key, value gjson.Result) bool {
		g.keys = append(g.keys, key.String())
		g.given[key.String()] = &value
		return true
	})
	name := g.givenName()
	for _, off := range g.disabled {
		if off.text == name || name == "" && off.text == g.value("command").String() {
			off.used = true
			g.without("%q in the settings switches it off", off.text)
			return
		}
	}
	rule := h.If.String()
	switch {
	case h.Unsupported != "":
		g.without("an entry runs a command, and this is of type %s", h.Unsupported)
		return
	case h.HTTP != nil:
		g.without("an entry runs a command, and this is of type http; a command that posts with curl would do the same")
		return
	case h.Async:
		g.without("it is async, and entries are waited for; end its command with & and give it /dev/null for its output")
		return
	case strings.TrimSpace(g.value("command").String()) == "":
		g.without("its command is blank, so it lets everything pass")
		return
	case clientfile.AsksHookrun(g.value("command").String()):
		g.without("it asks hookrun, which would ask this hook again")
		return
	case rule != "" && (h.If.Malformed() || !g.event.HasTool()):
		g.without("its if %s holds of no call of this event, so it never runs", brief(rule))
		return
	}
	if strings.ContainsRune(rule+name+g.matcher.String(), 0) {
		g.without("its name, matcher or if has a NUL character, which no entry may have")
		return
	}
	g.command()
	g.set("events", []string{string(g.event.Canonical())})
	if !g.narrow() {
		return
	}
	if rule != "" {
		g.rule(rule)
	}
	g.sameMoment()
	if g.when != nil {
		g.to.Set("when", []byte("["+strings.Join(g.when, ",")+"]"))
	}
	g.timeout()
	g.onFailure()
	g.environment()
	for _, key := range g.keys {
		switch {
		case slices.Contains(g.client.carried, key):
		case ours(key):
			g.to.Set(key, strictjson.Compact(nil, g.value(key).Raw))
		case why(key) != "":
			if g.value(key).Type != gjson.False { // which is what is so without it
				g.say(LeftOut, key, "%q is not carried: %s", key, why(key))
			}
		default:
			g.say(LeftOut, key, "%s passes over %s", g.client.name, brief(key))
		}
	}
	if before := g.event.Canonical() == protocol.PreTool; !before {
		g.item(Differs, g.path+".command", g.value("command").Index,
			`at %s an exit code holds nothing up here, and in %s 2 does: let the hook print {"decision": "block", "reason": "…"} and end with 0`, g.event.Canonical(), g.client.name)
	}
	if g.client.otherWords {
		g.item(Differs, g.path+".command", g.value("command").Index,
			`an answer of the hook must be in hookrun's words: "block" for "deny", "permissionDecision": "ask" for "ask", "updatedInput" for "tool_input"; another one is unreadable, and blocks a tool call with a reason of hookrun's own`)
	}
	g.add(name)
}

// set puts a value into the entry.
func (g *handler) set(key string, v any) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // texts, lists and maps of them have a JSON form
	g.to.Set(key, []byte(strings.TrimSpace(b.String())))
}

// add puts the entry behind the others, under a name that is its own.
func (g *handler) add(name string) {
	text := name + "\x00" + inJSON(g.to)
	if source, ok := g.there[text]; ok {
		g.item(Changed, g.path, g.entry.Index, "this hook says the same as that of %s, and is there once", source)
		return
	}
	g.there[text] = g.hook.Source()
	if same := g.hook.Same; same != "" {
		key := string(g.event) + "\x00" + same
		others := g.said[key]
		for _, other := range others[:min(len(others), 100)] {
			if overlap(g.hook.Matcher, other.Matcher) {
				g.item(Differs, g.path, g.entry.Index, "%s runs this hook and that of %s once where a call is for both; here each of them runs", g.client.name, other.Source())
				break
			}
		}
		g.said[key] = append(others, g.hook)
	}
	if name == "" {
		name = nameOf(g.hook.Command)
	}
	g.result.Entries = append(g.result.Entries, append(Entry{{Key: "name", Value: strictjson.AppendString(nil, g.names.free(name))}}, g.to...))
	g.result.Sources = append(g.result.Sources, g.hook.Source())
	g.result.places = append(g.result.places, g.problem(g.entry.Index, ""))
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
	if name := g.value("name"); slices.Contains(g.client.carried, "name") && strings.TrimSpace(name.String()) != "" {
		return name.String()
	}
	return ""
}

// nameOf makes a name of a command: that of the first file in it, else its first word.
func nameOf(c projecthooks.Command) string {
	words := strings.FieldsFunc(c.String(), func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'`;|&()<>=", r) })
	for _, w := range words {
		if base := path.Base(w); base != w && base != "null" && !strings.HasPrefix(w, "/bin/") && !strings.HasPrefix(w, "/usr/bin/") {
			words = []string{strings.TrimSuffix(base, path.Ext(base))}
			break
		}
	}
	if len(words) == 0 {
		return "hook"
	}
	name := strings.Map(func(r rune) rune {
		if r < 0x80 && strings.ContainsRune(letters+"-.", r) {
			return r
		}
		return -1
	}, words[0])
	if name = strings.Trim(name[:min(len(name), 40)], "-."); name == "" {
		return "hook"
	}
	return name
}

// command carries what the hook runs. A line for a shell that is not sh is given to that one.
func (g *handler) command() {
	c := g.hook.Command
	line := g.value("command").String() // not the one of this system alone, and without the values of variables
	shell := g.value("shell")
	switch {
	case c.Argv != nil:
		quoted := g.quoted(c.Argv)
		set := g.variables(quoted)
		if set == "" {
			g.set("command", c.Argv)
			break
		}
		g.set("command", set+"exec "+quoted)
		g.say(Changed, "command", "it is a line for sh here, which sets the client's variables: %s", strings.TrimSuffix(set, "; "))
		return
	case c.PowerShell:
		g.set("command", []string{"pwsh", "-NoProfile", "-NonInteractive", "-Command", line})
		if g.variables(line) != "" {
			g.say(Differs, "command", "hookrun does not set the variables of %s for entries; for the project's folder write HOOKRUN_WORKSPACE", g.client.name)
		}
	default:
		set := g.variables(line)
		if set != "" {
			g.say(Changed, "command", "the line sets the client's variables first: %s", strings.TrimSuffix(set, "; "))
		}
		if c.Bash && strings.Trim(line, letters+"./ $\"-") != "" || slices.Contains(g.client.carried, "shell") && shell.String() == "bash" {
			g.set("command", []string{"bash", "-c", set + line})
			g.say(Changed, "command", "%s runs it with bash, so the entry names it", g.client.name)
		} else {
			g.set("command", set+line)
		}
	}
	if c.Bash && line != c.Shell {
		g.say(Differs, "command", "%s puts the values of variables into the line before a shell reads it, also between single quotes", g.client.name)
	}
}

// variables is what a line must begin with so that it finds the client's variables, which hookrun does not set for entries. A line
// without a path in it needs none: what is no file of the project does not know them.
func (g *handler) variables(line string) string {
	const folder = "/\x00"
	environment := g.client.dialect.Environment
	if environment == nil {
		return ""
	}
	var set []string
	for _, v := range environment(&protocol.Call{Workspace: folder, Event: g.event}) {
		name, value, _ := strings.Cut(v, "=")
		switch {
		case value != folder && strings.Contains(line, name):
			g.say(Differs, "command", "hookrun sets no variable %s for entries", name)
		case value == folder && (strings.Contains(line, "/") || strings.Contains(line, name)):
			set = append(set, name+`="$HOOKRUN_WORKSPACE"`)
		}
	}
	if set == nil {
		return ""
	}
	return "export " + strings.Join(set, " ") + "; "
}

// pluginRoot is the variable with the folder of a plugin. It is among those of the entry.
const pluginRoot = "CLAUDE_PLUGIN_ROOT"

// quoted writes arguments as a line for sh, in which variables stand where they do in arguments.
func (g *handler) quoted(argv []string) string {
	var words []string
	for _, a := range argv {
		if a != "" && strings.Trim(a, letters+"-./:=@,+%") == "" {
			words = append(words, a)
			continue
		}
		word := "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		for _, name := range []string{"CLAUDE_PROJECT_DIR", pluginRoot} {
			word = strings.ReplaceAll(word, "${"+name+"}", `'"$`+name+`"'`)
		}
		if short := strings.TrimPrefix(word, "''"); short != "" {
			word = short
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// sameMoment narrows an entry to calls of the hook's event, where the client has several for one moment.
func (g *handler) sameMoment() {
	for _, e := range g.client.dialect.Events() {
		if e != g.event && e.Canonical() == g.event.Canonical() {
			g.when = append(g.when, `{"path": "hook_event_name", "equals": `+strconv.Quote(string(g.event))+`}`)
			g.item(Changed, g.path+".command", g.entry.Index, `%s is %s with a condition in "when" here: that moment is for tools that ran and for those that failed`, g.event, g.event.Canonical())
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
		g.say(Changed, "timeout", "%s is %s here", raw.Raw, text)
	case limit != protocol.Tenex.Timeout:
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

// onFailure carries what a hook without an answer amounts to, where that is not so by itself.
func (g *handler) onFailure() {
	from, to := &protocol.Call{Event: g.event}, &protocol.Call{Event: g.event.Canonical()}
	policy := map[string]string{}
	for _, cause := range protocol.Tenex.Causes {
		wanted := g.client.dialect.FailureMeans(from, cause, g.hook.OnFailure)
		if cause == protocol.CauseOutput && g.client.otherWords {
			continue // it may be a deny
		}
		if wanted != protocol.Tenex.FailureMeans(to, cause) {
			policy[string(cause)] = wanted.String()
		}
	}
	if len(policy) > 0 {
		g.set("on_failure", policy)
	}
	if g.value("onFailure").Exists() {
		g.say(Differs, "onFailure", `"onFailure" is "on_failure" here, which is not for exit codes, nor for an answer with another event's name: before a tool the first always block, the second counts for what it says`)
	}
}

// environment carries the variables that the file gives the hook.
func (g *handler) environment() {
	env := map[string]string{}
	for _, v := range g.hook.Environment() {
		name, value, _ := strings.Cut(v, "=")
		own := g.value("env").Get(gjsonKey(name))
		if own.Exists() && own.Type == gjson.String && own.String() != value { // nobody wants the value of a token in the project's file
			g.item(LeftOut, g.path+".env."+escaped(name), own.Index, "the variable %s is not carried: %s has another variable in it, and entries have texts alone", brief(name), brief(own.String()))
			continue
		}
		env[name] = value
	}
	if root := env[pluginRoot]; root != "" && g.client.env != "" {
		g.item(Changed, g.path+".command", g.value("command").Index, "the plugin's folder is written out in \"env\": %s", root)
	}
	if len(env) > 0 {
		g.set("env", env)
	}
}

// gjsonKey is a name as a path of gjson's.
func gjsonKey(name string) string {
	var b strings.Builder
	for _, r := range name {
		if !strings.ContainsRune(letters, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
