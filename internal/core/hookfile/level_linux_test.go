package hookfile_test

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
)

// Managed hooks that a user may not read are no absence of hooks.
func TestManagedFileThatMayNotBeRead(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root, to be somebody else")
	}
	l := newLevels(t)
	l.write(hook.ManagedLevel, `{"hooks":[`+ruleOf("a")+`]}`)
	folder := filepath.Dir(l.Managed)
	require.NoError(t, os.Chmod(filepath.Dir(l.dir), 0o755)) // of the test, for everybody to search
	for _, path := range []string{folder, l.Managed} {
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.NoError(t, os.Chmod(path, 0o700))
		func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			require.NoError(t, syscall.Setfsuid(65534))
			defer func() { require.NoError(t, syscall.Setfsuid(0)) }()
			_, err = hookfile.Load(l.Options)
		}()
		require.EqualError(t, err, l.Managed+": reading the hooks file: permission denied; fix it with: "+
			"sudo chmod a+rX "+folder+" "+l.Managed)
		require.NoError(t, os.Chmod(path, info.Mode()))
	}
}
