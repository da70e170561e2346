//go:build linux

package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/core/form"
	"github.com/hookrun/hookrun/internal/core/process/processtest"
	"github.com/hookrun/hookrun/protocol"
)

// Hooks of type http. The test binary posts.

func post(url string, more ...hook) hook {
	h := command("", more...)
	delete(h, "command")
	h["type"], h["url"] = "http", url
	return h
}

// serve starts a server that answers with these by path. It is there before newBench counts what is left.
func serve(t *testing.T, paths map[string]http.HandlerFunc) string {
	mux := http.NewServeMux()
	for path, handler := range paths {
		mux.HandleFunc(path, handler)
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

func body(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, text) }
}

func status(code int, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(code)
		_, _ = io.WriteString(w, text)
	}
}

func (b *bench) posts(o engine.Options, handlers ...hook) engine.Fired {
	b.Helper()
	outcome, err := b.with(o, b.claude("PreToolUse", handlers...)).Fire(context.Background(), b.pre())
	require.NoError(b, err)
	b.Childless()
	return outcome
}

func TestHTTPHookAnswers(t *testing.T) {
	refused, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	nobody := "http://" + refused.Addr().String()
	require.NoError(t, refused.Close())
	url := serve(t, map[string]http.HandlerFunc{
		"/deny":    body(decides("deny", "not here")),
		"/allow":   body(decides("allow", "go")),
		"/context": body(adds("a word")),
		"/nothing": status(204, ""),
		"/empty":   body(""),
		"/text":    body("fine by me"),
		"/array":   body("[1]"),
		"/500":     status(500, decides("deny", "not here")),
		"/404":     status(404, ""),
		"/redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/allow", http.StatusTemporaryRedirect)
		},
		"/broken": body("{not json}"),
		"/long":   body(`{"systemMessage":"` + strings.Repeat("x", 2<<20) + `"}`),
	})
	for _, want := range []struct {
		url    string
		status string
		cause  protocol.Cause
		says   string
	}{
		{url + "/deny", dialect.StatusBlocked, protocol.CausePolicy, "not here"},
		{url + "/allow", dialect.StatusOK, protocol.CausePolicy, "go"},
		{url + "/context", dialect.StatusOK, "", ""},
		{url + "/nothing", dialect.StatusOK, "", ""},
		{url + "/empty", dialect.StatusOK, "", ""},
		{url + "/text", dialect.StatusFailed, protocol.CauseOutput, "something else than a JSON object"},
		{url + "/array", dialect.StatusFailed, protocol.CauseOutput, "something else than a JSON object"},
		{url + "/500", dialect.StatusFailed, protocol.CauseExit, "http 500"},
		{url + "/404", dialect.StatusFailed, protocol.CauseExit, "http 404"},
		{url + "/redirect", dialect.StatusFailed, protocol.CauseExit, "redirects are not followed"},
		{url + "/broken", dialect.StatusFailed, protocol.CauseOutput, "cannot be read"},
		{url + "/long", dialect.StatusFailed, protocol.CauseExit, "more than 1 MiB"},
		{nobody, dialect.StatusFailed, protocol.CauseExit, "refused"},
	} {
		t.Run(want.url[strings.LastIndex(want.url, "/"):], func(t *testing.T) {
			b := newBench(t)
			o := b.posts(engine.Options{}, post(want.url))
			require.Equal(t, []string{want.status}, statuses(o), o.Warnings)
			require.Equal(t, want.cause, o.Hooks[0].Cause)
			require.Nil(t, o.Hooks[0].ExitCode, "a POST has none")
			switch want.status {
			case dialect.StatusBlocked:
				require.Equal(t, protocol.Block, o.Decision)
				require.Equal(t, want.says, o.Reason)
			case dialect.StatusFailed:
				require.Equal(t, protocol.Continue, o.Decision)
				require.False(t, o.Approved)
				require.Len(t, o.Warnings, 1)
				require.Contains(t, o.Warnings[0], want.says)
				for _, policy := range []engine.Options{
					{OnFailure: dialect.FailurePolicy{want.cause: protocol.Block}}, {}} {
					o = b.posts(policy, post(want.url, hook{"onFailure": "block"}))
					require.Equal(t, protocol.Block, o.Decision)
					require.Equal(t, want.cause, o.Cause)
					require.Contains(t, o.Reason, want.says)
					require.Equal(t, []string{dialect.StatusBlocked}, statuses(o))
				}
				o = b.posts(engine.Options{OnFailure: dialect.FailurePolicy{want.cause: protocol.Block}},
					post(want.url))
				require.Equal(t, protocol.Block, o.Decision, "by the caller's word")
			default:
				require.Equal(t, protocol.Continue, o.Decision)
				require.Equal(t, want.cause == protocol.CausePolicy, o.Approved)
				require.Empty(t, o.Warnings)
			}
		})
	}
}

func TestHTTPHookTimesOut(t *testing.T) {
	t.Parallel()
	left := make(chan struct{}, 2)
	url := serve(t, map[string]http.HandlerFunc{"/": func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
		left <- struct{}{}
	}})
	for policy, decision := range map[string]protocol.Decision{"continue": protocol.Continue, "block": protocol.Block} {
		t.Run(policy, func(t *testing.T) {
			b := newBench(t)
			o := b.posts(engine.Options{}, post(url, hook{"timeout": 0.3, "onFailure": policy}))
			require.Equal(t, []string{dialect.StatusTimeout}, statuses(o))
			require.Equal(t, decision, o.Decision)
			require.Empty(t, b.Marked())
			<-left // the server lost its client
		})
	}
}

// A request starts no process, so no part of it is on a command line, which every user of the machine can read.
func TestHTTPHookHeadersAndSecrets(t *testing.T) {
	type seen struct {
		header http.Header
		body   string
		method string
		leaks  []string
	}
	var got seen
	secrets := []string{"token-of-the-environment", "literal-in-the-file", "secret-in-the-args", "secret-in-the-url"}
	url := serve(t, map[string]http.HandlerFunc{"/hook": func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		got = seen{header: r.Header, body: string(text), method: r.Method}
		if len(processtest.Children()) > 0 {
			t.Error("a process was started")
		}
		for _, pid := range processtest.PIDs() {
			line := strings.Join(processtest.Cmdline(pid), " ")
			for _, secret := range secrets {
				if pid != os.Getpid() && strings.Contains(line, secret) {
					got.leaks = append(got.leaks, line)
				}
			}
		}
	}})
	b := newBench(t)
	headers := hook{
		"Authorization": "Bearer $TOKEN", "X-Braces": "${TOKEN}!", "X-Literal": "literal-in-the-file",
		"X-Other": "[$OTHER]", "X-Unset": "[$UNSET]", "X-Forbidden": "[$FORBIDDEN]",
	}
	cfg := b.settings(hook{"httpHookAllowedEnvVars": []string{"TOKEN", "UNSET", "OTHER"},
		"env": hook{"OTHER": "of the settings"}}, "PreToolUse",
		post(url+"/hook?key=secret-in-the-url", hook{"headers": headers,
			"allowedEnvVars": []string{"TOKEN", "UNSET", "FORBIDDEN"}}))
	c := b.pre()
	c.Args = `{"command":"secret-in-the-args"}`
	r := b.with(engine.Options{Env: []string{"TOKEN=token-of-the-environment", "FORBIDDEN=forbidden",
		"PATH=/usr/bin:/bin"}}, cfg)
	o, err := r.Fire(context.Background(), c)
	require.NoError(t, err)
	require.Equal(t, []string{dialect.StatusOK}, statuses(o), o.Warnings)
	b.Childless()

	require.Empty(t, got.leaks)
	require.Equal(t, "POST", got.method)
	require.Equal(t, "application/json", got.header.Get("Content-Type"))
	for name, want := range map[string]string{
		"Authorization": "Bearer token-of-the-environment", "X-Braces": "token-of-the-environment!",
		"X-Literal": "literal-in-the-file",
		"X-Other":   "[]", "X-Unset": "[]", "X-Forbidden": "[]",
	} {
		require.Equal(t, []string{want}, got.header.Values(name), name)
	}
	var stdin map[string]any
	require.NoError(t, json.Unmarshal([]byte(got.body), &stdin), got.body)
	require.Equal(t, "PreToolUse", stdin["hook_event_name"])
	require.Equal(t, map[string]any{"command": "secret-in-the-args"}, stdin["tool_input"])

	// Nor does a message have them.
	o = b.posts(engine.Options{Env: []string{"TOKEN=token-of-the-environment"}},
		post(url+"/missing?key=secret-in-the-url", hook{"headers": headers, "allowedEnvVars": []string{"TOKEN"}}))
	line, err := form.JSON(o.Outcome)
	require.NoError(t, err)
	require.Contains(t, string(line), "http 404")
	for _, secret := range secrets[:3] {
		require.NotContains(t, strings.Join(o.Warnings, "\n")+o.Reason+o.Hooks[0].Stderr, secret)
	}
}

// The query and the user of an address may be secrets as well; errors of the request have neither.
func TestHTTPHookNameHasNoSecrets(t *testing.T) {
	b := newBench(t)
	o := b.posts(engine.Options{}, post("http://user:secret@127.0.0.1:1/guard?key=secret", hook{"onFailure": "block"}))
	line, err := form.JSON(o.Outcome)
	require.NoError(t, err)
	require.Equal(t, protocol.Block, o.Decision)
	require.NotContains(t, string(line), "secret")
}

func TestHTTPHookGetsTheWholePayload(t *testing.T) {
	sizes := make(chan int, 1)
	url := serve(t, map[string]http.HandlerFunc{"/": func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		sizes <- bytes.Count(text, []byte("x"))
		_, _ = io.WriteString(w, `{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"read"}}`)
	}})
	b := newBench(t)
	c := b.post()
	c.Result = strings.Repeat("x", tenMB)
	o, err := b.with(engine.Options{}, b.claude("PostToolUse", post(url))).Fire(context.Background(), c)
	require.NoError(t, err)
	require.Equal(t, []string{"read"}, texts(o), o.Warnings)
	require.GreaterOrEqual(t, <-sizes, tenMB)
}

// Posts run beside commands, and are waited for as those are.
func TestHTTPHooksBesideCommands(t *testing.T) {
	arrived, answer := make(chan struct{}, 3), make(chan struct{})
	url := serve(t, map[string]http.HandlerFunc{"/": func(w http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-answer
		_, _ = io.WriteString(w, adds("posted to "+r.URL.Path))
	}})
	b := newBench(t)
	open := b.Gate("gate")
	f := b.begin(context.Background(), b.with(engine.Options{}, b.claude("PreToolUse",
		post(url+"/a"), command(processtest.AtGate("gate")+says(adds("command"))), post(url+"/b"),
		post(url+"/a", hook{"headers": hook{"X": "1"}}))), b.pre())
	b.ReadyAll(1)
	<-arrived
	<-arrived
	open()
	close(answer)
	o := b.end(f)
	require.Equal(t, []string{"posted to /a", "command", "posted to /b"}, texts(o),
		"equal addresses are posted to once")
	require.Empty(t, arrived)
}

func TestHTTPHookThatTheSettingsForbid(t *testing.T) {
	url := serve(t, map[string]http.HandlerFunc{"/": func(http.ResponseWriter, *http.Request) { t.Error("asked") }})
	b := newBench(t)
	cfg := b.settings(hook{"allowedHttpHookUrls": []string{"https://guard.example/*"}}, "PreToolUse", post(url))
	o, err := b.with(engine.Options{}, cfg).Fire(context.Background(), b.pre())
	require.NoError(t, err)
	require.Equal(t, []string{dialect.StatusUnstarted}, statuses(o))
	require.Equal(t, protocol.Continue, o.Decision)
	require.Contains(t, o.Warnings[0], "allowedHttpHookUrls")
}

// Types that need a model or a client.
