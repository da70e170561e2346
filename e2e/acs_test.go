//go:build unix

package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// vector is a line of conformance/acs.
type vector struct {
	ID, Note, Event string
	Request, Answer json.RawMessage
	Expect          map[string]any
}

func vectors(t *testing.T, name string) (all []vector) {
	text, err := os.ReadFile(filepath.Join(binary.Repository(t), "conformance", "acs", name))
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		var v vector
		require.NoError(t, d.Decode(&v), line)
		all = append(all, v)
	}
	require.NotEmpty(t, all)
	return all
}

// has reports whether got has all of want.
func has(got, want any) bool {
	members, is := want.(map[string]any)
	object, isObject := got.(map[string]any)
	if !is || !isObject {
		return reflect.DeepEqual(got, want)
	}
	for key, value := range members {
		if there, ok := object[key]; !ok || !has(there, value) {
			return false
		}
	}
	return true
}

// TestACSGuardian: hookrun answers the vectors for a Guardian, on stdin and over HTTP.
func TestACSGuardian(t *testing.T) {
	dir, all := t.TempDir(), vectors(t, "guardian.jsonl")
	hooks, err := os.ReadFile(filepath.Join(binary.Repository(t), "conformance", "acs", "hooks.json"))
	require.NoError(t, err)
	binary.WriteFile(t, dir, ".tenex-hooks.json", string(hooks))
	var lines strings.Builder
	for i, v := range all {
		fmt.Fprintln(&lines, strings.Replace(string(v.Request), `"id":"1"`, fmt.Sprintf(`"id":"%d"`, i), 1))
	}
	server := listen(t, dir)
	said := map[string]any{}
	r := binary.Run(t, dir, lines.String(), nil, binary.Path, "serve")
	require.Zero(t, r.Code, r.Stderr)
	answers := bufio.NewScanner(strings.NewReader(r.Stdout))
	answers.Buffer(nil, 1<<20)
	for answers.Scan() {
		var answer map[string]any
		require.NoError(t, json.Unmarshal(answers.Bytes(), &answer))
		said[answer["id"].(string)] = answer
	}
	for i, v := range all {
		want := any(v.Expect)
		require.True(t, has(said[fmt.Sprint(i)], want), "%s: %v", v.ID, said[fmt.Sprint(i)])
		status, text := server.post("/", string(v.Request))
		require.Equal(t, 200, status)
		var answer any
		require.NoError(t, json.Unmarshal([]byte(text), &answer))
		require.True(t, has(answer, want), "%s over HTTP: %s", v.ID, text)
	}
}

// TestACSAgent: hookrun makes the right outcome of a Guardian's answer.
func TestACSAgent(t *testing.T) {
	var answer json.RawMessage
	guardian := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct {
			ID     string
			Params struct {
				RequestID string `json:"request_id"`
			}
		}
		body, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(body, &request)
		text := string(answer)
		if bytes.HasPrefix(answer, []byte(`"`)) {
			_ = json.Unmarshal(answer, &text)
		}
		ids := strings.NewReplacer("<ID>", request.ID, "<REQUEST_ID>", request.Params.RequestID)
		_, _ = io.WriteString(w, ids.Replace(text))
	}))
	defer guardian.Close()
	dir := t.TempDir()
	binary.WriteFile(t, dir, ".tenex-hooks.json", `{"hooks": [{"name": "g", "url": "`+guardian.URL+`", "dialect": "acs",
		"events": ["pre-execute", "pre-tool", "post-tool"]}]}`)
	args := map[string][]string{"pre-execute": {"--prompt", "hello"}, "pre-tool": {"--tool", "shell", "--args",
		`{"command":"ls"}`}, "post-tool": {"--tool", "shell", "--args", `{"command":"ls"}`, "--result", "out"}}
	for _, v := range vectors(t, "agent.jsonl") {
		answer = v.Answer
		r := binary.Run(t, dir, "", nil, append([]string{binary.Path, v.Event, "-o", "json"}, args[v.Event]...)...)
		var outcome any
		require.NoError(t, json.Unmarshal([]byte(r.Stdout), &outcome), "%s: %s", v.ID, r.Stderr)
		require.True(t, has(outcome, any(v.Expect)), "%s: %s", v.ID, r.Stdout)
	}
}

// A Guardian that wants a handshake gets one; hookrun asks hookrun.
func TestACSHandshake(t *testing.T) {
	var methods []string
	greeted := map[string]bool{}
	guardian := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct {
			ID, Method string
			Params     struct {
				RequestID string `json:"request_id"`
				Metadata  struct {
					SessionID string `json:"session_id"`
				}
			}
		}
		body, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(body, &request)
		methods = append(methods, request.Method)
		session := request.Params.Metadata.SessionID
		if request.Method == "handshake/hello" {
			greeted[session] = true
		} else if !greeted[session] {
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%q,"error":{"code":-32003,"message":"hello first"}}`, request.ID)
			return
		}
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%q,"result":{"type":"final","acs_version":"0.1.0","request_id":%q,`+
			`"decision":"allow"}}`, request.ID, request.Params.RequestID)
	}))
	defer guardian.Close()
	dir := t.TempDir()
	binary.WriteFile(t, dir, ".tenex-hooks.json", `{"hooks": [{"name": "g", "url": "`+guardian.URL+`", "dialect": "acs",
		"events": ["pre-tool"]}]}`)
	for range 2 {
		r := binary.Run(t, dir, "", nil, binary.Path, "pre-tool", "--tool", "shell", "--session-id", "s")
		require.Zero(t, r.Code, r.Stderr)
	}
	const step = "steps/toolCallRequest"
	require.Equal(t, []string{step, "handshake/hello", step, step}, methods)
}
