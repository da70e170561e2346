//go:build unix

package examples

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

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
def long(event): return HookResult(updated_input={"x": "y" * 17_000_000})
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
	testall.Only(t, "each row starts Python many times")
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
		{"a long answer", "g.long", "continue", "its answer is too long: 16 MiB of output is kept" + failOpen},
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
			if i%12 != 0 {
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
