//go:build unix

package examples

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// lines are the JSON objects of a file, one a line.
func (r *bashRoom) lines(name string) (all []binary.Object) {
	r.Helper()
	text, err := os.ReadFile(filepath.Join(r.dir, name))
	require.NoError(r, err)
	require.True(r, bytes.HasSuffix(text, []byte("\n")))
	for line := range strings.Lines(string(text)) {
		record := r.object(line)
		when, err := time.Parse(time.RFC3339, record["timestamp"].(string))
		require.NoError(r, err)
		require.WithinDuration(r, time.Now(), when, time.Hour)
		delete(record, "timestamp")
		all = append(all, record)
	}
	return all
}

// together has four processes of a program answer calls at the same time, which they do more closely than one process
// for each: those would be starting most of their time.
func (r *bashRoom) together(program string, calls []string, env ...string) {
	r.Helper()
	ended := make([]binary.Result, 4)
	var all sync.WaitGroup
	for i := range ended {
		lines := strings.Join(calls[i*len(calls)/len(ended):(i+1)*len(calls)/len(ended)], "\n")
		all.Go(func() { ended[i] = binary.Run(r.T, r.dir, lines, append(env, r.env...), r.argv(program)...) })
	}
	all.Wait()
	for _, done := range ended {
		require.Equal(r, 0, done.Code, done.Stderr)
		require.Equal(r, len(calls)/len(ended), strings.Count(done.Stdout, "\n"), "each call has its answer")
		require.Empty(r, done.Stderr)
	}
}

func TestGuardsOfTheLifecycle(t *testing.T) {
	testall.Only(t, "each row starts Python many times")
	t.Run("U12 stop", func(t *testing.T) {
		t.Parallel()
		r := newBashRoom(t, "w")
		require.Empty(t, r.fire("Stop", "agent_stop.py",
			`{"hook_event_name":"Stop","session_id":"s1","transcript_path":"/t","stop_hook_active":false}`))
		require.Empty(t, r.once("agent_stop.py",
			`{"hook_event_name":"Stop","session_id":["s"],"transcript_path":null}`, "CLAUDE_PROJECT_DIR="+r.dir))
		require.Equal(t, []binary.Object{{"event": "Stop", "session_id": "s1", "transcript_path": "/t"},
			{"event": "Stop"}}, r.lines(".hookrun/stops.jsonl"))

		elsewhere := "agent_stop.py --log=logs/of/stops.jsonl"
		calls := []string{}
		for i := range 100 {
			calls = append(calls, fmt.Sprintf(`{"hook_event_name":"Stop","session_id":"%d%s"}`, i,
				strings.Repeat("é", 5000)))
		}
		r.together(elsewhere, calls, "CLAUDE_PROJECT_DIR="+r.dir)
		seen := map[string]bool{}
		for _, record := range r.lines("logs/of/stops.jsonl") {
			seen[record["session_id"].(string)] = true
			require.Len(t, []rune(record["session_id"].(string)), 2000)
		}
		require.Len(t, seen, 100)
	})

	t.Run("U12 subagent stop", func(t *testing.T) {
		t.Parallel()
		r := newBashRoom(t, "[w]*") // which is no pattern
		stop := func() string {
			answer := r.fire("SubagentStop", "agent_stop.py",
				`{"hook_event_name":"SubagentStop","session_id":"s","agent_id":"a1","agent_type":"researcher"}`)
			require.Len(t, answer, 1, "it holds nothing up")
			return answer["systemMessage"].(string)
		}
		require.Contains(t, stop(), "neither a report nor search results")
		binary.WriteFile(t, r.dir, "search_results/1.txt", "")
		binary.WriteFile(t, r.dir, "work_products/report.md", "")
		binary.WriteFile(t, r.dir, "work_products/below/report.html", "")
		require.Contains(t, stop(), "neither a report nor search results")
		binary.WriteFile(t, r.dir, "search_results/1.md", "")
		binary.WriteFile(t, r.dir, "search_results/2.md", "")
		require.Contains(t, stop(), "without a report, but search_results has 2 file(s)")
		binary.WriteFile(t, r.dir, "work_products/b.html", "")
		require.Contains(t, stop(), "there is a report in work_products: b.html.")
		for _, name := range []string{"a", "c", "d", "e", "f"} {
			binary.WriteFile(t, r.dir, "work_products/"+name+".html", "")
		}
		require.Contains(t, stop(), ": a.html, b.html, c.html, d.html, e.html, ….")
		var left []any
		for _, record := range r.lines(".hookrun/stops.jsonl") {
			require.Equal(t, "a1", record["agent_id"])
			require.Equal(t, "researcher", record["agent_type"])
			left = append(left, record["left"])
		}
		require.Equal(t, []any{"nothing", "nothing", "data", "report", "report"}, left)

		answer := r.once("agent_stop.py", `{"hook_event_name":"SubagentStop"}`)
		require.Contains(t, answer["systemMessage"], "Nobody knows its workspace")
		calls := []string{`{"hook_event_name":"SubagentStop"}`, `{"hook_event_name":"Stop"}`,
			`{"hook_event_name":"SubagentStop"}`}
		stays := r.stays("agent_stop.py", calls, "CURRENT_SESSION_WORKSPACE="+r.dir)
		require.Equal(t, stays[0], stays[2])
		require.Contains(t, stays[0]["systemMessage"], "a.html")
		require.Empty(t, stays[1])
	})

	t.Run("U12 the record cannot be written", func(t *testing.T) {
		t.Parallel()
		r := newBashRoom(t, "w")
		binary.WriteFile(t, r.dir, ".hookrun", "a file")
		// to open it would be to wait for a reader
		require.NoError(t, syscall.Mkfifo(filepath.Join(r.dir, "pipe"), 0o600))
		for _, program := range []string{"agent_stop.py", "agent_stop.py --log=pipe"} {
			answer, stderr := r.noisy(program, `{"hook_event_name":"SubagentStop"}`, "CLAUDE_PROJECT_DIR="+r.dir)
			require.Contains(t, answer["systemMessage"], "neither a report nor search results")
			require.Contains(t, stderr, "no record was written")
		}
	})

	t.Run("U13 pre-compact", func(t *testing.T) {
		t.Parallel()
		r := newBashRoom(t, "w")
		binary.WriteFile(t, r.dir, "t.jsonl", "12345678\n")
		transcript := filepath.Join(r.dir, "t.jsonl")
		require.NotContains(t, r.fire("PreCompact", "pre_compact.py",
			`{"hook_event_name":"PreCompact","session_id":"s","trigger":"auto","transcript_path":`+binary.JSON(t,
				transcript)+`}`), "decision")
		calls := []string{
			`{"hook_event_name":"PreCompact","session_id":"s","trigger":"manual","transcript_path":"/nonexistent"}`,
			`{"hook_event_name":"PreCompact","session_id":"s","trigger":"odd"}`,
			`{"session_id":"other","trigger":["auto"],"transcript_path":7}`,
		}
		for _, call := range calls {
			require.Equal(t, binary.Object{"continue": true},
				r.once("pre_compact.py", call, "CLAUDE_PROJECT_DIR="+r.dir))
		}
		require.Equal(t, []binary.Object{
			{"count": 1.0, "trigger": "auto", "session_id": "s", "transcript_path": transcript,
				"transcript_size_bytes": 9.0},
			{"count": 2.0, "trigger": "manual", "session_id": "s", "transcript_path": "/nonexistent"},
			{"count": 3.0, "trigger": "unknown", "session_id": "s", "transcript_path": nil},
			{"count": 1.0, "trigger": "unknown", "session_id": "other", "transcript_path": nil},
		}, r.lines(".hookrun/compactions.jsonl"))
		done := binary.Run(t, r.dir, calls[0], r.env, binary.Path, "fire", "-c", "settings.json", "-o", "json")
		require.Equal(t, 0, done.Code)
		require.NotContains(t, done.Stdout, "warnings")
		require.NotContains(t, done.Stdout, `"stop"`)
	})

	t.Run("U13 at once", func(t *testing.T) {
		testall.Only(t, "U12 stop writes from several processes too")
		t.Parallel()
		r := newBashRoom(t, "w")
		call := `{"hook_event_name":"PreCompact","session_id":"s"}`
		calls := strings.Split(strings.Repeat(call+"\n", 199)+call, "\n")
		r.together("pre_compact.py --log=c.jsonl", calls, "CLAUDE_PROJECT_DIR="+r.dir)
		records := r.lines("c.jsonl")
		require.Len(t, records, 200)
		for i, record := range records {
			require.Equal(t, float64(i+1), record["count"], "each number once, and in order")
		}
	})

	t.Run("U13 memory flush", func(t *testing.T) {
		testall.Only(t, "it reads transcripts of megabytes")
		t.Parallel()
		r := newBashRoom(t, "w", "CLAUDE_PROJECT_DIR=")
		r.env = append(r.env, "CLAUDE_PROJECT_DIR="+r.dir)
		var transcript strings.Builder
		for i := range 20_000 { // more than is read
			fmt.Fprintf(&transcript, `{"type":"user","message":{"role":"user","content":"number %d %s"}}`+"\n", i,
				strings.Repeat("x", 60))
		}
		transcript.WriteString(`{"message":{"role":"assistant","content":[{"type":"text","text":"größer ` +
			`✓"},{"type":"tool_use","name":"Bash"}]}}` + "\n")
		transcript.WriteString(`{"type":"summary"}` + "\nno JSON\n" +
			`{"message":{"role":"user","content":[{"type":"text"}]}}` + "\n" + `{"message":{"content":[7]}}` + "\n" +
			`{"message":{"role":"user","con`)
		binary.WriteFile(t, r.dir, "t.jsonl", transcript.String())
		call := `{"hook_event_name":"PreCompact","session_id":"s","transcript_path":` + binary.JSON(t,
			filepath.Join(r.dir, "t.jsonl")) + `}`
		memory := func(env ...string) string {
			require.Equal(t, binary.Object{"continue": true},
				r.once("pre_compact.py --memory=memory/m.md", call, env...))
			text, err := os.ReadFile(filepath.Join(r.dir, "memory/m.md"))
			if os.IsNotExist(err) {
				return ""
			}
			require.NoError(t, err)
			require.NoError(t, os.Remove(filepath.Join(r.dir, "memory/m.md")))
			head, body, found := strings.Cut(string(text), " of session s\n\n")
			require.True(t, found, head)
			require.Regexp(t, `^## 20.*: compaction \d+$`, head)
			return strings.TrimSuffix(body, "\n")
		}
		require.Equal(t, "größer ✓\n", memory("UA_MEMORY_FLUSH_MAX_CHARS=9"))
		for _, limit := range []string{"", "many"} {
			text := memory("UA_MEMORY_FLUSH_MAX_CHARS=" + limit)
			require.Len(t, []rune(text), 4000)
			require.True(t, strings.HasSuffix(text, "user: number 19999 "+strings.Repeat("x", 60)+
				"\nassistant: größer ✓\n"), text)
		}
		require.Empty(t, memory("UA_MEMORY_FLUSH_MAX_CHARS=0"))
		require.Empty(t, memory("UA_MEMORY_FLUSH_MAX_CHARS=-1"))
	})

	t.Run("U13 what goes wrong holds nothing up", func(t *testing.T) {
		t.Parallel()
		r := newBashRoom(t, "w")
		require.NoError(t, syscall.Mkfifo(filepath.Join(r.dir, "pipe"), 0o600))
		call := `{"session_id":"s","transcript_path":` + binary.JSON(t, filepath.Join(r.dir, "pipe")) + `}`
		require.Equal(t, binary.Object{"continue": true},
			r.once("pre_compact.py --memory=m.md", call, "CLAUDE_PROJECT_DIR="+r.dir))
		require.NotContains(t, r.lines(".hookrun/compactions.jsonl")[0], "transcript_size_bytes")
		for program, env := range map[string]string{"pre_compact.py --memory=/nonexistent": r.dir,
			"pre_compact.py --nosuch": r.dir, "pre_compact.py --log=pipe/x": r.dir, "pre_compact.py": "/dev/null"} {
			answer, stderr := r.noisy(program, `{"session_id":"s","transcript_path":`+binary.JSON(t,
				filepath.Join(r.dir, ".hooks/guards.json"))+`}`, "CLAUDE_PROJECT_DIR="+env)
			require.Equal(t, binary.Object{"continue": true}, answer, program)
			if !strings.Contains(program, "memory") { // that file is no transcript, so there is nothing to save
				require.NotEmpty(t, stderr, program)
			}
		}
		binary.WriteFile(t, r.dir, ".hookrun/compactions.jsonl.counts", `{"s": 4`)
		answer, stderr := r.noisy("pre_compact.py", call, "CLAUDE_PROJECT_DIR="+r.dir)
		require.Equal(t, binary.Object{"continue": true}, answer)
		require.Contains(t, stderr, "pre_compact.py: JSONDecodeError")
		text, err := os.ReadFile(filepath.Join(r.dir, ".hookrun/compactions.jsonl.counts"))
		require.NoError(t, err)
		require.Equal(t, `{"s": 4`, string(text), "what a person broke is theirs to mend")
		for _, program := range []string{"pre_compact.py", "agent_stop.py"} {
			answer, stderr := r.noisy(program, "{")
			require.Empty(t, answer)
			require.Contains(t, stderr, program+" could not check this call")
		}
	})
}
