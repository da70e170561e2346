package engine_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/protocol"
)

const rules = `{"hooks":[
	{"name":"a","block":"no","events":["pre-tool"],"if":"shell(git push *)"},
	{"name":"b","inject":"yes","events":["pre-tool"],"when":[{"path":"args.command","matches":"ls"}]},
	{"name":"c","command":"true","events":["post-tool"],"timeout":"5s"}]}`

// Goroutines may use one Call at the same time.
func TestOneCallOfManyGoroutines(t *testing.T) {
	cfg, err := parts.All().Parse("f", []byte(rules))
	require.NoError(t, err)
	r := newRunner(t, cfg, engine.Options{})
	c := dialect.Call{Event: protocol.PreTool, Tool: "shell", Workspace: "/", Args: `{"command":"ls"}`}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			o, err := r.Fire(context.Background(), c)
			if err != nil || o.Decision != protocol.Continue || len(o.Texts) != 1 {
				t.Errorf("%v, %v", o, err)
			}
			if input, warnings, err := c.Input(); err != nil || string(input) != c.Args || len(warnings) > 0 {
				t.Errorf("%s, %v, %v", input, warnings, err)
			}
		})
	}
	all.Wait()
}

// A plan whose hooks were replaced meanwhile fires those of now, as Runner.Fire does.
func TestPlanAfterReload(t *testing.T) {
	cfg, err := parts.All().Parse("f", []byte(rules))
	require.NoError(t, err)
	r := newRunner(t, cfg, engine.Options{})
	call := dialect.Call{Event: protocol.PreTool, Tool: "shell", Workspace: "/", Args: `{"command":"git push -f"}`}
	plan := newPlan(t, r, call)
	o, err := plan.Fire(context.Background())
	require.NoError(t, err)
	require.Equal(t, protocol.Block, o.Decision)
	require.NoError(t, r.Reload(parts.All().Empty()))
	o, err = plan.Fire(context.Background())
	require.NoError(t, err)
	require.Equal(t, protocol.Continue, o.Decision)
	require.True(t, plan.Empty())
	require.NoError(t, r.Close())
	_, err = plan.Fire(context.Background())
	require.ErrorIs(t, err, engine.ErrClosed)
}
