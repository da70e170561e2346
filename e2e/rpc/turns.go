//go:build unix

package rpc

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// Turns is a `hookrun serve` that answers one call after the other.
type Turns struct {
	*testing.T
	in  io.Writer
	out *bufio.Reader
}

func ServeTurns(t *testing.T, dir string, env ...string) *Turns {
	t.Helper()
	cmd := exec.Command(binary.Path, "serve", "-C", dir)
	cmd.Env = append(binary.Environment(dir), env...)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	return &Turns{t, in, bufio.NewReader(out)}
}

func (s *Turns) Call(method string, params binary.Object) (o binary.Outcome) {
	s.Helper()
	_, err := fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`+"\n", method,
		binary.JSON(s.T, params))
	require.NoError(s, err)
	line, err := s.out.ReadBytes('\n')
	require.NoError(s, err)
	var answer struct{ Result *binary.Outcome }
	require.NoError(s, json.Unmarshal(line, &answer), "%s", line)
	require.NotNil(s, answer.Result, "%s", line)
	require.Empty(s, answer.Result.Warnings)
	return *answer.Result
}
