//go:build unix

package examples

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// fire is `hookrun fire` of a client's input, and its outcome.
func (r *guardRoom) fire(input binary.Object) (o binary.Outcome) {
	r.Helper()
	done := binary.Run(r.T, r.dir, binary.JSON(r.T, input), r.env, binary.Path, "fire", "-o", "json")
	require.NoError(
		r,
		json.Unmarshal([]byte(done.Stdout), &o),
		"exit %d, stdout %q, stderr %q",
		done.Code,
		done.Stdout,
		done.Stderr,
	)
	return o
}

// The chain of tenex-hooks.json knows a subagent, an error and an interrupted tool by what the client says beside
// TENEX's keys.
func TestGuardsKnowTheClientsInput(t *testing.T) {
	t.Parallel()
	for _, guards := range [][]string{nil, {"disallowed"}} {
		r := newGuardRoom(t, guards...)
		type row struct {
			more binary.Object
			free bool
		}
		for _, c := range testall.Part(5, []row{
			{binary.Object{}, false}, {binary.Object{"permission_mode": "default"}, false},
			{binary.Object{"agent_type": "research-specialist"}, false},
			{binary.Object{"parent_tool_use_id": nil}, false},
			{binary.Object{"parent_tool_use_id": "toolu_1"}, true},
			{binary.Object{"agent_id": "a1", "agent_type": "research-specialist"}, true},
		}) {
			input := binary.Object{
				"session_id":      "s",
				"transcript_path": "/t.jsonl",
				"cwd":             r.dir,
				"hook_event_name": "PreToolUse",
				"tool_name":       "WebSearch",
				"tool_input":      binary.Object{"query": "x"},
				"tool_use_id":     "t1",
			}
			for key, value := range c.more {
				input[key] = value
			}
			o := r.fire(input)
			if c.free {
				require.Equal(t, "continue", o.Decision, "%v: %s", c.more, o.Reason)
			} else {
				require.Equal(t, "block", o.Decision, c.more)
				require.Contains(t, o.Reason, "is disallowed for Primary Agent")
			}
		}
	}
	r := newGuardRoom(t)
	after := func(more binary.Object) bool {
		input := binary.Object{
			"session_id":      "s",
			"cwd":             r.dir,
			"hook_event_name": "PostToolUse",
			"tool_name":       "Read",
			"tool_input":      binary.Object{"file_path": "x"},
			"tool_response":   "field required",
			"tool_use_id":     "t2",
		}
		for key, value := range more {
			input[key] = value
		}
		for _, in := range r.fire(input).Inject {
			if in.Hook == "validation-hints" {
				return true
			}
		}
		return false
	}
	require.False(t, after(binary.Object{}))
	require.True(t, after(binary.Object{"is_error": true}))
	require.False(t, after(binary.Object{"is_error": true, "is_interrupt": true}))

	o := r.fire(
		binary.Object{
			"session_id":      "s",
			"cwd":             r.dir,
			"hook_event_name": "PostToolUse",
			"tool_name":       "Agent",
			"tool_input":      binary.Object{"prompt": "x"},
			"tool_response":   "done",
			"tool_use_id":     "t3",
		},
	)
	guided := false
	for _, in := range o.Inject {
		guided = guided || in.Hook == "task-guidance"
	}
	require.True(t, guided, "a guard for Task is one for Agent")
}
