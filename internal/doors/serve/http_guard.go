package serve

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/hookrun/hookrun/internal/lib/files/owner"
	"github.com/hookrun/hookrun/internal/lib/files/regular"
)

// refusal is the answer to a request that is not served.
type refusal struct {
	status int
	text   string
	cut    bool // the body did not come whole, and the connection must be closed
}

// read returns the body of a request that may be served. give frees the memory of the body. Of a body that is cut read
// returns the part that came.
func (d *httpDoor) read(w http.ResponseWriter, r *http.Request) (text string, give func(), no *refusal) {
	if no := d.admit(r); no != nil {
		return "", nil, no
	}
	length := int(r.ContentLength)
	give = func() {}
	if length > smallBody {
		ctx, cancel := context.WithTimeout(r.Context(), d.TransferTime)
		defer cancel()
		var ok bool
		if give, ok = d.server.bytes.Take(ctx, length); !ok {
			return "", nil, &refusal{status: http.StatusServiceUnavailable,
				text: "the other requests are too long; try again later"}
		}
	}
	d.limitBody(w, r)
	var body strings.Builder
	body.Grow(length)
	if _, err := io.CopyN(&body, r.Body, r.ContentLength); err != nil {
		give()
		w.Header().Set("Connection", "close") // otherwise net/http waits for the rest
		return body.String(), nil,
			&refusal{http.StatusBadRequest, "the body did not come whole: " + err.Error(), true}
	}
	unlimitBody(w)
	return body.String(), give, nil
}

// limitBody limits the time for a body, also for net/http, which reads what the handler has left.
func (d *httpDoor) limitBody(w http.ResponseWriter, r *http.Request) {
	length := int(min(max(r.ContentLength, 0), maxLine))
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(d.timeFor(length)))
}

// unlimitBody lets net/http go on reading after the body, to see whether the client leaves.
func unlimitBody(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
}

// admit returns why a request is not served. A web page must reach neither the answers nor the hooks: browsers send the
// Origin of the page that asks, and a page whose name leads to this machine has its own name as the Host.
func (d *httpDoor) admit(r *http.Request) *refusal {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case len(r.Header.Values("Origin")) > 0 || r.Header.Get("Sec-Fetch-Site") != "":
		return &refusal{status: http.StatusForbidden, text: "a web page asks; this server answers programs alone"}
	case d.TokenFile == "" && !isLoopback(hostOf(r)):
		return &refusal{status: http.StatusForbidden,
			text: "the Host is no name of this machine; ask 127.0.0.1 or localhost"}
	case d.TokenFile != "" && !d.hasToken(r):
		return &refusal{status: http.StatusUnauthorized,
			text: "the token is missing or wrong; send Authorization: Bearer TOKEN"}
	case r.Method != http.MethodPost:
		return &refusal{status: http.StatusMethodNotAllowed, text: "the method must be POST"}
	case kind != "application/json":
		return &refusal{status: http.StatusUnsupportedMediaType, text: "the Content-Type must be application/json"}
	case r.ContentLength < 0:
		return &refusal{status: http.StatusLengthRequired, text: "the request needs a Content-Length"}
	case r.ContentLength > maxLine:
		return &refusal{status: http.StatusRequestEntityTooLarge,
			text: fmt.Sprintf("the body is longer than %d MiB", maxLine>>20)}
	}
	return nil
}

// hostOf returns the host that a request names, without the port.
func hostOf(r *http.Request) string {
	if host, _, err := net.SplitHostPort(r.Host); err == nil {
		return host
	}
	return strings.TrimSuffix(strings.TrimPrefix(r.Host, "["), "]")
}

// hasToken compares hashes, so the time tells neither the token nor the length.
func (d *httpDoor) hasToken(r *http.Request) bool {
	token, err := readToken(d.TokenFile)
	if err != nil {
		d.server.logError(fmt.Errorf("--token-file %w", err))
		return false
	}
	values := r.Header.Values("Authorization")
	if len(values) != 1 {
		return false
	}
	scheme, given, _ := strings.Cut(values[0], " ")
	want, got := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(strings.TrimLeft(given, " ")))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(want[:], got[:]) == 1
}

// readToken reads the file of the token at each request, so a new token counts at once.
func readToken(path string) (string, error) {
	text, info, err := regular.Read(path, 4<<10)
	switch {
	case err != nil:
		return "", fmt.Errorf("%s: %w", path, regular.UnwrapPath(err))
	case !owner.Owned(path, info):
		return "", fmt.Errorf("%s belongs to another user; name a file of your own", path)
	case othersRead(info):
		return "", fmt.Errorf("%s can be read by others; take that away (chmod 600)", path)
	}
	token := strings.TrimSpace(string(text))
	if token == "" || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", fmt.Errorf("%s has no token; write one line of letters and digits, as openssl rand -hex 32 does",
			path)
	}
	return token, nil
}

// certificate is the server's, from files that may be renewed.
type certificate struct {
	cert, key string
	mu        sync.Mutex
	last      *tls.Certificate
}

func (c *certificate) load() error {
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		return fmt.Errorf("--tls-cert %s and --tls-key %s: %w", c.cert, c.key, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = &pair
	return nil
}

// get returns the certificate for a new connection. It keeps the last one while the files do not fit together.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	_ = c.load()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last == nil {
		return nil, errors.New("no certificate")
	}
	return c.last, nil
}
