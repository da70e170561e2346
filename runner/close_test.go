//go:build linux

package runner_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/process/processtest"
	"github.com/hookrun/hookrun/protocol"
	"github.com/hookrun/hookrun/runner"
)

// TestCloseAndChildren: what a hook left behind at its normal exit goes on after Close, and a hook that still runs ends
// with all its children.
func TestCloseAndChildren(t *testing.T) {
	for name, leave := range map[string]string{"in the group": "", "in a session of its own": "setsid "} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			r := b.runner(runner.Options{},
				sh(`child() { `+leave+`sh -c 'echo $$ >ready; exec sleep 1000' >/dev/null 2>&1 & }
case $(cat) in
*'"command":"ls"'*) child ;;
*) child; echo $$ >ready; wait ;;
esac`))
			o, err := r.Before(context.Background(), b.call())
			require.NoError(t, err)
			require.Equal(t, protocol.Continue, o.Decision, o.Reason)
			left := b.ReadyAll(1)[0]
			ended := make(chan error, 1)
			go func() {
				call := b.call()
				call.Args = `{"command":"hang"}`
				_, err := r.Before(context.Background(), call)
				ended <- err
			}()
			running := b.ReadyAll(2)
			require.NoError(t, r.Close())
			require.Error(t, <-ended)
			for _, pid := range running {
				require.False(t, processtest.Alive(pid), processtest.Describe(pid))
			}
			b.Spare(left)
		})
	}
}
