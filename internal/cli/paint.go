package cli

import (
	"fmt"
	"io"
	"os"
)

// coloured reports whether output to w may be coloured: w is this process's stdout and a terminal with colours, and
// NO_COLOR is not set (no-color.org).
func coloured(w io.Writer) bool {
	return os.Getenv("NO_COLOR") == "" && isTerminal(w, os.Stdout)
}

// isTerminal reports whether w is file, this process's stdout or stderr, and a terminal that can move its cursor.
func isTerminal(w io.Writer, file *os.File) bool {
	if d, ok := w.(descriptor); !ok || d != descriptor(file.Fd()) || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && !isNullDevice(file) && takesEscapes(file)
}

// paint colours texts, if true, by the number of SGR. The number 0 means no colour.
type paint bool

const (
	bold   = 1
	dim    = 2
	red    = 31
	green  = 32
	yellow = 33
)

func (p paint) as(colour int, text string) string {
	if !p || colour == 0 || text == "" {
		return text
	}
	return fmt.Sprintf("\x1b[%dm%s\x1b[0m", colour, text)
}

// duration returns milliseconds as a text for a person.
func duration(ms float64) string {
	switch {
	case ms >= 1e12: // in no log of hookrun
		return fmt.Sprintf("%.0e s", ms/1000)
	case ms >= 100_000:
		return fmt.Sprintf("%.0f s", ms/1000)
	case ms >= 1000:
		return fmt.Sprintf("%.1f s", ms/1000)
	case ms >= 100:
		return fmt.Sprintf("%.0f ms", ms)
	case ms >= 1:
		return fmt.Sprintf("%.1f ms", ms)
	}
	return fmt.Sprintf("%.2f ms", ms)
}
