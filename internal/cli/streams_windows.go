package cli

import "os"

type descriptor uintptr

// write writes to stdout or stderr. Package os writes UTF-16 to a console: bytes would be in its code page.
func (d descriptor) write(b []byte) (int, error) {
	if d == descriptor(os.Stderr.Fd()) {
		return os.Stderr.Write(b)
	}
	return os.Stdout.Write(b)
}
