package hookfile

import _ "embed"

// Schema is a JSON Schema (draft 2020-12) of the list form of a hooks file, for editors. It says what the loader says
// as far as a schema can: not that keys are unique, nor how large a file may be.
//
//go:embed schema.json
var Schema string
