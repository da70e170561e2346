package dialect

import (
	"fmt"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// KeptStdout states for messages how much of a hook's stdout package process keeps.
const KeptStdout = "16 MiB of output is kept"

// Capture is the kept part of an output stream: the head and, if the stream was longer, the tail. Head and Tail do not
// change any more.
type Capture struct {
	Head, Tail []byte
	Total      int64 // bytes written

	text string // the result of All; "": unknown
}

// LeftOut returns the number of bytes between head and tail that were not kept.
func (c *Capture) LeftOut() int64 { return c.Total - int64(len(c.Head)+len(c.Tail)) }

// Text returns the stream as text, without surrounding white space.
func (c *Capture) Text() string { return strings.TrimSpace(c.All()) }

// All returns the stream as text. Invalid UTF-8 becomes U+FFFD. A marker stands for the bytes left out.
func (c *Capture) All() string {
	if c.text == "" {
		c.text = decoded(c.joined())
	}
	return c.text
}

// joined returns head and tail. A head alone is not copied: a copy of megabytes takes longer than to read them.
func (c *Capture) joined() string {
	if c.Total == int64(len(c.Head)) {
		return unsafe.String(unsafe.SliceData(c.Head), len(c.Head))
	}
	var b strings.Builder
	b.Grow(len(c.Head) + len(c.Tail) + 50)
	b.Write(c.Head)
	if n := c.LeftOut(); n > 0 {
		fmt.Fprintf(&b, "\n[hookrun: %d bytes left out]\n", n)
	}
	b.Write(c.Tail)
	return b.String()
}

// decoded replaces invalid UTF-8 as the clients do: each invalid byte becomes U+FFFD, and a truncated character becomes
// a single U+FFFD.
func decoded(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r != utf8.RuneError || size > 1 {
			i += size
			continue
		}
		for size < len(s)-i && !utf8.FullRuneInString(s[i:i+size+1]) {
			size++
		}
		b.WriteString(s[:i])
		b.WriteRune(r)
		s, i = s[i+size:], 0
	}
	b.WriteString(s)
	return b.String()
}
