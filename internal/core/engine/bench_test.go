package engine_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/protocol"
)

// BenchmarkFire runs one argv hook in turn with its floor, os.StartProcess and Wait of the same program. "ratio" is
// what hookrun adds to the system's price of a process.
func BenchmarkFire(b *testing.B) {
	program, err := exec.LookPath("true")
	require.NoError(b, err)
	dir := b.TempDir()
	r := benchRunner(b, map[string]any{"name": "h", "command": []string{program}, "events": []string{"pre-tool"}})
	call := dialect.Call{Event: protocol.PreTool, Workspace: dir, Tool: "shell", Args: `{"command":"ls"}`}
	var ours, floor time.Duration
	for b.Loop() {
		begin := time.Now()
		o, err := r.Fire(context.Background(), call)
		ours += time.Since(begin)
		if err != nil || o.Decision != protocol.Continue {
			b.Fatal(err, o)
		}
		begin = time.Now()
		p, err := os.StartProcess(program, []string{"true"}, &os.ProcAttr{})
		if err == nil {
			_, err = p.Wait()
		}
		floor += time.Since(begin)
		require.NoError(b, err)
	}
	b.ReportMetric(float64(ours.Nanoseconds())/float64(b.N), "ns/call")
	b.ReportMetric(float64(floor.Nanoseconds())/float64(b.N), "floor-ns")
	b.ReportMetric(float64(ours)/float64(floor), "ratio")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkFireNoMatch is a call that no hook is for: it starts no process.
func BenchmarkFireNoMatch(b *testing.B) {
	r := benchRunner(b, map[string]any{"name": "h", "command": []string{"true"}, "events": []string{"pre-tool"},
		"matcher": "fs_*|net_*"})
	call := dialect.Call{Event: protocol.PreTool, Workspace: b.TempDir(), Tool: "shell", Args: `{"command":"ls"}`}
	for b.Loop() {
		if _, err := r.Fire(context.Background(), call); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFireInput is such a call of a client's: its hook input is read, and its tool gets the project's name.
func BenchmarkFireInput(b *testing.B) {
	r := benchRunner(b, map[string]any{"name": "h", "command": []string{"true"}, "events": []string{"pre-tool"},
		"matcher": "fs_*|net_*"})
	const input = `{"session_id":"s","transcript_path":"/t","cwd":"/","permission_mode":"default",` +
		`"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"t"}`
	dir := b.TempDir()
	b.ReportAllocs()
	for b.Loop() {
		call, _, err := clients.All().ParseInput(input)
		if err != nil {
			b.Fatal(err)
		}
		call.Workspace = dir
		if _, err := r.Fire(context.Background(), call); err != nil {
			b.Fatal(err)
		}
	}
}

func benchRunner(b *testing.B, hook map[string]any) *engine.Runner {
	doc, err := json.Marshal(map[string]any{"hooks": []any{hook}})
	require.NoError(b, err)
	cfg, err := parts.All().Parse(hookfile.FileName, doc)
	require.NoError(b, err)
	return newRunner(b, cfg, engine.Options{})
}
