package httphook

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// answers are what servers say, and what becomes of it: the status and the body, or an error.
var answers = []struct{ name, wire, want string }{
	{"length", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", "200 hi"},
	{"more than length", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi there", "200 hi"},
	{"length 0", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "200 "},
	{"until close", "HTTP/1.1 201 Created\r\n\r\nhi\n", "201 hi\n"},
	{"until close, nothing", "HTTP/1.0 200 OK\r\n\r\n", "200 "},
	{"no reason", "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", "200 "},
	{"empty reason", "HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n", "200 "},
	{"bare line feeds", "HTTP/1.0 200 OK\nContent-Length: 2\n\nhi", "200 hi"},
	{"letters and blanks", "HTTP/1.1 200 OK\r\ncONTENT-lENGTH:\t 2 \t\r\n\r\nhi", "200 hi"},
	{"204", "HTTP/1.1 204 No Content\r\n\r\n", "204 "},
	{"204 has no body", "HTTP/1.1 204 No Content\r\nContent-Length: 9\r\n\r\n", "204 "},
	{"205", "HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n", "205 "},
	{"identity", "HTTP/1.1 200 OK\r\nContent-Encoding: Identity\r\n\r\nhi", "200 hi"},
	{"bytes", "HTTP/1.1 200 OK\r\n\r\n\x00\xff\r\n", "200 \x00\xff\r\n"},
	{"not 2xx", "HTTP/1.1 404 Not Found\r\nContent-Length: 99999999\r\n\r\n", "404 "},
	{"not 2xx and encoded", "HTTP/1.1 500 Oh\r\nContent-Encoding: gzip\r\n\r\nxx", "500 "},

	{"interim", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\n\r\nhi", "200 hi"},
	{"only interim", "HTTP/1.1 100 Continue\r\n\r\n", "the server closed the connection without an answer"},
	{"switching", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", "101 "},
	{"many interim", strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 4000), "headers are more than 64 KiB"},

	{"chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n00a;x=y\r\n, it is me\r\n0\r\n\r\n", "200 hi, it is me"},
	{"no chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n0\r\n\r\n", "200 "},
	{"chunk padded", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2  \r\nhi\r\n0 \r\n\r\n", "200 hi"},
	{"trailers", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX-T: 1\r\nContent-Length: 9\r\n\r\n", "200 hi"},
	{"204 chunked", "HTTP/1.1 204 No\r\nTransfer-Encoding: chunked\r\n\r\n", "204 "},
	{"chunk size 0x", chunked("0x2\r\nhi\r\n0\r\n\r\n"), `malformed size: "0x2"`},
	{"chunk size signed", chunked("+2\r\nhi\r\n0\r\n\r\n"), `malformed size: "+2"`},
	{"chunk size negative", chunked("-1\r\nhi\r\n0\r\n\r\n"), `malformed size: "-1"`},
	{"chunk size empty", chunked("\r\nhi\r\n0\r\n\r\n"), `malformed size: ""`},
	{"chunk size only extension", chunked(";a\r\n\r\n"), `malformed size: ";a"`},
	{"chunk size with blank before", chunked(" 2\r\nhi\r\n0\r\n\r\n"), `malformed size: " 2"`},
	{"chunk size 64 bit", chunked("ffffffffffffffff\r\nhi"), "the answer is more than 1 MiB"},
	{"chunk size beyond 64 bit", chunked("10000000000000002\r\nhi"), "the answer is more than 1 MiB"},
	{"chunk size sum overflows", chunked("2\r\nhi\r\nfffffffffffffffe\r\nhi"), "the answer is more than 1 MiB"},
	{"chunk size of many zeros", chunked("00000000000000002\r\nhi\r\n0\r\n\r\n"), "malformed size"},
	{"chunk too long", chunked("1\r\nhi\r\n0\r\n\r\n"), "longer than its size"},
	{"chunk size ends in line feed", chunked("2\nhi\r\n0\r\n\r\n"), "malformed size"},
	{"chunk ends in line feed", chunked("2\r\nhi\n0\r\n\r\n"), "longer than its size"},
	{"chunk size with carriage return", chunked("2;\r2\r\nhi\r\n0\r\n\r\n"), "control character"},
	{"chunk extension too long", chunked("2;" + strings.Repeat("x", 300) + "\r\nhi\r\n0\r\n\r\n"), "malformed size"},
	{"chunk extension endless", chunked("2;" + strings.Repeat("x", 1<<20)), "size line without end"},
	{"chunk cut", chunked("5\r\nhi"), errCut.Error()},
	{"chunk cut at its end", chunked("2\r\nhi"), errCut.Error()},
	{"chunk size cut", chunked("2\r\nhi\r\n"), errCut.Error()},
	{"chunk size cut inside", chunked("2\r\nhi\r\n0"), errCut.Error()},
	{"no end of trailers", chunked("2\r\nhi\r\n0\r\n"), errCut.Error()},
	{"trailer malformed", chunked("0\r\nnonsense\r\n\r\n"), "header of the answer is malformed"},
	{"trailer ends in line feed", chunked("0\r\nA: b\n\r\n"), "trailer of the answer does not end in CR LF"},
	{"trailers end in line feed", chunked("0\r\n\n"), "header of the answer is malformed"},
	{"endless trailers", chunked("0\r\n" + strings.Repeat("A: b\r\n", 20000)), "headers are more than 64 KiB"},

	{"nothing", "", "the server closed the connection without an answer"},
	{"cut in version", "HTT", errCut.Error()},
	{"cut in status", "HTTP/1.1 20", errCut.Error()},
	{"cut in headers", "HTTP/1.1 200 OK\r\nA: b\r\n", errCut.Error()},
	{"cut in body", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhi", errCut.Error() + ": 2 of 3 bytes came"},
	{"cut before body", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n", errCut.Error() + ": 0 of 3 bytes came"},
	{"garbage", "hello\n", `it starts with "hello\n"`},
	{"garbage without end", strings.Repeat("x", 1<<20), `it starts with "xxxxxxx"`},
	{"tls alert", "\x15\x03\x01\x00\x02\x02\x46", `it starts with "\x15\x03\x01`},
	{"http/2", "HTTP/2 200 OK\r\n\r\n", "no HTTP/1 answer"},
	{"http/1.2", "HTTP/1.2 200 OK\r\n\r\n", "status line is malformed"},
	{"http/1.10", "HTTP/1.10 200 OK\r\n\r\n", "status line is malformed"},
	{"two blanks", "HTTP/1.1  200 OK\r\n\r\n", "status line is malformed"},
	{"status of two digits", "HTTP/1.1 20\r\n\r\n", "status line is malformed"},
	{"status of four digits", "HTTP/1.1 2000 OK\r\n\r\n", "status line is malformed"},
	{"status signed", "HTTP/1.1 +20 OK\r\n\r\n", "not a number"},
	{"status 099", "HTTP/1.1 099 OK\r\n\r\n", "not a number from 100"},
	{"status 600", "HTTP/1.1 600 OK\r\n\r\n", "not a number from 100"},
	{"control in reason", "HTTP/1.1 200 \x1b[2J\r\n\r\n", "control character"},
	{"NUL in header", "HTTP/1.1 200 OK\r\nA: \x00\r\n\r\n", "control character"},
	{"carriage return in header", "HTTP/1.1 200 OK\r\nA: b\rContent-Length: 0\r\n\r\n", "control character"},
	{"no colon", "HTTP/1.1 200 OK\r\nnonsense\r\n\r\n", "header of the answer is malformed"},
	{"no name", "HTTP/1.1 200 OK\r\n: x\r\n\r\n", "header of the answer is malformed"},
	{"blank in name", "HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\nhi", "header of the answer is malformed"},
	{"folded", "HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n", "header of the answer is malformed"},
	{"endless headers", "HTTP/1.1 200 OK\r\n" + strings.Repeat("A: b\r\n", 20000), "headers are more than 64 KiB"},
	{"endless header", "HTTP/1.1 200 OK\r\nA: " + strings.Repeat("b", 1<<20), "headers are more than 64 KiB"},
	{"length empty", "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\nhi", "Content-Length is invalid"},
	{"length negative", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nhi", "Content-Length is invalid"},
	{"length signed", "HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\nhi", "Content-Length is invalid"},
	{"length hex", "HTTP/1.1 200 OK\r\nContent-Length: 0x2\r\n\r\nhi", "Content-Length is invalid"},
	{"length list", "HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nhi", "Content-Length is invalid"},
	{"length beyond 63 bit", "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775808\r\n\r\nhi", "Content-Length is invalid"},
	{"length of 63 bit", "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\nhi", "the answer is more than 1 MiB"},
	{"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nhi!", "two Content-Lengths"},
	{"length twice", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\ncontent-length: 2\r\n\r\nhi", "two Content-Lengths"},
	{"length and chunks", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "both Content-Length and Transfer-Encoding"},
	{"gzip transfer", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", "Transfer-Encoding other than chunked"},
	{"identity transfer", "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\nhi", "Transfer-Encoding other than chunked"},
	{"chunked twice", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "Transfer-Encoding other than chunked"},
	{"chunked in 1.0", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "which HTTP/1.0 does not know"},
	{"gzip", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nhi", `Content-Encoding "gzip"`},
	{"gzip and identity", "HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Encoding: identity\r\n\r\nhi", `Content-Encoding "br"`},
}

func chunked(body string) string {
	return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body
}

func TestReadResponse(t *testing.T) {
	for _, c := range answers {
		t.Run(c.name, func(t *testing.T) {
			for how, wire := range map[string]io.Reader{
				"at once":      strings.NewReader(c.wire),
				"byte by byte": iotest.OneByteReader(strings.NewReader(c.wire)),
			} {
				got, err := readResponse(wire)
				if err != nil {
					require.ErrorContains(t, err, c.want, how)
					require.Less(t, len(err.Error()), 1100, how)
					continue
				}
				require.Equal(t, c.want, fmt.Sprintf("%d %s", got.status, got.body), how)
			}
		})
	}
}

func TestReadResponseLimit(t *testing.T) {
	full := strings.Repeat("x", maxBody)
	half := fmt.Sprintf("%x\r\n%s\r\n", maxBody/2, full[:maxBody/2])
	for name, wire := range map[string]string{
		"length":      fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", maxBody, full),
		"until close": "HTTP/1.1 200 OK\r\n\r\n" + full,
		"chunks":      chunked(half + half + "0\r\n\r\n"),
		"small ones":  chunked(strings.Repeat("1\r\nx\r\n", maxBody) + "0\r\n\r\n"),
	} {
		got, err := readResponse(strings.NewReader(wire))
		require.NoError(t, err, name)
		require.True(t, full == string(got.body), name)
	}
	for name, wire := range map[string]string{
		"length":      fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%sx", maxBody+1, full),
		"until close": "HTTP/1.1 200 OK\r\n\r\n" + full + "x",
		"chunks":      chunked(half + half + "1\r\nx\r\n0\r\n\r\n"),
	} {
		_, err := readResponse(strings.NewReader(wire))
		require.Equal(t, errTooLong, err, name)
	}
}

// endless repeats what it is made of.
type endless struct {
	s  string
	at int
}

func (e *endless) Read(b []byte) (int, error) {
	n := copy(b, e.s[e.at:])
	e.at = (e.at + n) % len(e.s)
	return n, nil
}

func TestReadResponseEndless(t *testing.T) {
	for name, c := range map[string]struct{ start, rest, want string }{
		"interim":    {"", "HTTP/1.1 100 Continue\r\n\r\n", "headers are more than 64 KiB"},
		"headers":    {"HTTP/1.1 200 OK\r\n", "A: b\r\n", "headers are more than 64 KiB"},
		"header":     {"HTTP/1.1 200 OK\r\n", "A", "headers are more than 64 KiB"},
		"body":       {"HTTP/1.1 200 OK\r\n\r\n", "x", "more than 1 MiB"},
		"chunks":     {chunked(""), "1\r\nx\r\n", "more than 1 MiB"},
		"extensions": {chunked(""), "10;" + strings.Repeat("x", 200) + "\r\n0123456789abcdef\r\n", "more than 1 MiB"},
		"trailers":   {chunked("0\r\n"), "A: b\r\n", "headers are more than 64 KiB"},
	} {
		_, err := readResponse(io.MultiReader(strings.NewReader(c.start), &endless{s: c.rest}))
		require.ErrorContains(t, err, c.want, name)
	}
}

// FuzzResponse holds us against net/http: what we take for a 2xx answer, it reads as the same. The other way round there is
// a lot that only net/http takes, as the table above shows.
func FuzzResponse(f *testing.F) {
	for _, c := range answers {
		if len(c.wire) < 1<<10 {
			f.Add([]byte(c.wire))
		}
	}
	f.Fuzz(func(t *testing.T, wire []byte) {
		// What only net/http refuses: trailers that were announced under certain names, and 16 KiB of chunk extensions.
		if len(wire) > 16<<10 || bytes.Contains(bytes.ToLower(wire), []byte("trailer")) {
			return
		}
		ours, err := readResponse(bytes.NewReader(wire))
		if err != nil {
			return
		}
		require.LessOrEqual(t, len(ours.body), maxBody)
		if ours.status/100 != 2 {
			return
		}
		in := bufio.NewReaderSize(bytes.NewReader(wire), 64<<10) // trailers must fit in
		var theirs *http.Response
		for theirs == nil || theirs.StatusCode/100 == 1 {
			theirs, err = http.ReadResponse(in, &http.Request{Method: "POST"})
			require.NoError(t, err)
		}
		require.Equal(t, theirs.StatusCode, ours.status)
		body, err := io.ReadAll(theirs.Body)
		require.NoError(t, err)
		require.True(t, bytes.Equal(body, ours.body), "%q and %q", body, ours.body)
	})
}
