package claude

import (
	"strings"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
)

// letters are the characters of a matcher that lists whole names, separated by commas or |.
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-|, "

// aliases adds the tool's old name: a matcher for Task also matches Agent, but not the other way round.
var aliases = dialect.Aliases{"Agent Task"}

// Pattern reads a matcher as Claude Code 2.1.329 does. "" and * match everything. A matcher of letters, digits, _, -,
// blanks, commas and | is a list of whole names. Any other is a JavaScript regular expression. Case matters. An invalid
// expression matches nothing, and the client does not report it.
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
		p.JavaScript, p.Err = client.JavaScript(text)
	}
	return p
}
