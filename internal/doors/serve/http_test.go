package serve

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/texts/queue"
	"github.com/hookrun/hookrun/protocol"
)

// web is a server that listens for HTTP.
type web struct {
	*testing.T
	server  *Server
	address string
	stop    context.CancelCauseFunc
	ended   chan error
}

func (f *fixture) web(o HTTP) *web {
	f.Helper()
	ctx, stop := context.WithCancelCause(context.Background())
	w, ready := &web{T: f.T, stop: stop, ended: make(chan error, 1)}, make(chan string, 1)
	o.Address, o.Ready = "127.0.0.1:0", func(address string) error {
		ready <- address
		return nil
	}
	w.server = f.server()
	go func() { w.ended <- w.server.ListenHTTP(ctx, o) }()
	f.Cleanup(func() { stop(nil) })
	select {
	case w.address = <-ready:
	case err := <-w.ended:
		require.NoError(f, err)
	}
	return w
}

// post posts a body with headers, as alternating names and values, and returns status and answer.
func (w *web) post(path, body string, headers ...string) (int, string) {
	w.Helper()
	url := "http://" + w.address + path
	r, err := http.NewRequestWithContext(w.Context(), http.MethodPost, url, strings.NewReader(body))
	require.NoError(w, err)
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		if r.Header.Set(headers[i], headers[i+1]); headers[i] == "Host" {
			r.Host = headers[i+1]
		}
	}
	answer, err := http.DefaultClient.Do(r)
	require.NoError(w, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(w, err)
	return answer.StatusCode, string(text)
}

func TestHTTP(t *testing.T) {
	f := newFixture(t, noRM())
	w := f.web(HTTP{})
	input := func(command string) string {
		return `{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_input":{"command":"` +
			command + `"}}`
	}
	const web, version, hook = "web page", `"result":{"version":"v1.2.3"}`, "/hook/claude"
	const denied = `"permissionDecision":"deny","permissionDecisionReason":"`
	for name, test := range map[string]struct{ path, body, header, want string }{
		"a request":      {"/", ping, "", "200 " + version},
		"a notification": {"/", `{"jsonrpc":"2.0","method":"ping"}`, "", "204"},
		"a call without an id": {"/", `{"jsonrpc":"2.0","method":"pre-tool","params":{"tool":"t"}}`, "",
			`200 "id":null,"error":{"code":-32600,"message":"pre-tool needs an id`},
		"a step without an id": {"/", `{"jsonrpc":"2.0","method":"steps/toolCallRequest","params":{}}`, "",
			`200 "id":null,"error":{"code":-32600,"message":"steps/toolCallRequest needs an id`},
		"a notification that fails": {"/", `{"jsonrpc":"2.0","method":"pretool"}`, "",
			`200 "id":null,"error":{"code":-32601`},
		"a batch": {"/", "[" + ping + "]", "", "200 batches are not served"},
		"no JSON": {"/", `{`, "", `200 "code":-32700`},
		"a call": {"/", `{"jsonrpc":"2.0","id":2,"method":"pre-tool","params":{"tool":"t","args":{"a":"rm"}}}`, "",
			`200 "reason":"no rm"`},
		"a cancel": {"/", `{"jsonrpc":"2.0","id":1,"method":"$/cancel","params":{"id":1}}`, "",
			`200 "result":false`},
		"a shutdown":   {"/", shutdown, "", "200 without --token-file"},
		"another path": {"/x", ping, "", "404 no such path"},

		"a page":                {"/", ping, "Origin: http://127.0.0.1", "403 " + web},
		"a page of null":        {"/", ping, "Origin: null", "403 " + web},
		"a browser":             {"/", ping, "Sec-Fetch-Site: none", "403 " + web},
		"a name that rebinds":   {"/", ping, "Host: evil.example", "403 Host"},
		"a name that begins so": {"/", ping, "Host: localhost.evil.example:80", "403 Host"},
		"localhost":             {"/", ping, "Host: LocalHost:1", "200 " + version},
		"IPv6":                  {"/", ping, "Host: [::1]:1", "200 " + version},
		"a form":                {"/", ping, "Content-Type: text/plain", "415 Content-Type"},
		"UTF-8":                 {"/", ping, "Content-Type: application/json; charset=utf-8", "200 " + version},

		"a client that is blocked": {hook, input("rm"), "", "200 " + denied + "no rm"},
		"a client":                 {hook, input("ls"), "", "200 {}"},
		"Copilot":                  {"/hook/copilot", input("rm"), "", "200 " + denied + "no rm"},
		"no such client": {"/hook/cluade", "{}", "",
			`200 ` + denied + `hookrun serve: \"cluade\" is no client with HTTP hooks; known are claude, copilot, ` +
				`qwen; did you mean \"claude\"?`},
		"a client that does not post": {"/hook/droid", input("ls"), "",
			"200 " + denied + `hookrun serve: \"droid\"`},
		"no client":        {"/hook", input("ls"), "", "200 " + denied + "hookrun serve: the URL of this hook"},
		"a request's path": {"/", input("ls"), "", "200 " + denied + "hookrun serve: the URL of this hook"},
		"two slashes":      {"//hook/claude", input("ls"), "", "200 " + denied},
		"a hook's end of turn": {"/", `{"hook_event_name":"Stop"}`, "",
			`200 {"systemMessage":"hookrun serve: `},
		"a slash more":       {hook + "/", input("rm"), "", "200 " + denied + "no rm"},
		"no input":           {hook, "{", "", "200 " + denied + "hookrun serve: the hook input"},
		"a hook from a page": {hook, input("ls"), "Origin: x", "200 " + denied},
		"a hook of text":     {hook, input("ls"), "Content-Type: a/b", "200 " + denied},
		"10 MB":              {hook, input(strings.Repeat("x", 10<<20)), "", "200 {}"},
		"a result":           {hook, `{"hook_event_name":"PostToolUse","tool_name":7}`, "", `200 "decision":"block"`},
		"the end of a turn": {hook, `{"hook_event_name":"Stop","session_id":7}`, "",
			`200 {"systemMessage":"hookrun serve: `},
	} {
		t.Run(name, func(t *testing.T) {
			w := *w
			w.T = t
			var headers []string
			if key, value, ok := strings.Cut(test.header, ": "); ok {
				headers = []string{key, value}
			}
			status, text := w.post(test.path, test.body, headers...)
			code, want, _ := strings.Cut(test.want, " ")
			require.Equal(t, code, fmt.Sprint(status), text)
			require.Contains(t, text, want)
		})
	}
	w.stop(errors.New("SIGTERM"))
	require.EqualError(t, <-w.ended, "SIGTERM")
	_, err := net.Dial("tcp", w.address)
	require.Error(t, err)
}

// raw sends the text of a request and returns all that comes back.
func (w *web) raw(text string) string {
	w.Helper()
	conn, err := net.Dial("tcp", w.address)
	require.NoError(w, err)
	defer conn.Close()
	_, err = io.WriteString(conn, text)
	require.NoError(w, err)
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(w, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	require.NoError(w, err)
	return answer.Status + " " + string(body)
}

func TestHTTPBodies(t *testing.T) {
	w := newFixture(t).web(HTTP{})
	const head = "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
	require.Contains(t, w.raw(fmt.Sprintf(head, "/")+"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), "411 ")
	require.Contains(t, w.raw(fmt.Sprintf(head, "/")+"Content-Length: 67108865\r\n\r\n"), "413 ")
	require.Contains(t, w.raw("GET / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\r\n"), "405 ")
	const chunked = "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
	require.Contains(t, w.raw(fmt.Sprintf(head, "/hook/claude")+chunked),
		`200 OK {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"`)
	require.Contains(t, w.raw("GET /"+strings.Repeat("x", 64<<10)+" HTTP/1.1\r\nHost: localhost\r\n\r\n"), "431 ")
}

// The statuses of net/http itself, which no handler sees, are those of docs/scale/http.md.
func TestHTTPStatusesWithoutAHandler(t *testing.T) {
	w := newFixture(t).web(HTTP{})
	const body = "Host: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
	for status, text := range map[string]string{
		"417 ": "POST /hook/claude HTTP/1.1\r\n" + body + "Expect: foo\r\n\r\n{}",
		"501 ": "POST /hook/claude HTTP/1.1\r\n" + body + "Transfer-Encoding: xchunked\r\n\r\n{}",
		"505 ": "POST /hook/claude HTTP/2.0\r\n" + body + "\r\n{}",
		"400 ": "POST /hook/claude\r\n" + body + "\r\n{}",
		"431 ": "POST /hook/claude HTTP/1.1\r\n" + body + "X: " + strings.Repeat("x", 64<<10) + "\r\n\r\n{}",
	} {
		require.Contains(t, w.raw(text), status)
	}
}

// Clients that announce long bodies and send them slowly hold up no short call.
func TestHTTPSlowBodies(t *testing.T) {
	w := newFixture(t).web(HTTP{})
	for range 5 {
		conn, err := net.Dial("tcp", w.address)
		require.NoError(t, err)
		defer conn.Close()
		_, err = io.WriteString(conn, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"+
			"Content-Length: 67108864\r\n\r\n{")
		require.NoError(t, err)
	}
	require.Eventually(t, func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		give, ok := w.server.bytes.Take(ctx, 1)
		if ok {
			give()
		}
		return !ok
	}, patience, time.Millisecond, "the bodies do not count")
	status, _ := w.post("/", ping)
	require.Equal(t, 200, status)
}

// A client that sends half of a body, and then nothing, gets an answer, also if the request is refused: net/http would
// wait for the rest, without a limit.
func TestHTTPHalfBodies(t *testing.T) {
	w := newFixture(t).web(HTTP{TransferTime: 50 * time.Millisecond})
	const head = "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n"
	const stop = `{"hook_event_name":"Stop",`
	require.Contains(t, w.raw(fmt.Sprintf(head, "/hook/claude")+"\r\n{"), `200 OK {"hookSpecificOutput":`)
	require.Contains(t, w.raw(fmt.Sprintf(head, "/hook/claude")+"\r\n"+stop), `200 OK {"systemMessage":`)
	page := fmt.Sprintf(head, "/hook/claude") + "Origin: x\r\n\r\n" + stop
	require.Contains(t, w.raw(page), `200 OK {"systemMessage":`)
	require.Contains(t, w.raw(fmt.Sprintf(head, "/")+"\r\n{"), "400 Bad Request ")
	require.Contains(t, w.raw(fmt.Sprintf(head, "/")+"Origin: x\r\n\r\n{"), "403 Forbidden ")
}

func TestHTTPToken(t *testing.T) {
	f := newFixture(t)
	file := filepath.Join(f.dir, "token")
	require.NoError(t, os.WriteFile(file, []byte("s3cret\n"), 0o600))
	w := f.web(HTTP{TokenFile: file})
	code := func(headers ...string) int {
		status, _ := w.post("/", ping, headers...)
		return status
	}
	require.Equal(t, 401, code())
	require.Equal(t, 401, code("Authorization", "Bearer s3cre"))
	require.Equal(t, 401, code("Authorization", "Bearer "))
	require.Equal(t, 401, code("Authorization", "Basic s3cret"))
	require.Equal(t, 200, code("Authorization", "Bearer s3cret"))
	require.Equal(t, 200, code("Authorization", "bearer  s3cret", "Host", "guard.example"))
	require.Equal(t, 403, code("Authorization", "Bearer s3cret", "Origin", "http://127.0.0.1"))
	status, text := w.post("/hook/claude", `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{}}`)
	require.Equal(t, 200, status, "any other status would let the tool run")
	require.Contains(t, text, `"permissionDecision":"deny"`)
	require.Contains(t, text, "hookrun serve: the token is missing")

	require.Contains(t, w.raw("POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 0\r\n"+
		"Authorization: Bearer s3cret\r\nAuthorization: Bearer s3cret\r\n\r\n"), "401 ", "two tokens")

	require.NoError(t, os.WriteFile(file, []byte("other"), 0o600))
	require.Equal(t, 401, code("Authorization", "Bearer s3cret"))
	require.Equal(t, 200, code("Authorization", "Bearer other"))
	if runtime.GOOS != "windows" { // where the folder decides
		require.NoError(t, os.Chmod(file, 0o640))
		require.Equal(t, 401, code("Authorization", "Bearer other"), "others can read the token")
	}
	require.NoError(t, os.Remove(file))
	require.Equal(t, 401, code("Authorization", "Bearer other"))
	require.Contains(t, f.stderr.String(), "--token-file "+file+": ")
	require.NoError(t, os.WriteFile(file, []byte("other"), 0o600))
	_, text = w.post("/", `{"jsonrpc":"2.0","id":1,"method":"shutdown"}`, "Authorization", "Bearer other")
	require.Contains(t, text, `"result":null`)
	require.NoError(t, <-w.ended)
}

// TestHTTPSettings: nothing listens with wrong settings.
func TestHTTPSettings(t *testing.T) {
	f := newFixture(t)
	token := func(name, text string) string {
		path := filepath.Join(f.dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	good, empty, two := token("good", "x"), token("empty", " \n"), token("two", "a b")
	for want, o := range map[string]HTTP{
		"no address; write HOST:PORT":       {Address: "8080"},
		"other machines could reach":        {Address: "0.0.0.0:0"},
		"could reach this address; give":    {Address: ":0", TokenFile: good},
		"belong together":                   {Address: "127.0.0.1:0", CertFile: good},
		empty + " has no token":             {Address: "127.0.0.1:0", TokenFile: empty},
		two + " has no token":               {Address: "127.0.0.1:0", TokenFile: two},
		"--tls-cert " + good + " and":       {Address: "127.0.0.1:0", CertFile: good, KeyFile: good},
		"invalid port":                      {Address: "127.0.0.1:99999"},
		"is a directory|not a regular file": {Address: "127.0.0.1:0", TokenFile: f.dir},
	} {
		o.Ready = func(string) error { panic("it listens") }
		require.ErrorContains(t, f.server().ListenHTTP(t.Context(), o), want[strings.LastIndexByte(want, '|')+1:])
	}
	none := filepath.Join(f.dir, "none")
	err := f.server().ListenHTTP(t.Context(), HTTP{Address: "127.0.0.1:0", TokenFile: none})
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorContains(t, err, "--token-file "+none+": ")
}

// A client that goes away cancels its call; the texts of the queue stay there for the next one.
func TestHTTPClientLeaves(t *testing.T) {
	hook := newWaits()
	f := newFixture(t, hook.hook(protocol.PostTool))
	_, err := f.Queue.Put(t.Context(), queue.Entry{Session: "s", Content: "a text"})
	require.NoError(t, err)
	w := f.web(HTTP{})
	conn, err := net.Dial("tcp", w.address)
	require.NoError(t, err)
	const call = `{"jsonrpc":"2.0","id":1,"method":"post-tool","params":{"tool":"t","session_id":"s"}}`
	_, err = fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"+
		"Content-Length: %d\r\n\r\n%s", len(call), call)
	require.NoError(t, err)
	one(t, hook.running)
	require.NoError(t, conn.Close())
	one(t, hook.ended) // long before its limit
	close(hook.goOn)
	_, text := w.post("/", call)
	require.Contains(t, text, "a text")
	_, text = w.post("/", call)
	require.NotContains(t, text, "a text")
}

// At the end of the server a running call gets a block, and not a continue.
func TestHTTPEnd(t *testing.T) {
	hook := newWaits()
	w := newFixture(t, hook.hook(protocol.PreTool)).web(HTTP{})
	answers := make(chan string, 3)
	for path, body := range map[string]string{
		"/":            `{"jsonrpc":"2.0","id":1,"method":"pre-tool","params":{"tool":"t"}}`,
		"/?":           step("steps/toolCallRequest", `"tool":{"name":"t"},"arguments":{}`),
		"/hook/claude": `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{}}`,
	} {
		go func() {
			_, text := w.post(path, body)
			answers <- text
		}()
		one(t, hook.running)
	}
	w.stop(errors.New("SIGTERM"))
	require.EqualError(t, <-w.ended, "SIGTERM")
	all := <-answers + <-answers + <-answers
	require.Contains(t, all, `"error":{"code":-32001`)
	require.Contains(t, all, `"decision":"deny"`)
	require.Contains(t, all, `"permissionDecision":"deny"`)
	require.NotContains(t, all, "continue")
}

// noRM is a hook that blocks a tool with "rm" in its arguments.
func noRM() hook.Hook {
	return engine.NewFunction("guard", protocol.PreTool,
		func(_ context.Context, c *dialect.Call, _ time.Duration) dialect.Verdict {
			v := dialect.OK()
			if strings.Contains(c.Args, "rm") {
				v.Decide(protocol.Block, "no rm")
			}
			return v
		})
}

// step is a request of the Agent Control Standard.
func step(method, payload string) string {
	return `{"jsonrpc":"2.0","id":"1","method":"` + method + `","params":{"acs_version":"0.1.0","request_id":"r",` +
		`"metadata":{"agent_id":"a","session_id":"s"},"payload":{` + payload + `}}}`
}

func TestGuardian(t *testing.T) {
	broken := engine.NewFunction("broken", protocol.PostTool,
		func(context.Context, *dialect.Call, time.Duration) dialect.Verdict { panic("it fails") })
	w := newFixture(t, noRM(), broken).web(HTTP{})
	for _, test := range []struct{ method, payload, want string }{
		{"steps/toolCallRequest", `"tool":{"name":"t"},"arguments":{"a":{"value":"ls"}}`, `"decision":"allow"}`},
		{"steps/toolCallRequest", `"tool":{"name":"t"},"arguments":{"a":{"value":"rm"}}`,
			`"decision":"deny","reasoning":"no rm","policy_references":[{"policy_id":"hookrun","rule_id":"guard"}]`},
		{"steps/toolCallRequest", `"arguments":{}`, `"decision":"deny","reasoning":"the payload needs a tool`},
		{"steps/toolCallResult", `"tool":{"name":"t"},"exit_status":"success","outputs":[]`, `"decision":"deny"`},
		{"steps/userMessage", `"content":[{"type":"text","value":"hi"}]`, `"decision":"allow"}`},
		{"steps/sessionStart", ``, `"code":-32003,"message":"steps/sessionStart is not evaluated`},
		{"system/ping", `"echo":"e"`, `"payload":{"status":"ok","echo":"e","server_timestamp":`},
		{"handshake/hello", `"acs_versions_supported":["1.0.0"]`, `"code":-32001`},
	} {
		_, text := w.post("/", step(test.method, test.payload))
		require.Contains(t, text, test.want, test.method)
	}
}
