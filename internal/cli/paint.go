package cli

import (
	"fmt"
	"io"
	"os"
)

// coloured reports whether what is written to w may be coloured: it is this process's stdout, that is a terminal which
// knows how, and its user does not object (no-color.org).
func coloured(w io.Writer) bool {
	return os.Getenv("NO_COLOR") == "" && isTerminal(w, os.Stdout)
}

// isTerminal reports whether w is a file of this process's, stdout or stderr, and a terminal that can move its cursor.
func isTerminal(w io.Writer, file *os.File) bool {
	if d, ok := w.(descriptor); !ok || d != descriptor(file.Fd()) || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && !leadsNowhere(file) && takesEscapes(file)
}

// paint is how a text is coloured, by the number of SGR; 0 is not at all.
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

// duration is so many milliseconds for a person.
func duration(ms float64) string {
	switch {
	case ms >= 1e12: // in no log of ours
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
