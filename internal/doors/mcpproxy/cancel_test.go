package mcpproxy_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/doors/mcpproxy"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

func cancelOf(id int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id)
}

// refusing is a gate that refuses "rm", adds a text to the result of "read", and is idle for "t".
func refusing() (gate mcpproxy.Gate, given chan bool) {
	given = make(chan bool, 1000)
	gate.Before = func(_ context.Context, c *mcpproxy.Call) mcpproxy.CallDecision {
		return mcpproxy.CallDecision{Refused: c.Tool == "rm", Reason: "no"}
	}
	gate.After = func(_ context.Context, c *mcpproxy.Call, _ mcpproxy.Result) (r mcpproxy.ResultDecision) {
		if c.Tool == "read" {
			r = mcpproxy.ResultDecision{Texts: []string{"text"}, OnDelivered: func(ok bool) { given <- ok }}
		}
		return r
	}
	gate.Idle = func(c *mcpproxy.Call, _ bool) bool { return c.Tool == "t" }
	return gate, given
}

// serve plays a server until its input ends. It reports the ids of the calls and of the pings that it gets.
func (b *bench) serve(called func(id string), pinged chan<- string) {
	for line := range b.server.lines {
		id := gjson.Get(line, "id").Raw
		reply := `"result":{}`
		switch gjson.Get(line, "method").Str {
		case "tools/list":
			reply = `"result":{"tools":[` + toolsOf([]string{"t", "read", "rm", "equal"}) + `]}`
		case "tools/call":
			called(id)
			if gjson.Get(line, "params.name").Str == "equal" {
				reply = `"result":{"content":[],"content":[]}` // hookrun answers with an error
			}
		case "ping":
			pinged <- id
		default:
			continue
		}
		if _, err := io.WriteString(b.server.out, `{"jsonrpc":"2.0","id":`+id+`,`+reply+"}\n"); err != nil {
			break
		}
	}
	b.server.out.Close()
}

// A client that reads late has no answer to a call that it has cancelled, though the answer was ready before.
func TestCancelledWhileTheAnswerWaits(t *testing.T) {
	const ping, pong = `{"jsonrpc":"2.0","id":%d,"method":"ping"}`, `{"jsonrpc":"2.0","id":%d,"result":{}}`
	gate, given := refusing()
	until := make(chan struct{})
	b := newUnread(t, gate, "n", until)
	pinged := make(chan string, 10)
	go b.serve(func(string) {}, pinged)
	b.client.send(fmt.Sprintf(ping, 1000))
	<-pinged // so its answer is being written from now on, and all others wait
	const calls = 500
	for i := range calls {
		b.client.send(call(fmt.Sprint(i), []string{"t", "read", "rm", "equal", "none"}[i%5], "{}"))
	}
	b.client.send(call("2000", "read", "{}"), fmt.Sprintf(ping, 1001))
	<-pinged
	for i := range calls {
		b.client.send(cancelOf(i))
	}
	b.client.send(fmt.Sprintf(ping, 1002))
	<-pinged // so hookrun has read what is before it
	close(until)
	b.client.receives(fmt.Sprintf(pong, 1000))
	require.ElementsMatch(t, []string{fmt.Sprintf(pong, 1001), fmt.Sprintf(pong, 1002),
		`{"jsonrpc":"2.0","id":2000,"result":{"content":[{"type":"text","text":"\ntext"}]}}`},
		[]string{b.client.receive(), b.client.receive(), b.client.receive()})
	b.client.out.Close()
	require.NoError(t, b.run())
	b.client.ends()
	delivered := 0
	for len(given) > 0 {
		if <-given {
			delivered++
		}
	}
	require.Equal(t, 1, delivered)
}

// TestCancelRaces cancels calls at any moment. A call runs at most once and has at most one answer, and none behind the
// answer to a later request.
func TestCancelRaces(t *testing.T) {
	calls := 2_000
	if testall.On() {
		calls = 100_000
	}
	gate, _ := refusing()
	gate.After = open().After
	b := newBench(t, gate, "n")
	ran := map[string]int{}
	pinged := make(chan string, 1)
	served := make(chan struct{})
	go func() {
		defer close(served)
		b.serve(func(id string) { ran[id]++ }, pinged)
	}()
	random := rand.New(rand.NewPCG(1, 2))
	for i := range calls {
		tool := []string{"t", "read", "rm", "none"}[random.IntN(4)]
		id, end := fmt.Sprint(i), fmt.Sprintf(`{"jsonrpc":"2.0","id":"end %d","method":"ping"}`, i)
		b.client.send(call(id, tool, "{}"))
		for range random.IntN(30) {
			runtime.Gosched()
		}
		cancels := random.IntN(3) > 0
		answers := 0
		if !cancels { // the answer to a refused call may come behind the one to the ping
			require.Equal(t, id, gjson.Get(b.client.receive(), "id").Raw)
			answers++
		} else {
			b.client.send(cancelOf(i))
		}
		b.client.send(end)
		<-pinged
		for line := b.client.receive(); !strings.Contains(line, `"end `); line = b.client.receive() {
			require.Equal(t, id, gjson.Get(line, "id").Raw)
			answers++
		}
		require.LessOrEqual(t, answers, 1)
	}
	b.client.out.Close()
	require.NoError(t, b.run())
	b.client.ends()
	<-served
	for id, times := range ran {
		require.Equal(t, 1, times, id)
	}
}
