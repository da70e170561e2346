// Package mcpproxy stands between a client and a server of the Model Context Protocol, which speak JSON-RPC 2.0 in
// lines, and calls a Gate before and after every call of a tool.
//
//	p := mcpproxy.New(mcpproxy.Gate{Before: before, After: after, Idle: idle}, mcpproxy.Options{})
//	client := mcpproxy.Client{In: os.Stdin, Out: os.Stdout}
//	err := p.Run(ctx, client, mcpproxy.Server{In: stdin, Out: stdout, Ended: wait})
//
// Guarantees:
//
//  1. No tools/call reaches the server before the gate has let it pass, however it is spelled: a line from the client
//     that another reader could read in another way is answered by an error. A batch (an array of messages) with a call
//     is refused, and so is a call for the gate whose arguments have two keys that differ by case alone.
//  2. Everything else passes as it is, in its order: requests of both sides, notifications, ids of any form, batches
//     without calls. A carriage return between two tokens becomes a blank, since for some readers a line ends there.
//  3. Each request of the client has one answer, also where the server ends. What is neither an answer to a request of
//     the client nor JSON does not reach the client.
//  4. A call of a tool that the server does not list is refused, and the gate is not called: the gate goes by the name,
//     and a server may take "Echo" or " echo" for echo. The proxy reads the lists that the client requests. For a name
//     that is on none it requests the whole list itself, and holds the call until it has it. Where the server gives no
//     list, calls pass.
//  5. A result that the gate changes stays valid for a tool with an output schema: its structured content is
//     changed as well where that can be done, else it is left out and the result is one of a tool that failed. Nothing
//     of what the gate replaced stays in the structured content. Where that says more than the text of the content,
//     the gate gets both.
//  6. A call that the client cancels while the gate has it is given up: the server never hears of it, and there is
//     no answer.
//  7. Memory is bounded: a line to 64 MB, and what waits to a few times that. A side that does not read holds up
//     the other, as a pipe does.
//
// After an initialize, calls wait at the gate until the server has answered with its name.
//
// A call that is at the gate holds nothing up. What the client sends meanwhile overtakes it, other calls too. A call
// for which the gate is idle keeps its place.
//
// No library does this: those for the protocol decode a message and encode it again, and what a proxy hands on must be
// byte for byte what it was given.
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
	ID     string // of the request, a string without its quotes
	Server string // its name, of letters, digits, _ and -
	Tool   string // as the server knows it
	Args   string // JSON, "{}" if there are none
}

// Before is what is to become of a call.
type Before struct {
	Refused bool
	Reason  string   // for the model
	Args    string   // a JSON object in the place of the arguments; "": they stay
	Texts   []string // for the model, behind the result
}

// Result is what the server answered.
type Result struct {
	// Text is the content: the text if it is one, else the JSON of the list. Where the structured content says more, it
	// is the JSON of an object with both, "content" and "structuredContent"; of an error it is the message.
	Text   string
	Failed bool // the tool says so, or Error
	Error  bool // it is an error of JSON-RPC, which passes as it is: nothing can be added to it
}

// After is what is to become of a result.
type After struct {
	Content string           // JSON in the place of the content; "": it stays
	Failed  bool             // the client is told that the call has failed
	Texts   []string         // for the model, behind it
	Given   func(given bool) // hears whether the client was given them; nil: nobody wants to know
}

// Gate decides about calls. Its functions are called at once for several calls; ctx ends when nobody waits any more.
type Gate struct {
	Before func(ctx context.Context, c *Call) Before
	After  func(ctx context.Context, c *Call, r Result) After
	// Idle reports whether Before or After would do nothing with the call. It must not take time.
	Idle func(c *Call, after bool) bool
}

// Options change how a Proxy works. The zero value is right.
type Options struct {
	Name  string                           // of the server; "": as it calls itself
	Grace time.Duration                    // that the server and the gate have once the client is gone; 0: none
	Say   func(format string, args ...any) // what a person should know; nil: nobody hears it
}

// unnamed is the name of a server that was not asked for it, or has none.
const unnamed = "server"

// Limits of what waits.
const (
	maxLine    = 64 << 20
	maxPending = 4096      // requests without an answer
	maxHeld    = 256 << 20 // bytes of calls that are at the gate or the server
	maxWaiting = 16 << 20  // bytes that a side has not read
	lastWords  = time.Second
)

// Codes of errors that are the proxy's own. JSON-RPC leaves this range to its users.
const codeEnded jsonrpc.Code = -32000 // the server ended, or too many requests wait

// Client is the side that asks.
type Client struct {
	In  io.Reader
	Out io.Writer
}

// Server is the side that answers. Ended is asked how its end was when Out has ended, and may wait a moment for that.
type Server struct {
	In    io.WriteCloser
	Out   io.Reader
	Ended func() string
}

// Proxy passes messages on. It is good for one Run.
type Proxy struct {
	gate   Gate
	o      Options
	client *outbox
	server *outbox
	ctx    context.Context     // ends when nobody wants anything any more
	before sync.WaitGroup      // calls at the gate
	after  sync.WaitGroup      // and results
	room   *semaphore.Weighted // for their bytes

	mu      sync.Mutex
	pending map[string]*request // of the client, by the key of the id
	held    int                 // bytes of the calls among them
	name    string              // of the server
	naming  chan struct{}       // closed when the first initialize is answered, or given up; nil: there was none
	tools   map[string]tool     // that it has listed; nil: it was seen to list none
	stale   bool                // it has changed its tools since
	changes int                 // of its tools
	listing singleflight.Group  // the tools/list of the proxy's own
	own     int                 // requests of the proxy's own
	noList  bool                // it was said that the server gives no list
	dead    string              // why it answers nothing any more; "": it does
	ending  bool                // no more work is begun
}

// request is one of the client's that is pending: who takes it out of there answers it, and nobody else does.
type request struct {
	key, id string
	method  string
	call    *Call // nil: it is no call
	tool    tool  // what is called
	task    bool  // the call may be answered later
	texts   []string
	size    int
	at      stage
	cancel  context.CancelFunc // of a call: ends what the gate does before it
	sent    chan struct{}      // of a call: closed when it is on its way to the server, or will never be
	named   chan struct{}      // of the first initialize: closed when it is pending no more
	own     chan ownAnswer     // of a request of the proxy's own: gets its answer; nil: it is the client's
}

// stage says who has a request.
type stage int

const (
	atGate stage = iota
	atServer
	answered // and its result is at the gate
)

// New returns a proxy for one client and one server.
func New(gate Gate, o Options) *Proxy {
	if o.Say == nil {
		o.Say = func(string, ...any) {}
	}
	return &Proxy{gate: gate, o: o, name: plainName(o.Name), pending: map[string]*request{},
		room: semaphore.NewWeighted(maxHeld)}
}

// plainName makes of a server's name one that can stand in that of a tool.
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
)

// Run passes messages on until the client's input ends, and the server's output, at most Options.Grace later. If the
// server ends first, or the client cannot be written to, or ctx ends, that is the error. Whatever is at the gate then
// is given up. Reads that wait are left behind until their streams are closed.
func (p *Proxy) Run(ctx context.Context, client Client, server Server) (err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	p.ctx = ctx
	p.client, p.server = newOutbox(client.Out, maxWaiting), newOutbox(server.In, maxWaiting)
	go func() {
		<-p.client.done
		cancel(errUnread)
	}()
	asked, ended := make(chan error, 1), make(chan struct{})
	go func() { asked <- read(client.In, p.fromClient) }()
	go func() {
		defer close(ended)
		_ = read(server.Out, p.fromServer) // however its output ends, nothing comes any more
	}()
	select {
	case err = <-asked:
		if err != nil {
			err = fmt.Errorf("reading from the client: %w", err)
		}
		p.finish(server, ended)
	case <-p.server.done: // nobody closed it: it cannot be written to
		waitFor(ctx, lastWords, func() { <-ended })
		err = p.lost(server)
	case <-ended:
		err = p.lost(server)
		go func() {
			<-asked
			cancel(errClientGone)
		}()
		waitFor(ctx, 0, p.after.Wait) // results that are there already
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	p.mu.Lock()
	p.ending = true
	p.mu.Unlock()
	cancel(errClientGone)
	p.client.close() // what comes from now on is not said any more, so nobody waits for room
	p.server.close()
	server.In.Close()
	p.before.Wait()
	p.after.Wait()
	waitFor(context.Background(), lastWords, func() { <-p.client.done }) // it may not read
	return err
}

// finish lets what is on its way come to its end once the client says no more: calls are decided, the server gets the
// end of its input, and its last answers pass.
func (p *Proxy) finish(server Server, ended <-chan struct{}) {
	ctx, cancel := context.WithTimeout(p.ctx, p.o.Grace)
	defer cancel()
	if waitFor(ctx, 0, p.before.Wait) {
		p.server.close()
		if waitFor(ctx, 0, func() { <-p.server.done }) {
			server.In.Close()
			if waitFor(ctx, 0, func() { <-ended }) {
				waitFor(ctx, 0, p.after.Wait)
				server.Ended() // it is about to: that was its own end
			}
		}
	}
}

// waitFor reports whether wait returned before ctx ended, and within the limit if there is one. Else it is left behind.
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

// lost answers every request that the server will not answer any more, and gives up the calls at the gate.
func (p *Proxy) lost(server Server) error {
	err := fmt.Errorf("the server ended: %s", server.Ended())
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
	return err
}

// read gives each line to a function, and the error of one that is too long.
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

// begin notes a request down. Two of one id could not be told apart.
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

// take takes a request out of pending, and reports whether it was there.
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
	}
	return true
}

// start runs something that Run waits for.
func (p *Proxy) start(all *sync.WaitGroup, work func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ending {
		all.Go(work)
	}
}

// refuse answers what is not passed on. It waits for nothing: who sends rubbish and reads no answers gets fewer of
// them.
func (p *Proxy) refuse(id string, err *jsonrpc.Error) {
	p.client.offer(failure(cmp.Or(id, "null"), err.Code, err.Message))
}

func brief(line string) string { return spelling.Brief(line, 200) }
