//go:build unix

package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// logged is a line of a run log: of a minute of the 21st of November 2026 at 14 o'clock, UTC, and what else it says.
func logged(minute int, rest string) string {
	return fmt.Sprintf(`{"version":1,"time":"2026-11-21T14:%02d:00.500000Z","command":"pre-tool","pid":1,%s}`+"\n",
		minute, rest)
}

// loggedReport is what a line says of a hook.
func loggedReport(name, status string, ms float64) string {
	return fmt.Sprintf(`{"name":%q,"source":".tenex-hooks.json:3","status":%q,"duration_ms":%g,"limit_ms":1000,`+
		`"stdout_bytes":0}`, name, status, ms)
}

// loggedWorkspace is a folder with hooks and a log of two parts.
func loggedWorkspace(t *testing.T) string {
	dir := t.TempDir()
	binary.WriteFile(t, dir, ".tenex-hooks.json", `{"hooks": [
  {"name": "guard", "command": ["true"], "events": ["pre-tool"]},
  {"name": "idle", "command": ["true"], "events": ["post-tool"]}]}`)
	at := fmt.Sprintf(`"session_id":"s1","workspace":%q,"tool_use_id":`, dir)
	binary.WriteFile(t, dir, "run.log.1", logged(1,
		at+`"t1","args":{},"outcome":{"version":1,"event":"pre-tool","tool":"shell","decision":"continue",`+
			`"inject":[{"hook":"hints","content":"x"}],"hooks":[`+
			loggedReport("guard", "ok", 2.5)+","+loggedReport("hints", "ok", 12)+`]}`)+
		logged(2, at+
			`"t2","outcome":{"version":1,"event":"pre-tool","tool":"shell","decision":"block","cause":"policy",`+
			`"hook":"guard","reason":"not \u001b[31mhere\nand not there","hooks":[`+loggedReport("guard", "blocked",
			850)+`]}`))
	binary.WriteFile(t, dir, "run.log", "garbage\n"+
		logged(3, `"session_id":"s2","workspace":"`+dir+
			`","outcome":{"version":1,"event":"pre-tool","tool":"w\u0007rite","decision":"continue","hooks":[`+
			loggedReport("guard", "timeout", 1000)+","+
			loggedReport("a name that is much too long to stand in a table, and says so at its end", "failed", 0.5)+
			`]}`)+
		logged(4, `"session_id":"s2","error":"interrupted by SIGTERM","event":"pre-tool","tool":"shell"`)+
		`{"version":1,"ti`)
	return dir
}

func TestLogTable(t *testing.T) {
	t.Parallel()
	dir := loggedWorkspace(t)
	f := binary.Run(t, dir, "", []string{"TZ=UTC"}, binary.Path, "log", "run.log")
	require.Equal(t, binary.Result{Stdout: `run.log.1
run.log
4 calls from 2026-11-21 14:01:00 to 2026-11-21 14:04:00
1 went on, 1 went on past a failure, 1 blocked, 1 without a verdict, 1 line could not be read

hook                                      matched  ok  blocked  injected  failed  timed out      p50      p95      max
guard                                           3   1        1         0       0          1   855 ms    1.0 s    1.0 s
hints                                           1   0        0         1       0          0  12.0 ms  12.0 ms  12.0 ms
a name that is much … says so at its end        1   0        0         0       1          0  0.50 ms  0.50 ms  0.50 ms

never fired
  .tenex-hooks.json
    idle  line 3, post-tool

near their timeout
  guard  1 took 80 % or more of 1.0 s, 1 timed out

last blocks
  2026-11-21 14:02:00  pre-tool shell: block (guard, policy)
      not �[31mhere …
`}, f)
}

func TestLogJSON(t *testing.T) {
	t.Parallel()
	dir := loggedWorkspace(t)
	log := filepath.Join(dir, "run.log")
	f := binary.Run(t, "/", "", []string{"HOOKRUN_LOG=" + log}, binary.Path, "log", "-o", "json", "-C", dir)
	require.Equal(t, binary.Result{Stdout: f.Stdout}, f)
	var got struct {
		Version, Lines, Unreadable, Calls, Errors int
		Files                                     []string
		From, To                                  string
		Decisions                                 map[string]int
		Hooks, Blocks                             []map[string]any
		NeverFired                                []map[string]any `json:"never_fired"`
	}
	require.NoError(t, json.Unmarshal([]byte(f.Stdout), &got))
	require.Equal(t, []int{1, 5, 1, 4, 1}, []int{got.Version, got.Lines, got.Unreadable, got.Calls, got.Errors})
	require.Equal(t, []string{log + ".1", log}, got.Files)
	require.Equal(t, []string{"2026-11-21T14:01:00.500000Z", "2026-11-21T14:04:00.500000Z"}, []string{got.From, got.To})
	require.Equal(t, map[string]int{"continue": 2, "block": 1, "ask": 0, "defer": 0}, got.Decisions)
	require.Equal(t, map[string]any{
		"name": "guard", "file": filepath.Join(dir, ".tenex-hooks.json"), "events": []any{"pre-tool"}, "matched": 3.,
		"ok": 1., "blocked": 1.,
		"injected": 0., "failed": 0., "timed_out": 1., "unstarted": 0., "skipped": 0., "async": 0.,
		"p50_ms": got.Hooks[0]["p50_ms"],
		"p95_ms": 1000., "max_ms": 1000., "limit_ms": 1000., "near_timeouts": 1., "last": "2026-11-21T14:03:00.500000Z",
	}, got.Hooks[0])
	require.InDelta(t, 850, got.Hooks[0]["p50_ms"], 8.5)
	require.Equal(t, []map[string]any{{"name": "idle", "source": filepath.Join(dir, ".tenex-hooks.json") + ":3",
		"events": []any{"post-tool"}}}, got.NeverFired)
	require.Equal(t, []map[string]any{{
		"time": "2026-11-21T14:02:00.500000Z", "event": "pre-tool", "tool": "shell", "hook": "guard", "cause": "policy",
		"reason": "not \x1b[31mhere\nand not there", "decision": "block", "session_id": "s1",
	}}, got.Blocks)

	for _, flags := range [][]string{{"--session", "s2"}, {"--since", "2026-11-21T14:02:30Z"}} {
		f := binary.Run(t, dir, "", nil, append([]string{binary.Path, "log", "run.log", "-o", "json"}, flags...)...)
		require.Equal(t, 0, f.Code, f.Stderr)
		require.NoError(t, json.Unmarshal([]byte(f.Stdout), &got))
		require.Equal(t, 2, got.Calls, flags)
	}
	for since, calls := range map[string]int{"2h": 1, "0d90m": 1, "1d12h": 2, "7d": 3, "0": 0, "2099-01-01": 0,
		"2025-01-01 14:30": 4, "2025-01-01": 4} {
		dir, text := t.TempDir(), ""
		for _, ago := range []time.Duration{400 * 24 * time.Hour / 2, 50 * time.Hour, 30 * time.Hour, time.Hour} {
			text += `{"time":"` + time.Now().Add(-ago).Format(time.RFC3339Nano) + `","error":"x"}` + "\n"
		}
		binary.WriteFile(t, dir, "run.log", text)
		f := binary.Run(t, dir, "", nil, binary.Path, "log", "run.log", "-o", "json", "--since", since)
		require.NoError(t, json.Unmarshal([]byte(f.Stdout), &got), f.Stderr)
		require.Equal(t, calls, got.Calls, since)
	}
}

// TestLogOfCalls: what calls write is what log reads, wherever they were made.
// A log can be anybody's: no row of it is wider than a terminal, nor can it steer one.
func TestLogTableOfAHostileLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	hostile := `\u001b[2J\u009b31m\u202e` + strings.Repeat("x", 200)
	binary.WriteFile(t, dir, "run.log", logged(1,
		fmt.Sprintf(`"outcome":{"event":"%[1]s","tool":"%[1]s","decision":"block","cause":"%[1]s","hook":"%[1]s",`+
			`"reason":"%[1]s","hooks":[{"name":"%[1]s","source":"%[1]s","status":"timeout","duration_ms":1e300,`+
			`"limit_ms":1e-300}]}`, hostile)))
	f := binary.Run(t, dir, "", nil, binary.Path, "log", "run.log")
	require.Contains(t, f.Stdout, "1e+297 s\n")
	for line := range strings.Lines(f.Stdout) {
		require.LessOrEqual(t, utf8.RuneCountInString(line), 121, line)
		require.NotRegexp(t, `[\x00-\x09\x0b-\x1f\x7f-\x{9f}\x{202e}]`, line)
	}
}

func TestLogOfCalls(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	binary.WriteFile(t, dir, "p/.tenex-hooks.json", `{"hooks": [
  {"name": "guard", "command": "grep -q bad && { echo no >&2; exit 2; } || exit 0", "events": ["pre-tool"]},
  {"name": "hints", "command": "echo hint", "events": ["pre-execute", "post-tool"]},
  {"name": "idle", "command": "true", "events": ["pre-tool"], "matcher": "never"}]}`)
	log, in := filepath.Join(dir, "run.log"), filepath.Join(dir, "p")
	call := func(dir string, code int, args ...string) {
		t.Helper()
		f := binary.Run(t, dir, "", nil, append([]string{binary.Path, args[0], "--log", log, "--session-id", "s"},
			args[1:]...)...)
		require.Equal(t, code, f.Code, f.Stderr)
	}
	call(in, 0, "pre-execute", "--prompt", "hello")
	call(in, 2, "pre-tool", "--tool", "shell", "--tool-use-id", "t1", "--args", `{"command":"bad"}`)
	call(dir, 0, "pre-tool", "-C", "p", "--tool", "shell", "--tool-use-id", "t2", "--args", `{"command":"good"}`)
	call(dir, 0, "post-tool", "-C", in, "--tool", "shell", "--tool-use-id", "t2", "--result", "done")
	f := binary.Run(t, in, "", nil, binary.Path, "log", log, "-o", "json")
	var got struct {
		Calls, Unreadable int
		Hooks             []struct {
			Name, File                 string
			Matched, Blocked, Injected int
		}
		NeverFired []struct{ Name string } `json:"never_fired"`
	}
	require.NoError(t, json.Unmarshal([]byte(f.Stdout), &got), f.Stderr)
	require.Equal(t, []int{4, 0}, []int{got.Calls, got.Unreadable})
	require.Equal(t, `[{hints `+in+`/.tenex-hooks.json 2 0 2} {guard `+in+`/.tenex-hooks.json 2 1 0}]`,
		fmt.Sprint(got.Hooks))
	require.Equal(t, "[{idle}]", fmt.Sprint(got.NeverFired))
	f = binary.Run(t, in, "", nil, binary.Path, "log", log, "--events")
	require.Regexp(t,
		`^\{"type":"status",.*"status":"no","level":"INFO","prefix":"\[LOG\]",.*\n\{"type":"tool_call",.*"id":"t2",`+
			`"name":"shell","input":\{"command":"good"\},"time_offset":[0-9.]+\}\}\n`+
			`\{"type":"tool_result",.*"tool_use_id":"t2","is_error":false,"content_preview":"done","content_size":4,`+
			`.*\}\n$`, f.Stdout)
}

func TestLogErrors(t *testing.T) {
	t.Parallel()
	dir := loggedWorkspace(t)
	for _, c := range []struct{ args, want string }{
		{"", "no FILE, $HOOKRUN_LOG is not set, and there is no "},
		{"none.log", "none.log: no such file; calls write one if they are given --log none.log"},
		{".", ". is not a regular file"},
		{"run.log more", `unexpected argument "more"; give one FILE`},
		{"run.log -o yaml", `--output "yaml" is not one of text, json`},
		{"run.log --since yesterday",
			`--since "yesterday" is neither a duration, as 2h or 7d, nor a time, as 2026-11-20 or ` +
				`2026-11-20T14:43:17Z`},
		{"run.log --since -2h", `--since "-2h" is neither`},
		{"run.log --since=", `--since "" is neither`},
		{"run.log --session=", "--session is empty; leave it out for the default"},
		{"run.log --html=", "--html is empty; leave it out for the default"},
		{"run.log --html x --follow",
			"--html writes the whole page and nothing else; leave out --follow, --events and --output"},
		{"run.log --html none/x", "--html none/x: no such file or directory"},
		{"run.log -C none", "--workspace none: no such file or directory; give the folder of the project"},
	} {
		f := binary.Run(t, dir, "", nil, append([]string{binary.Path, "log"}, strings.Fields(c.args)...)...)
		require.Equal(t, binary.Result{Code: 1, Stderr: f.Stderr}, f, c.args)
		require.Contains(t, f.Stderr, "hookrun log: "+c.want)
		require.Equal(t, 1, strings.Count(f.Stderr, "\n"), f.Stderr)
	}
	binary.WriteFile(t, dir, ".tenex-hooks.json", `{"hooks": [{}]}`)
	f := binary.Run(t, dir, "", nil, binary.Path, "log", "run.log")
	require.Equal(t, 0, f.Code)
	require.Contains(t, f.Stdout, "guard")
	require.NotContains(t, f.Stdout, "never fired")
	require.Contains(t, f.Stderr, ".tenex-hooks.json:1:")
	require.Contains(t, f.Stderr,
		"hookrun log: warning: the hooks files cannot be read, so hooks that never fired are not shown\n")
}

func TestLogPage(t *testing.T) {
	t.Parallel()
	dir := loggedWorkspace(t)
	binary.WriteFile(t, dir, "out/page.html", "the one of yesterday")
	f := binary.Run(t, dir, "", nil, binary.Path, "log", "run.log", "--html", "out/page.html")
	require.Equal(t, binary.Result{Stdout: "out/page.html\n"}, f)
	page, err := os.ReadFile(filepath.Join(dir, "out/page.html"))
	require.NoError(t, err)
	require.Contains(t, string(page), `"never_fired":[{"name":"idle"`)
	require.Contains(t, string(page), `"error":"interrupted by SIGTERM"`)
	require.NotContains(t, string(page), "yesterday")
	files, err := os.ReadDir(filepath.Join(dir, "out"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	info, err := files[0].Info()
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode(), "as the log")

	f = binary.Run(t, dir, "", nil, binary.Path, "log", "run.log", "--html", "out")
	require.Equal(t, 1, f.Code)
	require.Contains(t, f.Stderr, "hookrun log: --html out: ")
	left, err := filepath.Glob(filepath.Join(dir, ".out*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

// Colour is for a terminal whose user does not object.
func TestLogColour(t *testing.T) {
	t.Parallel()
	dir := loggedWorkspace(t)
	for _, c := range []struct {
		terminal bool
		env      []string
		colour   bool
	}{
		{true, []string{"TERM=xterm", "NO_COLOR="}, true},
		{true, []string{"TERM=xterm", "NO_COLOR=1"}, false},
		{true, []string{"TERM=dumb", "NO_COLOR="}, false},
		{false, []string{"TERM=xterm", "NO_COLOR="}, false},
	} {
		argv := []string{binary.Path, "log", "run.log"}
		if c.terminal {
			binary.Needs(t, "python3")
			argv = append([]string{"python3", "-c",
				"import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"}, argv...)
		}
		f := binary.Run(t, dir, "", c.env, argv...)
		require.Equal(t, 0, f.Code, f.Stdout+f.Stderr)
		require.Contains(t, f.Stdout, "not \ufffd[31mhere …", "what a hook says steers no terminal")
		require.Equal(t, c.colour, strings.Contains(f.Stdout, "\x1b["), "%+v", c)
		if !c.colour {
			require.NotContains(t, f.Stdout, "\x1b")
		}
	}
}

// TestLogEvents: as Universal Agent streams them.
func TestLogEvents(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	call := func(minute int, event, more, outcome string) string {
		return logged(minute, `"session_id":"s1",`+more+`"outcome":{"version":1,"event":"`+event+`","tool":"Bash",`+
			outcome+`"hooks":[]}`)
	}
	binary.WriteFile(t, dir, "run.log", call(0, "pre-execute", "", `"decision":"continue",`)+
		call(1, "pre-tool", `"tool_use_id":"t1","args":{"command":"ls"},`,
			`"decision":"continue","updated_input":{"command":"export A=1; ls"},`)+
		call(1, "pre-tool", `"tool_use_id":"t1","args":{"command":"ls"},`, `"decision":"continue",`)+
		call(2, "post-tool",
			`"tool_use_id":"t1","result":"{\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\",`+
				`\"text\":\"b\"}]}",`, `"decision":"continue","system_messages":["mind the gap"],"warnings":["slow"],`)+
		"garbage\n"+
		call(3, "pre-tool", `"tool_use_id":"t2","args":"rm",`, `"decision":"block",`)+
		call(4, "pre-tool", `"args":{},`, `"decision":"continue",`)+
		logged(5, `"session_id":"s2","tool_use_id":"t1","args":"plain","outcome":{"version":1,"event":"pre-tool",`+
			`"tool":"x","decision":"continue","hooks":[{"name":"h","source":"f:1","status":"ok","duration_ms":1,`+
			`"stdout_bytes":0,"stderr":"one\ntwo\n"}]}`)+
		call(6, "pre-execute", "", `"decision":"continue",`)+
		call(7, "post-tool", `"tool_use_id":"t1","failed":true,"result_preview":"`+strings.Repeat("x", 2500)+
			`","result_size":3000,`, `"decision":"continue",`))
	f := binary.Run(t, dir, "", nil, binary.Path, "log", "run.log", "--events")
	require.Equal(t, binary.Result{Stdout: f.Stdout}, f)
	events := strings.Split(strings.TrimSuffix(f.Stdout, "\n"), "\n")
	require.Len(t, events, 8)
	status := func(offset, text, level, prefix string, second int) string {
		return fmt.Sprintf(`{"type":"status","timestamp":%d.5,"data":{"status":%q,"level":%q,"prefix":%q,`+
			`"is_log":true,"time_offset":%s}}`, second, text, level, prefix, offset)
	}
	const start = 1795269600 // 14:00
	t.Run("U52 a call with the input that the tool got", func(t *testing.T) {
		require.Equal(t,
			`{"type":"tool_call","timestamp":1795269660.5,"data":{"id":"t1","name":"Bash","input":{"command":"export `+
				`A=1; ls"},"time_offset":60.0}}`, events[0])
		require.Equal(t,
			`{"type":"tool_call","timestamp":1795269900.5,"data":{"id":"t1","name":"x","input":{"value":"plain"},`+
				`"time_offset":0.0}}`, events[6], "without a turn")
	})
	t.Run("U53 once a turn, and none without an id or that was held up", func(t *testing.T) {
		require.Equal(t, 2, strings.Count(f.Stdout, `"tool_call"`))
		require.Equal(t, 2, strings.Count(f.Stdout, `"tool_result"`))
		require.NotContains(t, f.Stdout, "t2")
	})
	t.Run("U54 a result and its beginning", func(t *testing.T) {
		require.Equal(t,
			`{"type":"tool_result","timestamp":1795270020.5,"data":{"tool_use_id":"t1","is_error":true,`+
				`"content_preview":"`+strings.Repeat("x", 2500)+`","content_size":3000,"time_offset":60.0}}`, events[7])
	})
	t.Run("U55 the text of a result", func(t *testing.T) {
		require.Equal(t,
			`{"type":"tool_result","timestamp":1795269720.5,"data":{"tool_use_id":"t1","is_error":false,`+
				`"content_preview":"a\nb","content_size":3,"time_offset":120.0}}`, events[1])
	})
	t.Run("U56 messages and warnings", func(t *testing.T) {
		require.Equal(t, status("120.0", "mind the gap", "INFO", "", start+120), events[2])
		require.Equal(t, status("120.0", "slow", "WARNING", "", start+120), events[3])
	})
	t.Run("U57 a session's turns are its own, and a broken line stops nothing", func(t *testing.T) {
		require.Contains(t, events[6], `"time_offset":0.0`)
	})
	t.Run("U58 what hooks write to stderr", func(t *testing.T) {
		require.Equal(t, status("0.0", "one", "INFO", "[LOG]", start+300), events[4])
		require.Equal(t, status("0.0", "two", "INFO", "[LOG]", start+300), events[5])
	})
	f = binary.Run(t, dir, "", nil, binary.Path, "log", "run.log", "--events", "--since", "2026-11-21T14:06:30Z")
	require.Equal(t, events[7]+"\n", f.Stdout, "of a turn that began before")
}

// following is a hookrun log --follow.
type following struct {
	*testing.T
	dir   string
	cmd   *exec.Cmd
	lines chan string
}

func followLog(t *testing.T, dir string, flags ...string) *following {
	binary.Needs(t, "python3")
	// A shell that has put the tests into the background has SIGINT ignored, and what is ignored stays so.
	python := "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], " +
		"sys.argv[1:])"
	f := &following{t, dir, exec.Command("python3",
		append([]string{"-c", python, binary.Path, "log", "run.log", "--follow"}, flags...)...), make(chan string, 100)}
	f.cmd.Dir, f.cmd.Env = dir, append(binary.Environment(dir), "TZ=UTC")
	out, err := f.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, f.cmd.Start())
	t.Cleanup(func() { _ = f.cmd.Process.Kill() })
	go func() {
		defer close(f.lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			f.lines <- s.Text()
		}
	}()
	return f
}

func (f *following) gets(want ...string) {
	f.Helper()
	for _, w := range want {
		select {
		case line, ok := <-f.lines:
			require.True(f, ok, "it ended before %q", w)
			require.Equal(f, w, line)
		case <-time.After(30 * time.Second):
			require.Fail(f, "no line", w)
		}
	}
}

func (f *following) write(text string) {
	f.Helper()
	file, err := os.OpenFile(filepath.Join(f.dir, "run.log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(f, err)
	_, err = file.WriteString(text)
	require.NoError(f, err)
	require.NoError(f, file.Close())
}

// ends interrupts it, and nothing more was printed.
func (f *following) ends() {
	f.Helper()
	require.NoError(f, f.cmd.Process.Signal(syscall.SIGINT))
	for line := range f.lines {
		require.Fail(f, "more than was written", line)
	}
	require.NoError(f, f.cmd.Wait(), "SIGINT is how it ends")
}

func TestLogFollow(t *testing.T) {
	t.Parallel()
	dir := loggedWorkspace(t)
	f := followLog(t, dir)
	f.gets(
		"14:01:00  pre-tool shell  continue  guard: 2.5 ms, hints: 12.0 ms",
		"14:02:00  pre-tool shell  block (policy)  guard: blocked 850 ms",
		"14:03:00  pre-tool w\ufffdrite  continue  guard: timeout 1.0 s, a name that … at its end: failed 0.50 ms",
		"14:04:00  pre-tool shell  no verdict: interrupted by SIGTERM",
	)
	f.write("garbage of a writer that was killed\n" + logged(5, `"error":"5"`))
	f.gets("14:05:00  no verdict: 5")
	f.write(logged(6, `"error":"6"`))
	require.NoError(t, os.Rename(filepath.Join(dir, "run.log"), filepath.Join(dir, "run.log.1")))
	f.write(logged(7, `"error":"7"`) + logged(8, `"error":"8"`)[:40])
	f.gets("14:06:00  no verdict: 6", "14:07:00  no verdict: 7")
	f.write(logged(8, `"error":"8"`)[40:])
	f.gets("14:08:00  no verdict: 8")
	require.NoError(t, os.Truncate(filepath.Join(dir, "run.log"), 0))
	f.write(logged(9, `"error":"9"`))
	f.gets("14:09:00  no verdict: 9")
	f.ends()
}

func TestLogFollowJSONAndEvents(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	turn := logged(0,
		`"session_id":"s1","outcome":{"version":1,"event":"UserPromptSubmit","decision":"continue","hooks":[]}`)
	tool := logged(1,
		`"session_id":"s1","tool_use_id":"t1","args":{},"outcome":{"version":1,"event":"PreToolUse","tool":"Bash",`+
			`"decision":"continue","hooks":[]}`)
	other := logged(2, `"session_id":"s2","error":"x"`)
	var many strings.Builder
	for range 12 {
		many.WriteString(turn)
	}
	binary.WriteFile(t, dir, "run.log", many.String())
	raw, events := followLog(t, dir, "-o", "json", "--session", "s1"), followLog(t, dir, "--events")
	for range 10 {
		raw.gets(strings.TrimSuffix(turn, "\n"))
	}
	raw.write(other + tool + tool)
	raw.gets(strings.TrimSuffix(tool, "\n"), strings.TrimSuffix(tool, "\n"))
	events.gets(`{"type":"tool_call","timestamp":1795269660.5,"data":{"id":"t1","name":"Bash","input":{},` +
		`"time_offset":60.0}}`)
	raw.ends()
	events.ends()
}
