package programs

import "strings"

// Word is one word of a command, without its quotes.
type Word struct {
	Text string

	// Computed: the shell computes a part of the word, after Prefix, when the line runs. MaybeMany: the result may be
	// no word or several words. ProgramVariable: the word is a variable such as $CC that names a program by habit and
	// is not set by the line. Code: a quoted part holds an expansion, which runs if the word is evaluated. Home: the
	// word begins with a folder's path that is not set by the line, as in ~ and $HOME. Outside: of a computed word,
	// only names of files and the values of variables are unknown that the line does not set: they come from outside of
	// the line, as the commands of a script do.
	Computed, MaybeMany, ProgramVariable, Code, Home, Outside bool
	Prefix                                                    string

	Source string // as written in the line, with quotes; "" for words that are not in the line
}

// After returns the rest of the word after n bytes, such as the value of an option. Bash expands ~ and $HOME in the
// rest too: of=~/x.
func (w Word) After(n int) Word {
	w.Text, w.Prefix = w.Text[n:], w.Prefix[min(n, len(w.Prefix)):]
	w.Home = w.Text != "" && strings.Contains("~$", w.Text[:1])
	return w
}
