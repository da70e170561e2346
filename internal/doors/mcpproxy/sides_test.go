package mcpproxy_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/doors/mcpproxy"
)

const patience = 20 * time.Second

// side is what a test holds of one of the two sides: it sends lines, and receives those of the other.
type side struct {
	testing.TB
	out   io.WriteCloser
	in    io.ReadCloser
	lines chan string
}

func newSide(t testing.TB, in io.ReadCloser, out io.WriteCloser) *side {
	s := &side{t, out, in, make(chan string, 10_000)}
	go func() {
		defer close(s.lines)
		r := bufio.NewReader(in)
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			s.lines <- strings.TrimSuffix(line, "\n")
		}
	}()
	t.Cleanup(func() {
		in.Close()
		out.Close()
	})
	return s
}

func (s *side) send(lines ...string) {
	s.Helper()
	_, err := io.WriteString(s.out, strings.Join(lines, "\n")+"\n")
	require.NoError(s, err)
}

func (s *side) receive() string {
	s.Helper()
	select {
	case line, open := <-s.lines:
		require.True(s, open, "its output has ended")
		return line
	case <-time.After(patience):
		require.Fail(s, "it sends nothing")
		return ""
	}
}

func (s *side) receives(lines ...string) {
	s.Helper()
	for _, want := range lines {
		require.Equal(s, want, s.receive())
	}
}

// ends requires that the stream has no more lines, and is at its end.
func (s *side) ends() {
	s.Helper()
	select {
	case line, open := <-s.lines:
		require.False(s, open, line)
	case <-time.After(patience):
		require.Fail(s, "the stream does not end")
	}
}

// bench is a proxy between two sides that the test plays.
type bench struct {
	testing.TB
	client, server *side
	ended          chan error
	stop           context.CancelCauseFunc

	mu     sync.Mutex
	logged []string
}

// open is a gate that lets everything pass.
func open() mcpproxy.Gate {
	return mcpproxy.Gate{
		Before: func(context.Context, *mcpproxy.Call) mcpproxy.CallDecision { return mcpproxy.CallDecision{} },
		After: func(context.Context, *mcpproxy.Call, mcpproxy.Result) mcpproxy.ResultDecision {
			return mcpproxy.ResultDecision{}
		},
		Idle: func(*mcpproxy.Call, bool) bool { return false },
	}
}

// newBench starts a proxy whose client has seen what tools the server lists.
func newBench(t testing.TB, gate mcpproxy.Gate, name string) *bench {
	b := newUnlisted(t, gate, name)
	b.client.send(`{"jsonrpc":"2.0","id":"tools","method":"tools/list"}`)
	b.server.receives(`{"jsonrpc":"2.0","id":"tools","method":"tools/list"}`)
	list := `{"jsonrpc":"2.0","id":"tools","result":{"tools":[{"name":"t"},{"name":"read"},{"name":"rm"},` +
		`{"name":"wait"},{"name":"wait after"},{"name":"idle"}]}}`
	b.server.send(list)
	b.client.receives(list)
	return b
}

func newUnlisted(t testing.TB, gate mcpproxy.Gate, name string) *bench {
	now := make(chan struct{})
	close(now)
	return newUnread(t, gate, name, now)
}

// newUnread starts a proxy whose client reads nothing until a channel is closed.
func newUnread(t testing.TB, gate mcpproxy.Gate, name string, until <-chan struct{}) *bench {
	b := &bench{TB: t, ended: make(chan error, 1)}
	fromClient, toProxy := io.Pipe()
	fromProxy, toClient := io.Pipe()
	forServer, proxyToServer := io.Pipe()
	fromServer, serverToProxy := io.Pipe()
	b.client, b.server = newSide(t, late{fromProxy, until}, toProxy), newSide(t, forServer, serverToProxy)
	p := mcpproxy.New(gate, mcpproxy.Options{Name: name, Grace: patience, Log: func(format string, args ...any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.logged = append(b.logged, fmt.Sprintf(format, args...))
	}})
	ctx, stop := context.WithCancelCause(t.Context())
	b.stop = stop
	go func() {
		err := p.Run(ctx, mcpproxy.Client{In: fromClient, Out: toClient},
			mcpproxy.Server{In: proxyToServer, Out: fromServer, DescribeEnd: func() string { return "exit status 3" }})
		toClient.Close()
		b.ended <- err
	}()
	return b
}

// late is a stream that is read once a channel is closed.
type late struct {
	io.ReadCloser
	until <-chan struct{}
}

func (l late) Read(into []byte) (int, error) {
	<-l.until
	return l.ReadCloser.Read(into)
}

func (b *bench) run() error {
	b.Helper()
	select {
	case err := <-b.ended:
		return err
	case <-time.After(patience):
		require.Fail(b, "Run does not return")
		return nil
	}
}

// leave ends all as a client and a server do that are done.
func (b *bench) leave() {
	b.Helper()
	b.client.out.Close()
	b.server.ends()
	b.server.out.Close()
	require.NoError(b, b.run())
	b.client.ends()
}

func call(id, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool,
		arguments)
}

func answer(id, text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%q}]}}`, id, text)
}
