//go:build linux

package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/claude"
	"github.com/hookrun/hookrun/internal/clients/gemini"
	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
	model "github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/core/tenex"
	"github.com/hookrun/hookrun/protocol"
)

// geminiHooks are hooks of Gemini CLI's dialect at all its events.
func geminiHooks(scripts ...string) *hookfile.Config {
	cfg := parts.All().Empty()
	for i, script := range scripts {
		cfg.Hooks = append(cfg.Hooks, model.Hook{
			Name: fmt.Sprintf("h%d", i+1), Events: gemini.Dialect.Events.Names(),
			Handler: &model.Process{Command: model.Command{Shell: script}},
			Dialect: gemini.Dialect, File: "settings.json", Line: i + 1,
		})
	}
	return cfg
}

// geminiCall is a call as the client makes it.
func (b *bench) geminiCall(event, more string) dialect.Call {
	c, _, err := clients.All().ParseInput(`{"session_id":"s","hook_event_name":"` + event + `"` + more + `}`)
	require.NoError(b, err)
	c.Workspace = b.Dir
	return c
}

const shellCall = `,"tool_name":"run_shell_command","tool_input":{"command":"a","description":"d"}`

// meets is a script that ends when n hooks run at the same time, and fails if they never do.
func meets(i, n int) string {
	var all []string
	for j := range n {
		all = append(all, fmt.Sprintf("[ -e at%d ]", j+1))
	}
	return fmt.Sprintf("touch at%d; for i in $(seq 300); do if %s; then exit 0; fi; sleep 0.05; done; echo alone; "+
		"exit 2", i, strings.Join(all, " && "))
}

// specifically is an answer whose fields stand in hookSpecificOutput.
func specifically(fields string) string { return `{"hookSpecificOutput":{` + fields + `}}` }

func TestGeminiHooksRunAtOnce(t *testing.T) {
	b := newBench(t)
	o, err := b.with(engine.Options{}, geminiHooks(meets(1, 3), meets(2, 3), meets(3, 3))).Fire(context.Background(),
		b.geminiCall("BeforeTool", shellCall))
	require.NoError(t, err)
	require.Equal(t, protocol.Continue, o.Decision, o.Reason)
}

// inTurn is a script that fails if another one of its kind runs, and adds a letter to a list.
func inTurn(letter string) string {
	return "mkdir busy || exit 2; sleep 0.05; printf " + letter + " >>order; rmdir busy"
}

func TestGeminiHooksInTurn(t *testing.T) {
	t.Parallel()
	t.Run("one that wants it is enough, and goes for those behind it too", func(t *testing.T) {
		for wants := range 3 {
			b := newBench(t)
			cfg := geminiHooks(inTurn("a"), inTurn("b"), inTurn("c"))
			cfg.Hooks[wants].Sequential = true
			o, err := b.with(engine.Options{}, cfg).Fire(context.Background(), b.geminiCall("BeforeTool", shellCall))
			require.NoError(t, err)
			require.Equal(t, protocol.Continue, o.Decision, o.Reason)
			require.Equal(t, "abc", b.Read("order"))
		}
	})
	t.Run("one that the call does not select is none", func(t *testing.T) {
		b := newBench(t)
		cfg := geminiHooks(meets(1, 2), meets(2, 2), "true")
		cfg.Hooks[2].Sequential, cfg.Hooks[2].Events = true, []protocol.Event{"AfterTool"}
		o, err := b.with(engine.Options{}, cfg).Fire(context.Background(), b.geminiCall("BeforeTool", shellCall))
		require.NoError(t, err)
		require.Equal(t, protocol.Continue, o.Decision, o.Reason)
	})
	t.Run("hooks of another dialect still run at once", func(t *testing.T) {
		b := newBench(t)
		cfg := geminiHooks("true", meets(1, 2), meets(2, 2))
		cfg.Hooks[0].Sequential = true
		for i := range cfg.Hooks[1:] {
			h := &cfg.Hooks[i+1]
			h.Dialect, h.Events = claude.Dialect, []protocol.Event{"PreToolUse"}
		}
		o, err := b.with(engine.Options{}, cfg).Fire(context.Background(), b.geminiCall("BeforeTool", shellCall))
		require.NoError(t, err)
		require.Equal(t, protocol.Continue, o.Decision, o.Reason)
	})
	t.Run("a deny or a stop keeps none from running", func(t *testing.T) {
		b := newBench(t)
		cfg := geminiHooks(says(`{"decision":"deny","reason":"R1"}`), says(`{"continue":false,"stopReason":"S"}`),
			"touch ran")
		cfg.Hooks[0].Sequential = true
		o, err := b.with(engine.Options{}, cfg).Fire(context.Background(), b.geminiCall("BeforeTool", shellCall))
		require.NoError(t, err)
		require.Equal(t, []string{dialect.StatusBlocked, dialect.StatusBlocked, dialect.StatusOK},
			statuses(o))
		require.Equal(t, "R1", o.Reason)
		require.True(t, o.Stop)
		require.Empty(t, b.Read("ran"))
	})
	t.Run("the next one sees a rewrite merged, the tool gets it alone", func(t *testing.T) {
		b := newBench(t)
		cfg := geminiHooks(says(specifically(`"tool_input":{"command":"b"}`)),
			"cat >two; "+says(specifically(`"tool_input":{"n":1}`)), "cat >three")
		cfg.Hooks[0].Sequential = true
		o, err := b.with(engine.Options{}, cfg).Fire(context.Background(), b.geminiCall("BeforeTool", shellCall))
		require.NoError(t, err)
		require.Contains(t, b.Read("two"), `"tool_input":{"command":"b","description":"d"}}`)
		require.Contains(t, b.Read("three"), `"tool_input":{"command":"b","description":"d","n":1}}`)
		require.JSONEq(t, `{"n":1}`, string(o.UpdatedInput))
	})
	t.Run("a hook of another dialect sees what the tool would get", func(t *testing.T) {
		b := newBench(t)
		cfg := geminiHooks(says(specifically(`"tool_input":{"command":"b"}`)), "cat >two", "cat >tenex", "cat >four")
		cfg.Hooks[0].Sequential = true
		cfg.Hooks[2].Dialect, cfg.Hooks[2].Events = tenex.Dialect, []protocol.Event{protocol.PreTool}
		_, err := b.with(engine.Options{}, cfg).Fire(context.Background(), b.geminiCall("BeforeTool", shellCall))
		require.NoError(t, err)
		require.Contains(t, b.Read("two"), `"tool_input":{"command":"b","description":"d"}}`)
		require.Contains(t, b.Read("tenex"), `"args":{"command":"b"}`)
		require.Contains(t, b.Read("four"), `"tool_input":{"command":"b"}}`, "what stands behind it sees what it saw")
	})
	t.Run("the next one sees context in the prompt", func(t *testing.T) {
		b := newBench(t)
		cfg := geminiHooks(says(specifically(`"additionalContext":"C1"`)),
			"cat >two; "+says(specifically(`"additionalContext":"C2"`)))
		cfg.Hooks[1].Sequential = true
		o, err := b.with(engine.Options{}, cfg).Fire(context.Background(),
			b.geminiCall("BeforeAgent", `,"prompt":"go"`))
		require.NoError(t, err)
		require.Contains(t, b.Read("two"), `"prompt":"go\n\nC1"`)
		require.Equal(t, []string{"C1", "C2"}, dialect.TextsOf(o.Outcome))
	})
	t.Run("at once nobody sees what another one said", func(t *testing.T) {
		b := newBench(t)
		cfg := geminiHooks(says(specifically(`"tool_input":{"command":"b"}`)), "cat >two")
		o, err := b.with(engine.Options{}, cfg).Fire(context.Background(), b.geminiCall("BeforeTool", shellCall))
		require.NoError(t, err)
		require.Contains(t, b.Read("two"), `"tool_input":{"command":"a","description":"d"}}`)
		require.JSONEq(t, `{"command":"b"}`, string(o.UpdatedInput))
	})
}

func TestGeminiEqualHooks(t *testing.T) {
	b := newBench(t)
	cfg := geminiHooks("printf x >>ran; printf $WHO >who", "printf x >>ran; printf $WHO >who")
	for i := range cfg.Hooks {
		cfg.Hooks[i].DedupKey, cfg.Hooks[i].Env = "same", []string{fmt.Sprintf("WHO=%d", i+1)}
	}
	o, err := b.with(engine.Options{}, cfg).Fire(context.Background(), b.geminiCall("BeforeTool", shellCall))
	require.NoError(t, err)
	require.Equal(t, []string{"h1"}, names(o))
	require.Equal(t, "x", b.Read("ran"))
	require.Equal(t, "1", b.Read("who"), "the first, with its own settings")
}

func TestGeminiEnvironment(t *testing.T) {
	b := newBench(t)
	t.Setenv("GEMINI_PROJECT_DIR", "/stale")
	cfg := geminiHooks(`printf '%s\n' ` +
		`"$GEMINI_PROJECT_DIR|$GEMINI_CWD|$CLAUDE_PROJECT_DIR|$GEMINI_SESSION_ID|$FOO|$HOOKRUN_EVENT" >note; pwd ` +
		`>>note`)
	cfg.Hooks[0].Env = []string{"FOO=bar", "GEMINI_CWD=mine"}
	c := b.geminiCall("BeforeTool", shellCall)
	c.Dir = "/" // the client's hooks stay where it was started
	_, err := b.with(engine.Options{}, cfg).Fire(context.Background(), c)
	require.NoError(t, err)
	require.Equal(t, b.Dir+"|mine|"+b.Dir+"|s|bar|pre-tool\n"+b.Dir+"\n", b.Read("note"))
}

// A hook that keeps a client's rules in the project's file sees what an earlier one rewrote, in its client's input, and
// later hooks see its own rewrite.
func TestRewritesAcrossRules(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const file = `{"hooks":[
		{"name":"first","command":
			"echo '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"updatedInput\":{\"command\":\"one\"}}}'","events":["pre-tool"]},
		{"name":"kept","dialect":"claude","events":["PreToolUse"],"matcher":"^Bash$","command":
			"sed 's/.*\"tool_input\":{\"command\":\"one\"}.*/{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"allow\",\"updatedInput\":{\"command\":\"two\"}}}/'"},
		{"name":"silent","dialect":"claude","events":["PreToolUse"],"command":"echo '{\"metrics\":1}'"},
		{"name":"last","command":"grep -o '\"args\":{\"command\":\"two\"}'","events":["pre-tool"]}]}`
	cfg, err := parts.All().Parse("f", []byte(file))
	require.NoError(t, err)
	o, err := b.with(engine.Options{}, cfg).Fire(context.Background(), dialect.Call{Event: protocol.PreTool,
		Tool: "shell", Workspace: b.Dir, Args: `{"command":"none"}`})
	require.NoError(t, err)
	b.Childless()
	require.Equal(t, protocol.Continue, o.Decision, o.Reason)
	require.JSONEq(t, `{"command":"two"}`, string(o.UpdatedInput))
	require.Equal(t, []string{`"args":{"command":"two"}`}, texts(o))
}
