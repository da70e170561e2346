// Package jsonrpc answers JSON-RPC 2.0 requests that come one to a line.
//
//	conn := jsonrpc.NewConn(os.Stdin, os.Stdout, answer, jsonrpc.Limits{Line: 64 << 20, Calls: 256})
//	err := conn.Run(ctx)
//
// Guarantees:
//
//  1. Every request that can be told to be one gets one answer, whatever its line holds, and the next line is served. A
//     line that is none gets an error with the id null.
//  2. Answers come as they are ready. What takes no time is answered in the order of the lines, and what takes time runs
//     beside other calls.
//  3. A request can be given up by the notification $/cancel with its id; it is answered by the error Cancelled. At the end
//     of the input, and where an answer cannot be written, all requests in flight are given up.
//  4. Memory is bounded by the limits: a longer line is passed over, and a call too many is answered by an error. Lines are read
//     all the same, so that calls can be given up.
//
// Not there: batches (an array of requests), which one message per line does not need, and requests of the server's own.
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

// Answer answers one request. params is a JSON object or array, or "" if there are none; it is valid as long as anybody holds
// it. Requests come one after the other, in the order of their lines: what takes time is returned as later, whose ctx ends when
// nobody wants the answer any more. It must call ReadOn as soon as it waits for something. An error that is no Error is an
// InternalError. silent: it is a notification, and nobody hears the result.
type Answer func(method, params string, silent bool) (result []byte, later func(ctx context.Context) ([]byte, error), err error)

type readOn struct{}

// ReadOn is called by what a connection was answered with as later, with its ctx: from now on it may take its time, and runs
// beside other calls. Until then nothing more is read: to hand every call to another goroutine would take longer than a short
// one does. To call it again does nothing.
func ReadOn(ctx context.Context) {
	if on, ok := ctx.Value(readOn{}).(func()); ok {
		on()
	}
}

type whenAnswered struct{}

// WhenAnswered is called by what a connection was answered with as later, with its ctx: then is called once the result was
// written, or could not be, or something else was answered. What the result hands over is the client's only then.
func WhenAnswered(ctx context.Context, then func(written bool)) {
	if told, ok := ctx.Value(whenAnswered{}).(*func(bool)); ok {
		*told = then
	}
}

// Limits bound what a connection can ask for.
type Limits struct {
	Line      int           // bytes of a line
	Calls     int           // that run at once
	Waiting   int           // that wait for others to end, besides; a call more is answered by the error Busy
	LastWords time.Duration // that Run waits at its end for answers to be written
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
		turns: make(chan struct{}, limits.Calls), ended: make(chan error, 1), calls: map[string]context.CancelCauseFunc{},
	}
}

// Run answers requests until the input ends, an answer cannot be written, or ctx ends. Then calls in flight are given up, and it
// returns when they have come to their end, or Limits.LastWords later: whoever should read their answers may not do so. The
// error is nil at the end of the input. A read that waits is left behind until the input is closed.
func (c *Conn) Run(ctx context.Context) error {
	ctx, c.unsaid = context.WithCancelCause(ctx)
	go c.read(ctx)
	var err error
	select {
	case err = <-c.ended:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	c.unsaid(ErrGone)
	c.Wait(c.limits.LastWords)
	return err
}

// read serves lines until the input ends or a call takes its time, which goes on reading in another goroutine.
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
		default:
			if c.serve(ctx, line) {
				return
			}
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

// serve answers one line. It reports whether somebody else reads on.
func (c *Conn) serve(ctx context.Context, line string) (passed bool) {
	if strings.Trim(line, " \t\r") == "" {
		return false
	}
	req, err := parse(line)
	if err != nil {
		c.fail(req.answerID(), err)
		return false
	}
	if req.method == "$/cancel" {
		c.cancel(req)
		return false
	}
	callCtx, done, err := c.begin(ctx, req)
	if err != nil {
		c.fail("null", err) // that id has its own answer to come
		return false
	}
	result, later, failed := c.answer(req.method, req.params, req.silent())
	if later == nil {
		done()
		c.reply(req, result, failed)
		return false
	}
	if err := c.start(); err != nil {
		done()
		c.reply(req, nil, err)
		return false
	}
	defer c.finished()
	var mu sync.Mutex
	over := false
	callCtx = context.WithValue(callCtx, readOn{}, func() {
		mu.Lock()
		defer mu.Unlock()
		if !passed && !over {
			passed = true
			go c.read(ctx)
		}
	})
	told := func(bool) {}
	callCtx = context.WithValue(callCtx, whenAnswered{}, &told)
	if c.in.More() {
		ReadOn(callCtx)
	}
	select {
	case c.turns <- struct{}{}:
	default:
		ReadOn(callCtx)
		select {
		case c.turns <- struct{}{}:
		case <-callCtx.Done():
			failed = context.Cause(callCtx)
		}
	}
	if failed == nil {
		result, failed = later(callCtx)
		<-c.turns
	}
	mu.Lock()
	over = true
	mu.Unlock()
	if failed != nil && errors.Is(context.Cause(callCtx), errCancelled) {
		failed = Errorf(Cancelled, "%v", errCancelled)
	}
	done()
	told(c.reply(req, result, failed) && failed == nil)
	return passed
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
