package doctor

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/canary"
	"github.com/hookrun/hookrun/internal/core/process"
	"github.com/hookrun/hookrun/internal/lib/spelling"
)

const trialLimit = 60 * time.Second

// try runs a turn of the real client in a new home whose settings switch hooks off. The prompt is the canary: hookrun
// blocks it and notes the run in the state folder, and a client without hookrun sends it to the model, which is here.
func (c *checked) try(m client.Managed) {
	f := Finding{Check: "trial", Severity: Note}
	switch {
	case m.Trial.Args == nil:
		f.What = c.Files.Client + " runs no hook at the prompt without an account: the settings were read, not tried"
	case c.executable == "" || c.doctor.Start == nil:
		f.What = c.Files.Client + " is not in PATH: the settings were read, not tried"
	default:
		f = c.tried(m.Trial)
	}
	c.add(f)
}

func (c *checked) tried(t client.Trial) Finding {
	f := Finding{Check: "trial", Severity: Warning, Where: c.executable,
		Mend: "see that a hook blocks a call in it, for a user of this machine"}
	home, err := os.MkdirTemp("", "hookrun-doctor-")
	if err != nil {
		f.What = "it cannot be tried: " + err.Error()
		return f
	}
	defer os.RemoveAll(home)
	model, err := listen()
	if err != nil {
		f.What = "it cannot be tried: " + err.Error()
		return f
	}
	defer model.Close()
	project, state := filepath.Join(home, "project"), filepath.Join(home, "state")
	fill := strings.NewReplacer("$URL", "http://"+model.Addr().String(), "$PROJECT", filepath.ToSlash(project)).Replace
	for folder, files := range map[string]map[string]string{home: t.Home, project: t.There} {
		for name, text := range files {
			path := filepath.Join(folder, filepath.FromSlash(name))
			if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
				err = os.WriteFile(path, []byte(fill(text)), 0o600)
			}
			if err != nil {
				f.What = "it cannot be tried: " + err.Error()
				return f
			}
		}
	}
	p := process.Program{Path: c.executable, Args: []string{c.Program}, Dir: project, Env: trialEnv(home, state)}
	for _, e := range t.Env {
		p.Env = append(p.Env, fill(e))
	}
	for _, arg := range append(t.Args, canary.Tool) {
		p.Args = append(p.Args, fill(arg))
	}
	got := c.doctor.Start(p, nil, trialLimit)
	ran, _ := filepath.Glob(filepath.Join(state, "last-run", "*"))
	switch output := strings.Join(strings.Fields(textOf(got.Stderr)+" "+textOf(got.Stdout)), " "); {
	case model.asked.Load():
		f.Severity = Error
		f.What = "it sent the test call to its model: with such settings of a user it does not run hookrun"
	case len(ran) > 0:
		f.Severity, f.Mend = OK, ""
		f.What = "it obeyed the entry, though the settings of a user switch hooks off"
	case got.Err != nil:
		f.What = "it cannot be tried: " + got.Err.Error()
	default:
		f.What = fmt.Sprintf("it ended before the entry ran (exit %d): %s", got.ExitCode, spelling.Brief(output, 300))
	}
	return f
}

// trialEnv is the environment of a user with a new home. Nothing else of this one is in it: it could name an account.
func trialEnv(home, state string) []string {
	env := []string{"HOME=" + home, "USERPROFILE=" + home, "HOOKRUN_STATE=" + state, "LANG=C.UTF-8", "TERM=dumb",
		"HTTP_PROXY=http://127.0.0.1:9", "HTTPS_PROXY=http://127.0.0.1:9", "NO_PROXY=127.0.0.1"}
	for _, name := range []string{"PATH", "TMPDIR", "SystemRoot", "ComSpec", "PATHEXT", "TEMP", "TMP"} {
		if value, set := os.LookupEnv(name); set {
			env = append(env, name+"="+value)
		}
	}
	if runtime.GOOS == "windows" {
		env = append(env, "APPDATA="+filepath.Join(home, "AppData", "Roaming"),
			"LOCALAPPDATA="+filepath.Join(home, "AppData", "Local"))
	}
	return env
}

// model stands for a model: it answers each request with an error, and notes whether it was sent the canary.
type model struct {
	net.Listener
	asked atomic.Bool
}

func listen() (*model, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &model{Listener: l}
	go func() { _ = http.Serve(l, m) }() // until Close
	return m, nil
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	const most = 16 << 20
	body, _ := io.ReadAll(io.LimitReader(r.Body, most))
	if packed := r.Header.Get("Content-Encoding") != ""; packed || bytes.Contains(body, []byte(canary.Tool)) {
		m.asked.Store(true)
	}
	http.NotFound(w, r)
}
