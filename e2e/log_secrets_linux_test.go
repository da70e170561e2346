package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a person approves has no secret in it, on the screen and in the file, and all that could be code. The approval
// is for the call with its secret.
func TestApproveWithSecrets(t *testing.T) {
	p := newProject(t)
	p.write(".tenex-hooks.json", `{"packs": ["git"], "approvable": ["git"]}`)
	call := func(command string) []string {
		args, err := json.Marshal(map[string]string{"command": command, "password": "0ff1ce-too; rm -rf /"})
		require.NoError(t, err)
		return []string{"pre-tool", "--tool", "shell", "--args", string(args), "--log", "run.log"}
	}
	command := `T=ghp_0ff1ceK2m4P6q8S0u2W4y6A8c git push -f https://me:0ff1ce@h/r main; TOKEN=0ff1ce;make $(date)`
	got := p.run(p.dir, call(command)...)
	require.Equal(t, 2, got.Code)
	require.NotContains(t, got.Stderr, "0ff1ce")
	code := regexp.MustCompile(`hookrun approve ([0-9a-v]{8})\n$`).FindStringSubmatch(got.Stderr)
	require.NotNil(t, code, got.Stderr)
	require.NotContains(t, p.run(p.dir, "approve").Stdout, "0ff1ce")
	require.NoError(t, filepath.WalkDir(filepath.Dir(p.dir), func(path string, f os.DirEntry, err error) error {
		if err != nil || !f.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NotContains(t, string(text), "0ff1ce", path)
		var waiting struct {
			Call [][]byte `json:"call"`
		}
		_ = json.Unmarshal(text, &waiting)
		for _, field := range waiting.Call {
			require.NotContains(t, string(field), "0ff1ce", path)
		}
		return nil
	}))

	status, screen := p.at("y\n", "approve", code[1])
	if strings.Contains(screen, "this is below ") {
		t.Skip(screen) // an agent runs the tests
	}
	require.Zero(t, status, screen)
	require.NotContains(t, screen, "0ff1ce")
	require.Contains(t, screen, `"T=[redacted] git push -f https://me:[redacted]@h/r main; `+
		`TOKEN=[redacted];make $(date)","password":"[redacted]; rm -rf /"`)
	require.Equal(t, 2, p.run(p.dir, call(strings.ReplaceAll(command, "0ff1ce", "0ff1cf"))...).Code)
	require.Zero(t, p.run(p.dir, call(command)...).Code)
	require.Equal(t, 2, p.run(p.dir, call(command)...).Code)
}

// A log of an older hookrun can have secrets. They are neither shown nor sent.
func TestLogWithSecrets(t *testing.T) {
	p := newProject(t)
	const line = `{"version":1,"time":"2026-11-21T14:43:17.120000Z","command":"pre-tool","pid":1,"tool_use_id":"1",` +
		`"args":{"command":"mysql -p0ff1ce","password":5},"outcome":{"version":1,"event":"pre-tool","tool":"shell",` +
		`"decision":"block","reason":"no: ghp_0ff1ceK2m4P6q8S0u2W4y6A8c","hook":"h",` +
		`"hooks":[{"name":"h","source":"f:1","status":"blocked","duration_ms":1,` +
		`"stdout_bytes":0,"stderr":"TOKEN=0ff1ce"}],"duration_ms":1}}` + "\n" +
		`{"version":1,"time":"2026-11-21T14:43:17.120000Z","command":"pre-execute","pid":1,` +
		`"prompt":"curl -u me:0ff1ce","error":"PASSWORD=0ff1ce"}` + "\n"
	p.write("run.log", line)
	for _, flags := range []string{"", "-o json", "--events", "--html page.html"} {
		got := p.run(p.dir, append([]string{"log", "run.log"}, strings.Fields(flags)...)...)
		require.Zero(t, got.Code, got.Stderr)
		require.NotContains(t, got.Stdout+got.Stderr, "0ff1ce", flags)
	}
	page, err := os.ReadFile(filepath.Join(p.dir, "page.html"))
	require.NoError(t, err)
	require.Contains(t, string(page), "[redacted]")
	require.NotContains(t, string(page), "0ff1ce")

	var sent strings.Builder
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(&sent, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, "{}")
	}))
	defer collector.Close()
	got := p.run(p.dir, "log", "run.log", "--otlp", collector.URL+"/v1/logs", "--otlp-args", "--once")
	require.Zero(t, got.Code, got.Stderr)
	require.Contains(t, sent.String(), `mysql -p[redacted]`)
	require.Contains(t, sent.String(), `curl -u me:[redacted]`)
	require.NotContains(t, sent.String(), "0ff1ce")
}
