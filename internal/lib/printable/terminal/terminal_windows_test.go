package terminal

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"
)

func TestTakesEscapes(t *testing.T) {
	read, write, err := os.Pipe()
	require.NoError(t, err)
	defer read.Close()
	defer write.Close()
	require.False(t, takesEscapes(write))

	in, out, err := open()
	if err != nil {
		t.Skipf("no console on Windows here: %v", err)
	}
	defer in.Close()
	defer out.Close()
	if !takesEscapes(out) {
		t.Skip("this console of Windows, or Wine's, takes no escape sequences")
	}
	var mode uint32
	require.NoError(t, windows.GetConsoleMode(windows.Handle(out.Fd()), &mode))
	require.NotZero(t, mode&windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING)
}
