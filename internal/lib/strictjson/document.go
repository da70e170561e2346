package strictjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// MaxDepth keeps payloads, which add a level, within the limit of encoding/json. Many hooks cannot read deeper nesting.
const MaxDepth = 9_999

// SyntaxError says why a text is not JSON.
type SyntaxError string

func (e SyntaxError) Error() string { return string(e) }

// LastOfEqual returns the document with only the last of equal keys, and a warning about the others.
//
// Most parsers take the last of two equal keys, but some take the first. A guard and the tool must not read different
// values, so both get only the last.
func LastOfEqual(doc, what string) (same string, warnings []string, err error) {
	warning, err := equalKeys(doc, what)
	if warning == "" || err != nil {
		return doc, nil, err
	}
	doc, err = lastOfEqualKeys(doc)
	return doc, []string{warning}, err
}

// equalKeys returns a warning about equal keys in a document, or "". An error says why hooks cannot get the document.
func equalKeys(doc, what string) (warning string, err error) {
	warning, more, err := FindEqualKeys(doc, what)
	if warning == "" || err != nil {
		return "", err
	}
	return warning + "; hooks were given the last" + more, nil
}

// FindEqualKeys returns a warning about the first duplicate key, and a text with the number of further duplicate keys.
// Both may be "".
func FindEqualKeys(doc, what string) (warning, more string, err error) {
	equal := 0
	for _, f := range Check(doc, MaxDepth) {
		switch f.Kind {
		case Syntax:
			line, col := Position(doc, f.Offset)
			return "", "", SyntaxError(fmt.Sprintf("%s: line %d, column %d: %s", what, line, col, f.Text))
		case Depth:
			return "", "", fmt.Errorf("%s: %s; no hook can be run for it", what, f.Text)
		case Duplicate:
			if equal++; equal == 1 {
				warning = fmt.Sprintf("%s: "+duplicateText, what, f.Key)
			}
		}
	}
	if equal > 1 {
		more = fmt.Sprintf(" (and %d more such keys)", equal-1)
	}
	return warning, more, nil
}

// lastOfEqualKeys rewrites a document as most parsers understand duplicate keys. The new keys are sorted.
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

// Marshal returns v as compact JSON without escaping `<>&`, unlike json.Marshal.
func Marshal(v any) ([]byte, error) {
	b := new(bytes.Buffer)
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// ValueText returns the value of a JSON string, and any other JSON as written.
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

// Lossy replaces each invalid UTF-8 byte by U+FFFD.
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
