//go:build linux

package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// badCollector takes batches, and drops, delays and refuses others. Now and then it kills the sender, before or after
// it has taken a batch.
type badCollector struct {
	*testing.T
	mu       sync.Mutex
	taken    []uint8 // how often each call was taken
	total    int
	doubtful map[int]bool // first calls of batches that were taken without the sender knowing
	kills    int          // still to come
	each     int          // calls between two kills
	sender   *os.Process
	peak     int // KiB of memory that a sender had
	random   *rand.Rand
}

func (c *badCollector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the sender was killed
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	const key = `"gen_ai.tool.call.id","value":{"stringValue":"`
	var ids []int
	for rest := body; ; {
		_, after, found := bytes.Cut(rest, []byte(key))
		if !found {
			break
		}
		id, _ := strconv.Atoi(string(after[:bytes.IndexByte(after, '"')]))
		ids, rest = append(ids, id), after
	}
	if len(ids) == 0 || !json.Valid(body) {
		c.Errorf("no batch: %.300s", body)
		return
	}
	c.peak = max(c.peak, peakMemory(c.sender.Pid))
	take := func() {
		for _, id := range ids {
			c.taken[id]++
		}
		c.total += len(ids)
	}
	// A batch may be taken without the sender knowing, once.
	loses := c.random.IntN(2) == 0 && !c.doubtful[ids[0]]
	lose := func() {
		if loses {
			take()
			c.doubtful[ids[0]] = true
		}
	}
	switch p := c.random.IntN(100); {
	case c.kills > 0 && c.total >= c.each*(1+senderKills-c.kills):
		lose()
		c.kills--
		_ = c.sender.Kill()
		panic(http.ErrAbortHandler)
	case p < 4:
		lose()
		panic(http.ErrAbortHandler)
	case p < 7: // no answer until the sender has given up
		lose()
		<-r.Context().Done()
	case p < 11:
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(http.StatusTooManyRequests)
	case p < 15:
		w.WriteHeader(http.StatusServiceUnavailable)
	default:
		take()
		fmt.Fprint(w, `{"partialSuccess":{}}`)
	}
}

// peakMemory returns the most memory that a process has had, in KiB; 0: it has ended. The figure of wait4 would include
// the memory of this process, which forks.
func peakMemory(pid int) (size int) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	_, _ = fmt.Sscan(rest, &size)
	return size
}

// senderKills is how often the sender is killed.
const senderKills = 20

// A log arrives whole at a collector that drops, delays and refuses batches, and through kills of the sender: each call
// once or twice. The sender's memory does not grow with the log. HOOKRUN_TEST_LINES says how many calls.
func TestLogOTLPLosesNothing(t *testing.T) {
	t.Parallel()
	lines := testall.Of(5_000, 50_000)
	if text := os.Getenv("HOOKRUN_TEST_LINES"); text != "" {
		var err error
		lines, err = strconv.Atoi(text)
		require.NoError(t, err)
	}
	dir := t.TempDir()
	writeCalls(t, filepath.Join(dir, "run.log"), lines)
	c := &badCollector{T: t, taken: make([]uint8, lines), doubtful: map[int]bool{}, kills: senderKills,
		each: lines / (senderKills + 1), random: rand.New(rand.NewPCG(1, 2))}
	server := httptest.NewServer(c)
	defer server.Close()

	began, runs := time.Now(), 0
	for {
		cmd := exec.Command(binary.Path, "log", "run.log", "--otlp", server.URL+"/v1/logs", "--once")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "HOOKRUN_STATE="+filepath.Join(dir, "state"), "OTEL_EXPORTER_OTLP_TIMEOUT=300")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		c.mu.Lock()
		require.NoError(t, cmd.Start())
		c.sender = cmd.Process
		c.mu.Unlock()
		err := cmd.Wait()
		runs++
		if err == nil {
			break
		}
		status := cmd.ProcessState.Sys().(syscall.WaitStatus)
		require.True(t, status.Signaled() && status.Signal() == syscall.SIGKILL, "%v\n%s", err, stderr.String())
	}
	took := time.Since(began)
	c.mu.Lock()
	defer c.mu.Unlock()
	twice := 0
	for id, n := range c.taken {
		require.True(t, n == 1 || n == 2, "call %d came %d times", id, n)
		twice += int(n) - 1
	}
	require.Equal(t, senderKills+1, runs)
	require.NotZero(t, c.peak)
	require.Less(t, c.peak, 100<<10, "KiB")
	t.Logf("%d calls in %v, %.0f a second; %d twice; at most %d KiB", lines, took.Round(time.Millisecond),
		float64(lines)/took.Seconds(), twice, c.peak)
}

// writeCalls writes a log of four parts.
func writeCalls(t *testing.T, path string, lines int) {
	for part := range 4 {
		name := path
		if part < 3 {
			name = fmt.Sprintf("%s.%d", path, 3-part)
		}
		file, err := os.Create(name)
		require.NoError(t, err)
		out := bufio.NewWriter(file)
		for n := part * lines / 4; n < (part+1)*lines/4; n++ {
			at := time.Unix(1_795_000_000, 0).Add(time.Duration(n) * time.Millisecond).UTC()
			fmt.Fprintf(out, `{"version":1,"time":%q,"command":"fire","client":"claude","pid":%d,"session_id":"s%d",`+
				`"workspace":"/home/u/project","tool_use_id":"%d","args":{"command":"go test ./... # %d"},"outcome":{`+
				`"version":1,"event":"PreToolUse","tool":"Bash","decision":"continue","hooks":[{"name":"guard",`+
				`"source":"/home/u/project/.tenex-hooks.json:3","status":"ok","duration_ms":1.5}],"duration_ms":2}}`+
				"\n", at.Format("2006-01-02T15:04:05.000000Z"), 1000+n%30_000, n/100, n, n)
		}
		require.NoError(t, out.Flush())
		require.NoError(t, file.Close())
	}
}

// The sender waits for a log, sends calls as they come, and ends with its signal after the request that is under way.
func TestLogOTLPFollows(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	binary.WriteFile(t, dir, ".tenex-hooks.json", `{"packs":["git"]}`)
	bodies, stop := make(chan string, 10), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		bodies <- string(body)
		<-stop
		fmt.Fprint(w, "{}")
	}))
	defer server.Close()
	state := "HOOKRUN_STATE=" + filepath.Join(dir, "state")
	cmd := exec.Command(binary.Path, "log", "run.log", "--otlp")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), state, "OTEL_EXPORTER_OTLP_ENDPOINT="+server.URL, "OTEL_SERVICE_NAME=gate")
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	defer cmd.Process.Kill()
	line, err := bufio.NewReader(stderr).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "hookrun log: waiting for "+filepath.Join(dir, "run.log")+"\n", line)

	done := binary.Run(t, dir, "", []string{state}, binary.Path, "pre-tool", "--log", "run.log", "--tool", "shell",
		"--args", `{"command":"git push --force"}`)
	require.Equal(t, 2, done.Code, done.Stderr)
	body := <-bodies
	for _, want := range []string{`"gate"`, `"hookrun.decision"`, `"git/no-force-push"`, `"WARN"`} {
		require.Contains(t, body, want)
	}
	require.NotContains(t, body, "arguments")
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	close(stop)
	require.NoError(t, cmd.Wait())
	sent := stdout.String()
	again := func() string {
		return binary.Run(t, dir, "", []string{state, "OTEL_EXPORTER_OTLP_ENDPOINT=" + server.URL}, binary.Path, "log",
			"run.log", "--otlp", "--once").Stdout
	}
	if sent == "1 sent\n" { // SIGTERM came before the call's heartbeat
		require.Equal(t, "1 sent\n", again())
	} else {
		require.Equal(t, "2 sent\n", sent)
	}
	require.Equal(t, "0 sent\n", again(), "the position was saved")
}
