// Command hookrun-https sends the https hooks of hookrun, which looks for it beside itself and starts it.
//
// It is what `hookrun http-hook` is, with TLS beneath: see package httphook. It is a program of its own because linking TLS
// would make each start of hookrun slower.
//
// It trusts the system's roots. On Linux and other Unix systems but macOS, SSL_CERT_FILE and SSL_CERT_DIR name others.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"

	"github.com/hookrun/hookrun/internal/httphook"
)

func main() {
	if stdin, err := os.Stdin.Stat(); len(os.Args) > 1 || err != nil || stdin.Mode()&os.ModeCharDevice != 0 {
		fmt.Fprintln(os.Stderr, "hookrun-https sends the https hooks of hookrun; hookrun starts it itself, without arguments")
		os.Exit(1)
	}
	os.Exit(httphook.Run(os.Stdin, os.Stdout, os.Stderr, os.Getenv, secure))
}

// secure is an httphook.Secure.
func secure(plain net.Conn, host string) (net.Conn, error) {
	wire := &wire{Conn: plain}
	conn := tls.Client(wire, &tls.Config{
		ServerName: host,
		MinVersion: tls.VersionTLS12,
		NextProtos: []string{"http/1.1"},
	})
	if err := conn.Handshake(); err != nil {
		if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
			err = fmt.Errorf("%w; if it is your own, add it to the system's roots or name its file in SSL_CERT_FILE", err)
		}
		return nil, err
	}
	return &channel{conn, wire}, nil
}

// wire is what TLS runs over. It remembers whether the other side has ended it.
type wire struct {
	net.Conn
	ended bool
}

func (w *wire) Read(b []byte) (int, error) {
	n, err := w.Conn.Read(b)
	w.ended = w.ended || err == io.EOF
	return n, err
}

// channel is a TLS connection that tells its end from a cut. Anybody on the way can end the connection below, and an answer
// without a length would then seem complete; only the server can say by TLS that it is. Package tls reports both alike.
type channel struct {
	*tls.Conn
	wire *wire
}

func (c *channel) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if err == io.EOF && c.wire.ended {
		err = errors.New("the connection ended without TLS close_notify, so the answer may have been cut; " +
			"it is safe if the server sends a Content-Length")
	}
	return n, err
}
