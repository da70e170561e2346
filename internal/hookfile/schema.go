package hookfile

import _ "embed"

// Schema is a JSON Schema (draft 2020-12) of the list form of a hooks file, for editors. It has the
// rules of the loader that a schema can express: not that keys are unique, nor how large a file may be.
//
//go:embed schema.json
var Schema string
