// Package mcpproxy is a proxy between a client and a server of the Model Context Protocol (JSON-RPC 2.0, one message
// per line). It calls a Gate before and after every tool call.
//
//	p := mcpproxy.New(mcpproxy.Gate{Before: before, After: after, Idle: idle}, mcpproxy.Options{})
//	client := mcpproxy.Client{In: os.Stdin, Out: os.Stdout}
//	err := p.Run(ctx, client, mcpproxy.Server{In: stdin, Out: stdout, DescribeEnd: wait})
//
// Guarantees:
//
//  1. No tools/call reaches the server before the gate has allowed it, however the call is spelled. The proxy answers
//     with an error if the client sends a line that readers could read differently, a batch (an array of messages)
//     with a call, or a call for the gate with two argument keys that differ only in case.
//  2. All other messages are passed on unchanged and in order: requests of both sides, notifications, ids of any form,
//     batches without calls. Only a carriage return between two tokens becomes a space, because some readers end a
//     line at a carriage return.
//  3. Each request of the client gets one answer, even if the server exits. The client receives only JSON, and
//     answers only to its own requests.
//  4. A call of a tool that is not in the server's list gets the result of a failed tool without calling the gate. The
//     gate matches names, and a server may accept "Echo" or " echo" for echo. The proxy reads the lists requested by
//     the client. For an unknown name the proxy requests the whole list and holds the call until the list has arrived.
//     If the server gives no list, calls are passed on under any name.
//  5. A result changed by the gate stays valid for a tool with an output schema. The structured content is changed too,
//     if possible. Otherwise it is left out and the result becomes the result of a failed tool. Text replaced by the
//     gate stays nowhere in the result. If a result holds more than its text, the gate gets the result's JSON. A result
//     with equal keys is answered with an error.
//  6. If the client cancels a call at the gate, the server never gets the call. Once the proxy has read a cancellation,
//     it does not begin to write an answer.
//  7. Memory is bounded: a line to 64 MB, and pending data to a few times that. A side that does not read blocks the
//     other side, as with a pipe.
//
// After an initialize, calls wait at the gate until the server has answered with its name. Calls are refused while the
// server has no name, because hooks match by the name.
//
// A call at the gate blocks no other message: later messages of the client overtake the call. A call for which the gate
// is idle keeps its position.
//
// No library does this: MCP libraries decode and re-encode messages, but a proxy must pass on every byte unchanged.
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

	"github.com/hookrun/hookrun/internal/lib/jsonrpc"
	"github.com/hookrun/hookrun/internal/lib/spelling"
)

// Call is one call of a tool.
type Call struct {
	ID     string // of the request; a string without its quotes
	Server string // the server's name, of letters, digits, _ and -
	Tool   string // the server's name for the tool
	Args   string // JSON; "{}" if the call has no arguments
}

// CallDecision is the gate's decision about a call.
type CallDecision struct {
	Refused bool
	Reason  string   // for the model
	Args    string   // a JSON object that replaces the arguments; "": unchanged
	Texts   []string // for the model, after the result
}

// Result is the server's answer to a call.
type Result struct {
	// Text is the content: its text if it is a single text, else the JSON of the content list. If the result holds more
	// than this, Text is the JSON of the result, with "content" first. For an error Text is the message.
	Text   string
	Failed bool // the tool reports a failure, or Error is true
	Error  bool // a JSON-RPC error, which passes unchanged: no text can be added
}

// ResultDecision is the gate's decision about a result.
type ResultDecision struct {
	Content     string           // JSON that replaces the content; "": unchanged
	Failed      bool             // the client is told that the call has failed
	Texts       []string         // for the model, after the content
	OnDelivered func(given bool) // reports whether the client got Texts; may be nil
}

// Gate decides about calls. Its functions are called concurrently. ctx ends if the call is cancelled or the proxy
// stops.
type Gate struct {
	Before func(ctx context.Context, c *Call) CallDecision
	After  func(ctx context.Context, c *Call, r Result) ResultDecision
	// Idle reports whether Before (or After) has nothing to do for the call. It must be quick.
	Idle func(c *Call, after bool) bool
}

// Options configure a Proxy. The zero value means the defaults.
type Options struct {
	Name  string                           // the server's name; "": as reported by the server
	Grace time.Duration                    // for the server and the gate after the client has gone; 0: no grace
	Log   func(format string, args ...any) // prints a message for the user; may be nil
}

// unnamed is the name of a server that reports no name.
const unnamed = "server"

// Limits of pending data.
const (
	maxLine    = 64 << 20
	maxPending = 4096      // requests without an answer
	maxHeld    = 256 << 20 // bytes of calls at the gate or the server
	maxWaiting = 16 << 20  // unread bytes for one side
	finalWait  = time.Second
)

// codeEnded is the code of the proxy's own errors, from JSON-RPC's range for applications.
const codeEnded jsonrpc.Code = -32000 // the server ended, or too many requests wait

// Client is the side that sends requests.
type Client struct {
	In  io.Reader
	Out io.Writer
}

// Server is the side that answers. DescribeEnd is called after the end of Out, may wait briefly, and describes the
// server's end.
type Server struct {
	In          io.WriteCloser
	Out         io.Reader
	DescribeEnd func() string
}

// Proxy passes messages on. Each Run needs a new Proxy.
type Proxy struct {
	gate   Gate
	o      Options
	client *outbox
	server *outbox
	ctx    context.Context     // ends with Run, or when the client is gone
	before sync.WaitGroup      // calls at the gate
	after  sync.WaitGroup      // results at the gate
	room   *semaphore.Weighted // limits the bytes of results at the gate

	mu         sync.Mutex
	pending    map[string]*request // requests of the client, by key
	held       int                 // bytes of the pending calls
	name       string              // of the server
	naming     chan struct{}       // closed when a pending initialize is answered or given up; else nil
	tools      map[string]tool     // listed by the server; nil before the first list
	stale      bool                // tools have changed since the last list
	changes    int                 // how often the tools have changed
	listing    singleflight.Group  // the proxy's own tools/list
	own        int                 // requests sent by the proxy so far
	toldNoList bool                // the user was told that the server has no list
	dropped    int                 // dropped lines of the server
	dead       string              // why the server no longer answers, or ""
	ending     bool                // start no more work
}

// request is a pending request. The code that removes a request from pending then writes its answer, so each request is
// answered at most once, and not after the proxy has read its cancellation.
type request struct {
	key, id string
	method  string
	call    *Call // nil if this is no tools/call
	tool    tool  // the called tool
	task    bool  // the client accepts the result later, as a task
	texts   []string
	size    int
	at      stage
	cancel  context.CancelFunc // for a call: cancels the gate's Before
	sent    chan struct{}      // for a call: closed when it was sent to the server or dropped
	named   chan struct{}      // for an initialize: closed when no longer pending
	own     chan ownAnswer     // receives the answer to the proxy's own request; else nil
}

// stage is the position of a request.
type stage int

const (
	atGate stage = iota
	atServer
	answered // the result is at the gate
)

// New returns a proxy for one client and one server.
func New(gate Gate, o Options) *Proxy {
	if o.Log == nil {
		o.Log = func(string, ...any) {}
	}
	return &Proxy{gate: gate, o: o, name: plainName(o.Name), pending: map[string]*request{},
		room: semaphore.NewWeighted(maxHeld)}
}

// plainName replaces the characters that must not be in a tool's name by underscores.
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

// Run passes messages on until the client's input ends, and then until the server's output ends, for at most
// Options.Grace. It returns an error if the server ends first, the client cannot be written to, or ctx ends. Calls
// still at the gate are given up. Pending reads continue until their streams are closed.
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
		_ = read(server.Out, p.fromServer) // after any error the server sends no more
	}()
	select {
	case err = <-clientDone:
		if err != nil {
			err = fmt.Errorf("reading from the client: %w", err)
		}
		p.finish(server, ended)
		p.abandon(errUnanswered)
	case <-p.server.done: // not closed by us: writing to the server failed
		waitFor(ctx, finalWait, func() { <-ended })
		err = p.lost(server)
	case <-ended:
		err = p.lost(server)
		go func() {
			<-clientDone
			cancel(errClientGone)
		}()
		waitFor(ctx, 0, p.after.Wait) // results that arrived before the end
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	p.mu.Lock()
	p.ending = true
	p.mu.Unlock()
	cancel(errClientGone)
	p.client.close() // drops later output, so no writer waits for room
	p.server.close()
	server.In.Close()
	p.before.Wait()
	p.after.Wait()
	waitFor(context.Background(), finalWait, func() { <-p.client.done }) // the client may not read
	return err
}

// finish completes the pending work after the client's input has ended: the gate decides its calls, the server's input
// is closed, and the server's last answers are passed on.
func (p *Proxy) finish(server Server, ended <-chan struct{}) {
	ctx, cancel := context.WithTimeout(p.ctx, p.o.Grace)
	defer cancel()
	if waitFor(ctx, 0, p.before.Wait) {
		p.server.close()
		if waitFor(ctx, 0, func() { <-p.server.done }) {
			server.In.Close()
			if waitFor(ctx, 0, func() { <-ended }) {
				waitFor(ctx, 0, p.after.Wait)
				server.DescribeEnd() // waits until the server has exited by itself
			}
		}
	}
}

// waitFor reports whether wait returned before ctx ended and within the limit (0: no limit). Otherwise wait runs on.
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

// lost abandons all requests to a server that has ended.
func (p *Proxy) lost(server Server) error {
	err := fmt.Errorf("the server ended: %s", server.DescribeEnd())
	p.abandon(err)
	return err
}

// abandon answers every request at the gate or the server with the error, and cancels the calls at the gate.
func (p *Proxy) abandon(err error) {
	p.mu.Lock()
	p.dead = err.Error()
	var left []*request
	for _, r := range p.pending {
		if r.at != answered {
			left = append(left, r)
		}
	}
	p.mu.Unlock()
	for _, r := range left {
		if r.own != nil {
			if p.take(r) {
				r.own <- ownAnswer{err: err}
			}
			continue
		}
		p.client.offer(p.answerTo(r, failure(r.id, codeEnded, err.Error())))
		if r.cancel != nil {
			r.cancel()
		}
	}
}

// read calls each for every line. A line that is too long comes with an error.
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

// begin records a request as pending. It refuses a pending request's id, because the two answers would look alike.
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

// take removes a request from pending, and reports whether it was pending.
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

// start starts work in a goroutine of a group for which Run waits.
func (p *Proxy) start(all *sync.WaitGroup, work func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ending {
		all.Go(work)
	}
}

// refuse answers a message with an error instead of passing it on. It drops the answer if the client does not read.
func (p *Proxy) refuse(id string, err *jsonrpc.Error) {
	p.client.offer(outgoing{text: failure(cmp.Or(id, "null"), err.Code, err.Message)})
}

// deliver answers a request, if the client still wants an answer.
func (p *Proxy) deliver(r *request, line string, written func(bool)) {
	answer := p.answerTo(r, line)
	answer.written = written
	p.client.put(answer)
}

// answerTo returns a line that is written if its request is still pending then.
func (p *Proxy) answerTo(r *request, line string) outgoing {
	return outgoing{text: line, begin: func() bool { return p.take(r) }}
}

func brief(line string) string { return spelling.Brief(line, 200) }
