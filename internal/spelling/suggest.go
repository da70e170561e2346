package spelling

import (
	"strconv"
	"strings"
)

// Suggest returns `; did you mean "x"?` for the words that a wrong one may have been meant for, or "". A word comes
// close if it differs by case, by - and _, or by two letters (one, in words of up to four).
func Suggest(wrong string, words []string) string {
	close := Near(wrong, words)
	if len(close) == 0 {
		return ""
	}
	for i, w := range close {
		close[i] = strconv.Quote(w)
	}
	return "; did you mean " + strings.Join(close, " or ") + "?"
}
