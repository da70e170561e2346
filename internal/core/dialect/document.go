package dialect

import (
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/lib/strictjson/document"
	"github.com/hookrun/hookrun/protocol"
)

// Document is a client's hooks file: what the loader knows of the file, and what the client's FileReader found in it.
type Document struct {
	*document.Reader
	Dialect *Dialect
	Drops   string // the effect of a fault in the client, as the end of a message
	Project bool   // the file is hookrun's own, in the client's form

	// Loads reports whether the file at path loads in the client's form. ClientsWithEvent returns the other
	// clients with an event.
	Loads            func(path string) bool
	ClientsWithEvent func(protocol.Event) []string
	// Common returns the common name of an event of any client.
	Common func(protocol.Event) protocol.Event

	Entries []Entry
	Agents  []string // of the file, if not all agents have the same hooks
	Notes   []Note
	// OwnSettings returns the paths of settings that are not about hooks, in file order. The reader sets OwnSettings.
	OwnSettings func() []string

	Switches        []OffSwitch
	Unswitched      bool // the switches turn off no hook
	Env             []string
	URLs, Variables *[]string         // the only ones that hooks may use; all, if nil
	EnvAt           document.Position // of the value; Line is 0 if the file has no "env"
	Disabled        []DisabledName
}

// NewDocument returns a Document for Normalize. locate returns the position of an offset in text.
func NewDocument(path, text string, d *Dialect, locate func(offset int) document.Position) *Document {
	return &Document{Reader: &document.Reader{File: path, Text: text, Locate: locate}, Dialect: d,
		Drops: d.Files.Drops}
}

// Switched returns the last setting that turns all hooks of the client off or on, or nil.
func (d *Document) Switched() *OffSwitch {
	if len(d.Switches) == 0 || d.Unswitched {
		return nil
	}
	return &d.Switches[len(d.Switches)-1]
}

// Has reports whether an object has a key.
func Has(object gjson.Result, name string) bool { return ValueOf(object, name).Exists() }

// ValueOf returns a field of an object, the last of equal keys.
func ValueOf(object gjson.Result, name string) (found gjson.Result) {
	for key, value := range object.ForEach {
		if key.String() == name {
			found = value
		}
	}
	return found
}

// maxPattern limits the cost of compiling a matcher, which is a tenth of a second for a megabyte.
const maxPattern = 64 << 10

// PatternTooLong reports whether a text is too long to compile.
func PatternTooLong(text string) bool { return len(text) > maxPattern }
