//go:build linux || windows

package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// TestConformance holds hookrun to what each client itself did with the same hooks. Some clients cannot be run here:
// their cases are written from their documents, as their prelude.json says.
func TestConformance(t *testing.T) {
	for _, client := range recordedClients(t) {
		t.Run(client, func(t *testing.T) { runConformance(t, client) })
	}
}

// recordedClients are the folders of testdata that have cases of a client.
func recordedClients(t *testing.T) (names []string) {
	preludes, err := filepath.Glob("../../conformance/*/client.json")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(preludes), 9)
	for _, path := range preludes {
		names = append(names, filepath.Base(filepath.Dir(path)))
	}
	return names
}

// slots keeps few cases going at a time: some of them say how long they may take.
var slots = make(chan struct{}, 4)

// sampled is which part of the recorded cases always runs: every 24th of each file. The others run where all tests do.
const sampled = 24

// runConformance runs the cases of a client: the lines of its *.jsonl, together with the scripts of its prelude.json.
func runConformance(t *testing.T, client string) {
	common := preludeOf(t, client)
	paths, err := filepath.Glob(filepath.Join("..", "..", "conformance", client, "*.jsonl"))
	require.NoError(t, err)
	ids := map[string]bool{}
	var mutex sync.Mutex
	ran, leftOut := 0, map[string]int{}
	count := func(what string) {
		mutex.Lock()
		defer mutex.Unlock()
		if what == "" {
			ran++
		} else {
			leftOut[what]++
		}
	}
	// The cases end after this function has.
	t.Cleanup(func() { t.Logf("%d cases, %d compared; left out, by what they need: %v", len(ids), ran, leftOut) })
	for _, path := range paths {
		doc, err := os.ReadFile(path)
		require.NoError(t, err)
		n := -1
		for line := range strings.Lines(string(doc)) {
			if strings.TrimSpace(line) == "" {
				continue
			}
			id := gjson.Get(line, "id").String()
			require.False(t, ids[id], "%s: a second case %q", path, id)
			ids[id] = true
			n++
			t.Run(id, func(t *testing.T) {
				if n%sampled != 0 {
					testall.Only(t, "most cases are alike")
				}
				t.Parallel()
				slots <- struct{}{}
				defer func() { <-slots }()
				trial := newTrial(t, line, common)
				trial.fire(t, binary.Path, callLimit)
				if what := trial.leftOut(); what != "" {
					count(what)
					t.Skipf("the hooks need %s", what)
				}
				count("")
				wrong := trial.judge()
				for _, d := range wrong {
					t.Error(d)
				}
				trial.requireForms(t)
				if len(wrong) > 0 {
					t.Logf("stdout %s\nstderr %s", shortened(trial.stdout), shortened(trial.stderr))
				}
			})
		}
	}
	require.NotEmpty(t, ids)
}

// prelude is what all cases of a client have in common. Imported is how many of them at least have a hooks file that
// can be imported.
type prelude struct {
	Files      map[string]caseFile
	ConfigPath string `json:"config_path"`
	Imported   int
}

func preludeOf(t *testing.T, client string) (common prelude) {
	doc, err := os.ReadFile(filepath.Join("..", "..", "conformance", client, "client.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(doc, &common))
	return common
}

// recorded is a case: what the hooks and their input were, and what the client made of it. The settings are Config, or
// ConfigText byte for byte, or made from Matrix.
type recorded struct {
	ID, Event, Note string
	Needs           []string
	Files           map[string]caseFile
	Env             map[string]*string // nil: not set
	Stdin           json.RawMessage
	Client          json.RawMessage // what the client itself did, and how it was started: not compared
	ClientArgs      []string        `json:"client_args"`
	ClientCwd       string          `json:"client_cwd"`
	UserSettings    json.RawMessage `json:"user_settings"`
	Config          json.RawMessage
	ConfigText      *string `json:"config_text"`
	ConfigPath      string  `json:"config_path"`
	Matrix          *matrix
	Expect          expectation

	// What was seen of the client, for people.
	ConfiguredAs json.RawMessage `json:"configured_as"`
	ClientFlags  json.RawMessage `json:"client_flags"`
}

// caseFile is a file of the workspace. In JSON it can be its content alone.
type caseFile struct {
	Content string
	Mode    string // octal; "" is 0644
}

func (f *caseFile) UnmarshalJSON(doc []byte) error {
	if doc[0] == '"' {
		return json.Unmarshal(doc, &f.Content)
	}
	type object caseFile
	return json.Unmarshal(doc, (*object)(f))
}

// matrix stands for one hook a pattern, which notes that it ran. The pattern is the hook's `if` or its group's
// `matcher`; nil is none.
type matrix struct {
	Field    string
	Patterns []*string
}

// mark is the name under which the hook of a pattern notes that it ran.
func (m *matrix) mark(n int) string { return fmt.Sprintf("p%02d", n) }

func (m *matrix) settings(event string) string {
	type object = map[string]any
	var groups []object
	for n, pattern := range m.Patterns {
		handler := object{"type": "command", "command": `sh "$CLAUDE_PROJECT_DIR/hooks/mark.sh" ` + m.mark(n)}
		group := object{"hooks": []any{handler}}
		switch {
		case pattern == nil:
		case m.Field == "if":
			handler["if"] = *pattern
		default:
			group[m.Field] = *pattern
		}
		groups = append(groups, group)
	}
	return inJSON(object{"hooks": object{event: groups}})
}

// expectation is what must come of a case. What a case does not say of the outcome must not be there, except for its
// reasons and statuses; what it does not say of the processes is not looked at. A value can be {"one_of": [...]},
// {"contains": "..."} or {"match": "regexp"}.
type expectation struct {
	ClientInject     json.RawMessage `json:"client_inject"` // as the client joined it, for people
	ClientOverlapped json.RawMessage `json:"client_overlapped"`

	// The outcome.
	Decision       any
	Approved       any
	UpdatedInput   any `json:"updated_input"`
	UpdatedOutput  any `json:"updated_output"`
	Stop           any
	SystemMessages any `json:"system_messages"`
	Inject         []any
	Reason         any
	StopReason     any             `json:"stop_reason"`
	Statuses       json.RawMessage // an object in the order of the file
	Warning        bool
	Any            []string // fields that may be anything

	ConfigError bool `json:"config_error"`

	// The processes.
	Ran         []string
	Runs        map[string]int
	Matched     []*string
	NotMatched  []*string `json:"not_matched"`
	Overlapped  bool
	MinMS       *int64 `json:"min_ms"`
	MaxMS       *int64 `json:"max_ms"`
	NoSurvivors bool   `json:"no_survivors"`
	LeftRunning bool   `json:"left_running"`
	HookStdin   bool   `json:"hook_stdin"`
	Argv        []string
	Process     any // true, or the variables that hold the workspace
	Notes       map[string]any
}

// repeated is {"repeat": ["x", 3]}, which stands for "xxx" anywhere. It cannot be a part of a string: a quote in there
// has a backslash.
var repeated = regexp.MustCompile(`\{\s*"repeat"\s*:\s*\[\s*"((?:[^"\\]|\\.)*)"\s*,\s*([0-9]+)\s*\]\s*\}`)

// trial is a case in a workspace of its own, and what came of it.
type trial struct {
	recorded
	base, workspace, home, notes string
	settings                     string // the path
	stdin                        string

	stdout, stderr string
	code, pid      int
	took           time.Duration
	timedOut       bool
	left           bool // a hook's process was there when hookrun had ended, if that was expected
}

func newTrial(t *testing.T, line string, common prelude) *trial {
	t.Helper()
	// t.TempDir would fail the test if a process that was just killed gets to write something into it.
	base, err := os.MkdirTemp("", "conformance-")
	require.NoError(t, err)
	base, err = filepath.EvalSymlinks(base)
	require.NoError(t, err)
	base = filepath.ToSlash(base) // it stands in JSON and in scripts
	r := &trial{base: base, workspace: path.Join(base, "ws"), home: path.Join(base, "home"),
		notes: path.Join(base, "rec")}
	t.Cleanup(func() {
		// A hook that is still at work can start one more process, and that makes directories again.
		var removed assert.CollectT
		if !assert.Eventually(&removed, func() bool { return r.killSurvivors() == 0 && os.RemoveAll(base) == nil },
			10*time.Second, time.Millisecond) {
			t.Logf("cannot remove %s", base)
		}
	})

	line = strings.NewReplacer(
		"<WORKSPACE_SLUG>", strings.ReplaceAll(r.workspace, "/", "-"),
		"(/<HOME>", "(/"+inPattern(r.home),
		"<WORKSPACE>", r.workspace,
		"<HOME>", r.home,
		"<SESSION>", "11111111-2222-4333-8444-555555555555",
		"<UUID>", "99999999-8888-4777-8666-555555555555",
	).Replace(line)
	line = repeated.ReplaceAllStringFunc(line, func(match string) string {
		parts := repeated.FindStringSubmatch(match)
		n, err := strconv.Atoi(parts[2])
		require.NoError(t, err)
		return `"` + strings.Repeat(parts[1], n) + `"`
	})
	decoder := json.NewDecoder(strings.NewReader(line))
	decoder.DisallowUnknownFields() // what is not known is not compared
	require.NoError(t, decoder.Decode(&r.recorded))
	for _, need := range r.Needs {
		if !isThere(t, need) {
			t.Skipf("%s is missing", need)
		}
	}
	var stdin bytes.Buffer
	require.NoError(t, json.Compact(&stdin, r.Stdin)) // the keys stay in their order
	r.stdin = stdin.String() + "\n"

	for _, dir := range []string{r.workspace, r.home, r.notes, filepath.Join(base, "tmp")} {
		require.NoError(t, os.Mkdir(dir, 0o755))
	}
	for _, files := range []map[string]caseFile{common.Files, r.Files} {
		for path, f := range files {
			writeFile(t, filepath.Join(r.workspace, path), f)
		}
	}
	path := ".claude/settings.json"
	if common.ConfigPath != "" {
		path = common.ConfigPath
	}
	if r.ConfigPath != "" {
		path = r.ConfigPath
	}
	r.settings = filepath.Join(r.workspace, path)
	content := "{}"
	switch {
	case r.ConfigText != nil:
		content = *r.ConfigText
	case r.Matrix != nil:
		content = r.Matrix.settings(r.Event)
	case r.Config != nil:
		content = string(r.Config)
	}
	writeFile(t, r.settings, caseFile{Content: content})
	return r
}

func writeFile(t *testing.T, path string, f caseFile) {
	t.Helper()
	mode := uint64(0o644)
	if f.Mode != "" {
		var err error
		mode, err = strconv.ParseUint(f.Mode, 8, 32)
		require.NoError(t, err)
	}
	// A process that another case starts meanwhile would have the file open for writing until its exec, and until then
	// nobody can run the file ("text file busy").
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(f.Content), 0o644))
	require.NoError(t, os.Chmod(path, fs.FileMode(mode))) // whatever the umask is
}

// fire calls `hookrun fire` as a client would.
func (r *trial) fire(t *testing.T, hookrun string, limit time.Duration) {
	t.Helper()
	cmd := exec.Command(hookrun, "fire", "--config", r.settings, "-C", r.workspace, "--output", "json")
	cmd.Dir = r.base
	cmd.Env = r.environment(t)
	cmd.Stdin = strings.NewReader(r.stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.SysProcAttr = ownSession
	cmd.WaitDelay = callLimit // for a process that has our pipes and nothing else of us
	start := time.Now()
	err := cmd.Start()
	if binary.Busy(err) {
		t.Skip("no process could be started")
	}
	require.NoError(t, err)
	// A context would do less: it does not limit the time in which the pipes stay open after hookrun's end.
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // the exit code says it
	}()
	select {
	case <-ended:
	case <-time.After(limit):
		r.timedOut = true
		kill(cmd.Process)
		r.killSurvivors()
		<-ended
	}
	r.took = time.Since(start)
	r.left = r.Expect.LeftRunning && len(r.survivors()) > 0
	r.code, r.pid = cmd.ProcessState.ExitCode(), cmd.Process.Pid
	r.stdout, r.stderr = stdout.String(), stderr.String()
}

func (r *trial) environment(t *testing.T) []string {
	t.Helper()
	env := map[string]string{}
	others := []string{"HOOKRUN", "ORACLE", "XDG_"}
	for _, client := range recordedClients(t) {
		others = append(others, strings.ToUpper(client))
	}
	for _, v := range os.Environ() {
		if name, value, _ := strings.Cut(v, "="); !anyPrefix(name, others...) {
			env[name] = value
		}
	}
	env["HOME"] = r.home
	env["TMPDIR"] = filepath.Join(r.base, "tmp")
	env["LANG"] = "C.UTF-8"
	env["ORACLE_REC"] = r.notes
	r.ownVariables(t, env)
	for name, value := range r.Env {
		delete(env, name)
		if value != nil {
			env[name] = *value
		}
	}
	var list []string
	for name, value := range env {
		list = append(list, name+"="+value)
	}
	return list
}

func anyPrefix(s string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s, p) })
}

// slashed writes a path in a text with slashes.
func slashed(path, text string) string {
	return strings.ReplaceAll(text, filepath.FromSlash(path), path)
}

// run is one run of a hook script, and by name what it noted of itself: stdin, env, start, ...
type run struct {
	id   string
	note map[string]string
}

// runs are the directories ID.PID that the hooks have made; the files beside them are a case's own notes.
func (r *trial) runs() (runs []run, notes map[string]string, err error) {
	notes = map[string]string{}
	read := func(into map[string]string, path string) {
		doc, e := os.ReadFile(path)
		if e != nil {
			err = e
		}
		into[filepath.Base(path)] = slashed(r.workspace, slashed(r.home, string(doc)))
	}
	entries, err := os.ReadDir(r.notes)
	for _, e := range entries {
		path := filepath.Join(r.notes, e.Name())
		if !e.IsDir() {
			read(notes, path)
			continue
		}
		h := run{id: strings.TrimSuffix(e.Name(), filepath.Ext(e.Name())), note: map[string]string{}}
		files, e := os.ReadDir(path)
		if e != nil {
			err = e
		}
		for _, f := range files {
			read(h.note, filepath.Join(path, f.Name()))
		}
		runs = append(runs, h)
	}
	return runs, notes, err
}
