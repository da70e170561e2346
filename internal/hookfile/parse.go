package hookfile

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/internal/strictjson"
)

// fileKeys are the keys of a hooks file at every level.
var fileKeys = []string{"hooks", "tools", "inherit_env", "wrappers", "max_stop_blocks", "packs", "except", "ask",
	"observe", "approvable", "mode", "observe_until"}

// parser walks a document that strictjson found well-formed, and collects problems instead of stopping at the first.
// gjson returns each key and value with an offset. Equal keys are reported before, so first or last does not matter.
type parser struct {
	parts    Parts
	clients  dialect.Clients // of parts, never nil
	source   File
	text     string // content of the file
	file     string
	level    hook.Level
	ownForm  bool             // the file is in hookrun's form in any case
	client   *dialect.Dialect // the client of the folder, and how it treats a fault
	onFault  dialect.OnFault
	doc      string
	locator  strictjson.Locator
	config   Config
	problems hook.Diagnostics

	as        *dialect.Dialect     // the dialect of a flag; nil: no flag
	dialect   *dialect.Dialect     // the dialect of the file's form
	form      *dialect.Files       // nil: not in a client's form
	document  *dialect.Document    // nil: not in a client's form
	inOrder   []hook.Hook          // hooks in the order of document
	settings  *hook.ClientSettings // of a file in a client's form
	known     []string             // result of knownTools
	entryKeys []string             // result of entryKeys
	inherit   *hook.Inherited      // for hooks without inherit_env
	toolNames map[string]string    // the project's names for clients' tools, by the client's name

	maxStopBlocks int       // for all hooks of the file
	observe       bool      // for all hooks of the file without a mode
	observeUntil  time.Time // for all observing hooks of the file without an own day
}

// maxStopBlocks bounds how often a hook may send an agent back to work. A larger number is a typing error.
const maxStopBlocks = 100

func (p *parser) at(offset int, text string) hook.Diagnostic {
	line, col := p.locator.Position(offset)
	return hook.Diagnostic{File: p.file, Line: line, Column: col, Text: text}
}

func (p *parser) problem(offset int, format string, args ...any) {
	p.problems = append(p.problems, p.at(offset, fmt.Sprintf(format, args...)))
}

// fields returns the members of an object by key. A key that is not in known is a problem, unless it is $schema or
// starts with x-.
func (p *parser) fields(object gjson.Result, known []string) map[string]gjson.Result {
	found := map[string]gjson.Result{}
	object.ForEach(func(key, value gjson.Result) bool {
		name := key.String()
		if slices.Contains(known, name) {
			found[name] = value
		} else if !dialect.OwnKey(name) {
			p.problem(key.Index, "unknown key %s%s", quote(name), keyHint(name, known))
		}
		return true
	})
	return found
}

// keyHint is hint for the key of a file, and knows other programs' words for some keys.
func keyHint(wrong string, known []string) string {
	for _, k := range []struct{ word, key string }{
		{"cmd", "command"}, {"run", "command"}, {"exec", "command"}, {"script", "command"}, {"on", "events"},
		{"tool", "matcher"}, {"tools", "matcher"}, {"deny", "block"}, {"reason", "block"},
	} {
		if k.word == strings.ToLower(wrong) && slices.Contains(known, k.key) {
			wrong = k.key
		}
	}
	return hint(wrong, known)
}

func hint(wrong string, known []string) string { return spelling.Hint(wrong, known) }

func quote(s string) string { return spelling.Quote(s) }

func brief(s string) string { return spelling.Brief(s, 80) }

func (p *parser) wrongType(what, want string, got gjson.Result) {
	p.problems = append(p.problems, p.at(got.Index, what+" must be "+want+", not "+dialect.TypeName(got)))
}

func (p *parser) topLevel() {
	top := gjson.Parse(p.doc)
	if !top.IsObject() {
		p.problem(len(p.doc)-len(strings.TrimLeft(p.doc, " \t\r\n")),
			"a hooks file must be an object, as {\"hooks\": […]}, not %s", dialect.TypeName(top))
		return
	}
	// The form of "hooks" decides by which rules the file is read, so "hooks" comes first.
	var form gjson.Result
	top.ForEach(func(key, value gjson.Result) bool {
		if key.String() == "hooks" {
			form = value
		}
		return true
	})
	if d := p.formOf(form); d != nil {
		p.dialect = d
		p.normalize(p.doc)
		return
	}
	fields := p.fields(top, p.topKeys(top))
	p.levelFields(fields)
	p.tools(fields["tools"])
	p.wrappers(fields["wrappers"])
	if inherit, ok := fields["inherit_env"]; ok {
		p.inherit = (&reader{p, "", "inherit_env", inherit}).inherit()
	}
	if stops, ok := fields["max_stop_blocks"]; ok {
		p.maxStopBlocks = (&reader{p, "", "max_stop_blocks", stops}).number(maxStopBlocks)
	}
	if mode, ok := fields["mode"]; ok {
		p.observe = (&reader{p, "", "mode", mode}).observes()
	}
	if until, ok := fields["observe_until"]; ok {
		p.observeUntil = (&reader{p, "", "observe_until", until}).dayAfter()
		defer p.checkUntil(until)
	}
	p.packs(fields)
	hooks, ok := fields["hooks"]
	if !ok {
		return
	}
	if !hooks.IsArray() {
		want := "an array"
		if p.ownForm && hooks.IsObject() {
			want += " in the " + p.level.String() + " file (hookrun import makes one of a client's form)"
		}
		p.wrongType(`"hooks"`, want, hooks)
		return
	}
	first := map[string]*hook.Hook{}
	n := 0
	hooks.ForEach(func(_, entry gjson.Result) bool {
		n++
		h, ok := p.hook(entry, n)
		if !ok {
			return true // the file is refused, so no caller sees its hooks
		}
		switch other := first[h.Name]; {
		case other == nil:
			first[h.Name] = &h
		case other.Line == h.Line:
			p.config.Warnings = append(p.config.Warnings,
				duplicateName(&h, fmt.Sprintf("line %d, column %d", h.Line, other.Column)))
		default:
			p.config.Warnings = append(p.config.Warnings, duplicateName(&h, "line "+strconv.Itoa(other.Line)))
		}
		p.config.Hooks = append(p.config.Hooks, h)
		return true
	})
}

// checkUntil reports the file's "observe_until" if no hook of the file observes.
func (p *parser) checkUntil(until gjson.Result) {
	if !p.observe && !slices.ContainsFunc(p.config.Hooks, func(h hook.Hook) bool { return h.Observe }) {
		p.problem(until.Index, `"observe_until": no hook of this file only observes; `+
			`add "mode": "observe", or leave it out`)
	}
}

// knownTools returns the tool names that a matcher can mean: names of clients, and names in the file's "tools".
func (p *parser) knownTools() []string {
	if p.known == nil {
		p.known = slices.Clone(p.clients.KnownTools())
		for _, theirs := range slices.Sorted(maps.Keys(p.toolNames)) {
			p.known = append(p.known, theirs)
			if here := p.toolNames[theirs]; here != "" {
				p.known = append(p.known, here)
			}
		}
	}
	return p.known
}

// tools reads the project's names for clients' tools. For a tool without another name, the value is null, and "" in
// toolNames.
func (p *parser) tools(names gjson.Result) {
	switch {
	case !names.Exists():
		return
	case !names.IsObject():
		p.wrongType(`"tools"`, `an object, as {"a_client's_tool": "shell"}`, names)
		return
	}
	p.toolNames = map[string]string{}
	p.config.tools = []levelTools{{p.level, p.toolNames}}
	names.ForEach(func(key, value gjson.Result) bool {
		theirs := strictjson.Text(key.Raw)
		switch {
		case strings.TrimSpace(theirs) == "":
			p.problem(key.Index, `"tools" has an empty name; write that of a client's tool`)
		case value.Type == gjson.Null:
			p.toolNames[theirs] = ""
		case value.Type != gjson.String:
			p.wrongType(`"tools": `+quote(theirs),
				"the project's name for that tool, a string, or null if it has no other name", value)
		case strings.TrimSpace(strictjson.Text(value.Raw)) == "":
			p.problem(value.Index, `"tools": %s has an empty name; write the project's for that tool`, quote(theirs))
		default:
			p.toolNames[theirs] = strictjson.Text(value.Raw)
		}
		return true
	})
}

// wrappers reads the names of programs that run the command in their arguments.
func (p *parser) wrappers(names gjson.Result) {
	switch {
	case !names.Exists():
		return
	case !names.IsArray():
		p.wrongType(`"wrappers"`, `a list of names of programs, as ["inhouse"]`, names)
		return
	}
	names.ForEach(func(_, v gjson.Result) bool {
		name, ok := (&reader{p, "", "wrappers", v}).text(v, `a name in "wrappers"`)
		switch {
		case !ok:
		case name == "":
			p.problem(v.Index, `"wrappers" has an empty name; write that of a program`)
		case strings.ContainsAny(name, `/\`):
			p.problem(v.Index, `"wrappers": %s is a path; write the program's name alone, which counts in every folder`,
				quote(name))
		case strings.ContainsAny(name, " \t\n\v\f\r"):
			p.problem(v.Index, `"wrappers": %s has a blank; write the name of one program, without its arguments`,
				quote(name))
		case slices.Contains(p.config.wrappers, name):
			p.problem(v.Index, `"wrappers" has %s twice; leave one out`, quote(name))
		default:
			p.config.wrappers = append(p.config.wrappers, name)
		}
		return true
	})
}
