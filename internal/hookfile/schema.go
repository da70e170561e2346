package hookfile

import (
	_ "embed"
	"strings"

	"github.com/hookrun/hookrun/internal/dialect/registry"
)

// Schema returns a JSON Schema (draft 2020-12) of the list form of a hooks file, for editors. It has the rules of the
// loader that a schema can express: not that keys are unique, nor how large a file may be, nor what a client's events
// and matchers are. It is made here, not at start, because only check --schema and init want it.
func Schema() string {
	return strings.Replace(schema, `"DIALECTS"`, `"`+strings.Join(registry.InFileNames(), `", "`)+`"`, 1)
}

//go:embed schema.json
var schema string
