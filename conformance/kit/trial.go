package kit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Trial is a case in a workspace of its own, and the result.
type Trial struct {
	Case
	Base, Workspace, Home string // with slashes: all stand in JSON and in scripts
	HooksFile             string
	Stdin                 string

	// Of Run.
	Stdout, Stderr string
	Code           int
	Took           time.Duration
	Err            error // the program could not start

	TimedOut bool

	client *Client
	notes  string
	pid    int
	left   bool // at the program's end a hook's process was alive, if expected
}

// repeated matches {"repeat": ["x", 3]}, which stands for "xxx". A string cannot contain a match: in a string each
// quote has a backslash.
var repeated = regexp.MustCompile(`\{\s*"repeat"\s*:\s*\[\s*"((?:[^"\\]|\\.)*)"\s*,\s*([0-9]+)\s*\]\s*\}`)

// New makes the workspace of a case. Close removes the workspace.
func New(line string, client *Client) (*Trial, error) {
	base, err := os.MkdirTemp("", "conformance-")
	if err == nil {
		base, err = filepath.EvalSymlinks(base)
	}
	if err != nil {
		return nil, err
	}
	base = filepath.ToSlash(base)
	r := &Trial{Base: base, Workspace: path.Join(base, "ws"), Home: path.Join(base, "home"),
		notes: path.Join(base, "rec"), client: client}
	if err := r.prepare(line); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

func (r *Trial) prepare(line string) error {
	line = strings.NewReplacer(
		"<WORKSPACE_SLUG>", strings.ReplaceAll(r.Workspace, "/", "-"),
		"(/<HOME>", "(/"+inPattern(r.Home),
		"<WORKSPACE>", r.Workspace,
		"<HOME>", r.Home,
		"<SESSION>", "11111111-2222-4333-8444-555555555555",
		"<UUID>", "99999999-8888-4777-8666-555555555555",
	).Replace(line)
	line = repeated.ReplaceAllStringFunc(line, func(match string) string {
		parts := repeated.FindStringSubmatch(match)
		n, _ := strconv.Atoi(parts[2]) // the expression has digits alone
		return `"` + strings.Repeat(parts[1], n) + `"`
	})
	if err := strictly(line, &r.Case); err != nil {
		return err
	}
	var stdin bytes.Buffer
	if err := json.Compact(&stdin, r.Case.Stdin); err != nil { // the keys stay in their order
		return err
	}
	r.Stdin = stdin.String() + "\n"

	for _, dir := range []string{r.Workspace, r.Home, r.notes, path.Join(r.Base, "tmp")} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
	}
	file := r.client.ConfigPath
	if r.ConfigPath != "" {
		file = r.ConfigPath
	}
	r.HooksFile = filepath.Join(r.Workspace, file)
	files := map[string]File{}
	maps.Copy(files, r.client.Files)
	maps.Copy(files, r.Files)
	files[file] = File{Content: r.settings()}
	for name, f := range files {
		if err := WriteFile(filepath.Join(r.Workspace, name), f); err != nil {
			return err
		}
	}
	return nil
}

// WriteFile writes a file of a workspace.
func WriteFile(path string, f File) error {
	mode := uint64(0o644)
	if f.Mode != "" {
		var err error
		if mode, err = strconv.ParseUint(f.Mode, 8, 32); err != nil {
			return err
		}
	}
	// Without the lock, another case's process could hold the file open for writing until the exec; until then the file
	// cannot run ("text file busy").
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte(f.Content), 0o644)
	}
	if err == nil {
		err = os.Chmod(path, fs.FileMode(mode)) // whatever the umask is
	}
	return err
}

// Close kills the case's processes, removes the workspace, and reports success. Meanwhile a hook can start one more
// process, which makes folders again.
func (r *Trial) Close() bool {
	return within(10*time.Second, func() bool { return r.killSurvivors() == 0 && os.RemoveAll(r.Base) == nil })
}

// within waits until a condition holds, and reports whether the condition holds in time.
func within(limit time.Duration, holds func() bool) bool {
	for end := time.Now().Add(limit); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			return holds()
		}
	}
	return true
}

// Missing returns a need of the case that this machine does not meet, or "".
func (r *Trial) Missing() string {
	for _, need := range r.Needs {
		if !isThere(need) {
			return need
		}
	}
	return ""
}

// Run runs a program in a folder, with the case's hook input on stdin, and notes the result.
func (r *Trial) Run(dir string, env []string, limit time.Duration, program string, args ...string) {
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = dir, env, strings.NewReader(r.Stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.SysProcAttr = ownSession
	cmd.WaitDelay = Limit // for a process with only our pipes
	start := time.Now()
	if r.Err = cmd.Start(); r.Err != nil {
		return
	}
	// A context is not enough: the pipes could stay open without limit after the program's end.
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // the exit code says it
	}()
	select {
	case <-ended:
	case <-time.After(limit):
		r.TimedOut = true
		kill(cmd.Process)
		r.killSurvivors()
		<-ended
	}
	r.Took = time.Since(start)
	r.left = r.Expect.LeftRunning && len(r.survivors()) > 0
	r.Code, r.pid = cmd.ProcessState.ExitCode(), cmd.Process.Pid
	r.Stdout, r.Stderr = stdout.String(), stderr.String()
}

// Environment returns the variables of a case: those of this process without a client's and without hookrun's, with an
// own HOME. The hooks note their input under $ORACLE_REC.
func (r *Trial) Environment(more map[string]string) (list []string) {
	hidden := []string{"HOOKRUN", "ORACLE", "XDG_", "CLAUDE", "CLINE", "CODEX", "COPILOT", "CRUSH", "CURSOR", "DROID",
		"GEMINI", "KIMI", "QWEN"}
	env := map[string]string{}
	for _, v := range os.Environ() {
		name, value, _ := strings.Cut(v, "=")
		if !slices.ContainsFunc(hidden, func(p string) bool { return strings.HasPrefix(name, p) }) {
			env[name] = value
		}
	}
	env["HOME"] = r.Home
	env["TMPDIR"] = filepath.Join(r.Base, "tmp")
	env["LANG"] = "C.UTF-8"
	env["ORACLE_REC"] = r.notes
	set := func(name string, value *string) {
		maps.DeleteFunc(env, func(n, _ string) bool { return sameVariable(n, name) })
		if value != nil {
			env[name] = *value
		}
	}
	for name, value := range ownVariables(r) {
		set(name, &value)
	}
	for name, value := range more {
		set(name, &value)
	}
	for name, value := range r.Env {
		set(name, value)
	}
	for name, value := range env {
		list = append(list, name+"="+value)
	}
	return list
}

// HookRun is a run of a hook script, with the script's notes by name: stdin, env, start, ...
type HookRun struct {
	ID   string
	Note map[string]string
}

// Runs reads the hooks' directories ID.PID; the files beside these are a case's own notes.
func (r *Trial) Runs() (runs []HookRun, notes map[string]string, err error) {
	notes = map[string]string{}
	read := func(into map[string]string, path string) {
		doc, e := os.ReadFile(path)
		if e != nil {
			err = e
		}
		into[filepath.Base(path)] = slashed(r.Workspace, slashed(r.Home, string(doc)))
	}
	entries, err := os.ReadDir(r.notes)
	for _, e := range entries {
		path := filepath.Join(r.notes, e.Name())
		if !e.IsDir() {
			read(notes, path)
			continue
		}
		h := HookRun{ID: strings.TrimSuffix(e.Name(), filepath.Ext(e.Name())), Note: map[string]string{}}
		files, e := os.ReadDir(path)
		if e != nil {
			err = e
		}
		for _, f := range files {
			read(h.Note, filepath.Join(path, f.Name()))
		}
		runs = append(runs, h)
	}
	return runs, notes, err
}

// Ran moves the notes of the hooks aside, and returns their names. An async hook may still write into its folder.
func (r *Trial) Ran() (names []string, err error) {
	entries, err := os.ReadDir(r.notes)
	if err != nil {
		return nil, err
	}
	aside, err := os.MkdirTemp(r.Base, "notes")
	for _, e := range entries {
		if err != nil {
			return nil, err
		}
		name, _, _ := strings.Cut(e.Name(), ".")
		names = append(names, name)
		err = os.Rename(filepath.Join(r.notes, e.Name()), filepath.Join(aside, e.Name()))
	}
	slices.Sort(names)
	return names, err
}

// slashed writes a path in a text with slashes.
func slashed(path, text string) string {
	return strings.ReplaceAll(text, filepath.FromSlash(path), path)
}

// process is a hook's process.
type process struct {
	pid     int
	command string
}

func (p process) String() string { return fmt.Sprint(p.pid, " ", p.command) }
