package stats

import (
	"math"
	"math/bits"
)

// histogram counts durations in buckets. Below 1.28 ms a bucket is a hundredth of a millisecond wide, the precision of
// the log. Above, a bucket is at most a 64th of its durations wide, so the middle is wrong by less than 1 %.
type histogram struct {
	counts []int // by bucket, up to the last used one
	total  int
	max    float64 // in milliseconds, exact
}

func (h *histogram) add(ms float64) {
	b := bucket(ms)
	if b >= len(h.counts) {
		h.counts = append(h.counts, make([]int, b+1-len(h.counts))...)
	}
	h.counts[b]++
	h.total++
	h.max = max(h.max, ms)
}

// percentile returns the smallest duration that this percentage of all durations does not exceed.
func (h *histogram) percentile(percent int) float64 {
	rank := (h.total*percent + 99) / 100
	if rank == h.total {
		return h.max
	}
	for b, n := range h.counts {
		if rank -= n; rank <= 0 {
			return min(middle(b), h.max)
		}
	}
	return 0
}

func bucket(ms float64) int {
	const most = 1 << 50 // hundredths; beyond any real duration
	hundredths := int(min(math.Round(max(ms, 0)*100), most))
	shift := max(bits.Len(uint(hundredths))-7, 0)
	return shift<<6 + hundredths>>shift
}

// middle returns the duration that stands for all durations of a bucket.
func middle(b int) float64 {
	shift := max(b>>6-1, 0)
	least := (b - shift<<6) << shift
	return float64(least+(1<<shift-1)/2) / 100
}
