//go:build unix

package binary

import (
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Python is the folder of the interpreter itself. What stands in PATH can be a script that looks for it, each time.
var Python = func() func(t *testing.T) string {
	find := sync.OnceValues(func() ([]byte, error) {
		return exec.Command("python3", "-c", "import sys; print(sys.executable, end='')").Output()
	})
	return func(t *testing.T) string {
		t.Helper()
		path, err := find()
		require.NoError(t, err)
		return filepath.Dir(string(path))
	}
}()
