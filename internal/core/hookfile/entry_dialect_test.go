package hookfile_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/claude"
	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/protocol"
)

func keeping(fields string) string {
	return `{"hooks":[{"name":"a","command":"a","events":["pre-tool"],` + fields + `}]}`
}

// An entry that keeps a client's rules has that client's events, matchers, defaults and causes.
func TestEntryKeepsRules(t *testing.T) {
	cfg, err := parts.All().Parse("f", []byte(`{"hooks":[
		{"name":"a","command":["${CLAUDE_PROJECT_DIR}/a"],"events":["post-tool","Stop"],"dialect":"claude",
			"matcher":"^B.sh$","if":"Bash(ls)","on_failure":"block"},
		{"name":"b","command":"$HOME","events":["PreToolUse","BeforeTool"],"dialect":"gemini","env":{"A":"$NOT_SET_HERE"}},
		{"name":"c","inject":"x","events":["PreToolUse"],"dialect":"codex","matcher":"Edit"},
		{"name":"d","command":"a","events":["SessionEnd"],"dialect":"claude","async":true}]}`))
	require.NoError(t, err)
	require.Empty(t, cfg.Warnings)
	a, b, c, d := &cfg.Hooks[0], &cfg.Hooks[1], &cfg.Hooks[2], &cfg.Hooks[3]
	require.Equal(t, []protocol.Event{"PostToolUse", "PostToolUseFailure", "Stop"}, a.Events)
	require.True(t, a.Process().Placeholders)
	require.Contains(t, a.OnFailure, dialect.PolicyOfClient)
	require.NotContains(t, a.OnFailure, protocol.CauseUnsupported)
	require.Equal(t, 600*time.Second, a.Deadline("PostToolUse"))
	require.Equal(t, []protocol.Event{"BeforeTool"}, b.Events)
	require.True(t, b.Process().Bash)
	require.NotEqual(t, "$HOME", b.Process().Shell, "the client puts variables into the text")
	require.Equal(t, []string{"A=$NOT_SET_HERE"}, b.Env)
	require.True(t, runs(c, &dialect.Call{Event: "PreToolUse", Tool: "apply_patch"}), "as that client's matchers do")
	require.True(t, d.Async)
	require.Equal(t, 1500*time.Millisecond, d.Deadline("SessionEnd"))
	for _, h := range cfg.Hooks {
		require.False(t, h.Dialect.Run.Parallel)
		for _, e := range h.Dialect.Events {
			require.Equal(t, e.CommonName() != protocol.PostTool, // a later hook may take a secret out of the result
				h.Dialect.Hooks.Ends(e.Name, &dialect.Verdict{Decision: protocol.Block}), e.Name)
		}
	}
}

// Its matcher and if meet the client's names of a tool, wherever the call comes from.
func TestEntryMeetsNames(t *testing.T) {
	const input = `{"hook_event_name":"BeforeTool","timestamp":"t","tool_name":"run_shell_command"}`
	for _, test := range []struct {
		entry string
		call  dialect.Call
		runs  bool
	}{
		{`"dialect":"claude","matcher":"Bash"`, dialect.Call{Tool: "Bash"}, true},
		{`"dialect":"claude","matcher":"Bash"`, dialect.Call{Tool: "PowerShell"}, false},
		{`"dialect":"claude","matcher":"Bash"`, dialect.Call{Tool: "shell"}, true},
		{`"dialect":"claude","matcher":"Bash"`, dialect.Call{Tool: "run_shell_command", ClientInput: input}, true},
		{`"dialect":"claude","matcher":"Edit"`, dialect.Call{Tool: "run_shell_command", ClientInput: input}, false},
		{`"dialect":"claude","matcher":"shell"`, dialect.Call{Tool: "Bash"}, false},
		{`"dialect":"claude","if":"Bash(git *)"`, dialect.Call{Tool: "shell", Args: `{"command":"git a"}`}, true},
		{`"dialect":"claude","if":"Bash(git *)"`, dialect.Call{Tool: "shell", Args: `{"command":"ls"}`}, false},
		{`"dialect":"gemini","matcher":"write_"`, dialect.Call{Tool: "Write"}, true},
		{`"dialect":"gemini","matcher":"^write_file$"`, dialect.Call{Tool: "write_files"}, false},
		{`"dialect":"codex","matcher":"^Bash$"`, dialect.Call{Tool: "run_shell_command", ClientInput: input}, true},
	} {
		cfg, err := parts.All().Parse("f", []byte(keeping(test.entry)))
		require.NoError(t, err)
		test.call.Event = protocol.PreTool
		if test.call.ClientInput == "" && test.call.Tool == "Write" { // a call of Claude Code's
			test.call.ClientInput = `{"hook_event_name":"PreToolUse","tool_name":"Write"}`
		}
		require.NoError(t, test.call.Resolve(clients.All()))
		call := dialect.NewCall(test.call)
		cfg.NameTool(call)
		require.Equal(t, test.runs, hook.NewMatchContext(call).Runs(&cfg.Hooks[0]), "%s %s", test.entry,
			test.call.Tool)
	}
}

func TestEntryDialectFaults(t *testing.T) {
	for _, test := range []struct{ fields, want string }{
		{`"dialect":"claud"`, `f:1:69: hook "a": unknown dialect "claud"; known are `},
		{`"dialect":"claud"`, `; did you mean "claude"?`},
		{`"dialect":"massgen"`, `unknown dialect "massgen"; known are `},
		{`"dialect":"tenex"`, `"dialect" "tenex" is what entries have without it; leave it out`},
		{`"dialect":1`, `"dialect" must be a string, not a number`},
		{`"async":true`, `"async" is a key of clients' hooks; name the client in "dialect", or leave it out`},
		{`"cwd":"a"`, `"cwd" is a key of clients' hooks; name the client in "dialect", or leave it out`},
		{`"dialect":"claude","cwd":"a"`, `no such hook of Claude Code has a "cwd"; leave it out`},
		{`"dialect":"copilot","cwd":1`, `"cwd" must be a string, not a number`},
		{`"dialect":"gemini","async":true`, `no such hook of Gemini CLI can be async; leave "async" out`},
		{`"dialect":"claude","async":true,"persistent":true`, `leave one of them out`},
		{`"dialect":"claude","async":true,"on_failure":"block"`, `"on_failure" would mean nothing`},
		{`"dialect":"gemini","if":"shell(a)"`, `hooks of Gemini CLI have no "if"; use "matcher" and "when"`},
		{`"dialect":"cline","if":"shell(a)"`, `hooks of Cline have no "if"; use "when"`},
		{`"dialect":"cline","matcher":"shell"`, `hooks of Cline have no "matcher"; use "when"`},
		{`"dialect":"claude","events":["BeforeTool"]`, `unknown event "BeforeTool"; Claude Code has SessionStart, `},
		{`"dialect":"gemini","events":["BeforTool"]`, `; did you mean "BeforeTool"?`},
		{`"dialect":"claude","events":["PreToolUse","SessionStart"],"matcher":"a"`,
			`the matcher would be compared with tool_name at one event and source at SessionStart; write `},
		{`"dialect":"claude","events":["Stop"],"on_failure":"block"`, `no failure of this hook blocks anything`},
		{`"dialect":"codex","events":["SessionEnd"],"timeout":9`, `Codex gives a hook of SessionEnd 3s at most`},
		{`"dialect":"gemini","on_failure":{"unsupported":"block"}`, `unknown key "unsupported"`},
	} {
		doc := keeping(test.fields)
		if strings.Contains(test.fields, `"events"`) {
			doc = strings.Replace(doc, `"events":["pre-tool"],`, "", 1)
		}
		_, err := parts.All().Parse("f", []byte(doc))
		require.ErrorContains(t, err, test.want, test.fields)
	}
	post := strings.Replace(keeping(`"dialect":"codex"`), `"command":"a"`, `"url":"http://a"`, 1)
	_, err := parts.All().Parse("f", []byte(post))
	require.ErrorContains(t, err, `Codex has no hooks that post to a url; leave "dialect" out`)
	cfg, err := parts.All().Parse("f", []byte(keeping(`"dialect":"claude","matcher":"(("`)))
	require.NoError(t, err)
	require.Contains(t, cfg.Warnings[0].Text, "is no regular expression and matches nothing, so the hook never runs")
}

// An entry whose hook is a Guardian has the project's own events, matchers and names of tools.
func TestEntryOfAProtocol(t *testing.T) {
	parse := func(more string) (*hookfile.Config, error) {
		entry := `{"name":"a","dialect":"acs","events":["PreToolUse"],` + more + `}`
		return parts.All().Parse("f", []byte(`{"hooks":[`+entry+`]}`))
	}
	cfg, err := parse(`"url":"http://localhost/","matcher":"sh*","on_failure":{"exit":"continue"}`)
	require.NoError(t, err)
	require.Empty(t, cfg.Warnings)
	h := &cfg.Hooks[0]
	require.Equal(t, []protocol.Event{protocol.PreTool}, h.Events)
	require.True(t, runs(h, &dialect.Call{Event: protocol.PreTool, Tool: "shell"}))
	bash := &dialect.Call{Event: "PreToolUse", Tool: "Bash", Client: claude.Dialect, ClientInput: "{}"}
	clients.All().NameTool(bash, nil)
	require.True(t, runs(h, bash))
	require.False(t, runs(h, &dialect.Call{Event: protocol.PreTool, Tool: "fs_read"}))
	for more, want := range map[string]string{
		`"command":"a","persistent":true`: `hooks of the dialect "acs" cannot be persistent; leave it out`,
		`"command":"a","async":true`:      `"async" is a key of clients' hooks`,
		`"command":"a","matcher":"^a$"`:   "matcher",
	} {
		_, err := parse(more)
		require.ErrorContains(t, err, want)
	}
}
