//go:build linux

package keeper_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/process/processtest"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// Keepers, hooks and callers are killed at random while others call. No call is run twice, gets the answer of another
// call or runs out of time, and a call not begun has not reached the hook.
func TestKillsAtRandom(t *testing.T) {
	b := newBench(t, each("(sleep 0.00$((id % 5))); "+answers))
	b.Workers = 2
	b.must("warm")
	kills := testall.Of(30, 500)
	var callers, killer sync.WaitGroup
	var mu sync.Mutex
	stop := make(chan struct{})
	var got []callerReply
	for n := range 4 {
		callers.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				replies := b.caller(texts(fmt.Sprint("call", n, ".", i), 5)...).replies()
				mu.Lock()
				got = append(got, replies...)
				mu.Unlock()
			}
		})
	}
	killer.Go(func() {
		defer close(stop)
		for i := range kills {
			time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond) // no verdict depends on when
			var pids []int
			switch i % 3 {
			case 0:
				pids = b.keepers()
			case 1:
				pids = b.hooks()
			default:
				pids = b.callers()
			}
			if len(pids) > 0 {
				_ = syscall.Kill(pids[rand.IntN(len(pids))], syscall.SIGKILL)
			}
		}
	})
	killer.Wait()
	callers.Wait()
	log := b.log()
	answered, failed, refused := 0, 0, 0
	for _, r := range got {
		require.False(t, r.TimedOut, "%+v", r)
		switch {
		case !r.Begun:
			refused++
			require.Zero(t, log[r.Text], "%+v", r)
		case r.Failed:
			failed++
			require.LessOrEqual(t, log[r.Text], 1, "%+v", r)
		default:
			answered++
			require.Equal(t, 1, log[r.Text], "%+v", r)
			require.Contains(t, r.Answer, fmt.Sprint(r.Number, " ", r.Text, " "))
		}
	}
	for text, times := range log {
		if text != "warm" {
			require.Equal(t, 1, times, text)
		}
	}
	t.Logf("%d answered, %d failed, %d not begun", answered, failed, refused)
	require.NotZero(t, answered)
	b.must("warm")
}

// hooks returns the processes of the hook.
func (b *bench) hooks() (pids []int) {
	for _, pid := range processtest.PIDs() {
		if processtest.HasVariable(pid, b.Mark) && processtest.Alive(pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// callers returns the callers started by this process.
func (b *bench) callers() (pids []int) {
	for _, pid := range processtest.Children() {
		if args := processtest.Cmdline(pid); len(args) == 2 && args[1] == callerCommand {
			pids = append(pids, pid)
		}
	}
	return pids
}
