package ancestor

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCommandLine(t *testing.T) {
	require.Empty(t, commandLine(0))
	if commandLine(uint32(os.Getpid())) == nil {
		t.Skip("Wine tells no command line")
	}
	require.Equal(t, os.Args, commandLine(uint32(os.Getpid())))
}
