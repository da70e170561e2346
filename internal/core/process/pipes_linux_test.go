package process

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Every way to wait sees the exit, the output, the end of the context and the deadline: for few processes and for many,
// and with and without descriptors of the events, which old kernels do not have.
func TestWaysToWait(t *testing.T) {
	for name, many := range map[string]int64{"a thread": 0, "no thread": 100} {
		for _, event := range []int{cancelEvent, exitEvent, closed} {
			t.Run(name, func(t *testing.T) {
				leaders.Add(many)
				defer leaders.Add(-many)
				var s Supervisor
				defer s.Close()
				input := Input{bytes.Repeat([]byte("x"), 1<<20)}
				run := func(ctx context.Context, script string, limit time.Duration) Result {
					program := Program{Path: "/bin/sh", Args: []string{"sh", "-c", script}, Dir: "/"}
					p, err := s.Start(program, input, time.Now().Add(limit), nil)
					require.NoError(t, err)
					if event != closed {
						p.pipes.closeFD(event)
					}
					result, ended := p.Wait(ctx)
					require.True(t, ended)
					require.NoError(t, result.Err)
					require.False(t, result.OutputHeld)
					return result
				}
				result := run(t.Context(), "cat; echo why >&2; exit 3", time.Hour)
				require.Equal(t, 3, result.ExitCode)
				require.EqualValues(t, 1<<20, result.Stdout.Total)
				require.Equal(t, "why\n", string(result.Stderr.Head))
				require.True(t, run(t.Context(), "exec sleep 1000", 100*time.Millisecond).TimedOut)
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(100*time.Millisecond, cancel)
				require.True(t, run(ctx, "exec sleep 1000", time.Hour).TimedOut)
			})
		}
	}
}

// A process that is left behind and never stops printing does not keep stop from returning.
func TestStopOfEndlessOutput(t *testing.T) {
	var s Supervisor
	defer s.Close()
	program := Program{Path: "/bin/sh", Args: []string{"sh", "-c", "exec yes"}, Dir: "/"}
	p, err := s.Start(program, nil, time.Now().Add(100*time.Millisecond), nil)
	require.NoError(t, err)
	for p.pipes.captures[0].total == 0 {
		p.pipes.poll(time.Now().Add(time.Hour))
	}
	stdout, _ := p.pipes.stop()
	require.Less(t, stdout.Total, int64(2*keepStdout))
	require.True(t, p.pipes.held())
	p.leader.kill()
	p.leader.unwatch()
	p.leader.reap()
	p.leader.forget()
}
