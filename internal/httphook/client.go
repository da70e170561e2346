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
	"os"
	"sync"
	"time"
)

// Client keeps connections between requests. The zero Client is ready to use, by many goroutines at once.
type Client struct {
	conns   connections
	mu      sync.Mutex
	clients map[identity]*identified
	retired []*http.Client
}

// identity is what makes connections differ besides the server's address: two endpoints with the same share connections.
type identity struct{ caFile, clientCert, clientKey, proxy string }

// identified is the client of an identity, with the files as they were when it was made.
type identified struct {
	*http.Client
	files [3]fs.FileInfo
}

// client returns the client of an endpoint. A file that changed, as a renewed certificate, makes a new one.
func (c *Client) client(e *Endpoint) (*http.Client, error) {
	id := identity{e.CAFile, e.ClientCert, e.ClientKey, e.Proxy}
	var files [3]fs.FileInfo
	for i, path := range []string{e.CAFile, e.ClientCert, e.ClientKey} {
		if path == "" {
			continue
		}
		var err error
		if files[i], err = os.Stat(path); err != nil {
			return nil, err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	old := c.clients[id]
	if old != nil && unchanged(old.files, files) {
		return old.Client, nil
	}
	transport, err := e.transport(c.conns.dial)
	if err != nil {
		return nil, err
	}
	if old != nil {
		old.CloseIdleConnections()
		c.retired = append(c.retired, old.Client) // requests may still be on their way
	}
	client := &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	if c.clients == nil {
		c.clients = map[identity]*identified{}
	}
	c.clients[id] = &identified{client, files}
	return client, nil
}

func unchanged(a, b [3]fs.FileInfo) bool {
	for i := range a {
		if a[i] != nil && (a[i].Size() != b[i].Size() || !a[i].ModTime().Equal(b[i].ModTime()) || !os.SameFile(a[i], b[i])) {
			return false
		}
	}
	return true
}

// Close closes all connections, and returns when none is left. Requests in flight are errors then, and so is each later one.
func (c *Client) Close() {
	c.conns.close()
	c.CloseIdleConnections()
	c.conns.open.Wait()
}

// CloseIdleConnections closes the connections that no request is on.
func (c *Client) CloseIdleConnections() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, client := range c.retired {
		client.CloseIdleConnections()
	}
	for _, client := range c.clients {
		client.CloseIdleConnections()
	}
}

// idleTime is how long a connection is kept that nobody uses, and idleConns how many of them there may be for one address:
// as many as calls run at once.
const (
	idleTime  = 90 * time.Second
	idleConns = 64
)

func (e *Endpoint) transport(dial dialer) (*http.Transport, error) {
	config, err := e.tls()
	if err != nil {
		return nil, err
	}
	t := &http.Transport{
		DialContext:            dial,
		TLSClientConfig:        config,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true, // an answer is what the server sends, and nothing that is made of it
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

// CheckFiles returns what is wrong with the file of each kind that the endpoint names, in the order in which they stand
// there.
func (e *Endpoint) CheckFiles() (caFile, clientCert error) {
	_, caFile = e.roots()
	_, clientCert = e.certificates()
	return caFile, clientCert
}

func (e *Endpoint) tls() (*tls.Config, error) {
	roots, err := e.roots()
	if err != nil {
		return nil, err
	}
	certificates, err := e.certificates()
	return &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots, Certificates: certificates}, err
}

func (e *Endpoint) roots() (*x509.CertPool, error) {
	if e.CAFile == "" {
		return nil, nil
	}
	text, err := readFile(e.CAFile)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s: no certificate in PEM, -----BEGIN CERTIFICATE-----", e.CAFile)
	}
	return roots, nil
}

func (e *Endpoint) certificates() ([]tls.Certificate, error) {
	if e.ClientCert == "" {
		return nil, nil
	}
	cert, err := readFile(e.ClientCert)
	if err != nil {
		return nil, err
	}
	key, err := readFile(e.ClientKey)
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("%s and %s: %w", e.ClientCert, e.ClientKey, err)
	}
	return []tls.Certificate{pair}, nil
}

// readFile reads a file of certificates, which are a few kilobytes. What is no regular file is not opened: a pipe would
// wait for ever.
func readFile(path string) ([]byte, error) {
	const most = 1 << 20
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: no such file", path)
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: not a regular file", path)
	case info.Size() > most:
		return nil, fmt.Errorf("%s: larger than 1 MiB", path)
	}
	return os.ReadFile(path)
}

// unconnected says why there is no connection.
func unconnected(err error) error {
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return fmt.Errorf("%w; if it is your own, name its root in \"ca_file\", add it to the system's roots, "+
			"or name its file in SSL_CERT_FILE", err)
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return fmt.Errorf("%w; is the server running, and the address right?", err)
	}
	return err
}

// cutTLS reports whether the connection is TLS, and ended below it.
func cutTLS(conn net.Conn) bool {
	secure, ok := conn.(*tls.Conn)
	for ok {
		conn = secure.NetConn()
		secure, ok = conn.(*tls.Conn) // within that to a proxy
		if ended, is := conn.(*tcpConn); is {
			return ended.ended.Load()
		}
	}
	return false
}
