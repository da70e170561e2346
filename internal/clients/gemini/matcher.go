package gemini

import (
	"strings"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
)

// Pattern reads a matcher as Gemini CLI 0.61.0 does. For tools, it is a JavaScript regular expression. At other events,
// or if the expression is invalid, it is the whole word. Surrounding blanks do not count. A blank matcher or * matches
// everything.
func (reader) Pattern(text, subject string) dialect.Pattern {
	p := dialect.Pattern{Text: text, Word: strings.TrimSpace(text)}
	if p.Word == "" || p.Word == "*" {
		return p
	}
	if subject == "tool_name" {
		p.JavaScript, p.Err = client.JavaScript(p.Word)
	}
	if p.JavaScript == nil {
		p.Names = []string{p.Word}
	}
	return p
}
