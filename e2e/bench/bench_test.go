package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// BenchmarkOneShot times whole processes, each in turn with its floor: the machine may change its speed, the ratio of
// two neighbours hardly. The metrics are medians; "ratio" is the budget's. tools/bench.sh prints them as a table.
func BenchmarkOneShot(b *testing.B) {
	cat, ten, trusted := b.TempDir(), b.TempDir(), b.TempDir()
	tenScripts(b, trusted)
	plain := []string{binary.Path, "pre-tool", "--tool", "shell", "--session-id", "s", "-C", trusted}
	hooks(b, cat, "cat")
	tenAtOnce(b, ten)
	big := strings.Repeat("a line of output\n", 10<<20/17)
	file := filepath.Join(cat, "result")
	require.NoError(b, os.WriteFile(file, []byte(big), 0o600))
	payload := []byte(big + big) // the result stands in the payload twice

	for _, row := range []struct {
		name           string
		subject, floor []string
		stdin          []byte // of the floor
	}{
		{"10MB-through-cat/cat", []string{binary.Path, "post-tool", "--tool", "shell", "-C", cat, "--result",
			"@" + file}, []string{"cat"}, payload},
		{"ten-at-once/sleep-0.1", []string{binary.Path, "pre-tool", "--tool", "shell", "-C", ten},
			[]string{"sleep", "0.1"}, nil},
		// No hook is for the call: what it costs to look at the files would be lost in the starts of ten processes.
		{"trust-and-pin/without", slices.Concat(plain, []string{"--trust", "required", "--pin"}), plain, nil},
	} {
		b.Run(row.name, func(b *testing.B) {
			var subject, floor []time.Duration
			for b.Loop() {
				subject = append(subject, timed(b, row.subject, nil))
				floor = append(floor, timed(b, row.floor, row.stdin))
			}
			report(b, subject, floor)
		})
	}
}

// tenScripts writes ten hooks with a script of 10 KB each, which are for another tool, and allows them.
func tenScripts(b *testing.B, dir string) {
	var entries []any
	for i := range 10 {
		name := fmt.Sprintf("script%d.sh", i)
		require.NoError(b, os.WriteFile(filepath.Join(dir, name), []byte(strings.Repeat("# a comment\n", 850)), 0o700))
		entries = append(entries, map[string]any{"name": name, "command": []string{"./" + name},
			"events": []string{"pre-tool"}, "matcher": "other"})
	}
	doc, err := json.Marshal(map[string]any{"hooks": entries})
	require.NoError(b, err)
	require.NoError(b, os.WriteFile(filepath.Join(dir, ".tenex-hooks.json"), doc, 0o600))
	b.Setenv("XDG_STATE_HOME", b.TempDir())
	out, err := exec.Command(binary.Path, "allow", "--yes", dir).CombinedOutput()
	require.NoError(b, err, string(out))
}

func hooks(b *testing.B, dir, program string) {
	doc, err := json.Marshal(map[string]any{"hooks": []any{map[string]any{"name": "h", "command": []string{program},
		"events": []string{"pre-tool", "post-tool"}}}})
	require.NoError(b, err)
	require.NoError(b, os.WriteFile(filepath.Join(dir, ".tenex-hooks.json"), doc, 0o600))
}

// tenAtOnce writes ten different hooks in Claude Code's form, which run at the same time.
func tenAtOnce(b *testing.B, dir string) {
	var handlers []map[string]string
	for i := range 10 {
		handlers = append(handlers, map[string]string{"type": "command", "command": fmt.Sprintf("sleep 0.1 # %d", i)})
	}
	doc, err := json.Marshal(
		map[string]any{"hooks": map[string]any{"PreToolUse": []any{map[string]any{"hooks": handlers}}}})
	require.NoError(b, err)
	require.NoError(b, os.WriteFile(filepath.Join(dir, ".tenex-hooks.json"), doc, 0o600))
}

// timed runs a command to its end, as a host would: with its output collected.
func timed(b *testing.B, argv []string, stdin []byte) time.Duration {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin = bytes.NewReader(stdin)
	begin := time.Now()
	_, err := cmd.Output()
	took := time.Since(begin)
	require.NoError(b, err)
	return took
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// BenchmarkServe times calls of one server that stays up, as a client sees them: a line written, a line read.
func BenchmarkServe(b *testing.B) {
	dir := b.TempDir()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, "{}")
	}))
	b.Cleanup(server.Close)
	answers := filepath.Join(dir, "answers.py")
	require.NoError(b, os.WriteFile(answers,
		[]byte("import sys\nfor line in sys.stdin:\n    print('{}', flush=True)\n"), 0o600))
	doc, err := json.Marshal(map[string]any{"hooks": []any{
		map[string]any{"name": "true", "command": []string{"/bin/true"}, "events": []string{"pre-tool"},
			"matcher": "true"},
		map[string]any{"name": "cat", "command": []string{"cat"}, "events": []string{"post-tool"}, "matcher": "cat"},
		map[string]any{"name": "stays", "command": []string{"python3", answers}, "events": []string{"pre-tool"},
			"matcher": "stays", "persistent": true},
		map[string]any{"name": "http", "url": server.URL, "events": []string{"pre-tool"}, "matcher": "http"},
		map[string]any{"name": "spawned", "command": []string{"python3", answers}, "events": []string{"pre-tool"},
			"matcher": "spawned"},
	}})
	require.NoError(b, err)
	require.NoError(b, os.WriteFile(filepath.Join(dir, ".tenex-hooks.json"), doc, 0o600))
	serve := newEcho(b, binary.Path, "serve", "-C", dir)
	call := func(method, tool, more string) []byte {
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":%q,"params":{"tool":%q,"args":{"command":"ls"}%s}}`+
			"\n", method, tool, more)
	}
	// what starts at the first call has started
	for _, tool := range []string{"true", "none", "stays", "spawned", "http"} {
		require.Contains(b, serve.ask(call("pre-tool", tool, "")), `"decision":"continue"`)
	}

	b.Run("argv-true/posix_spawn", func(b *testing.B) {
		cc, err := exec.LookPath("cc")
		if err != nil {
			b.Skip("no cc to compile the floor with")
		}
		program := filepath.Join(b.TempDir(), "floor")
		out, err := exec.Command(cc, "-O2", "-o", program, "../../tools/bench/floor.c").CombinedOutput()
		require.NoError(b, err, string(out))
		spawn := newEcho(b, program, "/bin/true")
		line := call("pre-tool", "true", "")
		var ours, floor []time.Duration
		for b.Loop() {
			ours = append(ours, serve.timed(line))
			ns, err := time.ParseDuration(strings.TrimSpace(spawn.ask([]byte("\n"))) + "ns")
			require.NoError(b, err)
			floor = append(floor, ns)
		}
		report(b, ours, floor)
	})
	b.Run("no-hook-matches/cat", func(b *testing.B) {
		line, cat := call("pre-tool", "none", ""), newEcho(b, "cat")
		var ours, floor []time.Duration
		for b.Loop() {
			for range 10 { // each has the pipe to itself for a while
				ours = append(ours, serve.timed(line))
			}
			for range 10 {
				floor = append(floor, cat.timed(line))
			}
		}
		report(b, ours, floor)
	})
	b.Run("listen/stdin", func(b *testing.B) {
		web := newListener(b, dir)
		line := call("pre-tool", "none", "")
		var ours, floor []time.Duration
		for b.Loop() {
			for range 10 {
				ours = append(ours, web.timed(line))
			}
			for range 10 {
				floor = append(floor, serve.timed(line))
			}
		}
		report(b, ours, floor)
	})
	b.Run("http-hook/keep-alive-client", func(b *testing.B) {
		build := exec.Command("go", "build", "-o", filepath.Join(b.TempDir(), "poster"), "./testdata/poster")
		out, err := build.CombinedOutput()
		require.NoError(b, err, string(out))
		body, err := json.Marshal(map[string]any{"event": "pre-tool", "tool": "http",
			"args":       map[string]string{"command": "ls"},
			"session_id": "", "cwd": dir, "transcript_path": nil, "prompt": "", "hook_event_name": "PreToolUse",
			"tool_name":  "http",
			"tool_input": map[string]string{"command": "ls"}, "tool_use_id": ""})
		require.NoError(b, err)
		bare := newEcho(b, build.Args[3], server.URL)
		line, post := call("pre-tool", "http", ""), append(body, '\n')
		require.Equal(b, "{}\n", bare.ask(post))
		var ours, floor []time.Duration
		for b.Loop() {
			ours = append(ours, serve.timed(line))
			floor = append(floor, bare.timed(post))
		}
		report(b, ours, floor)
	})
	b.Run("persistent-python/spawned", func(b *testing.B) {
		line, spawned := call("pre-tool", "stays", ""), call("pre-tool", "spawned", "")
		var ours, floor []time.Duration
		for b.Loop() {
			for range 10 { // it must not stand in the shadow of a process that just ended
				ours = append(ours, serve.timed(line))
			}
			floor = append(floor, serve.timed(spawned))
		}
		report(b, ours, floor)
	})
	b.Run("10MB-through-cat/cat", func(b *testing.B) {
		big := strings.Repeat("a line of output ", 10<<20/17)
		line := call("post-tool", "cat", `,"result":"`+big+`"`)
		payload := []byte(big + big) // the result stands in the payload twice
		var ours, floor []time.Duration
		for b.Loop() {
			ours = append(ours, serve.timed(line))
			floor = append(floor, timed(b, []string{"cat"}, payload))
		}
		report(b, ours, floor)
	})
}

// listener is one kept connection to a server that listens for HTTP.
type listener struct {
	*testing.B
	conn net.Conn
	in   *bufio.Reader
}

func newListener(b *testing.B, dir string) *listener {
	server := exec.Command(binary.Path, "serve", "-C", dir, "--listen", "127.0.0.1:0")
	out, err := server.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, server.Start())
	b.Cleanup(func() { _ = server.Process.Kill() })
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(b, err)
	conn, err := net.Dial("tcp", strings.TrimSpace(strings.TrimPrefix(line, "listening on ")))
	require.NoError(b, err)
	b.Cleanup(func() { conn.Close() })
	return &listener{b, conn, bufio.NewReader(conn)}
}

func (l *listener) timed(line []byte) time.Duration {
	begin := time.Now()
	_, err := fmt.Fprintf(l.conn, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"+
		"Content-Length: %d\r\n\r\n%s", len(line), line)
	require.NoError(l, err)
	answer, err := http.ReadResponse(l.in, nil)
	require.NoError(l, err)
	_, err = io.Copy(io.Discard, answer.Body)
	require.NoError(l, err)
	return time.Since(begin)
}

// report gives the medians and their ratio.
func report(b *testing.B, ours, floor []time.Duration) {
	s, f := median(ours), median(floor)
	b.ReportMetric(float64(s.Nanoseconds())/1e6, "ms")
	b.ReportMetric(float64(f.Nanoseconds())/1e6, "floor-ms")
	b.ReportMetric(float64(s)/float64(f), "ratio")
	b.ReportMetric(0, "ns/op")
}

// echo is a process that answers each line with a line.
type echo struct {
	*testing.B
	in  *os.File
	out *bufio.Reader
}

func newEcho(b *testing.B, argv ...string) *echo {
	theirs, in, err := os.Pipe()
	require.NoError(b, err)
	out, answers, err := os.Pipe()
	require.NoError(b, err)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, answers, os.Stderr
	require.NoError(b, cmd.Start())
	theirs.Close()
	answers.Close()
	b.Cleanup(func() {
		in.Close()
		_ = cmd.Wait()
		out.Close()
	})
	return &echo{b, in, bufio.NewReaderSize(out, 1<<20)}
}

func (e *echo) ask(line []byte) string {
	_, err := e.in.Write(line)
	require.NoError(e, err)
	answer, err := e.out.ReadString('\n')
	require.NoError(e, err)
	return answer
}

func (e *echo) timed(line []byte) time.Duration {
	begin := time.Now()
	e.ask(line)
	return time.Since(begin)
}
