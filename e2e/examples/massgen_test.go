//go:build unix

package examples

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
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
	t.Parallel()
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
					`" is none of the hooks files' (a, b, c), so only hooks for all agents run`}, o.Warnings)
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
	t.Parallel()
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
		script, err := filepath.Abs("testdata/massgen/rows/one.sh")
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
