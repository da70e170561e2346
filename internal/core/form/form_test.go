package form_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/form"
	"github.com/hookrun/hookrun/internal/core/tenex"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

func TestText(t *testing.T) {
	o := dialecttest.Merge(protocol.PreTool, "one\ntwo", "", "three")
	require.Equal(t, "one\ntwo\n\nthree", form.Text(o))
	require.Equal(t,
		"<system-reminder type=\"pre-execute-hook\">\none\ntwo\n</system-reminder>\n\n<system-reminder "+
			"type=\"pre-execute-hook\">\nthree\n</system-reminder>", form.TaggedText(o))
	o = dialecttest.Merge(protocol.PreTool, "one", dialecttest.Deny)
	require.Empty(t, form.Text(o))
	require.Empty(t, form.TaggedText(o))
	require.Equal(t, "no pushing", form.Stderr(o))
	require.Equal(t, 2, form.ExitCode(o))
}

func TestWithoutRewrites(t *testing.T) {
	before := dialecttest.Merge(protocol.PreTool, "ctx",
		dialecttest.Specific(`"updatedInput":{},"permissionDecision":"allow"`))
	o := form.WithoutRewrites(before)
	require.Equal(t, protocol.Block, o.Decision)
	require.Equal(t, protocol.CauseRewrite, o.Cause)
	require.Equal(t, "b", o.Hook)
	require.False(t, o.Approved)
	require.Contains(t, o.Reason, "project hook 'b' changed the tool's input")
	require.Equal(t, protocol.Continue, before.Decision, "the outcome itself is not changed")

	o = form.WithoutRewrites(
		dialecttest.Merge(protocol.PostTool, dialecttest.Specific(`"updatedToolOutput":"x"`)))
	require.Equal(t, protocol.Block, o.Decision)
	require.Contains(t, o.Reason, "project hook 'a' changed the tool's output")

	o = form.WithoutRewrites(dialecttest.Merge(protocol.PostTool, dialecttest.Specific(`"updatedToolOutput":"x"`),
		`{"decision":"block","reason":"look"}`))
	require.Regexp(t, `^look\n\nproject hook 'a' changed`, o.Reason)

	o = form.WithoutRewrites(dialecttest.Merge(protocol.PreTool,
		dialecttest.Specific(`"updatedInput":{},"permissionDecision":"ask","permissionDecisionReason":"sure?"`)))
	require.Equal(t, protocol.Ask, o.Decision)
	require.Equal(t, "sure?", o.Reason)

	plain := dialecttest.Merge(protocol.PreTool, "x")
	require.Equal(t, plain, form.WithoutRewrites(plain))
}

func TestJSON(t *testing.T) {
	c := dialect.Call{Event: "PreToolUse", Tool: "shell"}
	r := dialecttest.Exited(3, "", "<why>\n")
	r.Duration, r.LeftRunning = 1_987_654*time.Nanosecond, []int{7}
	v := tenex.Dialect.Hooks.Decode(&c, "h", &r)
	o := dialect.Merge(&c, []dialect.HookVerdict{
		{Report: dialect.Report("h", "f:2", &r, &v), Verdict: v, Dialect: tenex.Dialect},
		dialect.Skipped("later", "f:3", tenex.Dialect),
	})
	got, err := form.JSON(o)
	require.NoError(t, err)
	require.Equal(t,
		`{"version":1,"event":"PreToolUse","tool":"shell","decision":"block","reason":"<why>","cause":"policy",`+
			`"hook":"h",`+
			`"hooks":[{"name":"h","source":"f:2","status":"blocked","cause":"policy","exit_code":3,"duration_ms":1.98,`+
			`"stdout_bytes":0,"stderr":"<why>","left_running":[7]},`+
			`{"name":"later","source":"f:3","status":"skipped","duration_ms":0,"stdout_bytes":0}],"duration_ms":0}`,
		string(got))
	var back protocol.Outcome
	require.NoError(t, json.Unmarshal(got, &back))
	require.Equal(t, protocol.Block, back.Decision)
	require.InDelta(t, 1.98, time.Duration(back.Hooks[0].Duration).Seconds()*1000, 0.001)
}
