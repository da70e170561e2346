package engine_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
	model "github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/tenex"
	"github.com/hookrun/hookrun/protocol"
)

// TestUnnamedTools: each warning of the files about a tool's name is in the outcome, so a plan looks for such warnings
// at each call that can have one.
func TestUnnamedTools(t *testing.T) {
	cfg, err := parts.All().Parse("f", []byte(`{"hooks": [
		{"name": "a", "block": "no", "events": ["pre-tool"], "matcher": "shell", "if": "shell(git push)"},
		{"name": "b", "block": "no", "events": ["pre-tool"], "matcher": "fs_write", "if": "fs_write(/x)"},
		{"name": "c", "block": "no", "events": ["pre-tool"], "matcher": "mcp__other__read"}]}`))
	require.NoError(t, err)
	r := newRunner(t, cfg, engine.Options{})
	warned := 0
	for _, client := range clients.All().Clients() {
		names := []string{"unheard_of", "mcp__git__push", "mcp_git_push", "read", "bash", "a.b"}
		for _, tool := range client.Tools {
			names = append(names, tool.Name())
		}
		for _, name := range names {
			for _, args := range []string{`{}`, `{"command": "ls"}`} {
				c := dialect.Call{Event: protocol.PreTool, Workspace: "/", Tool: name, Args: args,
					Client: client.Dialect, ClientInput: `{}`}
				named := dialect.NewCall(c)
				require.NoError(t, named.Resolve(clients.All()))
				cfg.NameTool(named)
				fired, err := r.Fire(context.Background(), c)
				require.NoError(t, err)
				for _, want := range []string{cfg.OtherServerWarning(named), cfg.UnnamedToolWarning(named)} {
					if want != "" {
						warned++
						require.Contains(t, fired.Warnings, want, "%s %s %s", client.Name, name, args)
					}
				}
			}
		}
	}
	require.Greater(t, warned, 100)
}

// A hook without a handler is no gate that approves.
func TestHookWithoutHandler(t *testing.T) {
	of := model.Hook{Name: "gate", Dialect: tenex.Dialect, File: "f", Events: []protocol.Event{protocol.PreTool}}
	r := newRunner(t, parts.All().Empty(), engine.Options{Functions: []model.Hook{of}})
	fired, err := r.Fire(context.Background(), dialect.Call{Event: protocol.PreTool, Workspace: "/", Tool: "shell"})
	require.NoError(t, err)
	require.Equal(t, protocol.Block, fired.Decision)
	require.Equal(t, protocol.CauseUnstarted, fired.Cause)
	require.Empty(t, of.String())
}
