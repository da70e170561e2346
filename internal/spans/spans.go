// Package spans has sets of characters, for globs and regular expressions.
//
//	s := spans.Union([]spans.Span{{'a', 'z'}, {'0', '9'}})
//	s.Has('b')
//
// The spans of a set are in order and do not touch. Sets are not changed once they are made.
package spans

import "sort"

// Set is a set of characters, or of what else is counted by runes.
type Set []Span

// Span is from Lo to Hi, both included.
type Span struct{ Lo, Hi rune }

// Has reports whether a character is in the set.
func (s Set) Has(r rune) bool {
	lo, hi := 0, len(s)
	for lo < hi {
		if mid := (lo + hi) / 2; s[mid].Hi < r {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo < len(s) && s[lo].Lo <= r
}

// Union puts spans in order and joins those that touch. It uses their memory.
func Union(all []Span) Set {
	if s := byLo(all); !sort.IsSorted(s) {
		sort.Sort(s)
	}
	s := all[:0]
	for _, x := range all {
		if n := len(s); n > 0 && x.Lo <= s[n-1].Hi+1 {
			s[n-1].Hi = max(s[n-1].Hi, x.Hi)
		} else {
			s = append(s, x)
		}
	}
	return s
}

// byLo is for package sort, which is in the program anyway: a sort of package slices would add 7 KB for this type.
type byLo []Span

func (s byLo) Len() int           { return len(s) }
func (s byLo) Less(i, j int) bool { return s[i].Lo < s[j].Lo }
func (s byLo) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }

// Complement returns what is not in the set, from 0 to last.
func (s Set) Complement(last rune) Set {
	rest := make(Set, 0, len(s)+1)
	next := rune(0)
	for _, x := range s {
		if next < x.Lo {
			rest = append(rest, Span{next, x.Lo - 1})
		}
		next = x.Hi + 1
	}
	if next <= last {
		rest = append(rest, Span{next, last})
	}
	return rest
}
