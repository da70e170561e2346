// Package e2e runs the scripts of all commands on the real binary. Each is in the testdata/script of its command's
// folder. Beside them are the tests that are Go, in packages of their own.
package e2e

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

func TestMain(m *testing.M) { binary.Main(m) }

func TestScripts(t *testing.T) {
	folders, err := filepath.Glob("*/testdata/script")
	require.NoError(t, err)
	require.NotEmpty(t, folders)
	for _, folder := range folders {
		t.Run(filepath.Dir(filepath.Dir(folder)), func(t *testing.T) {
			t.Parallel()
			binary.Scripts(t, folder)
		})
	}
}
