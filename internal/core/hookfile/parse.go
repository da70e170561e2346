package hookfile

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/internal/lib/strictjson/document"
)

// fileKeys are the keys of a hooks file at every level.
var fileKeys = []string{"hooks", "tools", "inherit_env", "wrappers", "max_stop_blocks", "packs", "except", "ask",
	"observe", "approvable", "mode", "observe_until"}

// parser makes a Config of a document.
type parser struct {
	*document.Reader
	parts   Parts
	clients dialect.Clients // of parts, never nil
	source  File
	content string // of the file
	level   hook.Level
	ownForm bool             // the file is in hookrun's form in any case
	client  *dialect.Dialect // the client of the folder, and how it treats a fault
	onFault dialect.OnFault
	config  Config

	as        *dialect.Dialect     // the dialect of a flag; nil: no flag
	dialect   *dialect.Dialect     // the dialect of the file's form
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

func (p *parser) topLevel(top document.Value) {
	if top.Name = "a hooks file"; !top.IsObject() {
		top.WrongType(`an object, as {"hooks": […]}`)
		return
	}
	// The form of "hooks" decides by which rules the file is read, so "hooks" comes first.
	var form gjson.Result
	for key, value := range top.Members("") {
		if key.Key == "hooks" {
			form = value.Result
		}
	}
	if d := p.dialectOfFile(form); d != nil {
		p.dialect = d
		p.normalize(p.Text)
		return
	}
	fields := top.Fields(p.topKeys(top)...)
	p.levelFields(fields)
	p.tools(fields["tools"])
	p.wrappers(fields["wrappers"])
	if inherit, ok := fields["inherit_env"]; ok {
		p.inherit = (&reader{p, inherit}).inherit()
	}
	if stops, ok := fields["max_stop_blocks"]; ok {
		p.maxStopBlocks = (&reader{p, stops}).number(maxStopBlocks)
	}
	if mode, ok := fields["mode"]; ok {
		p.observe = (&reader{p, mode}).observes()
	}
	if until, ok := fields["observe_until"]; ok {
		p.observeUntil = (&reader{p, until}).dayAfter()
		defer p.checkUntil(until)
	}
	p.packs(fields)
	hooks, want := fields["hooks"], "an array"
	if p.ownForm && hooks.IsObject() {
		want += " in the " + p.level.String() + " file (hookrun import makes one of a client's form)"
	}
	first := map[string]*hook.Hook{}
	n := 0
	for entry := range hooks.Elements(want, "") {
		n++
		h, ok := p.hook(entry, n)
		if !ok {
			continue // the file is refused, so no caller sees its hooks
		}
		switch other := first[h.Name]; {
		case other == nil:
			first[h.Name] = &h
		case other.Line == h.Line:
			p.Warnings = append(p.Warnings,
				duplicateName(&h, fmt.Sprintf("line %d, column %d", h.Line, other.Column)))
		default:
			p.Warnings = append(p.Warnings, duplicateName(&h, "line "+strconv.Itoa(other.Line)))
		}
		p.config.Hooks = append(p.config.Hooks, h)
	}
}

// checkUntil reports the file's "observe_until" if no hook of the file observes.
func (p *parser) checkUntil(until document.Value) {
	if !p.observe && !slices.ContainsFunc(p.config.Hooks, func(h hook.Hook) bool { return h.Observe }) {
		until.Problem(`"observe_until": no hook of this file only observes; ` +
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
func (p *parser) tools(names document.Value) {
	if !names.Exists() {
		return
	}
	p.toolNames = map[string]string{}
	p.config.tools = []levelTools{{p.level, p.toolNames}}
	for key, value := range names.Members(`an object, as {"a_client's_tool": "shell"}`) {
		theirs := key.Key
		switch {
		case strings.TrimSpace(theirs) == "":
			key.Problem(`"tools" has an empty name; write that of a client's tool`)
		case value.Type == gjson.Null:
			p.toolNames[theirs] = ""
		case value.Type != gjson.String:
			value.Name = `"tools": ` + quote(theirs)
			value.WrongType("the project's name for that tool, a string, or null if it has no other name")
		case strings.TrimSpace(strictjson.Text(value.Raw)) == "":
			value.Problem(`"tools": %s has an empty name; write the project's for that tool`, quote(theirs))
		default:
			p.toolNames[theirs] = strictjson.Text(value.Raw)
		}
	}
}

// wrappers reads the names of programs that run the command in their arguments.
func (p *parser) wrappers(names document.Value) {
	for name, v := range names.Texts(`a list of names of programs, as ["inhouse"]`, `a name in "wrappers"`) {
		switch {
		case name == "":
			v.Problem(`"wrappers" has an empty name; write that of a program`)
		case strings.ContainsAny(name, `/\`):
			v.Problem(`"wrappers": %s is a path; write the program's name alone, which counts in every folder`,
				quote(name))
		case strings.ContainsAny(name, " \t\n\v\f\r"):
			v.Problem(`"wrappers": %s has a blank; write the name of one program, without its arguments`,
				quote(name))
		case slices.Contains(p.config.wrappers, name):
			v.Problem(`"wrappers" has %s twice; leave one out`, quote(name))
		default:
			p.config.wrappers = append(p.config.wrappers, name)
		}
	}
}
