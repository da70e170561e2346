package mcpproxy_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/doors/mcpproxy"
)

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
	b.client.send(toServer...)
	b.client.send("", "  \t", "\r")
	b.server.receives(toServer...)
	toClient := []string{
		`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`,
		`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"<>&\u2028"}}`,
		`{"jsonrpc":"2.0", "id":1, "result":{"serverInfo":{"name":"x"},"a":1,"a":2}}`,
		`{"jsonrpc":"2.0","id":"1","result":{}}`,
		`[{"jsonrpc":"2.0","id":2,"result":{}}]`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}`,
		`{"jsonrpc":"2.0","id":3,"result":{}}`,
	}
	b.server.send(toClient...)
	b.client.receives(toClient...)
	b.leave()
	require.Empty(t, b.logged)
}

func TestGate(t *testing.T) {
	gate := open()
	calls := make(chan mcpproxy.Call, 10)
	results := make(chan mcpproxy.Result, 10)
	before, after := mcpproxy.CallDecision{}, mcpproxy.ResultDecision{}
	gate.Before = func(_ context.Context, c *mcpproxy.Call) mcpproxy.CallDecision {
		calls <- *c
		return before
	}
	gate.After = func(_ context.Context, _ *mcpproxy.Call, r mcpproxy.Result) mcpproxy.ResultDecision {
		results <- r
		return after
	}
	b := newBench(t, gate, "my server/1")

	b.client.send(call(`"a\u0062"`, "read", `{"p": 1.50}`))
	require.Equal(t, mcpproxy.Call{ID: "ab", Server: "my_server_1", Tool: "read", Args: `{"p": 1.50}`}, <-calls)
	b.server.receives(call(`"a\u0062"`, "read", `{"p": 1.50}`))
	b.server.send(answer(`"ab"`, "hi"))
	require.Equal(t, mcpproxy.Result{Text: "hi"}, <-results)
	b.client.receives(answer(`"ab"`, "hi"))

	t.Run("a refused call never reaches the server", func(t *testing.T) {
		before = mcpproxy.CallDecision{Refused: true, Reason: "no \"x\""}
		b.client.send(call("1", "rm", "{}"))
		require.Equal(t, "rm", (<-calls).Tool)
		b.client.receives(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"no ` +
			`\"x\""}],"isError":true}}`)
	})
	t.Run("rewrites leave all else as it was", func(t *testing.T) {
		before = mcpproxy.CallDecision{Args: "{\n  \"b\": 2\n}"}
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
			b.client.send(line)
			<-calls
			b.server.receives(want)
			b.server.send(`{"jsonrpc":"2.0","id":1.0,"result":{}}`)
			<-results
			b.client.receives(`{"jsonrpc":"2.0","id":1.0,"result":{}}`)
		}
	})
	t.Run("texts come in their order", func(t *testing.T) {
		before = mcpproxy.CallDecision{Texts: []string{"before"}}
		after = mcpproxy.ResultDecision{Texts: []string{"after 1", "after 2"}}
		given := make(chan bool, 1)
		after.OnDelivered = func(ok bool) { given <- ok }
		b.client.send(call("1", "t", "{}"))
		<-calls
		b.server.receive()
		b.server.send(answer("1", "hi"))
		<-results
		b.client.receives(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"hi"},{"type":"text",` +
			`"text":"\nbefore"},{"type":"text","text":"\nafter 1"},{"type":"text","text":"\nafter 2"}]}}`)
		require.True(t, <-given)
	})
	t.Run("M79 an error of the server passes as it is", func(t *testing.T) {
		b.client.send(call("1", "t", "{}"))
		<-calls
		b.server.receive()
		b.server.send(`{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no\u0021"}}`)
		require.Equal(t, mcpproxy.Result{Text: "no!", Failed: true, Error: true}, <-results)
		b.client.receives(`{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no\u0021"}}`)
	})
	after.OnDelivered = nil
	b.leave()
}

func TestNameOfTheServer(t *testing.T) {
	gate := open()
	names := make(chan string, 10)
	gate.Before = func(_ context.Context, c *mcpproxy.Call) mcpproxy.CallDecision {
		names <- c.Server
		return mcpproxy.CallDecision{}
	}
	t.Run("calls wait for it", func(t *testing.T) {
		b := newBench(t, gate, "")
		b.client.send(`{"jsonrpc":"2.0","id":0,"method":"initialize"}`, call("2", "t", "{}"),
			`{"jsonrpc":"2.0","id":5,"method":"ping"}`)
		b.server.receives(`{"jsonrpc":"2.0","id":0,"method":"initialize"}`, `{"jsonrpc":"2.0","id":5,"method":"ping"}`)
		b.server.send(`{"jsonrpc":"2.0","id":0,"result":{"serverInfo":{"name":"é x.y"}}}`)
		require.Equal(t, "__x_y", <-names)
		b.server.receives(call("2", "t", "{}"))
		b.client.send(`{"jsonrpc":"2.0","id":6,"method":"initialize"}`)
		b.server.receive()
		b.server.send(`{"jsonrpc":"2.0","id":6,"result":{"serverInfo":{"name":"other"}}}`)
		b.client.receive()
		b.client.receive()
		b.client.send(call("3", "t", "{}"))
		require.Equal(t, "__x_y", <-names, "the first name stays")
	})
	const initialize, refused = `{"jsonrpc":"2.0","id":0,"method":"initialize"}`, `{"jsonrpc":"2.0","id":2,"error":{` +
		`"code":-32600,"message":"the server has not answered an initialize, so hookrun does not know its name, by ` +
		`which hooks match tools; send initialize first, or start hookrun mcp with --name NAME"}}`
	t.Run("a call without an initialize is refused, and one behind it waits", func(t *testing.T) {
		b := newBench(t, gate, "")
		b.client.send(call("2", "t", "{}"))
		b.client.receives(refused)
		b.client.send(initialize, call("2", "t", "{}"))
		b.server.receives(initialize)
		b.server.send(`{"jsonrpc":"2.0","id":0,"result":{}}`)
		require.Equal(t, "server", <-names, "it gave none")
		b.server.receives(call("2", "t", "{}"))
	})
	for name, reply := range map[string]string{
		"an error":  `{"jsonrpc":"2.0","id":0,"error":{"code":1,"message":"no"}}`,
		"no object": `{"jsonrpc":"2.0","id":0,"result":"x"}`,
	} {
		t.Run("a call is refused after "+name+", and not after a second initialize", func(t *testing.T) {
			b := newBench(t, gate, "")
			b.client.send(initialize, call("2", "t", "{}"))
			b.server.receives(initialize)
			b.server.send(reply)
			require.ElementsMatch(t, []string{reply, refused}, []string{b.client.receive(), b.client.receive()})
			b.client.send(call("2", "t", "{}"))
			b.client.receives(refused)
			b.client.send(initialize, call("2", "t", "{}"))
			b.server.receives(initialize)
			b.server.send(`{"jsonrpc":"2.0","id":0,"result":{"serverInfo":{"name":"late"}}}`)
			require.Equal(t, "late", <-names)
		})
	}
	t.Run("a call is refused after an initialize that the client cancelled", func(t *testing.T) {
		b := newBench(t, gate, "")
		const cancelled = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}}`
		b.client.send(initialize, call("2", "t", "{}"), cancelled)
		b.server.receives(initialize, cancelled)
		b.client.receives(refused)
		b.server.send(`{"jsonrpc":"2.0","id":0,"result":{"serverInfo":{"name":"x"}}}`) // which is dropped
		b.client.send(call("2", "t", "{}"))
		b.client.receives(refused)
	})
	t.Run("an initialize in a batch", func(t *testing.T) {
		b := newBench(t, gate, "")
		b.client.send("["+initialize+"]", call("2", "t", "{}"))
		b.server.receives("[" + initialize + "]")
		b.server.send(`[{"jsonrpc":"2.0","id":0,"result":{"serverInfo":{"name":"x y"}}}]`)
		require.Equal(t, "x_y", <-names)
		b.server.receives(call("2", "t", "{}"))
	})
	t.Run("a given one stays", func(t *testing.T) {
		b := newBench(t, gate, "given")
		b.client.send(`{"jsonrpc":"2.0","id":0,"method":"initialize"}`)
		b.server.send(`{"jsonrpc":"2.0","id":0,"result":{"serverInfo":{"name":"x"}}}`)
		b.client.send(call("2", "t", "{}"))
		require.Equal(t, "given", <-names)
	})
}

// What is no clean message is answered by an error and does not reach the server, whoever would have understood it.
func TestLinesThatDoNotPass(t *testing.T) {
	const evil = `"params":{"name":"t"}`
	gate := open()
	gate.Before = func(context.Context, *mcpproxy.Call) mcpproxy.CallDecision {
		t.Error("a call was read")
		return mcpproxy.CallDecision{}
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
		`{"id":1,"method ":"tools/call",` + evil + `}`:                                   `1,"error":{"code":-32600`,
		`{"id":1," method":"tools/call",` + evil + `}`:                                   `1,"error":{"code":-32600`,
		`{"id":1,"` + "\ufeff" + `method":"tools/call",` + evil + `}`:                    `1,"error":{"code":-32600`,
		`{"id":1,"method\t\u0000":"tools/call",` + evil + `}`:                            `1,"error":{"code":-32600`,
		`{"id":1,"method":"tools/call\u2028\u0000",` + evil + `}`:                        `1,"error":{"code":-32600`,
		`{"id":1,"method":"` + "\ufeff" + `tools/call",` + evil + `}`:                    `1,"error":{"code":-32600`,
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
		b.client.send(line)
		got := b.client.receive()
		require.Contains(t, got, `"id":`+want, line)
		require.True(t, json.Valid([]byte(got)))
	}
	b.client.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	b.server.receives(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	b.client.send(`{"jsonrpc":"2.0","id":1.0,"method":"ping"}`)
	require.Contains(t, b.client.receive(), "has no answer yet")
	b.server.send(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	b.client.receives(`{"jsonrpc":"2.0","id":1,"result":{}}`)
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
			calls := 0
			gate := open()
			gate.Before = func(context.Context, *mcpproxy.Call) mcpproxy.CallDecision {
				calls++
				return mcpproxy.CallDecision{}
			}
			b := newBench(t, gate, "n")
			b.client.send(call("1", "t", arguments))
			if want != "" {
				got := b.client.receive()
				require.Contains(t, got, want)
				require.Contains(t, got, `"isError":true`)
				require.Zero(t, calls)
				b.client.send(`{"method":"ping"}`)
				b.server.receives(`{"method":"ping"}`)
			} else {
				b.server.receives(call("1", "t", arguments))
			}
		})
	}
	t.Run("are the server's alone if the gate is idle", func(t *testing.T) {
		gate := open()
		gate.Idle = func(*mcpproxy.Call, bool) bool { return true }
		b := newBench(t, gate, "n")
		b.client.send(call("1", "t", `{"path":"a","Path":"b"}`))
		b.server.receives(call("1", "t", `{"path":"a","Path":"b"}`))
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
		results := make(chan mcpproxy.Result, 9)
		gate.Before = func(context.Context, *mcpproxy.Call) mcpproxy.CallDecision {
			return mcpproxy.CallDecision{Texts: []string{"before"}}
		}
		gate.After = func(_ context.Context, _ *mcpproxy.Call, r mcpproxy.Result) mcpproxy.ResultDecision {
			results <- r
			return mcpproxy.ResultDecision{Texts: []string{"after"}}
		}
		b := newBench(t, gate, "n")
		b.client.send(asks)
		b.server.receives(asks)
		answer := `{"jsonrpc":"2.0","id":1,"result":` + result + `}`
		b.server.send(answer)
		if got := b.client.receive(); behind {
			require.Contains(t, got, "before")
			require.Contains(t, got, "after")
		} else {
			require.Equal(t, answer, got)
			require.Empty(t, results)
			b.mu.Lock()
			require.Contains(t, strings.Join(b.logged, "\n"), "t runs as a task, so the client does not get: before")
			b.mu.Unlock()
		}
		// Who did not ask for a task gets a result, whatever it looks like.
		b.client.send(call("2", "t", "{}"))
		b.server.receives(call("2", "t", "{}"))
		b.server.send(`{"jsonrpc":"2.0","id":2,"result":` + result + `}`)
		require.Contains(t, b.client.receive(), "after")
	}
}

// To some readers a carriage return ends a line: what stands behind it must not be a message of its own.
func TestCarriageReturnHidesNoCall(t *testing.T) {
	b := newBench(t, open(), "n")
	b.client.send("{\"id\":1,\"method\":\"x\",\"params\":{\"a\":\r{\"id\":2,\"method\":\"tools/call\"," +
		"\"params\":{\"name\":\"t\"}}\r}}\r")
	b.server.receives(`{"id":1,"method":"x","params":{"a": {"id":2,"method":"tools/call","params":{"name":"t"}} }}`)
	b.server.send("{\"id\":1,\"result\":{\"a\":\r{\"id\":1,\"result\":{}}}}\r")
	b.client.receives(`{"id":1,"result":{"a": {"id":1,"result":{}}}}`)
	b.leave()
}

func TestServerLinesThatDoNotPass(t *testing.T) {
	b := newBench(t, open(), "n")
	b.client.send(call("1", "t", "{}"), `{"jsonrpc":"2.0","id":2,"method":"x"}`)
	b.server.receive()
	b.server.receive()
	b.server.send("starting...", `{"id":3,"result":{}}`, `[{"jsonrpc":"2.0","id":7,"result":{}}]`, `3`,
		strings.Repeat("x", 300))
	for _, line := range []string{
		`{"id":1,"result":{"content":[]},"result":{}}`,
		`{"id":1,"result":{"content":[],"content":[1]}}`,
		`{"id":1,"result":{"Content":[]}}`,
		`{"id":1,"result":{" content":[]}}`,
		`{"id":1,"result":{"content":[{"type":"text","text":"safe","te\u0078t":"SECRET"}]}}`,
		`{"id":1,"result":{"content":[{"type":"text","type":"resource","text":"safe","resource":{"text":"SECRET"}}]}}`,
		`{"id":1,"result":{"content":[],"_meta":{"a":1,"a":2}}}`,
		`[{"id":1,"result":{"content":[]}}]`,
	} {
		b.server.send(line)
		require.Regexp(t,
			`^\{"jsonrpc":"2.0","id":1,"error":\{"code":-32603,"message":"the server's answer cannot be passed on: `,
			b.client.receive())
		b.client.send(call("1", "t", "{}"))
		b.server.receive()
	}
	b.server.send(answer("1", "hi"), answer("1", "again"), `{"id":2,"result":{}}`)
	got := []string{b.client.receive(), b.client.receive()} // the result passes by the gate
	require.ElementsMatch(t, []string{answer("1", "hi"), `{"id":2,"result":{}}`}, got)
	b.leave()
	all := strings.Join(b.logged, "\n")
	for _, what := range []string{"starting...", "answers no request", "was in none", "a JSON object", "…"} {
		require.Contains(t, all, what)
	}
}
