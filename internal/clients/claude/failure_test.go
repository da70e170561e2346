package claude_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/claude"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

func TestClaudeOnFailure(t *testing.T) {
	results := map[protocol.Cause]dialect.HookResult{
		protocol.CauseSignal:    dialecttest.Killed("SIGTERM", "", "boom\n"),
		protocol.CauseUnstarted: {Err: errors.New("no: boom")},
		protocol.CauseTimeout:   {TimedOut: true, Limit: time.Second},
		protocol.CauseOutput:    dialecttest.Printed("{not json}"),
		protocol.CauseExit:      dialecttest.Exited(1, "", "boom\n"),
	}
	for cause, r := range results {
		for _, e := range []protocol.Event{"PreToolUse", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit",
			"PermissionRequest", "PreCompact"} {
			v := decideClaude(e, r)
			require.Equal(t, protocol.Continue, v.Decision, "the client goes on")
			require.Len(t, v.Warnings, 1)
			require.Equal(t, v, decideClaude(e, r, dialect.FailurePolicy{cause: protocol.Continue},
				dialecttest.OnFailure(protocol.Block)), "the first policy that names the cause counts")

			v = decideClaude(e, r, nil, dialect.FailurePolicy{cause: protocol.Block},
				dialecttest.OnFailure(protocol.Continue))
			require.Equal(t, protocol.Block, v.Decision)
			require.Equal(t, cause, v.Cause)
			require.NotEqual(t, dialect.StatusOK, v.Status)
			require.NotEqual(t, dialect.StatusFailed, v.Status, "failed is for what lets pass")
			require.Contains(t, v.Reason, string(e)+" hook 'h' ")
			if cause != protocol.CauseTimeout && cause != protocol.CauseOutput {
				require.Contains(t, v.Reason, "boom", "what the hook said of it")
			}
			require.Empty(t, v.Warnings, "the reason says it")
		}
	}
	c := dialecttest.AtEvent("PreToolUse")
	v := dialect.Unsupported(claude.Dialect, &c, "h", "agent")
	require.Equal(t, protocol.Continue, claude.Dialect.ApplyFailurePolicy(&c, v).Decision)
	require.Equal(t, protocol.Block, claude.Dialect.ApplyFailurePolicy(&c, v,
		dialecttest.OnFailure(protocol.Block)).Decision)

	for _, cause := range claude.Dialect.Causes() {
		for _, e := range claude.Dialect.Events.Names() {
			want := protocol.Continue
			if e == "PreModelSwitch" && cause == protocol.CauseTimeout {
				want = protocol.Block
			}
			c := dialecttest.AtEvent(e)
			require.Equal(t, want, claude.Dialect.FailureDecision(&c, dialect.Fault{Cause: cause}), "%s %s", e, cause)
		}
	}
}

func TestClaudeOnFailureWithAnAnswer(t *testing.T) {
	full := `{"continue":false,"stopReason":"s","systemMessage":"m",` +
		dialecttest.Pre(`"permissionDecision":"allow","permissionDecisionReason":"fine","updatedInput":{"a":1},` +
			`"additionalContext":"c"`)[1:]
	for _, exit := range []dialect.HookResult{dialecttest.Exited(1, "", "err"), dialecttest.Exited(127, "", ""),
		dialecttest.Killed("SIGKILL", "", "err")} {
		with := func(stdout string) dialect.HookResult {
			r := exit
			r.Stdout = dialecttest.Printed(stdout).Stdout
			return r
		}
		for _, stdout := range []string{`{}`, dialecttest.Pre(""), dialecttest.Pre(`"permissionDecision":"allow"`),
			`{"decision":"approve","reason":"fine"}`, dialecttest.Pre(`"permissionDecision":"ask"`), full} {
			require.Empty(t, decideClaude("PreToolUse", with(stdout)).Warnings,
				"without a policy the JSON alone counts")
			v := decideClaude("PreToolUse", with(stdout), dialecttest.OnFailure(protocol.Block))
			require.Equal(t, protocol.Block, v.Decision, stdout)
			require.False(t, v.Approved)
			require.Nil(t, v.UpdatedInput)
			require.Equal(t, dialect.StatusBlocked, v.Status)
			require.NotEqual(t, protocol.CausePolicy, v.Cause)
			require.Contains(t, v.Reason, "PreToolUse hook 'h' ", "not the reason for allowing")
		}
		for _, stdout := range []string{dialecttest.Pre(`"permissionDecision":"deny",` +
			`"permissionDecisionReason":"own"`), `{"decision":"block","reason":"own"}`} {
			require.Equal(t, dialecttest.Blocked("own"),
				decideClaude("PreToolUse", with(stdout), dialecttest.OnFailure(protocol.Block)))
			require.Equal(t, dialecttest.Blocked("own"),
				decideClaude("PreToolUse", with(stdout), dialecttest.OnFailure(protocol.Continue)))
		}
	}
	v := decideClaude("PreToolUse", dialecttest.Exited(1, full, ""))
	require.Equal(t, []any{true, true, "s", "m", "c", `{"a":1}`, "fine"},
		[]any{v.Approved, v.Stop, v.StopReason, v.SystemMessage, v.Context, string(v.UpdatedInput), v.Reason})

	for name, r := range map[string]dialect.HookResult{
		"plain text": dialecttest.Printed("text"), "silence": dialecttest.Printed(""), "{}": dialecttest.Printed("{}"),
		"not waited for": {Async: true},
	} {
		require.Equal(t, protocol.Continue, decideClaude("PreToolUse", r,
			dialecttest.OnFailure(protocol.Block)).Decision, name+" is no failure")
	}
	for _, r := range []dialect.HookResult{dialecttest.Printed(`{"async":true}`), {Async: true, WentAsync: true}} {
		v := decideClaude("PreToolUse", r, dialecttest.OnFailure(protocol.Block))
		require.Equal(t, []any{protocol.Block, protocol.CauseOutput, dialect.StatusAsync},
			[]any{v.Decision, v.Cause, v.Status}, "async unasked")
		require.Contains(t, v.Reason, "went async by its own first line")
		require.Empty(t, decideClaude("SessionStart", r, dialecttest.OnFailure(protocol.Block)).Warnings,
			"there is nothing that it could have held up")
		require.Len(t, decideClaude("Stop", r, dialecttest.OnFailure(protocol.Block)).Warnings, 1)
	}
	require.Equal(t, dialecttest.Blocked("boom"),
		decideClaude("PreToolUse", dialecttest.Exited(2, "", "boom"), dialecttest.OnFailure(protocol.Continue)),
		"exit 2 is none either")
	wrong := decideClaude("PreToolUse", dialecttest.Printed(dialecttest.Answers("PostToolUse",
		`"additionalContext":"x"`)), dialecttest.OnFailure(protocol.Block))
	require.Equal(t, protocol.Block, wrong.Decision)
	require.Equal(t, protocol.CauseOutput, wrong.Cause)
	require.Empty(t, wrong.Context)
}

// What a failure means cannot be set where a turn ends, since a hook that is broken would never let it end, and where
// nothing can be blocked.
func TestClaudeOnFailureMeansNothing(t *testing.T) {
	for _, e := range []protocol.Event{"Stop", "SubagentStop", "TaskCompleted", "TeammateIdle", "SessionStart",
		"SessionEnd", "Notification", "PostModelSwitch"} {
		for _, r := range []dialect.HookResult{dialecttest.Exited(1, "", "boom"), dialecttest.Exited(1, "{}", "boom"),
			dialecttest.Killed("SIGKILL", "", ""), {Err: errors.New("no")}, {TimedOut: true},
			dialecttest.Printed("{not json}"), dialecttest.Printed(dialecttest.Answers("Nope", ""))} {
			v := decideClaude(e, r, dialecttest.OnFailure(protocol.Block))
			require.Equal(t, protocol.Continue, v.Decision, "%s %+v", e, v)
			require.LessOrEqual(t, len(v.Warnings), 1, "one warning for one failure")
			require.Equal(t, v, decideClaude(e, r), "the policy changes nothing")
		}
	}
	require.Equal(t, dialecttest.Blocked("go on"),
		decideClaude("Stop", dialecttest.Exited(2, "", "go on"), dialecttest.OnFailure(protocol.Continue)),
		"exit 2 is no failure")
}
