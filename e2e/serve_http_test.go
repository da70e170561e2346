//go:build unix

package e2e

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
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// listener is a real `hookrun serve --listen`.
type listener struct {
	*testing.T
	*exec.Cmd
	address string
	client  http.Client
	scheme  string
	headers http.Header
	stderr  strings.Builder
}

// listen starts a server with the hooks file of a folder.
func listen(t *testing.T, dir string, flags ...string) *listener {
	t.Helper()
	l := &listener{T: t, scheme: "http", headers: http.Header{"Content-Type": {"application/json"}}}
	l.Cmd = exec.Command(binary.Path, append([]string{"serve", "-C", dir, "--listen", "127.0.0.1:0"}, flags...)...)
	l.Cmd.Stderr, l.Env = &l.stderr, binary.Environment(t.TempDir())
	out, err := l.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, l.Start())
	t.Cleanup(func() { _ = l.Process.Kill() })
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err, &l.stderr)
	var listening bool
	l.address, listening = strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	require.True(t, listening, line)
	return l
}

func (l *listener) send(path, body string) (*http.Response, error) {
	r, err := http.NewRequest(http.MethodPost, l.scheme+"://"+l.address+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header = l.headers
	return l.client.Do(r)
}

func (l *listener) post(path, body string) (status int, text string) {
	l.Helper()
	answer, err := l.send(path, body)
	require.NoError(l, err)
	defer answer.Body.Close()
	all, err := io.ReadAll(answer.Body)
	require.NoError(l, err)
	return answer.StatusCode, string(all)
}

const (
	listens = `{"hooks": [
		{"name": "guard", "command": "cat >/dev/null; echo no >&2; exit 2", "events": ["pre-tool"], "matcher": "shell"},
		{"name": "slow", "command": "echo $$ >pid; exec sleep 600", "timeout": "10m", "events": ["pre-tool"],
			"matcher": "fs_write"}]}`
	claudeCall = `{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"%s","tool_input":{"text":"%s"}}`
	denied     = `"permissionDecision":"deny","permissionDecisionReason":`
)

// TestServeHTTPConnections: a thousand clients at once are answered, beside a thousand that send half of a request.
func TestServeHTTPConnections(t *testing.T) {
	dir := t.TempDir()
	binary.WriteFile(t, dir, ".tenex-hooks.json", listens)
	l := listen(t, dir)
	const clients = 1000
	for range clients {
		conn, err := net.Dial("tcp", l.address)
		require.NoError(t, err)
		defer conn.Close()
		_, err = io.WriteString(conn, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"+
			"Content-Length: 10\r\n\r\n{")
		require.NoError(t, err)
	}
	l.client.Transport = &http.Transport{MaxIdleConnsPerHost: clients}
	var all sync.WaitGroup
	failed := make(chan string, clients)
	for i := range clients {
		all.Add(1)
		go func() {
			defer all.Done()
			tool := "Read"
			if i%100 == 0 {
				tool = "Bash" // a process
			}
			answer, err := l.send("/hook/claude", fmt.Sprintf(claudeCall, tool, "ls"))
			if err != nil {
				failed <- err.Error()
				return
			}
			defer answer.Body.Close()
			text, _ := io.ReadAll(answer.Body)
			blocks := strings.Contains(string(text), denied)
			if answer.StatusCode != 200 || blocks != (tool == "Bash") {
				failed <- tool + ": " + string(text)
			}
		}()
	}
	all.Wait()
	select {
	case why := <-failed:
		require.Fail(t, "an answer is wrong", why)
	default:
	}
	status, text := l.post("/hook/claude", fmt.Sprintf(claudeCall, "Bash", strings.Repeat("x", 10<<20)))
	require.Equal(t, 200, status)
	require.Contains(t, text, denied+`"no"`, "10 MB")
}

// TestServeHTTPEnd: SIGTERM kills the running hook, its call is blocked, and the exit status is 1.
func TestServeHTTPEnd(t *testing.T) {
	dir := t.TempDir()
	binary.WriteFile(t, dir, ".tenex-hooks.json", listens)
	l := listen(t, dir)
	answered := make(chan string, 1)
	go func() {
		_, text := l.post("/hook/claude", fmt.Sprintf(claudeCall, "Write", ""))
		answered <- text
	}()
	pid := 0
	require.Eventually(t, func() bool {
		text, _ := os.ReadFile(filepath.Join(dir, "pid"))
		_, err := fmt.Sscan(string(text), &pid)
		return err == nil
	}, 20*time.Second, time.Millisecond)
	require.NoError(t, l.Process.Signal(syscall.SIGTERM))
	require.Contains(t, <-answered, denied)
	require.Error(t, l.Wait())
	require.Equal(t, 1, l.ProcessState.ExitCode())
	require.ErrorIs(t, syscall.Kill(pid, 0), syscall.ESRCH)
	require.Contains(t, l.stderr.String(), "interrupted by SIGTERM")
}

// TestServeHTTPS: a client that expects another host refuses the certificate, and nobody calls without the token.
func TestServeHTTPS(t *testing.T) {
	dir := t.TempDir()
	binary.WriteFile(t, dir, ".tenex-hooks.json", listens)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	cert := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "guard.example"},
		DNSNames: []string{"guard.example"}, NotAfter: time.Now().Add(time.Hour), IsCA: true,
		BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, cert, cert, &key.PublicKey, key)
	require.NoError(t, err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	certText := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	binary.WriteFile(t, dir, "cert.pem", string(certText))
	binary.WriteFile(t, dir, "key.pem", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})))
	token := filepath.Join(dir, "token")
	require.NoError(t, os.WriteFile(token, []byte("s3cret"), 0o600))
	l := listen(t, dir, "--token-file", token, "--tls-cert", filepath.Join(dir, "cert.pem"), "--tls-key",
		filepath.Join(dir, "key.pem"))

	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(certText)
	as := func(name string) {
		l.client.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, ServerName: name}}
	}
	call := fmt.Sprintf(claudeCall, "Read", "ls")
	status, _ := l.post("/", call)
	require.Equal(t, 400, status, "plain HTTP")
	l.scheme = "https"
	as("other.example")
	_, err = l.send("/", call)
	require.ErrorContains(t, err, "certificate is valid for guard.example, not other.example")
	as("guard.example")
	status, _ = l.post("/", `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	require.Equal(t, 401, status)
	_, text := l.post("/hook/claude", call)
	require.Contains(t, text, denied+`"hookrun serve: the token is missing or wrong`)
	l.headers.Set("Authorization", "Bearer s3cret")
	_, text = l.post("/hook/claude", call)
	require.Equal(t, "{}", text)
	_, text = l.post("/", `{"jsonrpc":"2.0","id":1,"method":"shutdown"}`)
	require.Contains(t, text, `"result":null`)
	require.NoError(t, l.Wait())
}
