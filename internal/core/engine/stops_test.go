//go:build unix

package engine_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/trust"
	"github.com/hookrun/hookrun/protocol"
)

// stopping is a project whose hook sends the agent back to work twice in a row at most.
func stopping(t *testing.T, o engine.Options, reason string) (fire func(event, session string) engine.Fired,
	write func(reason string)) {
	dir := t.TempDir()
	write = func(reason string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, hookfile.FileName), []byte(`{"max_stop_blocks": 2,
			"hooks": [{"name": "tests", "command": "echo `+reason+` >&2; exit 2", "events": ["Stop"],
			"dialect": "claude"}]}`), 0o600))
	}
	write(reason)
	cfg, err := hookfile.Load(hookfile.Options{Parts: parts.All(), Workspace: dir})
	require.NoError(t, err)
	o.StateDir = filepath.Join(t.TempDir(), "state")
	r, err := engine.New(cfg, o)
	require.NoError(t, err)
	t.Cleanup(func() { r.Close() })
	fire = func(event, session string) engine.Fired { // fields may stand behind the event
		t.Helper()
		event, more, _ := strings.Cut(event, ",")
		call, _, err := clients.All().ParseInput(`{"hook_event_name":"` + event + `","session_id":"` + session +
			`","tool_name":"Bash","tool_input":{},` + cmp.Or(more, `"prompt":"p"`) + `}`)
		require.NoError(t, err)
		call.Workspace = dir
		outcome, err := r.Fire(t.Context(), call)
		require.NoError(t, err)
		return outcome
	}
	return fire, write
}

// A Runner that stays up counts as well as one for a single call does.
func TestTurnsEnd(t *testing.T) {
	for name, o := range map[string]engine.Options{"stays up": {}, "one shot": {OneShot: true}} {
		t.Run(name, func(t *testing.T) {
			fire, _ := stopping(t, o, "fail")
			for range 2 {
				for range 2 {
					require.Equal(t, protocol.Block, fire("Stop", "s").Decision)
				}
				ends := fire("Stop", "s")
				require.Equal(t, protocol.Continue, ends.Decision)
				require.Empty(t, ends.Reason+string(ends.Cause)+ends.Hook)
				require.Contains(t, ends.SystemMessages[0], "2 times in a row (max_stop_blocks), so the turn ends")
			}
			require.Equal(t, protocol.Block, fire("Stop", "s").Decision)
			require.Equal(t, protocol.Block, fire("Stop", "another").Decision)
			require.Equal(t, protocol.Block, fire("Stop", "s").Decision)
			fire("UserPromptSubmit", "s")
			require.Equal(t, protocol.Block, fire("Stop", "s").Decision)
		})
	}
}

// Some clients send the reason of a block as the next prompt: then the row goes on.
func TestPromptsBetweenBlocks(t *testing.T) {
	const two = "2 tests fail"
	long := strings.Repeat("this fails; ", 50)
	for name, row := range map[string]struct {
		reason string
		steps  string // prompts, and ends of the turn; "again": the client says that a block began the turn
		want   string // of the ends: b for block, c for continue
	}{
		"the reason, as in Gemini CLI":    {two, "go|end|2 tests fail|again|2 tests fail|again", "bbc"},
		"and a tool ran":                  {two, "go|end|2 tests fail|end|2 tests fail|end|2 tests fail|end", "bbcb"},
		"between the reasons of others":   {two, `go|end|lint: x\n2 tests fail\n|end|2 tests fail \n\ny|end`, "bbc"},
		"the beginning of a long one":     {long, "go|end|" + long[:110] + "…|end|" + long + "|end", "bbc"},
		"the empty prompts of Qwen Code":  {two, "go|end|2 tests fail||again|2 tests fail||again", "bbc"},
		"words in the middle of the turn": {two, "go|end|look there|again|look here|again", "bbc"},
		"a new prompt after a broken turn": {two,
			"go|end|2 tests fail|leave it|end|2 tests fail|end|2 tests fail|end", "bbbc"},
		"a new prompt, and then the reason": {two, "go|end|leave it|2 tests fail|end|2 tests fail|end|2 tests fail|end",
			"bbbc"},
		"a part of the reason": {two, "go|end|2 tests|end|tests fail|end|why do 2 tests fail|end|2 tests fail?|end",
			"bbbbb"},
		"a reason of that end": {"mend the prompt", "go|end|mend the prompt|end|mend the prompt|end", "bbc"},
		"no reason":            {" ", "go|end|go|end| |end| |end", "bbbc"},
	} {
		for mode, o := range map[string]engine.Options{"stays up": {}, "one shot": {OneShot: true}} {
			t.Run(name+", "+mode, func(t *testing.T) {
				fire, _ := stopping(t, o, "'"+row.reason+"'")
				got := ""
				for step := range strings.SplitSeq(row.steps, "|") {
					if step != "end" && step != "again" {
						fire(`UserPromptSubmit,"prompt":"`+step+`"`, "s")
						continue
					}
					end := fire(fmt.Sprintf(`Stop,"stop_hook_active":%t`, step == "again"), "s")
					got += end.Decision.String()[:1]
				}
				require.Equal(t, row.want, got)
			})
		}
	}
}

// The agent can do nothing about trust, so at the end of a turn it is a message.
func TestTrustAtTheEndOfATurn(t *testing.T) {
	fire, write := stopping(t, engine.Options{Pin: true, CheckTrust: trust.Check}, "fail")
	require.Equal(t, protocol.Block, fire("Stop", "s").Decision)
	write("others")
	changed := fire("Stop", "s")
	require.Equal(t, protocol.Continue, changed.Decision)
	require.Contains(t, changed.SystemMessages[0], hookfile.FileName+" was changed, so every tool call is blocked; ")
	require.Equal(t, protocol.CauseChanged, fire("PreToolUse", "s").Cause)
}

func TestBlockUntilAllowed(t *testing.T) {
	fire, _ := stopping(t, engine.Options{RequireTrust: true, BlockUntilAllowed: true, CheckTrust: trust.Check}, "fail")
	for _, event := range []string{"PreToolUse", "PostToolUse"} {
		o := fire(event, "s")
		require.Equal(t, protocol.Block, o.Decision, event)
		require.Equal(t, protocol.CauseUntrusted, o.Cause)
		require.Contains(t, o.Reason, "hookrun allow ")
	}
	o := fire("UserPromptSubmit", "s")
	require.Equal(t, protocol.Continue, o.Decision)
	require.Contains(t, o.SystemMessages[0], "every tool call is blocked until a person has allowed")
	o = fire("Stop", "s")
	require.Equal(t, protocol.Continue, o.Decision)
	require.Contains(t, o.SystemMessages[0], "nobody has allowed them")
	require.Empty(t, fire("Notification", "s").SystemMessages)
}
