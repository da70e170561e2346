// Package serve is a server that runs a project's hooks for calls that come as JSON-RPC 2.0 requests, one to a line.
//
//	server := serve.New(serve.Options{Runner: r, Config: cfg, Workspace: dir, Stderr: os.Stderr, …})
//	err := server.Run(ctx, os.Stdin, os.Stdout)    // one client
//	err := server.Listen(ctx, "/run/user/1000/h/s") // or each client of a unix socket
//
// The methods are pre-execute, pre-tool, post-tool and fire, which answer with the outcome of a call, and ping, check,
// reload, shutdown and $/cancel. Package jsonrpc has what holds for every request.
//
// Guarantees:
//
//  1. An answer that has an outcome is the verdict of all hooks of its call. Whatever keeps hooks from running is an
//     error, and never an outcome.
//  2. The hooks are those that New was given, until a reload without errors. Every outcome warns of files that have
//     changed since, and of a call from a project with another hooks file.
//  3. A text of the queue counts as delivered once the answer that has it is written. Else it waits on.
//  4. Each call has one line in the run log, also a call without a verdict.
//  5. When Run or Listen returns, no hook runs any more, and the Runner is closed.
//  6. Only this user can call through a socket. Its folder belongs to this user, and nobody else can write to it.
//
// Not guaranteed: that a verdict reaches a client that does not read its answers. At the end they have a second for
// that.
package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/hookrun/hookrun/internal/gate"
	"github.com/hookrun/hookrun/internal/gate/engine"
	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/internal/jsonrpc"
	"github.com/hookrun/hookrun/internal/queue"
	"github.com/hookrun/hookrun/internal/runlog"
	"github.com/hookrun/hookrun/internal/spelling"
)

const (
	// maxLine is the length of the longest request.
	maxLine = 64 << 20
	// maxCalls is how many calls of one connection run at once, and maxWaiting how many more may wait for their turn.
	maxCalls   = 256
	maxWaiting = 4096
	// maxBytes is how long the requests of all connections that run or wait may be together. Over that no more is read:
	// two of the longest, or a dozen of the results that are long in practice, are more than a machine should keep for
	// hooks.
	maxBytes = 2 * maxLine
	// afterEnd is how long calls go on after the end of the input: `echo … | hookrun serve` ends right behind its call.
	afterEnd = time.Second
	// cancelled is how long the calls of a connection may take to end once it ends, or the server. Their hooks are
	// killed within a second, but a busy machine has other things to do.
	cancelled = 10 * time.Second
	// lastWords is how long their answers may take to be written then: a client may have stopped to read.
	lastWords = time.Second
)

// Codes of errors that are about hooks. JSON-RPC leaves this range to its users.
const (
	codeNoVerdict jsonrpc.Code = -32001 // the hooks could not run, or the call was interrupted: do not run the tool
	codeConfig    jsonrpc.Code = -32002 // the hooks files have errors
)

// Options are what a Server works with.
type Options struct {
	Runner    *engine.Runner   // the server closes it at its end
	Config    *hookfile.Config // that the Runner has
	Workspace string           // absolute; hooks run there unless a call names another folder
	// HooksFile is where the workspace has its hooks file, there or not: calls from a project with another one get a
	// warning. "": somebody named the files, and no call gets one.
	HooksFile string

	Queue    *queue.Queue // of texts that go with results; nil: none
	Log      *runlog.Log  // nil: none
	Warnings []string     // of every outcome
	Version  string       // for ping
	Stderr   io.Writer    // for errors that no answer can carry

	// Load reads the hooks files again, for reload. The error is hookfile.Diagnostics where the files have errors.
	Load func() (*hookfile.Config, error)
	// Check returns what check answers with: a report about the files as they are on disk.
	Check func() (any, error)
}

// Server answers the requests of all its connections.
type Server struct {
	options Options
	gate    gate.Gate
	bytes   *jsonrpc.Bytes // of requests in flight

	mu       sync.Mutex // held by a reload, so that the runner and the snapshot have the same files
	snapshot *hookfile.Snapshot

	shutdown chan struct{} // closed by the request shutdown
	once     sync.Once
}

// New makes a server. One Run or Listen ends it.
func New(o Options) *Server {
	s := &Server{
		options: o, bytes: jsonrpc.NewBytes(maxBytes),
		snapshot: hookfile.NewSnapshot(o.Config), shutdown: make(chan struct{}),
	}
	s.gate = gate.Gate{Runner: o.Runner, Queue: o.Queue, Log: o.Log, Command: "serve",
		Warnings: s.warnings, Warn: s.logError}
	return s
}

// Run answers one client until its input ends, it requests a shutdown, or ctx ends, whose cause is the error then. A
// read of in that waits is left behind.
func (s *Server) Run(ctx context.Context, in io.Reader, out io.Writer) (err error) {
	ctx, gone := context.WithCancelCause(ctx)
	defer gone(nil)
	conn := s.connection(ctx, in, out)
	ended := make(chan error, 1)
	go func() { ended <- conn.Run(ctx) }()
	select {
	case err = <-ended:
	case <-s.shutdown:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	s.end(conn)
	return err
}

// end kills the hooks that run and lets the connections write their last answers.
func (s *Server) end(conns ...*jsonrpc.Conn) {
	_ = s.options.Runner.Close() // never an error
	until := time.Now().Add(lastWords)
	for _, c := range conns {
		c.Wait(time.Until(until))
	}
}

// connection is one client's. Its context ends when the client is gone.
func (s *Server) connection(ctx context.Context, in io.Reader, out io.Writer) *jsonrpc.Conn {
	answer := func(method, params string, silent bool) (jsonrpc.Result, laterResult, error) {
		return s.answer(ctx, method, params, silent)
	}
	return jsonrpc.NewConn(in, out, answer, jsonrpc.Limits{
		Line: maxLine, Calls: maxCalls, Waiting: maxWaiting, Bytes: s.bytes,
		AfterEnd: afterEnd, Cancelled: cancelled, LastWords: lastWords,
	})
}

// methods are all that a request can name; $/cancel is package jsonrpc's.
var methods = []string{
	"pre-execute", "pre-tool", "post-tool", "fire", "check", "ping", "reload", "shutdown", "$/cancel",
}

// answer is the jsonrpc.Answer of all connections. A call whose verdict nobody reads is not made: what waits for its
// session would be lost with it.
func (s *Server) answer(
	connection context.Context, method, params string, silent bool,
) (result jsonrpc.Result, later laterResult, err error) {
	switch method {
	case "pre-execute", "pre-tool", "post-tool", "fire":
		if !silent {
			return s.call(connection, method, params)
		}
	case "ping":
		result.JSON, err = json.Marshal(map[string]string{"version": s.options.Version})
	case "check":
		later = marshalLater(s.check)
	case "reload":
		later = marshalLater(s.reload)
	case "shutdown":
		_ = s.options.Runner.Close()
		result.JSON = []byte("null")
		result.Written = func(bool) { s.once.Do(func() { close(s.shutdown) }) }
	default:
		near := spelling.Suggest(method, methods)
		err = jsonrpc.Errorf(jsonrpc.MethodNotFound, "unknown method %q%s", method, near)
	}
	return result, later, err
}

// laterResult is the part of an answer that takes time. It runs beside other requests.
type laterResult = func(context.Context) (jsonrpc.Result, error)

func marshalLater(value func() (any, error)) laterResult {
	return func(context.Context) (result jsonrpc.Result, err error) {
		v, err := value()
		if err == nil {
			result.JSON, err = json.Marshal(v)
		}
		return result, err
	}
}

// logError writes to stderr an error that no answer can carry.
func (s *Server) logError(err error) {
	if err != nil {
		fmt.Fprintln(s.options.Stderr, "hookrun serve:", err)
	}
}
