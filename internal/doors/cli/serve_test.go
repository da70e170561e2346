package cli

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/hookfile"
)

// The flags of serve are those of all its calls, and of what it loads and checks.
func TestServe(t *testing.T) {
	t.Parallel()
	dir := workspace(t, rules)
	path := filepath.Join(dir, hookfile.FileName)
	in, requests := io.Pipe()
	answers, out := io.Pipe()
	var stderr strings.Builder
	exit := make(chan int, 1)
	go func() { exit <- Run([]string{"serve", "-C", dir}, Streams{In: in, Out: out, Err: &stderr}) }()
	lines := bufio.NewReader(answers)
	call := func(method, params string) string {
		_, err := io.WriteString(requests, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+"}\n")
		require.NoError(t, err)
		line, err := lines.ReadString('\n')
		require.NoError(t, err)
		return strings.TrimSuffix(strings.TrimPrefix(line, `{"jsonrpc":"2.0","id":1,`), "}\n")
	}
	require.Equal(t, `"result":{"version":"`+installed()+`"}`, call("ping", `{}`))
	require.Contains(t, call("pre-tool", `{"tool":"shell"}`), `"decision":"block","reason":"Ask first."`)
	ok := `"result":{"version":1,"ok":true,"files":[{"file":` + strconv.Quote(path) + `,"level":"project","hooks":3,` +
		`"errors":[],"warnings":[]}]}`
	require.Equal(t, ok, call("check", `{}`))
	require.Equal(t, `"result":{"files":[`+strconv.Quote(path)+`],"hooks":3,"warnings":[]}`, call("reload", `{}`))

	require.NoError(t, os.Remove(path)) // on purpose
	require.Equal(t, `"result":{"version":1,"ok":true,"files":[]}`, call("check", `{}`))
	require.Contains(t, call("reload", `{}`), `"error":{"code":-32002,"message":"nothing was reloaded: `)
	require.Contains(t, call("pre-tool", `{"tool":"shell"}`), "block")
	require.Equal(t, `"result":{"files":[],"hooks":0,"warnings":[]}`, call("reload", `{"empty":true}`))
	require.NotContains(t, call("pre-tool", `{"tool":"shell"}`), "block")
	file(t, path, `{"hooks": [{"name": "a"}]}`)
	require.Contains(t, call("check", `{}`), `"ok":false`)
	require.Contains(t, call("reload", `{}`), `"error":{"code":-32002,"message":"nothing was reloaded: `+
		strings.Trim(strconv.Quote(path), `"`)+`:1:12: `)
	require.Equal(t, `"result":null`, call("shutdown", `{}`))
	require.Equal(t, 0, <-exit)
	require.Empty(t, stderr.String())
}

func TestServeEndsWithItsInput(t *testing.T) {
	t.Parallel()
	got := run(`{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n", "serve", "-C", workspace(t, rules))
	require.Equal(t, 0, got.exit)
	require.Equal(t, `{"jsonrpc":"2.0","id":1,"result":{"version":"`+installed()+`"}}`+"\n", got.out)
	require.Empty(t, got.err)
}

func TestServeDoesNotStartWithErrors(t *testing.T) {
	t.Parallel()
	dir := workspace(t, `{"hooks": 1}`)
	got := run("", "serve", "-C", dir)
	require.Equal(t, 1, got.exit)
	require.Contains(t, got.err, filepath.Join(dir, hookfile.FileName)+":1:11: ")
	taken := file(t, filepath.Join(dir, "taken"), "")
	got = run("", "serve", "-C", workspace(t, rules), "--socket", taken)
	require.Equal(t, 1, got.exit)
	require.Contains(t, got.err, "hookrun serve: --socket "+taken+": ")
}
