//go:build linux

package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/core/process/processtest"
	"github.com/hookrun/hookrun/protocol"
)

// bench is a workspace for hooks, and the proof that nothing is left of them.
type bench struct{ *processtest.Bench }

func newBench(t *testing.T) *bench { return &bench{processtest.New(t)} }

// hook is an entry of a hooks file.
type hook map[string]any

// sh is a hook of a shell script, which runs in bench.dir.
func sh(script string, more ...hook) hook {
	h := hook{"name": "h", "command": script, "events": []string{"pre-execute", "pre-tool", "post-tool"}}
	for _, m := range more {
		for k, v := range m {
			h[k] = v
		}
	}
	return h
}

func (b *bench) config(hooks ...hook) *hookfile.Config {
	b.Helper()
	for i, h := range hooks[min(1, len(hooks)):] {
		if h["name"] == "h" { // equal names load with a warning
			h["name"] = fmt.Sprintf("h%d", i+2)
		}
	}
	doc, err := json.Marshal(map[string]any{"hooks": hooks})
	require.NoError(b, err)
	cfg, err := parts.All().Parse(hookfile.FileName, doc)
	require.NoError(b, err)
	return cfg
}

func (b *bench) runner(o engine.Options, hooks ...hook) *engine.Runner {
	b.Helper()
	return b.with(o, b.config(hooks...))
}

// pre is a pre-tool call.
func (b *bench) pre() dialect.Call {
	return dialect.Call{Event: protocol.PreTool, Workspace: b.Dir, Tool: "shell", Args: `{"command":"ls"}`}
}

func (b *bench) post() dialect.Call {
	c := b.pre()
	c.Event, c.Result = protocol.PostTool, "done"
	return c
}

// fire asks the hooks about a pre-tool call.
func (b *bench) fire(hooks ...hook) engine.Fired {
	b.Helper()
	o, err := b.runner(engine.Options{}, hooks...).Fire(context.Background(), b.pre())
	require.NoError(b, err)
	return o
}

// during fires, calls then with what the hook wrote to "ready" while it runs, and returns the outcome.
func (b *bench) during(ctx context.Context, r *engine.Runner, then func(words []string)) (o engine.Fired,
	err error) {
	b.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		o, err = r.Fire(ctx, b.pre())
	}()
	then(b.Ready())
	<-done
	return o, err
}
