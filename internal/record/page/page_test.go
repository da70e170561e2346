package page_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/record/page"
)

const empty = `{"version":1,"files":["/x/run.log"],"lines":0,"unreadable":0,"calls":0,"errors":0,"decisions":{},` +
	`"hooks":null,"blocks":null}`

func write(t *testing.T, summary string, calls ...string) string {
	t.Helper()
	p := page.Page{Summary: json.RawMessage(summary)}
	for _, c := range calls {
		p.Calls = append(p.Calls, json.RawMessage(c))
	}
	var html bytes.Buffer
	require.NoError(t, page.Write(&html, p))
	return html.String()
}

// element is what is between the tags of the one element that begins with open.
func element(t *testing.T, page, open, end string) string {
	t.Helper()
	require.Equal(t, 1, strings.Count(page, open), open)
	_, rest, _ := strings.Cut(page, open)
	content, _, found := strings.Cut(rest, end)
	require.True(t, found, end)
	return content
}

func summaryIn(t *testing.T, page string) string {
	return element(t, page, `<script type="application/json" id="summary-data">`, "</script>")
}

func callsIn(t *testing.T, page string) []string {
	text := element(t, page, `<script type="application/x-ndjson" id="calls-data">`, "</script>")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

func TestNothingInALogBreaksOut(t *testing.T) {
	plain := write(t, empty)
	for name, text := range map[string]string{
		"the end of a script":    `</script><script>document.title="out"</script>`,
		"in other letters":       `</SCRIPT ><img src=x onerror=alert(1)>`,
		"a comment":              `<!-- <script> -->`,
		"section of characters":  `]]><![CDATA[`,
		"line separators":        "a\u2028b\u2029c",
		"quotes and backslashes": `"'` + "`" + `\" \\u003c \n`,
		"entities":               `&lt;&#60;&amp;`,
		"placeholders":           `{{script}} {{policy}} {{calls}} {{summary}} {{style}}`,
		"control characters":     "\x00\x1b[31m\r\n\t\x7f",
		"a turned direction":     "\u202egnp.exe",
	} {
		t.Run(name, func(t *testing.T) {
			quoted, err := json.Marshal(text)
			require.NoError(t, err)
			var raw bytes.Buffer // not escaped by encoding/json
			e := json.NewEncoder(&raw)
			e.SetEscapeHTML(false)
			require.NoError(t, e.Encode(text))
			for _, s := range []string{string(quoted), strings.TrimSpace(raw.String())} {
				summary := `{"version":1, "files":[` + s + `], ` + s + `: 1}`
				call := "{\"time\":\n" + s + `, "args":{` + s + `:[` + s + `]}}`
				page := write(t, summary, call, call)

				require.Equal(t, strings.Count(plain, "<"), strings.Count(page, "<"), "a log adds no markup")
				require.Equal(t, strings.Count(plain, "&"), strings.Count(page, "&"), "a log adds no entity")
				require.NotContains(t, page, "\u2028")
				require.NotContains(t, page, "\u2029")
				require.JSONEq(t, summary, summaryIn(t, page))
				lines := callsIn(t, page)
				require.Len(t, lines, 2)
				require.JSONEq(t, call, lines[0])
			}
		})
	}
}

func TestCallsOfAPage(t *testing.T) {
	t.Run("the youngest first, without what is no object", func(t *testing.T) {
		page := write(t, empty, `{"n":1}`, `{"n":`, `[]`, `7`, ``, `null`, `{"n":2} {"n":3}`, ` { "n" : 4 } `)
		require.Equal(t, []string{`{"n":4}`, `{"n":1}`}, callsIn(t, page))
	})
	t.Run("none", func(t *testing.T) {
		require.Empty(t, callsIn(t, write(t, empty)))
	})
	t.Run("numbers keep their digits", func(t *testing.T) {
		require.Equal(t, []string{`{"n":12345678901234567890.10}`},
			callsIn(t, write(t, empty, `{"n":12345678901234567890.10}`)))
	})
	t.Run("no more than MaxCalls, the youngest", func(t *testing.T) {
		var calls []string
		for i := range page.MaxCalls + 5 {
			calls = append(calls, fmt.Sprintf(`{"n":%d}`, i))
		}
		lines := callsIn(t, write(t, empty, calls...))
		require.Len(t, lines, page.MaxCalls)
		require.Equal(t, calls[len(calls)-1], lines[0])
		require.Equal(t, calls[5], lines[len(lines)-1])
	})
	t.Run("no more than a telephone opens", func(t *testing.T) {
		var calls []string
		for i := range 40 {
			calls = append(calls, fmt.Sprintf(`{"n":%d,"text":"%s"}`, i, strings.Repeat("x", 1<<20)))
		}
		page := write(t, empty, calls...)
		require.Less(t, len(page), 17<<20)
		require.Len(t, callsIn(t, page), 15)
	})
}

func TestWriteFails(t *testing.T) {
	for name, summary := range map[string]string{"nothing": "", "not JSON": "{", "two": "{} {}", "a list": "[]",
		"null": "null"} {
		t.Run("summary: "+name, func(t *testing.T) {
			var html bytes.Buffer
			err := page.Write(&html, page.Page{Summary: json.RawMessage(summary)})
			require.ErrorContains(t, err, "the summary of the log cannot be put into a page: ")
			require.Empty(t, html.Bytes())
		})
	}
	t.Run("the file", func(t *testing.T) {
		full := errors.New("no space left")
		require.ErrorIs(t, page.Write(failing{full}, page.Page{Summary: json.RawMessage(empty)}), full)
	})
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestPolicy(t *testing.T) {
	page := write(t, empty, `{"n":1}`)
	policy := element(t, page, `<meta http-equiv="Content-Security-Policy" content="`, `"`)
	directives := map[string]string{}
	for d := range strings.SplitSeq(policy, "; ") {
		name, value, _ := strings.Cut(d, " ")
		directives[name] = value
	}
	source := func(open, end string) string {
		sum := sha256.Sum256([]byte(element(t, page, open, end)))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	require.Equal(t, map[string]string{
		"default-src":               "'none'",
		"base-uri":                  "'none'",
		"form-action":               "'none'",
		"style-src":                 source("<style>", "</style>"),
		"script-src":                source("<script>", "</script>"),
		"require-trusted-types-for": "'script'",
		"trusted-types":             "'none'",
	}, directives)
	require.Less(t, strings.Index(page, "Content-Security-Policy"), strings.Index(page, "<style>"),
		"it holds for what comes after it")
	require.NotContains(t, page, "{{")
}

// TestSources looks at what a browser would only find on some ways through the page.
func TestSources(t *testing.T) {
	size := 0
	for _, name := range []string{"page.html", "page.css", "page.js"} {
		source, err := os.ReadFile(name)
		require.NoError(t, err)
		size += len(source)
		text := strings.ReplaceAll(string(source), "http://www.w3.org/2000/svg", "") // a name, not an address
		for _, outside := range []string{`https?://`, `\bsrc=`, `@import`, `url\(`, `fetch\(`, `XMLHttpRequest`,
			`WebSocket`, `import\(`, `sendBeacon`} {
			require.NotRegexp(t, regexp.MustCompile(outside), text, name)
		}
		for _, unsafe := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(",
			"Function(", "setTimeout"} {
			require.NotContains(t, text, unsafe, name)
		}
	}
	require.Less(t, size, 42_000)
}
