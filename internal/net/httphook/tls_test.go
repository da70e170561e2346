package httphook

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/endpoint"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
	"github.com/hookrun/hookrun/protocol"
)

// authority makes a root, in a file, and a certificate by it for the names.
func authority(t *testing.T, names ...string) (roots string, cert tls.Certificate) {
	t.Helper()
	make := func(template, parent *x509.Certificate, signer *ecdsa.PrivateKey) ([]byte, *ecdsa.PrivateKey) {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		require.NoError(t, err)
		if parent == nil {
			parent, signer = template, key
		}
		template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
		der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
		require.NoError(t, err)
		return der, key
	}
	root := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "root of a test"},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	rootDER, rootKey := make(root, nil, nil)
	leaf := &x509.Certificate{SerialNumber: big.NewInt(2), DNSNames: names,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	leafDER, leafKey := make(leaf, root, rootKey)

	roots = filepath.Join(t.TempDir(), "roots.pem")
	require.NoError(t, os.WriteFile(roots, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: rootDER}), 0o600))
	return roots, tls.Certificate{Certificate: [][]byte{leafDER}, PrivateKey: leafKey}
}

// start starts a server, which knows HTTP/2, and returns its URL.
func start(t *testing.T, config *tls.Config, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.TLS, server.EnableHTTP2 = config, true
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	return strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
}

// keyFiles writes a certificate and its key.
func keyFiles(t *testing.T, cert tls.Certificate) (certFile, keyFile string) {
	t.Helper()
	dir := t.TempDir()
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	key, err := x509.MarshalPKCS8PrivateKey(cert.PrivateKey)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(certFile,
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Certificate[0]}), 0o600))
	require.NoError(t, os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}), 0o600))
	return certFile, keyFile
}

func TestTrusted(t *testing.T) {
	roots, cert := authority(t, "localhost")
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		config := &tls.Config{Certificates: []tls.Certificate{cert}, MaxVersion: version}
		url := start(t, config, func(w http.ResponseWriter, r *http.Request) {
			b, _ := io.ReadAll(r.Body)
			fmt.Fprintf(w, "%s %s %s %d bytes", r.Proto, r.TLS.NegotiatedProtocol, r.TLS.ServerName, len(b))
		})
		answer, problem := post(t, &endpoint.Endpoint{URL: url, CAFile: roots}, strings.Repeat("x", 4<<20), nil)
		require.Nil(t, problem)
		require.Equal(t, "HTTP/2.0 h2 localhost 4194304 bytes", answer)
	}
}

func TestRefused(t *testing.T) {
	testall.NotOnWindows(t, "a server that refuses a certificate looks like one that breaks off")
	roots, cert := authority(t, "localhost")
	others, _ := authority(t)
	reached := func(w http.ResponseWriter, r *http.Request) { t.Error("a request came through") }
	good := start(t, &tls.Config{Certificates: []tls.Certificate{cert}}, reached)
	old := start(t, &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS10,
		MaxVersion: tls.VersionTLS11}, reached)
	otherProtocol := listen(t, &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{"other"}},
		func(conn *tls.Conn) {
			assert.Error(t, conn.Handshake())
		})
	selfSigned := start(t, nil, reached)
	plain := httptest.NewServer(http.HandlerFunc(reached))
	t.Cleanup(plain.Close)
	asks := start(t, &tls.Config{Certificates: []tls.Certificate{cert}, ClientAuth: tls.RequireAnyClientCert}, reached)

	for _, c := range []struct{ name, url, roots, want string }{
		{"unknown root", good, others, "; if it is your own, name its root in \"ca_file\""},
		{"self-signed", selfSigned, roots, "failed to verify certificate"},
		{"another name", strings.Replace(good, "localhost", "127.0.0.1", 1), roots,
			"cannot validate certificate for 127.0.0.1"},
		{"old version", old, roots, "protocol version not supported"},
		{"another protocol", "https://localhost:" + otherProtocol, roots, "no application protocol"},
		{"no TLS", strings.Replace(plain.URL, "http", "https", 1), roots, "server gave HTTP response to HTTPS client"},
		{"no certificate of ours", asks, roots, "does it want a client certificate"},
		{"no such roots", good, roots + ".gone", "no such file"},
	} {
		_, problem := post(t, &endpoint.Endpoint{URL: c.url + "/?secret", CAFile: c.roots}, "{}", nil)
		// A write to the closed connection may fail before the server's alert is read; then nobody knows why.
		for range 100 {
			if problem == nil || !strings.Contains(problem.Text, "has to read the whole request") {
				break
			}
			_, problem = post(t, &endpoint.Endpoint{URL: c.url + "/?secret", CAFile: c.roots}, "{}", nil)
		}
		require.NotNil(t, problem, c.name)
		require.Equal(t, protocol.CauseUnstarted, problem.Cause, "%s: %s", c.name, problem.Text)
		require.Contains(t, problem.Text, c.url+"/: ", c.name)
		require.Contains(t, problem.Text, c.want, c.name)
		require.NotContains(t, problem.Text, "secret", c.name)
	}
}

// TestClientCertificate also renews it: the next request shows the new one.
func TestClientCertificate(t *testing.T) {
	roots, cert := authority(t, "localhost")
	url := start(t, &tls.Config{Certificates: []tls.Certificate{cert}, ClientAuth: tls.RequireAnyClientCert},
		func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, r.TLS.PeerCertificates[0].DNSNames)
		})
	_, first := authority(t, "first")
	_, second := authority(t, "second")
	certFile, keyFile := keyFiles(t, first)
	var client Client
	defer client.Close()
	e := &endpoint.Endpoint{URL: url, CAFile: roots, ClientCert: certFile, ClientKey: keyFile}
	for range 2 {
		answer, problem := postBy(t, &client, e, "{}", nil)
		require.Nil(t, problem)
		require.Equal(t, "[first]", answer)
	}
	newCert, newKey := keyFiles(t, second)
	require.NoError(t, os.Rename(newCert, certFile))
	require.NoError(t, os.Rename(newKey, keyFile))
	answer, problem := postBy(t, &client, e, "{}", nil)
	require.Nil(t, problem)
	require.Equal(t, "[second]", answer)
}

// TestProxy: that of the endpoint is used, and none that the environment names.
func TestProxy(t *testing.T) {
	var asked []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.RequestURI+" "+r.Header.Get("Proxy-Authorization"))
		fmt.Fprint(w, "by proxy")
	}))
	t.Cleanup(proxy.Close)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "direct")
	}))
	t.Cleanup(server.Close)
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"} {
		t.Setenv(name, proxy.URL)
	}
	url := strings.Replace(server.URL, "127.0.0.1", "localhost.localdomain", 1) // which no NO_PROXY means
	answer, problem := post(t, &endpoint.Endpoint{URL: server.URL}, "{}", nil)
	require.Nil(t, problem)
	require.Equal(t, "direct", answer)
	require.Empty(t, asked)
	answer, problem = post(t, &endpoint.Endpoint{URL: url + "/x",
		Proxy: strings.Replace(proxy.URL, "//", "//u:p@", 1)}, "{}",
		nil)
	require.Nil(t, problem)
	require.Equal(t, "by proxy", answer)
	require.Equal(t, []string{"POST " + url + "/x Basic dTpw"}, asked)

	closed, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	closed.Close()
	_, problem = post(t, &endpoint.Endpoint{URL: url, Proxy: "http://u:secret@" + closed.Addr().String()}, "{}", nil)
	require.NotNil(t, problem)
	require.Equal(t, protocol.CauseUnstarted, problem.Cause)
	require.Contains(t, problem.Text, "refused")
	require.NotContains(t, problem.Text, "secret")
}

// TestKept: one connection serves many requests. One that the server closed meanwhile is replaced.
func TestKept(t *testing.T) {
	var client Client
	defer client.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s", r.RemoteAddr, b)
	}))
	t.Cleanup(server.Close)
	e := &endpoint.Endpoint{URL: server.URL}
	first, problem := postBy(t, &client, e, "hi", nil)
	require.Nil(t, problem)
	for range 5 {
		again, problem := postBy(t, &client, e, "hi", nil)
		require.Nil(t, problem)
		require.Equal(t, first, again)
	}
	for range 20 {
		server.CloseClientConnections()
		again, problem := postBy(t, &client, e, "hi", nil)
		require.Nil(t, problem)
		require.Contains(t, again, " hi")
		require.NotEqual(t, first, again)
		first = again
	}
	client.Close()
	_, problem = postBy(t, &client, e, "hi", nil)
	require.NotNil(t, problem)
	require.Equal(t, protocol.CauseUnstarted, problem.Cause)
}

// TestClosedAtTheRequest: a server that ends a kept connection when the next request arrives has said nothing, and gets
// the request once more. One that does so with a new connection has no answer.
func TestClosedAtTheRequest(t *testing.T) {
	requests := make(chan string, 10)
	addr := serve(t, func(conn net.Conn) {
		in := bufio.NewReader(conn)
		for _, answer := range []string{"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", ""} {
			request, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			b, _ := io.ReadAll(request.Body)
			requests <- string(b)
			_, _ = io.WriteString(conn, answer)
		}
	})
	var client Client
	defer client.Close()
	for range 3 {
		answer, problem := postBy(t, &client, &endpoint.Endpoint{URL: "http://" + addr}, "{}", nil)
		require.Nil(t, problem)
		require.Equal(t, "hi", answer)
	}
	require.Len(t, requests, 4, "the second is sent twice, and keeps no connection")

	silent := serve(t, func(conn net.Conn) { _, _ = http.ReadRequest(bufio.NewReader(conn)) })
	_, problem := postBy(t, &client, &endpoint.Endpoint{URL: "http://" + silent}, "{}", nil)
	require.NotNil(t, problem)
	require.Equal(t, protocol.CauseOutput, problem.Cause)
	require.Contains(t, problem.Text, "without an answer")
}

// listen answers each connection by f and returns the port.
func listen(t *testing.T, config *tls.Config, f func(*tls.Conn)) string {
	t.Helper()
	listener, err := tls.Listen("tcp", "127.0.0.1:0", config)
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				f(conn.(*tls.Conn))
				conn.(*tls.Conn).NetConn().Close() // and no close_notify
			}()
		}
	}()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	require.NoError(t, err)
	return port
}

// Without a length, only close_notify makes the end of the connection the end of the answer.
func TestCut(t *testing.T) {
	roots, cert := authority(t, "localhost")
	for _, c := range []struct {
		name, answer string
		notify       bool
		want         string
	}{
		{"until close_notify", "HTTP/1.1 200 OK\r\n\r\nhi", true, "hi"},
		{"until the connection ends", "HTTP/1.1 200 OK\r\n\r\n", false, "ended without TLS close_notify"},
		{"length", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", false, "hi"},
		{"length, cut", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhi", false, "2 of 3 bytes came"},
		{"length, cut by the server", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhi", true, "2 of 3 bytes came"},
		{"chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", false, "hi"},
	} {
		port := listen(t, &tls.Config{Certificates: []tls.Certificate{cert}}, func(conn *tls.Conn) {
			if request, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
				io.Copy(io.Discard, request.Body)
				io.WriteString(conn, c.answer)
			}
			if c.notify {
				conn.CloseWrite()
			}
		})
		answer, problem := post(t, &endpoint.Endpoint{URL: "https://localhost:" + port, CAFile: roots}, "{}", nil)
		if problem != nil {
			answer = problem.Text
		}
		require.Contains(t, answer, c.want, c.name)
	}
}
