//go:build linux

package clients

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// alone runs the test again where there is no network but loopback, and reports whether it did: not every system lets
// us. The proxies of a client lead nowhere, with a network or without.
func alone(t *testing.T, path string) bool {
	const inside = "E2E_LOOPBACK_ONLY"
	if os.Getenv(inside) != "" || exec.Command("unshare", "-rn", "ip", "link", "set", "lo", "up").Run() != nil {
		return false
	}
	pattern := "^" + strings.ReplaceAll(t.Name(), "/", "$/^") + "$"
	cmd := exec.Command("unshare", "-rn", "sh", "-c", `ip link set lo up && exec "$@"`, "sh", os.Args[0], "-test.v",
		"-test.timeout=10m", "-test.run="+pattern)
	if *update {
		cmd.Args = append(cmd.Args, "-update")
	}
	cmd.Env = append(os.Environ(), inside+"=1", "PATH="+path)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "--- PASS: "+t.Name(), "the test did not run")
	t.Logf("with loopback alone:\n%s", out)
	return true
}

// clientRun is a client with a home, a project and a model of its own.
type clientRun struct {
	*testing.T
	client
	home, workspace, mark string
	env                   []string
	output                string // of the last turn
	below                 string // the last request of a subagent
	hookrun               string // another than that of the tests

	mu       sync.Mutex
	replies  [][]string     // the commands that the model asks for in this turn, reply by reply
	requests map[int]string // that the model got, by the number of results in them
}

func newClientRun(t *testing.T, c client) *clientRun {
	r := &clientRun{T: t, client: c}
	r.prepare(r)
	require.NoError(t, os.CopyFS(r.workspace, os.DirFS("testdata/project")))
	return r
}

// prepare makes the home, the project and the environment of a client whose model is the handler.
func (r *clientRun) prepare(handler http.Handler) {
	t, c := r.T, r.client
	r.home, r.workspace = t.TempDir(), t.TempDir()
	r.mark = "E2E_MARK=" + r.home
	model := httptest.NewServer(handler)
	t.Cleanup(model.Close)
	names := strings.NewReplacer("$URL", model.URL, "$WORKSPACE", r.workspace,
		"$MODEL", cmp.Or(c.model, "scripted"))
	for path, text := range c.home {
		path = filepath.Join(r.home, path)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(names.Replace(text)), 0o600))
	}
	// Nothing of ours that a client may know: it would change what it does, or be a key to somebody's account.
	r.env = []string{
		"PATH=" + filepath.Dir(binary.Path) + ":" + os.Getenv("PATH"),
		"HOME=" + r.home, "TMPDIR=" + t.TempDir(), "LANG=C.UTF-8", "TERM=dumb", r.mark,
		"HTTP_PROXY=http://127.0.0.1:9", "HTTPS_PROXY=http://127.0.0.1:9", "NO_PROXY=127.0.0.1"}
	for _, e := range c.env {
		r.env = append(r.env, names.Replace(e))
	}
	r.args = slices.Clone(c.args)
	for i := range r.args {
		r.args[i] = names.Replace(r.args[i])
	}
	t.Cleanup(r.nothingLeft)
}

// ServeHTTP is the model. How far the turn has come is in the request.
func (r *clientRun) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	if req.Method != http.MethodPost || !bytes.Contains(body, []byte(`"name":"`+r.shell+`"`)) {
		http.NotFound(w, req) // a list of models, a title for the session
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(results.FindAll(body, -1))
	if _, again := r.requests[n]; !again { // Qwen Code asks once more at the end of a turn
		r.requests[n] = string(body)
	}
	var commands []string
	for i, left := 0, n; i < len(r.replies) && left >= 0; i++ {
		if left == 0 {
			commands = r.replies[i]
		}
		left -= len(r.replies[i])
	}
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, r.says(n, commands...))
}

var results = regexp.MustCompile(
	`"(tool_result|function_call_output|custom_tool_call_output|functionResponse)"|"role":"tool"`)

// command is a program that the user starts in the project. It is gone in a while, with what it started.
func (r *clientRun) command(name string, args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(r.Context(), 9*binary.Patience)
	r.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = r.workspace, append(r.env, "PWD="+r.workspace)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	return cmd
}

func (r *clientRun) run(name string, args ...string) string {
	r.Helper()
	out, err := r.command(name, args...).CombinedOutput()
	require.NoError(r, err, "%s %q, which may be killed if it does not end:\n%s", name, args, out)
	return string(out)
}

// turn runs the client while the model asks for these commands. Some clients exit with an error where a hook blocks.
func (r *clientRun) turn(replies ...[]string) {
	r.Helper()
	r.mu.Lock()
	r.replies, r.requests = replies, map[int]string{}
	r.mu.Unlock()
	out, err := r.command(r.name, r.args...).CombinedOutput()
	r.output = string(out)
	r.mu.Lock() // behind the last request
	defer r.mu.Unlock()
	_, exited := errors.AsType[*exec.ExitError](err)
	require.True(r, err == nil || exited && !strings.Contains(err.Error(), "signal"),
		"%s %q, which may be killed if it does not end: %v\n%s", r.name, r.args, err, out)
}

// after returns what the model got right before it asked for a command, and right after; "" is no request.
func (r *clientRun) after(command string) (before, after string) {
	n := 0
	for _, reply := range r.replies {
		if slices.Contains(reply, command) {
			return r.requests[n], r.requests[n+len(reply)]
		}
		n += len(reply)
	}
	require.Fail(r, "the model asks for no such command", command)
	return
}

// modelReads reports whether the model got a text with the result of a command.
func (r *clientRun) modelReads(command, text string) bool {
	before, after := r.after(command)
	return strings.Count(after, text) > strings.Count(before, text)
}

func (r *clientRun) userReads(text string) bool { return strings.Contains(r.output, text) }

// ran reports whether a command ran that makes a file of this name, and removes that.
func (r *clientRun) ran(file string) bool {
	r.Helper()
	err := os.Remove(filepath.Join(r.workspace, file))
	require.True(r, err == nil || errors.Is(err, fs.ErrNotExist), err)
	return err == nil
}

// hooks writes the project's hooks file as it was.
func (r *clientRun) hooks() {
	text, err := os.ReadFile("testdata/project/.tenex-hooks.json")
	require.NoError(r, err)
	require.NoError(r, os.WriteFile(filepath.Join(r.workspace, ".tenex-hooks.json"), text, 0o600))
}

func (r *clientRun) nothingLeft() {
	end := exec.Command(binary.Path, "status", "--end") // what persistent hooks leave on purpose
	end.Dir, end.Env = r.workspace, r.env
	_ = end.Run()
	left := (&binary.Call{Mark: r.mark}).Marked
	defer func() {
		for _, pid := range left() {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}()
	require.Eventually(r, func() bool { return len(left()) == 0 }, binary.Patience, 10*time.Millisecond,
		"processes are left")
}

// write writes a file of the project, which may be run.
func (r *clientRun) write(path, text string) {
	path = filepath.Join(r.workspace, path)
	require.NoError(r, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(r, os.WriteFile(path, []byte(text), 0o700))
}
