package kimi

import (
	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
)

// Pattern reads a matcher as Kimi Code 2.1.0 does: a JavaScript regular expression, found anywhere in the text. ""
// matches everything, and an invalid expression such as * matches nothing.
func (reader) Pattern(text, _ string) dialect.Pattern {
	p := dialect.Pattern{Text: text, Word: text}
	if text != "" {
		p.JavaScript, p.Err = client.JavaScript(text)
	}
	return p
}
