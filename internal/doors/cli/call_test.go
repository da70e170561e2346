package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
	"github.com/hookrun/hookrun/protocol"
)

// callOf is the call that the flags of a command describe.
func callOf(t *testing.T, event protocol.Event, stdin string, args ...string) (*callCommand, error) {
	t.Helper()
	var f callCommand
	flags := pflag.NewFlagSet(string(event), pflag.ContinueOnError)
	f.defineTool(flags)
	f.defineResult(flags)
	f.define(flags, "text", func() []string { return []string{"text", "json"} })
	f.defineMessages(flags)
	require.NoError(t, flags.Parse(args))
	return &f, f.finish(event, strings.NewReader(stdin))
}

func TestCallFromFlags(t *testing.T) {
	t.Parallel()
	dir := workspace(t, "")
	text := file(t, filepath.Join(dir, "text"), "from a file\n")
	for name, test := range map[string]struct {
		event protocol.Event
		stdin string
		args  []string
		want  dialect.Call
	}{
		"a tool": {"pre-tool", "", []string{"--tool", "x", "--args", "{}"},
			dialect.Call{Tool: "x", Args: "{}"}},
		"args on stdin": {"pre-tool", "[1]", []string{"--tool", "x", "--args", "-"},
			dialect.Call{Tool: "x", Args: "[1]"}},
		"result in a file": {"post-tool", "", []string{"--tool", "x", "--result", "@" + text},
			dialect.Call{Tool: "x", Result: "from a file\n"}},
		"a tool that failed": {"post-tool", "no", []string{"--tool", "x", "--result=-", "--failed"},
			dialect.Call{Tool: "x", Result: "no", Failed: true}},
		"a prompt":             {"pre-execute", "", []string{"--prompt", "hi"}, dialect.Call{Prompt: "hi"}},
		"a prompt on stdin":    {"pre-execute", "@x", []string{"--prompt", "-"}, dialect.Call{Prompt: "@x"}},
		"no tool at the event": {"pre-execute", "", []string{"--tool", "x"}, dialect.Call{}},
		"what every call has": {
			"pre-execute", "",
			[]string{"--session-id=s", "--transcript-path=t", "--tool-use-id=u", "--agent-id=a", "--orchestrator-id=o"},
			dialect.Call{SessionID: "s", TranscriptPath: "t", ToolUseID: "u", AgentID: "a", OrchestratorID: "o"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := callOf(t, test.event, test.stdin, append(test.args, "-C", dir)...)
			require.NoError(t, err)
			test.want.Event, test.want.Workspace = test.event, dir
			require.Equal(t, test.want, f.call)
		})
	}
}

func TestErrorsOfCallFlags(t *testing.T) {
	testall.NotOnWindows(t, "the errors of the system have other words")
	t.Parallel()
	dir := workspace(t, "")
	const isEmpty = " is empty; leave it out for the default"
	for line, want := range map[string]string{
		"--tool x --workspace=":   "--workspace" + isEmpty,
		"--tool x --timeout=":     "--timeout" + isEmpty,
		"--tool x --on-failure=":  "--on-failure" + isEmpty,
		"--tool x --dialect=":     "--dialect" + isEmpty,
		"--tool x --state=":       "--state" + isEmpty,
		"--tool x -c a --config=": "--config" + isEmpty,
		"--tool x -o yaml":        `--output "yaml" is not one of text, json`,
		"--tool x --dialect tenx": `--dialect "tenx" is not one of ` + strings.Join(dialectNames(), ", ") +
			`; did you mean "tenex"?`,
		"--tool x --notes=separate": "--notes is for messages; " +
			"it needs --output anthropic|openai|openai-responses",
		"--tool x --notes=none": `--notes "none" is not one of separate, structured, separator`,
		"--tool x -C " + dir + "/none": "--workspace " + dir +
			"/none: no such file or directory; give the folder of the project",
		"--tool x --args - --result -":    "--args - and --result - both want stdin; give one of them as @FILE",
		"--tool x --args -":               "--args -: stdin is empty; write the arguments of the tool call to it",
		"--tool x --args @" + dir:         "--args @" + dir + ": is a directory",
		"--tool x --result @" + dir + "/": "--result @" + dir + "/: is a directory",
		"--args {}":                       "--tool is missing; give the name of the tool, as in --tool shell",
	} {
		_, err := callOf(t, protocol.PostTool, "", strings.Fields(line)...)
		require.EqualError(t, err, want, line)
	}
	_, err := callOf(t, protocol.PostTool, strings.Repeat("x", maxValue+1), "-C", dir, "--tool", "x", "--result", "-")
	require.EqualError(t, err, "--result -: larger than 64 MiB")
}

func TestPolicyFlags(t *testing.T) {
	t.Parallel()
	dir := workspace(t, rules)
	for args, want := range map[string]string{
		"--timeout soon":     `--timeout "soon" is no duration; write "5s", "1m30s", or a number of seconds`,
		"--on-failure allow": `--on-failure must be block or continue, not "allow"`,
		"--dialect claude": "--dialect claude: " + filepath.Join(dir, ".tenex-hooks.json") +
			" is in the form of the tenex dialect",
	} {
		got := run("", append([]string{"pre-tool", "-C", dir, "--tool", "x"}, strings.Fields(args)...)...)
		require.Equal(t, 1, got.exit, args)
		require.Contains(t, got.err, "hookrun pre-tool: "+want, args)
	}
	require.Equal(t, 0, run("", "pre-tool", "-C", dir, "--tool", "x", "--timeout", "5", "--on-failure", "block").exit)
}

// The forms of the output and the exit codes, for a call that goes on and one that is blocked.
func TestOutputForms(t *testing.T) {
	t.Parallel()
	dir := workspace(t, rules)
	const (
		deny = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",` +
			`"permissionDecisionReason":"Ask first."}}` + "\n"
		context = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"Mind the gap."}}` + "\n"
	)
	for name, test := range map[string]struct {
		line  string
		input string
		want  ran
	}{
		"text, continue":  {"pre-tool --tool fs", "", ran{0, "Mind the gap.\n", ""}},
		"text, no hook":   {"pre-tool --tool x", "", ran{0, "", ""}},
		"text, block":     {"pre-tool --tool shell", "", ran{2, "", "Ask first.\n"}},
		"text, post-tool": {"post-tool --tool vault --result x", "", ran{2, "", "There is a secret in it.\n"}},
		"claude, block":   {"pre-tool --tool shell -o claude", "", ran{0, deny, ""}},
		"claude, context": {"pre-tool --tool fs -o claude", "", ran{0, context, ""}},
		"claude, nothing": {"pre-tool --tool x -o claude", "", ran{0, "{}\n", ""}},
		"gemini, block": {"pre-tool --tool shell -o gemini", "",
			ran{0, `{"decision":"deny","reason":"Ask first."}` + "\n", ""}},
		"fire, for claude": {"fire", `{"hook_event_name":"PreToolUse","tool_name":"Bash"}`, ran{0, deny, ""}},
		"fire, as text": {"fire -o text", `{"hook_event_name":"PreToolUse","tool_name":"Bash"}`,
			ran{2, "", "Ask first.\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			words := strings.Fields(test.line)
			require.Equal(t, test.want, run(test.input, append(words, "-C", dir)...))
		})
	}
	json := run("", "pre-tool", "-C", dir, "--tool", "shell", "-o", "json")
	require.Equal(t, 2, json.exit)
	require.Equal(t, "Ask first.\n", json.err)
	require.Contains(t, json.out, `{"version":1,"event":"pre-tool","tool":"shell","decision":"block",`+
		`"reason":"Ask first.","cause":"policy","hook":"guard","hooks":[{"name":"guard",`)
	other := workspace(t, `{"hooks": [{"name": "a", "inject": "hi", "events": ["pre-execute"]}]}`)
	wrapped := run("", "pre-execute", "-C", other, "--wrap")
	require.Equal(t, 0, wrapped.exit)
	require.Contains(t, wrapped.out, "hi")
	require.NotEqual(t, "hi\n", wrapped.out)
	messages := run("", "post-tool", "-C", dir, "--tool", "fs", "--result", "r", "-o", "anthropic",
		"--tool-use-id", "u")
	require.Equal(t, 0, messages.exit)
	require.JSONEq(t,
		`[{"role":"user","content":[{"type":"tool_result","tool_use_id":"u","content":"r\nMind the gap."}]}]`,
		messages.out)
}

// A hooks file with errors runs nothing, and every error has its position.
func TestErrorsOfTheHooksFile(t *testing.T) {
	t.Parallel()
	dir := workspace(t, `{"hooks": [{"name": "a", "comand": "x", "events": ["pre-tol"]}]}`)
	path := filepath.Join(dir, ".tenex-hooks.json")
	text := run("", "pre-tool", "-C", dir, "--tool", "x")
	require.Equal(t, 1, text.exit)
	require.Empty(t, text.out)
	require.Contains(t, text.err, path+`:1:26: unknown key "comand"; did you mean "command"?`+"\n")
	require.Contains(t, text.err, path+`:1:52: hook "a": unknown event "pre-tol"`)

	fire := run(`{"hook_event_name":"PreToolUse","tool_name":"x"}`, "fire", "-C", dir)
	require.Equal(t, 2, fire.exit)
	require.Contains(t, fire.err, text.err)
	require.Contains(t, fire.err, "hookrun fire: a person must fix this; until then every call is blocked")
}

func TestVerbose(t *testing.T) {
	t.Parallel()
	dir := workspace(t, rules)
	got := run("", "pre-tool", "-C", dir, "--tool", "fs", "-v")
	require.Equal(t, 0, got.exit)
	require.Contains(t, got.err, "hookrun: hooks file "+filepath.Join(dir, ".tenex-hooks.json")+"\n")
	require.Contains(t, got.err, "hookrun: hook 'context' ok in ")
}
