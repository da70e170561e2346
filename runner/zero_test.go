package runner_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/projecthooks"
	"github.com/hookrun/hookrun/protocol"
	"github.com/hookrun/hookrun/runner"
)

// fires makes one call.
type fires = func(context.Context, protocol.Call) (*protocol.Outcome, error)

// TestZeroBlocks has every value of this package that a program can have without New, or after a Load that failed.
// Nobody knows which gates there are, so each of them blocks with an error.
func TestZeroBlocks(t *testing.T) {
	guard := `{"hooks":[{"name":"guard","block":"no","events":["pre-tool"]}]}`
	cfg, err := projecthooks.Parse("f", []byte(guard))
	require.NoError(t, err)
	good := func() *runner.Runner {
		r, err := runner.New(cfg, runner.Options{})
		require.NoError(t, err)
		t.Cleanup(func() { r.Close() })
		return r
	}
	failed, wrong := projecthooks.Parse("f", []byte("{"))
	require.Error(t, wrong)
	fire := func(r *runner.Runner) fires { return r.Before }
	for name, make := range map[string]func(t *testing.T) fires{
		"nil Runner":  func(*testing.T) fires { return fire(nil) },
		"zero Runner": func(*testing.T) fires { return fire(new(runner.Runner)) },
		"New(nil)": func(t *testing.T) fires {
			r, err := runner.New(failed, runner.Options{})
			require.ErrorContains(t, err, "projecthooks.Empty")
			return fire(r)
		},
		"New with a zero Config": func(t *testing.T) fires {
			r, err := runner.New(new(projecthooks.Config), runner.Options{})
			require.ErrorContains(t, err, "projecthooks.Empty")
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
	} {
		t.Run(name, func(t *testing.T) {
			call := protocol.Call{Workspace: "/", Tool: "shell"}
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
		_, err = r.Explain(protocol.Call{Tool: "shell"})
		require.ErrorIs(t, err, runner.ErrClosed)
		require.NoError(t, r.Close())
	}
}

// TestEmpty: that there are no hooks has to be said.
func TestEmpty(t *testing.T) {
	r, err := runner.New(projecthooks.Empty, runner.Options{})
	require.NoError(t, err)
	defer r.Close()
	o, err := r.Before(context.Background(), protocol.Call{Workspace: "/", Tool: "shell"})
	require.NoError(t, err)
	require.Equal(t, protocol.Continue, o.Decision)
	require.Empty(t, o.Hooks)
}

func onFailure(c protocol.Cause, d protocol.Decision) map[protocol.Cause]protocol.Decision {
	return map[protocol.Cause]protocol.Decision{c: d}
}

// TestWrongOptions: New looks at all that it is given.
func TestWrongOptions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for want, o := range map[string]runner.Options{
		"is negative":             {Timeout: -1},
		"processes are negative":  {MaxProcs: -1},
		`has the cause "x"`:       {OnFailure: onFailure("x", protocol.Block)},
		`has "ask" for`:           {OnFailure: onFailure(protocol.CauseTimeout, protocol.Ask)},
		`trust "x" is not one of`: {Trust: "x"},
		"not of the form KEY=":    {Env: []string{"A=1", "=C:=C:\\", "FOO"}},
		`"=FOO", which is not`:    {Env: []string{"=FOO"}},
		`"A=\x00"`:                {Env: []string{"A=\x00"}},
		"the StateDir " + file:    {StateDir: file},
		`hook "h" has nothing to`: {Hooks: []runner.Hook{{Name: "h"}}},
		"hook 1 has no name":      {Hooks: []runner.Hook{{}}},
	} {
		r, err := runner.New(projecthooks.Empty, o)
		require.ErrorContains(t, err, want)
		require.Nil(t, r)
	}
}

// TestTrustBlock: until somebody has allowed the hooks of a project no tool runs, and Explain says so. A prompt goes on
// with a message for the person.
func TestTrustBlock(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".tenex-hooks.json"),
		[]byte(`{"hooks":[{"name":"h","command":"true","events":["pre-tool"]}]}`), 0o600))
	cfg, err := projecthooks.Load(dir, projecthooks.LoadOptions{ProjectOnly: true})
	require.NoError(t, err)
	own := runner.Hook{Name: "own", Run: func(context.Context, protocol.Call, *runner.Output) (runner.Answer, error) {
		t.Error("a function ran")
		return runner.Answer{}, nil
	}}
	r, err := runner.New(cfg, runner.Options{Trust: runner.TrustBlock, StateDir: filepath.Join(t.TempDir(), "state"),
		Hooks: []runner.Hook{own}})
	require.NoError(t, err)
	defer r.Close()
	call := protocol.Call{Tool: "shell"}
	for _, fire := range []func() (*protocol.Outcome, error){
		func() (*protocol.Outcome, error) { return r.Before(t.Context(), call) },
		func() (*protocol.Outcome, error) { return r.After(t.Context(), call, runner.Output{}) },
	} {
		o, err := fire()
		require.NoError(t, err)
		require.Equal(t, protocol.Block, o.Decision)
		require.Equal(t, protocol.CauseUntrusted, o.Cause)
	}
	o, err := r.Prompt(t.Context(), call)
	require.NoError(t, err)
	require.Equal(t, protocol.Continue, o.Decision)
	require.Len(t, o.SystemMessages, 1)
	require.Contains(t, o.SystemMessages[0], "every tool call is blocked until a person has allowed the hooks")
	hooks, err := r.Explain(call)
	require.NoError(t, err)
	require.Len(t, hooks, 2)
	for _, h := range hooks {
		require.False(t, h.Runs, h.Name)
	}
}

// TestExplainEventsOfTools: Cursor has events for one kind of tools, which are no pre-tool by their name.
func TestExplainEventsOfTools(t *testing.T) {
	cfg, err := projecthooks.Parse("f", []byte(
		`{"hooks":[{"name":"h","block":"no","events":["beforeShellExecution"],"dialect":"cursor"}]}`))
	require.NoError(t, err)
	r, err := runner.New(cfg, runner.Options{})
	require.NoError(t, err)
	defer r.Close()
	call := protocol.Call{Tool: "shell", Args: `{"command":"ls"}`}
	o, err := r.Before(t.Context(), call)
	require.NoError(t, err)
	require.Equal(t, protocol.Block, o.Decision)
	hooks, err := r.Explain(call)
	require.NoError(t, err)
	require.Len(t, hooks, 1)
	require.True(t, hooks[0].Runs)
}

// TestExtraInConditions: a condition sees of Extra what the stdin of hooks has of it.
func TestExtraInConditions(t *testing.T) {
	cfg, err := projecthooks.Parse("f", []byte(`{"hooks":[{"name":"h","block":"no","events":["pre-tool"],`+
		`"when":[{"path":"permission_mode","matches":"^plan$"}]}]}`))
	require.NoError(t, err)
	r, err := runner.New(cfg, runner.Options{})
	require.NoError(t, err)
	defer r.Close()
	for mode, want := range map[string]protocol.Decision{"plan": protocol.Block, "default": protocol.Continue} {
		o, err := r.Before(t.Context(), protocol.Call{Tool: "shell", Extra: map[string]any{"permission_mode": mode}})
		require.NoError(t, err)
		require.Equal(t, want, o.Decision)
	}
}

// TestCallErrors: what is wrong with a call is told apart from all other errors, and blocks.
func TestCallErrors(t *testing.T) {
	parsed, err := projecthooks.Parse("f", []byte(`{"hooks":[]}`))
	require.NoError(t, err)
	_, err = runner.New(parsed, runner.Options{Pin: true})
	require.ErrorContains(t, err, "Parse has read none")
	requires, err := runner.New(projecthooks.Empty, runner.Options{Trust: runner.TrustRequired, StateDir: t.TempDir()})
	require.NoError(t, err)
	require.ErrorContains(t, requires.Reload(parsed), "Parse has read none")
	_, err = requires.Before(t.Context(), protocol.Call{Tool: "shell"})
	require.ErrorContains(t, err, "nobody knows which hooks there are")
	require.NoError(t, requires.Close())
	require.ErrorIs(t, requires.Reload(parsed), runner.ErrClosed)
	r, err := runner.New(projecthooks.Empty, runner.Options{Pin: true, StateDir: t.TempDir()})
	require.NoError(t, err)
	defer r.Close()
	for want, c := range map[string]protocol.Call{
		"the call has no Tool":                  {Session: "s"},
		"Options.Pin needs the id":              {Tool: "shell"},
		`Extra has the key "tool_name"`:         {Session: "s", Tool: "x", Extra: map[string]any{"tool_name": "y"}},
		`Extra has the key "Tool_Name"`:         {Session: "s", Tool: "x", Extra: map[string]any{"Tool_Name": "y"}},
		`Extra has the key ""`:                  {Session: "s", Tool: "x", Extra: map[string]any{"": "y"}},
		`Extra has the key "Tool_Input"`:        {Session: "s", Tool: "x", Extra: map[string]any{"Tool_Input": "y"}},
		`Extra has under "f" what is no JSON: `: {Session: "s", Tool: "x", Extra: map[string]any{"f": func() {}}},
		`may not understand alike: the key "a"`: {Session: "s", Tool: "x",
			Extra: map[string]any{"r": json.RawMessage(`{"a":1,"\u0061":2}`)}},
	} {
		o, err := r.Before(context.Background(), c)
		require.ErrorAs(t, err, new(*runner.CallError))
		require.ErrorContains(t, err, want)
		require.Equal(t, protocol.Block, o.Decision)
	}
}

// TestZeroResult: there is no verdict, so no message, and there are no texts.
func TestZeroResult(t *testing.T) {
	for _, res := range []*runner.Result{nil, {}} {
		_, err := res.Messages(protocol.AnthropicMessages)
		require.ErrorContains(t, err, "no verdict")
		require.NoError(t, res.Ack(true))
	}
}
