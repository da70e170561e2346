//go:build linux

package engine_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/core/process/processtest"
	"github.com/hookrun/hookrun/internal/core/tenex"
	"github.com/hookrun/hookrun/protocol"
)

// policy is an entry that posts.
func policy(url string, more ...hook) hook {
	h := sh("", append([]hook{{"name": "policy", "url": url}}, more...)...)
	delete(h, "command")
	return h
}

func nobody(t *testing.T) string {
	refused, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, refused.Close())
	return "http://" + refused.Addr().String()
}

// TestURLHookAnswers: the body of an answer is read as a command's stdout at exit 0, and each failure has its cause.
func TestURLHookAnswers(t *testing.T) {
	url := serve(t, map[string]http.HandlerFunc{
		"/deny":    body(`{"decision":"block","reason":"not here"}`),
		"/claude":  body(decides("deny", "not here")),
		"/allow":   body(`{"decision":"approve"}`),
		"/created": status(201, `{"decision":"block","reason":"made"}`),
		"/context": body(adds("a word")),
		"/nothing": status(204, ""),
		"/empty":   body(" \n"),
		"/object":  body("{}"),
		"/text":    body("fine by me"),
		"/true":    body("true"),
		"/array":   body("[1]"),
		"/other":   body(`{"result":{"ok":true}}`),
		"/near":    body(`{"desicion":"block"}`),
		"/half":    body(`{"decision":"appr`),
		"/behind":  body("debug\n" + `{"decision":"approve"}`),
		"/long":    body(`{"systemMessage":"` + strings.Repeat("x", 2<<20) + `"}`),
		"/500":     status(500, `{"decision":"approve"}`),
		"/302":     func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/allow", http.StatusFound) },
		"/gzip": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = io.WriteString(w, "x")
		},
	})
	gone := nobody(t)
	for _, want := range []struct {
		url, cause string // "" where the hook gave an answer
		says       string
		decision   protocol.Decision
	}{
		{url + "/deny", "", "not here", protocol.Block},
		{url + "/claude", "", "not here", protocol.Block},
		{url + "/created", "", "made", protocol.Block},
		{url + "/allow", "", "", protocol.Continue},
		{url + "/context", "", "", protocol.Continue},
		{url + "/nothing", "", "", protocol.Continue},
		{url + "/empty", "", "", protocol.Continue},
		{url + "/object", "", "", protocol.Continue},
		{url + "/text", "output", "gave an answer that cannot be read", protocol.Block},
		{url + "/true", "output", "no JSON object", protocol.Block},
		{url + "/array", "output", "no JSON object", protocol.Block},
		{url + "/other", "output", "no JSON object with a key of an answer", protocol.Block},
		{url + "/near", "output", "cannot be read", protocol.Block},
		{url + "/half", "output", "cannot be read", protocol.Block},
		{url + "/behind", "output", "cannot be read", protocol.Block},
		{url + "/long", "output", "more than 1 MiB", protocol.Block},
		{url + "/gzip", "output", "Content-Encoding", protocol.Block},
		{url + "/500", "exit", "http 500", protocol.Block},
		{url + "/404", "exit", "http 404", protocol.Block},
		{url + "/302", "exit", "redirects are not followed", protocol.Block},
		{gone, "unstarted", "could not run: " + gone, protocol.Block},
		{"https" + strings.TrimPrefix(url, "http"), "unstarted", "server gave HTTP response to HTTPS client",
			protocol.Block},
	} {
		t.Run(want.url[strings.LastIndex(want.url, "/"):], func(t *testing.T) {
			b := newBench(t)
			o := b.fire(policy(want.url))
			b.Childless()
			require.Equal(t, want.decision, o.Decision, "%s %v", o.Reason, o.Warnings)
			require.Nil(t, o.Hooks[0].ExitCode)
			require.Empty(t, o.Hooks[0].Stderr)
			if want.cause == "" {
				require.Equal(t, want.says, map[bool]string{true: o.Reason}[o.Decision == protocol.Block])
				return
			}
			require.Equal(t, protocol.Cause(want.cause), o.Cause)
			require.Equal(t, protocol.Cause(want.cause), o.Hooks[0].Cause)
			require.Contains(t, o.Reason, want.says)
			require.False(t, o.Approved)
			for _, open := range []any{"continue", hook{want.cause: "continue"}} {
				o = b.fire(policy(want.url, hook{"on_failure": open}))
				require.Equal(t, protocol.Continue, o.Decision)
				require.Contains(t, strings.Join(o.Warnings, "\n"), want.says)
				require.Empty(t, o.Texts)
			}
			o, err := b.runner(engine.Options{}, policy(want.url)).Fire(context.Background(), b.post())
			require.NoError(t, err)
			require.Equal(t, protocol.Continue, o.Decision, "the tool has run")
			require.NotEmpty(t, o.Warnings)
		})
	}
}

// TestURLHookTimesOut: unlike a command, which TENEX lets pass, a server that is silent blocks.
func TestURLHookTimesOut(t *testing.T) {
	t.Parallel()
	var served, left atomic.Int32 // on a busy machine the deadline may come before the server has the request
	url := serve(t, map[string]http.HandlerFunc{
		"/": func(w http.ResponseWriter, r *http.Request) {
			served.Add(1)
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
			left.Add(1)
		},
		"/begun": func(w http.ResponseWriter, r *http.Request) {
			served.Add(1)
			_, _ = io.Copy(io.Discard, r.Body)
			_, _ = io.WriteString(w, `{"decision":`)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
			left.Add(1)
		},
	})
	for path, more := range map[string]hook{"/": {}, "/begun": {}, "/?": {"on_failure": hook{"timeout": "continue"}}} {
		t.Run(path, func(t *testing.T) { // the bench of each waits for the server's end of the connection
			b := newBench(t)
			o := b.fire(policy(url+path, hook{"timeout": 0.2}, more))
			require.Equal(t, []string{dialect.StatusTimeout}, statuses(o))
			want := protocol.Block
			if len(more) > 0 {
				want = protocol.Continue
			}
			require.Equal(t, want, o.Decision)
			require.Equal(t, protocol.CauseTimeout, o.Hooks[0].Cause)
			lost := func() bool { return left.Load() == served.Load() }
			require.Eventually(t, lost, processtest.Patience, time.Millisecond, "the server lost its client")
		})
	}
}

// TestURLHookKeepsItsConnection: a runner has one client, which many calls use at once; its end ends connections and
// requests in flight. newBench looks for goroutines and descriptors that are left.
func TestURLHookKeepsItsConnection(t *testing.T) {
	var mu sync.Mutex
	conns := map[string]bool{}
	held, arrived := make(chan struct{}), make(chan struct{}, 1)
	t.Cleanup(func() { close(held) })
	url := serve(t, map[string]http.HandlerFunc{
		"/": func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			conns[r.RemoteAddr] = true
			mu.Unlock()
			_, _ = io.Copy(w, strings.NewReader("{}"))
		},
		"/held": func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			arrived <- struct{}{}
			select {
			case <-held:
			case <-r.Context().Done():
			}
		},
	})
	b := newBench(t)
	r := newRunner(b, b.config(policy(url)), engine.Options{})
	for range 20 {
		_, err := r.Fire(context.Background(), b.pre())
		require.NoError(t, err)
	}
	require.Len(t, conns, 1)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				if o, err := r.Fire(context.Background(), b.pre()); err != nil || o.Decision != protocol.Continue {
					t.Error(err, o.Reason)
				}
			}
		})
	}
	all.Wait()
	require.LessOrEqual(t, len(conns), 20, "connections are kept")
	require.NoError(t, r.Close())

	r = newRunner(b, b.config(policy(url+"/held")), engine.Options{})
	failed := make(chan error, 1)
	go func() {
		_, err := r.Fire(context.Background(), b.pre())
		failed <- err
	}()
	<-arrived
	require.NoError(t, r.Close())
	require.ErrorIs(t, <-failed, engine.ErrClosed)
	b.Childless()
}

// TestURLHookVariables: those of the list alone, from the caller's environment, though commands inherit none of it.
func TestURLHookVariables(t *testing.T) {
	var got http.Header
	url := serve(t, map[string]http.HandlerFunc{"/": func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Clone()
	}})
	b := newBench(t)
	h := policy(url, hook{"headers": hook{"Authorization": "Bearer $TOKEN", "X-Both": "${TOKEN}-$OTHER-$5",
		"X-Hook": "$HOOKRUN_HOOK"},
		"allowed_env_vars": []string{"TOKEN", "HOOKRUN_HOOK"}})
	env := []string{"TOKEN=s3cret", "OTHER=not to be seen"}
	o, err := b.runner(engine.Options{Env: env}, h).Fire(context.Background(), b.pre())
	require.NoError(t, err)
	require.Equal(t, protocol.Continue, o.Decision, o.Reason)
	require.Equal(t, "Bearer s3cret", got.Get("Authorization"))
	require.Equal(t, "s3cret--$5", got.Get("X-Both"))
	require.Equal(t, "policy", got.Get("X-Hook"))

	o, err = b.runner(engine.Options{Env: []string{"TOKEN=s3cret\r\nX-Evil: 1"}}, h).Fire(context.Background(), b.pre())
	require.NoError(t, err)
	require.Equal(t, protocol.CauseUnstarted, o.Cause)
	require.Contains(t, o.Reason, "Authorization has a line break")
	require.NotContains(t, o.Reason, "s3cret")
}

// TestURLHookInTurn: the next hook sees the rewrite, and a block ends the call.
func TestURLHookInTurn(t *testing.T) {
	var seen []string
	url := serve(t, map[string]http.HandlerFunc{
		"/rewrite": body(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"ls -l"}}}`),
		"/see": func(w http.ResponseWriter, r *http.Request) {
			text, _ := io.ReadAll(r.Body)
			seen = append(seen, string(text))
			_, _ = io.WriteString(w, `{"decision":"block","reason":"seen"}`)
		},
	})
	b := newBench(t)
	o := b.fire(policy(url+"/rewrite"), policy(url+"/see", hook{"name": "two"}),
		policy(url+"/see", hook{"name": "three"}))
	require.Equal(t, "seen", o.Reason)
	require.Len(t, seen, 1)
	require.Contains(t, seen[0], `"args":{"command":"ls -l"}`)
	require.True(t, strings.HasSuffix(seen[0], "}\n"), "the body is the hook's stdin")
	require.Equal(t, []string{dialect.StatusOK, dialect.StatusBlocked, dialect.StatusSkipped}, statuses(o))
}

// TestURLHookOfOneCall: a runner for one call keeps nothing.
func TestURLHookOfOneCall(t *testing.T) {
	url := serve(t, map[string]http.HandlerFunc{"/": body("{}")})
	b := newBench(t)
	r := newRunner(b, b.config(policy(url)), engine.Options{OneShot: true})
	o, err := r.Fire(context.Background(), b.pre())
	require.NoError(t, err)
	require.Equal(t, protocol.Continue, o.Decision, o.Reason)
}

// TestURLHookWhoseCallIsGivenUp: the request ends with the context, and no verdict is made of that.
func TestURLHookWhoseCallIsGivenUp(t *testing.T) {
	left, arrived := make(chan struct{}), make(chan struct{})
	url := serve(t, map[string]http.HandlerFunc{"/": func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		close(arrived)
		<-r.Context().Done()
		close(left)
	}})
	b := newBench(t)
	ctx, cancel := context.WithCancelCause(context.Background())
	go func() {
		<-arrived
		cancel(errors.New("enough"))
	}()
	o, err := b.runner(engine.Options{}, policy(url, hook{"on_failure": "continue"})).Fire(ctx, b.pre())
	require.EqualError(t, err, "enough")
	require.Equal(t, protocol.CauseInterrupted, o.Cause)
	require.Equal(t, protocol.Block, o.Decision)
	<-left
}

// BenchmarkURLHook holds a call of one HTTP hook against a bare client that posts the same to the same server.
func BenchmarkURLHook(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		fmt.Fprint(w, "{}")
	}))
	defer server.Close()
	bench := &bench{&processtest.Bench{T: &testing.T{}, Dir: b.TempDir()}}
	r := newRunner(b, bench.config(policy(server.URL)), engine.Options{})
	defer r.Close()
	call := dialect.Call{Event: protocol.PreTool, Workspace: bench.Dir, Tool: "shell", Args: `{"command":"ls"}`}
	payload, _, err := tenex.Dialect.Hooks.Encode(dialect.NewCall(call))
	require.NoError(b, err)
	var text strings.Builder
	for _, piece := range payload {
		text.Write(piece)
	}
	var ours, floor time.Duration
	for b.Loop() {
		begin := time.Now()
		o, err := r.Fire(context.Background(), call)
		require.NoError(b, err)
		require.Equal(b, protocol.Continue, o.Decision)
		middle := time.Now()
		answer, err := http.Post(server.URL, "application/json", strings.NewReader(text.String()))
		require.NoError(b, err)
		_, _ = io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
		ours, floor = ours+middle.Sub(begin), floor+time.Since(middle)
	}
	b.ReportMetric(float64(ours)/float64(floor), "ratio")
}
