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

	"github.com/hookrun/hookrun/internal/doors/mcpproxy"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
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
	gate.Before = func(ctx context.Context, c *mcpproxy.Call) mcpproxy.CallDecision {
		if c.Tool == "wait" {
			wait(ctx, "before "+c.ID)
		}
		return mcpproxy.CallDecision{}
	}
	gate.After = func(ctx context.Context, c *mcpproxy.Call, _ mcpproxy.Result) mcpproxy.ResultDecision {
		if c.Tool == "wait after" {
			wait(ctx, "after "+c.ID)
			onDelivered := func(ok bool) { waits <- fmt.Sprint("given ", ok) }
			return mcpproxy.ResultDecision{Texts: []string{"text"}, OnDelivered: onDelivered}
		}
		return mcpproxy.ResultDecision{}
	}
	return gate, waits, let
}

func TestCallsAtTheGateHoldNothingUp(t *testing.T) {
	gate, waits, let := held()
	gate.Idle = func(c *mcpproxy.Call, _ bool) bool { return c.Tool == "idle" }
	b := newBench(t, gate, "n")
	b.client.send(call("1", "wait", "{}"))
	require.Equal(t, "before 1", <-waits)
	var lines []string
	for i := range 100 {
		lines = append(lines, fmt.Sprintf(`{"jsonrpc":"2.0","method":"n%d"}`, i), call(fmt.Sprint(100+i), "idle", "{}"))
	}
	b.client.send(lines...)
	b.server.receives(lines...)
	close(let)
	b.server.receives(call("1", "wait", "{}"))
}

func TestCancelled(t *testing.T) {
	const cancel1 = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`
	t.Run("at the gate", func(t *testing.T) {
		gate, waits, _ := held()
		b := newBench(t, gate, "n")
		b.client.send(call("1", "wait", "{}"))
		require.Equal(t, "before 1", <-waits)
		b.client.send(cancel1, `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		require.Equal(t, "before 1 given up", <-waits)
		b.server.receives(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		b.server.send(`{"jsonrpc":"2.0","id":2,"result":{}}`)
		b.client.receives(`{"jsonrpc":"2.0","id":2,"result":{}}`)
		b.leave()
	})
	t.Run("at the server", func(t *testing.T) {
		b := newBench(t, open(), "n")
		b.client.send(call("1", "t", "{}"))
		b.server.receive()
		b.client.send(cancel1)
		b.server.receives(cancel1)
		b.server.send(answer("1", "late"))
		b.leave()
	})
	t.Run("right behind the call", func(t *testing.T) {
		b := newBench(t, open(), "n")
		for range 200 { // the server hears of both in this order, or of none
			b.client.send(call("1", "t", "{}"), cancel1, `{"jsonrpc":"2.0","method":"end"}`)
			if first := b.server.receive(); first != `{"jsonrpc":"2.0","method":"end"}` {
				require.Equal(t, call("1", "t", "{}"), first)
				b.server.receives(cancel1, `{"jsonrpc":"2.0","method":"end"}`)
			}
		}
		b.leave()
	})
	t.Run("while the result is at the gate", func(t *testing.T) {
		gate, waits, let := held()
		b := newBench(t, gate, "n")
		b.client.send(call("1", "wait after", "{}"))
		b.server.receive()
		b.server.send(answer("1", "hi"))
		require.Equal(t, "after 1", <-waits)
		b.client.send(cancel1)
		b.server.receives(cancel1)
		close(let)
		require.Equal(t, "given false", <-waits)
		b.leave()
	})
}

func TestEndOfTheServer(t *testing.T) {
	gate, waits, let := held()
	b := newBench(t, gate, "n")
	b.client.send(call("1", "t", "{}"), call("2", "wait", "{}"), `{"jsonrpc":"2.0","id":"3","method":"x"}`,
		call("4", "wait after", "{}"))
	for range 3 {
		b.server.receive()
	}
	b.server.send(answer("4", "there already"))
	require.ElementsMatch(t, []string{"before 2", "after 4"}, []string{<-waits, <-waits})
	b.server.out.Close()
	require.Equal(t, "before 2 given up", <-waits)
	var got []string
	for range 3 {
		got = append(got, b.client.receive())
	}
	for _, id := range []string{"1", "2", `"3"`} {
		require.Contains(t, got, `{"jsonrpc":"2.0","id":`+id+
			`,"error":{"code":-32000,"message":"the server ended: exit status 3"}}`)
	}
	b.client.send(call("5", "t", "{}"))
	require.Contains(t, b.client.receive(), `"id":5,"error":{"code":-32000`)
	close(let)
	require.Contains(t, b.client.receive(), "there already", "what the server did say is not lost")
	require.ErrorContains(t, b.run(), "the server ended: exit status 3")
}

func TestEndOfTheClient(t *testing.T) {
	t.Run("lets calls come to their end", func(t *testing.T) {
		gate, waits, let := held()
		b := newBench(t, gate, "n")
		b.client.send(call("1", "wait", "{}"), call("2", "wait after", "{}"))
		b.client.out.Close()
		require.Equal(t, "before 1", <-waits)
		b.server.receives(call("2", "wait after", "{}"))
		b.server.send(answer("2", "two"))
		require.Equal(t, "after 2", <-waits)
		close(let)
		require.Contains(t, b.client.receive(), "two")
		b.server.receives(call("1", "wait", "{}"))
		b.server.ends()
		b.server.send(answer("1", "one"))
		b.server.out.Close()
		b.client.receives(answer("1", "one"))
		require.NoError(t, b.run())
	})
	t.Run("a server that hangs", func(t *testing.T) {
		b := newBench(t, open(), "n")
		b.client.send(call("1", "t", "{}"))
		b.server.receive()
		b.client.out.Close()
		b.server.ends()
		b.server.out.Close()
		b.client.receives(`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"the client's input has ended, ` +
			`and the server has not answered in time"}}`)
		require.NoError(t, b.run())
	})
	t.Run("nobody takes answers", func(t *testing.T) {
		gate, waits, _ := held()
		b := newBench(t, gate, "n")
		b.client.send(call("1", "wait", "{}"), `{"jsonrpc":"2.0","id":2,"method":"x"}`)
		require.Equal(t, "before 1", <-waits)
		b.server.receive()
		b.client.in.Close()
		b.server.send(`{"jsonrpc":"2.0","id":2,"result":{}}`)
		require.Equal(t, "before 1 given up", <-waits)
		require.ErrorContains(t, b.run(), "takes no answers")
		b.server.ends()
	})
	t.Run("an interruption", func(t *testing.T) {
		gate, waits, _ := held()
		b := newBench(t, gate, "n")
		b.client.send(call("1", "wait", "{}"))
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
	b.client.send(lines...)
	b.server.receives(lines...)
	b.client.send(call("5000", "t", "{}"))
	require.Contains(t, b.client.receive(), `"id":5000,"error":{"code":-32000,"message":"4096 requests wait already`)
	b.server.send(`{"jsonrpc":"2.0","id":0,"result":{}}`)
	b.client.receive()
	b.client.send(call("5000", "t", "{}"))
	b.server.receives(call("5000", "t", "{}"))
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
				mcpproxy.Server{In: toServer, Out: fromServer, DescribeEnd: func() string { return "" }})
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
		b.client.send(`{"jsonrpc":"2.0","id":1,"method":"x"}`)
		require.Contains(t, b.client.receive(), `"id":1,"error":{"code":-32000`)
		require.ErrorContains(t, b.run(), "the server ended")
	})
}

func TestLargeMessages(t *testing.T) {
	testall.Only(t, "it sends lines of 64 MiB")
	gate := open()
	gate.After = func(context.Context, *mcpproxy.Call, mcpproxy.Result) mcpproxy.ResultDecision {
		return mcpproxy.ResultDecision{Texts: []string{"end"}}
	}
	b := newBench(t, gate, "n")
	big := strings.Repeat("x", 10<<20)
	b.client.send(call("1", "t", `{"a":"`+big+`"}`))
	require.Equal(t, call("1", "t", `{"a":"`+big+`"}`) == b.server.receive(), true)
	b.server.send(answer("1", big))
	require.Equal(t, b.client.receive() == strings.TrimSuffix(answer("1", big), "]}}")+
		`,{"type":"text","text":"\nend"}]}}`, true)
	b.client.send(`{"x":"` + strings.Repeat("x", 64<<20) + `"}`)
	require.Contains(t, b.client.receive(), "longer than 64 MiB")

	// An answer that is too long is none: who waits for it is told, if it can be nobody else's.
	long := answer("1", strings.Repeat("x", 64<<20))
	b.client.send(call("1", "t", "{}"))
	b.server.receive()
	b.server.send(long)
	require.Equal(t,
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"the server's answer cannot be passed on: its line `+
			`is longer than 64 MiB"}}`, b.client.receive())
	b.client.send(call("1", "t", "{}"), `{"jsonrpc":"2.0","id":2,"method":"x"}`)
	b.server.receive()
	b.server.receive()
	b.server.send(long, `{"jsonrpc":"2.0","id":2,"result":{}}`)
	b.client.receives(`{"jsonrpc":"2.0","id":2,"result":{}}`)

	// Whose answer was too long is unknown while several wait. Who has got none is told at the end.
	b.client.out.Close()
	b.server.ends()
	b.server.out.Close()
	b.client.receives(`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"the client's input has ended, and ` +
		`the server has not answered in time"}}`)
	require.NoError(t, b.run())
	b.client.ends()
}
