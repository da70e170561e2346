package hookfile

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/dialect/registry"
	"github.com/hookrun/hookrun/internal/strictjson"
)

// Schema returns a JSON Schema (draft 2020-12) of the list form of a hooks file, for editors. It has the rules of the
// loader that a schema can express: not that keys are unique, nor how large a file may be, nor what a client's events
// and matchers are. It is made here, not at start, because only check --schema and init want it.
func Schema() string {
	whole := strings.NewReplacer(
		`"FIELDS": true`, properties(),
		`"CLIENTS": false`, without(clients),
		`"PROCESSES": false`, without(processes, programs, requests),
		`"PROGRAMS": false`, without(programs),
		`"REQUESTS": false`, without(requests),
	).Replace(schema)
	whole = strings.Replace(whole, `"DIALECTS"`, `"`+strings.Join(registry.InFileNames(), `", "`)+`"`, 1)
	var b bytes.Buffer
	_ = json.Indent(&b, []byte(whole), "", "  ") // it is JSON
	return b.String()
}

// schema has what is not in the table of fields, and a word in capitals where the table goes.
//
//go:embed schema.json
var schema string

// properties are the members of the schema for the keys of an entry.
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

// without are the members of a schema that forbid some keys of an entry.
func without(keys ...kind) string {
	var members []string
	for i := range fields {
		if slices.Contains(keys, fields[i].of) {
			members = append(members, `"`+fields[i].key+`": false`)
		}
	}
	return strings.Join(members, ", ")
}
