package shellline

import "strings"

// Hint is a text that may contain a command at an unknown position: a program in another language, or the arguments of
// a launcher with unknown options. If the text contains all words of a rule, the rule is in doubt.
type Hint struct {
	Text string
	Name string // names the text in messages
	// Weak: the text is a line whose programs could run a text, but their arguments do not say so.
	Weak bool
}

// unquoted returns the hint without shell quotes, because the text may be a shell line, in which gi”t is git.
func (h Hint) unquoted() Hint {
	return Hint{strings.NewReplacer("'", "", `"`, "", `\`, "").Replace(h.Text), h.Name, h.Weak}
}
