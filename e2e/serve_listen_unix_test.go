//go:build unix

package e2e

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func newSocket(t *testing.T) string {
	short, err := os.MkdirTemp("", "hr") // the address of a socket has little room
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(short) })
	return filepath.Join(short, "s")
}

func connect(socket string) (io.ReadWriteCloser, error) { return net.Dial("unix", socket) }
