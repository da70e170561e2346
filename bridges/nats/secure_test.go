package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"
)

// certificate writes a certificate for localhost, which vouches for itself, and its key.
func certificate(t *testing.T) (cert, key string) {
	dir := t.TempDir()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"localhost"},
		IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	require.NoError(t, err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	write := func(name, kind string, der []byte) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
		return path
	}
	return write("cert.pem", "CERTIFICATE", der), write("key.pem", "PRIVATE KEY", keyDER)
}

// permissions returns what README.md lets a user do, in the form of the server's configuration.
func permissions(t *testing.T, user string) string {
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	_, block, found := strings.Cut(string(text), "\n"+user)
	require.True(t, found)
	block, _, _ = strings.Cut(block, "\n```")
	block, _, _ = strings.Cut(block, "\nbridge ")
	may := map[string][]string{}
	kind := ""
	for _, word := range strings.Fields(block) {
		if word == "publish" || word == "subscribe" {
			kind = word
		} else {
			may[kind] = append(may[kind], fmt.Sprintf("%q", strings.TrimSuffix(word, ",")))
		}
	}
	require.Len(t, may, 2)
	return fmt.Sprintf("{publish: [%s], subscribe: [%s]}", strings.Join(may["publish"], ","),
		strings.Join(may["subscribe"], ","))
}

// TestSecure: with TLS and the permissions of README.md texts and reports come through. A bridge waits at a server with
// another name than its certificate, and at one that does not know the password.
func TestSecure(t *testing.T) {
	t.Parallel()
	ctx, dir := limit(t), t.TempDir()
	cert, key := certificate(t)
	_, address := startServer(t, fmt.Sprintf(`
		tls {cert_file: %q, key_file: %q}
		authorization {users: [
			{user: admin, password: a}
			{user: orchestrator, password: o, permissions: %s}
			{user: bridge, password: b, permissions: %s}
		]}`, cert, key, permissions(t, "orchestrator"), permissions(t, "bridge")))
	port := address[strings.LastIndex(address, ":"):]
	connectAs := func(user string) client {
		return connect(t, "tls://"+user+"@localhost"+port, nats.RootCAs(cert),
			nats.CustomInboxPrefix("_INBOX.orchestrator"))
	}
	admin := connectAs("admin:a")
	for name, prefix := range map[string]string{textsStream: textsPrefix, reportsStream: reportsPrefix} {
		_, err := admin.js.CreateStream(ctx, jetstream.StreamConfig{Name: name, Subjects: []string{prefix + "*"},
			Retention: map[bool]jetstream.RetentionPolicy{true: jetstream.WorkQueuePolicy}[name == textsStream]})
		require.NoError(t, err)
	}

	for url, says := range map[string]string{
		"tls://bridge:b@127.0.0.1":  "doesn't contain any IP SANs",
		"tls://bridge:no@localhost": "Authorization Violation",
	} {
		wrong := newBridge(t, url+port, t.TempDir(), "--agent", "planner", "--session", "s1", "--ca", cert)
		wrong.ready = says
		wrong.start(t)
		wrong.wait(t)
		wrong.kill()
		require.NotContains(t, wrong.lines.String(), "connected")
		require.NotContains(t, wrong.lines.String(), "bridge:")
	}
	startBridge(t, "tls://bridge:b@localhost"+port, dir, "--ca", cert).wait(t)
	orchestrator := connectAs("orchestrator:o")
	require.NoError(t, orchestrator.publish(ctx, "planner", "one", "Nats-Msg-Id", "1"))
	require.NoError(t, orchestrator.publish(ctx, "planner", " ", "Nats-Msg-Id", "2"))
	require.Equal(t, []string{"one"}, queued(t, dir, 1))
	require.Equal(t, "rejected", reports(ctx, t, admin, 1)[0].Status)
}
