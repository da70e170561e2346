package runstats

import (
	"math"
	"math/bits"
)

// histogram counts durations in buckets. Those under 1.28 ms are counted to a hundredth of a millisecond, which is as
// much as a log says; above, a bucket is at most a 64th of its durations wide, so that its middle is wrong by less than
// 1 %.
type histogram struct {
	counts []int // by bucket, as far as one is used
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

// percentile returns the smallest duration that so many percent of all do not exceed.
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
	const most = 1 << 50 // hundredths: far over all that there is
	hundredths := int(min(math.Round(max(ms, 0)*100), most))
	shift := max(bits.Len(uint(hundredths))-7, 0)
	return shift<<6 + hundredths>>shift
}

// middle is the duration that stands for those of a bucket.
func middle(b int) float64 {
	shift := max(b>>6-1, 0)
	least := (b - shift<<6) << shift
	return float64(least+(1<<shift-1)/2) / 100
}
