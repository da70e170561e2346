package otlp

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/net/httphook"
)

// maxAnswer is how much of an answer is read, in bytes.
const maxAnswer = 64 << 10

// client posts batches to the address.
type client struct {
	*Settings
	http *http.Client
	zip  *gzip.Writer // nil: no compression
}

func newClient(s *Settings) (*client, error) {
	transport, err := httphook.Transport(&s.endpoint)
	if err != nil {
		return nil, err
	}
	transport.Proxy = http.ProxyFromEnvironment
	c := &client{Settings: s, http: &http.Client{
		Transport: transport, Timeout: s.timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	if s.gzip {
		c.zip = gzip.NewWriter(nil)
	}
	return c, nil
}

// refusal is an answer that did not take the batch.
type refusal struct {
	text  string
	again bool          // the batch may be sent again
	after time.Duration // not earlier than after this time
	large bool          // the batch is too large
}

func (r *refusal) Error() string { return r.text }

// taken is the server's answer about an accepted batch.
type taken struct {
	rejected int64
	message  string
}

// post sends a body once. The error is a *refusal.
func (c *client) post(body []byte) (taken, *refusal) {
	request, err := c.request(body)
	if err != nil {
		return taken{}, &refusal{text: err.Error()}
	}
	answer, err := c.http.Do(request)
	if err != nil {
		if wrapped, ok := errors.AsType[*url.Error](err); ok { // it quotes the query
			err = wrapped.Err
		}
		if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
			err = fmt.Errorf("%w; name its root in OTEL_EXPORTER_OTLP_CERTIFICATE", err)
		}
		return taken{}, &refusal{text: printable.Lines(err.Error()), again: true}
	}
	defer answer.Body.Close()
	if answer.StatusCode == http.StatusSwitchingProtocols { // no timeout ends the reading of such a body
		return taken{}, refused(answer, nil)
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if answer.StatusCode/100 != 2 {
		return taken{}, refused(answer, text)
	}
	if err != nil {
		return taken{}, &refusal{text: "reading the answer: " + printable.Lines(err.Error()), again: true}
	}
	return readTaken(text)
}

func (c *client) request(body []byte) (*http.Request, error) {
	if c.zip != nil {
		var packed bytes.Buffer
		c.zip.Reset(&packed)
		if _, err := c.zip.Write(body); err != nil {
			return nil, err
		}
		if err := c.zip.Close(); err != nil {
			return nil, err
		}
		body = packed.Bytes()
	}
	r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, c.endpoint.URL, bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("the address cannot be read") // the error would quote the address
	}
	r.Header = c.header.Clone()
	if host := r.Header.Get("Host"); host != "" {
		r.Host = host
	}
	r.Header.Set("Content-Type", "application/json")
	if c.zip != nil {
		r.Header.Set("Content-Encoding", "gzip")
	}
	return r, nil
}

// readTaken reads the body of an answer with a status 2xx. Another text than OTLP's is no answer of a collector.
func readTaken(text []byte) (taken, *refusal) {
	if len(bytes.TrimSpace(text)) == 0 {
		return taken{}, nil
	}
	var answer struct {
		PartialSuccess struct {
			Rejected json.RawMessage `json:"rejectedLogRecords"` // a number, or a string with one
			Message  string          `json:"errorMessage"`
		} `json:"partialSuccess"`
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return taken{}, &refusal{text: "the answer is not OTLP in JSON; is the address that of a collector, " +
			"and does it take http/json?"}
	}
	t := taken{message: short(answer.PartialSuccess.Message)}
	if number := strings.Trim(string(answer.PartialSuccess.Rejected), `"`); number != "" && number != "null" {
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil || n < 0 {
			return taken{}, &refusal{text: "the answer has no number of rejected records"}
		}
		t.rejected = n
	}
	return t, nil
}

// refused returns the refusal of an answer with another status than 2xx. OTLP names four statuses after which a client
// sends again, and forbids it after all others.
func refused(answer *http.Response, text []byte) *refusal {
	r := &refusal{text: strings.TrimSpace("http " + printable.Lines(short(answer.Status)))}
	var status struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(text, &status) == nil && status.Message != "" {
		r.text += ": " + short(status.Message)
	}
	switch code := answer.StatusCode; code {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable,
		http.StatusGatewayTimeout:
		r.again, r.after = true, retryAfter(answer.Header.Get("Retry-After"), time.Now())
	case http.StatusRequestEntityTooLarge:
		r.large = true
	case http.StatusUnauthorized, http.StatusForbidden:
		r.text += "; set OTEL_EXPORTER_OTLP_HEADERS, as authorization=Bearer%20TOKEN"
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		r.text += "; the address is used as it is, and most end in /v1/logs"
	case http.StatusUnsupportedMediaType:
		r.text += "; it must take OTLP as JSON"
	default:
		if code/100 == 3 {
			r.text += "; redirects are not followed: give the address that this one leads to"
		}
	}
	return r
}

// maxAfter bounds the time that a server can ask for.
const maxAfter = time.Hour

// retryAfter reads the header of that name, a number of seconds or a date.
func retryAfter(header string, now time.Time) time.Duration {
	after := time.Duration(0)
	if seconds, err := strconv.ParseUint(strings.TrimSpace(header), 10, 63); err == nil {
		after = time.Duration(min(seconds, uint64(maxAfter/time.Second))) * time.Second
	} else if at, err := http.ParseTime(header); err == nil {
		after = at.Sub(now)
	}
	return min(max(after, 0), maxAfter)
}

// short returns the beginning of a server's text, in one line.
func short(text string) string {
	return printable.Escape(spelling.Brief(strings.Join(strings.Fields(text), " "), 300))
}
