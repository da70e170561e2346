package main

import (
	"bufio"
	"bytes"
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
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The test binary is the program itself when it finds this variable: roots are read once per process.
const asProgram = "HOOKRUN_HTTPS_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// program runs it with a request to url, and trusts the roots in a file.
func program(t *testing.T, url, body, roots string) (exit int, stdout, stderr string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asProgram+"=1", "SSL_CERT_FILE="+roots, "SSL_CERT_DIR="+t.TempDir(), "HTTPS_PROXY=http://127.0.0.1:1")
	cmd.Stdin = strings.NewReader(fmt.Sprintf(`{"url":"%s"}`+"\n%s", url, body))
	return finish(t, cmd)
}

func finish(t *testing.T, cmd *exec.Cmd) (exit int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run()
	require.NotNil(t, cmd.ProcessState)
	exit = cmd.ProcessState.ExitCode()
	if exit != 0 {
		require.Equal(t, 1, exit)
		require.Regexp(t, `^[^\n]+\n$`, errs.String())
		require.Empty(t, out.String())
	}
	return exit, out.String(), errs.String()
}

// identity makes a root, in a file, and a certificate by it for the names.
func identity(t *testing.T, names ...string) (roots string, cert tls.Certificate) {
	t.Helper()
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		t.Skip("here SSL_CERT_FILE has no meaning")
	}
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
	leaf := &x509.Certificate{SerialNumber: big.NewInt(2), DNSNames: names, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	leafDER, leafKey := make(leaf, root, rootKey)

	roots = filepath.Join(t.TempDir(), "roots.pem")
	require.NoError(t, os.WriteFile(roots, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: rootDER}), 0o600))
	return roots, tls.Certificate{Certificate: [][]byte{leafDER}, PrivateKey: leafKey}
}

// start starts a server and returns its port.
func start(t *testing.T, config *tls.Config, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.TLS = config
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	require.NoError(t, err)
	return port
}

func TestTrusted(t *testing.T) {
	roots, cert := identity(t, "localhost")
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		config := &tls.Config{Certificates: []tls.Certificate{cert}, MaxVersion: version, NextProtos: []string{"h2", "http/1.1"}}
		port := start(t, config, func(w http.ResponseWriter, r *http.Request) {
			b, _ := io.ReadAll(r.Body)
			fmt.Fprintf(w, "%s %s %s %d bytes", r.Proto, r.TLS.NegotiatedProtocol, r.TLS.ServerName, len(b))
		})
		exit, stdout, stderr := program(t, "https://localhost:"+port, strings.Repeat("x", 4<<20), roots)
		require.Equal(t, 0, exit, stderr)
		require.Equal(t, "HTTP/1.1 http/1.1 localhost 4194304 bytes", stdout)
		require.Empty(t, stderr)
	}
}

func TestRefused(t *testing.T) {
	roots, cert := identity(t, "localhost")
	others, _ := identity(t)
	reached := func(w http.ResponseWriter, r *http.Request) { t.Error("a request came through") }
	good := start(t, &tls.Config{Certificates: []tls.Certificate{cert}}, reached)
	old := start(t, &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}, reached)
	otherProtocol := listen(t, &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{"other"}}, func(conn *tls.Conn) {
		assert.Error(t, conn.Handshake())
	})
	selfSigned := start(t, nil, reached)
	plain := httptest.NewServer(http.HandlerFunc(reached))
	t.Cleanup(plain.Close)

	for _, c := range []struct{ name, url, roots, want string }{
		{"unknown root", "https://localhost:" + good, others, "; if it is your own, add it to the system's roots or name its file in SSL_CERT_FILE"},
		{"self-signed", "https://127.0.0.1:" + selfSigned, roots, "signed by unknown authority"},
		{"another name", "https://127.0.0.1:" + good, roots, "cannot validate certificate for 127.0.0.1"},
		{"old version", "https://localhost:" + old, roots, "protocol version not supported"},
		{"another protocol", "https://localhost:" + otherProtocol, roots, "no application protocol"},
		{"no TLS", strings.Replace(plain.URL, "http", "https", 1), roots, "first record does not look like a TLS handshake"},
	} {
		exit, _, stderr := program(t, c.url+"/?secret", "{}", c.roots)
		require.Equal(t, 1, exit, c.name)
		require.Contains(t, stderr, c.url+"/: ", c.name)
		require.Contains(t, stderr, c.want, c.name)
		require.NotContains(t, stderr, "secret", c.name)
	}
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
	roots, cert := identity(t, "localhost")
	for _, c := range []struct {
		name, answer string
		notify       bool
		want         string
	}{
		{"until close_notify", "HTTP/1.1 200 OK\r\n\r\nhi", true, "hi"},
		{"until the connection ends", "HTTP/1.1 200 OK\r\n\r\n", false, "ended without TLS close_notify"},
		{"length", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", false, "hi"},
		{"length, cut", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhi", false, "ended without TLS close_notify"},
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
		_, stdout, stderr := program(t, "https://localhost:"+port, "{}", roots)
		require.Contains(t, stdout+stderr, c.want, c.name)
	}
}

// A server may answer while we still write.
func TestAnswerBeforeRequest(t *testing.T) {
	roots, cert := identity(t, "localhost")
	held := make(chan struct{})
	defer close(held)
	port := listen(t, &tls.Config{Certificates: []tls.Certificate{cert}}, func(conn *tls.Conn) {
		io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
		<-held
	})
	exit, stdout, stderr := program(t, "https://localhost:"+port, strings.Repeat("x", 10<<20), roots)
	require.Equal(t, 0, exit, stderr)
	require.Equal(t, "hi", stdout)
}

func TestPlain(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hi") }))
	defer server.Close()
	_, stdout, stderr := program(t, server.URL, "{}", "")
	require.Equal(t, "hi", stdout+stderr)
}

func TestMisuse(t *testing.T) {
	null, err := os.Open(os.DevNull) // a terminal is a device of its kind
	require.NoError(t, err)
	defer null.Close()
	for _, c := range []struct {
		args  []string
		stdin io.Reader
	}{
		{[]string{"--version"}, strings.NewReader("{}\n")},
		{[]string{"https://example.com"}, strings.NewReader("{}\n")},
		{nil, null},
	} {
		cmd := exec.Command(os.Args[0], c.args...)
		cmd.Env = append(os.Environ(), asProgram+"=1")
		cmd.Stdin = c.stdin
		exit, _, stderr := finish(t, cmd)
		require.Equal(t, 1, exit)
		require.Contains(t, stderr, "hookrun-https sends the https hooks of hookrun;")
	}
}

func TestLinks(t *testing.T) {
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip(err)
	}
	list, err := exec.Command(tool, "list", "-deps", ".").Output()
	require.NoError(t, err)
	require.NotContains(t, strings.Fields(string(list)), "net/http")
}
