//go:build unix

package massgen

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/internal/testall"
	"github.com/hookrun/hookrun/projecthooks"
	"github.com/hookrun/hookrun/protocol"
	"github.com/hookrun/hookrun/runner"
)

// massgenRows is a project with a MassGen config, hooks.yaml.
type massgenRows struct {
	*testing.T
	dir string
	env []string
}

func massgenProject(t *testing.T, config string) *massgenRows {
	p := &massgenRows{T: t, dir: t.TempDir(), env: []string{"PYTHONDONTWRITEBYTECODE=1"}}
	p.file("hooks.yaml", config)
	return p
}

func (p *massgenRows) file(name, text string) {
	p.Helper()
	path := filepath.Join(p.dir, name)
	require.NoError(p, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(p, os.WriteFile(path, []byte(text), 0o600))
}

func (p *massgenRows) read(name string) string {
	p.Helper()
	text, err := os.ReadFile(filepath.Join(p.dir, name))
	require.NoError(p, err)
	return string(text)
}

// run calls hookrun with words that come before the config.
func (p *massgenRows) run(args ...string) binary.Result {
	p.Helper()
	return binary.Run(p.T, p.dir, "", p.env, append([]string{binary.Path, args[0], "-c", "hooks.yaml"}, args[1:]...)...)
}

// check calls hookrun check.
func (p *massgenRows) check(flags ...string) binary.Result {
	p.Helper()
	return binary.Run(p.T, p.dir, "", p.env, append([]string{binary.Path, "check", "hooks.yaml"}, flags...)...)
}

// massgenReply is what `--output json` says.
type massgenReply struct {
	Decision, Reason, Cause, Hook string
	UpdatedInput                  json.RawMessage `json:"updated_input"`
	Inject                        []struct{ Hook, Content, Strategy string }
	Warnings                      []string
	Hooks                         []struct{ Name, Status, Cause, Stderr string }
}

func (o massgenReply) statuses() (all []string) {
	for _, h := range o.Hooks {
		all = append(all, h.Status)
	}
	return all
}

func (p *massgenRows) asked(args ...string) (o massgenReply) {
	p.Helper()
	done := p.run(append(args, "-o", "json")...)
	require.NoError(p, json.Unmarshal([]byte(done.Stdout), &o), "exit %d, stderr %q", done.Code, done.Stderr)
	want := 0
	if o.Decision != "continue" {
		want = 2
	}
	require.Equal(p, want, done.Code, done.Stderr)
	return o
}

func (p *massgenRows) pre(args ...string) massgenReply {
	p.Helper()
	return p.asked(append([]string{"pre-tool", "--tool", "Write"}, args...)...)
}

func (p *massgenRows) post(args ...string) massgenReply {
	p.Helper()
	return p.asked(append([]string{"post-tool", "--tool", "Write", "--result", "out"}, args...)...)
}

// entry is a hook that is a shell command, as an item of YAML's flow form.
func entry(command string, more ...string) string {
	text, _ := json.Marshal(command) // a text of YAML, too
	return "{type: command, shell: true, handler: " + strings.Join(append([]string{string(text)}, more...), ", ") + "}"
}

// saying is a hook with this answer.
func saying(answer string, more ...string) string {
	return entry("cat >/dev/null; printf '%s' '"+answer+"'", more...)
}

func yamlEvent(event string, hooks ...string) string {
	return event + ": [" + strings.Join(hooks, ", ") + "]"
}

func globally(events ...string) string { return "hooks: {" + strings.Join(events, ", ") + "}\n" }

func beforeTool(hooks ...string) string { return globally(yamlEvent("PreToolUse", hooks...)) }

func afterTool(hooks ...string) string { return globally(yamlEvent("PostToolUse", hooks...)) }

func TestMassGenEvents(t *testing.T) {
	t.Run("M01 M02 M03 M35 a HookEvent on stdin, then its end", func(t *testing.T) {
		p := massgenProject(t, globally(yamlEvent("PreToolUse", entry(`cat >pre.json; echo "{}"`)),
			yamlEvent("PostToolUse", entry(`cat >post.json; echo "{}"`))))
		p.pre("--args", `{"path":"é"}`, "--session-id", "s", "--agent-id", "a", "--orchestrator-id", "o")
		p.post()
		var pre, post map[string]any
		require.NoError(t, json.Unmarshal([]byte(p.read("pre.json")), &pre))
		require.NoError(t, json.Unmarshal([]byte(p.read("post.json")), &post))
		require.Regexp(t, `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?\+00:00$`, pre["timestamp"])
		delete(pre, "timestamp")
		delete(post, "timestamp")
		require.Equal(t, map[string]any{
			"hook_type": "PreToolUse", "session_id": "s", "orchestrator_id": "o", "agent_id": "a",
			"tool_name": "Write", "tool_input": map[string]any{"path": "é"}, "tool_output": nil,
		}, pre)
		require.Equal(t, map[string]any{
			"hook_type": "PostToolUse", "session_id": "", "orchestrator_id": "", "agent_id": nil,
			"tool_name": "Write", "tool_input": map[string]any{}, "tool_output": "out",
		}, post)
	})
	t.Run("M04 arguments that are no JSON", func(t *testing.T) {
		p := massgenProject(t,
			beforeTool(entry(`test "$("$HOOKRUN" get tool_input.raw)" = xx && echo '{"decision":"deny","reason":"saw `+
				`it"}'`)))
		require.Equal(t, "saw it", p.pre("--args", "xx").Reason)
	})
	t.Run("M36 environment", func(t *testing.T) {
		p := massgenProject(t, beforeTool(entry(`env >env; echo "{}"`)))
		p.env = append(p.env, "MASSGEN_AGENT_ID=of the caller")
		p.pre("--session-id", "s", "--orchestrator-id", "o")
		var massgen []string
		for line := range strings.Lines(p.read("env")) {
			if strings.HasPrefix(line, "MASSGEN_") {
				massgen = append(massgen, strings.TrimSpace(line))
			}
		}
		require.ElementsMatch(t, []string{"MASSGEN_HOOK_TYPE=PreToolUse", "MASSGEN_TOOL_NAME=Write",
			"MASSGEN_SESSION_ID=s", "MASSGEN_AGENT_ID=", "MASSGEN_ORCHESTRATOR_ID=o"}, massgen)
	})
	t.Run("M11 delivery status", func(t *testing.T) {
		binary.Needs(t, "python3")
		p := massgenProject(t, beforeTool("{handler: g.f}"))
		p.file("g.py",
			"from massgen.mcp_tools.hooks import InjectionDeliveryStatus as S, HookResult\ndef f(event): return "+
				"HookResult.deny(' '.join(s.value for s in S))\n")
		require.Equal(t, "queued delivered deferred failed", p.pre().Reason)
	})
}

func TestMassGenResults(t *testing.T) {
	for _, test := range []struct {
		name, answer string
		code         int
		stderr       string
	}{
		{"M05 nothing said is allow", `{}`, 0, ""},
		{"M06 allowed false", `{"allowed":false}`, 2, "Denied by hook command_"},
		{"M06 M37 decision deny", `{"decision":"deny","reason":"x"}`, 2, "x\n"},
		{"M06 both, in contradiction", `{"allowed":false,"decision":"allow","reason":"x"}`, 2, "x\n"},
		{"M07 unknown keys", `{"note":"deny","n":2}`, 0, ""},
		{"M07 an exit code in JSON", `{"note":"deny","exit_code":2}`, 0,
			"MassGen takes for none: it has \"exit_code\": 2"},
		{"M07 an unknown key that may be a deny", `{"permissionDecision":"deny","n":2}`, 0,
			"MassGen takes for none: it has \"permissionDecision\""},
		{"M08 M22 ask, and nobody to ask", `{"decision":"ask","reason":"sure?"}`, 2, "sure?\n"},
		{"M19 the reason of metadata", `{"allowed":false,"metadata":{"reason":"m"}}`, 2, "m\n"},
		{"M37 no object", `["deny"]`, 0, "it did not print a JSON object; continuing"},
		{"M37 an unknown decision", `{"decision":"block"}`, 0,
			`decision "block" does not exist; known are allow, deny, ask; continuing`},
		{"M39 text", `hi`, 0, "it did not print a JSON object; continuing"},
		{"M39 nothing", ``, 0, "it printed nothing; print {} to allow; continuing"},
	} {
		t.Run(test.name, func(t *testing.T) {
			done := massgenProject(t, beforeTool(saying(test.answer))).run("pre-tool", "--tool", "Write")
			require.Equal(t, test.code, done.Code, done.Stderr)
			require.Empty(t, done.Stdout)
			require.Contains(t, done.Stderr, test.stderr)
			if test.stderr == "" {
				require.Empty(t, done.Stderr)
			}
		})
	}
	t.Run("M39 fail_closed", func(t *testing.T) {
		o := massgenProject(t, beforeTool(saying("hi", "fail_closed: true"))).pre()
		require.Equal(t, "block", o.Decision)
		require.Equal(t, "output", o.Cause)
		require.Contains(t, o.Reason, "it did not print a JSON object")
	})
	t.Run("M22 ask in JSON", func(t *testing.T) {
		require.Equal(t, "ask", massgenProject(t, beforeTool(saying(`{"decision":"ask"}`))).pre().Decision)
	})
	t.Run("M09 M25 errors of a hook that allows", func(t *testing.T) {
		o := massgenProject(t, beforeTool(saying(`{"hook_errors":["child failed"]}`),
			entry("exit 1", "fail_closed: false"))).pre()
		require.Equal(t, "continue", o.Decision)
		require.Equal(t, []string{"ok", "failed"}, o.statuses())
		require.Len(t, o.Warnings, 2)
		require.Equal(t, "child failed", o.Warnings[0])
		require.Equal(t, "Hook command_exit 1 failed: it exited with 1; continuing", o.Warnings[1])
	})
}

func TestMassGenOrder(t *testing.T) {
	logs := func(word string, more ...string) string {
		return entry("echo "+word+" >>log; echo '{}'", more...)
	}
	t.Run("M14 M26 no hook matches", func(t *testing.T) {
		o := massgenProject(t, beforeTool(logs("a", "matcher: Read"))).pre()
		require.Equal(t, "continue", o.Decision)
		require.Empty(t, o.Hooks)
		require.Empty(t, o.Warnings)
	})
	t.Run("M12 a matcher of no tool is never run, and warned of", func(t *testing.T) {
		p := massgenProject(t, beforeTool(logs("a", `matcher: "|"`), logs("b", `matcher: " Write | Edit"`)))
		o := p.pre()
		require.Equal(t, "b\n", p.read("log"))
		require.Len(t, o.Warnings, 1)
		require.Contains(t, o.Warnings[0], `hooks.yaml:1:`)
		require.Contains(t, o.Warnings[0], `matcher "|" names no tool, so the hook never runs`)
	})
	t.Run("M13 globs", func(t *testing.T) {
		p := massgenProject(t, beforeTool(logs("a", `matcher: "mcp__*"`), logs("b", `matcher: "[!a]b"`),
			logs("c", `matcher: "[x"`)))
		for _, tool := range []string{"mcp__a/b", "ab", "cb", "[x", "x", "Mcp__a"} {
			p.asked("pre-tool", "--tool", tool)
		}
		require.Equal(t, "a\nb\nc\n", p.read("log"))
	})
	agents := globally(yamlEvent("PreToolUse", logs("g1"), logs("g2")), yamlEvent("PostToolUse", logs("p"))) +
		"agents:\n" +
		"- {id: a, backend: {hooks: {" + yamlEvent("PreToolUse", logs("a1")) + "}}}\n" +
		"- {id: b, backend: {hooks: {PreToolUse: {override: true, hooks: [" + logs("b1") + "]}}}}\n- {id: c}\n"
	t.Run("M15 M16 M17 M44 M45 agents", func(t *testing.T) {
		for agent, want := range map[string]string{"a": "g1 g2 a1 p", "b": "b1 p", "c": "g1 g2 p", "": "g1 g2 p",
			"other": "g1 g2 p"} {
			p := massgenProject(t, agents)
			var flags []string
			if agent != "" {
				flags = []string{"--agent-id", agent}
			}
			o := p.pre(flags...)
			p.post(flags...)
			require.Equal(t, strings.Fields(want), strings.Fields(p.read("log")), agent)
			if agent == "" || agent == "other" {
				require.Equal(t, []string{`the agent "` + agent +
					`" is none of the hooks files' (a, b, c), so only hooks for all agents were asked`}, o.Warnings)
			} else {
				require.Empty(t, o.Warnings)
			}
		}
	})
	t.Run("M44 agents in serve", func(t *testing.T) {
		p := massgenProject(t, agents)
		cmd := exec.Command(binary.Path, "serve", "-c", "hooks.yaml")
		cmd.Dir, cmd.Env = p.dir, append(binary.Environment(p.dir), p.env...)
		in, err := cmd.StdinPipe()
		require.NoError(t, err)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		answers := bufio.NewReader(out)
		for agent, want := range map[string]int{"a": 3, "b": 1, "c": 2, "": 2} {
			_, err := in.Write([]byte(`{"jsonrpc":"2.0","id":1,"method":"pre-tool","params":{"tool":"Write",` +
				`"agent_id":"` + agent + "\",\"session_id\":\"one\"}}\n"))
			require.NoError(t, err)
			line, err := answers.ReadBytes('\n')
			require.NoError(t, err)
			var answer struct{ Result massgenReply }
			require.NoError(t, json.Unmarshal(line, &answer))
			require.Len(t, answer.Result.Hooks, want, "%s: %s", agent, line)
			require.Equal(t, agent == "", len(answer.Result.Warnings) == 1)
		}
		require.NoError(t, in.Close())
		require.NoError(t, cmd.Wait())
	})
	t.Run("M18 each hook sees what earlier ones left", func(t *testing.T) {
		p := massgenProject(t, beforeTool(saying(`{"updated_input":{"a":1}}`),
			entry(`"$HOOKRUN" get tool_input >seen; echo '{"updated_input":{"b":2}}'`)))
		o := p.pre("--args", `{"z":0}`)
		require.JSONEq(t, `{"a":1}`, p.read("seen"))
		require.JSONEq(t, `{"b":2}`, string(o.UpdatedInput), "replaced, not merged")
	})
	t.Run("M18 modified_args counts before updated_input", func(t *testing.T) {
		p := massgenProject(t, beforeTool(saying(`{"updated_input":{"a":1},"modified_args":"{\"m\":1}"}`)))
		require.JSONEq(t, `{"m":1}`, string(p.pre().UpdatedInput))
	})
	t.Run("M18 what changes nothing is no change", func(t *testing.T) {
		p := massgenProject(t, beforeTool(saying(`{"updated_input":{"a": 1}}`)))
		require.Nil(t, p.pre("--args", `{"a":1}`).UpdatedInput)
	})
	t.Run("M19 M10 deny short circuit", func(t *testing.T) {
		p := massgenProject(t, beforeTool(saying(`{"updated_input":{"a":1},"hook_errors":["e"]}`),
			saying(`{"decision":"deny","reason":"no"}`), logs("third")))
		o := p.pre()
		require.Equal(t, "no", o.Reason)
		require.Equal(t, "policy", o.Cause)
		require.False(t, binary.Exists(p.dir, "log"), "the third hook did not run")
		require.Equal(t, []string{"ok", "blocked", "skipped"}, o.statuses())
		require.Nil(t, o.UpdatedInput)
		require.Empty(t, o.Inject)
	})
	t.Run("M20 a deny after the tool changes nothing", func(t *testing.T) {
		p := massgenProject(t, afterTool(saying(`{"inject":{"content":"A"}}`),
			saying(`{"decision":"deny","reason":"no"}`), saying(`{"inject":{"content":"B"}}`), logs("last")))
		o := p.post()
		require.Equal(t, "continue", o.Decision)
		require.Equal(t, []string{"ok", "blocked", "ok", "ok"}, o.statuses())
		require.Len(t, o.Inject, 2)
		require.Len(t, o.Warnings, 1)
		require.Contains(t, o.Warnings[0], "denied a call that had run, which changes nothing: no")
		require.Equal(t, "last\n", p.read("log"))
	})
	t.Run("M21 ask", func(t *testing.T) {
		one, two := saying(`{"decision":"ask","reason":"one"}`), saying(`{"decision":"ask","reason":"two"}`)
		o := massgenProject(t, beforeTool(one, saying(`{}`))).pre()
		require.Equal(t, []string{"ask", "one"}, []string{o.Decision, o.Reason})
		o = massgenProject(t, beforeTool(one, two, saying(`{}`))).pre()
		require.Equal(t, []string{"ask", "two"}, []string{o.Decision, o.Reason})
		o = massgenProject(t, beforeTool(one, saying(`{"allowed":false,"reason":"no"}`), two)).pre()
		require.Equal(t, []string{"block", "no"}, []string{o.Decision, o.Reason})
		require.Equal(t, []string{"blocked", "blocked", "skipped"}, o.statuses())
	})
	t.Run("M23 each text keeps its strategy", func(t *testing.T) {
		p := massgenProject(t, afterTool(saying(`{"inject":{"content":"A","strategy":"tool_result"}}`),
			saying(`{"inject":{"content":""}}`), saying(`{"inject":{"content":"B","strategy":"user_message"}}`)))
		o := p.post()
		require.Len(t, o.Inject, 2)
		require.Equal(t, []string{"A", "tool_result", "B", "user_message"},
			[]string{o.Inject[0].Content, o.Inject[0].Strategy, o.Inject[1].Content, o.Inject[1].Strategy})
	})
	t.Run("M10 a long text is whole", func(t *testing.T) {
		long := strings.Repeat("x", 20_000)
		require.Equal(t, long, massgenProject(t,
			afterTool(saying(`{"inject":{"content":"`+long+`"}}`))).post().Inject[0].Content)
	})
	t.Run("what belongs to the other event is ignored with a warning", func(t *testing.T) {
		o := massgenProject(t, beforeTool(saying(`{"inject":{"content":"A"}}`))).pre()
		require.Empty(t, o.Inject)
		require.Contains(t, o.Warnings[0], `"inject", which means something after the tool only; ignored`)
		o = massgenProject(t, afterTool(saying(`{"updated_input":{"a":1}}`))).post()
		require.Nil(t, o.UpdatedInput)
		require.Contains(t, o.Warnings[0], "new arguments, which mean something before the tool only; ignored")
	})
}

func TestMassGenHandlers(t *testing.T) {
	t.Run("M24 M32 M38 a hook that fails", func(t *testing.T) {
		fails := `echo "why it failed" >&2; echo '{"decision":"deny"}'; exit 1`
		o := massgenProject(t, beforeTool(entry(fails), entry("cat >seen; echo '{}'"))).pre()
		require.Equal(t, "continue", o.Decision, "what it printed does not count")
		require.Equal(t, []string{"failed", "ok"}, o.statuses())
		require.Contains(t, o.Warnings[0], "failed: it exited with 1: why it failed; continuing")
		p := massgenProject(t, beforeTool(entry(fails, "fail_closed: true"), entry("cat >seen; echo '{}'")))
		o = p.pre()
		require.Equal(t, []string{"block", "exit"}, []string{o.Decision, o.Cause})
		require.Contains(t, o.Reason, "failed: it exited with 1: why it failed")
		require.False(t, binary.Exists(p.dir, "seen"))
	})
	t.Run("M32 killed", func(t *testing.T) {
		require.Equal(t, "continue", massgenProject(t, beforeTool(entry("kill -9 $$"))).pre().Decision)
		o := massgenProject(t, beforeTool(entry("kill -9 $$", "fail_closed: true"))).pre()
		require.Equal(t, []string{"block", "signal"}, []string{o.Decision, o.Cause})
	})
	t.Run("M31 M40 timeout", func(t *testing.T) {
		o := massgenProject(t, beforeTool(entry("exec sleep 60", "timeout: 0.2"))).pre()
		require.Equal(t, "continue", o.Decision)
		require.Equal(t, []string{"timeout"}, o.statuses())
		require.Equal(t, []string{"Hook command_exec sleep 60 timed out; continuing"}, o.Warnings)
		o = massgenProject(t, beforeTool(entry("exec sleep 60", "timeout: 0.2", "fail_closed: true"))).pre()
		require.Equal(t, []string{"block", "timeout", "Hook command_exec sleep 60 timed out"},
			[]string{o.Decision, o.Cause, o.Reason})
	})
	t.Run("M40 nothing survives a timeout", func(t *testing.T) {
		p := massgenProject(t, beforeTool(entry("sleep 600 & echo $! >pid; wait", "timeout: 2")))
		require.Equal(t, []string{"timeout"}, p.pre().statuses())
		pid, err := strconv.Atoi(strings.TrimSpace(p.read("pid")))
		require.NoError(t, err)
		require.ErrorIs(t, syscall.Kill(pid, 0), syscall.ESRCH)
	})
	t.Run("M33 fail_closed beside --on-failure", func(t *testing.T) {
		for config, want := range map[string][2]string{ // with --on-failure block, continue
			entry("exit 1"):                       {"block", "continue"},
			entry("exit 1", "fail_closed: false"): {"continue", "continue"},
			entry("exit 1", "fail_closed: true"):  {"block", "block"},
		} {
			p := massgenProject(t, beforeTool(config))
			require.Equal(t, want[0], p.pre("--on-failure", "block").Decision, config)
			require.Equal(t, want[1], p.pre("--on-failure", "continue").Decision, config)
		}
	})
	t.Run("M30 M42 not found", func(t *testing.T) {
		for _, handler := range []string{"{type: command, handler: ./nope.py}",
			"{type: command, handler: ./nope.py, fail_closed: false}",
			"{type: command, handler: ./nope.py, fail_closed: true}"} {
			p := massgenProject(t, beforeTool(handler))
			o := p.pre()
			require.Equal(t, []string{"block", "unstarted"}, []string{o.Decision, o.Cause}, handler)
			require.Contains(t, o.Reason, "Hook import failed: command_./nope.py: ./nope.py: no such file")
			require.Equal(t, "continue", p.pre("--on-failure", "continue").Decision, "as MassGen's external hooks were")
		}
		require.Equal(t, "continue", massgenProject(t,
			afterTool("{type: command, handler: ./nope.py, fail_closed: true}")).post().Decision)
	})
	t.Run("M34 programs", func(t *testing.T) {
		binary.Needs(t, "python3")
		p := massgenProject(t, beforeTool("{type: command, handler: hooks/one.sh}",
			"{type: command, handler: hooks/two.py}"))
		p.file("hooks/two.py",
			"import json, sys\nevent = json.load(sys.stdin)\nprint(json.dumps({'decision': 'deny', 'reason': 'py ' + "+
				"event['tool_name']}))\n")
		// A link: a program that was just written can still be open in a child, and is busy then.
		script, err := filepath.Abs("testdata/rows/one.sh")
		require.NoError(t, err)
		require.NoError(t, os.Symlink(script, filepath.Join(p.dir, "hooks", "one.sh")))
		o := p.pre()
		require.Equal(t, []string{"ok", "blocked"}, o.statuses())
		require.Equal(t, "py Write", o.Reason)
		require.Equal(t, []string{"from one.sh"}, o.Warnings)
	})
	t.Run("M41 stderr", func(t *testing.T) {
		p := massgenProject(t, beforeTool(entry("echo a note >&2; echo '{}'")))
		require.Equal(t, "a note", p.pre().Hooks[0].Stderr)
		require.Contains(t, p.run("pre-tool", "--tool", "Write", "-v").Stderr, "a note")
	})
}

// pythonHooks is the module of the tests below. Its first line is what a hook of MassGen's guide starts with.
const pythonHooks = `from massgen.mcp_tools.hooks import PythonCallableHook, HookEvent, HookResult, GeneralHookManager, HookType
import asyncio, os, subprocess, sys, threading, time

def my_audit_hook(event: HookEvent) -> HookResult:
    print(f"Tool called: {event.tool_name}")
    print(f"Arguments: {event.tool_input}")
    return HookResult.allow()

manager = GeneralHookManager()
hook = PythonCallableHook("audit", my_audit_hook, matcher="*")
manager.register_global_hook(HookType.PRE_TOOL_USE, hook)

def sync(event): return HookResult.deny("%s %s %s %s" % (event.hook_type, event.tool_name, event.tool_input["p"], event.agent_id))
async def coroutine(event):
    await asyncio.sleep(0)
    return HookResult.ask("sure?")
class Object:
    async def __call__(self, event): return {"allowed": False, "reason": "object"}
    def method(self, event): return {"allowed": False, "reason": "method"}
instance = Object()
method = instance.method
def mapping(event): return {"decision": "deny", "reason": "mapping", "other": object()}
def nothing(event): pass
def text(event): return "deny"
def false(event): return False
def stamp(event): return HookResult.deny(event.timestamp.tzname() + " " + str(event.tool_output))
def rewrite(event): return HookResult(updated_input={"p": "q"})
def inject(event): return HookResult(inject={"content": "c " + event.tool_output, "strategy": "user_message"})
def errors(event):
    result = HookResult.allow()
    result.add_error(ValueError("e"))
    return result
def both(event): return HookResult(allowed=False, decision="allow", reason="both")

def prints(event):
    print("printed")
    os.write(1, b"written\n")
    subprocess.run(["echo", "from a child"])
    return HookResult.deny("printed enough")
def raises(event): raise ValueError("broken")
async def raises_later(event): raise ValueError("broken later")
def exits(event): sys.exit(0)
def exits_at_once(event): os._exit(0)
def exits_with_a_text(event): sys.exit("a text")
def generator(event): yield HookResult.deny("x")
async def async_generator(event): yield HookResult.deny("x")
def forgets(event): return [coroutine(event)]
def deep(event):
    return HookResult(updated_input={"x": object()})
def nan(event): return HookResult(updated_input={"x": float("nan")})
def deny_nan(event): return HookResult(allowed=False, reason="nan", metadata={"score": float("nan"), "x": object()})
def deny_exception(event): return HookResult.deny(ValueError("an exception"))
def deny_surrogate(event): return HookResult.deny("caf\udce9;")
def deny_long(event): return HookResult.deny("\U0001f600" * 2_000_000)
def deny_metadata(event): return HookResult(allowed=False, metadata={"reason": "meta"})
def ask_deep(event): return HookResult(decision="ask", reason="sure?", updated_input={"x": object()})
def long(event): return HookResult(updated_input={"x": "y" * 2_000_000})
def surrogate(event): return HookResult(updated_input={"x": "\ud800;"})
def thread(event):
    threading.Thread(target=time.sleep, args=(600,)).start()
    return HookResult.deny("a thread runs")
def daemon(event):
    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
    return HookResult.deny("a daemon runs")
def short_thread(event):
    def work(): open("worked", "w").close()
    t = threading.Thread(target=work)
    threading.Timer(0.05, t.start).start()
def slow(event): time.sleep(600)
async def slow_coroutine(event): await asyncio.sleep(600)
def hangs_in_a_thread(event): threading.Event().wait()
def reads(event): return HookResult.deny("stdin: %r" % sys.stdin.read())
def path(event): return HookResult.deny(repr(sys.path[-1] == os.getcwd() and "" not in sys.path))
unfit = 5
`

func TestMassGenPython(t *testing.T) {
	binary.Needs(t, "python3")
	python := func(t *testing.T, config string) *massgenRows {
		p := massgenProject(t, config)
		p.file("g.py", pythonHooks)
		return p
	}
	const failOpen = "; continuing"
	for i, test := range []struct {
		name, function string
		decision       string
		says           string // in the reason, else in a warning
	}{
		{"M29 a function", "g.sync", "block", "PreToolUse Write v a"},
		{"M29 a coroutine", "g.coroutine", "ask", "sure?"},
		{"M29 an object", "g.instance", "block", "object"},
		{"M29 a method", "g.method", "block", "method"},
		{"M29 M07 a dict", "g.mapping", "block", "mapping"},
		{"M29 nothing", "g.nothing", "continue", ""},
		{"M29 a text", "g.text", "continue", "the function returned str, which is no HookResult; the call goes on"},
		{"M29 false", "g.false", "continue", "the function returned bool, which is no HookResult; the call goes on"},
		{"M29 the hook of the guide", "g.my_audit_hook", "continue", ""},
		{"M02 a time and an output", "g.stamp", "block", "UTC None"},
		{"M06 allowed false", "g.both", "block", "both"},
		{"M25 errors", "g.errors", "continue", "e"},
		{"M19 the reason of metadata", "g.deny_metadata", "block", "meta"},
		{"prints", "g.prints", "block", "printed enough"},
		{"reads", "g.reads", "block", "stdin: ''"},
		{"the path ends with the workspace", "g.path", "block", "True"},
		{"M32 raises", "g.raises", "continue", "Hook python_g.raises failed: it exited with 1: ValueError: broken" +
			failOpen},
		{"M32 raises in a coroutine", "g.raises_later", "continue", "ValueError: broken later" + failOpen},
		{"M32 exits", "g.exits", "continue", "it printed nothing; print {} to allow" + failOpen},
		{"M32 exits at once", "g.exits_at_once", "continue", "it printed nothing; print {} to allow" + failOpen},
		{"M32 exits with a text", "g.exits_with_a_text", "continue", "it exited with 1: a text" + failOpen},
		{"a generator", "g.generator", "continue",
			"the function yields, so nothing of it ran; return a HookResult" + failOpen},
		{"an async generator", "g.async_generator", "continue",
			"the function yields, so nothing of it ran; return a HookResult" + failOpen},
		{"arguments that are no JSON", "g.deep", "continue", "is not JSON serializable" + failOpen},
		{"NaN", "g.nan", "continue", "NaN and Infinity, which Python prints, are no JSON; print null or a text" +
			failOpen},
		{"a long answer", "g.long", "continue", "its answer is too long: 1 MiB of output is kept" + failOpen},
		{"a deny and NaN", "g.deny_nan", "block", "nan"},
		{"a deny with an exception", "g.deny_exception", "block", "an exception"},
		{"a deny with half a character", "g.deny_surrogate", "block", "caf\ufffd;"},
		{"a deny that is long", "g.deny_long", "block", "😀😀"},
		{"a deny and a thread", "g.thread", "block", "a thread runs"},
		{"a deny and a daemon", "g.daemon", "block", "a daemon runs"},
		{"M30 no module", "nope.f", "block", "Hook import failed: No module named 'nope'"},
		{"M30 no function", "g.nope", "block", "Hook import failed: module 'g' has no attribute 'nope'"},
		{"M30 no function but a number", "g.unfit", "block", "Hook import failed: g.unfit is no function"},
		{"M30 a method of a class is no module", "g.Object.method", "block",
			"Hook import failed: No module named 'g.Object'"},
		{"M30 a fault of syntax", "syntax.f", "block", "Hook import failed: "},
		{"M30 a module that raises", "raising.f", "block", "Hook import failed: at import"},
		{"M30 a module that exits", "exiting.f", "block", "Hook import failed: "},
		{"M30 what a module lacks", "lacking.f", "block", "Hook import failed: No module named 'not_installed'"},
		{"M29 a package", "pkg.sub.mod.f", "block", "pkg.sub.mod"},
		{"M29 a relative import", "pkg.sub.rel.f", "block", "pkg.sub.mod"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if i%4 != 0 {
				testall.Only(t, "each row starts Python twice")
			}
			t.Parallel()
			p := python(t, beforeTool("{handler: "+test.function+"}"))
			p.file("syntax.py", "def f(:\n")
			p.file("raising.py", "raise RuntimeError('at import')\n")
			p.file("exiting.py", "import sys\nsys.exit(0)\n")
			p.file("lacking.py", "import not_installed\ndef f(event): pass\n")
			p.file("pkg/sub/mod.py", "def f(event): return {'decision': 'deny', 'reason': __name__}\n")
			p.file("pkg/sub/rel.py", "from .mod import f\n")
			o := p.pre("--args", `{"p":"v"}`, "--agent-id", "a")
			require.Equal(t, test.decision, o.Decision, "%+v", o)
			switch {
			case test.decision != "continue":
				require.Contains(t, o.Reason, test.says)
				require.Empty(t, o.Warnings)
				require.Equal(t, strings.HasPrefix(test.name, "M30"), o.Cause == "unstarted")
			case test.says == "":
				require.Empty(t, o.Warnings)
			default:
				require.Len(t, o.Warnings, 1)
				require.Contains(t, o.Warnings[0], test.says)
			}
			if !strings.HasSuffix(test.says, failOpen) {
				return
			}
			p.file("hooks.yaml", beforeTool("{handler: "+test.function+", fail_closed: true}"))
			o = p.pre("--args", `{"p":"v"}`)
			require.Equal(t, "block", o.Decision, "fail_closed")
			require.Contains(t, o.Reason, strings.TrimSuffix(test.says, failOpen))
		})
	}
	t.Run("M31 timeout", func(t *testing.T) {
		for _, function := range testall.Part(3, []string{"slow", "slow_coroutine", "hangs_in_a_thread"}) {
			o := python(t, beforeTool("{handler: g."+function+", timeout: 0.5}")).pre()
			require.Equal(t, []string{"timeout"}, o.statuses())
			require.Equal(t, []string{"Hook python_g." + function + " timed out; continuing"}, o.Warnings)
			o = python(t, beforeTool("{handler: g."+function+", timeout: 0.5, fail_closed: true}")).pre()
			require.Equal(t, "Hook python_g."+function+" timed out", o.Reason)
		}
	})
	t.Run("a deny in words that MassGen does not know", func(t *testing.T) {
		denies := map[string]string{
			`{"desicion": "deny"}`: `"desicion"`, `{"Allowed": False}`: `"Allowed": false`,
			`{"permission": "deny"}`: `"permission": "deny"`,
			`{"block": True}`:        `"block": true`, `{"decision ": "deny"}`: `"decision "`,
			`{"permissionDecision": "deny"}`:                                        `"permissionDecision"`,
			`{"hookSpecificOutput": {"permissionDecision": "deny", "x": object()}}`: `"hookSpecificOutput"`,
			`{"allowed": "false"}`:                                                  "allowed must be true or false",
			`{"allowed": object()}`:                                                 "allowed must be true or false",
			`{"action": "deny", "big": "x" * 3_000_000, 5: {6: float("nan")}}`:      `"action": "deny"`,
			`HookResult(allowed="false")`:                                           "allowed must be true or false",
			`False`:                                                                 "returned bool",
		}
		for _, answer := range testall.PartOf(4, denies) {
			says := denies[answer]
			module := "from massgen.mcp_tools.hooks import HookResult\ndef f(event): return " + answer + "\n"
			p := massgenProject(t, beforeTool("{handler: m.f}"))
			p.file("m.py", module)
			o := p.pre()
			require.Equal(t, "continue", o.Decision, "%s %+v", answer, o)
			require.Len(t, o.Warnings, 1, answer)
			require.Contains(t, o.Warnings[0], says, answer)
			p.file("hooks.yaml", beforeTool("{handler: m.f, fail_closed: true}"))
			o = p.pre()
			require.Equal(t, []string{"block", "output"}, []string{o.Decision, o.Cause}, answer)
			require.Contains(t, o.Reason, says, answer)
		}
	})
	t.Run("new arguments and texts", func(t *testing.T) {
		p := python(t, globally("PreToolUse: [handler: g.rewrite]", "PostToolUse: [handler: g.inject]"))
		require.JSONEq(t, `{"p":"q"}`, string(p.pre("--args", `{"p":"v"}`).UpdatedInput))
		o := p.post()
		require.Len(t, o.Inject, 1)
		require.Equal(t, []string{"c out", "user_message"}, []string{o.Inject[0].Content, o.Inject[0].Strategy})
	})
	t.Run("a question and arguments that are no JSON", func(t *testing.T) {
		o := python(t, beforeTool("{handler: g.ask_deep}")).pre()
		require.Equal(t, []string{"ask", "sure?"}, []string{o.Decision, o.Reason})
		require.Contains(t, o.Warnings[0], "is lost: Object of type object is not JSON serializable")
	})
	t.Run("half a character in new arguments", func(t *testing.T) {
		require.JSONEq(t, `{"x":"\ufffd;"}`, string(python(t, beforeTool("{handler: g.surrogate}")).pre().UpdatedInput))
	})
	t.Run("what a function prints is on stderr", func(t *testing.T) {
		o := python(t, beforeTool("{handler: g.prints}")).pre()
		for _, line := range []string{"printed\n", "written\n", "from a child"} {
			require.Contains(t, o.Hooks[0].Stderr, line)
		}
	})
	t.Run("a thread that is left behind has time to end its work", func(t *testing.T) {
		p := python(t, beforeTool("{handler: g.short_thread}"))
		require.Equal(t, "continue", p.pre().Decision)
		require.True(t, binary.Exists(p.dir, "worked"))
	})
	t.Run("modules of the workspace do not take the place of Python's own", func(t *testing.T) {
		p := python(t, beforeTool("{handler: g.both}"))
		for _, name := range []string{"json", "asyncio", "dataclasses", "enum", "types", "threading", "importlib",
			"sitecustomize", "encodings"} {
			p.file(name+".py", "import os\nos._exit(0)\n")
		}
		require.Equal(t, "both", p.pre().Reason)
	})
	t.Run("PYTHONPATH", func(t *testing.T) {
		p := massgenProject(t, beforeTool("{handler: elsewhere.f}"))
		p.file("lib/elsewhere.py", "def f(event): return {'decision': 'deny', 'reason': 'found'}\n")
		require.Equal(t, "unstarted", p.pre().Cause)
		p.env = append(p.env, "PYTHONPATH="+filepath.Join(p.dir, "lib"))
		require.Equal(t, "found", p.pre().Reason)
	})
	t.Run("no python3", func(t *testing.T) {
		p := python(t, beforeTool("{handler: g.nothing}"))
		p.env = append(p.env, "PATH="+filepath.Join(p.dir, "empty"))
		o := p.pre()
		require.Equal(t, []string{"block", "unstarted"}, []string{o.Decision, o.Cause})
		require.Contains(t, o.Reason, "python3")
	})
	t.Run("MassGen is installed", func(t *testing.T) {
		p := massgenProject(t, beforeTool("{handler: g.f}"))
		p.file("massgen/__init__.py", "")
		p.file("massgen/mcp_tools/__init__.py", "")
		p.file("massgen/mcp_tools/hooks.py",
			"class HookEvent:\n    def __init__(self, **fields): self.fields = fields\nclass HookResult:\n    "+
				"allowed, decision, reason = False, 'deny', 'its own types'\n")
		p.file("g.py",
			"from massgen.mcp_tools.hooks import HookEvent, HookResult\ndef f(event):\n    assert isinstance(event, "+
				"HookEvent), event\n    return HookResult()\n")
		require.Equal(t, "its own types", p.pre().Reason)
	})
	t.Run("a folder massgen that has hooks and not MassGen", func(t *testing.T) {
		for _, init := range []bool{false, true} {
			p := massgenProject(t, beforeTool("{handler: massgen.hooks.f}"))
			if init {
				p.file("massgen/__init__.py", "")
			}
			p.file("massgen/hooks.py",
				"from massgen.mcp_tools.hooks import HookResult\nimport massgen.mcp_tools.hooks as h\ndef f(event): "+
					"return h.HookResult.deny('found')\n")
			require.Equal(t, "found", p.pre().Reason)
		}
	})
	t.Run("payloads that are large", func(t *testing.T) {
		p := python(t, beforeTool("{handler: g.size}"))
		p.file("g.py", "def size(event): return {'decision': 'deny', 'reason': str(len(event.tool_input['p']))}\n")
		p.file("args.json", `{"p":"`+strings.Repeat("é", 2<<20)+`"}`)
		require.Equal(t, strconv.Itoa(2<<20), p.pre("--args", "@args.json").Reason)
	})
}

func TestMassGenConfigs(t *testing.T) {
	example := func(t *testing.T, name string) *massgenRows {
		text, err := os.ReadFile(filepath.Join("testdata", "rows", name))
		require.NoError(t, err)
		return massgenProject(t, string(text))
	}
	explained := func(p *massgenRows, event, tool, agent string) (runs []string) {
		args := []string{"explain", event, "--tool", tool, "-o", "json"}
		if agent != "" {
			args = append(args, "--agent-id", agent)
		}
		done := p.run(args...)
		require.Equal(p, 0, done.Code, done.Stderr)
		var e struct {
			Hooks []struct {
				Name, Dialect string
				WouldRun      bool `json:"would_run"`
			}
		}
		require.NoError(p, json.Unmarshal([]byte(done.Stdout), &e))
		for _, h := range e.Hooks {
			require.Equal(p, "massgen", h.Dialect)
			if h.WouldRun {
				runs = append(runs, h.Name)
			}
		}
		return runs
	}
	t.Run("M43 M44 M45 the guide's scopes", func(t *testing.T) {
		p := example(t, "guide_scopes.yaml")
		require.Equal(t, []string{"python_massgen.hooks.audit_all_tools"}, explained(p, "pre-tool", "Write", ""))
		require.Equal(t, []string{"python_massgen.hooks.audit_all_tools", "python_massgen.hooks.validate_writes"},
			explained(p, "pre-tool", "Write", "agent1"))
		require.Equal(t, []string{"python_massgen.hooks.audit_all_tools"}, explained(p, "pre-tool", "Read", "agent1"))
		require.Equal(t, []string{"python_massgen.hooks.log_outputs"}, explained(p, "post-tool", "Write", "agent1"))
		require.Empty(t, explained(p, "post-tool", "Write", "agent2"))
		done := p.check()
		require.Equal(t, 0, done.Code, done.Stderr)
		p.file("massgen/hooks.py",
			"from massgen.mcp_tools.hooks import HookResult\ndef audit_all_tools(event): open('audit', "+
				"'a').write(event.tool_name)\ndef validate_writes(event): return HookResult.deny('not there')\n")
		binary.Needs(t, "python3")
		require.Equal(t, "not there", p.pre("--agent-id", "agent1").Reason)
		require.Equal(t, "continue", p.pre().Decision)
		require.Equal(t, "WriteWrite", p.read("audit"))
	})
	t.Run("M33 the guide's fail_closed", func(t *testing.T) {
		binary.Needs(t, "python3")
		p := example(t, "guide_fail_closed.yaml")
		p.file("massgen/hooks.py", "def security_check(event): raise OSError('no database')\n")
		require.Contains(t, p.pre().Reason, "OSError: no database")
		require.Empty(t, p.asked("pre-tool", "--tool", "Read").Hooks)
	})
	t.Run("M47 the list of the document on injection", func(t *testing.T) {
		binary.Needs(t, "python3")
		p := example(t, "injection.yaml")
		p.file("my_module.py",
			"async def my_hook_function(event): return {'inject': {'content': event.tool_output + '!'}}\n")
		require.Equal(t, "out!", p.post().Inject[0].Content)
		require.Empty(t, p.pre().Hooks)
		require.Empty(t, p.asked("post-tool", "--tool", "Read").Hooks)
	})
	t.Run("M34 M43 the design", func(t *testing.T) {
		binary.Needs(t, "python3")
		p := example(t, "design.yaml")
		require.Equal(t, []string{"python_massgen.hooks.audit_all_tools", "command_custom_write_hook.py"},
			explained(p, "pre-tool", "Write", "agent1"))
		require.Equal(t, []string{"command_agent1_logging.py"}, explained(p, "post-tool", "Write", "agent1"))
		done := p.check()
		require.Equal(t, 1, done.Code)
		require.Contains(t, done.Stderr,
			"hooks.yaml:15:22: hook \"command_custom_write_hook.py\": custom_write_hook.py: ")
		p.file("massgen/hooks.py", "def audit_all_tools(event): pass\n")
		p.file("custom_write_hook.py", "print('{\"decision\":\"deny\",\"reason\":\"custom\"}')\n")
		require.Equal(t, "custom", p.pre("--agent-id", "agent1").Reason)
	})
	t.Run("configs without hooks", func(t *testing.T) {
		for _, name := range []string{"guide_debug_delay.yaml", "guide_debug_config.yaml"} {
			o := example(t, name).pre("--agent-id", "agent_a")
			require.Empty(t, o.Hooks)
			require.Empty(t, o.Warnings)
		}
	})
	t.Run("a whole config", func(t *testing.T) {
		p := example(t, "whole.yaml")
		done := p.check()
		require.Contains(t, done.Stderr, `hooks.yaml:4:12: hook "command_guard.sh": guard.sh: `)
		require.NotContains(t, done.Stderr, "unknown")
		require.Equal(t, []string{"command_guard.sh", "python_checks.paths"},
			explained(p, "pre-tool", "mcp__filesystem__write_file", "writer"))
		require.Equal(t, []string{"python_checks.reviewer"},
			explained(p, "pre-tool", "mcp__filesystem__write_file", "reviewer"))
	})
	t.Run("M46 a stray override", func(t *testing.T) {
		o := massgenProject(t, "hooks: {override: true, PreToolUse: ["+saying("{}")+"]}\n").pre()
		require.Equal(t, []string{"ok"}, o.statuses())
		require.Empty(t, o.Warnings)
	})
	t.Run("M48 names", func(t *testing.T) {
		o := massgenProject(t, beforeTool("{handler: nope.f}", "{type: command, handler: nope}")).asked("pre-tool",
			"--tool", "Write", "--on-failure", "continue")
		require.Equal(t, []string{"python_nope.f", "command_nope"}, []string{o.Hooks[0].Name, o.Hooks[1].Name})
	})
	t.Run("M49 a hook without a handler runs nothing", func(t *testing.T) {
		p := massgenProject(t, "hooks:\n  PreToolUse:\n  - "+entry("touch ran")+"\n  - matcher: Write\n")
		for _, done := range []binary.Result{p.run("pre-tool", "--tool", "Write"), p.check()} {
			require.Equal(t, 1, done.Code)
			require.Contains(t, done.Stderr,
				`hooks.yaml:4:5: hooks.PreToolUse[1] has no "handler", so it would run nothing`)
		}
		require.False(t, binary.Exists(p.dir, "ran"))
	})
	t.Run("M50 an unknown event", func(t *testing.T) {
		o := massgenProject(t, "hooks:\n  PreTolUse: []\n").pre()
		require.Len(t, o.Warnings, 1)
		require.Contains(t, o.Warnings[0],
			`:2:3: hooks.PreTolUse is no event that is known, so its hooks never run; did you mean "PreToolUse"?`)
	})
	t.Run("M51 faults", func(t *testing.T) {
		p := massgenProject(t, "hooks:\n  PreToolUse:\n  - handler: m.f\n    timeout: 30s\n    fail_closed: yes\n")
		done := p.check("-o", "json")
		require.Equal(t, 1, done.Code)
		var checked struct {
			OK    bool
			Files []struct {
				Errors []struct {
					Line, Column int
					Message      string
				}
			}
		}
		require.NoError(t, json.Unmarshal([]byte(done.Stdout), &checked))
		require.False(t, checked.OK)
		require.Len(t, checked.Files, 1)
		require.Len(t, checked.Files[0].Errors, 2)
		require.Equal(t, `hooks.PreToolUse[0].timeout must be a number of seconds, not "30s"`,
			checked.Files[0].Errors[0].Message)
		require.Equal(t, []int{4, 14}, []int{checked.Files[0].Errors[0].Line, checked.Files[0].Errors[0].Column})
		require.Equal(t, `hooks.PreToolUse[0].fail_closed must be true or false, not "yes"`,
			checked.Files[0].Errors[1].Message)
	})
}

func TestMassGenFlow(t *testing.T) {
	config := globally(
		yamlEvent("PreToolUse",
			entry(`case "$(cat)" in *secret*) echo '{"decision":"deny","reason":"no secrets"}';; *rename*) echo `+
				`'{"updated_input":{"p":"renamed"}}';; *) echo '{}';; esac`)),
		yamlEvent("PostToolUse", entry(`echo post >>log; echo '{"inject":{"content":"after"}}'`)))
	t.Run("M64 around a tool", func(t *testing.T) {
		for _, test := range []struct {
			name, args, got, result string
			fails, ran, isError     bool
			post                    bool
		}{
			{name: "a tool that succeeds", args: `{"p":"x"}`, got: `{"p":"x"}`, result: "done\n\nafter", ran: true,
				post: true},
			{name: "new arguments", args: `{"p":"rename"}`, got: `{"p":"renamed"}`, result: "done\n\nafter", ran: true,
				post: true},
			{name: "a tool that fails", args: `{"p":"x"}`, got: `{"p":"x"}`, result: "it failed", ran: true,
				fails: true, isError: true},
			{name: "a call that is denied", args: `{"p":"secret"}`, result: "no secrets"},
		} {
			t.Run(test.name, func(t *testing.T) {
				p := massgenProject(t, config)
				cfg, err := projecthooks.LoadFile(filepath.Join(p.dir, "hooks.yaml"))
				require.NoError(t, err)
				r := runner.New(cfg, runner.Options{})
				defer r.Close()
				got := ""
				record, err := r.AroundTool(context.Background(),
					protocol.Call{Workspace: p.dir, Tool: "Write", Args: test.args},
					func(_ context.Context, args string) (string, error) {
						if got = args; test.fails {
							return "", errors.New("it failed")
						}
						return "done", nil
					})
				require.NoError(t, err)
				require.Equal(t, test.got, got)
				require.Equal(t, test.result, record.Result)
				require.Equal(t, test.ran, record.Ran)
				require.Equal(t, test.isError, record.IsError)
				require.Equal(t, test.post, binary.Exists(p.dir, "log"),
					"post hooks are for tools that ran and did not fail")
			})
		}
	})
	t.Run("M64 the commands", func(t *testing.T) {
		p := massgenProject(t, config)
		done := p.run("pre-tool", "--tool", "Write", "--args", `{"p":"secret"}`)
		require.Equal(t, binary.Result{Code: 2, Stderr: "no secrets\n"}, done)
		require.Empty(t, p.asked("post-tool", "--tool", "Write", "--result", "bad", "--failed").Hooks)
		require.False(t, binary.Exists(p.dir, "log"))
		require.Equal(t, "after", p.post().Inject[0].Content)
		done = p.run("pre-tool", "--tool", "Write", "--args", `{"p":"rename"}`)
		require.Equal(t, 2, done.Code, "text output cannot carry new arguments")
		require.Contains(t, done.Stderr, "changed the tool's input, and text output cannot carry that")
	})
}
