//go:build linux

package clients

import (
	"bytes"
	"encoding/json"
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
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// agentSDKVersion is the version that was observed. It brings its own Claude Code, 2.1.332.
const agentSDKVersion = "0.3.332"

// agentSDK is a folder whose node_modules has the Claude Agent SDK. The test is skipped where nobody names one: the SDK
// is 400 MB, and a test does not go to the network unasked.
func agentSDK(t *testing.T) string {
	t.Helper()
	binary.Needs(t, "node")
	const variable = "HOOKRUN_AGENT_SDK"
	dir := os.Getenv(variable)
	if dir == "" {
		testall.Only(t,
			variable+" names no folder with node_modules/@anthropic-ai/claude-agent-sdk, and to install it takes 400 "+
				"MB")
		binary.Needs(t, "npm")
		dir = t.TempDir()
		binary.Fetch(t, dir, nil, "npm", "install", "--prefix", dir, "--no-save", "--no-audit", "--no-fund",
			"@anthropic-ai/claude-agent-sdk@"+agentSDKVersion)
		t.Setenv(variable, dir) // for the same test without a network
	}
	require.DirExists(t, filepath.Join(dir, "node_modules", "@anthropic-ai", "claude-agent-sdk"))
	return dir
}

// sdkCall is a tool call that the scripted model makes.
type sdkCall struct {
	id, tool string
	input    binary.Hook // $WORKSPACE in it stands for the project
}

// task is a call that starts a subagent.
func task(id, agent, prompt string, background bool) sdkCall {
	input := binary.Hook{"description": "look", "prompt": prompt, "subagent_type": agent,
		"run_in_background": background}
	return sdkCall{id, "Agent", input}
}

// sdkScript is what the model says in one conversation: these calls, one after the other, and then a text. A
// conversation is known by a word of its first message. The primary agent's has none.
type sdkScript struct {
	word   string
	calls  []sdkCall
	report string
}

// sdkSession is a project with a client, and what the client sent to the model.
type sdkSession struct {
	*clientRun
	scripts []sdkScript

	lock   sync.Mutex
	bodies []string
}

func newSDKSession(t *testing.T, scripts ...sdkScript) *sdkSession {
	c := realClients[0]
	require.Equal(t, "claude", c.name)
	s := &sdkSession{clientRun: &clientRun{T: t, client: c}, scripts: scripts}
	s.prepare(s)
	return s
}

// subagents are the agents of each session. Each inherits all tools.
var subagents = binary.Hook{
	"research-specialist":    binary.Hook{"description": "searches", "prompt": "You search."},
	"report-creation-expert": binary.Hook{"description": "reports", "prompt": "You write reports."},
}

// servers are the MCP servers of each session, whose tools hold the secret.
func servers(t *testing.T, secret string) binary.Hook {
	path, err := filepath.Abs("testdata/agentsdk/vault.mjs")
	require.NoError(t, err)
	return binary.Hook{"vault": binary.Hook{"type": "stdio", "command": "node", "args": []string{path},
		"env": binary.Hook{"SECRET": secret}}}
}

var allowedTools = []string{"Agent", "Bash", "Edit", "Read", "WebSearch", "Write", "mcp__vault"}

// underSDK runs the prompts in the SDK, with the settings of the project, and returns the messages of the session.
func (s *sdkSession) underSDK(sdk, secret string, prompts ...string) string {
	s.Helper()
	script, err := filepath.Abs("testdata/agentsdk/session.mjs")
	require.NoError(s, err)
	cmd := s.command("node", script)
	cmd.Env = append(cmd.Env, "AGENT_SDK="+sdk)
	options := binary.Hook{"settingSources": []string{"project", "local"}, "allowedTools": allowedTools,
		"agents":     subagents,
		"mcpServers": servers(s.T, secret)}
	cmd.Stdin = strings.NewReader(toText(binary.Hook{"prompts": prompts, "options": options}))
	return s.messages(cmd)
}

// underClient runs a prompt in the claude of PATH.
func (s *sdkSession) underClient(secret, prompt string) string {
	s.Helper()
	return s.messages(s.command("claude", "-p", prompt, "--output-format", "stream-json", "--verbose",
		"--allowedTools", strings.Join(allowedTools, ","), "--agents", toText(subagents),
		"--mcp-config", toText(binary.Hook{"mcpServers": servers(s.T, secret)})))
}

func (s *sdkSession) messages(cmd *exec.Cmd) string {
	s.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	require.NoError(s, cmd.Run(), "%s\n%s", stderr.String(), stdout.String())
	s.lock.Lock() // behind the last request
	defer s.lock.Unlock()
	return stdout.String()
}

// ServeHTTP is the model. How far a conversation has come is in the request.
func (s *sdkSession) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	if req.Method != http.MethodPost || !strings.HasSuffix(req.URL.Path, "/messages") {
		http.NotFound(w, req)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	if !bytes.Contains(body, []byte(`"name":"Bash"`)) { // a title for the session, a search
		_, _ = io.WriteString(w, claudeText("nothing"))
		return
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	s.bodies = append(s.bodies, string(body))
	var conversation struct{ Messages []json.RawMessage }
	_ = json.Unmarshal(body, &conversation)
	script, n := s.scripts[0], len(results.FindAll(body, -1))
	for _, other := range s.scripts[1:] {
		if len(conversation.Messages) > 0 && bytes.Contains(conversation.Messages[0], []byte(other.word)) {
			script = other
		}
	}
	if n >= len(script.calls) {
		_, _ = io.WriteString(w, claudeText(script.report))
		return
	}
	call := script.calls[n]
	answer := claudeToolUse("toolu_"+call.id, call.tool, call.input)
	_, _ = io.WriteString(w, strings.ReplaceAll(answer, "$WORKSPACE", s.workspace))
}

// results are the results of the session's tool calls, by their ids, as the model read them.
func (s *sdkSession) results() map[string]sdkResult {
	all := map[string]sdkResult{}
	for _, body := range s.bodies {
		var conversation struct {
			Messages []struct{ Content json.RawMessage }
		}
		require.NoError(s, json.Unmarshal([]byte(body), &conversation))
		for _, m := range conversation.Messages {
			var blocks []sdkResult
			_ = json.Unmarshal(m.Content, &blocks) // a text has none
			for _, b := range blocks {
				if b.Type == "tool_result" {
					all[b.ID] = b
				}
			}
		}
	}
	return all
}

type sdkResult struct {
	Type    string
	ID      string `json:"tool_use_id"`
	Content json.RawMessage
	IsError bool `json:"is_error"`
}

// read is whether the model read a text in this session.
func (s *sdkSession) read(text string) bool {
	quoted := binary.JSON(s.T, text)
	return strings.Contains(strings.Join(s.bodies, "\n"), quoted[1:len(quoted)-1])
}

func (s *sdkSession) write(path, text string) {
	path = filepath.Join(s.workspace, path)
	require.NoError(s, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(s, os.WriteFile(path, []byte(text), 0o644))
}
