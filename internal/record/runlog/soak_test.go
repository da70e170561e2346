package runlog

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// TestSoak has many processes write to one log while they are killed at random. Every line is whole, none comes twice,
// the order of each writer is kept, and what Append reported is there, but what was rotated away.
func TestSoak(t *testing.T) {
	testall.NotOnWindows(t, "under Wine a lock is too slow for so many writers")
	for name, maxSize := range map[string]int64{"in one file": 1 << 40, "rotated now and then": 4 << 20,
		"rotated all the time": 40 << 10} {
		t.Run(name, func(t *testing.T) { soak(t, maxSize) })
	}
}

func soak(t *testing.T, maxSize int64) {
	writers := testall.Of(16, 50)
	total := testall.Of(480, 25_000)
	if os.Getenv("HOOKRUN_SOAK") == "1" {
		total = 100_000
	} else if raceEnabled {
		total = min(total, 1_600)
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	l := newLog(t, Options{Path: filepath.Join(t.TempDir(), "run.log")})

	var all sync.WaitGroup
	reported := make([]map[int]bool, writers) // by number: whether Append wrote it
	killed := make([]int, writers)
	for w := range writers {
		reported[w] = map[int]bool{}
		all.Go(func() {
			r := role{Name: "writer", Path: l.path, MaxSize: maxSize, Who: fmt.Sprint(w), To: total / writers}
			killed[w] = keepWriting(t, r, reported[w], rand.New(rand.NewPCG(seed, uint64(w))))
		})
	}
	all.Wait()
	require.NoError(t, l.Append(numbered("end"))) // the last one may have been killed in its line

	first, last := make([]int, writers), make([]int, writers)
	there := make([]map[int]bool, writers)
	lines := 0
	for part := parts; part >= 0; part-- {
		text, err := os.ReadFile(l.part(part))
		if os.IsNotExist(err) {
			continue
		}
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			require.True(t, strings.HasSuffix(line, "}\n"), line)
			require.True(t, gjson.Valid(line), line)
			fields := gjson.GetMany(line, "session_id", "tool_use_id", "result", "result_preview")
			if fields[1].String() == "end" {
				continue
			}
			lines++
			w, err := strconv.Atoi(fields[0].String())
			require.NoError(t, err)
			i, err := strconv.Atoi(fields[1].String())
			require.NoError(t, err)
			want := []rune(payload(fmt.Sprint(w), i))
			require.Equal(t, string(want[:min(len(want), maxText)]), fields[2].String()+fields[3].String())
			if there[w] == nil {
				there[w], first[w] = map[int]bool{}, i
			} else {
				require.Greater(t, i, last[w], "writer %d", w)
			}
			there[w][i], last[w] = true, i
		}
	}
	kills, written, refused := 0, 0, 0
	for w := range writers {
		kills += killed[w]
		for i, ok := range reported[w] {
			switch {
			case !ok:
				refused++
				require.False(t, there[w][i], "%d of writer %d was said not to be written", i, w)
			case maxSize == 1<<40 || there[w] != nil && i >= first[w]:
				require.True(t, there[w][i], "%d of writer %d is lost", i, w)
			}
			if ok {
				written++
			}
		}
	}
	require.Positive(t, kills)
	require.Zero(t, refused)
	t.Logf("%d written, %d refused, %d lines there, %d writers killed", written, refused, lines, kills)
}

// keepWriting keeps a writing process going to the end of its numbers. What it was at when it was killed is nobody's.
func keepWriting(t *testing.T, r role, reported map[int]bool, random *rand.Rand) (killed int) {
	for r.From < r.To {
		cmd := r.command(t)
		stdout, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Error(err)
			return killed
		}
		dead := false
		for out := bufio.NewScanner(stdout); out.Scan(); {
			what, rest, _ := strings.Cut(out.Text(), " ")
			number, _, _ := strings.Cut(rest, " ")
			i, err := strconv.Atoi(number)
			if err != nil || what != "put" && what != "not" || i != r.From {
				if !dead { // else it is the line that it was killed in
					t.Errorf("writer %s said %q", r.Who, out.Text())
				}
				continue
			}
			reported[i] = what == "put"
			if r.From = i + 1; !dead && random.IntN(60) == 0 {
				dead = true
				killed++
				cmd.Process.Kill()
			}
		}
		if err := cmd.Wait(); err != nil && !dead {
			t.Errorf("writer %s: %v", r.Who, err)
			return killed
		} else if dead {
			r.From++
		}
	}
	return killed
}
