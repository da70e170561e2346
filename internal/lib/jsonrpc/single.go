package jsonrpc

import (
	"context"
	"sync/atomic"

	"github.com/hookrun/hookrun/internal/lib/crash"
)

// Singles answers requests that come one by one, each with a reply of its own, as over HTTP. All requests share the
// limits on calls. It is safe for concurrent use.
type Singles struct {
	turns chan struct{}
	begun atomic.Int64 // running or waiting calls
	most  int64
}

// NewSingles returns a Singles with the Calls and Waiting of the limits.
func NewSingles(l Limits) *Singles {
	return &Singles{turns: make(chan struct{}, l.Calls), most: int64(l.Calls + l.Waiting)}
}

// Do makes one call: begin and, when it is the call's turn, the function that begin returns. ctx ends if nobody wants
// the result any more. The caller calls Result.Written, also beside an error.
func (s *Singles) Do(ctx context.Context,
	begin func() (Result, func(context.Context) (Result, error), error)) (result Result, err error) {
	defer crash.Catch(&err)
	result, later, err := begin()
	if err != nil || later == nil {
		return result, err
	}
	n := s.begun.Add(1)
	defer s.begun.Add(-1)
	if n > s.most {
		return Result{}, Errorf(Busy, "%d calls are in flight already; wait for some of them", n-1)
	}
	select {
	case s.turns <- struct{}{}:
		defer func() { <-s.turns }()
		return later(ctx)
	case <-ctx.Done():
		return Result{}, context.Cause(ctx)
	}
}

// Reply is the answer to a request. The caller writes Text, and then calls Written.
type Reply struct {
	Text    []byte // nil: the request was a notification that did not fail
	Written func(written bool)
}

// Reply answers the text of one request. The notification $/cancel cancels nothing: each request has its own ids.
func (s *Singles) Reply(ctx context.Context, text string, answer Answer) Reply {
	none := func(bool) {}
	req, wrong := parse(text)
	if wrong != nil {
		return Reply{encodeError(req.answerID(), wrong), none}
	}
	result, err := s.Do(ctx, func() (Result, func(context.Context) (Result, error), error) {
		return answer(req.method, req.params, req.silent())
	})
	written := none
	if result.Written != nil {
		written = result.Written
	}
	switch {
	case err != nil: // of a notification too: a caller could take an empty answer for a yes
		return Reply{encodeError(req.answerID(), asError(err)), func(bool) { written(false) }}
	case req.silent():
		return Reply{nil, func(bool) { written(false) }}
	}
	return Reply{encodeResult(req.id, result.JSON), written}
}

// ErrorReply returns the answer to text that was not read as a request.
func ErrorReply(e *Error) []byte { return encodeError("null", e) }
