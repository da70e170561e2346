package hookfile_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/claude"
	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/endpoint"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/launch"
	"github.com/hookrun/hookrun/protocol"
)

// What the client does with a faulty file: all of it is lost, or the entry.
const (
	whole = "; Claude Code drops the whole file for that, without a word"
	entry = "; Claude Code drops this entry for that, without a word"
)

// claudeForm is a file with one group at an event, whose hooks start at line 2, column 1.
func claudeForm(event, hooks string) string {
	return `{"hooks":{"` + event + `":[{"hooks":[` + "\n" + hooks + "]}]}}"
}

func pre(hooks string) string { return claudeForm("PreToolUse", hooks) }

// claudeFaults are files that are refused, each with the whole error.
var claudeFaults = []fault{
	// What the client reads as no JSON it drops; of two equal keys it takes the last.
	{"a comment", "{ // why\n\"hooks\":{}}",
		`f:1:3: parsing: JSON has no comments; put the text under a key that starts with "x-"`},
	{"a trailing comma", `{"hooks":{},}`, `f:1:12: parsing: a comma before '}'; remove it`},
	{"cut short", `{"hooks": {"PreToolUse": [`, `f:1:27: parsing: the document ends too early: a value is missing`},
	{"equal events", "{\"hooks\":{\"PreToolUse\":[],\n\"PreToolUs\\u0065\":[]}}",
		`f:2:1: parsing: the key "PreToolUse" is there twice in one object; keep one`},
	{"equal fields of a hook", pre("{\"type\":\"command\",\"command\":\"exit 2\",\n\"command\":\"true\"}"),
		`f:3:1: parsing: the key "command" is there twice in one object; keep one`},
	{"equal matchers", `{"hooks":{"Stop":[{"matcher":"","hooks":[],"matcher":"a"}]}}`,
		`f:1:44: parsing: the key "matcher" is there twice in one object; keep one`},
	{"equal settings", `{"disableAllHooks":false,"hooks":{},"disableAllHooks":true}`,
		`f:1:37: parsing: the key "disableAllHooks" is there twice in one object; keep one`},
	{"equal keys in what nobody reads", `{"hooks":{},"permissions":{"allow":[],"allow":[]}}`,
		`f:1:39: parsing: the key "allow" is there twice in one object; keep one`},
	{"half a character", pre(`{"type":"command","command":"\ud800"}`),
		`f:2:30: parsing: \ud800 is half a character; write both halves, as \ud83d\ude00, or the character itself`},

	{"variables of wrong types", "{\"env\":{\"A\":null,\n\"é\":{},\"B\":[]},\"hooks\":{}}",
		`f:1:13: "env" "A" must be a string, not null` + whole + `
f:2:5: "env" "é" must be a string, not an object` + whole + `
f:2:12: "env" "B" must be a string, not an array` + whole},
	{"names of no variables", `{"env":{"":"1","A=B":"2","\u0000":3},"hooks":{}}`,
		`f:1:9: "env": "" cannot be the name of a variable
f:1:16: "env": "A=B" cannot be the name of a variable
f:1:26: "env": "\x00" cannot be the name of a variable`},
	{"NUL in a variable", `{"env":{"A":"1\u0000"},"hooks":{}}`,
		`f:1:13: "env" "A" has a NUL character, which no process can be given`},

	{"groups that are no array",
		"{\"hooks\":{\"PreToolUse\":{},\n\"PermissionRequest\":null,\n\"PostToolUse\":\"x\",\n\"Stop\":1}}",
		`f:1:24: PreToolUse must be an array, not an object` + whole + `
f:2:21: PermissionRequest must be an array, not null` + whole + `
f:3:15: PostToolUse must be an array, not a string` + entry + `
f:4:8: Stop must be an array, not a number` + entry},
	{"groups that are no objects",
		"{\"hooks\":{\"PreToolUse\":[null,\n[]],\"Notification\":[\"\",{\"hooks\":[]},false]}}",
		`f:1:25: PreToolUse 1 must be an object, not null` + whole + `
f:2:1: PreToolUse 2 must be an object, not an array` + whole + `
f:2:21: Notification 1 must be an object, not a string` + entry + `
f:2:37: Notification 3 must be an object, not true or false` + entry},
	{"groups without hooks",
		"{\"hooks\":{\"PermissionRequest\":[{}],\n\"SessionStart\":[{\"hooks\":[]},{\"matcher\":\"\"}]}}",
		`f:1:32: PermissionRequest 1: has no "hooks"` + whole + `
f:2:30: SessionStart 2: has no "hooks"` + entry},
	{"hooks of a group that are no array",
		"{\"hooks\":{\"PreToolUse\":[{\"hooks\":null},{\"hooks\":{}}],\n\"SubagentStop\":[{\"hooks\":\"x\"}," +
			"{\"hooks\":7}]}}",
		`f:1:34: PreToolUse 1: "hooks" must be an array, not null` + whole + `
f:1:49: PreToolUse 2: "hooks" must be an array, not an object` + whole + `
f:2:26: SubagentStop 1: "hooks" must be an array, not a string` + entry + `
f:2:40: SubagentStop 2: "hooks" must be an array, not a number` + entry},
	{"a hook instead of an array of them", `{"hooks":{"PreToolUse":[{"hooks":{"type":"command","command":"a"}}]}}`,
		`f:1:34: PreToolUse 1: "hooks" must be an array, not an object` + whole},
	{"matchers of wrong types",
		"{\"hooks\":{\"PreToolUse\":[{\"matcher\":[\"Bash\"],\"hooks\":[]},\n{\"matcher\":null,\"hooks\":[]}]," +
			"\"SessionStart\":[{\"hooks\":[],\"matcher\":7}]}}",
		`f:1:36: PreToolUse 1: "matcher" must be a string, not an array` + whole + `
f:2:12: PreToolUse 2: "matcher" must be a string, not null` + whole + `
f:2:68: SessionStart 1: "matcher" must be a string, not a number` + entry},
	{"hooks that are no objects",
		"{\"hooks\":{\"PreToolUse\":[{\"hooks\":[null,\n\"rm\"]}],\"Stop\":[{\"hooks\":[[]]}]}}",
		`f:1:35: PreToolUse 1, hook 1 must be an object, not null` + whole + `
f:2:1: PreToolUse 1, hook 2 must be an object, not a string` + whole + `
f:2:27: Stop 1, hook 1 must be an object, not an array` + entry},

	{"no type", pre(`{"command":"guard"}`), `f:2:1: PreToolUse 1, hook 1: has no "type"; write "type": "command"` +
		whole},
	{"no type at another event", claudeForm("Stop", `{}`),
		`f:2:1: Stop 1, hook 1: has no "type"; write "type": "command"` + entry},
	{"type null", pre(`{"type":null,"command":"guard"}`),
		`f:2:9: PreToolUse 1, hook 1: "type" must be a string, not null` + whole},
	{"type a list", claudeForm("Setup", `{"type":["command"]}`),
		`f:2:9: Setup 1, hook 1: "type" must be a string, not an array` + entry},
	{"unknown type", pre(`{"command":"guard","type":"script"}`),
		`f:2:27: PreToolUse 1, hook 1: unknown type "script"; known are command, http, mcp_tool, prompt, agent` +
			whole},
	{"type of another case", claudeForm("PostToolUse", `{"type":"Command"}`),
		`f:2:9: PostToolUse 1, hook 1: unknown type "Command"` + entry + `; did you mean "command"?`},
	{"type misspelt", pre(`{"type":"mcp-tool"}`),
		`f:2:9: PreToolUse 1, hook 1: unknown type "mcp-tool"` + whole + `; did you mean "mcp_tool"?`},
	{"type empty", pre(`{"type":""}`),
		`f:2:9: PreToolUse 1, hook 1: unknown type ""; known are command, http, mcp_tool, prompt, agent` + whole},

	{"no command", pre(`{"type":"command"}`),
		`f:2:1: PreToolUse 1, hook 1: a hook of type "command" needs "command"` + whole},
	{"a command misspelt", pre(`{"type":"command","comand":"guard"}`),
		`f:2:1: PreToolUse 1, hook 1: a hook of type "command" needs "command"` + whole + `
f:2:19: PreToolUse 1, hook 1: unknown field "comand", which is passed over; did you mean "command"?`},
	{"no command, but arguments", claudeForm("Stop", `{"type":"command","args":["guard"]}`),
		`f:2:1: Stop 1, hook 1: a hook of type "command" needs "command"` + entry},
	{"no url", pre(`{"type":"http"}`), `f:2:1: PreToolUse 1, hook 1: a hook of type "http" needs "url"` + whole},
	{"no server and no tool", claudeForm("PermissionDenied", `{"type":"mcp_tool"}`),
		`f:2:1: PermissionDenied 1, hook 1: a hook of type "mcp_tool" needs "server"` + entry + `
f:2:1: PermissionDenied 1, hook 1: a hook of type "mcp_tool" needs "tool"` + entry},
	{"no tool", pre(`{"type":"mcp_tool","server":"s"}`),
		`f:2:1: PreToolUse 1, hook 1: a hook of type "mcp_tool" needs "tool"` + whole},
	{"no prompts", pre(`{"type":"prompt"},{"type":"agent","model":"m"}`),
		`f:2:1: PreToolUse 1, hook 1: a hook of type "prompt" needs "prompt"` + whole + `
f:2:19: PreToolUse 1, hook 2: a hook of type "agent" needs "prompt"` + whole},

	// The client runs it, which fails each time.
	{"empty command", pre(`{"type":"command","command":""}`),
		`f:2:29: PreToolUse 1, hook 1: has an empty command, which fails whenever it runs; write a command, or take ` +
			`the hook out`},
	{"empty program", claudeForm("Stop", `{"type":"command","command":"","args":["x"]}`),
		`f:2:29: Stop 1, hook 1: has an empty command, which fails whenever it runs; write a command, or take the ` +
			`hook out`},
	{"NUL in a command", pre(`{"type":"command","command":"a\u0000b"}`),
		`f:2:29: PreToolUse 1, hook 1: "command" has a NUL character, which no process can be given`},
	{"NUL in an argument", pre(`{"type":"command","command":"a","args":["a","\u0000","b"]}`),
		`f:2:45: PreToolUse 1, hook 1: "args" has a NUL character, which no process can be given`},
	{"an argument that is no string", pre(`{"type":"command","command":"a","args":["a",1]}`),
		`f:2:40: PreToolUse 1, hook 1: "args" must be an array of strings, not an array` + whole},
	{"a shell that is none", pre(`{"type":"command","command":"a","shell":"zsh"}`),
		`f:2:41: PreToolUse 1, hook 1: "shell" must be "bash" or "powershell", not "zsh"` + whole},
	{"a shell misspelt", claudeForm("Stop", `{"type":"command","command":"a","shell":"PowerShell"}`),
		`f:2:41: Stop 1, hook 1: "shell" must be "bash" or "powershell", not "PowerShell"` + entry +
			`; did you mean "powershell"?`},
	{"onFailure misspelt", pre(`{"type":"command","command":"a","onFailure":"blok"}`),
		`f:2:45: PreToolUse 1, hook 1: "onFailure" must be "continue" or "block", not "blok"` + whole +
			`; did you mean "block"?`},
	{"onFailure by cause", pre(`{"type":"http","url":"http://h","onFailure":{"timeout":"block"}}`),
		`f:2:45: PreToolUse 1, hook 1: "onFailure" must be "continue" or "block", not an object` + whole},
	{"cloud of no kind", pre(`{"type":"command","command":"a","cloud":"run"}`),
		`f:2:41: PreToolUse 1, hook 1: "cloud" must be "device" or "skip", not "run"` + whole},

	{"timeout zero", pre(`{"type":"command","command":"a","timeout":0}`),
		`f:2:43: PreToolUse 1, hook 1: "timeout" must be more than 0, not 0` + whole},
	{"timeout negative", claudeForm("SessionEnd", `{"type":"prompt","prompt":"p","timeout":-0.5}`),
		`f:2:41: SessionEnd 1, hook 1: "timeout" must be more than 0, not -0.5` + entry},
	{"timeout negative without end", pre(`{"type":"command","command":"a","timeout":-1e400}`),
		`f:2:43: PreToolUse 1, hook 1: "timeout" must be more than 0, not -1e400` + whole},
	{"timeout in words", pre(`{"type":"command","command":"a","timeout":"5s"}`),
		`f:2:43: PreToolUse 1, hook 1: "timeout" must be a number, not a string` + whole},

	{"no address", pre(`{"type":"http","url":""}`),
		`f:2:22: PreToolUse 1, hook 1: no request can be sent: the url must start with http:// or https://`},
	{"an address without scheme", pre(`{"type":"http","url":"localhost:8080/x"}`),
		`f:2:22: PreToolUse 1, hook 1: no request can be sent: the url must start with http:// or https://`},
	{"an address of another scheme", claudeForm("Stop", `{"type":"http","url":"ftp://host/x"}`),
		`f:2:22: Stop 1, hook 1: no request can be sent: the url must start with http:// or https://`},
	{"an address without host", pre(`{"type":"http","url":"https:///x"}`),
		`f:2:22: PreToolUse 1, hook 1: no request can be sent: the url has no valid host; ASCII letters, digits and ` +
			`-._ make one, others are written in punycode`},
	{"an address with a blank", pre(`{"type":"http","url":"http://host/a b"}`),
		`f:2:22: PreToolUse 1, hook 1: no request can be sent: a blank or a control character in the url; write it ` +
			`percent-encoded, a blank as %20`},
	{"an address over two lines", pre(`{"type":"http","url":"http://host/\nX: 1"}`),
		`f:2:22: PreToolUse 1, hook 1: no request can be sent: a blank or a control character in the url; write it ` +
			`percent-encoded, a blank as %20`},
	{"headers of wrong types", pre(`{"type":"http","url":"http://host","headers":{"A":1,"B":"b","C":null}}`),
		`f:2:51: PreToolUse 1, hook 1: the header "A" must be a string, not a number` + whole + `
f:2:65: PreToolUse 1, hook 1: the header "C" must be a string, not null` + whole},

	{"a matcher of 64 KiB", `{"hooks":{"Stop":[{"matcher":"` + strings.Repeat("x", 64<<10-1) + `","hooks":[]}]}}`,
		`f:1:30: Stop 1: the matcher is longer than 64 KiB`},

	{"places behind all kinds of characters", bom + "{\"" + odd + "\":1,\"hooks\":{\r\n" +
		"\"PreToolUse\":[{\"matcher\":\"" + odd + "\",\"hooks\":[7]},\r\n" +
		"\t{\"hooks\":[{\"type\":\"command\",\"statusMessage\":\"\u2028\",\"command\":0}]}]}}",
		`f:2:46: PreToolUse 1, hook 1 must be an object, not a number` + whole + `
f:3:60: PreToolUse 2, hook 1: "command" must be a string, not a number` + whole},
	{"a bad hook between good ones",
		pre("{\"type\":\"command\",\"command\":\"a\"},\n{\"type\":\"command\"},\n{\"type\":\"command\"," +
			"\"command\":\"b\"}"),
		`f:3:1: PreToolUse 1, hook 2: a hook of type "command" needs "command"` + whole},
	// With an error there, what is only odd is said as well: it may be what was meant.
	{"everything at once", `{"model":5,
"hooks":{"Stop":[{"hooks":[{"type":"command","timeout":0,
"command":"","nane":1,"if":1}]}],
"PreTolUse":[{}],
"PreToolUse":[{"matcher":1},
{"hooks":[{"timeout":"x","type":"http"}]}]},
"env":{"":1},
"allowedHttpHookUrls":"http://h"}`,
		`f:1:10: "model" must be a string, not a number` + whole + `
f:2:56: Stop 1, hook 1: "timeout" must be more than 0, not 0` + entry + `
f:3:11: Stop 1, hook 1: has an empty command, which fails whenever it runs; write a command, or take the hook out
f:3:14: Stop 1, hook 1: unknown field "nane", which is passed over
f:3:28: Stop 1, hook 1: "if" must be a string, not a number` + entry + `
f:4:1: unknown event "PreTolUse": none of its hooks will ever run; did you mean "PreToolUse"?
f:5:15: PreToolUse 1: has no "hooks"` + whole + `
f:5:26: PreToolUse 1: "matcher" must be a string, not a number` + whole + `
f:6:11: PreToolUse 2, hook 1: a hook of type "http" needs "url"` + whole + `
f:6:22: PreToolUse 2, hook 1: "timeout" must be a number, not a string` + whole + `
f:7:8: "env": "" cannot be the name of a variable
f:8:23: "allowedHttpHookUrls" must be an array of strings, not a string` + whole},
}

func TestClaudeFaults(t *testing.T) {
	for _, test := range claudeFaults {
		t.Run(test.name, func(t *testing.T) {
			cfg, err := parts.All().Parse("f", []byte(test.doc))
			require.EqualError(t, err, test.want)
			require.IsType(t, hook.Diagnostics{}, err)
			require.Nil(t, cfg, "a file with an error has no hooks")
		})
	}
}

// TestClaudeFieldTypes has a wrong value for each field of each type of hook.
func TestClaudeFieldTypes(t *testing.T) {
	good := map[string]string{
		"command":  `"type":"command","command":"a"`,
		"http":     `"type":"http","url":"http://host"`,
		"mcp_tool": `"type":"mcp_tool","server":"s","tool":"t"`,
		"prompt":   `"type":"prompt","prompt":"p"`,
		"agent":    `"type":"agent","prompt":"p"`,
	}
	const every = "command http mcp_tool prompt agent"
	for _, test := range []struct{ kinds, field, wrong, want string }{
		{every, "if", "5", "a string, not a number"},
		{every, "if", "null", "a string, not null"},
		{every, "timeout", `"5"`, "a number, not a string"},
		{every, "timeout", "null", "a number, not null"},
		{every, "statusMessage", "true", "a string, not true or false"},
		{every, "once", `"true"`, "true or false, not a string"},
		{"command", "command", `["a"]`, "a string, not an array"},
		{"command", "command", "null", "a string, not null"},
		{"command", "args", `"x"`, "an array of strings, not a string"},
		{"command", "args", "null", "an array of strings, not null"},
		{"command", "args", "{}", "an array of strings, not an object"},
		{"command", "args", `["x",["y"]]`, "an array of strings, not an array"},
		{"command", "shell", "true", `"bash" or "powershell", not true or false`},
		{"command http", "onFailure", "null", `"continue" or "block", not null`},
		{"command http", "onFailure", `"Block"`, `"continue" or "block", not "Block"; did you mean "block"?`},
		{"command http", "onFailure", `""`, `"continue" or "block", not ""`},
		{"command http", "cloud", "1", `"device" or "skip", not a number`},
		{"command", "async", `"yes"`, "true or false, not a string"},
		{"command", "async", "null", "true or false, not null"},
		{"command", "asyncRewake", "1", "true or false, not a number"},
		{"command", "rewakeMessage", "[]", "a string, not an array"},
		{"command", "rewakeSummary", "{}", "a string, not an object"},
		{"http", "url", "[]", "a string, not an array"},
		{"http", "headers", `["A: b"]`, "an object, not an array"},
		{"http", "allowedEnvVars", `"TOKEN"`, "an array of strings, not a string"},
		{"http", "allowedEnvVars", `[1]`, "an array of strings, not an array"},
		{"mcp_tool", "server", "1", "a string, not a number"},
		{"mcp_tool", "tool", "null", "a string, not null"},
		{"mcp_tool", "input", `"{}"`, "an object, not a string"},
		{"prompt agent", "prompt", "{}", "a string, not an object"},
		{"prompt agent", "model", "1", "a string, not a number"},
		{"prompt", "continueOnBlock", `"no"`, "true or false, not a string"},
	} {
		for _, kind := range strings.Fields(test.kinds) {
			for event, drops := range map[string]string{"PreToolUse": whole, "PermissionRequest": whole,
				"PostToolUse": entry, "Stop": entry} {
				fields := slices.DeleteFunc(strings.Split(good[kind], ","), func(f string) bool {
					return strings.HasPrefix(f, strconv.Quote(test.field))
				})
				doc := claudeForm(event, "{"+strings.Join(fields, ",")+",\n\""+test.field+`":`+test.wrong+"}")
				_, err := parts.All().Parse("f", []byte(doc))
				want, near, _ := strings.Cut(test.want, "; did")
				if near != "" {
					near = "; did" + near
				}
				require.EqualError(t, err, fmt.Sprintf("f:3:%d: %s 1, hook 1: %q must be %s%s%s", len(test.field)+4,
					event, test.field, want, drops, near), doc)
			}
		}
	}
	// What each type must have is good enough; a field of another type of hook is unknown, whatever its value.
	for kind, fields := range good {
		cfg, err := parts.All().Parse("f", []byte(pre("{"+fields+`,"holdsTools":null}`)))
		require.NoError(t, err, kind)
		require.Equal(t, kind != "command", len(cfg.Warnings) > 0, kind)
	}
}

// TestClaudeSettingTypes has a wrong value for each setting: the client discards the file for any.
func TestClaudeSettingTypes(t *testing.T) {
	for want, keys := range map[string]string{
		"true or false": "disableAllHooks allowManagedHooksOnly includeCoAuthoredBy enableAllProjectMcpServers " +
			"alwaysThinkingEnabled spinnerTipsEnabled",
		"a string": "model apiKeyHelper outputStyle language forceLoginMethod awsAuthRefresh " +
			"awsCredentialExport effortLevel",
		"a number":  "cleanupPeriodDays",
		"an object": "env permissions attribution statusLine enabledPlugins extraKnownMarketplaces sandbox",
		"an array of strings": "allowedHttpHookUrls httpHookAllowedEnvVars enabledMcpjsonServers " +
			"disabledMcpjsonServers companyAnnouncements " +
			"availableModels",
	} {
		for key := range strings.FieldsSeq(keys) {
			for value, is := range map[string]string{`"true"`: "a string", "1": "a number", "null": "null",
				"[1]": "an array", "{}": "an object", "false": "true or false"} {
				_, err := parts.All().Parse("f", []byte(`{"`+key+`":`+value+`,"hooks":{}}`))
				if is == want {
					require.NoError(t, err)
					continue
				}
				require.EqualError(t, err, fmt.Sprintf("f:1:%d: %q must be %s, not %s%s", len(key)+5, key, want, is,
					whole))
			}
		}
	}
}

// claudeWarnings are files that load, and what is odd about them.
var claudeWarnings = []fault{
	{"nothing", pre(`{"type":"command","command":"a"}`), ""},
	{"unknown events", `{"hooks":{"pretooluse":[],
"PreToolUs":7,"PostToolUsage":null,"x-note":"","Whenever":[{"hooks":[{"type":"command"}]}]}}`,
		`f:1:11: unknown event "pretooluse": none of its hooks will ever run; did you mean "PreToolUse"?
f:2:1: unknown event "PreToolUs": none of its hooks will ever run; did you mean "PreToolUse"?
f:2:15: unknown event "PostToolUsage": none of its hooks will ever run; did you mean "PostToolUse"?
f:2:48: unknown event "Whenever": none of its hooks will ever run`},
	{"TENEX's events", `{"hooks":{"pre-tool":[],"post-tool":[],"pre-execute":[]}}`, // they are no names of the client's
		`f:1:11: unknown event "pre-tool": none of its hooks will ever run; did you mean "PreToolUse"?
f:1:25: unknown event "post-tool": none of its hooks will ever run; did you mean "PostToolUse"?
f:1:40: unknown event "pre-execute": none of its hooks will ever run; did you mean "UserPromptSubmit"?`},
	{"unknown fields of a group", `{"hooks":{"Stop":[{"matchers":1,"x-why":2,"Hooks":3,"hooks":[]}]}}`,
		`f:1:20: Stop 1: unknown field "matchers", which is passed over; did you mean "matcher"?
f:1:43: Stop 1: unknown field "Hooks", which is passed over; did you mean "hooks"?`},
	{"unknown fields of hooks",
		pre(`{"comand":1,"type":"command","command":"a","time_out":2,"x-why":3,"on_failure":"block","é\n":4},` + "\n" +
			`{"type":"prompt","prompt":"p","command":5}`),
		`f:2:2: PreToolUse 1, hook 1: unknown field "comand", which is passed over; did you mean "command"?
f:2:44: PreToolUse 1, hook 1: unknown field "time_out", which is passed over; did you mean "timeout"?
f:2:67: PreToolUse 1, hook 1: unknown field "on_failure", which is passed over; did you mean "onFailure"?
f:2:88: PreToolUse 1, hook 1: unknown field "é\n", which is passed over
f:3:31: PreToolUse 1, hook 2: unknown field "command", which is passed over`},
	{"a long unknown field", `{"hooks":{"Stop":[{"hooks":[],"` + strings.Repeat("é", 100) + `":1}]}}`,
		`f:1:31: Stop 1: unknown field "` + strings.Repeat("é", 40) + `…", which is passed over`},
	// Settings have many fields that are none of hookrun's business.
	{"unknown settings",
		`{"$schema":"s","theme":1,"x-a":1,"modell":1,"disableAllHook":true,"hook":{},"allowedHttpHookURLs":[],` +
			`"hooks":{},"env ":1,"httpHookAllowedEnvVar":[]}`,
		`f:1:45: unknown field "disableAllHook", which is passed over; did you mean "disableAllHooks"?
f:1:67: unknown field "hook", which is passed over; did you mean "hooks"?
f:1:77: unknown field "allowedHttpHookURLs", which is passed over; did you mean "allowedHttpHookUrls"?
f:1:113: unknown field "env ", which is passed over; did you mean "env"?
f:1:122: unknown field "httpHookAllowedEnvVar", which is passed over; did you mean "httpHookAllowedEnvVars"?`},
	{"hooks switched off", "{\"hooks\":{},\n\"disableAllHooks\":true}",
		`f:2:19: "disableAllHooks" is true, so no hook of Claude Code's form runs`},
	{"hooks not switched off", `{"hooks":{},"disableAllHooks":false}`, ""},
	// it means nothing at Stop
	{"a matcher that is no expression",
		`{"hooks":{"PreToolUse":[{"matcher":"[","hooks":[]}],"SessionEnd":[{"matcher":"**","hooks":[]}],` +
			`"Stop":[{"matcher":"[","hooks":[]}]}}`,
		`f:1:36: PreToolUse 1: the matcher "[" is no regular expression and matches nothing, so the hook never runs: unterminated [] set
f:1:78: SessionEnd 1: the matcher "**" is no regular expression and matches nothing, so the hook never runs: missing argument to repetition operator`},
	{"blank commands", pre(`{"type":"command","command":"   "},{"type":"command","command":"\n\t"}`),
		`f:2:29: PreToolUse 1, hook 1: the command is blank: it does nothing, and lets everything pass
f:2:64: PreToolUse 1, hook 2: the command is blank: it does nothing, and lets everything pass`},
	{"timeouts in milliseconds",
		pre(`{"type":"command","command":"a","timeout":30000},{"type":"agent","prompt":"p","timeout":3600.5},` +
			`{"type":"command","command":"a","timeout":3600},{"type":"command","command":"a","timeout":600}`),
		`f:2:43: PreToolUse 1, hook 1: "timeout" is in seconds, and 30000 of them are more than an hour; were these milliseconds?
f:2:89: PreToolUse 1, hook 2: "timeout" is in seconds, and 3600.5 of them are more than an hour; were these milliseconds?
f:2:139: PreToolUse 1, hook 3: "timeout" is in seconds, and 3600 of them are more than ten minutes; were these milliseconds?`},
	// More seconds than a time.Duration has.
	{"timeouts without end",
		pre(`{"type":"command","command":"a","timeout":1e300},{"type":"command","command":"a","timeout":1e400}`),
		`f:2:43: PreToolUse 1, hook 1: "timeout" is in seconds, and 1e300 of them are more than an hour; were these milliseconds?
f:2:92: PreToolUse 1, hook 2: "timeout" is in seconds, and 1e400 of them are more than an hour; were these milliseconds?`},
	{"if at an event without a tool",
		`{"hooks":{"UserPromptSubmit":[{"hooks":[{"type":"command","command":"a","if":"Bash"},{"type":"command","command":"a","if":""}]}],
"PostToolUse":[{"hooks":[{"type":"command","command":"a","if":"Bash"}]}],"PostToolUseFailure":[{"hooks":[{"type":"command","command":"a","if":"Bash"}]}],
"PermissionRequest":[{"hooks":[{"type":"command","command":"a","if":"Bash"}]}],"Stop":[{"hooks":[{"type":"prompt","prompt":"a","if":"Bash"}]}]}}`,
		`f:1:78: UserPromptSubmit 1, hook 1: UserPromptSubmit has no tool call, so a hook with an "if" never runs
f:3:133: Stop 1, hook 1: Stop has no tool call, so a hook with an "if" never runs`},
	// They stand in the order of the file, as errors do.
	{"several of one hook", claudeForm("Stop", `{"type":"command","command":" ","if":"Bash","timeout":9999,"x":1}`),
		`f:2:29: Stop 1, hook 1: the command is blank: it does nothing, and lets everything pass
f:2:38: Stop 1, hook 1: Stop has no tool call, so a hook with an "if" never runs
f:2:55: Stop 1, hook 1: "timeout" is in seconds, and 9999 of them are more than an hour; were these milliseconds?
f:2:60: Stop 1, hook 1: unknown field "x", which is passed over`},
	{"several of the settings", `{"hooks":{"Stopp":[]},"hook":1,"disableAllHooks":true}`,
		`f:1:11: unknown event "Stopp": none of its hooks will ever run; did you mean "Stop"?
f:1:23: unknown field "hook", which is passed over; did you mean "hooks"?
f:1:50: "disableAllHooks" is true, so no hook of Claude Code's form runs`},
}

func TestClaudeWarnings(t *testing.T) {
	for _, test := range claudeWarnings {
		t.Run(test.name, func(t *testing.T) {
			cfg, err := parts.All().Parse("f", []byte(test.doc))
			require.NoError(t, err)
			require.Equal(t, test.want, hook.Diagnostics(cfg.Warned()).Error())
		})
	}
}

// claudeGood are files without anything odd.
var claudeGood = []string{
	`{"hooks":{}}`,
	bom + `{"hooks":{"PreToolUse":[]}}`,
	`{"hooks":{"PreToolUse":[{"hooks":[]},{"matcher":"*","hooks":[]}]}}`,
	`{"\u0068ooks":{"PreToolUs\u0065":[{"matche\u0072":"B","hooks":[{"typ\u0065":"comm\u0061nd",` +
		`"command":"\u0061"}]}]}}`,
	`{"$schema":"s","model":"m","permissions":{"allow":[],"deny":["Bash(rm ` +
		`*)"]},"env":{"A":"1","N":2,"T":true},"hooks":{"Stop":[{"hooks":[{"type":"command","command":"a",` +
		`"args":[]}]}]}}`,
	pre(`{"type":"command","command":"a","args":["b"],"shell":"bash","onFailure":"block","asyncRewake":true,` +
		`"rewakeMessage":"","rewakeSummary":"","holdsTools":1,"cloud":"skip","if":"Bash(a ` +
		`*)","timeout":0.3,"statusMessage":"s","once":true}`),
	pre(`{"type":"http","url":"http://h/x","headers":{"A":"$B"},"allowedEnvVars":["B"],"onFailure":"continue",` +
		`"cloud":"device"}`),
	pre(`{"type":"mcp_tool","server":"s","tool":"t","input":{"a":[1]},"onFailure":"whatever"}`),
	pre(`{"type":"prompt","prompt":"p","model":"m","continueOnBlock":true},{"type":"agent","prompt":"p","model":"m"}`),
}

func TestClaudeGoodFiles(t *testing.T) {
	for _, doc := range claudeGood {
		cfg, err := parts.All().Parse("f", []byte(doc))
		require.NoError(t, err, doc)
		require.Empty(t, cfg.Warnings, doc)
		require.Equal(t, []string{"f"}, cfg.Paths())
	}
	// The events of Claude Code 2.1.332, written out once more.
	for event := range strings.FieldsSeq(
		`PreToolUse PostToolUse PostToolUseFailure PostToolBatch Notification UserPromptSubmit UserPromptExpansion SessionStart
		SessionEnd Stop StopFailure SubagentStart SubagentStop PreCompact PostCompact PreModelSwitch PostModelSwitch PermissionRequest PermissionDenied Setup
		TeammateIdle TaskCreated TaskCompleted Elicitation ElicitationResult ConfigChange WorktreeCreate WorktreeRemove InstructionsLoaded CwdChanged
		FileChanged DirectoryAdded MessageDisplay PreSkillShellCommand`) {
		h := one(t, claudeForm(event, `{"type":"command","command":"a"}`))
		require.Equal(t, []protocol.Event{protocol.Event(event)}, h.Events)
	}
}

// one parses a file of one hook and no warnings.
func one(t *testing.T, doc string) *hook.Hook {
	t.Helper()
	cfg, err := parts.All().Parse("f", []byte(doc))
	require.NoError(t, err)
	require.Empty(t, cfg.Warnings)
	require.Len(t, cfg.Hooks, 1)
	return &cfg.Hooks[0]
}

// TestClaudeNames: a file of the client's own is in its form also where it has no hooks, by its name; any other is by
// its hooks.
func TestClaudeNames(t *testing.T) {
	for _, test := range []struct{ path, doc, want string }{
		{".claude/settings.json", `{}`, ""},
		{".claude/settings.local.json", `{"model":"m","permissions":{}}`, ""},
		{"plugin/hooks/hooks.json", `{"description":"d"}`, ""},
		{"settings.json", `{"hooks":null}`, ""}, // for the client it is as good as none
		{"settings.json", `{"hooks":"x"}`, `settings.json:1:10: "hooks" must be an object, not a string` + whole},
		{"settings.json", `{"hooks":5}`, `settings.json:1:10: "hooks" must be an object, not a number` + whole},
		{"settings.json", `[]`, `settings.json:1:1: a hooks file must be an object, as {"hooks": […]}, not an array`},
		{".tenex-hooks.json", `{"hooks":null}`, `.tenex-hooks.json:1:10: "hooks" must be an array, not null`},
		{".tenex-hooks.json", `{"theme":"m"}`,
			`.tenex-hooks.json:1:2: unknown key "theme"; known are hooks, tools, inherit_env, wrappers, ` +
				"max_stop_blocks, packs, except, ask, observe, approvable, mode, observe_until"},
		{".tenex-hooks.json", `{"model":"m","hooks":{}}`, ""},
		{"my-settings.json", `{"theme":"m"}`,
			`my-settings.json:1:2: unknown key "theme"; known are hooks, tools, inherit_env, wrappers, ` +
				"max_stop_blocks, packs, except, ask, observe, approvable, mode, observe_until"},
	} {
		cfg, err := parts.All().Parse(test.path, []byte(test.doc))
		if test.want != "" {
			require.EqualError(t, err, test.want, test.doc)
			continue
		}
		require.NoError(t, err, test.doc)
		require.Empty(t, cfg.Warnings)
		require.Empty(t, cfg.Hooks)
	}
}

// TestClaudeHook shows what each field becomes.
func TestClaudeHook(t *testing.T) {
	t.Run("a command", func(t *testing.T) {
		h := one(t, bom+
			"{\"env\":{\"A\":\"1\",\"N\":1e3,\"T\":true},\"hooks\":{\"PreToolUse\":[\r\n{\"matcher\":\"Edit|Write\","+
			"\"hooks\":[\r\n"+
			`  {"timeout":0.3,"if":"Edit(src/**)","command":" ./guard  --strict\n| `+
			`tee\tlog","type":"command","shell":"bash"}]}]}}`)
		require.Equal(t, "./guard --strict | tee log", h.Name, "it is one line")
		require.Equal(t, hook.Command{ByPath: true, Shell: " ./guard  --strict\n| tee\tlog"}, h.Process().Command,
			"to the byte")
		require.Equal(t, []protocol.Event{"PreToolUse"}, h.Events)
		require.Equal(t, "Edit|Write", h.Matcher.String())
		require.Equal(t, "Edit(src/**)", h.IfText())
		require.Equal(t, 300*time.Millisecond, h.Timeout)
		require.Equal(t, 300*time.Millisecond, h.Deadline("PreToolUse"))
		require.Nil(t, h.OnFailure)
		require.Empty(t, h.Env)
		require.Equal(t, []string{"A=1", "N=1e3", "T=true"}, h.Environment())
		require.False(t, h.Async)
		require.Empty(t, h.Unsupported())
		require.Nil(t, h.Request())
		require.Same(t, claude.Dialect, h.Dialect)
		require.Equal(t, "f:3", h.Source())
		require.EqualError(t, h.Diagnostic("x"), "f:3:3: x")
	})
	t.Run("a command without a shell", func(t *testing.T) {
		h := one(t, pre(`{"type":"command","command":"${CLAUDE_PLUGIN_ROOT}/guard","args":["-x","","it's `+
			`$HOME"],"async":true}`))
		require.Equal(t, hook.Command{Argv: []string{"${CLAUDE_PLUGIN_ROOT}/guard", "-x", "", "it's $HOME"},
			Placeholders: true}, h.Process().Command)
		require.Equal(t, `'${CLAUDE_PLUGIN_ROOT}/guard' -x '' 'it'\''s $HOME'`, h.Name)
		require.True(t, h.Async)
		require.Nil(t, h.Matcher)
	})
	t.Run("no arguments are arguments too", func(t *testing.T) {
		h := one(t, pre(`{"type":"command","command":"a b","args":[]}`))
		require.Equal(t, hook.Command{Argv: []string{"a b"}, Placeholders: true}, h.Process().Command)
	})
	t.Run("PowerShell", func(t *testing.T) {
		h := one(t, pre(`{"type":"command","command":"exit 2","shell":"powershell"}`))
		require.Equal(t, hook.Command{Shell: "exit 2", PowerShell: true}, h.Process().Command)
	})
	t.Run("http", func(t *testing.T) {
		h := one(t, pre(`{"type":"http","url":"https://user:pw@host:8443/a?b=c#d","headers":{"B":"$TOKEN","A":"é"},`+
			`"allowedEnvVars":["TOKEN","X"]}`))
		require.Equal(t, endpoint.Endpoint{
			URL:            "https://user:pw@host:8443/a?b=c#d",
			Headers:        []endpoint.Header{{Name: "B", Value: "$TOKEN"}, {Name: "A", Value: "é"}},
			AllowedEnvVars: []string{"TOKEN", "X"},
		}, h.Request().Endpoint)
		require.Equal(t, "POST https://host:8443/a", h.Name, "reports have it, so it has no secrets")
		require.Equal(t, "POST https://host:8443/a", h.String())
		require.Equal(t, hook.Command{}, h.Process().Command)
	})
	t.Run("what needs a model or a client", func(t *testing.T) {
		cfg, err := parts.All().Parse("f",
			[]byte(pre("{\"type\":\"prompt\",\"prompt\":\"p\"},\n{\"type\":\"agent\",\"prompt\":\"p\"},"+
				"\n{\"type\":\"mcp_tool\",\"server\":\"s\",\"tool\":\"t\",\"timeout\":5}")))
		require.NoError(t, err)
		for i, kind := range []string{"prompt", "agent", "mcp_tool"} {
			h := &cfg.Hooks[i]
			require.Equal(t, kind, h.Unsupported())
			require.Equal(t, fmt.Sprintf("%s hook of line %d", kind, i+2), h.Name)
			require.Equal(t, "a hook of type "+kind, h.String())
			require.Empty(t, h.DedupKey, "nobody knows what they do, so none is equal to another")
			require.Empty(t, launch.Inspect(h, ".", nil))
		}
		require.Equal(t, 5*time.Second, cfg.Hooks[2].Timeout)
	})
	t.Run("a long name", func(t *testing.T) {
		h := one(t, pre(`{"type":"command","command":"`+strings.Repeat("é", 41)+`"}`))
		require.Equal(t, strings.Repeat("é", 40)+"…", h.Name)
	})
	t.Run("onFailure", func(t *testing.T) {
		for doc, want := range map[string]protocol.Decision{
			`"type":"command","command":"a","onFailure":"block"`:               protocol.Block,
			`"type":"command","command":"a","onFailure":"continue"`:            protocol.Continue,
			`"type":"http","url":"http://h","onFailure":"block"`:               protocol.Block,
			`"type":"mcp_tool","server":"s","tool":"t","onFailure":"continue"`: protocol.Continue,
			// as the client has it
			`"type":"mcp_tool","server":"s","tool":"t","onFailure":"cont"`:            protocol.Block,
			`"type":"mcp_tool","server":"s","tool":"t","onFailure":{"continue":true}`: protocol.Block,
			`"type":"mcp_tool","server":"s","tool":"t","onFailure":null`:              protocol.Block,
		} {
			h := one(t, pre("{"+doc+"}"))
			want := dialect.FailurePolicy{"signal": want, "unstarted": want, "timeout": want, "output": want,
				"exit": want, "unsupported": want}
			if want["exit"] == protocol.Block {
				want[dialect.PolicyOfClient] = protocol.Block
			}
			require.Equal(t, want, h.OnFailure, doc)
		}
	})
	t.Run("timeouts that events have", func(t *testing.T) {
		for event, want := range map[protocol.Event]time.Duration{
			"PreToolUse": 600 * time.Second, "UserPromptSubmit": 30 * time.Second,
			"SessionEnd": 1500 * time.Millisecond, "MessageDisplay": 10 * time.Second,
		} {
			require.Equal(t, want, one(t, claudeForm(string(event),
				`{"type":"command","command":"a"}`)).Deadline(event))
			require.Equal(t, 5*time.Second, one(t, claudeForm(string(event),
				`{"type":"command","command":"a","timeout":5}`)).Deadline(event))
		}
	})
	t.Run("a timeout without end", func(t *testing.T) {
		for _, seconds := range []string{"9223372036", "9223372037", "1e18", "1e300", "1e400"} {
			cfg, err := parts.All().Parse("f", []byte(pre(`{"type":"command","command":"a","timeout":`+seconds+`}`)))
			require.NoError(t, err, seconds)
			require.GreaterOrEqual(t, cfg.Hooks[0].Timeout, 290*365*24*time.Hour, seconds)
		}
	})
	t.Run("order", func(t *testing.T) { // of the file, over events and groups
		cfg, err := parts.All().Parse("f",
			[]byte(`{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"1"}]},{"matcher":"x",`+
				`"hooks":[{"type":"command","command":"2"},{"type":"command","command":"3"}]}],`+
				`"Unknown":[{"hooks":[{"type":"command","command":"0"}]}],"PreToolUse":[{"hooks":[{"type":"command",`+
				`"command":"4"}]}]}}`))
		require.NoError(t, err)
		var names []string
		for _, h := range cfg.Hooks {
			names = append(names, string(h.Events[0])+" "+h.Name)
		}
		require.Equal(t, []string{"Stop 1", "Stop 2", "Stop 3", "PreToolUse 4"}, names)
	})
}
