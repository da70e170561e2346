package hookfile_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/protocol"
)

// TestMissingParts: what a file asks of parts that nobody handed in is an error of the file, and never skipped.
func TestMissingParts(t *testing.T) {
	for text, want := range map[string]string{
		`{"packs":["git"],"hooks":[]}`: `f:1:11: "packs": this program has no packs, so it cannot run "git"`,
		`{"packs":["git"],"except":["git/no-force-push"],"hooks":[]}`: `f:1:11: "packs": this program has no packs, ` +
			`so it cannot run "git"` + "\n" + `f:1:28: "except": "git/no-force-push" is no rule of the packs of this ` +
			"file",
		`{"hooks":[{"name":"a","events":["pre-tool"],"if":"shell(rm *)","block":"no"}]}`: `f:1:50: hook "a": "if": ` +
			`this program has no rules, so it cannot decide "shell(rm *)"; use "matcher" and "when"`,
		posts(""): `f:1:51: hook "p": "url": this program sends no requests`,
	} {
		_, err := hookfile.Parts{}.Parse("f", []byte(text))
		require.EqualError(t, err, want, text)
		_, err = parts.All().Parse("f", []byte(text))
		require.NoError(t, err, text)
	}

	alone := hookfile.Parts{Clients: parts.All().Clients}
	for entry, want := range map[string]string{
		`{"type":"command","command":"x","if":"Bash(rm *)"}`: `"if": this program has no rules`,
		`{"type":"http","url":"https://h"}`:                  `"url": this program sends no requests`,
	} {
		text := []byte(`{"hooks":{"PreToolUse":[{"hooks":[` + entry + `]}]}}`)
		_, err := alone.Parse("settings.json", text)
		require.ErrorContains(t, err, want)
		_, err = parts.All().Parse("settings.json", text)
		require.NoError(t, err)
	}
}

// TestWithoutRules: without rules nobody can tell what the arguments of an unknown tool hold, so it may be any tool.
func TestWithoutRules(t *testing.T) {
	cfg, err := hookfile.Parts{Clients: parts.All().Clients}.Parse("f", []byte(`{"hooks":[
		{"name":"shell","events":["pre-tool"],"matcher":"shell","block":"no"},
		{"name":"edit","events":["pre-tool"],"matcher":"fs_edit","block":"no"},
		{"name":"command","events":["pre-tool"],"when":[{"path":"command","equals":"ls"}],"block":"no"}]}`))
	require.NoError(t, err)
	for _, test := range []struct {
		tool, args string
		want       []bool
	}{
		{"shell", `{"command":"rm x"}`, []bool{true, false, true}},
		{"fs_edit", `{"path":"x"}`, []bool{false, true, true}},
		{"fs_read", `{"path":"x"}`, []bool{false, false, true}},
		{"mine", `{"apply":"x"}`, []bool{true, true, true}},
		{"mine", `{}`, []bool{false, false, true}},
	} {
		c := dialect.NewCall(dialect.Call{Event: protocol.PreTool, Tool: test.tool, Args: test.args, Workspace: "/ws"})
		cfg.NameTool(c)
		match := hook.NewMatchContext(c)
		for i, want := range test.want {
			require.Equal(t, want, match.Runs(&cfg.Hooks[i]), "%s at %s %s", cfg.Hooks[i].Name, test.tool, test.args)
		}
	}
}
