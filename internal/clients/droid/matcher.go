package droid

import (
	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
)

// Pattern reads a matcher as Droid 0.215.0 does. "" and * match everything. Any other is a JavaScript regular
// expression, found anywhere in the name; an invalid expression is a whole name. Blanks count.
func (reader) Pattern(text, _ string) dialect.Pattern {
	p := dialect.Pattern{Text: text, Word: text}
	if text == "" || text == "*" {
		return p
	}
	if p.JavaScript, p.Err = client.JavaScript(text); p.Err != nil {
		p.Names = []string{text}
	}
	return p
}
