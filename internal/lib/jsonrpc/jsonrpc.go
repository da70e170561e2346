// Package jsonrpc answers JSON-RPC 2.0 requests, one per line.
//
//	conn := jsonrpc.NewConn(os.Stdin, os.Stdout, answer, jsonrpc.Limits{Line: 64 << 20, Calls: 256})
//	err := conn.Run(ctx)
//
// Guarantees:
//
//  1. Every request gets one answer, and the next line is read, whatever the line holds. A line that cannot be
//     recognized as a request gets an error with the id null.
//  2. Answers are written when they are ready. Fast requests are answered in the order of the lines. Slow requests run
//     in parallel with the reading and other calls.
//  3. The notification $/cancel with a request's id cancels that request, with the error Cancelled as the answer. If an
//     answer cannot be written, all requests in flight are cancelled. After the end of the input, requests in flight
//     have Limits.AfterEnd before they are cancelled.
//  4. Memory is bounded by the limits. A longer line is skipped, and a call too many is answered by an error. Reading
//     goes on meanwhile, so calls can be cancelled, unless the requests in flight have too many bytes together.
//
// No library does this: the existing libraries report nothing to a handler that has returned, but a claim of the queue
// must know whether the answer with its entries was written (Result.Written).
//
// Not supported: batches (an array of requests), because each request has a line, and requests from the server.
package jsonrpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"
	"golang.org/x/sync/semaphore"

	"github.com/hookrun/hookrun/internal/lib/crash"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

// Code is the code of an error response.
type Code int

// The codes of JSON-RPC 2.0; Cancelled, as in the Language Server Protocol; and Busy.
const (
	ParseError     Code = -32700 // the line is not JSON
	InvalidRequest Code = -32600 // the line is no request
	MethodNotFound Code = -32601
	InvalidParams  Code = -32602
	InternalError  Code = -32603
	Cancelled      Code = -32800
	Busy           Code = -32000 // too many calls wait; try again later
)

// Error is an error response.
type Error struct {
	Code    Code
	Message string
	Data    []byte // JSON; nil: no data
}

func (e *Error) Error() string { return e.Message }

// Errorf returns an Error.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Result is the result of a request.
type Result struct {
	JSON []byte
	// Written, if not nil, is called once: with true after the result was written, with false if the result could not
	// be written or another answer was sent. Only a written result has reached the client.
	Written func(written bool)
}

// Answer answers one request. params is a JSON object or array, or "" if absent. Answer is called for one request after
// the other, in the order of the lines. For slow work it returns a function, which runs in parallel with others; the
// function's ctx ends once the answer is no longer wanted. An error other than *Error becomes an InternalError, and so
// does a panic. silent means that the request is a notification, which gets no answer.
type Answer func(method, params string, silent bool) (Result, func(ctx context.Context) (Result, error), error)

// Limits bound what a connection may use.
type Limits struct {
	Line      int           // bytes of a line
	Calls     int           // calls in parallel
	Waiting   int           // waiting calls; a further call gets the error Busy
	Bytes     *Bytes        // of all requests in flight; nil: unlimited
	AfterEnd  time.Duration // for requests in flight after the end of the input
	Cancelled time.Duration // for cancelled calls to end before Run returns
	LastWords time.Duration // for answers to be written after that
}

// Bytes bounds the memory of requests in flight: the total length of their lines. Connections can share a Bytes. Above
// the bound a connection stops reading until other requests are answered. A single line fits at any length.
type Bytes struct {
	room  *semaphore.Weighted
	bound int64
}

// NewBytes returns a bound.
func NewBytes(bound int) *Bytes { return &Bytes{semaphore.NewWeighted(int64(bound)), int64(bound)} }

// Take waits until a request of n bytes fits; give releases the bytes. ok is false if ctx ended first.
func (b *Bytes) Take(ctx context.Context, n int) (give func(), ok bool) {
	if b == nil {
		return func() {}, true
	}
	size := min(int64(n), b.bound)
	if err := b.room.Acquire(ctx, size); err != nil {
		return nil, false
	}
	return func() { b.room.Release(size) }, true
}

// ErrGone is the cause for cancelling a connection's calls when the client is gone.
var ErrGone = errors.New("the client is gone")

var errCancelled = errors.New("the call was cancelled")

// Conn is one connection.
type Conn struct {
	in     *Lines
	answer Answer
	limits Limits
	turns  chan struct{}
	reads  chan struct{} // hands the reading to a goroutine that has answered a call

	writing sync.Mutex
	out     io.Writer

	mu      sync.Mutex
	calls   map[string]context.CancelCauseFunc // in flight, by id
	begun   int                                // running or waiting calls
	running sync.WaitGroup                     // calls until they are answered
	working sync.WaitGroup                     // calls until they have ended
	ending  bool                               // no further call may start
	ended   chan error                         // the read error; buffered, because Run may have returned
	stop    context.CancelCauseFunc            // cancels the calls, because of the error of a write or ErrGone
}

// NewConn returns a connection that reads requests from in and writes answers to out, each with one Write.
func NewConn(in io.Reader, out io.Writer, answer Answer, limits Limits) *Conn {
	return &Conn{
		in: NewLines(in, limits.Line), out: out, answer: answer, limits: limits,
		turns: make(chan struct{}, limits.Calls), reads: make(chan struct{}), ended: make(chan error, 1),
		calls: map[string]context.CancelCauseFunc{},
	}
}

// Run answers requests until the input ends, an answer cannot be written, or ctx ends. Then it cancels the calls in
// flight; after the end of the input it first waits for Limits.AfterEnd. It returns when all calls have ended and are
// answered. It waits at most Limits.Cancelled for calls to end, and then at most Limits.LastWords for the client to
// read the answers. At the end of the input the error is nil. A pending read goes on until the input is closed.
func (c *Conn) Run(ctx context.Context) error {
	ctx, c.stop = context.WithCancelCause(ctx)
	go c.read(ctx)
	var err error
	select {
	case err = <-c.ended:
		if err == nil {
			c.Wait(c.limits.AfterEnd) // a pipe may end right after its last request
			err = context.Cause(ctx)  // the error of a write
		}
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	c.stop(ErrGone)
	c.endWithin(c.limits.Cancelled, &c.working) // first, because a call has no answer before it has ended
	c.endWithin(c.limits.LastWords, &c.running)
	return err
}

// read serves lines until the input ends. The goroutine that has read a request answers it, and another goroutine reads
// on: most calls come one at a time, and a handover would wake a thread for each call. The other one has answered a
// call before, if it can: the stack of a new goroutine is small, and each time that it grows, it is copied.
func (c *Conn) read(ctx context.Context) {
	for ctx.Err() == nil {
		line, err := c.in.Next()
		switch {
		case errors.Is(err, ErrTooLong):
			c.fail("null", Errorf(InvalidRequest, "the line is longer than %d MiB", c.limits.Line>>20))
		case err == io.EOF:
			c.ended <- nil
			return
		case err != nil:
			c.ended <- fmt.Errorf("reading requests: %w", err)
			return
		case strings.Trim(line, " \t\r") != "":
			give, ok := c.limits.Bytes.Take(ctx, len(line))
			if !ok {
				break // the answer is no longer wanted
			}
			run := c.serve(ctx, line)
			if run == nil {
				give()
				break
			}
			select {
			case c.reads <- struct{}{}:
			default:
				go c.read(ctx)
			}
			run()
			give()
			select {
			case <-c.reads:
			case <-ctx.Done():
				return
			}
		}
	}
	c.ended <- context.Cause(ctx)
}

// Refuse answers every request with one error, for a client that may not call.
func (c *Conn) Refuse(err error) {
	c.stop = func(error) {} // no calls to cancel
	c.reply(request{id: "null"}, nil, err)
}

// Wait lets no further call start. It returns when all calls in flight are answered, or after the limit.
func (c *Conn) Wait(limit time.Duration) { c.endWithin(limit, &c.running) }

func (c *Conn) endWithin(limit time.Duration, calls *sync.WaitGroup) {
	c.mu.Lock()
	c.ending = true
	c.mu.Unlock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		calls.Wait()
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}

// serve answers one line, or returns a function that answers in parallel with the reading.
func (c *Conn) serve(ctx context.Context, line string) (run func()) {
	req, err := parse(line)
	if err != nil {
		c.fail(req.answerID(), err)
		return nil
	}
	if req.method == "$/cancel" {
		c.cancel(req)
		return nil
	}
	callCtx, done, err := c.begin(ctx, req)
	if err != nil {
		c.fail("null", err) // the other request with this id gets its own answer
		return nil
	}
	result, later, failed := c.answerOrCrash(req)
	if later == nil {
		c.finish(callCtx, req, done, result, failed)
		return nil
	}
	if err := c.countCall(); err != nil {
		done()
		c.reply(req, nil, err)
		return nil
	}
	return func() {
		defer c.uncountCall()
		select {
		case c.turns <- struct{}{}:
			defer func() { <-c.turns }()
			result, failed = runOrCrash(callCtx, later)
		case <-callCtx.Done():
			failed = context.Cause(callCtx)
		}
		c.working.Done()
		c.finish(callCtx, req, done, result, failed)
	}
}

// answerOrCrash is Conn.answer, with a panic as an error.
func (c *Conn) answerOrCrash(req request) (result Result, later func(context.Context) (Result, error), err error) {
	defer crash.Catch(&err)
	return c.answer(req.method, req.params, req.silent())
}

// runOrCrash runs the later part of an answer. It returns a panic as an error.
func runOrCrash(ctx context.Context, later func(context.Context) (Result, error)) (result Result, err error) {
	defer crash.Catch(&err)
	return later(ctx)
}

// finish writes the answer to a request. It first calls done, which frees the request's id.
func (c *Conn) finish(ctx context.Context, req request, done func(), result Result, failed error) {
	if failed != nil && errors.Is(context.Cause(ctx), errCancelled) {
		failed = Errorf(Cancelled, "%v", errCancelled)
	}
	done()
	written := c.reply(req, result.JSON, failed) && failed == nil
	if result.Written != nil {
		result.Written(written)
	}
}

// countCall counts a call, unless the limit is reached or Wait has begun.
func (c *Conn) countCall() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.ending:
		return Errorf(InternalError, "the server is ending")
	case c.begun == c.limits.Calls+c.limits.Waiting:
		return Errorf(Busy, "%d calls are in flight already; wait for some of them", c.begun)
	}
	c.begun++
	c.running.Add(1)
	c.working.Add(1)
	return nil
}

func (c *Conn) uncountCall() {
	c.mu.Lock()
	c.begun--
	c.mu.Unlock()
	c.running.Done()
}

// begin records a call for $/cancel. It refuses an id that is in use, because two calls would be indistinguishable.
func (c *Conn) begin(ctx context.Context, req request) (context.Context, func(), *Error) {
	if req.silent() {
		return ctx, func() {}, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, taken := c.calls[req.id]; taken {
		return nil, nil, Errorf(InvalidRequest, "the id %s is that of a call in flight", brief(req.id))
	}
	ctx, cancel := context.WithCancelCause(ctx)
	c.calls[req.id] = cancel
	return ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.calls, req.id)
		cancel(nil)
	}, nil
}

// cancel cancels a call. An unknown or ended call is no error: its answer may be on the way.
func (c *Conn) cancel(req request) {
	id := gjson.Get(req.params, "id")
	if !isID(id) {
		c.reply(req, nil, Errorf(InvalidParams, "$/cancel needs the id of a call, as in {\"id\":1}"))
		return
	}
	c.mu.Lock()
	if _, taken := c.calls[req.id]; taken && !req.silent() {
		c.mu.Unlock()
		c.fail("null", Errorf(InvalidRequest, "the id %s is that of a call in flight", brief(req.id)))
		return
	}
	cancel, found := c.calls[normalID(id.Raw)]
	c.mu.Unlock()
	if found {
		cancel(errCancelled)
	}
	c.reply(req, fmt.Appendf(nil, "%t", found), nil)
}

// reply answers a request, and reports whether the answer was written. A notification gets no answer.
func (c *Conn) reply(req request, result []byte, err error) (written bool) {
	if req.silent() {
		return false
	}
	if err != nil {
		c.fail(req.id, asError(err))
		return false
	}
	return c.write(encodeResult(req.id, result))
}

func (c *Conn) fail(id string, e *Error) { c.write(encodeError(id, e)) }

// asError returns an error of any type as an Error.
func asError(err error) *Error {
	var e *Error
	if !errors.As(err, &e) {
		e = Errorf(InternalError, "%v", err)
	}
	return e
}

func encodeResult(id string, result []byte) []byte {
	b := make([]byte, 0, len(result)+len(id)+40)
	b = append(append(b, `{"jsonrpc":"2.0","id":`...), id...)
	b = append(append(b, `,"result":`...), result...)
	return append(b, '}', '\n')
}

func encodeError(id string, e *Error) []byte {
	b := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":`, id, e.Code)
	b = strictjson.AppendString(b, strings.ToValidUTF8(e.Message, "\ufffd"))
	if e.Data != nil {
		b = append(append(b, `,"data":`...), e.Data...)
	}
	return append(b, '}', '}', '\n')
}

func (c *Conn) write(line []byte) (written bool) {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.out.Write(line)
	if err != nil {
		c.stop(fmt.Errorf("writing answers: %w", err))
	}
	return err == nil
}
