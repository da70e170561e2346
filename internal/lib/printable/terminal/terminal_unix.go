//go:build unix

package terminal

import "os"

// open opens the terminal of this process, independent of the standard streams.
func open() (in, out *os.File, err error) {
	if in, err = os.OpenFile("/dev/tty", os.O_RDONLY, 0); err != nil {
		return nil, nil, err
	}
	if out, err = os.OpenFile("/dev/tty", os.O_WRONLY, 0); err != nil {
		in.Close()
		return nil, nil, err
	}
	return in, out, nil
}

// takesEscapes reports whether a terminal understands escape sequences. On Unix all do, except for TERM=dumb.
func takesEscapes(*os.File) bool { return true }

// IsNull reports whether a file is the null device.
func IsNull(file *os.File) bool {
	null, err := os.Stat(os.DevNull)
	if err != nil {
		return false
	}
	info, err := file.Stat()
	return err == nil && os.SameFile(info, null)
}
