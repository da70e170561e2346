package settings

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/lib/strictjson/document"
)

// Document is a client's hooks file during Normalize, with the results so far. Clients often drop a faulty file or
// entry without a message; here the fault is an error. A field that a later version of the client may know is a
// warning.
type Document struct {
	*dialect.Document

	// Shared: plugins of all clients have a file with this name.
	Shared bool

	events         []string // the names of the client's events
	top            gjson.Result
	hookKeys       []string        // keys of top that are about hooks
	innerSettings  []string        // paths of other settings of the client, in an object about hooks
	closedTop      bool            // the top level takes no unknown fields
	topLevel       bool            // events are at the top level
	formerSwitches []dialect.Field // formerly allowed among the events
}

// Open returns the document for a client's FileReader.
func Open(d *dialect.Document) *Document {
	doc := &Document{Document: d}
	d.OwnSettings = doc.ownSettings
	for _, e := range d.Dialect.FileEvents() { // once: a file can have a hundred thousand unknown events to compare
		doc.events = append(doc.events, string(e))
	}
	return doc
}

// client returns the client's name.
func (d *Document) client() string { return d.Dialect.Files.Client }

// WarnOfGate adds a warning about a hook that will never run or never block.
func (d *Document) WarnOfGate(offset int, format string, args ...any) {
	d.Warn(offset, format, args...).Gate = true
}

// value returns a value with the name that messages have for it. drops ends messages about its type.
func (d *Document) value(v gjson.Result, who, name, drops string) document.Value {
	return document.Value{Result: v, In: d.Reader, Who: who, Name: name, Ends: drops}
}

// WrongType adds an error about a value of the wrong type.
func (d *Document) WrongType(what, want string, got gjson.Result, drops string) {
	d.value(got, "", what, drops).WrongType(want)
}

func (d *Document) note(kind dialect.NoteKind, path string, offset int, name string) {
	d.Notes = append(d.Notes, dialect.Note{Kind: kind, Path: path, At: d.At(offset), Name: name})
}

func hasField(fields []dialect.Field, key string) bool {
	return slices.ContainsFunc(fields, func(f dialect.Field) bool { return f.Key() == key })
}

// Members are the known fields of an object, by key.
type Members map[string]gjson.Result

// members returns the known fields of an object, with checked types. If a type ends in ?, null counts as a missing
// field. members calls unknown for the other keys.
func (d *Document) members(object gjson.Result, known []dialect.Field, who, drops string,
	unknown func(key gjson.Result)) Members {
	found := Members{}
	for key, value := range object.ForEach {
		name := key.String()
		at := slices.IndexFunc(known, func(f dialect.Field) bool { return f.Key() == name })
		if at < 0 {
			unknown(key)
			continue
		}
		typeName, orNull := strings.CutSuffix(strings.TrimSuffix(known[at].Type(), "!"), "?")
		if orNull && value.Type == gjson.Null {
			continue
		}
		if d.value(value, who, strconv.Quote(name), drops).Is(typeName) {
			found[name] = value
		}
	}
	return found
}

// innerMembers returns the known fields of an object that is only about hooks. Other fields cause a warning.
func (d *Document) innerMembers(object gjson.Result, known []dialect.Field, who, drops string) Members {
	var names []string
	for _, f := range known {
		names = append(names, f.Key())
	}
	return d.members(object, known, who, drops, func(key gjson.Result) {
		if name := key.String(); !document.OwnKey(name) {
			d.Warn(key.Index, "%sunknown field %s, which is passed over%s", who, spelling.Quote(name),
				spelling.Suggest(name, names))
		}
	})
}

// claudeSwitch is Claude Code's switch; other clients do not know the key unless listed in their table of fields.
const claudeSwitch = "disableAllHooks"

// Top reads the document's top level. The first about fields of known are about hooks. An unknown field causes a
// message only if similar to one of these, because the rest of the file belongs to the client.
func (d *Document) Top(known []dialect.Field, about int) Members {
	d.top = gjson.Parse(d.Text)
	var names []string
	for _, f := range known[:about] {
		names = append(names, f.Key())
	}
	return d.members(d.top, known, "", d.Drops, func(key gjson.Result) {
		name := key.String()
		near := spelling.Suggest(name, names)
		switch {
		case document.OwnKey(name):
		case slices.Contains(d.events, name) && d.closedTop:
			d.Problem(key.Index, "%s%s%s", name, topLevelText, d.Drops)
		case slices.Contains(d.events, name):
			d.WarnOfGate(key.Index, "%s%s", name, topLevelText)
		case name == claudeSwitch && d.closedTop:
			d.Problem(key.Index, "%q%s%s%s", name, claudeSwitchText, d.client(), unknownText+d.Drops)
		case name == claudeSwitch:
			d.Warn(key.Index, "%q%s%s%s", name, claudeSwitchText, d.client(), unknownText)
		case d.closedTop:
			d.Problem(key.Index, "unknown field %s%s%s", spelling.Quote(name), d.Drops, near)
		case near != "":
			d.Warn(key.Index, "unknown field %s, which is passed over%s", spelling.Quote(name), near)
		}
	})
}

const (
	topLevelText     = " is not under \"hooks\", so none of its hooks will ever run; put it there"
	claudeSwitchText = " is a switch of Claude Code's, which "
	unknownText      = " does not know"
)

// ClosedTop is Top for a client that rejects unknown fields.
func (d *Document) ClosedTop(known []dialect.Field) Members {
	d.closedTop = true
	return d.Top(known, len(known))
}
