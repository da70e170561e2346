//go:build linux

package clients

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// TestHTTPHooks: a client with HTTP hooks obeys `hookrun serve --listen`, and a refused request is a block.
func TestHTTPHooks(t *testing.T) {
	const groups = `{"hooks": {"PreToolUse": [{"hooks": [{"type": "http", "url": "URL"}]}]}}`
	for name, settings := range map[string][2]string{
		"claude": {".claude/settings.json", groups},
		"copilot": {".github/hooks/http.json",
			`{"version": 1, "hooks": {"PreToolUse": [{"type": "http", "url": "URL"}]}}`},
		"qwen": {".qwen/settings.json", groups},
	} {
		t.Run(name, func(t *testing.T) {
			if alone(t, pathOf(t, name)) {
				return
			}
			r := newClientRun(t, clientNamed(name))
			r.env = append(r.env, "COPILOT_HOOK_ALLOW_LOCALHOST=1") // else Copilot CLI skips a hook that is not https
			token := filepath.Join(r.home, "token")
			require.NoError(t, os.WriteFile(token, []byte("s3cret"), 0o600))
			// ran reports whether the client runs a command, and whether the model reads a reason.
			ran := func(file string, flags ...string) (bool, string) {
				server := r.command(binary.Path, append([]string{"serve", "--listen", "127.0.0.1:0"}, flags...)...)
				out, err := server.StdoutPipe()
				require.NoError(t, err)
				require.NoError(t, server.Start())
				line, err := bufio.NewReader(out).ReadString('\n')
				require.NoError(t, err)
				url := "http://" + strings.TrimSpace(strings.TrimPrefix(line, "listening on ")) + "/hook/" + name
				r.write(settings[0], strings.Replace(settings[1], "URL", url, 1))
				r.turn([]string{"touch " + file})
				_ = server.Process.Kill()
				_ = server.Wait()
				_, after := r.after("touch " + file)
				return r.ran(file), after
			}
			does, after := ran("free")
			require.True(t, does, "%s\n%s", r.output, after)
			does, after = ran("forbidden")
			require.False(t, does, r.output)
			require.Contains(t, after, "not this one", r.output)
			does, after = ran("free", "--token-file", token)
			require.False(t, does, "without the token nothing was checked")
			require.Contains(t, after, "the token is missing", r.output)
		})
	}
}
