package permission

import (
	"slices"
	"strconv"
	"strings"

	"github.com/hookrun/hookrun/internal/lib/lazy"
	"github.com/hookrun/hookrun/internal/rules/shellline"
)

// mayStandIn reports whether a line may run a command of the pattern in a part that is not read: all words of the
// pattern stand in the text, or a command in the text has computed words that may be words of the pattern. Escapes may
// spell any word.
func (w wildcard) mayStandIn(line *shellLine) bool {
	decoded := spelled(line.text)
	text := quotes.Get().Replace(decoded)
	if w.wordsAppearIn(text) || w.wordsAppearIn(braces.Get().Replace(text)) ||
		// behind an escaped backslash, a line ends
		w.wordsAppearIn(quotes.Get().Replace(strings.ReplaceAll(decoded, `\\`, ""))) ||
		// a variable may be empty
		w.wordsAppearIn(quotes.Get().Replace(expansion.Get().ReplaceAllString(decoded, ""))) {
		return true
	}
	return slices.ContainsFunc(line.loose(), func(c shellline.Command) bool {
		return w.match(c.Text) || w.mayMatch(&c)
	})
}

// escapes matches the escapes of $'…', echo and printf that spell a character.
var escapes = lazy.Regexp{Text: `\\+(?:x([0-9A-Fa-f]{1,2})|[uU]0*([0-9A-Fa-f]{2})|(0?[0-7]{2,3}))`}

// spelled returns a text with the characters that escapes spell.
func spelled(text string) string {
	text = strings.ReplaceAll(text, `\_`, " ") // of env -S
	return escapes.Get().ReplaceAllStringFunc(text, func(escape string) string {
		digits, base := strings.TrimLeft(escape, `\`), 8
		if strings.ContainsAny(digits[:1], "xuU") {
			digits, base = digits[1:], 16
		}
		code, err := strconv.ParseUint(digits, base, 32)
		if err != nil || code < ' ' || code > '~' {
			return " "
		}
		return string(rune(code))
	})
}

// wordsAppearIn reports whether all words of the pattern appear in the text, in any order. Quotes, brackets and commas
// between words do not count, so `git push` appears in run(["git", "push"]).
func (w wildcard) wordsAppearIn(text string) bool {
	if len(w) == 0 {
		return true
	}
	texts := w[0] // the other alternative has the same words
	for i, rest := range texts {
		for first, more := true, true; more; first = false {
			var word string
			word, rest, more = strings.Cut(rest, " ")
			begins, ends := i == 0 || !first, i == len(texts)-1 || more
			if word != "" && !hasWord(text, word, begins, ends) {
				return false
			}
		}
	}
	return true
}

// hasWord reports whether a word appears in the text. begins and ends mean that the word must begin or end there, not
// inside a longer word. For `pu*` only the beginning is known.
func hasWord(text, word string, begins, ends bool) bool {
	for at := 0; ; at++ {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return false
		}
		at += i
		if (!begins || atStart(text[:at])) && (!ends || atEnd(text[at+len(word):])) {
			return true
		}
	}
}

// atStart reports whether a word can start after the text. In a string of another language \n is not an n, and the - of
// ${x-y} and ${x:-y} is not a part of y.
func atStart(before string) bool {
	if before == "" || !inWord(before[len(before)-1]) {
		return true
	}
	near := before[max(0, len(before)-longestName):]
	at := strings.LastIndex(near, "${")
	if at >= 0 && near[len(near)-1] == '-' && !strings.ContainsAny(near[at:], " \t\n}") {
		return true
	}
	return len(before) > 1 && before[len(before)-2] == '\\'
}

const longestName = 200 // of a variable with a default value

func atEnd(behind string) bool { return behind == "" || !inWord(behind[0]) }

func inWord(b byte) bool {
	return b == '_' || b == '-' || b == '.' || b >= 0x80 ||
		'0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

// expansion matches what may become nothing.
var expansion = lazy.Regexp{Text: `\$\{[^}]*\}|\$\([^)]*\)|\$[~=^]*(?:[A-Za-z_][A-Za-z0-9_]*|.)|` + "`[^`]*`"}

var (
	quotes = lazy.Value[*strings.Replacer]{Make: func() *strings.Replacer {
		return strings.NewReplacer("\\\n", "", "'", "", `"`, "", `\`, "")
	}}
	braces = lazy.Value[*strings.Replacer]{Make: func() *strings.Replacer {
		return strings.NewReplacer("{", "", "}", "")
	}}
)
