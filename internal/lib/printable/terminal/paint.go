package terminal

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/internal/lib/secret"
)

// Paint colours texts, if true, by the number of SGR. The number 0 means no colour.
type Paint bool

const (
	Bold   = 1
	Dim    = 2
	Red    = 31
	Green  = 32
	Yellow = 33
)

func (p Paint) As(colour int, text string) string {
	if !p || colour == 0 || text == "" {
		return text
	}
	return fmt.Sprintf("\x1b[%dm%s\x1b[0m", colour, text)
}

// Duration returns milliseconds as a text for a person.
func Duration(ms float64) string {
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

// Ellipsize returns a text in one line of at most most characters, cut in the middle, without control characters.
func Ellipsize(text string, most int) string {
	first, rest, more := strings.Cut(strings.TrimSpace(secret.Mask(text)), "\n")
	if first = strings.TrimRight(first, "\r"); more && strings.TrimSpace(rest) != "" {
		first += " …"
	}
	runes := []rune(Visible(first))
	if most = max(most, 3); len(runes) > most {
		half := (most - 1) / 2
		runes = slices.Concat(runes[:most-1-half], []rune("…"), runes[len(runes)-half:])
	}
	return string(runes)
}

// Visible replaces characters that control a terminal by a mark: an entry could otherwise write lines and hide others.
func Visible(text string) string {
	return strings.Map(func(r rune) rune {
		if printable.Hidden(r) {
			return utf8.RuneError
		}
		return r
	}, text)
}
