package strictjson

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

func TestCheck(t *testing.T) {
	for doc, want := range map[string]string{
		`{}`:                            "",
		" \t\r\n[1,-2.5e+3,true,null] ": "",
		`{"a":{"a":1},"b":[{"a":1}]}`:   "",
		``:                              `1:1 the document is empty`,
		`{`:                             `1:2 expected a key in double quotes, found the end of the document`,
		`{"a":1`:                        `1:7 the document ends too early: '{' of 1:1 is never closed`,
		"{\"a\":[1,\n2":                 `2:2 the document ends too early: '[' of 1:6 is never closed`,
		`{"a":1,}`:                      `1:7 a comma before '}'; remove it`,
		"[1,\n]":                        `1:3 a comma before ']'; remove it`,
		`{"a" 1}`:                       `1:6 expected ':' after the key, found '1'`,
		`{'a':1}`:                       `1:2 JSON takes double quotes, not single ones`,
		`{a:1}`:                         `1:2 expected a key in double quotes, found 'a'`,
		"{\n  // no\n}":                 `2:3 JSON has no comments; put the text under a key that starts with "x-"`,
		`[1 2]`:                         `1:4 expected ',' or ']', found '2'`,
		`[}`:                            `1:2 expected a value, found '}'`,
		`{} x`:                          `1:4 unexpected 'x' after the end of the document; remove it`,
		`{}{}`:                          `1:3 unexpected '{' after the end of the document; remove it`,
		`"abc`:                          `1:1 this string is never closed`,
		`"a\`:                           `1:3 not an escape of JSON; write a backslash as \\`,
		`"a\x"`:                         `1:3 not an escape of JSON; write a backslash as \\`,
		`"\u12g4"`:                      `1:2 not an escape of JSON; write a backslash as \\`,
		"\"é\n\"":                       `1:3 a raw control character in a string; write it as \u000a`,
		`01`:                            `1:1 not a number: it starts with 0`,
		`-`:                             `1:1 not a number`,
		`1.`:                            `1:1 not a number: no digit after the point`,
		`1e+`:                           `1:1 not a number: no digit in the exponent`,
		`nul`:                           `1:1 expected a value, found 'n'`,
		"\xff":                          `1:1 expected a value, found byte 0xff`,
		`{"a":1,"a":2}`:                 `1:8 the key "a" is there twice in one object; keep one`,
		`{"décision":1, "d\u00e9cision":2,"b":{"c":1,"c":1}}`: `1:16 the key "décision" is there twice in one object; keep one
1:45 the key "c" is there twice in one object; keep one`,
		`{"a":1,"a":`: `1:8 the key "a" is there twice in one object; keep one
1:12 the document ends too early: a value is missing`,
		`[[[[]]]]`: `1:4 nested more than 3 deep`,
	} {
		var got []string
		for _, f := range Check(doc, 3) {
			line, col := Position(doc, f.Offset)
			got = append(got, fmt.Sprintf("%d:%d %s", line, col, f.Text))
		}
		require.Equal(t, want, strings.Join(got, "\n"), doc)
	}
}

func TestText(t *testing.T) {
	for raw, want := range map[string]string{
		`""`: "", `"a b"`: "a b", `"\u00e9\n\""`: "é\n\"", `"\ud83d\ude00"`: "😀", "\"\xff\"": "\ufffd",
		`"x\ud800\u003b rm"`: "x\ufffd; rm", `"\udc00\ud800"`: "\ufffd\ufffd",
		"": "", `"`: "", "null": "", "1": "", `["a"]`: "", `"a`: "", `a"`: "", // no strings
	} {
		require.Equal(t, want, Text(raw), raw)
	}
}

func TestCompact(t *testing.T) {
	for doc, want := range map[string]string{
		` { "a" : [ 1.50e+3 , "b c" ] } `:           `{"a":[1.50e+3,"b c"]}`,
		`"\u0072m -rf \/ \u00e9\u003c\ud83d\ude00"`: `"rm -rf / é<😀"`,
		`{"comm\u0061nd":"\u001B\b\f\n\"\\"}`:       `{"command":"\u001b\b\f\n\"\\"}`,
		`"\ud800x"`:                                 "\"\ufffdx\"",
	} {
		require.Equal(t, want, string(Compact(nil, doc)))
	}
}

func TestManyKeys(t *testing.T) {
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, `"k%d":%d,`, i, i)
	}
	require.Empty(t, Check("{"+b.String()+`"last":0}`, 1))
	for _, k := range []string{"k0", "k15", "k16", "k17", "k999"} {
		require.Len(t, Check("{"+b.String()+`"`+k+`":0}`, 1), 1, k)
	}
}

func TestInvalidUTF8(t *testing.T) {
	require.Equal(t, -1, InvalidUTF8("aé\ufffd"))
	require.Equal(t, 4, InvalidUTF8("a\ufffd\xffb"))
}

func FuzzCheck(f *testing.F) {
	for _, s := range []string{`{"a":[1,2,{"b":null}],"a":"\u00e9\n"}`, `[`, `"\ud800"`, `-0.0E-7 `, "{\"a\x00\":1}",
		`{"":{"":[[]]}}`, "[1,]", "tru", `{"a":1}{`, "1x", "{} {"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, doc string) {
		faults := Check(doc, 1000)
		broken := len(faults) > 0 && faults[len(faults)-1].Kind != Duplicate
		for _, f := range faults {
			require.LessOrEqual(t, f.Offset, len(doc))
			require.GreaterOrEqual(t, f.Offset, 0)
		}
		if len(faults) > 0 && faults[len(faults)-1].Kind == Depth {
			return
		}
		require.Equal(t, json.Valid([]byte(doc)), !broken)
		decoder, end := json.NewDecoder(strings.NewReader(doc)), 0
		if decoder.Decode(new(json.RawMessage)) == nil {
			end = int(decoder.InputOffset())
		}
		if strings.IndexAny(strings.TrimLeft(doc, " \t\r\n"), "{[") == 0 { // a decoder reads two numbers in 00
			require.Equal(t, end, EndOfFirst(doc, 1000))
		}
		if broken {
			return
		}
		compact := string(Compact(nil, doc))
		if !strings.Contains(doc, `\`) { // else escapes are written anew
			require.Equal(t, gjson.Parse(doc).Get("@ugly").Raw, compact)
		}
		require.NotRegexp(t, `^[^\\]*(\\["\\nrtbf][^\\]*)*\\(/|u00[2-7])`, compact)
		if len(faults) == 0 && utf8.ValidString(doc) {
			var want, got any
			require.NoError(t, unmarshal(doc, &want))
			require.NoError(t, unmarshal(compact, &got))
			require.Equal(t, want, got)
		}
	})
}

func FuzzAppendString(f *testing.F) {
	for _, s := range []string{"", "plain text of more than eight bytes", "a\"b\\c\n\t\r\x00\x1f\x7f",
		"é\xff\xc3\u2028<>&", "1234567\"", "12345678\xe2\x82"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := AppendString(nil, s)
		var back string
		require.NoError(t, json.Unmarshal(got, &back))
		require.Equal(t, string([]rune(s)), back) // a conversion that replaces what is no UTF-8
		require.True(t, utf8.Valid(got))
	})
}

func unmarshal(doc string, v any) error {
	d := json.NewDecoder(strings.NewReader(doc))
	d.UseNumber() // 1e400 is JSON too
	return d.Decode(v)
}

func BenchmarkCheck10MB(b *testing.B) {
	doc := `{"a":"` + strings.Repeat("a line of output\\n", 10<<20/18) + `"}`
	b.SetBytes(int64(len(doc)))
	for b.Loop() {
		Check(doc, 10)
	}
}

func BenchmarkAppendString10MB(b *testing.B) {
	s := strings.Repeat("a line of output\n", 10<<20/17)
	b.SetBytes(int64(len(s)))
	dst := make([]byte, 0, 12<<20)
	for b.Loop() {
		AppendString(dst, s)
	}
}

func TestMembers(t *testing.T) {
	for _, doc := range []string{
		`{}`, ` { } `, `{"a":1}`, `{"a" : 1 , "b":"x\"}{" ,"c":[1,{"d":[]}],"e":{"f":"]"},"g":null, "h" : true}`,
		`{"a":1.5e3,"b":-0}`, "{\n\t\"é\\u0041\" : \"ü\"\r\n}",
		`{"a":"\\","b":"\\\""}`, `{"a":{},"a":[]}`,
	} {
		requireMembers(t, doc)
	}
	n := 0
	for range Members(`{"a":1,"b":2}`) {
		n++
		break
	}
	require.Equal(t, 1, n, "it stops")
	for _, other := range []string{"", " ", "[]", `[{"a":1}]`, `"{"`, "null", "1"} {
		for key := range Members(other) {
			panic(key)
		}
	}
}

// requireMembers holds Members against gjson.
func requireMembers(t *testing.T, doc string) {
	var want, got [][2]string
	for key, value := range gjson.Parse(doc).ForEach {
		want = append(want, [2]string{key.Raw, value.Raw})
	}
	for key, value := range Members(doc) {
		got = append(got, [2]string{key, value})
	}
	require.Equal(t, want, got, doc)
}

func FuzzMembers(f *testing.F) {
	f.Add(`{"a":1,"b":[{"c":"}"}],"d":"\"" , "e":tru}`)
	f.Add(`{"a":{"b":[1,2,{}]},"c":null}`)
	f.Fuzz(func(t *testing.T, doc string) {
		for _, fault := range Check(doc, 100) {
			if fault.Kind != Duplicate {
				return
			}
		}
		if strings.HasPrefix(strings.TrimLeft(doc, " \t\r\n"), "{") {
			requireMembers(t, doc)
		}
	})
}
