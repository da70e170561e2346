package stats

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

func numbered(n int) string {
	return fmt.Sprintf(`{"time":"2026-11-21T14:43:17Z","session_id":"s%d","error":"%d"}`, n%2, n)
}

func numberedLines(from, to int) string {
	var b strings.Builder
	for n := from; n <= to; n++ {
		b.WriteString(numbered(n) + "\n")
	}
	return b.String()
}

func TestTail(t *testing.T) {
	tail := func(path string, f Filter, most int) (got []string) {
		log, err := Open(path)
		require.NoError(t, err)
		defer log.Close()
		lines, err := log.Tail(f, most)
		require.NoError(t, err)
		for _, line := range lines {
			c, ok := ParseCall(line)
			require.True(t, ok)
			got = append(got, c.Error)
		}
		return got
	}
	path := write(t, numberedLines(5, 9)+"garbage\n\n"+numbered(10), numberedLines(3, 4), "", numberedLines(1, 2))
	require.Equal(t, []string{"8", "9", "10"}, tail(path, Filter{}, 3))
	require.Equal(t, []string{"4", "5", "6", "7", "8", "9", "10"}, tail(path, Filter{}, 7))
	require.Equal(t, []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"}, tail(path, Filter{}, 100))
	require.Equal(t, []string{"4", "6", "8", "10"}, tail(path, Filter{Session: "s0"}, 4))
	require.Empty(t, tail(path, Filter{}, 0))

	// Blocks end anywhere, and a line can be as long as several.
	const lines = 30_000
	path = write(t, numberedLines(1, lines)+strings.Replace(numbered(lines+1), "}",
		`,"args":"`+strings.Repeat("x", 3*blockSize)+`"}`, 1)+"\n"+
		strings.Repeat("y", maxLine+blockSize)+"\n"+numberedLines(lines+2, lines+2))
	got := tail(path, Filter{}, 2*lines)
	require.Len(t, got, lines+2)
	for i, n := range got {
		require.Equal(t, fmt.Sprint(i+1), n)
	}
}

// followed is a log that somebody follows.
type followed struct {
	*testing.T
	path string
	got  chan string
}

func follow(t *testing.T, path string, last int) *followed {
	f := &followed{t, path, make(chan string, 1000)}
	log, err := Open(path)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		done <- log.Follow(ctx, Filter{}, last, func(line []byte) error {
			f.got <- string(line)
			return nil
		})
	}()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-done)
		log.Close()
		require.Empty(t, f.got, "more than was written")
	})
	return f
}

// gets waits for lines, in this order.
func (f *followed) gets(from, to int) {
	f.Helper()
	for n := from; n <= to; n++ {
		select {
		case line := <-f.got:
			require.Equal(f, numbered(n), line)
		case <-time.After(20 * time.Second):
			require.Fail(f, "no line", "%d", n)
		}
	}
}

func (f *followed) write(text string) {
	f.Helper()
	file, err := os.OpenFile(f.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(f, err)
	_, err = file.WriteString(text)
	require.NoError(f, err)
	require.NoError(f, file.Close())
}

func (f *followed) rotate() {
	f.Helper()
	for i := 2; i >= 0; i-- {
		from := fmt.Sprintf("%s.%d", f.path, i)
		if i == 0 {
			from = f.path
		}
		if err := os.Rename(from, fmt.Sprintf("%s.%d", f.path, i+1)); !os.IsNotExist(err) {
			require.NoError(f, err)
		}
	}
}

func TestFollow(t *testing.T) {
	testall.NotOnWindows(t, "the oldest log cannot be replaced while it is followed")
	t.Parallel()
	f := follow(t, write(t, numberedLines(8, 15)+numbered(16)[:20], numberedLines(1, 7)), 10)
	f.gets(6, 15)
	f.write(numbered(16)[20:])
	f.write("\n" + numbered(17)[:1])
	f.gets(16, 16)
	f.write(numbered(17)[1:] + "\n" + numbered(18) + "\n")
	f.gets(17, 18)

	f.write(numberedLines(19, 20))
	f.rotate()
	f.write(numberedLines(21, 22))
	f.gets(19, 22)

	for n := range 3 { // while nobody looks
		f.write(numberedLines(23+n, 23+n))
		f.rotate()
	}
	f.gets(23, 25) // and with no file for a while
	f.write(numberedLines(26, 26))
	f.gets(26, 26)

	f.write(numberedLines(27, 30))
	f.gets(27, 30)
	require.NoError(t, os.Truncate(f.path, 0))
	f.write(numberedLines(31, 31))
	f.gets(31, 31)

	require.NoError(t, os.Remove(f.path))
	f.write(numberedLines(32, 33))
	f.gets(32, 33)
}

func TestFollowAll(t *testing.T) {
	t.Parallel()
	f := follow(t, write(t, numberedLines(4, 50), numberedLines(2, 3), numberedLines(1, 1)), -1)
	f.gets(1, 50)
	f.write(strings.Repeat("z", maxLine+2)) // nobody's line
	f.write("\n" + numberedLines(51, 51))
	f.gets(51, 51)
}

// What is too long is still being written, too: its rest is no line.
func TestLongLineWithoutEnd(t *testing.T) {
	text := numberedLines(1, 1) + strings.Repeat("z", maxLine+2)
	end, err := eachLine(strings.NewReader(text), 0, int64(len(text)), func([]byte, bool) error { return nil })
	require.NoError(t, err)
	require.EqualValues(t, len(numberedLines(1, 1)), end)
}
