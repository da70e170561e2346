package mcpproxy_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/mcpproxy"
)

// pagesOf answers the proxy's own tools/list, a page for each list of names.
func (b *bench) pagesOf(pages ...[]string) {
	b.Helper()
	for i, names := range pages {
		asked := b.server.hear()
		require.Equal(b, "tools/list", gjson.Get(asked, "method").Str, asked)
		cursor := gjson.Get(asked, "params.cursor")
		require.Equal(b, i > 0, cursor.Exists(), asked)
		if i > 0 {
			require.Equal(b, fmt.Sprintf("page \"%d\"", i), cursor.Str)
		}
		next := ""
		if i+1 < len(pages) {
			next = fmt.Sprintf(`,"nextCursor":"page \"%d\""`, i+1)
		}
		b.list(asked, fmt.Sprintf(`"result":{"tools":[%s]%s}`, toolsOf(names), next))
	}
}

// list answers a tools/list of the proxy's own that the server has heard.
func (b *bench) list(asked, says string) {
	b.Helper()
	require.Equal(b, "tools/list", gjson.Get(asked, "method").Str, asked)
	b.server.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, gjson.Get(asked, "id").Raw, says))
}

func toolsOf(names []string) string {
	var tools []string
	for _, n := range names {
		tools = append(tools, fmt.Sprintf(`{"name":%q,"inputSchema":{}}`, n))
	}
	return strings.Join(tools, ",")
}

// asked is a gate that says which tools it was asked about.
func asked() (mcpproxy.Gate, chan string) {
	gate, tools := open(), make(chan string, 100)
	gate.Before = func(_ context.Context, c *mcpproxy.Call) mcpproxy.Before {
		tools <- c.Tool
		return mcpproxy.Before{}
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
			gate, tools := asked()
			b := newUnlisted(t, gate, "n")
			b.client.say(call("1", name, "{}"))
			b.pagesOf([]string{"a", "b"}, []string{"echo"}, nil)
			heard := b.client.hear()
			require.Equal(t, int64(-32602), gjson.Get(heard, "error.code").Int(), heard)
			require.Contains(t, heard, says)
			require.Empty(t, tools)
			b.client.say(call("2", "echo", "{}"))
			require.Equal(t, "echo", <-tools)
			b.server.hears(call("2", "echo", "{}"))
			b.server.say(answer("2", "hi"))
			b.client.hears(answer("2", "hi"))
			b.leave()
		})
	}
	t.Run("where nobody would be asked either", func(t *testing.T) {
		gate := open()
		gate.Idle = func(*mcpproxy.Call, bool) bool { return true }
		b := newUnlisted(t, gate, "n")
		b.client.say(call("1", "Echo", "{}"))
		b.pagesOf([]string{"echo"})
		require.Contains(t, b.client.hear(), `"id":1,"error"`)
		b.leave()
	})
}

// What the client was told the proxy need not ask for.
func TestToolsThatTheClientHasListed(t *testing.T) {
	gate, tools := asked()
	b := newUnlisted(t, gate, "n")
	page := func(id, cursor string, names ...string) {
		t.Helper()
		asks := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/list","params":{%s}}`, id, cursor)
		says := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[%s],"nextCursor":"x"}}`, id, toolsOf(names))
		b.client.say(asks)
		b.server.hears(asks)
		b.server.say(says)
		b.client.hears(says)
	}
	passes := func(name string) {
		t.Helper()
		b.client.say(call("9", name, "{}"))
		require.Equal(t, name, <-tools)
		b.server.hears(call("9", name, "{}"))
		b.server.say(answer("9", "hi"))
		b.client.hears(answer("9", "hi"))
	}
	page("1", "", "a")
	page("2", `"cursor":"x"`, "b\u00e9")
	passes("a")
	passes("b\u00e9")
	// A tool of a page that it has not seen.
	b.client.say(call("9", "c", "{}"))
	b.pagesOf([]string{"a"}, []string{"c"})
	require.Equal(t, "c", <-tools)
	b.server.hears(call("9", "c", "{}"))
	b.server.say(answer("9", "hi"))
	b.client.hears(answer("9", "hi"))

	const changed = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	b.server.say(changed)
	b.client.hears(changed)
	b.client.say(call("9", "a", "{}"))
	b.pagesOf([]string{"new"})
	require.Contains(t, b.client.hear(), "unknown tool")
	passes("new")
	b.server.say("[" + changed + "]")
	b.client.hears("[" + changed + "]")
	page("1", "", "newer")
	passes("newer")
	b.client.say(call("9", "new", "{}"))
	b.pagesOf([]string{"newer"})
	require.Contains(t, b.client.hear(), "unknown tool")
	b.leave()
}

func TestCallsThatWaitForTheList(t *testing.T) {
	t.Run("together", func(t *testing.T) {
		gate, tools := asked()
		b := newUnlisted(t, gate, "n")
		b.client.say(call("1", "a", "{}"), call("2", "b", "{}"), `{"jsonrpc":"2.0","id":3,"method":"ping"}`)
		first, second := b.server.hear(), b.server.hear()
		list := first
		if strings.Contains(first, "ping") {
			list = second
		}
		require.Contains(t, first+second, "ping", "what is no call overtakes them")
		b.list(list, `"result":{"tools":[{"name":"a"},{"name":"b"}]}`)
		require.ElementsMatch(t, []string{"a", "b"}, []string{<-tools, <-tools})
		require.ElementsMatch(t, []string{call("1", "a", "{}"), call("2", "b", "{}")},
			[]string{b.server.hear(), b.server.hear()})
	})
	t.Run("are cancelled, and the client cannot cancel what it did not ask for", func(t *testing.T) {
		gate, tools := asked()
		b := newUnlisted(t, gate, "n")
		b.client.say(call("1", "a", "{}"))
		list := b.server.hear()
		own := fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`,
			gjson.Get(list, "id").Raw)
		b.client.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
			call("2", "a", "{}"), own)
		b.server.hears(own)
		b.list(list, `"result":{"tools":[{"name":"a"}]}`)
		b.server.hears(call("2", "a", "{}"))
		require.Equal(t, "a", <-tools)
		require.Empty(t, tools)
		b.server.say(answer("2", "hi"))
		b.client.hears(answer("2", "hi"))
		b.leave()
	})
	t.Run("and the server ends", func(t *testing.T) {
		b := newUnlisted(t, open(), "n")
		b.client.say(call("1", "a", "{}"))
		b.server.hear()
		b.server.out.Close()
		require.Contains(t, b.client.hear(), `"id":1,"error":{"code":-32000`)
		require.ErrorContains(t, b.run(), "the server ended")
	})
	t.Run("until the server is initialized", func(t *testing.T) {
		b := newUnlisted(t, open(), "given")
		b.client.say(`{"jsonrpc":"2.0","id":0,"method":"initialize"}`, call("1", "a", "{}"),
			`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		b.server.hears(`{"jsonrpc":"2.0","id":0,"method":"initialize"}`, `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		b.server.say(`{"jsonrpc":"2.0","id":0,"result":{}}`)
		b.pagesOf([]string{"a"})
		b.server.hears(call("1", "a", "{}"))
	})
}

// Who lists nothing cannot be held to it. Who has listed something can.
func TestServerWithoutAList(t *testing.T) {
	for _, says := range []string{`"error":{"code":-32601,"message":"no such method"}`, `"result":{}`,
		`"result":{"tools":{}}`, `"result":null`} {
		b := newUnlisted(t, open(), "n")
		refuse := func() {
			t.Helper()
			b.list(b.server.hear(), says)
		}
		for range 2 {
			b.client.say(call("1", "a", "{}"))
			refuse()
			b.server.hears(call("1", "a", "{}"))
			b.server.say(answer("1", "hi"))
			b.client.hears(answer("1", "hi"))
		}
		b.mu.Lock()
		require.Len(t, b.said, 1, "once")
		require.Contains(t, b.said[0], "gives no list of its tools")
		b.mu.Unlock()
		b.client.say(`{"id":5,"method":"tools/list"}`)
		b.server.hear()
		b.server.say(`{"id":5,"result":{"tools":[{"name":"a"}]}}`)
		b.client.hear()
		b.client.say(call("1", "b", "{}"))
		refuse()
		require.Contains(t, b.client.hear(), "unknown tool")
		b.leave()
	}
	t.Run("an answer that cannot be read is none", func(t *testing.T) {
		b := newUnlisted(t, open(), "n")
		b.client.say(call("1", "a", "{}"))
		b.list(b.server.hear(), `"result":{},"result":{"tools":[]}`)
		require.Contains(t, b.client.hear(), `"code":-32000`)
		b.leave()
	})
	t.Run("a list without an end is none", func(t *testing.T) {
		b := newUnlisted(t, open(), "n")
		b.client.say(call("1", "a", "{}"))
		for range 1000 {
			b.list(b.server.hear(), `"result":{"tools":[],"nextCursor":"x"}`)
		}
		require.Contains(t, b.client.hear(), "over 1000 pages")
		b.leave()
	})
}

// The schema that the server lists decides about what hooks make of a result.
func TestResultsAreValidForTheirSchema(t *testing.T) {
	gate := open()
	gate.After = func(context.Context, *mcpproxy.Call, mcpproxy.Result) mcpproxy.After {
		return mcpproxy.After{Content: `"{\"n\":\"no number\"}"`}
	}
	b := newUnlisted(t, gate, "n")
	b.client.say(call("1", "a", "{}"))
	b.list(b.server.hear(),
		`"result":{"tools":[{"name":"a","outputSchema":{"type":"object","properties":{"n":{"type":"number"}}}}]}`)
	b.server.hear()
	b.server.say(`{"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{"n":1}}}`)
	b.client.hears(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"n\":\"no ` +
		`number\"}"}],"isError":true}}`)
	b.leave()
}
