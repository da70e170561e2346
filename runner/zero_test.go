package runner_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/projecthooks"
	"github.com/hookrun/hookrun/protocol"
	"github.com/hookrun/hookrun/runner"
)

// fires makes one call.
type fires = func(context.Context, protocol.Call) (runner.Fired, error)

// TestZeroBlocks has every value of this package that a program can have without New, or after a Load that failed.
// Nobody knows which gates there are, so each of them blocks with an error.
func TestZeroBlocks(t *testing.T) {
	guard := `{"hooks":[{"name":"guard","block":"no","events":["pre-tool"]}]}`
	cfg, err := projecthooks.Parse(projecthooks.FileName, []byte(guard))
	require.NoError(t, err)
	good := func() *runner.Runner {
		r, err := runner.New(cfg, runner.Options{})
		require.NoError(t, err)
		t.Cleanup(func() { r.Close() })
		return r
	}
	failed, wrong := projecthooks.Parse(projecthooks.FileName, []byte("{"))
	require.Error(t, wrong)
	plan := func(p *runner.Plan) fires {
		return func(ctx context.Context, _ protocol.Call) (runner.Fired, error) { return p.Fire(ctx) }
	}
	fire := func(r *runner.Runner) fires {
		return func(ctx context.Context, c protocol.Call) (runner.Fired, error) { return r.Fire(ctx, c) }
	}
	for name, make := range map[string]func(t *testing.T) fires{
		"nil Runner":  func(*testing.T) fires { return fire(nil) },
		"zero Runner": func(*testing.T) fires { return fire(new(runner.Runner)) },
		"New(nil)": func(t *testing.T) fires {
			r, err := runner.New(failed, runner.Options{})
			require.ErrorContains(t, err, "projecthooks.Empty()")
			return fire(r)
		},
		"New with a zero Config": func(t *testing.T) fires {
			r, err := runner.New(new(projecthooks.Config), runner.Options{})
			require.ErrorContains(t, err, "projecthooks.Empty()")
			return fire(r)
		},
		"Reload(nil)": func(t *testing.T) fires {
			r := good()
			require.Error(t, r.Reload(nil))
			return fire(r)
		},
		"Reload with a zero Config": func(t *testing.T) fires {
			r := good()
			require.Error(t, r.Reload(new(projecthooks.Config)))
			return fire(r)
		},
		"a Plan from before Reload(nil)": func(t *testing.T) fires {
			r := good()
			p, err := r.Plan(protocol.Call{Event: protocol.PreTool, Tool: "shell"})
			require.NoError(t, err)
			require.Error(t, r.Reload(nil))
			return plan(p)
		},
		"zero Runner after Reload": func(t *testing.T) fires {
			r := new(runner.Runner)
			require.ErrorIs(t, r.Reload(cfg), runner.ErrClosed)
			return fire(r)
		},
		"closed Runner": func(t *testing.T) fires {
			r := good()
			require.NoError(t, r.Close())
			require.ErrorIs(t, r.Reload(cfg), runner.ErrClosed)
			return fire(r)
		},
		"nil Plan":  func(*testing.T) fires { return plan(nil) },
		"zero Plan": func(*testing.T) fires { return plan(new(runner.Plan)) },
	} {
		t.Run(name, func(t *testing.T) {
			call := protocol.Call{Event: protocol.PreTool, Workspace: "/", Tool: "shell"}
			o, err := make(t)(context.Background(), call)
			require.Error(t, err)
			require.Equal(t, protocol.Block, o.Decision)
			require.NotEmpty(t, o.Cause)
			require.NotEmpty(t, o.Reason)
		})
	}
	for _, r := range []*runner.Runner{nil, {}} {
		ran := false
		res, err := r.Tool(context.Background(), protocol.Call{Tool: "shell"},
			func(context.Context, string) runner.Output { ran = true; return runner.Output{} })
		require.ErrorIs(t, err, runner.ErrClosed)
		require.False(t, ran || res.Ran)
		for _, o := range []func() (*protocol.Outcome, error){
			func() (*protocol.Outcome, error) { return res.Before, err },
			func() (*protocol.Outcome, error) { return r.Prompt(context.Background(), protocol.Call{}) },
			func() (*protocol.Outcome, error) { return r.Before(context.Background(), protocol.Call{Tool: "shell"}) },
			func() (*protocol.Outcome, error) {
				return r.After(context.Background(), protocol.Call{Tool: "shell"}, runner.Output{})
			},
		} {
			outcome, err := o()
			require.ErrorIs(t, err, runner.ErrClosed)
			require.Equal(t, protocol.Block, outcome.Decision)
		}
		_, err = r.Plan(protocol.Call{Event: protocol.PreTool, Tool: "shell"})
		require.ErrorIs(t, err, runner.ErrClosed)
		require.NoError(t, r.Close())
	}
	for _, p := range []*runner.Plan{nil, {}} {
		require.True(t, p.HasHooks(), "so that it is fired")
		require.False(t, p.Empty() || p.NeedsNoProcess())
		require.Empty(t, p.Hooks())
		require.Empty(t, p.Warnings())
	}
}

// TestEmpty: that there are no hooks has to be said.
func TestEmpty(t *testing.T) {
	r, err := runner.New(projecthooks.Empty(), runner.Options{})
	require.NoError(t, err)
	defer r.Close()
	o, err := r.Fire(context.Background(), protocol.Call{Event: protocol.PreTool, Workspace: "/", Tool: "shell"})
	require.NoError(t, err)
	require.Equal(t, protocol.Continue, o.Decision)
	require.Empty(t, o.Hooks)
}

func TestWrongOptions(t *testing.T) {
	for want, o := range map[string]runner.Options{
		"is negative":          {Timeout: -1},
		`has the cause "x"`:    {OnFailure: protocol.FailurePolicy{"x": protocol.Block}},
		`has "ask" for`:        {OnFailure: protocol.FailurePolicy{protocol.CauseTimeout: protocol.Ask}},
		`trust "x" is not one`: {Trust: "x"},
	} {
		r, err := runner.New(projecthooks.Empty(), o)
		require.ErrorContains(t, err, want)
		require.Nil(t, r)
	}
	r, err := runner.New(projecthooks.Empty(), runner.Options{})
	require.NoError(t, err)
	defer r.Close()
	o, err := r.Fire(context.Background(), protocol.Call{Event: protocol.PreTool, Workspace: "/", Tool: "shell"},
		runner.WithFailurePolicy(protocol.FailurePolicy{"x": protocol.Block}))
	require.ErrorContains(t, err, `has the cause "x"`)
	require.Equal(t, protocol.Block, o.Decision)
}

func TestUnknownClientBlocks(t *testing.T) {
	_, exit, err := runner.EncodeOutput("nope", protocol.Outcome{Decision: protocol.Continue})
	require.Error(t, err)
	require.Equal(t, 2, exit)
}

// TestZeroResult: there is no verdict, so no message, and there are no texts.
func TestZeroResult(t *testing.T) {
	for _, res := range []*runner.Result{nil, {}} {
		_, err := res.Messages(protocol.AnthropicMessages)
		require.ErrorContains(t, err, "no verdict")
		require.NoError(t, res.Ack(true))
	}
}

// TestCloseInOnInput: Close waits for the calls, and the call for OnInput.
func TestCloseInOnInput(t *testing.T) {
	cfg, err := projecthooks.Parse(projecthooks.FileName,
		[]byte(`{"hooks":[{"name":"h","command":["true"],"events":["pre-tool"]}]}`))
	require.NoError(t, err)
	var r *runner.Runner
	r, err = runner.New(cfg, runner.Options{OnInput: func(string, string, []byte) { r.Close() }})
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() {
		_, err := r.Fire(context.Background(), protocol.Call{Event: protocol.PreTool, Workspace: "/", Tool: "shell"})
		done <- err
	}()
	select {
	case err := <-done:
		require.ErrorIs(t, err, runner.ErrClosed)
	case <-time.After(time.Minute):
		t.Fatal("Close in OnInput hangs")
	}
}
