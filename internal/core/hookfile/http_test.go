//go:build unix

package hookfile_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/endpoint"
	"github.com/hookrun/hookrun/internal/core/launch"
)

// posting is a file whose only hook posts to an address.
func posting(settings, url string) string {
	return `{` + settings + `"hooks":{"PreToolUse":[{"hooks":[{"type":"http","url":"` + url +
		`","headers":{"X-Key":"secret"}}]}]}}`
}

// TestAllowedURLs: the settings may say where hooks post to, with * for any text. What is not allowed fails as a hook
// that is missing does.
func TestAllowedURLs(t *testing.T) {
	for _, test := range []struct {
		allowed, url string // the patterns are those of a JSON array
		ok           bool
	}{
		{`"http://host/x"`, "http://host/x", true},
		{`"http://host/x"`, "http://host/x2", false},
		{`"http://host/x"`, "http://host/", false},
		{`"http://host/*"`, "http://host/x/y?z", true},
		{`"http://host/*"`, "http://host/", true},
		{`"http://host/*"`, "http://host.evil.example/", false},
		{`"http://host*"`, "http://host.evil.example/", true}, // as it says
		{`"http://HOST/*"`, "http://host/x", false},
		{`"*"`, "http://anywhere", true},
		{`"http://*.example/*"`, "http://a.example/x", true},
		{`"http://*.example/*"`, "http://a.example", false},
		{`"http://*/a*b"`, "http://h/ab", true},
		{`"http://*/ab*b"`, "http://h/ab", false}, // no letter counts twice
		{`"*x*x*"`, "http://h/x", false},
		{`"http://h*h"`, "http://h", false},
		{`"http://*/x"`, "http://h/x", true},
		{`"http://*/x"`, "http://h/xx", false},
		{`"http://h/.x"`, "http://h/yx", false}, // no expression
		{`"**"`, "http://h", true},
		{`""`, "http://h", false},
		{``, "http://h", false}, // none is allowed
		{`"http://a","http://b"`, "http://b", true},
	} {
		h := one(t, posting(`"allowedHttpHookUrls":[`+test.allowed+`],`, test.url))
		_, err := h.Endpoint()
		if test.ok {
			require.NoError(t, err, test)
			continue
		}
		require.EqualError(t, err, test.url+` is not among the "allowedHttpHookUrls" of the settings`, test)
		require.Len(t, launch.Inspect(h, ".", nil), 1)
	}
	t.Run("lists of several files are one", func(t *testing.T) {
		cfg := claudeConfig(t, posting("", "http://a"), posting(`"allowedHttpHookUrls":["http://b"],`, "http://b"),
			`{"allowedHttpHookUrls":["http://c"],"hooks":{}}`, posting("", "http://c"))
		var ok []bool
		for i := range cfg.Hooks {
			_, err := cfg.Hooks[i].Endpoint()
			ok = append(ok, err == nil)
		}
		require.Equal(t, []bool{false, true, true}, ok, "the first file said nothing of its own")
	})
}

// TestEndpointString: neither user nor query may get into a report.
func TestEndpointString(t *testing.T) {
	for url, want := range map[string]string{
		"http://host":                        "http://host",
		"http://host/":                       "http://host/",
		"https://host:8443/a/b":              "https://host:8443/a/b",
		"https://user:pw@host/a":             "https://host/a",
		"https://user:p@w@host/a":            "https://host/a",
		"https://token@host?key=secret":      "https://host",
		"https://host/a?key=http://x@y/#z":   "https://host/a",
		"https://host/a#secret":              "https://host/a",
		"https://host#secret?key":            "https://host",
		"https://user:pw@[::1]:8080/a@b?c=d": "https://[::1]:8080/a@b",
		"http:///only/a@path":                "http:///only/a@path",
		"no address":                         "no address",
	} {
		require.Equal(t, want, (&endpoint.Endpoint{URL: url}).String(), url)
	}
}

// TestAllowedVariables: the settings may admit fewer variables than the hook wants.
func TestAllowedVariables(t *testing.T) {
	const hook = `"hooks":{"PreToolUse":[{"hooks":[{"type":"http","url":"http://h","allowedEnvVars":["A","B","C",` +
		`"A"]}]}]}}`
	for docs, want := range map[string][]string{
		`{`: {"A", "B", "C", "A"},
		`{"httpHookAllowedEnvVars":["C","A","X","a*"],`: {"A", "C",
			"A"},
		`{"httpHookAllowedEnvVars":[],`:                            {},
		`{"httpHookAllowedEnvVars":["*"],`:                         {},
		`{"httpHookAllowedEnvVars":["A"],"hooks":{}}` + "\n" + `{`: {"A", "A"},
		`{"httpHookAllowedEnvVars":["A"],"hooks":{}}` + "\n" + `{"httpHookAllowedEnvVars":["B"],`: {"A", "B",
			"A"},
		`{"allowedHttpHookUrls":["*"],"httpHookAllowedEnvVars":[],"hooks":{}}` + "\n" + `{"model":"m",`: {},
	} {
		cfg := claudeConfig(t, strings.Split(docs+hook, "\n")...)
		h := &cfg.Hooks[len(cfg.Hooks)-1]
		e, err := h.Endpoint()
		require.NoError(t, err)
		require.Equal(t, want, e.AllowedEnvVars, docs)
		require.Equal(t, []string{"A", "B", "C", "A"}, h.Request().AllowedEnvVars, "what the file says stays")
	}
}
