package httphook

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/endpoint"
	"github.com/hookrun/hookrun/protocol"
)

func TestURL(t *testing.T) {
	for in, want := range map[string]string{ // scheme, host, user and request target
		"http://h":                   "http h  /",
		"HTTPS://Host.Example/":      "https Host.Example  /",
		"http://h?a=b":               "http h  /?a=b",
		"http://h#frag":              "http h  /",
		"http://h/a?b#c?d/e":         "http h  /a?b",
		"http://h:80/":               "http h:80  /",
		"http://127.0.0.1:65535/x/y": "http 127.0.0.1:65535  /x/y",
		"http://[::1]":               "http [::1]  /",
		"https://[fe80::1]:8443/p":   "https [fe80::1]:8443  /p",
		"http://u:p@h/":              "http h u:p /",
		"http://u@h/":                "http h u /",
		"http://u%40x:p%3Aq%25@h/":   "http h u%40x:p%3Aq%25 /",
		"http://h/%2e/../a%2Fb?q=@":  "http h  /%2e/../a%2Fb?q=@",
		"http://h/é?q=é":             "http h  /%C3%A9?q=é",
		"http://h//a//b":             "http h  //a//b",
		"http://my_service.local./":  "http my_service.local.  /",
		"http://h/http://evil/@?u:p": "http h  /http://evil/@?u:p",
	} {
		e := endpoint.Endpoint{URL: in}
		r, err := newRequest(t.Context(), &e, nil, nil)
		require.NoError(t, err, in)
		require.Equal(t, want, fmt.Sprintf("%s %s %v %s", r.URL.Scheme, r.URL.Host,
			cmp.Or(r.URL.User, new(url.Userinfo)), r.URL.RequestURI()), in)
		require.NoError(t, endpoint.CheckURL(in), in)
	}
}

func TestURLErrors(t *testing.T) {
	for in, want := range map[string]string{
		"":                           "must start with http:// or https://",
		"h/x":                        "must start with http:// or https://",
		"http:/h":                    "must start with http:// or https://",
		"ftp://h/":                   "must start with http:// or https://",
		"file:///etc/passwd":         "must start with http:// or https://",
		"http://":                    "no valid host",
		"http:///path":               "no valid host",
		"http://:80/":                "no valid host",
		"http://u:secret@/":          "no valid host",
		"http://bücher.example/":     "punycode",
		"http://h%41/":               "no escape",
		"http://a,b/":                "valid",
		"http://good\\@evil/":        "valid", // the host is evil, and the rest its user
		"http://evil\\.good/":        "valid",
		"http://h:0/":                "port is not a number",
		"http://h:65536/":            "port is not a number",
		"http://h:-1/":               "host or port is not valid",
		"http://h:+1/":               "host or port is not valid",
		"http://h:1:2/":              "host or port is not valid",
		"http://u:secret/word@h/":    "host or port is not valid",
		"http://u:sec%ret@h/":        "no escape",
		"http://::1/":                "valid",
		"http://[::1/":               "valid|IPv6",
		"http://[::1]x/":             "valid|IPv6",
		"http://[127.0.0.1]/":        "valid|IPv6",
		"http://[fe80::1%25eth0]/":   "valid|IPv6",
		"http://[]/":                 "valid|IPv6",
		"http://h/a b":               "a blank",
		"http://h /":                 "a blank",
		"http://h/ HTTP/1.1\r\nX: y": "a blank",
		"http://h/\x00":              "control character",
		"http://h/?\x7f":             "control character",
		"http://h/#\n":               "control character",
		" http://h/":                 "a blank",
	} {
		err := endpoint.CheckURL(in)
		if want == "" {
			require.NoError(t, err, in)
			continue
		}
		require.Error(t, err, in)
		require.Regexp(t, want, err.Error(), in)
		require.NotContains(t, err.Error(), "sec", in)
	}
}

func TestExpand(t *testing.T) {
	env := map[string]string{"A": "1", "AB": "2", "_a9": "3", "DOLLAR": "$A", "SECRET": "s"}
	allowed := []string{"A", "AB", "_a9", "DOLLAR", "UNSET"}
	for in, want := range map[string]string{
		"":                  "",
		"plain":             "plain",
		"Bearer $A":         "Bearer 1",
		"$A$AB${A}B${_a9}.": "121B3.",
		"$AB-$A/":           "2-1/",
		"[$SECRET]":         "[]",
		"[${SECRET}x]":      "[x]",
		"[$UNSET]":          "[]",
		"$DOLLAR":           "$A",
		"$":                 "$",
		"$$A":               "$1",
		"$5 ${} ${5} $-":    "$5 ${} ${5} $-",
		"${A":               "${A",
		"${A B}":            "${A B}",
		"${A$A}":            "${A1}",
		"$é":                "$é",
	} {
		require.Equal(t, want, expand(in, allowed, func(name string) string { return env[name] }), in)
	}
}

// expand returns the value of a header with variables.
func expand(value string, allowed []string, getenv func(string) string) string {
	e := endpoint.Endpoint{Headers: []endpoint.Header{{Name: "X", Value: value}}, AllowedEnvVars: allowed}
	headers, err := e.Expanded(getenv)
	if err != nil {
		return err.Error()
	}
	return headers[0].Value
}

func TestHeaderErrors(t *testing.T) {
	env := map[string]string{"LINES": "secret\r\nX-Evil: 1", "LF": "secret\n", "NUL": "secret\x00"}
	for _, c := range []struct {
		headers []endpoint.Header
		want    string
	}{
		{[]endpoint.Header{{Name: "", Value: "x"}}, `"" is no header name`},
		{[]endpoint.Header{{Name: "A B", Value: "x"}}, `"A B" is no header name`},
		{[]endpoint.Header{{Name: "A:", Value: "x"}}, `"A:" is no header name`},
		{[]endpoint.Header{{Name: "A\r\nB", Value: "x"}}, `"A\r\nB" is no header name`},
		{[]endpoint.Header{{Name: "É", Value: "x"}}, `"É" is no header name`},
		{[]endpoint.Header{{Name: "$LF", Value: "x"}, {Name: "{", Value: ""}}, `"{" is no header name`},
		{[]endpoint.Header{{Name: "content-LENGTH", Value: "1"}}, "the header content-LENGTH cannot be set"},
		{[]endpoint.Header{{Name: "Transfer-Encoding", Value: "chunked"}},
			"the header Transfer-Encoding cannot be set"},
		{[]endpoint.Header{{Name: "Connection", Value: "keep-alive"}}, "the header Connection cannot be set"},
		{[]endpoint.Header{{Name: "X-a", Value: "1"}, {Name: "x-A", Value: "1"}}, "the header x-A is there twice"},
		{[]endpoint.Header{{Name: "X", Value: "a\r\nb"}}, "the value of the header X has a line break"},
		{[]endpoint.Header{{Name: "X", Value: "a\nb"}}, "the value of the header X has a line break"},
		{[]endpoint.Header{{Name: "X", Value: "a\rb"}}, "the value of the header X has a line break"},
		{[]endpoint.Header{{Name: "X", Value: "a\x1b"}}, "the value of the header X has a line break"},
		{[]endpoint.Header{{Name: "X", Value: "$LINES"}}, "the value of the header X has a line break"},
		{[]endpoint.Header{{Name: "X", Value: "${LF}"}}, "the value of the header X has a line break"},
		{[]endpoint.Header{{Name: "X", Value: "$NUL"}}, "the value of the header X has a line break"},
		{[]endpoint.Header{{Name: "Host", Value: "$LINES"}}, "the value of the header Host has a line break"},
	} {
		e := endpoint.Endpoint{URL: "http://h", Headers: c.headers, AllowedEnvVars: []string{"LINES", "LF", "NUL"}}
		_, problem := post(t, &e, "{}", env)
		require.NotNil(t, problem)
		require.Equal(t, protocol.CauseUnstarted, problem.Cause)
		require.Contains(t, problem.Text, c.want)
		require.NotContains(t, problem.Text, "secret")
	}
}

func TestVariables(t *testing.T) {
	require.Equal(t, []string{"A", "AB", "C", "_y"},
		endpoint.Header{Name: "X", Value: "Bearer $A$AB ${C} $5 ${x $_y"}.Variables())
	require.Empty(t, endpoint.Header{Name: "$X", Value: "none"}.Variables())
	require.True(t, endpoint.IsVariable("_a9") &&
		!endpoint.IsVariable("") && !endpoint.IsVariable("9") && !endpoint.IsVariable("$A"))
}

func TestWithoutSecrets(t *testing.T) {
	for in, want := range map[string]string{
		"":                            "",
		"/login?token=1#f":            "/login",
		"https://u:p@h:1/x@y?q":       "https://h:1/x@y",
		"//u:p@h":                     "//h",
		"http://u:p/w@h?q":            "http://u:p/w@h", // no user to Go either: a slash ends the host
		"relative/u@h":                "relative/u@h",
		"http://h/login?next=http://": "http://h/login",
	} {
		require.Equal(t, want, endpoint.WithoutSecrets(in), in)
	}
}

// FuzzRequest has net/http read what is written: exactly one request, with that header and that body.
func FuzzRequest(f *testing.F) {
	for _, s := range [][3]string{
		{"http://h/p?q", "X-A", "1"},
		{"http://u:p@[::1]:8080", "Authorization", "Bearer x"},
		{"https://h/%0d%0aX", "Host", "other"},
		{"http://h/ HTTP/1.1\r\n", "A: b\r\nC", "1\r\n\r\nGET / HTTP/1.1"},
	} {
		f.Add(s[0], s[1], s[2], "body")
	}
	f.Fuzz(func(t *testing.T, url, name, value, body string) {
		e := endpoint.Endpoint{URL: url, Headers: []endpoint.Header{{Name: name, Value: value}}}
		if e.Check() != nil {
			return
		}
		none := func(string) string { return "" }
		request, err := newRequest(t.Context(), &e, none, [][]byte{[]byte(body)})
		require.NoError(t, err)
		var text bytes.Buffer
		if request.Write(&text) != nil {
			return
		}
		wire := bufio.NewReader(&text)
		got, err := http.ReadRequest(wire)
		if err != nil && strings.EqualFold(name, "Host") {
			return // which is sent as it is written
		}
		require.NoError(t, err)
		require.Equal(t, "POST", got.Method)
		require.Equal(t, request.URL.RequestURI(), got.RequestURI)
		if !strings.EqualFold(name, "Host") {
			require.Equal(t, strings.Trim(expand(value, nil, none), " \t"), got.Header.Get(name))
		}
		read, err := io.ReadAll(got.Body)
		require.NoError(t, err)
		require.True(t, body == string(read))
		_, err = wire.ReadByte()
		require.Equal(t, io.EOF, err)
	})
}
