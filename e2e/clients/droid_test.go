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

// droid is Factory Droid without a network, whose model speaks OpenAI's chat completions. It runs no hook at the prompt
// when it is started like this, and none after a tool that failed.
var droid = client{
	name: "droid",
	args: []string{"exec", "--skip-permissions-unsafe", "-m", "custom:scripted-0", "go"},
	env:  []string{"FACTORY_AIRGAP_ENABLED=true"},
	home: map[string]string{".factory/settings.json": `{"customModels": [{"model": "scripted", "displayName": "scripted",
"baseUrl": "$URL/v1", "apiKey": "none", "provider": "generic-chat-completion-api", "maxOutputTokens": 1000}]}`},
	shell: "Execute",
	says: func(n int, command string) string {
		delta, reason := binary.Hook{"role": "assistant", "content": "done"}, "stop"
		if command != "" {
			call := binary.Hook{"command": command, "summary": "Do it", "riskLevel": "low", "riskLevelReason": "none"}
			delta, reason = binary.Hook{"role": "assistant", "tool_calls": []any{binary.Hook{"index": 0,
				"id": fmt.Sprint("call_", n), "type": "function",
				"function": binary.Hook{"name": "Execute", "arguments": toText(call)}}}}, "tool_calls"
		}
		chunk := func(delta binary.Hook, reason any) binary.Hook {
			return binary.Hook{"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "scripted",
				"choices": []any{binary.Hook{"index": 0, "delta": delta, "finish_reason": reason}}}
		}
		return stream(chunk(delta, nil), chunk(binary.Hook{}, reason)) + "data: [DONE]\n\n"
	},
}

// TestDroid has the real client obey the file that all others do, as far as it can: a result of a tool cannot be
// replaced there, so the run ends.
func TestDroid(t *testing.T) {
	testall.Only(t, "it installs Droid")
	t.Setenv("PATH", binary.InstallClient(t, "droid")+":"+os.Getenv("PATH"))
	r := newClientRun(t, droid)
	r.run(binary.Path, "install", "droid", "--project", "--allow")

	const breakFile = "echo { >.tenex-hooks.json"
	r.turn("touch free", "touch forbidden", "touch asked", "touch noted", "cat missing", "touch late", "touch crashed",
		"cat secret", "touch doubtful", "touch unchecked", breakFile, "touch anything")
	r.ran("free")
	r.neverRan("forbidden")
	r.told("touch forbidden", "not this one")
	r.neverRan("asked")
	r.ran("rewritten")
	r.ran("noted")
	r.told("touch noted", "text before the tool")
	r.told("touch noted", "text after the tool")
	r.neverTold("text after a failure")
	r.neverRan("late")
	r.told("touch late", "'sleeper'")
	r.neverRan("crashed")
	r.told("touch crashed", "'crasher'")
	r.told("cat secret", "not for your eyes")
	r.neverRan("doubtful")
	r.told("touch doubtful", "let somebody look")
	r.ran("unchecked")
	r.told(breakFile, ".tenex-hooks.json:2:1: ")
	r.neverRan("anything")
	r.told("touch anything", ".tenex-hooks.json:2:1: ")

	r.hooks()
	r.turn("cat private", "touch more")
	require.Len(r, r.requests, 1, "the model was told what a hook had changed:\n%s", r.output)
	r.neverTold("the home address")
	r.neverRan("more")
	r.turn("touch stopped", "touch more")
	r.neverRan("stopped")
	require.Len(r, r.requests, 1, "%s", r.output)

	// Its own file, which has a fault: the client drops all of its hooks, and so hookrun with them.
	settings := filepath.Join(r.workspace, ".factory", "settings.json")
	text, err := os.ReadFile(settings)
	require.NoError(r, err)
	require.NoError(r, os.WriteFile(settings, append(text, '}'), 0o600))
	r.turn("touch forbidden")
	r.ran("forbidden")
	out, err := r.command(binary.Path, "doctor", "droid").CombinedOutput()
	require.Error(r, err)
	require.Contains(r, string(out), "settings.json:")
	require.NoError(r, os.WriteFile(settings, text, 0o600))
	require.NoError(r, os.Remove(filepath.Join(r.workspace, "forbidden")))

	r.run(binary.Path, "uninstall", "droid", "--project")
	r.turn("touch forbidden")
	r.ran("forbidden")
}
