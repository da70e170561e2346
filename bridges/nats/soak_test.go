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

	"github.com/hookrun/hookrun/internal/testsupport/testall"
	"github.com/hookrun/hookrun/internal/texts/queue"
)

// soak is what TestSoak knows.
type soak struct {
	sync.Mutex
	got     map[string][]string // texts by agent, in the order in which the agent got them
	reports map[string]int      // how often the end of a text was reported, by ID
	ended   map[string]int      // the number of reported texts by agent
	count   int
	next    int // the count at which the next process is killed
	kill    chan struct{}
}

// maxAhead is how many texts more than reported are published for an agent, fewer than the history of a session keeps.
const maxAhead = 400

// TestSoak has three agents get texts while their bridges and the server are killed at random. Each agent gets each of
// its texts once and in order, and the end of each text is reported once or twice.
func TestSoak(t *testing.T) {
	testall.NotOnWindows(t, "it ends the bridge with SIGTERM")
	t.Parallel()
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
		bridge := newBridge(t, address, dir, "--agent", agent, "--session", "of-"+agent)
		bridge.start(t)
		bridge.wait(t)
		defer func() { bridge.kill() }()
		processes = append(processes, bridge)
	}

	s := &soak{got: map[string][]string{}, reports: map[string]int{}, ended: map[string]int{},
		kill: make(chan struct{}, 1), next: 1}
	var work sync.WaitGroup
	for _, agent := range agents {
		c := connect(t, address)
		work.Go(func() { s.publish(ctx, t, c, agent, perAgent) })
		work.Go(func() { s.read(ctx, t, queue.Queue{Dir: dir}, agent, perAgent) })
	}

	reader := connect(t, address)
	work.Go(func() { s.readReports(ctx, t, reader, total) })

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
			count := s.count
			s.Unlock()
			t.Logf("%v: %d texts", time.Since(began).Round(time.Second), count)
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

	twice := 0
	for id, n := range s.reports {
		require.LessOrEqual(t, n, 2, id)
		twice += n - 1
	}
	for i, bridge := range processes[1:] {
		require.NoError(t, bridge.cmd.Process.Signal(syscall.SIGTERM))
		memory := highWater(bridge.cmd.Process.Pid)
		require.NoError(t, bridge.cmd.Wait(), bridge.lines)
		waiting, err := (&queue.Queue{Dir: dir}).Waiting(ctx, "of-"+agents[i])
		require.NoError(t, err)
		require.Empty(t, waiting)
		t.Logf("bridge of %s: %s", agents[i], memory)
	}
	t.Logf("%d texts in %v, %.0f a second; the server was killed %d times, bridges %d times; %d reports, %d twice",
		total, duration.Round(time.Millisecond), float64(total)/duration.Seconds(), killed[true], killed[false],
		len(s.reports), twice)
}

// publish is an orchestrator: it publishes the texts of an agent in order.
func (s *soak) publish(ctx context.Context, t *testing.T, c client, agent string, texts int) {
	for i := range texts {
		for i >= s.reported(agent)+maxAhead && ctx.Err() == nil {
			wait(ctx, 10*time.Millisecond)
		}
		id := fmt.Sprintf("%s-%d", agent, i)
		for range 1 + i%50/49 { // some come twice
			if err := c.publish(ctx, agent, fmt.Sprintf("text %d", i), "Nats-Msg-Id", id); err != nil {
				t.Errorf("publishing: %v", err)
				return
			}
		}
	}
}

// reported returns the number of reported texts of an agent.
func (s *soak) reported(agent string) int {
	s.Lock()
	defer s.Unlock()
	return s.ended[agent]
}

// read is an agent: it calls tools until it has all texts.
func (s *soak) read(ctx context.Context, t *testing.T, q queue.Queue, agent string, texts int) {
	for n := 0; n < texts; {
		claim, err := q.Claim(ctx, "of-"+agent, agent, "shell")
		if err != nil {
			t.Errorf("the agent %s: %v", agent, err)
			return
		}
		if claim == nil {
			if wait(ctx, 10*time.Millisecond); ctx.Err() != nil { // the agent does its own work
				t.Errorf("the agent %s got %d of %d texts", agent, n, texts)
				return
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

// readReports reads reports until each text has one, and then what is left.
func (s *soak) readReports(ctx context.Context, t *testing.T, c client, texts int) {
	last := uint64(0) // the sequence of the last report that was read
	for ctx.Err() == nil {
		consumer, err := c.js.OrderedConsumer(ctx, reportsStream, jetstream.OrderedConsumerConfig{
			DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: last + 1})
		var messages jetstream.MessagesContext
		if err == nil {
			messages, err = consumer.Messages()
		}
		for err == nil {
			var m jetstream.Msg
			if m, err = messages.Next(jetstream.NextContext(ctx)); err != nil {
				break
			}
			var e end
			meta, metaErr := m.Metadata()
			if jsonErr := json.Unmarshal(m.Data(), &e); metaErr != nil || jsonErr != nil || e.Status != "delivered" ||
				e.ReadBy == nil || *e.ReadBy != e.Agent {
				t.Errorf("report %s: %v, %v", m.Data(), metaErr, jsonErr)
				return
			}
			last = meta.Sequence.Stream
			s.Lock()
			if s.reports[e.ID]++; s.reports[e.ID] == 1 {
				s.ended[e.Agent]++
			}
			all := len(s.reports) == texts && meta.NumPending == 0
			s.Unlock()
			if all {
				messages.Stop()
				return
			}
		}
		if messages != nil {
			messages.Stop()
		}
		wait(ctx, 50*time.Millisecond) // the server is away, or has no report yet
	}
	s.Lock()
	defer s.Unlock()
	t.Errorf("%d texts of %d were reported", len(s.reports), texts)
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
