package jsonrpc_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/lib/jsonrpc"
)

const patience = 20 * time.Second

// client is the other end of a connection.
type client struct {
	*testing.T
	requests io.WriteCloser
	answers  *bufio.Reader
	ended    chan error
	conn     *jsonrpc.Conn
}

// newClient connects to answer, and checks at the end that reading ended without an error.
func newClient(t *testing.T, answer jsonrpc.Answer, limits jsonrpc.Limits) *client {
	in, requests := io.Pipe()
	answers, out := io.Pipe()
	c := &client{T: t, requests: requests, answers: bufio.NewReader(answers), ended: make(chan error, 1)}
	c.conn = jsonrpc.NewConn(in, out, answer, limits)
	go func() {
		c.ended <- c.conn.Run(context.Background())
		out.Close()
	}()
	t.Cleanup(func() { requests.Close() })
	return c
}

func (c *client) say(lines string) {
	c.Helper()
	_, err := io.WriteString(c.requests, lines)
	require.NoError(c, err)
}

func (c *client) hear() string {
	c.Helper()
	line, err := c.answers.ReadString('\n')
	require.NoError(c, err)
	return strings.TrimSuffix(line, "\n")
}

func (c *client) end() {
	c.Helper()
	require.NoError(c, c.requests.Close())
	select {
	case err := <-c.ended:
		require.NoError(c, err)
	case <-time.After(patience):
		require.Fail(c, "Run does not return")
	}
}

var limits = jsonrpc.Limits{Line: 1 << 20, Calls: 8, LastWords: patience}

// An answer has the id of its request, and no two ids become one. Half a surrogate pair stays as it was written.
func TestIDs(t *testing.T) {
	c := newClient(t, echo, limits)
	for id, want := range map[string]string{
		`1`: `1`, `"a"`: `"a"`, `"\u0061\/"`: `"a/"`, `"\ud83d\ude00"`: `"😀"`, `"\ufffd"`: `"�"`, "\"�\"": "\"�\"",
		`"\ud800"`: `"\ud800"`, `"\uDFFF"`: `"\uDFFF"`, `"a\udfff\u0061"`: `"a\udfff\u0061"`,
	} {
		c.say(`{"jsonrpc":"2.0","id":` + id + `,"method":"x"}` + "\n")
		require.True(t, strings.HasPrefix(c.hear(), `{"jsonrpc":"2.0","id":`+want+`,"result":`), id)
	}
	c.end()
}

// Two calls whose ids differ in half a surrogate pair alone are two calls.
func TestCancelOfHalfASurrogatePair(t *testing.T) {
	begun, given := make(chan string, 2), make(chan string, 2)
	answer := func(method, _ string, _ bool) (jsonrpc.Result, func(context.Context) (jsonrpc.Result, error), error) {
		return jsonrpc.Result{}, func(ctx context.Context) (jsonrpc.Result, error) {
			begun <- method
			<-ctx.Done()
			given <- method
			return jsonrpc.Result{}, ctx.Err()
		}, nil
	}
	next := func(from chan string) string {
		t.Helper()
		select {
		case method := <-from:
			return method
		case <-time.After(patience):
			require.Fail(t, "no call")
		}
		return ""
	}
	c := newClient(t, answer, limits)
	c.say(`{"jsonrpc":"2.0","id":"\ud800","method":"one"}` + "\n")
	c.say(`{"jsonrpc":"2.0","id":"\udfff","method":"two"}` + "\n")
	require.ElementsMatch(t, []string{"one", "two"}, []string{next(begun), next(begun)}) // else a cancel comes before
	c.say(`{"jsonrpc":"2.0","method":"$/cancel","params":{"id":"\udfff"}}` + "\n")
	require.Equal(t, "two", next(given))
	require.Contains(t, c.hear(), `"id":"\udfff","error":{"code":-32800`)
	c.say(`{"jsonrpc":"2.0","method":"$/cancel","params":{"id":"\ud800"}}` + "\n")
	require.Equal(t, "one", next(given))
	require.Contains(t, c.hear(), `"id":"\ud800","error":{"code":-32800`)
	c.end()
}

// A panic is the error of its request, wherever it comes, and the connection goes on.
func TestPanic(t *testing.T) {
	answer := func(method, params string, silent bool) (jsonrpc.Result, func(context.Context) (jsonrpc.Result, error),
		error) {
		switch method {
		case "now":
			panic("spoilt")
		case "later":
			return jsonrpc.Result{}, func(context.Context) (jsonrpc.Result, error) { panic("spoilt") }, nil
		}
		return echo(method, params, silent)
	}
	c := newClient(t, answer, limits)
	for _, method := range []string{"now", "later"} {
		c.say(`{"jsonrpc":"2.0","id":1,"method":"` + method + `"}` + "\n")
		const failed = `"id":1,"error":{"code":-32603,"message":"hookrun itself failed: spoilt (jsonrpc_test.`
		require.Contains(t, c.hear(), failed)
	}
	c.say(`{"jsonrpc":"2.0","id":1,"method":"x"}` + "\n")
	require.Contains(t, c.hear(), `"id":1,"result":`)
	c.end()
}

// echo answers with the method and the params.
func echo(method, params string, _ bool) (jsonrpc.Result, func(context.Context) (jsonrpc.Result, error), error) {
	switch method {
	case "error":
		return jsonrpc.Result{}, nil, &jsonrpc.Error{Code: -32001, Message: "a \"reason\"", Data: []byte(`[1]`)}
	case "other error":
		return jsonrpc.Result{}, nil, errors.New("broken")
	}
	result, err := json.Marshal([]string{method, params})
	return jsonrpc.Result{JSON: result}, nil, err
}

func TestAnswers(t *testing.T) {
	const ok = `{"jsonrpc":"2.0","id":1,"result":["m",""]}`
	fail := func(id string, code int, message string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, id, code, message)
	}
	for name, test := range map[string]struct{ line, want string }{
		"request":     {`{"jsonrpc":"2.0","id":1,"method":"m"}`, ok},
		"null params": {`{"jsonrpc":"2.0","id":1,"method":"m","params":null}`, ok},
		"params": {`{"jsonrpc":"2.0","id":1,"method":"m","params":{"a": 1}}`,
			`{"jsonrpc":"2.0","id":1,"result":["m","{\"a\": 1}"]}`},
		"text id": {`{"jsonrpc":"2.0","id":"a\u0062","method":"m"}`,
			`{"jsonrpc":"2.0","id":"ab","result":["m",""]}`},
		"null id": {`{"jsonrpc":"2.0","id":null,"method":"m"}`,
			`{"jsonrpc":"2.0","id":null,"result":["m",""]}`},
		"big id": {`{"jsonrpc":"2.0","id":12345678901234567890,"method":"m"}`,
			`{"jsonrpc":"2.0","id":12345678901234567890,"result":["m",""]}`},
		"escaped method": {`{"jsonrpc":"2.0","id":1,"method":"\u006d"}`, ok},
		"windows line":   {`{"jsonrpc":"2.0","id":1,"method":"m"}` + "\r", ok},
		"blanks":         {"\n \t\n\r\n" + `  {"jsonrpc" : "2.0", "id" : 1, "method" : "m"} `, ok},
		"unknown keys":   {`{"jsonrpc":"2.0","id":1,"method":"m","trace":{}}`, ok},
		"error": {`{"jsonrpc":"2.0","id":1,"method":"error"}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"a \"reason\"","data":[1]}}`},
		"other error": {`{"jsonrpc":"2.0","id":1,"method":"other error"}`, fail("1", -32603, "broken")},
		"no JSON":     {`hello`, fail("null", -32700, "column 1: expected a value, found 'h'")},
		"half JSON":   {`{"jsonrpc":"2.0","id":1,`, ``},
		"not UTF-8": {"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\"}",
			fail("null", -32700, "column 24: not UTF-8")},
		"batch": {`[{"jsonrpc":"2.0","id":1,"method":"m"}]`,
			fail("null", -32600, "batches are not served; write one request on a line")},
		"number":     {`3`, fail("null", -32600, "a request is a JSON object")},
		"no version": {`{"id":1,"method":"m"}`, fail("1", -32600, `a request has "jsonrpc":"2.0"`)},
		"other version": {`{"jsonrpc":"1.0","id":1,"method":"m"}`,
			fail("1", -32600, `a request has "jsonrpc":"2.0"`)},
		"no method": {`{"jsonrpc":"2.0","id":1}`,
			fail("1", -32600, "the request has no method, which is a string")},
		"odd method": {`{"jsonrpc":"2.0","id":1,"method":{}}`,
			fail("1", -32600, "the request has no method, which is a string")},
		"odd params": {`{"jsonrpc":"2.0","id":1,"method":"m","params":"p"}`,
			fail("1", -32600, "params must be an object")},
		"odd id": {`{"jsonrpc":"2.0","id":{},"method":"m"}`,
			fail("null", -32600, "the id must be a string, a number or null")},
		"true id": {`{"jsonrpc":"2.0","id":true,"method":"m"}`,
			fail("null", -32600, "the id must be a string, a number or null")},
		"two methods": {`{"jsonrpc":"2.0","id":1,"method":"m","meth\u006fd":"error"}`,
			fail("1", -32600, `the request has "method" twice`)},
		"two ids": {`{"jsonrpc":"2.0","id":1,"id":2,"method":"m"}`,
			fail("2", -32600, `the request has "id" twice`)},
		"too long": {`{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("m", 1<<20) + `"}`,
			fail("null", -32600, "the line is longer than 1 MiB")},
		"cancel without id": {`{"jsonrpc":"2.0","id":1,"method":"$/cancel"}`,
			fail("1", -32602, `$/cancel needs the id of a call, as in {"id":1}`)},
		"cancel of what is over": {`{"jsonrpc":"2.0","id":1,"method":"$/cancel","params":{"id":7}}`,
			`{"jsonrpc":"2.0","id":1,"result":false}`},
	} {
		t.Run(name, func(t *testing.T) {
			c := newClient(t, echo, limits)
			go c.say(test.line + "\n" + `{"jsonrpc":"2.0","id":"next","method":"m"}` + "\n")
			heard := c.hear()
			if test.want == "" {
				require.Contains(t, heard, `"id":null,"error":{"code":-32700`)
			} else {
				require.Equal(t, test.want, heard)
			}
			require.Equal(t, `{"jsonrpc":"2.0","id":"next","result":["m",""]}`, c.hear(), "the next line is served")
			c.end()
		})
	}
}

func TestNotificationsHaveNoAnswer(t *testing.T) {
	c := newClient(t, echo, limits)
	go c.say(`{"jsonrpc":"2.0","method":"m"}
{"jsonrpc":"2.0","method":"error"}
{"jsonrpc":"2.0","method":"$/cancel","params":{"id":1}}
{"jsonrpc":"2.0","id":1,"method":"m"}
`)
	require.Equal(t, `{"jsonrpc":"2.0","id":1,"result":["m",""]}`, c.hear())
	c.end()
}

func TestLastLineWithoutAnEnd(t *testing.T) {
	var out bytes.Buffer
	conn := jsonrpc.NewConn(strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"m"}`), &out, echo, limits)
	require.NoError(t, conn.Run(context.Background()))
	require.Equal(t, `{"jsonrpc":"2.0","id":1,"result":["m",""]}`+"\n", out.String())
}

// gate answers "wait" when it is opened or given up, and everything else at once.
type gate struct {
	began chan string
	open  chan struct{}
}

func newGate() gate { return gate{make(chan string, 100), make(chan struct{})} }

func (g gate) answer(method, params string, silent bool) (jsonrpc.Result,
	func(context.Context) (jsonrpc.Result, error), error) {
	if method != "wait" {
		return echo(method, params, silent)
	}
	return jsonrpc.Result{}, func(ctx context.Context) (jsonrpc.Result, error) {
		g.began <- params
		select {
		case <-g.open:
			return jsonrpc.Result{JSON: []byte(`"waited"`)}, nil
		case <-ctx.Done():
			return jsonrpc.Result{}, context.Cause(ctx)
		}
	}, nil
}

func TestCallsRunBesideEachOther(t *testing.T) {
	g := newGate()
	c := newClient(t, g.answer, limits)
	for id := range limits.Calls {
		c.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"wait"}`+"\n", id))
		<-g.began
	}
	c.say(`{"jsonrpc":"2.0","id":"quick","method":"m"}` + "\n")
	require.Equal(t, `{"jsonrpc":"2.0","id":"quick","result":["m",""]}`, c.hear(), "it is answered before the others")
	close(g.open)
	heard := map[string]bool{}
	for range limits.Calls {
		heard[c.hear()] = true
	}
	for id := range limits.Calls {
		require.True(t, heard[fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":"waited"}`, id)])
	}
	c.end()
}

func TestCancel(t *testing.T) {
	g := newGate()
	c := newClient(t, g.answer, limits)
	c.say(`{"jsonrpc":"2.0","id":"a","method":"wait"}` + "\n")
	<-g.began
	c.say(`{"jsonrpc":"2.0","id":"b","method":"wait"}` + "\n")
	<-g.began
	c.say(`{"jsonrpc":"2.0","id":"a","method":"m"}` + "\n")
	require.Contains(t, c.hear(),
		`"id":null,"error":{"code":-32600,"message":"the id \"a\" is that of a call in flight"`)
	c.say(`{"jsonrpc":"2.0","id":"a","method":"$/cancel","params":{"id":"b"}}` + "\n")
	require.Contains(t, c.hear(),
		`"id":null,"error":{"code":-32600,"message":"the id \"a\" is that of a call in flight"`)
	c.say(`{"jsonrpc":"2.0","method":"$/cancel","params":{"id":"a"}}` + "\n")
	require.Equal(t, `{"jsonrpc":"2.0","id":"a","error":{"code":-32800,"message":"the call was cancelled"}}`, c.hear())
	close(g.open)
	require.Equal(t, `{"jsonrpc":"2.0","id":"b","result":"waited"}`, c.hear())
	c.say(`{"jsonrpc":"2.0","id":"a","method":"m"}` + "\n")
	require.Equal(t, `{"jsonrpc":"2.0","id":"a","result":["m",""]}`, c.hear(), "its id is free again")
	c.end()
}

func TestEndOfInputGivesCallsUp(t *testing.T) {
	g := newGate()
	c := newClient(t, g.answer, limits)
	c.say(`{"jsonrpc":"2.0","id":1,"method":"wait"}` + "\n")
	<-g.began
	require.NoError(t, c.requests.Close())
	require.Equal(t, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"the client is gone"}}`, c.hear())
	c.end()
}

// With as many calls in flight as there may be others wait for their turn, and with too many waiting the next is
// refused. All of them can be given up.
func TestTooManyCalls(t *testing.T) {
	g := newGate()
	c := newClient(t, g.answer, jsonrpc.Limits{Line: 100, Calls: 1, Waiting: 2, LastWords: patience})
	for id := range 3 {
		c.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"wait"}`+"\n", id))
		if id == 0 {
			<-g.began
		}
	}
	c.say(`{"jsonrpc":"2.0","id":"more","method":"wait"}` + "\n")
	require.Equal(t,
		`{"jsonrpc":"2.0","id":"more","error":{"code":-32000,"message":"3 calls are in flight already; wait for some `+
			`of them"}}`, c.hear())
	c.say(`{"jsonrpc":"2.0","id":"m","method":"m"}` + "\n")
	require.Equal(t, `{"jsonrpc":"2.0","id":"m","result":["m",""]}`, c.hear(), "what takes no time is answered")
	c.say(`{"jsonrpc":"2.0","method":"$/cancel","params":{"id":2}}` + "\n")
	require.Equal(t, `{"jsonrpc":"2.0","id":2,"error":{"code":-32800,"message":"the call was cancelled"}}`, c.hear())
	c.say(`{"jsonrpc":"2.0","method":"$/cancel","params":{"id":0}}` + "\n")
	require.Equal(t, `{"jsonrpc":"2.0","id":0,"error":{"code":-32800,"message":"the call was cancelled"}}`, c.hear())
	<-g.began
	close(g.open)
	require.Equal(t, `{"jsonrpc":"2.0","id":1,"result":"waited"}`, c.hear())
	c.end()
}

type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, errors.New("nobody reads") }

// Where an answer cannot be written, nobody waits for the others either.
func TestNobodyReads(t *testing.T) {
	g := newGate()
	in, requests := io.Pipe()
	defer requests.Close()
	conn := jsonrpc.NewConn(in, closed{}, g.answer, limits)
	ended := make(chan error, 1)
	go func() { ended <- conn.Run(context.Background()) }()
	_, err := io.WriteString(requests, `{"jsonrpc":"2.0","id":1,"method":"wait"}`+"\n")
	require.NoError(t, err)
	<-g.began
	_, err = io.WriteString(requests, `{"jsonrpc":"2.0","id":2,"method":"m"}`+"\n")
	require.NoError(t, err)
	require.ErrorContains(t, <-ended, "nobody reads") // the first call was given up
}

// An answer that nobody got is an error also where the input has ended before it was ready.
func TestNobodyReadsAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		conn := jsonrpc.NewConn(strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"wait"}`), closed{}, g.answer,
			jsonrpc.Limits{Line: 100, Calls: 1, AfterEnd: patience})
		ended := make(chan error, 1)
		go func() { ended <- conn.Run(context.Background()) }()
		synctest.Wait() // it has seen the end
		close(g.open)
		require.ErrorContains(t, <-ended, "nobody reads")
	})
}

// Nor does Run wait for ever for somebody who has asked, and does not read.
func TestNobodyReadsButListens(t *testing.T) {
	in, requests := io.Pipe()
	_, out := io.Pipe() // a write waits until it is closed
	defer out.Close()
	g := newGate()
	close(g.open)
	conn := jsonrpc.NewConn(in, out, g.answer, jsonrpc.Limits{Line: 100, Calls: 1, LastWords: time.Millisecond})
	ended := make(chan error, 1)
	go func() { ended <- conn.Run(context.Background()) }()
	_, err := io.WriteString(requests, `{"jsonrpc":"2.0","id":1,"method":"wait"}`+"\n")
	require.NoError(t, err)
	requests.Close()
	select {
	case <-ended:
	case <-time.After(patience):
		require.Fail(t, "Run does not return")
	}
}

// TestCancelledCallsAreAnswered: to kill a hook takes time, on a busy machine more than an answer takes to be written.
func TestCancelledCallsAreAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, requests := io.Pipe()
		defer requests.Close()
		answer := func(string, string, bool) (jsonrpc.Result, func(context.Context) (jsonrpc.Result, error), error) {
			return jsonrpc.Result{}, func(ctx context.Context) (jsonrpc.Result, error) {
				<-ctx.Done()
				<-time.After(5 * time.Second)
				return jsonrpc.Result{JSON: []byte(`"ended"`)}, nil
			}, nil
		}
		var out bytes.Buffer
		conn := jsonrpc.NewConn(in, &out, answer,
			jsonrpc.Limits{Line: 100, Calls: 1, Cancelled: 10 * time.Second, LastWords: time.Second})
		ctx, cancel := context.WithCancelCause(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- conn.Run(ctx) }()
		_, err := io.WriteString(requests, `{"jsonrpc":"2.0","id":1,"method":"stay"}`+"\n")
		require.NoError(t, err)
		synctest.Wait() // the call runs
		cancel(errors.New("SIGTERM"))
		require.EqualError(t, <-ended, "SIGTERM")
		require.Equal(t, `{"jsonrpc":"2.0","id":1,"result":"ended"}`+"\n", out.String())
	})
}

// Somebody who does not read costs no more time than that to write takes.
func TestNobodyReadsWhatWasCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, requests := io.Pipe()
		defer requests.Close()
		unread, out := io.Pipe() // a write waits until it is closed
		defer unread.Close()
		answer := func(string, string, bool) (jsonrpc.Result, func(context.Context) (jsonrpc.Result, error), error) {
			return jsonrpc.Result{}, func(ctx context.Context) (jsonrpc.Result, error) {
				<-ctx.Done()
				return jsonrpc.Result{}, ctx.Err()
			}, nil
		}
		conn := jsonrpc.NewConn(in, out, answer,
			jsonrpc.Limits{Line: 100, Calls: 1, Cancelled: 10 * time.Second, LastWords: time.Second})
		ctx, cancel := context.WithCancelCause(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- conn.Run(ctx) }()
		_, err := io.WriteString(requests, `{"jsonrpc":"2.0","id":1,"method":"stay"}`+"\n")
		require.NoError(t, err)
		synctest.Wait() // the call runs
		began := time.Now()
		cancel(errors.New("SIGTERM"))
		require.EqualError(t, <-ended, "SIGTERM")
		require.Equal(t, time.Second, time.Since(began))
	})
}

// FuzzLines holds the reader against the simplest one there is.
func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nb\r\n\nc"), 3, 2)
	f.Add([]byte(strings.Repeat("x", 70_000)+"\nnext\n"), 100, 1)
	f.Add([]byte(strings.Repeat("x", 70_000)+"\r\nnext"), 70_000, 7)
	f.Fuzz(func(t *testing.T, doc []byte, most, piece int) {
		most, piece = max(most, 0)%100_000, max(piece, 1)%10_000+1
		if len(doc) > 0 && len(doc) < 200 { // long lines are what is interesting
			doc = bytes.Repeat(doc, 1+most%900)
		}
		lines := jsonrpc.NewLines(pieces{bytes.NewReader(doc), max(piece, len(doc)/100)}, most)
		rest := doc
		for len(rest) > 0 {
			want, after, _ := bytes.Cut(rest, []byte{'\n'})
			rest = after
			want = bytes.TrimSuffix(want, []byte{'\r'})
			line, err := lines.Next()
			if len(want) > most {
				require.ErrorIs(t, err, jsonrpc.ErrTooLong)
				continue
			}
			require.NoError(t, err)
			require.Equal(t, string(want), line)
		}
		_, err := lines.Next()
		require.ErrorIs(t, err, io.EOF)
	})
}

// pieces reads a few bytes at a time.
type pieces struct {
	from io.Reader
	size int
}

func (p pieces) Read(b []byte) (int, error) { return p.from.Read(b[:min(len(b), p.size)]) }

// FuzzRequests says that every line has one answer, if it is no notification, that encoding/json can read it, and that
// the next line is served.
func FuzzRequests(f *testing.F) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"m"}`, `{"jsonrpc":"2.0","id":"x","method":"error","params":{}}`, `[]`, `{`,
		`{"id":1}`, "\xff", `{"jsonrpc":"2.0","method":"m"}`,
		`{"jsonrpc":"2.0","id":1,"method":"$/cancel","params":{"id":null}}`,
		`{"jsonrpc":"2.0","id":1.0e5,"method":"m"}`,
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if strings.ContainsAny(line, "\n") {
			return
		}
		var out locked
		conn := jsonrpc.NewConn(strings.NewReader(line+"\n"+`{"jsonrpc":"2.0","id":"last","method":"m"}`), &out, echo,
			limits)
		require.NoError(t, conn.Run(context.Background()))
		answers := strings.SplitAfter(out.String(), "\n")
		require.Empty(t, answers[len(answers)-1])
		answers = answers[:len(answers)-1]
		require.NotEmpty(t, answers)
		require.LessOrEqual(t, len(answers), 2)
		for _, a := range answers {
			var answer struct {
				ID     json.RawMessage `json:"id"`
				Result json.RawMessage `json:"result"`
				Error  *struct {
					Code    int    `json:"code"`
					Message string `json:"message"`
				} `json:"error"`
			}
			require.NoError(t, json.Unmarshal([]byte(a), &answer), a)
			require.Equal(t, answer.Error != nil, answer.Result == nil, a)
		}
		require.Equal(t, `{"jsonrpc":"2.0","id":"last","result":["m",""]}`+"\n", answers[len(answers)-1])
	})
}

type locked struct {
	mu sync.Mutex
	bytes.Buffer
}

func (l *locked) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.Write(b)
}

// What a result hands over is the client's only when it was written.
func TestWritten(t *testing.T) {
	told := make(chan bool, 1)
	answer := func(method, _ string, _ bool) (jsonrpc.Result, func(context.Context) (jsonrpc.Result, error), error) {
		result := jsonrpc.Result{JSON: []byte("1"), Written: func(written bool) { told <- written }}
		if method == "now" {
			return result, nil, nil
		}
		return jsonrpc.Result{}, func(ctx context.Context) (jsonrpc.Result, error) {
			<-ctx.Done()
			return result, ctx.Err()
		}, nil
	}
	c := newClient(t, answer, limits)
	c.say(`{"jsonrpc":"2.0","id":1,"method":"now"}` + "\n")
	require.Equal(t, `{"jsonrpc":"2.0","id":1,"result":1}`, c.hear())
	require.True(t, <-told)

	c.say(`{"jsonrpc":"2.0","id":2,"method":"wait"}` + "\n" +
		`{"jsonrpc":"2.0","method":"$/cancel","params":{"id":2}}` + "\n")
	require.Contains(t, c.hear(), "-32800")
	require.False(t, <-told, "something else was answered")
	c.end()

	conn := jsonrpc.NewConn(strings.NewReader(`{"jsonrpc":"2.0","id":3,"method":"now"}`), closed{}, answer, limits)
	_ = conn.Run(context.Background())
	require.False(t, <-told, "it could not be written")
}

// Requests in flight have no more bytes together than there may be, over all connections that share the bound. A line
// that is as long as all of it is answered, once it is alone.
func TestBytesInFlight(t *testing.T) {
	long := func(id string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":"wait","params":[%q]}`+"\n", id, strings.Repeat("x", 600))
	}
	g := newGate()
	bounded := limits
	bounded.Bytes = jsonrpc.NewBytes(1000)
	one, other := newClient(t, g.answer, bounded), newClient(t, g.answer, bounded)
	answers := make(chan string, 1)
	one.say(long("first"))
	<-g.began
	one.say(`{"jsonrpc":"2.0","id":"small","method":"wait"}` + "\n")
	<-g.began // there is room for that one
	other.say(long("second"))
	one.say(long("third"))
	select {
	case <-g.began:
		require.Fail(t, "there is no room for two of them")
	case <-time.After(50 * time.Millisecond): // it can only come too early
	}
	close(g.open)
	go func() { answers <- other.hear() }() // the third may wait for this one to be read
	require.ElementsMatch(t, []string{
		`{"jsonrpc":"2.0","id":"first","result":"waited"}`,
		`{"jsonrpc":"2.0","id":"small","result":"waited"}`,
		`{"jsonrpc":"2.0","id":"third","result":"waited"}`,
	}, []string{one.hear(), one.hear(), one.hear()})
	require.Equal(t, `{"jsonrpc":"2.0","id":"second","result":"waited"}`, <-answers)
	one.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":4,"method":"m","params":[%q]}`+"\n", strings.Repeat("x", 10_000)))
	require.Contains(t, one.hear(), `"id":4,"result"`)
	one.end()
	other.end()
}
