package mcpproxy_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/doors/mcpproxy"
)

// pagesOf answers the proxy's own tools/list, a page for each list of names.
func (b *bench) pagesOf(pages ...[]string) {
	b.Helper()
	for i, names := range pages {
		request := b.server.receive()
		require.Equal(b, "tools/list", gjson.Get(request, "method").Str, request)
		cursor := gjson.Get(request, "params.cursor")
		require.Equal(b, i > 0, cursor.Exists(), request)
		if i > 0 {
			require.Equal(b, fmt.Sprintf("page \"%d\"", i), cursor.Str)
		}
		next := ""
		if i+1 < len(pages) {
			next = fmt.Sprintf(`,"nextCursor":"page \"%d\""`, i+1)
		}
		b.list(request, fmt.Sprintf(`"result":{"tools":[%s]%s}`, toolsOf(names), next))
	}
}

// list answers a tools/list of the proxy's own that the server has received.
func (b *bench) list(request, reply string) {
	b.Helper()
	require.Equal(b, "tools/list", gjson.Get(request, "method").Str, request)
	b.server.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, gjson.Get(request, "id").Raw, reply))
}

func toolsOf(names []string) string {
	var tools []string
	for _, n := range names {
		tools = append(tools, fmt.Sprintf(`{"name":%q,"inputSchema":{}}`, n))
	}
	return strings.Join(tools, ",")
}

// recording is a gate that gives the names of the tools that it was called for.
func recording() (mcpproxy.Gate, chan string) {
	gate, tools := open(), make(chan string, 100)
	gate.Before = func(_ context.Context, c *mcpproxy.Call) mcpproxy.CallDecision {
		tools <- c.Tool
		return mcpproxy.CallDecision{}
	}
	return gate, tools
}

// A name that the server does not list is refused, whoever the server would have taken it for. The gate goes by names.
func TestToolThatIsNotListed(t *testing.T) {
	for name, says := range map[string]string{
		"Echo": `did you mean \"echo\"?`, " echo": `did you mean \"echo\"?`, "echo ": `did you mean \"echo\"?`,
		"echo\n":     `did you mean \"echo\"?`,
		"ech\u200bo": `unknown tool`, "n__echo": "unknown tool", "other": "unknown tool",
		"ECHO\t": `did you mean \"echo\"?`,
	} {
		t.Run(name, func(t *testing.T) {
			gate, tools := recording()
			b := newUnlisted(t, gate, "n")
			b.client.send(call("1", name, "{}"))
			b.pagesOf([]string{"a", "b"}, []string{"echo"}, nil)
			got := b.client.receive()
			require.True(t, gjson.Get(got, "result.isError").Bool(), got)
			require.Contains(t, gjson.Get(got, "result.content.0.text").Raw, says)
			require.Empty(t, tools)
			b.client.send(call("2", "echo", "{}"))
			require.Equal(t, "echo", <-tools)
			b.server.receives(call("2", "echo", "{}"))
			b.server.send(answer("2", "hi"))
			b.client.receives(answer("2", "hi"))
			b.leave()
		})
	}
	t.Run("where the gate is idle too", func(t *testing.T) {
		gate := open()
		gate.Idle = func(*mcpproxy.Call, bool) bool { return true }
		b := newUnlisted(t, gate, "n")
		b.client.send(call("1", "Echo", "{}"))
		b.pagesOf([]string{"echo"})
		require.Contains(t, b.client.receive(), `"text":"unknown tool `)
		b.leave()
	})
}

// What the client was told the proxy need not ask for.
func TestToolsThatTheClientHasListed(t *testing.T) {
	gate, tools := recording()
	b := newUnlisted(t, gate, "n")
	page := func(id, cursor string, names ...string) {
		t.Helper()
		asks := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/list","params":{%s}}`, id, cursor)
		reply := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[%s],"nextCursor":"x"}}`, id, toolsOf(names))
		b.client.send(asks)
		b.server.receives(asks)
		b.server.send(reply)
		b.client.receives(reply)
	}
	passes := func(name string) {
		t.Helper()
		b.client.send(call("9", name, "{}"))
		require.Equal(t, name, <-tools)
		b.server.receives(call("9", name, "{}"))
		b.server.send(answer("9", "hi"))
		b.client.receives(answer("9", "hi"))
	}
	page("1", "", "a")
	page("2", `"cursor":"x"`, "b\u00e9")
	passes("a")
	passes("b\u00e9")
	// A tool of a page that it has not seen.
	b.client.send(call("9", "c", "{}"))
	b.pagesOf([]string{"a"}, []string{"c"})
	require.Equal(t, "c", <-tools)
	b.server.receives(call("9", "c", "{}"))
	b.server.send(answer("9", "hi"))
	b.client.receives(answer("9", "hi"))

	const changed = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	b.server.send(changed)
	b.client.receives(changed)
	b.client.send(call("9", "a", "{}"))
	b.pagesOf([]string{"new"})
	require.Contains(t, b.client.receive(), "unknown tool")
	passes("new")
	b.server.send("[" + changed + "]")
	b.client.receives("[" + changed + "]")
	page("1", "", "newer")
	passes("newer")
	b.client.send(call("9", "new", "{}"))
	b.pagesOf([]string{"newer"})
	require.Contains(t, b.client.receive(), "unknown tool")
	b.leave()
}

func TestCallsThatWaitForTheList(t *testing.T) {
	t.Run("together", func(t *testing.T) {
		gate, tools := recording()
		b := newUnlisted(t, gate, "n")
		b.client.send(call("1", "a", "{}"), call("2", "b", "{}"), `{"jsonrpc":"2.0","id":3,"method":"ping"}`)
		first, second := b.server.receive(), b.server.receive()
		list := first
		if strings.Contains(first, "ping") {
			list = second
		}
		require.Contains(t, first+second, "ping", "what is no call overtakes them")
		b.list(list, `"result":{"tools":[{"name":"a"},{"name":"b"}]}`)
		require.ElementsMatch(t, []string{"a", "b"}, []string{<-tools, <-tools})
		require.ElementsMatch(t, []string{call("1", "a", "{}"), call("2", "b", "{}")},
			[]string{b.server.receive(), b.server.receive()})
	})
	t.Run("are cancelled, and the client cannot cancel what it did not ask for", func(t *testing.T) {
		gate, tools := recording()
		b := newUnlisted(t, gate, "n")
		b.client.send(call("1", "a", "{}"))
		list := b.server.receive()
		own := fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`,
			gjson.Get(list, "id").Raw)
		b.client.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
			call("2", "a", "{}"), own)
		b.server.receives(own)
		b.list(list, `"result":{"tools":[{"name":"a"}]}`)
		b.server.receives(call("2", "a", "{}"))
		require.Equal(t, "a", <-tools)
		require.Empty(t, tools)
		b.server.send(answer("2", "hi"))
		b.client.receives(answer("2", "hi"))
		b.leave()
	})
	t.Run("and the server ends", func(t *testing.T) {
		b := newUnlisted(t, open(), "n")
		b.client.send(call("1", "a", "{}"))
		b.server.receive()
		b.server.out.Close()
		require.Contains(t, b.client.receive(), `"id":1,"error":{"code":-32000`)
		require.ErrorContains(t, b.run(), "the server ended")
	})
	t.Run("until the server is initialized", func(t *testing.T) {
		b := newUnlisted(t, open(), "given")
		b.client.send(`{"jsonrpc":"2.0","id":0,"method":"initialize"}`, call("1", "a", "{}"),
			`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		b.server.receives(`{"jsonrpc":"2.0","id":0,"method":"initialize"}`, `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		b.server.send(`{"jsonrpc":"2.0","id":0,"result":{}}`)
		b.pagesOf([]string{"a"})
		b.server.receives(call("1", "a", "{}"))
	})
}

// Who lists nothing cannot be held to it. Who has listed something can.
func TestServerWithoutAList(t *testing.T) {
	for _, says := range []string{`"error":{"code":-32601,"message":"no such method"}`, `"result":{}`,
		`"result":{"tools":{}}`, `"result":null`} {
		b := newUnlisted(t, open(), "n")
		refuse := func() {
			t.Helper()
			b.list(b.server.receive(), says)
		}
		for range 2 {
			b.client.send(call("1", "a", "{}"))
			refuse()
			b.server.receives(call("1", "a", "{}"))
			b.server.send(answer("1", "hi"))
			b.client.receives(answer("1", "hi"))
		}
		b.mu.Lock()
		require.Len(t, b.logged, 1, "once")
		require.Contains(t, b.logged[0], "gives no list of its tools")
		b.mu.Unlock()
		b.client.send(`{"id":5,"method":"tools/list"}`)
		b.server.receive()
		b.server.send(`{"id":5,"result":{"tools":[{"name":"a"}]}}`)
		b.client.receive()
		b.client.send(call("1", "b", "{}"))
		refuse()
		require.Contains(t, b.client.receive(), "unknown tool")
		b.leave()
	}
	t.Run("an answer that cannot be read is none", func(t *testing.T) {
		b := newUnlisted(t, open(), "n")
		b.client.send(call("1", "a", "{}"))
		b.list(b.server.receive(), `"result":{},"result":{"tools":[]}`)
		require.Contains(t, b.client.receive(), `"code":-32000`)
		b.leave()
	})
	t.Run("a list without an end is none", func(t *testing.T) {
		b := newUnlisted(t, open(), "n")
		b.client.send(call("1", "a", "{}"))
		for range 1000 {
			b.list(b.server.receive(), `"result":{"tools":[],"nextCursor":"x"}`)
		}
		require.Contains(t, b.client.receive(), "over 1000 pages")
		b.leave()
	})
}

// The schema that the server lists decides about what hooks make of a result.
func TestResultsAreValidForTheirSchema(t *testing.T) {
	gate := open()
	gate.After = func(context.Context, *mcpproxy.Call, mcpproxy.Result) mcpproxy.ResultDecision {
		return mcpproxy.ResultDecision{Content: `"{\"n\":\"no number\"}"`}
	}
	b := newUnlisted(t, gate, "n")
	b.client.send(call("1", "a", "{}"))
	b.list(b.server.receive(),
		`"result":{"tools":[{"name":"a","outputSchema":{"type":"object","properties":{"n":{"type":"number"}}}}]}`)
	b.server.receive()
	b.server.send(`{"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{"n":1}}}`)
	b.client.receives(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"n\":\"no ` +
		`number\"}"}],"isError":true}}`)
	b.leave()
}
