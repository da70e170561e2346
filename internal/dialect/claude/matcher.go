package claude

import (
	"strings"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/jsregexp"
)

// letters of a matcher that is a list of whole names, with commas or | between them.
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-|, "

// aliases: the client's matchers know the tool by its old name from here to there only.
var aliases = dialect.Aliases{"Agent Task"}

// Pattern reads a matcher as Claude Code 2.1.329 does. "" and * are everything. Of letters, digits, _, -, blanks,
// commas and | alone it is a list of whole names; anything else is a JavaScript regular expression. Upper and lower
// case differ. One that is no valid expression matches nothing, and the client says nothing of it.
func (reader) Pattern(text, _ string) dialect.Pattern {
	p := dialect.Pattern{Text: text, Word: text, Aliases: aliases}
	switch {
	case text == "" || text == "*":
	case strings.Trim(text, letters) == "":
		p.Names = []string{}
		for name := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '|' || r == ',' }) {
			if name = strings.TrimSpace(name); name != "" {
				p.Names = append(p.Names, name)
			}
		}
	default:
		p.JavaScript, p.Err = jsregexp.Compile(text)
	}
	return p
}
