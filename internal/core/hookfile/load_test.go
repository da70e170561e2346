package hookfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/core/tenex"
	"github.com/hookrun/hookrun/protocol"
)

const bom = "\ufeff"

// odd is eight characters: the smile is one, the e and the accent over it are two.
const odd = "日本語 🙂 e\u0301"

// withField is a good file with one more field, which starts at line 2, column 1.
func withField(field string) string {
	return `{"hooks":[{"name":"a","command":["a"],"events":["pre-tool"],` + "\n" + field + "}]}"
}

// fault is a file that is refused: its text, and the error with all its lines.
type fault struct{ name, doc, want string }

// unreadable files have faults below the rules of hooks, which no schema can say.
var unreadable = []fault{
	{"empty", "", `f:1:1: parsing: the document is empty`},
	{"blank", "\n \n", `f:3:1: parsing: the document is empty`},
	{"a byte order mark alone", bom, `f:1:1: parsing: the document is empty`},
	{"words", `{ not json`, `f:1:3: parsing: expected a key in double quotes, found 'n'`},
	{"bare word", `{"hooks": yes}`, `f:1:11: parsing: expected a value, found 'y'`},
	{"capital", `{"x-": True}`, `f:1:8: parsing: expected a value, found 'T'`},
	{"NaN", `{"x-": NaN}`, `f:1:8: parsing: expected a value, found 'N'`},
	{"leading zero", `{"x-": [1, 05]}`, `f:1:12: parsing: not a number: it starts with 0`},
	{"plus", `{"x-": +5}`, `f:1:8: parsing: expected a value, found '+'`},
	{"trailing word", "{}\nx", `f:2:1: parsing: unexpected 'x' after the end of the document; remove it`},
	{"trailing document", `{"hooks":[]} {"hooks":[]}`,
		`f:1:14: parsing: unexpected '{' after the end of the document; remove it`},
	{"trailing NUL", "{}\x00", `f:1:3: parsing: unexpected '\x00' after the end of the document; remove it`},
	{"trailing mark", "{}" + bom, `f:1:3: parsing: unexpected '\ufeff' after the end of the document; remove it`},
	{"two marks", bom + bom + "{}", `f:1:1: parsing: expected a value, found '\ufeff'`},
	{"trailing comma", "{\"hooks\":[\r\n\t1,\r\n]}", `f:2:3: parsing: a comma before ']'; remove it`},
	{"no comma", `{"hooks":[] "x-":1}`, `f:1:13: parsing: expected ',' or '}', found '"'`},
	{"no colon", `{"hooks" []}`, `f:1:10: parsing: expected ':' after the key, found '['`},
	{"single quotes", `{'hooks':[]}`, `f:1:2: parsing: JSON takes double quotes, not single ones`},
	{"comment", "{\n  // guards\n  \"hooks\":[]}",
		`f:2:3: parsing: JSON has no comments; put the text under a key that starts with "x-"`},
	{"never closed", "{\"hooks\":[\n{\"name\":\"a\"}",
		`f:2:13: parsing: the document ends too early: '[' of 1:10 is never closed`},
	{"never closed behind a mark", bom + "{\"hooks\":[\n{\"name\":\"a\"}",
		`f:2:13: parsing: the document ends too early: '[' of 1:10 is never closed`},
	{"wrong bracket", `{"hooks":[}`, `f:1:11: parsing: expected a value, found '}'`},
	{"text never closed", `{"é":"hooks`, `f:1:6: parsing: this string is never closed`},
	{"line break in a text", "{\"x-\":\"é\n\"}",
		`f:1:9: parsing: a raw control character in a string; write it as \u000a`},
	{"bad escape", `{"x-":"C:\dir"}`, `f:1:10: parsing: not an escape of JSON; write a backslash as \\`},

	{"not UTF-8", "{\"x-é\":\n\"日本\xff\"}", `f:2:4: parsing: not UTF-8; save the file as UTF-8`},
	{"Latin-1", "{\"x-caf\xe9\":1}", `f:1:8: parsing: not UTF-8; save the file as UTF-8`},
	{"UTF-16", "\xff\xfe{\x00}\x00", `f:1:1: parsing: not UTF-8; save the file as UTF-8`},
	{"half a character in bytes", bom + "{\"x-\":\"\xed\xa0\x80\"}",
		`f:1:8: parsing: not UTF-8; save the file as UTF-8`},
	{"half a character", `{"x-":"\\ud800 é\ud800\u0041"}`,
		`f:1:17: parsing: \ud800 is half a character; write both halves, as \ud83d\ude00, or the character itself`},
	{"halves that do not fit", "{\n\"x-\\ude00\\uD83D\":\"\\ud83d\\ud83d\\ude00\"}",
		`f:2:4: parsing: \ude00 is half a character; write both halves, as \ud83d\ude00, or the character itself
f:2:10: parsing: \uD83D is half a character; write both halves, as \ud83d\ude00, or the character itself
f:2:19: parsing: \ud83d is half a character; write both halves, as \ud83d\ude00, or the character itself`},

	{"65 deep", `{"x-":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}`,
		`f:1:70: parsing: nested more than 64 deep`},
	{"65 deep in objects", strings.Repeat(`{"x-":`, 65) + "1" + strings.Repeat("}", 65),
		`f:1:385: parsing: nested more than 64 deep`},

	{"equal keys", "{\"hooks\":[],\n \"hooks\":[]}",
		`f:2:2: parsing: the key "hooks" is there twice in one object; keep one`},
	{"equal keys, one escaped",
		`{"hooks":[{"name":"a","comman\u0064":"exit 0","command":"exit 2","events":["pre-tool"]}]}`,
		`f:1:47: parsing: the key "command" is there twice in one object; keep one`},
	{"equal keys, the other escaped",
		`{"hooks":[{"name":"a","command":"exit 2","comman\u0064":"exit 0","events":["pre-tool"]}]}`,
		`f:1:42: parsing: the key "command" is there twice in one object; keep one`},
	{"equal keys, three", `{"x-a":1,"x-a":1,"x-a":1}`,
		`f:1:10: parsing: the key "x-a" is there twice in one object; keep one
f:1:18: parsing: the key "x-a" is there twice in one object; keep one`},
	{"equal keys, deep in what nobody reads", `{"x-é":[{"y":[{"日本":1, "\u65e5本":2}]}]}`,
		`f:1:24: parsing: the key "日本" is there twice in one object; keep one`},
	{"equal keys in env", withField(`"env":{"A":"1",` + "\r\n" + `"A":"2"}`),
		`f:3:1: parsing: the key "A" is there twice in one object; keep one`},
	{"equal keys in on_failure", withField(`"on_failure":{"timeout":"block","timeout":"block"}`),
		`f:2:33: parsing: the key "timeout" is there twice in one object; keep one`},
	{"equal $schema", `{"$schema":"a","$schema":"a"}`,
		`f:1:16: parsing: the key "$schema" is there twice in one object; keep one`},
	{"equal keys of both forms", `{"hooks":[],"hooks":{}}`,
		`f:1:13: parsing: the key "hooks" is there twice in one object; keep one`},
	{"an equal key and then broken", `{"a":1,"a":2,]`,
		`f:1:8: parsing: the key "a" is there twice in one object; keep one
f:1:14: parsing: expected a key in double quotes, found ']'`},
	{"faults of all layers",
		"{\"hooks\":[{\"name\":\"\\ud800\",\n\"nane\":1,\n\"events\":[\"pre-tol\"],\n\"name\":\"b\"," +
			"\"command\":\"x\"}]}",
		`f:1:20: parsing: \ud800 is half a character; write both halves, as \ud83d\ude00, or the character itself
f:2:1: unknown key "nane"; did you mean "name"?
f:3:11: hook "b": unknown event "pre-tol"; supported are pre-execute, pre-tool, post-tool; did you mean "pre-tool"?
f:4:1: parsing: the key "name" is there twice in one object; keep one`},
}

// ruleless files are JSON that breaks a rule of hooks files.
var ruleless = []fault{
	{"tools a list", `{"tools":["Bash"]}`,
		`f:1:10: "tools" must be an object, as {"a_client's_tool": "shell"}, not an array`},
	{"tools null", `{"hooks":[],"tools":null}`,
		`f:1:21: "tools" must be an object, as {"a_client's_tool": "shell"}, not null`},
	{"tools without names",
		"{\"tools\":{\"a\":\"\",\n\"\":\"shell\",\n\" \":\"b\",\n" +
			"\"c\":\"\\t\",\n\"d\":7,\n\"n\":null,\n\"e\":[\"shell\"]}}",
		`f:1:15: "tools": "a" has an empty name; write the project's for that tool
f:2:1: "tools" has an empty name; write that of a client's tool
f:3:1: "tools" has an empty name; write that of a client's tool
f:4:5: "tools": "c" has an empty name; write the project's for that tool
f:5:5: "tools": "d" must be the project's name for that tool, a string, or null if it has no other name, not a number
f:7:5: "tools": "e" must be the project's name for that tool, a string, or null if it has no other name, not an array`},
	{"wrappers a text", `{"wrappers":"x"}`,
		`f:1:13: "wrappers" must be a list of names of programs, as ["inhouse"], not a string`},
	{"wrappers null", `{"wrappers":null}`,
		`f:1:13: "wrappers" must be a list of names of programs, as ["inhouse"], not null`},
	{"odd wrappers", `{"wrappers":["a","",7,"a","/opt/a","b\\c",
"a b",null,"n\u0000","\u0061"]}`,
		`f:1:18: "wrappers" has an empty name; write that of a program
f:1:21: a name in "wrappers" must be a string, not a number
f:1:23: "wrappers" has "a" twice; leave one out
f:1:27: "wrappers": "/opt/a" is a path; write the program's name alone, which counts in every folder
f:1:36: "wrappers": "b\\c" is a path; write the program's name alone, which counts in every folder
f:2:1: "wrappers": "a b" has a blank; write the name of one program, without its arguments
f:2:7: a name in "wrappers" must be a string, not null
f:2:12: a name in "wrappers" has a NUL character, which no process can be given
f:2:22: "wrappers" has "a" twice; leave one out`},
	{"wrapper for wrappers", `{"wrapper":["a"]}`, `f:1:2: unknown key "wrapper"; did you mean "wrappers"?`},
	{"tool for tools", `{"tool":{"a":"shell"}}`, `f:1:2: unknown key "tool"; did you mean "tools"?`},
	{"a list", " \n [{}]", `f:2:2: a hooks file must be an object, as {"hooks": […]}, not an array`},
	{"a string", `"hooks"`, `f:1:1: a hooks file must be an object, as {"hooks": […]}, not a string`},
	{"a number", bom + `7`, `f:1:1: a hooks file must be an object, as {"hooks": […]}, not a number`},
	{"null", "\tnull", `f:1:2: a hooks file must be an object, as {"hooks": […]}, not null`},
	{"hooks null", `{"hooks":null}`, `f:1:10: "hooks" must be an array, not null`},
	{"hooks a string", `{"hooks":"a"}`, `f:1:10: "hooks" must be an array, not a string`},
	{"hooks true", `{"x-é":0, "hooks" : true}`, `f:1:21: "hooks" must be an array, not true or false`},
	{"hooks that are no objects", "{\"hooks\":[null,[],\r\n\"é\",1]}",
		`f:1:11: hook 1 must be an object, not null
f:1:16: hook 2 must be an object, not an array
f:2:1: hook 3 must be an object, not a string
f:2:5: hook 4 must be an object, not a number`},

	{"unknown key of the file", `{"hook":[]}`, `f:1:2: unknown key "hook"; did you mean "hooks"?`},
	{"keys of another case", `{"Hooks":[]}`, `f:1:2: unknown key "Hooks"; did you mean "hooks"?`},
	{"no hooks file", `{"é":1,"permissions":{"hooks":1}}`, `f:1:2: unknown key "é"; known are hooks, tools, inherit_env, wrappers, max_stop_blocks, packs, except, ask, observe, approvable, mode, observe_until
f:1:8: unknown key "permissions"; known are hooks, tools, inherit_env, wrappers, max_stop_blocks, packs, except, ask, observe, approvable, mode, observe_until`},
	{"keys like $schema and x-", `{"$Schema":"","X-a":1,"x":1,"":1,"schema":1}`,
		`f:1:2: unknown key "$Schema"; known are hooks, tools, inherit_env, wrappers, max_stop_blocks, packs, except, ask, observe, approvable, mode, observe_until
f:1:15: unknown key "X-a"; known are hooks, tools, inherit_env, wrappers, max_stop_blocks, packs, except, ask, observe, approvable, mode, observe_until
f:1:23: unknown key "x"; known are hooks, tools, inherit_env, wrappers, max_stop_blocks, packs, except, ask, observe, approvable, mode, observe_until
f:1:29: unknown key ""; known are hooks, tools, inherit_env, wrappers, max_stop_blocks, packs, except, ask, observe, approvable, mode, observe_until
f:1:34: unknown key "schema"; known are hooks, tools, inherit_env, wrappers, max_stop_blocks, packs, except, ask, observe, approvable, mode, observe_until`},
	{"persistent as a text", withField(`"persistent":"true"`),
		`f:2:14: hook "a": "persistent" must be true or false, not a string`},
	{"persistent null", withField(`"persistent":null`),
		`f:2:14: hook "a": "persistent" must be true or false, not null`},
	{"workers of a hook that does not stay", withField(`"workers":2`),
		`f:2:11: hook "a": "workers" is for persistent hooks; add "persistent": true, or leave it out`},
	{"workers beside persistent false", withField(`"persistent":false,"workers":2`),
		`f:2:30: hook "a": "workers" is for persistent hooks; add "persistent": true, or leave it out`},
	{"no workers", withField(`"persistent":true,"workers":0`),
		`f:2:29: hook "a": "workers" must be a whole number from 1 to 64, not 0`},
	{"half a worker", withField(`"persistent":true,"workers":1.5`),
		`f:2:29: hook "a": "workers" must be a whole number from 1 to 64, not 1.5`},
	{"too many workers", withField(`"persistent":true,"workers":1e9`),
		`f:2:29: hook "a": "workers" must be a whole number from 1 to 64, not 1e9`},
	{"unknown key of a hook", withField(`"time_out":5`), `f:2:1: unknown key "time_out"; did you mean "timeout"?`},
	{"key of a hook spelled otherwise", withField(`"onFailure":"block"`),
		`f:2:1: unknown key "onFailure"; did you mean "on_failure"?`},
	{"escaped unknown key", withField(`"e\u006ev":{},"env\n":1`), `f:2:15: unknown key "env\n"; did you mean "env"?`},
	{"foreign key", withField(`"type":"command"`),
		`f:2:1: unknown key "type"` + knownKeys},
	{"long unknown key", withField(`"a` + strings.Repeat("é", 100) + `":1`),
		`f:2:1: unknown key "a` + strings.Repeat("é", 39) +
			`…"` + knownKeys},

	{"empty hook", `{"hooks":[{}]}`, `f:1:11: hook 1 has no "name", no "command", no "events"`},
	{"no name", `{"hooks":[{"command":"a","events":["pre-tool"]}]}`, `f:1:11: hook 1 has no "name"`},
	{"no command", "{\"hooks\":[\n\t{\"name\":\"a\",\"events\":[\"pre-tool\"]}]}", `f:2:2: hook "a" has no "command"`},
	{"no events", `{"hooks":[{"name":"a","command":"a"}]}`, `f:1:11: hook "a" has no "events"`},

	{"name of wrong type", `{"hooks":[{"name":7,"command":"a","events":["pre-tool"]}]}`,
		`f:1:19: hook 1: "name" must be a string, not a number`},
	{"empty name", `{"hooks":[{"name":"","command":"a","events":["pre-tool"]}]}`, `f:1:19: hook 1: "name" is blank`},
	{"blank name", `{"hooks":[{"name":" \t\u00a0\u3000","command":"a","events":["pre-tool"]}]}`,
		`f:1:19: hook 1: "name" is blank`},
	{"NUL in name", `{"hooks":[{"name":"a\u0000","command":"a","events":["pre-tool"]}]}`,
		`f:1:19: hook "a\x00": "name" has a NUL character, which no process can be given`},

	{"command of wrong type", `{"hooks":[{"name":"a","command":{"sh":"x"},"events":["pre-tool"]}]}`,
		`f:1:33: hook "a": "command" must be an array of strings, or a string for sh -c, not an object`},
	{"command null", `{"hooks":[{"name":"a","command":null,"events":["pre-tool"]}]}`,
		`f:1:33: hook "a": "command" must be an array of strings, or a string for sh -c, not null`},
	{"empty command", `{"hooks":[{"name":"é","command":[],"events":["pre-tool"]}]}`,
		`f:1:33: hook "é": has an empty command`},
	{"empty program", `{"hooks":[{"name":"a","command":["","-c"],"events":["pre-tool"]}]}`,
		`f:1:34: hook "a": has an empty command`},
	{"blank command line", `{"hooks":[{"name":"a","command":" \n","events":["pre-tool"]}]}`,
		`f:1:33: hook "a": has an empty command`},
	{"argument of wrong type",
		"{\"hooks\":[{\"name\":\"a\",\"command\":[\"sleep\",\n5, [\"x\"]],\"events\":[\"pre-tool\"]}]}",
		`f:2:1: hook "a": "command"[1] must be a string, not a number
f:2:4: hook "a": "command"[2] must be a string, not an array`},
	{"NUL in command line", `{"hooks":[{"name":"a","command":"a\u0000b","events":["pre-tool"]}]}`,
		`f:1:33: hook "a": "command" has a NUL character, which no process can be given`},
	{"NUL in argument", `{"hooks":[{"name":"a","command":["a","\u0000"],"events":["pre-tool"]}]}`,
		`f:1:38: hook "a": "command"[1] has a NUL character, which no process can be given`},
	{"NUL in program", `{"hooks":[{"name":"a","command":["a\u0000"],"events":["pre-tool"]}]}`,
		`f:1:34: hook "a": "command"[0] has a NUL character, which no process can be given`},

	{"events a string", `{"hooks":[{"name":"a","command":"a","events":"pre-tool"}]}`,
		`f:1:46: hook "a": "events" must be an array of strings, not a string`},
	{"events empty", `{"hooks":[{"name":"a","command":"a","events":[]}]}`,
		`f:1:46: hook "a": subscribes to no events; supported are pre-execute, pre-tool, post-tool`},
	{"event of wrong type", `{"hooks":[{"name":"a","command":"a","events":["pre-tool",null]}]}`,
		`f:1:58: hook "a": an event must be a string, not null`},
	{"unknown events",
		`{"hooks":[{"name":"a","command":"a","events":["Pre-Tool","afterAgentThought","", "preToolUse","posttool"]}]}`,
		`f:1:47: hook "a": unknown event "Pre-Tool"; supported are pre-execute, pre-tool, post-tool; did you mean "pre-tool"?
f:1:58: hook "a": unknown event "afterAgentThought"; add "dialect": "cursor" for it; without "dialect" supported are pre-execute, pre-tool, post-tool
f:1:78: hook "a": unknown event ""; supported are pre-execute, pre-tool, post-tool
f:1:82: hook "a": unknown event "preToolUse"; supported are pre-execute, pre-tool, post-tool; did you mean "PreToolUse"?
f:1:95: hook "a": unknown event "posttool"; supported are pre-execute, pre-tool, post-tool; did you mean "post-tool"?`},

	{"matcher of wrong type", withField(`"matcher":["shell"]`),
		`f:2:11: hook "a": "matcher" must be a string, not an array`},
	{"matcher null", withField(`"matcher":null`), `f:2:11: hook "a": "matcher" must be a string, not null`},
	{"matcher without a glob", withField(`"matcher":" | |\u2003"`),
		`f:2:11: hook "a": the matcher " | |\u2003" names no tool, so the hook would never run; leave it out for ` +
			`every tool`},
	{"NUL in matcher", withField(`"matcher":"a|\u0000"`),
		`f:2:11: hook "a": "matcher" has a NUL character, which no process can be given`},

	{"timeout of wrong type", withField(`"timeout":true`),
		`f:2:11: hook "a": "timeout" must be a duration such as "5s", or a number of seconds, not true or false`},
	{"timeout null", withField(`"timeout":null`),
		`f:2:11: hook "a": "timeout" must be a duration such as "5s", or a number of seconds, not null`},
	{"timeout zero", withField(`"timeout":0`), `f:2:11: hook "a": "timeout" must be more than 0, not 0`},
	{"timeout zero with an exponent", withField(`"timeout":-0.0e5`),
		`f:2:11: hook "a": "timeout" must be more than 0, not -0.0e5`},
	{"timeout negative", withField(`"timeout": -5`), `f:2:12: hook "a": "timeout" must be more than 0, not -5`},
	{"timeout in milliseconds", withField(`"timeout":30000`),
		`f:2:11: hook "a": "timeout" is in seconds, and 30000 of them are more than an hour; if these are ` +
			`milliseconds write "30000ms", if you mean it a duration such as "2h"`},
	{"timeout just over", withField(`"timeout":3600.5`),
		`f:2:11: hook "a": "timeout" is in seconds, and 3600.5 of them are more than an hour; if these are ` +
			`milliseconds write "3600.5ms", if you mean it a duration such as "2h"`},
	{"timeout over all numbers", withField(`"timeout":1e400`),
		`f:2:11: hook "a": "timeout" is in seconds, and 1e400 of them are more than an hour; if these are ` +
			`milliseconds write "1e400ms", if you mean it a duration such as "2h"`},
	{"timeout less than a nanosecond", withField(`"timeout":1e-10`),
		`f:2:11: hook "a": "timeout" must be more than 0, not 1e-10`},
	{"duration zero", withField(`"timeout":"0s"`), `f:2:11: hook "a": "timeout" must be more than 0, not "0s"`},
	{"duration negative", withField(`"timeout":"-5s"`), `f:2:11: hook "a": "timeout" must be more than 0, not "-5s"`},
	{"duration without a unit", withField(`"timeout":"5"`),
		`f:2:11: hook "a": "timeout" "5" is no duration; write 5 without quotes for seconds, or "5s"`},
	{"duration with a blank", withField(`"timeout":"5 s"`),
		`f:2:11: hook "a": "timeout" "5 s" is no duration; write "5s", "1m30s", or a number of seconds`},
	{"duration in days", withField(`"timeout":"1d"`),
		`f:2:11: hook "a": "timeout" "1d" is no duration; write "5s", "1m30s", or a number of seconds`},
	{"duration empty", withField(`"timeout":""`),
		`f:2:11: hook "a": "timeout" "" is no duration; write "5s", "1m30s", or a number of seconds`},

	{"on_failure of wrong type", withField(`"on_failure":false`),
		`f:2:14: hook "a": "on_failure" must be "block", "continue", or an object by cause, not true or false`},
	{"on_failure misspelt", withField(`"on_failure":"blok"`),
		`f:2:14: hook "a": "on_failure" must be "block" or "continue", not "blok"; did you mean "block"?`},
	{"on_failure of another case", withField(`"on_failure":"Continue"`),
		`f:2:14: hook "a": "on_failure" must be "block" or "continue", not "Continue"; did you mean "continue"?`},
	{"on_failure by cause",
		withField("\"on_failure\":{\"timeuot\":\"block\",\n\"signal\":\"allow\",\"output\":1,\"exits\":\"block\"}"),
		`f:2:15: unknown key "timeuot"; did you mean "timeout"?
f:3:10: hook "a": "on_failure" must be "block" or "continue", not "allow"
f:3:27: hook "a": "on_failure" must be "block" or "continue", not a number
f:3:29: unknown key "exits"; did you mean "exit"?`},

	{"env of wrong type", withField(`"env":["A=1"]`),
		`f:2:7: hook "a": "env" must be an object of strings, not an array`},
	{"value of wrong type in env", withField(`"env":{"é":"1","DEBUG":1}`),
		`f:2:24: hook "a": "env" "DEBUG" must be a string, not a number`},
	{"no names in env", withField(`"env":{"":"1","A=B":"2","\u0000":"3"}`),
		`f:2:8: hook "a": "" cannot be the name of a variable
f:2:15: hook "a": "A=B" cannot be the name of a variable
f:2:25: hook "a": "\x00" cannot be the name of a variable`},
	{"hookrun's names in env", withField(`"env":{"HOOKRUN":"1","HOOKRUN_EVENT":"2","HOOKRUNNER":"3"}`),
		`f:2:8: hook "a": HOOKRUN is set by hookrun; choose a name that does not start with HOOKRUN
f:2:22: hook "a": HOOKRUN_EVENT is set by hookrun; choose a name that does not start with HOOKRUN`},
	{"inherit_env of wrong type", withField(`"inherit_env":"PATH"`),
		`f:2:15: hook "a": "inherit_env" must be true, false, or a list of names of variables, not a string`},
	{"inherit_env null", withField(`"inherit_env":null`),
		`f:2:15: hook "a": "inherit_env" must be true, false, or a list of names of variables, not null`},
	{"no names in inherit_env", withField(`"inherit_env":["","*","A=B","A*B",7]`),
		`f:2:16: hook "a": "inherit_env" has the name ""; write true for all variables
f:2:19: hook "a": "inherit_env" has the name "*"; write true for all variables
f:2:23: hook "a": "inherit_env": "A=B" cannot be the name of a variable; a * may stand at its end
f:2:29: hook "a": "inherit_env": "A*B" cannot be the name of a variable; a * may stand at its end
f:2:35: hook "a": a name in "inherit_env" must be a string, not a number`},
	{"inherit_env of a file", `{"inherit_env":{"A":true}}`,
		`f:1:16: "inherit_env" must be true, false, or a list of names of variables, not an object`},
	{"inherit_env of a rule", `{"hooks":[{"name":"a","block":"no","events":["pre-tool"],"inherit_env":false}]}`,
		`f:1:11: hook "a" runs no command, so "inherit_env" would mean nothing; leave it out`},
	{"NUL in env", withField(`"env":{"A":"1\u0000"}`),
		`f:2:12: hook "a": "env" "A" has a NUL character, which no process can be given`},

	{"neither a command nor a rule", `{"hooks":[{"name":"a","events":["pre-tool"]}]}`,
		`f:1:11: hook "a" has no "command"`},
	{"a command and a rule", withField(`"block":"no"`),
		`f:1:11: hook "a" has "command" and "block"; an entry does one of them`},
	{"two rules", `{"hooks":[{"name":"a","block":"no","inject":"yes","events":["pre-tool"]}]}`,
		`f:1:11: hook "a" has "block" and "inject"; an entry does one of them`},
	{"a rule with a command's keys",
		`{"hooks":[{"name":"a","block":"no","events":["pre-tool"],"timeout":"5s","persistent":true}]}`,
		`f:1:11: hook "a" runs no command, so "timeout", "persistent" would mean nothing; leave it out`},
	{"a blank rule",
		`{"hooks":[{"name":"a","block":" \t","events":["pre-tool"]},{"name":"b","inject":7,"events":["pre-tool"]}]}`,
		`f:1:31: hook "a": "block" is blank; write what the model is to read
f:1:81: hook "b": "inject" must be a string, not a number`},
	{"an if that is no rule", withField(`"if":"git push"`),
		`f:2:6: hook "a": "if" "git push" is no rule of the form Tool or Tool(pattern), as shell(git push *)`},
	{"an empty if", withField(`"if":""`),
		`f:2:6: hook "a": "if" "" is no rule of the form Tool or Tool(pattern), as shell(git push *)`},
	{"a when that is no list", withField(`"when":{"path":"args"}`),
		`f:2:8: hook "a": "when" must be an array of conditions, as [{"path": "args.command", "matches": "…"}], not ` +
			`an object`},
	{"a when without conditions", withField(`"when":[]`),
		`f:2:8: hook "a": "when" has no conditions; leave it out for every call`},
	{"conditions", withField(`"when":[7,
{},
{"path":"args.command","matches":"(","exists":"x"},
{"path":"arg.command","equals":1},
{"path":"args.command.*","exists":true},
{"path":"result.a","exists":true},
{"path":"args..a","exists":true},
{"path":"args.a\\","exists":true},
{"path":"#","exists":true},
{"path":"args.@pretty","exist":true}]`),
		`f:2:9: hook "a": condition 1 of "when" must be an object, not a number
f:3:1: hook "a": condition 2 of "when": give one of "matches", "equals" and "exists", not 0
f:3:1: hook "a": condition 2 of "when": has no "path", as args.command
f:4:1: hook "a": condition 3 of "when": give one of "matches", "equals" and "exists", not 2
f:4:34: hook "a": condition 3 of "when": "matches" "(" is no regular expression (RE2): missing closing ): "("
f:4:47: hook "a": condition 3 of "when": "exists" must be true or false, not a string
f:5:9: hook "a": condition 4 of "when": the path "arg.command" starts with no field of the hook input; did you mean "args"?
f:6:9: hook "a": condition 5 of "when": the path "args.command.*" has a * in a name; write .#. to go through a list, and \* for the character itself
f:7:9: hook "a": condition 6 of "when": the path "result.a" goes into "result", which is a text
f:8:9: hook "a": condition 7 of "when": the path "args..a" has an empty name; write names joined by points, as args.command
f:9:9: hook "a": condition 8 of "when": the path "args.a\\" ends with a \, which nothing follows
f:10:9: hook "a": condition 9 of "when": the path "#" starts with no field of the hook input; known are args, tool_input, tool_response, event, tool, result, error, prompt, session_id, cwd, transcript_path, agent_id, hook_event_name, tool_name, tool_use_id
f:11:1: hook "a": condition 10 of "when": give one of "matches", "equals" and "exists", not 0
f:11:9: hook "a": condition 10 of "when": the path "args.@pretty" has a @ in a name; write .#. to go through a list, and \@ for the character itself
f:11:24: unknown key "exist"; did you mean "exists"?`},

	{"places behind all kinds of characters", bom + "{\"hooks\":[\r\n" +
		"\t{\"name\":\"" + odd + "\",\"command\":[\"a\",7],\r\n" +
		"\t\t\"events\":[\"\u2028\",\"x\"],\"timeout\":0},\r\n" + // a line separator ends no line of a file
		"{\"é\":1}]}\r\n",
		`f:2:36: hook "` + odd + `": "command"[1] must be a string, not a number
f:3:13: hook "` + odd + `": unknown event "\u2028"; supported are pre-execute, pre-tool, post-tool
f:3:17: hook "` + odd + `": unknown event "x"; supported are pre-execute, pre-tool, post-tool
f:3:32: hook "` + odd + `": "timeout" must be more than 0, not 0
f:4:1: hook 2 has no "name", no "command", no "events"
f:4:2: unknown key "é"` + knownKeys},
	{"fields out of order",
		"{\"hoks\":1,\"hooks\":[{\n\"env\":{\"A\":1},\n\"on_failure\":{\"output\":0,\"signal\":0},\n\"timeout\":[]," +
			"\n\"matcher\":0,\n\"events\":0,\n\"command\":0,\n\"name\":0,\n\"nam\":0}],\n\"hoooks\":1}",
		`f:1:2: unknown key "hoks"; did you mean "hooks"?
f:2:12: hook 1: "env" "A" must be a string, not a number
f:3:24: hook 1: "on_failure" must be "block" or "continue", not a number
f:3:35: hook 1: "on_failure" must be "block" or "continue", not a number
f:4:11: hook 1: "timeout" must be a duration such as "5s", or a number of seconds, not an array
f:5:11: hook 1: "matcher" must be a string, not a number
f:6:10: hook 1: "events" must be an array of strings, not a number
f:7:11: hook 1: "command" must be an array of strings, or a string for sh -c, not a number
f:8:8: hook 1: "name" must be a string, not a number
f:9:1: unknown key "nam"; did you mean "name"?
f:10:1: unknown key "hoooks"; did you mean "hooks"?`},
	{"a long name is cut in messages", `{"hooks":[{"name":"` + strings.Repeat("é", 41) +
		`","command":"a","events":[1,2]}]}`,
		`f:1:87: hook "` + strings.Repeat("é", 40) + `…": an event must be a string, not a number
f:1:89: hook "` + strings.Repeat("é", 40) + `…": an event must be a string, not a number`},
}

func TestFaults(t *testing.T) {
	for _, test := range append(unreadable, ruleless...) {
		t.Run(test.name, func(t *testing.T) {
			cfg, err := parts.All().Parse("f", []byte(test.doc))
			require.EqualError(t, err, test.want)
			require.IsType(t, hook.Diagnostics{}, err)
			require.Nil(t, cfg, "a file with an error has no hooks")
		})
	}
}

func TestTenexLoader(t *testing.T) {
	const path = hookfile.FileName
	load := func(t *testing.T, doc string) (*hookfile.Config, error) {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, path), []byte(doc), 0o666))
		t.Chdir(dir)
		return hookfile.Load(hookfile.Options{Parts: parts.All(), Workspace: "."})
	}
	t.Run("missing_file_yields_empty_config", func(t *testing.T) {
		cfg, err := hookfile.Load(hookfile.Options{Parts: parts.All(), Workspace: t.TempDir()})
		require.NoError(t, err)
		require.Empty(t, cfg.Hooks)
		require.Empty(t, cfg.Paths())
		require.Empty(t, cfg.Warned())
	})
	t.Run("malformed_json_is_hard_error", func(t *testing.T) {
		cfg, err := load(t, "{ not json")
		require.EqualError(t, err, path+":1:3: parsing: expected a key in double quotes, found 'n'")
		require.Nil(t, cfg)
	})
	t.Run("parses_hook_entries", func(t *testing.T) {
		cfg, err := load(t, `{
  "hooks": [
    {
      "name": "guard",
      "command": ["./scripts/guard.sh", "--strict"],
      "events": ["pre-tool", "post-tool"]
    },
    { "name": "notes", "command": ["cat", "NOTES.md"], "events": ["post-tool"] }
  ]
}
`)
		require.NoError(t, err)
		require.Equal(t, []string{path}, cfg.Paths())
		require.Empty(t, cfg.Warnings)
		require.Len(t, cfg.Hooks, 2)

		guard := cfg.Hooks[0]
		require.Equal(t, "guard", guard.Name)
		require.Equal(t, hook.Command{Argv: []string{"./scripts/guard.sh", "--strict"}}, guard.Process().Command)
		require.Equal(t, []protocol.Event{protocol.PreTool, protocol.PostTool}, guard.Events)
		require.Nil(t, guard.Matcher) // any tool
		require.Equal(t, 30*time.Second, guard.Deadline(protocol.PreTool))
		require.Nil(t, guard.OnFailure)
		require.Nil(t, guard.Env)
		require.Same(t, tenex.Dialect, guard.Dialect)
		require.Equal(t, path+":3", guard.Source())
		require.Equal(t, path+":8", cfg.Hooks[1].Source())
	})
	t.Run("accepts_pre_execute_event", func(t *testing.T) {
		cfg, err := load(t, `{"hooks":[{"name":"ctx","command":["true"],"events":["pre-execute"]}]}`)
		require.NoError(t, err)
		require.Equal(t, []protocol.Event{protocol.PreExecute}, cfg.Hooks[0].Events)
	})
	t.Run("rejects_unsupported_event", func(t *testing.T) {
		_, err := load(t, `{"hooks":[{"name":"late","command":["true"],"events":["on-exit"]}]}`)
		require.EqualError(t, err,
			path+`:1:55: hook "late": unknown event "on-exit"; supported are pre-execute, pre-tool, post-tool`)
	})
	t.Run("rejects_empty_command", func(t *testing.T) {
		_, err := load(t, `{"hooks":[{"name":"noop","command":[],"events":["pre-tool"]}]}`)
		require.EqualError(t, err, path+`:1:36: hook "noop": has an empty command`)
	})
}

// good files load, and break no rule of the schema either.
var good = []struct{ name, doc string }{
	{"names of tools", `{"tools":{"deploy":"shell","x-é":"\u0073hell","$schema":" a "},"hooks":[]}`},
	{"no names of tools", `{"tools":{}}`},
	{"wrappers", `{"wrappers":["inhouse","in-house.exe","\u00e9","x"],"hooks":[]}`},
	{"no wrappers", `{"wrappers":[]}`},
	{"nothing", `{}`},
	{"no hooks", " \r\n{ \"hooks\" : [ ] }\t\r\n"},
	{"a byte order mark", bom + `{"hooks":[]}`},
	{"hooks that stay", `{"hooks":[{"name":"a","command":"true","events":["pre-tool"],"persistent":true,"workers":64},
		{"name":"b","command":"true","events":["pre-tool"],"persistent":true,"workers":1.0},{"name":"c","command":"true","events":["pre-tool"],"persistent":false}]}`},
	{"rules", `{"hooks":[{"name":"a","block":"no","events":["pre-tool"]},{"name":"b","inject":"é\n",` +
		`"events":["pre-execute","post-tool"],"matcher":"a|b","x-":1}]}`},
	{"conditions",
		`{"hooks":[{"name":"a","block":"no","events":["pre-tool"],"if":"shell(git push *)","when":[{"path":"args.a\\.b.#.0.#","matches":"^\\pL(?i)x{2,}$"},
		{"path":"args","equals":{"a":[1,null,"\u0061"]}},{"path":"tool_response.é","exists":false,"x-why":1}]},{"name":"c","command":"a","events":["post-tool"],"if":"Bash","when":[{"path":"result","equals":""}]}]}`},
	{"64 deep", `{"x-":` + strings.Repeat("[", 63) + strings.Repeat("]", 63) + `}`},
	{"a hook of TENEX", `{"hooks":[{"name":"a","command":["a"],"events":["pre-tool"]}]}`},
	{"$schema and x- everywhere",
		`{"$schema":null,"x-":[{"name":1}],"x-a ` +
			`b":{"hooks":0},"hooks":[{"$schema":{},"x-note":"é","name":"a","command":"a","events":["pre-tool"],` +
			`"on_failure":{"$schema":1,"x-why":[],"signal":"block"}}]}`},
	{"escaped keys", `{"\u0068ooks":[{"\u006eame":"a","comman\u0064":["\u0061"],"events":["pre\u002dtool"]}]}`},
	{"one key at two levels",
		`{"x-a":1,"hooks":[{"x-a":1,"name":"name","command":"a","events":["pre-tool"],"env":{"name":"1",` +
			`"x-a":"$schema"}}]}`},
	{"command line", `{"hooks":[{"name":"a","command":" exit 2 # \ud83d\ude00","events":["pre-tool"]}]}`},
	{"empty arguments", `{"hooks":[{"name":"a","command":["a",""," "],"events":["pre-tool"]}]}`},
	{"blank program", `{"hooks":[{"name":"a","command":[" "],"events":["pre-tool"]}]}`},
	{"name with odd characters", `{"hooks":[{"name":"\u0001 \u200b'","command":"a","events":["pre-tool"]}]}`},
	{"equal names",
		`{"hooks":[{"name":"a","command":"a","events":["pre-tool"]},{"name":"a","command":"a",` +
			`"events":["pre-tool"]}]}`},
	{"all events",
		`{"hooks":[{"name":"a","command":"a","events":["pre-execute","pre-tool","post-tool","UserPromptSubmit",` +
			`"PreToolUse","PostToolUse"]}]}`},
	{"an event twice", `{"hooks":[{"name":"a","command":"a","events":["pre-tool","pre-tool"]}]}`},
	{"matcher", withField(`"matcher":" shell |fs_*|| [!a]?"`)},
	{"empty matcher", withField(`"matcher":""`)},
	{"matcher never closed", withField(`"matcher":"["`)},
	{"timeout in seconds", withField(`"timeout":5`)},
	{"timeout with an exponent", withField(`"timeout":36E+2`)},
	{"timeout of an hour", withField(`"timeout":3600.0`)},
	{"timeout of a nanosecond", withField(`"timeout":1e-9`)},
	{"duration", withField(`"timeout":"1h2m3.5s4ms5us6µs7μs8ns"`)},
	{"duration of a day", withField(`"timeout":"24h"`)},
	{"duration in milliseconds", withField(`"timeout":"30000ms"`)},
	{"duration with a sign", withField(`"timeout":"+.5s"`)},
	{"duration with a bare point", withField(`"timeout":"5.s"`)},
	{"on_failure block", withField(`"on_failure":"block"`)},
	{"on_failure continue", withField(`"on_failure":"continue"`)},
	{"on_failure by no cause", withField(`"on_failure":{}`)},
	{"on_failure by every cause",
		withField(`"on_failure":{"signal":"block","unstarted":"continue","timeout":"block","output":"continue"}`)},
	{"inherit_env false", withField(`"inherit_env":false`)},
	{"inherit_env true", withField(`"inherit_env":true`)},
	{"inherit_env with names", withField(`"inherit_env":["A","TOKEN_*","a b"]`)},
	{"inherit_env of nothing more", withField(`"inherit_env":[]`)},
	{"inherit_env of a file", `{"inherit_env":["A"],"hooks":[]}`},
	{"env", withField(`"env":{"MODE":"strict","EMPTY":"","a b.é":"=","hookrun":"1","HOOKRUNNER":"1"}`)},
	{"no env", withField(`"env":{}`)},
}

func TestGoodFiles(t *testing.T) {
	for _, test := range good {
		t.Run(test.name, func(t *testing.T) {
			cfg, err := parts.All().Parse("f", []byte(test.doc))
			require.NoError(t, err)
			require.Equal(t, []string{"f"}, cfg.Paths())
		})
	}
}

// TestFields shows what each field becomes.
func TestFields(t *testing.T) {
	field := func(t *testing.T, f string) hook.Hook {
		cfg, err := parts.All().Parse("f", []byte(withField(f)))
		require.NoError(t, err)
		return cfg.Hooks[0]
	}
	t.Run("all at once", func(t *testing.T) {
		cfg, err := parts.All().Parse("dir/hooks.json",
			[]byte(bom+"{\r\n  \"$schema\": \"s\",\r\n  \"hooks\": [\r\n    "+
				`{"env": {"B": "é", "A": ""}, "on_failure": "block", "timeout": "5s", "matcher": "shell|fs_*",
			"events": ["PostToolUse", "pre-tool", "PreToolUse"], "command": "grep -q AKIA && exit 2",
			"name": "no-secrets"}]}`))
		require.NoError(t, err)
		require.Len(t, cfg.Hooks, 1)
		h := cfg.Hooks[0]
		require.Equal(t, "no-secrets", h.Name)
		require.Equal(t, hook.Command{Shell: "grep -q AKIA && exit 2"}, h.Process().Command)
		require.Equal(t, []protocol.Event{protocol.PostTool, protocol.PreTool}, h.Events)
		require.Equal(t, "shell|fs_*", h.Matcher.String())
		require.Equal(t, 5*time.Second, h.Deadline(protocol.PreTool))
		require.Equal(t, []string{"B=é", "A="}, h.Env)
		require.Equal(t, "dir/hooks.json:4", h.Source())
		for _, c := range tenex.Dialect.Causes() {
			require.Equal(t, protocol.Block, h.OnFailure[c], c)
		}
		require.Len(t, h.OnFailure, len(tenex.Dialect.Causes()))
	})
	t.Run("timeout", func(t *testing.T) {
		for text, want := range map[string]time.Duration{
			`5`:         5 * time.Second,
			`0.25`:      250 * time.Millisecond,
			`2.5e1`:     25 * time.Second,
			`3600`:      time.Hour,
			`1e-9`:      1,
			`"100ms"`:   100 * time.Millisecond,
			`"1m30s"`:   90 * time.Second,
			`"2h"`:      2 * time.Hour,
			`"30000ms"`: 30 * time.Second,
			`"\u0035s"`: 5 * time.Second,
		} {
			require.Equal(t, want, field(t, `"timeout":`+text).Timeout, text)
		}
	})
	t.Run("on_failure by cause", func(t *testing.T) {
		h := field(t, `"on_failure":{"timeout":"block","signal":"continue","x-signal":"block"}`)
		require.Equal(t, dialect.FailurePolicy{protocol.CauseTimeout: protocol.Block,
			protocol.CauseSignal: protocol.Continue}, h.OnFailure)
	})
	t.Run("empty matcher", func(t *testing.T) {
		require.Equal(t, hook.Globs{}, field(t, `"matcher":""`).Matcher)
	})
	t.Run("empty arguments", func(t *testing.T) {
		cfg, err := parts.All().Parse("f", []byte(`{"hooks":[{"name":"a","command":["a",""],"events":["pre-tool"]}]}`))
		require.NoError(t, err)
		require.Equal(t, []string{"a", ""}, cfg.Hooks[0].Process().Argv)
	})
}

func TestEqualNames(t *testing.T) {
	cfg, err := parts.All().Parse("f", []byte("{\"hooks\":[\n"+
		`{"name":"é","command":"a","events":["pre-tool"]}, {"name":"b","command":"b","events":["pre-tool"]},`+"\n"+
		` {"name":"\u00e9","command":"c","events":["pre-tool"]}, {"name":"é","command":"d","events":["pre-tool"]}]}`))
	require.NoError(t, err, "it is odd, and no more")
	require.Len(t, cfg.Hooks, 4)
	require.Equal(t, []hook.Diagnostic{
		{File: "f", Line: 3, Column: 2,
			Text: `hook "é": the hook of line 2 has the same name; reports will not tell them apart`},
		{File: "f", Line: 3, Column: 57,
			Text: `hook "é": the hook of line 2 has the same name; reports will not tell them apart`},
	}, cfg.Warnings)
}

func TestAdd(t *testing.T) {
	const entry = `{"name":"%","command":"a","events":["pre-tool"]}`
	var all hookfile.Config
	for _, file := range []struct{ name, hooks string }{{"one", "ab"}, {"two", "c"}, {"three", "daa"}} {
		var entries []string
		for _, name := range strings.Split(file.hooks, "") {
			entries = append(entries, "\n "+strings.ReplaceAll(entry, "%", name))
		}
		cfg, err := parts.All().Parse(file.name, []byte(`{"hooks":[`+strings.Join(entries, ",")+"]}"))
		require.NoError(t, err)
		all.Add(cfg)
	}
	require.Equal(t, []string{"one", "two", "three"}, all.Paths())
	var sources []string
	for _, h := range all.Hooks {
		sources = append(sources, h.Source())
	}
	require.Equal(t, []string{"one:2", "one:3", "two:2", "three:2", "three:3", "three:4"}, sources)
	require.Equal(t, []hook.Diagnostic{
		{File: "three", Line: 3, Column: 2,
			Text: `hook "a": the hook of one:2 has the same name; reports will not tell them apart`},
		{File: "three", Line: 4, Column: 2,
			Text: `hook "a": the hook of line 3 has the same name; reports will not tell them apart`},
	}, all.Warnings)
}
