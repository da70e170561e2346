package strictjson

import "github.com/hookrun/hookrun/internal/lib/lazy"

// CommentOrString matches comments, the start of an unclosed comment, and strings, which contain no comments.
var CommentOrString = lazy.Regexp{Text: `(?s)"(?:[^"\\]|\\.)*"?|//[^\n]*|/\*.*?\*/|/\*`}

// BlankComments replaces comments by blanks, so offsets stay the same. open is the offset of an unclosed comment, or
// -1.
func BlankComments(text string) (plain string, open int) {
	b := []byte(text)
	for _, at := range CommentOrString.Get().FindAllStringIndex(text, -1) {
		switch found := b[at[0]:at[1]]; {
		case string(found) == "/*":
			return "", at[0]
		case found[0] == '/':
			for i, c := range found {
				if c != '\n' && c != '\r' {
					found[i] = ' '
				}
			}
		}
	}
	return string(b), -1
}
