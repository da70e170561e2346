package strictjson

import "github.com/hookrun/hookrun/internal/lazy"

// CommentOrString finds comments, the start of one that is never closed, and strings, in which there are none.
var CommentOrString = lazy.Regexp{Text: `(?s)"(?:[^"\\]|\\.)*"?|//[^\n]*|/\*.*?\*/|/\*`}

// BlankComments puts blanks in the place of comments, so that offsets and lines stay as they are. open is the offset of
// a comment that is never closed, or -1.
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
