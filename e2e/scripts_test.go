// Package e2e tests the commands: the real binary in real processes. The scripts of a command are in the folder
// testdata/script/COMMAND, and what a script cannot say is a test in Go, in a file COMMAND_*_test.go.
package e2e

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

func TestMain(m *testing.M) { binary.Main(m) }

func TestScripts(t *testing.T) {
	folders, err := filepath.Glob("testdata/script/*")
	require.NoError(t, err)
	require.NotEmpty(t, folders)
	for _, folder := range folders {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			t.Parallel()
			binary.Scripts(t, folder)
		})
	}
}
