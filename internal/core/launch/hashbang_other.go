//go:build unix && !darwin

package launch

// splitsWords: an interpreter gets all words after the first of a #! line as one argument.
const splitsWords = false
