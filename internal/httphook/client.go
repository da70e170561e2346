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

	"github.com/hookrun/hookrun/internal/regularfile"
)

// Client keeps connections between requests. The zero Client is ready to use, by many goroutines at once.
type Client struct {
	conns   connections
	mu      sync.Mutex
	clients map[identity]*http.Client
}

// identity is what makes connections differ besides the server's address: the texts of the endpoint's files, and
// its proxy. Two endpoints with the same share connections, and a renewed certificate makes new ones.
type identity struct{ ca, cert, key, proxy string }

func (e *Endpoint) identity() (id identity, err error) {
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
func (c *Client) client(e *Endpoint) (*http.Client, error) {
	id, err := e.identity()
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.clients[id]; known != nil {
		return known, nil
	}
	transport, err := e.transport(id, c.conns.dial)
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

// Close closes all connections, and returns when none is left. Requests in flight are errors then, and so is each later
// one.
func (c *Client) Close() {
	c.conns.close()
	c.CloseIdleConnections()
	c.conns.open.Wait()
}

// CloseIdleConnections closes the connections that no request is on.
func (c *Client) CloseIdleConnections() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, client := range c.clients {
		client.CloseIdleConnections()
	}
}

// idleTime is how long a connection is kept that nobody uses, and idleConns how many of them there may be for one
// address: as many as calls run at once.
const (
	idleTime  = 90 * time.Second
	idleConns = 64
)

func (e *Endpoint) transport(id identity, dial dialer) (*http.Transport, error) {
	config, err := e.tls(id)
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

// CheckFiles returns what is wrong with the file of each kind that the endpoint names.
func (e *Endpoint) CheckFiles() (caFile, clientCert error) {
	check := func(e *Endpoint) error {
		id, err := e.identity()
		if err == nil {
			_, err = e.tls(id)
		}
		return err
	}
	return check(&Endpoint{CAFile: e.CAFile}), check(&Endpoint{ClientCert: e.ClientCert, ClientKey: e.ClientKey})
}

func (e *Endpoint) tls(id identity) (*tls.Config, error) {
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

// readFile reads a file of certificates, which are a few kilobytes.
func readFile(path string) (string, error) {
	text, _, err := regularfile.Read(path, 1<<20)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("%s: no such file", path)
	case errors.Is(err, regularfile.ErrNotRegular):
		err = fmt.Errorf("%s: %w", path, err)
	case errors.Is(err, regularfile.ErrTooLarge):
		err = fmt.Errorf("%s: larger than 1 MiB", path)
	}
	return string(text), err
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
