package hookimport

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/install"
	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

// Add appends entries to the list in a hooks file; all other bytes stay. doc is empty if the file does not exist. An
// entry is skipped if the file has one with the same name, command, events and conditions, because the owner may have
// changed other keys. An entry with a taken name gets a number. added has the names of the new entries.
func Add(path string, doc []byte, entries []Entry) (text []byte, added []string, err error) {
	text = doc
	if len(bytes.TrimSpace(doc)) == 0 {
		text, doc = nil, []byte("{}")
	}
	cfg, err := parts.All().Parse(path, doc)
	if err != nil {
		return nil, nil, err
	}
	hooks := dialect.LastOf(gjson.Parse(strings.TrimPrefix(string(doc), "\ufeff")))["hooks"]
	if hooks.IsObject() {
		const text = "%s is in %s's form, to which no entries can be added; import it as well, into another file"
		return nil, nil, fmt.Errorf(text, path, cfg.Dialect.Files.Client)
	}
	there := map[string][]gjson.Result{} // by name
	for _, entry := range hooks.ForEach {
		name := strictjson.Text(entry.Get("name").Raw)
		there[name] = append(there[name], entry)
	}
	var objects []string
	for _, e := range entries {
		base := strictjson.Text(string(e.Get("name")))
		for n := 1; ; n++ {
			name := numbered(base, n)
			if slices.ContainsFunc(there[name], func(other gjson.Result) bool { return hasSameEffect(e, other) }) {
				break
			}
			if len(there[name]) > 0 {
				continue
			}
			e = slices.Clone(e)
			e.Set("name", strictjson.AppendString(nil, name))
			raw, _ := e.MarshalJSON() // cannot fail: the values are JSON
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
	if _, err := parts.All().Parse(path, text); err != nil {
		return nil, nil, fmt.Errorf("with the new entries the file would not load: %w", err)
	}
	return text, added, nil
}

// hasSameEffect reports whether an entry of the file does the same at the same calls.
func hasSameEffect(e Entry, other gjson.Result) bool {
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
