package permission

import (
	"cmp"
	"slices"
)

// spanSet is a set of code units: spans in order that do not touch.
type spanSet []span

// span is from lo to hi, both included.
type span struct{ lo, hi uint16 }

// has reports whether a code unit is in the set.
func (s spanSet) has(u uint16) bool {
	_, found := slices.BinarySearchFunc(s, u, func(x span, u uint16) int {
		switch {
		case x.hi < u:
			return -1
		case x.lo > u:
			return 1
		}
		return 0
	})
	return found
}

// union puts spans in order and joins those that overlap. It uses their memory.
func union(all []span) spanSet {
	slices.SortFunc(all, func(a, b span) int { return cmp.Compare(a.lo, b.lo) })
	s := all[:0]
	for _, x := range all {
		if n := len(s); n > 0 && x.lo <= s[n-1].hi {
			s[n-1].hi = max(s[n-1].hi, x.hi)
		} else {
			s = append(s, x)
		}
	}
	return s
}
