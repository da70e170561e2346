package permission

import (
	"math/bits"
	"slices"
)

// findRun returns the first place in [from, end) at which all of run lies, one element for one place, or -1.
// An empty run is at from.
//
// It tries place after place, which is quick unless a long run nearly fits at very many of them.
// findRunBits goes on from there: patterns and paths may be hostile.
func findRun[T comparable](run []T, from, end int, match func(T, int) bool) int {
	spent := 0
	for at := from; at <= end-len(run); at++ {
		n := 0
		for n < len(run) && match(run[n], at+n) {
			n++
		}
		if n == len(run) {
			return at
		}
		spent += n
		if spent > 16*(at-from)+patience {
			return findRunBits(run, at+1, end, match)
		}
	}
	return -1
}

// patience is how many comparisons findRun may waste before it changes its ways.
var patience = 1 << 14

// findRunBits is findRun in a time of about len(run) * (end-from) / 64: it looks at all places at once, one bit for
// each that can still be the answer.
func findRunBits[T comparable](run []T, from, end int, match func(T, int) bool) int {
	count := end - len(run) - from + 1
	if count <= 0 {
		return -1
	}
	live := newBitset(count)
	for i := range count {
		live.set(i)
	}
	alive := count
	fits := map[T]bitset{} // the places, from `from` on, that an element matches
	// From the end, because it is not the start that findRun stumbled over.
	for n, element := range slices.Backward(run) {
		// With few places left it costs less to look at each than to fill the bits of an element.
		if alive <= count/64 {
			for i := range live.all {
				if !match(element, from+i+n) {
					live.clear(i)
					alive--
				}
			}
		} else {
			fit, ok := fits[element]
			if !ok {
				fit = newBitset(end - from + 64)
				for i := range end - from {
					if match(element, from+i) {
						fit.set(i)
					}
				}
				fits[element] = fit
			}
			if !live.and(fit, n) {
				alive = live.count()
			}
		}
		if alive == 0 {
			return -1
		}
	}
	for i := range live.all {
		return from + i
	}
	return -1
}

type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) set(i int)   { b[i/64] |= 1 << (i % 64) }
func (b bitset) clear(i int) { b[i/64] &^= 1 << (i % 64) }

// all yields the bits that are set, in order.
func (b bitset) all(yield func(int) bool) {
	for w, word := range b {
		for ; word != 0; word &= word - 1 {
			if !yield(w*64 + bits.TrailingZeros64(word)) {
				return
			}
		}
	}
}

// and keeps the bits i whose bit i+shift is set in other, and reports whether all were kept. other has a word after the
// last one that is asked for.
func (b bitset) and(other bitset, shift int) (all bool) {
	other = other[shift/64:][:len(b)+1]
	low := uint(shift % 64)
	var lost uint64
	next := other[0]
	for w, word := range b {
		after := other[w+1]
		kept := word & (next>>low | after<<(64-low))
		lost |= word ^ kept
		b[w] = kept
		next = after
	}
	return lost == 0
}

func (b bitset) count() (n int) {
	for _, word := range b {
		n += bits.OnesCount64(word)
	}
	return n
}
