package cli

import (
	"os"

	"golang.org/x/sys/windows"
)

type descriptor uintptr

func (d descriptor) write(b []byte) (int, error) { return windows.Write(windows.Handle(d), b) }

// leadsNowhere reports whether a file is the null device: a device of characters that is no console. os.SameFile cannot
// tell, since devices and pipes have no identity.
func leadsNowhere(file *os.File) bool {
	handle, mode := windows.Handle(file.Fd()), uint32(0)
	kind, err := windows.GetFileType(handle)
	return err == nil && kind == windows.FILE_TYPE_CHAR && windows.GetConsoleMode(handle, &mode) != nil
}
