// Package spelling helps with words in messages: it finds the known word that a misspelt word means, counts things, and
// shortens long texts.
//
//	spelling.Near("comand", []string{"command", "events"}) // ["command"]
//	spelling.Brief("permission", 4)                        // "perm…"
//
// A megabyte of nonsense takes no longer than a word.
package spelling

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Near returns the words closest to a wrong word, sorted. A word is close if it differs by case, by - and _, or by two
// letters (by one, for words of up to four).
func Near(wrong string, words []string) (close []string) {
	if len(wrong) > 100 {
		return nil
	}
	best, meant := 3, plain(wrong)
	for _, w := range words {
		if len(w)+2 < len(meant) { // removing - and _ never makes w longer
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

// Distance returns how many steps turn one word into the other. A step inserts, removes or replaces a letter, or swaps
// two neighbours. 3 means 3 or more.
func Distance(a, b string) int {
	if len(a) > 100 || len(b) > 100 {
		return 3
	}
	return distance([]rune(a), []rune(b))
}

func plain(s string) []rune {
	return []rune(strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(s), "-", ""), "_", ""))
}

// distance is Distance for runes. It stops at 3, because nonsense can be a million letters long, and a file can contain
// a hundred thousand such words.
func distance(a, b []rune) int {
	const longest = 128
	if len(a) > len(b)+2 || len(b) > len(a)+2 || len(b) >= longest {
		return 3
	}
	var rows [3][longest]uint8 // the current row and the two before it
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

// Brief cuts a text between characters to the given number of bytes, and marks the cut.
func Brief(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}

// Count returns a number of things, as "1 hook" or "2 hooks".
func Count[N int | int64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
