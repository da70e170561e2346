//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/e2e/rpc"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// given is what an outcome has from a queue.
type given struct {
	Inject   []struct{ Content, Strategy, Source, ID string }
	Warnings []string
}

func (g given) texts() (texts []string) {
	for _, in := range g.Inject {
		texts = append(texts, in.Content)
	}
	return texts
}

// queued puts a text into a queue by the command.
func queued(t *testing.T, state, session, text string, flags ...string) {
	t.Helper()
	out, err := exec.Command(binary.Path, append([]string{"inject", "--state", state, "--session", session, text},
		flags...)...).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// TestServeDelivers: with and without hooks, by session and agent, and what could not be answered waits on.
func TestServeDelivers(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	s := rpc.NewServer(t, rpc.PreTool("gate", "shell", []string{"true"}, binary.Hook{"events": []string{"post-tool"}}))
	c := s.Stdio("--state", state)
	after := func(tool, session, agent string) given {
		t.Helper()
		reply := c.Call("post-tool", binary.Hook{"tool": tool, "session_id": session, "agent_id": agent})
		require.Nil(t, reply.Error)
		var g given
		require.NoError(t, json.Unmarshal(reply.Result, &g))
		return g
	}
	require.Empty(t, after("shell", "s1", "a").Inject)
	queued(t, state, "s1", "one", "--agent", "a", "--source", "CI", "--strategy", "user_message")
	queued(t, state, "s1", "two")
	require.Empty(t, after("shell", "s2", "a").Inject)
	got := after("shell", "s1", "a")
	require.Equal(t, []string{"one", "two"}, got.texts())
	require.Equal(t, "ci", got.Inject[0].Source)
	require.Equal(t, "user_message", got.Inject[0].Strategy)
	require.Equal(t, []string{"two"}, after("other", "s1", "b").texts()) // for which there is no hook
	require.Empty(t, after("shell", "s1", "a").Inject)
	require.Eventually(t, func() bool { // on a busy machine the time may be over before inject has written it
		args := []string{"inject", "--state", state, "--session", "s1", "three", "--ttl", "1ms"}
		return exec.Command(binary.Path, args...).Run() == nil
	}, binary.Patience, time.Millisecond)
	require.Len(t, after("shell", "s1", "a").Warnings, 1)

	// A call without an answer is not made, so nothing is taken out for it.
	queued(t, state, "s1", "four", "--agent", "a")
	c.Line(`{"jsonrpc":"2.0","method":"post-tool","params":{"tool":"shell","session_id":"s1","agent_id":"a"}}`)
	require.Equal(t, []string{"four"}, after("shell", "s1", "a").texts())
}

// TestQueueOfKilledProcesses: whoever dies in the middle, each text that inject has reported is printed, and once: but
// what a reader printed that was killed before it could take it out, which has the same id.
func TestQueueOfKilledProcesses(t *testing.T) {
	t.Parallel()
	const writers, readers = 4, 3
	texts := testall.Of(8, 25)
	state := t.TempDir()
	var mu sync.Mutex
	reported := map[string]bool{}       // ids
	printed := map[string][]bool{}      // for each id: whether the process that printed it was killed
	running := map[*exec.Cmd]struct{}{} // that may be killed
	killed := map[*exec.Cmd]bool{}      // that were
	run := func(args ...string) (string, bool) {
		cmd := exec.Command(binary.Path, append(args[:1:1], append([]string{"--state", state}, args[1:]...)...)...)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		mu.Lock()
		require.NoError(t, cmd.Start())
		running[cmd] = struct{}{}
		mu.Unlock()
		text, err := io.ReadAll(out)
		require.NoError(t, err)
		mu.Lock()
		delete(running, cmd) // before Wait: a pid that was waited for may be somebody else's
		mu.Unlock()
		err = cmd.Wait()
		mu.Lock()
		defer mu.Unlock()
		if !killed[cmd] {
			require.NoError(t, err)
		}
		return string(text), killed[cmd]
	}
	read := func() bool {
		line, dead := run("post-tool", "--session-id", "s", "--agent-id", "a", "--tool", "x", "-o", "json")
		if line == "" { // it was killed before
			require.True(t, dead)
			return true
		}
		var g given
		require.NoError(t, json.Unmarshal([]byte(line), &g), "%q", line) // printed in one piece
		mu.Lock()
		defer mu.Unlock()
		for _, in := range g.Inject {
			printed[in.ID] = append(printed[in.ID], dead)
		}
		return len(g.Inject) > 0
	}
	done := make(chan struct{})
	var all, writing sync.WaitGroup
	for w := range writers {
		writing.Go(func() {
			for i := 0; i < texts; {
				out, dead := run("inject", "--session", "s", "--agent", "a", "--", fmt.Sprintf("%d/%d", w, i))
				mu.Lock()
				if id := strings.TrimSpace(out); id != "" {
					reported[id] = true
				}
				mu.Unlock()
				if !dead {
					i++
				}
			}
		})
	}
	for range readers {
		all.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					read()
				}
			}
		})
	}
	all.Go(func() { // the killer, who has an end: on a busy machine few processes would live as long as it leaves them
		random := rand.New(rand.NewPCG(1, 2))
		for kills := 0; kills < writers*texts; {
			select {
			case <-done:
				return
			case <-time.After(time.Duration(random.IntN(12)) * time.Millisecond):
			}
			mu.Lock()
			for cmd := range running {
				if !killed[cmd] && random.IntN(3) == 0 {
					killed[cmd] = true
					kills++
					_ = cmd.Process.Kill()
					break
				}
			}
			mu.Unlock()
		}
	})
	writing.Wait()
	close(done)
	all.Wait()
	for read() { // what is left
	}
	require.GreaterOrEqual(t, len(reported), writers*texts)
	for id := range reported {
		require.NotEmpty(t, printed[id], "%s was lost", id)
	}
	for id, by := range printed {
		alive := len(slices.DeleteFunc(slices.Clone(by), func(dead bool) bool { return dead }))
		require.LessOrEqual(t, alive, 1, "%s was given %d times by processes that lived", id, alive)
	}
	t.Logf("%d texts, %d processes killed, %d printed more than once", len(reported), len(killed), func() (n int) {
		for by := range maps.Values(printed) {
			if len(by) > 1 {
				n++
			}
		}
		return n
	}())
	out, err := exec.Command(binary.Path, "queue", "--session", "s", "--state", state).CombinedOutput()
	require.NoError(t, err)
	require.Empty(t, string(out))
}
