// Package mcpproxy is a proxy between a client and a server of the Model Context Protocol (JSON-RPC 2.0, one message
// per line). It calls a Gate before and after every tool call.
//
//	p := mcpproxy.New(mcpproxy.Gate{Before: before, After: after, Idle: idle}, mcpproxy.Options{})
//	client := mcpproxy.Client{In: os.Stdin, Out: os.Stdout}
//	err := p.Run(ctx, client, mcpproxy.Server{In: stdin, Out: stdout, Ended: wait})
//
// Guarantees:
//
//  1. No tools/call reaches the server before the gate has allowed it, however the call is spelled. A line from the
//     client that different readers could read differently is answered by an error. So is a batch (an array of
//     messages) with a call, and a call for the gate with two argument keys that differ only in case.
//  2. Everything else is passed on unchanged and in order: requests of both sides, notifications, ids of any form,
//     batches without calls. Only a carriage return between two tokens becomes a space, since some readers end a line
//     there.
//  3. Each request of the client gets one answer, even if the server exits. The client receives nothing but JSON, and
//     no answer that it has not requested.
//  4. A call of a tool that the server does not list is refused without calling the gate. The gate goes by the name,
//     and a server may accept "Echo" or " echo" for echo. The proxy reads the lists that the client requests. For an
//     unknown name it requests the whole list itself and holds the call until it has the list. If the server gives no
//     list, calls are passed on under any name.
//  5. A result that the gate changes stays valid for a tool with an output schema. The structured content is changed as
//     well, if possible. Otherwise it is left out and the result becomes one of a failed tool. Nothing that the gate
//     replaced stays in the result. If the result says more than its text, the gate gets its JSON. A result with equal
//     keys is answered by an error.
//  6. If the client cancels a call while the gate has it, the server never gets it and there is no answer.
//  7. Memory is bounded: a line to 64 MB, and everything that waits to a few times that. A side that does not read
//     blocks the other side, as with a pipe.
//
// After an initialize, calls wait at the gate until the server has answered with its name. While there is no name,
// calls are refused: the gate goes by it.
//
// A call at the gate blocks nothing: whatever the client sends meanwhile overtakes it, including other calls. A call
// for which the gate is idle keeps its place.
//
// No library does this. The libraries for MCP decode a message and encode it again, but a proxy must pass on every byte
// as it was.
package mcpproxy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
	"golang.org/x/sync/singleflight"

	"github.com/hookrun/hookrun/internal/jsonrpc"
	"github.com/hookrun/hookrun/internal/spelling"
)

// Call is one call of a tool.
type Call struct {
	ID     string // of the request; a string has no quotes
	Server string // its name, made of letters, digits, _ and -
	Tool   string // the server's name for the tool
	Args   string // JSON, "{}" if there are none
}

// Before is what the gate decides about a call.
type Before struct {
	Refused bool
	Reason  string   // for the model
	Args    string   // a JSON object that replaces the arguments; "": unchanged
	Texts   []string // for the model, after the result
}

// Result is what the server answered.
type Result struct {
	// Text is the content: the text if it is a single one, else the JSON of the list. If the result says more, Text is
	// the JSON of the result, with "content" first. For an error it is the message.
	Text   string
	Failed bool // the tool reports it, or Error is true
	Error  bool // a JSON-RPC error, which is passed on unchanged: nothing can be added to it
}

// After is what the gate decides about a result.
type After struct {
	Content string           // JSON that replaces the content; "": unchanged
	Failed  bool             // the client is told that the call has failed
	Texts   []string         // for the model, after the content
	Given   func(given bool) // called with whether the client got Texts; may be nil
}

// Gate decides about calls. Its functions are called concurrently. ctx ends when nobody waits for the call any more.
type Gate struct {
	Before func(ctx context.Context, c *Call) Before
	After  func(ctx context.Context, c *Call, r Result) After
	// Idle reports whether Before (or After) has nothing to do for the call. It must be quick.
	Idle func(c *Call, after bool) bool
}

// Options change how a Proxy works. The zero value gives the defaults.
type Options struct {
	Name  string                           // of the server; "": the name that it reports
	Grace time.Duration                    // for the server and the gate once the client is gone; 0: none
	Log   func(format string, args ...any) // prints a message for the user; may be nil
}

// unnamed is the name of a server that gives none.
const unnamed = "server"

// Limits of what waits.
const (
	maxLine    = 64 << 20
	maxPending = 4096      // requests without an answer
	maxHeld    = 256 << 20 // bytes of calls at the gate or the server
	maxWaiting = 16 << 20  // bytes that a side has not read yet
	lastWords  = time.Second
)

// codeEnded is the code of the proxy's own errors, from the range that JSON-RPC leaves to applications.
const codeEnded jsonrpc.Code = -32000 // the server ended, or too many requests wait

// Client is the side that sends requests.
type Client struct {
	In  io.Reader
	Out io.Writer
}

// Server is the side that answers. Ended is called after the end of Out, may wait briefly and returns how the server
// ended.
type Server struct {
	In    io.WriteCloser
	Out   io.Reader
	Ended func() string
}

// Proxy passes messages on. Use it for one Run only.
type Proxy struct {
	gate   Gate
	o      Options
	client *outbox
	server *outbox
	ctx    context.Context     // ends when nobody waits for anything any more
	before sync.WaitGroup      // calls at the gate
	after  sync.WaitGroup      // results at the gate
	room   *semaphore.Weighted // limits their bytes

	mu      sync.Mutex
	pending map[string]*request // requests of the client, by key
	held    int                 // bytes of the pending calls
	name    string              // of the server
	naming  chan struct{}       // closed when an initialize is answered or given up; nil: none is pending
	tools   map[string]tool     // listed by the server; nil: no list seen yet
	stale   bool                // the tools have changed since
	changes int                 // how often the tools have changed
	listing singleflight.Group  // the proxy's own tools/list
	own     int                 // number of the proxy's own requests
	noList  bool                // the user was told that the server gives no list
	odd     int                 // lines of the server that were not passed on
	dead    string              // why the server no longer answers; "": it does
	ending  bool                // no new work is begun
}

// request is a pending request. Whoever takes it out of pending answers it, so it is answered once.
type request struct {
	key, id string
	method  string
	call    *Call // nil: no tool call
	tool    tool  // the called tool
	task    bool  // a call whose answer may come later
	texts   []string
	size    int
	at      stage
	cancel  context.CancelFunc // of a call: ends the gate's Before
	sent    chan struct{}      // of a call: closed when it was sent to the server, or never will be
	named   chan struct{}      // of an initialize: closed when it is no longer pending
	own     chan ownAnswer     // of the proxy's own request: receives its answer; nil: it is the client's
}

// stage is who has a request.
type stage int

const (
	atGate stage = iota
	atServer
	answered // its result is at the gate
)

// New returns a proxy for one client and one server.
func New(gate Gate, o Options) *Proxy {
	if o.Log == nil {
		o.Log = func(string, ...any) {}
	}
	return &Proxy{gate: gate, o: o, name: plainName(o.Name), pending: map[string]*request{},
		room: semaphore.NewWeighted(maxHeld)}
}

// plainName turns a server's name into one that can be part of a tool's name.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
}

var (
	errClientGone = errors.New("the client is gone")
	errUnread     = errors.New("the client takes no answers")
	errUnanswered = errors.New("the client's input has ended, and the server has not answered in time")
)

// Run passes messages on until the client's input ends, and then the server's output, which may take Options.Grace. It
// returns an error if the server ends first, the client cannot be written to, or ctx ends. Calls that are then at the
// gate are given up. Pending reads go on until their streams are closed.
func (p *Proxy) Run(ctx context.Context, client Client, server Server) (err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	p.ctx = ctx
	p.client, p.server = newOutbox(client.Out, maxWaiting), newOutbox(server.In, maxWaiting)
	go func() {
		<-p.client.done
		cancel(errUnread)
	}()
	clientDone, ended := make(chan error, 1), make(chan struct{})
	go func() { clientDone <- read(client.In, p.fromClient) }()
	go func() {
		defer close(ended)
		_ = read(server.Out, p.fromServer) // whatever the error, the server sends nothing more
	}()
	select {
	case err = <-clientDone:
		if err != nil {
			err = fmt.Errorf("reading from the client: %w", err)
		}
		p.finish(server, ended)
		p.abandon(errUnanswered)
	case <-p.server.done: // not closed by us: it cannot be written to
		waitFor(ctx, lastWords, func() { <-ended })
		err = p.lost(server)
	case <-ended:
		err = p.lost(server)
		go func() {
			<-clientDone
			cancel(errClientGone)
		}()
		waitFor(ctx, 0, p.after.Wait) // results that have arrived already
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	p.mu.Lock()
	p.ending = true
	p.mu.Unlock()
	cancel(errClientGone)
	p.client.close() // later output is dropped, so nobody waits for room
	p.server.close()
	server.In.Close()
	p.before.Wait()
	p.after.Wait()
	waitFor(context.Background(), lastWords, func() { <-p.client.done }) // the client may not read
	return err
}

// finish completes the pending work after the client's input has ended: the gate decides the calls, the server's input
// is closed, and its last answers are passed on.
func (p *Proxy) finish(server Server, ended <-chan struct{}) {
	ctx, cancel := context.WithTimeout(p.ctx, p.o.Grace)
	defer cancel()
	if waitFor(ctx, 0, p.before.Wait) {
		p.server.close()
		if waitFor(ctx, 0, func() { <-p.server.done }) {
			server.In.Close()
			if waitFor(ctx, 0, func() { <-ended }) {
				waitFor(ctx, 0, p.after.Wait)
				server.Ended() // its exit code is its own then
			}
		}
	}
}

// waitFor reports whether wait returned before ctx ended and within the limit (0: none). If not, wait goes on
// unwatched.
func waitFor(ctx context.Context, limit time.Duration, wait func()) bool {
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		wait()
	}()
	select {
	case <-done:
		return true
	case <-ctx.Done():
		return false
	}
}

// lost abandons what waits for a server that has ended.
func (p *Proxy) lost(server Server) error {
	err := fmt.Errorf("the server ended: %s", server.Ended())
	p.abandon(err)
	return err
}

// abandon answers every request that the server can no longer answer, and gives up the calls at the gate.
func (p *Proxy) abandon(err error) {
	p.mu.Lock()
	p.dead = err.Error()
	var left []*request
	for _, r := range p.pending {
		if r.at != answered && p.takeLocked(r) {
			left = append(left, r)
		}
	}
	p.mu.Unlock()
	for _, r := range left {
		if r.cancel != nil {
			r.cancel()
		}
		if r.own != nil {
			r.own <- ownAnswer{err: err}
			continue
		}
		p.refuse(r.id, jsonrpc.Errorf(codeEnded, "%v", err))
	}
}

// read calls each for every line, with an error for one that is too long.
func read(from io.Reader, each func(line string, err error)) error {
	lines := jsonrpc.NewLines(from, maxLine)
	for {
		line, err := lines.Next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil && !errors.Is(err, jsonrpc.ErrTooLong):
			return err
		case err != nil || strings.Trim(line, " \t\r") != "":
			each(line, err)
		}
	}
}

// begin records a request as pending. It refuses a second one with the same id: their answers could not be told apart.
func (p *Proxy) begin(r *request) *jsonrpc.Error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch _, taken := p.pending[r.key]; {
	case p.dead != "":
		return jsonrpc.Errorf(codeEnded, "%s", p.dead)
	case taken:
		return jsonrpc.Errorf(jsonrpc.InvalidRequest, "the id %s is that of a request that has no answer yet", r.id)
	case len(p.pending) >= maxPending || p.held+r.size > maxHeld && p.held > 0:
		return jsonrpc.Errorf(codeEnded, "%d requests wait already; wait for some of them", len(p.pending))
	}
	p.pending[r.key] = r
	p.held += r.size
	if r.method == "initialize" && p.naming == nil {
		p.naming = make(chan struct{})
		r.named = p.naming
	}
	return nil
}

// take removes a request from pending, and reports whether it was there.
func (p *Proxy) take(r *request) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.takeLocked(r)
}

func (p *Proxy) takeLocked(r *request) bool {
	if r == nil || p.pending[r.key] != r {
		return false
	}
	delete(p.pending, r.key)
	p.held -= r.size
	if r.named != nil {
		close(r.named)
		p.naming = nil
	}
	return true
}

// start runs work that Run waits for.
func (p *Proxy) start(all *sync.WaitGroup, work func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ending {
		all.Go(work)
	}
}

// refuse answers a message that is not passed on. It never waits: a client that sends garbage and does not read gets
// fewer answers.
func (p *Proxy) refuse(id string, err *jsonrpc.Error) {
	p.client.offer(failure(cmp.Or(id, "null"), err.Code, err.Message))
}

func brief(line string) string { return spelling.Brief(line, 200) }
