package ownpath_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"

	"github.com/hookrun/hookrun/internal/ownpath"
)

// restrict gives a file an access list of its own: this user, and what is written in SDDL.
func restrict(t *testing.T, path, more string) {
	t.Helper()
	descriptor, err := ownpath.Descriptor(more)
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
		requireFault(t, c.check, ownpath.Check(path, info), c.more)
		requireFault(t, c.own, ownpath.CheckOwn(path), c.more)
		requireFault(t, c.own, ownpath.CheckManaged(path, true), c.more)
		require.Error(t, ownpath.CheckManaged(path, false), "it is this user's")
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
	require.NoError(t, ownpath.MkdirAll(folder))
	require.NoError(t, ownpath.MkdirAll(folder))
	require.ErrorIs(t, ownpath.Mkdir(folder), os.ErrExist)
	for _, path := range []string{folder, filepath.Dir(folder)} {
		require.NoError(t, ownpath.CheckPrivate(path))
		require.NoError(t, ownpath.CheckAbove(path))
	}
	file := filepath.Join(folder, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.NoError(t, ownpath.CheckOwn(file))
	require.Error(t, ownpath.MkdirAll(filepath.Join(file, "c")))
	restrict(t, folder, "(A;OICI;FA;;;WD)")
	require.ErrorContains(t, ownpath.CheckAbove(folder), "can be written to by ")
	restrict(t, folder, "(A;OICI;FR;;;WD)")
	require.Error(t, ownpath.CheckPrivate(folder))
	require.NoError(t, ownpath.CheckAbove(folder))
	require.Regexp(t, `^icacls .* /inheritance:r /grant:r "\*S-1-5-21-.*:\(OI\)\(CI\)F" "\*S-1-5-18:`,
		ownpath.Mend(folder))
}
