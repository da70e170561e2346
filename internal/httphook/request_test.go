package httphook

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseURL(t *testing.T) {
	for in, want := range map[string]endpoint{
		"http://h":                   {"http", "h", "80", "h", "", "/"},
		"HTTPS://Host.Example/":      {"https", "Host.Example", "443", "Host.Example", "", "/"},
		"http://h?a=b":               {"http", "h", "80", "h", "", "/?a=b"},
		"http://h#frag":              {"http", "h", "80", "h", "", "/"},
		"http://h/a?b#c?d/e":         {"http", "h", "80", "h", "", "/a?b"},
		"http://h:/":                 {"http", "h", "80", "h", "", "/"},
		"http://h:80/":               {"http", "h", "80", "h:80", "", "/"},
		"http://127.0.0.1:65535/x/y": {"http", "127.0.0.1", "65535", "127.0.0.1:65535", "", "/x/y"},
		"http://[::1]":               {"http", "::1", "80", "[::1]", "", "/"},
		"https://[fe80::1]:8443/p":   {"https", "fe80::1", "8443", "[fe80::1]:8443", "", "/p"},
		"http://u:p@h/":              {"http", "h", "80", "h", "Basic dTpw", "/"},
		"http://u@h/":                {"http", "h", "80", "h", "Basic dTo=", "/"},
		"http://u%40x:p%3Aq%25@h/":   {"http", "h", "80", "h", "Basic dUB4OnA6cSU=", "/"}, // u@x:p:q%
		"http://a@b:c@h/":            {"http", "h", "80", "h", "Basic YUBiOmM=", "/"},
		"http://@h/":                 {"http", "h", "80", "h", "", "/"},
		"http://h/%2e/../é?q=%zz@":   {"http", "h", "80", "h", "", "/%2e/../é?q=%zz@"}, // as it is
		"http://h//a//b":             {"http", "h", "80", "h", "", "//a//b"},
		"http://my_service.local./":  {"http", "my_service.local.", "80", "my_service.local.", "", "/"},
		"http://h/http://evil/@?u:p": {"http", "h", "80", "h", "", "/http://evil/@?u:p"},
	} {
		got, err := parseURL(in)
		require.NoError(t, err, in)
		require.Equal(t, want, *got, in)
	}
}

func TestParseURLErrors(t *testing.T) {
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
		"http://h%41/":               "no valid host",
		"http://a,b/":                "no valid host",
		"http://good\\@evil/":        "", // the host is evil, and the rest its user
		"http://evil\\.good/":        "no valid host",
		"http://h:0/":                "port is not a number",
		"http://h:65536/":            "port is not a number",
		"http://h:-1/":               "port is not a number",
		"http://h:+1/":               "port is not a number",
		"http://h:1:2/":              "port is not a number",
		"http://u:secret/word@h/":    "port is not a number",
		"http://u:sec%ret@h/":        "no escape",
		"http://::1/":                "no valid host",
		"http://[::1/":               "of the form",
		"http://[::1]x/":             "of the form",
		"http://[127.0.0.1]/":        "no IPv6 address",
		"http://[fe80::1%25eth0]/":   "no IPv6 address",
		"http://[]/":                 "no IPv6 address",
		"http://h/a b":               "a blank",
		"http://h /":                 "a blank",
		"http://h/ HTTP/1.1\r\nX: y": "a blank",
		"http://h/\x00":              "control character",
		"http://h/?\x7f":             "control character",
		"http://h/#\n":               "control character",
		" http://h/":                 "a blank",
	} {
		_, err := parseURL(in)
		if want == "" {
			require.NoError(t, err, in)
			continue
		}
		require.ErrorContains(t, err, want, in)
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

func TestRequestHead(t *testing.T) {
	to, err := parseURL("http://u:p@h:81/p?q")
	require.NoError(t, err)
	none := func(string) string { return "" }

	head, err := requestHead(to, Request{Headers: map[string]string{"X-B": "2", "X-A": "a\tb"}}, none, 7)
	require.NoError(t, err)
	require.Equal(t, strings.ReplaceAll(`POST /p?q HTTP/1.1
Host: h:81
User-Agent: hookrun
Accept: */*
Content-Type: application/json
Authorization: Basic dTpw
X-A: a	b
X-B: 2
Content-Length: 7
Connection: close

`, "\n", "\r\n"), string(head))

	head, err = requestHead(to, Request{Headers: map[string]string{
		"HOST": "other", "user-agent": "me", "accept": "text/plain", "content-type": "text/json", "authorization": "Bearer $T",
	}}, none, 0)
	require.NoError(t, err)
	require.Equal(t, strings.ReplaceAll(`POST /p?q HTTP/1.1
HOST: other
user-agent: me
accept: text/plain
content-type: text/json
authorization: Bearer `+`
Content-Length: 0
Connection: close

`, "\n", "\r\n"), string(head))
}

func TestRequestHeadErrors(t *testing.T) {
	to, err := parseURL("http://h")
	require.NoError(t, err)
	env := map[string]string{"LINES": "secret\r\nX-Evil: 1", "LF": "secret\n", "NUL": "secret\x00"}
	for _, c := range []struct {
		headers map[string]string
		want    string
	}{
		{map[string]string{"": "x"}, `"" is no header name`},
		{map[string]string{"A B": "x"}, `"A B" is no header name`},
		{map[string]string{"A:": "x"}, `"A:" is no header name`},
		{map[string]string{"A\r\nB": "x"}, `"A\r\nB" is no header name`},
		{map[string]string{"É": "x"}, `"É" is no header name`},
		{map[string]string{"$LF": "x", "{": ""}, `"{" is no header name`},
		{map[string]string{"content-LENGTH": "1"}, "the header content-LENGTH cannot be set"},
		{map[string]string{"Transfer-Encoding": "chunked"}, "the header Transfer-Encoding cannot be set"},
		{map[string]string{"Connection": "keep-alive"}, "the header Connection cannot be set"},
		{map[string]string{"X-a": "1", "x-A": "1"}, "the header x-A is there twice"},
		{map[string]string{"X": "a\r\nb"}, "the value of the header X has a line break"},
		{map[string]string{"X": "a\nb"}, "the value of the header X has a line break"},
		{map[string]string{"X": "a\rb"}, "the value of the header X has a line break"},
		{map[string]string{"X": "a\x1b"}, "the value of the header X has a line break"},
		{map[string]string{"X": "$LINES"}, "the value of the header X has a line break"},
		{map[string]string{"X": "${LF}"}, "the value of the header X has a line break"},
		{map[string]string{"X": "$NUL"}, "the value of the header X has a line break"},
		{map[string]string{"Host": "$LINES"}, "the value of the header Host has a line break"},
	} {
		request := Request{Headers: c.headers, AllowedEnvVars: []string{"LINES", "LF", "NUL"}}
		_, err := requestHead(to, request, func(name string) string { return env[name] }, 0)
		require.ErrorContains(t, err, c.want)
		require.NotContains(t, err.Error(), "secret")
	}
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
		require.Equal(t, want, withoutSecrets(in), in)
	}
}

// FuzzRequest has net/http read what we write: exactly one request, with that header and that body.
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
		to, err := parseURL(url)
		if err != nil {
			return
		}
		head, err := requestHead(to, Request{Headers: map[string]string{name: value}}, nil, len(body))
		if err != nil {
			return
		}
		wire := bufio.NewReader(strings.NewReader(string(head) + body))
		got, err := http.ReadRequest(wire)
		if err != nil && (strings.EqualFold(name, "Host") || strings.Contains(to.target, "%") || strings.HasPrefix(to.target, "//")) {
			return // net/http also reads the target and the host, which we send as they are written
		}
		require.NoError(t, err)
		require.Equal(t, "POST", got.Method)
		require.Equal(t, to.target, got.RequestURI)
		if !strings.EqualFold(name, "Host") {
			require.Equal(t, strings.Trim(expand(value, nil, nil), " \t"), got.Header.Get(name)) // a variable that is not allowed is nothing
			require.Equal(t, to.authority, got.Host)
		}
		require.True(t, got.Close)
		read, err := io.ReadAll(got.Body)
		require.NoError(t, err)
		require.True(t, bytes.Equal([]byte(body), read))
		_, err = wire.ReadByte()
		require.Equal(t, io.EOF, err)
	})
}
