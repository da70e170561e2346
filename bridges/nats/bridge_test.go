package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/testsupport/testall"
	"github.com/hookrun/hookrun/internal/texts/queue"
)

// limit returns a context for a test that waits for other processes.
func limit(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// startBridge starts a bridge for the agent planner that ends with the test.
func startBridge(t *testing.T, address, state string, args ...string) *process {
	b := newBridge(t, address, state, append([]string{"--agent", "planner", "--session", "s1"}, args...)...)
	b.start(t)
	t.Cleanup(b.kill)
	return b
}

// reports returns the next reports that the server has.
func reports(ctx context.Context, t *testing.T, c client, n int) (ends []end) {
	var consumer jetstream.Consumer
	require.Eventually(t, func() (made bool) {
		var err error
		consumer, err = c.js.OrderedConsumer(ctx, reportsStream, jetstream.OrderedConsumerConfig{})
		return err == nil
	}, time.Minute, 50*time.Millisecond)
	messages, err := consumer.Messages()
	require.NoError(t, err)
	defer messages.Stop()
	for range n {
		m, err := messages.Next(jetstream.NextContext(ctx))
		require.NoError(t, err)
		var e end
		require.NoError(t, json.Unmarshal(m.Data(), &e))
		require.False(t, e.At.IsZero())
		e.At = time.Time{}
		ends = append(ends, e)
	}
	return ends
}

// queued waits until the queue has so many texts.
func queued(t *testing.T, dir string, n int) []string {
	t.Helper()
	require.Eventually(t, func() bool { return len(waiting(t, dir)) >= n }, time.Minute, 20*time.Millisecond)
	return waiting(t, dir)
}

// bridged returns a server with a bridge that is ready, and a client.
func bridged(t *testing.T, state string) (server *process, c client) {
	server, address := startServer(t)
	startBridge(t, address, state).wait(t)
	return server, connect(t, address)
}

// TestDelivery: the real hookrun prints a text after a tool, and the end of the text is reported.
func TestDelivery(t *testing.T) {
	t.Parallel()
	ctx, dir := limit(t), t.TempDir()
	_, c := bridged(t, dir)
	require.NoError(t, c.publish(ctx, "planner", "Use the staging database.", "Nats-Msg-Id", "1",
		"Hookrun-Source", "Boss"))
	require.NoError(t, c.publish(ctx, "planner", "After the shell only.", "Nats-Msg-Id", "2",
		"Hookrun-Matcher", "shell"))
	require.NoError(t, c.publish(ctx, "planner", "Late.", "Nats-Msg-Id", "3", "Hookrun-TTL", "1ns"))
	require.NoError(t, c.publish(ctx, "planner", "For s2.", "Hookrun-Session", "s2"))
	queued(t, dir, 2)

	cmd := exec.Command(build(t, "hookrun", "../.."), "post-tool", "--session-id", "s1", "--agent-id", "planner",
		"--tool", "fs_read", "--tool-use-id", "call_7", "--result", "ok")
	cmd.Env = append(os.Environ(), "HOOKRUN_STATE="+dir)
	cmd.Dir = t.TempDir()
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Equal(t, "Use the staging database.\n", string(out))
	require.Equal(t, []string{"After the shell only."}, waiting(t, dir))

	planner := "planner"
	ends := map[string]end{}
	for _, e := range reports(ctx, t, c, 2) {
		ends[e.ID] = e
	}
	require.Equal(t, map[string]end{
		"1": {ID: "1", Agent: planner, Session: "s1", Status: "delivered", ReadBy: &planner, Tool: "fs_read",
			ToolUseID: "call_7"},
		"3": {ID: "3", Agent: planner, Status: "expired", Reason: "its time was over before it came to this machine"},
	}, ends)
	record, err := (&queue.Queue{Dir: dir}).History(ctx, "s1")
	require.NoError(t, err)
	require.Equal(t, "boss", record[0].Source)
	require.Eventually(t, func() bool {
		other, err := (&queue.Queue{Dir: dir}).Waiting(ctx, "s2")
		return err == nil && len(other) == 1 && other[0].Content == "For s2."
	}, time.Minute, 20*time.Millisecond)
}

// TestPoison: a message that is no text leaves the server, is reported with a reason, and holds no other up.
func TestPoison(t *testing.T) {
	t.Parallel()
	ctx, dir := limit(t), t.TempDir()
	_, c := bridged(t, dir)
	poison := [][]string{
		{"", "0"},
		{"  \n", "1"},
		{"a", strings.Repeat("2", 129)},
		{"a\xffb", "3"},
		{"a", "4", "Hookrun-Priority", "high"},
		{"a", "5", "Hookrun-Strategy", "shout"},
		{"a", "6", "Hookrun-TTL", "soon"},
		{"a", "7", "Hookrun-Matcher", "|"},
		{"a", "8", "Hookrun-Session", ""},
	}
	for _, p := range poison {
		require.NoError(t, c.publish(ctx, "planner", p[0], append([]string{"Nats-Msg-Id", p[1]}, p[2:]...)...))
	}
	require.NoError(t, c.publish(ctx, "planner", "good", "Nats-Msg-Id", "good"))
	require.Equal(t, []string{"good"}, queued(t, dir, 1))
	for _, e := range reports(ctx, t, c, len(poison)) {
		require.Equal(t, "rejected", e.Status)
		require.NotEmpty(t, e.Reason)
	}
	require.Eventually(t, func() bool {
		stream, err := c.js.Stream(ctx, textsStream)
		return err == nil && stream.CachedInfo().State.Msgs == 0
	}, time.Minute, 50*time.Millisecond)
}

// TestServerForgets: a text that is published again after the server has forgotten its ID is not queued again.
func TestServerForgets(t *testing.T) {
	t.Parallel()
	ctx, dir := limit(t), t.TempDir()
	server, c := bridged(t, dir)
	require.NoError(t, c.publish(ctx, "planner", "one", "Nats-Msg-Id", "1"))
	queued(t, dir, 1)
	stream, err := c.js.Stream(ctx, textsStream)
	require.NoError(t, err)
	require.Eventually(t, func() bool { // the text is acknowledged
		info, err := stream.Info(ctx)
		return err == nil && info.State.Msgs == 0
	}, time.Minute, 20*time.Millisecond)
	server.kill()
	server.start(t)
	server.wait(t)
	require.NoError(t, c.publish(ctx, "planner", "one", "Nats-Msg-Id", "1"))
	require.NoError(t, c.publish(ctx, "planner", "two", "Nats-Msg-Id", "2"))
	require.Equal(t, []string{"one", "two"}, queued(t, dir, 2))
	info, err := stream.Info(ctx)
	require.NoError(t, err)
	require.EqualValues(t, 3, info.State.LastSeq, "the server did not forget: this test shows nothing")
}

// TestWaits: a bridge waits for its server and for the queue, says so once, and ends at SIGTERM in any state.
func TestWaits(t *testing.T) {
	testall.NotOnWindows(t, "it ends the bridge with SIGTERM")
	t.Parallel()
	ctx, dir := limit(t), t.TempDir()
	server, address := newServer(t)
	bridge := startBridge(t, address, dir)
	bridge.ready = "no connection"
	require.Eventually(t, func() bool { return strings.Contains(bridge.lines.String(), "no connection") }, time.Minute,
		20*time.Millisecond)
	require.NoError(t, bridge.cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, bridge.cmd.Wait(), bridge.lines)

	bridge = startBridge(t, address, dir)
	server.start(t)
	server.wait(t)
	t.Cleanup(func() { server.kill() })
	bridge.wait(t)
	require.LessOrEqual(t, strings.Count(bridge.lines.String(), "no connection"), 1, bridge.lines)

	blocker := filepath.Join(dir, "queue")
	require.NoError(t, os.WriteFile(blocker, nil, 0o600))
	c := connect(t, address)
	require.NoError(t, c.publish(ctx, "planner", "one", "Nats-Msg-Id", "1"))
	require.NoError(t, c.publish(ctx, "planner", "two", "Nats-Msg-Id", "2"))
	require.Eventually(t, func() bool { return strings.Contains(bridge.lines.String(), "1 is not queued yet") },
		time.Minute, 20*time.Millisecond)
	require.NoError(t, bridge.cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, bridge.cmd.Wait(), bridge.lines)
	require.Equal(t, 1, strings.Count(bridge.lines.String(), "is not queued yet"), bridge.lines)
	require.NoError(t, os.Remove(blocker))
	startBridge(t, address, dir)
	require.Equal(t, []string{"one", "two"}, queued(t, dir, 2))
}
