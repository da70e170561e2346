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
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/registry"
	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/internal/strictjson"
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
type Entry = strictjson.Fields

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
	file, err := hookfile.ParseNormalized(path, doc, as)
	if err != nil {
		return nil, err
	}
	r := &reader{path: path, dialect: file.Dialect, form: file.Dialect.Files, file: file, doc: file.Document,
		result: &Result{}, equal: map[string][]carried{}, there: map[string]string{}, names: names{},
		items: map[string]bool{}}
	if r.dialect == registry.Project() {
		return nil, errors.New(path + " is in the form of .tenex-hooks.json already; there is nothing to import")
	} else if !r.dialect.HasForm() {
		return nil, fmt.Errorf("%s is in the form of %s, and not in that of %s", path, r.dialect.Name,
			registry.ImportList())
	}
	r.result.Client = r.form.Client
	if r.doc == nil { // the client drops the file whole, and so does hookrun
		for _, w := range file.Warnings {
			r.result.Report = append(r.result.Report, Item{LeftOut, w, []string{"hooks"}})
		}
		return r.result, nil
	}
	r.settings()
	if !r.off {
		r.notes()
		for i := range r.doc.Entries {
			(&handler{reader: r, entry: &r.doc.Entries[i], hook: &file.Hooks[i]}).convert()
		}
	}
	for _, name := range r.disabled {
		if !name.used {
			r.item(LeftOut, name.Path, name.At, "%q switches off no hook of this file", name.Text)
		}
	}
	for _, w := range file.Warnings {
		if w.Unit {
			r.result.Report = append(r.result.Report, Item{Kind: Note, Diagnostic: w})
		}
	}
	if len(r.result.Entries) == 0 && r.doc.EnvAt.Line > 0 {
		r.item(LeftOut, "env", r.doc.EnvAt, "the variables are for hooks, and there is none that could be carried")
	}
	slices.SortStableFunc(r.result.Report, func(a, b Item) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	r.ofFile()
	return r.result, nil
}

// ofFile reports what is about the file as a whole.
func (r *reader) ofFile() {
	add := func(text string, paths []string) {
		r.result.Report = append(r.result.Report, Item{Note, hook.Diagnostic{File: r.path, Text: text}, paths})
	}
	if own := r.doc.OwnSettings(); len(own) > 0 {
		add(r.form.Client+"'s own settings stay where they are: "+spelling.Brief(strings.Join(own, ", "), 200), own)
	}
	if len(r.result.Entries) == 0 {
		return
	}
	if r.dialect.Run.Parallel {
		add("here hooks run one after the other in the order of the file, and the first block ends the call; "+
			r.form.Client+" runs all of them at once", nil)
	}
	add("the hooks are still in this file: when its client runs hookrun, take them out here, or each runs twice", nil)
}

// reader turns the hooks of a file into entries.
type reader struct {
	path    string
	dialect *dialect.Dialect
	form    *dialect.Files
	file    *hookfile.Normalized
	doc     *dialect.Document
	result  *Result

	off      bool // all hooks are switched off
	disabled []*switchedOff
	equal    map[string][]carried // equal hooks of an event
	there    map[string]string    // entries, and where they are from
	names    names                // of the entries
	items    map[string]bool      // of the report: several hooks have one matcher
}

// switchedOff is the name of a hook that the settings switch off.
type switchedOff struct {
	dialect.DisabledName
	used bool
}

// place is a position in the file.
func (r *reader) place(at dialect.Position, text string) hook.Diagnostic {
	return hook.Diagnostic{File: r.path, Line: at.Line, Column: at.Column, Text: text}
}

func (r *reader) item(kind Kind, path string, at dialect.Position, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if key := path + "\x00" + text; !r.items[key] {
		r.items[key] = true
		r.result.Report = append(r.result.Report, Item{kind, r.place(at, text), []string{path}})
	}
}

// settings reports what the document says of all hooks.
func (r *reader) settings() {
	for _, s := range r.doc.Switches {
		if s.Off {
			const text = "%q switches all hooks of %s off, so none is carried; take it out to import them"
			r.off = true
			r.result.Report = append(r.result.Report, Item{LeftOut,
				r.place(s.KeyAt, fmt.Sprintf(text, s.Name, r.form.Client)), []string{s.Path, "hooks"}})
		}
	}
	for _, name := range r.doc.Disabled {
		r.disabled = append(r.disabled, &switchedOff{DisabledName: name})
	}
	for _, n := range r.doc.Notes {
		if n.Kind == dialect.Limit {
			r.item(Changed, n.Path, n.At, "%q is not carried as such: hooks that it forbids are left out, and so are "+
				"variables", n.Name)
		}
	}
}

// notes reports what in the file makes no hook.
func (r *reader) notes() {
	for _, n := range r.doc.Notes {
		switch n.Kind {
		case dialect.Overwritten:
			r.item(LeftOut, n.Path, n.At, "%s takes the last of two equal keys, and not this one", r.form.Client)
		case dialect.NoEvent:
			r.item(LeftOut, n.Path, n.At, "%s has no event %s, so none of these hooks ever runs there", r.form.Client,
				brief(n.Name))
		case dialect.AtEvent:
			if r.dialect.Install != nil && !r.installed(protocol.Event(n.Name)) {
				const text = "these hooks run once hookrun has an entry at %s: run hookrun install %s (again)"
				r.item(Note, n.Path, n.At, text, n.Name, r.dialect.Name)
			}
		case dialect.PassedOver:
			r.item(LeftOut, n.Path, n.At, "%s passes over %s", r.form.Client, brief(n.Name))
		case dialect.InTurn:
			r.item(Note, n.Path, n.At, "%q: here all hooks run one after the other, whatever this says", n.Name)
		case dialect.EmptyGroup:
			r.item(LeftOut, n.Path, n.At, "this group has no hooks")
		case dialect.EmptyCommand:
			r.item(LeftOut, n.Path, n.At, "%s skips a hook with an empty command", r.form.Client)
		}
	}
}

// installed reports whether the hooks of an event run where `hookrun install` puts hookrun: at that event, or at
// another one of the same call.
func (r *reader) installed(event protocol.Event) bool {
	return slices.ContainsFunc(r.dialect.Install.Events, func(name string) bool {
		e := protocol.Event(name)
		return e == event || r.dialect.Of(event) != r.dialect && dialect.Canonical(e) == dialect.Canonical(event)
	})
}

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
