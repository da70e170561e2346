package runlog

import (
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

// mark replaces a secret.
const mark = "[redacted]"

// A text longer than maxText is read further. The first ahead bytes more may be shown, because redactions shorten the
// text before. The next ahead bytes are read only to find the end of a secret.
const ahead = 16 << 10

// maxMatches is how many matches of one pattern fill the shown part of a text. The text after them is not shown,
// because finding more matches may take time quadratic in the length.
const maxMatches = maxText / len(mark)

// cleaner removes secrets from texts.
type cleaner struct {
	patterns []*regexp.Regexp
	found    bool // a secret was found
	whole    bool // texts are not cut
	spans    []span
}

type span struct{ from, to int }

// hide returns the mark, and notes that a secret was found.
func (c *cleaner) hide() string {
	c.found = true
	return mark
}

// window returns how many bytes of a text to read, and how many of these to show. size is the length of the text in
// characters.
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

// excerpt returns the form of a text in a line, and the text's length in characters. A text longer than maxText is cut.
func (c *cleaner) excerpt(text string) (shown string, size int) {
	size = utf8.RuneCountInString(text)
	read, show := window(text, size)
	shown = c.text(text[:read], show)
	if size > maxText {
		shown = shown[:firstCharacters(shown, maxText)]
	}
	return shown, size
}

// excerptJSON is excerpt for a JSON value. An uncut value stays JSON.
func (c *cleaner) excerptJSON(value []byte) (shown string, size int) {
	size = utf8.RuneCount(value)
	text := string(value[:min(len(value), utf8.UTFMax*maxText+2*ahead)])
	read, show := window(text, size)
	shown = string(c.json(make([]byte, 0, min(read, utf8.UTFMax*maxText)), text[:read], show))
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

// text returns the first show bytes of a text without secrets. A secret that crosses the limit is removed as a whole.
func (c *cleaner) text(s string, show int) string {
	c.spans = c.spans[:0]
	for _, re := range c.patterns {
		matches := re.FindAllStringIndex(s, maxMatches)
		for i, m := range matches {
			if m[0] == m[1] { // an empty match, as of \b
				continue
			}
			if i == maxMatches-1 {
				m[1] = len(s)
			}
			c.spans = append(c.spans, span{m[0], m[1]})
		}
	}
	show = min(show, c.scan(s))
	sort.Slice(c.spans, func(i, j int) bool { return c.spans[i].from < c.spans[j].from })
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

// json appends the first show bytes of a compact JSON value without secrets. The value may be cut off anywhere.
func (c *cleaner) json(dst []byte, doc string, show int) []byte {
	r := jsonCleaner{cleaner: c, doc: doc, show: show, dst: dst}
	r.clean()
	return r.dst
}

// jsonCleaner removes secrets from one JSON value.
type jsonCleaner struct {
	*cleaner
	doc         string
	at          int // offset in doc
	show        int
	dst         []byte
	hidden      bool   // all texts of the value are secrets
	afterFlag   bool   // the last array element was a flag like --password
	namesSecret bool   // the object has {"name": "PASSWORD", and its "value" is still to come
	key         string // the last key
}

func (c *jsonCleaner) clean() {
	const blanks = " \t\r\n"
	for c.at < c.show && (c.show == len(c.doc) || len(c.dst) <= utf8.UTFMax*maxText) {
		switch char := c.doc[c.at]; char {
		case ' ', '\t', '\n', '\r':
			c.at++
		case '{', '}', '[', ']', ':', ',':
			c.afterFlag = c.afterFlag && char == ','
			c.namesSecret = c.namesSecret && char != '{' && char != '}'
			c.dst = append(c.dst, char)
			c.at++
		case '"':
			text, end, whole := unquote(c.doc, c.at)
			colon := skip(c.doc, end, blanks)
			if colon < len(c.doc) && c.doc[colon] == ':' {
				c.at = skip(c.doc, colon+1, blanks)
				c.name(text)
			} else {
				c.at = end
				c.str(text, whole)
			}
		default:
			c.number()
		}
	}
}

// name appends the name of a member. After the name of a secret or of a count, it also appends the redacted value.
func (c *jsonCleaner) name(text string) {
	c.dst = append(strictjson.AppendString(c.dst, c.text(text, len(text))), ':')
	c.afterFlag = false
	c.key = strings.ToLower(text)
	switch kind := nameKind(text); {
	case isWorkingDir(text, c.doc[c.at:]):
	case kind >= secret, c.namesSecret && c.key == "value":
		if end := valueEnd(c.doc, c.at); maybeSecret(c.doc[c.at:end]) && c.at < c.show {
			c.dst = strictjson.AppendString(c.dst, c.hide())
			c.at = end
		}
	case kind == counted && !c.hidden:
		end := valueEnd(c.doc, c.at)
		value := jsonCleaner{cleaner: c.cleaner, doc: c.doc[c.at:end], show: min(end, max(c.at, c.show)) - c.at,
			dst: c.dst, hidden: true}
		value.clean()
		c.dst, c.at = value.dst, end
	}
}

// str appends a text that is a value. whole is false if the text is cut off.
func (c *jsonCleaner) str(text string, whole bool) {
	c.namesSecret = c.namesSecret || (c.key == "name" || c.key == "key") && nameKind(text) >= secret
	limit := len(text)
	if !whole {
		limit = max(0, limit-ahead)
	}
	if c.afterFlag || c.hidden && strings.Trim(text, "0123456789") != "" {
		text = c.hide()
		c.afterFlag = false
	} else {
		c.afterFlag = strings.HasPrefix(text, "-") && nameKind(text) >= secret && !strings.ContainsAny(text, "= \n")
		text = c.text(text, limit)
	}
	c.dst = strictjson.AppendString(c.dst, text)
}

// number appends a number, a boolean or null.
func (c *jsonCleaner) number() {
	end := valueEnd(c.doc, c.at)
	number := c.doc[c.at:end]
	c.afterFlag, c.at = false, end
	if slices.ContainsFunc(c.patterns, func(re *regexp.Regexp) bool { return re.MatchString(number) }) {
		c.dst = strictjson.AppendString(c.dst, c.hide())
	} else {
		c.dst = append(c.dst, number...)
	}
}

// maybeSecret reports whether a value under the name of a secret is no boolean, not null and not empty.
func maybeSecret(value string) bool {
	switch value {
	case "", "true", "false", "null", `""`, "{}", "[]":
		return false
	}
	return true
}

// skip returns the end of a run of these bytes at i.
func skip(s string, i int, bytes string) int {
	for i < len(s) && strings.IndexByte(bytes, s[i]) >= 0 {
		i++
	}
	return i
}

// unquote reads the JSON string that begins at i. whole is false if the string is cut off, perhaps within an escape.
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
	return "", end, false // not JSON
}

// valueEnd returns the end of the JSON value that begins at i. The value may be cut off.
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
		return i + 1 // not JSON: just go on
	}
	return len(doc)
}

// bracketed returns the end of the array or object that begins at i. slashes is the number of backslashes before
// quotes.
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

// quoted returns the end of the text in the quote at i, and the end of the closing quote. In a text within a text,
// quotes have slashes backslashes before them; quotes with more belong to the text.
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
