// Package hookimport turns the hooks of a client's file into entries of .tenex-hooks.json, and reports what became of
// the rest.
//
//	result, err := hookimport.Read(".claude/settings.json", nil)
//	…
//	for _, item := range result.Report {
//		fmt.Println(item.Kind, item)
//	}
//	text, err := hookimport.Add(".tenex-hooks.json", old, result)
//
// Guarantees: a file that does not load is an error with all positions. Every value of a file is in an entry, or in
// the report with its path. All entries load. An entry keeps its client's rules, so each hook gives a call the verdict
// that it gave in the file that it came from.
//
// No guarantees: several hooks at one call run in turn, in the order of the file, and the first block ends the call.
package hookimport

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/registry"
	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/internal/toml"
	"github.com/hookrun/hookrun/protocol"
)

// Kind is the kind of an item.
type Kind string

// Kinds of items.
const (
	Changed Kind = "changed"  // it means the same in other words
	Wider   Kind = "wider"    // it is for more calls here
	LeftOut Kind = "left_out" // it is not there
	Note    Kind = "note"     // it is so with every file of the client, or has nothing to do with hooks
)

// Item is one thing that the reader of an import must know.
type Item struct {
	Kind Kind `json:"kind"`
	hook.Diagnostic
	// in the client's file, as hooks.PreToolUse.0.matcher; what is inside is meant too
	Paths []string `json:"paths,omitempty"`
}

// Entry is an entry of .tenex-hooks.json.
type Entry = protocol.Fields

// Result is what a file gave.
type Result struct {
	Client  string
	Entries []Entry
	Sources []string // file:line of each entry
	Report  []Item

	positions []hook.Diagnostic // of the entries, without a text
}

// Faithful reports whether all hooks do here what they do in their client, but for what the notes name.
func (r *Result) Faithful() bool {
	return !slices.ContainsFunc(r.Report, func(i Item) bool { return i.Kind == LeftOut })
}

// Read imports a file. as is whose form it is in, nil where its path tells that.
func Read(path string, as *dialect.Dialect) (*Result, error) {
	doc, err := hookfile.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, doc, as)
}

// Parse imports the text of a file.
func Parse(path string, doc []byte, as *dialect.Dialect) (*Result, error) {
	cfg, err := hookfile.ParseAs(path, doc, as)
	if err != nil {
		return nil, err
	}
	r := &reader{path: path, doc: strings.TrimPrefix(string(doc), "\ufeff"), hooks: cfg.Hooks, result: &Result{},
		equal: map[string][]carried{}, there: map[string]string{}, names: names{}, items: map[string]bool{}}
	r.locator.Doc = r.doc
	r.dialect = cfg.Dialect
	if r.form = r.dialect.Settings; r.dialect == registry.Project() {
		return nil, errors.New(path + " is in the form of .tenex-hooks.json already; there is nothing to import")
	} else if r.form == nil {
		return nil, fmt.Errorf("%s is in the form of %s, and not in that of %s", path, cfg.Dialect.Name,
			registry.ImportList())
	}
	r.result.Client = r.form.Client
	if r.form.OnFault == dialect.DropsFile {
		r.doc, _ = strictjson.BlankComments(r.doc)
	}
	r.flat = r.form.TopEvents != "" && filepath.Base(path) == r.form.TopEvents
	text := r.doc
	if f := r.dialect.Format; f.Is(path) {
		file := f.Read(r.doc)
		text, r.from, r.other = file.JSON, file.From, file.Others
	}
	hooks := r.json(text)
	if r.offBy == "" {
		r.events(hooks)
	}
	for _, name := range r.disabled {
		if !name.used {
			r.item(LeftOut, name.path, name.at, "%q switches off no hook of this file", name.text)
		}
	}
	for _, w := range cfg.Warnings {
		if strings.Contains(w.Text, `"timeout" is in `) { // somebody's other unit
			r.result.Report = append(r.result.Report, Item{Kind: Note, Diagnostic: w})
		}
	}
	if len(r.result.Entries) == 0 && r.env.Exists() {
		r.item(LeftOut, "env", r.env.Index, "the variables are for hooks, and there is none that could be carried")
	}
	slices.SortStableFunc(r.result.Report, func(a, b Item) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	ofFile := func(kind Kind, text string, paths []string) {
		r.result.Report = append(r.result.Report, Item{kind, hook.Diagnostic{File: path, Text: text}, paths})
	}
	if len(r.other) > 0 {
		names := spelling.Brief(strings.Join(r.other, ", "), 200)
		ofFile(Note, r.form.Client+"'s own settings stay where they are: "+names, r.other)
	}
	if len(r.result.Entries) > 0 {
		for _, text := range r.notes() {
			ofFile(Note, text, nil)
		}
	}
	return r.result, nil
}

// reader walks a file that loads, beside the hooks that were loaded from it.
type reader struct {
	path    string
	doc     string
	from    toml.Origins // of the pieces of the JSON that was made of a TOML file
	locator strictjson.Locator
	dialect *dialect.Dialect
	form    *dialect.Settings
	hooks   []hook.Hook
	result  *Result

	flat     bool                           // events stand at the top level
	loadedAt map[hook.Diagnostic]*hook.Hook // by their positions
	env      gjson.Result                   // of the settings
	other    []string                       // settings that are the client's
	offBy    string                         // what switches all hooks off
	disabled []*switchedOff
	equal    map[string][]carried // equal hooks of an event
	there    map[string]string    // entries, and where they are from
	names    names                // of the entries
	items    map[string]bool      // of the report: several hooks have one matcher
}

// switchedOff is the name of a hook that the settings switch off.
type switchedOff struct {
	text, path string
	at         int
	used       bool
}

func (r *reader) problem(at int, text string) hook.Diagnostic {
	line, column := r.locator.Position(r.from.Of(at))
	return hook.Diagnostic{File: r.path, Line: line, Column: column, Text: text}
}

func (r *reader) item(kind Kind, path string, at int, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if key := path + "\x00" + text; !r.items[key] {
		r.items[key] = true
		r.result.Report = append(r.result.Report, Item{kind, r.problem(at, text), []string{path}})
	}
}

// json looks at the settings of a file as JSON, and returns its hooks.
func (r *reader) json(text string) (hooks gjson.Result) {
	if r.flat {
		r.switchesWithin(gjson.Parse(text))
		return gjson.Parse(text)
	}
	gjson.Parse(text).ForEach(func(key, value gjson.Result) bool {
		switch name := key.String(); {
		case name == "hooks":
			hooks = value
			r.switchesWithin(hooks)
		case name == r.form.Off:
			if value.Bool() {
				r.switchOff(name, name, key.Index)
			}
		case name == "env" && has(r.form.Top, name):
			r.env = value
		case slices.Contains(forOthers, name) && has(r.form.Top, name):
			r.item(Changed, name, key.Index,
				"%q is not carried as such: hooks that it forbids are left out, and so are variables", name)
		case name == "hooksConfig" && has(r.form.Top, name):
			r.switchesOf(name, value)
		default:
			r.other = append(r.other, name)
		}
		return true
	})
	return hooks
}

// switchesWithin looks at the switches that stand beside the events.
func (r *reader) switchesWithin(hooks gjson.Result) {
	for i, m := range r.form.Within {
		if v, there := dialect.LastOf(hooks)[m.Key()]; there && i == 0 && v.Bool() {
			r.switchOff(m.Key(), r.pathOf(m.Key()), v.Index)
		}
	}
}

// pathOf is the path of an event.
func (r *reader) pathOf(event string) string {
	if r.flat {
		return escaped(event)
	}
	return "hooks." + escaped(event)
}

func (r *reader) switchOff(name, path string, at int) {
	r.offBy = name
	r.result.Report = append(r.result.Report,
		Item{LeftOut,
			r.problem(at,
				fmt.Sprintf("%q switches all hooks of %s off, so none is carried; take it out to import them", name,
					r.form.Client)), []string{path, "hooks"}})
}

// switchesOf looks at the settings about hooks that stand in an object of their own.
func (r *reader) switchesOf(name string, object gjson.Result) {
	object.ForEach(func(key, value gjson.Result) bool {
		path := name + "." + escaped(key.String())
		switch {
		case key.String() == "enabled":
			if !value.Bool() {
				r.switchOff("enabled", path, key.Index)
			}
		case key.String() == "disabled":
			for n, v := range value.Array() {
				r.disabled = append(r.disabled, &switchedOff{text: v.String(), path: path + "." + strconv.Itoa(n),
					at: v.Index})
			}
		default:
			r.other = append(r.other, path)
		}
		return true
	})
}

// events walks the groups of all events. Hooks of events that the client does not know were not loaded.
func (r *reader) events(hooks gjson.Result) {
	if !hooks.IsObject() {
		return
	}
	last := dialect.LastOf(hooks)
	hooks.ForEach(func(key, groups gjson.Result) bool {
		event := protocol.Event(key.String())
		path := r.pathOf(key.String())
		if has(r.form.Within, key.String()) {
			r.other = append(r.other, path)
			return true
		}
		if last[strictjson.Text(key.Raw)].Index != groups.Index {
			r.item(LeftOut, path, key.Index, "%s takes the last of two equal keys, and not this one", r.form.Client)
			return true
		}
		known := slices.Contains(r.dialect.FileEvents(), event)
		switch {
		case dialect.OwnKey(key.String()):
			r.other = append(r.other, path)
			return true
		case !known:
			r.item(LeftOut, path, key.Index, "%s has no event %s, so none of these hooks ever runs there",
				r.form.Client, brief(key.String()))
			return true
		}
		if at := r.dialect.Install; at != nil && !r.installed(event) {
			const text = "these hooks run once hookrun has an entry at %s: run hookrun install %s (again)"
			r.item(Note, path, key.Index, text, event, r.dialect.Name)
		}
		for n, group := range groups.Array() {
			r.group(event, group, path+"."+strconv.Itoa(n))
		}
		return true
	})
}

// installed reports whether the hooks of an event run where `hookrun install` puts hookrun: at that event, or at
// another one of the same call.
func (r *reader) installed(event protocol.Event) bool {
	return slices.ContainsFunc(r.dialect.Install.Events, func(name string) bool {
		e := protocol.Event(name)
		return e == event || r.dialect.Of(event) != r.dialect && e.Canonical() == event.Canonical()
	})
}

// escaped is a key as a part of a path.
func escaped(key string) string { return strings.NewReplacer(`\`, `\\`, ".", `\.`).Replace(key) }

func brief(s string) string { return spelling.Quote(s) }

// Append adds the entries and the report of another file. An entry that is there already, but for its name, is not
// there twice, and one whose name is taken gets a number.
func (r *Result) Append(more *Result) {
	taken, there := names{}, map[string]string{}
	for i, e := range r.Entries {
		taken.free(nameIn(e))
		there[inJSON(e[1:])] = r.Sources[i]
	}
	for i, e := range more.Entries {
		if source, ok := there[inJSON(e[1:])]; ok {
			r.Report = append(r.Report, Item{Kind: Changed, Diagnostic: more.positions[i]})
			r.Report[len(r.Report)-1].Text = "this hook is the same as that of " + source + ", and is there once"
			continue
		}
		e = slices.Clone(e)
		e.Set("name", strictjson.AppendString(nil, taken.free(nameIn(e))))
		r.Entries, r.Sources = append(r.Entries, e), append(r.Sources, more.Sources[i])
		r.positions = append(r.positions, more.positions[i])
	}
	r.Report = append(r.Report, more.Report...)
}

func nameIn(e Entry) string { return strictjson.Text(string(e.Get("name"))) }
