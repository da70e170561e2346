// Package jsonrpc answers JSON-RPC 2.0 requests that come one to a line.
//
//	conn := jsonrpc.NewConn(os.Stdin, os.Stdout, answer, jsonrpc.Limits{Line: 64 << 20, Calls: 256})
//	err := conn.Run(ctx)
//
// Guarantees:
//
//  1. Every request that can be told to be one gets one answer, whatever its line holds, and the next line is served. A
//     line that is none gets an error with the id null.
//  2. Answers come as they are ready. What takes no time is answered in the order of the lines, and what takes time
//     runs beside the reading and other calls.
//  3. A request can be given up by the notification $/cancel with its id; it is answered by the error Cancelled. Where
//     an answer cannot be written all requests in flight are given up, and so are those that have no answer
//     Limits.AfterEnd after the end of the input.
//  4. Memory is bounded by the limits: a longer line is passed over, and a call too many is answered by an error. Lines
//     are read all the same, so that calls can be given up, unless the requests in flight have too many bytes together.
//
// No library does this: a claim of the queue must know whether the answer that it stands in was written
// (Result.Written), and those that there are tell their handlers nothing after the handler has returned.
//
// Not there: batches (an array of requests), which one message per line does not need, and requests of the server's
// own.
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

	"github.com/hookrun/hookrun/internal/strictjson"
)

// Code says what kind of error a request is answered with.
type Code int

// The codes of JSON-RPC 2.0, Cancelled, which the Language Server Protocol has for the same, and Busy.
const (
	ParseError     Code = -32700 // the line is no JSON
	InvalidRequest Code = -32600 // it is no request
	MethodNotFound Code = -32601
	InvalidParams  Code = -32602
	InternalError  Code = -32603
	Cancelled      Code = -32800
	Busy           Code = -32000 // too many calls wait; try again later
)

// Error is an error that a request is answered with.
type Error struct {
	Code    Code
	Message string
	Data    []byte // JSON; nil: none
}

func (e *Error) Error() string { return e.Message }

// Errorf makes an Error.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Result is what a request is answered with.
type Result struct {
	JSON []byte
	// Written, unless it is nil, is called once the result was written, or could not be, or something else was
	// answered. What the result hands over is the client's only if it was written.
	Written func(written bool)
}

// Answer answers one request. params is a JSON object or array, or "" if there are none. Requests come one after the
// other, in the order of their lines: what takes time is returned as later, which runs beside others, and whose ctx
// ends when nobody wants the answer any more. An error that is no Error is an InternalError. silent: it is a
// notification, and nobody hears the result.
type Answer func(method, params string, silent bool) (Result, func(ctx context.Context) (Result, error), error)

// Limits bound what a connection can ask for.
type Limits struct {
	Line      int           // bytes of a line
	Calls     int           // that run at once
	Waiting   int           // that wait for others to end, besides; a call more is answered by the error Busy
	Bytes     *Bytes        // of all requests in flight; nil: as many as there are
	AfterEnd  time.Duration // that requests in flight have at the end of the input
	LastWords time.Duration // that Run waits at its end for answers to be written
}

// Bytes bounds the memory of requests in flight: the sum of the lengths of their lines. Connections can share it. Over
// the bound a connection stops reading until others have their answers. A line of any length fits where no other is.
type Bytes struct {
	room  *semaphore.Weighted
	bound int64
}

// NewBytes makes a bound.
func NewBytes(bound int) *Bytes { return &Bytes{semaphore.NewWeighted(int64(bound)), int64(bound)} }

// take waits for the room of a line. The room is to be given back by give. It reports false when ctx ended before.
func (b *Bytes) take(ctx context.Context, n int) (give func(), ok bool) {
	if b == nil {
		return func() {}, true
	}
	size := min(int64(n), b.bound)
	if err := b.room.Acquire(ctx, size); err != nil {
		return nil, false
	}
	return func() { b.room.Release(size) }, true
}

// ErrGone is why the calls of a connection end whose other side is gone.
var ErrGone = errors.New("the client is gone")

var errCancelled = errors.New("the call was cancelled")

// Conn is one connection.
type Conn struct {
	in     *Lines
	answer Answer
	limits Limits
	turns  chan struct{}

	writing sync.Mutex
	out     io.Writer

	mu      sync.Mutex
	calls   map[string]context.CancelCauseFunc // in flight, by id
	begun   int                                // calls that run or wait
	running sync.WaitGroup
	ending  bool                    // nothing is added to running any more
	ended   chan error              // of reading; has room, since Run may not be there any more
	unsaid  context.CancelCauseFunc // is called with the error of a write
}

// NewConn reads requests from in and writes answers to out, each by one Write.
func NewConn(in io.Reader, out io.Writer, answer Answer, limits Limits) *Conn {
	return &Conn{
		in: NewLines(in, limits.Line), out: out, answer: answer, limits: limits,
		turns: make(chan struct{}, limits.Calls), ended: make(chan error, 1),
		calls: map[string]context.CancelCauseFunc{},
	}
}

// Run answers requests until the input ends, an answer cannot be written, or ctx ends. Then calls in flight are given
// up, at the end of the input Limits.AfterEnd later. It returns when they have come to their end, or Limits.LastWords
// later: whoever should read their answers may not do so. The error is nil at the end of the input. A read that waits
// is left behind until the input is closed.
func (c *Conn) Run(ctx context.Context) error {
	ctx, c.unsaid = context.WithCancelCause(ctx)
	go c.read(ctx)
	var err error
	select {
	case err = <-c.ended:
		if err == nil {
			c.Wait(c.limits.AfterEnd) // a pipe may end right behind its last request
		}
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	c.unsaid(ErrGone)
	c.Wait(c.limits.LastWords)
	return err
}

// read serves lines until the input ends. Whoever has read a request answers it, and another goroutine reads on: most
// calls come one at a time, and to hand the call over would wake a thread for each.
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
			give, ok := c.limits.Bytes.take(ctx, len(line))
			if !ok {
				break // nobody wants an answer any more
			}
			run := c.serve(ctx, line)
			if run == nil {
				give()
				break
			}
			go c.read(ctx)
			defer give()
			run()
			return
		}
	}
	c.ended <- context.Cause(ctx)
}

// Refuse answers nothing but one error, to a client that may not call.
func (c *Conn) Refuse(err error) {
	c.unsaid = func(error) {} // it has no calls to give up
	c.reply(request{id: "null"}, nil, err)
}

// Wait waits until no call is in flight and all answers are written, so long at most. No more calls are begun.
func (c *Conn) Wait(limit time.Duration) {
	c.mu.Lock()
	c.ending = true
	c.mu.Unlock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.running.Wait()
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}

// serve answers one line, or returns what is to be run beside the reading to do so.
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
		c.fail("null", err) // that id has its own answer to come
		return nil
	}
	result, later, failed := c.answer(req.method, req.params, req.silent())
	if later == nil {
		c.finish(callCtx, req, done, result, failed)
		return nil
	}
	if err := c.start(); err != nil {
		done()
		c.reply(req, nil, err)
		return nil
	}
	return func() {
		defer c.finished()
		select {
		case c.turns <- struct{}{}:
			defer func() { <-c.turns }()
			result, failed = later(callCtx)
		case <-callCtx.Done():
			failed = context.Cause(callCtx)
		}
		c.finish(callCtx, req, done, result, failed)
	}
}

// finish writes the answer to a request, which is not in flight any more then: its id is free, see done.
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

// start counts a call in, unless there are too many or somebody waits for the last one already.
func (c *Conn) start() error {
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
	return nil
}

func (c *Conn) finished() {
	c.mu.Lock()
	c.begun--
	c.mu.Unlock()
	c.running.Done()
}

// begin notes a call down so that it can be cancelled. Two calls of one id could not be told apart.
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

// cancel gives up the call that it names. One that is over, or never was, is no error: its answer is on its way.
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
	cancel, found := c.calls[string(strictjson.Compact(nil, id.Raw))]
	c.mu.Unlock()
	if found {
		cancel(errCancelled)
	}
	c.reply(req, fmt.Appendf(nil, "%t", found), nil)
}

// reply answers a request, and reports whether that was written; a notification has no answer.
func (c *Conn) reply(req request, result []byte, err error) (written bool) {
	if req.silent() {
		return false
	}
	if err != nil {
		var e *Error
		if !errors.As(err, &e) {
			e = Errorf(InternalError, "%v", err)
		}
		c.fail(req.id, e)
		return false
	}
	b := make([]byte, 0, len(result)+len(req.id)+40)
	b = append(append(b, `{"jsonrpc":"2.0","id":`...), req.id...)
	b = append(append(b, `,"result":`...), result...)
	return c.write(append(b, '}', '\n'))
}

func (c *Conn) fail(id string, e *Error) {
	b := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":`, id, e.Code)
	b = strictjson.AppendString(b, strings.ToValidUTF8(e.Message, "\ufffd"))
	if e.Data != nil {
		b = append(append(b, `,"data":`...), e.Data...)
	}
	c.write(append(b, '}', '}', '\n'))
}

func (c *Conn) write(line []byte) (written bool) {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.out.Write(line)
	if err != nil {
		c.unsaid(fmt.Errorf("writing answers: %w", err))
	}
	return err == nil
}
