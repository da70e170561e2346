package qwen_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/qwen"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

// merged is the outcome of hooks that ended so.
func merged(e protocol.Event, policy dialect.FailurePolicy, results ...dialect.HookResult) protocol.Outcome {
	c := dialect.Call{Event: e, Tool: "run_shell_command", Args: `{"command":"ls"}`}
	var hooks []dialect.HookVerdict
	for i := range results {
		name := fmt.Sprint("h", i)
		v := qwen.Dialect.ApplyFailurePolicy(&c, qwen.Dialect.Hooks.Decode(&c, name, &results[i]), policy)
		hooks = append(hooks, dialect.HookVerdict{Report: dialect.Report(name, "f:1", &results[i], &v), Verdict: v,
			Dialect: qwen.Dialect})
	}
	return dialect.Merge(&c, hooks)
}

func TestSettle(t *testing.T) {
	says := func(word string) dialect.HookResult {
		return dialecttest.Printed(`{"hookSpecificOutput":{"permissionDecision":"` + word +
			`","permissionDecisionReason":"` + word + `"}}`)
	}
	exit2 := dialecttest.Exited(2, "", "no")
	for name, test := range map[string]struct {
		hooks        []dialect.HookResult
		want, strict protocol.Decision
		reason       string
		warnings     int
	}{
		"deny, allow": {[]dialect.HookResult{says("deny"), says("allow")}, protocol.Continue,
			protocol.Block, "", 1},
		"allow, deny": {[]dialect.HookResult{says("allow"), says("deny")}, protocol.Block, protocol.Block,
			"deny", 0},
		"deny, ask":     {[]dialect.HookResult{says("deny"), says("ask")}, protocol.Ask, protocol.Block, "ask", 1},
		"exit 2, allow": {[]dialect.HookResult{exit2, says("allow")}, protocol.Continue, protocol.Block, "", 1},
		"allow, exit 2": {[]dialect.HookResult{says("allow"), exit2}, protocol.Continue, protocol.Block, "", 1},
		"exit 2, silence": {[]dialect.HookResult{exit2, dialecttest.Printed("")}, protocol.Block,
			protocol.Block, "no", 0},
		"exit 2, text": {[]dialect.HookResult{exit2, dialecttest.Printed("hello")}, protocol.Block, protocol.Block,
			"no\nHook executed successfully", 0},
		"an allow that undoes its own block, and a word that undoes that": {[]dialect.HookResult{
			dialecttest.Printed(`{"decision":"block","reason":"R",` +
				`"hookSpecificOutput":{"permissionDecision":"allow"}}`),
			says("maybe")}, protocol.Block, protocol.Block, "maybe", 2},
		"stop, allow": {[]dialect.HookResult{dialecttest.Printed(`{"continue":false,"stopReason":"S"}`), says("allow")},
			protocol.Block, protocol.Block, "S", 0},
		"ask by decision, text": {[]dialect.HookResult{dialecttest.Printed(`{"decision":"ask"}`),
			dialecttest.Printed("hello")}, protocol.Continue, protocol.Ask, "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			o := merged("PreToolUse", nil, test.hooks...)
			require.Equal(t, test.want, o.Decision)
			require.Equal(t, test.reason, o.Reason)
			require.Len(t, o.Warnings, test.warnings, "%q", o.Warnings)
			require.False(t, o.Approved)
			require.Equal(t, test.strict, merged("PreToolUse", dialecttest.OnFailure(protocol.Block),
				test.hooks...).Decision)
		})
	}
}

// The client joins what several hooks answer to a permission request, and what decides nothing then refuses it.
func TestSettlePermissionRequest(t *testing.T) {
	says := func(decision string) dialect.HookResult {
		return dialecttest.Printed(`{"hookSpecificOutput":{"decision":` + decision + `}}`)
	}
	nothing := dialecttest.Printed(`{}`)
	for name, test := range map[string]struct {
		hooks  []dialect.HookResult
		want   protocol.Decision
		reason string
	}{
		"one that decides nothing": {[]dialect.HookResult{nothing}, protocol.Continue, ""},
		"two that decide nothing":  {[]dialect.HookResult{nothing, nothing}, protocol.Block, "Blocked by hook"},
		"allow, nothing": {[]dialect.HookResult{says(`{"behavior":"allow"}`), nothing},
			protocol.Continue, ""},
		"deny, allow": {[]dialect.HookResult{says(`{"behavior":"deny","message":"a"}`),
			says(`{"behavior":"allow","message":"b"}`)}, protocol.Block, "a\nb"},
		"no behavior, allow": {[]dialect.HookResult{says(`{"message":"a"}`), says(`{"behavior":"allow"}`)},
			protocol.Continue, ""},
	} {
		t.Run(name, func(t *testing.T) {
			o := merged("PermissionRequest", nil, test.hooks...)
			require.Equal(t, test.want, o.Decision)
			require.Equal(t, test.reason, o.Reason)
		})
	}
}

// Another dialect's block stands, whatever hooks of this one say.
func TestSettleLeavesOthersAlone(t *testing.T) {
	c := dialect.Call{Event: "PreToolUse", Tool: "run_shell_command"}
	allow := dialecttest.Printed(`{"hookSpecificOutput":{"permissionDecision":"allow"}}`)
	other := *qwen.Dialect
	other.Hooks = struct{ dialect.Hooks }{other.Hooks} // which outrank nothing
	var hooks []dialect.HookVerdict
	for _, d := range []*dialect.Dialect{&other, qwen.Dialect, qwen.Dialect} {
		v := qwen.Dialect.Hooks.Decode(&c, "h", &allow)
		if d == &other {
			v = dialecttest.Blocked("guarded")
		}
		hooks = append(hooks, dialect.HookVerdict{Verdict: v, Dialect: d})
	}
	o := dialect.Merge(&c, hooks)
	require.Equal(t, protocol.Block, o.Decision)
	require.Equal(t, "guarded", o.Reason)
}

func TestPattern(t *testing.T) {
	for matcher, want := range map[string]bool{"Bash": true, "Bash|Read": true, " Shell ": true, "bash": false,
		"^Bash$": false, "(Bash|Read)": false, "shell": true, "edit | run_shell_command": true, "[": false, "|": false,
		"x|*": true, "run_[a|b]*shell": true, "(?i)RUN": false, ".*": true, "^edit|shell": true, `Bash\|x`: false} {
		require.Equal(t, want, qwen.Dialect.Files.Pattern(matcher, "tool_name").Match("run_shell_command"), matcher)
	}
	require.False(t, qwen.Dialect.Files.Pattern("Bash", "source").Match("run_shell_command"))
	for matcher, tool := range map[string]string{"EnterPlanMode": "enter_plan_mode", "LspTool": "lsp",
		"Write": "write_file", "WriteFileTool": "write_file", "OcrImage": "omni_ocr_image",
		"TodoList|x": "todo_write"} {
		require.True(t, qwen.Dialect.Files.Pattern(matcher, "tool_name").Match(tool), matcher)
	}
}
