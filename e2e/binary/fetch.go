package binary

import (
	"context"
	"os"
	"os/exec"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Fetch runs a program that needs the network. Where there is none, or it takes minutes, the test is skipped.
func Fetch(t *testing.T, dir string, env []string, argv ...string) {
	t.Helper()
	const limit = 4 * time.Minute
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		t.Skipf("%s took over %v:\n%s", argv[:2], limit, out)
	}
	if err != nil && offline.Match(out) {
		t.Skipf("what %s fetches cannot be reached:\n%s", argv[:2], out)
	}
	require.NoError(t, err, string(out))
}

var offline = regexp.MustCompile(`\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|` +
	`ERR_SOCKET_TIMEOUT|EIDLETIMEOUT|dial tcp|proxyconnect|i/o timeout|TLS handshake timeout|connection reset|` +
	`403 Forbidden|GOPROXY=off)\b`)
