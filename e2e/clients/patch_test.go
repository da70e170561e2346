//go:build linux

package clients

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// patchClients are the clients that give a model apply_patch, and how that model calls it.
var patchClients = []struct {
	client, model string
	call          func(id, patch string) string // a reply
}{
	{"cline", "gpt-5.1", completion("apply_patch", "input")},
	{"codex", "gpt-6.1-sol", response(func(id, patch string) binary.Hook {
		return binary.Hook{"type": "custom_tool_call", "call_id": id, "name": "exec",
			"input": "text(await tools.apply_patch((" + toText(binary.Hook{"p": patch}) + ").p))"}
	})},
	{"codex", "gpt-6.1-sol", response(func(id, patch string) binary.Hook {
		return binary.Hook{"type": "custom_tool_call", "call_id": id, "name": "exec",
			"input": "text((await tools.exec_command(" +
				toText(binary.Hook{"cmd": "apply_patch <<'EOF'\n" + patch + "EOF\n"}) + ")).output)"}
	})},
	{"codex", "", response(func(id, patch string) binary.Hook {
		return binary.Hook{"type": "function_call", "call_id": id, "name": "exec_command",
			"arguments": toText(binary.Hook{"cmd": "apply_patch <<'EOF'\n" + patch + "EOF\n"})}
	})},
	{"copilot", "gpt-5.1-codex", func(id, patch string) string {
		return chunks(binary.Hook{"role": "assistant", "tool_calls": []any{binary.Hook{"index": 0, "id": id,
			"type": "custom", "custom": binary.Hook{"name": "apply_patch", "input": patch}}}}, "tool_calls")
	}},
	{"droid", "gpt-5.1", completion("ApplyPatch", "input")},
	{"opencode", "gpt-5.1", completion("apply_patch", "patchText")},
}

// TestPatches has real clients call apply_patch, and the rules for paths meet the paths of the patch.
func TestPatches(t *testing.T) {
	for i, c := range patchClients {
		t.Run(fmt.Sprint(c.client, i), func(t *testing.T) {
			if alone(t, pathOf(t, c.client)) {
				return
			}
			client := clientNamed(c.client)
			if at := slices.IndexFunc(client.others, func(m otherModel) bool { return m.name == c.model }); at >= 0 {
				client = client.with(client.others[at])
			}
			r := newClientRun(t, client)
			require.NoError(t, os.WriteFile(filepath.Join(r.workspace, ".tenex-hooks.json"), []byte(
				`{"hooks": [{"name": "in", "events": ["pre-tool"], "command": "cat >>in.jsonl"},
{"name": "locks", "events": ["pre-tool"], "if": "fs_write(**/*.lock)", "block": "no lock files"},
{"name": "go", "events": ["pre-tool"], "if": "fs_edit(**/*.go)", "block": "no Go"}]}`), 0o600))
			r.install()
			if r.trust != nil {
				r.trust(r)
			}
			for file, held := range map[string]bool{"a.lock": true, "b.txt": false} {
				patch := "*** Begin Patch\n*** Add File: " + file + "\n+x\n*** End Patch\n"
				r.says = func(n int, commands ...string) string {
					if n == 0 {
						return c.call("call_"+file, patch)
					}
					return client.says(n)
				}
				r.turn()
				in, _ := os.ReadFile(filepath.Join(r.workspace, "in.jsonl"))
				require.Equal(t, !held, r.ran(file), "%s\n%s\n%s", file, r.output, in)
			}
		})
	}
}

// response is a reply of OpenAI's responses with one item.
func response(item func(id, patch string) binary.Hook) func(id, patch string) string {
	return func(id, patch string) string {
		return stream(binary.Hook{"type": "response.created", "response": binary.Hook{"id": "resp"}},
			binary.Hook{"type": "response.output_item.done", "item": item(id, patch)},
			binary.Hook{"type": "response.completed", "response": binary.Hook{"id": "resp",
				"usage": binary.Hook{"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}}})
	}
}

// completion is a reply of chat completions that calls a function with the patch under a key.
func completion(tool, key string) func(id, patch string) string {
	return func(id, patch string) string {
		return chunks(binary.Hook{"role": "assistant", "tool_calls": []any{binary.Hook{"index": 0, "id": id,
			"type": "function", "function": binary.Hook{"name": tool, "arguments": toText(binary.Hook{key: patch})}}}},
			"tool_calls")
	}
}
