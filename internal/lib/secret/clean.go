package secret

import (
	"regexp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// Mark replaces a secret.
const Mark = "[redacted]"

// Ahead is how many bytes behind a cut a Cleaner reads to find the end of a secret.
const Ahead = 16 << 10

// maxMatches is how many matches of one pattern fill a text. The text after them is not shown, because finding more
// matches may take time quadratic in the length.
const maxMatches = 250

// Cleaner removes secrets from texts.
type Cleaner struct {
	Patterns []*regexp.Regexp // of further texts to remove
	Limit    int              // no more bytes of a result are needed; 0: all
	Code     bool             // the result has all that a shell would run: a person judges the result
	Found    bool             // set if a text had a secret

	prose      bool    // "token: two words" is a sentence, not a token
	keepBlanks bool    // between the tokens of JSON
	within     command // in which the next text stands
	spans      []span
}

type span struct{ from, to int }

// Mask returns a text, or JSON, with a mark in the place of each secret.
func Mask(text string) string {
	return (&Cleaner{keepBlanks: true}).mask(text)
}

// MaskMessage is Mask for a message to a person. Two words behind a name and a colon are a sentence, as in
// "token: no such file".
func MaskMessage(text string) string { return (&Cleaner{keepBlanks: true, prose: true}).mask(text) }

// MaskForJudgement is Mask for a call that a person approves. A value under the name of a secret stays readable from
// the first character on that can begin code of a shell: a secret must not hide a command.
func MaskForJudgement(text string) string {
	return (&Cleaner{keepBlanks: true, Code: true}).mask(text)
}

func (c *Cleaner) mask(text string) string {
	if text == "" { // the tables are made for a text
		return text
	}
	if start := strings.TrimLeft(text, " \t\r\n"); start != "" && (start[0] == '{' || start[0] == '[') &&
		gjson.Valid(text) {
		if clean := c.JSON(make([]byte, 0, len(text)), text, len(text)); c.Found {
			return string(clean)
		}
		return text
	}
	return c.Text(text, len(text))
}

// hide returns the mark, and notes that a secret was found.
func (c *Cleaner) hide() string {
	c.Found = true
	return Mark
}

// Text returns the first show bytes of a text without secrets. A secret that crosses the end is removed as a whole.
func (c *Cleaner) Text(s string, show int) string {
	clean := c.text(s, show)
	if strings.Contains(clean, `\u00`) && InText(clean) != "" { // a key with escapes of JSON in it
		plain := plainEscapes(clean)
		return c.text(plain, len(plain))
	}
	return clean
}

// text is Text for a text without escapes.
func (c *Cleaner) text(s string, show int) string {
	sc := scanner{index: known.Get(), s: s, prose: c.prose, spans: c.spans[:0], command: c.within}
	c.within = command{}
	for _, re := range c.Patterns {
		matches := re.FindAllStringIndex(s, maxMatches)
		for i, m := range matches {
			if m[0] == m[1] { // an empty match, as of \b
				continue
			}
			if i == maxMatches-1 {
				m[1] = len(s)
			}
			sc.spans = append(sc.spans, span{m[0], m[1]})
		}
	}
	limit := 0
	if len(c.Patterns) == 0 { // patterns would remove more
		limit = c.Limit
	}
	show = min(show, sc.scan(limit))
	c.spans = sc.spans
	if c.Code {
		c.spans = sc.withoutCode()
	}
	slices.SortFunc(c.spans, func(a, b span) int { return a.from - b.from })
	if len(c.spans) == 0 || c.spans[0].from >= show {
		return s[:show]
	}
	var b strings.Builder
	b.Grow(show)
	at := 0
	for i := 0; i < len(c.spans) && c.spans[i].from < show; i++ {
		sp := c.spans[i]
		if sp.from >= sp.to {
			continue
		}
		if sp.from > at || sp.from == 0 && at == 0 {
			b.WriteString(s[at:sp.from])
			b.WriteString(c.hide())
		}
		at = max(at, sp.to)
	}
	if at < show {
		b.WriteString(s[at:show])
	}
	return b.String()
}

// withoutCode returns the spans without what can begin code of a shell. The rest of a span is searched again.
func (c *scanner) withoutCode() []span {
	for i := 0; i < len(c.spans); i++ {
		sp := &c.spans[i]
		cut := sp.from + withoutCode(c.s[:sp.from], c.s[sp.from:sp.to])
		if cut < sp.to {
			rest := scanner{index: c.index, s: c.s[cut+1 : sp.to]}
			rest.scan(0)
			for _, found := range rest.spans {
				c.spans = append(c.spans, span{cut + 1 + found.from, cut + 1 + found.to})
			}
		}
		sp.to = cut
	}
	return c.spans
}

// withoutCode returns the length of the part of a secret before a character that can begin code of a shell, or before
// a short line of a private key. An unquoted secret also ends at the first blank behind a word like Bearer.
func withoutCode(before, secret string) int {
	if strings.Contains(before[max(0, len(before)-30):], "PRIVATE KEY") {
		return keyLines(secret)
	}
	if code := strings.IndexAny(secret, shellCode); code >= 0 {
		secret = secret[:code]
	}
	if before != "" && isQuote(before[len(before)-1]) {
		return len(secret)
	}
	end := wordEnd(secret, 0, false)
	if isScheme(secret[:end]) {
		end = wordEnd(secret, skip(secret, end, blank), false)
	}
	return end
}

// keyLines returns the length of the lines of a private key at the beginning of a text.
func keyLines(text string) (end int) {
	const least = 16 // only the last line is shorter
	for {
		begin := end
		for begin < len(text) && (text[begin] <= ' ' || text[begin] == '\\') {
			if text[begin] == '\\' {
				begin++
			}
			begin++
		}
		if begin >= len(text) {
			return len(text)
		}
		next := begin
		for next < len(text) && base64s.has(text[next]) {
			next++
		}
		if isLast := strings.Trim(text[next:], "\\nr\r\n\"' ") == ""; next-begin < least && !isLast {
			return begin
		}
		end = next
	}
}

const shellCode = "$`;|&<>(){}\n"
