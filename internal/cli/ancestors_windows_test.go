package cli

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCommandLine(t *testing.T) {
	require.Equal(t, os.Args, commandLine(uint32(os.Getpid())))
	require.Empty(t, commandLine(0))
}
