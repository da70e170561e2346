//go:build unix

package queue_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// openFiles is the number of open descriptors of this process.
func openFiles(t *testing.T) int {
	open, err := os.ReadDir("/dev/fd")
	require.NoError(t, err)
	return len(open)
}

const moreByThreads = 0
