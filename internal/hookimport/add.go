package hookimport

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/internal/install"
	"github.com/hookrun/hookrun/internal/strictjson"
)

// Add puts entries behind those of a hooks file, whose bytes stay as they are; doc is empty where there is no file yet.
// An entry that is there already, under its name with the same command, events and conditions, is not added again: what
// else its owner made of it is the owner's. One whose name another has gets a number. added are the names of those that
// are new.
func Add(path string, doc []byte, entries []Entry) (text []byte, added []string, err error) {
	text = doc
	if len(bytes.TrimSpace(doc)) == 0 {
		text, doc = nil, []byte("{}")
	}
	cfg, err := hookfile.Parse(path, doc)
	if err != nil {
		return nil, nil, err
	}
	var hooks gjson.Result
	gjson.Parse(strings.TrimPrefix(string(doc), "\ufeff")).ForEach(func(key, value gjson.Result) bool {
		if key.String() == "hooks" { // however it is spelled
			hooks = value
		}
		return true
	})
	if hooks.IsObject() {
		const text = "%s is in %s's form, to which no entries can be added; import it as well, into another file"
		return nil, nil, fmt.Errorf(text, path, cfg.Dialect.Files.Client)
	}
	there := map[string][]gjson.Result{} // by name
	hooks.ForEach(func(_, entry gjson.Result) bool {
		name := strictjson.Text(entry.Get("name").Raw)
		there[name] = append(there[name], entry)
		return true
	})
	var objects []string
	for _, e := range entries {
		base := strictjson.Text(string(e.Get("name")))
		for n := 1; ; n++ {
			name := numbered(base, n)
			if slices.ContainsFunc(there[name], func(other gjson.Result) bool { return alike(e, other) }) {
				break
			}
			if len(there[name]) > 0 {
				continue
			}
			e = slices.Clone(e)
			e.Set("name", strictjson.AppendString(nil, name))
			raw, _ := e.MarshalJSON() // its values have a JSON form
			there[name] = []gjson.Result{gjson.ParseBytes(raw)}
			added = append(added, name)
			objects = append(objects, string(strictjson.Compact(nil, string(raw))))
			break
		}
	}
	if len(objects) == 0 {
		return text, nil, nil
	}
	with, err := install.AppendTo(string(text), "hooks", objects)
	if err != nil {
		return nil, nil, err
	}
	text = []byte(with)
	if _, err := hookfile.Parse(path, text); err != nil {
		return nil, nil, fmt.Errorf("with the new entries the file would not load: %w", err)
	}
	return text, added, nil
}

// alike reports whether an entry of the file does the same thing at the same calls.
func alike(e Entry, other gjson.Result) bool {
	for _, key := range []string{"command", "dialect", "events", "matcher", "if", "when"} {
		var there string
		if v := other.Get(key); v.Exists() {
			there = string(strictjson.Compact(nil, v.Raw))
		}
		here := ""
		if v := e.Get(key); v != nil {
			here = string(strictjson.Compact(nil, string(v)))
		}
		if here != there {
			return false
		}
	}
	return true
}
