package secret

import (
	"regexp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

// JSON appends the first show bytes of a JSON value without secrets. The value may be cut off anywhere.
func (c *Cleaner) JSON(dst []byte, doc string, show int) []byte {
	r := jsonCleaner{Cleaner: c, doc: doc, show: show, dst: dst}
	r.clean()
	return r.dst
}

// jsonCleaner removes secrets from one JSON value.
type jsonCleaner struct {
	*Cleaner
	doc         string
	at          int // offset in doc
	show        int
	dst         []byte
	hidden      bool    // all texts of the value are secrets
	namesSecret bool    // the object has {"name": "PASSWORD", and its "value" is still to come
	key         string  // the last key
	program     string  // the options of the program in "command", see optionsOf
	args        command // the elements of an array before, as words of a command line
	option      string  // the element before, if it begins with -
}

func (c *jsonCleaner) clean() {
	const blanks = " \t\r\n"
	for c.at < c.show && (c.show == len(c.doc) || c.Limit == 0 || len(c.dst) <= c.Limit) {
		switch char := c.doc[c.at]; char {
		case ' ', '\t', '\n', '\r':
			c.blanks(c.at, skip(c.doc, c.at, blanks))
		case '{', '}', '[', ']', ':', ',':
			c.namesSecret = c.namesSecret && char != '{' && char != '}'
			if char != ',' {
				c.option, c.args = "", command{}
			}
			if char == '[' {
				c.args.options = c.program
			}
			c.dst = append(c.dst, char)
			c.at++
		case '"':
			start := c.at
			text, end, whole := unquote(c.doc, c.at)
			colon := skip(c.doc, end, blanks)
			if colon < len(c.doc) && c.doc[colon] == ':' {
				c.name(text, start, end, colon)
			} else {
				c.at = end
				c.str(text, start, whole)
			}
		default:
			c.number()
		}
	}
}

// blanks moves on over blanks.
func (c *jsonCleaner) blanks(from, to int) {
	if c.at = to; c.keepBlanks {
		c.dst = append(c.dst, c.doc[from:to]...)
	}
}

// write appends a text as JSON: as it is at start, if nothing of the text is hidden.
func (c *jsonCleaner) write(text, clean string, start, end int) {
	if c.keepBlanks && clean == text {
		c.dst = append(c.dst, c.doc[start:end]...)
	} else {
		c.dst = strictjson.AppendString(c.dst, clean)
	}
}

// name appends the name of a member at start. After the name of a secret or of a count, it also appends the redacted
// value.
func (c *jsonCleaner) name(text string, start, end, colon int) {
	c.write(text, c.Text(text, len(text)), start, end)
	c.blanks(end, colon)
	c.dst = append(c.dst, ':')
	c.blanks(colon+1, skip(c.doc, colon+1, " \t\r\n"))
	c.option, c.args, c.key = "", command{}, strings.ToLower(text)
	switch kind := Name(text); {
	case isWorkingDir(text, c.doc[c.at:]):
	case kind >= Secret, c.namesSecret && (c.key == "value" || c.key == "text"):
		switch end := valueEnd(c.doc, c.at); {
		case !mayBeSecret(c.doc[c.at:end]) || c.at >= c.show:
		case c.Code && strings.IndexByte(`{["`, c.doc[c.at]) >= 0:
			c.texts(end)
		default:
			c.dst = strictjson.AppendString(c.dst, c.hide())
			c.at = end
		}
	case kind == Counted && !c.hidden:
		c.texts(valueEnd(c.doc, c.at))
	}
}

// texts appends the value up to end without its texts.
func (c *jsonCleaner) texts(end int) {
	value := jsonCleaner{Cleaner: c.Cleaner, doc: c.doc[c.at:end], show: min(end, max(c.at, c.show)) - c.at,
		dst: c.dst, hidden: true}
	value.clean()
	c.dst, c.at = value.dst, end
}

// str appends a text that is a value. whole is false if the text is cut off.
func (c *jsonCleaner) str(text string, start int, whole bool) {
	clean := ""
	if c.hidden && strings.Trim(text, "0123456789") != "" {
		clean = c.hideText(text)
	} else if from, to := c.argument(text); from < to {
		clean = text[:from] + c.hideText(text[from:])
	} else {
		limit := len(text)
		if !whole {
			limit = max(0, limit-Ahead)
		}
		c.within = c.args
		clean = c.Text(text, limit)
	}
	c.write(text, clean, start, c.at)
	c.note(text)
}

// hideText hides a text, except for code that a person must see.
func (c *jsonCleaner) hideText(text string) string {
	if code := strings.IndexAny(text, shellCode); c.Code && code >= 0 {
		return c.hide() + c.Text(text[code:], len(text)-code)
	}
	return c.hide()
}

// argument returns the secret in an element of an array, if the element before is an option with a secret.
func (c *jsonCleaner) argument(text string) (from, to int) {
	if c.option == "" {
		return 0, 0
	}
	if Name(c.option) >= Secret {
		return 0, len(text)
	}
	from, to = c.args.word(c.option+" "+text, 0, len(c.option))
	if before := len(c.option) + 1; from >= before {
		return from - before, to - before
	}
	return 0, 0
}

// note remembers what a text says about the values after it.
func (c *jsonCleaner) note(text string) {
	switch c.key {
	case "name", "key":
		c.namesSecret = c.namesSecret || Name(text) >= Secret
	case "element", "field", "id", "label", "placeholder", "selector":
		_, _, isAbout := wordsOf(text)
		c.namesSecret = c.namesSecret || isAbout
	case "command", "cmd", "executable", "program":
		c.program = optionsOf(programOf(text))
	}
	if c.option = ""; strings.HasPrefix(text, "-") && !strings.ContainsAny(text, "= \n") {
		c.option = text
	} else {
		c.args.see(programOf(text), 0)
	}
}

// programOf returns the name of a program without its folder.
func programOf(path string) string {
	path = path[max(0, len(path)-longestName):]
	return path[strings.LastIndexByte(path, '/')+1:]
}

// number appends a number, a boolean or null.
func (c *jsonCleaner) number() {
	end := valueEnd(c.doc, c.at)
	number := c.doc[c.at:end]
	c.option, c.at = "", end
	if slices.ContainsFunc(c.Patterns, func(re *regexp.Regexp) bool { return re.MatchString(number) }) {
		c.dst = strictjson.AppendString(c.dst, c.hide())
	} else {
		c.dst = append(c.dst, number...)
	}
}

// mayBeSecret reports whether a value under the name of a secret is no boolean, not null and not empty.
func mayBeSecret(value string) bool {
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
