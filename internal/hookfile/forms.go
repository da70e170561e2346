package hookfile

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/all"
	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/protocol"
)

// withSettings are the dialects whose clients have a hooks file in JSON.
func withSettings() []*dialect.Dialect {
	return slices.DeleteFunc(all.All(), func(d *dialect.Dialect) bool { return d.Settings == nil })
}

// anyFolder is the dialect of such a file whose place names no client.
func anyFolder() *dialect.Dialect {
	dialects := withSettings()
	return dialects[slices.IndexFunc(dialects, func(d *dialect.Dialect) bool { return d.Settings.AnyFolder != nil })]
}

// formatOf finds the dialect of a file that is not JSON by the end of its name, nil if there is none.
func formatOf(path string) *dialect.Dialect {
	for _, d := range all.All() {
		if d.Format.Is(path) {
			return d
		}
	}
	return nil
}

// formOf finds the dialect of a file of JSON; nil: the file is in no client's form. Its place says so or, wherever it
// lies, that its "hooks" is an object. An object names no client, so as counts then, and without it anyFolder, as for a
// file without hooks by its name.
func formOf(path string, as *dialect.Dialect, hooks gjson.Result) *dialect.Dialect {
	placed := formOfFolder(path)
	named := slices.Contains(anyFolder().Settings.AnyFolder, filepath.Base(path))
	switch {
	case placed == nil && !hooks.IsObject() && (hooks.IsArray() || !named):
		return nil
	case as != nil && as.Settings != nil:
		return as
	}
	return cmp.Or(placed, anyFolder())
}

// formOfFolder finds the dialect that a file has by the folder that it lies in, nil if that says nothing.
func formOfFolder(path string) *dialect.Dialect {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil
	}
	folder := filepath.Base(filepath.Dir(absolute))
	for _, d := range withSettings() {
		if d.Settings.Folder == folder {
			return d
		}
	}
	return nil
}

// meantEvent says which event may be meant by a name that is none of the client's: one that comes near, or another's
// for the same event.
func (p *parser) meantEvent(event protocol.Event) string {
	if hint := spelling.Suggest(string(event), p.eventNames); hint != "" {
		return hint
	}
	for _, name := range p.eventNames {
		if protocol.Event(name).Canonical() == event.Canonical() {
			return "; did you mean " + strconv.Quote(name) + "?"
		}
	}
	return ""
}
