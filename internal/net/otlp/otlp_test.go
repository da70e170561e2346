package otlp

import (
	"compress/gzip"
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

func call(n int) string {
	return fmt.Sprintf(`{"version":1,"time":"2026-11-26T10:00:%02d.000001Z","pid":%d,"tool_use_id":"%d","args":"%d",`+
		`"outcome":{"version":1,"event":"pre-tool","tool":"shell","decision":"continue","hooks":[]}}`, n%60, n, n, n)
}

func calls(from, to int) string {
	var b strings.Builder
	for n := from; n <= to; n++ {
		b.WriteString(call(n) + "\n")
	}
	return b.String()
}

// collector is a stand-in for one. Each answer of next is given once; then it takes everything.
type collector struct {
	*testing.T
	server *httptest.Server
	mu     sync.Mutex
	next   []http.HandlerFunc
	ids    []string // of calls that were taken
	got    int      // requests
	header http.Header
	took   chan int // how many calls were taken, after each request
}

func newCollector(t *testing.T, next ...http.HandlerFunc) *collector {
	c := &collector{T: t, next: next, took: make(chan int, 10_000)}
	c.server = httptest.NewServer(c)
	t.Cleanup(c.server.Close)
	return c
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var from io.Reader = r.Body
	if r.Header.Get("Content-Encoding") == "gzip" {
		unzipped, err := gzip.NewReader(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		from = unzipped
	}
	body, err := io.ReadAll(from)
	c.mu.Lock()
	c.got++
	c.header = r.Header
	var answer http.HandlerFunc
	if len(c.next) > 0 {
		answer, c.next = c.next[0], c.next[1:]
	}
	c.mu.Unlock()
	if answer != nil {
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		answer(w, r)
		return
	}
	if err == nil && gjson.ValidBytes(body) {
		c.take(body)
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, `{"partialSuccess":{}}`)
}

func idsOf(body []byte) (ids []string) {
	for _, record := range gjson.GetBytes(body, "resourceLogs.0.scopeLogs.0.logRecords").Array() {
		ids = append(ids, record.Get(`attributes.#(key=="gen_ai.tool.call.id").value.stringValue`).Str)
	}
	return ids
}

func (c *collector) take(body []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ids = append(c.ids, idsOf(body)...)
	c.took <- len(c.ids)
}

// has requires that the collector took these calls, in this order and once.
func (c *collector) has(from, to int) {
	c.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	want := []string(nil)
	for n := from; n <= to; n++ {
		want = append(want, fmt.Sprint(n))
	}
	require.Equal(c, want, c.ids)
}

func status(code int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		fmt.Fprint(w, `{"code":8,"message":"not now"}`)
	}
}

func text(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) }
}

// switchProtocols keeps the connection open after the answer, and sends no body.
func switchProtocols(w http.ResponseWriter, r *http.Request) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		fmt.Fprint(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
		_, _ = conn.Read(make([]byte, 1)) // until the client closes the connection
		conn.Close()
	}
}

func drop(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// sending is a log in a folder of its own, and what was said of it.
type sending struct {
	*testing.T
	Options
	env map[string]string
	mu  sync.Mutex
	all []string
}

func newSending(t *testing.T, parts ...string) *sending {
	dir := t.TempDir()
	s := &sending{T: t, env: map[string]string{}, Options: Options{Log: filepath.Join(dir, "run.log"),
		Folder: filepath.Join(dir, "state"), Once: true, first: time.Millisecond}}
	s.Say = func(text string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.all = append(s.all, text)
	}
	for i, part := range parts {
		s.write(i, part)
	}
	return s
}

func (s *sending) part(n int) string {
	if n == 0 {
		return s.Log
	}
	return fmt.Sprintf("%s.%d", s.Log, n)
}

func (s *sending) write(part int, text string) {
	s.Helper()
	file, err := os.OpenFile(s.part(part), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(s, err)
	_, err = file.WriteString(text)
	require.NoError(s, err)
	require.NoError(s, file.Close())
}

func (s *sending) rotate() {
	s.Helper()
	for n := 2; n >= 0; n-- {
		if err := os.Rename(s.part(n), s.part(n+1)); err != nil {
			require.ErrorIs(s, err, os.ErrNotExist)
		}
	}
}

func (s *sending) to(ctx context.Context, c *collector) (Total, error) {
	settings, err := Read(c.server.URL+"/v1/logs?key=secret", "1.2.3", func(name string) string { return s.env[name] })
	require.NoError(s, err)
	return Send(ctx, settings, s.Options)
}

func (s *sending) ok(c *collector) Total {
	s.Helper()
	total, err := s.to(s.Context(), c)
	require.NoError(s, err)
	return total
}

func (s *sending) said() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.all, "\n")
}

func TestSend(t *testing.T) {
	c := newCollector(t)
	s := newSending(t, calls(5, 6)+`{"version":1`, calls(4, 4), "", calls(1, 3))
	require.Equal(t, Total{Sent: 6}, s.ok(c))
	c.has(1, 6)
	require.Equal(t, "application/json", c.header.Get("Content-Type"))
	require.Empty(t, c.header.Get("Content-Encoding"))
	require.Equal(t, Total{}, s.ok(c), "all was sent")

	require.NoError(t, os.Truncate(s.Log, int64(len(calls(5, 6))))) // as the next writer does after a killed one
	s.write(0, calls(7, 7))
	s.rotate()
	s.write(0, calls(8, 9))
	s.env["OTEL_EXPORTER_OTLP_COMPRESSION"] = "gzip"
	require.Equal(t, Total{Sent: 3}, s.ok(c))
	c.has(1, 9)
	require.Equal(t, "gzip", c.header.Get("Content-Encoding"))
	require.Empty(t, s.said())

	saved, err := filepath.Glob(filepath.Join(s.Folder, "otlp", "*.json"))
	require.NoError(t, err)
	require.Len(t, saved, 1)
	position, err := os.ReadFile(saved[0])
	require.NoError(t, err)
	require.NotContains(t, string(position), "secret")
}

// Batches have at most 1,000 records and a MiB. A longer line has a batch of its own.
func TestBatches(t *testing.T) {
	c := newCollector(t)
	long := strings.Replace(call(2002), `"args":"2002"`, `"args":"`+strings.Repeat("x", 3<<20)+`"`, 1) + "\n"
	s := newSending(t, calls(1, 2001)+long+calls(2003, 2004))
	s.Args = true
	require.Equal(t, Total{Sent: 2004}, s.ok(c))
	c.has(1, 2004)
	var sizes []int
	for len(c.took) > 0 {
		sizes = append(sizes, <-c.took)
	}
	require.Greater(t, len(sizes), 4)
	require.LessOrEqual(t, sizes[0], maxRecords)
	require.Contains(t, sizes, 2001)
	require.Contains(t, sizes, 2002, "alone")
}

// Whatever a server does that does not forbid it: the batch is sent until it is taken, and nothing else before.
func TestSendsAgain(t *testing.T) {
	slow := func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	half := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		fmt.Fprint(w, `{"partial`)
	}
	past := time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat)
	c := newCollector(t, status(429, "Retry-After", "0"), drop, status(503), slow,
		status(502, "Retry-After", past), half, status(504, "Retry-After", "never"))
	s := newSending(t, calls(1, 10))
	s.env["OTEL_EXPORTER_OTLP_TIMEOUT"] = "200"
	require.Equal(t, Total{Sent: 10}, s.ok(c))
	c.has(1, 10)
	require.Equal(t, 8, c.got)
	require.Contains(t, s.said(), "http 429 Too Many Requests: not now; trying again")
	require.Contains(t, s.said(), "it works again")
	require.NotContains(t, s.said(), "secret")
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 26, 10, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"": 0, "7": 7 * time.Second, " 7 ": 7 * time.Second, "-1": 0, "x": 0, "1.5": 0,
		"99999999999999": time.Hour, "99999999999999999999999": 0,
		"Thu, 26 Nov 2026 10:00:30 GMT": 30 * time.Second, "Thu, 26 Nov 2026 09:00:00 GMT": 0,
		"Thu, 26 Nov 2099 09:00:00 GMT": time.Hour,
	} {
		require.Equal(t, want, retryAfter(header, now), header)
	}
}

// With Once a server that asks for more patience than there is ends the sending; the position is kept.
func TestGivesUp(t *testing.T) {
	c := newCollector(t, status(503, "Retry-After", "3000"))
	s := newSending(t, calls(1, 3))
	_, err := s.to(t.Context(), c)
	require.ErrorContains(t, err, "http 503 Service Unavailable: not now; given up after 0s, because "+
		"the server asks to wait 50m0s; "+
		"the log was taken up to byte 0 of "+s.Log)
	require.Equal(t, Total{Sent: 3}, s.ok(c))
	c.has(1, 3)
}

// Another status ends the sending with an error, and so does an answer that is no collector's. Nothing is lost by it.
func TestRefused(t *testing.T) {
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"bad request": {status(400), "http 400 Bad Request: not now; the log was taken up to byte 0"},
		"no token":    {status(401), "OTEL_EXPORTER_OTLP_HEADERS"},
		"no path":     {status(404), "most end in /v1/logs"},
		"redirect":    {status(307, "Location", "http://127.0.0.1:1/"), "redirects are not followed"},
		"fault":       {status(500), "http 500"},
		"a switch":    {switchProtocols, "http 101"},
		"a page":      {text("<html>Log in"), "the answer is not OTLP in JSON"},
		"a number":    {text(`{"partialSuccess":{"rejectedLogRecords":"many"}}`), "no number of rejected records"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCollector(t, test.answer)
			s := newSending(t, calls(1, 3))
			total, err := s.to(t.Context(), c)
			require.ErrorContains(t, err, test.want)
			require.NotContains(t, err.Error(), "secret")
			require.Equal(t, Total{}, total)
			require.Equal(t, Total{Sent: 3}, s.ok(c))
			c.has(1, 3)
		})
	}
}

func TestAnswersThatTake(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"empty": text(""), "204": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) },
		"an object": text("{}"), "null": text(`{"partialSuccess":{"rejectedLogRecords":null}}`),
		"none": text(`{"partialSuccess":{"rejectedLogRecords":"0"}}`),
	} {
		t.Run(name, func(t *testing.T) {
			s := newSending(t, calls(1, 3))
			require.Equal(t, Total{Sent: 3}, s.ok(newCollector(t, answer)))
			require.Empty(t, s.said())
		})
	}
}

// Records that the server rejects are counted and not sent again.
func TestPartialSuccess(t *testing.T) {
	c := newCollector(t, text(`{"partialSuccess":{"rejectedLogRecords":"2","errorMessage":"too\nold"}}`))
	s := newSending(t, calls(1, 3))
	require.Equal(t, Total{Sent: 3, Rejected: 2}, s.ok(c))
	require.Equal(t, "the server did not keep 2 records of 3: too old", s.said())
	require.Equal(t, 1, c.got)

	c = newCollector(t, text(`{"partialSuccess":{"rejectedLogRecords":"9223372036854775807"}}`))
	require.Equal(t, Total{Sent: 3, Rejected: 3}, newSending(t, calls(1, 3)).ok(c))

	s = newSending(t, calls(1, 3))
	require.Equal(t, Total{Sent: 3}, s.ok(newCollector(t, text(`{"partialSuccess":{"errorMessage":"soon full"}}`))))
	require.Equal(t, "the server says: soon full", s.said())
}

// A batch that is too large for the server is halved, until a single record is too large.
func TestTooLarge(t *testing.T) {
	c := newCollector(t, status(413), status(413))
	s := newSending(t, calls(1, 100))
	require.Equal(t, Total{Sent: 100}, s.ok(c))
	c.has(1, 100)
	require.Equal(t, 25, <-c.took)

	c = newCollector(t, status(413))
	_, err := newSending(t, calls(1, 1)).to(t.Context(), c)
	require.ErrorContains(t, err, "http 413")
}

// A server that takes no long records does not hold up the others, and later batches grow again.
func TestLongRecordIsRejected(t *testing.T) {
	c := newCollector(t)
	var handler http.HandlerFunc = func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || len(body) > 200_000 {
			w.WriteHeader(413)
			return
		}
		c.take(body)
	}
	c.server.Config.Handler = handler
	long := strings.Replace(call(2), `"args":"2"`, `"args":"`+strings.Repeat("x", 1<<18)+`"`, 1) + "\n"
	s := newSending(t, calls(1, 1)+long+calls(3, 500))
	s.Args = true
	require.Equal(t, Total{Sent: 500, Rejected: 1}, s.ok(c))
	require.Len(t, c.ids, 499)
	require.NotContains(t, c.ids, "2")
	require.Contains(t, s.said(), "did not keep 1 record of 1")
	require.Contains(t, s.said(), "http 413")
	require.Less(t, len(c.took), 60, "requests")
}

func TestLinesThatAreNotSent(t *testing.T) {
	c := newCollector(t)
	s := newSending(t, calls(2, 2)+"garbage\n\n"+`{"version":2,"news":1}`+"\n"+strings.Repeat("y", 17<<20)+
		"\n"+calls(3, 3), calls(1, 1)+`{"version":1,"ti`)
	require.Equal(t, Total{Sent: 3, Unreadable: 3, Other: 1}, s.ok(c))
	c.has(1, 3)
	require.Contains(t, s.said(), s.part(1)+": 1 line before byte ")
	require.Equal(t, Total{}, s.ok(c), "they are not read again")

	s = newSending(t, "garbage\n")
	require.Equal(t, Total{Unreadable: 1}, s.ok(c))
	require.Equal(t, Total{}, s.ok(c))
}

// A log that was rotated too often while nobody sent, and one that was cut or removed, has lost calls: that is said.
// What is still there is sent once.
func TestMissed(t *testing.T) {
	c := newCollector(t)
	s := newSending(t, calls(2, 2), calls(1, 1))
	require.Equal(t, Total{Sent: 2}, s.ok(c))
	s.write(0, calls(3, 3))
	for n := 4; n < 8; n++ {
		s.rotate()
		s.write(0, calls(n, n))
	}
	require.Equal(t, Total{Sent: 4, Missed: 1}, s.ok(c))
	require.Equal(t, []string{"1", "2", "4", "5", "6", "7"}, c.ids)
	require.Equal(t, s.Log+": at least 1 part of the log was rotated away or removed before it was sent; "+
		"calls after 2026-11-26T10:00:02.000001Z may be missing", s.said())
	require.Equal(t, Total{}, s.ok(c))

	require.NoError(t, os.Truncate(s.Log, 0))
	s.write(0, calls(8, 8))
	require.Equal(t, Total{Sent: 1, Missed: 1}, s.ok(c), "what was in it may not have been sent to its end")
	require.Equal(t, Total{}, s.ok(c))
	require.Len(t, c.ids, 7, "rotated parts are known")
}

// Two processes do not send one log to one address; another address has a position of its own.
func TestLock(t *testing.T) {
	second := errors.New("no second")
	s := newSending(t, calls(1, 3))
	var c *collector
	c = newCollector(t, func(w http.ResponseWriter, r *http.Request) {
		_, second = s.to(context.Background(), c)
		text("{}")(w, r)
	})
	require.Equal(t, Total{Sent: 3}, s.ok(c))
	require.ErrorContains(t, second, "another hookrun sends "+s.Log)
	require.Equal(t, Total{Sent: 3}, s.ok(newCollector(t)))
}

func TestPosition(t *testing.T) {
	c := newCollector(t)
	s := newSending(t, calls(1, 3))
	s.ok(c)
	saved, err := filepath.Glob(filepath.Join(s.Folder, "otlp", "*.json"))
	require.NoError(t, err)
	for _, text := range []string{"", "garbage", `{"version":2}`, `{"version":1,"parts":[{"head":"x","offset":-1}]}`} {
		require.NoError(t, os.WriteFile(saved[0], []byte(text), 0o600))
		_, err = s.to(t.Context(), c)
		require.ErrorContains(t, err, "the position "+saved[0])
		require.ErrorContains(t, err, "without that file the whole log is sent again")
	}
	require.Len(t, c.ids, 3)

	s = newSending(t, calls(1, 3))
	require.NoError(t, os.WriteFile(s.Folder, nil, 0o600))
	_, err = s.to(t.Context(), c)
	require.Error(t, err)
	require.Len(t, c.ids, 3, "nothing is sent before a position can be saved")
}

// A position that cannot be saved holds the next batch, so that a kill doubles one batch at most.
func TestPositionThatCannotBeSaved(t *testing.T) {
	testall.NotOnWindows(t, "a folder with an open file cannot be renamed")
	s := newSending(t, calls(1, 2500))
	folder := filepath.Join(s.Folder, "otlp")
	var c *collector
	c = newCollector(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		c.take(body)
		require.NoError(t, os.Rename(folder, folder+"x"))
		text("{}")(w, r)
	})
	s.Once = false
	s.Say = func(said string) {
		if strings.Contains(said, "the position cannot be saved") {
			require.Len(t, c.ids, maxRecords)
			require.NoError(t, os.Rename(folder+"x", folder))
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		for took := range c.took {
			if took == 2500 {
				stop()
			}
		}
	}()
	total, err := s.to(ctx, c)
	require.NoError(t, err)
	require.Equal(t, int64(2500), total.Sent)
	c.has(1, 2500)
}

// Following, the log can be missing, grow, and be rotated at any time.
func TestFollow(t *testing.T) {
	c := newCollector(t, status(503))
	s := newSending(t)
	s.Once = false
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	var total Total
	go func() {
		var err error
		total, err = s.to(ctx, c)
		done <- err
	}()
	took := func(n int) {
		for {
			select {
			case got := <-c.took:
				if got == n {
					return
				}
			case <-time.After(time.Minute):
				require.Fail(t, "nothing came", "%d", n)
			}
		}
	}
	s.write(0, calls(1, 2)+call(3)[:20])
	took(2)
	s.write(0, call(3)[20:]+"\n")
	took(3)
	last := 9
	if runtime.GOOS == "windows" { // there a part that is read cannot be replaced
		last = 3
	}
	for n := 4; n <= last; n++ {
		s.rotate()
		s.write(0, calls(n, n))
		took(n)
	}
	stop()
	require.NoError(t, <-done)
	require.Equal(t, Total{Sent: int64(last)}, total)
	c.has(1, last)
}

// A part that is read stays readable, even if rotations remove it meanwhile.
func TestRotatedAwayWhileItIsRead(t *testing.T) {
	testall.NotOnWindows(t, "an open file cannot be replaced, so the log is not rotated")
	s := newSending(t, calls(1, 1500))
	c := newCollector(t, func(w http.ResponseWriter, _ *http.Request) {
		for n := 0; n < 4; n++ {
			s.rotate()
			s.write(0, calls(2000+n, 2000+n))
		}
		w.WriteHeader(503)
	})
	total := s.ok(c)
	require.Equal(t, Total{Sent: 1504}, total)
	require.Len(t, c.ids, 1504)
}

// A log can be gone after its rotation: what is there is sent, and a new log is waited for.
func TestLogThatIsGone(t *testing.T) {
	c := newCollector(t)
	s := newSending(t, calls(2, 2), calls(1, 1))
	s.rotate()
	require.Equal(t, Total{Sent: 2}, s.ok(c))
	s.write(0, calls(3, 3))
	require.Equal(t, Total{Sent: 1}, s.ok(c))
	c.has(1, 3)
	require.Empty(t, s.said())
}

func TestNoLog(t *testing.T) {
	_, err := newSending(t).to(t.Context(), newCollector(t))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestCertificate(t *testing.T) {
	c := newCollector(t)
	c.server = httptest.NewTLSServer(c)
	t.Cleanup(c.server.Close)
	s := newSending(t, calls(1, 3))
	s.Once = false
	ctx, stop := context.WithCancel(t.Context())
	said := s.Say
	s.Say = func(text string) { said(text); stop() }
	_, err := s.to(ctx, c)
	require.NoError(t, err)
	require.Contains(t, s.said(), "unknown authority; name its root in OTEL_EXPORTER_OTLP_CERTIFICATE; trying again")

	path := filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.server.Certificate().Raw})
	require.NoError(t, os.WriteFile(path, text, 0o600))
	s.Once, s.env["OTEL_EXPORTER_OTLP_CERTIFICATE"] = true, path
	require.Equal(t, Total{Sent: 3}, s.ok(c))
	s.env["OTEL_EXPORTER_OTLP_CERTIFICATE"] = path + "x"
	_, err = s.to(t.Context(), c)
	require.ErrorContains(t, err, "ca.pemx: no such file")
}
