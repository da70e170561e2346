package install

import (
	"strings"

	"github.com/hookrun/hookrun/internal/clients/client"
)

// AppendTo appends objects, given as JSON text, to the list at a key of a JSON file without comments, and returns the
// file. The rest of the file stays, and the objects take over the file's layout. The text "" means a missing file; a
// missing list is created.
func AppendTo(text, key string, objects []string) (string, error) {
	if text == "" {
		text = "{}\n"
	}
	d, err := (&Client{Installation: &client.Installation{Installer: client.BaseInstaller{}}}).parse(text, "")
	if err != nil {
		return "", err
	}
	s, list := d.style(), "["+strings.Join(objects, ",")+"]"
	there := get(&d.tree, key)
	switch {
	case there == nil:
		s.add(&d.tree, "", s.lines, objectOf(key, list))
		there = get(&d.tree, key)
	case len(elements(there)) == 0:
		indent, lines := d.lineOf(key)
		s.set(there, list, indent, lines)
	default:
		indent, lines := d.lineOf(key)
		s.add(there, indent, lines, list)
	}
	all := elements(there)
	for _, added := range all[len(all)-len(objects):] {
		for _, m := range members(&added) { // each in a line
			ownStyle.layout(&m.Value, "", false)
		}
	}
	return d.String(), nil
}
