//go:build unix

package trust_test

import (
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/trust"
)

// Who can replace a folder above the state can say that hooks are allowed.
func TestFoldersAboveTheState(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can make folders of other users")
	}
	const nobody = 65534
	for name, c := range map[string]struct {
		mode  os.FileMode
		owner int
		fault string
	}{
		"this user's":            {0o755, os.Getuid(), ""},
		"of all, sticky":         {0o777 | os.ModeSticky, os.Getuid(), ""},
		"of all":                 {0o777, os.Getuid(), "can be written to by everybody"},
		"of another":             {0o755, nobody, "belongs to another user"},
		"of another, sticky":     {0o777 | os.ModeSticky, nobody, "belongs to another user"},
		"of another, all sticky": {0o755 | os.ModeSticky, nobody, "belongs to another user"},
	} {
		above := filepath.Join(t.TempDir(), "above")
		require.NoError(t, os.Mkdir(above, 0o700))
		require.NoError(t, os.Chown(above, c.owner, -1))
		require.NoError(t, os.Chmod(above, c.mode))
		_, err := trust.Open(filepath.Join(above, "state"), "")
		if c.fault == "" {
			require.NoError(t, err, name)
			continue
		}
		require.ErrorContains(t, err, c.fault, name)
	}
}

// What is in the way of the state folder is not the same as nothing that was ever allowed.
func TestStateFolderThatIsNone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := trust.Open(file, "")
	require.ErrorContains(t, err, file+" is no folder; remove it")
}

// Calls of a new session that begin at once do not take each other's record for something else.
func TestFirstCallsAtOnce(t *testing.T) {
	store, err := trust.Open(t.TempDir(), "")
	require.NoError(t, err)
	dir := t.TempDir()
	var states [3]*trust.Fingerprint // each call takes its own
	for i := range states {
		_, states[i] = take(t, dir, `{"hooks": []}`)
	}
	for i := range 300 {
		rules := trust.Rules{Pin: true, Session: strconv.Itoa(i)}
		var calls sync.WaitGroup
		for _, now := range states {
			calls.Go(func() {
				j, err := store.Judge(now, rules)
				if err == nil && j.Unpinned {
					j, err = store.Pin(now, rules, j)
				}
				assert.NoError(t, err)
				assert.Empty(t, j.Cause)
			})
		}
		calls.Wait()
	}
}
