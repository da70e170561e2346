package queue_test

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/testsupport/testall"
	"github.com/hookrun/hookrun/internal/texts/queue"
)

// agentsOf says for whom a writer's entry of a number is: the one that two readers serve, one of two others, both of
// those, or all.
func agentsOf(i int) []string {
	switch {
	case i%20 == 7:
		return nil
	case i%20 == 13:
		return []string{"b", "c"}
	}
	return []string{string(rune('a' + i%3))}
}

// ledger is what the soak has seen. Its lock is also that of news.
type ledger struct {
	sync.Mutex
	news    *sync.Cond
	put     map[string]int // reported by Put: the entry's number, by "writer number"
	writing int
	agents  map[string]*account

	killedWriters, killedReaders int
}

// account is what an agent was given.
type account struct {
	done   []string       // in claims that were said to be done, in order
	open   map[string]int // in claims whose reader was killed before it said done: whether they were, nobody knows
	claims [][]string     // the ids of each claim
}

// TestSoak has many write and read while they are killed at random. Nothing that Put reported is lost, nothing comes
// twice but what a killed reader had printed and not ended, and the order of each writer is kept. HOOKRUN_SOAK=1 makes
// many more entries.
func TestSoak(t *testing.T) {
	const writers = 8
	total := testall.Of(200, 1_600)
	if os.Getenv("HOOKRUN_SOAK") == "1" {
		total = 10_000
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	q := queue.Queue{Dir: t.TempDir()}
	l := &ledger{put: map[string]int{}, writing: writers, agents: map[string]*account{}}
	l.news = sync.NewCond(l)
	for _, agent := range []string{"a", "b", "c"} {
		l.agents[agent] = &account{open: map[string]int{}}
	}

	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() { l.writer(t, q, fmt.Sprintf("w%d", w), total/writers, rand.New(rand.NewPCG(seed, uint64(w)))) })
	}
	for i, agent := range []string{"a", "a", "b", "c"} {
		all.Go(func() { l.reader(t, q, agent, rand.New(rand.NewPCG(seed, uint64(100+i)))) })
	}
	all.Wait()
	if t.Failed() {
		return
	}

	// What readers of a had in their hands at the end, when the other found nothing.
	for agent, account := range l.agents {
		c, err := q.Drain(ctx, session, agent)
		require.NoError(t, err)
		if c != nil {
			for _, e := range c.Entries {
				account.done = append(account.done, e.Content)
			}
			require.NoError(t, c.Done(ctx))
		}
	}

	require.Positive(t, l.killedReaders)
	require.Positive(t, l.killedWriters)
	deliveries, twice := 0, 0
	for agent, account := range l.agents {
		count := map[string]int{}
		for _, content := range account.done {
			count[content]++
			deliveries++
			if account.open[content] > 0 {
				twice++
			}
			require.Equal(t, 1, count[content], "%s was given %q more than once", agent, content)
		}
		for content, i := range l.put {
			if agents := agentsOf(i); agents == nil || slices.Contains(agents, agent) {
				require.Positive(t, count[content]+account.open[content], "%s was not given %q", agent, content)
			}
		}
		for content := range count {
			_, number, _ := strings.Cut(content, " ")
			i, err := strconv.Atoi(number)
			require.NoError(t, err)
			agents := agentsOf(i)
			require.True(t, agents == nil || slices.Contains(agents, agent), "%s was given %q", agent, content)
		}
		for _, ids := range account.claims {
			require.True(t, slices.IsSorted(ids), "%v", ids)
		}
		if agent == "a" {
			continue // two readers at a time: which of them prints first is their affair
		}
		last := map[string]int{}
		for _, content := range account.done {
			var writer string
			var i int
			_, err := fmt.Sscan(content, &writer, &i)
			require.NoError(t, err)
			require.GreaterOrEqual(t, i, last[writer], "%s was given %q late", agent, content)
			last[writer] = i
		}
	}
	t.Logf("%d entries, %d deliveries, %d of them twice; %d writers and %d readers killed",
		len(l.put), deliveries, twice, l.killedWriters, l.killedReaders)
	gone(t, q)
}

// writer keeps a writing process going to the end of its numbers. What it was at when it was killed is nobody's.
func (l *ledger) writer(t *testing.T, q queue.Queue, who string, to int, random *rand.Rand) {
	defer func() {
		l.Lock()
		l.writing--
		l.news.Broadcast()
		l.Unlock()
	}()
	for from := 0; from < to; {
		cmd := role{Name: "writer", Dir: q.Dir, Who: who, From: from, To: to}.command(t)
		out := start(t, cmd, nil)
		killed := false
		for out.Scan() {
			_, number, _ := strings.Cut(out.Text(), " ")
			i, err := strconv.Atoi(number)
			if err != nil {
				continue // the line that it was killed in
			}
			l.Lock()
			l.put[fmt.Sprintf("%s %d", who, i)] = i
			if from = i + 1; !killed && random.IntN(40) == 0 {
				killed = true
				l.killedWriters++
				cmd.Process.Kill()
			}
			l.news.Broadcast()
			l.Unlock()
		}
		if err := cmd.Wait(); !killed {
			if err != nil {
				t.Errorf("writer %s: %v", who, err)
				return
			}
			from = to
		} else {
			from++
		}
	}
}

// reader keeps a reading process going until nothing is left.
func (l *ledger) reader(t *testing.T, q queue.Queue, agent string, random *rand.Rand) {
	account := l.agents[agent]
	for over := false; !over; {
		cmd := role{Name: "reader", Dir: q.Dir, Agent: agent}.command(t)
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Error(err)
			return
		}
		out := start(t, cmd, stdin)
		var ids, printed []string
		killed := false
		seen := 0
		for {
			// Killed now, it may be anywhere in the claim that it is asked for next.
			l.Lock()
			if seen == len(l.put) && l.writing > 0 {
				l.news.Wait()
			}
			over = l.writing == 0
			seen = len(l.put)
			l.Unlock()
			io.WriteString(stdin, map[bool]string{true: "drain\n", false: "claim\n"}[over])
			killed = random.IntN(8) == 0
			early := random.IntN(2) == 0
			if killed && early {
				for range random.IntN(20) * 1000 {
					_ = random.Uint64() // some while
				}
				cmd.Process.Kill()
			}
			answer := ""
			for out.Scan() {
				answer = out.Text()
				if answer == "nothing" || answer == "done" {
					break
				}
				var id, writer string
				var i int
				if n, _ := fmt.Sscanf(answer, "got %s %s %d", &id, &writer, &i); n < 3 {
					continue
				}
				ids = append(ids, id)
				printed = append(printed, fmt.Sprintf("%s %d", writer, i))
				if killed && !early {
					cmd.Process.Kill()
				}
			}
			l.Lock()
			account.claims = append(account.claims, ids)
			switch {
			case answer == "done":
				account.done = append(account.done, printed...)
			default:
				for _, content := range printed {
					account.open[content]++
				}
			}
			if killed {
				l.killedReaders++
			}
			l.Unlock()
			ids, printed = nil, nil
			if killed {
				cmd.Process.Kill()
				over = false
				break
			}
			if answer != "nothing" {
				over = false
				if answer != "done" {
					t.Errorf("reader of %q: %q", agent, answer)
					over = true
					break
				}
			}
			if over {
				break
			}
		}
		stdin.Close()
		if err := cmd.Wait(); err != nil && !killed {
			t.Errorf("reader of %q: %v", agent, err)
			return
		}
	}
}

func start(t *testing.T, cmd *exec.Cmd, stdin io.Closer) *bufio.Scanner {
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Error(err)
		return bufio.NewScanner(strings.NewReader(""))
	}
	return bufio.NewScanner(stdout)
}
