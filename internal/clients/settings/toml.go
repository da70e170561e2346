package settings

import (
	"strings"

	"github.com/hookrun/hookrun/internal/clients/toml"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/internal/lib/strictjson/document"
)

// TOML parses the text as TOML, and returns the top level, or nil if the text has a fault. Messages about faults do not
// mention Drops. All keys except "hooks" belong to the client.
func (d *Document) TOML() *toml.Value {
	doc := strings.TrimPrefix(d.Text, "\ufeff")
	places := strictjson.Locator{Doc: doc}
	d.Locate = func(offset int) document.Position {
		line, column := places.Position(offset)
		return document.Position{Line: line, Column: column}
	}
	d.Text, d.Drops = "", ""
	if at := strictjson.InvalidUTF8(doc); at >= 0 {
		d.Problem(at, "parsing: not UTF-8; save the file as UTF-8")
		return nil
	}
	top, err := toml.Parse(doc)
	if fault, ok := err.(toml.Fault); ok {
		d.Problem(fault.Offset, "%s", "parsing: "+fault.Text)
		return nil
	}
	for _, m := range top.Members {
		if m.Key == "hooks" {
			continue
		}
		d.note(dialect.OwnSetting, m.Key, m.Offset, m.Key)
		if hint := spelling.Suggest(m.Key, []string{"hooks"}); hint != "" {
			d.Warn(m.Offset, "unknown field %s, which is passed over%s", spelling.Quote(m.Key), hint)
		}
	}
	return top
}

// AsJSON converts the hooks of a TOML document to JSON, and maps each position in the JSON to the position in the file.
// It reports success.
func (d *Document) AsJSON(hooks *toml.Value) bool {
	text, from, err := hooks.AppendJSON([]byte(`{"hooks":`), nil)
	if fault, ok := err.(toml.Fault); ok {
		d.Problem(fault.Offset, "%s", fault.Text)
		return false
	}
	locate := d.Locate
	d.Text = string(text) + "}"
	d.Locate = func(offset int) document.Position { return locate(from.Of(offset)) }
	return true
}

// NoteOwnSetting notes a setting of the client.
func (d *Document) NoteOwnSetting(path string, offset int) {
	d.note(dialect.OwnSetting, path, offset, path)
}
