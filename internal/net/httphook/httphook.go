// Package httphook posts a hook's input to an HTTP endpoint and returns the answer, with net/http.
//
//	var client httphook.Client // one for the life of a runner
//	defer client.Close()
//	body, err := client.Post(ctx, &endpoint, os.Getenv, payload)
//
// Guarantees:
//
//  1. Only the whole body of a 2xx answer counts. It is an error if a body was cut, is larger than 1 MiB or is encoded
//     (gzip), or if the answer is a redirect: redirects are never followed.
//  2. One header stays one header: a name or a value that could start another header is refused. Values are checked
//     after variables are expanded.
//  3. Memory is bounded by the request, 64 KiB of headers of the answer and 1 MiB of body.
//  4. An error is one line of at most 600 bytes. It has neither the query nor the user of a URL, nor a header value,
//     unless the server itself repeats them in its answer or in the path of its Location.
//  5. If the end of the connection marks the end of the answer, TLS must end with a close_notify; otherwise the answer
//     does not count.
//  6. Only the endpoint's own proxy is used, whatever the environment says. Cookies are not kept.
//  7. Post returns when the context ends.
//
// Not guaranteed:
//
//   - a secret path: errors show the path of the URL.
//   - a complete body without Content-Length and chunks: over plain TCP the end of the connection ends the body.
//   - a single request: servers close idle connections. If a kept connection ends before the first byte of the answer,
//     the request is sent once more over a new connection, which no other request uses.
//   - an answer, if the server sends it before it has read the whole request and then closes the connection.
package httphook

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"unicode"

	"github.com/hookrun/hookrun/internal/core/endpoint"
	"github.com/hookrun/hookrun/protocol"
)

const (
	maxHead = 64 << 10 // of the headers of an answer
	maxBody = 1 << 20
)

// Post posts a body, given in pieces, and returns the answer's body. The error is an *endpoint.Error, or the context's
// cause.
func (c *Client) Post(ctx context.Context, e *endpoint.Endpoint, getenv func(string) string, body [][]byte) ([]byte,
	error) {
	fail := func(of protocol.Cause, err error) ([]byte, error) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, &endpoint.Error{Cause: of, Text: oneLine(err.Error()), Err: err}
	}
	request, err := newRequest(ctx, e, getenv, body)
	var client *http.Client
	if err == nil {
		client, err = c.client(e)
	}
	if err != nil {
		return fail(protocol.CauseUnstarted, fmt.Errorf("%v: %w", e, err))
	}
	answer, conn, err := do(client, request)
	if err != nil {
		of, err := explain(err, conn != nil)
		return fail(of, fmt.Errorf("%v: %w", e, err))
	}
	defer answer.Body.Close()
	if answer.StatusCode/100 != 2 {
		return fail(protocol.CauseExit, statusError(e, answer))
	}
	text, err := read(answer, conn)
	if err != nil {
		return fail(protocol.CauseOutput, fmt.Errorf("%v: %w", e, err))
	}
	return text, nil
}

// do sends a request and returns the connection used, or nil. Servers close idle connections, even at the moment of the
// next request. If a kept connection ends before the first byte of the answer, do sends the request once more over a
// new connection; net/http does so only for GET, and over any other kept connection.
func do(client *http.Client, request *http.Request) (*http.Response, net.Conn, error) {
	for again := false; ; again = true {
		var got httptrace.GotConnInfo
		var answered atomic.Bool
		traced := httptrace.WithClientTrace(request.Context(), &httptrace.ClientTrace{
			GotConn:              func(info httptrace.GotConnInfo) { got = info },
			GotFirstResponseByte: func() { answered.Store(true) },
		})
		answer, err := client.Do(request.WithContext(traced))
		if err == nil || again || !got.Reused || answered.Load() || request.Context().Err() != nil {
			return answer, got.Conn, err
		}
		client = ownConnection(client)
		if request.Body, err = request.GetBody(); err != nil {
			return nil, got.Conn, err
		}
	}
}

// newRequest builds the HTTP request.
func newRequest(ctx context.Context, e *endpoint.Endpoint, getenv func(string) string, body [][]byte) (*http.Request,
	error) {
	if err := endpoint.CheckURL(e.URL); err != nil { // net/http's errors would quote the URL
		return nil, err
	}
	headers, err := e.Expanded(getenv)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.URL, bytes.NewReader(slices.Concat(body...)))
	if err != nil {
		return nil, err
	}
	r.Header = http.Header{"User-Agent": {"hookrun"}, "Accept": {"*/*"}, "Content-Type": {"application/json"}}
	for _, h := range headers {
		if strings.EqualFold(h.Name, "Host") {
			r.Host = cmp.Or(h.Value, r.Host)
			continue
		}
		r.Header.Set(h.Name, h.Value)
	}
	return r, nil
}

// explain turns an error of net/http into a message that says what to check.
func explain(err error, connected bool) (protocol.Cause, error) {
	if wrapped, ok := errors.AsType[*url.Error](err); ok { // url.Error quotes the query
		err = wrapped.Err
	}
	refused, _ := errors.AsType[*net.OpError](err)
	switch {
	case refused != nil && refused.Op == "remote error": // with TLS 1.3 the error comes after the handshake
		return protocol.CauseUnstarted, fmt.Errorf("the server refused the TLS connection: %w; "+
			"does it want a client certificate, \"client_cert\" and \"client_key\"?", err)
	case strings.Contains(err.Error(), "http2: client conn could not be established"): // the same, reported later
		return protocol.CauseUnstarted, errors.New("the server ended the TLS connection before it took a request; " +
			"does it want a client certificate, \"client_cert\" and \"client_key\"?")
	case !connected:
		return protocol.CauseUnstarted, explainConnect(err)
	case errors.Is(err, io.EOF) || strings.HasSuffix(err.Error(), "server closed idle connection"): // unexported
		err = errors.New("the server closed the connection without an answer")
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = errCut
	case errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, net.ErrClosed):
		err = explainReset(err)
	}
	return protocol.CauseOutput, err
}

// explainReset explains a connection reset: the server has closed without reading the request.
func explainReset(err error) error {
	return fmt.Errorf("%w; a server has to read the whole request before it closes", err)
}

var errCut = errors.New("the server closed the connection before its answer was complete")

func statusError(e *endpoint.Endpoint, answer *http.Response) error {
	reason := strings.TrimSpace(strings.TrimPrefix(answer.Status, fmt.Sprint(answer.StatusCode)))
	status := strings.TrimSpace(fmt.Sprintf("http %d %s", answer.StatusCode, clip(reason)))
	if location := answer.Header.Get("Location"); answer.StatusCode/100 == 3 {
		return fmt.Errorf("%s from %v; redirects are not followed, write the address itself: Location is %q",
			status, e, clip(endpoint.WithoutSecrets(location)))
	}
	return fmt.Errorf("%s from %v", status, e)
}

// read returns the whole body of a 2xx answer.
func read(answer *http.Response, conn net.Conn) ([]byte, error) {
	if encoding := answer.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return nil, fmt.Errorf("the answer has Content-Encoding %q; the server must send it as it is", clip(encoding))
	}
	if answer.ContentLength > maxBody {
		return nil, errTooLong
	}
	var text bytes.Buffer
	n, err := text.ReadFrom(io.LimitReader(answer.Body, maxBody+1))
	untold := answer.ContentLength < 0 && len(answer.TransferEncoding) == 0 && answer.ProtoMajor == 1
	switch {
	case n > maxBody:
		return nil, errTooLong
	case errors.Is(err, io.ErrUnexpectedEOF) && answer.ContentLength >= 0:
		return nil, fmt.Errorf("%w: %d of %d bytes came", errCut, n, answer.ContentLength)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errCut
	case errors.Is(err, syscall.ECONNRESET) || errors.Is(err, net.ErrClosed): // a reset can overtake the answer
		return nil, explainReset(err)
	case err != nil:
		return nil, err
	case untold && cutTLS(conn):
		return nil, errors.New("the connection ended without TLS close_notify, so the answer may have been cut; " +
			"it is safe if the server sends a Content-Length")
	}
	return text.Bytes(), nil
}

var errTooLong = errors.New("the answer is more than 1 MiB")

// oneLine turns an error into one line without control characters, because parts may come from the server.
func oneLine(s string) string {
	const most = 600
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, s)
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most-len("…")], "") + "…"
	}
	return s
}

// clip shortens the server's text for a message.
func clip(s string) string {
	const most = 200
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}
