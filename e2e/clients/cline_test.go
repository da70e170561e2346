//go:build linux

package clients

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/internal/testall"
)

// cline is Cline CLI without its daemon, which would outlive the turn.
var cline = client{
	name: "cline",
	args: []string{"--json", "--auto-approve", "true", "please go"},
	env:  []string{"CLINE_SESSION_BACKEND_MODE=local"},
	home: map[string]string{
		".cline/data/settings/global-settings.json": `{"telemetryOptOut": true, "autoUpdateEnabled": false}`,
		".cline/data/settings/providers.json": `{"version": 1, "modes": {},
"lastUsedProvider": "openai-compatible", "providers": {"openai-compatible": {"tokenSource": "manual",
"updatedAt": "2026-01-01T00:00:00.000Z", "settings": {"provider": "openai-compatible", "apiKey": "none",
"model": "scripted", "baseUrl": "$URL/v1"}}}}`,
	},
	shell: "run_commands",
	says: func(n int, command string) string {
		if command == "" {
			return clineAnswer()
		}
		return clineAnswer(clineCall{fmt.Sprint("call_", n), "run_commands", toText(binary.Hook{
			"commands": []string{command}})})
	},
}

// clineCall is a call of a tool, whose input is JSON.
type clineCall struct{ id, tool, input string }

// clineAnswer is a message of the model, which ends the turn if there are no calls in it.
func clineAnswer(calls ...clineCall) string {
	delta, reason := binary.Hook{"role": "assistant", "content": "done"}, "stop"
	if len(calls) > 0 {
		var all []any
		for i, c := range calls {
			all = append(all, binary.Hook{"index": i, "id": c.id, "type": "function",
				"function": binary.Hook{"name": c.tool, "arguments": c.input}})
		}
		delta, reason = binary.Hook{"role": "assistant", "tool_calls": all}, "tool_calls"
	}
	chunk := func(delta binary.Hook, reason any) binary.Hook {
		return binary.Hook{"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "scripted",
			"choices": []any{binary.Hook{"index": 0, "delta": delta, "finish_reason": reason}}}
	}
	return stream(chunk(delta, nil), chunk(binary.Hook{}, reason)) + "data: [DONE]\n\n"
}

// TestCline has the real client obey the file that all others do, as far as it can: what holds a call up ends the run,
// and the model never reads why.
func TestCline(t *testing.T) {
	testall.Only(t, "it installs Cline")
	t.Setenv("PATH", binary.InstallClient(t, "cline")+":"+os.Getenv("PATH"))
	r := newClientRun(t, cline)
	r.run(binary.Path, "install", "cline", "--project", "--allow")

	r.turn("touch free", "touch asked", "touch noted", "cat missing", "cat secret", "touch unchecked")
	r.ran("free")
	r.neverRan("asked")
	r.ran("rewritten")
	r.ran("noted")
	r.told("touch noted", "text before the tool")
	r.told("touch noted", "text after the tool")
	r.told("cat missing", "text after a failure")
	r.told("cat secret", "not for your eyes")
	r.told("touch unchecked", "hook 'dropout' gave no answer")
	r.neverTold("text at the prompt")

	for _, command := range []string{"touch forbidden", "touch late", "touch crashed", "touch doubtful", "touch stopped"} {
		r.turn(command, "touch behind")
		require.Len(r, r.requests, 1, "%s: %s", command, r.output)
		require.Contains(r, r.output, `"run_aborted"`)
		r.neverRan(filepath.Base(command[len("touch "):]))
	}
	r.turn("cat private", "touch behind")
	require.Len(r, r.requests, 1, "the model was told what a hook had changed:\n%s", r.output)
	r.neverRan("behind")

	// All hooks of a message run before its first tool.
	r.says = func(n int, _ string) string {
		if n > 0 {
			return clineAnswer()
		}
		return clineAnswer(clineCall{"a", "run_commands", `{"commands": ["touch one", "touch two"]}`},
			clineCall{"b", "run_commands", `{"command": "touch", "args": ["noted"]}`})
	}
	r.turn("")
	r.ran("two")
	require.Contains(r, r.requests[2], "text after the tool")
	for _, input := range []string{`{"commands": ["touch three", "touch forbidden"]}`, `["touch forbidden"]`,
		`{"commands": [{"command": "touch", "args": ["forbidden"]}]}`} {
		r.says = func(int, string) string {
			return clineAnswer(clineCall{"a", "run_commands", `{"commands": ["touch three"]}`},
				clineCall{"b", "run_commands", input})
		}
		r.turn("")
		require.Len(r, r.requests, 1, "%s", r.output)
		r.neverRan("three")
		r.neverRan("forbidden")
	}
	r.says = cline.says

	r.turn("echo { >.tenex-hooks.json", "touch anything")
	require.Len(r, r.requests, 1, "%s", r.output)
	r.turn("touch anything")
	require.Len(r, r.requests, 1, "%s", r.output)
	r.neverRan("anything")

	r.hooks()
	r.run(binary.Path, "uninstall", "cline", "--project")
	r.turn("touch forbidden")
	r.ran("forbidden")
}
