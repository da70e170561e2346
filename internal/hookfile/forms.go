package hookfile

import (
	"cmp"
	"path/filepath"
	"slices"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/registry"
)

// isShared reports whether a file of this name is in the form that clients share, wherever it lies: as a client's
// settings or a plugin's hooks.
func isShared(name string) bool {
	files := registry.Shared().Files
	return name == files.Base || slices.Contains(files.Others, name) || name == "hooks.json"
}

// formatOf finds the dialect of a file that is not JSON by the end of its name, nil if there is none. Where several
// clients have such files it is as, the one of its folder, or else the first.
func formatOf(path string, as *dialect.Dialect) *dialect.Dialect {
	for _, d := range append([]*dialect.Dialect{as, formOfFolder(path)}, registry.All()...) {
		if d != nil && d.Files.HasExtension(path) {
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
// as or, if that is nil, registry.Shared. A file without hooks goes by its name.
func formOf(path string, as *dialect.Dialect, hooks gjson.Result) *dialect.Dialect {
	placed := formOfFolder(path)
	named := isShared(filepath.Base(path))
	switch {
	case placed == nil && !hooks.IsObject() && (hooks.IsArray() || !named):
		return nil
	case as != nil && as.HasForm():
		return as
	}
	return cmp.Or(placed, registry.Shared())
}

// onFault is what the file's client does with a fault of it. It counts in the client's folder alone: a file with a
// fault that lies elsewhere may be one of hookrun's own. as is Options.Dialect.
func (f File) onFault(as *dialect.Dialect) (client *dialect.Dialect, on dialect.OnFault) {
	client = formOfFolder(f.Path)
	if client == nil || f.own() || as != nil && as != client {
		return client, dialect.Refuses
	}
	return client, client.Files.OnFault
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
	for _, d := range registry.WithFiles() {
		if _, is := d.Files.ProjectOf(absolute); is {
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
	project, _ := d.Files.ProjectOf(absolute)
	return project
}
