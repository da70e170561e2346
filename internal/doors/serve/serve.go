// Package serve runs a project's hooks for calls in JSON-RPC 2.0 requests, one per line.
//
//	server := serve.New(serve.Options{Runner: r, Config: cfg, Workspace: dir, Stderr: os.Stderr, …})
//	err := server.Run(ctx, os.Stdin, os.Stdout)    // one client
//	err := server.Listen(ctx, "/run/user/1000/h/s") // or each client of a unix socket
//	err := server.ListenHTTP(ctx, serve.HTTP{…})    // or each client of a TCP port
//
// The methods are pre-execute, pre-tool, post-tool and fire, which return the outcome of a call, and ping, check,
// reload, shutdown and $/cancel. Package jsonrpc has the rules for all requests.
//
// Guarantees:
//
//  1. An outcome in an answer is the verdict of all hooks of the call. If hooks could not run, the answer is an error
//     and never an outcome.
//  2. The hooks are those of New until a reload without errors. Every outcome warns of files that have changed since,
//     and of a call from a project with another hooks file.
//  3. A text of the queue counts as delivered once its answer is written. Until then the text stays in the queue.
//  4. Each call has one line in the run log, also a call without a verdict.
//  5. When Run or Listen returns, no hook runs any more, and the Runner is closed.
//  6. Only this user can call through a socket. The socket's folder belongs to this user, and only this user can write
//     to it.
//
// Not guaranteed: that a verdict reaches a client that does not read its answers. At the end the client has a second.
package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/doors/calls"
	"github.com/hookrun/hookrun/internal/doors/serve/guardian"
	"github.com/hookrun/hookrun/internal/lib/jsonrpc"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/record/runlog"
	"github.com/hookrun/hookrun/internal/texts/queue"
)

const (
	// maxLine is the length of the longest request.
	maxLine = 64 << 20
	// maxCalls is the number of parallel calls of a connection, and maxWaiting the number of further calls that may
	// wait.
	maxCalls   = 256
	maxWaiting = 4096
	// maxBytes bounds the total length of the running and waiting requests of all connections. Above the bound the
	// server stops reading: two of the longest requests, or a dozen of the long results seen in practice, are as much
	// memory as a machine should spend on hooks.
	maxBytes = 2 * maxLine
	// afterEnd is how long calls go on after the end of the input: `echo … | hookrun serve` ends right after the call.
	afterEnd = time.Second
	// cancelled is how long calls may take to end after their connection or the server ends. The hooks are killed
	// within a second, but a busy machine has other work to do.
	cancelled = 10 * time.Second
	// lastWords is how long a connection then tries to write its answers: the client may have stopped reading.
	lastWords = time.Second
)

// Codes of errors about hooks, in the range that JSON-RPC leaves to its users.
const (
	codeNoVerdict jsonrpc.Code = -32001 // the hooks could not run, or the call was interrupted: do not run the tool
	codeConfig    jsonrpc.Code = -32002 // the hooks files have errors
)

// Options are the settings of a Server.
type Options struct {
	Runner    *engine.Runner   // the server closes it at its end
	Config    *hookfile.Config // the Runner's config
	Workspace string           // absolute; hooks run there unless a call names another folder
	// HooksFile is the path of the workspace's hooks file, even if the file is missing: calls from a project with
	// another hooks file get a warning. "": the files were given explicitly, and no call gets this warning.
	HooksFile string

	Queue    *queue.Queue // texts to add to tool results; nil: no queue
	Log      *runlog.Log  // nil: no run log
	Warnings []string     // of every outcome
	Version  string       // for ping
	Stderr   io.Writer    // for errors that no answer can carry

	// Load reads the hooks files again, for reload. If the files have errors, it returns hookfile.Diagnostics. Loaded
	// is called when they are in use; nil: not called.
	Load   func() (*hookfile.Config, error)
	Loaded func(*hookfile.Config)
	// Check returns the answer to check: a report about the files on disk.
	Check func() (any, error)
	// Answered is called when a client has the answer to a call; nil: not called.
	Answered func()
}

// Server answers the requests of all its connections.
type Server struct {
	options Options
	service calls.Service
	bytes   *jsonrpc.Bytes // of requests in flight

	mu sync.Mutex // held by a reload: what was read first is used first

	shutdown chan struct{} // closed by the request shutdown
	once     sync.Once
}

// New returns a server for one Run or one Listen.
func New(o Options) *Server {
	s := &Server{
		options: o, bytes: jsonrpc.NewBytes(maxBytes), shutdown: make(chan struct{}),
	}
	s.service = calls.Service{Runner: o.Runner, Queue: o.Queue, Log: o.Log, Command: "serve",
		Warnings: s.warnings, Warn: s.logError, Answered: o.Answered}
	return s
}

// Run serves one client until the input ends, the client requests a shutdown, or ctx ends. In the last case the error
// is the cause of ctx. A pending read of in goes on after Run has returned.
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

// end kills the running hooks and lets the connections write their last answers.
func (s *Server) end(conns ...*jsonrpc.Conn) {
	_ = s.options.Runner.Close() // never an error
	until := time.Now().Add(lastWords)
	for _, c := range conns {
		c.Wait(time.Until(until))
	}
}

// connection serves one client. Its context ends when the client is gone.
func (s *Server) connection(ctx context.Context, in io.Reader, out io.Writer) *jsonrpc.Conn {
	answer := func(method, params string, silent bool) (jsonrpc.Result, laterResult, error) {
		return s.answer(ctx, method, params, silent)
	}
	return jsonrpc.NewConn(in, out, answer, jsonrpc.Limits{
		Line: maxLine, Calls: maxCalls, Waiting: maxWaiting, Bytes: s.bytes,
		AfterEnd: afterEnd, Cancelled: cancelled, LastWords: lastWords,
	})
}

// methods are all methods of requests; package jsonrpc handles $/cancel.
var methods = []string{
	"pre-execute", "pre-tool", "post-tool", "fire", "check", "ping", "reload", "shutdown", "$/cancel",
}

// answer is the jsonrpc.Answer of all connections. Notifications run no hooks: nobody reads their verdict, and queued
// texts would be lost.
func (s *Server) answer(
	connection context.Context, method, params string, silent bool,
) (result jsonrpc.Result, later laterResult, err error) {
	switch method {
	case "pre-execute", "pre-tool", "post-tool", "fire":
		if !silent {
			return s.call(connection, method, params)
		}
		err = needsID(method)
	case "ping":
		result.JSON, err = json.Marshal(map[string]string{"version": s.options.Version})
	case "check":
		later = marshalLater(s.check)
	case "reload":
		later = marshalLater(func() (any, error) { return s.reload(params) })
	case "shutdown":
		_ = s.options.Runner.Close()
		result.JSON = []byte("null")
		result.Written = func(bool) { s.once.Do(func() { close(s.shutdown) }) }
	default:
		switch isStep := guardian.IsMethod(method); {
		case !isStep:
			near := spelling.Suggest(method, methods)
			err = jsonrpc.Errorf(jsonrpc.MethodNotFound, "unknown method %q%s", method, near)
		case silent:
			err = needsID(method)
		default:
			return s.guard(connection, method, params)
		}
	}
	return result, later, err
}

func needsID(method string) error {
	return jsonrpc.Errorf(jsonrpc.InvalidRequest, "%s needs an id: without an id no hooks run", method)
}

// laterResult is the slow part of an answer. It runs in parallel with other requests.
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

// logError writes an error that no answer can carry to stderr.
func (s *Server) logError(err error) {
	if err != nil {
		fmt.Fprintln(s.options.Stderr, "hookrun serve:", err)
	}
}
