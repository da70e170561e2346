package launch

// splitsWords: an interpreter gets each word of a #! line as an argument.
const splitsWords = true
