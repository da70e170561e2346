//go:build linux

package keeper_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/net/keeper"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

func TestHookStaysWarm(t *testing.T) {
	b := newBench(t, each(answers))
	first := b.pid()
	for range 20 {
		require.Equal(t, first, b.pid())
	}
	all := keeper.List(b.State)
	require.Len(t, all, 1)
	i := all[0]
	require.Equal(t, b.Hook, i.Hook)
	require.Equal(t, b.Workspace, i.Workspace)
	require.Equal(t, b.keeper(), i.PID)
	require.EqualValues(t, 21, i.Calls)
	require.Eventually(t, func() bool { // a call ends a little after the answer
		now := keeper.List(b.State)[0]
		return slices.Equal([]int{first}, now.Processes) && now.Busy == 0
	}, time.Minute, time.Millisecond)
}

// 2,000 calls from 20 processes at once are answered once each, by the number of the call.
func TestManyCallersAtOnce(t *testing.T) {
	for _, workers := range []int{1, 4} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			t.Parallel()
			b := newBench(t, each(answers))
			b.Workers = workers
			b.must("warm")
			calls := testall.Of(20, 100) // of each of the 20
			var callers []*caller
			for i := range 20 {
				callers = append(callers, b.caller(texts(fmt.Sprint("call", i), calls)...))
			}
			numbers := map[int64]bool{}
			answered, refused := 0, 0
			var got []callerReply
			for _, c := range callers {
				got = append(got, c.replies()...)
			}
			log := b.log()
			for _, r := range got {
				if !r.Begun {
					refused++
					require.Zero(t, log[r.Text], "%+v", r)
					continue
				}
				answered++
				require.False(t, r.Failed, "%+v", r)
				require.Equal(t, 1, log[r.Text], "%+v", r)
				require.Contains(t, r.Answer, fmt.Sprint(r.Number, " ", r.Text, " "))
				require.False(t, numbers[r.Number], "%+v", r)
				numbers[r.Number] = true
			}
			require.Len(t, got, 20*calls)
			t.Logf("%d answered, %d not begun", answered, refused)
			require.NotZero(t, answered)
		})
	}
}

// A process whose files changed during a call answers that call and no other.
func TestFilesChangeDuringACall(t *testing.T) {
	t.Parallel()
	b := newBench(t, each(answers))
	changed := false
	b.Changed = func() bool { return changed }
	first := b.pid()
	changed = true
	require.Equal(t, first, b.pid())
	changed = false
	second := b.pid()
	require.NotEqual(t, first, second)
	require.Equal(t, second, b.pid())
}
