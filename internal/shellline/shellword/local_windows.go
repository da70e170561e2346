package shellword

// Local quotes a word for the shell of this system, in which a person is to type it.
func Local(word string) string { return windowsHint(word) }
