//go:build linux

package engine_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
)

// TestMaxProcs: no more processes run at once than Options.MaxProcs, those of persistent hooks aside.
func TestMaxProcs(t *testing.T) {
	b := newBench(t)
	// Each process is alone in its folder, or says so.
	alone := sh("mkdir busy || echo together >&2; sleep 0.01; rmdir busy; exit 0")
	r := b.stays(engine.Options{MaxProcs: 1}, b.config(alone, sh("while read l; do echo '{}'; done",
		hook{"persistent": true})))
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			o, err := r.Fire(context.Background(), b.pre())
			if err != nil || o.Hooks[0].Status != dialect.StatusOK || o.Hooks[0].Stderr != "" {
				t.Errorf("%v, %+v", err, o.Hooks)
			}
		})
	}
	all.Wait()
	require.NoDirExists(t, b.Path("busy"))
}

// TestMaxProcsIsFreed: a slot is free again whatever becomes of its process, and a call that waits for one can be given
// up.
func TestMaxProcsIsFreed(t *testing.T) {
	b := newBench(t)
	r := b.stays(engine.Options{MaxProcs: 1}, b.config(sh("sleep 1000", hook{"timeout": "10ms"}),
		hook{"name": "none", "command": []string{"/nonexistent"}, "events": []string{"pre-tool"},
			"on_failure": "continue"}))
	for range 3 {
		b.must(r, b.pre())
	}
	waits := b.stays(engine.Options{MaxProcs: 1}, b.config(sh("echo ready >ready; exec sleep 1000")))
	first, end := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		_, err := waits.Fire(first, b.pre())
		done <- err
	}()
	b.Ready()
	second, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := waits.Fire(second, b.pre())
	require.ErrorIs(t, err, context.Canceled)
	end()
	require.ErrorIs(t, <-done, context.Canceled)
}
