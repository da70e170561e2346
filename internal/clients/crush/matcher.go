package crush

import (
	"regexp"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/spelling"
)

// newPattern reads a matcher as Crush 0.90.0 does: a Go regular expression, found anywhere in the name. "" matches
// everything. With an invalid expression, such as *, the client does not start.
func newPattern(text string) dialect.Pattern {
	p := dialect.Pattern{Text: text, Word: text}
	if text == "" {
		return p
	}
	if p.RE2, p.Err = regexp.Compile(text); p.Err != nil {
		p.Refused = "is no regular expression of Go's: " + spelling.Expression(p.Err)
	}
	return p
}
