package hookfile

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

// Schema returns a JSON Schema (draft 2020-12) of the list form of a hooks file, for editors. It has the loader's rules
// that a schema can express: not the uniqueness of keys, the size of a file, or the events and matchers of clients. It
// is built on demand, because only check --schema and init need it.
func (p Parts) Schema() string {
	whole := strings.NewReplacer(
		`"FIELDS": true`, properties(),
		`"CLIENTS": false`, forbidden(clients),
		`"PROCESSES": false`, forbidden(processes, programs, requests),
		`"PROGRAMS": false`, forbidden(programs),
		`"REQUESTS": false`, forbidden(requests),
	).Replace(schema)
	whole = strings.Replace(whole, `"DIALECTS"`, `"`+strings.Join(p.entryDialects(), `", "`)+`"`, 1)
	var b bytes.Buffer
	_ = json.Indent(&b, []byte(whole), "", "  ") // no error: whole is JSON
	return b.String()
}

// schema is the fixed part, with a word in capitals at each place for a part from the table of fields.
//
//go:embed schema.json
var schema string

// properties returns the members of the schema for the keys of an entry.
func properties() string {
	var members []string
	for i := range fields {
		f := &fields[i]
		about := ""
		if f.about != "" {
			about = `"description": ` + string(strictjson.Quote(f.about)) + ", "
		}
		if f.schema != "" {
			members = append(members, `"`+f.key+`": {`+about+f.schema+"}")
		}
	}
	return strings.Join(members, ",")
}

// forbidden returns the members of a schema that forbid the keys of some kinds.
func forbidden(keys ...kind) string {
	var members []string
	for i := range fields {
		if slices.Contains(keys, fields[i].kind) {
			members = append(members, `"`+fields[i].key+`": false`)
		}
	}
	return strings.Join(members, ", ")
}
