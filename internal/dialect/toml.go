package dialect

import (
	"strings"

	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/internal/toml"
)

// TOML reads the text as TOML, and returns its top level, nil if it has a fault. Messages about faults say nothing of
// Drops. Whatever is not "hooks" there is the
// client's.
func (d *Document) TOML() *toml.Value {
	doc := strings.TrimPrefix(d.Text, "\ufeff")
	places := strictjson.Locator{Doc: doc}
	d.locate = func(offset int) Position {
		line, column := places.Position(offset)
		return Position{line, column}
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
		d.note(OwnSetting, m.Key, m.Offset, m.Key)
		if hint := spelling.Suggest(m.Key, []string{"hooks"}); hint != "" {
			d.Warn(m.Offset, "unknown field %s, which is passed over%s", spelling.Quote(m.Key), hint)
		}
	}
	return top
}

// AsJSON makes JSON of the hooks of a TOML document, and each place in that is known by its place in the file. It
// reports whether it could.
func (d *Document) AsJSON(hooks *toml.Value) bool {
	text, from, err := hooks.AppendJSON([]byte(`{"hooks":`), nil)
	if fault, ok := err.(toml.Fault); ok {
		d.Problem(fault.Offset, "%s", fault.Text)
		return false
	}
	locate := d.locate
	d.Text, d.locate = string(text)+"}", func(offset int) Position { return locate(from.Of(offset)) }
	return true
}

// NoteOwn notes a setting of the client's.
func (d *Document) NoteOwn(path string, offset int) { d.note(OwnSetting, path, offset, path) }
