//go:build unix && !darwin

package launch

// splitsWords: an interpreter gets all words of its #! line behind the first as one.
const splitsWords = false
