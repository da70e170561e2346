package launch_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/launch"
)

// A process that answers many calls runs in the workspace. If the hook must have a process for one call, because the
// other is busy or gone, a command such as ./guard.py must be the same file.
func TestPersistentHookRunsInTheWorkspace(t *testing.T) {
	call := dialect.NewCall(dialect.Call{Workspace: t.TempDir(), Dir: t.TempDir()})
	follows := &dialect.Dialect{Run: dialect.Schedule{FollowsDir: true}}
	for workers, dir := range map[int]string{0: call.Dir, 1: call.Workspace} {
		h := &hook.Hook{Dialect: follows, Handler: &hook.Process{Workers: workers}}
		require.Equal(t, dir, launch.Dir(h, call), "%d workers", workers)
	}
}
