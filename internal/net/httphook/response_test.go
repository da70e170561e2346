package httphook

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/endpoint"
	"github.com/hookrun/hookrun/protocol"
)

// malformed stands for an error in net/http's own words.
const malformed = ""

// answers are what servers say, and what becomes of it: 200 and the body, or an error.
var answers = []struct{ name, wire, want string }{
	{"length", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", "200 hi"},
	{"more than length", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi there", "200 hi"},
	{"length 0", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "200 "},
	{"until close", "HTTP/1.1 201 Created\r\n\r\nhi\n", "200 hi\n"},
	{"until close, nothing", "HTTP/1.0 200 OK\r\n\r\n", "200 "},
	{"no reason", "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", "200 "},
	{"empty reason", "HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n", "200 "},
	{"bare line feeds", "HTTP/1.0 200 OK\nContent-Length: 2\n\nhi", "200 hi"},
	{"letters and blanks", "HTTP/1.1 200 OK\r\ncONTENT-lENGTH:\t 2 \t\r\n\r\nhi", "200 hi"},
	{"204", "HTTP/1.1 204 No Content\r\n\r\n", "200 "},
	{"204 has no body", "HTTP/1.1 204 No Content\r\nContent-Length: 9\r\n\r\n", "200 "},
	{"205", "HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n", "200 "},
	{"identity", "HTTP/1.1 200 OK\r\nContent-Encoding: Identity\r\n\r\nhi", "200 hi"},
	{"bytes", "HTTP/1.1 200 OK\r\n\r\n\x00\xff\r\n", "200 \x00\xff\r\n"},
	{"not 2xx", "HTTP/1.1 404 Not Found\r\nContent-Length: 99999999\r\n\r\n", "http 404"},
	{"not 2xx and encoded", "HTTP/1.1 500 Oh\r\nContent-Encoding: gzip\r\n\r\nxx", "http 500"},

	{"interim", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\n\r\nhi",
		"200 hi"},
	{"only interim", "HTTP/1.1 100 Continue\r\n\r\n", malformed},
	{"switching", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", "http 101"},
	{"many interim", strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 4000), malformed},

	{"chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n00a;x=y\r\n, it is me\r\n0\r\n\r\n",
		"200 hi, it is me"},
	{"no chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n0\r\n\r\n", "200 "},
	{"chunk padded", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2  \r\nhi\r\n0 \r\n\r\n", "200 hi"},
	{"trailers",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX-T: 1\r\nContent-Length: 9\r\n\r\n",
		"200 hi"},
	{"204 chunked", "HTTP/1.1 204 No\r\nTransfer-Encoding: chunked\r\n\r\n", "200 "},
	{"chunk size 0x", chunked("0x2\r\nhi\r\n0\r\n\r\n"), malformed},
	{"chunk size signed", chunked("+2\r\nhi\r\n0\r\n\r\n"), malformed},
	{"chunk size negative", chunked("-1\r\nhi\r\n0\r\n\r\n"), malformed},
	{"chunk size empty", chunked("\r\nhi\r\n0\r\n\r\n"), malformed},
	{"chunk size only extension", chunked(";a\r\n\r\n"), malformed},
	{"chunk size with blank before", chunked(" 2\r\nhi\r\n0\r\n\r\n"), malformed},
	{"chunk size 64 bit", chunked("ffffffffffffffff\r\nhi"), malformed},
	{"chunk size beyond 64 bit", chunked("10000000000000002\r\nhi"), malformed},
	{"chunk size sum overflows", chunked("2\r\nhi\r\nfffffffffffffffe\r\nhi"), malformed},
	{"chunk size of many zeros", chunked("00000000000000002\r\nhi\r\n0\r\n\r\n"), malformed},
	{"chunk too long", chunked("1\r\nhi\r\n0\r\n\r\n"), malformed},
	{"chunk size ends in line feed", chunked("2\nhi\r\n0\r\n\r\n"), malformed},
	{"chunk ends in line feed", chunked("2\r\nhi\n0\r\n\r\n"), malformed},
	{"chunk size with carriage return", chunked("2;\r2\r\nhi\r\n0\r\n\r\n"), malformed},
	{"chunk extension too long", chunked("2;" + strings.Repeat("x", 300) + "\r\nhi\r\n0\r\n\r\n"), "200 hi"},
	{"chunk extension endless", chunked("2;" + strings.Repeat("x", 1<<20)), malformed},
	{"chunk cut", chunked("5\r\nhi"), malformed},
	{"chunk cut at its end", chunked("2\r\nhi"), malformed},
	{"chunk size cut", chunked("2\r\nhi\r\n"), malformed},
	{"chunk size cut inside", chunked("2\r\nhi\r\n0"), malformed},
	{"no end of trailers", chunked("2\r\nhi\r\n0\r\n"), malformed},
	{"trailer malformed", chunked("0\r\nnonsense\r\n\r\n"), malformed},
	{"trailer ends in line feed", chunked("0\r\nA: b\n\r\n"), malformed},
	{"trailers end in line feed", chunked("0\r\n\n"), malformed},
	{"endless trailers", chunked("0\r\n" + strings.Repeat("A: b\r\n", 20000)), malformed},

	{"nothing", "", "closed the connection without"},
	{"cut in version", "HTT", malformed},
	{"cut in status", "HTTP/1.1 20", malformed},
	{"cut in headers", "HTTP/1.1 200 OK\r\nA: b\r\n", malformed},
	{"cut in body", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhi", "complete: 2 of 3"},
	{"cut before body", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n", "complete: 0 of 3"},
	{"garbage", "hello\n", malformed},
	{"garbage without end", strings.Repeat("x", 1<<20), malformed},
	{"tls alert", "\x15\x03\x01\x00\x02\x02\x46", malformed},
	{"http/2", "HTTP/2 200 OK\r\n\r\n", malformed},
	{"http/1.2", "HTTP/1.2 200 OK\r\n\r\n", "200 "},
	{"http/1.10", "HTTP/1.10 200 OK\r\n\r\n", malformed},
	{"two blanks", "HTTP/1.1  200 OK\r\n\r\n", "200 "},
	{"status of two digits", "HTTP/1.1 20\r\n\r\n", malformed},
	{"status of four digits", "HTTP/1.1 2000 OK\r\n\r\n", malformed},
	{"status signed", "HTTP/1.1 +20 OK\r\n\r\n", "http 20"},
	{"status 099", "HTTP/1.1 099 OK\r\n\r\n", "http 99"},
	{"status 600", "HTTP/1.1 600 OK\r\n\r\n", "http 600"},
	{"control in reason", "HTTP/1.1 200 \x1b[2J\r\n\r\n", "200 "},
	{"NUL in header", "HTTP/1.1 200 OK\r\nA: \x00\r\n\r\n", malformed},
	{"carriage return in header", "HTTP/1.1 200 OK\r\nA: b\rContent-Length: 0\r\n\r\n", malformed},
	{"no colon", "HTTP/1.1 200 OK\r\nnonsense\r\n\r\n", malformed},
	{"no name", "HTTP/1.1 200 OK\r\n: x\r\n\r\n", malformed},
	{"blank in name", "HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\nhi", "200 hi"},
	{"folded", "HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n", "200 "},
	{"endless headers", "HTTP/1.1 200 OK\r\n" + strings.Repeat("A: b\r\n", 20000), malformed},
	{"endless header", "HTTP/1.1 200 OK\r\nA: " + strings.Repeat("b", 1<<20), malformed},
	{"length empty", "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\nhi", malformed},
	{"length negative", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nhi", malformed},
	{"length signed", "HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\nhi", malformed},
	{"length hex", "HTTP/1.1 200 OK\r\nContent-Length: 0x2\r\n\r\nhi", malformed},
	{"length list", "HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nhi", malformed},
	{"length beyond 63 bit", "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775808\r\n\r\nhi", malformed},
	{"length of 63 bit", "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\nhi",
		"the answer is more than 1 MiB"},
	{"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nhi!", malformed},
	{"length twice", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\ncontent-length: 2\r\n\r\nhi", "200 hi"},
	{"length and chunks", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"200 "},
	{"gzip transfer", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", malformed},
	{"identity transfer", "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\nhi", malformed},
	{"chunked twice", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		malformed},
	{"chunked in 1.0", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "200 0\r\n\r\n"},
	{"gzip", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nhi", "Content-Encoding"},
	{"gzip and identity", "HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Encoding: identity\r\n\r\nhi",
		"Content-Encoding"},
}

func chunked(body string) string {
	return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body
}

// wired is the URL of a server that reads a request and says this, whatever it is; byte by byte or at once.
func wired(t *testing.T, wire string, slowly bool) string {
	return "http://" + serve(t, func(conn net.Conn) {
		request, err := http.ReadRequest(bufio.NewReader(conn))
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, request.Body)
		if !slowly {
			_, _ = io.WriteString(conn, wire)
			return
		}
		for i := range len(wire) {
			if _, err := io.WriteString(conn, wire[i:i+1]); err != nil {
				return
			}
		}
	})
}

func TestAnswers(t *testing.T) {
	for _, c := range answers {
		t.Run(c.name, func(t *testing.T) {
			for _, slowly := range []bool{false, true} {
				if slowly && len(c.wire) > 1<<10 {
					continue
				}
				got, err := post(t, &endpoint.Endpoint{URL: wired(t, c.wire, slowly)}, "{}", nil)
				if want, good := strings.CutPrefix(c.want, "200 "); good {
					require.Nil(t, err)
					require.Equal(t, want, got)
					continue
				}
				require.NotNil(t, err, "%q", got)
				require.Contains(t, err.Text, c.want)
				require.Equal(t, strings.HasPrefix(c.want, "http "), err.Cause == protocol.CauseExit, err.Text)
				require.NotEqual(t, protocol.CauseUnstarted, err.Cause)
				require.LessOrEqual(t, len(err.Text), 600)
			}
		})
	}
}

func TestLimit(t *testing.T) {
	full := strings.Repeat("x", maxBody)
	half := fmt.Sprintf("%x\r\n%s\r\n", maxBody/2, full[:maxBody/2])
	for name, wire := range map[string]string{
		"length":      fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", maxBody, full),
		"until close": "HTTP/1.1 200 OK\r\n\r\n" + full,
		"chunks":      chunked(half + half + "0\r\n\r\n"),
	} {
		got, err := post(t, &endpoint.Endpoint{URL: wired(t, wire, false)}, "{}", nil)
		require.Nil(t, err, name)
		require.True(t, full == got, name)
	}
	for name, wire := range map[string]string{
		"length":      fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%sx", maxBody+1, full),
		"until close": "HTTP/1.1 200 OK\r\n\r\n" + full + "x",
		"chunks":      chunked(half + half + "1\r\nx\r\n0\r\n\r\n"),
	} {
		_, err := post(t, &endpoint.Endpoint{URL: wired(t, wire, false)}, "{}", nil)
		require.NotNil(t, err, name)
		require.Contains(t, err.Text, errTooLong.Error(), name)
		require.Equal(t, protocol.CauseOutput, err.Cause, name)
	}
}

// endless repeats what it is made of.
type endless struct {
	s  string
	at int
}

func (e *endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = e.s[e.at]
		e.at = (e.at + 1) % len(e.s)
	}
	return len(b), nil
}

func TestEndless(t *testing.T) {
	for name, c := range map[string]struct{ start, rest, want string }{
		"interim":    {"", "HTTP/1.1 103 Early Hints\r\n\r\n", "exceeded"},
		"headers":    {"HTTP/1.1 200 OK\r\n", "A: b\r\n", "exceeded 65536 bytes"},
		"header":     {"HTTP/1.1 200 OK\r\n", "A", "exceeded 65536 bytes"},
		"body":       {"HTTP/1.1 200 OK\r\n\r\n", "x", "more than 1 MiB"},
		"chunks":     {chunked(""), "1\r\nx\r\n", "more than 1 MiB"},
		"extensions": {chunked(""), "10;" + strings.Repeat("x", 200) + "\r\n0123456789abcdef\r\n", ""},
		"trailers":   {chunked("0\r\n"), "A: b\r\n", "trailer"},
	} {
		addr := serve(t, func(conn net.Conn) {
			go io.Copy(io.Discard, conn)
			_, _ = io.WriteString(conn, c.start)
			_, _ = io.Copy(conn, &endless{s: c.rest})
		})
		_, err := post(t, &endpoint.Endpoint{URL: "http://" + addr}, "{}", nil)
		require.NotNil(t, err, name)
		require.Contains(t, err.Text, c.want, name)
	}
}
