package permission

import "strings"

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

// atStart reports whether a word can start after the text. In a string of another language \n is not an n.
func atStart(before string) bool {
	if before == "" || !inWord(before[len(before)-1]) {
		return true
	}
	return len(before) > 1 && before[len(before)-2] == '\\'
}

func atEnd(behind string) bool { return behind == "" || !inWord(behind[0]) }

func inWord(b byte) bool {
	return b == '_' || b == '-' || b == '.' || b >= 0x80 ||
		'0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}
