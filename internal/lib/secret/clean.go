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
	if start := strings.TrimLeft(text, " \t\r\n"); start != "" && (start[0] == '{' || start[0] == '[') &&
		gjson.Valid(text) {
		if clean := c.JSON(make([]byte, 0, len(text)), text, len(text)); c.Found {
			return string(clean)
		}
		return text
	}
	return c.Text(text, len(text))
}

// MaskAll masks texts in place.
func MaskAll(texts ...*string) {
	for _, text := range texts {
		*text = Mask(*text)
	}
}

// hide returns the mark, and notes that a secret was found.
func (c *Cleaner) hide() string {
	c.Found = true
	return Mark
}

// Text returns the first show bytes of a text without secrets. A secret that crosses the end is removed as a whole.
func (c *Cleaner) Text(s string, show int) string {
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
		for i := range c.spans {
			c.spans[i] = beforeCode(s, c.spans[i])
		}
	}
	slices.SortFunc(c.spans, func(a, b span) int { return a.from - b.from })
	if len(c.spans) == 0 || c.spans[0].from >= show {
		return s[:show]
	}
	var b strings.Builder
	b.Grow(show)
	at := 0
	for i := 0; i < len(c.spans) && c.spans[i].from < show; i++ {
		if sp := c.spans[i]; sp.from < sp.to && (sp.from > at || sp.from == 0 && at == 0) {
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

// beforeCode returns the part of a span before a character that can begin code of a shell. An unquoted value also ends
// at its second blank, as in "Bearer X".
func beforeCode(s string, sp span) span {
	if strings.HasPrefix(s[max(0, sp.from-11):], "PRIVATE KEY") || sp.from == 0 {
		return sp
	}
	text := s[sp.from:sp.to]
	if code := strings.IndexAny(text, shellCode); code >= 0 {
		text = text[:code]
	}
	if before := s[sp.from-1]; !isQuote(before) {
		first, rest, _ := strings.Cut(text, " ")
		second, _, _ := strings.Cut(rest, " ")
		text = text[:min(len(text), len(first)+1+len(second))]
	}
	return span{sp.from, sp.from + len(text)}
}

const shellCode = "$`;|&<>(){}\n"
