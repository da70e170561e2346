package launch

// splitsWords: an interpreter gets each word of its #! line.
const splitsWords = true
