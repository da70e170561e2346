// Package hookimport converts the hooks in a client's file to entries of .tenex-hooks.json, and reports differences.
//
//	result, err := hookimport.Read(".claude/settings.json", nil)
//	…
//	for _, item := range result.Report {
//		fmt.Println(item.Kind, item)
//	}
//	text, err := hookimport.Add(".tenex-hooks.json", old, result)
//
// Guaranteed: if a file does not load, the error has all positions. Every value of a file is in an entry, or in the
// report with its path. All entries load. An entry keeps the client's rules, so a hook gives a call the same verdict as
// in the client's file.
//
// Not guaranteed: hooks at the same time. Several hooks at one call run in turn, in the order of the file, and the
// first block ends the call.
package hookimport

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sort"
	"strings"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/core/tenex"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/internal/lib/strictjson/document"
	"github.com/hookrun/hookrun/protocol"
)

// Kind is the kind of an item.
type Kind string

// Kinds of items.
const (
	Changed Kind = "changed"  // the same meaning in other words
	Wider   Kind = "wider"    // the entry is for more calls
	LeftOut Kind = "left_out" // not imported
	Note    Kind = "note"     // true of every file of the client, or not about hooks
)

// Item is a fact that the user of an import must know.
type Item struct {
	Kind Kind `json:"kind"`
	hook.Diagnostic
	// Paths are paths in the client's file, such as hooks.PreToolUse.0.matcher, with all values below them.
	Paths []string `json:"paths,omitempty"`
}

// Entry is an entry of .tenex-hooks.json.
type Entry = strictjson.Fields

// Result is the result of importing a file.
type Result struct {
	Client  string
	Entries []Entry
	Sources []string // file:line of each entry
	Report  []Item

	positions []hook.Diagnostic // of the entries, without a text
}

// Faithful reports whether the import left out no value, so all hooks work as in the client, except as the report says.
func (r *Result) Faithful() bool {
	return !slices.ContainsFunc(r.Report, func(i Item) bool { return i.Kind == LeftOut })
}

// Read imports a file. as is the dialect of the file; if nil, the path tells the dialect.
func Read(path string, as *dialect.Dialect) (*Result, error) {
	doc, err := hookfile.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, doc, as)
}

// Parse imports the text of a file.
func Parse(path string, doc []byte, as *dialect.Dialect) (*Result, error) {
	file, err := parts.All().ParseNormalized(path, doc, as)
	if err != nil {
		return nil, err
	}
	r := &reader{path: path, dialect: file.Dialect, form: file.Dialect.Files, file: file, doc: file.Document,
		result: &Result{}, equal: map[string][]carriedHook{}, sources: map[string]string{}, names: names{},
		items: map[string]bool{}}
	if r.dialect == tenex.Dialect {
		return nil, errors.New(path + " is in the form of .tenex-hooks.json already; there is nothing to import")
	} else if !r.dialect.HasHooksFile() {
		return nil, fmt.Errorf("%s is in the form of %s, and not in that of %s", path, r.dialect.Name,
			clients.All().ImportList())
	}
	r.result.Client = r.form.Client
	if r.doc == nil { // the client ignores the whole file, and so does hookrun
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
	sort.SliceStable(r.result.Report, func(i, j int) bool {
		a, b := &r.result.Report[i], &r.result.Report[j]
		return a.Line < b.Line || a.Line == b.Line && a.Column < b.Column
	})
	r.fileNotes()
	return r.result, nil
}

// fileNotes adds the notes about the file as a whole.
func (r *reader) fileNotes() {
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

// reader converts the hooks of a file to entries.
type reader struct {
	path    string
	dialect *dialect.Dialect
	form    *dialect.Files
	file    *hookfile.Normalized
	doc     *dialect.Document
	result  *Result

	off      bool // all hooks are switched off
	disabled []*switchedOff
	equal    map[string][]carriedHook // hooks that the client treats as equal, by event and key
	sources  map[string]string        // source of each entry, by name and JSON
	names    names                    // taken by entries
	items    map[string]bool          // already reported: several hooks share a matcher
}

// switchedOff is the name of a hook that the settings switch off.
type switchedOff struct {
	dialect.DisabledName
	used bool
}

// diagnostic returns a diagnostic with a position in the file.
func (r *reader) diagnostic(at document.Position, text string) hook.Diagnostic {
	return hook.Diagnostic{File: r.path, Line: at.Line, Column: at.Column, Text: text}
}

func (r *reader) item(kind Kind, path string, at document.Position, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if key := path + "\x00" + text; !r.items[key] {
		r.items[key] = true
		r.result.Report = append(r.result.Report, Item{kind, r.diagnostic(at, text), []string{path}})
	}
}

// settings reports the document's settings for all hooks.
func (r *reader) settings() {
	for _, s := range r.doc.Switches {
		if s.Off {
			const text = "%q switches all hooks of %s off, so none is carried; take it out to import them"
			r.off = true
			r.result.Report = append(r.result.Report, Item{LeftOut,
				r.diagnostic(s.KeyAt, fmt.Sprintf(text, s.Name, r.form.Client)), []string{s.Path, "hooks"}})
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

// notes reports the parts of the file that become no entry.
func (r *reader) notes() {
	for _, n := range r.doc.Notes {
		switch n.Kind {
		case dialect.Overwritten:
			r.item(LeftOut, n.Path, n.At, "%s takes the last of two equal keys, and not this one", r.form.Client)
		case dialect.NoEvent:
			r.item(LeftOut, n.Path, n.At, "%s has no event %s, so none of these hooks ever runs there", r.form.Client,
				brief(n.Name))
		case dialect.AtEvent:
			c, known := clients.All().ClientNamed(r.dialect.Name)
			if known && !r.installed(c, protocol.Event(n.Name)) {
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

// installed reports whether an event's hooks run at the events of `hookrun install`: the event itself, or another event
// of the same call.
func (r *reader) installed(c *client.Client, event protocol.Event) bool {
	return slices.ContainsFunc(c.Install.Events, func(name string) bool {
		e := protocol.Event(name)
		return e == event ||
			r.dialect.Of(event) != r.dialect && clients.All().Common(e) == clients.All().Common(event)
	})
}

func brief(s string) string { return spelling.Quote(s) }

// Append adds the entries and the report of another file. An entry that equals an existing one except for the name is
// skipped, and an entry with a taken name gets a number.
func (r *Result) Append(more *Result) {
	taken, there := names{}, map[string]string{}
	for i, e := range r.Entries {
		taken.free(nameIn(e))
		there[entryJSON(e[1:])] = r.Sources[i]
	}
	for i, e := range more.Entries {
		if source, ok := there[entryJSON(e[1:])]; ok {
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

// Watch adds "files" to an entry: the files of the project that its command names. The command may run others, which a
// note in the entry and in the report says.
func (r *Result) Watch(entry int, named []string) {
	files, but := []string{}, "nothing of it is watched"
	for _, name := range named {
		isGlob := strings.ContainsAny(name, `*?[\:`) // or has a drive
		if fs.ValidPath(name) && !isGlob && !strings.HasPrefix(name, "node_modules/") {
			files = append(files, name)
		}
	}
	if len(named) > 0 {
		but = "nothing but " + strings.Join(named, ", ") + " is watched"
	}
	note := "files: what this command runs of the project cannot be told; " + but
	e := slices.Clone(r.Entries[entry])
	e.Set("files", []byte(text(files)))
	e.Set("x-note", []byte(text(note)))
	r.Entries[entry] = e
	at := r.positions[entry]
	at.Text = nameIn(e) + ": " + note
	r.Report = append(r.Report, Item{Kind: Note, Diagnostic: at})
}

func nameIn(e Entry) string { return strictjson.Text(string(e.Get("name"))) }
