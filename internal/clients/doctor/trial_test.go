package doctor

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/clients/install"
	"github.com/hookrun/hookrun/internal/core/process"
)

// TestTrial: only a client that ran the entry and sent the model nothing has obeyed.
func TestTrial(t *testing.T) {
	t.Setenv("SECRET_API_KEY", "of this user's")
	value := func(p *process.Program, name string) string {
		i := slices.IndexFunc(p.Env, func(v string) bool { return strings.HasPrefix(v, name+"=") })
		require.NotEqual(t, -1, i, name)
		return p.Env[i][len(name)+1:]
	}
	ask := func(p *process.Program, body string) {
		answer, err := http.Post(value(p, "MODEL")+"/v1/messages", "application/json", strings.NewReader(body))
		require.NoError(t, err)
		answer.Body.Close()
	}
	run := func(p *process.Program) {
		dir := filepath.Join(value(p, "HOOKRUN_STATE"), "last-run")
		require.NoError(t, os.MkdirAll(dir, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "claude-1"), nil, 0o600))
	}
	for _, test := range []struct {
		name     string
		client   func(p *process.Program)
		severity Severity
		what     string
	}{
		{"obeys", func(p *process.Program) { run(p); ask(p, `{"a title": true}`) }, OK, "it obeyed the entry"},
		{"has no entry", func(p *process.Program) { ask(p, p.Args[2]) }, Error, "it sent the test call to its model"},
		{"goes on", func(p *process.Program) { run(p); ask(p, p.Args[2]) }, Error,
			"it sent the test call to its model"},
		{"ends early", func(*process.Program) {}, Warning, "it ended before the entry ran (exit 3): log in first"},
	} {
		t.Run(test.name, func(t *testing.T) {
			home := ""
			c := &checked{executable: "/usr/bin/claude", doctor: &Doctor{Start: func(
				p process.Program, _ process.Input, _ time.Duration,
			) process.Result {
				home = value(&p, "HOME")
				require.NotContains(t, p.Env, "SECRET_API_KEY=of this user's")
				text, err := os.ReadFile(filepath.Join(home, ".claude", "settings.json"))
				require.NoError(t, err)
				require.Equal(t, "at "+value(&p, "MODEL"), string(text))
				text, err = os.ReadFile(filepath.Join(p.Dir, "off.json"))
				require.NoError(t, err)
				require.Equal(t, "{}", string(text))
				require.Equal(t, []string{"claude", "-p", "hookrun_doctor_canary"}, p.Args)
				test.client(&p)
				r := process.Result{ExitCode: 3}
				r.Stderr.Head, r.Stderr.Total = []byte("log in\n first\n"), 14
				return r
			}}}
			c.Client = &install.Client{Installation: &client.Installation{Program: "claude"}}
			f := c.tried(client.Trial{Args: []string{"-p"}, Env: []string{"MODEL=$URL"},
				Home:  map[string]string{".claude/settings.json": "at $URL"},
				There: map[string]string{"off.json": "{}"}})
			require.Equal(t, test.severity, f.Severity)
			require.Contains(t, f.What, test.what)
			require.NoDirExists(t, home)
		})
	}
}
