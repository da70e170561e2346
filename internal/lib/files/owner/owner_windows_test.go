package owner_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"

	"github.com/hookrun/hookrun/internal/lib/files/owner"
)

// restrict gives a file an access list of its own: this user, and what is written in SDDL.
func restrict(t *testing.T, path, more string) {
	t.Helper()
	descriptor, err := owner.Descriptor(more)
	require.NoError(t, err)
	list, _, err := descriptor.DACL()
	require.NoError(t, err)
	require.NoError(t, windows.SetNamedSecurityInfo(path, windows.SE_FILE_OBJECT,
		windows.DACL_SECURITY_INFORMATION|windows.PROTECTED_DACL_SECURITY_INFORMATION, nil, nil, list, nil))
}

// keepsUsers reports whether the system keeps access lists. Wine makes modes of them.
func keepsUsers(t *testing.T, path string) bool {
	restrict(t, path, "(A;;FR;;;AU)")
	d, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION)
	require.NoError(t, err)
	list, _, err := d.DACL()
	require.NoError(t, err)
	return list.AceCount == 2
}

func TestAccessLists(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	native := keepsUsers(t, path)
	for _, c := range []struct {
		more       string
		own, check string // "": no fault
		native     bool
	}{
		{"", "", "", false},
		{"(A;;FA;;;SY)(A;;FA;;;BA)", "", "", false},
		{"(A;;FR;;;WD)", "", "", false},
		{"(A;;FA;;;WD)", "can be written to by ", "can be written to by everybody", false},
		// As folders in C:\ have it.
		{"(A;;0x1301bf;;;AU)", "can be written to by ", "can be written to by everybody", true},
		{"(A;;FW;;;BU)", "can be written to by ", "can be written to by everybody", true},
		{"(A;OICIIO;FA;;;AU)", "", "", true},
		{"(A;;FW;;;PU)", "can be written to by ", "", true}, // one group
	} {
		if c.native && !native {
			continue
		}
		restrict(t, path, c.more)
		info, err := os.Stat(path)
		require.NoError(t, err)
		requireFault(t, c.check, owner.Check(path, info), c.more)
		requireFault(t, c.own, owner.CheckOwn(path), c.more)
		requireFault(t, c.own, owner.CheckManaged(path, true), c.more)
		require.Error(t, owner.CheckManaged(path, false), "it is this user's")
	}
	if !native {
		t.Log("Wine makes a mode of an access list: only Everyone was tried")
	}
}

func requireFault(t *testing.T, want string, err error, what string) {
	t.Helper()
	if want == "" {
		require.NoError(t, err, what)
		return
	}
	require.ErrorContains(t, err, want, what)
}

func TestFolderForOneUser(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a", "b")
	require.NoError(t, owner.MkdirAll(folder))
	require.NoError(t, owner.MkdirAll(folder))
	require.ErrorIs(t, owner.Mkdir(folder), os.ErrExist)
	for _, path := range []string{folder, filepath.Dir(folder)} {
		require.NoError(t, owner.CheckPrivate(path))
		require.NoError(t, owner.CheckAbove(path))
	}
	file := filepath.Join(folder, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.NoError(t, owner.CheckOwn(file))
	require.Error(t, owner.MkdirAll(filepath.Join(file, "c")))
	restrict(t, folder, "(A;OICI;FA;;;WD)")
	require.ErrorContains(t, owner.CheckAbove(folder), "can be written to by ")
	restrict(t, folder, "(A;OICI;FR;;;WD)")
	require.Error(t, owner.CheckPrivate(folder))
	require.NoError(t, owner.CheckAbove(folder))
	require.Regexp(t, `^icacls .* /inheritance:r /grant:r "\*S-1-5-21-.*:\(OI\)\(CI\)F" "\*S-1-5-18:`,
		owner.Mend(folder))
}
