package terminal

import (
	"os"

	"golang.org/x/sys/windows"
)

// open opens the console of this process, independent of the standard streams.
func open() (in, out *os.File, err error) {
	if in, err = os.OpenFile("CONIN$", os.O_RDWR, 0); err != nil {
		return nil, nil, err
	}
	if out, err = os.OpenFile("CONOUT$", os.O_RDWR, 0); err != nil {
		in.Close()
		return nil, nil, err
	}
	return in, out, nil
}

// discardInput discards the keys that were typed at a console and not read yet.
func discardInput(in *os.File) error { return windows.FlushConsoleInputBuffer(windows.Handle(in.Fd())) }

// takesEscapes makes a console interpret escape sequences instead of printing them, and reports whether it does.
func takesEscapes(file *os.File) bool {
	console, mode := windows.Handle(file.Fd()), uint32(0)
	return windows.GetConsoleMode(console, &mode) == nil &&
		windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}

// IsNull reports whether a file is the null device: a character device that is no console. os.SameFile cannot
// tell, because devices and pipes have no identity.
func IsNull(file *os.File) bool {
	handle, mode := windows.Handle(file.Fd()), uint32(0)
	kind, err := windows.GetFileType(handle)
	return err == nil && kind == windows.FILE_TYPE_CHAR && windows.GetConsoleMode(handle, &mode) != nil
}
