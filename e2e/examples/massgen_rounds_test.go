//go:build unix

package examples

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

const roundTimeouts = `hooks:
  PreToolUse:
    - {handler: ./round_timeout_pre.py, type: command, timeout: 20}
  PostToolUse:
    - {handler: ./round_timeout_post.py, type: command, timeout: 20}
`

// limited is a state in which agent1's round began some time ago.
func limited(since time.Duration, settings, mine binary.Object) binary.Object {
	me := binary.Object{"round": 0, "round_start_time": ago(since)}
	for key, value := range mine {
		me[key] = value
	}
	return binary.Object{"timeout_settings": settings, "agents": binary.Object{"agent1": me}}
}

func TestMassGenRoundTimeouts(t *testing.T) {
	testall.Only(t, "each row waits for timeouts")
	soft := func(initial, subsequent any) binary.Object {
		return binary.Object{"initial_round_timeout_seconds": initial, "subsequent_round_timeout_seconds": subsequent}
	}
	t.Run("M95 soft", func(t *testing.T) {
		t.Parallel()
		r := newMassgenRoom(t, roundTimeouts)
		r.state(limited(5*time.Second, soft(1, nil), nil))
		o := r.post("agent1", "shell", "ok")
		require.Len(t, o.Inject, 1)
		require.Equal(t, "tool_result", o.Inject[0].Strategy)
		text := o.Inject[0].Content
		require.Regexp(t, `\A\n={60}\n⏰ ROUND TIME LIMIT APPROACHING - PLEASE WRAP UP\n={60}\n`, text)
		require.Regexp(t, `\((5|6|7|8|9|1[0-9])s / 1s\)`, text)
		for _, token := range []string{"initial answer", "`new_answer`", "`vote`", "120 seconds"} {
			require.Contains(t, text, token)
		}
		require.NotContains(t, text, "deliverable/")
		require.Regexp(t, `\n={60}\n\z`, text)
		mine := r.agent("agent1")
		require.Equal(t, "timeout", mine["soft_timeout_reason"])
		require.InDelta(t, ago(0), mine["soft_timeout_fired_at"], 60)
		require.Empty(t, r.post("agent1", "shell", "ok").Inject, "once per round")
		require.Empty(t, r.post("agent2", "shell", "ok").Inject, "another agent has a round of its own")

		limits := map[string]struct {
			round  int
			limits binary.Object
			fires  bool
		}{
			"round 0 has the initial limit":        {0, soft(1, 1000), true},
			"round 0 without one":                  {0, soft(nil, 1), false},
			"later rounds have the other":          {1, soft(1000, 1), true},
			"later rounds without one":             {2, soft(1, nil), false},
			"no limits at all":                     {0, nil, false},
			"before the limit":                     {0, soft(1000, 1), false},
			"a limit in fractions":                 {0, soft(2.5, nil), true},
			"before the limit, in a later round":   {3, soft(1, 1000), false},
			"limits that are not there, but grace": {0, binary.Object{"round_timeout_grace_seconds": 1}, false},
		}
		for _, name := range testall.PartOf(3, limits) {
			test := limits[name]
			r.state(limited(5*time.Second, test.limits, binary.Object{"round": test.round}))
			texts := strings.Join(r.post("agent1", "shell", "ok").texts(), "")
			require.Equal(t, test.fires, strings.Contains(texts, "ROUND TIME LIMIT"), name)
			require.Equal(t, test.fires && test.round > 0, strings.Contains(texts, "voting"), name)
		}

		two := limited(5*time.Second, binary.Object{"initial_round_timeout_seconds": 1,
			"round_timeout_grace_seconds": 45}, nil)
		two["use_two_tier_workspace"] = true
		r.state(two)
		text = r.post("agent1", "shell", "ok").texts()[0]
		require.Contains(t, text, "deliverable/")
		require.Contains(t, text, "45 seconds")
	})
	t.Run("M96 manual", func(t *testing.T) {
		testall.Only(t, "twenty calls, each with a Python of its own")
		t.Parallel()
		r := newMassgenRoom(t, roundTimeouts)
		r.state(limited(5*time.Second, soft(1000, nil), nil))
		wrapUp := func() string { return strings.TrimSpace(r.run("", "round_timeout_post.py", "wrap-up", "agent1")) }
		require.Equal(t, "true", wrapUp())
		require.Equal(t, "false", wrapUp(), "asked already")
		require.Nil(t, r.agent("agent1")["soft_timeout_fired_at"], "the grace begins when it is told")
		require.Equal(t, "continue", r.pre("agent1", "shell").Decision)
		texts := r.post("agent1", "shell", "ok").texts()
		require.Len(t, texts, 1)
		require.Contains(t, texts[0], "⏰ ANSWER NOW REQUESTED - PLEASE WRAP UP\n")
		require.NotContains(t, texts[0], "ROUND TIME LIMIT")
		require.Equal(t, "manual", r.agent("agent1")["soft_timeout_reason"])
		require.InDelta(t, ago(0), r.agent("agent1")["soft_timeout_fired_at"], 60)
		require.Equal(t, "false", wrapUp(), "told already")
		require.Empty(t, r.post("agent1", "shell", "ok").Inject)

		r.run("", "round_timeout_post.py", "reset", "agent1", "0")
		require.Equal(t, "true", wrapUp(), "a new round")
		require.Contains(t, r.run("", "round_timeout_post.py", "consume", "agent1"), "ANSWER NOW REQUESTED")
		require.Empty(t, r.run("", "round_timeout_post.py", "consume", "agent1"))

		r.state(limited(5*time.Second, soft(nil, nil), nil)) // no limit: dropped, and can be asked for again
		require.Equal(t, "true", wrapUp())
		require.Empty(t, r.run("", "round_timeout_post.py", "consume", "agent1"))
		require.Equal(t, "true", wrapUp())
		require.Empty(t, r.post("agent1", "shell", "ok").Inject)
		require.Equal(t, "true", wrapUp())

		r.state(limited(5*time.Second, soft(1, nil), nil)) // consume is for what was asked
		require.Empty(t, r.run("", "round_timeout_post.py", "consume", "agent1"))
		done := r.try("", "round_timeout_post.py", "wrapup", "agent1")
		require.Equal(t, 1, done.Code)
		require.Contains(t, done.Stderr, "There are reset, wrap-up and consume")
	})
	t.Run("M97 hard", func(t *testing.T) {
		testall.Only(t, "thirty calls, each with a Python of its own")
		t.Parallel()
		r := newMassgenRoom(t, roundTimeouts)
		allows := func(tool, why string) {
			t.Helper()
			o := r.pre("agent1", tool)
			require.Equal(t, "continue", o.Decision, why)
			require.Empty(t, o.Warnings)
		}
		denies := func(tool string, n int) string {
			t.Helper()
			o := r.pre("agent1", tool)
			require.Equal(t, "block", o.Decision)
			require.Regexp(t,
				fmt.Sprintf("^⛔ HARD TIMEOUT - TOOL `%s` BLOCKED \\(attempt #%d\\)\n.* [0-9]+s ago, .* 0s ", tool, n),
				o.Reason)
			require.Contains(t, o.Reason, "`vote`")
			require.Contains(t, o.Reason, "`new_answer`")
			require.Equal(t, n >= 3, strings.Contains(o.Reason,
				fmt.Sprintf("WARNING: %d blocked calls in a row. After 10 ", n)))
			return o.Reason
		}
		settings := binary.Object{"initial_round_timeout_seconds": 1, "round_timeout_grace_seconds": 0}
		r.state(limited(5*time.Second, settings, nil))
		allows("shell", "nobody was warned")
		require.Len(t, r.post("agent1", "shell", "ok").Inject, 1)
		for n := 1; n <= 4; n++ {
			denies("shell", n)
		}
		allows("vote", "the 5th")
		for n := 1; n <= 2; n++ {
			denies("read", n)
		}
		allows("new_answer", "what is left to do")
		for n := 1; n <= 10; n++ {
			require.NotEqual(t, true, r.agent("agent1")["force_terminate"])
			denies("shell", n)
		}
		require.Equal(t, true, r.agent("agent1")["force_terminate"])
		for _, tool := range []string{"shell", "vote", "new_answer"} {
			o := r.pre("agent1", tool)
			require.Equal(t, "block", o.Decision)
			require.Contains(t, o.Reason, "FORCE TERMINATED")
			require.Contains(t, o.Reason, "`"+tool+"`")
		}
		require.Equal(t, "continue", r.pre("agent2", "shell").Decision)

		r.state(limited(time.Hour, binary.Object{"initial_round_timeout_seconds": 1},
			binary.Object{"soft_timeout_fired_at": ago(10 * time.Second), "consecutive_hard_denials": 3}))
		allows("shell", "within the grace of 120 s")
		require.Equal(t, 0.0, r.agent("agent1")["consecutive_hard_denials"])
		r.state(limited(time.Hour, binary.Object{"initial_round_timeout_seconds": 1},
			binary.Object{"soft_timeout_fired_at": ago(130 * time.Second)}))
		o := r.pre("agent1", "shell")
		require.Regexp(t, `13[0-9]s ago, .* 120s `, o.Reason)
		r.state(limited(time.Hour, soft(nil, 1),
			binary.Object{"soft_timeout_fired_at": ago(time.Hour), "force_terminate": true}))
		allows("shell", "no limit in this round")
	})
	t.Run("M97 calls at once are counted", func(t *testing.T) {
		t.Parallel()
		r := newMassgenRoom(t, roundTimeouts)
		r.state(limited(time.Hour, binary.Object{"initial_round_timeout_seconds": 1, "round_timeout_grace_seconds": 0},
			binary.Object{"soft_timeout_fired_at": ago(time.Minute)}))
		r.atOnce(8, func(int) string { return `{"tool_name":"shell","agent_id":"agent1"}` }, "round_timeout_pre.py")
		require.Equal(t, 8.0, r.agent("agent1")["consecutive_hard_denials"])
	})
	t.Run("M97 shared state", func(t *testing.T) {
		testall.Only(t, "a thousand changes by several processes")
		t.Parallel()
		r := newMassgenRoom(t, "")
		const adds = `import sys; sys.path.insert(0, "."); from massgen import kept
for _ in range(200):
    with kept("count.json", {"n": 0}) as state:
        state["n"] += 1`
		var all sync.WaitGroup
		ended := make([]binary.Result, 4)
		for i := range ended {
			all.Go(func() { ended[i] = binary.Run(t, r.dir, "", r.env, "python3", "-c", adds) })
		}
		over := make(chan struct{})
		go func() { all.Wait(); close(over) }()
		for reading := true; reading; { // an orchestrator that only looks takes no lock
			text, err := os.ReadFile(r.path("count.json"))
			require.True(t, errors.Is(err, os.ErrNotExist) || json.Valid(text), "half a state: %q", text)
			select {
			case <-over:
				reading = false
			default:
			}
		}
		require.Equal(t, make([]binary.Result, 4), ended)
		text, err := os.ReadFile(r.path("count.json"))
		require.NoError(t, err)
		require.JSONEq(t, `{"n":800}`, string(text), "nobody's change is lost")

		const dies = `import os, sys; sys.path.insert(0, "."); from massgen import kept
with kept("count.json", {"n": 0}) as state:
    state["n"] = 0
    os.kill(os.getpid(), 9)`
		require.Equal(t, -1, binary.Run(t, r.dir, "", r.env, "python3", "-c", dies).Code)
		require.Equal(t, binary.Result{}, binary.Run(t, r.dir, "", r.env, "python3", "-c", adds),
			"the lock of a process that died is open")
		const fails = `import sys; sys.path.insert(0, "."); from massgen import kept
with kept("count.json", {"n": 0}) as state:
    state["n"] = 0
    sys.exit(3)`
		require.Equal(t, 3, binary.Run(t, r.dir, "", r.env, "python3", "-c", fails).Code)
		text, err = os.ReadFile(r.path("count.json"))
		require.NoError(t, err)
		require.JSONEq(t, `{"n":1000}`, string(text), "what was not finished is not written")
	})
	t.Run("M98 without shared state", func(t *testing.T) {
		t.Parallel()
		for _, test := range []struct {
			name  string
			since time.Duration
			round binary.Object
			tool  string
			block string
		}{
			{"before the hard limit", 119 * time.Second, binary.Object{"timeout_settings": soft(100, nil)}, "shell",
				""},
			{"with a grace of its own", 119 * time.Second,
				binary.Object{"timeout_settings": binary.Object{"initial_round_timeout_seconds": 100,
					"round_timeout_grace_seconds": 5}}, "shell", `\(1[12][0-9]s / 105s\)`},
			{"behind the hard limit", 300 * time.Second, binary.Object{"timeout_settings": soft(100, nil)}, "shell",
				`\(3[0-9][0-9]s / 220s\)`},
			{"a vote", 300 * time.Second, binary.Object{"timeout_settings": soft(100, nil)}, "vote", ""},
			{"an answer", 300 * time.Second, binary.Object{"timeout_settings": soft(100, nil)}, "new_answer", ""},
			{"a later round", 300 * time.Second, binary.Object{"round": 1, "timeout_settings": soft(100, nil)},
				"shell", ""},
			{"no settings", 300 * time.Second, binary.Object{}, "shell", ""},
		} {
			test.round["round_start_time"] = ago(test.since)
			r := newMassgenRoom(t, roundTimeouts, "MASSGEN_ROUND_STATE=", "MASSGEN_ROUND="+binary.JSON(t, test.round))
			o := r.pre("agent1", test.tool)
			require.Empty(t, o.Warnings, test.name)
			if test.block == "" {
				require.Equal(t, "continue", o.Decision, test.name)
			} else {
				require.Equal(t, "block", o.Decision, test.name)
				require.Regexp(t, "^⛔ HARD TIMEOUT - TOOL `shell` BLOCKED\n.*"+test.block, o.Reason, test.name)
			}
		}
	})
	t.Run("M99 reset", func(t *testing.T) {
		t.Parallel()
		r := newMassgenRoom(t, roundTimeouts)
		r.state(limited(time.Hour, binary.Object{"initial_round_timeout_seconds": 1,
			"subsequent_round_timeout_seconds": 1000, "round_timeout_grace_seconds": 0}, binary.Object{
			"soft_timeout_fired_at": ago(time.Minute), "soft_timeout_reason": "timeout", "wrap_up_requested": true,
			"consecutive_hard_denials": 10, "force_terminate": true,
		}))
		require.Equal(t, "block", r.pre("agent1", "vote").Decision)
		require.Empty(t, r.run("", "round_timeout_post.py", "reset", "agent1", "1"))
		mine := r.agent("agent1")
		require.InDelta(t, ago(0), mine["round_start_time"], 60)
		delete(mine, "round_start_time")
		require.Equal(t, binary.Object{"round": 1.0}, mine)
		require.Equal(t, "continue", r.pre("agent1", "shell").Decision)
		require.Empty(t, r.post("agent1", "shell", "ok").Inject)
	})
	t.Run("without a state the tool goes on, and fail_closed blocks it", func(t *testing.T) {
		t.Parallel()
		r := newMassgenRoom(t, roundTimeouts)
		o := r.pre("agent1", "shell")
		require.Equal(t, "continue", o.Decision)
		require.NotEmpty(t, o.Warnings)
		binary.WriteFile(t, r.dir, "massgen.yaml",
			strings.ReplaceAll(roundTimeouts, "timeout: 20", "timeout: 20, fail_closed: true"))
		require.Equal(t, "block", r.pre("agent1", "shell").Decision)
	})
	t.Run("an agent that nobody announced begins with its first tool", func(t *testing.T) {
		t.Parallel()
		r := newMassgenRoom(t, roundTimeouts)
		r.state(binary.Object{"timeout_settings": soft(1000, nil)})
		require.Equal(t, "continue", r.pre("agent1", "shell").Decision)
		require.InDelta(t, ago(0), r.agent("agent1")["round_start_time"], 60)
	})
}
