// Package spelling is about words in messages: it finds the word that a misspelt one was meant for, and cuts what is
// too long to be shown.
//
//	spelling.Near("comand", []string{"command", "events"}) // ["command"]
//	spelling.Brief("permission", 4)                        // "perm…"
//
// It costs no more time on nonsense of a megabyte than on a word.
package spelling

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Near returns the words that a wrong one may have been meant for, in order: those that come closest. A word comes
// close if it differs by case, by - and _, or by two letters (one, in words of up to four).
func Near(wrong string, words []string) (close []string) {
	if len(wrong) > 100 {
		return nil
	}
	best, meant := 3, plain(wrong)
	for _, w := range words {
		if len(w)+2 < len(meant) { // it is never longer without - and _
			continue
		}
		d := distance(meant, plain(w))
		if limit := min(2, (len(w)+1)/3); d > limit || d > best {
			continue
		}
		if d < best {
			best, close = d, nil
		}
		close = append(close, w)
	}
	slices.Sort(close)
	return close
}

// Distance counts the letters to insert, remove, replace or swap with their neighbour to get from one word to the
// other. 3 stands for all that is further.
func Distance(a, b string) int {
	if len(a) > 100 || len(b) > 100 {
		return 3
	}
	return distance([]rune(a), []rune(b))
}

func plain(s string) []rune {
	return []rune(strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(s), "-", ""), "_", ""))
}

// distance counts the letters to insert, remove, replace or swap with their neighbour to get from a to b. 3 stands for
// all that is too far to count: nonsense can be a million letters long, and a file can have a hundred thousand of it.
func distance(a, b []rune) int {
	const longest = 128
	if len(a) > len(b)+2 || len(b) > len(a)+2 || len(b) >= longest {
		return 3
	}
	var rows [3][longest]uint8 // of the letters of a up to the one at hand and the two before
	before, last, now := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		last[j] = uint8(j)
	}
	for i := range len(a) {
		now[0] = uint8(i + 1)
		for j := range len(b) {
			change := last[j]
			if a[i] != b[j] {
				change++
			}
			now[j+1] = min(change, last[j+1]+1, now[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				now[j+1] = min(now[j+1], before[j-1]+1)
			}
		}
		before, last, now = last, now, before
	}
	return int(last[len(b)])
}

// Brief is a text of at most so many bytes, and a mark if it was longer. It is cut between characters.
func Brief(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}
