package dialect

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// KeptStdout says how much of a hook's stdout package process keeps.
const KeptStdout = "16 MiB of output is kept"

// Capture is what was kept of an output stream: its head and, where that is not all, its tail.
type Capture struct {
	Head, Tail []byte
	Total      int64 // bytes written
}

// LeftOut is the number of bytes between head and tail that were not kept.
func (c *Capture) LeftOut() int64 { return c.Total - int64(len(c.Head)+len(c.Tail)) }

// Text returns the stream as text without white space around it.
func (c *Capture) Text() string { return strings.TrimSpace(c.All()) }

// All returns the stream as text. What is no UTF-8 becomes U+FFFD. The place of what was left out is marked.
func (c *Capture) All() string {
	var b strings.Builder
	b.Grow(len(c.Head) + len(c.Tail) + 50) // megabytes are copied once
	b.Write(c.Head)
	if n := c.LeftOut(); n > 0 {
		fmt.Fprintf(&b, "\n[hookrun: %d bytes left out]\n", n)
	}
	b.Write(c.Tail)
	return decoded(b.String())
}

// decoded is a hook's output as the clients read it: of what is no UTF-8 each byte becomes U+FFFD, and so does, as a
// whole, the beginning of a character that was cut.
func decoded(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for s != "" {
		r, size := utf8.DecodeRuneInString(s)
		for r == utf8.RuneError && size < len(s) && !utf8.FullRuneInString(s[:size+1]) {
			size++
		}
		b.WriteRune(r)
		s = s[size:]
	}
	return b.String()
}
