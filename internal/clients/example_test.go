package clients_test

import (
	"fmt"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/form"
	"github.com/hookrun/hookrun/internal/core/tenex"
	"github.com/hookrun/hookrun/protocol"
)

// What a hook's process did becomes a verdict, and the verdicts of a call become its outcome.
func Example() {
	call := dialect.Call{Event: protocol.PreTool, Workspace: "/project", Tool: "shell",
		Args: `{"command": "git push --force"}`}
	payload, _, _ := tenex.Dialect.Hooks.Encode(dialect.NewCall(call))
	fmt.Printf("%.60s…\n", payload.Bytes())

	answer := `{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"do not force-push"}}`
	result := dialect.HookResult{Stdout: dialect.Capture{Head: []byte(answer), Total: int64(len(answer))}}
	verdict := tenex.Dialect.ApplyFailurePolicy(&call, tenex.Dialect.Hooks.Decode(&call, "guard", &result))

	outcome := dialect.Merge(&call, []dialect.HookVerdict{{
		Report:  dialect.Report("guard", "hooks.json:3", &result, &verdict),
		Verdict: verdict, Dialect: tenex.Dialect,
	}})
	fmt.Println(outcome.Decision, outcome.Cause, form.ExitCode(outcome), form.Stderr(outcome))
	// Output:
	// {"event":"pre-tool","tool":"shell","args":{"command":"git pu…
	// block policy 2 do not force-push
}
