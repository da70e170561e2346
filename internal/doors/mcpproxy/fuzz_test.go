package mcpproxy_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/doors/mcpproxy"
)

// recorder is a server that writes down what it gets. It has no list of tools.
type recorder struct {
	bytes.Buffer
	over io.WriteCloser
}

func (r *recorder) Write(line []byte) (int, error) {
	if id := gjson.GetBytes(line, "id").Raw; gjson.GetBytes(line, "method").Str == "tools/list" &&
		strings.HasPrefix(id, `"hookrun `) {
		go fmt.Fprintf(r.over, `{"id":%s,"result":{}}`+"\n", id)
		return len(line), nil
	}
	return r.Buffer.Write(line)
}

func (r *recorder) Close() error { return r.over.Close() }

// throughGate gives lines to a proxy and returns what reached the server, and the calls that the gate saw.
func throughGate(t *testing.T, lines string) (got string, seen []mcpproxy.Call) {
	out, over := io.Pipe()
	server := &recorder{over: over}
	var mu sync.Mutex
	gate := open()
	gate.Before = func(_ context.Context, c *mcpproxy.Call) mcpproxy.CallDecision {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, *c)
		return mcpproxy.CallDecision{}
	}
	p := mcpproxy.New(gate, mcpproxy.Options{Name: "n", Grace: patience})
	require.NoError(t, p.Run(t.Context(), mcpproxy.Client{In: strings.NewReader(lines), Out: io.Discard},
		mcpproxy.Server{In: server, Out: out, DescribeEnd: func() string { return "" }}))
	return server.String(), seen
}

// theirCall is a call as some server reads it.
type theirCall struct{ name, arguments string }

// readings are all calls that servers of different makes see in a line: with the first or the last of equal keys, with
// keys in any case, and with a list for the one that it holds.
func readings(line string) (calls []theirCall) {
	var list []json.RawMessage
	if json.Unmarshal([]byte(line), &list) == nil {
		for _, element := range list {
			calls = append(calls, readings(string(element))...)
		}
		return calls
	}
	text := func(raw []byte) string {
		var s string
		var in []json.RawMessage
		if json.Unmarshal(raw, &in) == nil && len(in) == 1 {
			raw = in[0]
		}
		_ = json.Unmarshal(raw, &s)
		return s
	}
	var folded struct {
		Method, Params json.RawMessage
	}
	if json.Unmarshal([]byte(line), &folded) == nil && text(folded.Method) == "tools/call" {
		var params struct {
			Name, Arguments json.RawMessage
		}
		_ = json.Unmarshal(folded.Params, &params)
		calls = append(calls, theirCall{text(params.Name), string(params.Arguments)})
	}
	var last map[string]json.RawMessage
	if json.Unmarshal([]byte(line), &last) == nil && text(last["method"]) == "tools/call" {
		var params map[string]json.RawMessage
		_ = json.Unmarshal(last["params"], &params)
		calls = append(calls, theirCall{text(params["name"]), string(params["arguments"])})
	}
	if text([]byte(gjson.Get(line, "method").Raw)) == "tools/call" {
		calls = append(calls, theirCall{text([]byte(gjson.Get(line, "params.name").Raw)),
			gjson.Get(line, "params.arguments").Raw})
	}
	return calls
}

// FuzzClientLine says that no server sees a call that the gate did not see with the same name and arguments.
func FuzzClientLine(f *testing.F) {
	for _, line := range []string{
		call("1", "t", `{"a":1}`), `{"id":1,"method":"tools\/call","params":{"name":"t"}}`,
		`{"id":1,"m\u0065thod":"tools/call","params":{"name":"t","arguments":null}}`,
		`{"id":1,"method":"x","method":"tools/call","params":{"name":"t"}}`,
		`{"id":1,"Method":"tools/call","Params":{"Name":"t"}}`,
		`{"id":1,"method":"tools/call","params":{"name":"a"},"params":{"name":"t"}}`,
		`{"method":"tools/call","params":{"name":"t"}}`,
		`[` + call("1", "t", `{}`) + `]`, `[[` + call("1", "t", `{}`) + `]]`,
		"{\"a\":\r" + call("1", "t", `{}`) + "\r}", call("1", "t", `{}`) + call("2", "t", `{}`),
		`{"id":1,"method":["tools/call"],"params":{"name":["t"]}}`,
		`{"id":"1","method":"tools/call","result":{},"params":{"name":"t"}}`,
		"\ufeff" + call("1", "t", `{}`), call("1", "t", "{}") + "\r", "{\"\xff\":1}",
		call("1e5", "t", "{}") + "\n" + call("100000", "t", "{}"),
		`{"id":1,"method":"tools/call","params":{"name":"a","name\u0000":"t"}}`,
		`{"id":1,"method":"tools/call","param\u017f":{"name":"t"}}`,
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, lines string) {
		got, seen := throughGate(t, lines)
		known := map[theirCall]bool{}
		for _, c := range seen {
			known[theirCall{c.Tool, c.Args}] = true
			if c.Args == "{}" {
				known[theirCall{c.Tool, ""}], known[theirCall{c.Tool, "null"}] = true, true
			}
		}
		for _, line := range strings.FieldsFunc(got, func(r rune) bool { return r == '\n' || r == '\r' }) {
			for _, c := range readings(line) {
				require.True(t, known[c], "%q is a call of %+v, and the gate saw %+v", line, c, seen)
			}
		}
	})
}

// What is a clean call reaches the server as it was written, and all that does is JSON.
func TestFuzzOracleSeesCalls(t *testing.T) {
	got, seen := throughGate(t, call("1", "t", `{"a":1}`))
	require.Equal(t, call("1", "t", `{"a":1}`)+"\n", got)
	require.Len(t, seen, 1)
	require.Equal(t, []theirCall{{"t", `{"a":1}`}, {"t", `{"a":1}`}, {"t", `{"a":1}`}}, readings(got))
	require.NotEmpty(t, readings(`{"METHOD":["tools/call"]}`))
	require.NotEmpty(t, readings(`[{"method":"tools/call","method":"x"}]`))
	require.NotEmpty(t, readings(`{"method":"x","method":"tools/call"}`))
}

// BenchmarkEcho is one message there and one back, directly and through the proxy, over in-memory pipes.
func BenchmarkEcho(b *testing.B) {
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	pong := `{"jsonrpc":"2.0","id":1,"result":{}}`
	b.Run("direct", func(b *testing.B) {
		fromClient, toServer := io.Pipe()
		fromServer, toClient := io.Pipe()
		client, server := newSide(b, fromServer, toServer), newSide(b, fromClient, toClient)
		for b.Loop() {
			client.send(ping)
			server.receive()
			server.send(pong)
			client.receive()
		}
	})
	b.Run("proxy", func(b *testing.B) {
		p := newBench(b, open(), "n")
		for b.Loop() {
			p.client.send(ping)
			p.server.receive()
			p.server.send(pong)
			p.client.receive()
		}
	})
}
