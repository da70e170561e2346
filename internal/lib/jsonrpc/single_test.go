package jsonrpc_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/lib/jsonrpc"
)

func TestSingles(t *testing.T) {
	told := map[bool]int{}
	answer := func(method, params string, _ bool) (_ jsonrpc.Result, _ func(context.Context) (jsonrpc.Result, error),
		err error) {
		r := jsonrpc.Result{JSON: []byte(params), Written: func(written bool) { told[written]++ }}
		switch method {
		case "fails":
			err = errors.New("no")
		case "panics":
			panic("oh")
		case "later":
			return jsonrpc.Result{}, func(ctx context.Context) (jsonrpc.Result, error) { return r, ctx.Err() }, nil
		}
		return r, nil, err
	}
	s := jsonrpc.NewSingles(jsonrpc.Limits{Calls: 1})
	ctx, cancel := context.WithCancel(t.Context())
	reply := func(text string) string {
		r := s.Reply(ctx, text, answer)
		r.Written(r.Text != nil)
		return string(r.Text)
	}
	require.Equal(t, `{"jsonrpc":"2.0","id":1,"result":{}}`+"\n",
		reply(`{"jsonrpc":"2.0","id":1,"method":"m","params":{}}`))
	require.Equal(t, `{"jsonrpc":"2.0","id":1,"result":[]}`+"\n",
		reply(`{"jsonrpc":"2.0","id":1,"method":"later","params":[]}`))
	require.Equal(t, map[bool]int{true: 2}, told)
	require.Contains(t, reply(`{"jsonrpc":"2.0","id":1,"method":"fails"}`), `"code":-32603,"message":"no"`)
	require.Contains(t, reply(`{"jsonrpc":"2.0","id":1,"method":"panics"}`), `"code":-32603`)
	require.Contains(t, reply(`{`), `"id":null,"error":{"code":-32700`)
	require.Empty(t, reply(`{"jsonrpc":"2.0","method":"m"}`))
	require.Equal(t, map[bool]int{true: 2, false: 2}, told)
	cancel()
	require.Contains(t, reply(`{"jsonrpc":"2.0","id":1,"method":"later"}`), "context canceled")
}

func TestSinglesAreBounded(t *testing.T) {
	s := jsonrpc.NewSingles(jsonrpc.Limits{Calls: 1, Waiting: 1})
	began, end := make(chan bool, 3), make(chan bool)
	call := func() error {
		_, err := s.Do(t.Context(), func() (jsonrpc.Result, func(context.Context) (jsonrpc.Result, error), error) {
			return jsonrpc.Result{}, func(context.Context) (jsonrpc.Result, error) {
				began <- true
				<-end
				return jsonrpc.Result{}, nil
			}, nil
		})
		return err
	}
	ended := make(chan error, 3)
	for range 3 {
		go func() { ended <- call() }()
	}
	<-began
	require.ErrorContains(t, <-ended, "2 calls are in flight already", "one runs and one waits")
	close(end)
	require.NoError(t, <-ended)
	require.NoError(t, <-ended)
	require.Len(t, began, 1)
}
