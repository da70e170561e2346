package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/queue"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// soak is what TestSoak knows.
type soak struct {
	sync.Mutex
	got   map[string][]string // texts by agent, in the order in which the agent got them
	count int
	next  int // the count at which the next process is killed
	kill  chan struct{}
}

// TestSoak has three agents get texts while their bridges and the server are killed at random. Each agent gets each of
// its texts once and in order, and the end of each text is reported once or twice.
func TestSoak(t *testing.T) {
	testall.NotOnWindows(t, "it ends the bridge with SIGTERM")
	perAgent, kills := testall.Of(150, 33_334), testall.Of(6, 120)
	agents := []string{"planner", "builder", "reviewer"}
	total := perAgent * len(agents)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	ctx, cancel := context.WithTimeout(t.Context(), testall.Of(3*time.Minute, 40*time.Minute))
	defer cancel()
	began := time.Now()

	natsServer, address := newServer(t)
	natsServer.start(t)
	natsServer.wait(t)
	defer func() { natsServer.kill() }()
	dir := t.TempDir()
	processes := []*process{natsServer}
	for _, agent := range agents {
		bridge := newBridge(t, address, dir, "--agent", agent, "--session", "s1")
		bridge.start(t)
		bridge.wait(t)
		defer func() { bridge.kill() }()
		processes = append(processes, bridge)
	}

	s := &soak{got: map[string][]string{}, kill: make(chan struct{}, 1), next: 1}
	var work sync.WaitGroup
	for _, agent := range agents {
		c := connect(t, address)
		work.Go(func() {
			for i := range perAgent {
				id := fmt.Sprintf("%s-%d", agent, i)
				for range 1 + i%50/49 { // some come twice
					if err := c.publish(ctx, agent, fmt.Sprintf("text %d", i), "Nats-Msg-Id", id); err != nil {
						t.Errorf("publishing: %v", err)
						return
					}
				}
			}
		})
		work.Go(func() { s.read(ctx, t, queue.Queue{Dir: dir}, agent, perAgent) })
	}

	// The killer.
	killed := map[bool]int{} // by whether it was the server
	finished := make(chan struct{})
	go func() { work.Wait(); close(finished) }()
	for over := false; !over; {
		select {
		case <-finished:
			over = true
		case <-s.kill:
			for range random.IntN(2_000_000) {
				_ = random.Uint64() // some while
			}
			p := processes[random.IntN(len(processes))]
			p.kill()
			killed[p == natsServer]++
			p.start(t)
			p.wait(t)
			s.Lock()
			s.next = s.count + 1 + random.IntN(2*total/kills)
			s.Unlock()
		}
	}
	duration := time.Since(began)
	require.False(t, t.Failed())
	for _, agent := range agents {
		require.Len(t, s.got[agent], perAgent)
		for i, text := range s.got[agent] {
			require.Equal(t, fmt.Sprintf("text %d", i), text, agent)
		}
	}
	require.Positive(t, killed[true]+killed[false])

	reports := allReports(ctx, t, connect(t, address), total)
	twice := 0
	for id, n := range reports {
		require.LessOrEqual(t, n, 2, id)
		twice += n - 1
	}
	for i, bridge := range processes[1:] {
		require.NoError(t, bridge.cmd.Process.Signal(syscall.SIGTERM))
		memory := highWater(bridge.cmd.Process.Pid)
		require.NoError(t, bridge.cmd.Wait(), bridge.lines)
		waiting, err := (&queue.Queue{Dir: dir}).Waiting(ctx, "s1")
		require.NoError(t, err)
		require.Empty(t, waiting)
		t.Logf("bridge of %s: %s", agents[i], memory)
	}
	t.Logf("%d texts in %v, %.0f a second; the server was killed %d times, bridges %d times; %d reports, %d twice",
		total, duration.Round(time.Millisecond), float64(total)/duration.Seconds(), killed[true], killed[false],
		len(reports), twice)
}

// read is an agent: it calls tools until it has all texts.
func (s *soak) read(ctx context.Context, t *testing.T, q queue.Queue, agent string, texts int) {
	for n := 0; n < texts; {
		claim, err := q.Claim(ctx, "s1", agent, "shell")
		if err != nil {
			t.Errorf("the agent %s: %v", agent, err)
			return
		}
		if claim == nil {
			select {
			case <-ctx.Done():
				t.Errorf("the agent %s got %d of %d texts", agent, n, texts)
				return
			case <-time.After(10 * time.Millisecond): // of the agent's own work
			}
			continue
		}
		if err := claim.Done(ctx); err != nil {
			t.Errorf("the agent %s: %v", agent, err)
			return
		}
		n += len(claim.Entries)
		s.Lock()
		for _, e := range claim.Entries {
			s.got[agent] = append(s.got[agent], e.Content)
		}
		if s.count += len(claim.Entries); s.count >= s.next {
			s.next = 1 << 60 // until the killer says so
			select {
			case s.kill <- struct{}{}:
			default:
			}
		}
		s.Unlock()
	}
}

// allReports waits until each of so many texts was reported as delivered, and returns how often.
func allReports(ctx context.Context, t *testing.T, c client, texts int) map[string]int {
	consumer, err := c.js.OrderedConsumer(ctx, reportsStream, jetstream.OrderedConsumerConfig{})
	require.NoError(t, err)
	messages, err := consumer.Messages()
	require.NoError(t, err)
	defer messages.Stop()
	reports := map[string]int{}
	for {
		m, err := messages.Next(jetstream.NextContext(ctx))
		require.NoError(t, err, "%d reports of %d", len(reports), texts)
		var e end
		require.NoError(t, json.Unmarshal(m.Data(), &e))
		require.Equal(t, "delivered", e.Status, string(m.Data()))
		require.Equal(t, e.Agent, *e.ReadBy)
		reports[e.ID]++
		meta, err := m.Metadata()
		require.NoError(t, err)
		if len(reports) == texts && meta.NumPending == 0 {
			return reports
		}
	}
}

// highWater returns the most memory that a process had, on Linux.
func highWater(pid int) string {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(status)) {
		if strings.HasPrefix(line, "VmHWM") {
			return strings.Join(strings.Fields(line), " ")
		}
	}
	return "memory unknown"
}
