package install

import (
	"strings"

	"github.com/hookrun/hookrun/internal/dialect"
)

// AppendTo appends objects, which are JSON text, to the list that a key of a JSON file without comments has, and
// returns the file. All that is there stays, and what is added is laid out as that is. "" is a file that is not
// there; a list that is not there is made.
func AppendTo(text, key string, objects []string) (string, error) {
	if text == "" {
		text = "{}\n"
	}
	d, err := (&Client{Installation: &dialect.Installation{}}).parse(text, "")
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
