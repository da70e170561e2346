package hookfile

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/registry"
	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/protocol"
)

// anyFolder is the dialect of a file in a client's form that is in no client's folder.
func anyFolder() *dialect.Dialect {
	dialects := registry.WithSettings()
	return dialects[slices.IndexFunc(dialects, func(d *dialect.Dialect) bool { return d.Settings.AnyFolder != nil })]
}

// formatOf finds the dialect of a file that is not JSON by the end of its name, nil if there is none. Where several
// clients have such files it is as, the one of its folder, or else the first.
func formatOf(path string, as *dialect.Dialect) *dialect.Dialect {
	for _, d := range append([]*dialect.Dialect{as, formOfFolder(path)}, registry.All()...) {
		if d != nil && d.Format.Is(path) {
			return d
		}
	}
	return nil
}

// formOf is formOf for the file. Only the project's can be in a client's form: nothing in that form tells at which
// levels its keys count, and what a client ignores is an error in files of other levels.
func (p *parser) formOf(hooks gjson.Result) *dialect.Dialect {
	if p.own {
		return nil
	}
	return formOf(p.file, p.as, hooks)
}

// formOf finds the dialect of a JSON file; nil: the file is in no client's form. A file is in a client's form if it
// lies in that client's folder, or if its "hooks" is an object. In the second case no client is named: the dialect is
// as or, if that is nil, anyFolder. A file without hooks goes by its name.
func formOf(path string, as *dialect.Dialect, hooks gjson.Result) *dialect.Dialect {
	placed := formOfFolder(path)
	named := slices.Contains(anyFolder().Settings.AnyFolder, filepath.Base(path))
	switch {
	case placed == nil && !hooks.IsObject() && (hooks.IsArray() || !named):
		return nil
	case as != nil && as.Settings != nil && as.Settings.Handlers != nil:
		return as
	}
	return cmp.Or(placed, anyFolder())
}

// onFault is what the file's client does with a fault of it. It counts in the client's folder alone: a file with a
// fault that lies elsewhere may be one of hookrun's own. as is Options.Dialect.
func (f File) onFault(as *dialect.Dialect) (client *dialect.Dialect, on dialect.OnFault) {
	client = formOfFolder(f.Path)
	if client == nil || f.own() || as != nil && as != client {
		return client, dialect.Refuses
	}
	return client, client.Settings.OnFault
}

// formOfFolder finds the dialect that a file has by its folder, nil if the folder is no client's. A project's own hooks
// file has none: an agent that was started in a client's folder finds it there, and a fault of it must block.
func formOfFolder(path string) *dialect.Dialect {
	if filepath.Base(path) == FileName {
		return nil
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil
	}
	for _, d := range registry.WithSettings() {
		if _, is := d.Settings.ProjectOf(filepath.Dir(absolute)); is {
			return d
		}
	}
	return nil
}

// ClientProject is the folder that the client's folder with a file lies in, "" if the file is in no client's folder.
func ClientProject(path string) string {
	d := formOfFolder(path)
	if d == nil {
		return ""
	}
	absolute, _ := filepath.Abs(path) // as before
	project, _ := d.Settings.ProjectOf(filepath.Dir(absolute))
	return project
}

// spelt finds the dialect whose hooks a name of an event in the file is for; nil: the client has no such event.
func (p *parser) spelt(event string) *dialect.Dialect {
	if slices.Contains(p.dialect.FileEvents(), protocol.Event(event)) {
		return p.dialect.Of(protocol.Event(event))
	}
	return nil
}

// ofHooks reports whether the file is where its client has hooks and nothing else.
func (p *parser) ofHooks() bool {
	absolute, err := filepath.Abs(p.file)
	return err == nil && p.form.OfHooks(filepath.Dir(absolute))
}

// meantEvent suggests an event for a name that the client does not have: a similar one, or its own name for another
// client's event. In the place that plugins of all clients have for their hooks, the file may be another client's.
func (p *parser) meantEvent(event protocol.Event) string {
	if p.pluginRoot() != "" && filepath.Base(filepath.Dir(p.file)) == "hooks" {
		if names := registry.WithEvent(event); len(names) > 0 {
			return "; it is an event of " + strings.Join(names, ", ") + ": name the client with --dialect"
		}
	}
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
