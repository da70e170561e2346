package runlog

import (
	"regexp"
	"unicode/utf8"

	"github.com/hookrun/hookrun/internal/lib/secret"
)

// cleaner removes secrets from texts, and cuts long texts. A text longer than maxText is read further: the first
// secret.Ahead bytes more may be shown, because a secret is longer than the mark.
type cleaner struct{ secret.Cleaner }

func newCleaner(patterns []*regexp.Regexp) cleaner {
	return cleaner{secret.Cleaner{Patterns: patterns, Limit: utf8.UTFMax * maxText}}
}

// window returns how many bytes of a text to read, and how many of these to show. size is the length of the text in
// characters.
func window(text string, size int) (read, show int) {
	if size <= maxText {
		return len(text), len(text)
	}
	show = min(len(text), firstCharacters(text, maxText)+secret.Ahead)
	read = min(len(text), show+secret.Ahead)
	if read == len(text) {
		return read, read
	}
	for show > 0 && !utf8.RuneStart(text[show]) && text[show-1] >= utf8.RuneSelf {
		show--
	}
	return read, show
}

// excerpt returns the form of a text in a line, and the text's length in characters. A text longer than maxText is cut.
func (c *cleaner) excerpt(text string) (shown string, size int) {
	size = utf8.RuneCountInString(text)
	read, show := window(text, size)
	shown = c.Text(text[:read], show)
	if size > maxText {
		shown = shown[:firstCharacters(shown, maxText)]
	}
	return shown, size
}

// excerptJSON is excerpt for a JSON value. An uncut value stays JSON.
func (c *cleaner) excerptJSON(value []byte) (shown string, size int) {
	size = utf8.RuneCount(value)
	text := string(value[:min(len(value), utf8.UTFMax*maxText+2*secret.Ahead)])
	read, show := window(text, size)
	shown = string(c.JSON(make([]byte, 0, min(read, utf8.UTFMax*maxText)), text[:read], show))
	if size > maxText {
		shown = shown[:firstCharacters(shown, maxText)]
	}
	return shown, size
}

// firstCharacters returns the length of the first n characters of s in bytes. Invalid UTF-8 bytes count as characters.
func firstCharacters(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}
