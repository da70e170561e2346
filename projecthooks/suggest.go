package projecthooks

import (
	"fmt"
	"slices"
	"strings"
)

// Suggest returns `; did you mean "x"?` for the words that a wrong one may have been meant for, or "". A word comes
// close if it differs by case, by - and _, or by two letters (one, in words of up to four).
func Suggest(wrong string, words []string) string {
	if len(wrong) > 100 {
		return ""
	}
	var close []string
	best := 3
	for _, w := range words {
		d := distance(plain(wrong), plain(w))
		if limit := min(2, (len(w)+1)/3); d > limit || d > best {
			continue
		}
		if d < best {
			best, close = d, nil
		}
		close = append(close, fmt.Sprintf("%q", w))
	}
	if len(close) == 0 {
		return ""
	}
	slices.Sort(close)
	return "; did you mean " + strings.Join(close, " or ") + "?"
}

func plain(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(s), "-", ""), "_", "")
}

// distance counts the letters to insert, remove, replace or swap with their neighbour to get from a to b.
func distance(a, b string) int {
	if len(a) > len(b)+2 || len(b) > len(a)+2 {
		return 3 // too far to count: nonsense can be a million letters long
	}
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			change := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			rows[i][j] = min(change, rows[i-1][j]+1, rows[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
