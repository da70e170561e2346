package queue_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/texts/queue"
)

const session = "s1"

// ctx is for operations that nobody interrupts.
var ctx = context.Background()

// role is what the test binary does in place of the tests when a test starts it again.
type role struct {
	Name  string // of an entry of roles
	Dir   string
	Agent string
	Step  int           // at which it dies; 0: it lives
	Later time.Duration // what its clock is ahead
	From  int           // for a writer: the number of its first entry
	To    int
	Who   string
}

func (r role) queue() *queue.Queue { return &queue.Queue{Dir: r.Dir} }

var roles = map[string]func(role) error{
	"writer": write,
	"reader": read,
}

func TestMain(m *testing.M) {
	text := os.Getenv("HOOKRUN_QUEUE_ROLE")
	if text == "" {
		os.Exit(m.Run())
	}
	var r role
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		panic(err)
	}
	queue.SetNow(func() time.Time { return time.Now().Add(r.Later) })
	if err := roles[r.Name](r); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// command starts the test binary in a role.
func (r role) command(t *testing.T) *exec.Cmd {
	t.Helper()
	text, err := json.Marshal(r)
	require.NoError(t, err)
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "HOOKRUN_QUEUE_ROLE="+string(text))
	cmd.Stderr = os.Stderr
	return cmd
}

// write queues entries and reports each.
func write(r role) error {
	for i := r.From; i < r.To; i++ {
		e := queue.Entry{Session: session, Content: fmt.Sprintf("%s %d", r.Who, i), Agents: agentsOf(i)}
		if _, err := r.queue().Put(ctx, e); err != nil {
			return err
		}
		fmt.Println("put", i)
	}
	return nil
}

// read does what the lines on stdin say: a claim or a drain each. It prints what it was given, then done.
func read(r role) error {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		claim, err := r.queue().Claim, error(nil)
		if in.Text() == "drain" {
			claim = func(ctx context.Context, session, agent string, _ ...string) (*queue.Claim, error) {
				return r.queue().Drain(ctx, session, agent)
			}
		}
		c, err := claim(ctx, session, r.Agent, "shell")
		if err != nil {
			return err
		}
		if c == nil {
			fmt.Println("nothing")
			continue
		}
		var out strings.Builder
		for _, e := range c.Entries {
			fmt.Fprintln(&out, "got", e.ID, e.Content)
		}
		fmt.Print(out.String())
		if err := c.Done(ctx); err != nil {
			return err
		}
		fmt.Println("done")
	}
	return in.Err()
}

// in3 is a moment at which entries of the tests that can expire have expired.
const in3 = 3 * time.Hour

// later moves the clock of the test to when what expires in an hour has expired.
func later(t *testing.T) {
	t.Cleanup(queue.SetNow(func() time.Time { return time.Now().Add(in3) }))
}

func put(t *testing.T, q queue.Queue, e queue.Entry) queue.Entry {
	t.Helper()
	e.Session = session
	e, err := q.Put(ctx, e)
	require.NoError(t, err)
	return e
}

// contents is the texts of entries.
func contents(entries []queue.Entry) (texts []string) {
	for _, e := range entries {
		texts = append(texts, e.Content)
	}
	return texts
}

// deliver claims for an agent, ends the claim and returns what there was.
func deliver(t *testing.T, q queue.Queue, agent, tool string) []string {
	t.Helper()
	c, err := q.Claim(ctx, session, agent, tool)
	require.NoError(t, err)
	if c == nil {
		return nil
	}
	require.Empty(t, c.Expired)
	require.NoError(t, c.Done(ctx))
	return contents(c.Entries)
}
