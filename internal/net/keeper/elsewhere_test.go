//go:build linux

package keeper_test

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/process/processtest"
	"github.com/hookrun/hookrun/internal/net/keeper"
)

// A container that shares the state folder has process ids of its own. The number of a keeper there is that of any
// process here, which must not be killed if the keeper hangs.
func TestKeeperOfAnotherContainerIsNotKilledByItsNumber(t *testing.T) {
	t.Parallel()
	b := newBench(t, each(answers))
	other := exec.Command("sleep", "600")
	require.NoError(t, other.Start())
	t.Cleanup(func() {
		_ = other.Process.Kill()
		_ = other.Wait()
	})
	folder := filepath.Join(b.State, "keepers")
	require.NoError(t, os.Mkdir(folder, 0o700))
	l, err := net.Listen("unix", filepath.Join(folder, "elsewhere.sock"))
	require.NoError(t, err)
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go answerElsewhere(c, other.Process.Pid)
		}
	}()

	all := keeper.List(b.State)
	require.Len(t, all, 1)
	require.True(t, all[0].Elsewhere)
	require.Zero(t, all[0].Memory)
	require.ErrorContains(t, all[0].End(), "in another container")
	require.True(t, processtest.Alive(other.Process.Pid))
}

// answerElsewhere says what a keeper keeps, and hangs when it is told to end.
func answerElsewhere(c net.Conn, pid int) {
	defer c.Close()
	const looks, shows = 20, 21
	head := make([]byte, 5)
	if _, err := io.ReadFull(c, head); err == nil && head[0] == looks {
		text, _ := json.Marshal(map[string]any{"hook": "one", "pid": pid, "Numbers": "pid:[1]"})
		_, _ = c.Write(append(binary.BigEndian.AppendUint32([]byte{shows}, uint32(len(text))), text...))
	}
	_, _ = io.ReadFull(c, head[:1])
}
