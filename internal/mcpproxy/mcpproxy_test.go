package mcpproxy_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/mcpproxy"
	"github.com/hookrun/hookrun/internal/testall"
)

const patience = 20 * time.Second

// side is what a test holds of one of the two sides: it says lines, and hears those of the other.
type side struct {
	testing.TB
	out   io.WriteCloser
	in    io.ReadCloser
	lines chan string
}

func newSide(t testing.TB, in io.ReadCloser, out io.WriteCloser) *side {
	s := &side{t, out, in, make(chan string, 10_000)}
	go func() {
		defer close(s.lines)
		r := bufio.NewReader(in)
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			s.lines <- strings.TrimSuffix(line, "\n")
		}
	}()
	t.Cleanup(func() {
		in.Close()
		out.Close()
	})
	return s
}

func (s *side) say(lines ...string) {
	s.Helper()
	_, err := io.WriteString(s.out, strings.Join(lines, "\n")+"\n")
	require.NoError(s, err)
}

func (s *side) hear() string {
	s.Helper()
	select {
	case line, open := <-s.lines:
		require.True(s, open, "it said nothing more")
		return line
	case <-time.After(patience):
		require.Fail(s, "it says nothing")
		return ""
	}
}

func (s *side) hears(lines ...string) {
	s.Helper()
	for _, want := range lines {
		require.Equal(s, want, s.hear())
	}
}

// ends requires that the stream has no more lines, and is at its end.
func (s *side) ends() {
	s.Helper()
	select {
	case line, open := <-s.lines:
		require.False(s, open, line)
	case <-time.After(patience):
		require.Fail(s, "the stream does not end")
	}
}

// bench is a proxy between two sides that the test plays.
type bench struct {
	testing.TB
	client, server *side
	ended          chan error
	stop           context.CancelCauseFunc

	mu   sync.Mutex
	said []string
}

// open is a gate that lets everything pass.
func open() mcpproxy.Gate {
	return mcpproxy.Gate{
		Before: func(context.Context, *mcpproxy.Call) mcpproxy.Before { return mcpproxy.Before{} },
		After: func(context.Context, *mcpproxy.Call, mcpproxy.Result) mcpproxy.After {
			return mcpproxy.After{}
		},
		Idle: func(*mcpproxy.Call, bool) bool { return false },
	}
}

// newBench starts a proxy whose client has seen what tools the server lists.
func newBench(t testing.TB, gate mcpproxy.Gate, name string) *bench {
	b := newUnlisted(t, gate, name)
	b.client.say(`{"jsonrpc":"2.0","id":"tools","method":"tools/list"}`)
	b.server.hears(`{"jsonrpc":"2.0","id":"tools","method":"tools/list"}`)
	list := `{"jsonrpc":"2.0","id":"tools","result":{"tools":[{"name":"t"},{"name":"read"},{"name":"rm"},` +
		`{"name":"wait"},{"name":"wait after"},{"name":"idle"}]}}`
	b.server.say(list)
	b.client.hears(list)
	return b
}

func newUnlisted(t testing.TB, gate mcpproxy.Gate, name string) *bench {
	b := &bench{TB: t, ended: make(chan error, 1)}
	fromClient, toProxy := io.Pipe()
	fromProxy, toClient := io.Pipe()
	forServer, proxyToServer := io.Pipe()
	fromServer, serverToProxy := io.Pipe()
	b.client, b.server = newSide(t, fromProxy, toProxy), newSide(t, forServer, serverToProxy)
	p := mcpproxy.New(gate, mcpproxy.Options{Name: name, Grace: patience, Say: func(format string, args ...any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.said = append(b.said, fmt.Sprintf(format, args...))
	}})
	ctx, stop := context.WithCancelCause(t.Context())
	b.stop = stop
	go func() {
		err := p.Run(ctx, mcpproxy.Client{In: fromClient, Out: toClient},
			mcpproxy.Server{In: proxyToServer, Out: fromServer, Ended: func() string { return "exit status 3" }})
		toClient.Close()
		b.ended <- err
	}()
	return b
}

func (b *bench) run() error {
	b.Helper()
	select {
	case err := <-b.ended:
		return err
	case <-time.After(patience):
		require.Fail(b, "Run does not return")
		return nil
	}
}

// leave ends all as a client and a server do that are done.
func (b *bench) leave() {
	b.Helper()
	b.client.out.Close()
	b.server.ends()
	b.server.out.Close()
	require.NoError(b, b.run())
	b.client.ends()
}

func call(id, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool,
		arguments)
}

func answer(id, text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%q}]}}`, id, text)
}

func TestEverythingElsePasses(t *testing.T) {
	b := newBench(t, open(), "n")
	toServer := []string{
		`{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"x": "\u00e9\/"}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"id":"1","method":"tools/list"}`, `{"jsonrpc":"2.0","id":"s","result":{"roots":[]}}`,
		`{"jsonrpc":"2.0","id":9,"error":{"code":1,"message":"no"}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled"}`,
		`[{"jsonrpc":"2.0","id":2,"method":"ping"},{"jsonrpc":"2.0","method":"x"}]`, `{}`,
		`{"jsonrpc":"2.0","id":null,"method":"ping"}`,
		`  {"jsonrpc":"2.0","id":3.0,"method":"ping"}  `,
	}
	b.client.say(toServer...)
	b.client.say("", "  \t", "\r")
	b.server.hears(toServer...)
	toClient := []string{
		`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`,
		`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"<>&\u2028"}}`,
		`{"jsonrpc":"2.0", "id":1, "result":{"serverInfo":{"name":"x"},"a":1,"a":2}}`,
		`{"jsonrpc":"2.0","id":"1","result":{}}`,
		`[{"jsonrpc":"2.0","id":2,"result":{}}]`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}`,
		`{"jsonrpc":"2.0","id":3,"result":{}}`,
	}
	b.server.say(toClient...)
	b.client.hears(toClient...)
	b.leave()
	require.Empty(t, b.said)
}

func TestGate(t *testing.T) {
	gate := open()
	calls := make(chan mcpproxy.Call, 10)
	results := make(chan mcpproxy.Result, 10)
	before, after := mcpproxy.Before{}, mcpproxy.After{}
	gate.Before = func(_ context.Context, c *mcpproxy.Call) mcpproxy.Before {
		calls <- *c
		return before
	}
	gate.After = func(_ context.Context, _ *mcpproxy.Call, r mcpproxy.Result) mcpproxy.After {
		results <- r
		return after
	}
	b := newBench(t, gate, "my server/1")

	b.client.say(call(`"a\u0062"`, "read", `{"p": 1.50}`))
	require.Equal(t, mcpproxy.Call{ID: "ab", Server: "my_server_1", Tool: "read", Args: `{"p": 1.50}`}, <-calls)
	b.server.hears(call(`"a\u0062"`, "read", `{"p": 1.50}`))
	b.server.say(answer(`"ab"`, "hi"))
	require.Equal(t, mcpproxy.Result{Text: "hi"}, <-results)
	b.client.hears(answer(`"ab"`, "hi"))

	t.Run("a refused call never reaches the server", func(t *testing.T) {
		before = mcpproxy.Before{Refused: true, Reason: "no \"x\""}
		b.client.say(call("1", "rm", "{}"))
		require.Equal(t, "rm", (<-calls).Tool)
		b.client.hears(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"no ` +
			`\"x\""}],"isError":true}}`)
	})
	t.Run("rewrites leave all else as it was", func(t *testing.T) {
		before = mcpproxy.Before{Args: "{\n  \"b\": 2\n}"}
		for line, want := range map[string]string{
			`{"id":1, "params" : {"_meta":{"arguments":1}, "arguments" : {"a": [1]} ` +
				`,"name":"t"},"method":"tools/call" }`: "" +
				`{"id":1, "params" : {"_meta":{"arguments":1}, "arguments" : {"b":2} ` +
				`,"name":"t"},"method":"tools/call" }`,
			`{"id":1,"method":"tools\/call","params":{ "name":"t"}}`: "" +
				`{"id":1,"method":"tools\/call","params":{"arguments":{"b":2}, "name":"t"}}`,
			`{"id":1,"method":"tools/call","params":{"n\u0061me":"t","argument\u0073":null}}`: "" +
				`{"id":1,"method":"tools/call","params":{"n\u0061me":"t","argument\u0073":{"b":2}}}`,
		} {
			b.client.say(line)
			<-calls
			b.server.hears(want)
			b.server.say(`{"jsonrpc":"2.0","id":1.0,"result":{}}`)
			<-results
			b.client.hears(`{"jsonrpc":"2.0","id":1.0,"result":{}}`)
		}
	})
	t.Run("texts come in their order", func(t *testing.T) {
		before, after = mcpproxy.Before{Texts: []string{"before"}}, mcpproxy.After{Texts: []string{"after 1",
			"after 2"}}
		given := make(chan bool, 1)
		after.Given = func(ok bool) { given <- ok }
		b.client.say(call("1", "t", "{}"))
		<-calls
		b.server.hear()
		b.server.say(answer("1", "hi"))
		<-results
		b.client.hears(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"hi"},{"type":"text",` +
			`"text":"\nbefore"},{"type":"text","text":"\nafter 1"},{"type":"text","text":"\nafter 2"}]}}`)
		require.True(t, <-given)
	})
	t.Run("M79 an error of the server passes as it is", func(t *testing.T) {
		b.client.say(call("1", "t", "{}"))
		<-calls
		b.server.hear()
		b.server.say(`{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no\u0021"}}`)
		require.Equal(t, mcpproxy.Result{Text: "no!", Failed: true, Error: true}, <-results)
		b.client.hears(`{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no\u0021"}}`)
	})
	after.Given = nil
	b.leave()
}

func TestNameOfTheServer(t *testing.T) {
	gate := open()
	names := make(chan string, 10)
	gate.Before = func(_ context.Context, c *mcpproxy.Call) mcpproxy.Before {
		names <- c.Server
		return mcpproxy.Before{}
	}
	t.Run("calls wait for it", func(t *testing.T) {
		b := newBench(t, gate, "")
		b.client.say(call("1", "t", "{}"))
		require.Equal(t, "server", <-names, "it was not asked")
		b.server.hear()
		b.client.say(`{"jsonrpc":"2.0","id":0,"method":"initialize"}`, call("2", "t", "{}"),
			`{"jsonrpc":"2.0","id":5,"method":"ping"}`)
		b.server.hears(`{"jsonrpc":"2.0","id":0,"method":"initialize"}`, `{"jsonrpc":"2.0","id":5,"method":"ping"}`)
		b.server.say(`{"jsonrpc":"2.0","id":0,"result":{"serverInfo":{"name":"é x.y"}}}`)
		require.Equal(t, "__x_y", <-names)
		b.server.hears(call("2", "t", "{}"))
		b.client.say(`{"jsonrpc":"2.0","id":6,"method":"initialize"}`)
		b.server.hear()
		b.server.say(`{"jsonrpc":"2.0","id":6,"result":{"serverInfo":{"name":"other"}}}`)
		b.client.hear()
		b.client.hear()
		b.client.say(call("3", "t", "{}"))
		require.Equal(t, "__x_y", <-names, "the first name stays")
	})
	t.Run("an error says none", func(t *testing.T) {
		b := newBench(t, gate, "")
		b.client.say(`{"jsonrpc":"2.0","id":0,"method":"initialize"}`, call("2", "t", "{}"))
		b.server.hear()
		b.server.say(`{"jsonrpc":"2.0","id":0,"error":{"code":1,"message":"no"}}`)
		require.Equal(t, "server", <-names)
	})
	t.Run("a given one stays", func(t *testing.T) {
		b := newBench(t, gate, "given")
		b.client.say(`{"jsonrpc":"2.0","id":0,"method":"initialize"}`)
		b.server.say(`{"jsonrpc":"2.0","id":0,"result":{"serverInfo":{"name":"x"}}}`)
		b.client.say(call("2", "t", "{}"))
		require.Equal(t, "given", <-names)
	})
}

// What is no clean message is answered by an error and does not reach the server, whoever would have understood it.
func TestLinesThatDoNotPass(t *testing.T) {
	const evil = `"params":{"name":"t"}`
	gate := open()
	gate.Before = func(context.Context, *mcpproxy.Call) mcpproxy.Before {
		t.Error("a call was read")
		return mcpproxy.Before{}
	}
	b := newBench(t, gate, "n")
	for line, want := range map[string]string{
		`oops`: `null,"error":{"code":-32700`,
		`{"jsonrpc":"2.0","id":1,"method":"x"} x`: `null,"error":{"code":-32700`,
		"{\"id\":1,\"method\":\"\xc0\xa2\"}":      `null,"error":{"code":-32700`,
		"\ufeff{}":                                `null,"error":{"code":-32700`,
		`3`:                                       `null,"error":{"code":-32600`,
		`{"id":1,"method":"x","method":"tools/call",` + evil + `}`:                       `1,"error":{"code":-32600`,
		`{"id":1,"method":"tools/call","meth\u006fd":"x",` + evil + `}`:                  `1,"error":{"code":-32600`,
		`{"id":1,"Method":"tools/call",` + evil + `}`:                                    `1,"error":{"code":-32600`,
		`{"id":1,"method":"x","METHOD":"tools/call",` + evil + `}`:                       `1,"error":{"code":-32600`,
		`{"id":1,"method":["tools/call"],` + evil + `}`:                                  `1,"error":{"code":-32600`,
		`{"id":1,"method":"Tools/Call",` + evil + `}`:                                    `1,"error":{"code":-32600`,
		`{"id":1,"method":" tools/call\n",` + evil + `}`:                                 `1,"error":{"code":-32600`,
		`{"id":1,"method":"tools/call\u0000",` + evil + `}`:                              `1,"error":{"code":-32600`,
		`{"id":1,"method\u0000x":"tools/call",` + evil + `}`:                             `1,"error":{"code":-32600`,
		`{"id":1,"method":"tools/call","params":{"name":"t\u0000x"}}`:                    `1,"error":{"code":-32602`,
		`{"id":"` + strings.Repeat("1", 1<<10) + `","method":"x"}`:                       `null,"error":{"code":-32600`,
		`{"method":"tools/call",` + evil + `}`:                                           `null,"error":{"code":-32600`,
		`{"id":null,"method":"tools/call",` + evil + `}`:                                 `null,"error":{"code":-32600`,
		`{"id":{},"method":"tools/call",` + evil + `}`:                                   `null,"error":{"code":-32600`,
		`{"id":1,"method":"tools/call"}`:                                                 `1,"error":{"code":-32602`,
		`{"id":1,"method":"tools/call","params":[]}`:                                     `1,"error":{"code":-32602`,
		`{"id":1,"method":"tools/call","params":{"name":["t"]}}`:                         `1,"error":{"code":-32602`,
		`{"id":1,"method":"tools/call","params":{"name":""}}`:                            `1,"error":{"code":-32602`,
		`{"id":1,"method":"tools/call","params":{"name":"a","Name":"t"}}`:                `1,"error":{"code":-32600`,
		`{"id":1,"method":"tools/call","params":{"name":"a","argument\u017f":{}}}`:       `1,"error":{"code":-32600`,
		`{"id":1,"method":"tools/call","params":{"name":"t","arguments":"x"}}`:           `1,"error":{"code":-32602`,
		`{"id":1,"method":"tools/call","params":{"name":"t","arguments":{"a":1,"a":2}}}`: `1,"error":{"code":-32600`,
		`{"id":1,"method":"x","params":{"a":{"b":1,"b":2}}}`:                             `1,"error":{"code":-32600`,
		`[{"id":1,"method":"x"},{"id":"2","method":"tools/call",` + evil + `}]`:          `"2","error":{"code":-32600`,
		`[{"method":"tools/call",` + evil + `}]`:                                         `null,"error":{"code":-32600`,
		`[[{"id":1,"method":"tools/call",` + evil + `}]]`:                                `null,"error":{"code":-32600`,
		`[{"id":1,"method":"x","Method":"tools/call"}]`:                                  `1,"error":{"code":-32600`,
		strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001):                        `null,"error":{"code":-32700`,
	} {
		b.client.say(line)
		heard := b.client.hear()
		require.Contains(t, heard, `"id":`+want, line)
		require.True(t, json.Valid([]byte(heard)))
	}
	b.client.say(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	b.server.hears(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	b.client.say(`{"jsonrpc":"2.0","id":1.0,"method":"ping"}`)
	require.Contains(t, b.client.hear(), "has no answer yet")
	b.server.say(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	b.client.hears(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	b.leave()
}

// A hook that looks at path and a server that reads Path after it would see two calls.
func TestArgumentsThatAreReadInTwoWays(t *testing.T) {
	for arguments, want := range map[string]string{
		`{"path":"a","Path":"b"}`:                              `\"path\" and \"Path\"`,
		`{"x":[1,{"p":{}},{"a":"{","b":[],"\u017f":1,"S":2}]}`: `\"ſ\" and \"S\"`,
		`{"path":"a","path\u0000":"b"}`:                        `\"path\" and \"path\\x00\"`,
		`{"a\\":1,"A\u005c":2}`:                                `which some would read as one`,
		`{"a":{"A":[{"A":1},{"a":2}],"b":"\",\"A\":"}}`:        "",
		`{"a":{},"b":["B","b",{}],"":[[]]}`:                    "",
		`null`:                                                 "",
	} {
		t.Run(arguments, func(t *testing.T) {
			asked := 0
			gate := open()
			gate.Before = func(context.Context, *mcpproxy.Call) mcpproxy.Before {
				asked++
				return mcpproxy.Before{}
			}
			b := newBench(t, gate, "n")
			b.client.say(call("1", "t", arguments))
			if want != "" {
				heard := b.client.hear()
				require.Contains(t, heard, want)
				require.Contains(t, heard, `"isError":true`)
				require.Zero(t, asked)
				b.client.say(`{"method":"ping"}`)
				b.server.hears(`{"method":"ping"}`)
			} else {
				b.server.hears(call("1", "t", arguments))
			}
		})
	}
	t.Run("are the server's alone if nobody is asked", func(t *testing.T) {
		gate := open()
		gate.Idle = func(*mcpproxy.Call, bool) bool { return true }
		b := newBench(t, gate, "n")
		b.client.say(call("1", "t", `{"path":"a","Path":"b"}`))
		b.server.hears(call("1", "t", `{"path":"a","Path":"b"}`))
	})
}

// What is put into the announcement of a task no model sees: it would be lost.
func TestTask(t *testing.T) {
	const asks = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","task":{"ttl":1}}}`
	for result, behind := range map[string]bool{
		`{"task":{"taskId":"a"}}`:                        false,
		`{"_meta":{},"task":{"taskId":"a"}}`:             false,
		`{"task":{"taskId":"a"},"x":1}`:                  true,
		`{"task":1}`:                                     true,
		`{"content":[{"type":"text","text":"at once"}]}`: true,
	} {
		gate := open()
		asked := make(chan mcpproxy.Result, 9)
		gate.Before = func(context.Context, *mcpproxy.Call) mcpproxy.Before {
			return mcpproxy.Before{Texts: []string{"before"}}
		}
		gate.After = func(_ context.Context, _ *mcpproxy.Call, r mcpproxy.Result) mcpproxy.After {
			asked <- r
			return mcpproxy.After{Texts: []string{"after"}}
		}
		b := newBench(t, gate, "n")
		b.client.say(asks)
		b.server.hears(asks)
		answer := `{"jsonrpc":"2.0","id":1,"result":` + result + `}`
		b.server.say(answer)
		if heard := b.client.hear(); behind {
			require.Contains(t, heard, "before")
			require.Contains(t, heard, "after")
		} else {
			require.Equal(t, answer, heard)
			require.Empty(t, asked)
			b.mu.Lock()
			require.Contains(t, strings.Join(b.said, "\n"), "t runs as a task, so the client does not get: before")
			b.mu.Unlock()
		}
		// Who did not ask for a task gets a result, whatever it looks like.
		b.client.say(call("2", "t", "{}"))
		b.server.hears(call("2", "t", "{}"))
		b.server.say(`{"jsonrpc":"2.0","id":2,"result":` + result + `}`)
		require.Contains(t, b.client.hear(), "after")
	}
}

// To some readers a carriage return ends a line: what stands behind it must not be a message of its own.
func TestCarriageReturnHidesNoCall(t *testing.T) {
	b := newBench(t, open(), "n")
	b.client.say("{\"id\":1,\"method\":\"x\",\"params\":{\"a\":\r{\"id\":2,\"method\":\"tools/call\"," +
		"\"params\":{\"name\":\"t\"}}\r}}\r")
	b.server.hears(`{"id":1,"method":"x","params":{"a": {"id":2,"method":"tools/call","params":{"name":"t"}} }}`)
	b.server.say("{\"id\":1,\"result\":{\"a\":\r{\"id\":1,\"result\":{}}}}\r")
	b.client.hears(`{"id":1,"result":{"a": {"id":1,"result":{}}}}`)
	b.leave()
}

func TestServerLinesThatDoNotPass(t *testing.T) {
	b := newBench(t, open(), "n")
	b.client.say(call("1", "t", "{}"), `{"jsonrpc":"2.0","id":2,"method":"x"}`)
	b.server.hear()
	b.server.hear()
	b.server.say("starting...", `{"id":3,"result":{}}`, `[{"jsonrpc":"2.0","id":7,"result":{}}]`, `3`,
		strings.Repeat("x", 300))
	for _, line := range []string{
		`{"id":1,"result":{"content":[]},"result":{}}`,
		`{"id":1,"result":{"content":[],"content":[1]}}`,
		`{"id":1,"result":{"Content":[]}}`,
		`[{"id":1,"result":{"content":[]}}]`,
	} {
		b.server.say(line)
		require.Regexp(t,
			`^\{"jsonrpc":"2.0","id":1,"error":\{"code":-32603,"message":"the server's answer cannot be passed on: `,
			b.client.hear())
		b.client.say(call("1", "t", "{}"))
		b.server.hear()
	}
	b.server.say(answer("1", "hi"), answer("1", "again"), `{"id":2,"result":{}}`)
	heard := []string{b.client.hear(), b.client.hear()} // the result passes by the gate
	require.ElementsMatch(t, []string{answer("1", "hi"), `{"id":2,"result":{}}`}, heard)
	b.leave()
	all := strings.Join(b.said, "\n")
	for _, what := range []string{"starting...", "answers no request", "was in none", "a JSON object", "…"} {
		require.Contains(t, all, what)
	}
}

// held is a gate that keeps calls of the tool "wait" until they are given up or let go, before or after.
func held() (gate mcpproxy.Gate, waits chan string, let chan struct{}) {
	gate = open()
	waits, let = make(chan string, 100), make(chan struct{})
	wait := func(ctx context.Context, what string) {
		waits <- what
		select {
		case <-ctx.Done():
			waits <- what + " given up"
		case <-let:
		}
	}
	gate.Before = func(ctx context.Context, c *mcpproxy.Call) mcpproxy.Before {
		if c.Tool == "wait" {
			wait(ctx, "before "+c.ID)
		}
		return mcpproxy.Before{}
	}
	gate.After = func(ctx context.Context, c *mcpproxy.Call, _ mcpproxy.Result) mcpproxy.After {
		if c.Tool == "wait after" {
			wait(ctx, "after "+c.ID)
			return mcpproxy.After{Texts: []string{"text"}, Given: func(ok bool) { waits <- fmt.Sprint("given ", ok) }}
		}
		return mcpproxy.After{}
	}
	return gate, waits, let
}

func TestCallsAtTheGateHoldNothingUp(t *testing.T) {
	gate, waits, let := held()
	gate.Idle = func(c *mcpproxy.Call, _ bool) bool { return c.Tool == "idle" }
	b := newBench(t, gate, "n")
	b.client.say(call("1", "wait", "{}"))
	require.Equal(t, "before 1", <-waits)
	var lines []string
	for i := range 100 {
		lines = append(lines, fmt.Sprintf(`{"jsonrpc":"2.0","method":"n%d"}`, i), call(fmt.Sprint(100+i), "idle", "{}"))
	}
	b.client.say(lines...)
	b.server.hears(lines...)
	close(let)
	b.server.hears(call("1", "wait", "{}"))
}

func TestCancelled(t *testing.T) {
	const cancel1 = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`
	t.Run("at the gate", func(t *testing.T) {
		gate, waits, _ := held()
		b := newBench(t, gate, "n")
		b.client.say(call("1", "wait", "{}"))
		require.Equal(t, "before 1", <-waits)
		b.client.say(cancel1, `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		require.Equal(t, "before 1 given up", <-waits)
		b.server.hears(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		b.server.say(`{"jsonrpc":"2.0","id":2,"result":{}}`)
		b.client.hears(`{"jsonrpc":"2.0","id":2,"result":{}}`)
		b.leave()
	})
	t.Run("at the server", func(t *testing.T) {
		b := newBench(t, open(), "n")
		b.client.say(call("1", "t", "{}"))
		b.server.hear()
		b.client.say(cancel1)
		b.server.hears(cancel1)
		b.server.say(answer("1", "late"))
		b.leave()
	})
	t.Run("right behind the call", func(t *testing.T) {
		b := newBench(t, open(), "n")
		for range 200 { // the server hears of both in this order, or of none
			b.client.say(call("1", "t", "{}"), cancel1, `{"jsonrpc":"2.0","method":"end"}`)
			if first := b.server.hear(); first != `{"jsonrpc":"2.0","method":"end"}` {
				require.Equal(t, call("1", "t", "{}"), first)
				b.server.hears(cancel1, `{"jsonrpc":"2.0","method":"end"}`)
			}
		}
		b.leave()
	})
	t.Run("while the result is at the gate", func(t *testing.T) {
		gate, waits, let := held()
		b := newBench(t, gate, "n")
		b.client.say(call("1", "wait after", "{}"))
		b.server.hear()
		b.server.say(answer("1", "hi"))
		require.Equal(t, "after 1", <-waits)
		b.client.say(cancel1)
		b.server.hears(cancel1)
		close(let)
		require.Equal(t, "given false", <-waits)
		b.leave()
	})
}

func TestEndOfTheServer(t *testing.T) {
	gate, waits, let := held()
	b := newBench(t, gate, "n")
	b.client.say(call("1", "t", "{}"), call("2", "wait", "{}"), `{"jsonrpc":"2.0","id":"3","method":"x"}`,
		call("4", "wait after", "{}"))
	for range 3 {
		b.server.hear()
	}
	b.server.say(answer("4", "there already"))
	require.ElementsMatch(t, []string{"before 2", "after 4"}, []string{<-waits, <-waits})
	b.server.out.Close()
	require.Equal(t, "before 2 given up", <-waits)
	var heard []string
	for range 3 {
		heard = append(heard, b.client.hear())
	}
	for _, id := range []string{"1", "2", `"3"`} {
		require.Contains(t, heard, `{"jsonrpc":"2.0","id":`+id+
			`,"error":{"code":-32000,"message":"the server ended: exit status 3"}}`)
	}
	b.client.say(call("5", "t", "{}"))
	require.Contains(t, b.client.hear(), `"id":5,"error":{"code":-32000`)
	close(let)
	require.Contains(t, b.client.hear(), "there already", "what the server did say is not lost")
	require.ErrorContains(t, b.run(), "the server ended: exit status 3")
}

func TestEndOfTheClient(t *testing.T) {
	t.Run("lets calls come to their end", func(t *testing.T) {
		gate, waits, let := held()
		b := newBench(t, gate, "n")
		b.client.say(call("1", "wait", "{}"), call("2", "wait after", "{}"))
		b.client.out.Close()
		require.Equal(t, "before 1", <-waits)
		b.server.hears(call("2", "wait after", "{}"))
		b.server.say(answer("2", "two"))
		require.Equal(t, "after 2", <-waits)
		close(let)
		require.Contains(t, b.client.hear(), "two")
		b.server.hears(call("1", "wait", "{}"))
		b.server.ends()
		b.server.say(answer("1", "one"))
		b.server.out.Close()
		b.client.hears(answer("1", "one"))
		require.NoError(t, b.run())
	})
	t.Run("nobody takes answers", func(t *testing.T) {
		gate, waits, _ := held()
		b := newBench(t, gate, "n")
		b.client.say(call("1", "wait", "{}"), `{"jsonrpc":"2.0","id":2,"method":"x"}`)
		require.Equal(t, "before 1", <-waits)
		b.server.hear()
		b.client.in.Close()
		b.server.say(`{"jsonrpc":"2.0","id":2,"result":{}}`)
		require.Equal(t, "before 1 given up", <-waits)
		require.ErrorContains(t, b.run(), "takes no answers")
		b.server.ends()
	})
	t.Run("an interruption", func(t *testing.T) {
		gate, waits, _ := held()
		b := newBench(t, gate, "n")
		b.client.say(call("1", "wait", "{}"))
		require.Equal(t, "before 1", <-waits)
		b.stop(errors.New("interrupted"))
		require.Equal(t, "before 1 given up", <-waits)
		require.ErrorContains(t, b.run(), "interrupted")
		b.server.ends()
	})
}

func TestTooManyRequests(t *testing.T) {
	b := newBench(t, open(), "n")
	var lines []string
	for i := range 4096 {
		lines = append(lines, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"x"}`, i))
	}
	b.client.say(lines...)
	b.server.hears(lines...)
	b.client.say(call("5000", "t", "{}"))
	require.Contains(t, b.client.hear(), `"id":5000,"error":{"code":-32000,"message":"4096 requests wait already`)
	b.server.say(`{"jsonrpc":"2.0","id":0,"result":{}}`)
	b.client.hear()
	b.client.say(call("5000", "t", "{}"))
	b.server.hears(call("5000", "t", "{}"))
}

// A side that does not read holds up nothing but what is for it.
func TestNobodyReads(t *testing.T) {
	big := strings.Repeat("x", 1<<20)
	t.Run("the client", func(t *testing.T) {
		in, clientIn := io.Pipe()
		out, clientOut := io.Pipe() // nobody reads out
		defer out.Close()
		serverIn, toServer := io.Pipe()
		fromServer, server := io.Pipe()
		p := mcpproxy.New(open(), mcpproxy.Options{Name: "n"})
		ended := make(chan error, 1)
		go func() {
			ended <- p.Run(t.Context(), mcpproxy.Client{In: in, Out: clientOut},
				mcpproxy.Server{In: toServer, Out: fromServer, Ended: func() string { return "" }})
		}()
		go func() {
			for {
				if _, err := fmt.Fprintf(server, `{"jsonrpc":"2.0","method":"n","params":{"x":%q}}`+"\n",
					big); err != nil {
					return
				}
			}
		}()
		for range 50_000 {
			_, err := io.WriteString(clientIn,
				"garbage that is answered by an error, which takes more room than it does\n")
			require.NoError(t, err)
		}
		_, err := io.WriteString(clientIn, `{"jsonrpc":"2.0","method":"seen"}`+"\n")
		require.NoError(t, err)
		line, err := bufio.NewReader(serverIn).ReadString('\n')
		require.NoError(t, err)
		require.Contains(t, line, "seen")
		clientIn.Close()
		select {
		case err := <-ended:
			require.NoError(t, err)
		case <-time.After(patience):
			require.Fail(t, "Run does not return")
		}
		server.Close()
		fromServer.Close()
	})
	t.Run("the server", func(t *testing.T) {
		b := newBench(t, open(), "n")
		b.server.in.Close()
		b.client.say(`{"jsonrpc":"2.0","id":1,"method":"x"}`)
		require.Contains(t, b.client.hear(), `"id":1,"error":{"code":-32000`)
		require.ErrorContains(t, b.run(), "the server ended")
	})
}

func TestLargeMessages(t *testing.T) {
	testall.Only(t, "it sends lines of 64 MiB")
	gate := open()
	gate.After = func(context.Context, *mcpproxy.Call, mcpproxy.Result) mcpproxy.After {
		return mcpproxy.After{Texts: []string{"end"}}
	}
	b := newBench(t, gate, "n")
	big := strings.Repeat("x", 10<<20)
	b.client.say(call("1", "t", `{"a":"`+big+`"}`))
	require.Equal(t, call("1", "t", `{"a":"`+big+`"}`) == b.server.hear(), true)
	b.server.say(answer("1", big))
	require.Equal(t, b.client.hear() == strings.TrimSuffix(answer("1", big), "]}}")+
		`,{"type":"text","text":"\nend"}]}}`, true)
	b.client.say(`{"x":"` + strings.Repeat("x", 64<<20) + `"}`)
	require.Contains(t, b.client.hear(), "longer than 64 MiB")

	// An answer that is too long is none: who waits for it is told, if it can be nobody else's.
	long := answer("1", strings.Repeat("x", 64<<20))
	b.client.say(call("1", "t", "{}"))
	b.server.hear()
	b.server.say(long)
	require.Equal(t,
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"the server's answer cannot be passed on: its line `+
			`is longer than 64 MiB"}}`, b.client.hear())
	b.client.say(call("1", "t", "{}"), `{"jsonrpc":"2.0","id":2,"method":"x"}`)
	b.server.hear()
	b.server.hear()
	b.server.say(long, `{"jsonrpc":"2.0","id":2,"result":{}}`)
	b.client.hears(`{"jsonrpc":"2.0","id":2,"result":{}}`)
	b.leave()
}
