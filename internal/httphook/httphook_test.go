package httphook

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// run does a request and returns what a process would: exit code, stdout and stderr.
func run(t *testing.T, request Request, body string, env map[string]string) (exit int, stdout, stderr string) {
	t.Helper()
	line, err := json.Marshal(request)
	require.NoError(t, err)
	var out, errs bytes.Buffer
	exit = Run(strings.NewReader(string(line)+"\n"+body), &out, &errs, func(name string) string { return env[name] }, nil)
	if exit == 0 {
		require.Empty(t, errs.String())
	} else {
		require.Equal(t, 1, exit)
		require.Empty(t, out.String())
		require.Regexp(t, `^[^\n]+\n$`, errs.String())
	}
	return exit, out.String(), errs.String()
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
				f(conn)
			}()
		}
	}()
	return listener.Addr().String()
}

func TestRun(t *testing.T) {
	var got *http.Request
	var gotBody string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got, gotBody = r, string(b)
		fmt.Fprintf(w, `{"decision":"allow"}`)
	}))
	defer server.Close()
	authority := strings.TrimPrefix(server.URL, "http://")

	exit, stdout, stderr := run(t, Request{
		URL:            "http://me:pass@" + authority + "/a%2Fb?q=%20#frag",
		Headers:        map[string]string{"X-Token": "t $TOKEN ${HOME}."},
		AllowedEnvVars: []string{"TOKEN"},
	}, "{\"a\":1}\n\n", map[string]string{"TOKEN": "secret", "HOME": "/root"})
	require.Equal(t, 0, exit, stderr)
	require.Equal(t, `{"decision":"allow"}`, stdout)
	require.Equal(t, "{\"a\":1}\n\n", gotBody)
	require.Equal(t, "POST", got.Method)
	require.Equal(t, "/a%2Fb?q=%20", got.RequestURI)
	require.Equal(t, "HTTP/1.1", got.Proto)
	require.Equal(t, authority, got.Host)
	require.Equal(t, int64(9), got.ContentLength)
	require.True(t, got.Close)
	require.Equal(t, http.Header{
		"User-Agent":     {"hookrun"},
		"Accept":         {"*/*"},
		"Content-Type":   {"application/json"},
		"Content-Length": {"9"},
		"Connection":     {"close"},
		"Authorization":  {"Basic bWU6cGFzcw=="},
		"X-Token":        {"t secret ."},
	}, got.Header)
}

func TestRunAnswers(t *testing.T) {
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
		exit       int
		want       string
	}{
		{"/empty", "{}", 0, ""},
		{"/204", "{}", 0, ""},
		{"/205", "{}", 0, ""},
		{"/created", "{}", 0, "made\n"},
		{"/flushed", "", 0, "part 0\npart 1\npart 2\n"},
		{"/hints", "{}", 0, "after hints"},
		{"/echo", strings.Repeat("x", 10<<20), 0, "10485760"},
		{"/full", "{}", 0, string(make([]byte, maxBody))},
		{"/large", "{}", 1, host + "/large: the answer is more than 1 MiB\n"},
		{"/moved", "{}", 1, "http 308 Permanent Redirect from " + host +
			"/moved; redirects are not followed, write the address itself: Location is \"https://elsewhere/x\"\n"},
		{"/odd", "{}", 1, "http 599 status code 599 from " + host + "/odd\n"},
		{"/panic", "{}", 1, host + "/panic: the server closed the connection before its answer was complete: 4 of 10 bytes came\n"},
		{"/x?key=hidden", "{}", 1, "http 503 Service Unavailable from " + host + "/x\n"},
	} {
		exit, stdout, stderr := run(t, Request{URL: host + c.path}, c.body, nil)
		require.Equal(t, c.exit, exit, "%s: %s", c.path, stderr)
		require.True(t, c.want == stdout+stderr, "%s: %.200q", c.path, stdout+stderr)
	}
}

func TestRunErrors(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	closed.Close()

	for stdin, want := range map[string]string{
		"":                               "stdin has no line with the request",
		`{"url":"http://h"}`:             "stdin has no line with the request",
		"\n":                             "the request on stdin: EOF",
		"nonsense\n":                     "the request on stdin: invalid character",
		"{\"url\":1}\n":                  "the request on stdin: json: cannot unmarshal number",
		"{\"url\":\"\",\"proxy\":1}\n":   `unknown field "proxy"; if hookrun wrote it, install hookrun and hookrun-https of one version`,
		"{}\n":                           "the url must start with http:// or https://",
		"{\"url\":\"https://u:p@h/\"}\n": "https://h/: https needs the program hookrun-https beside hookrun; install it with: go install",
		"{\"url\":\"http://h\",\"headers\":{\"Connection\":\"\"}}\n":   "http://h/: the header Connection cannot be set",
		"{\"url\":\"http://u:p@" + closed.Addr().String() + "/?q\"}\n": "http://" + closed.Addr().String() + "/: dial tcp",
		"{\"url\":\"http://no-such-host.invalid/\"}\n":                 "http://no-such-host.invalid/: dial tcp: lookup",
	} {
		var stdout, stderr bytes.Buffer
		require.Equal(t, 1, Run(strings.NewReader(stdin), &stdout, &stderr, func(string) string { return "" }, nil), stdin)
		require.Empty(t, stdout.String(), stdin)
		require.Contains(t, stderr.String(), want, stdin)
		require.Equal(t, 1, strings.Count(stderr.String(), "\n"), stdin)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error)  { return 0, errors.New("broken") }
func (broken) Write([]byte) (int, error) { return 0, errors.New("broken") }

func TestRunBrokenStreams(t *testing.T) {
	var stdout, stderr bytes.Buffer
	require.Equal(t, 1, Run(broken{}, &stdout, &stderr, nil, nil))
	require.Equal(t, "reading stdin: broken\n", stderr.String())

	addr := serve(t, func(conn net.Conn) {
		http.ReadRequest(bufio.NewReader(conn))
		io.WriteString(conn, "HTTP/1.0 200 OK\r\n\r\nhi")
	})
	stderr.Reset()
	require.Equal(t, 1, Run(strings.NewReader(`{"url":"http://`+addr+`"}`+"\n"), broken{}, &stderr, nil, nil))
	require.Equal(t, "broken\n", stderr.String())
}

func TestRunHostile(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
	body := strings.Repeat("x", 10<<20)
	held := make(chan struct{})
	t.Cleanup(func() { close(held) })
	for name, c := range map[string]struct {
		serve func(net.Conn)
		want  string
	}{
		"garbage": {func(conn net.Conn) {
			io.WriteString(conn, "\x1b[2Jgarbage")
			<-held
		}, "this is no HTTP/1 answer"},
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
		}, "headers are more than 64 KiB"},
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
			conn.(*net.TCPConn).CloseWrite()
			<-held
		}, "http 413 Too Large from http://"},
		"answers after it has stopped reading": {func(conn net.Conn) {
			io.ReadFull(conn, make([]byte, 1000))
			conn.(*net.TCPConn).CloseRead()
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
			_, stdout, stderr := run(t, Request{URL: "http://" + serve(t, c.serve)}, body, nil)
			require.Contains(t, stdout+stderr, c.want)
			require.Less(t, len(stdout+stderr), 1000)
		})
	}
}

// A server that closes with unread bytes resets the connection: whether its answer gets through is up to the network.
// It is an error or the answer, and nothing between.
func TestRunReset(t *testing.T) {
	for _, answer := range []string{"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", "HTTP/1.1 200 OK\r\n\r\nhi"} {
		addr := serve(t, func(conn net.Conn) {
			conn.Read(make([]byte, 16))
			io.WriteString(conn, answer)
		})
		for range 20 {
			exit, stdout, stderr := run(t, Request{URL: "http://" + addr}, strings.Repeat("x", 4<<20), nil)
			if exit == 0 {
				require.Equal(t, "hi", stdout)
			} else if runtime.GOOS == "linux" {
				require.Contains(t, stderr, "a server has to read the whole request")
			}
		}
	}
}

func TestRunIPv6(t *testing.T) {
	listener, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Skip("no IPv6 here:", err)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Host) }))
	server.Listener.Close()
	server.Listener = listener
	server.Start()
	defer server.Close()
	_, stdout, stderr := run(t, Request{URL: server.URL}, "", nil)
	require.Equal(t, listener.Addr().String(), stdout+stderr)
}

func TestRunSecure(t *testing.T) {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	stdin := fmt.Sprintf(`{"url":"%s/x?q"}`+"\n", server.URL)

	var stdout, stderr bytes.Buffer
	var host string
	refuse := func(_ net.Conn, h string) (net.Conn, error) {
		host = h
		return nil, errors.New("not trusted")
	}
	require.Equal(t, 1, Run(strings.NewReader(stdin), &stdout, &stderr, nil, refuse))
	require.Equal(t, "127.0.0.1", host)
	require.Equal(t, server.URL+"/x: not trusted\n", stdout.String()+stderr.String())

	// Spoken to without TLS, the server says so in HTTP.
	_, out, errs := run(t, Request{URL: strings.Replace(server.URL, "https", "http", 1)}, "", nil)
	require.Contains(t, out+errs, "http 400 Bad Request from http://")
}

// TestLinks keeps out of hookrun what would slow down its start.
func TestLinks(t *testing.T) {
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip(err)
	}
	list, err := exec.Command(tool, "list", "-deps", ".").Output()
	require.NoError(t, err)
	deps := strings.Fields(string(list))
	require.Contains(t, deps, "net")
	for _, slow := range []string{"net/http", "crypto/tls", "log"} {
		require.NotContains(t, deps, slow)
	}
}
