//go:build linux

package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/internal/testall"
)

// Each of these holds hookrun to what the client itself did with the same hooks.
func TestClaudeConformance(t *testing.T) { runConformance(t, "../testdata/claude") }

func TestCodexConformance(t *testing.T) { runConformance(t, "../testdata/codex") }

func TestGeminiConformance(t *testing.T) { runConformance(t, "../testdata/gemini") }

// callLimit is how long one `hookrun fire` may take.
const callLimit = 30 * time.Second

// slots keeps few cases going at a time: some of them say how long they may take.
var slots = make(chan struct{}, 4)

// sampled is which part of the recorded cases always runs: every eighth of each file. The others run where all tests
// do.
const sampled = 8

// runConformance runs the cases that dir has recorded from a real client: the lines of its *.jsonl, together with the
// scripts of its prelude.json.
func runConformance(t *testing.T, dir string) {
	var common prelude
	doc, err := os.ReadFile(filepath.Join(dir, "prelude.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(doc, &common))
	paths, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	require.NoError(t, err)
	ids := map[string]bool{}
	// The cases end after this function has.
	t.Cleanup(func() { t.Logf("%d cases", len(ids)) })
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
				for _, d := range trial.judge() {
					t.Error(d)
				}
			})
		}
	}
	require.NotEmpty(t, ids)
}

// prelude is what all cases of a client have in common.
type prelude struct {
	Files      map[string]caseFile
	ConfigPath string `json:"config_path"`
}

// recorded is a case: what the hooks and their input were, and what the client made of it. The settings are Config, or
// ConfigText byte for byte, or made from Matrix.
type recorded struct {
	ID, Event, Note string
	Needs           []string
	Files           map[string]caseFile
	Env             map[string]*string // nil: not set
	Stdin           json.RawMessage
	Config          json.RawMessage
	ConfigText      *string `json:"config_text"`
	ConfigPath      string  `json:"config_path"`
	Matrix          *matrix
	Expect          expectation
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
	left           bool // a hook's process was there when hookrun had ended
}

func newTrial(t *testing.T, line string, common prelude) *trial {
	t.Helper()
	// t.TempDir would fail the test if a process that was just killed gets to write something into it.
	base, err := os.MkdirTemp("", "conformance-")
	require.NoError(t, err)
	base, err = filepath.EvalSymlinks(base)
	require.NoError(t, err)
	r := &trial{base: base, workspace: filepath.Join(base, "ws"), home: filepath.Join(base, "home"),
		notes: filepath.Join(base, "rec")}
	t.Cleanup(func() {
		// A hook that is still at work can start one more process, and that makes directories again.
		var removed assert.CollectT
		if !assert.Eventually(&removed, func() bool { return r.killSurvivors() == 0 && os.RemoveAll(base) == nil },
			time.Second, time.Millisecond) {
			t.Logf("cannot remove %s", base)
		}
	})

	line = strings.NewReplacer(
		"<WORKSPACE_SLUG>", strings.ReplaceAll(r.workspace, "/", "-"),
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
		if !isThere(need) {
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

// isThere says whether this machine has what a case needs.
func isThere(need string) bool {
	found := func(program string) bool {
		_, err := exec.LookPath(program)
		return err == nil
	}
	switch need {
	case "dash":
		sh, err := filepath.EvalSymlinks("/bin/sh")
		return err == nil && filepath.Base(sh) == "dash"
	case "python3":
		return found("python3")
	case "no-pwsh":
		return !found("pwsh")
	}
	return false
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
func (r *trial) fire(t *testing.T, binary string, limit time.Duration) {
	t.Helper()
	cmd := exec.Command(binary, "fire", "--config", r.settings, "-C", r.workspace, "--output", "json")
	cmd.Dir = r.base
	cmd.Env = r.environment()
	cmd.Stdin = strings.NewReader(r.stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.WaitDelay = callLimit // for a process that has our pipes and nothing else of us
	start := time.Now()
	require.NoError(t, cmd.Start())
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
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		r.killSurvivors()
		<-ended
	}
	r.took = time.Since(start)
	r.left = len(r.survivors()) > 0
	r.code, r.pid = cmd.ProcessState.ExitCode(), cmd.Process.Pid
	r.stdout, r.stderr = stdout.String(), stderr.String()
}

func (r *trial) environment() []string {
	env := map[string]string{}
	for _, v := range os.Environ() {
		if name, value, _ := strings.Cut(v, "="); !anyPrefix(name, "CLAUDE", "CODEX", "GEMINI", "HOOKRUN", "ORACLE",
			"XDG_") {
			env[name] = value
		}
	}
	env["HOME"] = r.home
	env["TMPDIR"] = filepath.Join(r.base, "tmp")
	env["LANG"] = "C.UTF-8"
	env["ORACLE_REC"] = r.notes
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

type process struct {
	pid     int
	command string
}

// survivors are the hooks' processes that are alive, to the last descendant: all of them have the place for the notes
// in their environment.
func (r *trial) survivors() []process {
	var found []process
	own := []byte("ORACLE_REC=" + r.notes + "\x00")
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		// A process can end at any time, and others are not for us to read.
		env, err := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
		if err != nil || !bytes.Contains(append(env, 0), own) {
			continue
		}
		if line, err := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline")); err == nil {
			found = append(found, process{pid, strings.TrimSpace(strings.ReplaceAll(string(line), "\x00", " "))})
		}
	}
	return found
}

// killSurvivors says how many there were.
func (r *trial) killSurvivors() int {
	alive := r.survivors()
	for _, p := range alive {
		_ = syscall.Kill(p.pid, syscall.SIGKILL)
	}
	return len(alive)
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
		into[filepath.Base(path)] = string(doc)
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

// difference is what is not as it should be.
type difference struct {
	field     string
	want, got any
}

func (d difference) String() string {
	return fmt.Sprintf("%s: want %s, got %s", d.field, shortened(inJSON(d.want)), shortened(inJSON(d.got)))
}

func shortened(s string) string {
	if r := []rune(s); len(r) > 300 {
		return string(r[:200]) + " … " + string(r[len(r)-80:])
	}
	return s
}

func inJSON(v any) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return fmt.Sprintf("%#v", v)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// differences are collected: all that is wrong with a case is worth seeing.
type differences []difference

func (d *differences) check(field string, ok bool, want, got any) {
	if !ok {
		*d = append(*d, difference{field, want, got})
	}
}

// equal is check for what can be compared as it is.
func (d *differences) equal(field string, want, got any) {
	d.check(field, reflect.DeepEqual(want, got), want, got)
}

// judge compares what came of the case with what came of it in the client.
func (r *trial) judge() differences {
	var d differences
	if r.timedOut {
		d.check("limit", false, "an end in time", "none")
		return d
	}
	runs, notes, err := r.runs()
	if err != nil {
		d.check("notes", false, "readable notes", err.Error())
		return d
	}
	ids := []string{}
	for _, h := range runs {
		ids = append(ids, h.id)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if r.Expect.ConfigError {
		name := filepath.Base(r.settings)
		d.equal("exit", 1, r.code)
		d.equal("stdout", "", strings.TrimSpace(r.stdout))
		d.check("stderr", regexp.MustCompile(regexp.QuoteMeta(name)+`:[0-9]+:[0-9]+: `).MatchString(r.stderr),
			name+":LINE:COL: message", r.stderr)
		d.equal("ran", []string{}, ids)
		return d
	}
	var outcome map[string]any
	if err := json.Unmarshal([]byte(r.stdout), &outcome); err != nil || outcome == nil {
		d.check("stdout", false, "one JSON object", fmt.Sprintf("%s, exit %d, stderr %s", r.stdout, r.code, r.stderr))
		return d
	}
	r.judgeOutcome(&d, outcome)
	r.judgeRuns(&d, runs, ids)
	for name, want := range r.Expect.Notes {
		var got any
		if text, ok := notes[name]; ok {
			got = text
		}
		d.check("notes."+name, same(want, got), want, got)
	}
	for _, h := range runs {
		r.judgeProcess(&d, h)
	}
	return d
}

// ownName is hookrun's name for a client's event.
var ownName = map[string]string{"UserPromptSubmit": "pre-execute", "PreToolUse": "pre-tool", "PostToolUse": "post-tool"}

func (r *trial) judgeOutcome(d *differences, outcome map[string]any) {
	want := r.Expect
	d.equal("version", 1.0, outcome["version"])
	event, _ := outcome["event"].(string)
	d.check("event", event == r.Event || event != "" && event == ownName[r.Event], r.Event, outcome["event"])
	hooks, isList := outcome["hooks"].([]any)
	d.check("hooks", isList, "a list", outcome["hooks"])
	decision := outcome["decision"]
	d.check("decision", same(want.Decision, decision), want.Decision, decision)

	for _, f := range []struct {
		name         string
		want, absent any
	}{
		{"approved", want.Approved, false},
		{"updated_input", want.UpdatedInput, nil},
		{"updated_output", want.UpdatedOutput, nil},
		{"stop", want.Stop, false},
		{"system_messages", want.SystemMessages, []any{}},
	} {
		if slices.Contains(want.Any, f.name) || f.name == "approved" && decision != "continue" {
			continue
		}
		if f.want == nil {
			f.want = f.absent
		}
		got, there := outcome[f.name]
		if !there {
			got = f.absent
		}
		d.check(f.name, same(f.want, got), f.want, got)
	}
	if !slices.Contains(want.Any, "inject") {
		got, there := outcome["inject"]
		d.check("inject", !there && len(want.Inject) == 0 || sameInject(want.Inject, got), want.Inject, got)
	}
	for name, reason := range map[string]any{"reason": want.Reason, "stop_reason": want.StopReason} {
		if reason == nil || slices.Contains(want.Any, name) {
			continue
		}
		got, there := outcome[name]
		if text, ok := got.(string); ok || !there {
			got = strings.TrimSpace(text)
		}
		d.check(name, same(reason, got), reason, got)
	}

	var codes []int
	if decision != "continue" {
		codes = append(codes, 2)
	}
	if outcome["stop"] == true {
		codes = append(codes, 3)
	}
	if codes == nil {
		codes = []int{0}
	}
	d.check("exit", slices.Contains(codes, r.code), codes, r.code)
	if want.Statuses != nil {
		r.judgeStatuses(d, hooks)
	}
	if want.Warning {
		warnings, _ := outcome["warnings"].([]any)
		d.check("warning", len(warnings) > 0 || strings.TrimSpace(r.stderr) != "", "a warning", nil)
	}
}

// judgeStatuses compares the statuses of the hooks that matched, in the order of the file.
func (r *trial) judgeStatuses(d *differences, hooks []any) {
	var want, got []any
	gjson.ParseBytes(r.Expect.Statuses).ForEach(func(_, status gjson.Result) bool {
		want = append(want, status.Value())
		return true
	})
	for _, hook := range hooks {
		entry, _ := hook.(map[string]any)
		if status := entry["status"]; status != "skipped" {
			got = append(got, status)
		}
	}
	d.check("statuses", slices.EqualFunc(want, got, same), want, got)
}

// judgeRuns looks at which hooks ran, and when.
func (r *trial) judgeRuns(d *differences, runs []run, ids []string) {
	want := r.Expect
	if want.Ran != nil {
		slices.Sort(want.Ran)
		d.equal("ran", want.Ran, ids)
	}
	for id, n := range want.Runs {
		got := 0
		for _, h := range runs {
			if h.id == id {
				got++
			}
		}
		d.equal("runs of "+id, n, got)
	}
	if want.Matched != nil {
		// A pattern can stand in the matrix twice.
		matched := map[string]bool{}
		for n, pattern := range r.Matrix.Patterns {
			if slices.Contains(ids, r.Matrix.mark(n)) {
				matched[inJSON(pattern)] = true
			}
		}
		for _, p := range want.Matched {
			d.check("matched", matched[inJSON(p)], p, "no match")
		}
		for _, p := range want.NotMatched {
			d.check("not_matched", !matched[inJSON(p)], p, "a match")
		}
	}
	if want.Overlapped {
		d.check("overlapped", overlapped(runs), true, false)
	}
	low, high := int64(0), callLimit.Milliseconds()
	if want.MinMS != nil {
		low = *want.MinMS
	}
	if want.MaxMS != nil {
		high = *want.MaxMS
	}
	inTime := time.Duration(low)*time.Millisecond <= r.took && r.took <= time.Duration(high)*time.Millisecond
	d.check("ms", inTime, []int64{low, high}, r.took.Milliseconds())
	if want.NoSurvivors {
		// A process that was killed is there until somebody has waited for it.
		var gone assert.CollectT
		assert.Eventually(&gone, func() bool { return len(r.survivors()) == 0 }, 300*time.Millisecond, time.Millisecond)
		alive := r.survivors()
		commands := []string{}
		for _, p := range alive {
			commands = append(commands, p.command)
		}
		d.equal("no_survivors", []string{}, commands)
	}
	if want.LeftRunning {
		d.check("left_running", r.left, true, false)
	}
}

// overlapped says whether two of the runs were going at the same time. One that noted no end was killed; it counts as
// an instant.
func overlapped(runs []run) bool {
	type span struct{ start, end float64 }
	var spans []span
	for _, h := range runs {
		start, err := strconv.ParseFloat(strings.TrimSpace(h.note["start"]), 64)
		if err != nil {
			continue
		}
		end, err := strconv.ParseFloat(strings.TrimSpace(h.note["end"]), 64)
		if err != nil {
			end = start
		}
		spans = append(spans, span{start, end})
	}
	for n, a := range spans {
		for _, b := range spans[n+1:] {
			if a.start < b.end && b.start < a.end {
				return true
			}
		}
	}
	return false
}

// judgeProcess looks at what one hook was given: its stdin, its arguments, and its surroundings.
func (r *trial) judgeProcess(d *differences, h run) {
	want := r.Expect
	if want.HookStdin {
		d.equal("hook_stdin", r.stdin, h.note["stdin"])
	}
	if want.Argv != nil {
		d.equal("argv", want.Argv, strings.Split(strings.TrimSuffix(h.note["cmdline"], "\x00"), "\x00"))
	}
	names := []any{"CLAUDE_PROJECT_DIR"}
	switch process := want.Process.(type) {
	case []any:
		names = process
	case bool:
		if !process {
			return
		}
	case nil:
		return
	}
	d.equal("process.cwd", r.workspace, strings.TrimSpace(h.note["cwd"]))
	d.equal("process.tty", "no", strings.TrimSpace(h.note["tty"]))
	env := map[string]string{}
	for v := range strings.SplitSeq(h.note["env"], "\x00") {
		name, value, _ := strings.Cut(v, "=")
		env[name] = value
	}
	for _, name := range names {
		d.equal(fmt.Sprint("process.", name), r.workspace, env[fmt.Sprint(name)])
	}
	// After the name, which ends with the last bracket: state, parent, group, session.
	stat := h.note["stat"]
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	d.check("process.session", len(fields) > 3 && fields[3] != strconv.Itoa(r.pid), "its own", fields)
}

// same compares a value of the outcome with what is expected of it.
func same(want, got any) bool {
	if pattern, ok := want.(map[string]any); ok {
		text, isText := got.(string)
		if options, ok := pattern["one_of"].([]any); ok {
			return slices.ContainsFunc(options, func(option any) bool { return same(option, got) })
		}
		if part, ok := pattern["contains"].(string); ok {
			return isText && strings.Contains(text, part)
		}
		if match, ok := pattern["match"].(string); ok {
			return isText && regexp.MustCompile(match).MatchString(text)
		}
	}
	return reflect.DeepEqual(want, got)
}

// longest is how many characters of a text that was cut the outcome may hold.
const longest = 10000

var absolutePath = regexp.MustCompile(`/[^\s"'<>()\[\]]+`)

// sameInject compares the texts for the model, in order. {"truncated": TEXT} is one that is too long: it is cut, it
// says so, and it names a file that holds TEXT.
func sameInject(want []any, got any) bool {
	entries, ok := got.([]any)
	return ok && slices.EqualFunc(want, entries, func(want, got any) bool {
		entry, _ := got.(map[string]any)
		content, ok := entry["content"].(string)
		if !ok {
			return false
		}
		truncated := entry["truncated"]
		long, isLong := want.(map[string]any)
		if !isLong {
			return content == want && (truncated == nil || truncated == false)
		}
		text, ok := long["truncated"].(string)
		return ok && truncated == true && utf8.RuneCountInString(content) <= longest && keptInFull(entry, text)
	})
}

func keptInFull(entry map[string]any, text string) bool {
	for _, v := range entry {
		s, _ := v.(string)
		for _, path := range absolutePath.FindAllString(s, -1) {
			doc, err := os.ReadFile(strings.TrimRight(path, ".,:;"))
			if err == nil && strings.TrimSpace(string(doc)) == strings.TrimSpace(text) {
				return true
			}
		}
	}
	return false
}

// TestConformanceJudge demands that each kind of expectation can fail: with a stand-in for hookrun that is right
// nothing is found, and with one that is wrong the field is.
func TestConformanceJudge(t *testing.T) {
	const (
		common = `{"files": {"hooks/common.sh": "exit 9"}, "config_path": ".client/settings.json"}`
		// What a row says comes last, and so it counts.
		line = `{"id": "x", "event": "PreToolUse", "stdin": {"b": "<WORKSPACE> é", "a": {"repeat": ["\"", 3]}},
			"matrix": {"field": "if", "patterns": ["A", null, "C"]}, "expect": {"decision": "continue", %s}}`
		// answer prints an outcome, in which its argument comes last; ran is a hook that notes something of itself.
		script = `#!/bin/sh
answer() { printf '{"version": 1, "event": "PreToolUse", "decision": "continue", "hooks": []%%s}' "${1:+, $1}"; }
ran() { mkdir -p "$ORACLE_REC/$1" && printf "$3" >"$ORACLE_REC/$1/${2:-note}"; }
surroundings() {
	ran h.1 cwd "$PWD/ws"; ran h.1 tty no; ran h.1 env "A=1\0CLAUDE_PROJECT_DIR=$PWD/ws\0DIR=$PWD/ws\0"; ran h.1 stat '7 (a) b) S 1 7 7 0'
}
%s
`
	)
	long := strings.Repeat("é", longest)
	var prelude prelude
	require.NoError(t, json.Unmarshal([]byte(common), &prelude))
	for _, row := range []struct{ field, expect, right, wrong string }{
		{"stdout", `"any": []`, `answer`, `echo '[1]'`},
		{"stdout", `"any": []`, `answer`, `answer; echo more`},
		{"version", `"any": []`, `answer`, `answer '"version": 2'`},
		{"event", `"any": []`, `answer '"event": "pre-tool"'`, `answer '"event": "post-tool"'`},
		{"hooks", `"any": []`, `answer`, `answer '"hooks": null'`},

		{"decision", `"decision": "block"`, `answer '"decision": "block"'; exit 2`, `answer`},
		{"decision", `"decision": {"one_of": ["block", "ask"]}`, `answer '"decision": "ask"'; exit 2`,
			`answer '"decision": "defer"'; exit 2`},
		{"exit", `"decision": "block"`, `answer '"decision": "block"'; exit 2`, `answer '"decision": "block"'`},
		{"exit", `"any": []`, `answer`, `answer; exit 1`},
		{"exit", `"stop": true`, `answer '"stop": true'; exit 3`, `answer '"stop": true'`},
		{"exit", `"any": []`, `answer`, `answer; kill -9 $$`},

		{"approved", `"approved": true`, `answer '"approved": true'`, `answer`},
		{"approved", `"any": []`, `answer`, `answer '"approved": true'`},
		{
			"updated_input", `"updated_input": {"a": [1, "x"]}`,
			`answer '"updated_input": {"a": [1.0, "x"]}'`,
			`answer '"updated_input": {"a": [true, "x"]}'`,
		},
		{"updated_input", `"any": []`, `answer '"updated_input": null'`, `answer '"updated_input": {}'`},
		{"updated_output", `"updated_output": "x"`, `answer '"updated_output": "x"'`, `answer`},
		{"stop", `"any": ["approved"]`, `answer`, `answer '"stop": true'; exit 3`},
		{"system_messages", `"system_messages": ["a", "b"]`, `answer '"system_messages": ["a", "b"]'`,
			`answer '"system_messages": ["b", "a"]'`},
		{"system_messages", `"any": ["inject"]`, `answer`, `answer '"system_messages": ["a"]'`},
		{"inject", `"any": ["stop"]`, `answer`, `answer '"inject": [{"content": "a"}]'`},
		{"inject", `"inject": ["a"]`, `answer '"inject": [{"content": "a", "truncated": false}]'`,
			`answer '"inject": [{"content": "a "}]'`},
		{"inject", `"inject": ["a"]`, `answer '"inject": [{"content": "a"}]'`,
			`answer '"inject": [{"content": "a", "truncated": true}]'`},
		{"inject", `"inject": ["a", "b"]`, `answer '"inject": [{"content": "a"}, {"content": "b"}]'`,
			`answer '"inject": [{"content": "a"}]'`},
		{
			"inject: the file", `"inject": [{"truncated": {"repeat": ["x", 12]}}]`,
			`echo xxxxxxxxxxxx >f; answer '"inject": [{"content": "all of it: '"$PWD"'/f.", "truncated": true}]'`,
			`echo xxxxxxxxxxx >f; answer '"inject": [{"content": "all of it: '"$PWD"'/f.", "truncated": true}]'`,
		},
		{
			"inject: the mark", `"inject": [{"truncated": "x"}]`,
			`echo x >f; answer '"inject": [{"content": "", "path": "'"$PWD"'/f", "truncated": true}]'`,
			`echo x >f; answer '"inject": [{"content": "", "path": "'"$PWD"'/f"}]'`,
		},
		{
			"inject: the length", `"inject": [{"truncated": "x"}]`,
			`echo x >f; answer '"inject": [{"content": "` + long + `", "path": "'"$PWD"'/f", "truncated": true}]'`,
			`echo x >f; answer '"inject": [{"content": "` + long + `é", "path": "'"$PWD"'/f", "truncated": true}]'`,
		},
		{"reason", `"reason": "a"`, `answer '"reason": " a"'`, `answer '"reason": "b"'`},
		{"reason", `"reason": {"contains": "a"}`, `answer '"reason": "bab"'`, `answer`},
		{"reason", `"reason": {"match": "^a+$"}`, `answer '"reason": "aa"'`, `answer '"reason": "aab"'`},
		{"stop_reason", `"stop_reason": "a"`, `answer '"stop_reason": "a"'`, `answer '"stop_reason": null'`},
		{
			"statuses", `"statuses": {"z": "ok", "a": "failed"}`,
			`answer '"hooks": [{"status": "ok"}, {"status": "skipped"}, {"status": "failed"}]'`,
			`answer '"hooks": [{"status": "failed"}, {"status": "ok"}]'`,
		},
		{
			"statuses", `"statuses": {"a": {"one_of": ["ok", "failed"]}}`,
			`answer '"hooks": [{"status": "failed"}]'`,
			`answer '"hooks": [{"status": "failed"}, {"status": "ok"}]'`,
		},
		{"statuses", `"statuses": {}`, `answer`, `answer '"hooks": [{}]'`},
		{"warning", `"warning": true`, `answer '"warnings": ["a"]'`, `answer '"warnings": []'`},
		{"warning", `"warning": true`, `answer; echo a >&2`, `answer; echo >&2`},

		{"exit", `"config_error": true`, `echo settings.json:1:2: a >&2; exit 1`,
			`echo settings.json:1:2: a >&2; exit 2`},
		{"stdout", `"config_error": true`, `echo settings.json:1:2: a >&2; exit 1`,
			`answer; echo settings.json:1:2: a >&2; exit 1`},
		{"stderr", `"config_error": true`, `echo settings.json:1:2: a >&2; exit 1`,
			`echo settings.json: a >&2; exit 1`},
		{"ran", `"config_error": true`, `echo settings.json:1:2: a >&2; exit 1`,
			`ran a.1; echo settings.json:1:2: a >&2; exit 1`},

		{"ran", `"ran": ["b", "a"]`, `ran a.1; ran b.2; ran b.3; answer`, `ran a.1; answer`},
		{"ran", `"ran": []`, `answer`, `ran a.1; answer`},
		{"runs of a", `"runs": {"a": 2}`, `ran a.1; ran a.2; answer`, `ran a.1; answer`},
		{"matched", `"matched": ["A", null], "not_matched": ["C"]`, `ran p00.1; ran p01.2; answer`,
			`ran p00.1; answer`},
		{"not_matched", `"matched": ["A"], "not_matched": [null, "C"]`, `ran p00.1; answer`,
			`ran p00.1; ran p02.2; answer`},
		{
			"overlapped", `"overlapped": true`,
			`ran a.1 start 1.0; ran a.1 end 2.5; ran b.2 start 2.4; answer`,
			`ran a.1 start 1.0; ran a.1 end 2.5; ran b.2 start 2.6; answer`,
		},
		{"ms", `"min_ms": 200`, `sleep 0.3; answer`, `answer`},
		{"ms", `"max_ms": 2000`, `answer`, `sleep 2.1; answer`},
		{"no_survivors", `"no_survivors": true`, `answer`, `setsid sleep 1000 >/dev/null 2>&1 & sleep 0.2; answer`},
		{"left_running", `"left_running": true`, `setsid sleep 1000 >/dev/null 2>&1 & sleep 0.2; answer`, `answer`},
		{"limit", `"any": []`, `answer`, `setsid sleep 1000 & answer`},

		{"hook_stdin", `"hook_stdin": true`, `ran a.1; cat >"$ORACLE_REC/a.1/stdin"; answer`,
			`ran a.1 stdin '{"a":1}'; answer`},
		{
			"hook_stdin: what it is", `"hook_stdin": true`,
			`ran a.1 stdin '{"b":"'"$PWD"'/ws é","a":"\\"\\"\\""}\n'; answer`,
			`ran a.1 stdin '{"b":"'"$PWD"'/ws é","a":"\\"\\"\\""}'; answer`,
		},
		{"argv", `"argv": ["sh", ""]`, `ran a.1 cmdline 'sh\0\0'; answer`, `ran a.1 cmdline 'sh\0'; answer`},
		{"process.cwd", `"process": true`, `surroundings; answer`, `surroundings; ran h.1 cwd /; answer`},
		{"process.tty", `"process": true`, `surroundings; answer`, `surroundings; ran h.1 tty yes; answer`},
		{"process.CLAUDE_PROJECT_DIR", `"process": true`, `surroundings; answer`,
			`surroundings; ran h.1 env 'DIR=/\0'; answer`},
		{"process.DIR", `"process": ["DIR"]`, `surroundings; answer`, `surroundings; ran h.1 env 'DIR=/\0'; answer`},
		{"process.session", `"process": true`, `surroundings; answer`,
			`surroundings; ran h.1 stat "7 (a) b) S 1 7 $$ 0"; answer`},
		{"process.session", `"process": true`, `surroundings; answer`, `surroundings; ran h.1 stat ''; answer`},
		{"notes.n", `"notes": {"n": {"contains": "a"}}`, `echo bab >"$ORACLE_REC/n"; answer`, `answer`},
	} {
		t.Run(row.field, func(t *testing.T) {
			t.Parallel()
			field, _, _ := strings.Cut(row.field, ": ")
			judged := func(stands string) differences {
				trial := newTrial(t, fmt.Sprintf(line, row.expect), prelude)
				require.Equal(t, filepath.Join(trial.workspace, ".client/settings.json"), trial.settings)
				fake := filepath.Join(trial.base, "hookrun")
				writeFile(t, fake, caseFile{fmt.Sprintf(script, stands), "0755"})
				limit := callLimit
				if field == "limit" && stands == row.wrong {
					limit = 300 * time.Millisecond
				}
				trial.fire(t, fake, limit)
				return trial.judge()
			}
			require.Empty(t, judged(row.right))
			wrong := judged(row.wrong)
			require.True(t, slices.ContainsFunc(wrong, func(d difference) bool { return d.field == field }),
				"found: %v", wrong)
		})
	}
}
