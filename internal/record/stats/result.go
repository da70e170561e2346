package stats

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/lib/lazy"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

// ResultText returns a tool's result in readable form: the content or the result of an object, the texts of a list of
// blocks (even of a list printed by Python), any other JSON indented by two spaces.
func ResultText(result string) string {
	readable := result
	if v, ok := parse(result); ok {
		if v.IsObject() {
			v = contentOf(v)
		}
		switch {
		case v.IsArray():
			readable = blocks(v)
		case v.Type == gjson.String && !strings.HasPrefix(strings.TrimSpace(result), `"`): // content of an object
			readable = strictjson.Text(v.Raw)
		default:
			readable = v.Raw
		}
	}
	if text, ok := pythonListText(readable); ok {
		readable = text
	}
	var indented bytes.Buffer
	if json.Indent(&indented, []byte(strings.TrimSpace(readable)), "", "  ") == nil {
		return indented.String()
	}
	return readable
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
	for _, block := range list.ForEach {
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
	}
	return strings.Join(parts, "\n")
}

// pythonText matches the beginning of a list of text blocks printed by Python, [{'type': 'text', 'text': '…'}], up to
// the first text.
var pythonText = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
	tokens := []string{`^`, `\[`, `\{`, `('type'|"type")`, `:`, `('text'|"text")`, `,`, `('text'|"text")`, `:`, `['"]`}
	return regexp.MustCompile(strings.Join(tokens, `[ \t\r\n]*`))
}}

// pythonListText returns the first text of a list of text blocks printed by Python, even if the list was cut off.
func pythonListText(list string) (first string, ok bool) {
	head := pythonText.Get().FindString(list)
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

// unescape writes the value of the Python escape at the beginning of text, and returns the rest.
func unescape(b *strings.Builder, text string) string {
	c, rest := text[1], text[2:]
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
	switch {
	case c == '\n': // a line continuation
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
