package shellline

import "strings"

// Hint is a text in which a command may stand, though nobody can tell where: a program in another language, or the
// arguments of a launcher whose options are not known. It is doubt for a rule all of whose words stand in it.
type Hint struct {
	Text string
	What string // the text, for messages
	// Weak says that it is a line whose programs could run a text, of which their arguments do not speak.
	Weak bool
}

// unquoted returns a hint without the quotes of a shell: the text may be a line of one, in which gi”t is git.
func (h Hint) unquoted() Hint {
	return Hint{strings.NewReplacer("'", "", `"`, "", `\`, "").Replace(h.Text), h.What, h.Weak}
}
