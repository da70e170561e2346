package dialect

import (
	"strings"

	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/internal/toml"
)

// TOMLFile is a client's config.toml while a Format reads it: Top is the document, nil where it has a fault. Whatever
// is not "hooks" at its top level is the client's.
type TOMLFile struct {
	File
	Top    *toml.Value
	places strictjson.Locator
}

// ReadTOML reads a document. Its faults are Diagnostics.
func ReadTOML(doc string) *TOMLFile {
	doc = strings.TrimPrefix(doc, "\ufeff")
	f := &TOMLFile{places: strictjson.Locator{Doc: doc}}
	if at := strictjson.InvalidUTF8(doc); at >= 0 {
		f.Say(at, "parsing: not UTF-8; save the file as UTF-8", false)
		return f
	}
	top, err := toml.Parse(doc)
	if fault, ok := err.(toml.Fault); ok {
		f.Say(fault.Offset, "parsing: "+fault.Text, false)
		return f
	}
	for _, m := range top.Members {
		if m.Key == "hooks" {
			continue
		}
		f.Others = append(f.Others, m.Key)
		if hint := spelling.Suggest(m.Key, []string{"hooks"}); hint != "" {
			f.Say(m.Offset, "unknown field "+spelling.Quote(m.Key)+", which is passed over"+hint, true)
		}
	}
	f.Top = top
	return f
}

// Say adds a Diagnostic.
func (f *TOMLFile) Say(offset int, text string, warning bool) {
	d := Diagnostic{Text: text, Warning: warning}
	d.Line, d.Column = f.places.Position(offset)
	f.Diagnostics = append(f.Diagnostics, d)
}

// WithHooks is the file with the JSON of its hooks.
func (f *TOMLFile) WithHooks(hooks *toml.Value) File {
	text, from, err := hooks.AppendJSON([]byte(`{"hooks":`), nil)
	if fault, ok := err.(toml.Fault); ok {
		f.Say(fault.Offset, fault.Text, false)
		return f.File
	}
	f.JSON, f.From = string(text)+"}", from
	return f.File
}
