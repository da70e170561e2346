package runlog

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/strictjson"
)

// mark stands for what was taken out.
const mark = "[redacted]"

// A text that is longer than maxText is read as far as it may be shown, and ahead further. So much is read beyond its
// first maxText characters, since they may shrink, and so much again of which nothing is shown: a secret that begins
// before is seen to its end.
const ahead = 16 << 10

// maxMatches of one pattern fill what is shown of a text. Of what is behind them nothing is shown: to look for more may
// cost the square of its length.
const maxMatches = maxText / len(mark)

// cleaner takes secrets out of texts.
type cleaner struct {
	patterns []*regexp.Regexp
	found    bool // something was taken out
	spans    []span
}

type span struct{ from, to int }

// hide returns what stands for a secret.
func (c *cleaner) hide() string {
	c.found = true
	return mark
}

// window returns how much of a text to read, and how much of that to show. size is that of the text in characters.
func window(text string, size int) (read, show int) {
	if size <= maxText {
		return len(text), len(text)
	}
	show = min(len(text), firstCharacters(text, maxText)+ahead)
	read = min(len(text), show+ahead)
	if read == len(text) {
		return read, read
	}
	for show > 0 && !utf8.RuneStart(text[show]) && text[show-1] >= utf8.RuneSelf {
		show--
	}
	return read, show
}

// excerpt returns what a line shows of a text, and how many characters the text has: if more than maxText, its
// beginning.
func (c *cleaner) excerpt(text string) (shown string, size int) {
	size = utf8.RuneCountInString(text)
	read, show := window(text, size)
	shown = c.text(text[:read], show)
	if size > maxText {
		shown = shown[:firstCharacters(shown, maxText)]
	}
	return shown, size
}

// excerptJSON is excerpt for a JSON value. The whole of one stays JSON.
func (c *cleaner) excerptJSON(value []byte) (shown string, size int) {
	size = utf8.RuneCount(value)
	text := string(value[:min(len(value), utf8.UTFMax*maxText+2*ahead)])
	read, show := window(text, size)
	shown = string(c.json(make([]byte, 0, min(read, utf8.UTFMax*maxText)), text[:read], show, false))
	if size > maxText {
		shown = shown[:firstCharacters(shown, maxText)]
	}
	return shown, size
}

// firstCharacters returns where the first n characters of s end. A byte that is no UTF-8 counts as one.
func firstCharacters(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

// text returns a text without its secrets, as far as show. What begins before and ends behind it is taken out as a
// whole.
func (c *cleaner) text(s string, show int) string {
	c.spans = c.spans[:0]
	for _, re := range c.patterns {
		matches := re.FindAllStringIndex(s, maxMatches)
		for i, m := range matches {
			if m[0] == m[1] { // of a pattern like \b: there is nothing to take out
				continue
			}
			if i == maxMatches-1 {
				m[1] = len(s)
			}
			c.spans = append(c.spans, span{m[0], m[1]})
		}
	}
	show = min(show, c.scan(s))
	slices.SortFunc(c.spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	if len(c.spans) == 0 || c.spans[0].from >= show {
		return s[:show]
	}
	var b strings.Builder
	at := 0
	for i := 0; i < len(c.spans) && c.spans[i].from < show; i++ {
		if sp := c.spans[i]; sp.from > at || sp.from == 0 && at == 0 {
			b.WriteString(s[at:sp.from])
			b.WriteString(c.hide())
		}
		at = max(at, c.spans[i].to)
	}
	if at < show {
		b.WriteString(s[at:show])
	}
	return b.String()
}

// json appends a compact JSON value without its secrets, as far as show. The value may be cut off anywhere. hidden: its
// texts are secrets whatever they say.
func (c *cleaner) json(dst []byte, doc string, show int, hidden bool) []byte {
	asked := false  // the last element of an array was a flag like --password
	paired := false // the object has said {"name": "PASSWORD", and its "value" is to come
	key := ""
	for i := 0; i < show && (show == len(doc) || len(dst) <= utf8.UTFMax*maxText); {
		switch doc[i] {
		case ' ', '\t', '\n', '\r':
			i++
		case '{', '}', '[', ']', ':', ',':
			asked = asked && doc[i] == ','
			paired = paired && doc[i] != '{' && doc[i] != '}'
			dst = append(dst, doc[i])
			i++
		case '"':
			text, end, whole := unquote(doc, i)
			colon := skip(doc, end, " \t\r\n")
			if colon < len(doc) && doc[colon] == ':' {
				dst = append(strictjson.AppendString(dst, c.text(text, len(text))), ':')
				i = skip(doc, colon+1, " \t\r\n")
				asked = false
				key = strings.ToLower(text)
				switch kind := named(text); {
				case folder(text, doc[i:]):
				case kind >= secret, paired && key == "value":
					if end := valueEnd(doc, i); worth(doc[i:end]) && i < show {
						dst = strictjson.AppendString(dst, c.hide())
						i = end
					}
				case kind == counted && !hidden:
					end := valueEnd(doc, i)
					dst = c.json(dst, doc[i:end], min(end, max(i, show))-i, true)
					i = end
				}
				continue
			}
			paired = paired || (key == "name" || key == "key") && named(text) >= secret
			limit := len(text)
			if !whole {
				limit = max(0, limit-ahead)
			}
			if asked || hidden && strings.Trim(text, "0123456789") != "" {
				text = c.hide()
				asked = false
			} else {
				asked = strings.HasPrefix(text, "-") && named(text) >= secret && !strings.ContainsAny(text, "= \n")
				text = c.text(text, limit)
			}
			dst = strictjson.AppendString(dst, text)
			i = end
		default:
			end := valueEnd(doc, i)
			asked = false
			number := doc[i:end]
			if slices.ContainsFunc(c.patterns, func(re *regexp.Regexp) bool { return re.MatchString(number) }) {
				dst = strictjson.AppendString(dst, c.hide())
			} else {
				dst = append(dst, number...)
			}
			i = end
		}
	}
	return dst
}

// worth reports whether a value under a secret's name can be one: yes, no, null and nothing are not.
func worth(value string) bool {
	switch value {
	case "", "true", "false", "null", `""`, "{}", "[]":
		return false
	}
	return true
}

// skip returns where a run of some bytes ends.
func skip(s string, i int, bytes string) int {
	for i < len(s) && strings.IndexByte(bytes, s[i]) >= 0 {
		i++
	}
	return i
}

// unquote reads the JSON string that begins at i. whole is false if it is cut off, maybe within an escape.
func unquote(doc string, i int) (text string, end int, whole bool) {
	inner, end := quoted(doc, i, 0)
	whole = inner < end
	if text = doc[i+1 : inner]; !strings.Contains(text, `\`) {
		return text, end, whole
	}
	if whole {
		return strictjson.Text(doc[i:end]), end, true
	}
	for cut := end; cut > max(i, end-len(`\u0000`)); cut-- {
		if raw := doc[i:cut] + `"`; gjson.Valid(raw) {
			return strictjson.Text(raw), end, false
		}
	}
	return "", end, false // no JSON
}

// valueEnd returns where the JSON value ends that begins at i, or is cut off.
func valueEnd(doc string, i int) int {
	if i >= len(doc) {
		return len(doc)
	}
	switch doc[i] {
	case '"':
		_, end := quoted(doc, i, 0)
		return end
	case '{', '[':
		return bracketed(doc, i, 0)
	}
	if n := strings.IndexAny(doc[i:], ",]} \t\r\n\""); n > 0 {
		return i + n
	} else if n == 0 {
		return i + 1 // no JSON: go on somehow
	}
	return len(doc)
}

// bracketed returns where the array or object ends that begins at i. Its quotes have slashes backslashes before them.
func bracketed(s string, i, slashes int) int {
	for depth := 0; i < len(s); {
		switch s[i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"':
			_, i = quoted(s, i, slashes)
			continue
		}
		i++
	}
	return len(s)
}

// quoted returns where the text ends that the quote at i opens, and where its closing quote does. In a text within a
// text quotes have slashes backslashes before them; those with more belong to the text.
func quoted(s string, i, slashes int) (inner, end int) {
	for end = i + 1; ; end++ {
		n := strings.IndexByte(s[end:], s[i])
		if n < 0 {
			return len(s), len(s)
		}
		end += n
		inner = end
		for inner > i+1 && s[inner-1] == '\\' {
			inner--
		}
		switch run := end - inner; {
		case slashes == 0 && run%2 == 0:
			return end, end + 1
		case slashes > 0 && run <= slashes:
			return inner, end + 1
		}
	}
}
