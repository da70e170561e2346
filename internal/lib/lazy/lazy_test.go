package lazy_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/lib/lazy"
)

func TestValueIsMadeOnce(t *testing.T) {
	made := 0
	v := lazy.Value[[]int]{Make: func() []int { made++; return []int{made} }}
	require.Zero(t, made)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() { require.Equal(t, []int{1}, v.Get()) })
	}
	wait.Wait()
}

// A call that panicked is caught, and the next one must not go on with an empty table.
func TestPanicStays(t *testing.T) {
	v := lazy.Value[[]int]{Make: func() []int { panic("no table") }}
	e := lazy.Regexp{Text: "("}
	for range 2 {
		require.PanicsWithValue(t, "no table", func() { v.Get() })
		require.Panics(t, func() { e.Get() })
	}
}
