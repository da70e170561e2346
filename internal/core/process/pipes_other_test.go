//go:build !linux

package process

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// On a busy machine the goroutine that reads an output may run for the first time after stop. The answer of a hook that
// has ended is in the pipe then, and a block that got lost would look like an approval.
func TestReadAllAfterStop(t *testing.T) {
	for _, test := range []struct {
		name  string
		held  bool // another process holds the pipe
		bytes int
	}{
		{"ended", false, 0}, {"ended, with output", false, 50_000},
		{"held", true, 0}, {"held, with output", true, 50_000},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := newStdio()
			require.NoError(t, err)
			defer s.close()
			printed := bytes.Repeat([]byte("x"), test.bytes)
			_, err = s.theirs[1].Write(printed)
			require.NoError(t, err)
			if !test.held {
				s.closeTheirs()
			}
			s.out[0].stop()
			c := newCaptures()[0]
			c.readAll(&s.out[0])
			require.Equal(t, test.bytes, len(c.output().Head))
			require.Equal(t, !test.held, c.ended)
		})
	}
}

// A process that is left behind and never stops printing does not keep readAll from returning.
func TestReadAllOfEndlessOutputAfterStop(t *testing.T) {
	s, err := newStdio()
	require.NoError(t, err)
	printed := make(chan struct{})
	go func() {
		defer close(printed)
		for err := error(nil); err == nil; {
			_, err = s.theirs[1].Write(make([]byte, pipeSize))
		}
	}()
	s.out[0].stop()
	c := newCaptures()[0]
	c.readAll(&s.out[0])
	require.False(t, c.ended)
	s.out[0].Close()
	<-printed
	s.close()
}

// Of a stream of any length, read in pieces of any size, the first and the last bytes are kept, in their order.
func TestCaptureKeepsHeadAndTail(t *testing.T) {
	const half = 600 // the buffer grows once before it is a ring
	for _, piece := range []int{1, 7, half, 3 * half} {
		for _, size := range []int{0, 1, half, 2*half - 1, 2 * half, 2*half + 1, 3 * half, 4 * half, 4*half + 1, 5000} {
			printed := make([]byte, size)
			for i := range printed {
				printed[i] = byte(i % 251)
			}
			c, r := capture{half: half}, bytes.NewReader(printed)
			for err := error(nil); err == nil; {
				err = c.read(io.LimitReader(r, int64(piece)))
				if r.Len() == 0 {
					break
				}
			}
			kept := c.output()
			require.Equal(t, int64(size), kept.Total)
			if size <= 2*half {
				require.Equal(t, string(printed), string(kept.Head), "%d by %d", size, piece)
				require.Empty(t, kept.Tail)
				continue
			}
			require.Equal(t, string(printed[:half]), string(kept.Head), "%d by %d", size, piece)
			require.Equal(t, string(printed[size-half:]), string(kept.Tail), "%d by %d", size, piece)
		}
	}
}
