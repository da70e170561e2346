package hookimport

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/install"
	"github.com/hookrun/hookrun/internal/clients/settings"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/internal/lib/strictjson/document"
)

// handler is the state of one hook's conversion.
type handler struct {
	*reader
	entry *dialect.Entry // of the file
	hook  *hook.Hook

	keys       []string // in the order of the file
	given      map[string]gjson.Result
	overridden map[string]gjson.Result // values that another key overrides
	to         Entry
	when       []string
}

// at returns the hook's position.
func (g *handler) at() document.Position { return g.entry.Position }

// leaveOut reports that the hook is not imported, and returns false.
func (g *handler) leaveOut(format string, args ...any) bool {
	g.item(LeftOut, g.entry.From.Path, g.at(), "this hook is not carried: "+format, args...)
	if g.entry.From.Matcher.Exists() { // the group's matcher goes with the hook
		last := &g.result.Report[len(g.result.Report)-1]
		last.Paths = append(last.Paths, g.entry.From.Group+".matcher")
	}
	return false
}

// value returns the value of a key of the hook, or a Result that does not exist.
func (g *handler) value(key string) gjson.Result { return g.given[key] }

// report adds an item about one of the hook's keys.
func (g *handler) report(kind Kind, key, format string, args ...any) {
	g.item(kind, g.pathOf(key), g.doc.At(g.value(key).Index), format, args...)
}

// pathOf returns the path of one of the hook's keys.
func (g *handler) pathOf(key string) string { return g.entry.From.Path + "." + settings.PathPart(key) }

func (g *handler) convert() {
	h := g.hook
	g.given, g.overridden = map[string]gjson.Result{}, map[string]gjson.Result{}
	for key, value := range g.entry.From.JSON.ForEach {
		g.keys = append(g.keys, key.String())
		g.given[key.String()] = value
	}
	for name, keys := range g.entry.From.KeyAliases {
		g.setFirst(name, keys)
	}
	name := g.givenName()
	for _, off := range g.disabled {
		if off.Text == name || name == "" && off.Text == g.value("command").String() {
			off.used = true
			g.leaveOut("%q in the settings switches it off", off.Text)
			return
		}
	}
	if g.entry.Off != "" {
		g.leaveOut("%s", g.entry.Off)
		return
	}
	if why := g.obstacle(h.IfText() + name); why != "" {
		g.leaveOut("%s", why)
		return
	}
	g.makeEntry(name)
}

// setFirst sets the value of an entry's key to the first existing one of the keys; the report gets other values.
func (g *handler) setFirst(name string, keys []string) {
	var counts gjson.Result
	for _, key := range keys {
		switch v, ok := g.given[key]; {
		case !ok:
		case !counts.Exists():
			counts = v
		case v.String() != counts.String():
			g.overridden[key] = v
		}
	}
	if counts.Exists() {
		g.given[name] = counts
	}
}

// hasUnderOtherKey reports whether the entry has the value of a client's key under another key.
func (g *handler) hasUnderOtherKey(key string) bool {
	return key == "matcher" && g.dialect.IsFlat(g.entry.Event) ||
		slices.Contains(g.entry.From.KeyAliases["command"], key) ||
		slices.Contains(g.entry.From.KeyAliases["timeout"], key)
}

// otherKeys copies the author's own keys, and reports the keys that the entry drops.
func (g *handler) otherKeys() {
	for _, key := range g.keys {
		switch v := g.overridden[key]; {
		case key == "timeout" && v.Exists():
			g.item(LeftOut, g.pathOf(key), g.doc.At(v.Index), "%q counts, and not this",
				g.entry.From.KeyAliases[key][0])
		case v.Exists():
			g.item(LeftOut, g.pathOf(key), g.doc.At(v.Index), "%q is not carried: an entry has one command for all "+
				"systems", key)
		case g.isCarried(key), g.hasUnderOtherKey(key):
		case document.OwnKey(key):
			g.to.Set(key, strictjson.Compact(nil, g.value(key).Raw))
		case notCarried()[key] != "":
			if g.value(key).Type != gjson.False { // false is the default
				g.report(LeftOut, key, "%q is not carried: %s", key, notCarried()[key])
			}
		default:
			g.report(LeftOut, key, "%s passes over %s", g.form.Client, brief(key))
		}
	}
}

// obstacle returns the reason why the hook cannot become an entry, or "". texts are the hook's own texts besides the
// matcher.
func (g *handler) obstacle(texts string) string {
	h, command := g.hook, g.value("command").String()
	switch rule := h.IfText(); {
	case h.Unsupported() != "":
		return "an entry runs a command or posts to a url, and this is of type " + h.Unsupported()
	case h.Request() == nil && strings.TrimSpace(command) == "":
		return "its command is blank, so it lets everything pass"
	case install.RunsHookrun(command):
		return "it runs hookrun, which would run this hook again"
	case rule != "" && (h.If.Malformed() || !clients.All().IsAboutTool(g.entry.Event)):
		return fmt.Sprintf("its if %s matches no call of this event, so it never runs", brief(rule))
	}
	if h.Request() != nil {
		if _, err := h.Endpoint(); err != nil {
			return err.Error() + ", so it is never sent"
		}
	}
	if strings.ContainsRune(texts+g.entry.From.Matcher.String(), 0) {
		return "its name, matcher or if has a NUL character, which no entry may have"
	}
	return ""
}

// hasOwnFolder reports whether the hook runs in a folder other than the workspace.
func (g *handler) hasOwnFolder() bool {
	return g.knows("cwd") && filepath.Clean(g.value("cwd").String()) != "."
}

// set sets a value of the entry.
func (g *handler) set(key string, v any) {
	g.to.Set(key, []byte(text(v)))
}

// text returns a value as JSON.
func text(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // cannot fail: v has only strings, lists and maps
	return strings.TrimSpace(b.String())
}

// add appends the entry to the result, under a name of its own.
func (g *handler) add(name string) {
	same := name + "\x00" + entryJSON(g.to)
	if source, ok := g.sources[same]; ok {
		g.item(Changed, g.entry.From.Path, g.at(), "this hook is the same as that of %s, and is there once", source)
		return
	}
	g.sources[same] = g.hook.Source()
	if !g.mergeEqual() {
		return
	}
	switch {
	case name != "":
	case g.hook.Request() != nil:
		name = nameOfURL(g.hook.Request().URL)
	default:
		name = nameOf(g.hook.Process().Command)
	}
	g.result.Entries = append(g.result.Entries,
		append(Entry{{Key: "name", Value: strictjson.AppendString(nil, g.names.free(name))}}, g.to...))
	g.result.Sources = append(g.result.Sources, g.hook.Source())
	g.result.positions = append(g.result.positions, g.diagnostic(g.at(), ""))
}

// mergeEqual reports whether to import the hook. Of several hooks that the client treats as equal, the client runs one
// for a call, so equal hooks with one matcher become one entry.
func (g *handler) mergeEqual() bool {
	if g.hook.DedupKey == "" {
		return true
	}
	key := string(g.entry.Event) + "\x00" + g.hook.DedupKey
	others := g.equal[key]
	for _, other := range others[:min(len(others), 100)] {
		if sameMatcher(g.hook.Matcher, other.hook.Matcher) {
			const text = "%s runs this hook and that of %s once, with what is written %s, and so does this entry"
			which := "there"
			if !g.hook.Dialect.Run.FirstOfEqual {
				entry := &g.result.Entries[other.entry]
				*entry = append(Entry{(*entry)[0]}, g.to...)
				which = "here"
			}
			g.item(Changed, g.entry.From.Path, g.at(), text, g.form.Client, other.hook.Source(), which)
			last := &g.result.Report[len(g.result.Report)-1]
			last.Paths = append(last.Paths, other.path)
			return false
		}
		if mayOverlap(g.hook.Matcher, other.hook.Matcher) {
			g.item(Wider, g.entry.From.Path, g.at(), // each run gives the same verdict
				"%s runs this hook and that of %s once where a call is for both; here each of them runs",
				g.form.Client, other.hook.Source())
			break
		}
	}
	g.equal[key] = append(others, carriedHook{g.hook, g.entry.From.Path, len(g.result.Entries)})
	return true
}

// carriedHook is a hook, the hook's path in the file, and the index of the entry.
type carriedHook struct {
	hook  *hook.Hook
	path  string
	entry int
}

func sameMatcher(a, b hook.Matcher) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return a.String() == b.String()
}

func entryJSON(e Entry) string {
	text, _ := e.MarshalJSON() // cannot fail: the values are JSON
	return string(text)
}

// names has the taken names, each with the highest number used with the name.
type names map[string]int

// free returns a name that is not taken yet, and takes the name.
func (n names) free(name string) string {
	for number := n[name] + 1; ; number++ {
		if try := numbered(name, number); n[try] == 0 {
			n[try]++
			n[name] = number
			return try
		}
	}
}

// numbered returns the nth variant of a name: name, name-2, name-3.
func numbered(name string, n int) string {
	if n == 1 {
		return name
	}
	return name + "-" + strconv.Itoa(n)
}

// givenName returns the hook's name in the file, or "".
func (g *handler) givenName() string {
	if name := g.value("name"); g.knows("name") && strings.TrimSpace(name.String()) != "" {
		return name.String()
	}
	return ""
}

// copyTimeout copies the hook's own deadline.
func (g *handler) copyTimeout() {
	limit := g.hook.Deadline(g.entry.Event)
	raw := g.value("timeout")
	seconds, err := strconv.ParseUint(raw.Raw, 10, 16)
	switch {
	case err == nil && time.Duration(seconds)*time.Second == limit && limit <= time.Hour:
		g.to.Set("timeout", []byte(raw.Raw))
	case raw.Exists() && raw.Type != gjson.Null:
		text := duration(limit)
		g.set("timeout", text)
		g.report(Changed, "timeout", "%s is %s here", raw.Raw, text)
	}
}

// duration returns a duration as text without zero units at the end.
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

// copyEnvironment copies the variables that the file sets for the hook.
func (g *handler) copyEnvironment() {
	env := map[string]string{}
	for _, v := range g.hook.Environment() {
		name, value, _ := strings.Cut(v, "=")
		if name == g.entry.From.Machine { // a path of this machine
			continue
		}
		own := g.value("env").Get(gjson.Escape(name))
		// keep a token's value out of the project's file
		if own.Type == gjson.String {
			value = own.String() // the entry expands variables like the client
		}
		env[name] = value
	}
	if root := env[g.entry.From.Plugin]; root != "" {
		g.item(Changed, g.pathOf("command"), g.doc.At(g.value("command").Index),
			"the plugin's folder is written out in \"env\": %s", root)
	}
	if len(env) > 0 {
		g.set("env", env)
	}
}
