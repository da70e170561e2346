// Package shellword quotes words for the shells that run the commands written by hookrun.
//
//	command := shellword.POSIX(path) + " fire || exit 2"
//	hint := "hookrun allow " + shellword.Local(folder)
//
// Guarantee: the shell gives the program exactly the word. Cmd returns an error if no quoting for cmd.exe exists.
package shellword

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/hookrun/hookrun/internal/lib/lazy"
)

// POSIX quotes a word for sh, bash, zsh and fish.
func POSIX(word string) string {
	if isPlain(word, "/._-+:@%,=") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// In PowerShell each of these characters is a single quote, and two in a row are the character.
var (
	single = lazy.Value[*strings.Replacer]{Make: func() *strings.Replacer {
		return strings.NewReplacer("'", "''", "‘", "‘‘", "’", "’’", "‚", "‚‚", "‛", "‛‛")
	}}
	unsingle = lazy.Value[*strings.Replacer]{Make: func() *strings.Replacer {
		return strings.NewReplacer("''", "'", "‘‘", "‘", "’’", "’", "‚‚", "‚", "‛‛", "‛")
	}}
	inSingle = lazy.Regexp{Text: `^'((?:[^'‘’‚‛]|''|‘‘|’’|‚‚|‛‛)*)'`}
)

// PowerShell quotes a word for Windows PowerShell and PowerShell 7.
func PowerShell(word string) string { return "'" + single.Get().Replace(word) + "'" }

// FromPowerShell reads the word at the start of a text quoted by PowerShell. rest is the text after the word.
func FromPowerShell(text string) (word, rest string, found bool) {
	m := inSingle.Get().FindStringSubmatch(text)
	if m == nil {
		return "", text, false
	}
	return unsingle.Get().Replace(m[1]), text[len(m[0]):], true
}

// Cmd quotes a word for cmd.exe. It refuses %NAME%, because cmd.exe replaces %NAME% between quotes too, and no
// character prevents this.
func Cmd(word string) (string, error) {
	if i := strings.IndexAny(word, "\"%\r\n"); i >= 0 {
		return "", fmt.Errorf("cmd.exe would read the %q in %q as more than a text", word[i:i+1], word)
	}
	return `"` + word + `"`, nil
}

// windowsHint quotes a word for a person on Windows, whose shell may be PowerShell or cmd.exe. Double quotes work in
// both. If either shell would replace something in double quotes, the word is quoted for PowerShell.
func windowsHint(word string) string {
	switch {
	case isPlain(word, `/\._-+:=`):
		return word
	case strings.ContainsAny(word, "\"$`%“”„"):
		return PowerShell(word)
	}
	return `"` + word + `"`
}

// isPlain reports whether a word needs no quotes: all its characters are letters, digits, special or not ASCII.
func isPlain(word, special string) bool {
	return word != "" && !strings.ContainsFunc(word, func(r rune) bool {
		return r < utf8.RuneSelf && !strings.ContainsRune(special, r) &&
			!('0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z')
	})
}
