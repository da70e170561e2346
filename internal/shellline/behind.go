package shellline

// Launch is a command that another one runs: its words, or a shell line if there are none.
type Launch struct {
	Words []string
	Line  string
}

// Behind returns what a command of known words runs in its arguments: behind wrappers, in the lines of shells, in the
// actions of find.
func Behind(argv []string) (all []Launch) {
	for _, l := range behind(wordsOf(argv), nil).all {
		var words []string
		for _, w := range l.words {
			words = append(words, w.Text)
		}
		all = append(all, Launch{Words: words, Line: l.line})
	}
	return all
}

func wordsOf(texts []string) (words []Word) {
	for _, text := range texts {
		words = append(words, Word{Text: text})
	}
	return words
}
