package hookfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/claude"
	"github.com/hookrun/hookrun/internal/clients/codex"
	"github.com/hookrun/hookrun/internal/clients/gemini"
	"github.com/hookrun/hookrun/internal/clients/massgen"
	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/core/launch"
	"github.com/hookrun/hookrun/internal/core/tenex"
	"github.com/hookrun/hookrun/protocol"
)

const codexFile, codexConfig, geminiFile = ".codex/hooks.json", ".codex/config.toml", ".gemini/settings.json"

// hooksOf is a file with one group at an event, and hooks of the type command with these fields.
func hooksOf(event string, fields ...string) string {
	var hooks []string
	for _, f := range fields {
		hooks = append(hooks, `{"type":"command",`+f+`}`)
	}
	return `{"hooks":{"` + event + `":[{"hooks":[` + strings.Join(hooks, ",") + `]}]}}`
}

// texts are problems without the name of their file.
func texts(problems []hook.Diagnostic) (all []string) {
	for _, p := range problems {
		_, text, _ := strings.Cut(p.Error(), ":")
		all = append(all, text)
	}
	return all
}

func TestFormFaults(t *testing.T) {
	const drops = "; Codex drops the whole file for that"
	for name, test := range map[string]struct {
		file, doc string
		want      []string
	}{
		"codex, no JSON": {codexFile, `{"hooks": {"PreToolUse": [`,
			[]string{"1:27: parsing: the document ends too early: a value is missing"}},
		"codex, nothing": {codexFile, "", []string{"1:1: parsing: the document is empty"}},
		"codex, a comment": {codexFile, "{ // x\n}",
			[]string{`1:3: parsing: JSON has no comments; put the text under a key that starts with "x-"`}},
		"codex, an array": {codexFile, `[]`,
			[]string{`1:1: a hooks file must be an object, as {"hooks": […]}, not an array`}},
		"codex, TENEX's form": {codexFile, `{"hooks":[]}`,
			[]string{`1:10: "hooks" must be an object, not an array` + drops}},
		"copilot, an array": {".github/hooks/a.json", `{"version":1,"hooks":[]}`,
			[]string{`1:22: "hooks" must be an object, not an array; Copilot CLI drops the entry or the file for ` +
				`that, and tells its log file alone`}},
		"codex, null": {codexFile, `{"hooks":null}`,
			[]string{`1:10: "hooks" must be an object, not null` + drops}},
		"codex, another switch": {codexFile, `{"disableAllHooks":true,"hooks":{}}`,
			[]string{`1:2: "disableAllHooks" is a switch of Claude Code's, which Codex does not know` + drops}},
		"codex, another key": {codexFile, `{"x":1,"env":{},"hook":{}}`,
			[]string{`1:2: unknown field "x"` + drops, `1:8: unknown field "env"` + drops,
				`1:17: unknown field "hook"` + drops + `; did you mean "hooks"?`}},
		"codex, no wrapper": {codexFile, `{"PreToolUse":[]}`,
			[]string{`1:2: PreToolUse is not under "hooks", so none of its hooks will ever run; put it there` + drops}},
		"codex, a description": {codexFile, `{"description":1}`,
			[]string{`1:16: "description" must be a string, not a number` + drops}},
		"codex, an event": {codexFile, `{"hooks":{"Stop":{"hooks":[]}}}`,
			[]string{`1:18: Stop must be an array, not an object` + drops}},
		"codex, a group": {codexFile, `{"hooks":{"Stop":["x"]}}`,
			[]string{`1:19: Stop 1 must be an object, not a string` + drops}},
		"codex, flat": {codexFile, `{"hooks":{"Stop":[{"type":"command","command":"a"}]}}`,
			[]string{`1:19: Stop 1: has no "hooks"; write {"hooks": [{…}]} around this hook; ` +
				`Codex finds nothing to run there, without a word`}},
		"codex, a matcher": {codexFile, `{"hooks":{"Stop":[{"matcher":1,"hooks":[]}]}}`,
			[]string{`1:30: Stop 1: "matcher" must be a string, not a number` + drops}},
		"codex, no type": {codexFile, `{"hooks":{"Stop":[{"hooks":[{"command":"a"}]}]}}`,
			[]string{`1:29: Stop 1, hook 1: has no "type"; write "type": "command"` + drops}},
		"codex, no command": {codexFile, `{"hooks":{"Stop":[{"hooks":[{"type":"command"}]}]}}`,
			[]string{`1:29: Stop 1, hook 1: a hook of type "command" needs "command"` + drops}},
		"codex, http": {codexFile,
			`{"hooks":{"Stop":[{"hooks":[{"type":"http","url":"http://x"}]}]}}`,
			[]string{`1:37: Stop 1, hook 1: unknown type "http"; known are command, mcp_tool, prompt, agent` + drops}},
		"codex, an empty command": {codexFile, hooksOf("Stop", `"command":""`),
			[]string{`1:57: Stop 1, hook 1: has an empty command, which fails whenever it runs; write a command, or ` +
				`take the hook out`}},
		"codex, half a second": {codexFile, hooksOf("Stop", `"command":"a","timeout":0.5`),
			[]string{`1:71: Stop 1, hook 1: "timeout" must be a whole number of seconds, not 0.5` + drops}},
		"codex, a float": {codexFile, hooksOf("Stop", `"command":"a","timeout":5.0`),
			[]string{`1:71: Stop 1, hook 1: "timeout" must be a whole number of seconds, not 5.0` + drops}},
		"codex, less than no time": {codexFile, hooksOf("Stop", `"command":"a","timeout":-1`),
			[]string{`1:71: Stop 1, hook 1: "timeout" must be a whole number of seconds, not -1` + drops}},
		"codex, a text for a time": {codexFile, hooksOf("Stop", `"command":"a","timeout":"5"`),
			[]string{`1:71: Stop 1, hook 1: "timeout" must be a number, not a string` + drops}},
		"codex, half a limit": {codexFile, hooksOf("Stop", `"command":"a","additionalContextLimit":1.5`),
			[]string{`1:86: Stop 1, hook 1: "additionalContextLimit" must be a whole number, not 1.5` + drops}},
		"codex, less than no limit": {codexFile, hooksOf("Stop", `"command":"a","additionalContextLimit":-1`),
			[]string{`1:86: Stop 1, hook 1: "additionalContextLimit" must be a whole number, not -1` + drops}},
		"codex, a tool of nobody's": {codexFile, `{"hooks":{"Stop":[{"hooks":[{"type":"mcp_tool","tool":"t"}]}]}}`,
			[]string{`1:29: Stop 1, hook 1: a hook of type "mcp_tool" needs "server"` + drops}},
		"codex, async": {codexFile, hooksOf("Stop", `"command":"a","async":null`),
			[]string{`1:69: Stop 1, hook 1: "async" must be true or false, not null` + drops}},
		"codex, config, no TOML": {codexConfig, "a = 1\n[hooks\n",
			[]string{"2:7: parsing: expected ']' to close table name"}},
		"codex, config, equal keys": {codexConfig, "[hooks]\nStop = []\nStop = []",
			[]string{"3:1: parsing: key Stop is already defined"}},
		"codex, config, no hooks": {codexConfig, "hooks = 5",
			[]string{`1:9: "hooks" must be an object, not a number`}},
		"codex, config, a type": {codexConfig, "x = 1\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\n  type = 'http'",
			[]string{`4:10: Stop 1, hook 1: unknown type "http"; known are command, mcp_tool, prompt, agent`}},
		"codex, config, a time": {codexConfig,
			"[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = 'command'\ncommand = 'é' # x\ntimeout = 1.5",
			[]string{`5:11: Stop 1, hook 1: "timeout" must be a whole number of seconds, not 1.5`}},
		"codex, config, a date": {codexConfig,
			"[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = 'command'\ncommand = 2026-01-02",
			[]string{`4:11: 2026-01-02 has no place here: no field is a date, a time or no number`}},
		"gemini, a trailing comma": {geminiFile, `{"hooks":{},}`,
			[]string{"1:12: parsing: a comma before '}'; remove it"}},
		"gemini, a comment": {geminiFile, "{ // x\n}",
			[]string{`1:3: parsing: JSON has no comments; put the text under a key that starts with "x-"`}},
		"gemini, hooks": {geminiFile, `{"hooks":"x"}`,
			[]string{`1:10: "hooks" must be an object, not a string`}},
		"gemini, TENEX's form": {geminiFile, `{"hooks":[]}`,
			[]string{`1:10: "hooks" must be an object, not an array`}},
		"gemini, an event": {geminiFile, `{"hooks":{"BeforeTool":{"hooks":[]}}}`,
			[]string{`1:24: BeforeTool must be an array, not an object`}},
		"gemini, a group": {geminiFile, `{"hooks":{"BeforeTool":["x",{}]}}`,
			[]string{`1:25: BeforeTool 1 must be an object, not a string`, `1:29: BeforeTool 2: has no "hooks"`}},
		"gemini, a matcher": {geminiFile, `{"hooks":{"BeforeTool":[{"matcher":5,"hooks":[]}]}}`,
			[]string{`1:36: BeforeTool 1: "matcher" must be a string, not a number`}},
		"gemini, in turn": {geminiFile, `{"hooks":{"BeforeTool":[{"sequential":"true","hooks":[]}]}}`,
			[]string{`1:39: BeforeTool 1: "sequential" must be true or false, not a string`}},
		"gemini, no type": {geminiFile, `{"hooks":{"BeforeTool":[{"hooks":[{"command":"a"}]}]}}`,
			[]string{`1:35: BeforeTool 1, hook 1: has no "type"; write "type": "command"`}},
		"gemini, types": {geminiFile,
			`{"hooks":{"BeforeTool":[{"hooks":[{"type":"http"},{"type":"plugin","command":"a"}]}]}}`,
			[]string{`1:43: BeforeTool 1, hook 1: unknown type "http"; known are command`,
				`1:59: BeforeTool 1, hook 2: unknown type "plugin"; known are command`}},
		"gemini, no command": {geminiFile, `{"hooks":{"BeforeTool":[{"hooks":[{"type":"command"}]}]}}`,
			[]string{`1:35: BeforeTool 1, hook 1: a hook of type "command" needs "command"`}},
		"gemini, an empty command": {geminiFile, hooksOf("BeforeTool", `"command":""`),
			[]string{`1:63: BeforeTool 1, hook 1: has an empty command, which fails whenever it runs; write a ` +
				`command, or take the hook out`}},
		"gemini, no time": {geminiFile, hooksOf("BeforeTool", `"command":"a","timeout":0`),
			[]string{`1:77: BeforeTool 1, hook 1: "timeout" must be more than 0, not 0`}},
		"gemini, less than no time": {geminiFile, hooksOf("BeforeTool", `"command":"a","timeout":-5`),
			[]string{`1:77: BeforeTool 1, hook 1: "timeout" must be more than 0, not -5`}},
		"gemini, a text for a time": {geminiFile, hooksOf("BeforeTool", `"command":"a","timeout":"500"`),
			[]string{`1:77: BeforeTool 1, hook 1: "timeout" must be a number, not a string`}},
		"gemini, env": {geminiFile,
			hooksOf("BeforeTool", `"command":"a","env":{"HOOKRUN":"x","A=":"","B":{}}`),
			[]string{`1:74: BeforeTool 1, hook 1: "env": HOOKRUN is set by hookrun, also for these hooks`,
				`1:88: BeforeTool 1, hook 1: "env": "A=" cannot be the name of a variable`,
				`1:100: BeforeTool 1, hook 1: "env" "B" must be a string, not an object`}},
		"gemini, switches": {geminiFile, `{"hooksConfig":{"enabled":"no","disabled":"x"}}`,
			[]string{`1:27: "hooksConfig": "enabled" must be true or false, not a string`,
				`1:43: "hooksConfig": "disabled" must be an array of strings, not a string`}},
		"gemini, switches that are no": {geminiFile, `{"hooksConfig":false}`,
			[]string{`1:16: "hooksConfig" must be an object, not true or false`}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parts.All().Parse(test.file, []byte(test.doc))
			var problems hook.Diagnostics
			require.ErrorAs(t, err, &problems)
			require.Equal(t, test.want, texts(problems))
		})
	}
}

func TestFormWarnings(t *testing.T) {
	for name, test := range map[string]struct {
		file, doc string
		want      []string
	}{
		"codex, none": {codexFile,
			`{"$schema":"s","x-a":1,"description":"d","hooks":{"x-b":[],"PreToolUse":[{"matcher":null,` +
				`"hooks":[{"type":"command","command":"a","commandWindows":"b","timeout":5,"async":false,` +
				`"statusMessage":null}]}]}}`, nil},
		"codex, events": {codexFile,
			`{"hooks":{"Notification":[],"pre_tool_use":5,"BeforeTool":[],"pre-tool":[]}}`,
			[]string{`1:11: unknown event "Notification": none of its hooks will ever run`,
				`1:29: unknown event "pre_tool_use": none of its hooks will ever run; did you mean "PreToolUse"?`,
				`1:46: unknown event "BeforeTool": none of its hooks will ever run; did you mean "PreToolUse"?`,
				`1:62: unknown event "pre-tool": none of its hooks will ever run; did you mean "PreToolUse"?`}},
		"a plugin's file of another client": {"hooks/hooks.json", `{"hooks":{"beforeShellExecution":[],"Stopp":[]}}`,
			[]string{`1:11: unknown event "beforeShellExecution": none of its hooks will ever run; it is an event of ` +
				`cursor: name the client with --dialect`,
				`1:37: unknown event "Stopp": none of its hooks will ever run; did you mean "Stop"?`}},
		"codex, fields": {codexFile,
			`{"hooks":{"PreToolUse":[{"bogus":1,"hooks":[{"type":"command","command":"a","if":"Bash",` +
				`"timeoutSec":1}]}]}}`, []string{`1:26: PreToolUse 1: unknown field "bogus", which is passed over`,
				`1:77: PreToolUse 1, hook 1: unknown field "if", which is passed over`,
				`1:89: PreToolUse 1, hook 1: unknown field "timeoutSec", which is passed over`}},
		"codex, too much time": {codexFile, hooksOf("Stop", `"command":"a","timeout":30000`),
			[]string{`1:71: Stop 1, hook 1: "timeout" is in seconds, and 30000 of them are more than an hour; were ` +
				`these milliseconds?`}},
		"codex, a short event": {codexFile, hooksOf("SessionEnd", `"command":"a","timeout":10`),
			[]string{`1:77: SessionEnd 1, hook 1: Codex gives a hook of SessionEnd 3s at most, so "timeout" is cut ` +
				`to that`}},
		"codex, a limit": {codexFile, hooksOf("Stop", `"command":"a","additionalContextLimit":5`),
			[]string{`1:86: Stop 1, hook 1: "additionalContextLimit" changes nothing: hookrun puts a context of more ` +
				`than 10000 characters into a file`}},
		"codex, no pattern": {codexFile,
			`{"hooks":{"PreToolUse":[{"matcher":"Bash(","hooks":[]}],"Stop":[{"matcher":"[","hooks":[]}]}}`,
			[]string{"1:36: PreToolUse 1: the matcher \"Bash(\" is no regular expression and matches nothing, so the " +
				"hook never runs: missing closing ): \"Bash(\""}},
		"codex, a foreign pattern": {codexFile, `{"hooks":{"PreToolUse":[{"matcher":"(?x) Bash","hooks":[]}]}}`,
			[]string{"1:36: PreToolUse 1: the matcher \"(?x) Bash\" is a regular expression that hookrun cannot " +
				"read, so the hook always runs: invalid or unsupported Perl syntax: \"(?x\"; RE2 has (?:…), " +
				"(?P<name>…) and the flags i, m, s and U, as (?i), but no look-around"}},
		"codex, Rust's own": {codexFile, `{"hooks":{"PreToolUse":[{"matcher":"\\<Bash","hooks":[]}]}}`,
			[]string{`1:36: PreToolUse 1: the matcher "\\<Bash" is a regular expression that hookrun cannot read, so ` +
				`the hook always runs: "\\<" means something to Rust alone`}},
		"codex, config, none": {codexConfig,
			"model = 'm'\n[features]\nhooks = true\n[hooks.state.'/x:1']\nenabled = " +
				"false\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = 'command'\ncommand = 'a'", nil},
		"codex, config, others": {codexConfig, "[[hook.Stop]]\n[[hooks.Stopp]]\n",
			[]string{`1:3: unknown field "hook", which is passed over; did you mean "hooks"?`,
				`2:9: unknown event "Stopp": none of its hooks will ever run; did you mean "Stop"?`}},
		"gemini, none": {geminiFile,
			`{"model":{"name":"m"},"hooksConfig":{"enabled":true,"disabled":[],"notifications":false},` +
				`"hooks":{"BeforeTool":[{"matcher":" ` +
				`","sequential":true,"hooks":[{"type":"command","command":"a","name":"n","description":"d",` +
				`"timeout":1000,"env":{"A":"b"}}]}]}}`, nil},
		"gemini, events": {geminiFile, `{"hooks":{"PreToolUse":[],"beforeTool":[],"Stop":[]}}`,
			[]string{`1:11: unknown event "PreToolUse": none of its hooks will ever run; did you mean "BeforeTool"?`,
				`1:27: unknown event "beforeTool": none of its hooks will ever run; did you mean "BeforeTool"?`,
				`1:43: unknown event "Stop": none of its hooks will ever run`}},
		"gemini, old switches": {geminiFile, `{"hooks":{"enabled":false,"disabled":["a"]}}`,
			[]string{`1:11: Gemini CLI passes over "enabled" here; put it under "hooksConfig"`,
				`1:27: Gemini CLI passes over "disabled" here; put it under "hooksConfig"`}},
		"gemini, another switch": {geminiFile, `{"disableAllHooks":true,"hookConfig":{}}`,
			[]string{`1:2: "disableAllHooks" is a switch of Claude Code's, which Gemini CLI does not know`,
				`1:25: unknown field "hookConfig", which is passed over; did you mean "hooksConfig"?`}},
		"gemini, an event on top": {geminiFile, `{"BeforeTool":[]}`,
			[]string{`1:2: BeforeTool is not under "hooks", so none of its hooks will ever run; put it there`}},
		"gemini, fields": {geminiFile, hooksOf("BeforeTool", `"command":"a","async":true,"args":["x"]`),
			[]string{`1:67: BeforeTool 1, hook 1: unknown field "async", which is passed over`,
				`1:80: BeforeTool 1, hook 1: unknown field "args", which is passed over`}},
		"gemini, somebody's second": {geminiFile,
			hooksOf("BeforeTool", `"command":"a","timeout":30`, `"command":"b","timeout":999.5`),
			[]string{`1:77: BeforeTool 1, hook 1: "timeout" is in milliseconds, and 30 of them are less than a ` +
				`second; were these seconds?`,
				`1:123: BeforeTool 1, hook 2: "timeout" is in milliseconds, and 999.5 of them are less than a ` +
					`second; were these seconds?`}},
		"gemini, too much time": {geminiFile, hooksOf("BeforeTool", `"command":"a","timeout":3600001`),
			[]string{`1:77: BeforeTool 1, hook 1: "timeout" is in milliseconds, and 3600001 of them are more than an ` +
				`hour; were these microseconds?`}},
		"gemini, no pattern": {geminiFile,
			`{"hooks":{"BeforeTool":[{"matcher":"(?i)x","hooks":[]}],"SessionStart":[{"matcher":"[","hooks":[]}],` +
				`"AfterAgent":[{"matcher":"[","hooks":[]}]}}`,
			[]string{`1:36: BeforeTool 1: the matcher "(?i)x" is no regular expression and matches nothing, so the ` +
				`hook never runs: '(?' must be followed by ':', '=', '!', '<=', '<!' or a '<name>'`}},
	} {
		t.Run(name, func(t *testing.T) {
			cfg, err := parts.All().Parse(test.file, []byte(test.doc))
			require.NoError(t, err)
			require.Equal(t, test.want, texts(cfg.Warned()))
		})
	}
}

// TestFormFields: what the fields of a handler mean.
func TestFormFields(t *testing.T) {
	load := func(file, doc string) []hook.Hook {
		cfg, err := parts.All().Parse(file, []byte(doc))
		require.NoError(t, err)
		return cfg.Hooks
	}
	t.Run("codex", func(t *testing.T) {
		hooks := load(codexFile,
			`{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"a  `+
				`b","timeout":5},{"type":"command","command":"a  `+
				`b","async":true,"timeout":0}]},{"hooks":[{"type":"prompt","prompt":"x"}]}],`+
				`"Interrupt":[{"hooks":[{"type":"command","command":"i"}]}]}}`)
		require.Len(t, hooks, 4)
		h := hooks[0]
		require.Same(t, codex.Dialect, h.Dialect)
		require.Equal(t, []any{"a b", hook.Command{Shell: "a  b"}, []protocol.Event{"PreToolUse"}, 5 * time.Second,
			"", false}, []any{h.Name, h.Process().Command, h.Events, h.Deadline("PreToolUse"), h.DedupKey, h.Async})
		require.True(t, hooks[1].Async)
		require.Equal(t, time.Second, hooks[1].Deadline("PreToolUse"), "0 is one second")
		require.Equal(t, "prompt", hooks[2].Unsupported())
		require.Equal(t, 10*time.Minute, hooks[2].Deadline("PreToolUse"))
		require.Equal(t, time.Second, hooks[3].Deadline("Interrupt"))
		require.Equal(t, 3*time.Second, load(codexFile,
			hooksOf("Interrupt", `"command":"a","timeout":9`))[0].Deadline("Interrupt"))
	})
	t.Run("codex, config", func(t *testing.T) {
		const doc = "[[hooks.PreToolUse]]\nmatcher = '^Bash$'\n\n  [[hooks.PreToolUse.hooks]]\n  type = " +
			"\"command\"\n  command = '''\na 'b'\n'''\n  timeout = 0x10\n\n[[hooks.Stop]]\nhooks = [{type = " +
			"'command', command = 'c'},\n   {type = 'agent'}]\n"
		hooks := load(codexConfig, doc)
		require.Len(t, hooks, 3)
		require.Equal(t, []any{"a 'b'", "a 'b'\n", ".codex/config.toml:4", 16 * time.Second, "^Bash$"},
			[]any{hooks[0].Name, hooks[0].Process().Shell, hooks[0].Source(), hooks[0].Timeout,
				hooks[0].Matcher.String()})
		require.Equal(t, []any{"c", ".codex/config.toml:12"}, []any{hooks[1].Name, hooks[1].Source()})
		require.Equal(t, []any{"agent", ".codex/config.toml:13"}, []any{hooks[2].Unsupported(), hooks[2].Source()})
	})
	t.Run("gemini", func(t *testing.T) {
		hooks := load(geminiFile,
			`{"hooks":{"BeforeTool":[{"sequential":true,"hooks":[{"type":"command","command":"a","name":" my\n hook `+
				`","timeout":1500.5,"env":{"A":"b","N":1}}]},{"hooks":[{"type":"command","command":"a"}]}]}}`)
		h := hooks[0]
		require.Same(t, gemini.Dialect, h.Dialect)
		require.Contains(t, h.Process().Written, "GEMINI_CWD")
		h.Process().Written = nil
		require.Equal(t, []any{"my hook", hook.Command{Shell: "a", Bash: true}, 1500500 * time.Microsecond,
			[]string{"A=b", "N=1"}, true}, []any{h.Name, h.Process().Command, h.Timeout, h.Env, h.Sequential})
		require.Equal(t, []any{"a", time.Minute, false},
			[]any{hooks[1].Name, hooks[1].Deadline("BeforeTool"), hooks[1].Sequential})
		_, argv, _ := launch.Program(&h, t.TempDir(), os.Environ()) // it may be missing
		require.Equal(t, []string{"bash", "-c", "a"}, argv)
	})
	t.Run("equal hooks", func(t *testing.T) {
		same := func(file, event, a, b string) bool {
			hooks := load(file, hooksOf(event, a, b))
			return hooks[0].DedupKey != "" && hooks[0].DedupKey == hooks[1].DedupKey
		}
		require.True(t, same(geminiFile, "BeforeTool", `"command":"a","timeout":5000`, `"command":"a","env":{"A":"b"}`))
		require.True(t, same(geminiFile, "BeforeTool", `"command":"a","name":"n"`, `"name":"n","command":"a"`))
		require.False(t, same(geminiFile, "BeforeTool", `"command":"a","name":"n"`, `"command":"a"`))
		require.False(t, same(geminiFile, "BeforeTool", `"command":"a"`, `"command":"b"`))
		require.False(t, same(codexFile, "Stop", `"command":"a"`, `"command":"a"`), "they all run")
	})
}

// TestFormExpands: variables in the texts of Gemini CLI's file, and in no other.
func TestFormExpands(t *testing.T) {
	t.Setenv("FORM_A", "va l'ue")
	t.Setenv("FORM_EMPTY", "")
	t.Setenv("GEMINI_PROJECT_DIR", "/elsewhere")
	for text, want := range map[string]string{
		"a $FORM_A b":             "a va l'ue b",
		"${FORM_A}x":              "va l'uex",
		"'$FORM_A'$FORM_A":        "'va l'ue'va l'ue",
		"${FORM_A:-d}":            "va l'ue",
		"[$FORM_EMPTY]":           "[]",
		"[${FORM_EMPTY:-d}]":      "[]",
		"$FORM_NONE ${FORM_NONE}": "$FORM_NONE ${FORM_NONE}",
		"${FORM_NONE:-d e}":       "d e",
		"${FORM_NONE:-}x":         "x",
		"$ $$ ${} ${x $":          "$ $$ ${} ${x $",
		"$FORM_AB ${:-d} $1":      "$FORM_AB ${:-d} $1",
		"$GEMINI_PROJECT_DIR/a":   "$GEMINI_PROJECT_DIR/a", // the shell has it, and knows blanks
		"x${GEMINI_CWD:-d}":       "x${GEMINI_CWD:-d}",
	} {
		doc := `{"hooksConfig":{"disabled":["off ` + text + `"]},"hooks":{"BeforeTool":[{"matcher":"` + text +
			`","hooks":[{"type":"command","command":"` + text + `","env":{"E":"` + text +
			`"}},{"type":"command","command":"a","name":"off ` + text + `"}]}]}}`
		cfg, err := parts.All().Parse(geminiFile, []byte(doc))
		require.NoError(t, err, text)
		h := &cfg.Hooks[0]
		require.Equal(t, []any{want, []string{"E=" + want}, want}, []any{h.Process().Shell, h.Env, h.Matcher.String()})
		c := input(t, `{"hook_event_name":"BeforeTool","tool_name":"x","tool_input":{}}`)
		require.Contains(t, why(&cfg.Hooks[1], c), "disabled", text)
	}
	cfg, err := parts.All().Parse(codexFile, []byte(hooksOf("Stop", `"command":"$FORM_A"`)))
	require.NoError(t, err)
	require.Equal(t, "$FORM_A", cfg.Hooks[0].Process().Shell)
}

// TestFormSwitches: hooks that the settings of Gemini CLI switch off do not run, and say why.
func TestFormSwitches(t *testing.T) {
	c := input(t, `{"hook_event_name":"BeforeTool","tool_name":"x","tool_input":{}}`)
	parse := func(doc string) *hookfile.Config {
		cfg, err := parts.All().Parse(geminiFile, []byte(doc))
		require.NoError(t, err)
		return cfg
	}
	running := func(cfg *hookfile.Config) (names []string) {
		for i := range cfg.Hooks {
			if runs(&cfg.Hooks[i], c) {
				names = append(names, cfg.Hooks[i].Name)
			}
		}
		return names
	}
	const hooks = `"hooks":{"BeforeTool":[{"hooks":[{"type":"command","command":"a","name":"n"},{"type":"command",` +
		`"command":"b  c"}]}]}`
	require.Equal(t, []string{"n", "b c"}, running(parse(`{`+hooks+`}`)))
	require.Equal(t, []string{"b c"}, running(parse(`{"hooksConfig":{"disabled":["n"]},`+hooks+`}`)))
	require.Equal(t, []string{"n"}, running(parse(`{"hooksConfig":{"disabled":["a","b  c"]},`+hooks+`}`)),
		"by the command only what has no name")
	cfg := parse(`{"hooksConfig":{"disabled":["n"]},` + hooks + `}`)
	require.Equal(t, `its name is in the "disabled" of its client's settings`, why(&cfg.Hooks[0], c))

	off := parse(`{"hooksConfig":{"enabled":false},` + hooks + `}`)
	require.Empty(t, running(off))
	require.Equal(t,
		`all hooks of its client are switched off by "enabled" of "hooksConfig" in .gemini/settings.json:1`,
		why(&off.Hooks[0], c))
	require.Equal(t, []string{`1:27: "enabled" of "hooksConfig" is false, so no hook of Gemini CLI's form runs`},
		texts(off.Warned()))

	// Of several files: later switches win, lists grow, and another client's hooks are not concerned.
	var all hookfile.Config
	claude, err := parts.All().Parse("claude.json",
		[]byte(`{"disableAllHooks":true,"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"x"}]}]}}`))
	require.NoError(t, err)
	codex, err := parts.All().Parse(codexFile, []byte(hooksOf("PreToolUse", `"command":"y"`)))
	require.NoError(t, err)
	for _, more := range []*hookfile.Config{claude, off, codex,
		parse(`{"hooksConfig":{"enabled":true,"disabled":["n"]}}`), parse(`{"hooksConfig":{"disabled":["m"]}}`)} {
		all.Add(more)
	}
	require.Equal(t, []string{"b c"}, running(&all)[:1])
	require.Equal(t, []string{`1:20: "disableAllHooks" is true, so no hook of Claude Code's form runs`},
		texts(all.Warned()))
	c = input(t, `{"hook_event_name":"PreToolUse","tool_name":"x","tool_input":{}}`)
	require.Contains(t, running(&all), "y")
	require.NotContains(t, running(&all), "x")
}

// TestFormByPlace: whose a file is its folder says or, if somebody says it, that.
func TestFormByPlace(t *testing.T) {
	const empty, object, array = `{}`, `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"a"}]}],` +
		`"BeforeTool":[{"hooks":[{"type":"command","command":"a"}]}]}}`, `{"hooks":[{"name":"n","command":"a",` +
		`"events":["pre-tool"]}]}`
	for _, test := range []struct {
		file, doc string
		as, want  *dialect.Dialect
	}{
		{".codex/hooks.json", object, nil, codex.Dialect},
		{".codex/other.json", object, nil, codex.Dialect},
		{".gemini/settings.json", object, nil, gemini.Dialect},
		{".claude/settings.json", object, nil, claude.Dialect},
		{"settings.json", object, nil, claude.Dialect},
		{"hooks/hooks.json", object, nil, claude.Dialect},
		{".tenex-hooks.json", object, nil, claude.Dialect},
		{".tenex-hooks.json", array, nil, tenex.Dialect},
		{"codex/hooks.json", object, nil, claude.Dialect},
		{".codex/deeper/hooks.json", object, nil, claude.Dialect},
		{".clinerules/hooks/x.json", object, nil, claude.Dialect},
		{".opencode/plugins/x.json", array, nil, tenex.Dialect},
		{"hooks.json", object, codex.Dialect, codex.Dialect},
		{".tenex-hooks.json", object, gemini.Dialect, gemini.Dialect},
		{".claude/settings.json", object, codex.Dialect, codex.Dialect},
		{".codex/hooks.json", object, claude.Dialect, claude.Dialect},
		{".codex/hooks.json", object, tenex.Dialect, codex.Dialect},
		{".tenex-hooks.json", array, codex.Dialect, tenex.Dialect},
		{"x.toml", "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = 'command'\ncommand = 'a'", gemini.Dialect,
			codex.Dialect},
	} {
		cfg, err := parts.All().ParseAs(test.file, []byte(test.doc), test.as)
		require.NoError(t, err, test.file)
		require.Same(t, test.want, cfg.Hooks[0].Dialect, test.file)
	}
	for file, err := range map[string]string{".codex/hooks.json": "", ".gemini/settings.json": "",
		"a.toml": "parsing"} {
		_, got := parts.All().Parse(file, []byte(empty))
		require.Equal(t, err != "", got != nil, file)
	}
	t.Run("where the folder is the current one", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), ".codex")
		require.NoError(t, os.Mkdir(dir, 0o700))
		t.Chdir(dir)
		require.NoError(t, os.WriteFile("hooks.json", []byte(object), 0o600))
		cfg, err := parts.All().LoadFile("hooks.json", nil)
		require.NoError(t, err)
		require.Same(t, codex.Dialect, cfg.Hooks[0].Dialect)
		require.Empty(t, cfg.Hooks[0].Environment(), "it is no plugin of Claude Code's")
		all, err := hookfile.Load(hookfile.Options{Parts: parts.All(), Files: []string{"hooks.json", "hooks.json"},
			Dialect: gemini.Dialect})
		require.NoError(t, err)
		require.Len(t, all.Hooks, 2)
		require.Same(t, gemini.Dialect, all.Hooks[1].Dialect)
		none, err := hookfile.Load(hookfile.Options{Parts: parts.All(), Workspace: dir, Dialect: gemini.Dialect})
		require.NoError(t, err)
		require.Empty(t, none.Hooks)
	})
}

func TestFormMatchers(t *testing.T) {
	matches := func(file, event, subject, matcher string) bool {
		cfg, err := parts.All().Parse(file, []byte(`{"hooks":{"`+event+`":[{"matcher":`+matcher+
			`,"hooks":[{"type":"command","command":"a"}]}]}}`))
		require.NoError(t, err)
		field := cfg.Hooks[0].Dialect.SubjectField(protocol.Event(event))
		if field == "" {
			field = "x"
		}
		tool := ""
		if field != "tool_name" {
			tool = `"tool_name":"t",`
		}
		return runs(&cfg.Hooks[0], input(t, `{"hook_event_name":"`+event+`",`+tool+`"`+field+`":"`+subject+
			`","tool_input":{}}`))
	}
	for _, test := range []struct {
		file, event, subject string
		yes, no              []string
	}{
		{codexFile, "PreToolUse", "Bash",
			[]string{"null", `""`, `"*"`, `"Bash"`, `"Edit|Bash"`, `"Bash|"`, `".*"`, `"Ba.*"`, `"."`,
				`"^(Edit|Bash)$"`, `"B*sh"`, `"Bash-x|Bash"`, `"(?i)bash"`, `"(?:Ba)sh"`, `"\\w+"`, `"(?x) never"`,
				`"a**"`, `"(?P<é>x)"`,
				`"\\p{Alphabetic}"`, `"\\P{scx=Greek}"`, `"\\<Bash\\>"`, `"\\b{start}x"`, `"\\B{x"`, `"[a-z&&[^x]]"`,
				`"[[a]B]x"`, `"[x--y]"`, `"[x~~y]"`, `"[]&&a]"`, `"[^][]"`, `"Ba[[:alpha:]]h"`, `"B[]a]sh"`,
				`"[^]]ash"`},
			[]string{`"bash"`, `"Ba"`, `"Edit, Bash"`, `"Edit | Bash"`, `" Bash"`, `"["`, `"(?!x)Bash"`, `"(?=Bash)"`,
				`"(?<=B)ash"`, `"(B)\\1"`, `"|"`, `"Bash("`, `"exec_command"`,
				`"a&&b"`, `"a--b"`, `"x~~"`, `"[x]--[y]"`, `"\\[a&&b"`, `"[\\<]x"`, `"[[:digit:]]"`,
				`"[[:digit:]-]--"`, `"[z-a]"`, `"\\\\<"`}},
		{codexFile, "PermissionRequest", "apply_patch",
			[]string{`"apply_patch"`, `"Edit"`, `"Write"`, `"Edit|MultiEdit"`, `"^Edit$"`, `"^Write"`, `"patch$"`,
				`"*"`},
			[]string{`"MultiEdit"`, `"edit"`, `"Bash"`, `"EditWrite"`, `"apply"`}},
		{codexFile, "PostToolUse", "mcp__srv__echo_it",
			[]string{`"mcp__srv__.*"`, `"mcp__srv__echo_it"`, `"srv-|__echo"`},
			[]string{`"mcp__srv"`, `"mcp__srv__echo-it"`}},
		{codexFile, "SessionStart", "startup", []string{`"startup"`, `"startup|resume"`, `"^start"`, `"*"`},
			[]string{`"start"`, `"resume"`, `"["`}},
		{codexFile, "PreCompact", "auto", []string{`"auto"`}, []string{`"manual"`}},
		{codexFile, "SubagentStop", "default", []string{`"default"`}, []string{`"other"`}},
		{codexFile, "SessionEnd", "other", []string{`"other"`}, []string{`"exit"`}},
		{codexFile, "Stop", "", []string{`"["`, `"nomatch"`}, nil},
		{codexFile, "UserPromptSubmit", "", []string{`"["`, `"nomatch"`}, nil},
		{codexFile, "PreModelRequest", "", []string{`"["`, `"nomatch"`}, nil},
		{geminiFile, "BeforeTool", "run_shell_command",
			[]string{"null", `""`, `"  "`, `"*"`, `" * "`, `"run_shell_command"`, `" run_shell_command "`, `"shell"`,
				`"write_file|run_shell_command"`, `"^run_(?!x)"`, `"(?<=run_)shell"`},
			[]string{`"RUN_SHELL_COMMAND"`, `"Bash"`, `"write_file,run_shell_command"`, `"run_shell_command("`,
				`"(?i)RUN"`, `"^shell"`}},
		{geminiFile, "AfterTool", "mcp_srv_ping", []string{`"mcp_srv_ping"`, `"mcp_.*"`}, []string{`"^ping$"`}},
		{geminiFile, "BeforeTool", "a+b", []string{`"a\\+b"`, `"a+b|\\+"`}, []string{`"a+b"`}},
		{geminiFile, "BeforeTool", "a(", []string{`"a("`}, []string{`"(a"`}},
		{geminiFile, "SessionStart", "startup", []string{`"startup"`, `" startup "`, `"*"`, `""`},
			[]string{`"startup|resume"`, `"start.*"`, `"start"`}},
		{geminiFile, "SessionEnd", "exit", []string{`"exit"`}, []string{`"ex"`, `"["`}},
		{geminiFile, "BeforeAgent", "", []string{`"nomatch"`, `"["`}, nil},
	} {
		for _, matcher := range test.yes {
			require.True(t, matches(test.file, test.event, test.subject, matcher), "%s %s", test.event, matcher)
		}
		for _, matcher := range test.no {
			require.False(t, matches(test.file, test.event, test.subject, matcher), "%s %s", test.event, matcher)
		}
	}
}

// FuzzForms: no file makes the reader of another form than Claude Code's panic, or gives it a hook without a dialect;
// and what is wrong with one has a place in it.
func FuzzForms(f *testing.F) {
	files := []string{codexFile, codexConfig, geminiFile}
	for i, doc := range []string{
		hooksOf("PreToolUse", `"command":"a","timeout":5`),
		"[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = 'command'\ncommand = 'a'\n",
		hooksOf("BeforeTool", `"command":"$A","name":"n","env":{"A":"b"}`),
		`{"hooks":{"Stop":[{"matcher":"[","hooks":[{"type":"agent"}]}]}}`,
		"hooks = {Stop = [{hooks = [{type='prompt'}]}]}",
		`{"hooksConfig":{"disabled":["a"],"enabled":false},"hooks":{"disabled":[]}}`,
	} {
		f.Add(i%3, doc)
	}
	f.Fuzz(func(t *testing.T, which int, doc string) {
		file := files[(which%3+3)%3]
		cfg, err := parts.All().Parse(file, []byte(doc))
		var problems hook.Diagnostics
		if errors.As(err, &problems) {
			lines := strings.Count(doc, "\n") + 1
			require.NotEmpty(t, problems)
			for _, p := range problems {
				require.True(t, 1 <= p.Line && p.Line <= lines && p.Column >= 1, p.Error())
			}
			return
		}
		require.NoError(t, err)
		for i := range cfg.Hooks {
			h := &cfg.Hooks[i]
			require.Contains(t, []*dialect.Dialect{codex.Dialect, gemini.Dialect}, h.Dialect)
			require.True(t, slices.Contains(h.Dialect.Events.Names(), h.Events[0]))
			require.True(t, h.Unsupported() != "" || h.Process().Shell != "")
			require.Positive(t, h.Deadline(h.Events[0]))
			require.NotEmpty(t, h.Name)
			runs(h, &dialect.Call{Event: h.Events[0], Tool: "Bash", Args: "{}"})
		}
	})
}

// A Config of one file says whose form that is in, with hooks or without; one of several says nothing.
func TestConfigDialect(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	for name, want := range map[string]*dialect.Dialect{
		".tenex-hooks.json": tenex.Dialect, ".claude/settings.json": claude.Dialect, ".codex/hooks.json": codex.Dialect,
		".gemini/settings.json": gemini.Dialect, ".codex/config.toml": codex.Dialect, "x.yaml": massgen.Dialect,
	} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		text := "{}"
		if strings.HasSuffix(name, "l") {
			text = ""
		} else if want == tenex.Dialect {
			text = `{"hooks":[]}`
		}
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		cfg, err := hookfile.Load(hookfile.Options{Parts: parts.All(), Files: []string{path}})
		require.NoError(t, err, name)
		require.Same(t, want, cfg.Dialect, name)
		paths = append(paths, path)
	}
	cfg, err := hookfile.Load(hookfile.Options{Parts: parts.All(), Files: paths})
	require.NoError(t, err)
	require.Nil(t, cfg.Dialect)
	cfg, err = hookfile.Load(hookfile.Options{Parts: parts.All(), Workspace: t.TempDir()})
	require.NoError(t, err)
	require.Nil(t, cfg.Dialect)
}

// TestFormLists: where a client makes a text of a list, the hook runs that text.
func TestFormLists(t *testing.T) {
	doc := hooksOf("PreToolUse", `"command":["./a.sh","b \"c\""]`)
	cfg, err := parts.All().Parse(".qwen/settings.json", []byte(doc))
	require.NoError(t, err)
	require.Len(t, cfg.Hooks, 1)
	require.Equal(t, `./a.sh,b "c"`, cfg.Hooks[0].Process().Shell)
}
