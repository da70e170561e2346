package cli

import (
	"io"
	"os"
)

// coloured reports whether what is written to w may be coloured: it is this process's stdout, that is a terminal which knows
// how, and its user does not object (no-color.org).
func coloured(w io.Writer) bool {
	d, ok := w.(descriptor)
	if !ok || d != descriptor(os.Stdout.Fd()) || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := os.Stdout.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && !stdoutIsNull()
}
