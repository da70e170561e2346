package httphook

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/hookrun/hookrun/internal/core/endpoint"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/lib/files/regular"
)

// Client keeps connections between requests. The zero Client is ready for use. It is safe for concurrent use.
type Client struct {
	conns   connections
	mu      sync.Mutex
	clients map[identity]*http.Client
}

// Requests sends the requests of hooks by a Client.
var Requests hook.Requests = requests{}

type requests struct{}

func (requests) NewClient() hook.RequestClient { return new(Client) }

// identity decides, with the server's address, which endpoints share connections: endpoints with the same proxy and
// certificate files of the same content. A renewed certificate leads to new connections.
type identity struct{ ca, cert, key, proxy string }

func identityOf(e *endpoint.Endpoint) (id identity, err error) {
	id.proxy = e.Proxy
	for _, file := range []struct {
		path string
		text *string
	}{{e.CAFile, &id.ca}, {e.ClientCert, &id.cert}, {e.ClientKey, &id.key}} {
		if file.path != "" && err == nil {
			*file.text, err = readFile(file.path)
		}
	}
	return id, err
}

// client returns the client of an endpoint.
func (c *Client) client(e *endpoint.Endpoint) (*http.Client, error) {
	id, err := identityOf(e)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.clients[id]; known != nil {
		return known, nil
	}
	transport, err := newTransport(e, id, c.conns.dial)
	if err != nil {
		return nil, err
	}
	if c.clients == nil {
		c.clients = map[identity]*http.Client{}
	}
	c.clients[id] = &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return c.clients[id], nil
}

// Close closes all connections and waits until all are closed. Requests in flight fail, and so do later requests.
func (c *Client) Close() {
	c.conns.close()
	c.CloseIdleConnections()
	c.conns.open.Wait()
}

// CloseIdleConnections closes the connections without a request.
func (c *Client) CloseIdleConnections() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, client := range c.clients {
		client.CloseIdleConnections()
	}
}

// idleTime is how long an idle connection is kept. idleConns is the number of idle connections for an address: as many
// as calls in parallel.
const (
	idleTime  = 90 * time.Second
	idleConns = 64
)

func newTransport(e *endpoint.Endpoint, id identity, dial dialer) (*http.Transport, error) {
	config, err := tlsOf(e, id)
	if err != nil {
		return nil, err
	}
	t := &http.Transport{
		DialContext:            dial,
		TLSClientConfig:        config,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true, // take the answer exactly as the server sends it
		MaxResponseHeaderBytes: maxHead,
		MaxIdleConnsPerHost:    idleConns,
		IdleConnTimeout:        idleTime,
	}
	if e.Proxy != "" {
		proxy, err := url.Parse(e.Proxy)
		if err != nil {
			return nil, errors.New("the url of the proxy cannot be read")
		}
		t.Proxy = http.ProxyURL(proxy)
	}
	return t, nil
}

// ownConnection returns a copy of a client whose request uses a new connection and does not keep it.
func ownConnection(client *http.Client) *http.Client {
	own := *client
	transport := client.Transport.(*http.Transport).Clone()
	transport.DisableKeepAlives = true
	own.Transport = transport
	return &own
}

func (requests) CheckFiles(e *endpoint.Endpoint) (caFile, clientCert error) {
	check := func(e *endpoint.Endpoint) error {
		id, err := identityOf(e)
		if err == nil {
			_, err = tlsOf(e, id)
		}
		return err
	}
	certificate := endpoint.Endpoint{ClientCert: e.ClientCert, ClientKey: e.ClientKey}
	return check(&endpoint.Endpoint{CAFile: e.CAFile}), check(&certificate)
}

func tlsOf(e *endpoint.Endpoint, id identity) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if e.CAFile != "" {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM([]byte(id.ca)) {
			return nil, fmt.Errorf("%s: no certificate in PEM, -----BEGIN CERTIFICATE-----", e.CAFile)
		}
	}
	if e.ClientCert != "" {
		pair, err := tls.X509KeyPair([]byte(id.cert), []byte(id.key))
		if err != nil {
			return nil, fmt.Errorf("%s and %s: %w", e.ClientCert, e.ClientKey, err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

// readFile reads a certificate file of at most 1 MiB.
func readFile(path string) (string, error) {
	text, _, err := regular.Read(path, 1<<20)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("%s: no such file", path)
	case errors.Is(err, regular.ErrNotRegular):
		err = fmt.Errorf("%s: %w", path, err)
	case errors.Is(err, regular.ErrTooLarge):
		err = fmt.Errorf("%s: larger than 1 MiB", path)
	}
	return string(text), err
}

// explainConnect explains why a connection failed.
func explainConnect(err error) error {
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return fmt.Errorf("%w; if it is your own, name its root in \"ca_file\", add it to the system's roots, "+
			"or name its file in SSL_CERT_FILE", err)
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return fmt.Errorf("%w; is the server running, and the address right?", err)
	}
	return err
}

// cutTLS reports whether a TLS connection ended without a close_notify.
func cutTLS(conn net.Conn) bool {
	secure, ok := conn.(*tls.Conn)
	for ok {
		conn = secure.NetConn()
		secure, ok = conn.(*tls.Conn) // TLS to the server inside TLS to a proxy
		if ended, is := conn.(*tcpConn); is {
			return ended.sawEOF.Load()
		}
	}
	return false
}

// Transport returns a transport with the endpoint's certificates and proxy, for a client of its own.
func Transport(e *endpoint.Endpoint) (*http.Transport, error) {
	id, err := identityOf(e)
	if err != nil {
		return nil, err
	}
	return newTransport(e, id, (&net.Dialer{}).DialContext)
}
