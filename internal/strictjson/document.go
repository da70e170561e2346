package strictjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// MaxDepth keeps payloads, which add a level, within encoding/json's own limit: what is nested deeper many hooks
// cannot read, and hookrun get neither.
const MaxDepth = 9_999

// SyntaxError says that a text is no JSON.
type SyntaxError string

func (e SyntaxError) Error() string { return string(e) }

// LastOfEqual returns a document in which no object has a key twice.
//
// Of two equal keys most parsers take the last, but not all. A guard and the tool must not read different values,
// so only the last is passed on, and a warning says so.
func LastOfEqual(doc, what string) (same string, warnings []string, err error) {
	warning, err := EqualKeys(doc, what)
	if warning == "" || err != nil {
		return doc, nil, err
	}
	doc, err = lastOfEqualKeys(doc)
	return doc, []string{warning}, err
}

// EqualKeys returns a warning about equal keys in a document, "" if there are none, or why it cannot be given to hooks.
func EqualKeys(doc, what string) (warning string, err error) {
	warning, more, err := FindEqualKeys(doc, what)
	if warning == "" || err != nil {
		return "", err
	}
	return warning + "; hooks were given the last" + more, nil
}

// FindEqualKeys says which key stands twice in a document, and of how many more that is true.
func FindEqualKeys(doc, what string) (warning, more string, err error) {
	equal := 0
	for _, f := range Check(doc, MaxDepth) {
		switch f.Kind {
		case Syntax:
			line, col := Position(doc, f.Offset)
			return "", "", SyntaxError(fmt.Sprintf("%s: line %d, column %d: %s", what, line, col, f.Text))
		case Depth:
			return "", "", fmt.Errorf("%s: %s; no hook can be asked about it", what, f.Text)
		case Duplicate:
			if equal++; equal == 1 {
				warning = fmt.Sprintf("%s: %s", what, strings.TrimSuffix(f.Text, "; keep one"))
			}
		}
	}
	if equal > 1 {
		more = fmt.Sprintf(" (and %d more such keys)", equal-1)
	}
	return warning, more, nil
}

// lastOfEqualKeys writes a document again as its commonest reader understands it. Keys come out sorted.
func lastOfEqualKeys(doc string) (string, error) {
	d := json.NewDecoder(strings.NewReader(doc))
	d.UseNumber() // numbers keep their digits
	var v any
	if err := d.Decode(&v); err != nil {
		return "", fmt.Errorf("writing JSON without equal keys: %w", err)
	}
	once, err := Marshal(v)
	return string(once), err
}

// Marshal returns v as compact JSON with `<>&` as they are, which json.Marshal would escape.
func Marshal(v any) ([]byte, error) {
	b := new(bytes.Buffer)
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func ValueText(value []byte) string {
	if v := gjson.ParseBytes(value); v.Type == gjson.String {
		return Text(v.Raw)
	}
	return string(value)
}

// Quote returns s as a JSON string.
func Quote(s string) []byte {
	return AppendString(make([]byte, 0, len(s)+len(s)/16+2), s)
}

// Lossy replaces each byte that is no UTF-8 by U+FFFD.
func Lossy(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		b.WriteRune(r)
	}
	return b.String()
}
