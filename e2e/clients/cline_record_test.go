//go:build linux

package clients

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// clineCase is what the recorder needs of a recorded case. The model calls the tool of Stdin.
type clineCase struct {
	ID    string
	Files map[string]struct{ Content string }
	Stdin struct {
		Call   clineRecord `json:"tool_call"`
		Result clineRecord `json:"tool_result"`
	}
	Client *clineSeen
}

type clineRecord struct {
	Name  string
	Input json.RawMessage
}

// clineSeen is what the client did.
type clineSeen struct {
	Made     []string `json:"made"`     // files, by the tool
	Told     []string `json:"told"`     // to the model in its second request, with what it was told of hooks
	Requests int      `json:"requests"` // to the model
	Aborted  bool     `json:"aborted,omitempty"`
	Stdin    string   `json:"stdin,omitempty"` // of the first hook
}

// TestClineCases gives the real client the recorded cases again. With HOOKRUN_TEST_RECORD it writes what it saw, and
// compares nothing.
func TestClineCases(t *testing.T) {
	testall.Only(t, "it installs Cline")
	t.Setenv("PATH", pathOf(t, "cline"))
	folder := filepath.Join("..", "..", "conformance", "cline")
	doc, err := os.ReadFile(filepath.Join(folder, "client.json"))
	require.NoError(t, err)
	var prelude struct{ Files map[string]string }
	require.NoError(t, json.Unmarshal(doc, &prelude))
	paths, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	record := os.Getenv("HOOKRUN_TEST_RECORD")
	slots := make(chan struct{}, 2)
	for _, path := range paths {
		doc, err := os.ReadFile(path)
		require.NoError(t, err)
		lines := strings.SplitAfter(strings.TrimSuffix(string(doc), "\n"), "\n")
		t.Cleanup(func() { // when all cases have ended
			if record != "" {
				require.NoError(t, os.WriteFile(filepath.Join(record, filepath.Base(path)),
					[]byte(strings.Join(lines, "")+"\n"), 0o600))
			}
		})
		for i, line := range lines {
			var c clineCase
			require.NoError(t, json.Unmarshal([]byte(line), &c))
			t.Run(c.ID, func(t *testing.T) {
				t.Parallel()
				slots <- struct{}{}
				defer func() { <-slots }()
				seen := c.run(t, prelude.Files)
				if record == "" {
					require.Equal(t, c.Client, seen)
					return
				}
				text, err := json.Marshal(seen)
				require.NoError(t, err)
				head, _, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(line), "}"), `, "client": `)
				lines[i] = head + `, "client": ` + string(text) + "}" + line[len(strings.TrimSpace(line)):]
			})
		}
	}
}

func (c *clineCase) run(t *testing.T, common map[string]string) *clineSeen {
	call := c.Stdin.Call
	if call.Name == "" {
		call = c.Stdin.Result
	}
	r := &clientRun{T: t, client: clientNamed("cline"), requests: map[int]string{}}
	seen := &clineSeen{Made: []string{}, Told: []string{}}
	r.prepare(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		answer := clineAnswer()
		r.mu.Lock()
		defer r.mu.Unlock()
		if seen.Requests++; seen.Requests == 1 {
			answer = clineAnswer(clineCall{"call_0", call.Name, string(call.Input)})
		}
		for _, m := range gjson.GetBytes(body, "messages").Array() {
			if seen.Requests == 2 && m.Get("role").String() != "assistant" {
				seen.Told = append(seen.Told, m.Get("content").String())
			}
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, answer)
	}))
	notes := t.TempDir()
	r.env = append(r.env, "ORACLE_REC="+notes)
	for path, text := range common {
		r.write(path, text)
	}
	for path, f := range c.Files {
		r.write(path, f.Content)
	}
	out := r.run(r.name, r.args...)
	seen.Aborted = strings.Contains(out, `"run_aborted"`)
	seen.Told = slices.DeleteFunc(seen.Told, func(text string) bool { // its own, and the prompt
		return !strings.Contains(text, "hook_context") && !strings.HasPrefix(text, "[{") &&
			!strings.HasPrefix(text, "{")
	})
	files, err := os.ReadDir(r.workspace)
	require.NoError(t, err)
	for _, f := range files {
		if f.Name() != "hooks" && f.Name() != ".clinerules" {
			seen.Made = append(seen.Made, f.Name())
		}
	}
	if inputs, _ := filepath.Glob(filepath.Join(notes, "a.*", "stdin")); len(inputs) == 1 && c.given() {
		text, err := os.ReadFile(inputs[0])
		require.NoError(t, err)
		seen.Stdin = changing.ReplaceAllString(string(text), `"$1":_`)
		seen.Stdin = strings.ReplaceAll(seen.Stdin, `"hint":"`+filepath.Base(r.workspace)+`"`, `"hint":"ws"`)
		seen.Stdin = strings.ReplaceAll(seen.Stdin, r.workspace, "<WORKSPACE>")
	}
	return seen
}

func (c *clineCase) given() bool { return strings.HasPrefix(c.ID, "given-") }

// changing are the values that differ from run to run.
var changing = regexp.MustCompile(`"(timestamp|taskId|rootSessionId|agent_id|startedAt|endedAt|durationMs|` +
	`executionTimeMs)":("[^"]*"|[0-9]+)`)

func (r *clientRun) write(path, text string) {
	path = filepath.Join(r.workspace, path)
	require.NoError(r, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(r, os.WriteFile(path, []byte(text), 0o700))
}
