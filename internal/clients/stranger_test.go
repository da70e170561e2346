package clients_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

// Every client reads the answer to an unknown program as a block, at each event of its own that a failed gate blocks.
func TestDenialIsReadByEachClient(t *testing.T) {
	for _, d := range clients.All().Clients() {
		gates := 0
		for _, e := range d.Events.Names() {
			if d.CannotBlock(e) || d.Events.Of(e).Can&dialect.EndsTurn != 0 {
				continue
			}
			_, _, err := clients.All().ParseInput(`{"hook_event_name":"` + string(e) +
				`","workspaceRoot":"/w","toolName":"x"}`)
			var sender clients.Stranger
			require.True(t, errors.As(err, &sender))
			r := dialecttest.Exited(2, string(sender.Denial("R")), "R")
			c := dialect.Call{Event: e, Tool: "Bash", Args: `{"command":"ls"}`}
			o := dialect.Merge(&c, []dialect.HookVerdict{{Verdict: d.ApplyFailurePolicy(&c,
				d.Hooks.Decode(&c, "h", &r)), Dialect: d.Dialect}})
			_, cannot := cannotHold[d.Name+" "+string(e)]
			require.Equal(t, !cannot, o.Decision == protocol.Block, "%s at %s: %q", d.Name, e, o.Warnings)
			if clients.All().Common(e) == protocol.PreTool {
				require.False(t, cannot)
				gates++
			}
		}
		require.Positive(t, gates, d.Name)
	}
}

// cannotHold says of an event why the client reads no block there in this answer.
var cannotHold = map[string]string{
	"codex SessionStart": "continue: false alone blocks", "codex PreCompact": "continue: false alone blocks",
	"cursor sessionStart": "it has no block", "cursor postToolUse": "it has no block",
	"cursor postToolUseFailure": "it has no block",
	"qwen PermissionRequest":    "it reads no JSON beside exit 2", "qwen PostToolUse": "continue: false alone blocks",
	"qwen TodoCreated": "it reads no JSON beside exit 2", "qwen TodoCompleted": "it reads no JSON beside exit 2",
}

// What may be about a prompt or a tool is denied, and what names the start or the end of something goes on.
func TestHasGate(t *testing.T) {
	for doc, gate := range map[string]bool{
		`[]`: true, `{}`: true, `{"hook_event_name":"agent:tool"}`: true, `{"hook_event_name":7}`: true,
		`{"hookEventName":"beforeTool"}`: true, `{"agent_action_name":"pre_fly"}`: true,
		`{"hook_event_name":"session_start","tool_name":"x"}`: true, `{"event":"Agent-Stop","prompt":"p"}`: true,
		`{"hook_event_name":"session_start"}`: false, `{"hookEventName":"agent.stop"}`: false,
		`{"event":"Agent-Spawn"}`: false,
		`{"hook_event_name":"Stop","hookEventName":"stop","workspaceRoot":"/w"}`: false,
	} {
		_, _, err := clients.All().ParseInput(doc)
		var sender clients.Stranger
		require.True(t, errors.As(err, &sender), doc)
		require.Equal(t, gate, sender.HasGate(), doc)
		who := "chat.hookFilesLocations"
		if strings.Contains(doc, "workspaceRoot") {
			who = "[compat.claude]"
		}
		require.Contains(t, sender.Who(), who)
	}
}
