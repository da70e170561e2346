package trust_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"

	"github.com/hookrun/hookrun/internal/lib/files/owner"
	"github.com/hookrun/hookrun/internal/trust"
)

// A record that somebody has open can be read, and is replaced or removed once it is closed; until then it stays whole.
func TestReaderOfTheRecords(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	store, err := trust.Open(state, "")
	require.NoError(t, err)
	f := &trust.Fingerprint{Workspace: t.TempDir()}
	require.NoError(t, store.Allow(f))
	files, err := filepath.Glob(filepath.Join(state, "allowed", "*.json"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	require.NoError(t, owner.CheckPrivate(filepath.Dir(files[0])))

	reader, err := os.Open(files[0])
	require.NoError(t, err)
	require.Error(t, store.Allow(f))
	_, err = store.Deny(f)
	require.Error(t, err)
	record, err := store.Allowed(f)
	require.NoError(t, err)
	require.NotNil(t, record)
	require.NoError(t, reader.Close())
	require.NoError(t, store.Allow(f))
	was, err := store.Deny(f)
	require.NoError(t, err)
	require.True(t, was)
}

// Who can write to the state folder can say that hooks are allowed.
func TestStateThatOthersCanWrite(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	require.NoError(t, os.Mkdir(state, 0o700))
	descriptor, err := owner.Descriptor("(A;OICI;FA;;;WD)")
	require.NoError(t, err)
	list, _, err := descriptor.DACL()
	require.NoError(t, err)
	require.NoError(t, windows.SetNamedSecurityInfo(state, windows.SE_FILE_OBJECT,
		windows.DACL_SECURITY_INFORMATION|windows.PROTECTED_DACL_SECURITY_INFORMATION, nil, nil, list, nil))
	_, err = trust.Open(state, "")
	require.ErrorContains(t, err, "can be written to by ")
	require.ErrorContains(t, err, "; fix it with: icacls ")
	_, err = trust.Open(filepath.Join(state, "below"), "")
	require.ErrorContains(t, err, "can be written to by ")
}
