package serve

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/texts/queue"
	"github.com/hookrun/hookrun/protocol"
)

// patience is how long a test waits for what should come at once.
const patience = 20 * time.Second

// fixture is what a server is made of. No hook of it is a process.
type fixture struct {
	*testing.T
	dir   string
	funcs []hook.Hook
	Options
	stderr *safeBuilder
}

func newFixture(t *testing.T, funcs ...hook.Hook) *fixture {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	f := &fixture{T: t, dir: dir, funcs: funcs, stderr: &safeBuilder{}}
	f.Options = Options{
		Workspace: dir, HooksFile: filepath.Join(dir, hookfile.FileName), Version: "v1.2.3", Stderr: f.stderr,
		Load: func() (*hookfile.Config, error) {
			return hookfile.Load(hookfile.Options{Parts: parts.All(), Workspace: dir})
		},
		Check: func() (any, error) { return nil, errors.New("no check in this test") },
		Queue: &queue.Queue{Dir: filepath.Join(dir, "queues")},
	}
	return f
}

// hooks writes the hooks file of a folder.
func (f *fixture) hooks(dir, text string) {
	f.Helper()
	require.NoError(f, os.MkdirAll(dir, 0o700))
	require.NoError(f, os.WriteFile(filepath.Join(dir, hookfile.FileName), []byte(text), 0o600))
}

// server makes the server, with the hooks that the workspace's file has by now.
func (f *fixture) server() *Server {
	f.Helper()
	var err error
	f.Config, err = hookfile.Load(hookfile.Options{Parts: parts.All(), Workspace: f.dir})
	require.NoError(f, err)
	f.Runner, err = engine.New(f.Config, engine.Options{Functions: f.funcs})
	require.NoError(f, err)
	return New(f.Options)
}

// otherEnd is the other end of a server's connection.
type otherEnd struct {
	*testing.T
	requests io.WriteCloser
	answers  *bufio.Reader
	ended    chan error // of Run
	stop     context.CancelCauseFunc
}

// start runs the server with pipes in memory for streams.
func (f *fixture) start() *otherEnd {
	f.Helper()
	return run(f.T, f.server())
}

func run(t *testing.T, s *Server) *otherEnd {
	in, requests := io.Pipe()
	answers, out := io.Pipe()
	ctx, stop := context.WithCancelCause(context.Background())
	c := &otherEnd{T: t, requests: requests, answers: bufio.NewReader(answers), ended: make(chan error, 1), stop: stop}
	go func() {
		c.ended <- s.Run(ctx, in, out)
		out.Close()
	}()
	t.Cleanup(func() {
		stop(nil)
		requests.Close()
		answers.Close()
	})
	return c
}

func (c *otherEnd) send(line string) {
	c.Helper()
	_, err := io.WriteString(c.requests, line+"\n")
	require.NoError(c, err)
}

func (c *otherEnd) receive() string {
	c.Helper()
	line, err := c.answers.ReadString('\n')
	require.NoError(c, err)
	return strings.TrimSuffix(line, "\n")
}

// call sends a request and returns the answer without what all have.
func (c *otherEnd) call(method, params string) string {
	c.Helper()
	c.send(`{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`)
	answer := c.receive()
	const begins = `{"jsonrpc":"2.0","id":1,`
	require.True(c, strings.HasPrefix(answer, begins), answer)
	return strings.TrimSuffix(answer[len(begins):], "}")
}

// outcome is the result of a call.
func (c *otherEnd) outcome(method, params string) (o protocol.Outcome) {
	c.Helper()
	text, ok := strings.CutPrefix(c.call(method, params), `"result":`)
	require.True(c, ok, text)
	require.NoError(c, json.Unmarshal([]byte(text), &o))
	return o
}

// end closes the input, and returns the error of Run.
func (c *otherEnd) end() error {
	c.Helper()
	require.NoError(c, c.requests.Close())
	return c.wait()
}

func (c *otherEnd) wait() error {
	c.Helper()
	select {
	case err := <-c.ended:
		return err
	case <-time.After(patience):
		require.Fail(c, "Run does not return")
		return nil
	}
}

// says is a hook that has a text for the model.
func says(name, text string, on protocol.Event) hook.Hook {
	return engine.NewFunction(name, on, func(context.Context, *dialect.Call, time.Duration) dialect.Verdict {
		v := dialect.OK()
		v.Context = text
		return v
	})
}

// waits is a hook that says when it runs, and waits until its call is given up or let go.
type waits struct{ running, goOn, ended chan struct{} }

func newWaits() waits {
	return waits{make(chan struct{}, 10_000), make(chan struct{}), make(chan struct{}, 10_000)}
}

func (w waits) hook(on protocol.Event) hook.Hook {
	run := func(ctx context.Context, _ *dialect.Call, limit time.Duration) dialect.Verdict {
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		w.running <- struct{}{}
		v := dialect.OK()
		select {
		case <-ctx.Done():
			v = dialect.Failed(protocol.CauseTimeout, "it took too long").FailClosed()
		case <-w.goOn:
		}
		w.ended <- struct{}{}
		return v
	}
	return engine.NewFunction("waits", on, run)
}

// hooks are such hooks of all events.
func (w waits) hooks() (hooks []hook.Hook) {
	for _, on := range dialect.CanonicalEvents() {
		hooks = append(hooks, w.hook(on))
	}
	return hooks
}

// one waits for one of what a hook says.
func one(t *testing.T, c chan struct{}) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(patience):
		require.Fail(t, "the hook does not come so far")
	}
}

// safeBuilder is a strings.Builder for several goroutines.
type safeBuilder struct {
	mu sync.Mutex
	b  strings.Builder
}

func (s *safeBuilder) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuilder) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
