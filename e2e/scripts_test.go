// Package e2e tests the commands: the real binary in real processes. The scripts of a command are in the folder
// testdata/script/COMMAND, those of a client in testdata/script of the client's folder. What a script cannot say is a
// test in Go, in a file COMMAND_*_test.go.
package e2e

import (
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

func TestMain(m *testing.M) { binary.Main(m) }

func TestScripts(t *testing.T) {
	folders, err := filepath.Glob("testdata/script/*")
	require.NoError(t, err)
	require.NotEmpty(t, folders)
	ofClients, err := filepath.Glob("../internal/clients/*/testdata/script")
	require.NoError(t, err)
	for _, folder := range append(folders, ofClients...) {
		name := strings.TrimSuffix(filepath.ToSlash(folder), "/testdata/script")
		t.Run(path.Base(name), func(t *testing.T) {
			t.Parallel()
			binary.Scripts(t, folder)
		})
	}
}
