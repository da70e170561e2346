//go:build linux

package e2e

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// Posting, as hookrun itself does it.

func postTo(url string, more ...binary.Hook) binary.Hook {
	h := binary.CommandHook("", more...)
	delete(h, "command")
	h["type"], h["url"] = "http", url
	return h
}

func TestHTTPHooksOfTheRealBinary(t *testing.T) {
	const deny = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",` +
		`"permissionDecisionReason":"not here"}}`
	mux := http.NewServeMux()
	answer := func(path string, code int, text string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if !bytes.Contains(body, []byte(`"hook_event_name":"PreToolUse"`)) {
				code = 400
			}
			w.WriteHeader(code)
			_, _ = io.WriteString(w, text)
		})
	}
	answer("/deny", 200, deny)
	answer("/text", 200, "fine by me")
	answer("/500", 500, deny)
	answer("/ok", 200, "{}")
	server := httptest.NewServer(mux)
	defer server.Close()
	closed := httptest.NewServer(nil)
	closed.Close()

	for _, want := range []struct {
		url           string
		policy        string
		code          int
		status, cause string
		text          string
	}{
		{server.URL + "/ok", "block", 0, "ok", "", ""},
		{server.URL + "/deny", "continue", 2, "blocked", "policy", "not here"},
		{server.URL + "/text", "continue", 0, "failed", "output", "something else than a JSON object"},
		{server.URL + "/500", "continue", 0, "failed", "exit", "http 500"},
		{closed.URL, "continue", 0, "failed", "exit", "refused"},
		{server.URL + "/text", "block", 2, "blocked", "output", "something else than a JSON object"},
		{server.URL + "/500", "block", 2, "blocked", "exit", "http 500"},
		{closed.URL, "block", 2, "blocked", "exit", "refused"},
	} {
		t.Run(want.url[strings.LastIndex(want.url, "/")+1:]+" "+want.policy, func(t *testing.T) {
			for _, way := range []string{"the file", "the flag"} {
				h, args := postTo(want.url, binary.Hook{"onFailure": want.policy}), []string{"pre-tool", "--tool",
					"shell"}
				if way == "the flag" {
					h, args = postTo(want.url), append(args, "--on-failure", want.policy)
				}
				c := binary.NewCall(t, "PreToolUse", h)
				c.Begin(args...)
				c.Ends(want.code)
				o := c.Outcome()
				require.Equal(t, []string{want.status}, o.Statuses())
				require.Equal(t, want.cause, o.Hooks[0].Cause)
				require.Nil(t, o.Hooks[0].ExitCode)
				require.False(t, o.Approved)
				if want.code == 0 {
					require.Contains(t, strings.Join(o.Warnings, "\n"), want.text)
				} else {
					require.Contains(t, o.Reason, want.text)
				}
			}
		})
	}
}

// While the server waits, no process of hookrun's has started one, and the request ends at the deadline or with
// hookrun.
func TestHTTPHookProcess(t *testing.T) {
	for _, end := range []string{"timeout", "SIGTERM", "SIGKILL"} {
		t.Run(end, func(t *testing.T) {
			const secret, inFile = "secret-of-the-environment", "secret-of-the-file"
			header := make(chan http.Header, 1)
			left := make(chan struct{})
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				header <- r.Header
				<-r.Context().Done()
				close(left)
			}))
			defer server.Close()
			defer server.CloseClientConnections() // a test that failed still has somebody waiting for the answer
			timeout := 1000.0
			if end == "timeout" {
				timeout = 1
			}
			c := binary.NewCall(t, "PreToolUse",
				postTo(server.URL+"/?key="+inFile, binary.Hook{
					"timeout": timeout, "allowedEnvVars": []string{"GUARD_TOKEN"},
					"headers": binary.Hook{"Authorization": "Bearer $GUARD_TOKEN", "X-Key": inFile,
						"X-Home": "[$HOME]"},
				}))
			t.Setenv("GUARD_TOKEN", secret)
			c.Begin("pre-tool", "--tool", "shell", "--args", `{"command":"`+inFile+`"}`)
			got := <-header
			require.Equal(t, []string{"Bearer " + secret}, got.Values("Authorization"))
			require.Equal(t, []string{inFile}, got.Values("X-Key"))
			require.Equal(t, []string{"[]"}, got.Values("X-Home"))
			require.Empty(t, binary.Children(c.Cmd.Process.Pid))
			require.Equal(t, []int{c.Cmd.Process.Pid}, c.Marked())
			switch end {
			case "timeout":
				c.Ends(0)
				require.Equal(t, []string{"timeout"}, c.Outcome().Statuses())
			case "SIGTERM":
				require.NoError(t, c.Cmd.Process.Signal(syscall.SIGTERM))
				c.Ends(1)
			case "SIGKILL":
				require.NoError(t, c.Cmd.Process.Kill())
				c.Ends(-1)
			}
			<-left
		})
	}
}
