package runstats

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/strictjson"
)

// ResultText is what a person would want to read of a tool's result: of an object its content, or else its result; of a
// list of blocks their texts, each on its lines, also of one that Python printed; and JSON indented by two.
func ResultText(result string) string {
	said := result
	if v, ok := parse(result); ok {
		if v.IsObject() {
			v = contentOf(v)
		}
		switch {
		case v.IsArray():
			said = blocks(v)
		case v.Type == gjson.String && !strings.HasPrefix(strings.TrimSpace(result), `"`): // it was not text by itself
			said = strictjson.Text(v.Raw)
		default:
			said = v.Raw
		}
	}
	if text, ok := printed(said); ok {
		said = text
	}
	var indented bytes.Buffer
	if json.Indent(&indented, []byte(strings.TrimSpace(said)), "", "  ") == nil {
		return indented.String()
	}
	return said
}

func parse(text string) (gjson.Result, bool) {
	if !json.Valid([]byte(text)) {
		return gjson.Result{}, false
	}
	return gjson.Parse(text), true
}

func contentOf(object gjson.Result) gjson.Result {
	for _, key := range []string{"content", "result"} {
		if v := object.Get(key); v.Exists() {
			return v
		}
	}
	return object
}

func blocks(list gjson.Result) string {
	var parts []string
	list.ForEach(func(_, block gjson.Result) bool {
		if block.IsObject() {
			if text := block.Get("text"); text.Exists() {
				block = text
			}
		}
		if block.Type == gjson.String {
			parts = append(parts, strictjson.Text(block.Raw))
		} else {
			parts = append(parts, block.Raw)
		}
		return true
	})
	return strings.Join(parts, "\n")
}

// pythonText is how Python begins to print a list of text blocks, [{'type': 'text', 'text': '…'}], up to the first
// text.
var pythonText = sync.OnceValue(func() *regexp.Regexp {
	tokens := []string{`^`, `\[`, `\{`, `('type'|"type")`, `:`, `('text'|"text")`, `,`, `('text'|"text")`, `:`, `['"]`}
	return regexp.MustCompile(strings.Join(tokens, `[ \t\r\n]*`))
})

// printed takes the first text out of a list of text blocks that Python printed, also where its end was cut off.
func printed(list string) (said string, ok bool) {
	head := pythonText().FindString(list)
	if head == "" {
		return "", false
	}
	rest := list[len(head)-1:]
	var b strings.Builder
	quote := rest[0]
	for rest = rest[1:]; rest != "" && rest[0] != quote; {
		if rest[0] != '\\' || len(rest) == 1 {
			b.WriteByte(rest[0])
			rest = rest[1:]
			continue
		}
		rest = unescape(&b, rest)
	}
	return b.String(), true
}

// unescape writes what the escape of Python's says that text begins with, and returns the rest.
func unescape(b *strings.Builder, text string) string {
	c, rest := text[1], text[2:]
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
	switch {
	case c == '\n': // the line goes on
	case strings.IndexByte(`\'"`, c) >= 0:
		b.WriteByte(c)
	case strings.IndexByte("ntrabfv", c) >= 0:
		b.WriteByte("\n\t\r\a\b\f\v"[strings.IndexByte("ntrabfv", c)])
	case digits > 0 && len(rest) >= digits:
		n, err := strconv.ParseUint(rest[:digits], 16, 32)
		if err != nil {
			b.WriteString(text[:2])
			return rest
		}
		r := rune(n)
		if !utf8.ValidRune(r) {
			r = utf8.RuneError
		}
		b.WriteRune(r)
		return rest[digits:]
	default:
		b.WriteString(text[:2])
	}
	return rest
}
