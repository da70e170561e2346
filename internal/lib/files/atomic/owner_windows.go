package atomic

import (
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// keepOwner gives a new file the access list of the old file, if a person or program has set that list. Otherwise both
// files inherit the list of the folder.
func keepOwner(file *os.File, path string, _ fs.FileInfo) error {
	old, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return err
	}
	control, _, err := old.Control()
	if err != nil || control&windows.SE_DACL_PROTECTED == 0 {
		return err
	}
	list, _, err := old.DACL()
	if err != nil {
		return err
	}
	const what = windows.DACL_SECURITY_INFORMATION | windows.PROTECTED_DACL_SECURITY_INFORMATION
	return windows.SetNamedSecurityInfo(file.Name(), windows.SE_FILE_OBJECT, what, nil, nil, list, nil)
}
