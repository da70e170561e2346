package hookfile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/massgen"
	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/core/launch"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
	"github.com/hookrun/hookrun/protocol"
)

// massgenHook is what a file says of a hook, for tables.
type massgenHook struct {
	Name, Event, Agent string
	NotAgents          []string
	Matcher            string // "" is none
	Command            hook.Command
	Timeout            time.Duration
	FailClosed         any // nil where the file does not say
}

func massgenHooks(t *testing.T, cfg *hookfile.Config) (all []massgenHook) {
	t.Helper()
	for i := range cfg.Hooks {
		h := &cfg.Hooks[i]
		require.Same(t, massgen.Dialect, h.Dialect)
		require.Len(t, h.Events, 1)
		m := massgenHook{Name: h.Name, Event: string(h.Events[0]), Agent: h.Agent, NotAgents: h.NotAgents,
			Command: h.Process().Command, Timeout: h.Timeout}
		if h.Matcher != nil {
			m.Matcher = h.Matcher.String()
		}
		if h.OnFailure != nil {
			m.FailClosed = h.OnFailure[protocol.CauseTimeout] == protocol.Block
			for _, cause := range []protocol.Cause{protocol.CauseSignal, protocol.CauseExit, protocol.CauseOutput} {
				decision, is := h.OnFailure[cause]
				require.True(t, is)
				require.Equal(t, m.FailClosed, decision == protocol.Block, "M33 fail_closed is for all of them")
			}
			require.NotContains(t, h.OnFailure, protocol.CauseUnstarted, "M33 what is not found blocks in any case")
		}
		all = append(all, m)
	}
	return all
}

func python(event, function string) massgenHook {
	return massgenHook{Name: "python_" + function, Event: event, Command: hook.Command{Callable: function}}
}

func program(event, path string) massgenHook {
	return massgenHook{Name: "command_" + path, Event: event, Command: hook.Command{Script: path}}
}

func with(h massgenHook, change func(*massgenHook)) massgenHook {
	change(&h)
	return h
}

const preToolUse, postToolUse = "PreToolUse", "PostToolUse"

func TestMassGenFiles(t *testing.T) {
	for _, test := range []struct {
		name, doc string
		want      []massgenHook
		warnings  string
	}{
		{"M43 global form",
			"hooks:\n  PreToolUse:\n  - matcher: Write\n    handler: m.f\n    type: python\n    timeout: 5\n    " +
				"fail_closed: true\n  PostToolUse:\n  - {handler: p.sh, type: command}\n",
			[]massgenHook{
				with(python(preToolUse, "m.f"), func(h *massgenHook) {
					h.Matcher, h.Timeout, h.FailClosed = "Write", 5*time.Second, true
				}),
				program(postToolUse, "p.sh"),
			}, ""},
		{"M44 per agent form",
			"hooks: {PreToolUse: [handler: g.f]}\nagents:\n- id: a\n  backend: {type: x, hooks: {PreToolUse: " +
				"[handler: a.f]}}\n- id: b\n  backend: {type: x}\n",
			[]massgenHook{python(preToolUse, "g.f"),
				with(python(preToolUse, "a.f"), func(h *massgenHook) { h.Agent = "a" })}, ""},
		{"M44 a single agent", "agent: {id: one, backend: {hooks: {PostToolUse: [handler: a.f]}}}\n",
			[]massgenHook{with(python(postToolUse, "a.f"), func(h *massgenHook) { h.Agent = "one" })}, ""},
		{"M44 an id that is a number", "agents: [{id: 7, backend: {hooks: {PreToolUse: [handler: a.f]}}}]\n",
			[]massgenHook{with(python(preToolUse, "a.f"), func(h *massgenHook) { h.Agent = "7" })}, ""},
		{"agents without ids",
			"agents:\n- backend: {hooks: {PreToolUse: [handler: a.f]}}\n- id: b\n- id:\n  backend: {hooks: " +
				"{PreToolUse: [handler: c.f]}}\n",
			[]massgenHook{with(python(preToolUse, "a.f"), func(h *massgenHook) { h.Agent = "agent1" }),
				with(python(preToolUse, "c.f"), func(h *massgenHook) { h.Agent = "agent3" })}, ""},
		{"one agent without an id", "agent: {backend: {hooks: {PreToolUse: [handler: a.f]}}}\n",
			[]massgenHook{with(python(preToolUse, "a.f"), func(h *massgenHook) { h.Agent = "agent1" })}, ""},
		{"M16 hooks of all agents come first",
			"agents:\n- id: a\n  backend: {hooks: {PreToolUse: [handler: a.f]}}\nhooks: {PreToolUse: [handler: g.f, " +
				"handler: g.g]}\n",
			[]massgenHook{python(preToolUse, "g.f"), python(preToolUse, "g.g"),
				with(python(preToolUse, "a.f"), func(h *massgenHook) { h.Agent = "a" })}, ""},
		{"M17 M45 override",
			"hooks: {PreToolUse: [handler: g.f], PostToolUse: [handler: g.f]}\nagents:\n- id: a\n  backend: {hooks: " +
				"{PreToolUse: {override: true, hooks: [handler: a.f]}}}\n- id: b\n  backend: {hooks: {PreToolUse: " +
				"{override: false, hooks: [handler: b.f]}}}\n",
			[]massgenHook{
				with(python(preToolUse, "g.f"), func(h *massgenHook) { h.NotAgents = []string{"a"} }),
				python(postToolUse, "g.f"),
				with(python(preToolUse, "a.f"), func(h *massgenHook) { h.Agent = "a" }),
				with(python(preToolUse, "b.f"), func(h *massgenHook) { h.Agent = "b" }),
			}, ""},
		{"M45 override without hooks",
			"hooks: {PreToolUse: [handler: g.f]}\nagents:\n- id: a\n  backend:\n    hooks:\n      PreToolUse: " +
				"{override: true, hooks: []}\n      PostToolUse: {override: true}\n",
			[]massgenHook{python(preToolUse, "g.f")},
			`f.yaml:6:30: agents[0].backend.hooks.PreToolUse.override has no hooks beside it, and switches nothing off then
f.yaml:7:31: agents[0].backend.hooks.PostToolUse.override has no hooks beside it, and switches nothing off then`},
		{"M45 override of the hooks of all agents", "hooks: {PreToolUse: {override: true, hooks: [handler: g.f]}}\n",
			[]massgenHook{python(preToolUse, "g.f")},
			"f.yaml:1:32: hooks.PreToolUse.override means something under an agent only; ignored"},
		{"M45 an unknown key beside override", "hooks: {PreToolUse: {overide: true, hooks: [handler: g.f]}}\n",
			[]massgenHook{python(preToolUse, "g.f")},
			`f.yaml:1:22: hooks.PreToolUse has the unknown key "overide"; did you mean "override"?`},
		{"M46 a stray override",
			"hooks: {override: true, PreToolUse: [handler: g.f]}\nagents: [{id: a, backend: {hooks: {override: " +
				"maybe}}}]\n", []massgenHook{python(preToolUse, "g.f")}, ""},
		{"M47 list form",
			"hooks:\n- type: PostToolUse\n  matcher: \"Write|Edit\"\n  callable: m.f\n  fail_closed: false\n- {type: " +
				"PreToolUse, callable: m.g, timeout: 1.5}\n",
			[]massgenHook{
				with(python(postToolUse, "m.f"), func(h *massgenHook) {
					h.Matcher, h.FailClosed = "Write|Edit", false
				}),
				with(python(preToolUse, "m.g"), func(h *massgenHook) { h.Timeout = 1500 * time.Millisecond }),
			}, ""},
		{"M47 list form of an agent", "agents: [{id: a, backend: {hooks: [{type: PreToolUse, callable: m.f}]}}]\n",
			[]massgenHook{with(python(preToolUse, "m.f"), func(h *massgenHook) { h.Agent = "a" })}, ""},
		{"M48 defaults", "hooks: {PreToolUse: [handler: m.f]}\n", []massgenHook{python(preToolUse, "m.f")}, ""},
		{"M48 null is a default", "hooks: {PreToolUse: [{handler: m.f, matcher: ~, timeout: null, fail_closed: }]}\n",
			[]massgenHook{python(preToolUse, "m.f")}, ""},
		{"M48 equal hooks run as often as they stand there", "hooks: {PreToolUse: [handler: m.f, handler: m.f]}\n",
			[]massgenHook{python(preToolUse, "m.f"), python(preToolUse, "m.f")}, ""},
		{"M50 unknown events", "hooks:\n  PreTolUse: [handler: m.f]\n  Stop: nonsense\n  PreToolUse: [handler: m.f]\n",
			[]massgenHook{python(preToolUse, "m.f")},
			`f.yaml:2:3: hooks.PreTolUse is no event that is known, so its hooks never run; did you mean "PreToolUse"?
f.yaml:3:3: hooks.Stop is no event that is known, so its hooks never run; known are PreToolUse, PostToolUse`},
		{"M50 an unknown event in a list", "hooks: [{type: pre, callable: m.f}]\n", nil,
			"f.yaml:1:16: hooks[0].type is no event that is known, so its hooks never run; known are PreToolUse, " +
				"PostToolUse"},
		{"M12 a matcher of no tool",
			"hooks: {PreToolUse: [{handler: m.f, matcher: \" | \"}, {handler: m.g, matcher: \"\"}]}\n",
			[]massgenHook{with(python(preToolUse, "m.g"), func(h *massgenHook) {})},
			`f.yaml:1:46: hooks.PreToolUse[0].matcher " | " names no tool, so the hook never runs`},
		{"M34 shell",
			"hooks: {PreToolUse: [{handler: \"a | b\", type: command, shell: true}, {handler: a b, type: command}]}\n",
			[]massgenHook{{Name: "command_a | b", Event: preToolUse, Command: hook.Command{Shell: "a | b"}},
				program(preToolUse, "a b")}, ""},
		{"M29 deep paths", "hooks: {PreToolUse: [handler: a.b.c.func]}\n",
			[]massgenHook{python(preToolUse, "a.b.c.func")}, ""},
		{"unknown keys of a hook", "hooks: {PreToolUse: [{handler: m.f, fail_close: true, x-mine: 1, nmae: a}]}\n",
			[]massgenHook{python(preToolUse, "m.f")},
			`f.yaml:1:37: hooks.PreToolUse[0] has the unknown key "fail_close"; did you mean "fail_closed"?
f.yaml:1:66: hooks.PreToolUse[0] has the unknown key "nmae"; known are matcher, handler, type, timeout, fail_closed, shell`},
		{"a timeout of hours", "hooks: {PreToolUse: [{handler: m.f, timeout: 30000}]}\n",
			[]massgenHook{with(python(preToolUse, "m.f"), func(h *massgenHook) { h.Timeout = 30000 * time.Second })},
			"f.yaml:1:46: hooks.PreToolUse[0].timeout is in seconds, and 30000 of them are more than an hour"},
		{"timeouts as YAML has numbers",
			"hooks: {PreToolUse: [{handler: m.f, timeout: 0x1e}, {handler: m.f, timeout: 1_000}, {handler: m.f, " +
				"timeout: .5}, {handler: m.f, timeout: 017}, {handler: m.f, timeout: 1e300}]}\n",
			[]massgenHook{
				with(python(preToolUse, "m.f"), func(h *massgenHook) { h.Timeout = 30 * time.Second }),
				with(python(preToolUse, "m.f"), func(h *massgenHook) { h.Timeout = 1000 * time.Second }),
				with(python(preToolUse, "m.f"), func(h *massgenHook) { h.Timeout = time.Second / 2 }),
				with(python(preToolUse, "m.f"), func(h *massgenHook) { h.Timeout = 15 * time.Second }),
				with(python(preToolUse, "m.f"), func(h *massgenHook) { h.Timeout = 1e9 * time.Second }),
			}, "f.yaml:1:168: hooks.PreToolUse[4].timeout is in seconds, and 1e300 of them are more than an hour"},
		{"anchors and merges",
			"x-guard: &guard {handler: m.f, fail_closed: true}\nhooks:\n  PreToolUse:\n  - *guard\n  - <<: *guard\n  " +
				"  fail_closed: false\n",
			[]massgenHook{with(python(preToolUse, "m.f"), func(h *massgenHook) { h.FailClosed = true }),
				with(python(preToolUse, "m.f"), func(h *massgenHook) { h.FailClosed = false })}, ""},
		{"hooks by an alias",
			"agents:\n- id: a\n  backend: {hooks: &h {PreToolUse: [handler: m.f]}}\n- id: b\n  backend: {hooks: *h}\n",
			[]massgenHook{with(python(preToolUse, "m.f"), func(h *massgenHook) { h.Agent = "a" }),
				with(python(preToolUse, "m.f"), func(h *massgenHook) { h.Agent = "b" })}, ""},
		{"slips that hide hooks",
			"Hooks: {}\nhook: []\nagents:\n- id: a\n  hooks: {PreToolUse: [handler: m.f]}\n  backend: {hook: {}}\n",
			nil,
			`f.yaml:1:1: Hooks is not read; did you mean "hooks"?
f.yaml:2:1: hook is not read; did you mean "hooks"?
f.yaml:5:10: agents[0].hooks is not read; the hooks of an agent stand under its backend
f.yaml:6:13: agents[0].backend.hook is not read; did you mean "hooks"?`},
		{"no hooks at all",
			"agents:\n- id: a\n  backend: {type: x}\norchestrator: {coordination: {enable_agent_task_planning: " +
				"true}}\n", nil, ""},
		{"nothing", "", nil, ""},
		{"comments", "# hooks:\n#   PreToolUse: []\n", nil, ""},
		{"null", "---\n", nil, ""},
		{"hooks of nothing", "hooks:\nagents:\nagent:\n", nil, ""},
		{"events of nothing", "hooks: {PreToolUse: , PostToolUse: {hooks: }}\n", nil, ""},
		{"agents without an id and without hooks", "agents: [{backend: {type: x}}, {}]\n", nil, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			cfg, err := parts.All().Parse("f.yaml", []byte(test.doc))
			require.NoError(t, err)
			var warnings []string
			for _, w := range cfg.Warnings {
				warnings = append(warnings, w.Error())
			}
			require.Equal(t, test.warnings, strings.Join(warnings, "\n"))
			require.Equal(t, test.want, massgenHooks(t, cfg))
		})
	}
}

func TestMassGenFaults(t *testing.T) {
	entry := func(field string) string { return "hooks:\n  PreToolUse:\n  - handler: m.f\n    " + field + "\n" }
	for _, test := range []struct{ name, doc, want string }{
		{"M49 no handler", "hooks:\n  PreToolUse:\n  - handler: m.f\n  - matcher: Write\n",
			`f.yaml:4:5: hooks.PreToolUse[1] has no "handler", so it would run nothing`},
		{"M49 no callable", "hooks:\n- type: PreToolUse\n  handler: m.f\n",
			"f.yaml:2:3: hooks[0] has no \"callable\", so it would run nothing\nf.yaml:3:3: hooks[0] has the unknown " +
				"key \"handler\"; known are type, matcher, callable, timeout, fail_closed"},
		{"M51 hooks must be a mapping", "hooks: 5\n",
			"f.yaml:1:8: hooks must be a mapping of events, as PreToolUse: […], not a number"},
		{"M51 override must be a bool",
			"agents:\n- id: a\n  backend:\n    hooks:\n      PreToolUse:\n        override: \"yes\"\n",
			`f.yaml:6:19: agents[0].backend.hooks.PreToolUse.override must be true or false, not "yes"`},
		{"M51 an event must be a list", "hooks:\n  PreToolUse: m.f\n",
			`f.yaml:2:15: hooks.PreToolUse must be a list of hooks, or a mapping with "override" and "hooks", not a ` +
				`string`},
		{"M51 a mapping of an event must have a list", "hooks:\n  PreToolUse:\n    hooks: {}\n",
			`f.yaml:3:12: hooks.PreToolUse must be a list of hooks, or a mapping with "override" and "hooks", not a ` +
				`mapping`},
		{"M51 a hook must be a mapping", "hooks:\n  PreToolUse:\n  - m.f\n",
			`f.yaml:3:5: hooks.PreToolUse[0] must be a mapping with a "handler", not a string`},
		{"M51 a hook of nothing", "hooks:\n  PreToolUse:\n  -\n",
			`f.yaml:3:4: hooks.PreToolUse[0] must be a mapping with a "handler", not null`},
		{"M51 handler must be a string", "hooks: {PreToolUse: [{handler: [m.f]}]}\n",
			"f.yaml:1:32: hooks.PreToolUse[0].handler must be the name of a function or a program, not a list"},
		{"M51 a handler of nothing", "hooks: {PreToolUse: [{handler: }]}\n",
			"f.yaml:1:32: hooks.PreToolUse[0].handler must be the name of a function or a program, not null"},
		{"M51 a blank handler", "hooks: {PreToolUse: [{handler: \" \"}]}\n",
			`f.yaml:1:32: hooks.PreToolUse[0].handler must be the name of a function or a program, not " "`},
		{"inherit of a text", entry("x-inherit_env: PATH"), "f.yaml:4:20: hooks.PreToolUse[0].x-inherit_env must be " +
			`true, false, or a list of names of variables, not "PATH"`},
		{"inherit of the file", "x-inherit_env: 7\n" + entry(""),
			"f.yaml:1:16: x-inherit_env must be true, false, or a list of names of variables, not 7"},
		{"no names in inherit", entry(`x-inherit_env: ["*", A=B, "A*B", 7, ""]`),
			`f.yaml:4:21: hooks.PreToolUse[0].x-inherit_env has the name "*"; write true for all variables
f.yaml:4:26: hooks.PreToolUse[0].x-inherit_env: "A=B" cannot be the name of a variable; a * may stand at its end
f.yaml:4:31: hooks.PreToolUse[0].x-inherit_env: "A*B" cannot be the name of a variable; a * may stand at its end
f.yaml:4:38: hooks.PreToolUse[0].x-inherit_env has 7; write the name of a variable
f.yaml:4:41: hooks.PreToolUse[0].x-inherit_env has ""; write the name of a variable`},
		{"M51 type", entry("type: go"), `f.yaml:4:11: hooks.PreToolUse[0].type must be python or command, not "go"`},
		{"M51 type, nearly", entry("type: Command"),
			`f.yaml:4:11: hooks.PreToolUse[0].type must be python or command, not "Command"; did you mean "command"?`},
		{"M51 type of another type", entry("type: [python]"),
			`f.yaml:4:11: hooks.PreToolUse[0].type must be python or command, not a list`},
		{"M51 matcher", entry("matcher: [Write]"),
			"f.yaml:4:14: hooks.PreToolUse[0].matcher must be a string of globs, not a list"},
		{"M51 matcher of a number", entry("matcher: 5"),
			"f.yaml:4:14: hooks.PreToolUse[0].matcher must be a string of globs, not 5"},
		{"M51 timeout of a text", entry("timeout: 30s"),
			`f.yaml:4:14: hooks.PreToolUse[0].timeout must be a number of seconds, not "30s"`},
		{"M51 timeout of YAML 1.1", entry("timeout: 1:30"),
			`f.yaml:4:14: hooks.PreToolUse[0].timeout must be a number of seconds, not "1:30"`},
		{"M51 timeout of a bool", entry("timeout: true"),
			"f.yaml:4:14: hooks.PreToolUse[0].timeout must be a number of seconds, not true or false"},
		{"M51 timeout zero", entry("timeout: 0"),
			"f.yaml:4:14: hooks.PreToolUse[0].timeout must be more than 0, not 0"},
		{"M51 timeout negative", entry("timeout: -1.5"),
			"f.yaml:4:14: hooks.PreToolUse[0].timeout must be more than 0, not -1.5"},
		{"M51 timeout less than the clock has", entry("timeout: 1e-10"),
			"f.yaml:4:14: hooks.PreToolUse[0].timeout must be more than 0, not 1e-10"},
		{"M51 timeout without an end", entry("timeout: .inf"),
			"f.yaml:4:14: hooks.PreToolUse[0].timeout must be a number of seconds, not .inf"},
		{"M51 timeout that is no number", entry("timeout: .nan"),
			"f.yaml:4:14: hooks.PreToolUse[0].timeout must be a number of seconds, not .nan"},
		{"M51 fail_closed of YAML 1.1", entry("fail_closed: yes"),
			`f.yaml:4:18: hooks.PreToolUse[0].fail_closed must be true or false, not "yes"`},
		{"M51 fail_closed of YAML 1.1, off", entry("fail_closed: off"),
			`f.yaml:4:18: hooks.PreToolUse[0].fail_closed must be true or false, not "off"`},
		{"M51 fail_closed of a text", entry(`fail_closed: "true"`),
			`f.yaml:4:18: hooks.PreToolUse[0].fail_closed must be true or false, not "true"`},
		{"M51 fail_closed of a number", entry("fail_closed: 1"),
			"f.yaml:4:18: hooks.PreToolUse[0].fail_closed must be true or false, not 1"},
		{"M34 shell of a function", entry("shell: true"),
			`f.yaml:4:12: hooks.PreToolUse[0].handler "shell" goes with type: command only`},
		{"M34 shell of YAML 1.1", entry("type: command\n    shell: yes"),
			`f.yaml:5:12: hooks.PreToolUse[0].handler "shell" must be true or false, not "yes"`},
		{"M29 no module", "hooks: {PreToolUse: [handler: func]}\n",
			`f.yaml:1:31: hooks.PreToolUse[0].handler Invalid callable path "func"; write module.function`},
		{"M29 a dot at the end", "hooks: {PreToolUse: [handler: func.]}\n",
			`f.yaml:1:31: hooks.PreToolUse[0].handler Invalid callable path "func."; write module.function`},
		{"M29 a file", "hooks: {PreToolUse: [handler: guard.py]}\n",
			`f.yaml:1:31: hooks.PreToolUse[0].handler "guard.py" is no module.function; for a program add "type: ` +
				`command"`},
		{"M29 a path", "hooks: {PreToolUse: [handler: ./guard]}\n",
			`f.yaml:1:31: hooks.PreToolUse[0].handler "./guard" is no module.function; for a program add "type: ` +
				`command"`},
		{"M47 no type in a list", "hooks:\n- callable: m.f\n",
			`f.yaml:2:3: hooks[0] has no "type"; in a list of hooks it is the event, as type: PreToolUse`},
		{"M47 no mapping in a list", "hooks: [m.f]\n",
			`f.yaml:1:9: hooks[0] must be a mapping with a "callable", not a string`},
		{"agents", "agents: {a: {}}\n", "f.yaml:1:9: agents must be a list, not a mapping"},
		{"an agent", "agents: [a]\n",
			"f.yaml:1:10: agents[0] must be a mapping with an id and a backend, not a string"},
		{"an agent whose id is no name", "agents:\n- id: []\n  backend: {hooks: {PreToolUse: [handler: m.f]}}\n",
			"f.yaml:2:7: agents[0].id must be the name that calls are made with, not a list; leave it out for agent1"},
		{"an agent that is called as one without an id", "agents:\n- id: agent2\n- backend: {}\n",
			"f.yaml:3:3: agents[1] has no id, so it is \"agent2\", as an agent before; give it an id of its own"},
		{"agents of one id", "agents:\n- id: a\n- id: a\n", `f.yaml:3:7: agents[1].id is "a", as of an agent before`},
		{"another document", "[hooks]\n",
			"f.yaml:1:1: a MassGen config must be a mapping, as hooks: {PreToolUse: […]}, not a list"},
		{"several at once, in their order, with the warnings",
			"hooks:\n  PostToolUse: 1\n  PreToolUse:\n  - {handler: m.f, timeout: x, fail_close: 1}\n",
			"f.yaml:2:16: hooks.PostToolUse must be a list of hooks, or a mapping with \"override\" and \"hooks\", " +
				"not a number\nf.yaml:4:29: hooks.PreToolUse[0].timeout must be a number of seconds, not " +
				"\"x\"\nf.yaml:4:32: hooks.PreToolUse[0] has the unknown key \"fail_close\"; did you mean " +
				"\"fail_closed\"?"},
		{"equal keys", "hooks:\n  PreToolUse: []\n\"hooks\": {}\n",
			`f.yaml:3:1: parsing: the key "hooks" is here twice; keep one`},
		{"a second document", "hooks: {}\n---\nhooks: {PreToolUse: [handler: m.f]}\n",
			"f.yaml:2:1: parsing: a second document; a file has one"},
		{"syntax", "hooks:\n  PreToolUse: [\n",
			"f.yaml:2:15: parsing: did not find expected node content; a value is missing here, or a bracket is " +
				"never closed"},
		{"not UTF-8", "hooks:\n  # caf\xe9\n", "f.yaml:2:8: parsing: not UTF-8; save the file as UTF-8"},
		{"UTF-16", "\xff\xfeh\x00", "f.yaml:1:1: parsing: not UTF-8; save the file as UTF-8"},
	} {
		t.Run(test.name, func(t *testing.T) {
			cfg, err := parts.All().Parse("f.yaml", []byte(test.doc))
			require.EqualError(t, err, test.want)
			require.IsType(t, hook.Diagnostics{}, err)
			require.Nil(t, cfg, "a file with an error has no hooks")
		})
	}
}

// TestMassGenEnvironment: a hook of a MassGen file can have a clean environment too.
func TestMassGenEnvironment(t *testing.T) {
	const one, two = "hooks:\n  PreToolUse:\n  - handler: m.f\n    ", "\n  - handler: m.g\n"
	all, none := (*hook.Inherited)(nil), &hook.Inherited{Names: []string{}}
	for _, test := range []struct {
		doc           string
		first, second *hook.Inherited
		warning       string
	}{
		{one + "timeout: 1" + two, all, all, ""},
		{one + "x-inherit_env: false" + two, none, all, ""},
		{one + "x-inherit_env: true" + two, all, all, ""},
		{one + "x-inherit_env:" + two, all, all, ""},
		{one + "x-inherit_env: [CI, AWS_*]" + two, &hook.Inherited{Names: []string{"CI", "AWS_*"}}, all, ""},
		{one + "x-inherit_env: []" + two, none, all, ""},
		{"x-inherit_env: false\n" + one + "x-inherit_env: true" + two, all, none, ""},
		{"x-inherit_env: [CI]\n" + one + "x-inherit_env: false" + two, none,
			&hook.Inherited{Names: []string{"CI"}}, ""},
		{one + "inherit_env: false" + two, all, all,
			`f.yaml:4:5: hooks.PreToolUse[0] has the unknown key "inherit_env"; did you mean "x-inherit_env"?`},
		{one + "x-inherit-env: false" + two, all, all,
			`f.yaml:4:5: hooks.PreToolUse[0] has the unknown key "x-inherit-env"; did you mean "x-inherit_env"?`},
		{"inherit_env: false\n" + one + "timeout: 1" + two, all, all,
			`f.yaml:1:1: the file has the unknown key "inherit_env"; did you mean "x-inherit_env"?`},
		{one + "x-owner: me" + two, all, all, ""},
	} {
		cfg, err := parts.All().Parse("f.yaml", []byte(test.doc))
		require.NoError(t, err, test.doc)
		require.Len(t, cfg.Hooks, 2)
		require.Equal(t, test.first, cfg.Hooks[0].Inherit, test.doc)
		require.Equal(t, test.second, cfg.Hooks[1].Inherit, test.doc)
		var warnings []string
		for _, w := range cfg.Warnings {
			warnings = append(warnings, w.Error())
		}
		require.Equal(t, test.warning, strings.Join(warnings, "\n"), test.doc)
	}
}

func TestMassGenFileNames(t *testing.T) {
	doc := []byte("hooks: {PreToolUse: [handler: m.f]}\n")
	for _, name := range []string{"a.yaml", "a.yml", "a.YAML", "a.b.Yml", "/x/.yaml"} {
		cfg, err := parts.All().Parse(name, doc)
		require.NoError(t, err, name)
		require.Len(t, cfg.Hooks, 1)
	}
	for _, name := range []string{"a.json", "yaml", "a.yaml.json", ".tenex-hooks.json"} {
		_, err := parts.All().Parse(name, doc)
		require.Error(t, err, name)
	}
}

func TestMassGenSelection(t *testing.T) {
	parse := func(doc string) *hookfile.Config {
		cfg, err := parts.All().Parse("f.yaml", []byte(doc))
		require.NoError(t, err)
		return cfg
	}
	names := func(cfg *hookfile.Config, c dialect.Call) (names []string) {
		for i := range cfg.Hooks {
			if runs(&cfg.Hooks[i], &c) {
				names = append(names, strings.TrimPrefix(cfg.Hooks[i].Name, "python_m."))
			}
		}
		return names
	}
	t.Run("M12 M13 M14 matchers", func(t *testing.T) {
		for _, test := range []struct{ matcher, yes, no string }{
			{"*", "Write mcp__a/b é", ""},
			{"Write", "Write", "write Writes MyWrite"},
			{"Write|Edit", "Write Edit", "Write|Edit Wr"},
			{" Write | Edit ", "Write Edit", ""},
			{"|Write||", "Write", "Edit"},
			{"mcp__*", "mcp__a mcp__a/b mcp__", "mcp_a Mcp__a"},
			{"*update_task_status", "update_task_status mcp__x__update_task_status", "update_task_status2"},
			{"Wr?te", "Write Wr/te", "Wrte"},
			{"[!a]b", "cb !b", "ab"},
			{"[^a]b", "^b ab", "cb"},
			{"[WE]*", "Write Edit", "Read"},
			{"[x", "[x", "x"},
			{`a\*`, `a\b a\`, "a* ab"},
			{"W.*", "W.x", "Write"},
		} {
			cfg := parse(fmt.Sprintf("hooks: {PreToolUse: [{handler: m.f, matcher: %q}]}\n", test.matcher))
			for _, tool := range strings.Fields(test.yes) {
				require.Len(t, names(cfg, dialect.Call{Event: "pre-tool", Tool: tool}), 1, "%q is for %q",
					test.matcher, tool)
			}
			for _, tool := range strings.Fields(test.no) {
				require.Empty(t, names(cfg, dialect.Call{Event: "pre-tool", Tool: tool}), "%q is not for %q",
					test.matcher, tool)
			}
		}
	})
	t.Run("M15 M16 M17 M44 agents", func(t *testing.T) {
		cfg := parse("hooks: {PreToolUse: [handler: m.g1, handler: m.g2], PostToolUse: [handler: m.p]}\nagents:\n" +
			"- {id: a, backend: {hooks: {PreToolUse: {override: true, hooks: [handler: m.a1]}, PostToolUse: " +
			"[handler: m.a2]}}}\n" +
			"- {id: b, backend: {hooks: {PreToolUse: [handler: m.b]}}}\n- {id: c}\n")
		for agent, want := range map[string][2]string{"a": {"a1", "p a2"}, "b": {"g1 g2 b", "p"}, "c": {"g1 g2", "p"},
			"": {"g1 g2", "p"}, "A": {"g1 g2", "p"}} {
			require.Equal(t, strings.Fields(want[0]),
				names(cfg, dialect.Call{Event: "pre-tool", Tool: "t", AgentID: agent}), agent)
			require.Equal(t, strings.Fields(want[1]),
				names(cfg, dialect.Call{Event: "PostToolUse", Tool: "t", AgentID: agent}), agent)
			require.Empty(t, names(cfg, dialect.Call{Event: "post-tool", Failed: true, Tool: "t", AgentID: agent}),
				"M64 failed")
			require.Empty(t, names(cfg, dialect.Call{Event: "post-tool", Blocked: true, Tool: "t", AgentID: agent}),
				"M64 blocked")
			require.Empty(t, names(cfg, dialect.Call{Event: "pre-execute", AgentID: agent}))
			require.Empty(t, names(cfg, dialect.Call{Event: "PermissionRequest", Tool: "t", AgentID: agent}))
			_, unknown := cfg.UnknownAgent(agent)
			require.Equal(t, agent == "" || agent == "A", unknown, agent)
		}
		why := func(i int, agent string) string {
			return why(&cfg.Hooks[i], &dialect.Call{Event: "pre-tool", Tool: "t", AgentID: agent})
		}
		require.Equal(t, `the agent "a" has hooks of its own instead, by "override"`, why(0, "a"))
		require.Equal(t, `it is for the agent "a" alone`, why(3, "b"))
	})
	t.Run("where all agents have the same hooks, their names do not matter", func(t *testing.T) {
		cfg := parse("hooks: {PreToolUse: [handler: m.g]}\nagents: [{id: a, backend: {hooks: {PreToolUse: {override: " +
			"true}}}}]\n")
		_, unknown := cfg.UnknownAgent("x")
		require.False(t, unknown)
	})
	t.Run("a second file does not lose the agents of the first", func(t *testing.T) {
		cfg := parse("agents: [{id: a, backend: {hooks: {PreToolUse: [handler: m.a]}}}]\n")
		cfg.Add(parse("hooks: {PreToolUse: [handler: m.a]}\nagents: [{id: b, backend: {hooks: {PreToolUse: [handler: " +
			"m.b]}}}]\n"))
		require.Empty(t, cfg.Warnings, "names that nobody gave may be equal")
		require.Equal(t, []string{"a", "a"}, names(cfg, dialect.Call{Event: "pre-tool", Tool: "t", AgentID: "a"}))
		require.Equal(t, []string{"a", "b"}, names(cfg, dialect.Call{Event: "pre-tool", Tool: "t", AgentID: "b"}))
		for agent, want := range map[string]bool{"a": false, "b": false, "c": true} {
			_, unknown := cfg.UnknownAgent(agent)
			require.Equal(t, want, unknown, agent)
		}
	})
	t.Run("M31 M48 deadline", func(t *testing.T) {
		cfg := parse("hooks: {PreToolUse: [handler: m.f, {handler: m.f, timeout: 0.01}]}\n")
		require.Equal(t, 30*time.Second, cfg.Hooks[0].Deadline("PreToolUse"))
		require.Equal(t, 10*time.Millisecond, cfg.Hooks[1].Deadline("PreToolUse"))
	})
}

func TestMassGenPrograms(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("programs are found in other ways")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	file := func(name, text string, mode os.FileMode) {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		require.NoError(t, os.Chmod(path, mode))
	}
	file("ok.sh", "#!/bin/sh\n", 0o755)
	file("hooks/plain.py", "", 0o644)
	file("hooks/run.py", "#!/usr/bin/env python3\n", 0o755)
	file("plain.sh", "#!/bin/sh\n", 0o644)
	file("with blank.sh", "#!/bin/sh\n", 0o755)
	file("bin/python3", "#!/bin/sh\n", 0o755)
	file("bin/tool", "#!/bin/sh\n", 0o755)
	file("sub/x", "", 0o644)
	bin := filepath.Join(dir, "bin")
	find := func(t *testing.T, entry, path string) (string, []string, error) {
		cfg, err := parts.All().Parse("f.yaml", []byte("hooks: {PreToolUse: [{"+entry+"}]}\n"))
		require.NoError(t, err)
		found, argv, err := launch.Program(&cfg.Hooks[0], dir, []string{"PATH=" + path})
		return strings.TrimPrefix(found, dir+"/"), argv, err
	}
	for _, test := range []struct {
		name, entry, path string
		argv              []string
		err               string
	}{
		{"M34 an executable file", "type: command, handler: ok.sh", "ok.sh", []string{"ok.sh"}, ""},
		{"M34 by ./", "type: command, handler: ./ok.sh", "ok.sh", []string{"./ok.sh"}, ""},
		{"M34 a Python file that is not executable", "type: command, handler: hooks/plain.py", "bin/python3",
			[]string{"python3", dir + "/hooks/plain.py"}, ""},
		{"M34 a Python file that is", "type: command, handler: hooks/run.py", "hooks/run.py", []string{"hooks/run.py"},
			""},
		{"M34 a program in PATH", "type: command, handler: tool", "bin/tool", []string{"tool"}, ""},
		{"M34 a blank in a name", "type: command, handler: with blank.sh", "with blank.sh", []string{"with blank.sh"},
			""},
		{"M34 a command line", "type: command, handler: ./ok.sh --strict", "", nil,
			`./ok.sh --strict: no such file; for a command line add "shell: true"`},
		{"M34 a file that is not executable", "type: command, handler: plain.sh", "", nil, "plain.sh: "},
		{"M34 a folder", "type: command, handler: sub", "", nil, "sub: "},
		{"M30 no file", "type: command, handler: ./nope.py", "", nil, "./nope.py: no such file"},
		{"M34 a command line without a slash", "type: command, handler: ok.sh --strict", "", nil,
			`ok.sh --strict: neither a file of the workspace nor in PATH; for a command line add "shell: true"`},
		{"M30 no program", "type: command, handler: nope", "", nil,
			"nope: neither a file of the workspace nor in PATH"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path, argv, err := find(t, test.entry, bin)
			if test.err != "" {
				require.ErrorContains(t, err, test.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, test.path, path)
			require.Equal(t, test.argv, argv)
		})
	}
	t.Run("M29 a function", func(t *testing.T) {
		path, argv, err := find(t, "handler: a.b.c", bin)
		require.NoError(t, err)
		require.Equal(t, "bin/python3", path)
		require.Len(t, argv, 4)
		require.Equal(t, []string{"python3", "-c"}, argv[:2])
		require.Equal(t, "a.b.c", argv[3])
	})
	t.Run("M29 no python3", func(t *testing.T) {
		_, _, err := find(t, "handler: a.b", filepath.Join(dir, "sub"))
		require.ErrorContains(t, err, "python3")
		_, _, err = find(t, "type: command, handler: hooks/plain.py", filepath.Join(dir, "sub"))
		require.ErrorContains(t, err, "python3")
	})
	t.Run("check names the place of the handler", func(t *testing.T) {
		cfg, err := parts.All().Parse("f.yaml",
			[]byte("hooks:\n  PreToolUse:\n  - type: command\n    handler: nope.sh\n  - handler: m.f\n"))
		require.NoError(t, err)
		problems := launch.Inspect(&cfg.Hooks[0], dir, os.Environ())
		require.Len(t, problems, 1)
		require.Contains(t, problems[0].Error(), `f.yaml:4:14: hook "command_nope.sh": `)
		require.Equal(t, "f.yaml:3", cfg.Hooks[0].Source())
		require.Equal(t, "f.yaml:5", cfg.Hooks[1].Source())
	})
}

// TestHostileMassGen takes under a second for each file on an idle machine. What is quadratic takes minutes.
func TestHostileMassGen(t *testing.T) {
	testall.Only(t, "takes seconds")
	fill := func(before, item, after string) string {
		return before + strings.Repeat(item, (hostileSize-len(before)-len(after))/len(item)) + after
	}
	numbered := func(before, format, after string) string {
		b := []byte(before)
		for i := 0; len(b)+len(after)+100 < hostileSize; i++ {
			b = fmt.Appendf(b, format, i)
		}
		return string(b) + after
	}
	stairs := func() string {
		var b strings.Builder
		for i := 0; b.Len() < hostileSize-3000; i++ {
			b.WriteString(strings.Repeat(" ", i) + "a:\n")
		}
		return b.String()
	}
	half := strings.Repeat("k: 1, ", hostileSize/12)
	for name, doc := range map[string]string{
		"hooks": fill("hooks:\n  PreToolUse:\n", "  - handler: m.f\n", ""),
		"bad hooks": fill("hooks:\n  PreToolUse:\n",
			"  - handlr: 1\n    timeout: x\n    fail_closed: yes\n    y: 1\n", ""),
		"bad hooks in one line": fill("hooks: {PreToolUse: [", "{h: 1},", "]}"),
		"agents": numbered("agents:\n",
			"- {id: a%d, backend: {hooks: {PreToolUse: [{handler: m.f}]}}}\n", ""),
		"agents that override": numbered("hooks: {PreToolUse: [{handler: m.f}]}\nagents:\n",
			"- {id: a%d, backend: {hooks: {PreToolUse: {override: true, hooks: [{handler: m.f}]}}}}\n", ""),
		"unknown events":        numbered("hooks:\n", "  PreToolUs%d: []\n", ""),
		"keys":                  numbered("", "k%d: 1\n", ""),
		"keys in one line":      numbered("{", "k%d: 1,", "}"),
		"keys with comments":    numbered("", "k%d: 1 # c\n", ""),
		"equal keys":            fill("{", "k: 1,", "}"),
		"list":                  fill("a:\n", "- b\n", ""),
		"list in one line":      fill("a: [", "b,", "]"),
		"deep lists":            fill("a:\n", "- "+strings.Repeat("[", 60)+strings.Repeat("]", 60)+"\n", ""),
		"brackets never closed": fill("", "[", ""),
		"braces never closed":   fill("", "{", ""),
		"braces and keys":       fill("", "{a: ", ""),
		"dashes":                fill("", "- ", ""),
		"question marks":        fill("", "? ", ""),
		"stairs":                stairs(),
		"a long word":           fill("a: ", "b", "\n"),
		"many words":            fill("a: ", "b ", "\n"),
		"many lines of words":   fill("a:\n", " b\n", ""),
		"a quoted text":         fill("a: \"", "b\n  ", "\""),
		"escapes":               fill("a: \"", `\u00e9`, "\""),
		"a quote never closed":  fill("a: '", "b\n", ""),
		"a literal text":        fill("a: |\n", "  b\n", ""),
		"a folded text":         fill("a: >\n", "  b\n", ""),
		"comments":              fill("", "# c\n", "a: 1\n"),
		"comments behind":       fill("a: 1\n", "# c\n", ""),
		"empty lines":           fill("a: 1\n", "\n", "b: 1\n"),
		"blanks":                fill("a: ", " ", "b\n"),
		"anchors":               numbered("a:\n", "- &a%d b\n", ""),
		"aliases":               fill("a: &x b\nc:\n", "- *x\n", ""),
		"merges":                fill("a: &x {b: 1}\nc:\n", "- {<<: *x}\n", ""),
		"merges of many keys": fill(numbered("a: &x {", "k%d: 1,", "")[:hostileSize/2]+": 1}\nc:\n",
			"- {<<: *x}\n", ""),
		"many merges in one place": fill("a: &x {"+half[:1]+": 1}\nb:\n", "  <<: *x\n", ""),
		"a long tag":               fill("a: !", "t", " b"),
		"a long directive":         fill("%", "t", "\n---\na: 1"),
		"colons":                   fill("a: ", ":", ""),
		"documents":                fill("", "---\n", ""),
		"faults of syntax":         fill("", "a: b: c\n", ""),
		"a fault at the end":       fill("", "- b\n", "c"),
	} {
		t.Run(name, func(t *testing.T) {
			require.LessOrEqual(t, len(doc), hostileSize)
			require.Greater(t, len(doc), hostileSize*9/10)
			quick(t, func() {
				if _, err := parts.All().Parse("f.yaml", []byte(doc)); err != nil {
					require.NotEmpty(t, err.Error())
				}
			})
		})
	}
}
