package gemini

import (
	"strings"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/jsregexp"
)

// Pattern reads a matcher as Gemini CLI 0.61.0 does: for tools it is a JavaScript regular expression, for other
// things the whole word, as also where it is no expression. Blanks around it do not count, and without more, or as *,
// it is everything.
func (reader) Pattern(text, subject string) dialect.Pattern {
	p := dialect.Pattern{Text: text, Word: strings.TrimSpace(text)}
	if p.Word == "" || p.Word == "*" {
		return p
	}
	if subject == "tool_name" {
		p.JavaScript, p.Err = jsregexp.Compile(p.Word)
	}
	if p.JavaScript == nil {
		p.Names = []string{p.Word}
	}
	return p
}
