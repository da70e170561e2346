package projecthooks

import "github.com/hookrun/hookrun/internal/spelling"

// Suggest returns `; did you mean "x"?` for the words that a wrong one may have been meant for, or "". A word comes
// close if it differs by case, by - and _, or by two letters (one, in words of up to four).
func Suggest(wrong string, words []string) string { return spelling.Suggest(wrong, words) }
