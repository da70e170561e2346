//go:build linux

package e2e

import (
	"bufio"
	"encoding/json"
	"encoding/xml"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// testedHooks are a guard, a rewrite and a hint, in sh.
const testedHooks = `{"hooks": [
  {"name": "guard", "command": ["sh", "guard.sh"], "events": ["pre-tool"], "matcher": "shell"},
  {"name": "absolute", "events": ["pre-tool"], "matcher": "write", "command": "printf '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"updatedInput\":{\"path\":\"%s/a.txt\"}}}' \"$PWD\""},
  {"name": "hint", "command": "cat >/dev/null; echo \"mind the style of $LANGUAGE_OF_TEST\"", "events": ["post-tool", "pre-execute"]}
]}`

const testedGuard = `command=$(sed -n 's/.*"tool_input":{"command":"\([^"]*\)".*/\1/p')
case $command in
*--force*) echo "no force: $command" >&2; exit 2 ;;
crash) kill -KILL $$ ;;
esac
`

const passing = `{"$schema": "x", "tests": [
  {"name": "a push", "event": "pre-tool", "tool": "shell", "args": {"command": "git push"}, "expect": {"decision": "continue", "reason": null}},
  {"name": "a push by force", "event": "pre-tool", "tool": "shell", "args": {"command": "git push --force"},
   "expect": {"decision": "block", "reason": "no force: git push --force", "cause": "policy", "hook": "guard"}},
  {"name": "a path", "event": "pre-tool", "tool": "write", "args": {"path": "a.txt"}, "expect": {"updated_input": {"path": "${HOOKRUN_WORKSPACE}/a.txt"}}},
  {"name": "a hint", "event": "post-tool", "tool": "shell", "result": "ok", "env": {"LANGUAGE_OF_TEST": "Go"}, "expect": {"inject": ["mind the style of Go"]}},
  {"name": "a client's words", "input": {"hook_event_name": "UserPromptSubmit", "prompt": "hi"}, "expect": {"inject": {"matches": "^mind"}}}
]}`

// tested is a workspace with these hooks and one file of tests.
func tested(t *testing.T, tests string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{".tenex-hooks.json": testedHooks, "guard.sh": testedGuard,
		"a.hooktest.json": tests} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

// untimed is output without what differs from run to run.
func untimed(out string) string {
	return regexp.MustCompile(`[0-9.]+ (ms|s)\b`).ReplaceAllString(out, "0 $1")
}

func TestHooktestPasses(t *testing.T) {
	t.Parallel()
	dir := tested(t, passing)
	want := "ok   a push (0 ms)\nok   a push by force (0 ms)\nok   a path (0 ms)\nok   a hint (0 ms)\nok   a " +
		"client's words (0 ms)\n5 tests, 5 ok, 0 failed in 0 s\n"
	for name, args := range map[string][]string{"in the workspace": nil, "a folder": {dir},
		"a file, and its folder": {"a.hooktest.json", "."}, "-C": {"-C", dir}} {
		done := binary.Run(t, dir, "", []string{"HOOKRUN_LOG="}, append([]string{binary.Path, "test"}, args...)...)
		require.Equal(t, binary.Result{Stdout: want},
			binary.Result{Code: done.Code, Stdout: untimed(done.Stdout), Stderr: done.Stderr}, name)
	}
	elsewhere := t.TempDir()
	done := binary.Run(t, elsewhere, "", nil, binary.Path, "test", "-v", filepath.Join(dir, "a.hooktest.json"))
	require.Zero(t, done.Code, done.Stdout)
	require.Contains(t, untimed(done.Stdout),
		"ok   a push by force (0 ms)\n     hook 'guard' ("+dir+
			"/.tenex-hooks.json:2) blocked, exit 2 (0 ms)\n       stderr: no force: git push --force\n")

	// Other hooks, and another workspace for the same ones.
	require.NoError(t, os.WriteFile(filepath.Join(elsewhere, "none.json"), []byte(`{"hooks":[]}`), 0o600))
	done = binary.Run(t, dir, "", nil, binary.Path, "test", "-c", filepath.Join(elsewhere, "none.json"))
	require.Equal(t, 1, done.Code)
	require.Contains(t, done.Stdout, "5 tests, 1 ok, 4 failed")
	sub := filepath.Join(dir, "tests")
	require.NoError(t, os.Mkdir(sub, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(sub, "a.hooktest.json"), []byte(passing), 0o600))
	done = binary.Run(t, dir, "", nil, binary.Path, "test", "-C", ".", "tests")
	require.Equal(t, 0, done.Code, "a folder of tests has the hooks of the workspace: %s%s", done.Stdout, done.Stderr)
	require.NoError(t, os.Rename(filepath.Join(dir, "guard.sh"), filepath.Join(elsewhere, "guard.sh")))
	done = binary.Run(t, dir, "", nil, binary.Path, "test", "-C", elsewhere, "a.hooktest.json")
	require.Equal(t, 0, done.Code, done.Stdout)
}

const failing = `{"tests": [
  {"name": "fine", "event": "pre-tool", "tool": "shell", "args": {"command": "ls"}, "expect": {"decision": "continue"}},
  {"name": "by <force>", "event": "pre-tool", "tool": "shell", "args": {"command": "git push --force"}, "expect": {"inject": "x", "reason": {"matches": "^force"}}},
  {"name": "crash", "event": "pre-tool", "tool": "shell", "args": {"command": "crash"}, "expect": {"decision": "block"}},
  {"name": "nobody", "event": "pre-tool", "tool": "web", "args": {"url": "it's"}, "expect": {"decision": "block"}}
]}`

func TestHooktestFails(t *testing.T) {
	t.Parallel()
	dir := tested(t, failing)
	done := binary.Run(t, dir, "", nil, binary.Path, "test")
	require.Equal(t, 1, done.Code)
	require.Equal(t, `ok   fine (0 ms)
FAIL by <force> (0 ms)
     a.hooktest.json:3
     decision: not in "expect", got block by hook 'guard' with the reason "no force: git push --force"
     reason: expected a text that matches "^force", got "no force: git push --force"
     inject: expected "x", got none
     hook 'guard' (.tenex-hooks.json:2) blocked, exit 2 (0 ms)
       stderr: no force: git push --force
FAIL crash (0 ms)
     a.hooktest.json:4
     hook 'guard' gave no answer (signal), and "expect" has no "cause" or "warning"
     hook 'guard' (.tenex-hooks.json:2) blocked, SIGKILL (0 ms)
FAIL nobody (0 ms)
     a.hooktest.json:5
     decision: expected block, got continue
     no hook is for this call; why: hookrun explain pre-tool --tool web --args '{"url":"it'\''s"}' -C `+dir+
		` -c .tenex-hooks.json
4 tests, 1 ok, 3 failed in 0 s
`, untimed(done.Stdout))
	require.Empty(t, done.Stderr)

	// What is said to help is a command that works.
	words := regexp.MustCompile(`why: hookrun (.*)`).FindStringSubmatch(done.Stdout)[1]
	why := binary.Run(t, dir, "", nil, "sh", "-c", binary.Path+" "+words)
	require.Zero(t, why.Code, why.Stderr)
	require.Contains(t, why.Stdout, `its matcher "shell" does not match the tool "web"`)
}

func TestHooktestJSON(t *testing.T) {
	t.Parallel()
	for tests, ok := range map[string]bool{passing: true, failing: false} {
		done := binary.Run(t, tested(t, tests), "", nil, binary.Path, "test", "-o", "json")
		var got struct {
			Version int
			OK      bool
			Tests   []struct {
				Name, File string
				OK         bool
				Problems   []string
				Duration   float64 `json:"duration_ms"`
				Outcome    binary.Outcome
			}
		}
		require.NoError(t, json.Unmarshal([]byte(done.Stdout), &got))
		require.Equal(t, strings.Count(done.Stdout, "\n"), 1)
		require.Equal(t, []any{1, ok, ok, "a.hooktest.json"},
			[]any{got.Version, got.OK, done.Code == 0, got.Tests[0].File})
		second := got.Tests[1]
		require.Equal(t, []any{ok, ok, "block", "guard"},
			[]any{second.OK, len(second.Problems) == 0, second.Outcome.Decision, second.Outcome.Hooks[0].Name})
		require.NotNil(t, second.Problems)
		require.Positive(t, second.Duration)
	}
}

func TestHooktestJUnit(t *testing.T) {
	t.Parallel()
	dir := tested(t, failing)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b.hooktest.json"), []byte(passing), 0o600))
	done := binary.Run(t, dir, "", nil, binary.Path, "test", "-o", "junit")
	require.Equal(t, 1, done.Code)
	var got struct {
		XMLName  xml.Name `xml:"testsuites"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Suites   []struct {
			Name     string `xml:"name,attr"`
			Failures int    `xml:"failures,attr"`
			Cases    []struct {
				Name    string   `xml:"name,attr"`
				Failure []string `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	require.NoError(t, xml.Unmarshal([]byte(done.Stdout), &got))
	require.Equal(t, []any{9, 3, 2}, []any{got.Tests, got.Failures, len(got.Suites)})
	require.Equal(t, []any{"a.hooktest.json", 3, 4, "b.hooktest.json", 0, 5}, []any{
		got.Suites[0].Name, got.Suites[0].Failures, len(got.Suites[0].Cases), got.Suites[1].Name,
		got.Suites[1].Failures, len(got.Suites[1].Cases)})
	force := got.Suites[0].Cases[1]
	require.Equal(t, "by <force>", force.Name)
	require.Contains(t, force.Failure[0], "no force: git push --force")

	done = binary.Run(t, dir, "", nil, binary.Path, "test")
	require.Contains(t, done.Stdout, "\nb.hooktest.json\nok   a push (", "two files have their names over their tests")
}

// TestHooktestRefuses: what is wrong is said with its place, all of it, and nothing runs.
func TestHooktestRefuses(t *testing.T) {
	t.Parallel()
	ran := `{"hooks": [{"name": "h", "command": "touch ran", "events": ["pre-tool"]}]}`
	fine := `{"tests": [{"name": "a", "event": "pre-tool", "tool": "t", "expect": {"decision": "continue"}}]}`
	for name, test := range map[string]struct {
		files map[string]string
		args  []string
		want  string
	}{
		"no tests": {map[string]string{".tenex-hooks.json": ran}, nil,
			"hookrun test: . has no file *.hooktest.json; write one, or make one of a run log with --record\n"},
		"no such file": {map[string]string{".tenex-hooks.json": ran}, []string{"b.hooktest.json"},
			"b.hooktest.json: reading the tests: no such file or directory\n"},
		"no hooks": {map[string]string{"a.hooktest.json": fine}, nil,
			"a.hooktest.json: there is no .tenex-hooks.json beside it, so there is nothing to test; give a hooks " +
				"file with --config\n"},
		"no hooks with --claude": {map[string]string{"a.hooktest.json": fine}, []string{"--claude"},
			"a.hooktest.json: there is no .tenex-hooks.json beside it, so there is nothing to test; give a hooks " +
				"file with --config\n"},
		"a link to nothing": {map[string]string{"a.hooktest.json": fine, ".tenex-hooks.json": ""}, nil,
			".tenex-hooks.json: reading the hooks file: no such file or directory\n"},
		"wrong tests, wrong hook": {map[string]string{".tenex-hooks.json": `{"hooks": [{}]}`,
			"a.hooktest.json": strings.Replace(fine, `, "tool"`, `, "tol"`, 1), "b.hooktest.json": fine}, nil,
			"a.hooktest.json:1:12: the test has no \"tool\""},
		"every error": {map[string]string{".tenex-hooks.json": `{"hook": []}`,
			"a.hooktest.json": `{"tests": 1}`}, nil,
			"a.hooktest.json:1:11: \"tests\" must be an array, not 1\n.tenex-hooks.json:1:2: unknown key \"hook\"; " +
				"did you mean \"hooks\"?\n"},
		"one of two files": {map[string]string{".tenex-hooks.json": ran, "a.hooktest.json": fine,
			"b.hooktest.json": `{}`}, nil, "b.hooktest.json:1:1: there is no \"tests\", so nothing would be tested\n"},
		"an output form": {map[string]string{".tenex-hooks.json": ran, "a.hooktest.json": fine},
			[]string{"-o", "xml"}, "hookrun test: --output \"xml\" is not one of text, json, junit\n"},
		"a timeout": {map[string]string{".tenex-hooks.json": ran, "a.hooktest.json": fine},
			[]string{"--timeout", "0"}, "hookrun test: --timeout must be more than 0, not 0\n"},
		"an empty workspace": {map[string]string{".tenex-hooks.json": ran, "a.hooktest.json": fine},
			[]string{"-C", ""}, "hookrun test: --workspace is empty; leave it out for the default\n"},
		"no workspace": {map[string]string{".tenex-hooks.json": ran, "a.hooktest.json": fine},
			[]string{"-C", "none", "a.hooktest.json"},
			"hookrun test: --workspace none: no such file or directory; give the folder of the project\n"},
		"a dialect": {map[string]string{".tenex-hooks.json": ran, "a.hooktest.json": fine},
			[]string{"--dialect", "claude"},
			"hookrun test: --dialect claude: .tenex-hooks.json is in the form of the tenex dialect\n"},
		"a record of tests": {map[string]string{".tenex-hooks.json": ran, "a.hooktest.json": fine},
			[]string{"--record", "run.log", "a.hooktest.json"},
			"hookrun test: --record LOG prints tests and runs none; leave FILE out\n"},
		"no log": {nil, []string{"--record", "run.log"},
			"hookrun test: --record run.log: no such file or directory; give the file that hookrun was given as " +
				"--log\n"},
		"a log of nothing": {map[string]string{"run.log": "x\n"}, []string{"--record", "run.log"},
			"hookrun test: 0 tests of 1 line; left out: 1 not readable; the log has no call of the workspace "},
	} {
		dir := t.TempDir()
		for file, text := range test.files {
			if text == "" {
				require.NoError(t, os.Symlink("nowhere", filepath.Join(dir, file)))
				continue
			}
			require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600))
		}
		done := binary.Run(t, dir, "", []string{"HOME=" + dir, "CLAUDE_CONFIG_DIR=" + dir},
			append([]string{binary.Path, "test"}, test.args...)...)
		require.Equal(t, 1, done.Code, name)
		require.Empty(t, done.Stdout, name)
		require.Contains(t, done.Stderr, test.want, name)
		require.NoFileExists(t, filepath.Join(dir, "ran"), name)
	}
	require.Contains(t, binary.Run(t, ".", "", nil, binary.Path, "test", "--help").Stdout,
		"hookrun test --record run.log > recorded.hooktest.json")
}

// TestHooktestOfClaudesHooks: settings of that client, read as it reads them.
func TestHooktestOfClaudesHooks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, ".claude"), 0o700))
	for name, text := range map[string]string{
		".claude/settings.json": `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "echo '{\"decision\":\"block\",\"reason\":\"not yet\"}'"}]}],
		  "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "exit 1"}]}]}}`,
		"a.hooktest.json": `{"tests": [
		  {"name": "stop", "input": {"hook_event_name": "Stop", "stop_hook_active": false}, "expect": {"decision": "block", "reason": "not yet"}},
		  {"name": "an exit that does not block", "event": "PreToolUse", "tool": "Bash", "args": {"command": "ls"}, "expect": {"decision": "continue"}},
		  {"name": "the same, named", "event": "PreToolUse", "tool": "Bash", "args": {"command": "ls"}, "expect": {"warning": {"matches": "exited with 1"}}}
		]}`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	home := []string{"HOME=" + t.TempDir()}
	for _, flags := range [][]string{{"--claude"}, {"-c", ".claude/settings.json"}} {
		done := binary.Run(t, dir, "", home, append([]string{binary.Path, "test"}, flags...)...)
		require.Contains(t, untimed(done.Stdout),
			"FAIL an exit that does not block (0 ms)\n     a.hooktest.json:3\n     hook 'exit 1' gave no answer (exit)")
		require.Contains(t, done.Stdout, "3 tests, 2 ok, 1 failed", done.Stderr)
	}
}

// TestHooktestHasAnEnd: hooks that run the tests of hooks, which run them again.
func TestHooktestHasAnEnd(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		".tenex-hooks.json": `{"hooks": [{"name": "again", "command": "echo x >>runs; \"$HOOKRUN\" test", "events": ` +
			`["pre-tool"]}]}`,
		"a.hooktest.json": `{"tests": [{"name": "a", "event": "pre-tool", "tool": "t", "expect": {"decision": ` +
			`"continue"}}]}`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	require.Equal(t, 1, binary.Run(t, dir, "", nil, binary.Path, "test").Code)
	runs, err := os.ReadFile(filepath.Join(dir, "runs"))
	require.NoError(t, err)
	require.Equal(t, 4, strings.Count(string(runs), "x"))
}

func TestSignalToHooktestKillsItsHooks(t *testing.T) {
	t.Parallel()
	for _, form := range []string{"text", "json"} {
		s := &binary.Process{T: t, Dir: t.TempDir()}
		require.NoError(t, syscall.Mkfifo(filepath.Join(s.Dir, "ready"), 0o600))
		var err error
		s.Ready, err = os.OpenFile(filepath.Join(s.Dir, "ready"), os.O_RDWR|syscall.O_NONBLOCK, 0)
		require.NoError(t, err)
		t.Cleanup(func() { s.Ready.Close() })
		s.Lines = bufio.NewReader(s.Ready)
		binary.WriteConfig(t, s.Dir, `case $(cat) in *wait*) echo $$ >ready; exec sleep 1000;; esac`)
		test := func(name string) string {
			return `{"name": "` + name + `", "event": "pre-tool", "tool": "` + name +
				`", "expect": {"decision": "continue"}}`
		}
		require.NoError(t, os.WriteFile(filepath.Join(s.Dir, "a.hooktest.json"),
			[]byte(`{"tests": [`+test("fine")+","+test("wait")+","+test("never")+`]}`), 0o600))
		s.Cmd = exec.Command(binary.Path, "test", "-j", "1", "-o", form)
		s.Cmd.Dir = s.Dir
		s.Cmd.Stdout, s.Cmd.Stderr = &s.Out, &s.Err
		require.NoError(t, s.Cmd.Start())
		pid := s.Pid()
		require.NoError(t, s.Cmd.Process.Signal(os.Interrupt))
		require.Error(t, s.Cmd.Wait())
		require.Equal(t, 1, s.Cmd.ProcessState.ExitCode())
		require.Equal(t, "hookrun test: interrupted by SIGINT; the hooks were killed, 1 test had run\n", s.Err.String())
		require.False(t, binary.Alive(pid))
		require.NotContains(t, s.Out.String(), "never")
		require.Equal(t, form == "text", strings.HasPrefix(s.Out.String(), "ok   fine"),
			"what is no whole object is not printed")
	}
}

// TestHooktestRecordsAndRepeats: the calls of a log pass as tests against the hooks that made it, also in another
// folder, and fail against others.
func TestHooktestRecordsAndRepeats(t *testing.T) {
	t.Parallel()
	dir := tested(t, passing)
	require.NoError(t, os.Remove(filepath.Join(dir, "a.hooktest.json")))
	var log strings.Builder
	write := func(workspace, about string, argv ...string) {
		outcome := binary.Run(t, dir, "", nil, append([]string{binary.Path, argv[0], "-o", "json"},
			argv[1:]...)...).Stdout
		require.NotEmpty(t, outcome)
		log.WriteString(`{"version":1,"time":"2026-11-21T14:43:17.123456Z","command":"` + argv[0] +
			`","pid":1,"workspace":` + binary.JSON(t, workspace) + about + `,"outcome":` + outcome[:len(outcome)-1] +
			"}\n")
	}
	for _, command := range []string{"git push", "git push --force", "git push"} {
		args := binary.JSON(t, map[string]string{"command": command})
		write(dir, `,"args":`+args, "pre-tool", "--tool", "shell", "--args", args)
	}
	write(dir, `,"args":{"path":"a.txt"},"session_id":"s"`, "pre-tool", "--tool", "write", "--args",
		`{"path":"a.txt"}`, "--session-id", "s")
	write(dir, `,"args":{},"result":"in `+dir+`/x","failed":true`, "post-tool", "--tool", "shell", "--result",
		"in "+dir+"/x", "--failed")
	write(dir, `,"prompt":"say \"hi\""`, "pre-execute", "--prompt", `say "hi"`)
	write(dir, `,"args":{"command":"crash"}`, "pre-tool", "--tool", "shell", "--args", `{"command":"crash"}`)
	write(dir, `,"args_preview":"{","args_size":9999`, "pre-tool", "--tool", "shell")
	write("/elsewhere", ``, "pre-tool", "--tool", "shell")
	half := strings.Index(log.String(), "\n") + 1 // the oldest line was rotated away
	require.NoError(t, os.WriteFile(filepath.Join(dir, "run.log.1"), []byte(log.String()[:half]), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "run.log"), []byte(log.String()[half:]+`{"version":1,`), 0o600))

	recorded := binary.Run(t, dir, "", nil, binary.Path, "test", "--record", "run.log")
	require.Zero(t, recorded.Code, recorded.Stderr)
	require.Equal(t,
		"hookrun test: 6 tests of 10 lines; left out: 1 not readable, 1 of other workspaces, 1 with texts that were "+
			"cut or redacted\n", recorded.Stderr)
	require.NotContains(t, recorded.Stdout, dir)
	for _, place := range []string{dir, tested(t, recorded.Stdout)} {
		require.NoError(t, os.WriteFile(filepath.Join(place, "a.hooktest.json"), []byte(recorded.Stdout), 0o600))
		done := binary.Run(t, place, "", nil, binary.Path, "test")
		require.Equal(t,
			"ok   shell: git push (0 ms)\nok   shell: git push --force (0 ms)\nok   write: a.txt (0 ms)\nok   "+
				"post-tool shell (0 ms)\nok   pre-execute: say \"hi\" (0 ms)\nok   shell: crash (0 ms)\n6 tests, 6 "+
				"ok, 0 failed in 0 s\n", untimed(done.Stdout))
		require.Zero(t, done.Code)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "guard.sh"), []byte("cat >/dev/null"), 0o600))
	done := binary.Run(t, dir, "", nil, binary.Path, "test")
	require.Equal(t, 1, done.Code)
	require.Contains(t, done.Stdout, "FAIL shell: git push --force")
	require.Contains(t, done.Stdout, "6 tests, 4 ok, 2 failed", "nor does it crash")
}

// TestHooktestRecordsARealLog: what no test can repeat is left out, and what is left passes.
func TestHooktestRecordsARealLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	binary.WriteFile(t, dir, ".tenex-hooks.json", `{"hooks":[
  {"name":"rewrite","command":"echo '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"updatedInput\":{\"a\":1}}}'","events":["pre-tool"],"matcher":"shell"},
  {"name":"rule","block":"no","events":["pre-tool"],"when":[{"path":"args.a","equals":2}]},
  {"name":"output","command":"[ \"$(\"$HOOKRUN\" get tool_response.stdout 2>/dev/null)\" = bad ] && echo '{\"decision\":\"block\",\"reason\":\"bad\"}'; exit 0","events":["post-tool"]}]}`)
	run := func(code int, stdin string, argv ...string) {
		t.Helper()
		require.Equal(t, code, binary.Run(t, dir, stdin, nil,
			append([]string{binary.Path, argv[0], "--log", "run.log"}, argv[1:]...)...).Code)
	}
	run(2, "", "pre-tool", "--tool", "shell") // text cannot carry the rewrite
	run(0, "", "pre-tool", "--tool", "shell", "--args", `{"b":1}`, "-o", "json")
	run(2, "", "pre-tool", "--tool", "write", "--args", `{"a":2}`)
	run(2, `{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{},"tool_response":{"stdout":"bad"}}`,
		"fire", "-o", "json")
	run(0, `{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{},"tool_response":"fine"}`, "fire", "-o",
		"json")
	recorded := binary.Run(t, dir, "", nil, binary.Path, "test", "--record", "run.log")
	require.Equal(t,
		"hookrun test: 3 tests of 5 lines; left out: 1 of events of which the log has not the whole input, 1 that no "+
			"test can repeat, such as those with hooks that gave no answer\n", recorded.Stderr)
	binary.WriteFile(t, dir, "a.hooktest.json", recorded.Stdout)
	done := binary.Run(t, dir, "", nil, binary.Path, "test")
	require.Equal(t,
		"ok   shell: {\"b\":1} (0 ms)\nok   write: {\"a\":2} (0 ms)\nok   PostToolUse Bash (0 ms)\n3 tests, 3 ok, 0 "+
			"failed in 0 s\n", untimed(done.Stdout))
}

// TestHooktestColours: on a terminal, unless somebody objects.
func TestHooktestColours(t *testing.T) {
	t.Parallel()
	dir := tested(t, passing)
	for name, test := range map[string]struct {
		env  []string
		want string
	}{
		"a terminal":        {[]string{"TERM=xterm", "NO_COLOR="}, "\x1b[32mok  \x1b[0m a push ("},
		"NO_COLOR":          {[]string{"TERM=xterm", "NO_COLOR=1"}, "ok   a push ("},
		"one that has none": {[]string{"TERM=dumb", "NO_COLOR="}, "ok   a push ("},
	} {
		master, slave := terminal(t)
		cmd := exec.Command(binary.Path, "test")
		cmd.Dir, cmd.Stdout = dir, slave
		cmd.Env = append(binary.Environment(dir), test.env...)
		require.NoError(t, cmd.Run(), name)
		require.NoError(t, master.SetReadDeadline(time.Now().Add(binary.Patience)))
		line, err := bufio.NewReader(master).ReadString('\n')
		require.NoError(t, err, name)
		require.True(t, strings.HasPrefix(line, test.want), "%s: %q", name, line)
	}
	require.NotContains(t, binary.Run(t, dir, "", []string{"TERM=xterm", "NO_COLOR="}, binary.Path, "test").Stdout,
		"\x1b", "a pipe")
}

// TestHooktestProgress: a line on a terminal, and nothing is left of it.
func TestHooktestProgress(t *testing.T) {
	t.Parallel()
	dir := tested(t, failing)
	for _, form := range []string{"text", "json"} {
		master, slave := terminal(t)
		cmd := exec.Command(binary.Path, "test", "-o", form)
		var out strings.Builder
		cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, slave
		cmd.Env = append(binary.Environment(dir), "TERM=xterm")
		require.Error(t, cmd.Run())
		require.NoError(t, slave.Close())
		require.NoError(t, master.SetReadDeadline(time.Now().Add(binary.Patience)))
		screen, err := io.ReadAll(master) // one read may give a part
		require.ErrorIs(t, err, syscall.EIO, "nobody has the other end open")
		text := string(screen)
		require.Regexp(t, `^0 of 4 tests, 0 failed\r +\r`, text)
		lines := strings.Split(text, "\r")
		require.Empty(t, lines[len(lines)-1])
		require.Empty(t, strings.Trim(lines[len(lines)-2], " "))
		require.NotContains(t, out.String(), " of 4 tests")
	}
}

// terminal opens both ends of a new pseudo-terminal.
func terminal(t *testing.T) (master, slave *os.File) {
	t.Helper()
	fd, err := syscall.Open("/dev/ptmx", syscall.O_RDWR|syscall.O_NOCTTY|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals: %v", err)
	}
	master = os.NewFile(uintptr(fd), "ptmx")
	t.Cleanup(func() { master.Close() })
	var unlock, number int32
	for request, value := range map[uintptr]*int32{syscall.TIOCSPTLCK: &unlock, syscall.TIOCGPTN: &number} {
		_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), request, uintptr(unsafe.Pointer(value)))
		require.Zero(t, errno)
	}
	slave, err = os.OpenFile("/dev/pts/"+strconv.Itoa(int(number)), os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { slave.Close() })
	return master, slave
}
