//go:build linux

package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/protocol"
)

// BenchmarkParallel10 runs ten hooks of 100 ms. "over-ms" is what a call takes beyond those.
func BenchmarkParallel10(b *testing.B) {
	r := benchClaude(b, 10, func(i int) string { return fmt.Sprintf("sleep 0.1; : %d", i) })
	call := dialect.Call{Event: protocol.PreTool, Workspace: b.TempDir(), Tool: "shell"}
	var took time.Duration
	for b.Loop() {
		begin := time.Now()
		if o, err := r.Fire(context.Background(), call); err != nil || o.Decision != protocol.Continue ||
			len(o.Hooks) != 10 {
			b.Fatal(err, o)
		}
		took += time.Since(begin)
	}
	ms := float64(took.Nanoseconds()) / float64(b.N) / 1e6
	b.ReportMetric(ms-100, "over-ms")
	b.ReportMetric(ms/100, "ratio")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkStart60 runs sixty hooks that do nothing, in turn with its floor: os.StartProcess of the same sixty, and
// then Wait for each.
func BenchmarkStart60(b *testing.B) {
	const n = 60
	r := benchClaude(b, n, func(i int) string { return fmt.Sprintf(": %d", i) })
	call := dialect.Call{Event: protocol.PreTool, Workspace: b.TempDir(), Tool: "shell"}
	var ours, floor time.Duration
	for b.Loop() {
		begin := time.Now()
		if o, err := r.Fire(context.Background(), call); err != nil || o.Decision != protocol.Continue ||
			len(o.Hooks) != n {
			b.Fatal(err, o)
		}
		ours += time.Since(begin)
		begin = time.Now()
		var started []*os.Process
		for i := range n {
			p, err := os.StartProcess("/bin/sh", []string{"sh", "-c", fmt.Sprintf(": %d", i)}, &os.ProcAttr{})
			require.NoError(b, err)
			started = append(started, p)
		}
		for _, p := range started {
			_, err := p.Wait()
			require.NoError(b, err)
		}
		floor += time.Since(begin)
	}
	b.ReportMetric(float64(ours.Nanoseconds())/float64(b.N)/1e6, "ms/call")
	b.ReportMetric(float64(floor.Nanoseconds())/float64(b.N)/1e6, "floor-ms")
	b.ReportMetric(float64(ours)/float64(floor), "ratio")
	b.ReportMetric(0, "ns/op")
}

func benchClaude(b *testing.B, n int, script func(int) string) *engine.Runner {
	var hooks []hook
	for i := range n {
		hooks = append(hooks, command(script(i)))
	}
	doc, err := json.Marshal(hook{"hooks": hook{"PreToolUse": []any{hook{"hooks": hooks}}}})
	require.NoError(b, err)
	cfg, err := parts.All().Parse("settings.json", doc)
	require.NoError(b, err)
	return newRunner(b, cfg, engine.Options{})
}
