package engine_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/core/process/processtest"
	"github.com/hookrun/hookrun/protocol"
)

// A hook of these tests is this program.
func init() {
	processtest.Play(map[string]func([]string){
		"wait": func([]string) { processtest.SayReady() },
		"tree": func([]string) {
			processtest.OrExit(processtest.ChildOf("wait", 0).Start())
			processtest.SayReady()
		},
		"lines": func([]string) {
			go processtest.SayReady()
			for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
				fmt.Printf(`{"hookSpecificOutput":{"additionalContext":"%d"}}`+"\r\n", os.Getpid())
			}
		},
	})
}

// hostRunner is a Runner in a Go program, with this program as its hook, in a role.
func hostRunner(t *testing.T, role string, more map[string]any) (*processtest.Bench, *engine.Runner, dialect.Call) {
	b := processtest.New(t)
	hook := map[string]any{"name": "h", "events": []string{"pre-tool"}, "command": []string{b.Self(), role}}
	for key, value := range more {
		hook[key] = value
	}
	doc, err := json.Marshal(map[string]any{"hooks": []any{hook}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(b.Dir, ".tenex-hooks.json"), doc, 0o600))
	cfg, err := hookfile.Load(hookfile.Options{Parts: parts.All(), Workspace: b.Dir})
	require.NoError(t, err)
	r, err := engine.New(cfg, engine.Options{Env: append(os.Environ(), b.Mark)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	return b, r, dialect.Call{Event: protocol.PreTool, Workspace: b.Dir, Tool: "shell"}
}

func TestContextEndsAHookAndItsChild(t *testing.T) {
	b, r, call := hostRunner(t, "tree", nil)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() {
		_, err := r.Fire(ctx, call)
		ended <- err
	}()
	players := b.ReadyAll(2)
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	for _, p := range players {
		require.False(t, p.Runs(), "process %d still runs", p.PID)
	}
}

func TestDeadlineEndsAHook(t *testing.T) {
	_, r, call := hostRunner(t, "wait", map[string]any{"timeout": "1s", "on_failure": "block"})
	outcome, err := r.Fire(context.Background(), call)
	require.NoError(t, err)
	require.Equal(t, protocol.CauseTimeout, outcome.Cause)
}

// A persistent hook is the same process at each call. Close ends it.
func TestPersistentHook(t *testing.T) {
	b, r, call := hostRunner(t, "lines", map[string]any{"persistent": true})
	var answers []string
	for range 3 {
		outcome, err := r.Fire(context.Background(), call)
		require.NoError(t, err)
		require.Equal(t, protocol.Continue, outcome.Decision, outcome.Reason)
		answers = append(answers, outcome.Texts[0].Content)
	}
	require.Equal(t, answers[0], answers[1])
	require.Equal(t, answers[0], answers[2])
	hook := b.ReadyAll(1)[0]
	require.NoError(t, r.Close())
	require.False(t, hook.Runs())
}
