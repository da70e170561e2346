//go:build unix

package engine_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
	model "github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/trust"
	"github.com/hookrun/hookrun/protocol"
)

// A program that stays up notices a hooks file that was changed, though it goes on with the hooks that it read.
func TestPinInGo(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, hookfile.FileName)
	write := func(text string) {
		require.NoError(t, os.WriteFile(path, []byte(`{"hooks": [{"name": "h", "command": "echo `+text+
			`", "events": ["pre-tool"], "on_failure": "continue"}]}`), 0o600))
	}
	load := func() *hookfile.Config {
		cfg, err := hookfile.Load(hookfile.Options{Parts: parts.All(), Workspace: dir})
		require.NoError(t, err)
		return cfg
	}
	write("one")
	r, err := engine.New(load(), engine.Options{Pin: true, CheckTrust: trust.Check,
		StateDir:  filepath.Join(t.TempDir(), "state"),
		OnFailure: dialect.FailurePolicy{protocol.CauseUnstarted: protocol.Continue}})
	require.NoError(t, err)
	defer r.Close()
	call := dialect.Call{Event: protocol.PreTool, Tool: "t", Workspace: dir, SessionID: "s"}
	fire := func(decision protocol.Decision, cause protocol.Cause) engine.Fired {
		t.Helper()
		o, err := r.Fire(t.Context(), call)
		require.NoError(t, err)
		require.Equal(t, decision, o.Decision, o.Reason)
		require.Equal(t, cause, o.Cause)
		return o
	}
	require.Equal(t, "one", fire(protocol.Continue, "").Texts[0].Content)
	write("others")
	require.Contains(t, fire(protocol.Block, protocol.CauseChanged).Reason, path+" was changed")
	require.NoError(t, r.Reload(load()))
	require.Contains(t, fire(protocol.Block, protocol.CauseChanged).Reason, hookfile.FileName+" was changed")
	call.SessionID = "another"
	fire(protocol.Continue, "")
	write("one")
	require.NoError(t, r.Reload(load()))
	call.SessionID = "s"
	fire(protocol.Continue, "")

	call.SessionID = ""
	_, err = r.Fire(t.Context(), call)
	require.ErrorContains(t, err, "--pin needs the id of the session")
}

// Hooks that are functions are the program's own, and need nobody's leave.
func TestTrustInGo(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, hookfile.FileName), []byte(
		`{"hooks": [{"name": "h", "command": "exit 1", "events": ["pre-tool"]}]}`), 0o600))
	cfg, err := hookfile.Load(hookfile.Options{Parts: parts.All(), Workspace: dir})
	require.NoError(t, err)
	r, err := engine.New(cfg, engine.Options{RequireTrust: true, CheckTrust: trust.Check,
		StateDir: filepath.Join(t.TempDir(), "state"), Functions: []model.Hook{function("own", dialect.OK())}})
	require.NoError(t, err)
	defer r.Close()
	call := dialect.Call{Event: protocol.PreTool, Tool: "t", Workspace: dir}
	o, err := r.Fire(t.Context(), call)
	require.NoError(t, err)
	require.Equal(t, protocol.Continue, o.Decision)
	require.Len(t, o.Hooks, 1)
	require.Contains(t, o.SystemMessages[0], "nobody has allowed them")
	plan, err := r.Plan(&call, engine.CallSettings{})
	require.NoError(t, err)
	hooks := plan.Hooks()
	require.Len(t, hooks, 2)
	require.True(t, hooks[0].Runs)
	require.False(t, hooks[1].Runs)
	require.True(t, plan.HasHooks())
	require.False(t, plan.NeedsNoProcess())
}

// A runner that must check files and was not told how runs no hook.
func TestNoTrustCheck(t *testing.T) {
	const text = "the hooks must be checked before they run (trust or freeze), and this program has no check of " +
		"trust, so every call is blocked"
	for _, o := range []engine.Options{{RequireTrust: true}, {Pin: true}} {
		_, err := engine.New(new(hookfile.Config), o)
		require.EqualError(t, err, text)
	}
	requires := &hookfile.Config{Trust: hookfile.TrustRequired}
	_, err := engine.New(requires, engine.Options{})
	require.EqualError(t, err, text)
	r := newRunner(t, nil, engine.Options{})
	call := dialect.Call{Event: protocol.PreTool, Tool: "t", Workspace: t.TempDir()}
	before := newPlan(t, r, call)
	require.EqualError(t, r.Reload(requires), text)
	for _, event := range []protocol.Event{protocol.PreTool, protocol.PostTool, protocol.PreExecute} {
		call.Event = event
		o, err := r.Fire(t.Context(), call)
		require.EqualError(t, err, text)
		require.Equal(t, protocol.Block, o.Decision)
		require.Equal(t, text, o.Reason)
	}
	o, err := before.Fire(t.Context())
	require.EqualError(t, err, text)
	require.Equal(t, protocol.Block, o.Decision)
	require.NoError(t, r.Reload(new(hookfile.Config)))
	o, err = r.Fire(t.Context(), call)
	require.NoError(t, err)
	require.Equal(t, protocol.Continue, o.Decision)
}

// A program that stays up holds the calls of a hook whose script has changed, beside its own functions.
func TestHeldInGo(t *testing.T) {
	dir := t.TempDir()
	guard := filepath.Join(dir, "guard.sh")
	write := func(path, text string) { require.NoError(t, os.WriteFile(path, []byte(text), 0o600)) }
	write(filepath.Join(dir, hookfile.FileName), `{"hooks": [
		{"name": "guard", "command": ["sh", "guard.sh"], "events": ["pre-tool"], "matcher": "t"},
		{"name": "other", "command": "echo other", "events": ["pre-tool", "pre-execute"]}]}`)
	write(guard, "exit 0\n")
	cfg, err := hookfile.Load(hookfile.Options{Parts: parts.All(), Workspace: dir})
	require.NoError(t, err)
	r, err := engine.New(cfg, engine.Options{Pin: true, CheckTrust: trust.Check,
		StateDir:  filepath.Join(t.TempDir(), "state"),
		Functions: []model.Hook{function("own", dialect.OK())}})
	require.NoError(t, err)
	defer r.Close()
	fire := func(event protocol.Event, tool string) engine.Fired {
		t.Helper()
		o, err := r.Fire(t.Context(), dialect.Call{Event: event, Tool: tool, Workspace: dir, SessionID: "s"})
		require.NoError(t, err)
		return o
	}
	require.Equal(t, protocol.Continue, fire(protocol.PreTool, "t").Decision)
	write(guard, "exit 0 # other\n")
	held := fire(protocol.PreTool, "t")
	require.Equal(t, protocol.Block, held.Decision)
	require.Equal(t, protocol.CauseChanged, held.Cause)
	require.Contains(t, held.Reason, "guard.sh was changed (hook 'guard'), so calls for hook 'guard' are blocked")
	require.Empty(t, held.Hooks)
	goesOn := fire(protocol.PreTool, "u")
	require.Equal(t, protocol.Continue, goesOn.Decision, goesOn.Reason)
	require.Len(t, goesOn.Hooks, 2) // the function, too
	require.Empty(t, goesOn.SystemMessages)
	prompt := fire(protocol.PreExecute, "")
	require.Equal(t, protocol.Continue, prompt.Decision, prompt.Reason)
	require.Len(t, prompt.Hooks, 1)
	require.Contains(t, prompt.SystemMessages[0], "calls for hook 'guard' are blocked")
	write(guard, "exit 0\n")
	require.Equal(t, protocol.Continue, fire(protocol.PreTool, "t").Decision)

	// A hooks file that was changed holds tool calls alone, and no hook of the project runs for a prompt.
	write(filepath.Join(dir, hookfile.FileName), `{"hooks": []}`)
	held = fire(protocol.PreTool, "u")
	require.Equal(t, protocol.CauseChanged, held.Cause)
	require.Contains(t, held.Reason, "so every tool call is blocked")
	prompt = fire(protocol.PreExecute, "")
	require.Equal(t, protocol.Continue, prompt.Decision, prompt.Reason)
	require.Empty(t, prompt.Hooks)
	require.Contains(t, prompt.SystemMessages[0], "so every tool call is blocked")
}
