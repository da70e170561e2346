package httphook

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/endpoint"
	"github.com/hookrun/hookrun/protocol"
)

// post does a request with a client of its own.
func post(t *testing.T, e *endpoint.Endpoint, body string, env map[string]string) (answer string,
	problem *endpoint.Error) {
	t.Helper()
	var c Client
	defer c.Close()
	return postBy(t, &c, e, body, env)
}

func postBy(t *testing.T, c *Client, e *endpoint.Endpoint, body string, env map[string]string) (answer string,
	problem *endpoint.Error) {
	t.Helper()
	text, err := c.Post(context.Background(), e, func(name string) string { return env[name] }, [][]byte{[]byte(body)})
	if err != nil {
		require.ErrorAs(t, err, &problem)
		require.NotContains(t, problem.Text, "\n")
		require.NotZero(t, problem.Cause)
		require.Empty(t, text)
	}
	return string(text), problem
}

// serve answers each connection by f and returns the address.
func serve(t *testing.T, f func(net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				in := bufio.NewReader(conn)
				if _, err := in.Peek(1); err == nil { // an answer to nothing is none
					f(peeked{conn.(*net.TCPConn), in})
				}
			}()
		}
	}()
	return listener.Addr().String()
}

// peeked is a connection of which a part was read ahead.
type peeked struct {
	*net.TCPConn
	in *bufio.Reader
}

func (c peeked) Read(b []byte) (int, error) { return c.in.Read(b) }

func TestPost(t *testing.T) {
	var got *http.Request
	var gotBody string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got, gotBody = r, string(b)
		fmt.Fprintf(w, `{"decision":"allow"}`)
	}))
	defer server.Close()
	authority := strings.TrimPrefix(server.URL, "http://")

	answer, problem := post(t, &endpoint.Endpoint{
		URL:            "http://me:pass@" + authority + "/a%2Fb?q=%20#frag",
		Headers:        []endpoint.Header{{Name: "X-Token", Value: "t $TOKEN ${HOME}."}},
		AllowedEnvVars: []string{"TOKEN"},
	}, "{\"a\":1}\n\n", map[string]string{"TOKEN": "secret", "HOME": "/root"})
	require.Nil(t, problem)
	require.Equal(t, `{"decision":"allow"}`, answer)
	require.Equal(t, "{\"a\":1}\n\n", gotBody)
	require.Equal(t, "POST", got.Method)
	require.Equal(t, "/a%2Fb?q=%20", got.RequestURI)
	require.Equal(t, "HTTP/1.1", got.Proto)
	require.Equal(t, authority, got.Host)
	require.Equal(t, int64(9), got.ContentLength)
	require.Equal(t, http.Header{
		"User-Agent":     {"hookrun"},
		"Accept":         {"*/*"},
		"Content-Type":   {"application/json"},
		"Content-Length": {"9"},
		"Authorization":  {"Basic bWU6cGFzcw=="},
		"X-Token":        {"t secret ."},
	}, got.Header)
}

func TestPostAnswers(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/empty":
		case "/204":
			w.WriteHeader(204)
		case "/205":
			w.WriteHeader(205)
		case "/created":
			w.WriteHeader(201)
			io.WriteString(w, "made\n")
		case "/flushed":
			for i := range 3 {
				fmt.Fprintf(w, "part %d\n", i)
				w.(http.Flusher).Flush()
			}
		case "/hints":
			w.WriteHeader(103)
			io.WriteString(w, "after hints")
		case "/echo":
			b, _ := io.ReadAll(r.Body)
			fmt.Fprintf(w, "%d", len(b))
		case "/full":
			w.Write(make([]byte, maxBody))
		case "/large":
			w.Write(make([]byte, maxBody+1))
		case "/moved":
			w.Header().Set("Location", "https://u:hidden@elsewhere/x?token=hidden")
			w.WriteHeader(308)
		case "/odd":
			w.WriteHeader(599)
		case "/panic":
			w.Header().Set("Content-Length", "10")
			io.WriteString(w, "half")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		default:
			http.Error(w, "secret", http.StatusServiceUnavailable)
		}
	}))
	defer server.Close()
	host := server.URL

	for _, c := range []struct {
		path, body string
		failure    protocol.Cause
		want       string
	}{
		{"/empty", "{}", "", ""},
		{"/204", "{}", "", ""},
		{"/205", "{}", "", ""},
		{"/created", "{}", "", "made\n"},
		{"/flushed", "", "", "part 0\npart 1\npart 2\n"},
		{"/hints", "{}", "", "after hints"},
		{"/echo", strings.Repeat("x", 10<<20), "", "10485760"},
		{"/full", "{}", "", string(make([]byte, maxBody))},
		{"/large", "{}", protocol.CauseOutput, host + "/large: the answer is more than 1 MiB"},
		{"/moved", "{}", protocol.CauseExit, "http 308 Permanent Redirect from " + host +
			"/moved; redirects are not followed, write the address itself: Location is \"https://elsewhere/x\""},
		{"/odd", "{}", protocol.CauseExit, "http 599 status code 599 from " + host + "/odd"},
		{"/panic", "{}", protocol.CauseOutput,
			host + "/panic: the server closed the connection before its answer was complete: 4 of 10 bytes came"},
		{"/x?key=hidden", "{}", protocol.CauseExit, "http 503 Service Unavailable from " + host + "/x"},
	} {
		answer, problem := post(t, &endpoint.Endpoint{URL: host + c.path}, c.body, nil)
		if c.failure != "" {
			require.NotNil(t, problem, c.path)
			require.Equal(t, c.failure, problem.Cause, c.path)
			answer = problem.Text
		}
		require.True(t, c.want == answer, "%s: %.200q %v", c.path, answer, problem)
	}
}

// A kept connection that ends is no reason to use another kept one, which may end as well: a call beside this one can
// leave it at any moment.
func TestSecondAttemptHasAConnectionOfItsOwn(t *testing.T) {
	addr := serve(t, func(conn net.Conn) { // one answer for each connection
		request, err := http.ReadRequest(bufio.NewReader(conn))
		if err == nil {
			io.Copy(io.Discard, request.Body)
			io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
			conn.Read(make([]byte, 1))
		}
	})
	var c Client
	defer c.Close()
	e := &endpoint.Endpoint{URL: "http://" + addr}
	kept := make(chan struct{}, 10)
	post := func(trace *httptrace.ClientTrace) {
		ctx := httptrace.WithClientTrace(context.Background(), trace)
		answer, err := c.Post(ctx, e, os.Getenv, [][]byte{[]byte("x")})
		require.NoError(t, err)
		require.Equal(t, "hi", string(answer))
	}
	keeps := &httptrace.ClientTrace{PutIdleConn: func(error) { kept <- struct{}{} }}
	post(keeps)
	<-kept
	attempts := 0
	post(&httptrace.ClientTrace{GetConn: func(string) {
		if attempts++; attempts == 2 {
			post(keeps)
			<-kept
		}
	}})
	require.Equal(t, 2, attempts)
}

// What net/http has no exported error for is told in our words.
func TestClosedIdleConnectionIsExplained(t *testing.T) {
	failure, err := explain(errors.New("http: server closed idle connection"), true)
	require.Equal(t, protocol.CauseOutput, failure)
	require.EqualError(t, err, "the server closed the connection without an answer")
}

func TestHostile(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
	body := strings.Repeat("x", 10<<20)
	held := make(chan struct{})
	t.Cleanup(func() { close(held) })
	for name, c := range map[string]struct {
		serve func(net.Conn)
		want  string
	}{
		// Whether net/http sees first what is wrong with the answer, or that it can write no more, is up to chance.
		"garbage": {func(conn net.Conn) {
			io.WriteString(conn, "\x1b[2Jgarbage\n")
			<-held
		}, "http://127.0.0.1:"},
		"an answer in many writes": {func(conn net.Conn) {
			left := make(chan struct{})
			go func() {
				io.Copy(io.Discard, conn)
				close(left)
			}()
			for i := range len(ok) {
				io.WriteString(conn, ok[i:i+1])
			}
			<-left // closed before all was read, the answer would be lost
		}, "hi"},
		"endless headers": {func(conn net.Conn) {
			go io.Copy(io.Discard, conn)
			io.WriteString(conn, "HTTP/1.1 200 OK\r\n")
			io.Copy(conn, &endless{s: "A: b\r\n"})
		}, "http://127.0.0.1:"},
		"endless body": {func(conn net.Conn) {
			go io.Copy(io.Discard, conn)
			io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n")
			io.Copy(conn, &endless{s: strings.Repeat("x", 1000)})
		}, "the answer is more than 1 MiB"},
		"never reads, answers, stays": {func(conn net.Conn) {
			io.WriteString(conn, ok)
			<-held
		}, "hi"},
		"answers before all is read, closes its side": {func(conn net.Conn) {
			io.ReadFull(conn, make([]byte, 1000))
			io.WriteString(conn, "HTTP/1.1 413 Too Large\r\n\r\n")
			conn.(peeked).CloseWrite()
			<-held
		}, "http 413 Too Large from http://"},
		"answers after it has stopped reading": {func(conn net.Conn) {
			io.ReadFull(conn, make([]byte, 1000))
			conn.(peeked).CloseRead()
			io.WriteString(conn, ok)
			<-held
		}, "hi"},
		"sends a terminal sequence in the reason": {func(conn net.Conn) {
			io.WriteString(conn, "HTTP/1.1 500 \u202eevil\u2028line\r\n\r\n")
			<-held
		}, "http 500 ?evil?line from"},
		"sends a long reason": {func(conn net.Conn) {
			io.WriteString(conn, "HTTP/1.1 500 "+strings.Repeat("x", 10000)+"\r\n\r\n")
			<-held
		}, strings.Repeat("x", 200) + "… from"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer, problem := post(t, &endpoint.Endpoint{URL: "http://" + serve(t, c.serve)}, body, nil)
			if problem != nil {
				answer = problem.Text
			}
			require.Contains(t, answer, c.want)
			require.Less(t, len(answer), 1000)
		})
	}
}

// A server that closes with unread bytes resets the connection: whether its answer gets through is up to the network.
// It is an error or the answer, and nothing between.
func TestReset(t *testing.T) {
	for _, answer := range []string{"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", "HTTP/1.1 200 OK\r\n\r\nhi"} {
		addr := serve(t, func(conn net.Conn) {
			conn.Read(make([]byte, 16))
			io.WriteString(conn, answer)
		})
		for range 20 {
			got, problem := post(t, &endpoint.Endpoint{URL: "http://" + addr}, strings.Repeat("x", 4<<20), nil)
			if problem == nil {
				require.Equal(t, "hi", got)
			} else if runtime.GOOS == "linux" {
				require.Equal(t, protocol.CauseOutput, problem.Cause)
				require.Contains(t, problem.Text, "a server has to read the whole request")
			}
		}
	}
}

func TestIPv6(t *testing.T) {
	listener, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Skip("no IPv6 here:", err)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.Host)
	}))
	server.Listener.Close()
	server.Listener = listener
	server.Start()
	defer server.Close()
	answer, problem := post(t, &endpoint.Endpoint{URL: server.URL}, "", nil)
	require.Nil(t, problem)
	require.Equal(t, listener.Addr().String(), answer)
}
