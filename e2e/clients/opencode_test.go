//go:build linux

package clients

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// openCodeModel asks for these calls, one message after the other: the first are the agent's, the second those of a
// subagent.
type openCodeModel struct {
	mu       sync.Mutex
	calls    map[bool][][]binary.Hook // by whether a subagent asks
	requests []string
}

func (m *openCodeModel) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	body, _ := io.ReadAll(req.Body)
	var asked struct {
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
		Tools []any
	}
	_ = json.Unmarshal(body, &asked)
	answers, sub := 0, false
	for _, message := range asked.Messages {
		if message.Role == "assistant" {
			answers++
		}
		sub = sub || message.Role == "user" && strings.Contains(string(message.Content), "SUBAGENT")
	}
	delta, reason := binary.Hook{"role": "assistant", "content": "done"}, "stop"
	if steps := m.calls[sub]; len(asked.Tools) > 0 {
		if m.requests = append(m.requests, string(body)); answers < len(steps) {
			delta, reason = binary.Hook{"role": "assistant", "tool_calls": steps[answers]}, "tool_calls"
		}
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, choice := range []binary.Hook{{"index": 0, "delta": delta, "finish_reason": nil},
		{"index": 0, "delta": binary.Hook{}, "finish_reason": reason}} {
		_, _ = io.WriteString(w, stream(binary.Hook{"id": "msg", "object": "chat.completion.chunk", "created": 1,
			"model": "scripted", "choices": []any{choice}}))
	}
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}

// inOpenCode are calls of one message.
func inOpenCode(namesAndArgs ...any) (calls []binary.Hook) {
	for i := 0; i < len(namesAndArgs); i += 2 {
		calls = append(calls, binary.Hook{"index": i / 2, "id": fmt.Sprintf("call_%v_%d", namesAndArgs[i], i),
			"type": "function", "function": binary.Hook{"name": namesAndArgs[i],
				"arguments": toText(namesAndArgs[i+1].(binary.Hook))}})
	}
	return calls
}

// TestOpenCode records what the real client does with a plugin beyond TestClients: MCP tools, subagents, several calls
// at once, and plugins that it cannot load.
func TestOpenCode(t *testing.T) {
	t.Setenv("PATH", pathOf(t, "opencode"))
	program, err := exec.LookPath("opencode")
	require.NoError(t, err)
	client := clientNamed("opencode")
	bash := func(command string) binary.Hook { return binary.Hook{"command": command, "description": "a command"} }
	model := &openCodeModel{calls: map[bool][][]binary.Hook{
		false: {inOpenCode("srv_echo", binary.Hook{}, "bash", bash("touch forbidden"), "bash", bash("touch free")),
			inOpenCode("task", binary.Hook{"description": "d", "prompt": "SUBAGENT", "subagent_type": "general"})},
		true: {inOpenCode("bash", bash("touch forbidden")), inOpenCode("bash", bash("touch below"))},
	}}
	r := &clientRun{T: t, client: client}
	r.prepare(model)
	r.env = append(r.env, "PATH="+filepath.Dir(program)+":"+filepath.Dir(binary.Path)+":"+os.Getenv("PATH"))
	require.NoError(t, os.CopyFS(r.workspace, os.DirFS("testdata/opencode")))
	write := func(path, text string) {
		path = filepath.Join(r.workspace, path)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	}
	write("opencode.json", `{"mcp": {"srv": {"type": "local", "command": ["python3", "mcp.py"]}}}`)
	write(".opencode/plugins/broken.js", `throw new Error("it does not load")`)
	r.run(binary.Path, "install", "opencode", "--allow")

	r.run(program, client.args...)
	all := strings.Join(model.requests, "\n")
	require.Contains(t, all, "not this one")
	require.Contains(t, all, `what may be seen\n\ntext before the tool`)
	require.NotContains(t, all, "the home address")
	require.False(t, r.ran("forbidden"))
	require.True(t, r.ran("free"))
	require.True(t, r.ran("below"))
	require.Equal(t, 2, strings.Count(model.requests[len(model.requests)-1]+model.requests[len(model.requests)-2],
		"not this one"), "the agent's call and the subagent's")

	// A plugin that does not load is as good as none, and nobody is told.
	write(".opencode/plugins/hookrun.js", `throw new Error("it does not load")`)
	require.NotContains(t, r.run(program, client.args...), "it does not load")
	require.True(t, r.ran("forbidden"))
}
