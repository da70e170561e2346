package hook

import "github.com/hookrun/hookrun/internal/lib/strictjson/document"

// Diagnostic and Diagnostics are those of the documents that hooks are read from.
type (
	Diagnostic  = document.Diagnostic
	Diagnostics = document.Diagnostics
)
