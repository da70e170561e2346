//go:build linux

package runner_test

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/process/processtest"
	"github.com/hookrun/hookrun/projecthooks"
	"github.com/hookrun/hookrun/protocol"
	"github.com/hookrun/hookrun/runner"
)

// bench is a workspace for hooks, and the proof that nothing is left of them.
type bench struct{ *processtest.Bench }

func newBench(t *testing.T) *bench { return &bench{processtest.New(t)} }

// hook is an entry of a hooks file.
type hook map[string]any

// sh is a hook of a shell script, which runs in bench.Dir.
func sh(script string, more ...hook) hook {
	h := hook{"name": "h", "command": script, "events": []string{"pre-execute", "pre-tool", "post-tool"}}
	for _, m := range more {
		for k, v := range m {
			h[k] = v
		}
	}
	return h
}

// runner returns a Runner for these hooks of a file.
func (b *bench) runner(o runner.Options, hooks ...hook) *runner.Runner {
	b.Helper()
	for i, h := range hooks[min(1, len(hooks)):] {
		if h["name"] == "h" { // equal names load with a warning
			h["name"] = fmt.Sprintf("h%d", i+2)
		}
	}
	doc, err := json.Marshal(map[string]any{"hooks": hooks})
	require.NoError(b, err)
	cfg, err := projecthooks.Parse("f", doc)
	require.NoError(b, err)
	if o.Env == nil {
		o.Env = append(os.Environ(), b.Mark)
	}
	r, err := runner.New(cfg, o)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, r.Close()) })
	return r
}

func (b *bench) call() protocol.Call {
	return protocol.Call{Workspace: b.Dir, Tool: "shell", Args: `{"command":"ls"}`}
}
