//go:build linux

// Package rpc talks to "hookrun serve" for tests, as a client and as an agent loop that waits for each answer.
package rpc

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// AnsweredOnce is once for a server with a method of another name.
func (c *Client) AnsweredOnce(method string) {
	c.Helper()
	require.Nil(c, c.Call(method, nil).Error)
	c.Mu.Lock()
	defer c.Mu.Unlock()
	for id, n := range c.Count {
		require.Equal(c, 1, n, id)
	}
}

// Reply is the answer to a request.
type Reply struct {
	ID     json.RawMessage
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}

// Outcome is the result of a call that had a verdict.
func (r Reply) Outcome(t testing.TB) (o binary.CallOutcome) {
	t.Helper()
	require.Nil(t, r.Error)
	require.NoError(t, json.Unmarshal(r.Result, &o))
	return o
}

// Client is one connection. It may be used by several goroutines.
type Client struct {
	testing.TB
	writing sync.Mutex
	W       io.WriteCloser

	Mu    sync.Mutex
	Next  int
	came  map[string]chan Reply
	Count map[string]int
	Ended chan struct{}
}

func NewClient(t *testing.T, r io.ReadCloser, w io.WriteCloser) *Client {
	c := &Client{TB: t, W: w, came: map[string]chan Reply{}, Count: map[string]int{}, Ended: make(chan struct{})}
	go func() {
		defer close(c.Ended)
		lines := bufio.NewReader(r)
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return
			}
			var a Reply
			if json.Unmarshal(line, &a) != nil {
				a.ID = json.RawMessage("unreadable")
			}
			c.Mu.Lock()
			c.Count[string(a.ID)]++
			c.Mu.Unlock()
			select {
			case c.answers(string(a.ID)) <- a:
			default: // nobody reads so many answers to one request: the count tells
			}
		}
	}()
	t.Cleanup(func() {
		w.Close()
		r.Close()
	})
	return c
}

func (c *Client) answers(id string) chan Reply {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	if c.came[id] == nil {
		c.came[id] = make(chan Reply, 4)
	}
	return c.came[id]
}

func (c *Client) Line(text string) {
	c.Helper()
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := io.WriteString(c.W, text+"\n")
	require.NoError(c, err)
}

// Send sends a request and returns its id.
func (c *Client) Send(method string, params binary.Hook) string {
	c.Helper()
	c.Mu.Lock()
	c.Next++
	id := strconv.Itoa(c.Next)
	c.Mu.Unlock()
	text, err := json.Marshal(binary.Hook{"jsonrpc": "2.0", "id": json.RawMessage(id), "method": method,
		"params": params})
	require.NoError(c, err)
	c.Line(string(text))
	return id
}

// Answer waits for the answer to a request.
func (c *Client) Answer(id string) Reply {
	c.Helper()
	select {
	case a := <-c.answers(id):
		return a
	case <-time.After(binary.Patience):
		require.Fail(c, "no answer", "to the request %s", id)
	}
	return Reply{}
}

func (c *Client) Call(method string, params binary.Hook) Reply {
	c.Helper()
	return c.Answer(c.Send(method, params))
}

// Tool asks the hooks before a tool.
func (c *Client) Tool(name string, more ...binary.Hook) binary.CallOutcome {
	c.Helper()
	return c.Call("pre-tool", ToolParams(name, more...)).Outcome(c)
}

func ToolParams(name string, more ...binary.Hook) binary.Hook {
	params := binary.Hook{"tool": name}
	for _, m := range more {
		for k, v := range m {
			params[k] = v
		}
	}
	return params
}

func (c *Client) Cancel(id string) {
	c.Line(fmt.Sprintf(`{"jsonrpc":"2.0","method":"$/cancel","params":{"id":%s}}`, id))
}

// Once requires that every request so far has one answer and no more.
func (c *Client) Once() {
	c.Helper()
	require.Nil(c, c.Call("ping", nil).Error)
	c.Mu.Lock()
	defer c.Mu.Unlock()
	require.Len(c, c.Count, c.Next)
	for id, n := range c.Count {
		require.Equal(c, 1, n, id)
	}
}

// HookPID asks the hook for its number.
func (c *Client) HookPID() int {
	c.Helper()
	o := c.Tool("pid")
	require.Equal(c, "continue", o.Decision, o.Reason)
	require.Len(c, o.Inject, 1)
	pid, err := strconv.Atoi(o.Inject[0].Content)
	require.NoError(c, err)
	return pid
}
