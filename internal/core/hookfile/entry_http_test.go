package hookfile_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/endpoint"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/launch"
	"github.com/hookrun/hookrun/protocol"
)

// posts is a file whose only hook posts to https://h/x, with more fields behind it, which begin in column 63 of line 1.
func posts(more string) string {
	return `{"hooks":[{"name":"p","events":["pre-tool"],"url":"https://h/x"` + more + `}]}`
}

func TestURLEntry(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, ".tenex-hooks.json")
	cert := filepath.Join(t.TempDir(), "c.pem")
	cfg, err := parts.All().Parse(file,
		[]byte(`{"inherit_env":false,"hooks":[{"name":"p","events":["pre-tool","post-tool"],
		"url":"https://u:pw@h:8443/x?key=k","headers":{"Authorization":"Bearer $TOKEN","X":"${A}"},"allowed_env_vars":["TOKEN","A"],
		"timeout":"2s","on_failure":{"exit":"continue","timeout":"continue"},"matcher":"shell","if":"shell(git *)","when":[{"path":"args.command","exists":true}],
		"ca_file":"tls/ca.pem","client_cert":`+strconv.Quote(cert)+`,"client_key":"key.pem","proxy":"socks5h://u:pw@p:1080"}]}`))
	require.NoError(t, err)
	require.Empty(t, cfg.Warnings)
	h := &cfg.Hooks[0]
	require.Equal(t, endpoint.Endpoint{
		URL:            "https://u:pw@h:8443/x?key=k",
		Headers:        []endpoint.Header{{Name: "Authorization", Value: "Bearer $TOKEN"}, {Name: "X", Value: "${A}"}},
		AllowedEnvVars: []string{"TOKEN", "A"},
		CAFile:         filepath.Join(dir, "tls", "ca.pem"), ClientCert: cert,
		ClientKey: filepath.Join(dir, "key.pem"),
		Proxy:     "socks5h://u:pw@p:1080",
	}, h.Request().Endpoint)
	require.Equal(t, "POST https://h:8443/x", h.String())
	require.Nil(t, h.Inherit, "its own list says which variables it gets")
	require.Equal(t, dialect.FailurePolicy{protocol.CauseExit: protocol.Continue,
		protocol.CauseTimeout: protocol.Continue}, h.OnFailure)
}

// TestURLEntryFailures: before a tool each failure blocks unless on_failure says otherwise; elsewhere none does.
func TestURLEntryFailures(t *testing.T) {
	cfg, err := parts.All().Parse("f", []byte(posts("")))
	require.NoError(t, err)
	h := &cfg.Hooks[0]
	require.Equal(t, []protocol.Cause{protocol.CauseUnstarted, protocol.CauseTimeout, protocol.CauseOutput,
		protocol.CauseExit}, h.Causes())
	for _, cause := range h.Causes() {
		for event, want := range map[protocol.Event]protocol.Decision{
			protocol.PreTool: protocol.Block, protocol.PostTool: protocol.Continue,
			protocol.PreExecute: protocol.Continue,
		} {
			c := &dialect.Call{Event: event}
			require.Equal(t, want, h.FailureDecision(c, cause), "%s at %s", cause, event)
			for _, said := range []protocol.Decision{protocol.Block, protocol.Continue} {
				require.Equal(t, said, h.FailureDecision(c, cause, dialect.FailurePolicy{cause: said}), "%s at %s",
					cause, event)
			}
		}
	}
}

func TestURLEntryProblems(t *testing.T) {
	for _, test := range []struct{ doc, want string }{
		{`{"hooks":[{"name":"p","events":["pre-tool"],"url":"ftp://h"}]}`,
			`f:1:51: hook "p": "url": the url must start with http:// or https://`},
		{`{"hooks":[{"name":"p","events":["pre-tool"],"url":"http://u:secret/word@h"}]}`,
			`f:1:51: hook "p": "url": the url's user, host or port is not valid; odd characters of a user or a ` +
				`password are written percent-encoded, a / as %2F`},
		{`{"hooks":[{"name":"p","events":["pre-tool"],"url":["http://h"]}]}`,
			`f:1:51: hook "p": "url" must be a string, not an array`},
		{`{"hooks":[{"name":"p","events":["pre-tool"],"url":"http://h","command":"a"}]}`,
			`f:1:11: hook "p" has "command" and "url"; an entry does one of them`},
		{`{"hooks":[{"name":"p","events":["pre-tool"],"url":"http://h","block":"a"}]}`,
			`f:1:11: hook "p" has "url" and "block"; an entry does one of them`},
		{posts(`,"env":{"A":"b"}`),
			`f:1:71: hook "p" posts to a url and runs no program, so "env" would mean nothing; leave it out, and ` +
				`name the variables that its headers need in "allowed_env_vars"`},
		{posts(`,"inherit_env":false`),
			`f:1:79: hook "p" posts to a url and runs no program, so "inherit_env" would mean nothing; leave it out, ` +
				`and name the variables that its headers need in "allowed_env_vars"`},
		{posts(`,"persistent":true`),
			`f:1:78: hook "p" posts to a url and runs no program, so "persistent" would mean nothing; leave it out`},
		{posts(`,"workers":2`),
			`f:1:75: hook "p" posts to a url and runs no program, so "workers" would mean nothing; leave it out`},
		{posts(`,"header":{}`), `f:1:65: unknown key "header"; did you mean "headers"?`},
		{posts(`,"headers":["$A"]`), `f:1:75: hook "p": "headers" must be an object of strings, not an array`},
		{posts(`,"headers":{"A":1}`), `f:1:80: hook "p": the header "A" must be a string, not a number`},
		{posts(`,"headers":{"A B":"x"}`), `f:1:76: hook "p": "headers": "A B" is no header name`},
		{posts(`,"headers":{"X-A":"1","b":"2","x-a":"3"}`),
			`f:1:94: hook "p": "headers": the header x-a is there twice, in different letters`},
		{posts(`,"headers":{"Content-Length":"1"}`),
			`f:1:76: hook "p": "headers": the header Content-Length cannot be set: it belongs to the sending itself`},
		{posts(`,"headers":{"A":"secret\n"}`),
			`f:1:76: hook "p": "headers": the value of the header A has a line break or another control character; ` +
				`look at the environment variables in it, too`},
		{posts(`,"allowed_env_vars":"A"`),
			`f:1:84: hook "p": "allowed_env_vars" must be an array of names of variables, not a string`},
		{posts(`,"allowed_env_vars":["A","$B"]`),
			`f:1:89: hook "p": "allowed_env_vars": "$B" cannot be the name of a variable; letters, digits and _ make ` +
				`one, without the $`},
		{posts(`,"ca_file":" "`), `f:1:75: hook "p": "ca_file" is blank; write the path of a file`},
		{posts(`,"client_cert":"c.pem"`),
			`f:1:51: hook "p": "client_cert" and "client_key" belong together; write both, or the same file twice if ` +
				`it has both`},
		{posts(`,"proxy":"p:1080"`),
			`f:1:73: hook "p": "proxy": the url must start with http:// or https:// or socks5:// or socks5h://`},
		{posts(`,"proxy":"http://p/x?y"`),
			`f:1:73: hook "p": "proxy": the url of a proxy has no path and no query; leave them out`},
		{posts(`,"on_failure":{"signal":"block"}`),
			`f:1:88: hook "p": "on_failure" for "signal" would mean nothing: a request is no process; leave it out`},
		{`{"hooks":[{"name":"p","events":["pre-tool"],"command":"a","ca_file":"f"}]}`,
			`f:1:69: hook "p" posts to no url, so "ca_file" would mean nothing; add "url", or leave it out`},
		{`{"hooks":[{"name":"p","events":["pre-tool"],"block":"no","headers":{}}]}`,
			`f:1:68: hook "p" posts to no url, so "headers" would mean nothing; add "url", or leave it out`},
	} {
		_, err := parts.All().Parse("f", []byte(test.doc))
		require.EqualError(t, err, test.want, test.doc)
		if !strings.Contains(test.doc, "secret/word@") && !strings.Contains(test.doc, "x-a") &&
			!strings.Contains(test.doc, "p/x?y") {
			requireAgreement(t, test.doc) // no schema can say the rest
		}
	}
	require.True(t,
		requireAgreement(t,
			posts(`,"headers":{"A":"$X"},"allowed_env_vars":["X"],"ca_file":"c","client_cert":"c","client_key":"k",`+
				`"proxy":"http://u:p@h:1"`)))
	require.True(t, requireAgreement(t, posts(`,"on_failure":{"exit":"continue"},"timeout":1,"x-note":1`)))
}

func TestURLEntryWarnings(t *testing.T) {
	for doc, want := range map[string]string{
		posts(`,"headers":{"A":"b $C ${D} $5"},"allowed_env_vars":["D"]`): `f:1:80: hook "p": the ` +
			`header "A" names $C, which is replaced by nothing; add it to "allowed_env_vars"`,
		`{"hooks":[{"name":"p","events":["pre-tool"],"url":"http://h","ca_file":"f"}]}`: `f:1:72: hook "p": ` +
			`"ca_file" means nothing for a url that is not https`,
	} {
		cfg, err := parts.All().Parse("f", []byte(doc))
		require.NoError(t, err)
		require.Equal(t, want, hook.Diagnostics(cfg.Warnings).Error())
	}
}

// TestInspectURLEntry: files that a request needs are looked at as programs are.
func TestInspectURLEntry(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	const sep = string(filepath.Separator)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "text"), []byte("no certificate"), 0o600))
	for more, want := range map[string]string{
		"":                  "",
		`,"ca_file":"gone"`: file + `:1:75: hook "p": ` + dir + sep + `gone: no such file`,
		`,"ca_file":"text"`: file + `:1:75: hook "p": ` + dir +
			sep + `text: no certificate in PEM, -----BEGIN CERTIFICATE-----`,
		`,"ca_file":"."`: file + `:1:75: hook "p": ` + dir + `: not a regular file`,
		`,"client_cert":"text","client_key":"gone"`: file + `:1:79: hook "p": ` + dir + sep + `gone: no such file`,
		`,"client_cert":"text","client_key":"text"`: file + `:1:79: hook "p": ` + dir + sep + `text and ` + dir +
			sep + `text: tls: failed to find any PEM data in certificate input`,
	} {
		cfg, err := parts.All().Parse(file, []byte(posts(more)))
		require.NoError(t, err)
		require.Equal(t, want, hook.Diagnostics(launch.Inspect(&cfg.Hooks[0], dir, nil)).Error())
	}
}
