package mcpproxy_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/mcpproxy"
	"github.com/hookrun/hookrun/internal/testall"
)

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
