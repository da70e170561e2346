package hookfile

import (
	"cmp"
	"path/filepath"
	"slices"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/dialect"
)

// isShared reports whether a file of this name, in any folder, is in the form shared by clients: a client's settings or
// a plugin's hooks.
func (p Parts) isShared(name string) bool {
	if d := p.clients().DefaultForm(); d != nil && (name == d.Files.Base || slices.Contains(d.Files.Others, name)) {
		return true
	}
	return name == "hooks.json"
}

// dialectByExtension returns the dialect of a file that is not JSON, by the extension of the path, or nil. If several
// clients have such files, dialectByExtension prefers as, then the client of the folder, then the first client.
func (p Parts) dialectByExtension(path string, as *dialect.Dialect) *dialect.Dialect {
	for _, d := range append([]*dialect.Dialect{as, p.clientOfFolder(path)}, p.clients().Forms()...) {
		if d != nil && d.Files.HasExtension(path) {
			return d
		}
	}
	return nil
}

// dialectOfFile is dialectOf for this file. Only the project's file can be in a client's form: such a form cannot say
// at which levels a key counts, and a key that the client ignores is an error in files of other levels.
func (p *parser) dialectOfFile(hooks gjson.Result) *dialect.Dialect {
	if p.ownForm {
		return nil
	}
	if !hooks.Exists() && p.as == nil && p.parts.clientOfFolder(p.File) == nil && len(p.parts.ownKeys(p.Text)) > 0 {
		return nil
	}
	return p.parts.dialectOf(p.File, p.as, hooks)
}

// ownKeys returns the keys at the top of a document that only hookrun's own form has. Clients have tools, too, but not
// with names of the project's.
func (p Parts) ownKeys(doc string) (found []gjson.Result) {
	projects := p.clients().ProjectNames()
	for key, value := range gjson.Parse(doc).ForEach {
		switch name := key.String(); name {
		case "hooks", "ask", "mode":
		case "tools":
			for _, to := range value.Map() {
				if value.IsObject() && slices.Contains(projects, to.String()) {
					found = append(found, key)
					break
				}
			}
		default:
			if slices.Contains(fileKeys, name) {
				found = append(found, key)
			}
		}
	}
	return found
}

// dialectOf returns the dialect of a JSON file in a client's form, or nil for a file in hookrun's form. A file is in a
// client's form if the file lies in the client's folder, or if "hooks" is an object. An object does not name the
// client: the dialect is as or, if as is nil, the Clients' DefaultForm. For a file without hooks the file name decides.
func (p Parts) dialectOf(path string, as *dialect.Dialect, hooks gjson.Result) *dialect.Dialect {
	placed := p.clientOfFolder(path)
	switch {
	case placed == nil && !hooks.IsObject() && (hooks.IsArray() || !p.isShared(filepath.Base(path))):
		return nil
	case as != nil && as.HasHooksFile():
		return as
	}
	return cmp.Or(placed, p.clients().DefaultForm())
}

// onFault returns the client of the file's folder, and how that client treats a faulty file. The treatment applies in
// the client's folder only: a faulty file elsewhere may be hookrun's own. as is Options.Dialect.
func (p Parts) onFault(f File, as *dialect.Dialect) (client *dialect.Dialect, on dialect.OnFault) {
	client = p.clientOfFolder(f.Path)
	if client == nil || f.isOwn() || as != nil && as != client {
		return client, dialect.Refuses
	}
	return client, client.Files.OnFault
}

// clientOfFolder returns the client whose folder holds the file, or nil. For a project's own hooks file it returns nil:
// an agent that was started in a client's folder finds the file there, and a fault in the file must block. The folder
// of a client's plugins says nothing about a file's form.
func (p Parts) clientOfFolder(path string) *dialect.Dialect {
	if filepath.Base(path) == FileName {
		return nil
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil
	}
	for _, d := range p.clients().Forms() {
		if _, is := d.Files.ProjectOf(absolute); is && d.Files.Reader != nil {
			return d
		}
	}
	return nil
}

// ClientProject returns the parent of the client's folder that holds the file, or "" outside of such folders.
func (p Parts) ClientProject(path string) string {
	d := p.clientOfFolder(path)
	if d == nil {
		return ""
	}
	absolute, _ := filepath.Abs(path) // no error: clientOfFolder did the same
	project, _ := d.Files.ProjectOf(absolute)
	return project
}
